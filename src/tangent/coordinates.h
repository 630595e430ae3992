/* Which displacements and velocities of bodies are independent: those that the constraint rows leave to be chosen.
 *
 * Rows are eliminated one after another, holonomic ones first, sparse (as in Gilbert and Peierls, SIAM J. Sci. Stat.
 * Comput. 9, 1988), each by the coordinate it decides; what no row decides is independent. Of coordinates that a row
 * decides about equally well it takes places before turns, and turns of bodies that spin before others: angles of
 * bodies that do not spin are what remains, and a steady motion looks the same at all times in them. Of the same kind
 * it takes the later one: what remains is of the bodies described first. */
#ifndef CRD_TANGENT_COORDINATES_H
#define CRD_TANGENT_COORDINATES_H

#include "tangent/tangent.h"

typedef struct CrdIndependent {
    int positions, velocities;
    int *position, *velocity; /* rising; numbers of displacements and of velocities (a subset) */
} CrdIndependent;

/* Fails with the joint's name where a row that is not redundant depends on others: in a singular pose. The sentence is
 * in sim->error. */
CardanStatus crd_independent_create(const CrdTangent *tangent, CrdIndependent *out);
void crd_independent_free(CrdIndependent *independent);

#endif
