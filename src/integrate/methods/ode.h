/* What a stepper sees of the world: one flat vector and its rate, y' = rhs(t, y). */
#ifndef CRD_INTEGRATE_METHODS_ODE_H
#define CRD_INTEGRATE_METHODS_ODE_H

#include "core/pool.h"
#include "core/status.h"

typedef struct CrdOde {
    /* Fills dydt (n) from y (n); the arrays do not overlap. A pure function of (t, y). A status < 0 ends the attempt
     * and is handed through; a remark (> 0) is not: the owner of user keeps it. */
    CardanStatus (*rhs)(void *user, double t, const double *y, double *dydt);
    void *user;
    int n;
    CrdPool *pool; /* threads for what is done number by number; NULL: none */
} CrdOde;

#endif
