/* Reactions of joints from relative coordinates, by the tree's own sweep, against those of the absolute equations at
 * the same state: a simulation gives both, since the condition of S can only be had with the factor of all rows. */
#include "core/numbers.h"
#include "property/random_tree.h"
#include "sim/sim.h"
#include "support/check.h"
#include "support/reading.h"
#include "support/sample.h"
#include "support/scene.h"

#include <dirent.h>

enum { ROOM = 400 };

/* Of the largest load: rounding of both ways, as in test_relative. */
static const double EQUAL = 1e-10;

/* From this pivot of S on a plain solve is that exact. */
static const double PIVOT = 1e-3;

/* N. Bodies of some kg at some m/s push with tens; a loop that pushes so much more is 1e-6 from a pose, or nearer, and
 * rounding of the pose alone changes what it does by more than EQUAL. */
static const double NEXT_TO_A_POSE = 1e7;

typedef struct Asked {
    int count, joint[ROOM];
    CardanChannel list[ROOM + 1]; /* reactions, and the condition after them */
} Asked;

static Asked reactions_of(const CardanModel *model) {
    Asked asked = {0};
    for (int j = 1; j <= cardan_model_sizes(model).joints && asked.count < ROOM; j++) {
        char name[200];
        snprintf(name, sizeof name, "%s.reaction", cardan_model_joint_name(model, (CardanJoint){j}));
        asked.joint[asked.count] = j;
        if (cardan_model_find_channel(model, name, &asked.list[asked.count], NULL, 0) >= 0) asked.count++;
    }
    MUST(cardan_model_find_channel(model, "condition", &asked.list[asked.count], NULL, 0));
    return asked;
}

typedef struct Found {
    int compared, reactions, loose;
} Found;

/* What rounding of places becomes in loads of stiff joints. */
static double rounding_of(const CardanModel *model) {
    double most = 0.0;
    for (int e = 0; e < model->structure->element_count; e++)
        if (model->structure->elements[e].compliant > 0) most = fmax(most, model->values.joints[e].stiffness[0]);
    return CRD_EPS * model->values.size * most;
}

/* Both ways at t; where the reaction of a joint is not unique both make the least choice. */
static bool compare(CardanSim *sim, const Asked *asked, double t, const char *name, Found *found) {
    double tree[6 * ROOM], whole[6 * ROOM + 1], size = 0.0, length = sim->model->values.size, max = 0.0;
    if (cardan_sim_sample(sim, t, asked->count, asked->list, tree) < 0) return false;
    MUST(cardan_sim_sample(sim, t, asked->count + 1, asked->list, whole));
    const double *x = tree, *y = whole;
    for (int i = 0; i < asked->count; x += asked->list[i].width, y += asked->list[i].width, i++)
        for (int k = 0; k < asked->list[i].width; k++) {
            double unit = k < asked->list[i].width / 2 + asked->list[i].width % 2 ? 1.0 : length;
            size = fmax(size, fabs(y[k]) / unit);
            max = fmax(max, fabs(x[k] - y[k]) / unit);
        }
    if (*y < PIVOT || size > NEXT_TO_A_POSE) return false; /* the absolute way has lost digits */
    if (!(max <= EQUAL * size + rounding_of(sim->model)))
        fail_msg("%s: reactions differ by %.2g of the largest at t = %.9g, condition %.2g", name, max / size, t, *y);
    found->reactions += asked->count;
    found->compared++;
    return true;
}

/* The flags at the present state, against those of a simulation in absolute coordinates alone. */
static void compare_flags(CardanSim *sim, const Asked *asked, const char *name, Found *found) {
    CardanOptions options = sim->integrator.options;
    options.coordinates = CARDAN_COORDINATES_ABSOLUTE;
    CardanSim *other = NULL;
    const CardanModel *model = sim->model;
    if (cardan_sim_create(model, &options, &other) >= 0 &&
        cardan_sim_set_motion(other, cardan_sim_time(sim), cardan_sim_positions(sim), cardan_sim_velocities(sim)) >= 0)
        for (int i = 0; i < asked->count; i++) {
            CardanJoint joint = {asked->joint[i]};
            bool here, there;
            MUST(cardan_sim_reaction_unique(sim, joint, &here));
            MUST(cardan_sim_reaction_unique(other, joint, &there));
            if (here != there)
                fail_msg("%s: '%s' unique %d, %d", name, cardan_model_joint_name(model, joint), here, there);
            found->loose += !here;
        }
    cardan_sim_destroy(other);
}

/* At the start, in and after some steps. */
static bool look(CardanSim *sim, const CardanModel *model, int steps, const char *name, Found *found) {
    Asked asked = reactions_of(model);
    bool any = sim->relative.leads && compare(sim, &asked, cardan_sim_time(sim), name, found);
    for (int k = 0; k < steps; k++) {
        if (cardan_sim_step(sim, (double)INFINITY) < 0) break;
        if (!sim->relative.made) continue;
        double t = cardan_sim_time(sim), h = cardan_sim_last_step(sim);
        any = compare(sim, &asked, t - 0.4 * h, name, found) || any;
        any = compare(sim, &asked, t, name, found) || any;
    }
    if (any) compare_flags(sim, &asked, name, found);
    return any;
}

static void every_model_has_the_reactions_of_absolute_coordinates(void **state) {
    (void)state;
    DIR *folder = opendir("models");
    assert_non_null(folder);
    Found found = {0};
    int models = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (strstr(entry->d_name, ".yaml") == NULL || !sample_has_name(entry->d_name, 3)) continue;
        char path[300];
        snprintf(path, sizeof path, "models/%s", entry->d_name);
        CardanModel *model = scene_load(path);
        CardanOptions options = cardan_model_options(model);
        options.coordinates = CARDAN_COORDINATES_RELATIVE;
        CardanSim *sim = NULL;
        if (cardan_sim_create(model, &options, &sim) >= 0) models += look(sim, model, 2, path, &found);
        cardan_sim_destroy(sim);
        cardan_model_release(model);
    }
    closedir(folder);
    print_message("%d models, %d states, %d reactions; %d joints whose reaction is not unique\n", models,
                  found.compared, found.reactions, found.loose);
    assert_true(models > sample_of(35, 5) && found.loose > sample_of(10, 10));
}

static void random_trees_with_loops_have_them_too(void **state) {
    (void)state;
    Random random = {17};
    Found found = {0};
    int loops = 0;
    for (int i = 0; i < 2000 && loops < sample_of(500, 10); i++) {
        Recipe recipe;
        CardanSpace space = i % 3 == 0 ? CARDAN_SPACE_PLANAR : CARDAN_SPACE_SPATIAL;
        CardanModel *model = random_tree(&random, space, i % 4 > 0, CARDAN_START_PROJECT, &recipe);
        CardanOptions options = cardan_default_options();
        options.coordinates = CARDAN_COORDINATES_RELATIVE;
        CardanSim *sim = NULL;
        if (cardan_sim_create(model, &options, &sim) >= 0 && sim->relative.model->structure->rows > 0)
            loops += look(sim, model, 1, "tree", &found);
        cardan_sim_destroy(sim);
        cardan_model_release(model);
    }
    print_message("%d trees with loops, %d states, %d reactions; %d joints whose reaction is not unique\n", loops,
                  found.compared, found.reactions, found.loose);
    assert_int_equal(loops, sample_of(500, 10));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_model_has_the_reactions_of_absolute_coordinates),
        cmocka_unit_test(random_trees_with_loops_have_them_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
