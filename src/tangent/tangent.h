/* The equations of motion linearised about a state: what a small displacement of bodies, a small change of velocities
 * and of first-order states does, exactly to first order.
 *
 * A displacement x of bodies (nv numbers: places in ground axes, turns in own axes) is carried along with the motion,
 * so x' = v - (0, w x turn)                            w: angular velocity of the body in own axes M a + G^T lambda =
 * -(D_x x + D_v v + D_z z) + F_u u   D = M a + G^T lambda - f at fixed a, lambda z' = r_x x + r_v v + r_z z + r_u u 0 =
 * G x                                           holonomic rows 0 = (G v)_x x + G v                               all
 * rows 0 = ((G a)_x - gamma_x) x - gamma_v v + G a       all rows where x, v, z, a, lambda stand for their small
 * changes. D_x has the second-order terms of the constraints in it: (G^T lambda)_x. Derivatives are those of
 * equations/jacobian.h. */
#ifndef CRD_TANGENT_TANGENT_H
#define CRD_TANGENT_TANGENT_H

#include "core/compressed.h"
#include "equations/jacobian.h"
#include "sim/sim.h"

typedef struct CrdTangent {
    CardanSim *sim;
    const CrdStructure *structure;
    int nv, nz, rows;
    double *a, *lambda;     /* at the state */
    CrdCompressed d;        /* (nv + nz) x (2 nv + nz): D over x, v, z; under it -r */
    CrdCompressed mass;     /* nv x nv */
    CrdCompressed g;        /* rows x nv: G */
    CrdCompressed rate;     /* rows x nv: (G v + g_t)_x */
    CrdCompressed second_x; /* rows x nv: (G a)_x - gamma_x */
    CrdCompressed second_v; /* rows x nv: -gamma_v */
    CrdCompressed turning;  /* nv x nv: -(w x) on turns */
    bool *dropped;          /* (rows) redundant ones, whose multiplier is 0 */
} CrdTangent;

/* At the present state of a simulation, whose motion is evaluated. On failure the sentence is in sim->error and nothing
 * is held. */
CardanStatus crd_tangent_create(CardanSim *sim, CrdTangent *out);
void crd_tangent_free(CrdTangent *tangent);

/* "crank.angle": coordinate i of the displacements, or of the velocities. */
const char *crd_tangent_name(const CardanModel *model, int i, bool velocity, char *text, size_t size);

#endif
