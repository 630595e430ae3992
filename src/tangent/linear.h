/* The two forms of the linearised equations. Unknowns of the descriptor form, and its equations,
 *
 *     [ x | v | z | a | lambda ]        nv, nv, nz, nv, rows
 *
 * x_i' = (v - w x turn)_i for independent x_i, v_i' = a_i for independent v_i; equations of dependent ones are rows of
 * the model at the levels of positions and velocities. z' as it is; under them M a + ... = f and the rows at the level
 * of accelerations. So the system has index 1 at any state, and its finite eigenvalues are those of the minimal form;
 * E has a 1 for each state and nothing else. */
#ifndef CRD_TANGENT_LINEAR_H
#define CRD_TANGENT_LINEAR_H

#include "cardan/linear.h"
#include "tangent/coordinates.h"
#include "tangent/tangent.h"

/* One equation. */
typedef struct CrdEquation {
    int state;     /* the unknown whose rate stands on the left; -1: 0 = ... */
    int row;       /* of the model; -1: none */
    int level;     /* of the row: 0 positions, 1 velocities, 2 accelerations */
    bool is_unity; /* lambda of a redundant row = 0 */
} CrdEquation;

struct CardanLinear {
    CardanModel *model; /* retained */
    CardanLinearForm form;
    int nv, nz, rows, size;
    CrdIndependent independent;
    CrdEquation *equation; /* (size) */
    int states;
    int *state;     /* (states) unknowns of the descriptor form */
    int *state_row; /* (states) equations */
    int inputs, outputs;
    char **input; /* names */
    CardanChannel *channel;
    int channels;
    bool *exact;              /* (outputs) */
    CrdCompressed e, a, b, c; /* c: rows of exact outputs; the others are empty */
    CrdCompressed through;    /* D of the descriptor form */
    double *A, *B, *C, *D;
};

/* ---- inputs.c, outputs.c: entries of B and C over the unknowns ---- */

CardanStatus crd_linear_inputs(CardanLinear *linear, const CrdTangent *tangent, int count, const char *const *name);
CardanStatus crd_linear_outputs(CardanLinear *linear, const CrdTangent *tangent, int count, const char *const *name);

/* ---- descriptor.c ---- */

CardanStatus crd_linear_descriptor(CardanLinear *linear, const CrdTangent *tangent);

/* ---- minimal.c ---- */

CardanStatus crd_linear_minimal(CardanLinear *linear, const CrdTangent *tangent);

/* The changes of all unknowns (size) that go with a unit change of each state, then of each input. */
typedef CardanStatus (*CrdDirections)(void *user, int i, const double *unknowns);
CardanStatus crd_linear_directions(const CardanLinear *linear, CrdError *error, CrdDirections see, void *user);

/* ---- differences.c: rows of C and D of outputs that have no exact derivative ---- */

CardanStatus crd_linear_difference(CardanLinear *linear, CardanSim *sim, int i, const double *unknowns);

#endif
