/* A simulation: state and workspace of one model, used by one thread at a time. No call below but create, clone,
 * set_parameter, reaction_unique and destroy allocates. A call that fails leaves its own sentence as the simulation's
 * message and changes nothing else; what it would have given is not written. Callbacks of the model must not use the
 * simulation that calls them: each call is refused (but see the action of an event), and destroy does nothing. */
#ifndef CARDAN_SIM_H
#define CARDAN_SIM_H

#include "cardan/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CardanSim CardanSim;

/* Starts at t = 0 in the model's start configuration, put on its constraints. options NULL: the model's own. On
 * failure *out is still a simulation (unless out of memory) whose message says why; destroy it. CARDAN_REMARK: the
 * start was moved a little; the message says how much. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_create(const CardanModel *model, const CardanOptions *options,
                                                           CardanSim **out);
CARDAN_API void cardan_sim_destroy(CardanSim *sim);

/* An independent copy with the same state, inputs and options, that goes on with the same bits. On failure *out is NULL
 * and sim has the message. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_clone(CardanSim *sim, CardanSim **out);

/* The last failure or remark; empty after a step, advance or change without one. */
CARDAN_API const char *cardan_sim_message(const CardanSim *sim);

/* ---- going on ---- */

/* One internal step, not beyond t_limit (INFINITY: no limit). After a failure the state is that before the step.
 * CARDAN_STOPPED: it ended at an event of the user's that stops the run. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_step(CardanSim *sim, double t_limit);

/* Internal steps until exactly t, or, with CARDAN_STOPPED, until an event of the user's that stops the run. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_advance(CardanSim *sim, double t);

/* Present time and size of the last step; NAN without a simulation. */
CARDAN_API double cardan_sim_time(const CardanSim *sim);
CARDAN_API double cardan_sim_last_step(const CardanSim *sim);

/* ---- acting on it ---- */

CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_set_input(CardanSim *sim, CardanInput input, double value);
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_get_input(CardanSim *sim, CardanInput input, double *value);

/* Adds a wrench (ground axes, moment about the body's centre of mass) to a body until the end of the coming advance or
 * step. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_apply_wrench(CardanSim *sim, CardanBody body, CardanWrench wrench);

/* Another value of a parameter for this simulation alone; the state is put on the changed constraints (CARDAN_REMARK
 * when it had to move). Refused by joints where other rows come to depend on others than at the start: then another
 * simulation is wanted. On failure nothing is changed. Allocates. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_set_parameter(CardanSim *sim, const char *name, double value);

/* ---- the state as numbers ---- */

/* Length of the whole state: t, q, v, first-order states and the numbers with memory; -1 without a
 * simulation. */
CARDAN_API int cardan_sim_state_size(const CardanSim *sim);
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_get_state(CardanSim *sim, double *state);

/* Puts back a state got from a simulation of the same structure; the run then goes on with the same bits.
 * Of its numbers only t, coordinates, velocities and first-order states may have been changed: another memory is
 * refused. CARDAN_ERR_MODEL: joints are open in it, further than that run ever let them; nothing is changed. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_set_state(CardanSim *sim, const double *state);

/* Sets t, q (coordinates) and v (velocities) and puts them on the constraints if their residual allows it. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_set_motion(CardanSim *sim, double t, const double *q,
                                                               const double *v);

/* Accelerations (velocities long) and multipliers (rows long) at the present state; either may be NULL. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_evaluate(CardanSim *sim, double *accelerations,
                                                             double *multipliers);

/* Views of the present q, v: valid until the next call that changes the state; NULL without a simulation. */
CARDAN_API const double *cardan_sim_positions(const CardanSim *sim);
CARDAN_API const double *cardan_sim_velocities(const CardanSim *sim);

/* The same for first-order states; a zeroed handle: all of them, the user's first, then those of forces (the lagging
 * slips of tyres). NULL with a message when there are none of this handle. */
CARDAN_API const double *cardan_sim_first_order(CardanSim *sim, CardanFirstOrder states);
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_set_first_order(CardanSim *sim, CardanFirstOrder states,
                                                                    const double *z);

/* ---- reading ---- */

typedef struct CardanBodyState {
    CardanVec3 position; /* m */
    CardanVec3 velocity; /* m/s, ground axes */
    CardanQuat quaternion;
    CardanVec3 angular_velocity; /* rad/s, ground axes */
    double angle, spin;          /* planar */
} CardanBodyState;

CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_body(CardanSim *sim, CardanBody body, CardanBodyState *out);

/* Coordinate of a joint and its rate: counted through turns, zero in the pose as written. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_joint(CardanSim *sim, CardanJoint joint, double *coordinate,
                                                          double *rate);

/* The same of a joint with two coordinates (cylindrical, screw), of which cardan_sim_joint gives the angle.
 * CARDAN_ERR_ARGUMENT: the joint has no such coordinate. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_coordinate(CardanSim *sim, CardanJoint joint,
                                                               CardanCoordinate which, double *coordinate,
                                                               double *rate);

/* Force and moment that body b of the joint receives, at the joint's point on b, ground axes; of user rows, what the
 * last of their bodies receives at its centre of mass. Evaluates the accelerations if need be. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_reaction(CardanSim *sim, CardanJoint joint, CardanWrench *out);

/* Force or torque in N or N m that a driver, coupler or driven distance puts along its coordinate (+ on b, - on a; of a
 * coupler: its coefficients share it out). CARDAN_ERR_ARGUMENT for any other joint. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_effort(CardanSim *sim, CardanJoint joint, double *effort);

/* Power in W that it feeds into the mechanism; also of a driver that leads a point along a path. CARDAN_ERR_ARGUMENT
 * for any other joint and for compliant ones. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_power(CardanSim *sim, CardanJoint joint, double *power);

typedef struct CardanEnergy {
    double kinetic, potential, total; /* J */
    double work;                      /* J; done since the start by forces without potential and by drives */
    double drift_max;                 /* J; largest |total - initial - work| over accepted steps */
} CardanEnergy;
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_energy(CardanSim *sim, CardanEnergy *out);

typedef struct CardanResidual {
    double position, velocity;         /* largest |row| now, SI; of imperfect loops the part that can be met */
    double position_max, velocity_max; /* over all accepted steps */
} CardanResidual;
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_residual(CardanSim *sim, CardanResidual *out);

/* What joints of imperfect loops are open by: largest over all accepted steps, of rows in m and of rows in rad. */
typedef struct CardanOpening {
    double length, angle;                  /* m, rad; both 0: the loops are perfect */
    double length_t, angle_t;              /* s; when */
    CardanJoint length_joint, angle_joint; /* whose */
    double tolerance;                      /* `redundancy` of the options: ten times as much is allowed */
} CardanOpening;
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_opening(CardanSim *sim, CardanOpening *out);

typedef struct CardanWork {
    long steps, rejected, rhs, factorisations, solves;
    long refreshed;   /* steps whose stabilisation needed a fresh factor */
    double pivot_min; /* smallest pivot against its diagonal entry so far */
    long alarms;      /* evaluations in which pivots asked the geometry whether a singular pose is near; on trees 0 */
} CardanWork;
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_work(CardanSim *sim, CardanWork *out);

/* The solver in use, and why it was chosen, as in "block: 5000 rows, fill 1.00, ...". */
CARDAN_API CardanSolver cardan_sim_solver(const CardanSim *sim);
CARDAN_API const char *cardan_sim_solver_reason(const CardanSim *sim);

/* The coordinates in which steps are made (never AUTO), and why, in one sentence. Relative ones leave steps near
 * singular poses to absolute ones. */
CARDAN_API CardanCoordinates cardan_sim_coordinates(const CardanSim *sim);
CARDAN_API const char *cardan_sim_coordinates_reason(const CardanSim *sim);

/* ---- events ---- */

enum { CARDAN_PASSAGE_JOINTS = 8 };

/* What happened on the way: a passage through a singular pose, or the zero of a switching function. The fields after
 * `name` belong to passages. */
typedef struct CardanEvent {
    CardanEventKind kind;
    double t, left_at; /* s; closest to the pose, and when its neighbourhood was left; else both when it happened */
    int direction;     /* of the function: +1 it rose through zero, -1 it fell, 0 it touched zero (or a passage) */
    const char *name;  /* of the force, the joint or the user's event; NULL: a passage */
    double pivot_min;  /* smallest pivot of S against its diagonal entry, relative to the largest of this run */
    int joint_count;   /* joints whose rows became dependent; the first ones are in joint */
    CardanJoint joint[CARDAN_PASSAGE_JOINTS];
    CardanRemedy remedy; /* what was done */
    double epsilon;      /* of the regularisation, the largest; 0: none was used */
    double radius;       /* trust region: the bound; 0: none was needed */
    long softened;       /* evaluations with softened rows */
    double gave_way;     /* how far rows gave way, at most: accelerations in the mass metric */
    double lambda_max;   /* largest multiplier near by */
    CardanBranch branch; /* unclear until the neighbourhood is two steps behind */
    double jump;         /* of the velocities over the pose, as a share of them; < 0: not known */
} CardanEvent;

/* The first events of this run (up to 256 passages and 256 others) in the order in which they were noticed, and how
 * many there were in all; events and total may be NULL. The number kept is returned, -1 without a simulation. */
CARDAN_API int cardan_sim_events(const CardanSim *sim, const CardanEvent **events, long *total);

/* Is the reaction of this joint the same for all multipliers that give this motion? False where rows are redundant. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_reaction_unique(CardanSim *sim, CardanJoint joint, bool *unique);

/* Does this reaction come from rows that the regularisation softened here, and is it thereby another one by more than a
 * millionth of the largest? Only with `trust_region`, near a pose, and with `direct`. It is never unique then. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_reaction_softened(CardanSim *sim, CardanJoint joint,
                                                                      bool *softened);

/* ---- channels: what can be recorded, by the names of the model file ---- */

/* A resolved name such as "main.angle" or "pin.reaction"; a value to keep and hand back. */
typedef struct CardanChannel {
    int measure, object;
    int width;  /* columns: "main.angle" 1, planar "pin.reaction" 3 (spatial 6), "energy" 3, "residual" 2 */
    int other;  /* what else the name says: the second of two places, what of a force, on which body */
    int column; /* "pin.reaction.fx": which of the columns it is alone, from 1; 0: all of them */
} CardanChannel;

/* CARDAN_ERR_MODEL and a sentence in message (size bytes, may be NULL) when there is no such channel. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_model_find_channel(const CardanModel *model, const char *name,
                                                                   CardanChannel *out, char *message, size_t size);

/* The channels that a name with stars stands for, each star for any part of a name: "crank.*", "*.reaction", "arm*.x",
 * "*" for those without a dot; a name without stars stands for itself. Their number is returned; the first `room` of
 * them are written to channels (may be NULL). A CardanStatus < 0 and a sentence when there is none. */
CARDAN_API int cardan_model_match_channels(const CardanModel *model, const char *pattern, int room,
                                           CardanChannel *channels, char *message, size_t size);

/* Unit of column k of a channel, SI: "m", "N m", "1" of a plain number. Empty when there is no such channel or column.
 */
CARDAN_API const char *cardan_model_channel_unit(const CardanModel *model, CardanChannel channel, int k);

/* Heading of column k of a channel ("pin.reaction.fx"), written to label; returns label. Empty when the model has no
 * such channel or column. */
CARDAN_API const char *cardan_model_channel_label(const CardanModel *model, CardanChannel channel, int k, char *label,
                                                  size_t size);

/* Values of channels, one after another, at time t inside the last step or at the present time. Inside it the motion is
 * interpolated, to the error of a few tolerances, and put back on the constraints where it leaves more than a tolerance
 * of them open. A call costs what its channels need: places, velocities, coordinates, energies and residuals no
 * right-hand side; reactions, efforts, powers and the condition one. Nothing of the run is changed by it. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_sample(CardanSim *sim, double t, int channels,
                                                           const CardanChannel *channel, double *values);

/* The same at several times, none before the one in front of it: values has a row for each. Of many rows inside one
 * step (24 and more) all are read from polynomials through nine or seventeen states of it, where these tell them to a
 * quarter of a tolerance; then a row costs next to nothing, and `residual` is the largest of those states. Otherwise
 * each is what cardan_sim_sample gives. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_sample_rows(CardanSim *sim, int rows, const double *t, int channels,
                                                                const CardanChannel *channel, double *values);

/* Values of one channel at the present state (width), and their derivatives over displacements and over velocities
 * (both width x velocities, row-major) and over first-order states (width x states); each may be NULL. A displacement
 * moves coordinates along velocities, over quaternions too (cardan_operators_move): of a body its centre of mass along
 * the ground's axes, then its turn about its own. They are exact but where a callback of the user's has no derivative.
 * Channels that are functions of time, coordinates, velocities and first-order states have them, those that laws may
 * read; of others, as reactions and accelerations, CARDAN_ERR_ARGUMENT and a sentence that names the channel. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_gradient(CardanSim *sim, CardanChannel channel, double *values,
                                                             double *by_displacement, double *by_velocity,
                                                             double *by_state);

#ifdef __cplusplus
}
#endif
#endif
