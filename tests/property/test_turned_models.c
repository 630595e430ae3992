/* Whole random mechanisms described in a world that is turned: accelerations are the same in the mechanism's own axes.
 * Every kind of joint, rows of the user's own, springs, forces, couplers and drivers. */
#include "property/system_bench.h"

#include <lapacke.h>

enum { MODELS = 150, SIZE = 200 };

/* Condition number of the equations above which a random model is left out: its rows are nearly dependent by chance. */
static const double CLEAR = 1e9;

typedef struct Turn {
    CrdMat m;
    CardanQuat q;
    double angle; /* plane */
} Turn;

static void turn(const Turn *t, CrdVec *x) {
    *x = crd_apply(t->m.m, *x);
}

static void turn_body(const Turn *t, CardanSpace space, CardanBodyDef *def) {
    turn(t, &def->pose.p);
    turn(t, &def->velocity);
    if (space == CARDAN_SPACE_SPATIAL) turn(t, &def->angular_velocity);
    if (def->particle) return;
    def->pose.angle += t->angle;
    if (space == CARDAN_SPACE_SPATIAL) def->pose.q = crd_quat_mul(t->q, def->pose.q);
}

/* What is written in the axes of the ground, the ground's own points included. */
static void turn_joint(const Turn *t, RecipeJoint *j) {
    CrdVec *const vectors[] = {&j->def.point, &j->def.axis, &j->def.axis2, &j->def.normal};
    for (int i = 0; i < 4; i++) turn(t, vectors[i]);
    if (j->a != GROUND) return;
    turn(t, &j->def.local_a);
    turn(t, &j->link.la);
}

static Recipe turned_recipe(const Recipe *p, const Turn *t) {
    Recipe out = *p;
    turn(t, &out.gravity);
    for (int i = 0; i < p->bodies; i++) turn_body(t, p->space, &out.body[i]);
    for (int i = 0; i < p->joints; i++) turn_joint(t, &out.joint[i]);
    for (int i = 0; i < p->forces; i++) {
        if (p->force_place[i][0] == GROUND) turn(t, &out.force[i].point_a);
        if (!p->force[i].follower) turn(t, &out.force[i].value);
    }
    return out;
}

/* Paths in the axes of the ground or of a particle are expressions, and the spoke turns about z. */
static bool can_turn(const Recipe *p) {
    if (p->spoke_there || p->led >= 0) return false;
    for (int i = 0; i < p->joints; i++) {
        const RecipeJoint *j = &p->joint[i];
        bool fixed = j->a == GROUND || is_particle(p, j->a);
        if (j->kind == PLAIN && j->def.type == CARDAN_JOINT_CURVE && fixed) return false;
    }
    return true;
}

/* [M G^T; G 0] (a, lambda) = (f, gamma) at the start as written; false: nearly singular. */
static bool accelerations(Bench *b, double *x, double *condition) {
    const CrdStructure *s = b->model->structure;
    int n = s->nv + s->rows;
    CrdActions none = {0};
    lapack_int pivots[SIZE];
    double *k = room((size_t)n * (size_t)n, sizeof *k), reciprocal;
    assert_true(n <= SIZE);
    measure_at(b, b->q, b->v);
    if (crd_forces(b->model, b->q, b->v, &none, &b->w, &b->error) < 0) fail_msg("%s", b->error.text);
    crd_fill_saddle(b->model, &b->w, CARDAN_METRIC_MASS, k, n);
    for (int r = 0; r < n; r++)
        for (int c = r + 1; c < n; c++) k[r + c * n] = k[c + r * n];
    memcpy(x, b->w.f, (size_t)s->nv * sizeof *x);
    memcpy(x + s->nv, b->w.gamma, (size_t)s->rows * sizeof *x);
    double norm = LAPACKE_dlange(LAPACK_COL_MAJOR, '1', n, n, k, n);
    bool regular = LAPACKE_dgetrf(LAPACK_COL_MAJOR, n, n, k, n, pivots) == 0;
    if (regular) LAPACKE_dgecon(LAPACK_COL_MAJOR, '1', n, k, n, norm, &reciprocal);
    regular = regular && reciprocal * CLEAR > 1.0;
    if (regular) LAPACKE_dgetrs(LAPACK_COL_MAJOR, 'N', n, 1, k, n, pivots, x, n);
    *condition = regular ? 1.0 / reciprocal : HUGE_VAL;
    free(k);
    return regular;
}

static void start_of(Bench *b, Random *random, Recipe *recipe) {
    open_bench(b, describe(recipe, 0, 0, false), random);
    memcpy(b->q, b->model->values.q0, (size_t)b->model->structure->nq * sizeof *b->q);
    memcpy(b->v, b->model->values.v0, (size_t)b->model->structure->nv * sizeof *b->v);
}

static void compare(const Turn *t, const Bench *one, const double *x, const double *y, double allowed) {
    const CrdStructure *s = one->model->structure;
    for (int i = 0; i < s->block_count; i++) {
        const CrdBlock *block = &s->blocks[i];
        int moves = s->space == CARDAN_SPACE_PLANAR ? 2 : 3;
        CrdVec a = crd_vec(x[block->v], x[block->v + 1], moves == 3 ? x[block->v + 2] : 0.0);
        CrdVec b = crd_vec(y[block->v], y[block->v + 1], moves == 3 ? y[block->v + 2] : 0.0);
        turn(t, &a);
        check_near(crd_norm(crd_sub(a, b)), 0.0, allowed, "acceleration of body %d in a turned world", i);
        for (int k = moves; k < block->nv; k++)
            check_near(y[block->v + k], x[block->v + k], allowed, "turning of body %d in a turned world", i);
    }
}

static void accelerations_do_not_depend_on_how_the_world_is_turned(void **state) {
    (void)state;
    int seen = 0;
    for (int i = 0; i < 2 * MODELS; i++) {
        Random random = {901 + (uint64_t)(7 * i)};
        CardanSpace space = (CardanSpace)(i % 2);
        Recipe recipe = random_recipe(&random, space);
        double x[SIZE], y[SIZE], condition, again, angle = 3.0 * random_signed(&random);
        if (!can_turn(&recipe)) continue;
        Turn t = {.q = random_quat(&random)};
        t.m = space == CARDAN_SPACE_PLANAR ? crd_matrix_about_z(angle) : crd_matrix_of(t.q);
        t.angle = space == CARDAN_SPACE_PLANAR ? angle : 0.0;
        Recipe other = turned_recipe(&recipe, &t);
        Bench one, two;
        start_of(&one, &random, &recipe);
        start_of(&two, &random, &other);
        if (accelerations(&one, x, &condition) && accelerations(&two, y, &again)) {
            compare(&t, &one, x, y, 1e-14 * condition * fmax(1.0, worst_of(x, one.model->structure->nv)));
            seen++;
        }
        close_bench(&one);
        close_bench(&two);
    }
    assert_true(seen > MODELS / 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accelerations_do_not_depend_on_how_the_world_is_turned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
