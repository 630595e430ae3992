/* Joints: two frames in, constraint rows out.
 *
 * A row is a function g of the frames of bodies a and b. Velocities are twists: v of the origin in ground axes, w in
 * the frame's own axes (M is constant in them). With R a frame's rotation and l a vector fixed in it,
 *     (R l)' = R (w x l),      delta (R l) = R (delta x l)   for a small rotation delta in own axes,
 * and for each row the kernels give
 *     g,   rate_t = g_t,   G = [a | b] with g' = G_a . (v_a, w_a) + G_b . (v_b, w_b) + g_t,
 *     gamma = -((G v)_q N v + 2 G_t v + g_tt),   and the gradient (G v)_q N at fixed v, w.
 *
 * A joint is a const record that lists the parts its rows are made of (part.h); parts hold the mathematics, planar and
 * spatial. In the plane the same formulas hold with z = 0 and rotations about z; only the number of rows differs. */
#ifndef CRD_JOINT_JOINT_H
#define CRD_JOINT_JOINT_H

#include "cardan/builder.h"
#include "cardan/model.h"
#include "core/vec.h"

enum { CRD_JOINT_PARTS = 4, CRD_JOINT_ROWS = 6 };

/* The numbers of one joint, resolved from its description and the pose as written. */
typedef struct CrdJointData {
    bool planar;
    CrdVec la, lb;         /* m; the joint's point in a and in b, own axes */
    CrdVec axis_a, axis_b; /* unit; own axes */
    CrdVec ea[2], eb[2];   /* unit; directions across the axis, fixed in a and in b (plane: only [0]) */
    double start_a[9], start_b[9]; /* rotations of a and b in the pose as written */
    double turn0;                  /* rad; plane: angle of b less angle of a in the pose as written */
    double along0;                 /* m; p_b - p_a along the axis in the pose as written */
    double length;                 /* m; distance joint */
} CrdJointData;

/* Frames of the two bodies, and the time for rows that move with it. */
typedef struct CrdPair {
    const CardanFrame *a, *b;
    double t;
} CrdPair;

/* Where a kernel writes: one entry per row. gradient kernels use only a and b. */
typedef struct CrdRows {
    double *g, *rate_t, *gamma;
    CardanTwistRow *a, *b;
} CrdRows;

/* A piece of a joint: some rows with one formula. */
typedef struct CrdPart {
    int rows[2]; /* by CardanSpace */
    void (*rows_of)(const CrdJointData *joint, const CrdPair *pair, CrdRows out);
    void (*gradient_of)(const CrdJointData *joint, const CrdPair *pair, CrdRows out);
} CrdPart;

/* What a kind needs in its description. */
enum { CRD_NEEDS_AXIS = 1, CRD_NEEDS_AXIS_IN_SPACE = 2, CRD_NEEDS_AXIS2 = 4, CRD_NEEDS_LENGTH = 8 };

typedef struct CrdJointKind {
    const char *name; /* in the model file */
    const CrdPart *parts[CRD_JOINT_PARTS]; /* NULL ends the list */
    bool space[2];                         /* by CardanSpace: available there */
    unsigned needs;                        /* CRD_NEEDS_... */
    bool particles[2];                     /* by CardanSpace: may hold a particle, which has no orientation */
    CardanCoordinate coordinate;
} CrdJointKind;

/* By CardanJointType. */
extern const CrdJointKind *const crd_joint_kinds[CARDAN_JOINT_TYPES];

int crd_joint_rows(const CrdJointKind *kind, CardanSpace space);
void crd_joint_evaluate(const CrdJointKind *kind, const CrdJointData *joint, const CrdPair *pair, CrdRows out);
void crd_joint_gradient(const CrdJointKind *kind, const CrdJointData *joint, const CrdPair *pair, CrdRows out);

/* A joint's coordinate: its value (angles counted to lie nearest to `near`), its rate and its twist rows. */
typedef struct CrdCoordinate {
    double value, rate;
    CardanTwistRow a, b;
} CrdCoordinate;

void crd_joint_coordinate(const CrdJointKind *kind, const CrdJointData *joint, const CrdPair *pair, double near,
                          CrdCoordinate *out);

/* Does the coordinate need a counter with memory? (Angles in space; in the plane body angles count themselves.) */
bool crd_joint_counts_turns(const CrdJointKind *kind, CardanSpace space);

/* Rate of that angle with the axes aligned: what a counter is predicted with between accepted steps. */
double crd_joint_turn_rate(const CrdJointData *joint, const CrdPair *pair);

#endif
