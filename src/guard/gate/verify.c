/* The residuals of
 *     G a - target = 0        M a + G^T lambda - f = 0
 * against the sums of the absolute values of their terms (Oettli and Prager 1964: a backward error), each row and each
 * body for itself: rounding alone leaves some ulps, whatever the units and masses. */
#include "equations/tree.h"
#include "guard/gate/gate.h"

#include <math.h>
#include <string.h>

/* rows <- -target, anew: solves beside a pose leave that of a neighbour. */
static void set_target(CrdGate *gate, const CrdDynamics *dynamics) {
    const CrdSystem *system = &dynamics->system;
    for (int i = 0; i < dynamics->model->structure->rows; i++)
        gate->rows[i] = dynamics->alpha * system->rate[i] + dynamics->beta * system->g[i] - system->gamma[i];
}

/* Residual and size of both equations, one pass over the pieces of G. */
static void multiply(CrdGate *gate, const CrdDynamics *dynamics) {
    const CrdStructure *structure = dynamics->model->structure;
    for (int i = 0; i < structure->incidence_count; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        const double *g = dynamics->system.G + in->g, *a = dynamics->a + in->v;
        double *f = gate->forces + in->v, *f_size = gate->forces_size + in->v;
        int first = structure->elements[in->element].first;
        for (int r = 0; r < in->rows; r++, g += in->width) {
            double sum = 0.0, size = 0.0, lambda = dynamics->lambda[first + r];
            for (int k = 0; k < in->width; k++) {
                double row = g[k] * a[k], force = g[k] * lambda;
                sum += row;
                size += fabs(row);
                f[k] += force;
                f_size[k] += fabs(force);
            }
            gate->rows[first + r] += sum;
            gate->rows_size[first + r] += size;
        }
    }
}

static double largest(const double *x, const double *size, int n, const bool *left_out, int *worst) {
    double max = 0.0;
    for (int i = 0; i < n; i++) {
        if ((left_out != NULL && left_out[i]) || fabs(x[i]) <= max * size[i]) continue;
        max = fabs(x[i]) / size[i];
        *worst = i;
        if (isnan(max)) return max;
    }
    return max;
}

/* Largest acceleration that the forces would make alone: rows cancel it, so rounding is a part of it. */
static double free_reach(CrdGate *gate, const CrdDynamics *dynamics) {
    memcpy(gate->free, dynamics->system.f, (size_t)dynamics->model->structure->nv * sizeof *gate->free);
    crd_solve_mass(dynamics->model, &dynamics->system, gate->free);
    return crd_reach(dynamics->model, gate->free);
}

/* What rounding of multipliers makes of a force on a body is a part of the largest on it, not of each: a solve by
 * orthogonal factors is right in norm alone. Moments count by the size of the mechanism. */
static void group_forces(CrdGate *gate, const CardanModel *model) {
    const CrdStructure *structure = model->structure;
    for (int b = 0; b < structure->block_count; b++) {
        const CrdBlock *block = &structure->blocks[b];
        double *size = gate->forces_size + block->v, force = 0.0, arm = model->values.size;
        int lengths = crd_block_lengths(structure, block);
        if (lengths == 0) arm = 1.0;
        for (int k = 0; k < block->nv; k++) force = fmax(force, k < lengths ? size[k] : size[k] / arm);
        for (int k = 0; k < block->nv; k++) size[k] = k < lengths ? force : force * arm;
    }
}

/* Rows against their terms, or against what the accelerations of the mechanism make of a row. */
static void group_rows(CrdGate *gate, const CrdDynamics *dynamics) {
    const CrdStructure *structure = dynamics->model->structure;
    double reach = fmax(free_reach(gate, dynamics), crd_reach(dynamics->model, dynamics->a));
    CrdAllowed general = crd_part_of_size(dynamics->model, reach);
    for (int r = 0; r < structure->rows; r++) {
        double size = crd_allowed_row(dynamics->model, &dynamics->system, structure->row_element[r], r, general);
        gate->rows_size[r] = fmax(gate->rows_size[r], size);
    }
}

bool crd_gate_rows_are_met(CrdGate *gate, double part) {
    const CrdDynamics *dynamics = &gate->integrator->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    set_target(gate, dynamics);
    crd_times_g(structure, dynamics->system.G, dynamics->a, gate->rows);
    crd_mask_rows(dynamics, gate->rows); /* dropped rows hold as far as the joint data does */
    CrdAllowed general = crd_part_of_size(dynamics->model, part * crd_reach(dynamics->model, dynamics->a));
    return crd_rows_excess(dynamics->model, &dynamics->system, gate->rows, general, NULL) <= 1.0;
}

CrdUnsolved crd_gate_verify(CrdGate *gate) {
    const CrdDynamics *dynamics = &gate->integrator->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    const CrdSystem *system = &dynamics->system;
    CrdUnsolved out = {0};
    set_target(gate, dynamics);
    for (int i = 0; i < structure->rows; i++) gate->rows_size[i] = fabs(gate->rows[i]);
    crd_complete_forces(dynamics->model, system);
    crd_times_mass(dynamics->model, system, dynamics->a, gate->forces);
    for (int i = 0; i < structure->nv; i++) {
        gate->forces_size[i] = fabs(gate->forces[i]) + fabs(system->f[i]);
        gate->forces[i] -= system->f[i];
    }
    multiply(gate, dynamics);
    group_rows(gate, dynamics);
    group_forces(gate, dynamics->model);
    if (structure->tree != NULL) {
        crd_tree_force_sizes(dynamics->model, system, dynamics->a, gate->free);
        for (int i = 0; i < structure->nv; i++) gate->forces_size[i] = fmax(gate->forces_size[i], gate->free[i]);
    }
    out.rows = largest(gate->rows, gate->rows_size, structure->rows, dynamics->redundancy.is_dropped, &out.row);
    out.forces = largest(gate->forces, gate->forces_size, structure->nv, NULL, &out.force);
    return out;
}
