/* What an engine does with a problem; each driver is one file with one of these, called `peer_engine`. */
#ifndef PEERS_ENGINE_H
#define PEERS_ENGINE_H

#include "problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Engine {
    const char *name;
    const char *(*version)(void);

    /* Builds it at t = 0. mode: "rhs", or how it integrates in words of the engine; parameter: its tolerance or step.
     * NULL: it cannot, and has said why on stderr. */
    void *(*create)(const Problem *problem, const char *mode, double parameter);
    void (*destroy)(void *self);

    /* One right-hand side at the start, nothing remembered from the last call. */
    void (*right_side)(void *self);

    /* After it: accelerations of the joints of the tree that have one freedom, in order; others are left alone. */
    void (*accelerations)(void *self, double *acceleration);

    /* Integrates to t and says whether it got there; then the poses and the number of steps. */
    bool (*advance)(void *self, double t);
    void (*poses)(void *self, Pose *pose);
    long (*steps)(void *self);
} Engine;

extern const Engine peer_engine;

/* For drivers with steps of one size: how many there are, and the size that ends at t exactly. */
long engine_step_count(double t, double step);

#ifdef __cplusplus
}
#endif
#endif
