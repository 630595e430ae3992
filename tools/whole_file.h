/* Files that are read and written as a whole: a reader of one never sees half of it. */
#ifndef TOOL_WHOLE_FILE_H
#define TOOL_WHOLE_FILE_H

#include <stddef.h>

/* All bytes of a file, for free(); NULL: the complaint was made. */
char *read_whole(const char *path, size_t *length);

/* Into a temporary file beside it, which then takes its name. */
int write_whole(const char *path, const char *bytes, size_t length);

#endif
