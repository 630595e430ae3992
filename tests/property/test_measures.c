/* Gradients of every channel that has one, along a random change of all coordinates, velocities and first-order states,
 * beside differences of its value: on every file of models/, on random mechanisms with custom blocks and callbacks, and
 * on models whose laws read what forces do, momenta and orientations (test_jacobian has their forces). */
#include "fault/rich_model.h"
#include "property/reading_laws.h"
#include "property/recipe.h"
#include "support/reading.h"
#include "support/scene.h"

#include "equations/force_scene.h"
#include "equations/measure_gradient.h"
#include "sim/channel.h"

#include <dirent.h>

enum { SIZE = 700, CHANNELS = 6000, RANDOM_MODELS = 60, WIDE_MODEL = 60 };

/* Fourth-order differences of step h: h^4 of a fifth derivative, rounding of the value over h. Contacts and tyres of
 * the models have large derivatives, which the scale of the gradient's terms stands for. */
static const double EXACT = 1e-7, ROUNDING = 2e-14, STEP = 1e-4;

typedef struct Look {
    CardanModel *model;
    const char *name;
    CrdArena arena;
    CrdSystem w;
    CrdActions actions;
    CrdError error;
    CrdSide sides[SIZE];
    double t, y[SIZE], inputs[SIZE], tracked[SIZE];
    double dx[SIZE], dv[SIZE], dz[SIZE]; /* the change */
} Look;

static void open_look(Look *l, CardanModel *model, const char *name, Random *random) {
    *l = (Look){.model = model, .name = name, .t = 0.35};
    const CrdStructure *s = model->structure;
    for (int pass = 0; pass < 2; pass++) {
        crd_system_layout(&l->w, s, &l->arena);
        if (pass == 0) assert_true(crd_arena_allocate(&l->arena));
    }
    assert_true(s->nq + s->nv + s->first_order <= SIZE && s->input_count <= SIZE && s->tracked_count <= SIZE);
    double near[SIZE], *v = l->y + s->nq, *z = v + s->nv;
    memcpy(l->y, model->values.q0, (size_t)s->nq * sizeof *l->y);
    for (int i = 0; i < s->nv; i++) {
        near[i] = 0.05 * model->values.size * random_signed(random);
        v[i] = random_signed(random);
        l->dx[i] = fmin(1.0, model->values.size) * random_signed(random);
        l->dv[i] = random_signed(random);
    }
    crd_move(s, near, l->y);
    for (int i = 0; i < s->first_order; i++) {
        z[i] = model->values.z0[i] + 0.1 * random_signed(random);
        l->dz[i] = random_signed(random);
    }
    for (int i = 0; i < s->input_count; i++) l->inputs[i] = model->description->inputs[i].value;
    memcpy(l->tracked, model->values.tracked, (size_t)s->tracked_count * sizeof *l->tracked);
    l->actions = (CrdActions){.inputs = l->inputs, .tracked = l->tracked};
}

static void close_look(Look *l) {
    crd_arena_free(&l->arena);
    cardan_model_release(l->model);
}

static void must(const Look *l, CardanStatus status) {
    if (status < 0) fail_msg("%s: %s", l->name, l->error.text);
}

/* The state h along the change. */
static void stand_at(Look *l, double h, double *y) {
    const CrdStructure *s = l->model->structure;
    double dx[SIZE], *v = y + s->nq, *z = v + s->nv;
    memcpy(y, l->y, (size_t)(s->nq + s->nv + s->first_order) * sizeof *y);
    for (int i = 0; i < s->nv; i++) {
        dx[i] = h * l->dx[i];
        v[i] += h * l->dv[i];
    }
    for (int i = 0; i < s->first_order; i++) z[i] += h * l->dz[i];
    crd_move(s, dx, y);
    l->actions.states = z;
    must(l, crd_kinematics(l->model, l->t, y, v, &l->w, &l->error));
    must(l, crd_constraints(l->model, y, v, &l->actions, &l->w, &l->error));
    must(l, crd_forces(l->model, y, v, &l->actions, &l->w, &l->error));
}

/* Pieces of laws are held as they are where the gradient is taken. */
static void hold_pieces(Look *l) {
    const CrdStructure *s = l->model->structure;
    static double values[SIZE];
    assert_true(s->switch_count <= SIZE);
    double y[SIZE];
    stand_at(l, 0.0, y);
    must(l, crd_switches(l->model, y, y + s->nq, &l->actions, &l->w, values, &l->error));
    for (int i = 0; i < s->switch_count; i++) l->sides[i] = (CrdSide)((values[i] > 0.0) - (values[i] < 0.0));
    l->actions.sides = l->sides;
}

typedef struct Sum {
    const Look *look;
    double d[CRD_COLUMNS], size[CRD_COLUMNS];
} Sum;

static bool add_slopes(void *user, CrdGradientBy by, int index, const CrdDual *columns) {
    Sum *sum = user;
    const Look *l = sum->look;
    double s = by == CRD_BY_DISPLACEMENT ? l->dx[index] : by == CRD_BY_VELOCITY ? l->dv[index] : l->dz[index];
    for (int k = 0; k < CRD_COLUMNS; k++) {
        sum->d[k] += s * columns[k].d;
        sum->size[k] += fabs(s * columns[k].d);
    }
    return true;
}

static const double OFFSET[5] = {0.0, -STEP, STEP, -2.0 * STEP, 2.0 * STEP};

static int compared;

static void compare(Look *l, const CardanChannel *channel, int column, double at[5], const Sum *sum) {
    char label[256];
    double slope = (8.0 * (at[2] - at[1]) - (at[4] - at[3])) / (12.0 * STEP);
    double coarse = (at[2] - at[1]) / (2.0 * STEP); /* how much the step matters */
    double noise = ROUNDING * (fabs(at[1]) + fabs(at[2])) / STEP;
    cardan_model_channel_label(l->model, *channel, column, label, sizeof label);
    double jump = fmax(fabs(at[4] - at[2]), fabs(at[3] - at[1]));
    if (strstr(crd_measures[channel->measure].unit != NULL ? crd_measures[channel->measure].unit : "", "rad") != NULL &&
        jump > 1.0)
        return; /* an angle that jumps by a turn */
    check_near(sum->d[column], slope, EXACT * (1.0 + sum->size[column]) + 0.02 * fabs(slope - coarse) + noise,
               "%s: slope of %s", l->name, label);
    compared++;
}

static void look_at(CardanModel *model, const char *name, Random *random) {
    static Look l;
    static CardanChannel all[CHANNELS];
    static double values[5][CHANNELS][CRD_COLUMNS], y[SIZE];
    open_look(&l, model, name, random);
    hold_pieces(&l);
    int count = cardan_model_match_channels(model, "*.*", CHANNELS / 2, all, NULL, 0);
    count = count < 0 ? 0 : count;
    assert_true(count < CHANNELS / 2);
    count += cardan_model_match_channels(model, "*", CHANNELS - count, all + count, NULL, 0);
    for (int i = 4; i >= 0; i--) { /* last where the gradient is taken */
        stand_at(&l, OFFSET[i], y);
        for (int c = 0; c < count; c++) {
            const CrdLawMeasure it = crd_channel_measure(all[c]);
            CrdDual columns[CRD_COLUMNS];
            if (!crd_has_gradient(model, &it)) continue;
            must(&l, crd_measure_columns(model, &l.actions, &l.w, &it, false, columns, &l.error));
            for (int k = 0; k < all[c].width; k++) values[i][c][k] = columns[k].x;
        }
    }
    CrdScene scene = {model, y, y + model->structure->nq};
    for (int c = 0; c < count; c++) {
        const CrdLawMeasure it = crd_channel_measure(all[c]);
        Sum sum = {.look = &l};
        if (!crd_has_gradient(model, &it)) continue;
        must(&l, crd_measure_gradient(&scene, &l.actions, &l.w, &it, add_slopes, &sum, &l.error));
        for (int k = 0; k < all[c].width; k++) {
            double at[5];
            for (int i = 0; i < 5; i++) at[i] = values[i][c][k];
            compare(&l, &all[c], k, at, &sum);
        }
    }
    close_look(&l);
}

static void gradients_of_the_channels_of_every_model_equal_differences(void **state) {
    (void)state;
    DIR *dir = opendir("models");
    assert_non_null(dir);
    compared = 0;
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char path[512];
        Random random = {31};
        if (strstr(entry->d_name, ".yaml") == NULL) continue;
        snprintf(path, sizeof path, "models/%s", entry->d_name);
        CardanModel *model = scene_load(path);
        if (model->structure->nv <= WIDE_MODEL)
            look_at(model, entry->d_name, &random);
        else
            cardan_model_release(model);
    }
    closedir(dir);
    assert_true(compared > 4000);
}

static void gradients_on_custom_blocks_and_callbacks_equal_differences(void **state) {
    (void)state;
    compared = 0;
    for (int i = 0; i < RANDOM_MODELS; i++) {
        Random random = {4100 + (uint64_t)(11 * i)};
        Recipe recipe = random_recipe(&random, (CardanSpace)(i % 2));
        char name[64];
        recipe.exact = i % 4 >= 2;
        snprintf(name, sizeof name, "random mechanism %d", i);
        look_at(describe(&recipe, 0, 0, false), name, &random);
    }
    CardanModel *model = NULL;
    CardanBuilder *builder = rich_model();
    Random random = {29};
    if (cardan_builder_compile(builder, &model) < 0) fail_msg("%s", cardan_builder_message(builder));
    cardan_builder_destroy(builder);
    look_at(model, "one of everything", &random);
    assert_true(compared > 2000);
}

static void gradients_through_laws_that_read_forces_and_momenta_equal_differences(void **state) {
    (void)state;
    Random random = {71};
    look_at(scene_read(READING_IN_SPACE), "laws in space", &random);
    look_at(scene_read(READING_IN_THE_PLANE), "laws in the plane", &random);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_of_the_channels_of_every_model_equal_differences),
        cmocka_unit_test(gradients_on_custom_blocks_and_callbacks_equal_differences),
        cmocka_unit_test(gradients_through_laws_that_read_forces_and_momenta_equal_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
