/* A swing of one mode as a run: poses closed on the constraints, for `cardan view`, `cardan plot`, `cardan convert`. */
#ifndef TOOL_MODE_RUN_H
#define TOOL_MODE_RUN_H

#include "mode_files.h"

/* Is this a name of a run file, or of what is made of one? */
bool mode_run_is_known(const char *path);

typedef struct ModeRun {
    const Arguments *arguments; /* the model, parameters, files */
    int output_key, set_key;
} ModeRun;

/* Writes every file of the arguments with such a name; where there is none, nothing is done. Complains and gives the
 * exit status; a swing that cannot be closed leaves no file. */
int mode_run_write(const ModeRun *run, const ModeFile *file);

#endif
