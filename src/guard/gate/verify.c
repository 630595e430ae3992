/* The residuals of
 *     G a - target = 0        M a + G^T lambda - f = 0
 * against the sums of the absolute values of their terms, each row and each coordinate for itself (Oettli and Prager
 * 1964: the backward error component by component): rounding alone leaves some ulps, whatever the units and masses. */
#include "guard/gate/gate.h"

#include <math.h>
#include <string.h>

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

CrdUnsolved crd_gate_verify(CrdGate *gate) {
    const CrdDynamics *dynamics = &gate->integrator->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    CrdUnsolved out = {0};
    const CrdSystem *system = &dynamics->system;
    for (int i = 0; i < structure->rows; i++) { /* the target anew: solves beside a pose leave that of a neighbour */
        double target = system->gamma[i] - dynamics->alpha * system->rate[i] - dynamics->beta * system->g[i];
        gate->rows[i] = -target;
        gate->rows_size[i] = fabs(target);
    }
    crd_times_mass(dynamics->model, &dynamics->system, dynamics->a, gate->forces);
    for (int i = 0; i < structure->nv; i++) {
        gate->forces_size[i] = fabs(gate->forces[i]) + fabs(dynamics->system.f[i]);
        gate->forces[i] -= dynamics->system.f[i];
    }
    multiply(gate, dynamics);
    double free = free_reach(gate, dynamics);
    CrdAllowed general = crd_part_of_size(dynamics->model, fmax(free, crd_reach(dynamics->model, dynamics->a)));
    for (int e = 0; e < structure->element_count; e++)
        for (int r = structure->elements[e].first; r < structure->elements[e].first + structure->elements[e].rows; r++)
            gate->rows_size[r] = fmax(gate->rows_size[r], crd_allowed_row(dynamics->model, system, e, r, general));
    out.rows = largest(gate->rows, gate->rows_size, structure->rows, dynamics->redundancy.is_dropped, &out.row);
    out.forces = largest(gate->forces, gate->forces_size, structure->nv, NULL, &out.force);
    return out;
}
