/* What a start made of the values as given: what moved, what was held, and the motion that begins there.
 *
 * A simulation begins on its constraints: positions are closed with held bodies and joint coordinates kept, velocities
 * follow the rates that are given and move as little as possible otherwise, and accelerations and multipliers solve
 *     M a + G^T lambda = f,   G a = gamma. */
#ifndef CARDAN_START_H
#define CARDAN_START_H

#include "cardan/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CardanStartBody {
    CardanBodyState given, now;
    double moved, turned;            /* m, rad; from where it was given */
    double speed, spin;              /* m/s, rad/s; what its velocity and angular velocity changed by */
    CardanVec3 acceleration;         /* m/s^2; now, of the centre of mass, ground axes */
    CardanVec3 angular_acceleration; /* rad/s^2; ground axes (planar: z) */
    bool held;                       /* `hold`: it stays where it was given */
} CardanStartBody;

typedef struct CardanStartJoint {
    double off, rate_off;    /* largest row of the values as given, and of its rate; SI */
    bool has_coordinate;     /* what follows is there: of two the first */
    double given, now;       /* m or rad; the coordinate, zero in the pose as written */
    double rate_given, rate; /* m/s or rad/s */
    bool held, rate_held;    /* `joints` and `rates` of the start: it is what was asked for */
} CardanStartJoint;

typedef struct CardanStartReport {
    CardanStartBody *body;   /* in: as long as there are bodies, in the order they were added; NULL: not wanted */
    CardanStartJoint *joint; /* in: likewise of joints */
    double *accelerations;   /* in: as long as there are velocities; NULL: not wanted */
    double *multipliers;     /* in: as long as there are rows, in the order of the description; NULL: not wanted */
    int rates, coordinates;  /* out: so many rates and coordinates of joints were asked for */
    double moved, turned, speed, spin;                         /* out: the largest of any body */
    CardanBody moved_body, turned_body, speed_body, spin_body; /* out: whose; 0: none moved */
} CardanStartReport;

/* Of a simulation that stands at its start. CARDAN_ERR_ARGUMENT: steps were made. Allocates nothing; nothing of the run
 * is changed by it. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_start_report(CardanSim *sim, CardanStartReport *report);

#ifdef __cplusplus
}
#endif
#endif
