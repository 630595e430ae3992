/* What the files of cardan/operators.h share. */
#ifndef CRD_STUDY_OPERATORS_H
#define CRD_STUDY_OPERATORS_H

#include "analysis/saddle.h"
#include "cardan/operators.h"
#include "sim/sim.h"

struct CardanOperators {
    CardanModel *absolute; /* retained */
    CardanModel *model;    /* the one at work: the same, or the relative one; retained */
    CardanSim *sim;        /* its workspace; never stepped */
    CrdDynamics *dynamics; /* of it */
    double t;
    double *q, *v;   /* the state: in sim */
    double *x, *y;   /* (nv) scratch */
    double *r;       /* (2 rows) scratch */
    bool has_saddle; /* made when it is first asked for */
    CrdSaddle saddle;
    CrdError error;
    char message[CRD_MESSAGE_SIZE + 512];
};

/* Writes the sentence for a failure; returns status. */
CardanStatus crd_operators_report(CardanOperators *operators, CardanStatus status);

/* A sentence of its own for a wrong argument. */
CardanStatus crd_operators_refuse(CardanOperators *operators, CardanStatus status, const char *format, ...)
    CRD_PRINTF(3, 4);

/* The operators, and every pointer of the list that is not NULL; else a refusal. */
CardanStatus crd_operators_need(CardanOperators *operators, const void *const *given, size_t count);
#define CRD_OPERATORS_NEED(operators, ...)                                                                             \
    crd_operators_need(operators, (const void *[]){__VA_ARGS__}, sizeof((const void *[]){__VA_ARGS__}) / sizeof(void *))

/* The workspace holds frames and rows of the state; and its forces. */
CardanStatus crd_operators_at(CardanOperators *operators);
CardanStatus crd_operators_forced(CardanOperators *operators);

/* Refuses dense matrices of large models. */
CardanStatus crd_operators_dense(CardanOperators *operators, const char *what);

/* Rows between elimination order and that of the description. */
void crd_rows_outward(const CrdStructure *structure, const double *inner, double *outer);
void crd_rows_inward(const CrdStructure *structure, const double *outer, double *inner);

#endif
