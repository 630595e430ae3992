/* Relative coordinates against absolute ones: the same frames, energies, accelerations and multipliers. */
#include "property/random_tree.h"
#include "property/relative_fixture.h"
#include "support/check.h"
#include "support/scene.h"

#include "analysis/rank.h"
#include "core/numbers.h"
#include "sim/sim.h"

#include <dirent.h>

/* Rounding of accelerations and multipliers, as a part of the largest: both ways lose digits with the masses, which
 * differ by up to 1000, and with the pivots of S. From this one on a plain solve is that exact; down to the smaller one
 * a refined solve is. */
static const double EQUAL = 1e-10;
static const double PIVOT = 1e-3, LEAST = 1e-5;
static const double CLOSED = 1e-12; /* rounding of frames and rows, of a few metres and m/s */

static bool compare(Both *both, const char *name, long which) {
    if (evaluate_both(both) < 0) return false;
    double pivot = fmin(both->a.d.factor.pivot_last, both->r.d.factor.pivot_last);
    if (pivot < LEAST) return false;
    if (pivot < PIVOT) refine_relative(both);
    double scale = fmax(1.0, both->absolute->values.size);
    double frames = frame_difference(both) / scale, residual = tree_residual(both) / scale;
    double a = acceleration_difference(both), lambda = multiplier_difference(both),
           reactions = reaction_difference(both);
    double kinetic[2] = {crd_kinetic(both->absolute, &both->a.d.system, both->a.v),
                         crd_kinetic(both->relative, &both->r.d.system, both->r.v)};
    double potential[2] = {crd_potential(both->absolute, &both->a.d.system),
                           crd_potential(both->relative, &both->r.d.system)};
    double energies = fabs(kinetic[0] - kinetic[1]) / fmax(kinetic[0], 1e-300) +
                      fabs(potential[0] - potential[1]) / fmax(1.0, fabs(potential[0]));
    if (!(a <= EQUAL && lambda <= EQUAL && reactions <= EQUAL && frames <= CLOSED && residual <= CLOSED &&
          energies <= CLOSED))
        fail_msg("%s %ld: accelerations differ by %.2g, multipliers %.2g, reactions %.2g, frames %.2g, energies %.2g; "
                 "tree rows %.2g; "
                 "pivots %.2g and %.2g",
                 name, which, a, lambda, reactions, frames, energies, residual, both->a.d.factor.pivot_last,
                 both->r.d.factor.pivot_last);
    return true;
}

static void every_model_moves_in_relative_coordinates_as_in_absolute_ones(void **state) {
    (void)state;
    DIR *folder = opendir("models");
    assert_non_null(folder);
    int compared = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (strstr(entry->d_name, ".yaml") == NULL) continue;
        char path[300], message[1100];
        snprintf(path, sizeof path, "models/%s", entry->d_name);
        CardanModel *model;
        Both both;
        if (cardan_model_load(path, &model, message, sizeof message) < 0) fail_msg("%s", message);
        if (!open_both(&both, model, message, sizeof message)) {
            print_message("%s: %s\n", path, message);
            continue;
        }
        Random random = {7};
        bool done = false;
        for (int k = 0; k < 3; k++) {
            move_off(&both, &random, 0.1);
            done = compare(&both, path, k) || done;
        }
        if (!done) print_message("%s: %s %s\n", path, both.a.error.text, both.r.error.text);
        compared += done;
        close_both(&both);
    }
    closedir(folder);
    assert_in_range(compared, 30, 200);
}

/* Has some loop two bodies on one link that moves? Wrenches that stop where their ways meet would be right elsewhere.
 */
static bool has_moving_ancestor(const CrdStructure *s) {
    const CrdTree *tree = s->tree;
    for (int e = 0; e < s->element_count; e++) {
        if (s->elements[e].rows == 0 || s->elements[e].attachments < 2) continue;
        int a = tree->link_of[crd_element_frame(s, e, 0)], b = tree->link_of[crd_element_frame(s, e, 1)];
        while (a != b && a >= 0 && b >= 0)
            if (a > b)
                a = tree->links[a].parent;
            else
                b = tree->links[b].parent;
        for (; a == b && a >= 0; a = b = tree->links[a].parent)
            if (tree->links[a].nv > 0) return true;
    }
    return false;
}

static void random_trees_with_loops_move_as_in_absolute_coordinates(void **state) {
    (void)state;
    Random random = {3};
    int compared = 0, moving = 0, loops = 0;
    for (int i = 0; i < 2700 && compared < 900; i++) {
        Recipe recipe;
        Both both;
        char message[1100];
        CardanSpace space = i % 3 == 0 ? CARDAN_SPACE_PLANAR : CARDAN_SPACE_SPATIAL;
        assert_true(open_both(&both, random_tree(&random, space, i % 4 > 0, CARDAN_START_DEFAULT, &recipe), message,
                              sizeof message));
        move_off(&both, &random, 0.3);
        if (compare(&both, "tree", i)) {
            compared++;
            loops += both.relative->structure->rows > 0;
            moving += has_moving_ancestor(both.relative->structure);
        }
        close_both(&both);
    }
    print_message("%d compared, %d with loops, %d of them with a common ancestor that moves\n", compared, loops,
                  moving);
    assert_true(moving >= 500);
}

/* ---- states ---- */

static void coordinates_are_found_again_from_the_frames(void **state) {
    (void)state;
    Random random = {11};
    for (int i = 0; i < 200; i++) {
        Recipe recipe;
        Both both;
        char message[1100];
        CardanSpace space = i % 3 == 0 ? CARDAN_SPACE_PLANAR : CARDAN_SPACE_SPATIAL;
        assert_true(open_both(&both, random_tree(&random, space, true, CARDAN_START_DEFAULT, &recipe), message,
                              sizeof message));
        const CrdStructure *s = both.relative->structure;
        move_off(&both, &random, 0.8);
        crd_normalise(s, both.r.q);
        double *q = crd_new((size_t)s->nq + 1, sizeof *q), *v = crd_new((size_t)s->nv + 1, sizeof *v);
        double *tracked = crd_new((size_t)s->tree->absolute->tracked_count + 1, sizeof *tracked);
        CrdSystem *system = &both.r.d.system;
        assert_true(crd_kinematics(both.relative, 0.0, both.r.q, both.r.v, system, &both.r.error) >= 0);
        for (int k = 0; k < s->tree->counted_count; k++)
            tracked[s->tree->counted[k].tracked] = s->tree->counted[k].sign * both.r.q[s->tree->counted[k].q] + 0.5;
        crd_relative_from_frames(both.relative, system->frames, tracked, q, v);
        for (int b = 0; b < s->block_count; b++) { /* a quaternion and its negative are one turn */
            int at = crd_block_quaternion(&s->blocks[b]);
            double *p = both.r.q + s->blocks[b].q + at, *same = q + s->blocks[b].q + at, sign = 0.0;
            for (int k = 0; at >= 0 && k < 4; k++) sign += p[k] * same[k];
            for (int k = 0; sign < 0.0 && k < 4; k++) same[k] = -same[k];
        }
        for (int b = 0; b < s->block_count; b++) { /* only tracked angles count turns */
            const CrdLink *link = &s->tree->links[b];
            int element = s->tree->origins[b].element;
            bool counts = element < 0 || s->elements[element].tracked >= 0;
            if (link->kind == CRD_LINK_REVOLUTE && space == CARDAN_SPACE_SPATIAL && !counts)
                q[link->q] += 2.0 * CRD_PI * round((both.r.q[link->q] - q[link->q]) / (2.0 * CRD_PI));
        }
        for (int k = 0; k < s->nq; k++) check_near(q[k], both.r.q[k], 1e-11, "tree %d, coordinate %d", i, k);
        for (int k = 0; k < s->nv; k++) check_near(v[k], both.r.v[k], 1e-11, "tree %d, velocity %d", i, k);
        CRD_DELETE_ALL(q, v, tracked);
        close_both(&both);
    }
}

static void counted_angles_keep_their_turns(void **state) {
    (void)state;
    CardanModel *model = scene_load("models/bricard.yaml"), *relative;
    CrdError error = {0};
    assert_true(crd_relative_create(model, &relative, &error) >= 0 && relative != NULL);
    const CrdStructure *s = relative->structure;
    CardanFrame *frames = crd_new((size_t)s->frame_count, sizeof *frames);
    int count = s->tree->absolute->tracked_count;
    double *tracked = crd_new((size_t)count, sizeof *tracked);
    double q[16], v[16];
    assert_true(crd_start_frames(model->structure, model->description, &model->values, frames, &error) >= 0);
    for (int i = 0; i < count; i++) tracked[i] = 4.0 * CRD_PI + 0.1;
    assert_true(s->nq <= 16 && s->tree->counted_count == s->nq);
    crd_relative_from_frames(relative, frames, tracked, q, v);
    for (int k = 0; k < s->nq; k++) check_near(fabs(q[k]), 4.0 * CRD_PI, 1e-12, "angle %d", k);
    CRD_DELETE_ALL(frames, tracked);
    cardan_model_release(relative);
    cardan_model_release(model);
}

/* ---- far away ---- */

/* A chain on hinges about axes in turn, its last link on a ball joint with the ground, moved by x. */
static CardanModel *chain_at(double x) {
    enum { LINKS = 8 };
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_SPATIAL);
    cardan_builder_set_gravity(b, crd_vec(0, 0, -9.81));
    CardanBody before = {0};
    for (int i = 0; i < LINKS; i++) {
        char name[8], joint[8];
        snprintf(name, sizeof name, "b%d", i);
        snprintf(joint, sizeof joint, "j%d", i);
        CardanBody body = cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = name, .mass = 1.0,
                                                                      .inertia = {.xx = 0.01, .yy = 0.1, .zz = 0.1},
                                                                      .pose = {.p = crd_vec(x + i + 0.5, 0, 0)}});
        CrdVec axis = i % 2 == 0 ? crd_vec(0, 0, 1) : crd_vec(0, 1, 0);
        cardan_builder_add_joint(b,
                                 &(CardanJointDef){DEFAULTED, .name = joint, .type = CARDAN_JOINT_REVOLUTE, .a = before,
                                                   .b = body, .local = CARDAN_LOCAL_POINT_A | CARDAN_LOCAL_POINT_B,
                                                   .local_a = i > 0 ? crd_vec(0.5, 0, 0) : crd_vec(x, 0, 0),
                                                   .local_b = crd_vec(-0.5, 0, 0), .axis = axis});
        before = body;
    }
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "end", .type = CARDAN_JOINT_SPHERICAL, .a = before,
                                                  .local = CARDAN_LOCAL_POINT_A | CARDAN_LOCAL_POINT_B,
                                                  .local_a = crd_vec(0.5, 0, 0), .local_b = crd_vec(x + LINKS, 0, 0)});
    return scene_compile(b);
}

static void a_mechanism_a_million_metres_away_moves_the_same(void **state) {
    (void)state;
    Both here, there;
    char message[1100];
    assert_true(open_both(&here, chain_at(0.0), message, sizeof message));
    assert_true(open_both(&there, chain_at(1e6), message, sizeof message));
    /* Angles of a chain stand in the state once, as coordinates. */
    assert_int_equal(here.relative->structure->tracked_count, 0);
    assert_true(here.relative->structure->tree->counted_count > 0);
    Random random = {5}, same = {5};
    move_off(&here, &random, 0.5);
    move_off(&there, &same, 0.5);
    assert_true(evaluate_side(&here.r, 0.0) >= 0 && evaluate_side(&there.r, 0.0) >= 0);
    int nv = here.relative->structure->nv, rows = here.relative->structure->rows;
    double size = largest(here.r.d.a, nv), load = largest(here.r.d.lambda, rows);
    assert_int_equal(rows, 3);
    for (int i = 0; i < nv; i++) check_near(there.r.d.a[i], here.r.d.a[i], 1e-13 * size, "acceleration %d", i);
    for (int i = 0; i < rows; i++)
        check_near(there.r.d.lambda[i], here.r.d.lambda[i], 1e-13 * load, "multiplier %d", i);
    close_both(&here);
    close_both(&there);
}

/* ---- rank ---- */

/* Freedoms that are left are the same however a mechanism is written. */
static void every_model_has_as_many_freedoms_as_in_absolute_coordinates(void **state) {
    (void)state;
    DIR *folder = opendir("models");
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (strstr(entry->d_name, ".yaml") == NULL) continue;
        char path[300], message[1100];
        snprintf(path, sizeof path, "models/%s", entry->d_name);
        Both both;
        if (!open_both(&both, scene_load(path), message, sizeof message)) continue;
        CrdRank a, r;
        const CrdValues *values[] = {&both.absolute->values, &both.relative->values};
        CardanStatus done[] = {crd_rank(&both.a.d, 0.0, values[0]->q0, values[0]->v0, &a, NULL, NULL),
                               crd_rank(&both.r.d, 0.0, values[1]->q0, values[1]->v0, &r, NULL, NULL)};
        if (done[0] >= 0 && done[1] < 0) fail_msg("%s: %s", path, both.r.error.text);
        int freedoms = both.absolute->structure->nv - a.rank, relative = both.relative->structure->nv - r.rank;
        int here = both.absolute->structure->nv - a.rank_here, there = both.relative->structure->nv - r.rank_here;
        if (done[0] >= 0 && (freedoms != relative || here != there))
            fail_msg("%s: %d freedoms, %d in this pose; in relative coordinates %d and %d", path, freedoms, here,
                     relative, there);
        close_both(&both);
    }
    closedir(folder);
}

/* ---- runs ---- */

/* Puts the state of a simulation into one of the relative model. */
static void hand_over(CardanSim *from, CardanSim *to) {
    CrdIntegrator *a = &from->integrator, *r = &to->integrator;
    const CrdStructure *s = r->dynamics.model->structure;
    double *ya = a->stepper.y, *yr = r->stepper.y;
    assert_true(crd_integrator_evaluate(a) >= 0);
    crd_relative_from_frames(r->dynamics.model, a->dynamics.system.frames, crd_integrator_tracked(a, ya), yr,
                             crd_integrator_v(r, yr));
    memcpy(crd_integrator_z(r, yr), crd_integrator_z(a, ya), (size_t)s->first_order * sizeof *yr);
    memcpy(crd_integrator_tracked(r, yr), crd_integrator_tracked(a, ya), (size_t)s->tracked_count * sizeof *yr);
    crd_integrator_touch(r);
    assert_true(crd_integrator_evaluate(r) >= 0);
}

/* Both at 1e-9; errors grow on the way, in the fastest a thousandfold. */
static void a_run_ends_in_the_same_place(const char *name) {
    CardanModel *model = scene_load(name), *relative;
    CrdError error = {0};
    assert_true(crd_relative_create(model, &relative, &error) >= 0 && relative != NULL);
    CardanOptions options = cardan_model_options(model);
    options.rtol = options.atol = 1e-9;
    options.coordinates = CARDAN_COORDINATES_ABSOLUTE; /* each model in its own, and nothing beside it */
    CardanSim *a = scene_start(model, &options), *r = scene_start(relative, &options);
    hand_over(a, r);
    /* Where relative steps come near a pose they doubt, and absolute ones would take over: as far as that. */
    if (cardan_sim_advance(r, 1.5) < 0 && !r->integrator.conduct.doubts)
        fail_msg("%s: %s", name, cardan_sim_message(r));
    assert_true(cardan_sim_time(r) > 0.3);
    scene_advance(a, cardan_sim_time(r));
    for (int b = 0; b < cardan_model_sizes(model).bodies; b++) {
        CardanBodyState x, y;
        CardanBody body = cardan_model_body(model, b);
        assert_true(cardan_sim_body(a, body, &x) >= 0 && cardan_sim_body(r, body, &y) >= 0);
        double apart = crd_norm(crd_sub(x.position, y.position)), speed = crd_norm(crd_sub(x.velocity, y.velocity));
        if (!(apart <= 1e-6 && speed <= 1e-5))
            fail_msg("%s: body %d is %.2g m and %.2g m/s apart", name, b, apart, speed);
    }
    cardan_sim_destroy(a);
    cardan_sim_destroy(r);
    cardan_model_release(relative);
    cardan_model_release(model);
}

static void runs_in_both_coordinates_end_in_the_same_place(void **state) {
    (void)state;
    /* Where relative steps are in doubt the absolute ones take over (tests/physics/test_coordinates.c has that):
     * Bennett's linkage and Sarrus' come too near a pose. */
    static const char *const NAMES[] = {"bicycle",      "bricard",         "cart_pendulum",    "cam",
                                        "screw",        "double_pendulum", "triple_pendulum",  "heavy_top",
                                        "jansen_leg",   "oldham",          "planetary",        "six_axis_arm",
                                        "rolling_disc", "vehicle",         "stewart_platform", "universal_shaft",
                                        "stick_slip",   "watt_six_bar"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        char path[64];
        snprintf(path, sizeof path, "models/%s.yaml", NAMES[i]);
        a_run_ends_in_the_same_place(path);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_in_both_coordinates_end_in_the_same_place),
        cmocka_unit_test(coordinates_are_found_again_from_the_frames),
        cmocka_unit_test(counted_angles_keep_their_turns),
        cmocka_unit_test(a_mechanism_a_million_metres_away_moves_the_same),
        cmocka_unit_test(every_model_has_as_many_freedoms_as_in_absolute_coordinates),
        cmocka_unit_test(random_trees_with_loops_move_as_in_absolute_coordinates),
        cmocka_unit_test(every_model_moves_in_relative_coordinates_as_in_absolute_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
