#include "lab/mechanism.h"

#include <string.h>

#include "core/memory.h"

/* ---- memory ---- */

static void layout(CrdLabMechanism *m, const CrdShape *s, CrdArena *arena) {
    size_t real = sizeof(double), nq = (size_t)s->nq, nv = (size_t)s->nv, rows = (size_t)s->rows;
    m->row = crd_take(arena, rows, sizeof *m->row);
    m->body = crd_take(arena, (size_t)s->block_count, sizeof *m->body);
    m->q = crd_take(arena, nq, real);
    m->v = crd_take(arena, nv, real);
    m->followers = crd_take(arena, (size_t)s->follower_count, real);
    m->u = crd_take(arena, (size_t)s->first_order, real);
    m->g = crd_take(arena, rows * nv, real);
    m->l = crd_take(arena, rows * nv, real);
    m->pieces = crd_take(arena, (size_t)s->size_g, real);
    m->weighed = crd_take(arena, nv, real);
    m->column = crd_take(arena, nq, real);
}

void crd_lab_mechanism_destroy(CrdLabMechanism *m) {
    if (m == NULL) return;
    cardan_sim_destroy(m->sim);
    crd_delete(m->arena.base);
    crd_delete(m);
}

/* ---- which rows, which quaternions ---- */

static void list(CrdLabMechanism *m) {
    const CrdShape *s = m->sim->model->shape;
    const CrdDynamics *d = &m->sim->run.dynamics;
    for (int pass = 0; pass < 2; pass++) {
        for (int r = 0; r < s->rows; r++)
            if (!d->is_redundant[r] && crd_row_is_holonomic(s, r) == (pass == 0)) m->row[m->rows++] = r;
        if (pass == 0) m->holonomic = m->rows;
    }
    for (int i = 0; i < s->block_count; i++)
        if (s->blocks[i].kind == CRD_SPATIAL_BODY) m->body[m->bodies++] = i;
}

/* ---- what does not fit ---- */

static CardanStatus refuse(const CardanModel *model, CardanLabView view, CrdError *error) {
    const CrdShape *s = model->shape;
    const char *reason = NULL;
    if (view == CARDAN_LAB_MECHANISM && s->rows > s->holonomic_rows)
        reason = "it has nonholonomic rows, which no g(x) stands behind; take the view of invariants";
    if (view == CARDAN_LAB_MECHANISM && s->first_order > 0)
        reason = "it has first-order states, and x'' is of order 2 throughout; take the view of invariants";
    for (int i = 0; view == CARDAN_LAB_ENERGY && i < s->block_count; i++)
        if (s->blocks[i].kind == CRD_CUSTOM_BLOCK) reason = "the mass of a custom block may depend on its coordinates";
    if (reason == NULL) return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_ARGUMENT, "model '%s' does not fit: %s", cardan_model_name(model), reason);
}

/* ---- creation ---- */

static void describe(const CrdLabMechanism *m, CardanLabView view, CrdLabProblem *problem) {
    const CrdShape *s = m->sim->model->shape;
    *problem = (CrdLabProblem){
        .name = cardan_model_name(m->sim->model),
        .order = 2,
        .n = s->nq,
        .rows = m->rows + m->bodies,
        .data = &m->self,
        .terms = crd_lab_mechanism_terms,
        .energy = crd_lab_mechanism_energy,
        .accept = crd_lab_mechanism_accept,
        .said = &m->sim->error,
    };
    if (view == CARDAN_LAB_MECHANISM) return;
    bool energy = view == CARDAN_LAB_ENERGY;
    problem->order = 0;
    problem->n = s->nq + s->nv + s->first_order;
    problem->rows = m->holonomic + m->rows + m->bodies + energy;
    problem->velocities = s->nq;
    problem->terms = energy ? crd_lab_energy_terms : crd_lab_invariants_terms;
    problem->energy = crd_lab_invariants_energy;
    problem->accept = crd_lab_invariants_accept;
}

/* The start of the simulation. */
static CardanStatus open(CrdLabMechanism *m, const CardanModel *model, CrdError *error) {
    CardanOptions options = cardan_default_options();
    options.stabilise.method = CARDAN_STABILISE_NONE;
    CardanStatus status = cardan_sim_create(model, &options, &m->sim);
    if (m->sim == NULL) return crd_fail_memory(error);
    if (status < 0) return crd_fail(error, status, "%s", cardan_sim_message(m->sim));
    const CrdRun *run = &m->sim->run;
    const CrdShape *s = model->shape;
    layout(m, s, &m->arena);
    if (!crd_arena_allocate(&m->arena)) return crd_fail_memory(error);
    layout(m, s, &m->arena);
    list(m);
    memcpy(m->q, run->y, (size_t)s->nq * sizeof *m->q);
    memcpy(m->v, crd_run_v(run, run->y), (size_t)s->nv * sizeof *m->v);
    memcpy(m->u, crd_run_z(run, run->y), (size_t)s->first_order * sizeof *m->u);
    memcpy(m->followers, crd_run_followers(run, run->y), (size_t)s->follower_count * sizeof *m->followers);
    CrdSystem *w = &m->sim->run.dynamics.system;
    m->energy_start = crd_kinetic(model, w, m->v) + w->potential;
    return CARDAN_OK;
}

CardanStatus crd_lab_mechanism_create(const CardanModel *model, CardanLabView view, CrdLabMechanism **out,
                                      CrdLabProblem *problem, CrdError *error) {
    *out = NULL;
    CRD_TRY(refuse(model, view, error));
    CrdLabMechanism *m = crd_new(1, sizeof *m);
    if (m == NULL) return crd_fail_memory(error);
    m->self = m;
    CardanStatus status = open(m, model, error);
    if (status >= 0) describe(m, view, problem);
    if (status >= 0) status = crd_lab_check_problem(problem, error);
    if (status < 0)
        crd_lab_mechanism_destroy(m);
    else
        *out = m;
    return status;
}

/* ---- states ---- */

void crd_lab_mechanism_start(const CrdLabMechanism *m, const CrdLabProblem *problem, double *z) {
    const CrdRun *run = &m->sim->run;
    const CrdShape *s = m->sim->model->shape;
    memcpy(z, run->y, (size_t)s->nq * sizeof *z);
    if (problem->order == 2)
        crd_position_rates(s, run->y, crd_run_v(run, run->y), z + s->nq);
    else
        memcpy(z + s->nq, crd_run_v(run, run->y), (size_t)(s->nv + s->first_order) * sizeof *z);
}

void crd_lab_mechanism_motion(const CrdLabMechanism *m, const CrdLabProblem *problem, const double *z, double *q,
                              double *v) {
    const CrdShape *s = m->sim->model->shape;
    if (q != NULL) memcpy(q, z, (size_t)s->nq * sizeof *q);
    if (q != NULL) crd_normalise(s, q);
    if (v != NULL && problem->order == 2) crd_lab_mechanism_rates(m, z, z + s->nq, v);
    if (v != NULL && problem->order == 0) memcpy(v, z + s->nq, (size_t)s->nv * sizeof *v);
}
