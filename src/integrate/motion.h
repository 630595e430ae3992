/* A compiled model as Verlet, RATTLE and half-explicit methods see it (integrate/methods/equations.h). */
#ifndef CRD_INTEGRATE_MOTION_H
#define CRD_INTEGRATE_MOTION_H

#include "core/memory.h"
#include "integrate/methods/stepper.h"

struct CrdIntegrator;

/* Workspace of one run. */
typedef struct CrdModelMotion {
    struct CrdIntegrator *integrator;
    double *pieces; /* of G M^-1 where the factor is held */
    double *r;      /* (rows) */
    double *dv;     /* (nv) */
    bool implicit;  /* forces of the model may depend on velocities */
} CrdModelMotion;

/* Takes the workspace from an arena, called twice, measuring and real, and gives the stepper its motion and the parts
 * of its equations that half-explicit stages need. */
void crd_motion_layout(CrdModelMotion *motion, struct CrdIntegrator *integrator, CrdArena *arena);

#endif
