/* Which elements the singularity watch looks at: bridges of graphs against removal of each edge, models of every kind,
 * rows that are not watched against the rank of all, and what a watch without anything to see costs. */
#include "dynamics/rank_look.h"
#include "fuzz/bytes.h"
#include "guard/singular/singular.h"
#include "mechanisms.h"
#include "model/bridges.h"
#include "sim/sim.h"
#include "support/check.h"
#include "support/made_model.h"
#include "support/random.h"
#include "support/scene.h"

#include <dirent.h>

/* ---- bridges ---- */

enum { VERTICES = 9, EDGES = 14, GRAPHS = 3000 };

/* Are the ends of an edge still joined without it? By spreading a mark until nothing changes. */
static bool is_joined_without(const CrdEdge *edges, int count, int out) {
    bool mark[VERTICES] = {false}, grows = true;
    mark[edges[out].a] = true;
    while (grows) {
        grows = false;
        for (int i = 0; i < count; i++) {
            if (i == out || mark[edges[i].a] == mark[edges[i].b]) continue;
            mark[edges[i].a] = mark[edges[i].b] = grows = true;
        }
    }
    return mark[edges[out].b];
}

static void bridges_are_the_edges_whose_removal_parts_their_ends(void **state) {
    (void)state;
    Random seed = {7};
    int bridges = 0, others = 0;
    for (int graph = 0; graph < GRAPHS; graph++) {
        CrdEdge edges[EDGES];
        bool is_bridge[EDGES];
        CrdError error = {0};
        int vertices = 1 + random_index(&seed, VERTICES), count = random_index(&seed, EDGES + 1);
        for (int i = 0; i < count; i++)
            edges[i] = (CrdEdge){random_index(&seed, vertices), random_index(&seed, vertices)};
        assert_int_equal(crd_find_bridges(vertices, count, edges, is_bridge, &error), CARDAN_OK);
        for (int i = 0; i < count; i++) {
            if (is_bridge[i] == is_joined_without(edges, count, i)) fail_msg("graph %d, edge %d", graph, i);
            bridges += is_bridge[i];
            others += !is_bridge[i];
        }
    }
    assert_true(bridges > GRAPHS && others > GRAPHS);
}

static void bridges_of_a_long_chain_need_no_deep_stack(void **state) {
    (void)state;
    enum { LONG = 1000000 };
    CrdEdge *edges = room(LONG, sizeof *edges);
    bool *is_bridge = room(LONG, sizeof *is_bridge);
    CrdError error = {0};
    for (int i = 0; i < LONG; i++) edges[i] = (CrdEdge){i, i + 1};
    assert_int_equal(crd_find_bridges(LONG + 1, LONG, edges, is_bridge, &error), CARDAN_OK);
    for (int i = 0; i < LONG; i++) assert_true(is_bridge[i]);
    edges[LONG - 1] = (CrdEdge){LONG - 1, LONG / 2}; /* a ring at its end */
    assert_int_equal(crd_find_bridges(LONG + 1, LONG, edges, is_bridge, &error), CARDAN_OK);
    for (int i = 0; i < LONG; i++) assert_int_equal(is_bridge[i], i < LONG / 2);
    free(edges);
    free(is_bridge);
}

/* ---- models ---- */

#define PLANE                                                                                                          \
    "cardan: 1\nspace: planar\nbodies:\n  a: {mass: 1, inertia: 1, position: [1, 0]}\n"                                \
    "  b: {mass: 1, inertia: 1, position: [2, 0]}\n  c: {mass: 1, inertia: 1, position: [3, 1]}\njoints:\n"
#define SPACE                                                                                                          \
    "cardan: 1\nspace: spatial\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"                    \
    "  b: {mass: 1, inertia: [1, 1, 1], position: [2, 0, 0]}\njoints:\n"
#define PIN(name, of, on, x) "  " name ": {type: revolute, bodies: [" of ", " on "], point: [" x ", 0]}\n"
#define HINGE(name, of, on, x)                                                                                         \
    "  " name ": {type: revolute, bodies: [" of ", " on "], point: [" x ", 0, 0], axis: [0, 0, 1]}\n"

typedef struct Case {
    const char *what, *text, *watched; /* names of joints, in the order of the description */
} Case;

static const Case CASES[] = {
    {"a tree", PLANE PIN("j", "ground", "a", "0") PIN("k", "a", "b", "1") PIN("l", "a", "c", "2"), ""},
    {"a tree that hangs on nothing", PLANE PIN("k", "a", "b", "1") PIN("l", "b", "c", "2"), ""},
    {"a loop with a branch",
     PLANE PIN("j", "ground", "a", "0") PIN("k", "a", "b", "1.5") PIN("l", "b", "ground", "3") PIN("m", "b", "c", "2"),
     "j k l "},
    {"two hinges of one door",
     SPACE HINGE("j", "ground", "a", "0") HINGE("k", "a", "ground", "1") HINGE("l", "a", "b", "2"), "j k "},
    {"a driver on a joint of a tree",
     PLANE PIN("j", "ground", "a", "0") PIN("k", "a", "b", "1") "  d: {type: driver, joint: k, value: t}\n", ""},
    {"a driver on a joint of a loop",
     PLANE PIN("j", "ground", "a", "0") PIN("k", "a", "b", "1.5")
         PIN("l", "b", "ground", "3") "  d: {type: driver, joint: j, value: 0.1*t}\n",
     "j k l d "},
    {"gears on a tree",
     PLANE PIN("j", "ground", "a", "0") PIN("k", "ground", "b", "1") "  d: {type: coupler, joints: {j: 1, k: 2}}\n",
     ""},
    {"gears and a driver on one joint",
     PLANE PIN("j", "ground", "a", "0")
         PIN("k", "ground", "b",
             "1") "  d: {type: coupler, joints: {j: 1, k: 2}}\n  e: {type: driver, joint: k, value: t}\n",
     "j k d e "},
    {"a gear between a loop and a branch",
     PLANE PIN("j", "ground", "a", "0") PIN("k", "a", "b", "1.5") PIN("l", "b", "ground", "3")
         PIN("m", "ground", "c", "4") "  d: {type: coupler, joints: {j: 1, m: 2}}\n",
     "j k l m d "},
    {"a body that is led", PLANE PIN("k", "a", "b", "1") "  d: {type: driver, body: a, path: [1 + t, 0]}\n", ""},
    {"two bodies of one chain that are led",
     PLANE PIN("k", "a", "b",
               "1.5") "  d: {type: driver, body: a, path: [1, 0]}\n  e: {type: driver, body: b, path: [2, 0]}\n",
     "k d e "},
    {"a bar", PLANE "  d: {type: distance, bodies: [ground, a], local: {a: [0, 0], b: [0, 0]}}\n", ""},
    {"a bar that is driven",
     PLANE "  d: {type: distance, bodies: [ground, a], local: {a: [0, 0], b: [0, 0]}, length: 1 - t}\n" PIN("k", "a",
                                                                                                            "b", "1"),
     "d "},
    {"a curve",
     PLANE "  d: {type: curve, bodies: [ground, a], point: [1, 0], path: [s, s^2 - 1]}\n" PIN("k", "a", "b", "1"),
     "d "},
    {"a wheel", PLANE "  d: {type: rolling, bodies: [ground, a], point: [0, -1], normal: [0, 1], radius: 1}\n", "d "},
    {"a skate", PLANE "  d: {type: knife_edge, bodies: [ground, a], point: [1, 0], axis: [0, 1]}\n", ""},
    {"a compliant loop",
     PLANE PIN("j", "ground", "a", "0")
         PIN("k", "a", "b",
             "1.5") "  l: {type: revolute, bodies: [b, ground], point: [3, 0], compliant: {stiffness: 1e5}}\n",
     ""},
};

static void names_of(const CardanModel *model, char *names, size_t size) {
    const CrdStructure *structure = model->structure;
    names[0] = '\0';
    for (int j = 0; j < structure->joint_count; j++)
        for (int i = 0; i < structure->watched_count; i++)
            if (structure->watched[i] == structure->element_of_joint[j]) {
                strncat(names, cardan_model_joint_name(model, (CardanJoint){j + 1}), size - strlen(names) - 2);
                strcat(names, " ");
            }
}

static void only_joints_on_cycles_and_those_that_can_vanish_are_watched(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char names[256];
        CardanModel *model = scene_read(CASES[i].text);
        names_of(model, names, sizeof names);
        if (strcmp(names, CASES[i].watched) != 0)
            fail_msg("%s: watched are '%s', not '%s'", CASES[i].what, names, CASES[i].watched);
        cardan_model_release(model);
    }
}

/* ---- rank ---- */

/* A dependency of the rows must not touch one that is not watched: without those the rank falls by their number.
 * Elimination with complete pivoting of the rows scaled to length 1. */
static int rank_of(double *rows, int n, int columns) {
    int rank = 0;
    for (; rank < n && rank < columns; rank++) {
        int r = rank, c = rank;
        for (int i = rank; i < n; i++)
            for (int k = rank; k < columns; k++)
                if (fabs(rows[i * columns + k]) > fabs(rows[r * columns + c])) r = i, c = k;
        if (fabs(rows[r * columns + c]) < 1e-9) break;
        for (int k = 0; k < columns; k++) {
            double swap = rows[r * columns + k];
            rows[r * columns + k] = rows[rank * columns + k];
            rows[rank * columns + k] = swap;
        }
        for (int i = 0; i < n; i++) {
            double swap = rows[i * columns + c];
            rows[i * columns + c] = rows[i * columns + rank];
            rows[i * columns + rank] = swap;
        }
        for (int i = rank + 1; i < n; i++) {
            double l = rows[i * columns + rank] / rows[rank * columns + rank];
            for (int k = rank; k < columns; k++) rows[i * columns + k] -= l * rows[rank * columns + k];
        }
    }
    return rank;
}

/* Rows of the workspace, of watched elements alone or of all; how many. */
static int fill_rows(const CrdStructure *structure, const double *G, const bool *takes, double *rows) {
    int n = 0;
    for (int e = 0; e < structure->element_count; e++) {
        const CrdElement *element = &structure->elements[e];
        if (takes != NULL && !takes[e]) continue;
        for (int r = 0; r < element->rows; r++, n++) {
            double *row = rows + (size_t)n * (size_t)structure->nv;
            memset(row, 0, (size_t)structure->nv * sizeof *row);
            for (int i = element->incidence; i < element->incidence + element->incidences; i++) {
                const CrdIncidence *in = &structure->incidences[i];
                memcpy(row + in->v, G + in->g + r * in->width, (size_t)in->width * sizeof *row);
            }
            double length = norm_of(row, structure->nv);
            for (int k = 0; length > 0.0 && k < structure->nv; k++) row[k] /= length;
        }
    }
    return n;
}

/* How many rows are not watched. */
static int check_rank(const CardanModel *model, const CrdSystem *system, const char *name) {
    const CrdStructure *structure = model->structure;
    double *rows = room((size_t)structure->rows * (size_t)structure->nv, sizeof *rows);
    bool *takes = room((size_t)structure->element_count, sizeof *takes);
    for (int i = 0; i < structure->watched_count; i++) takes[structure->watched[i]] = true;
    int all = rank_of(rows, fill_rows(structure, system->G, NULL, rows), structure->nv);
    int watched = fill_rows(structure, system->G, takes, rows), left = structure->rows - watched;
    int rank = rank_of(rows, watched, structure->nv);
    if (all != rank + left)
        fail_msg("%s: all rows have rank %d, the watched ones %d, and %d are not watched", name, all, rank, left);
    free(takes);
    free(rows);
    return left;
}

static void rows_of_model_files_that_are_not_watched_depend_on_no_others(void **state) {
    (void)state;
    DIR *folder = opendir("models");
    assert_non_null(folder);
    int models = 0, left = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[300];
        const char *end = strrchr(entry->d_name, '.');
        if (end == NULL || strcmp(end, ".yaml") != 0) continue;
        snprintf(path, sizeof path, "models/%s", entry->d_name);
        CardanModel *model = scene_load(path);
        CardanOptions options = cardan_model_options(model);
        options.coordinates = CARDAN_COORDINATES_ABSOLUTE; /* so that rows are evaluated at all */
        CardanSim *sim = scene_start(model, &options);
        left += check_rank(model, &sim->integrator.dynamics.system, entry->d_name);
        models++;
        cardan_sim_destroy(sim);
        cardan_model_release(model);
    }
    closedir(folder);
    assert_true(models > 40 && left > 100);
}

/* Poses as written, whatever the joints say of them: dependencies come about by themselves. */
static void rows_of_made_models_that_are_not_watched_depend_on_no_others(void **state) {
    (void)state;
    int models = 0, left = 0;
    for (unsigned seed = 1; seed <= 2000; seed++) {
        unsigned char noise[256];
        Random random = {seed};
        for (size_t i = 0; i < sizeof noise; i++) noise[i] = (unsigned char)random_index(&random, 256);
        Bytes bytes = bytes_of(noise, sizeof noise);
        Made made;
        CardanModel *model = NULL;
        made_model(&made, &bytes, false);
        CardanStatus status = cardan_builder_compile(made.builder, &model);
        cardan_builder_destroy(made.builder);
        if (status < 0 || model->structure->rows == 0) {
            cardan_model_release(model);
            continue;
        }
        CrdSystem system = {0};
        CrdArena arena = {0};
        CrdError error = {0};
        CrdActions none = {0};
        crd_system_layout(&system, model->structure, &arena);
        assert_true(crd_arena_allocate(&arena));
        crd_system_layout(&system, model->structure, &arena);
        const double *q = model->values.q0, *v = model->values.v0;
        if (crd_kinematics(model, 0.0, q, v, &system, &error) >= 0 &&
            crd_constraints(model, q, v, &none, &system, &error) >= 0) {
            char name[32];
            snprintf(name, sizeof name, "made model %u", seed);
            left += check_rank(model, &system, name);
            models++;
        }
        crd_arena_free(&arena);
        cardan_model_release(model);
    }
    if (models < 500 || left < 500) fail_msg("%d models with %d rows that are not watched", models, left);
}

/* ---- the weakest rows ---- */

enum { LINKS = 20 };

/* A slider-crank of equal lengths this far from its pose, and a chain beside it that makes the model large. */
static CardanModel *slider_crank_and_chain(double off) {
    CardanBuilder *builder = mechanism_slider_crank(1.0, 1.0, 1.5707963267948966 - off);
    CardanBody last = {0};
    for (int i = 0; i < LINKS; i++) {
        char name[32];
        CardanBodyDef body = cardan_default_body();
        snprintf(name, sizeof name, "link%d", i);
        body.name = name;
        body.mass = 1.0;
        body.inertia.zz = 0.1;
        body.pose.p = (CardanVec3){5.5 + i, 0.3 * (i % 2), 0.0};
        CardanBody link = cardan_builder_add_body(builder, &body);
        CardanJointDef joint = cardan_default_joint(CARDAN_JOINT_REVOLUTE);
        snprintf(name, sizeof name, "hinge%d", i);
        joint.name = name;
        joint.a = last;
        joint.b = link;
        joint.point = (CardanVec3){5.0 + i, 0.0, 0.0};
        cardan_builder_add_joint(builder, &joint);
        last = link;
    }
    return scene_compile(builder);
}

static void inverse_iteration_finds_the_weakest_row_of_a_dense_look(void **state) {
    (void)state;
    static const double OFF[] = {1e-2, 1e-3, 1e-4};
    for (size_t i = 0; i < sizeof OFF / sizeof *OFF; i++) {
        CardanModel *model = slider_crank_and_chain(OFF[i]);
        CardanOptions options = cardan_default_options();
        CardanSim *sim = scene_start(model, &options);
        CrdDynamics *dynamics = &sim->integrator.dynamics;
        CrdSpectrum *spectrum = &dynamics->spectrum;
        const CrdWeakest *weakest = &dynamics->geometry.weakest;
        const double *y = sim->integrator.stepper.y;
        assert_true(crd_evaluate_constraints(dynamics, 0.0, y, y + model->structure->nq) >= 0);
        assert_true(crd_weakest_pays(dynamics) && crd_weakest_look(dynamics) && dynamics->reveals);
        assert_true(crd_spectrum_take_kinematic(spectrum, &dynamics->system, false, NULL) >= 0);
        int rows = model->structure->rows;
        const double *u = spectrum->u + (size_t)(rows - 1) * (size_t)rows;
        double same = 0.0, top = spectrum->sigma[0];
        for (int r = 0; r < rows; r++) same += u[r] * weakest->u[0][r];
        /* Squares of values are known to 1e-16 in K K^T, but the value is that of K u: to rounding over the gap. */
        check_near(weakest->sigma[0], spectrum->sigma[rows - 1], 1e-12, "weakest value, %g off", OFF[i]);
        check_near(fabs(same), 1.0, 1e-9, "its rows, %g off", OFF[i]);
        check_between(weakest->sigma[1], (1.0 - 1e-9) * spectrum->sigma[rows - 2], 2.0 * spectrum->sigma[rows - 2],
                      "the next value");
        check_between(weakest->sigma_max, 0.7 * top, (1.0 + 1e-12) * top, "a bound for the largest");
        bool mark[64] = {false};
        assert_true(model->structure->element_count <= 64 && crd_singular_elements(dynamics, mark));
        for (int j = 0; j < model->structure->joint_count; j++) {
            const char *name = cardan_model_joint_name(model, (CardanJoint){j + 1});
            bool crank = strncmp(name, "hinge", 5) != 0;
            if (mark[model->structure->element_of_joint[j]] != crank) fail_msg("%s, %g off the pose", name, OFF[i]);
        }
        cardan_sim_destroy(sim);
        cardan_model_release(model);
    }
}

/* ---- what it costs ---- */

static bool has_guard(const CardanSim *sim, const CrdGuard *guard) {
    for (int i = 0; i < sim->integrator.guards.count; i++)
        if (sim->integrator.guards.guard[i] == guard) return true;
    return false;
}

static void a_tree_is_not_looked_at(void **state) {
    (void)state;
    static const char *const TREES[] = {"models/double_pendulum.yaml", "models/triple_pendulum.yaml",
                                        "models/six_axis_arm.yaml", "models/heavy_top.yaml"};
    for (size_t i = 0; i < sizeof TREES / sizeof *TREES; i++) {
        CardanModel *model = scene_load(TREES[i]);
        CardanOptions options = cardan_model_options(model);
        CardanSim *sim = scene_start(model, &options);
        scene_advance(sim, 1.0);
        CardanWork work;
        assert_int_equal(cardan_sim_work(sim, &work), CARDAN_OK);
        if (model->structure->watched_count != 0 || work.alarms != 0 || sim->integrator.dynamics.geometry.looks != 0)
            fail_msg("%s: %d elements are watched, %ld alarms, %ld looks", TREES[i], model->structure->watched_count,
                     work.alarms, sim->integrator.dynamics.geometry.looks);
        assert_false(has_guard(sim, &crd_singular_guard));
        cardan_sim_destroy(sim);
        cardan_model_release(model);
    }
}

/* Factorisations for each right-hand side of a run to its end. */
static double factors_of(const char *path, long *alarms) {
    CardanModel *model = scene_load(path);
    CardanOptions options = cardan_model_options(model);
    CardanSim *sim = scene_start(model, &options);
    CardanWork before, after;
    assert_int_equal(cardan_sim_work(sim, &before), CARDAN_OK);
    scene_advance(sim, options.end);
    assert_int_equal(cardan_sim_work(sim, &after), CARDAN_OK);
    assert_true(model->structure->watched_count > 0 && has_guard(sim, &crd_singular_guard));
    *alarms = after.alarms - before.alarms;
    cardan_sim_destroy(sim);
    cardan_model_release(model);
    return (double)(after.factorisations - before.factorisations) / (double)(after.rhs - before.rhs);
}

/* In the coordinates that `auto` chooses; what was found is printed. */
static void a_loop_away_from_poses_is_factored_once_for_each_evaluation(void **state) {
    (void)state;
    static const char *const LOOPS[] = {"models/four_bar.yaml",
                                        "models/crank_rocker.yaml",
                                        "models/watt_six_bar.yaml",
                                        "models/slider_crank.yaml",
                                        "models/stephenson_six_bar.yaml",
                                        "models/andrews.yaml",
                                        "models/delta_robot.yaml",
                                        "models/bricard.yaml",
                                        "models/bennett.yaml"};
    for (size_t i = 0; i < sizeof LOOPS / sizeof *LOOPS; i++) {
        long alarms;
        double factors = factors_of(LOOPS[i], &alarms);
        print_message("%s: %.3f factorisations for each right-hand side, %ld alarms\n", LOOPS[i], factors, alarms);
        if (factors > 1.05)
            fail_msg("%s: %.3f factorisations for each right-hand side, %ld alarms", LOOPS[i], factors, alarms);
    }
}

/* Four-bars through their flat poses, and past them. */
static void a_loop_that_passes_poses_raises_alarms(void **state) {
    (void)state;
    long alarms;
    factors_of("models/double_four_bar.yaml", &alarms);
    assert_true(alarms > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bridges_are_the_edges_whose_removal_parts_their_ends),
        cmocka_unit_test(bridges_of_a_long_chain_need_no_deep_stack),
        cmocka_unit_test(only_joints_on_cycles_and_those_that_can_vanish_are_watched),
        cmocka_unit_test(rows_of_model_files_that_are_not_watched_depend_on_no_others),
        cmocka_unit_test(rows_of_made_models_that_are_not_watched_depend_on_no_others),
        cmocka_unit_test(inverse_iteration_finds_the_weakest_row_of_a_dense_look),
        cmocka_unit_test(a_tree_is_not_looked_at),
        cmocka_unit_test(a_loop_away_from_poses_is_factored_once_for_each_evaluation),
        cmocka_unit_test(a_loop_that_passes_poses_raises_alarms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
