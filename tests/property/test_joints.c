/* Every joint record, in every space it exists in, against differences and against what a constraint must be. The
 * tables are walked, so a new record is tested the day it is added.
 *
 * Tolerances: differences of step 0.005 extrapolated to order 6 leave about 1e-12 of functions of size 1 with rates of
 * size 1; rows here have sizes up to about 10, and derivatives of the rotation vector near half a turn are some tens of
 * times larger. Identities that hold exactly get 1e-12 times the size of their terms. */
#include "property/joint_fixture.h"

#include "core/numbers.h"
#include "support/sample.h"

#include <float.h>

static const double DIFFERENCES = 1e-9, EXACT = 1e-12;

typedef void (*Look)(Random *random, const Case *c);

/* Runs one look over all records, both spaces and many trials. */
static void over_every_joint(Look look, uint64_t seed) {
    int seen = 0;
    for (int type = 1; type < CARDAN_JOINT_TYPES; type++)
        for (int space = 0; space < 2; space++) {
            if (!crd_joint_kinds[type]->space[space] || !stands_alone((CardanJointType)type)) continue;
            Random random = {seed + (uint64_t)(1000 * type + space)};
            for (int i = 0; i < sample_of(TRIALS, 4); i++) {
                Case c = random_case(&random, (CardanJointType)type, (CardanSpace)space);
                look(&random, &c);
                cardan_model_release(c.model);
            }
            seen++;
        }
    assert_true(seen >= CARDAN_JOINT_TYPES - 2);
}

/* Curves that are differentiated. */
typedef struct Path {
    const Case *c;
    Pose pose;
    double twist[TWISTS];
    CardanCoordinate which;        /* coordinate_along */
    double lambda[CRD_JOINT_ROWS]; /* load_along */
} Path;

static void g_along(void *user, double s, double *values) {
    Path *p = user;
    Pose at = moved(&p->pose, p->twist, s);
    Rows rows = rows_at(p->c, &at);
    memcpy(values, rows.g, sizeof rows.g);
}

/* G v at displaced poses with v, w kept. */
static void rate_along(void *user, double s, double *values) {
    Path *p = user;
    Pose at = moved(&p->pose, p->twist, s);
    double twist[TWISTS];
    twist_of(&p->pose, twist);
    Rows rows = rows_at(p->c, &at);
    for (int r = 0; r < p->c->rows; r++) values[r] = row_dot(rows.G[r], twist);
}

/* G^T lambda at displaced poses with lambda kept. */
static void load_along(void *user, double s, double *values) {
    Path *p = user;
    Pose at = moved(&p->pose, p->twist, s);
    Rows rows = rows_at(p->c, &at);
    for (int i = 0; i < TWISTS; i++) {
        values[i] = 0.0;
        for (int r = 0; r < p->c->rows; r++) values[i] += p->lambda[r] * rows.G[r][i];
    }
}

static void coordinate_along(void *user, double s, double *values) {
    Path *p = user;
    Pose at = moved(&p->pose, p->twist, s);
    values[0] = coordinate_at(p->c, p->which, &at, p->pose.near).value;
}

/* Rate and twist rows of the coordinate at displaced poses with v, w kept. */
static void coordinate_rate_along(void *user, double s, double *values) {
    Path *p = user;
    Pose at = moved(&p->pose, p->twist, s);
    CrdCoordinate x = coordinate_at(p->c, p->which, &at, p->pose.near);
    values[0] = x.rate;
    memcpy(values + 1, x.a, sizeof x.a);
    memcpy(values + 7, x.b, sizeof x.b);
}

static int holonomic_rows(const Case *c) {
    return crd_joint_holonomic_rows(c->kind, c->space);
}

static Path unit_path(const Case *c, const Pose *pose, int k) {
    Path path = {.c = c, .pose = *pose};
    path.twist[k] = 1.0;
    return path;
}

static double row_size(const double *row) {
    return fmax(1.0, norm_of(row, TWISTS));
}

/* ---- derivatives ---- */

static void look_at_jacobian(Random *random, const Case *c) {
    Pose pose = random_pose(random, c);
    Rows rows = rows_at(c, &pose);
    for (int k = 0; k < TWISTS; k++) {
        if (!has_twist(c->space, k)) continue;
        double slopes[CRD_JOINT_ROWS] = {0};
        Path path = unit_path(c, &pose, k);
        differentiate(g_along, &path, c->rows, slopes);
        for (int r = 0; r < holonomic_rows(c); r++)
            check_near(rows.G[r][k], slopes[r], DIFFERENCES * row_size(rows.G[r]),
                       "%s, space %d: G of row %d, twist %d", c->kind->name, c->space, r, k);
    }
}

static void jacobian_equals_differences_of_g(void **state) {
    (void)state;
    over_every_joint(look_at_jacobian, 11);
}

/* How large second derivatives along this motion are. */
static double bend_size(const Rows *rows, const Case *c, const double *twist) {
    double size = 1.0;
    for (int r = 0; r < c->rows; r++) size = fmax(size, norm_of(rows->gradient[r], TWISTS));
    return size * fmax(1.0, norm_of(twist, TWISTS));
}

static void look_at_gamma(Random *random, const Case *c) {
    Pose pose = random_pose(random, c);
    Rows rows = rows_at(c, &pose);
    Path path = {.c = c, .pose = pose};
    double slopes[CRD_JOINT_ROWS] = {0};
    twist_of(&pose, path.twist);
    differentiate(rate_along, &path, c->rows, slopes);
    for (int r = 0; r < c->rows; r++)
        check_near(rows.gamma[r], -slopes[r], 10.0 * DIFFERENCES * bend_size(&rows, c, path.twist),
                   "%s, space %d: gamma of row %d", c->kind->name, c->space, r);
}

static void gamma_equals_differences_of_the_rate(void **state) {
    (void)state;
    over_every_joint(look_at_gamma, 13);
}

static void look_at_gradient(Random *random, const Case *c) {
    Pose pose = random_pose(random, c);
    Rows rows = rows_at(c, &pose);
    double twist[TWISTS];
    twist_of(&pose, twist);
    for (int k = 0; k < TWISTS; k++) {
        if (!has_twist(c->space, k)) continue;
        double slopes[CRD_JOINT_ROWS] = {0};
        Path path = unit_path(c, &pose, k);
        differentiate(rate_along, &path, c->rows, slopes);
        for (int r = 0; r < c->rows; r++)
            check_near(rows.gradient[r][k], slopes[r], DIFFERENCES * bend_size(&rows, c, twist),
                       "%s, space %d: (G v)_q of row %d, twist %d", c->kind->name, c->space, r, k);
    }
}

static void gradient_equals_differences_of_g_v(void **state) {
    (void)state;
    over_every_joint(look_at_gradient, 14);
}

static void look_at_gamma_and_gradient(Random *random, const Case *c) {
    Pose pose = random_pose(random, c);
    Rows rows = rows_at(c, &pose);
    double twist[TWISTS];
    twist_of(&pose, twist);
    for (int r = 0; r < c->rows; r++)
        check_near(rows.gamma[r], -row_dot(rows.gradient[r], twist), EXACT * 10.0 * bend_size(&rows, c, twist),
                   "%s, space %d: gamma against (G v)_q v, row %d", c->kind->name, c->space, r);
}

static void gamma_is_the_gradient_along_the_motion(void **state) {
    (void)state;
    over_every_joint(look_at_gamma_and_gradient, 15);
}

static void look_at_hessian(Random *random, const Case *c) {
    Path path = {.c = c, .pose = random_pose(random, c)};
    double hessian[TWISTS][TWISTS], size = 1.0;
    Seen seen;
    for (int r = 0; r < c->rows; r++) path.lambda[r] = random_signed(random);
    see(c, &path.pose, &seen);
    crd_joint_hessian(c->kind, c->data, &seen.pair, path.lambda, hessian);
    for (int i = 0; i < TWISTS; i++) size = fmax(size, norm_of(hessian[i], TWISTS));
    for (int k = 0; k < TWISTS; k++) {
        if (!has_twist(c->space, k)) continue;
        double slopes[TWISTS];
        memset(path.twist, 0, sizeof path.twist);
        path.twist[k] = 1.0;
        differentiate(load_along, &path, TWISTS, slopes);
        for (int i = 0; i < TWISTS; i++)
            if (has_twist(c->space, i))
                check_near(hessian[i][k], slopes[i], 10.0 * DIFFERENCES * size,
                           "%s, space %d: (G^T lambda)_q, entry %d, %d", c->kind->name, c->space, i, k);
    }
}

static void derivative_of_constraint_forces_equals_differences(void **state) {
    (void)state;
    over_every_joint(look_at_hessian, 23);
}

/* ---- forces of constraints ---- */

static void look_at_work(Random *random, const Case *c) {
    Pose pose = pose_on_joint(random, c);
    Rows rows = rows_at(c, &pose);
    double seen[CRD_JOINT_ROWS][TWISTS] = {{0}}, basis[CRD_JOINT_ROWS][TWISTS];
    for (int k = 0; k < TWISTS; k++) { /* how g changes, without asking G */
        if (!has_twist(c->space, k) || (c->on_ground && k < 6)) continue;
        double slopes[CRD_JOINT_ROWS] = {0};
        Path path = unit_path(c, &pose, k);
        differentiate(g_along, &path, c->rows, slopes);
        for (int r = 0; r < c->rows; r++) seen[r][k] = r < holonomic_rows(c) ? slopes[r] : rows.G[r][k];
    }
    int count = basis_of(c->rows, seen, basis);
    assert_int_equal(count, c->rows); /* rows of one joint are independent */
    int freedoms = (c->space == CARDAN_SPACE_PLANAR ? 3 : 6) * (c->on_ground ? 1 : 2) - count;
    double largest = 0.0;
    for (int i = 0; i < 5; i++) {
        double twist[TWISTS], power = 0.0;
        for (int k = 0; k < TWISTS; k++)
            twist[k] = has_twist(c->space, k) && !(c->on_ground && k < 6) ? random_signed(random) : 0.0;
        off_basis(count, basis, twist);
        largest = fmax(largest, norm_of(twist, TWISTS));
        for (int r = 0; r < c->rows; r++) power -= random_signed(random) * row_dot(rows.G[r], twist);
        check_near(power, 0.0, 6.0 * 10.0 * DIFFERENCES, "%s, space %d: work of the constraint", c->kind->name,
                   c->space);
    }
    assert_true(largest > 1e-2 || freedoms == 0);
}

static void constraint_forces_do_no_work_on_motions_the_joint_allows(void **state) {
    (void)state;
    over_every_joint(look_at_work, 16);
}

/* Force and moment about the ground's origin of a load (force in ground, moment in own axes) on a frame. */
static void add_wrench(const CardanFrame *f, const double *load, CrdVec *force, CrdVec *moment) {
    CrdVec push = crd_vec_of(load);
    *force = crd_add(*force, push);
    *moment = crd_add(*moment, crd_add(crd_cross(f->x, push), crd_apply(f->rotation, crd_vec_of(load + 3))));
}

static void look_at_reaction(Random *random, const Case *c) {
    Pose pose = pose_on_joint(random, c);
    Rows rows = rows_at(c, &pose);
    assert_true(worst_of(rows.g, c->rows) < 1e-12);
    double load[TWISTS] = {0};
    for (int r = 0; r < c->rows; r++) {
        double lambda = random_signed(random);
        for (int k = 0; k < TWISTS; k++) load[k] -= lambda * rows.G[r][k];
    }
    assert_true(norm_of(load, TWISTS) > 1e-3);
    CrdVec force = {0}, moment = {0};
    add_wrench(&pose.a, load, &force, &moment);
    add_wrench(&pose.b, load + 6, &force, &moment);
    double size = norm_of(load, TWISTS) * (1.0 + crd_norm(pose.a.x) + crd_norm(pose.b.x));
    check_near(crd_norm(force), 0.0, EXACT * size, "%s, space %d: sum of forces", c->kind->name, c->space);
    /* In the plane moments about x and y mean nothing. */
    double turning = c->space == CARDAN_SPACE_PLANAR ? fabs(moment.z) : crd_norm(moment);
    check_near(turning, 0.0, 10.0 * EXACT * size, "%s, space %d: sum of moments", c->kind->name, c->space);
}

static void action_equals_reaction(void **state) {
    (void)state;
    over_every_joint(look_at_reaction, 17);
}

/* ---- coordinates ---- */

static void look_at_one_coordinate(Random *random, const Case *c, CardanCoordinate which) {
    double angle, slope[13], gradient[TWISTS], twist[TWISTS], bend[TWISTS], hessian[TWISTS][TWISTS];
    Pose pose = random_turned_pose(random, c, &angle);
    CrdCoordinate here = coordinate_at(c, which, &pose, pose.near);
    CrdPair pair = {.a = &pose.a, .b = &pose.b, .near = pose.near};
    crd_joint_coordinate_gradient(which, c->data, &pair, bend, bend + 6);
    crd_joint_coordinate_hessian(which, c->data, &pair, hessian);
    memcpy(gradient, here.a, sizeof here.a);
    memcpy(gradient + 6, here.b, sizeof here.b);
    twist_of(&pose, twist);
    double size = row_size(gradient), much = fmax(size, norm_of(bend, TWISTS));
    for (int k = 0; k < TWISTS; k++) {
        if (!has_twist(c->space, k)) continue;
        Path path = unit_path(c, &pose, k);
        path.which = which;
        differentiate(coordinate_along, &path, 1, slope);
        check_near(gradient[k], slope[0], DIFFERENCES * size, "%s, space %d: coordinate, twist %d", c->kind->name,
                   c->space, k);
        differentiate(coordinate_rate_along, &path, 13, slope);
        check_near(bend[k], slope[0], 10.0 * DIFFERENCES * much, "%s, space %d: gradient of the rate, twist %d",
                   c->kind->name, c->space, k);
        for (int i = 0; i < TWISTS; i++)
            if (has_twist(c->space, i))
                check_near(hessian[i][k], slope[1 + i], 10.0 * DIFFERENCES * much,
                           "%s, space %d: second derivative %d, %d of the coordinate", c->kind->name, c->space, i, k);
    }
    Path path = {.c = c, .pose = pose, .which = which};
    memcpy(path.twist, twist, sizeof twist);
    differentiate(coordinate_along, &path, 1, slope);
    check_near(here.rate, slope[0], 100.0 * DIFFERENCES * size, "%s, space %d: rate of the coordinate", c->kind->name,
               c->space);
    differentiate(coordinate_rate_along, &path, 13, slope);
    check_near(here.bias, slope[0], 100.0 * DIFFERENCES * much, "%s, space %d: bias of the coordinate", c->kind->name,
               c->space);
}

static void look_at_coordinates(Random *random, const Case *c) {
    for (int i = 0; i < CRD_JOINT_COORDINATES; i++)
        if (c->kind->coordinates[i] != CARDAN_COORDINATE_NONE)
            look_at_one_coordinate(random, c, c->kind->coordinates[i]);
}

static void coordinate_rates_equal_differences(void **state) {
    (void)state;
    over_every_joint(look_at_coordinates, 18);
}

static void look_at_start(Random *random, const Case *c) {
    (void)random;
    Rows rows = rows_at(c, &c->start);
    check_near(worst_of(rows.g, c->rows), 0.0, 1e-14 * 10.0, "%s, space %d: rows in the pose as written", c->kind->name,
               c->space);
    for (int i = 0; i < CRD_JOINT_COORDINATES; i++) {
        CardanCoordinate which = c->kind->coordinates[i];
        double expected = which == CARDAN_COORDINATE_LENGTH ? c->data->own[0] : 0.0; /* its one own number */
        check_near(coordinate_at(c, which, &c->start, 0.0).value, expected, 1e-14 * 10.0,
                   "%s, space %d: coordinate in the pose as written", c->kind->name, c->space);
    }
}

static void rows_and_coordinates_are_zero_in_the_pose_as_written(void **state) {
    (void)state;
    over_every_joint(look_at_start, 19);
}

/* The points of a displacement may stand apart along the axis from the beginning. */
static void displacement_counts_from_the_pose_as_written(void **state) {
    (void)state;
    Random random = {23};
    for (int space = 0; space < 2; space++)
        for (int i = 0; i < sample_of(TRIALS, 4); i++) {
            CardanBodyDef body[2] = {random_body(&random, (CardanSpace)space, "a"),
                                     random_body(&random, (CardanSpace)space, "b")};
            CardanJointDef def = random_joint(&random, CARDAN_JOINT_PRISMATIC, (CardanSpace)space);
            Case c = make_case(body, &def, (CardanSpace)space, false);
            double apart = 2.0 + random_signed(&random), way = random_signed(&random);
            def.local = CARDAN_LOCAL_POINT_A | CARDAN_LOCAL_POINT_B;
            def.local_a = c.data->la;
            def.local_b = crd_add(c.data->lb, crd_scale(apart, crd_apply_t(c.start.b.rotation, def.axis)));
            cardan_model_release(c.model);
            c = make_case(body, &def, (CardanSpace)space, false);
            check_near(worst_of(rows_at(&c, &c.start).g, c.rows), 0.0, EXACT, "rows with points apart");
            check_near(coordinate_at(&c, CARDAN_COORDINATE_DISPLACEMENT, &c.start, 0.0).value, 0.0, EXACT,
                       "displacement as written");
            Pose pose = c.start;
            pose.b.x = crd_axpy(pose.b.x, way, def.axis);
            check_near(coordinate_at(&c, CARDAN_COORDINATE_DISPLACEMENT, &pose, 0.0).value, way, EXACT * 10.0,
                       "displacement after sliding");
            cardan_model_release(c.model);
        }
}

/* On the joint the angle is the angle turned, on the turn that is nearest to where it is looked for. */
static void look_at_turns(Random *random, const Case *c) {
    if (!crd_joint_has(c->kind, CARDAN_COORDINATE_ANGLE)) return;
    for (int turns = -3; turns <= 3; turns++) {
        double twist[TWISTS] = {0}, angle = 3.0 * random_signed(random) + 2.0 * CRD_PI * turns;
        crd_put(twist + 9, crd_scale(angle, c->space == CARDAN_SPACE_PLANAR ? crd_vec(0, 0, 1) : c->data->axis_b));
        Pose pose = moved(&c->start, twist, 1.0);
        CrdCoordinate here = coordinate_at(c, CARDAN_COORDINATE_ANGLE, &pose, angle + 3.0 * random_signed(random));
        check_near(here.value, angle, 1e-13 * (1.0 + fabs(angle)), "%s, space %d: angle", c->kind->name, c->space);
    }
}

static void angles_are_those_turned_about_the_axis_of_b(void **state) {
    (void)state;
    over_every_joint(look_at_turns, 20);
}

/* ---- symmetries ---- */

static void turn_frame(CardanFrame *f, const CrdMat *q, double angle) {
    CrdMat r = crd_mul(q->m, f->rotation);
    memcpy(f->rotation, r.m, sizeof f->rotation);
    f->x = crd_apply(q->m, f->x);
    f->v = crd_apply(q->m, f->v);
    f->angle += angle;
}

static double rows_norm(int first, int count, double rows[][TWISTS]) {
    double sum = 0.0;
    for (int r = first; r < first + count; r++)
        for (int k = 0; k < TWISTS; k++) sum += rows[r][k] * rows[r][k];
    return sqrt(sum);
}

static void look_at_turned_world(Random *random, const Case *c) {
    double angle, world = c->space == CARDAN_SPACE_PLANAR ? 3.0 * random_signed(random) : 0.0;
    Pose pose = random_turned_pose(random, c, &angle), turned = pose;
    CrdMat q = c->space == CARDAN_SPACE_PLANAR ? crd_matrix_about_z(world) : crd_matrix_of(random_quat(random));
    turn_frame(&turned.a, &q, world);
    turn_frame(&turned.b, &q, world);
    Rows here = rows_at(c, &pose), there = rows_at(c, &turned);
    int first = 0;
    for (int i = 0; i < CRD_JOINT_PARTS && c->kind->parts[i] != NULL; i++) {
        int count = c->kind->parts[i]->rows[c->space];
        double size = 10.0 * fmax(1.0, rows_norm(first, count, here.gradient));
        check_near(norm_of(there.g + first, count), norm_of(here.g + first, count), EXACT * 10.0,
                   "%s, space %d: |g| of part %d in a turned world", c->kind->name, c->space, i);
        check_near(norm_of(there.gamma + first, count), norm_of(here.gamma + first, count), EXACT * size * 10.0,
                   "%s, space %d: |gamma| of part %d in a turned world", c->kind->name, c->space, i);
        if (c->space == CARDAN_SPACE_SPATIAL)
            check_near(rows_norm(first, count, there.G), rows_norm(first, count, here.G), EXACT * 10.0,
                       "%s: |G| of part %d in a turned world", c->kind->name, i);
        first += count;
    }
    assert_int_equal(first, c->rows);
    for (int i = 0; i < CRD_JOINT_COORDINATES; i++) {
        CrdCoordinate one = coordinate_at(c, c->kind->coordinates[i], &pose, 0.0);
        CrdCoordinate other = coordinate_at(c, c->kind->coordinates[i], &turned, one.value);
        check_near(other.value, one.value, EXACT * 10.0, "%s, space %d: coordinate in a turned world", c->kind->name,
                   c->space);
        check_near(other.rate, one.rate, EXACT * 100.0, "%s, space %d: rate in a turned world", c->kind->name,
                   c->space);
    }
}

static void nothing_depends_on_how_the_world_is_turned(void **state) {
    (void)state;
    over_every_joint(look_at_turned_world, 21);
}

/* A line, plane, path or edge belongs to one side. */
static bool is_symmetric(CardanJointType type) {
    return type != CARDAN_JOINT_POINT_ON_LINE && type != CARDAN_JOINT_POINT_ON_PLANE && type != CARDAN_JOINT_CURVE &&
           type != CARDAN_JOINT_ROLLING && type != CARDAN_JOINT_KNIFE_EDGE;
}

static void look_at_swapped(Random *random, const Case *c) {
    if (!is_symmetric(c->type)) return;
    Case other = swapped_case(c);
    Pose pose = pose_on_joint(random, c), reversed = {pose.b, pose.a, -pose.near};
    Rows here = rows_at(c, &pose), there = rows_at(&other, &reversed);
    check_near(worst_of(there.g, c->rows), 0.0, EXACT * 10.0, "%s, space %d: g with sides exchanged", c->kind->name,
               c->space);
    double basis[CRD_JOINT_ROWS][TWISTS];
    for (int r = 0; r < c->rows; r++)
        for (int k = 0; k < TWISTS; k++)
            if (!has_twist(c->space, k)) here.G[r][k] = there.G[r][k] = 0.0;
    int count = basis_of(c->rows, here.G, basis);
    assert_int_equal(count, c->rows);
    for (int r = 0; r < c->rows; r++) {
        double row[TWISTS];
        memcpy(row, there.G[r] + 6, 6 * sizeof *row);
        memcpy(row + 6, there.G[r], 6 * sizeof *row);
        double size = norm_of(row, TWISTS);
        off_basis(count, basis, row);
        check_near(norm_of(row, TWISTS), 0.0, 100.0 * EXACT * size, "%s, space %d: row %d with sides exchanged",
                   c->kind->name, c->space, r);
    }
    for (int i = 0; i < CRD_JOINT_COORDINATES; i++) {
        CardanCoordinate which = c->kind->coordinates[i];
        double one = coordinate_at(c, which, &pose, pose.near).value,
               sign = which == CARDAN_COORDINATE_LENGTH ? 1.0 : -1.0;
        double exchanged = coordinate_at(&other, which, &reversed, reversed.near).value;
        check_near(exchanged, sign * one, EXACT * 10.0, "%s, space %d: coordinate with sides exchanged", c->kind->name,
                   c->space);
    }
    cardan_model_release(other.model);
}

static void exchanging_the_bodies_keeps_the_constraint(void **state) {
    (void)state;
    over_every_joint(look_at_swapped, 22);
}

/* ---- kernels of whole joints ---- */

/* Sums of some tens of products, in another order; a row and what it is compared with are both off by as much. */
static const double SAME = 64.0 * DBL_EPSILON;
static int whole_kernels[2]; /* by CardanSpace */

/* What numbers of a row are as large as: points, velocities and accelerations of points, and 1 for turns. */
static double size_of(const Case *c, const Pose *pose, int order) {
    double size = 0.0;
    const CardanFrame *frames[2] = {&pose->a, &pose->b};
    for (int i = 0; i < 2; i++) {
        double length = 1.0 + crd_norm(frames[i]->x) + crd_norm(i == 0 ? c->data->la : c->data->lb);
        double turns = order == 0 ? 1.0 : pow(crd_norm(frames[i]->w) + crd_norm(frames[i]->v) / length, order);
        size = fmax(size, length * turns);
    }
    return 2.0 * size;
}

static void compare_whole(Random *random, const Case *c) {
    CrdWholeKernel kernel = c->kind->whole[c->space];
    if (kernel == NULL) return;
    Pose pose = random_pose(random, c);
    Rows rows = rows_at(c, &pose);
    double g[CRD_JOINT_ROWS], rate[CRD_JOINT_ROWS], gamma[CRD_JOINT_ROWS], side[2][CRD_JOINT_ROWS * 6];
    int width = c->space == CARDAN_SPACE_PLANAR ? 3 : 6;
    CrdPair pair = {.a = &pose.a, .b = &pose.b};
    kernel(c->data, &pair, (CrdWholeRows){g, rate, gamma, side[0], side[1]});
    for (int r = 0; r < c->rows; r++) {
        const char *name = c->kind->name;
        double rates = crd_row_rate(rows.G[r], &pose.a) + crd_row_rate(rows.G[r] + 6, &pose.b);
        check_near(g[r], rows.g[r], SAME * size_of(c, &pose, 0), "%s, space %d: row %d", name, c->space, r);
        check_near(rate[r], rates, SAME * size_of(c, &pose, 1), "%s, space %d: rate %d", name, c->space, r);
        check_near(gamma[r], rows.gamma[r], SAME * size_of(c, &pose, 2), "%s, space %d: gamma %d", name, c->space, r);
        for (int k = 0; k < 2 * width; k++) {
            int own = k % width, twist = width == 3 && own == 2 ? 5 : own;
            check_near(side[k / width][r * width + own], rows.G[r][6 * (k / width) + twist],
                       SAME * size_of(c, &pose, 0), "%s, space %d: entry %d of row %d", name, c->space, k, r);
        }
    }
    whole_kernels[c->space]++;
}

static void kernels_of_whole_joints_write_what_parts_write(void **state) {
    (void)state;
    whole_kernels[0] = whole_kernels[1] = 0;
    over_every_joint(compare_whole, 17);
    assert_true(whole_kernels[CARDAN_SPACE_PLANAR] >= 4 && whole_kernels[CARDAN_SPACE_SPATIAL] >= 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jacobian_equals_differences_of_g),
        cmocka_unit_test(gamma_equals_differences_of_the_rate),
        cmocka_unit_test(gradient_equals_differences_of_g_v),
        cmocka_unit_test(gamma_is_the_gradient_along_the_motion),
        cmocka_unit_test(derivative_of_constraint_forces_equals_differences),
        cmocka_unit_test(constraint_forces_do_no_work_on_motions_the_joint_allows),
        cmocka_unit_test(action_equals_reaction),
        cmocka_unit_test(coordinate_rates_equal_differences),
        cmocka_unit_test(rows_and_coordinates_are_zero_in_the_pose_as_written),
        cmocka_unit_test(displacement_counts_from_the_pose_as_written),
        cmocka_unit_test(angles_are_those_turned_about_the_axis_of_b),
        cmocka_unit_test(nothing_depends_on_how_the_world_is_turned),
        cmocka_unit_test(exchanging_the_bodies_keeps_the_constraint),
        cmocka_unit_test(kernels_of_whole_joints_write_what_parts_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
