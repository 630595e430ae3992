/* Terms of a model; the equations stand in mechanism.h. */
#include <math.h>
#include <string.h>

#include "lab/mechanism.h"

static CrdDynamics *dynamics(const CrdLabMechanism *mechanism) {
    return &mechanism->sim->integrator.dynamics;
}
static const CrdStructure *structure(const CrdLabMechanism *mechanism) {
    return mechanism->sim->model->structure;
}

/* ---- quaternions ---- */

/* E(p) (3 x 4), row-major: the vector part of conj(p) o p' is E(p) p'. It is skew: E(p) p' = -E(p') p. */
static void matrix_e(const double *p, double *e) {
    const double rows[12] = {-p[1], p[0], p[3], -p[2], -p[2], -p[3], p[0], p[1], -p[3], p[2], -p[1], p[0]};
    memcpy(e, rows, sizeof rows);
}

static double dot4(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

void crd_lab_mechanism_rates(const CrdLabMechanism *mechanism, const double *x, const double *dx, double *v) {
    const CrdStructure *s = structure(mechanism);
    for (int i = 0; i < s->block_count; i++) {
        const CrdBlock *block = &s->blocks[i];
        bool turns = block->kind == CRD_SPATIAL_BODY;
        memcpy(v + block->v, dx + block->q, (size_t)(turns ? 3 : block->nv) * sizeof *v);
        if (!turns) continue;
        const double *p = x + block->q + 3, *dp = dx + block->q + 3;
        double e[12], scale = 2.0 / dot4(p, p);
        matrix_e(p, e);
        for (int k = 0; k < 3; k++) v[block->v + 3 + k] = scale * dot4(e + 4 * k, dp);
    }
}

/* out (nq) = row (nv) N^+. */
static void by_positions(const CrdLabMechanism *mechanism, const double *x, const double *row, double *out) {
    const CrdStructure *s = structure(mechanism);
    for (int i = 0; i < s->block_count; i++) {
        const CrdBlock *block = &s->blocks[i];
        bool turns = block->kind == CRD_SPATIAL_BODY;
        memcpy(out + block->q, row + block->v, (size_t)(turns ? 3 : block->nv) * sizeof *out);
        if (!turns) continue;
        const double *p = x + block->q + 3;
        double e[12], scale = 2.0 / dot4(p, p);
        matrix_e(p, e);
        for (int c = 0; c < 4; c++) {
            double sum = 0.0;
            for (int k = 0; k < 3; k++) sum += row[block->v + 3 + k] * e[4 * k + c];
            out[block->q + 3 + c] = scale * sum;
        }
    }
}

/* ---- what the engine says ---- */

/* Dense rows (rows x nv) from pieces. */
static void spread(const CrdLabMechanism *mechanism, const double *pieces, double *out) {
    const CrdStructure *s = structure(mechanism);
    memset(out, 0, (size_t)mechanism->rows * (size_t)s->nv * sizeof *out);
    for (int r = 0; r < mechanism->rows; r++) {
        const CrdElement *element = &s->elements[s->row_element[mechanism->row[r]]];
        for (int i = element->incidence; i < element->incidence + element->incidences; i++) {
            const CrdIncidence *in = &s->incidences[i];
            memcpy(out + r * s->nv + in->v, pieces + in->g + (mechanism->row[r] - element->first) * in->width,
                   (size_t)in->width * sizeof *out);
        }
    }
}

/* Frames, rows and G at (t, mechanism->q, mechanism->v). */
static CardanStatus measure(CrdLabMechanism *mechanism, double t) {
    CrdDynamics *d = dynamics(mechanism);
    crd_error_clear(&mechanism->sim->error);
    d->actions.tracked = mechanism->tracked;
    d->actions.states = mechanism->u;
    CRD_TRY(crd_evaluate_constraints(d, t, mechanism->q, mechanism->v));
    spread(mechanism, d->system.G, mechanism->g);
    return CARDAN_OK;
}

static CardanStatus gradient(CrdLabMechanism *mechanism) {
    CrdDynamics *d = dynamics(mechanism);
    CRD_TRY(crd_gradient(mechanism->sim->model, mechanism->q, mechanism->v, &d->system, mechanism->pieces, d->error));
    spread(mechanism, mechanism->pieces, mechanism->l);
    return CARDAN_OK;
}

/* ---- order 2 ---- */

/* Takes (x, x') apart. */
static void read_motion(CrdLabMechanism *mechanism, const double *x, const double *dx) {
    memcpy(mechanism->q, x, (size_t)structure(mechanism)->nq * sizeof *mechanism->q);
    crd_normalise(structure(mechanism), mechanism->q);
    crd_lab_mechanism_rates(mechanism, x, dx, mechanism->v);
}

/* What quaternions add to row r of G_x' x' (L_x and the bias), because N^+ depends on them:
 *     w = 2 E(p) p' / |p|^2     dw = -(2 E(p') + 2 w p^T) dp / |p|^2     w' = N^+ p'' - 2 (p . p') w / |p|^2 */
static void add_turning(const CrdLabMechanism *mechanism, const double *x, const double *dx, const double *row,
                        double *gradient, double *bias) {
    const CrdStructure *s = structure(mechanism);
    for (int i = 0; i < mechanism->bodies; i++) {
        const CrdBlock *block = &s->blocks[mechanism->body[i]];
        const double *p = x + block->q + 3, *dp = dx + block->q + 3, *w = mechanism->v + block->v + 3,
                     *along = row + block->v + 3;
        double e[12], scale = 2.0 / dot4(p, p), part = along[0] * w[0] + along[1] * w[1] + along[2] * w[2];
        matrix_e(dp, e);
        for (int c = 0; c < 4; c++) {
            double sum = part * p[c];
            for (int k = 0; k < 3; k++) sum += along[k] * e[4 * k + c];
            gradient[block->q + 3 + c] -= scale * sum;
        }
        *bias -= scale * dot4(p, dp) * part;
    }
}

/* The row (|p|^2 - 1) / 2 of body i. */
static void put_length(const CrdLabMechanism *mechanism, int i, const double *x, const double *dx, int width, int n,
                       CrdLabTerms *terms) {
    int at = structure(mechanism)->blocks[mechanism->body[i]].q + 3, row = mechanism->rows + i;
    terms->g[row] = 0.5 * (dot4(x + at, x + at) - 1.0);
    terms->bias[row] = dot4(dx + at, dx + at);
    for (int c = 0; c < 4; c++) {
        terms->jacobian[row * n + at + c] = x[at + c];
        terms->gradient[row * n + at + c] = dx[at + c];
        terms->b[(at + c) * width + row] = x[at + c];
    }
}

/* terms->f = N M^-1 f + N' v, with N' v = p' o (0, w) / 2 for quaternions. */
static void put_accelerations(CrdLabMechanism *mechanism, const double *x, const double *dx, CrdLabTerms *terms) {
    const CrdStructure *s = structure(mechanism);
    memcpy(mechanism->weighed, dynamics(mechanism)->system.f, (size_t)s->nv * sizeof *mechanism->weighed);
    crd_solve_mass(mechanism->sim->model, &dynamics(mechanism)->system, mechanism->weighed);
    crd_position_rates(s, x, mechanism->weighed, terms->f);
    if (mechanism->bodies == 0) return;
    crd_position_rates(s, dx, mechanism->v, mechanism->column); /* N is linear in p: N(p') v */
    for (int i = 0; i < mechanism->bodies; i++) {
        int at = s->blocks[mechanism->body[i]].q + 3;
        for (int c = 0; c < 4; c++) terms->f[at + c] += mechanism->column[at + c];
    }
}

CardanStatus crd_lab_mechanism_terms(const void *data, double t, const double *x, const double *v, CrdLabTerms *terms) {
    CrdLabMechanism *mechanism = *(CrdLabMechanism *const *)data;
    const CrdStructure *s = structure(mechanism);
    CrdDynamics *d = dynamics(mechanism);
    const CrdSystem *system = &d->system;
    int n = s->nq, width = mechanism->rows + mechanism->bodies;
    read_motion(mechanism, x, v);
    CRD_TRY(measure(mechanism, t));
    CRD_TRY(gradient(mechanism));
    CRD_TRY(crd_forces(mechanism->sim->model, mechanism->q, mechanism->v, &d->actions, &d->system, d->error));
    put_accelerations(mechanism, x, v, terms);
    for (int r = 0; r < mechanism->rows; r++) {
        const double *row = mechanism->g + r * s->nv;
        terms->g[r] = system->g[mechanism->row[r]];
        terms->rate[r] = system->rate_t[mechanism->row[r]];
        terms->bias[r] = -system->gamma[mechanism->row[r]];
        by_positions(mechanism, x, row, terms->jacobian + r * n);
        by_positions(mechanism, x, mechanism->l + r * s->nv, terms->gradient + r * n);
        add_turning(mechanism, x, v, row, terms->gradient + r * n, &terms->bias[r]);
        memcpy(mechanism->weighed, row, (size_t)s->nv * sizeof *mechanism->weighed);
        crd_solve_mass(mechanism->sim->model, system, mechanism->weighed);
        crd_position_rates(s, x, mechanism->weighed, mechanism->column);
        for (int i = 0; i < n; i++) terms->b[i * width + r] = mechanism->column[i];
    }
    for (int i = 0; i < mechanism->bodies; i++) put_length(mechanism, i, x, v, width, n, terms);
    return CARDAN_OK;
}

/* ---- order 0 ---- */

/* Takes z = (q, v, u) apart. */
static void read_state(CrdLabMechanism *mechanism, const double *z) {
    const CrdStructure *s = structure(mechanism);
    memcpy(mechanism->q, z, (size_t)s->nq * sizeof *mechanism->q);
    memcpy(mechanism->v, z + s->nq, (size_t)s->nv * sizeof *mechanism->v);
    memcpy(mechanism->u, z + s->nq + s->nv, (size_t)s->first_order * sizeof *mechanism->u);
    crd_normalise(s, mechanism->q);
}

/* As the view has it. */
static void read_view(CrdLabMechanism *mechanism, const double *z) {
    if (mechanism->view == CARDAN_LAB_MECHANISM)
        read_motion(mechanism, z, z + structure(mechanism)->nq);
    else
        read_state(mechanism, z);
}

CardanStatus crd_lab_mechanism_energy(const void *data, double t, const double *z, double *energy) {
    CrdLabMechanism *mechanism = *(CrdLabMechanism *const *)data;
    CrdDynamics *d = dynamics(mechanism);
    read_view(mechanism, z);
    CRD_TRY(measure(mechanism, t));
    CRD_TRY(crd_forces(mechanism->sim->model, mechanism->q, mechanism->v, &d->actions, &d->system, d->error));
    *energy =
        crd_kinetic(mechanism->sim->model, &d->system, mechanism->v) + crd_potential(mechanism->sim->model, &d->system);
    return CARDAN_OK;
}

CardanStatus crd_lab_mechanism_accept(const void *data, double t, const double *z) {
    CrdLabMechanism *mechanism = *(CrdLabMechanism *const *)data;
    const CrdIntegrator *integrator = &mechanism->sim->integrator;
    size_t bytes = (size_t)structure(mechanism)->tracked_count * sizeof *mechanism->tracked;
    if (bytes == 0) return CARDAN_OK;
    read_view(mechanism, z);
    if (t == integrator->stepper.t)
        memcpy(mechanism->tracked, crd_integrator_tracked(integrator, integrator->stepper.y), bytes);
    CRD_TRY(measure(mechanism, t));
    crd_track(mechanism->sim->model, &dynamics(mechanism)->system, mechanism->tracked);
    return CARDAN_OK;
}

/* h and H from the rows at hand, into the rows from the first on. */
static void put_invariants(const CrdLabMechanism *mechanism, const double *z, CrdLabTerms *terms) {
    const CrdStructure *s = structure(mechanism);
    const CrdSystem *system = &dynamics(mechanism)->system;
    int n = s->nq + s->nv + s->first_order, row = 0;
    for (int r = 0; r < mechanism->holonomic; r++, row++) {
        terms->g[row] = system->g[mechanism->row[r]];
        by_positions(mechanism, z, mechanism->g + r * s->nv, terms->jacobian + row * n);
    }
    for (int r = 0; r < mechanism->rows; r++, row++) {
        terms->g[row] = system->rate[mechanism->row[r]];
        by_positions(mechanism, z, mechanism->l + r * s->nv, terms->jacobian + row * n);
        memcpy(terms->jacobian + row * n + s->nq, mechanism->g + r * s->nv, (size_t)s->nv * sizeof *mechanism->g);
    }
    for (int i = 0; i < mechanism->bodies; i++, row++) {
        int at = s->blocks[mechanism->body[i]].q + 3;
        terms->g[row] = 0.5 * (dot4(z + at, z + at) - 1.0);
        memcpy(terms->jacobian + row * n + at, z + at, 4 * sizeof *z);
    }
}

CardanStatus crd_lab_invariants_terms(const void *data, double t, const double *z, const double *v,
                                      CrdLabTerms *terms) {
    CrdLabMechanism *mechanism = *(CrdLabMechanism *const *)data;
    const CrdStructure *s = structure(mechanism);
    CrdDynamics *d = dynamics(mechanism);
    (void)v;
    read_state(mechanism, z);
    CRD_TRY(measure(mechanism, t));
    CRD_TRY(gradient(mechanism));
    put_invariants(mechanism, z, terms);
    if (s->rows > 0) CRD_TRY(crd_factor(d, CARDAN_METRIC_MASS));
    CRD_TRY(crd_solve_accelerations(d, mechanism->q, mechanism->v));
    crd_position_rates(s, z, mechanism->v, terms->f);
    memcpy(terms->f + s->nq, d->a, (size_t)s->nv * sizeof *terms->f);
    memcpy(terms->f + s->nq + s->nv, d->system.z_rate, (size_t)s->first_order * sizeof *terms->f);
    return CARDAN_OK;
}

/* ---- the energy as an invariant ---- */

/* T + V - start, whose gradient is (V_q N^+, M v): V_q is minus the force at rest, T does not depend on q. */
CardanStatus crd_lab_energy_terms(const void *data, double t, const double *z, const double *v, CrdLabTerms *terms) {
    CrdLabMechanism *mechanism = *(CrdLabMechanism *const *)data;
    const CrdStructure *s = structure(mechanism);
    CrdDynamics *d = dynamics(mechanism);
    int n = s->nq + s->nv + s->first_order, row = mechanism->holonomic + mechanism->rows + mechanism->bodies;
    double *jacobian = terms->jacobian + row * n;
    CRD_TRY(crd_lab_invariants_terms(data, t, z, v, terms));
    double kinetic = crd_kinetic(mechanism->sim->model, &d->system, mechanism->v),
           power = d->system.power + crd_drive_power(s, &d->system, d->lambda);
    if (power != 0.0) /* exactly: without such forces nothing is added */
        return crd_fail(d->error, CARDAN_ERR_ARGUMENT,
                        "the energy is not kept: forces or drives put in %.3g W at t = %.9g", power, t);
    terms->g[row] = kinetic + crd_potential(mechanism->sim->model, &d->system) - mechanism->energy_start;
    crd_times_mass(mechanism->sim->model, &d->system, mechanism->v, jacobian + s->nq);
    memset(mechanism->v, 0, (size_t)s->nv * sizeof *mechanism->v);
    CRD_TRY(measure(mechanism, t));
    CRD_TRY(crd_forces(mechanism->sim->model, mechanism->q, mechanism->v, &d->actions, &d->system, d->error));
    for (int i = 0; i < s->nv; i++) mechanism->weighed[i] = -d->system.f[i];
    by_positions(mechanism, z, mechanism->weighed, jacobian);
    return CARDAN_OK;
}
