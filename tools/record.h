/* Results of a run: which channels, at which times; as CSV while it goes (RFC 4180; first column t; numbers read back
 * as the same bits), as a run file, and from that in other formats when it is over. */
#ifndef TOOL_RECORD_H
#define TOOL_RECORD_H

#include "lines.h"
#include "runfile.h"

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
    int room;                /* rows that are read at once: */
    double *times, *values;  /* (room), (room x columns) */
    Lines lines;             /* rows as text, t in front */
    double output_step, end; /* s; output_step 0: a row each step */
    double next;             /* number of the next multiple of output_step */
    double last_t;           /* s; time of the last row */
    long rows;
    CardanRun *run;       /* NULL: no run file is written, and none is needed for other formats */
    RunSink sink;         /* of a run file on disk */
    bool on_disk;         /* else the run is kept in memory */
    double every;         /* s; between checkpoints */
    double checkpointed;  /* s; clock at the last one, */
    double flushed;       /* and when lines were last written out */
    const char **exports; /* files to be made of the run when it is over */
    int export_count;
} Record;

/* What the files of a run are begun with. */
typedef struct RecordOrder {
    const Arguments *arguments;
    int output_key, checkpoint_key, every_key, set_key;
    const char *model_path;
} RecordOrder;

/* STATUS_USAGE with a complaint when a file's name asks for a format there is none for, or two are the same. */
int record_check_names(const Arguments *arguments, int output_key);

/* Opens every file that is asked for, writes headings, begins the run file. No file: nothing is recorded. Complains and
 * gives the exit status. Close in any case. */
int record_open(Record *record, CardanSim *sim, const CardanModel *model, const CardanOptions *options,
                const RecordOrder *order);

/* The same for a run that goes on with its run file, whose checkpoint is in sim with these numbers. */
int record_resume(Record *record, CardanSim *sim, const CardanModel *model, const CardanOptions *options,
                  const RunFile *file, const double *numbers, int count);

/* The channels alone, of a zeroed record: what the model lists, or the usual ones. Gives the exit status, and the
 * sentence in reason. Close in any case. */
int record_choose(Record *record, const char *path, const CardanModel *model, char *reason, size_t size);

/* Rows that the last step (or the start) asks for; a checkpoint when it is time for one. */
int record_step(Record *record, CardanSim *sim);

/* The run ends here with this exit status, after seconds of processor time. Where it came to its end this time is a row
 * in any case; where it was interrupted the run file keeps a checkpoint, so that it can go on. */
int record_finish(Record *record, CardanSim *sim, int status, double seconds);

/* Makes the other formats of the run; after record_finish. */
int record_export(const Record *record);

/* Writes out what is held back; reports what could not be written. */
int record_close(Record *record);

/* Whether rows go to stdout ("-"), which then belongs to them alone. */
bool record_on_stdout(const Arguments *arguments, int output_key);

#endif
