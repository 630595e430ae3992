/* Factor and solve of S by CHOLMOD's own calls, beside which solve.c puts the engine's back ends. */
#include "bench.h"
#include "solve.h"

#include <suitesparse/cholmod.h>

double solve_shortest(void (*call)(void *), void *user) {
    double start = bench_now();
    call(user);
    double once = bench_now() - start;
    return bench_shortest(call, user, once > 0.1 ? 3 : once > 0.01 ? 10 : 40);
}

typedef struct Plain {
    cholmod_common common;
    cholmod_sparse s, *lower;
    cholmod_factor *factor;
    cholmod_dense b, *x, *y, *e;
} Plain;

static void plain_factor(void *user) {
    Plain *plain = user;
    cholmod_factorize(plain->lower != NULL ? plain->lower : &plain->s, plain->factor, &plain->common);
}

static void plain_solve(void *user) {
    Plain *plain = user;
    cholmod_solve2(CHOLMOD_A, plain->factor, &plain->b, NULL, &plain->x, NULL, &plain->y, &plain->e, &plain->common);
}

/* Pre-permuted, natural order, analysis reused: upper triangle for the simplicial code, lower for the supernodal. */
Times solve_time_plain(Case *c, bool supernodal) {
    const CrdStructure *structure = c->model->structure;
    Plain p = {0};
    size_t n = (size_t)structure->rows;
    cholmod_start(&p.common);
    p.common.supernodal = supernodal ? CHOLMOD_SUPERNODAL : CHOLMOD_SIMPLICIAL;
    p.common.nmethods = 1;
    p.common.method[0].ordering = CHOLMOD_NATURAL;
    p.common.postorder = 0;
    p.s = (cholmod_sparse){.nrow = n,
                           .ncol = n,
                           .nzmax = (size_t)structure->size_s,
                           .p = structure->s_start,
                           .i = structure->s_row,
                           .x = c->w.S,
                           .stype = 1,
                           .itype = CHOLMOD_INT,
                           .xtype = CHOLMOD_REAL,
                           .dtype = CHOLMOD_DOUBLE,
                           .sorted = 1,
                           .packed = 1};
    if (supernodal) p.lower = cholmod_transpose(&p.s, 1, &p.common);
    p.factor = cholmod_analyze(supernodal ? p.lower : &p.s, &p.common);
    p.b = (cholmod_dense){
        .nrow = n, .ncol = 1, .nzmax = n, .d = n, .x = c->r, .xtype = CHOLMOD_REAL, .dtype = CHOLMOD_DOUBLE};
    Times times = {.factor = solve_shortest(plain_factor, &p)};
    times.solve = solve_shortest(plain_solve, &p);
    cholmod_free_sparse(&p.lower, &p.common);
    cholmod_free_factor(&p.factor, &p.common);
    cholmod_free_dense(&p.x, &p.common);
    cholmod_free_dense(&p.y, &p.common);
    cholmod_free_dense(&p.e, &p.common);
    cholmod_finish(&p.common);
    return times;
}
