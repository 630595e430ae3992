/* One right-hand side of an N-link spatial chain against CHOLMOD's own numeric factor and solve of the same S in the
 * same process (simplicial, pre-permuted, natural order, analysis reused). */
#include "bench.h"

#include "core/memory.h"
#include "mechanisms.h"
#include "sim/sim.h"

#include <stdio.h>
#include <string.h>
#include <suitesparse/cholmod.h>

enum { REPEATS = 40 };

typedef struct Case {
    CardanSim *sim;
    CrdDynamics *d;
    double *q, *v, *r, *dydt;
    cholmod_common common;
    cholmod_sparse s;
    cholmod_factor *factor;
    cholmod_dense b, *x, *y, *e;
} Case;

static void whole(void *user) {
    Case *c = user;
    CrdIntegrator *integrator = &c->sim->integrator;
    integrator->stepper.ode.rhs(integrator->stepper.ode.user, integrator->stepper.t, integrator->stepper.y, c->dydt);
}

static void kinematics(void *user) {
    Case *c = user;
    crd_kinematics(c->d->model, 0.0, c->q, c->v, &c->d->system, c->d->error);
}

static void constraints(void *user) {
    Case *c = user;
    crd_constraints(c->d->model, c->q, c->v, &c->d->actions, &c->d->system, c->d->error);
}

static void forces(void *user) {
    Case *c = user;
    crd_forces(c->d->model, c->q, c->v, &c->d->actions, &c->d->system, c->d->error);
}

static void weigh(void *user) {
    Case *c = user;
    crd_form_schur(c->d->model, CARDAN_METRIC_MASS, &c->d->system);
}

static void factor(void *user) {
    Case *c = user;
    CrdMatrix matrix = {c->d->system.S, c->d->model->structure->nv, NULL, NULL};
    CrdPivot pivot;
    c->d->factor.solver->ops->factor(c->d->factor.solver, &matrix, &pivot);
}

static void solve(void *user) {
    Case *c = user;
    c->d->factor.solver->ops->solve(c->d->factor.solver, c->r);
}

static void cholmod_numeric(void *user) {
    Case *c = user;
    cholmod_factorize(&c->s, c->factor, &c->common);
}

static void cholmod_sweeps(void *user) {
    Case *c = user;
    cholmod_solve2(CHOLMOD_A, c->factor, &c->b, NULL, &c->x, NULL, &c->y, &c->e, &c->common);
}

static void open_cholmod(Case *c) {
    const CrdStructure *structure = c->d->model->structure;
    cholmod_start(&c->common);
    c->common.supernodal = CHOLMOD_SIMPLICIAL;
    c->common.nmethods = 1;
    c->common.method[0].ordering = CHOLMOD_NATURAL;
    c->common.postorder = 0;
    c->s = (cholmod_sparse){.nrow = (size_t)structure->rows,
                            .ncol = (size_t)structure->rows,
                            .nzmax = (size_t)structure->size_s,
                            .p = structure->s_start,
                            .i = structure->s_row,
                            .x = c->d->system.S,
                            .stype = 1,
                            .itype = CHOLMOD_INT,
                            .xtype = CHOLMOD_REAL,
                            .dtype = CHOLMOD_DOUBLE,
                            .sorted = 1,
                            .packed = 1};
    c->factor = cholmod_analyze(&c->s, &c->common);
    c->b = (cholmod_dense){.nrow = (size_t)structure->rows,
                           .ncol = 1,
                           .nzmax = (size_t)structure->rows,
                           .d = (size_t)structure->rows,
                           .x = c->r,
                           .xtype = CHOLMOD_REAL,
                           .dtype = CHOLMOD_DOUBLE};
}

static void close_cholmod(Case *c) {
    cholmod_free_factor(&c->factor, &c->common);
    cholmod_free_dense(&c->x, &c->common);
    cholmod_free_dense(&c->y, &c->common);
    cholmod_free_dense(&c->e, &c->common);
    cholmod_finish(&c->common);
}

typedef struct Timing {
    const char *name;
    void (*call)(void *);
    double seconds;
} Timing;

static void print(const Timing *timing, int count, long links, const CrdStructure *structure, bool json) {
    double rhs = timing[0].seconds, reference = timing[count - 2].seconds + timing[count - 1].seconds;
    if (!json) {
        printf("spatial chain of %ld links: %d rows\n", links, structure->rows);
        for (int i = 0; i < count; i++) printf("  %-22s %10.2f us\n", timing[i].name, 1e6 * timing[i].seconds);
        printf("right-hand side / CHOLMOD's factor and solve = %.2f\n", rhs / reference);
        return;
    }
    printf("{\"bench\": \"rhs\", \"links\": %ld, \"rows\": %d, \"seconds\": {", links, structure->rows);
    for (int i = 0; i < count; i++) printf("%s\"%s\": %.9g", i > 0 ? ", " : "", timing[i].name, timing[i].seconds);
    printf("}, \"cholmod_factor_and_solve\": %.9g, \"right_hand_side\": %.9g, \"ratio\": %.4g}\n", reference, rhs,
           rhs / reference);
}

static int measure(Case *c, long links, bool json) {
    const CrdStructure *structure = c->d->model->structure;
    c->d = &c->sim->integrator.dynamics;
    c->q = c->sim->integrator.stepper.y;
    c->v = c->q + structure->nq;
    c->r = crd_new((size_t)structure->rows, sizeof(double));
    c->dydt = crd_new((size_t)c->sim->integrator.stepper.n, sizeof(double));
    if (c->r == NULL || c->dydt == NULL) return 1;
    whole(c);
    open_cholmod(c);
    Timing timings[] = {{"right_hand_side", whole, 0},
                        {"kinematics", kinematics, 0},
                        {"constraints", constraints, 0},
                        {"forces", forces, 0},
                        {"scatter_s", weigh, 0},
                        {"factor", factor, 0},
                        {"solve", solve, 0},
                        {"cholmod_factorize", cholmod_numeric, 0},
                        {"cholmod_solve2", cholmod_sweeps, 0}};
    int count = (int)(sizeof timings / sizeof *timings);
    for (int i = 0; i < count; i++) timings[i].seconds = bench_shortest(timings[i].call, c, REPEATS);
    print(timings, count, links, structure, json);
    close_cholmod(c);
    crd_delete(c->r);
    crd_delete(c->dydt);
    return 0;
}

int bench_rhs(const BenchOptions *options) {
    long links = options->size > 0 ? options->size : 1000;
    CardanBuilder *builder = mechanism_chain(CARDAN_SPACE_SPATIAL, (int)links);
    CardanModel *model = NULL;
    Case c = {0};
    int failed = 1;
    if (cardan_builder_compile(builder, &model) < 0)
        fprintf(stderr, "%s\n", cardan_builder_message(builder));
    else if (cardan_sim_create(model, NULL, &c.sim) < 0)
        fprintf(stderr, "%s\n", cardan_sim_message(c.sim));
    else {
        c.d = &c.sim->integrator.dynamics;
        failed = measure(&c, links, options->json);
    }
    cardan_sim_destroy(c.sim);
    cardan_model_release(model);
    cardan_builder_destroy(builder);
    return failed;
}
