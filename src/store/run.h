/* A run being written, and what a run file holds. */
#ifndef CRD_STORE_RUN_H
#define CRD_STORE_RUN_H

#include "cardan/run.h"
#include "core/memory.h"
#include "sim/channel.h"
#include "sim/sim.h"
#include "store/record.h"

enum { CRD_RUN_NUMBERS = 16 }; /* of the caller's, in a checkpoint */

/* What of an event may change after it was noticed. */
typedef struct CrdTold {
    double t, left_at, jump;
    CardanBranch branch;
} CrdTold;

struct CardanRun {
    CardanSim *sim;
    CardanSink sink;
    CrdBytes bytes; /* not written yet; of a run in memory all */
    CrdError error; /* why it failed */
    CrdAsked asked; /* of a row, */
    CardanChannel *channel;
    int *place;     /* by channel, see there */
    double *values; /* of a row */
    int columns;
    bool states;
    int many; /* rows that are read at once; 0: there is no room for them yet */
    double *many_values, *many_states;
    int told_count; /* events written, */
    CrdTold *told;  /* (2 x CRD_EVENTS_MAX) and as what */
    double *state;  /* (state size) */

    /* a run that goes on: records of the file behind its checkpoint */
    const unsigned char *replay; /* the file, up to where it is in order */
    size_t replay_at, replay_end;
    int (*truncate)(void *user, size_t size);
    double differs; /* s; NAN: nothing did */
};

struct CardanResult {
    const unsigned char *bytes;
    CardanResultInfo info;
    char damage[256];
    const char *options;
    uint64_t fingerprint;
    const char **names, **units; /* (columns) */
    const double **samples;      /* (rows) t, values */
    const double **state;        /* (states) t, y */
    CardanEvent *event;          /* (events) */
    long room_samples, room_states;
    int room_events;
    size_t checkpoint; /* where the last one begins; 0: there is none */
    long checkpoint_rows;
    int checkpoint_events;
};

/* What tells models apart: sizes, names, masses, the pose at the start. */
uint64_t crd_fingerprint(const CardanModel *model);

/* Options as lines NAME VALUE, and back. */
void crd_options_write(const CardanOptions *options, CrdBytes *out);
CardanStatus crd_options_read(const char *text, CardanOptions *out, char *message, size_t size);

/* An event as a record, and back; its name then stands in the record. */
void crd_event_write(CrdBytes *out, int index, const CardanEvent *event);
bool crd_event_read(const CrdRecord *record, int *index, CardanEvent *out);

/* The record that was begun at `begin` is complete: it is kept, or compared with what the file has already. */
CardanStatus crd_run_put(CardanRun *run, size_t begin);
CardanStatus crd_run_flush(CardanRun *run);

/* The run's parts that creating and going on share; on failure NULL. */
CardanRun *crd_run_new(CardanSim *sim, const CardanRunDef *def);

#endif
