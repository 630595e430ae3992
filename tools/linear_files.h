/* A linearisation as CSV, JSON, and as programs for Python and Octave. */
#ifndef TOOL_LINEAR_FILES_H
#define TOOL_LINEAR_FILES_H

#include "command.h"
#include "json.h"

/* Is there a way to write it to a file that ends so? */
bool linear_file_is_known(const char *path);

/* Complains and gives the exit status. */
int linear_file_write(const char *path, const CardanLinear *linear, const char *model);

/* Members of an open object: form, names, matrices. */
void linear_json(Json *json, const CardanLinear *linear);

#endif
