/* What a workspace holds, and of which state: the one place where that is written down.
 *
 * Each stage of an evaluation puts its mark here, and who needs a stage asserts that it is there for the state at hand.
 * A state is known by its time and by where its coordinates stand in memory: the vectors of a step keep their place
 * when it is accepted, they only change names. Frames may be looked at elsewhere (events do, along a step) and put back
 * without the rest being lost. */
#ifndef CRD_EQUATIONS_STAMP_H
#define CRD_EQUATIONS_STAMP_H

#include <stdbool.h>
#include <stddef.h>

typedef enum CrdStage {
    CRD_HOLDS_RESIDUALS = 1,      /* crd_residuals: g, G v + g_t alone; the rows have them too */
    CRD_HOLDS_ROWS = 2,           /* crd_constraints: g, G v + g_t, gamma, G */
    CRD_HOLDS_FORCES = 4,         /* crd_forces: f, z', stored, power */
    CRD_HOLDS_SCHUR = 8,          /* crd_form_schur: T, S */
    CRD_HOLDS_FACTOR = 16,        /* crd_factor: the factor of S in the mass metric */
    CRD_HOLDS_ACCELERATIONS = 32, /* crd_solve_accelerations: a, lambda */
    CRD_HOLDS_LEAST = 64          /* crd_least_multipliers: of those of redundant rows, the least */
} CrdStage;

typedef struct CrdStamp {
    double frames_t; /* s; where the frames are */
    const double *frames_q;
    double t; /* s; what everything else is of */
    const double *q;
    unsigned holds; /* stages beyond the frames */
} CrdStamp;

/* Nothing holds any more: another state, other inputs, another model. */
static inline void crd_stamp_clear(CrdStamp *stamp) {
    *stamp = (CrdStamp){0};
}

/* The frames are now those of (t, q). */
static inline void crd_stamp_frames(CrdStamp *stamp, double t, const double *q) {
    stamp->frames_t = t;
    stamp->frames_q = q;
}

/* The coordinates of a state were copied, and the copy is meant from now on. */
static inline void crd_stamp_copied(CrdStamp *stamp, const double *from, const double *to) {
    if (stamp->frames_q == from) stamp->frames_q = to;
    if (stamp->q == from) stamp->q = to;
}

/* A stage was reached at the frames. Rows and residuals begin everything anew; what other stages left of another state
 * goes. */
static inline void crd_stamp_add(CrdStamp *stamp, CrdStage stage) {
    bool same = stamp->t == stamp->frames_t && stamp->q == stamp->frames_q;
    if (!same || stage <= CRD_HOLDS_ROWS) stamp->holds = 0;
    stamp->t = stamp->frames_t;
    stamp->q = stamp->frames_q;
    stamp->holds |= (unsigned)stage;
}

/* A stage no longer holds, and what was made from it neither. */
static inline void crd_stamp_drop(CrdStamp *stamp, CrdStage stage) {
    stamp->holds &= (unsigned)stage - 1U;
}

/* Are the frames those of q? */
static inline bool crd_stamp_at(const CrdStamp *stamp, const double *q) {
    return stamp->frames_q == q && q != NULL;
}

/* Does the workspace hold these stages, of one and the same state? */
static inline bool crd_stamp_holds(const CrdStamp *stamp, unsigned stages) {
    bool same = stamp->t == stamp->frames_t && stamp->q == stamp->frames_q && stamp->frames_q != NULL;
    return same && (stamp->holds & stages) == stages;
}

/* Does it hold g and G v + g_t, with the rest of the rows or without? */
static inline bool crd_stamp_holds_residuals(const CrdStamp *stamp) {
    return crd_stamp_holds(stamp, CRD_HOLDS_RESIDUALS) || crd_stamp_holds(stamp, CRD_HOLDS_ROWS);
}

/* Does it hold these stages of the state (t, q)? */
static inline bool crd_stamp_holds_of(const CrdStamp *stamp, unsigned stages, double t, const double *q) {
    return crd_stamp_holds(stamp, stages) && stamp->frames_t == t && stamp->frames_q == q;
}

#endif
