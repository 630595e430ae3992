/* Relative coordinates against absolute ones: the same frames, energies, accelerations and multipliers. */
#include "property/relative_fixture.h"
#include "support/check.h"

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
    double a = acceleration_difference(both), lambda = multiplier_difference(both);
    double kinetic[2] = {crd_kinetic(both->absolute, &both->a.d.system, both->a.v),
                         crd_kinetic(both->relative, &both->r.d.system, both->r.v)};
    double energies =
        fabs(kinetic[0] - kinetic[1]) / fmax(kinetic[0], 1e-300) +
        fabs(both->a.d.system.potential - both->r.d.system.potential) / fmax(1.0, fabs(both->a.d.system.potential));
    if (!(a <= EQUAL && lambda <= EQUAL && frames <= CLOSED && residual <= CLOSED && energies <= CLOSED))
        fail_msg("%s %ld: accelerations differ by %.2g, multipliers %.2g, frames %.2g, energies %.2g; tree rows %.2g; "
                 "pivots %.2g and %.2g",
                 name, which, a, lambda, frames, energies, residual, both->a.d.factor.pivot_last,
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

/* A joint that a tree can have. */
static void join_in_tree(Random *random, Recipe *p, int a, int b) {
    static const CardanJointType KINDS[] = {CARDAN_JOINT_REVOLUTE,  CARDAN_JOINT_PRISMATIC, CARDAN_JOINT_WELD,
                                            CARDAN_JOINT_SPHERICAL, CARDAN_JOINT_UNIVERSAL, CARDAN_JOINT_CYLINDRICAL,
                                            CARDAN_JOINT_SCREW,     CARDAN_JOINT_PLANAR};
    for (int first = p->joints;;) {
        p->joints = first;
        join(random, p, a, b);
        const CardanJointDef *def = &p->joint[first].def;
        for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++)
            if (def->type == KINDS[k] && !def->compliant) return;
    }
}

/* A random tree with loops of any joint. In two of three all bodies hang on the first, so that loops have a common
 * ancestor that moves. */
static CardanModel *random_tree(Random *random, CardanSpace space, bool rooted, Recipe *p) {
    do *p = random_recipe(random, space);
    while (p->spoke_there);
    if (rooted) {
        p->joints = 0;
        for (int i = 0; i < p->bodies; i++) {
            p->body[i] = recipe_body(random, space, false, NULL);
            if (i > 0 || random_index(random, 2) == 0)
                join_in_tree(random, p, i > 0 ? 1 + random_index(random, i) : 0, i + 1);
        }
        add_forces(random, (p->forces = 0, p));
        add_drives(random, p);
    }
    for (int i = 0; i < 3; i++) {
        int a = random_index(random, p->bodies + 1), b = 1 + random_index(random, p->bodies);
        if (a != b && random_index(random, 3) > 0) join(random, p, a, b);
        if (a != b && random_index(random, 3) == 0) add_link(random, p, a, b);
    }
    return describe(p, 0, 0, false);
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
        assert_true(open_both(&both, random_tree(&random, space, i % 4 > 0, &recipe), message, sizeof message));
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_trees_with_loops_move_as_in_absolute_coordinates),
        cmocka_unit_test(every_model_moves_in_relative_coordinates_as_in_absolute_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
