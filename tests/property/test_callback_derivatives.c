/* Both product derivatives of whole random mechanisms with custom blocks, their frames and rows of the user's own, in
 * coordinates, against differences: (G v)_q and (G^T lambda)_q. With the callbacks' own derivatives and without. */
#include "property/system_bench.h"
#include "support/defaulted.h"

#include "block_models.h"

#include "equations/block_derivatives.h"
#include "equations/element_derivatives.h"

enum { MODELS = 30, ATTACHMENTS_MAX = 4, WIDTH = 6 * ATTACHMENTS_MAX, SIZE = 100 };

/* Of the size of the numbers. Differences in the engine are good to 1e-10 of it. */
static const double DERIVATIVES = 1e-7;

typedef struct Path {
    Bench *b;
    int velocity; /* which coordinate moves */
    const double *lambda;
} Path;

static void move_along(const Path *p, double s) {
    double dx[BENCH_SIZE] = {0}, q[BENCH_SIZE];
    memcpy(q, p->b->q, sizeof q);
    dx[p->velocity] = s;
    crd_move(p->b->model->structure, dx, q);
    measure_at(p->b, q, p->b->v);
}

static void rates_along(void *user, double s, double *values) {
    Path *p = user;
    move_along(p, s);
    memset(values, 0, (size_t)p->b->model->structure->rows * sizeof *values);
    crd_times_g(p->b->model->structure, p->b->w.G, p->b->v, values);
}

static void reactions_along(void *user, double s, double *values) {
    Path *p = user;
    move_along(p, s);
    memset(values, 0, (size_t)p->b->model->structure->nv * sizeof *values);
    crd_times_gt(p->b->model->structure, p->b->w.G, 1.0, p->lambda, values);
}

typedef void (*Look)(Random *random, Bench *b, const Recipe *recipe);

static void over_models(Look look, uint64_t seed) {
    for (int i = 0; i < 4 * MODELS; i++) {
        Random random = {seed + (uint64_t)(7 * i)};
        Recipe recipe = random_recipe(&random, (CardanSpace)(i % 2));
        Bench b;
        recipe.exact = i % 4 >= 2;
        open_bench(&b, describe(&recipe, 0, 0, false), &random);
        assert_true(b.model->structure->nv <= SIZE && b.model->structure->rows <= SIZE);
        look(&random, &b, &recipe);
        close_bench(&b);
    }
}

/* ---- (G v)_q ---- */

static void look_at_gradient(Random *random, Bench *b, const Recipe *recipe) {
    (void)random;
    const CrdStructure *s = b->model->structure;
    double *pieces = room((size_t)s->size_g, sizeof *pieces), slopes[SIZE];
    if (crd_gradient(b->model, b->q, b->v, &b->w, pieces, &b->error) < 0) fail_msg("%s", b->error.text);
    for (int k = 0; k < s->nv; k++) {
        double column[SIZE] = {0}, unit[SIZE] = {0};
        Path path = {.b = b, .velocity = k};
        unit[k] = 1.0;
        crd_times_g(s, pieces, unit, column);
        differentiate(rates_along, &path, s->rows, slopes);
        double size = fmax(1.0, worst_of(slopes, s->rows));
        for (int r = 0; r < s->rows; r++)
            check_near(column[r], slopes[r], DERIVATIVES * size, "%s derivatives: (G v)_q of '%s' along velocity %d",
                       recipe->exact ? "exact" : "differenced", crd_element_name(b->model, s->row_element[r]), k);
    }
    free(pieces);
}

static void derivatives_of_g_v_equal_differences(void **state) {
    (void)state;
    /* Not 700: it draws a distance joint of some hundredths of a metre, whose (G v)_q of 128 central differences of
     * step 0.005 miss by 1e-4 of it; with a tenth of that step they meet it. */
    over_models(look_at_gradient, 703);
}

/* ---- (G^T lambda)_q ---- */

/* Adds E_i^T H_ij E_j of one element. */
static void add_element(Bench *b, int index, const double *lambda, double out[SIZE][SIZE]) {
    const CrdStructure *s = b->model->structure;
    const CrdElement *e = &s->elements[index];
    double h[WIDTH * WIDTH], left[6][6], right[6][6];
    int width = 6 * e->attachments, row, column;
    assert_true(e->attachments <= ATTACHMENTS_MAX);
    if (crd_row_force_derivatives(b->model, index, &b->w, lambda + e->first, h, &b->error) < 0)
        fail_msg("%s", b->error.text);
    for (int i = 0; i < e->attachments; i++)
        for (int j = 0; j < e->attachments; j++) {
            int rows = velocity_map(b, s->attachments[e->attachment + i].frame, left, &row);
            int columns = velocity_map(b, s->attachments[e->attachment + j].frame, right, &column);
            for (int r = 0; r < rows; r++)
                for (int c = 0; c < columns; c++)
                    for (int k = 0; k < 36; k++)
                        out[row + r][column + c] +=
                            left[k / 6][r] * h[(6 * i + k / 6) * width + 6 * j + k % 6] * right[k % 6][c];
        }
}

static void add_square(const CrdBlock *block, const double *square, double out[SIZE][SIZE]) {
    for (int i = 0; i < block->nv; i++)
        for (int k = 0; k < block->nv; k++) out[block->v + i][block->v + k] += square[i * block->nv + k];
}

/* (J^T load)_q of the loads G^T lambda on block frames, which crd_times_gt does not show: rows once more. */
static void frame_load(Bench *b, int frame, const double *lambda, double load[6]) {
    const CrdStructure *s = b->model->structure;
    memset(load, 0, 6 * sizeof *load);
    for (int index = 0; index < s->element_count; index++) {
        const CrdElement *e = &s->elements[index];
        double g[6], rate[6], gamma[6];
        CardanTwistRow *twist = b->w.gradient_rows;
        CrdSlots slots = {g, rate, gamma};
        if (e->rows == 0 || e->type == CRD_ELEMENT_BLOCK) continue;
        if (e->type == CRD_ELEMENT_JOINT)
            crd_evaluate_joint(b->model, index, &b->w, twist, twist + e->rows, slots, &b->error);
        else if (e->type == CRD_ELEMENT_COUPLER)
            crd_evaluate_coupler(b->model, index, &b->w, twist, slots, &b->error);
        else
            crd_evaluate_user(b->model, index, &b->w, twist, slots, &b->error);
        for (int i = 0; i < e->attachments; i++) {
            if (s->attachments[e->attachment + i].frame != frame) continue;
            for (int r = 0; r < e->rows; r++) /* user rows and couplers have one row each here */
                for (int k = 0; k < 6; k++) load[k] += lambda[e->first + r] * twist[i * e->rows + r][k];
        }
    }
}

static int blocks_seen;

static void look_at_reactions(Random *random, Bench *b, const Recipe *recipe) {
    const CrdStructure *s = b->model->structure;
    static double out[SIZE][SIZE];
    double lambda[SIZE], slopes[SIZE], square[64], load[6];
    CrdScene scene = {b->model, b->q, b->v};
    memset(out, 0, sizeof out);
    for (int r = 0; r < s->rows; r++) lambda[r] = random_signed(random);
    for (int i = 0; i < s->element_count; i++) {
        const CrdElement *e = &s->elements[i];
        if (e->rows > 0 && e->type != CRD_ELEMENT_BLOCK) add_element(b, i, lambda, out);
        if (e->type != CRD_ELEMENT_BLOCK) continue;
        assert_true(crd_block_reactions(&scene, e->block, &b->w, lambda + e->first, square, &b->error) >= 0);
        add_square(&s->blocks[e->block], square, out);
        blocks_seen++;
    }
    for (int i = 0; i < s->frame_count; i++) {
        if (s->frames[i].kind != CRD_FRAME_OF_BLOCK) continue;
        frame_load(b, i, lambda, load);
        assert_true(crd_frame_loads(&scene, i, &b->w, load, square, &b->error) >= 0);
        add_square(&s->blocks[s->frames[i].block], square, out);
    }
    for (int k = 0; k < s->nv; k++) {
        Path path = {.b = b, .velocity = k, .lambda = lambda};
        differentiate(reactions_along, &path, s->nv, slopes);
        double size = fmax(1.0, worst_of(slopes, s->nv));
        for (int i = 0; i < s->nv; i++)
            check_near(out[i][k], slopes[i], DERIVATIVES * size, "%s derivatives: (G^T lambda)_q, (%d, %d)",
                       recipe->exact ? "exact" : "differenced", i, k);
    }
}

static void derivatives_of_constraint_forces_equal_differences(void **state) {
    (void)state;
    blocks_seen = 0;
    over_models(look_at_reactions, 701);
    assert_true(blocks_seen > MODELS);
}

/* The blocks of models/, their own derivatives where they have some. */
static void derivatives_of_the_models_blocks_equal_differences(void **state) {
    (void)state;
    CardanBuilder *(*const builders[])(void) = {mechanism_car_axis, mechanism_flexible_slider_crank,
                                                mechanism_wheelset};
    for (int i = 0; i < 3; i++) {
        Random random = {703};
        Recipe recipe = {.exact = true};
        Bench b;
        open_bench(&b, scene_compile(builders[i]()), &random);
        look_at_gradient(&random, &b, &recipe);
        look_at_reactions(&random, &b, &recipe);
        close_bench(&b);
    }
}

/* ---- inertia and force of a block ---- */

typedef struct BlockPath {
    const Spoke *spoke;
    const double *q, *v, *a;
    int k;
    bool velocity;
} BlockPath;

static void block_along(void *user, double s, double *values) {
    const BlockPath *p = user;
    double q[2] = {p->q[0], p->q[1]}, v[2] = {p->v[0], p->v[1]}, m[4] = {0}, f[2] = {0};
    (p->velocity ? v : q)[p->k] += s;
    spoke_mass((void *)(uintptr_t)p->spoke, 0.0, q, m);
    spoke_force((void *)(uintptr_t)p->spoke, 0.0, q, v, NULL, f);
    for (int i = 0; i < 2; i++) {
        values[i] = m[2 * i] * p->a[0] + m[2 * i + 1] * p->a[1];
        values[2 + i] = f[i];
    }
}

static void look_at_block(Random *random, Bench *b, const Recipe *recipe) {
    const CrdStructure *s = b->model->structure;
    CrdScene scene = {b->model, b->q, b->v};
    for (int i = 0; i < s->block_count; i++) {
        if (s->blocks[i].kind != CRD_CUSTOM_BLOCK) continue;
        double a[2] = {random_signed(random), random_signed(random)}, inertia[4], by_q[4], by_v[4], slopes[4];
        assert_true(crd_block_inertia(&scene, i, &b->w, a, inertia, &b->error) >= 0);
        assert_true(crd_block_force(&scene, i, &b->w, NULL, by_q, by_v, &b->error) >= 0);
        BlockPath path = {.spoke = &recipe->spoke, .q = b->q + s->blocks[i].q, .v = b->v + s->blocks[i].v, .a = a};
        for (path.k = 0; path.k < 2; path.k++)
            for (int velocity = 0; velocity < 2; velocity++) {
                path.velocity = velocity == 1;
                differentiate(block_along, &path, 4, slopes);
                for (int r = 0; r < 2; r++) {
                    double force = (path.velocity ? by_v : by_q)[2 * r + path.k];
                    check_near(force, slopes[2 + r], 100.0 * DERIVATIVES, "force of the block"); /* stiffness 30 */
                    if (!path.velocity) check_near(inertia[2 * r + path.k], slopes[r], 10.0 * DERIVATIVES, "M a");
                }
            }
        blocks_seen++;
    }
}

static void derivatives_of_a_block_s_inertia_and_force_equal_differences(void **state) {
    (void)state;
    blocks_seen = 0;
    over_models(look_at_block, 702);
    assert_true(blocks_seen > MODELS);
}

/* ---- failures ---- */

enum { FAILS = 10 };

static int failing; /* which callback fails */

static CardanStatus fails(int number) {
    return failing == number ? CARDAN_ERR_NUMERIC : CARDAN_OK;
}

static CardanStatus point_mass(void *user, double t, const double *q, double *m) {
    (void)user, (void)t, (void)q;
    m[0] = 1.0;
    return fails(0);
}

static CardanStatus point_force(void *user, double t, const double *q, const double *v, const double *inputs,
                                double *f) {
    (void)user, (void)t, (void)q, (void)v, (void)inputs, (void)f;
    return fails(1);
}

static CardanStatus point_constraint(void *user, double t, const double *q, const double *v, double *g,
                                     double *jacobian, double *rate, double *gamma) {
    (void)user, (void)t, (void)v, (void)rate, (void)gamma;
    g[0] = q[0];
    jacobian[0] = 1.0;
    return fails(2);
}

static CardanStatus point_frame(void *user, int k, double t, const double *q, const double *v, CardanFrame *frame,
                                double *jacobian, double *bias) {
    (void)user, (void)k, (void)t, (void)bias;
    *frame = (CardanFrame){.x = {q[0], 0, 0}, .v = {v[0], 0, 0}, .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    jacobian[0] = 1.0;
    return fails(3);
}

static CardanStatus by_vector(void *user, double t, const double *q, const double *x, double *gradient) {
    (void)t, (void)q, (void)x, (void)gradient;
    return fails(*(const int *)user);
}

static CardanStatus by_force(void *user, double t, const double *q, const double *v, const double *inputs, double *by_q,
                             double *by_v) {
    (void)t, (void)q, (void)v, (void)inputs, (void)by_q, (void)by_v;
    return fails(*(const int *)user);
}

static CardanStatus by_frame(void *user, int k, double t, const double *q, const double *x, double *gradient) {
    (void)k, (void)t, (void)q, (void)x, (void)gradient;
    return fails(*(const int *)user);
}

/* Every derivative in turn, from the callback of its own or by differences of the one it belongs to. */
static const struct {
    const char *name;
    int base;           /* the callback that is differenced */
    CardanBlockDef own; /* the callback of its own */
} DERIVATIVES_OF[] = {
    {"constraint_gradient", 2, {DEFAULTED, .constraint_gradient = by_vector}},
    {"reaction_gradient", 2, {DEFAULTED, .reaction_gradient = by_vector}},
    {"mass_gradient", 0, {DEFAULTED, .mass_gradient = by_vector}},
    {"force_gradient", 1, {DEFAULTED, .force_gradient = by_force}},
    {"frame_gradient", 3, {DEFAULTED, .frame_gradient = by_frame}},
    {"load_gradient", 3, {DEFAULTED, .load_gradient = by_frame}},
};
static const char *const BASES[] = {"mass", "force", "constraint", "frame"};

static CardanStatus derivative(Bench *b, int which) {
    CrdScene scene = {b->model, b->q, b->v};
    double one[1] = {1.0}, load[6] = {1.0}, out[6], other[1];
    switch (which) {
    case 0:
        return crd_block_gradient(&scene, 0, &b->w, out, &b->error);
    case 1:
        return crd_block_reactions(&scene, 0, &b->w, one, out, &b->error);
    case 2:
        return crd_block_inertia(&scene, 0, &b->w, one, out, &b->error);
    case 3:
        return crd_block_force(&scene, 0, &b->w, NULL, out, other, &b->error);
    case 4:
        return crd_frame_gradient(&scene, 1, &b->w, out, &b->error);
    default:
        return crd_frame_loads(&scene, 1, &b->w, load, out, &b->error);
    }
}

static void derivatives_that_fail_are_named(void **state) {
    (void)state;
    for (int which = 0; which < 6; which++)
        for (int own = 0; own < 2; own++) {
            int number = FAILS;
            Random random = {1};
            Bench b;
            char expected[80];
            CardanBlockDef def = own == 1 ? DERIVATIVES_OF[which].own : (CardanBlockDef){DEFAULTED};
            CardanBuilder *builder = cardan_builder_create(CARDAN_SPACE_PLANAR);
            def.name = "point";
            def.coordinates = def.rows = def.frames = 1;
            def.user = &number;
            def.mass = point_mass;
            def.force = point_force;
            def.constraint = point_constraint;
            def.frame = point_frame;
            cardan_builder_add_block(builder, &def);
            failing = -1;
            open_bench(&b, scene_compile(builder), &random);
            assert_int_equal(derivative(&b, which), CARDAN_OK);
            failing = own == 1 ? FAILS : DERIVATIVES_OF[which].base;
            assert_int_equal(derivative(&b, which), CARDAN_ERR_NUMERIC);
            snprintf(expected, sizeof expected, "block 'point': its %s callback failed at t = 0.35",
                     own == 1 ? DERIVATIVES_OF[which].name : BASES[DERIVATIVES_OF[which].base]);
            assert_string_equal(b.error.text, expected);
            close_bench(&b);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_of_g_v_equal_differences),
        cmocka_unit_test(derivatives_of_constraint_forces_equal_differences),
        cmocka_unit_test(derivatives_of_a_block_s_inertia_and_force_equal_differences),
        cmocka_unit_test(derivatives_of_the_models_blocks_equal_differences),
        cmocka_unit_test(derivatives_that_fail_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
