/* The equations at one state: (model, t, q, v) -> M, G, gamma, f, and products with them.
 *
 *     M a + G^T lambda = f        G a = gamma        S = G M^-1 G^T
 *
 * Fields stand in the order in which the stages fill them. Nothing here allocates after crd_system_layout. */
#ifndef CRD_EQUATIONS_SYSTEM_H
#define CRD_EQUATIONS_SYSTEM_H

#include "core/memory.h"
#include "core/pool.h"
#include "equations/stamp.h"
#include "equations/tree_work.h"

struct CrdSystem {
    CrdStamp stamp; /* what it holds, of which state */

    /* crd_kinematics */
    double t;
    CardanFrame *frames;     /* by frame: m, rad; m/s, rad/s */
    CardanQuat *quaternions; /* by frame, of bodies in space: as their coordinates have it; NULL: coordinates are
                              * relative or there are none */
    double *frame_jacobian;  /* by block frame, 6 x n: its twist from the block's velocities */
    double *frame_bias;      /* by block frame, 6: rate of its twist at zero accelerations */
    double *custom_mass;     /* by custom block, n x n: Cholesky factor of M, lower triangle, row-major */
    double *custom_matrix;   /* by custom block, n x n: M itself */

    /* crd_constraints; rows in elimination order */
    const double *tracked; /* the numbers with memory that rows and coordinates are evaluated with */
    const CrdSide *sides;  /* on which drives and paths are held; NULL: on none */
    CrdJet *drive_values;  /* variables of drives: t (or s), parameters, inputs */
    CrdFoot *feet;         /* by tracked coordinate, of curves; none when the model has no curve */
    double *g;             /* (rows) m or rad; 0 for nonholonomic rows */
    double *rate;          /* (rows) m/s or rad/s; G v + g_t, or A v + b */
    double *rate_t;        /* (rows) the part g_t, or b */
    double *gamma;         /* (rows) m/s^2 or rad/s^2; right side of G a = gamma */
    double *G;             /* pieces of incidences, rows x width, row-major */

    /* crd_forces */
    double *law_values;  /* variables of laws, see CrdLawMeasure */
    CrdJet *law_jets;    /* the same; derivatives are 0 but inside the functions that need them */
    CrdJet *switch_jets; /* (switch_count) crd_switches: of drives; crd_time_switches: of what the time alone decides */
    CardanTwistRow *loads; /* by frame: force (ground axes), moment (own axes) */
    bool loaded;           /* something may stand there; else nothing has to be cleared */
    double *f;             /* (nv) N, N m: applied and gyroscopic */
    double *elastic;       /* by row of compliant joints: stiffness g + damping g', N or N m */
    double *z_rate;        /* (first_order) rates of the first-order states */
    double stored, power;  /* J, W: of conservative forces and of custom blocks; of the others */

    /* crd_form_schur */
    double *T; /* pieces G M^-1 (or G), as G; of a relative model G N^T, where M^-1 = N^T N */
    double *S; /* upper triangle by columns */
    struct {
        bool holds; /* T, and a factor made from S, are those of an interpolated state that rows of output share */
        double t;   /* s; its time */
    } shared;

    /* scratch of the stages */
    CardanTwistRow *twist_rows;            /* (max_rows x max_attachments) of one element */
    CardanTwistRow *gradient_rows;         /* the same */
    double *frame_gradient;                /* (6 x max_coordinates) of one block frame */
    double *probe;                         /* derivatives of custom blocks and user rows (block_derivatives.h) */
    CardanFrame *gathered;                 /* frames of one callback */
    CardanWrench *wrench;                  /* its wrenches */
    CrdChange *changes;                    /* by frame: what derivatives of forces are taken along; zero in between */
    CrdChange *gathered_changes;           /* of one callback */
    CardanTwistRow *load_changes;          /* by frame: what comes out */
    CardanTwistRow *alone, *alone_changes; /* by frame: loads of one force that is measured, and how they change */

    CrdTreeWork tree; /* of a relative model: its frames have those of massless links after them */
    CrdPool *pool;    /* threads for elements, products and branches of a large tree; NULL: the caller alone */
};

/* Takes the workspace from an arena; called twice, measuring and real. */
void crd_system_layout(CrdSystem *system, const CrdStructure *structure, CrdArena *arena);

/* Room for frames of another state beside those of a relative system without rows, which keeps what it holds; nothing
 * but crd_kinematics may be asked of it. Without massless links its frames are lent by an absolute system. */
void crd_system_layout_aside(CrdSystem *aside, const CrdSystem *system, const CrdStructure *structure, CrdArena *arena);

/* What acts on a simulation from outside; arrays belong to the caller. */
typedef struct CrdActions {
    const double *inputs;     /* input_count */
    CardanTwistRow *wrenches; /* by frame: applied from outside (ground axes, both); NULL: none */
    const double *tracked;    /* tracked_count: predicted numbers with memory, of the state that is looked at */
    const double *states;     /* first_order: z; may be NULL when there are none */
    const CrdSide *sides;     /* switch_count: sides of switches on which laws are held; NULL: none is */
} CrdActions;

/* Frames, block frames and custom masses at t, q, v. Fails when a callback does or a custom M is not positive. */
CardanStatus crd_kinematics(const CardanModel *model, double t, const double *q, const double *v, CrdSystem *system,
                            CrdError *error);

/* The same of frames that were made elsewhere, of bodies alone; nothing else is held then. */
void crd_use_frames(const CardanModel *model, double t, const double *q, const CardanFrame *frames, CrdSystem *system);

/* g, rate, gamma and G from the frames. */
CardanStatus crd_constraints(const CardanModel *model, const double *q, const double *v, const CrdActions *actions,
                             CrdSystem *system, CrdError *error);

/* g and rate alone, from the frames: a third of the work. G, gamma and what was made from them is lost. */
CardanStatus crd_residuals(const CardanModel *model, const double *q, const double *v, const CrdActions *actions,
                           CrdSystem *system, CrdError *error);

/* f, z', what is stored and power from the frames. */
CardanStatus crd_forces(const CardanModel *model, const double *q, const double *v, const CrdActions *actions,
                        CrdSystem *system, CrdError *error);

/* f of a relative model, which is not made where it is not asked for; nothing to do in absolute coordinates. */
void crd_complete_forces(const CardanModel *model, const CrdSystem *system);

/* The loads of force number `index` alone, into system->loads: after crd_forces at the same state, which keeps what it
 * made of them. */
CardanStatus crd_one_force(const CardanModel *model, int index, const CrdActions *actions, CrdSystem *system,
                           CrdError *error);

/* The switching functions of forces, laws, drives and user events at t, q, v, where the frames are, switch_count
 * of them: kinks are where one changes its sign (switches.c). */
CardanStatus crd_switches(const CardanModel *model, const double *q, const double *v, const CrdActions *actions,
                          CrdSystem *system, double *values, CrdError *error);

/* What the reset of a user's event makes of y = [q | v | z], whose frames are there: changed arrives as a copy of it.
 */
CardanStatus crd_event_reset(const CardanModel *model, int index, const CrdActions *actions, CrdSystem *system,
                             const double *y, double *changed, CrdError *error);

/* Those that depend on the time alone (CrdSwitch.time_event), at the time t, with derivatives, into
 * system->switch_jets; 0 where one has no value. What stands there for the others means nothing. */
void crd_time_switches(const CardanModel *model, const CrdActions *actions, CrdSystem *system, double t);

/* T = G W and S = G W G^T, W = M^-1 or the identity. */
void crd_form_schur(const CardanModel *model, CardanMetric metric, CrdSystem *system);

/* x += s W G^T y with T and the metric of the last crd_form_schur. */
void crd_add_forced(const CardanModel *model, const CrdSystem *system, double s, const double *y, double *x);

/* out <- pieces (like G) times M^-1. */
void crd_pieces_over_mass(const CardanModel *model, const CrdSystem *system, const double *pieces, double *out);

/* S = G T^T of pieces, upper triangle by columns. */
void crd_form_product(CrdPool *pool, const CrdStructure *structure, const double *G, const double *T, double *S);

/* crd_times_g, crd_times_gt and crd_form_product of pieces whose rows have been mixed within their elements
 * (kinematic.h), so that of their zeros nothing is known. */
void crd_mixed_times_g(const CrdStructure *structure, const double *pieces, const double *x, double *y);
void crd_mixed_times_gt(const CrdStructure *structure, const double *pieces, double s, const double *y, double *x);
void crd_form_mixed_product(CrdPool *pool, const CrdStructure *structure, const double *G, const double *T, double *S);

/* The derivative (G v)_q N along displacements: pieces like G, into out. After crd_kinematics at the same q, v and
 * crd_begin_rows; with curves after crd_constraints, which finds their feet. */
CardanStatus crd_gradient(const CardanModel *model, const double *q, const double *v, CrdSystem *system, double *out,
                          CrdError *error);

/* x <- M^-1 x; the same of one block of absolute coordinates. */
void crd_solve_mass(const CardanModel *model, const CrdSystem *system, double *x);
void crd_solve_block(const CardanModel *model, const CrdSystem *system, int index, double *x);

/* y <- M x. */
void crd_times_mass(const CardanModel *model, const CrdSystem *system, const double *x, double *y);

/* y += G x, with the pieces `pieces` (G, T or a gradient). */
void crd_times_g(const CrdStructure *structure, const double *pieces, const double *x, double *y);

/* The same by these threads. */
void crd_times_g_with(CrdPool *pool, const CrdStructure *structure, const double *pieces, const double *x, double *y);

/* x += s G^T y. */
void crd_times_gt(const CrdStructure *structure, const double *pieces, double s, const double *y, double *x);

/* The same by these threads. */
void crd_times_gt_with(CrdPool *pool, const CrdStructure *structure, const double *pieces, double s, const double *y,
                       double *x);

/* The same of two vectors at once, number beside number: y (rows x 2), x (nv x 2). */
void crd_times_gt_twice(CrdPool *pool, const CrdStructure *structure, const double *pieces, double s, const double *y,
                        double *x);

/* Adds a twist row of a frame that moves to a row over the velocities of its block. */
void crd_add_twist_row(const CrdStructure *structure, const CrdSystem *system, int frame, const double *row,
                       double *piece);

/* Potential energy in J: what is stored, and of gravity. After crd_forces. */
double crd_potential(const CardanModel *model, const CrdSystem *system);

/* Kinetic energy in J. */
double crd_kinetic(const CardanModel *model, const CrdSystem *system, const double *v);

/* q' = N v. Quaternions need not have length 1. */
void crd_position_rates(const CrdStructure *structure, const double *q, const double *v, double *rates);

/* The same by these threads. */
void crd_position_rates_with(CrdPool *pool, const CrdStructure *structure, const double *q, const double *v,
                             double *rates);

/* q <- q + N dx, then quaternions normalised. */
void crd_move(const CrdStructure *structure, const double *dx, double *q);

void crd_normalise(const CrdStructure *structure, double *q);

/* Loads, potential and power of compliant joints, added. */
CardanStatus crd_compliant(const CardanModel *model, CrdSystem *system, CrdLoads *loads, CrdError *error);

/* Power in W that drives and other rows that move with time put into the system. */
double crd_drive_power(const CrdStructure *structure, const CrdSystem *system, const double *lambda);

/* Rates that numbers with memory are predicted with, and their exact values, at the rows in the workspace. */
void crd_tracked_rates(const CardanModel *model, const CrdSystem *system, double *rates);
void crd_track(const CardanModel *model, const CrdSystem *system, double *tracked);

/* What body b of a joint (of a coupler: of its first joint) receives, at the joint's place on b: ground axes, or the
 * joint's axes on a: e1, e2, axis in space; axis, e1 in the plane; a's own axes for a joint without axis. */
CardanWrench crd_joint_reaction(const CardanModel *model, const CrdSystem *system, const double *lambda, int index,
                                bool local);

/* What the body of any frame that it holds receives of a joint, compliant joint or coupler, ground axes: at the joint's
 * point there, or where a wheel touches; of a coupler at the point of the first of its joints there. */
CardanWrench crd_joint_reaction_on(const CardanModel *model, const CrdSystem *system, const double *lambda, int index,
                                   int frame);

/* The force or torque along the coordinate of an element that has an effort, and what one that has a power feeds in. */
double crd_joint_effort(const CardanModel *model, const CrdSystem *system, const double *lambda, int index);
double crd_joint_power(const CardanModel *model, const CrdSystem *system, const double *lambda, int index);

/* Frames of a joint's sides, and what has memory as rows were evaluated with it. */
CrdPair crd_pair_of(const CrdStructure *structure, const CrdSystem *system, int element);

/* Writes M (upper left; the identity in the euclidean metric) and G (lower left) of the zeroed column-major saddle
 * matrix of this order. */
void crd_fill_saddle(const CardanModel *model, const CrdSystem *system, CardanMetric metric, double *k, int order);

/* Largest displacement in a vector of velocities, in lengths of the model or rad (custom coordinates as they are). */
double crd_reach(const CardanModel *model, const double *x);

#endif
