/* Run files on disk: read into memory, written so that a kill, a power cut or a full disk loses nothing that was saved.
 */
#ifndef TOOL_RUNFILE_H
#define TOOL_RUNFILE_H

#include "command.h"

/* ---- reading ---- */

typedef struct RunFile {
    const char *path;
    unsigned char *bytes;
    size_t size;
    CardanResult *result;
    CardanResultInfo info;
} RunFile;

/* Does the file begin as a run file? false also when there is none. */
bool runfile_is(const char *path);

/* Reads it; complains, also about what is damaged behind the records in order, and gives the exit status. Free in any
 * case. */
int runfile_read(RunFile *file, const char *path);
void runfile_free(RunFile *file);

/* The model it holds, with the parameters of the run. Complains and gives the exit status. */
int runfile_model(const RunFile *file, CardanModel **out);

/* The notes of `cardan run` are lines KEY VALUE: "set r=0.25", "output result.csv". Number k with this key is copied to
 * value; false: there is none. */
bool runfile_note(const RunFile *file, const char *key, int k, char *value, size_t size);

/* ---- writing ---- */

typedef struct RunSink {
    const char *path;
    int descriptor; /* -1: closed */
    int why;        /* errno of what failed */
} RunSink;

/* A new file, or one that goes on behind its first size bytes; locked, so that two runs cannot write the same.
 * Complains and gives the exit status. */
int runsink_create(RunSink *sink, const char *path);
int runsink_append(RunSink *sink, const char *path, size_t size);
CardanSink runsink_of(RunSink *sink);
int runsink_truncate(void *user, size_t size);
void runsink_close(RunSink *sink);

#endif
