/* Result files of a run: which channels, at which times, as CSV (RFC 4180; first column t; numbers read back as the
 * same bits). */
#ifndef TOOL_RECORD_H
#define TOOL_RECORD_H

#include "command.h"

typedef struct RecordFile {
    const char *path;
    FILE *stream;
    bool failed; /* and said so */
} RecordFile;

typedef struct Record {
    int file_count;
    RecordFile *files;
    int channel_count;
    CardanChannel *channels;
    int columns;             /* without t */
    double *values;          /* columns long */
    char *line;              /* a row as text, t in front */
    double output_step, end; /* s; output_step 0: a row each step */
    double next;             /* number of the next multiple of output_step */
    double last_t;           /* s; time of the last row */
    long rows;
} Record;

/* STATUS_USAGE with a complaint when a file's name asks for a format there is none for, or two are the same. */
int record_check_names(const Arguments *arguments, int output_key);

/* Opens every file given with this option and writes the headings. No file: nothing is recorded. Complains and gives
 * the exit status. Close in any case. */
int record_open(Record *record, const char *model_path, const CardanModel *model, const CardanOptions *options,
                const Arguments *arguments, int output_key);

/* The channels alone, of a zeroed record: what the model lists, or the usual ones. Gives the exit status, and the
 * sentence in reason. Close in any case. */
int record_choose(Record *record, const char *path, const CardanModel *model, char *reason, size_t size);

/* Rows that the last step (or the start) asks for. finish: the run ends here, so this time is a row in any case. */
int record_step(Record *record, CardanSim *sim, bool finish);

/* Writes out what is held back; reports what could not be written. */
int record_close(Record *record);

/* Whether rows go to stdout ("-"), which then belongs to them alone. */
bool record_on_stdout(const Arguments *arguments, int output_key);

#endif
