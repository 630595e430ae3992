/* Starting stiff mechanisms without ringing: states on the slow manifold (docs/SLOW.md).
 *
 * Compliant joints and bushings that are stiff ring for ever, or until their damping has taken it, when they start with
 * a deflection that does not carry the load. On the slow manifold it does: no fast motion begins. */
#ifndef CARDAN_SLOW_H
#define CARDAN_SLOW_H

#include "cardan/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CardanSlowMethod {
    CARDAN_SLOW_BOUNDED = 0, /* deflections whose second derivatives stay those of the slow motion */
    CARDAN_SLOW_ITERATED,    /* short motions forward and backward, filtered, again and again */
    CARDAN_SLOW_METHODS
} CardanSlowMethod;

typedef enum CardanSlowKernel {
    CARDAN_SLOW_SMOOTH = 0, /* iterated: moments 2 and 4 vanish */
    CARDAN_SLOW_CUBIC,      /* iterated: moment 2 vanishes (Ariel, Sanz-Serna and Tsai) */
    CARDAN_SLOW_KERNELS
} CardanSlowKernel;

typedef struct CardanSlow {
    int internal; /* by cardan_default_slow */
    CardanSlowMethod method;
    CardanSlowKernel kernel;
    double tolerance;         /* what may still ring, as a part of the largest multiplier; 0: 1e-6, iterated 1e-3 */
    int count;                /* how many names */
    const char *const *names; /* compliant joints and bushings; NULL: all that are stiff enough */
} CardanSlow;

CARDAN_API CardanSlow cardan_default_slow(void);

enum { CARDAN_SLOW_ROWS = 6 };

/* Of one joint or bushing. */
typedef struct CardanSlowJoint {
    const char *name; /* the model's */
    int rows;
    double frequency_min, frequency_max;   /* rad/s; of the fast motions it takes part in */
    double elastic[CARDAN_SLOW_ROWS];      /* N, N m: stiffness times deflection, of each row */
    double multiplier[CARDAN_SLOW_ROWS];   /* N, N m: the same, were these joints rigid */
    double extrapolated[CARDAN_SLOW_ROWS]; /* N, N m: `elastic` at infinite stiffness, from two stiffnesses; else 0 */
} CardanSlowJoint;

typedef struct CardanSlowReport {
    CardanSlowJoint *joint; /* in: room for so many, filled; NULL: not wanted */
    int room;
    bool extrapolate;                    /* in: `extrapolated` is wanted */
    int joints, rows;                    /* out */
    double frequency_min, frequency_max; /* rad/s */
    double rate;                         /* 1/s; of the slow motion: what the lowest frequency is compared with */
    double damping;                      /* largest damping ratio */
    double ringing;                      /* N, N m; what may still ring, by estimate */
    double multiplier;                   /* N, N m; the largest */
    double moved_length, moved_angle;    /* m, rad; the farthest a body was moved and turned */
    int iterations;
    long evaluations; /* of accelerations */
} CardanSlowReport;

/* Puts the present state on the slow manifold. wish NULL: the defaults. report may be NULL. On failure, which names the
 * joint that is at fault, nothing is changed. Allocates. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_slow_start(CardanSim *sim, const CardanSlow *wish,
                                                               CardanSlowReport *report);

/* What a model's file or builder says of its slow start; its names are the model's. */
CARDAN_API CardanSlow cardan_model_slow(const CardanModel *model);

/* The start of a model put on the slow manifold, on a simulation that is thrown away: for the report. Rates that the
 * model starts with are those of rigid joints then. wish NULL: as the model says. message (size bytes, may be NULL)
 * gets the sentence of a failure. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_model_slow_start(const CardanModel *model, const CardanSlow *wish,
                                                                 CardanSlowReport *report, char *message, size_t size);

/* The words of model files and options, i from 0; NULL after the last. */
CARDAN_API const char *cardan_slow_method_name(int i);
CARDAN_API const char *cardan_slow_kernel_name(int i);

#ifdef __cplusplus
}
#endif
#endif
