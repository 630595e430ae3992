/* Operators of a mechanism at a given state, for programs that have a loop of their own: mass matrix, constraint
 * Jacobian, Jacobians of points, forces, energies and momenta, as products and as dense matrices.
 *
 *     M(q) a + G(q,t)^T lambda = f(t,q,v)        G a = gamma        f = gravity - bias + applied
 *
 * in absolute coordinates (those of bodies) or in relative ones (joints of a spanning tree; of a mechanism without
 * loops the minimal ones), as is chosen at creation. Rows are in the order of the description: joints as they were
 * added, then rows of custom blocks. One thread at a time; only create and `motions` allocate. A call that fails leaves
 * its sentence in cardan_operators_message and writes nothing. docs/ANALYSES.md has an example. */
#ifndef CARDAN_OPERATORS_H
#define CARDAN_OPERATORS_H

#include "cardan/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CardanOperators CardanOperators;

/* Dense matrices have at most so many rows and columns; beyond it they are refused (CARDAN_ERR_LIMIT), products are
 * not. */
enum { CARDAN_DENSE_MAX = 2000 };

/* coordinates: CARDAN_COORDINATES_ABSOLUTE (AUTO is the same) or CARDAN_COORDINATES_RELATIVE, refused by name where the
 * model has none. Stands at t = 0 in the pose and with the velocities as written. On failure *out is NULL and message
 * (size bytes, may be NULL) has the sentence. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_operators_create(const CardanModel *model,
                                                                 CardanCoordinates coordinates, CardanOperators **out,
                                                                 char *message, size_t size);
CARDAN_API void cardan_operators_destroy(CardanOperators *operators);
CARDAN_API const char *cardan_operators_message(const CardanOperators *operators);

typedef struct CardanOperatorSizes {
    int coordinates; /* length of q */
    int velocities;  /* length of v */
    int rows;
} CardanOperatorSizes;
CARDAN_API CardanOperatorSizes cardan_operators_sizes(const CardanOperators *operators);

/* The state that the others are of. first-order states and inputs are those of the start, unless set. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_operators_set(CardanOperators *operators, double t, const double *q,
                                                              const double *v);
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_operators_get(CardanOperators *operators, double *t, double *q,
                                                              double *v);
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_operators_set_input(CardanOperators *operators, CardanInput input,
                                                                    double value);

/* q <- q + N dx: a displacement along velocities, over quaternions too. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_operators_move(CardanOperators *operators, const double *dx, double *q);

/* ---- M and G as products; x and y apart ---- */

CARDAN_API CARDAN_NODISCARD CardanStatus cardan_operators_mass_times(CardanOperators *operators, const double *x,
                                                                     double *y);
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_operators_mass_solve(CardanOperators *operators, const double *x,
                                                                     double *y);
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_operators_rows_times(CardanOperators *operators, const double *x,
                                                                     double *rows);
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_operators_rows_transposed(CardanOperators *operators,
                                                                          const double *rows, double *x);

/* ---- dense, row-major: M (velocities x velocities), G (rows x velocities) ---- */

CARDAN_API CARDAN_NODISCARD CardanStatus cardan_operators_mass(CardanOperators *operators, double *m);
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_operators_rows(CardanOperators *operators, double *g);

/* Minimal velocities of a mechanism with loops: Z (velocities x freedoms, row-major) with v = Z w + v0 for all v that
 * the rows allow, G Z = 0; the w are those velocities whose numbers `chosen` (freedoms of them) has, so that their
 * lines of Z are the identity. Z and chosen may be NULL; the number of freedoms is written in any case. With it Z^T M Z
 * is the minimal mass matrix and Z^T f the forces. Dense, allocates. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_operators_motions(CardanOperators *operators, int *freedoms, double *z,
                                                                  int *chosen);

/* g, G v + g_t and gamma of all rows; each may be NULL. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_operators_residuals(CardanOperators *operators, double *position,
                                                                    double *velocity, double *gamma);

/* ---- points of bodies: `point` in the body's own axes, from its centre of mass ---- */

/* Where it is, ground axes. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_operators_point_place(CardanOperators *operators, CardanBody body,
                                                                      CardanVec3 point, CardanVec3 *place);

/* Velocity of the point and angular velocity of the body, ground axes, that velocities x give. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_operators_point_times(CardanOperators *operators, CardanBody body,
                                                                      CardanVec3 point, const double *x,
                                                                      CardanVec3 *velocity, CardanVec3 *spin);

/* Generalised force x of a wrench on the body at the point, ground axes. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_operators_point_transposed(CardanOperators *operators, CardanBody body,
                                                                           CardanVec3 point, CardanWrench wrench,
                                                                           double *x);

/* Dense: 6 x velocities, row-major; velocity of the point, then spin. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_operators_point(CardanOperators *operators, CardanBody body,
                                                                CardanVec3 point, double *jacobian);

/* ---- forces (velocities long) and scalars ---- */

/* f, all of it. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_operators_forces(CardanOperators *operators, double *f);
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_operators_gravity(CardanOperators *operators, double *f);

/* What velocities alone ask for on the left of M a + bias = ...: gyroscopic and centrifugal forces. Custom blocks have
 * it in their force, so theirs is 0 here. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_operators_bias(CardanOperators *operators, double *f);

typedef struct CardanTotals {
    double kinetic, potential; /* J */
    double mass;               /* kg; of bodies, custom blocks not counted */
    CardanVec3 centre;         /* m; of that mass */
    CardanVec3 momentum;       /* kg m/s */
    CardanVec3 angular;        /* kg m^2/s; about that centre, ground axes */
} CardanTotals;
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_operators_totals(CardanOperators *operators, CardanTotals *out);

/* ---- loads that joints transmit at given accelerations (absolute coordinates) ---- */

/* The least multipliers (rows long) with G^T lambda = f - M a, and how much of it no joint can carry: the largest
 * entry, N or N m. accelerations NULL: at rest. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_operators_multipliers(CardanOperators *operators,
                                                                      const double *accelerations, double *multipliers,
                                                                      double *left);

/* What body b of a joint receives by these multipliers, at the joint's point on b, ground axes. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_operators_transmitted(CardanOperators *operators,
                                                                      const double *multipliers, CardanJoint joint,
                                                                      CardanWrench *out);

#ifdef __cplusplus
}
#endif
#endif
