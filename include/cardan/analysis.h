/* Questions beside simulating, on one model: closing a mechanism from a rough pose, kinematics of a driven one,
 * balance, motor forces for a given motion, and all loads on a body.
 *
 * A study holds a state: t, q, v, and after an analysis accelerations and multipliers. Each analysis starts from the
 * state there is and leaves the one it found; a failure leaves its sentence in cardan_study_message and the state as it
 * was. Analyses allocate. One thread at a time. For users: docs/ANALYSES.md. */
#ifndef CARDAN_ANALYSIS_H
#define CARDAN_ANALYSIS_H

#include "cardan/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CardanStudy CardanStudy;

/* The pose, the velocities, the inputs as written, at t = 0; nothing is closed or refused. On failure *out is NULL and
 * message (size bytes, may be NULL) has the sentence. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_study_create(const CardanModel *model, CardanStudy **out, char *message,
                                                             size_t size);
CARDAN_API void cardan_study_destroy(CardanStudy *study);
CARDAN_API const char *cardan_study_message(const CardanStudy *study);

/* ---- the state ---- */

CARDAN_API CARDAN_NODISCARD CardanStatus cardan_study_set(CardanStudy *study, double t, const double *q,
                                                          const double *v);
CARDAN_API double cardan_study_time(const CardanStudy *study);

/* Views, valid until the next call that changes them; accelerations and multipliers (rows in the order of the
 * description) are zeros before an analysis. NULL without a study. */
CARDAN_API const double *cardan_study_positions(const CardanStudy *study);
CARDAN_API const double *cardan_study_velocities(const CardanStudy *study);
CARDAN_API const double *cardan_study_accelerations(const CardanStudy *study);
CARDAN_API const double *cardan_study_multipliers(const CardanStudy *study);

CARDAN_API CARDAN_NODISCARD CardanStatus cardan_study_set_input(CardanStudy *study, CardanInput input, double value);
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_study_body(CardanStudy *study, CardanBody body, CardanBodyState *out);
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_study_joint(CardanStudy *study, CardanJoint joint, double *coordinate,
                                                            double *rate);
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_study_reaction(CardanStudy *study, CardanJoint joint,
                                                               CardanWrench *out);
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_study_effort(CardanStudy *study, CardanJoint joint, double *effort);

/* ---- what analyses are asked for ---- */

/* A body that stays where it is while others are moved. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_study_hold(CardanStudy *study, CardanBody body);

/* A joint's coordinate (of two the first) that shall have this value: exactly (weight 0), or softly, as a square of
 * this weight beside those of the joints in lengths of the mechanism and rad. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_study_target(CardanStudy *study, CardanJoint joint, double value,
                                                             double weight);

/* Distances are measured by weights in place of masses: 1 of every body but those set. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_study_weight(CardanStudy *study, CardanBody body, double weight);

/* ---- assembling ---- */

typedef struct CardanAssembly {
    double residual;      /* largest row, SI; positions */
    double residual_rate; /* the same of velocities */
    double moved;         /* largest displacement, m or rad */
    CardanBody furthest;  /* whose */
    int iterations;
    int starts;       /* tried until it closed; 1: the given pose led there */
    int alternatives; /* other closed poses found near the given one; see cardan_study_alternative */
} CardanAssembly;

/* Closes the mechanism from the state there is, `starts` (0: 40) times from poses ever further beside it where it does
 * not succeed, then velocities, accelerations and multipliers. alternatives: so many further starts (0: none) look for
 * other ways to close it. CARDAN_ERR_MODEL: it cannot be closed; the sentence names the joints, by how much, and which
 * length would have to change. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_study_assemble(CardanStudy *study, int starts, int alternatives,
                                                               CardanAssembly *out);

/* Alternative number i, from 0, nearest first: its coordinates (may be NULL), and its largest distance from the given
 * pose, m or rad (may be NULL). */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_study_alternative(CardanStudy *study, int i, double *q,
                                                                  double *distance);

/* The text of the model file (length bytes) that the model was read from with its bodies written where the study has
 * them, and every other byte as it was: positions, orientations, velocities; points and axes of joints that stand in
 * the pose as written; `start: joints`. *out ends with a NUL and is valid until the next such call or the end of the
 * study. CARDAN_ERR_MODEL: the text would mean another mechanism, because something counts a coordinate from the pose
 * as written; the joint or force is named. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_study_rewrite(CardanStudy *study, const char *text, size_t length,
                                                              const char **out, size_t *out_length);

/* ---- a driven mechanism, without dynamics ---- */

typedef struct CardanDriven {
    double effort; /* N or N m that the swept coordinate needs, + on b; 0 where the time drives */
} CardanDriven;

/* Pose, velocities and accelerations that the drives of the model give at t, followed from the state there is, and the
 * multipliers: cardan_study_effort of a driver is the force it needs. CARDAN_ERR_MODEL: the mechanism is not fully
 * driven, the joints that still move are named. CARDAN_ERR_NUMERIC: a dead point lies on the way
 * (cardan_study_dead_point). out may be NULL. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_study_kinematics(CardanStudy *study, double t, CardanDriven *out);

/* The same with a joint's coordinate in place of the time: it goes to this value and passes it at this rate. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_study_sweep(CardanStudy *study, CardanJoint joint, double value,
                                                            double rate, CardanDriven *out);

/* Where the last of these ended in a dead point: the time or the coordinate, and the pose (coordinates long); each may
 * be NULL. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_study_dead_point(CardanStudy *study, double *at, double *q);

typedef struct CardanInverse {
    double
        left; /* what of the motion the motors cannot give: accelerations in lengths of the mechanism and rad, 1/s^2 */
    double share; /* the same against the accelerations of the motion; above 1e-9: under-actuated */
} CardanInverse;

/* Forces that motors at these joints' coordinates need for the motion that the drives of the model prescribe at t, the
 * drives themselves giving none: the least ones where there are more motors than needed; `out` tells what is left where
 * there are too few. forces: count long, N or N m, + on b. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_study_inverse(CardanStudy *study, double t, int count,
                                                              const CardanJoint *motors, double *forces,
                                                              CardanInverse *out);

/* ---- balance ---- */

/* A joint's coordinate (of two the first; revolute, prismatic, cylindrical) that goes on at this rate: equilibria are
 * then steady motions, in which all joints without a given rate stay at rest against each other, drives go on at the
 * rate they have, and velocities and accelerations are those of the motion. cardan_study_effort of the joint is what
 * keeps its rate. The coordinate itself stays where it is. No joint (index 0): the drives alone go on. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_study_keep_rate(CardanStudy *study, CardanJoint joint, double rate);

typedef struct CardanEquilibrium {
    double residual;  /* largest force that nothing balances, N or N m, against the largest that acts: a share */
    double potential; /* J; of conservative forces and gravity; in a steady motion less the kinetic energy, which at
                       * given rates is the amended potential */
    int iterations;
    bool judged;    /* what follows is known: the reduced Hessian is symmetric */
    int negative;   /* directions in which it falls away; 0 and no neutral ones: stable */
    int neutral;    /* directions that nothing drives back or away */
    double weakest; /* 1/s^2; smallest eigenvalue of Z^T K Z against Z^T M Z; of a stable one at rest its lowest
                     * frequency squared */
} CardanEquilibrium;

/* Where the mechanism stays at rest, drives held where they are at the time of the study: found from the state there is
 * by relaxation, so that a stable one is preferred. Accelerations are zero then, and multipliers those of the balance.
 * CARDAN_REMARK: forces that vanish at rest (friction) took no part, by name. CARDAN_ERR_NUMERIC: none was found; the
 * sentence names what keeps moving. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_study_equilibrium(CardanStudy *study, CardanEquilibrium *out);

/* The same from `starts` closed poses beside it, by relaxation and by plain Newton steps, which find unstable ones too:
 * different equilibria, lowest potential first; up to `room` are written, *count is how many there are. The state is
 * left at the first. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_study_equilibria(CardanStudy *study, int starts, int room,
                                                                 CardanEquilibrium *out, int *count);

/* The state becomes equilibrium number i of the last cardan_study_equilibria. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_study_take(CardanStudy *study, int i);

/* ---- all loads on a body ---- */

typedef struct CardanLoad {
    const char *name;    /* of the joint or force; "gravity"; "inertia": -m a, so that all of them sum to zero */
    CardanWrench wrench; /* on the body: ground axes, moment about its centre of mass */
} CardanLoad;

/* The loads on a body in the state of the last analysis: joints, forces, gravity, inertia, in this order. Up to `room`
 * are written; *count is how many there are. loads may be NULL when room is 0. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_study_loads(CardanStudy *study, CardanBody body, int room,
                                                            CardanLoad *loads, int *count);

#ifdef __cplusplus
}
#endif
#endif
