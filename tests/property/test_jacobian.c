/* The sparse Jacobian of the full residual, entry by entry, against differences of the residual itself: on every file
 * of models/ and on random mechanisms with custom blocks, their frames, drives, couplers and callbacks. An entry
 * outside the pattern is 0, so the pattern is tested with it. */
#include "fault/rich_model.h"
#include "property/reading_laws.h"
#include "property/recipe.h"
#include "support/reading.h"
#include "support/scene.h"

#include "equations/jacobian.h"

#include <dirent.h>

enum { SIZE = 700, RANDOM_MODELS = 300 };

/* Of an entry. Differences of step h are good to h^4 of a fifth derivative and to rounding of the residual over h; both
 * are far below, but for entries that are small against their row. */
static const double EXACT = 1e-7, BESIDE_ROW = 1e-8, ROUNDING = 1e-14, STEP = 2e-4;

typedef struct Look {
    CardanModel *model;
    const char *name;
    CrdArena arena;
    CrdSystem w;
    CrdJacobian jacobian;
    CrdTiles tiles;
    CrdActions actions;
    CrdError error;
    CardanTwistRow *wrenches;
    double t, y[SIZE], a[SIZE], lambda[SIZE], inputs[SIZE];
    double gradient[4 * SIZE];
    int rows; /* of the residual */
} Look;

static void fail_with(const Look *l) {
    fail_msg("%s: %s", l->name, l->error.text);
}

/* ---- the residual ---- */

static void residual_at(Look *l, double *y, double *out) {
    const CrdStructure *s = l->model->structure;
    double *q = y, *v = y + s->nq, x[SIZE];
    int first = 0;
    l->actions.states = v + s->nv;
    if (crd_kinematics(l->model, l->t, q, v, &l->w, &l->error) < 0) fail_with(l);
    if (crd_constraints(l->model, q, v, &l->actions, &l->w, &l->error) < 0) fail_with(l);
    if (crd_forces(l->model, q, v, &l->actions, &l->w, &l->error) < 0) fail_with(l);
    crd_position_rates(s, q, v, x);
    for (int i = 0; i < s->nq; i++) out[first + i] = -x[i];
    first += s->nq;
    crd_times_mass(l->model, &l->w, l->a, x);
    crd_times_gt(s, l->w.G, 1.0, l->lambda, x);
    for (int i = 0; i < s->nv; i++) out[first + i] = x[i] - l->w.f[i];
    first += s->nv;
    for (int i = 0; i < s->first_order; i++) out[first + i] = -l->w.z_rate[i];
    first += s->first_order;
    memset(x, 0, (size_t)s->rows * sizeof *x);
    crd_times_g(s, l->w.G, l->a, x);
    for (int r = 0; r < s->rows; r++) {
        out[first + r] = x[r] - l->w.gamma[r];
        out[first + s->rows + r] = l->w.g[r];
        out[first + 2 * s->rows + r] = l->w.rate[r];
    }
}

/* ---- the matrix ---- */

static void parts(Look *l) {
    const CrdStructure *s = l->model->structure;
    CrdJacobian *j = &l->jacobian;
    CrdColumns columns = {0, s->nq, s->nq + s->nv};
    int core = s->nq + s->nv + s->first_order;
    bool fills = !crd_tiles_is_open(&l->tiles);
    double *pieces[4];
    for (int i = 0; i < 4; i++) pieces[i] = room((size_t)s->size_g, sizeof(double));
    crd_tiles_begin(&l->tiles);
    if (fills && (crd_jacobian_gamma(j, pieces[0], pieces[1]) < 0 || crd_jacobian_rows_along(j, l->a, pieces[2]) < 0 ||
                  crd_jacobian_rates(j, pieces[3]) < 0))
        fail_with(l);
    crd_jacobian_kinematics(j, 0, columns, NULL);
    if (crd_jacobian_dynamics(j, s->nq, s->nq + s->nv, columns) < 0) fail_with(l);
    crd_jacobian_over_q(j, core, columns.q, 1.0, pieces[2]);
    crd_jacobian_over_q(j, core, columns.q, -1.0, pieces[0]);
    crd_jacobian_over_v(j, core, columns.v, -1.0, pieces[1]);
    crd_jacobian_over_q(j, core + s->rows, columns.q, 1.0, l->w.G);
    crd_jacobian_over_q(j, core + 2 * s->rows, columns.q, 1.0, pieces[3]);
    crd_jacobian_over_v(j, core + 2 * s->rows, columns.v, 1.0, l->w.G);
    for (int i = 0; i < 4; i++) free(pieces[i]);
}

static void lay_out(Look *l) {
    crd_system_layout(&l->w, l->model->structure, &l->arena);
    crd_jacobian_layout(&l->jacobian, l->model->structure, &l->arena);
}

static double nth(int i) {
    return 0.1 + 0.8 * fmod(0.6180339887498949 * (i + 1), 1.0);
}

/* A state off the constraints. */
static void open_look(Look *l, CardanModel *model, const char *name, Random *random) {
    *l = (Look){.model = model, .name = name, .t = 0.35};
    const CrdStructure *s = model->structure;
    double dx[SIZE], v[SIZE];
    lay_out(l);
    assert_true(crd_arena_allocate(&l->arena));
    lay_out(l);
    assert_true(s->nq + s->nv + s->first_order + 3 * s->rows <= SIZE && s->input_count <= SIZE);
    l->rows = s->nq + s->nv + s->first_order + 3 * s->rows;
    memcpy(l->y, model->values.q0, (size_t)s->nq * sizeof *l->y);
    for (int i = 0; i < s->nv; i++) {
        dx[i] = 0.05 * model->values.size * random_signed(random);
        v[i] = random_signed(random);
        l->a[i] = random_signed(random);
    }
    crd_move(s, dx, l->y);
    for (int b = 0; b < s->block_count; b++) /* lengths of quaternions have no say */
        if (s->blocks[b].kind == CRD_SPATIAL_BODY)
            for (int k = 3; k < 7; k++) l->y[s->blocks[b].q + k] *= 1.1;
    memcpy(l->y + s->nq, v, (size_t)s->nv * sizeof *v);
    for (int i = 0; i < s->first_order; i++) l->y[s->nq + s->nv + i] = model->values.z0[i] + 0.1 * nth(i);
    for (int r = 0; r < s->rows; r++) l->lambda[r] = random_signed(random);
    for (int i = 0; i < s->input_count; i++) l->inputs[i] = model->description->inputs[i].value;
    l->wrenches = room((size_t)s->frame_count, sizeof *l->wrenches);
    for (int i = 6; i < 6 * s->frame_count; i++)
        if (s->space == CARDAN_SPACE_SPATIAL || i % 6 < 2 || i % 6 == 5) l->wrenches[i / 6][i % 6] = nth(i);
    l->actions = (CrdActions){.inputs = l->inputs, .wrenches = l->wrenches};
    l->jacobian.model = model;
    l->jacobian.system = &l->w;
    l->jacobian.actions = &l->actions;
    l->jacobian.error = &l->error;
    l->jacobian.tiles = &l->tiles;
}

static void close_look(Look *l) {
    crd_tiles_free(&l->tiles);
    crd_arena_free(&l->arena);
    crd_delete(l->jacobian.values);
    free(l->wrenches);
    cardan_model_release(l->model);
}

/* Lengths are small or large with the model. */
static double step_of(const Look *l, int c) {
    const CrdStructure *s = l->model->structure;
    int lengths = s->space == CARDAN_SPACE_PLANAR ? 2 : 3;
    for (int b = 0; b < s->block_count; b++) {
        const CrdBlock *block = &s->blocks[b];
        if (block->kind != CRD_CUSTOM_BLOCK && c >= block->q && c < block->q + lengths)
            return STEP * fmin(1.0, l->model->values.size);
    }
    return STEP;
}

static void differentiate_residual(Look *l, int c, double *slope, double *noise) {
    static double at[4][SIZE];
    double kept = l->y[c], h = step_of(l, c);
    const double offset[4] = {-h, h, -2.0 * h, 2.0 * h};
    for (int i = 0; i < 4; i++) {
        l->y[c] = kept + offset[i];
        residual_at(l, l->y, at[i]);
    }
    l->y[c] = kept;
    for (int r = 0; r < l->rows; r++) {
        slope[r] = (8.0 * (at[1][r] - at[0][r]) - (at[3][r] - at[2][r])) / (12.0 * h);
        noise[r] = ROUNDING * fmax(fabs(at[0][r]), fabs(at[1][r])) / h;
    }
}

static void compare(Look *l) {
    static double slope[SIZE], noise[SIZE], column[SIZE], largest[SIZE];
    const CrdStructure *s = l->model->structure;
    int core = s->nq + s->nv + s->first_order;
    memset(largest, 0, sizeof largest);
    for (int i = 0; i < l->tiles.entries; i++)
        largest[l->tiles.row[i]] = fmax(largest[l->tiles.row[i]], fabs(l->jacobian.values[i]));
    for (int c = 0; c < core; c++) {
        differentiate_residual(l, c, slope, noise);
        memset(column, 0, sizeof column);
        for (int i = l->tiles.start[c]; i < l->tiles.start[c + 1]; i++) column[l->tiles.row[i]] = l->jacobian.values[i];
        for (int r = 0; r < l->rows; r++) {
            int position = r - core - s->rows; /* rows of velocities alone have none */
            if (position >= 0 && position < s->rows && !crd_row_is_holonomic(s, position)) continue;
            check_near(column[r], slope[r], EXACT * fabs(slope[r]) + BESIDE_ROW * fmax(1.0, largest[r]) + noise[r],
                       "%s: row %d over column %d (nq %d, nv %d, nz %d, rows %d)", l->name, r, c, s->nq, s->nv,
                       s->first_order, s->rows);
        }
    }
}

static void look_at(CardanModel *model, const char *name, Random *random) {
    static Look l;
    open_look(&l, model, name, random);
    const CrdStructure *s = model->structure;
    crd_tiles_open(&l.tiles, l.rows);
    parts(&l);
    if (crd_tiles_close(&l.tiles, &l.error) < 0) fail_with(&l);
    l.jacobian.values = crd_new((size_t)l.tiles.entries, sizeof(double));
    l.actions.states = l.y + s->nq + s->nv;
    if (crd_jacobian_at(&l.jacobian, l.t, l.y, l.y + s->nq, l.a, l.lambda) < 0) fail_with(&l);
    parts(&l);
    assert_int_equal(l.tiles.cursor, l.tiles.count);
    compare(&l);
    close_look(&l);
}

static void the_jacobian_of_every_model_equals_differences(void **state) {
    (void)state;
    DIR *dir = opendir("models");
    assert_non_null(dir);
    int seen = 0;
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char path[512], message[512];
        CardanModel *model = NULL;
        Random random = {17};
        if (strstr(entry->d_name, ".yaml") == NULL) continue;
        snprintf(path, sizeof path, "models/%s", entry->d_name);
        if (cardan_model_load(path, &model, message, sizeof message) < 0) fail_msg("%s: %s", path, message);
        look_at(model, entry->d_name, &random);
        seen++;
    }
    closedir(dir);
    assert_true(seen >= 40);
}

static void the_jacobian_of_random_mechanisms_equals_differences(void **state) {
    (void)state;
    for (int i = 0; i < RANDOM_MODELS; i++) {
        Random random = {9000 + (uint64_t)(7 * i)};
        Recipe recipe = random_recipe(&random, (CardanSpace)(i % 2));
        char name[64];
        recipe.exact = i % 4 >= 2;
        snprintf(name, sizeof name, "random mechanism %d", i);
        look_at(describe(&recipe, 0, 0, false), name, &random);
    }
}

static void the_jacobian_of_states_and_callbacks_of_users_equals_differences(void **state) {
    (void)state;
    CardanModel *model = NULL;
    Random random = {23};
    CardanBuilder *builder = rich_model();
    if (cardan_builder_compile(builder, &model) < 0) fail_msg("%s", cardan_builder_message(builder));
    cardan_builder_destroy(builder);
    assert_true(model->structure->first_order > 0 && model->structure->states_count > 0);
    look_at(model, "one of everything", &random);
}

static void the_jacobian_of_laws_that_read_forces_and_momenta_equals_differences(void **state) {
    (void)state;
    Random random = {57};
    for (int i = 0; i < 5; i++) {
        look_at(scene_read(READING_IN_SPACE), "laws in space", &random);
        look_at(scene_read(READING_IN_THE_PLANE), "laws in the plane", &random);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_jacobian_of_every_model_equals_differences),
        cmocka_unit_test(the_jacobian_of_states_and_callbacks_of_users_equals_differences),
        cmocka_unit_test(the_jacobian_of_random_mechanisms_equals_differences),
        cmocka_unit_test(the_jacobian_of_laws_that_read_forces_and_momenta_equals_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
