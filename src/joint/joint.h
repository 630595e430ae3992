/* Joints: two frames in, constraint rows out.
 *
 * A row is a function g of the frames of bodies a and b. Velocities are twists: v of the origin in ground axes, w in
 * the frame's own axes (M is constant in them). With R a frame's rotation and l a vector fixed in it,
 *     (R l)' = R (w x l),      delta (R l) = R (delta x l)   for a small rotation delta in own axes,
 * and for each row the kernels give
 *     g,   G = [a | b] with g' = G_a . (v_a, w_a) + G_b . (v_b, w_b),
 *     gamma = -(G v)_q N v,   and the gradient (G v)_q N at fixed v, w.
 * A nonholonomic row is A in place of G, with g = 0. What depends on time by a law f(t) is subtracted from g by whoever
 * evaluates laws (equations/element.h): g - f, -f', gamma + f''.
 *
 * A joint is a const record that lists the parts its rows are made of (part.h); parts hold the mathematics, planar and
 * spatial. In the plane the same formulas hold with z = 0 and rotations about z; only the number of rows differs. */
#ifndef CRD_JOINT_JOINT_H
#define CRD_JOINT_JOINT_H

#include "cardan/builder.h"
#include "cardan/model.h"
#include "core/field.h"
#include "core/vec.h"

#include <assert.h>

enum { CRD_JOINT_OWN = 6, CRD_JOINT_PARTS = 4, CRD_JOINT_ROWS = 6, CRD_JOINT_COORDINATES = 2, CRD_PAIR_TWISTS = 12 };

/* The numbers of a joint as they were written: what CrdWrittenNumbers of any joint holds. */
typedef struct CrdJointNumbers {
    int a, b;                                /* frames */
    int joint;                               /* driver: from 1 */
    CardanCoordinate coordinate;             /* driver */
    double point[3], axis[3], axis2[3];      /* ground axes, pose as written */
    double local_a[3], local_b[3];           /* m; own axes */
    double local_axis_a[3], local_axis_b[3]; /* own axes */
    double value;                            /* driver, coupler */
    double stiffness[2], damping[2];         /* compliant: by CrdUnit of the row */
    double own[CRD_JOINT_OWN];               /* laid out by the record's file */
} CrdJointNumbers;
CRD_FITS(CrdJointNumbers);

/* The numbers of one joint, resolved from its description and the pose as written. */
typedef struct CrdJointData {
    bool planar;
    CrdVec la, lb;                   /* m; the joint's point in a and in b, own axes */
    CrdVec axis_a, axis_b;           /* unit; own axes. rolling: the plane's normal in a, the wheel's axis in b */
    CrdVec ea[2], eb[2];             /* unit; directions across the axis, fixed in a and in b (plane: only [0]) */
    double start_a[9], start_b[9];   /* rotations of a and b in the pose as written */
    double turn0;                    /* rad; plane: angle of b less angle of a in the pose as written */
    double along0;                   /* m; p_b - p_a along the axis in the pose as written */
    double value;                    /* driver, coupler: what the coordinate (the sum) is kept at */
    double stiffness[2], damping[2]; /* compliant: by unit of the row; N/m, N m/rad and so on */
    double own[CRD_JOINT_OWN];       /* as in CrdJointNumbers, completed by the record's prepare */
} CrdJointData;

/* The foot of a point on a curve: made by foot.h. Vectors in the axes of a. */
typedef struct CrdFoot {
    double s;                  /* parameter of the foot */
    CrdVec c, c1, c2;          /* path and its derivatives there */
    CrdVec tangent, across[2]; /* unit; where the parameter was followed to last, and held there */
} CrdFoot;

/* Frames of the two bodies, and what has memory. */
typedef struct CrdPair {
    const CardanFrame *a, *b;
    double near;         /* rad; angles in space are counted to lie nearest to it */
    const CrdFoot *foot; /* curve */
    const double *turn;  /* compliant: rotation vectors are those nearest to it; NULL: those of at most half a turn */
} CrdPair;

/* Where a kernel writes: one entry per row. gradient kernels use only a and b. */
typedef struct CrdRows {
    double *g, *gamma;
    CardanTwistRow *a, *b;
} CrdRows;

/* The same of the kernel of a whole joint, which knows the rates too, without what a law of the time adds. Rows of a
 * and b are over the velocities of bodies: (x, y, turn) in the plane, twist rows in space. */
typedef struct CrdWholeRows {
    double *g, *rate, *gamma;
    double *a, *b; /* NULL: g and rate alone are asked for */
} CrdWholeRows;

typedef void (*CrdWholeKernel)(const CrdJointData *joint, const CrdPair *pair, CrdWholeRows out);

typedef enum CrdUnit { CRD_METRES = 0, CRD_RADIANS } CrdUnit;

/* How rows of a part depend on where the bodies are, whatever their turns. */
typedef enum CrdPartMoves {
    CRD_MOVES_ANYHOW = 0,
    CRD_MOVES_BY_AXIS, /* row k by the ground axis k alone */
    CRD_MOVES_NOT      /* on turns alone */
} CrdPartMoves;

/* A piece of a joint: some rows with one formula. */
typedef struct CrdPart {
    int rows[2];       /* by CardanSpace */
    CrdUnit unit;      /* of its rows */
    bool nonholonomic; /* rows of velocities: such parts stand last in a joint */
    CrdPartMoves moves;
    void (*rows_of)(const CrdJointData *joint, const CrdPair *pair, CrdRows out);
    void (*gradient_of)(const CrdJointData *joint, const CrdPair *pair, CrdRows out);
    /* Rows and their rates alone; NULL: from rows_of. */
    void (*residuals_of)(const CrdJointData *joint, const CrdPair *pair, double *g, double *rate);
} CrdPart;

/* Can its rows lose rank by themselves, whatever else holds its bodies? */
typedef enum CrdJointRank {
    CRD_RANK_STAYS = 0,          /* on its constraints never */
    CRD_RANK_CAN_BE_DRIVEN_DOWN, /* where a law leads it there: a distance at length 0 */
    CRD_RANK_CAN_FALL            /* where the motion leads it there: a curve's cusp, a wheel that lies flat */
} CrdJointRank;

/* Turns that are no coordinate of their own and can be read as angles. */
typedef enum CrdJointAngles {
    CRD_NO_ANGLES = 0,
    CRD_ROLL_PITCH_YAW, /* all turns are free */
    CRD_TWO_PINS        /* about axis on a, then about axis2 on b */
} CrdJointAngles;

typedef struct CrdJointKind {
    const char *name; /* in the model file */
    const char *doc;  /* one sentence */
    CrdFieldTable fields;
    const CrdPart *parts[CRD_JOINT_PARTS]; /* NULL ends the list */
    CrdWholeKernel whole[2];               /* by CardanSpace: all of them at once between bodies; NULL: part by part */
    bool space[2];                         /* by CardanSpace: available there */
    bool particles[2];                     /* by CardanSpace: may hold a particle, which has no orientation */
    CardanCoordinate
        coordinates[CRD_JOINT_COORDINATES]; /* CARDAN_COORDINATE_NONE ends the list; the first is the default */
    CrdJointAngles angles;
    bool shifts;       /* its points may part in ways that are no coordinate of their own */
    bool curve;        /* its laws are a path in s, whose foot is tracked */
    CrdJointRank rank; /* for the singularity watch (model/watched.h) */
    bool (*check)(const CrdWritten *written, CrdObjection *fault); /* what the rules of the fields do not say; NULL:
                                                                    * that is all */
    /* Completes the numbers, given p_b - p_a in the pose as written; NULL: they are complete. */
    bool (*prepare)(const CrdWritten *written, CrdVec gap, CrdJointData *joint, CrdObjection *fault);
    CrdVec (*place)(const CrdJointData *joint, const CrdPair *pair); /* as crd_joint_place; NULL: its point of b */
} CrdJointKind;

/* By CardanJointType; [0] is NULL. */
extern const CrdJointKind *const crd_joint_kinds[CARDAN_JOINT_TYPES];

/* The kind of a type; NULL: there is none. */
const CrdJointKind *crd_joint_kind(int type);

/* Rows of a kind, and how many of them, the first, are holonomic. */
int crd_joint_rows(const CrdJointKind *kind, CardanSpace space);
int crd_joint_holonomic_rows(const CrdJointKind *kind, CardanSpace space);

/* In space: do its first three rows depend on places by one ground axis each, and the others on turns alone? */
bool crd_joint_holds_point(const CrdJointKind *kind);

/* Unit of row r. */
CrdUnit crd_joint_unit(const CrdJointKind *kind, CardanSpace space, int r);

void crd_joint_evaluate(const CrdJointKind *kind, const CrdJointData *joint, const CrdPair *pair, CrdRows out);

/* Its rows and their rates alone, without what a law of the time adds. */
void crd_joint_residuals(const CrdJointKind *kind, const CrdJointData *joint, const CrdPair *pair, double *g,
                         double *rate);
void crd_joint_gradient(const CrdJointKind *kind, const CrdJointData *joint, const CrdPair *pair, CrdRows out);

/* The derivative of G^T lambda, lambda fixed, along small displacements: out[i][j] is that of its number i (twist of a,
 * then of b) along displacement j (x in ground axes, rotation in own axes). It is the gradient with unit twists for v:
 * (G v)_q is bilinear in v and the displacement. */
void crd_joint_hessian(const CrdJointKind *kind, const CrdJointData *joint, const CrdPair *pair, const double *lambda,
                       double out[CRD_PAIR_TWISTS][CRD_PAIR_TWISTS]);

/* Where forces of the joint are taken to act on b: its point, or where a wheel touches. Ground coordinates. */
CrdVec crd_joint_place(const CrdJointKind *kind, const CrdJointData *joint, const CrdPair *pair);

/* The joint's axes on a as columns, own axes of a: e1, e2, axis in space; axis, e1 in the plane; those of a itself
 * where the joint has no axis. */
CrdMat crd_joint_axes(const CrdJointData *joint);

/* A joint's coordinate: its value, its rate, its second derivative at zero accelerations, and its twist rows. */
typedef struct CrdCoordinate {
    double value, rate, bias;
    CardanTwistRow a, b;
} CrdCoordinate;

bool crd_joint_has(const CrdJointKind *kind, CardanCoordinate coordinate);
void crd_joint_coordinate(CardanCoordinate which, const CrdJointData *joint, const CrdPair *pair, CrdCoordinate *out);

/* Its value and rate alone, in a tenth of the time. */
void crd_joint_read(CardanCoordinate which, const CrdJointData *joint, const CrdPair *pair, double *value,
                    double *rate);

/* Twist rows of the derivative of its rate at fixed v, w; and the derivative of its twist rows, as crd_joint_hessian.
 */
void crd_joint_coordinate_gradient(CardanCoordinate which, const CrdJointData *joint, const CrdPair *pair, double *a,
                                   double *b);
void crd_joint_coordinate_hessian(CardanCoordinate which, const CrdJointData *joint, const CrdPair *pair,
                                  double out[CRD_PAIR_TWISTS][CRD_PAIR_TWISTS]);

/* Are some of its rows a rotation vector? Where they are held at 0 it is short; where they are compliant it is
 * continued through half a turn, and so has memory. */
bool crd_joint_turns(const CrdJointKind *kind, CardanSpace space);

/* That vector and its rate: principal, at most half a turn long, where the joint neither holds nor damps the turn. */
void crd_turn_of_joint(const CrdJointData *joint, const CrdPair *pair, CrdVec *phi, CrdVec *rate);

/* How many numbers with memory the joint has: an angle in space that is counted through turns, the parameter of a
 * curve, the rotation vector of a compliant joint (three). (In the plane body angles count themselves.) Their exact
 * values, and the rates they are predicted with between accepted steps. */
int crd_joint_tracks(const CrdJointKind *kind, CardanSpace space, bool compliant);
void crd_joint_tracked(const CrdJointKind *kind, const CrdJointData *joint, const CrdPair *pair, double *out);
void crd_joint_track_rate(const CrdJointKind *kind, const CrdJointData *joint, const CrdPair *pair, double *out);

/* row . twist of the frame */
static inline double crd_row_rate(const double *row, const CardanFrame *frame) {
    assert(row != NULL && frame != NULL);
    return crd_dot(crd_vec_of(row), frame->v) + crd_dot(crd_vec_of(row + 3), frame->w);
}

#endif
