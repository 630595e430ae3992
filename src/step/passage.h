/* The log of passages through singular poses.
 *
 * A passage is noticed by the free watch (the closeness of stages and accepted states dips), confirmed by a look at the
 * motion between two steps, and kept as one event. */
#ifndef CRD_STEP_PASSAGE_H
#define CRD_STEP_PASSAGE_H

#include "cardan/sim.h"
#include "solve/singular.h"

typedef struct CrdPassage {
    /* the dip that is open */
    bool open;
    double entered;      /* s */
    double lowest;       /* smallest closeness so far */
    double lowest_at;    /* s */
    double lambda_max;   /* largest multiplier */
    CrdRemedy remedy;    /* strongest remedy used */
    CardanEvent found;   /* joints at the lowest point */
    bool confirmed;      /* a look there found the rows dependent */
    double w_last;       /* closeness of the last accepted state */
    double step_lowest, step_lowest_at; /* of the stages of the present attempt */
} CrdPassage;

struct CrdRun;

/* Before an attempt: forgets the stages of the last one. */
void crd_passage_begin(CrdPassage *passage);

/* After an evaluation at t. */
void crd_passage_see(CrdPassage *passage, const CrdDynamics *dynamics, double t);

/* Joints with rows in the dependency at what was measured and factored last. false: a look finds none. */
bool crd_passage_name_joints(struct CrdRun *run, CardanEvent *event);

/* After a step was accepted; CARDAN_REMARK: a passage is over, the sentence is in the run's error. */
CardanStatus crd_passage_follow(struct CrdRun *run);

#endif
