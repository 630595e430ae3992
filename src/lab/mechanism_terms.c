/* Terms of a model; the equations stand in mechanism.h. */
#include <math.h>
#include <string.h>

#include "core/numbers.h"
#include "lab/mechanism.h"

static CrdDynamics *dynamics(const CrdLabMechanism *m) {
    return &m->sim->run.dynamics;
}
static const CrdShape *shape(const CrdLabMechanism *m) {
    return m->sim->model->shape;
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

void crd_lab_mechanism_rates(const CrdLabMechanism *m, const double *x, const double *dx, double *v) {
    const CrdShape *s = shape(m);
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
static void by_positions(const CrdLabMechanism *m, const double *x, const double *row, double *out) {
    const CrdShape *s = shape(m);
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
static void spread(const CrdLabMechanism *m, const double *pieces, double *out) {
    const CrdShape *s = shape(m);
    memset(out, 0, (size_t)m->rows * (size_t)s->nv * sizeof *out);
    for (int r = 0; r < m->rows; r++) {
        const CrdElement *e = &s->elements[s->row_element[m->row[r]]];
        for (int i = e->incidence; i < e->incidence + e->incidences; i++) {
            const CrdIncidence *in = &s->incidences[i];
            memcpy(out + r * s->nv + in->v, pieces + in->g + (m->row[r] - e->first) * in->width,
                   (size_t)in->width * sizeof *out);
        }
    }
}

/* Frames, rows and G at (t, m->q, m->v). */
static CardanStatus measure(CrdLabMechanism *m, double t) {
    CrdDynamics *d = dynamics(m);
    crd_error_clear(&m->sim->error);
    d->actions.followers = m->followers;
    d->actions.states = m->u;
    CRD_TRY(crd_measure(d, t, m->q, m->v));
    spread(m, d->system.G, m->g);
    return CARDAN_OK;
}

static CardanStatus gradient(CrdLabMechanism *m) {
    CrdDynamics *d = dynamics(m);
    CRD_TRY(crd_gradient(m->sim->model, m->q, m->v, &d->system, m->pieces, d->error));
    spread(m, m->pieces, m->l);
    return CARDAN_OK;
}

/* ---- order 2 ---- */

/* Takes (x, x') apart. */
static void read_motion(CrdLabMechanism *m, const double *x, const double *dx) {
    memcpy(m->q, x, (size_t)shape(m)->nq * sizeof *m->q);
    crd_normalise(shape(m), m->q);
    crd_lab_mechanism_rates(m, x, dx, m->v);
}

/* What quaternions add to row r of G_x' x' (L_x and the bias), because N^+ depends on them:
 *     w = 2 E(p) p' / |p|^2     dw = -(2 E(p') + 2 w p^T) dp / |p|^2     w' = N^+ p'' - 2 (p . p') w / |p|^2 */
static void add_turning(const CrdLabMechanism *m, const double *x, const double *dx, const double *row,
                        double *gradient, double *bias) {
    const CrdShape *s = shape(m);
    for (int i = 0; i < m->bodies; i++) {
        const CrdBlock *block = &s->blocks[m->body[i]];
        const double *p = x + block->q + 3, *dp = dx + block->q + 3, *w = m->v + block->v + 3,
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
static void put_length(const CrdLabMechanism *m, int i, const double *x, const double *dx, int width, int n,
                       CrdLabTerms *terms) {
    int at = shape(m)->blocks[m->body[i]].q + 3, row = m->rows + i;
    terms->g[row] = 0.5 * (dot4(x + at, x + at) - 1.0);
    terms->bias[row] = dot4(dx + at, dx + at);
    for (int c = 0; c < 4; c++) {
        terms->jacobian[row * n + at + c] = x[at + c];
        terms->gradient[row * n + at + c] = dx[at + c];
        terms->b[(at + c) * width + row] = x[at + c];
    }
}

/* terms->f = N M^-1 f + N' v, with N' v = p' o (0, w) / 2 for quaternions. */
static void put_accelerations(CrdLabMechanism *m, const double *x, const double *dx, CrdLabTerms *terms) {
    const CrdShape *s = shape(m);
    memcpy(m->weighed, dynamics(m)->system.f, (size_t)s->nv * sizeof *m->weighed);
    crd_solve_mass(m->sim->model, &dynamics(m)->system, m->weighed);
    crd_position_rates(s, x, m->weighed, terms->f);
    if (m->bodies == 0) return;
    crd_position_rates(s, dx, m->v, m->column); /* N is linear in p: N(p') v */
    for (int i = 0; i < m->bodies; i++) {
        int at = s->blocks[m->body[i]].q + 3;
        for (int c = 0; c < 4; c++) terms->f[at + c] += m->column[at + c];
    }
}

CardanStatus crd_lab_mechanism_terms(const void *data, double t, const double *x, const double *dx,
                                     CrdLabTerms *terms) {
    CrdLabMechanism *m = *(CrdLabMechanism *const *)data;
    const CrdShape *s = shape(m);
    CrdDynamics *d = dynamics(m);
    const CrdSystem *w = &d->system;
    int n = s->nq, width = m->rows + m->bodies;
    read_motion(m, x, dx);
    CRD_TRY(measure(m, t));
    CRD_TRY(gradient(m));
    CRD_TRY(crd_forces(m->sim->model, m->q, m->v, &d->actions, &d->system, d->error));
    put_accelerations(m, x, dx, terms);
    for (int r = 0; r < m->rows; r++) {
        const double *row = m->g + r * s->nv;
        terms->g[r] = w->g[m->row[r]];
        terms->rate[r] = w->rate_t[m->row[r]];
        terms->bias[r] = -w->gamma[m->row[r]];
        by_positions(m, x, row, terms->jacobian + r * n);
        by_positions(m, x, m->l + r * s->nv, terms->gradient + r * n);
        add_turning(m, x, dx, row, terms->gradient + r * n, &terms->bias[r]);
        memcpy(m->weighed, row, (size_t)s->nv * sizeof *m->weighed);
        crd_solve_mass(m->sim->model, w, m->weighed);
        crd_position_rates(s, x, m->weighed, m->column);
        for (int i = 0; i < n; i++) terms->b[i * width + r] = m->column[i];
    }
    for (int i = 0; i < m->bodies; i++) put_length(m, i, x, dx, width, n, terms);
    return CARDAN_OK;
}

static CardanStatus energy_here(CrdLabMechanism *m, double t, double *energy) {
    CrdDynamics *d = dynamics(m);
    CRD_TRY(measure(m, t));
    CRD_TRY(crd_forces(m->sim->model, m->q, m->v, &d->actions, &d->system, d->error));
    *energy = crd_kinetic(m->sim->model, &d->system, m->v) + d->system.potential;
    return CARDAN_OK;
}

static CardanStatus follow_here(CrdLabMechanism *m, double t) {
    const CrdRun *run = &m->sim->run;
    size_t bytes = (size_t)shape(m)->follower_count * sizeof *m->followers;
    if (bytes == 0) return CARDAN_OK;
    if (t == run->t) memcpy(m->followers, crd_run_followers(run, run->y), bytes);
    CRD_TRY(measure(m, t));
    crd_follow(m->sim->model, &dynamics(m)->system, m->followers);
    return CARDAN_OK;
}

CardanStatus crd_lab_mechanism_energy(const void *data, double t, const double *z, double *energy) {
    CrdLabMechanism *m = *(CrdLabMechanism *const *)data;
    read_motion(m, z, z + shape(m)->nq);
    return energy_here(m, t, energy);
}

CardanStatus crd_lab_mechanism_accept(const void *data, double t, const double *z) {
    CrdLabMechanism *m = *(CrdLabMechanism *const *)data;
    read_motion(m, z, z + shape(m)->nq);
    return follow_here(m, t);
}

/* ---- order 0 ---- */

/* Takes z = (q, v, u) apart. */
static void read_state(CrdLabMechanism *m, const double *z) {
    const CrdShape *s = shape(m);
    memcpy(m->q, z, (size_t)s->nq * sizeof *m->q);
    memcpy(m->v, z + s->nq, (size_t)s->nv * sizeof *m->v);
    memcpy(m->u, z + s->nq + s->nv, (size_t)s->first_order * sizeof *m->u);
    crd_normalise(s, m->q);
}

CardanStatus crd_lab_invariants_energy(const void *data, double t, const double *z, double *energy) {
    CrdLabMechanism *m = *(CrdLabMechanism *const *)data;
    read_state(m, z);
    return energy_here(m, t, energy);
}

CardanStatus crd_lab_invariants_accept(const void *data, double t, const double *z) {
    CrdLabMechanism *m = *(CrdLabMechanism *const *)data;
    read_state(m, z);
    return follow_here(m, t);
}

/* h and H from what was measured, into the rows from the first on. */
static void put_invariants(const CrdLabMechanism *m, const double *z, CrdLabTerms *terms) {
    const CrdShape *s = shape(m);
    const CrdSystem *w = &dynamics(m)->system;
    int n = s->nq + s->nv + s->first_order, row = 0;
    for (int r = 0; r < m->holonomic; r++, row++) {
        terms->g[row] = w->g[m->row[r]];
        by_positions(m, z, m->g + r * s->nv, terms->jacobian + row * n);
    }
    for (int r = 0; r < m->rows; r++, row++) {
        terms->g[row] = w->rate[m->row[r]];
        by_positions(m, z, m->l + r * s->nv, terms->jacobian + row * n);
        memcpy(terms->jacobian + row * n + s->nq, m->g + r * s->nv, (size_t)s->nv * sizeof *m->g);
    }
    for (int i = 0; i < m->bodies; i++, row++) {
        int at = s->blocks[m->body[i]].q + 3;
        terms->g[row] = 0.5 * (dot4(z + at, z + at) - 1.0);
        memcpy(terms->jacobian + row * n + at, z + at, 4 * sizeof *z);
    }
}

CardanStatus crd_lab_invariants_terms(const void *data, double t, const double *z, const double *unused,
                                      CrdLabTerms *terms) {
    CrdLabMechanism *m = *(CrdLabMechanism *const *)data;
    const CrdShape *s = shape(m);
    CrdDynamics *d = dynamics(m);
    (void)unused;
    read_state(m, z);
    CRD_TRY(measure(m, t));
    CRD_TRY(gradient(m));
    put_invariants(m, z, terms);
    if (s->rows > 0) CRD_TRY(crd_factor(d, CARDAN_METRIC_MASS));
    CRD_TRY(crd_motion(d, m->q, m->v));
    crd_position_rates(s, z, m->v, terms->f);
    memcpy(terms->f + s->nq, d->a, (size_t)s->nv * sizeof *terms->f);
    memcpy(terms->f + s->nq + s->nv, d->system.z_rate, (size_t)s->first_order * sizeof *terms->f);
    return CARDAN_OK;
}

/* ---- the energy as an invariant ---- */

/* T + V - start, whose gradient is (V_q N^+, M v): V_q is minus the force at rest, T does not depend on q. */
CardanStatus crd_lab_energy_terms(const void *data, double t, const double *z, const double *unused,
                                  CrdLabTerms *terms) {
    CrdLabMechanism *m = *(CrdLabMechanism *const *)data;
    const CrdShape *s = shape(m);
    CrdDynamics *d = dynamics(m);
    int n = s->nq + s->nv + s->first_order, row = m->holonomic + m->rows + m->bodies;
    double *jacobian = terms->jacobian + row * n;
    CRD_TRY(crd_lab_invariants_terms(data, t, z, unused, terms));
    double kinetic = crd_kinetic(m->sim->model, &d->system, m->v),
           power = d->system.power + crd_drive_power(s, &d->system, d->lambda);
    if (power != 0.0) /* exactly: without such forces nothing is added */
        return crd_fail(d->error, CARDAN_ERR_ARGUMENT,
                        "the energy is not kept: forces or drives put in %.3g W at t = %.9g", power, t);
    terms->g[row] = kinetic + d->system.potential - m->energy_start;
    crd_times_mass(m->sim->model, &d->system, m->v, jacobian + s->nq);
    memset(m->v, 0, (size_t)s->nv * sizeof *m->v);
    CRD_TRY(measure(m, t));
    CRD_TRY(crd_forces(m->sim->model, m->q, m->v, &d->actions, &d->system, d->error));
    for (int i = 0; i < s->nv; i++) m->weighed[i] = -d->system.f[i];
    by_positions(m, z, m->weighed, jacobian);
    return CARDAN_OK;
}
