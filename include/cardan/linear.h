/* The equations of motion linearised about the present state of a simulation, for control and vibration.
 *
 *     minimal        x' = A x + B u,   y = C x + D u          x: independent displacements, velocities, first-order
 * states descriptor     E X' = A X + B u, y = C X + D u, sparse  X: displacements, velocities, first-order states,
 *                                                             accelerations and multipliers of all bodies and rows
 * Small changes throughout. Both have the same finite eigenvalues. Displacements of a body are carried along with its
 * motion: places in ground axes, turns in its own axes (in the plane its angle). Equations: docs/LINEAR.md. */
#ifndef CARDAN_LINEAR_H
#define CARDAN_LINEAR_H

#include "cardan/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CardanLinear CardanLinear;

typedef enum CardanLinearForm {
    CARDAN_LINEAR_MINIMAL = 0, /* dense; at most CARDAN_LINEAR_STATES states */
    CARDAN_LINEAR_DESCRIPTOR   /* sparse, any size */
} CardanLinearForm;

enum { CARDAN_LINEAR_STATES = 2000 };

/* Inputs are names of the model's inputs; of joints (or of forces on joints, motors among them): a force or torque more
 * along the joint's coordinate; BODY.fx .. BODY.mz: a force or moment more on a body at its centre of mass, ground
 * axes. Outputs are channels. Allocates; on failure *out is NULL and the simulation has the sentence: CARDAN_ERR_MODEL,
 * a name is unknown; CARDAN_ERR_NUMERIC, the pose is singular; CARDAN_ERR_LIMIT, too large for this form. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_linearise(CardanSim *sim, CardanLinearForm form, int inputs,
                                                              const char *const *input, int outputs,
                                                              const char *const *output, CardanLinear **out);
CARDAN_API void cardan_linear_destroy(CardanLinear *linear);

/* Row-major; belong to the linearisation. */
typedef struct CardanStateSpace {
    int states, inputs, outputs;
    int positions, velocities; /* the states begin with them, in this order; then first-order states */
    const double *a;           /* states x states */
    const double *b;           /* states x inputs */
    const double *c;           /* outputs x states */
    const double *d;           /* outputs x inputs */
} CardanStateSpace;

/* All zero when it has not this form, or there is no linearisation. */
CARDAN_API CardanStateSpace cardan_linear_state_space(const CardanLinear *linear);

/* By columns, rows rising in each. */
typedef struct CardanSparse {
    int rows, columns;
    const int *start; /* columns + 1 */
    const int *row;
    const double *value;
} CardanSparse;

typedef struct CardanDescriptor {
    int size, inputs, outputs;
    CardanSparse e, a; /* size x size */
    CardanSparse b;    /* size x inputs */
    CardanSparse c;    /* outputs x size */
    CardanSparse d;    /* outputs x inputs */
} CardanDescriptor;
CARDAN_API CardanDescriptor cardan_linear_descriptor(const CardanLinear *linear);

typedef enum CardanLinearName {
    CARDAN_LINEAR_STATE = 0, /* "pole.angle", "pole.spin" */
    CARDAN_LINEAR_INPUT,
    CARDAN_LINEAR_OUTPUT,   /* headings of channels */
    CARDAN_LINEAR_UNKNOWN,  /* of the descriptor form */
    CARDAN_LINEAR_EQUATION, /* its rows */
    CARDAN_LINEAR_NAMES
} CardanLinearName;

/* Name number i of a kind, written to text; empty when there is none. Returns text. */
CARDAN_API const char *cardan_linear_name(const CardanLinear *linear, CardanLinearName kind, int i, char *text,
                                          size_t size);

/* Is the row of C and D of output column i from exact derivatives? false: central differences along the constraints,
 * good to about 1e-8 of their size. */
CARDAN_API bool cardan_linear_is_exact(const CardanLinear *linear, int i);

/* ---- modes: eigenvalues and shapes of small motions about an equilibrium or a steady motion ---- */

typedef struct CardanModes CardanModes;

typedef enum CardanModeKind {
    CARDAN_MODES_DAMPED = 0, /* of the linearised equations as they are */
    CARDAN_MODES_UNDAMPED,   /* of M and the stiffness alone, at rest only */
    CARDAN_MODE_KINDS
} CardanModeKind;

enum {
    CARDAN_MODES_DENSE = 400
}; /* states up to which all modes are found, densely; beyond, the lowest ones asked for */

typedef struct CardanMode {
    double re, im;    /* 1/s, rad/s: eigenvalue; of a pair the one with im > 0 */
    double frequency; /* Hz: im / (2 pi); 0: it does not swing */
    double damping;   /* -re / |eigenvalue|: 1 or -1 where it does not swing, 0 of an eigenvalue 0 */
    double residual;  /* of the eigenvalue problem, against its terms */
} CardanMode;

/* The modes about the present state, by rising size of the eigenvalue; number: how many of the lowest (pairs count
 * once), 0: all, or 20 where that would be too many. Allocates. On failure *out is NULL and the simulation has the
 * sentence: CARDAN_ERR_NUMERIC, the state is no equilibrium and no steady motion, or the pose is singular. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_sim_modes(CardanSim *sim, int number, CardanModes **out);
CARDAN_API void cardan_modes_destroy(CardanModes *modes);

/* How many there are; -1 without modes. Zero eigenvalues of coordinates that nothing depends on, such as the place of a
 * vehicle on its road, are not listed: cardan_modes_ignorable. */
CARDAN_API int cardan_modes_count(const CardanModes *modes, CardanModeKind kind);
CARDAN_API int cardan_modes_ignorable(const CardanModes *modes);

/* Mode i, from 0, and its shape: displacements of all bodies (velocities of the model long; re and im may be NULL), the
 * largest of them one length of the mechanism or one rad. CARDAN_ERR_ARGUMENT: there is none; nothing is written. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_modes_get(const CardanModes *modes, CardanModeKind kind, int i,
                                                          CardanMode *mode, double *shape_re, double *shape_im);

/* "pole.angle": what number i of a shape is, written to text; empty when there is none. Returns text. */
CARDAN_API const char *cardan_modes_name(const CardanModes *modes, int i, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
