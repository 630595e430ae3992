/* Run files: what a simulation was, what came of it, and where it can go on. An append-only row of checksummed records;
 * docs/RUNFILE.md has the bytes. Writing goes through a sink, so the file, its flushing and its locks are the caller's;
 * reading takes bytes in memory. */
#ifndef CARDAN_RUN_H
#define CARDAN_RUN_H

#include "cardan/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the format that is written; later ones are refused by the reader. */
enum { CARDAN_RUN_VERSION = 1 };

/* ---- writing ---- */

typedef struct CardanRun CardanRun;

/* Where records go. Both give 0, or another number when they could not: then the run has failed, and every later call
 * says so. */
typedef struct CardanSink {
    void *user;
    int (*write)(void *user, const void *bytes, size_t size); /* all of them; NULL: they are kept in memory */
    int (*sync)(void *user); /* what was written survives a power cut; NULL: nothing is done */
} CardanSink;

typedef struct CardanRunDef {
    int internal; /* by cardan_default_run */
    CardanSink sink;
    const char *model_text; /* the model file, so that the run can be resumed from the run file alone; NULL: none */
    size_t model_length;
    const char *model_label; /* its name, for messages */
    const char *notes;       /* any text of the caller's; NULL: none */
    int channels;            /* what each row has */
    const CardanChannel *channel;
    bool states; /* rows have the whole state too, so that poses can be drawn */
} CardanRunDef;

CARDAN_API CardanRunDef cardan_default_run(void);

/* Begins a run file of this simulation: model, options, version, channels. The run keeps sim, which must outlive it. On
 * failure *out is NULL and sim has the message. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_run_create(CardanSim *sim, const CardanRunDef *def, CardanRun **out);
CARDAN_API void cardan_run_close(CardanRun *run);
CARDAN_API const char *cardan_run_message(const CardanRun *run);

/* A row at time t, inside the last step or now: cardan_sim_sample, kept. values may be NULL. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_run_row(CardanRun *run, double t, double *values);

/* The same at several times of one step: cardan_sim_sample_rows, kept; values: rows x columns. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_run_rows(CardanRun *run, int rows, const double *t, double *values);

/* After each step: events that were noticed, or judged, in it. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_run_follow(CardanRun *run);

/* The whole memory of the simulation, with up to 16 numbers of the caller's; then everything is written and synced.
 * From here the run can go on with the same bits. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_run_checkpoint(CardanRun *run, int count, const double *numbers);

/* The run is over, with this exit status; then a checkpoint. seconds of processor time stand in a record of their own.
 */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_run_finish(CardanRun *run, int status, double seconds, int count,
                                                           const double *numbers);

/* What was written so far, of a run that is kept in memory; valid until the next call. */
CARDAN_API const void *cardan_run_bytes(const CardanRun *run, size_t *size);

/* ---- reading ---- */

typedef struct CardanResult CardanResult;

typedef struct CardanResultInfo {
    int version;             /* of the format */
    const char *program;     /* version of the program that wrote it */
    const char *model_name;  /* as cardan_model_name */
    const char *model_label; /* name of the model file; empty: there was none */
    const char *model_text;
    size_t model_length;
    const char *notes;
    int columns;       /* without the time */
    long rows, states; /* states: as many as rows, or 0 */
    int state_size;    /* numbers of one: q, v, first-order states, tracked ones, work */
    int events;
    bool ended;            /* the run came to its end, */
    int status;            /* with this exit status */
    double seconds;        /* processor time up to the end; 0: not known */
    bool resumable;        /* there is a checkpoint, */
    double checkpoint_t;   /* s; of this time */
    size_t size;           /* bytes of the records that are in order, from the beginning */
    size_t checkpoint_end; /* where the last checkpoint ends */
    const char *damage; /* what is wrong behind them: cut, or a record that is not what was written; empty: nothing */
} CardanResultInfo;

/* Reads bytes, which must stay as long as the result: every complete record in order, up to the first that is not. A
 * failure (CARDAN_ERR_IO: no run file, of a later version, its beginning is damaged) leaves *out NULL and a sentence.
 */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_result_read(const void *bytes, size_t size, CardanResult **out,
                                                            char *message, size_t message_size);
CARDAN_API void cardan_result_close(CardanResult *result);
CARDAN_API CardanResultInfo cardan_result_info(const CardanResult *result);

/* Heading and unit of a column, from 0; empty when there is none. */
CARDAN_API const char *cardan_result_name(const CardanResult *result, int column);
CARDAN_API const char *cardan_result_unit(const CardanResult *result, int column);

/* Row i, from 0: its time, its values (columns long) and the state (state_size long; NULL: none was kept). NAN and NULL
 * when there is none. */
CARDAN_API double cardan_result_time(const CardanResult *result, long i);
CARDAN_API const double *cardan_result_row(const CardanResult *result, long i);
CARDAN_API const double *cardan_result_state(const CardanResult *result, long i);

/* Event i, from 0; NULL when there is none. */
CARDAN_API const CardanEvent *cardan_result_event(const CardanResult *result, int i);

/* The options of the run. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_result_options(const CardanResult *result, CardanOptions *out,
                                                               char *message, size_t size);

/* ---- going on ---- */

/* Puts the last checkpoint into a simulation of the same model and options: it goes on with the same bits, its events
 * and counts with it. numbers (16) gets the caller's, count their number; both may be NULL. CARDAN_ERR_MODEL: it is of
 * another model. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_result_restore(const CardanResult *result, CardanSim *sim, int *count,
                                                               double *numbers);

/* Puts the state of row i into a simulation of the same model, to be looked at: places, velocities, reactions. Laws
 * that switch are on the side that the state alone gives. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_result_show(const CardanResult *result, long i, CardanSim *sim);

/* A run that goes on with the file of this result, whose last checkpoint is in sim. The sink stands behind the records
 * that are in order (info.size). What the file has behind the checkpoint is not written again but compared: `truncate`
 * is called with a new length when other bits come (another machine), and the run then goes on from there. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_run_resume(CardanSim *sim, const CardanResult *result,
                                                           const CardanRunDef *def,
                                                           int (*truncate)(void *user, size_t size), CardanRun **out);

/* s; from when on other bits came; NAN: they were the same. */
CARDAN_API double cardan_run_differs(const CardanRun *run);

/* The whole memory of a simulation in a file, and back into one of the same model and options. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_save_file(CardanSim *sim, const char *path);
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_load_file(CardanSim *sim, const char *path);

#ifdef __cplusplus
}
#endif
#endif
