/* Factor and solve of S by every back end, on chains, ladders and nets, against CHOLMOD's own calls in the same
 * process; what `solver: auto` predicts and takes; and what redundant rows cost beside the model without them. */
#include "solve.h"
#include "bench.h"

#include "core/memory.h"
#include "linear/reduced.h"
#include "mechanisms.h"
#include "nets.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double DROP = 1e-12;

static void close_case(Case *c) {
    crd_arena_free(&c->arena);
    cardan_model_release(c->model);
    *c = (Case){0};
}

static void layout(Case *c) {
    const CrdStructure *structure = c->model->structure;
    crd_system_layout(&c->w, structure, &c->arena);
    c->a = crd_take(&c->arena, (size_t)structure->nv, sizeof(double));
    c->r = crd_take(&c->arena, (size_t)structure->rows, sizeof(double));
    c->x = crd_take(&c->arena, (size_t)structure->rows, sizeof(double));
}

/* Takes the builder. */
static bool open_case(Case *c, CardanBuilder *builder) {
    *c = (Case){0};
    CrdError error = {0};
    CardanStatus status = cardan_builder_compile(builder, &c->model);
    if (status < 0) fprintf(stderr, "%s\n", cardan_builder_message(builder));
    cardan_builder_destroy(builder);
    if (status < 0) return false;
    layout(c);
    if (!crd_arena_allocate(&c->arena)) return false;
    layout(c);
    const CrdStructure *structure = c->model->structure;
    const double *q = c->model->values.q0, *v = c->model->values.v0;
    CrdActions none = {0};
    if (crd_kinematics(c->model, 0.0, q, v, &c->w, &error) < 0 ||
        crd_constraints(c->model, q, v, &none, &c->w, &error) < 0 ||
        crd_forces(c->model, q, v, &none, &c->w, &error) < 0) {
        fprintf(stderr, "%s\n", error.text);
        return false;
    }
    crd_form_schur(c->model, CARDAN_METRIC_MASS, &c->w);
    memcpy(c->a, c->w.f, (size_t)structure->nv * sizeof *c->a);
    crd_solve_mass(c->model, &c->w, c->a);
    for (int i = 0; i < structure->rows; i++) c->r[i] = -c->w.gamma[i];
    crd_times_g(structure, c->w.G, c->a, c->r);
    c->pattern = (CrdPattern){.n = structure->rows,
                              .start = structure->s_start,
                              .row = structure->s_row,
                              .elimination = structure->elimination};
    return true;
}

/* ---- calls that are timed ---- */

static void call_factor(void *user) {
    Case *c = user;
    CrdMatrix matrix = {.s = c->w.S};
    CrdPivot pivot;
    c->solver->ops->factor(c->solver, &matrix, &pivot);
}

static void call_solve(void *user) {
    Case *c = user;
    c->solver->ops->solve(c->solver, c->x);
}

/* Times of the solver that the case holds, which is destroyed. */
static Times time_made(Case *c, double drop) {
    Times times = {-1.0, -1.0};
    CrdMatrix matrix = {.s = c->w.S};
    CrdPivot pivot;
    c->solver->drop = drop;
    if (c->solver->ops->factor(c->solver, &matrix, &pivot) >= 0) {
        times.factor = solve_shortest(call_factor, c);
        memcpy(c->x, c->r, (size_t)c->pattern.n * sizeof *c->x);
        times.solve = solve_shortest(call_solve, c);
    }
    c->solver->ops->destroy(c->solver);
    return times;
}

static Times time_solver(Case *c, const CrdSolverOps *ops) {
    if (ops->create(&c->pattern, c->model->structure->nv, &c->solver, NULL) < 0) return (Times){-1.0, -1.0};
    return time_made(c, 0.0);
}

/* ---- the table ---- */

typedef struct Named {
    const char *name;
    CardanSolver kind; /* AUTO: CHOLMOD's own calls */
    bool supernodal;
    int max; /* rows; 0: any */
} Named;

static const Named BACK_ENDS[] = {{"block", CARDAN_SOLVER_BLOCK, false, 0},
                                  {"supernodal", CARDAN_SOLVER_SUPERNODAL, false, 0},
                                  {"cholmod", CARDAN_SOLVER_CHOLMOD, false, 0},
                                  {"dense", CARDAN_SOLVER_DENSE, false, 2000},
                                  {"cholmod_simplicial_itself", CARDAN_SOLVER_AUTO, false, 0},
                                  {"cholmod_supernodal_itself", CARDAN_SOLVER_AUTO, true, 0}};
enum { BACK_END_COUNT = sizeof BACK_ENDS / sizeof *BACK_ENDS };

static Times time_back_end(Case *c, const Named *named) {
    Times none = {-1.0, -1.0};
    if (named->max > 0 && c->pattern.n > named->max) return none;
    if (named->kind == CARDAN_SOLVER_AUTO) return solve_time_plain(c, named->supernodal);
    return time_solver(c, crd_solver_ops(named->kind));
}

/* One back end: what was predicted of factor and solve together, and what was measured. */
static void print_back_end(const Case *c, const Named *named, Times times, bool json) {
    if (times.factor < 0.0) return;
    double predicted = named->kind == CARDAN_SOLVER_AUTO ? -1.0 : 1e-9 * crd_solver_predict(named->kind, &c->pattern);
    if (json) {
        printf(", \"%s\": {\"factor\": %.6g, \"solve\": %.6g", named->name, times.factor, times.solve);
        if (predicted >= 0.0) printf(", \"predicted\": %.6g", predicted);
        printf("}");
        return;
    }
    printf("    %-26s %12.2f %10.2f %12.2f", named->name, 1e6 * times.factor, 1e6 * times.solve,
           1e6 * (times.factor + times.solve));
    if (predicted >= 0.0) printf(" %12.2f", 1e6 * predicted);
    printf("\n");
}

static void print_head(const char *name, const Case *c, const CrdChoice *choice, bool json) {
    const CrdElimination *elimination = c->pattern.elimination;
    printf(json ? "{\"bench\": \"solve\", \"model\": \"%s\", \"rows\": %d, \"entries\": %d, \"lnz\": %.9g, "
                  "\"flops\": %.9g, \"auto\": \"%s\", \"reason\": \"%s\", \"seconds\": {\"bench\": 0"
                : "%s: %d rows, %d entries of S, %.4g of L, %.4g operations\n  auto takes %s (%s)\n    microseconds "
                  "                   factor      solve     together    predicted\n",
           name, c->pattern.n, c->pattern.start[c->pattern.n], elimination->lnz, elimination->flops, choice->ops->name,
           choice->reason);
}

/* Times of the choice against the fastest of the engine's back ends, and of the block factor against CHOLMOD's own. */
static void print_ratios(const Times *times, CardanSolver chosen, bool json) {
    double own = 0.0, best = 1e300, block = times[0].factor;
    for (int b = 0; b < BACK_END_COUNT; b++) {
        double sum = times[b].factor + times[b].solve;
        if (times[b].factor < 0.0 || BACK_ENDS[b].kind == CARDAN_SOLVER_AUTO) continue;
        if (sum < best) best = sum;
        if (BACK_ENDS[b].kind == chosen) own = sum;
    }
    printf(json ? "}, \"auto_to_fastest\": %.4g, \"block_to_simplicial\": %.4g, \"block_to_supernodal\": %.4g}\n"
                : "  auto takes %.3f times as long as the fastest; block factor to CHOLMOD's simplicial %.3f, to its "
                  "supernodal %.3f\n",
           own / best, block / times[BACK_END_COUNT - 2].factor, block / times[BACK_END_COUNT - 1].factor);
}

static bool compare(const char *name, CardanBuilder *builder, bool json) {
    Case c;
    bool good = open_case(&c, builder);
    if (good) {
        CrdChoice choice = crd_solver_choose(CARDAN_SOLVER_AUTO, &c.pattern);
        Times times[BACK_END_COUNT];
        print_head(name, &c, &choice, json);
        for (int b = 0; b < BACK_END_COUNT; b++) {
            times[b] = time_back_end(&c, &BACK_ENDS[b]);
            print_back_end(&c, &BACK_ENDS[b], times[b], json);
        }
        print_ratios(times, choice.kind, json);
        fflush(stdout);
    }
    close_case(&c);
    return good;
}

/* ---- redundant rows ---- */

/* Largest error of the accelerations of cranks and couplers against the one coordinate's equation. */
static double acceleration_error(Case *c, int cells, double angle, double rate) {
    const CrdStructure *structure = c->model->structure;
    double exact = mechanism_hinged_bars_acceleration(cells, angle), max = 0.0;
    double x = cos(angle), y = sin(angle), *a = c->a;
    crd_times_gt(structure, c->w.T, -1.0, c->x, a); /* a = M^-1 f - (G M^-1)^T lambda */
    for (int i = 0; i < structure->block_count; i++) {
        bool crank = i == 0 || i % 2 == 1; /* as they were added: c0, then c1 h0, c2 h1, ... */
        double arm = crank ? 0.5 : 1.0;
        double expected[6] = {arm * (-exact * y - rate * rate * x),
                              arm * (exact * x - rate * rate * y),
                              0.0,
                              0.0,
                              0.0,
                              crank ? exact : 0.0};
        for (int k = 0; k < 6; k++) max = fmax(max, fabs(a[structure->blocks[i].v + k] - expected[k]));
    }
    return max;
}

/* ---- solvers of redundant rows ---- */

/* Rows that this back end leaves out, found as at a start. */
static bool find_redundant(Case *c, const CrdSolverOps *ops, bool *is_out, int *count) {
    CrdMatrix matrix = {.s = c->w.S};
    CrdPivot pivot;
    CrdSolver *solver = NULL;
    if (ops->create(&c->pattern, c->model->structure->nv, &solver, NULL) < 0) return false;
    solver->drop = DROP;
    bool good = ops->factor(solver, &matrix, &pivot) >= 0;
    for (int i = 0; good && i < c->pattern.n; i++) is_out[i] = crd_solver_dropped(solver, i);
    *count = pivot.dropped;
    ops->destroy(solver);
    return good;
}

/* A solver of the case: without redundant rows where is_out says which, else of all rows. */
static CardanStatus make_solver(Case *c, const CrdSolverOps *ops, const bool *is_out) {
    int nv = c->model->structure->nv;
    if (is_out != NULL) return crd_reduced_create(ops, &c->pattern, nv, is_out, &c->solver, NULL);
    return ops->create(&c->pattern, nv, &c->solver, NULL);
}

static double solve_once(Case *c, const CrdSolverOps *ops, const bool *is_out, int cells, double angle, double rate) {
    CrdMatrix matrix = {.s = c->w.S};
    CrdPivot pivot;
    double error = -1.0;
    if (make_solver(c, ops, is_out) < 0) return error;
    c->solver->drop = DROP;
    memcpy(c->x, c->r, (size_t)c->pattern.n * sizeof *c->x);
    memcpy(c->a, c->w.f, (size_t)c->model->structure->nv * sizeof *c->a);
    crd_solve_mass(c->model, &c->w, c->a);
    if (c->solver->ops->factor(c->solver, &matrix, &pivot) >= 0 && c->solver->ops->solve(c->solver, c->x) >= 0)
        error = acceleration_error(c, cells, angle, rate);
    c->solver->ops->destroy(c->solver);
    return error;
}

/* Shortest factor and solve, in turns, so that a noisy machine treats all alike: with redundant rows reduced away; left
 * out in the factor of all rows; the minimal model. Rows are watched everywhere. */
typedef struct Costs {
    double reduced, left_out, minimal; /* s */
    int count;                         /* redundant rows */
} Costs;

static void keep_shorter(double *best, Case *c, const CrdSolverOps *ops, const bool *is_out) {
    if (make_solver(c, ops, is_out) < 0) return;
    Times times = time_made(c, DROP);
    double sum = times.factor + times.solve;
    if (times.factor >= 0.0 && sum < *best) *best = sum;
}

static Costs time_costs(Case *more, Case *less, const bool *is_out, const CrdSolverOps *ops) {
    enum { ROUNDS = 6 };
    Costs best = {1e300, 1e300, 1e300, 0};
    for (int i = 0; i < ROUNDS; i++) {
        keep_shorter(&best.reduced, more, ops, is_out);
        keep_shorter(&best.left_out, more, ops, NULL);
        keep_shorter(&best.minimal, less, ops, NULL);
    }
    return best;
}

static void print_costs(const char *name, int cells, const Case *more, const Case *less, const double *error,
                        const Costs *cost, bool json) {
    printf(
        json
            ? "{\"bench\": \"solve\", \"model\": \"hinged_bars\", \"solver\": \"%s\", \"cells\": %d, "
              "\"rows\": %d, \"redundant\": %d, \"error\": %.3g, \"seconds\": %.6g, \"left_out_seconds\": %.6g, "
              "\"minimal_rows\": %d, \"minimal_error\": %.3g, \"minimal_seconds\": %.6g, \"cost\": %.4g}\n"
            : "hinged bars, %s: %d cells, %d rows, %d redundant: acceleration error %.2g, factor and solve %.4g s; "
              "left "
              "out of the factor of all rows %.4g s\n  minimal model: %d rows, error %.2g, %.4g s: redundant rows cost "
              "%.3f times as much\n",
        name, cells, more->pattern.n, cost->count, error[0], cost->reduced, cost->left_out, less->pattern.n, error[1],
        cost->minimal, cost->reduced / cost->minimal);
}

static bool redundancy(int cells, bool json) {
    const double angle = 1.0, rate = -1.0;
    static const CrdSolverOps *const solvers[] = {&crd_solver_block, &crd_solver_cholmod, &crd_solver_supernodal};
    Case more, less = {0};
    bool good = open_case(&more, mechanism_hinged_bars(cells, angle, rate, true)) &&
                open_case(&less, mechanism_hinged_bars(cells, angle, rate, false));
    bool *is_out = good ? crd_new((size_t)more.pattern.n, sizeof *is_out) : NULL;
    int count = 0;
    good = is_out != NULL && find_redundant(&more, &crd_solver_block, is_out, &count);
    for (size_t k = 0; good && k < sizeof solvers / sizeof *solvers; k++) {
        double error[] = {solve_once(&more, solvers[k], is_out, cells, angle, rate),
                          solve_once(&less, solvers[k], NULL, cells, angle, rate)};
        Costs costs = time_costs(&more, &less, is_out, solvers[k]);
        costs.count = count;
        print_costs(solvers[k]->name, cells, &more, &less, error, &costs, json);
    }
    crd_delete(is_out);
    close_case(&more);
    close_case(&less);
    return good;
}

/* ---- the models ---- */

static CardanBuilder *spatial_chain(int n) {
    return mechanism_chain(CARDAN_SPACE_SPATIAL, n);
}

static CardanBuilder *planar_chain(int n) {
    return mechanism_chain(CARDAN_SPACE_PLANAR, n);
}

static CardanBuilder *spatial_four_bars(int n) {
    return mechanism_hinged_bars(n, 1.0, -1.0, false);
}

enum { SIZES = 6 };
static const struct {
    const char *name;
    CardanBuilder *(*build)(int n);
    bool square;  /* n x n bodies, not n */
    int n[SIZES]; /* 0: no more */
} MODELS[] = {{"spatial chain of %d", spatial_chain, false, {1, 2, 4, 10, 100, 1000}},
              {"planar chain of %d", planar_chain, false, {1000}},
              {"planar four-bars of %d", mechanism_four_bars, false, {1000}},
              {"spatial four-bars of %d", spatial_four_bars, false, {1000}},
              {"net of %d x %d", mechanism_net, true, {3, 10, 30, 100}},
              {"star of %d", mechanism_star, false, {60}}};

static int at_most(int n, long most) {
    return most > 0 && n > most ? (int)most : n;
}

/* With a size N no model has more than N x N bodies: the first that would has just these. */
int bench_solve(const BenchOptions *options) {
    char name[64];
    bool good = true;
    for (size_t k = 0; good && k < sizeof MODELS / sizeof *MODELS; k++) {
        long most = MODELS[k].square ? options->size : options->size * options->size;
        for (int i = 0, before = 0; good && i < SIZES && MODELS[k].n[i] > 0; i++) {
            int n = at_most(MODELS[k].n[i], most);
            if (n == before) break;
            before = n;
            snprintf(name, sizeof name, MODELS[k].name, n, n);
            good = compare(name, MODELS[k].build(n), options->json);
        }
    }
    if (good) good = redundancy(at_most(1000, options->size * options->size), options->json);
    return good ? 0 : 1;
}
