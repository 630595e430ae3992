/* Derivatives of the loads of one force: dense blocks over the frames it touches.
 *
 * Displacements are small changes of frames (x in ground axes, rotation in own axes), twists their v and w; loads are
 * dual to twists. With n frames, entry ((i, r), (j, k)) of a 6n x 6n matrix, row-major, is the derivative of
 * component r of the load on frame i with respect to component k of frame j. In the plane the columns of components
 * that do not exist are zero. At a kink the derivative is that of the piece the state is in. */
#ifndef CRD_EQUATIONS_FORCE_DERIVATIVES_H
#define CRD_EQUATIONS_FORCE_DERIVATIVES_H

#include "equations/system.h"

typedef struct CrdLoadDerivatives {
    int frames;
    const int *frame; /* frames; without the ground */
    int reads;
    const int *read;                        /* reads; numbers in z of the first-order states it reads, its own first */
    int states;                             /* its own */
    double *displacement;                   /* (6 frames x 6 frames) d load / d displacement */
    double *twist;                          /* (6 frames x 6 frames) d load / d twist */
    double *state;                          /* (6 frames x reads) d load / d z */
    double *rate_displacement, *rate_twist; /* (states x 6 frames) d z' / d displacement, d twist */
    double *rate_state;                     /* (states x reads) d z' / d z */
} CrdLoadDerivatives;

/* Takes the arrays, large enough for every force of the structure, from an arena; called twice, measuring and real. */
void crd_load_derivatives_layout(CrdLoadDerivatives *out, const CrdStructure *structure, CrdArena *arena);

/* Derivatives of force number `index` at the frames there are. Exact but for callbacks without a `change` of their
 * own. After crd_forces at the same state (or crd_law_input). */
CardanStatus crd_force_derivatives(const CardanModel *model, int index, const CrdActions *actions, CrdSystem *system,
                                   CrdLoadDerivatives *out, CrdError *error);

/* Products in place of columns: with psi over the velocities of bodies (nv) and over states (first_order),
 *     over_x, over_v (nv), over_z (first_order) += psi times loads and rates of a force over motion and states
 * of bodies alone, without frames of custom blocks. */
CardanStatus crd_force_pull(const CardanModel *model, int index, const CrdActions *actions, CrdSystem *system,
                            const double *psi_v, const double *psi_z, double *const over[3], CrdError *error);

/* Derivatives, in law_jets, of the measures that the laws of a force read, along system->changes and the jets of
 * states; and back to none. */
CardanStatus crd_change_measures(const CardanModel *model, int index, const CrdActions *actions, CrdSystem *system,
                                 CrdError *error);
void crd_still_measures(const CardanModel *model, int index, CrdSystem *system);

#endif
