#include "tangent/linear.h"

#include <assert.h>

/* Where the parts of the unknowns start. */
typedef struct Places {
    int x, v, z, a, lambda;
} Places;

static Places places_of(const CardanLinear *linear) {
    int nv = linear->nv, z = 2 * nv;
    return (Places){0, nv, z, z + linear->nz, z + linear->nz + nv};
}

/* ---- which equation stands where ---- */

static void note_state(CardanLinear *linear, int equation, int unknown) {
    assert(equation >= 0 && unknown >= 0);
    linear->equation[equation] = (CrdEquation){.state = unknown, .row = -1};
    linear->state[linear->states] = unknown;
    linear->state_row[linear->states++] = equation;
}

/* Equations of displacements, or velocities: rates of independent ones first, then rows. */
static void note_level(CardanLinear *linear, const CrdTangent *tangent, int first, int level, const int *independent,
                       int count) {
    int at = first;
    for (int i = 0; i < count; i++) note_state(linear, at++, first + independent[i]);
    for (int r = 0; r < linear->rows; r++)
        if (!tangent->dropped[r] && (level > 0 || crd_row_is_holonomic(tangent->structure, r)))
            linear->equation[at++] = (CrdEquation){.state = -1, .row = r, .level = level};
    assert(at == first + linear->nv);
}

static void note_equations(CardanLinear *linear, const CrdTangent *tangent) {
    Places places = places_of(linear);
    const CrdIndependent *independent = &linear->independent;
    note_level(linear, tangent, places.x, 0, independent->position, independent->positions);
    note_level(linear, tangent, places.v, 1, independent->velocity, independent->velocities);
    for (int i = 0; i < linear->nz; i++) note_state(linear, places.z + i, places.z + i);
    for (int i = 0; i < linear->nv; i++) linear->equation[places.a + i] = (CrdEquation){.state = -1, .row = -1};
    for (int r = 0; r < linear->rows; r++)
        linear->equation[places.lambda + r] =
            (CrdEquation){.state = -1, .row = r, .level = 2, .is_unity = tangent->dropped[r]};
}

/* ---- A ---- */

/* Rows of a matrix go to the equations that `to` names; -1: nowhere. */
static void add_rows(CrdEntries *entries, const CrdCompressed *matrix, const int *to, int column, double s) {
    assert(column >= 0);
    for (int c = 0; c < matrix->columns; c++)
        for (int i = matrix->start[c]; i < matrix->start[c + 1]; i++)
            if (to[matrix->row[i]] >= 0) crd_entries_add(entries, to[matrix->row[i]], column + c, s * matrix->value[i]);
}

/* Where each row of the model stands at a level. */
static void find_rows(const CardanLinear *linear, int level, int *to) {
    for (int r = 0; r < linear->rows; r++) to[r] = -1;
    for (int i = 0; i < linear->size; i++) {
        const CrdEquation *equation = &linear->equation[i];
        if (equation->row >= 0 && equation->level == level && !equation->is_unity) to[equation->row] = i;
    }
}

static void add_constraints(const CardanLinear *linear, const CrdTangent *tangent, int *to, CrdEntries *entries) {
    Places places = places_of(linear);
    find_rows(linear, 0, to);
    add_rows(entries, &tangent->g, to, places.x, 1.0);
    find_rows(linear, 1, to);
    add_rows(entries, &tangent->rate, to, places.x, 1.0);
    add_rows(entries, &tangent->g, to, places.v, 1.0);
    find_rows(linear, 2, to);
    add_rows(entries, &tangent->second_x, to, places.x, 1.0);
    add_rows(entries, &tangent->second_v, to, places.v, 1.0);
    add_rows(entries, &tangent->g, to, places.a, 1.0);
    for (int r = 0; r < linear->rows; r++)
        if (tangent->dropped[r]) crd_entries_add(entries, places.lambda + r, places.lambda + r, 1.0);
}

/* x' = v - w x turn, v' = a. */
static void add_rates(const CardanLinear *linear, const CrdTangent *tangent, int *to, CrdEntries *entries) {
    Places places = places_of(linear);
    for (int i = 0; i < linear->nv; i++) to[i] = -1;
    for (int i = 0; i < linear->states; i++) {
        int unknown = linear->state[i];
        if (unknown < places.v) to[unknown] = linear->state_row[i];
        if (unknown < places.v) crd_entries_add(entries, linear->state_row[i], places.v + unknown, 1.0);
        if (unknown >= places.v && unknown < places.z)
            crd_entries_add(entries, linear->state_row[i], places.a + unknown - places.v, 1.0);
    }
    add_rows(entries, &tangent->turning, to, places.x, 1.0);
}

/* z' and the equation of motion. */
static void add_dynamics(const CardanLinear *linear, const CrdTangent *tangent, CrdEntries *entries) {
    Places places = places_of(linear);
    for (int c = 0; c < tangent->d.columns; c++)
        for (int i = tangent->d.start[c]; i < tangent->d.start[c + 1]; i++) {
            int row = tangent->d.row[i];
            bool rate = row >= linear->nv;
            crd_entries_add(entries, rate ? places.z + row - linear->nv : places.a + row, c, -tangent->d.value[i]);
        }
    crd_entries_add_matrix(entries, places.a, places.a, -1.0, &tangent->mass);
    for (int c = 0; c < linear->nv; c++)
        for (int i = tangent->g.start[c]; i < tangent->g.start[c + 1]; i++)
            crd_entries_add(entries, places.a + c, places.lambda + tangent->g.row[i], -tangent->g.value[i]);
}

CardanStatus crd_linear_descriptor(CardanLinear *linear, const CrdTangent *tangent) {
    CrdError *error = &tangent->sim->error;
    size_t size = (size_t)linear->size, longest = (size_t)(linear->rows > linear->nv ? linear->rows : linear->nv);
    CrdEntries entries = {0};
    linear->equation = crd_new(size, sizeof *linear->equation);
    linear->state = crd_new(size, sizeof *linear->state);
    linear->state_row = crd_new(size, sizeof *linear->state_row);
    int *to = crd_new(longest, sizeof *to);
    bool made = linear->equation != NULL && linear->state != NULL && linear->state_row != NULL && to != NULL;
    if (made) {
        note_equations(linear, tangent);
        add_constraints(linear, tangent, to, &entries);
        add_rates(linear, tangent, to, &entries);
        add_dynamics(linear, tangent, &entries);
    }
    crd_delete(to);
    if (!made) return crd_fail_memory(error);
    CRD_TRY(crd_compressed_create(&entries, linear->size, linear->size, &linear->a, error));
    for (int i = 0; i < linear->states; i++) crd_entries_add(&entries, linear->state_row[i], linear->state[i], 1.0);
    return crd_compressed_create(&entries, linear->size, linear->size, &linear->e, error);
}
