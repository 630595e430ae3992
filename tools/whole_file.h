/* Files that are read and written as a whole. */
#ifndef TOOL_WHOLE_FILE_H
#define TOOL_WHOLE_FILE_H

#include <stddef.h>
#include <stdio.h>

/* All bytes of a file, for free(); NULL: the complaint was made. */
char *read_whole(const char *path, size_t *length);

/* Into a temporary file beside it, which then takes its name: a reader never sees half of it. */
int write_whole(const char *path, const char *bytes, size_t length);

/* What `put` writes: to a file, or for "-" to standard output. It may return why it could not; NULL: it could, as far
 * as the stream knows. The complaint was made where the status is not STATUS_DONE. */
typedef const char *(*PutFile)(FILE *out, const void *user);
int write_file(const char *path, PutFile put, const void *user);

#endif
