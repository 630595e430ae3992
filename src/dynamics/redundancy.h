/* Rows that depend on others in every configuration: which of them are dropped from S. */
#ifndef CRD_DYNAMICS_REDUNDANCY_H
#define CRD_DYNAMICS_REDUNDANCY_H

#include "dynamics/imperfect.h"
#include "model/model.h"

typedef struct CrdDynamics CrdDynamics;

typedef struct CrdRedundancy {
    CrdImperfect imperfect;
    double tolerance;  /* kinematic singular values, against the largest, up to which rows count as dependent */
    int count;         /* rows that depend on others in every configuration; known from the start */
    bool *is_dropped;  /* (rows) which: without them what the pivots of S show is the pose alone */
    bool *was_dropped; /* (rows) the choice before, while another is tried */
    int *masked;       /* (masked_count) slots of S in their rows and columns, diagonal ones last */
    int masked_count, diagonal_count;
    double tried;       /* largest singularity measure since other rows were last tried */
    double sigma_top;   /* largest kinematic singular value of the generic rank at looks so far */
    double *may_open;   /* (elements) part of its size by which one may be open that has a row among the dropped */
    const double *open; /* that, or NULL: no row is dropped */
    double *explained;  /* (rows) a dropped row in terms of the kept ones, while rows are exchanged */
    double *touched;    /* (rows) 1: takes part in an exchange */
    bool *contested;    /* (elements) drives that others decide, and what holds them */
    int *group;         /* (blocks) blocks that rows connect have the same; never through the ground */
    double *least;      /* (rows) least multipliers, by crd_least_multipliers */
} CrdRedundancy;

void crd_redundancy_layout(CrdRedundancy *redundancy, const CrdStructure *structure, const CardanOptions *options,
                           CrdArena *arena);

/* Rows and columns of dropped rows of S become those of the identity, unless nobody looks at them. */
void crd_redundancy_mask(CrdDynamics *dynamics);

/* The same in any matrix with the pattern of S. */
void crd_redundancy_mask_matrix(const CrdRedundancy *redundancy, double *S);

/* Zeros in the rows that are dropped. */
void crd_mask_rows(const CrdDynamics *dynamics, double *r);

/* Drops these rows (a list by row) and those that are released, no others. */
void crd_redundancy_drop(CrdDynamics *dynamics, const bool *rows);

/* Takes these rows for redundant in every configuration: those or, as far as they can stand for them, rows of
 * velocities. The workspace holds rows of a regular configuration; it gets a factor. */
void crd_drop_redundant_rows(CrdDynamics *dynamics, const bool *rows);

/* Is this row released (dynamics/imperfect.h)? */
bool crd_is_released(const CrdDynamics *dynamics, int row);

/* Drops the rows that are released (dynamics/imperfect.h), in every configuration. */
void crd_redundancy_release(CrdDynamics *dynamics);

/* Does the configuration look closer to a singular one than those since rows were last chosen? */
bool crd_redundancy_in_doubt(CrdDynamics *dynamics);

/* The configuration whose rows the workspace holds is one of the motion: how far from dependence all rows are in the
 * best of them is what later looks are measured by. Nothing where no row is redundant. */
void crd_redundancy_see(CrdDynamics *dynamics);

/* Chooses other rows to drop when those kept come close to dependence though all rows together do not; the workspace
 * holds a factor, which it may replace. */
CardanStatus crd_redundancy_choose_again(CrdDynamics *dynamics);

/* Can multipliers of this element be part of a redundancy? Not where no row is dropped that it is connected with. */
bool crd_redundancy_reaches(const CrdDynamics *dynamics, int element);

/* Makes the solver of the rows that are kept now. It allocates, so not in steps: when other rows are chosen in one,
 * theirs are masked in S instead. */
CardanStatus crd_redundancy_reduce(CrdDynamics *dynamics);

/* What another simulation of the same structure knows of its rank. */
CardanStatus crd_redundancy_copy(CrdDynamics *to, const CrdDynamics *from);

/* What is remembered of rows and elements, as numbers: what the monitor does, which rows are dropped (0 or 1), tried,
 * sigma_top, and what is healthy for rows met by least squares. */
int crd_rank_memory_size(const CrdStructure *structure);
void crd_rank_memory_get(const CrdDynamics *dynamics, double *numbers);
void crd_rank_memory_set(CrdDynamics *dynamics, const double *numbers);

#endif
