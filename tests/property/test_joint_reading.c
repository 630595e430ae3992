/* What rows of results read of joints, without derivatives: the same as what is solved with, for every record. */
#include "property/joint_fixture.h"

static const double ROUNDING = 1e-13; /* of numbers of size 10, over some tens of operations */

typedef void (*Look)(Random *random, const Case *c);

static void over_every_joint(Look look, uint64_t seed) {
    int seen = 0;
    for (int type = 1; type < CARDAN_JOINT_TYPES; type++)
        for (int space = 0; space < 2; space++) {
            if (!crd_joint_kinds[type]->space[space] || !stands_alone((CardanJointType)type)) continue;
            Random random = {seed + (uint64_t)(1000 * type + space)};
            for (int i = 0; i < TRIALS; i++) {
                Case c = random_case(&random, (CardanJointType)type, (CardanSpace)space);
                look(&random, &c);
                cardan_model_release(c.model);
            }
            seen++;
        }
    assert_true(seen >= CARDAN_JOINT_TYPES - 2);
}

static void look_at_residuals(Random *random, const Case *c) {
    Pose pose = random_pose(random, c);
    Rows rows = rows_at(c, &pose);
    Seen seen;
    double g[CRD_JOINT_ROWS], rate[CRD_JOINT_ROWS], twist[TWISTS];
    see(c, &pose, &seen);
    twist_of(&pose, twist);
    crd_joint_residuals(c->kind, c->data, &seen.pair, g, rate);
    for (int r = 0; r < c->rows; r++) {
        double sum = row_dot(rows.G[r], twist);
        check_near(g[r], rows.g[r], ROUNDING * 10.0, "%s, space %d: row %d", c->kind->name, c->space, r);
        check_near(rate[r], sum, ROUNDING * (10.0 + fabs(sum)), "%s, space %d: rate of row %d", c->kind->name, c->space,
                   r);
    }
}

static void residuals_are_those_of_the_rows(void **state) {
    (void)state;
    over_every_joint(look_at_residuals, 31);
}

static void look_at_coordinates(Random *random, const Case *c) {
    for (int i = 0; i < CRD_JOINT_COORDINATES; i++) {
        CardanCoordinate which = c->kind->coordinates[i];
        if (which == CARDAN_COORDINATE_NONE) continue;
        double angle, value, rate;
        Pose pose = random_turned_pose(random, c, &angle);
        CrdCoordinate here = coordinate_at(c, which, &pose, pose.near);
        CrdPair pair = {.a = &pose.a, .b = &pose.b, .near = pose.near};
        crd_joint_read(which, c->data, &pair, &value, &rate);
        check_near(value, here.value, ROUNDING * (10.0 + fabs(here.value)), "%s, space %d: coordinate", c->kind->name,
                   c->space);
        check_near(rate, here.rate, ROUNDING * (10.0 + fabs(here.rate)), "%s, space %d: its rate", c->kind->name,
                   c->space);
    }
}

static void coordinates_are_read_as_they_are_solved_with(void **state) {
    (void)state;
    over_every_joint(look_at_coordinates, 32);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residuals_are_those_of_the_rows),
        cmocka_unit_test(coordinates_are_read_as_they_are_solved_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
