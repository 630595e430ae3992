/* Driving one simulation to its end, and what came of it. */
#ifndef TOOL_SIMULATE_H
#define TOOL_SIMULATE_H

#include "record.h"
#include "started.h"

enum { REASON_SIZE = 2048, REMARKS_KEPT = 16 };

typedef struct Remarks {
    int count;     /* kept ones, all different */
    long left_out; /* more than could be kept */
    char text[REMARKS_KEPT][REASON_SIZE];
} Remarks;

typedef struct Outcome {
    int status;               /* exit status of the run */
    char reason[REASON_SIZE]; /* why it did not end as asked; empty: it did */
    Remarks remarks;
    Started started; /* in short; unknown in a run that is resumed */
    double cpu_seconds;
    long allocations; /* after the first internal step; -1: not known */
    long rows;        /* written to each result file */
} Outcome;

/* Keeps a remark once. */
void remarks_add(Remarks *remarks, const char *text);

/* What looks as if it were not meant: cardan_model_remarks. */
void remarks_on_model(Remarks *remarks, const CardanModel *model);

/* Steps from the start to options->end, records on the way. outcome arrives zeroed but for remarks of the start. */
void simulate(CardanSim *sim, const CardanModel *model, const CardanOptions *options, Record *record, Outcome *outcome);

#endif
