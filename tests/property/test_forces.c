/* Every force record: its loads are what its power and its potential say, internal ones have no sum, its derivatives
 * are those of its loads. A record without a case in force_fixture.h fails the first test. */
#include "property/force_fixture.h"

#include "equations/measures.h"

static const double DIFFERENCES = 1e-9, EXACT = 1e-12, DERIVATIVES = 1e-7;

typedef struct Path {
    Scene *s;
    CardanFrame frames[CARRIERS];
    double twist[CARRIERS][6], motion[CARRIERS][6], z[Z_MOST];
} Path;

static Path path_of(Scene *s) {
    Path path = {.s = s};
    memcpy(path.frames, s->frames, sizeof path.frames);
    return path;
}

/* The scene moved by h along the path; move(path, 0) puts it back. */
static void move(Path *p, double h) {
    memcpy(p->s->frames, p->frames, sizeof p->frames);
    for (int i = 1; i < CARRIERS; i++) {
        CardanFrame *f = &p->s->frames[i];
        move_frame(f, p->twist[i], h);
        f->v = crd_axpy(f->v, h, crd_vec_of(p->motion[i]));
        f->w = crd_axpy(f->w, h, crd_vec_of(p->motion[i] + 3));
    }
}

static void potential_along(void *user, double h, double *values) {
    Path *p = user;
    move(p, h);
    values[0] = apply(p->s).potential;
    move(p, 0.0);
}

static double size_of_loads(const Result *r) {
    double size = 1.0;
    for (int i = 0; i < CARRIERS; i++) size = fmax(size, norm_of(r->load[i], 6));
    return size;
}

/* load . twist = power - potential': nothing is lost and nothing counted twice. */
static void look_at_power(Random *random, Scene *s) {
    (void)random;
    Path path = path_of(s);
    double flow = 0.0, climb;
    Result here = apply(s);
    for (int i = 1; i < CARRIERS; i++) {
        crd_put(path.twist[i], s->frames[i].v);
        crd_put(path.twist[i] + 3, s->frames[i].w);
        for (int k = 0; k < 6; k++) flow += here.load[i][k] * path.twist[i][k];
    }
    differentiate(potential_along, &path, 1, &climb);
    check_near(flow, here.power - climb, 100.0 * DIFFERENCES * size_of_loads(&here), "force type %d: power",
               s->def.type);
}

static void power_is_what_loads_do_on_twists(void **state) {
    (void)state;
    over_every_force(look_at_power, 31);
}

static bool has_potential(const Scene *s) {
    CardanForceType type = s->def.type;
    return type == CARDAN_FORCE_SPRING || type == CARDAN_FORCE_TORSION || type == CARDAN_FORCE_BUSHING ||
           type == CARDAN_FORCE_LIMIT || type == CARDAN_FORCE_CONTACT || type == CARDAN_FORCE_ROPE;
}

static void look_at_potential(Random *random, Scene *s) {
    (void)random;
    double slope;
    for (int i = 1; i < CARRIERS; i++) s->frames[i].v = s->frames[i].w = crd_vec(0, 0, 0);
    Path path = path_of(s);
    Result rest = apply(s);
    assert_true(has_potential(s) ? rest.potential > 0.0 : rest.potential == 0.0);
    if (!has_potential(s) || s->def.law[0] != NULL) return; /* laws are not in it */
    for (int i = 1; i < CARRIERS; i++)
        for (int k = 0; k < 6; k++) {
            if (!has_twist(s->space, k)) continue;
            memset(path.twist, 0, sizeof path.twist);
            path.twist[i][k] = 1.0;
            differentiate(potential_along, &path, 1, &slope);
            check_near(rest.load[i][k], -slope, 10.0 * DIFFERENCES * size_of_loads(&rest),
                       "force type %d, carrier %d, twist %d: load at rest", s->def.type, i, k);
        }
}

static void loads_at_rest_are_minus_the_slope_of_the_potential(void **state) {
    (void)state;
    over_every_force(look_at_potential, 32);
}

static void look_at_sum(Random *random, Scene *s) {
    (void)random;
    if (!s->internal) return;
    Result here = apply(s);
    CrdVec force = {0}, moment = {0};
    for (int i = 0; i < CARRIERS; i++) {
        CrdVec push = crd_vec_of(here.load[i]), twist = crd_apply(s->frames[i].rotation, crd_vec_of(here.load[i] + 3));
        force = crd_add(force, push);
        moment = crd_add(moment, crd_add(crd_cross(s->frames[i].x, push), twist));
    }
    double size = 20.0 * size_of_loads(&here);
    check_near(crd_norm(force), 0.0, EXACT * size, "force type %d: sum of forces", s->def.type);
    double turning = s->space == CARDAN_SPACE_PLANAR ? fabs(moment.z) : crd_norm(moment);
    check_near(turning, 0.0, EXACT * size, "force type %d: sum of moments", s->def.type);
}

static void internal_forces_have_no_sum(void **state) {
    (void)state;
    over_every_force(look_at_sum, 33);
}

/* ---- derivatives ---- */

enum { LOADS = 6 * (CARRIERS - 1), VALUES = LOADS + CRD_FORCE_STATES };

static void loads_along(void *user, double h, double *values) {
    Path *p = user;
    const CrdForceStructure *structure = &p->s->model->structure->force_structures[0];
    double z[Z_MOST];
    memcpy(z, p->s->z, sizeof z);
    move(p, h);
    for (int i = 0; i < Z_MOST; i++) p->s->z[i] += h * p->z[i];
    Result r = apply(p->s);
    memcpy(values, r.load[1], LOADS * sizeof *values);
    for (int i = 0; i < CRD_FORCE_STATES; i++)
        values[LOADS + i] = i < structure->states ? r.z_rate[structure->state + i] : 0.0;
    move(p, 0.0);
    memcpy(p->s->z, z, sizeof z);
}

/* The column of the blocks that belongs to unit number k of a carrier, or (carrier 0) to state k: in the order of
 * loads_along. */
static void column_of(const Scene *s, int frame, int k, double *column) {
    const CrdLoadDerivatives *d = &s->derivatives;
    const double *loads = frame == 0 ? d->state : k < 6 ? d->displacement : d->twist;
    const double *rates = frame == 0 ? d->rate_state : k < 6 ? d->rate_displacement : d->rate_twist;
    int width = frame == 0 ? d->reads : 6 * d->frames, at = -1;
    memset(column, 0, VALUES * sizeof *column);
    for (int j = 0; j < (frame == 0 ? d->reads : d->frames); j++) {
        if (frame == 0 && d->read[j] == k) at = j;
        if (frame > 0 && d->frame[j] == frame) at = 6 * j + k % 6;
    }
    for (int i = 0; at >= 0 && i < d->frames; i++)
        for (int r = 0; r < 6; r++) column[6 * (d->frame[i] - 1) + r] = loads[(6 * i + r) * width + at];
    for (int i = 0; at >= 0 && i < d->states; i++) column[LOADS + i] = rates[i * width + at];
}

static void check_column(const Scene *s, const double *column, const double *slopes, const char *what, int k) {
    double size = fmax(1.0, norm_of(slopes, VALUES));
    for (int i = 0; i < VALUES; i++)
        if (i >= LOADS || has_twist(s->space, i % 6))
            check_near(column[i], slopes[i], DERIVATIVES * size,
                       "force type %d, space %d, variant %d: value %d along %s %d", s->def.type, s->space, s->variant,
                       i, what, k);
}

static void look_at_derivatives(Random *random, Scene *s) {
    (void)random;
    CrdError error = {0};
    double slopes[VALUES], column[VALUES];
    apply(s);
    if (crd_force_derivatives(s->model, 0, &s->actions, &s->system, &s->derivatives, &error) < 0)
        fail_msg("%s", error.text);
    Path path = path_of(s);
    for (int frame = 1; frame < CARRIERS; frame++)
        for (int k = 0; k < 12; k++) {
            if (!has_twist(s->space, k)) continue;
            double *unit = k < 6 ? &path.twist[frame][k] : &path.motion[frame][k - 6];
            *unit = 1.0;
            differentiate(loads_along, &path, VALUES, slopes);
            *unit = 0.0;
            column_of(s, frame, k, column);
            check_column(s, column, slopes, frame == 1 ? "change of a" : frame == 2 ? "change of b" : "change of c", k);
        }
    for (int k = 0; k < s->model->structure->first_order; k++) {
        path.z[k] = 1.0;
        differentiate(loads_along, &path, VALUES, slopes);
        path.z[k] = 0.0;
        column_of(s, 0, k, column);
        check_column(s, column, slopes, "state", k);
    }
    for (int i = 0; i < crd_law_variables(s->model->structure); i++) /* nothing is left behind for the next one */
        assert_true(s->system.law_jets[i].d1 == 0.0);
}

static void derivatives_of_loads_equal_differences(void **state) {
    (void)state;
    over_every_force(look_at_derivatives, 37);
}

/* ---- what forces offer ---- */

enum { OFFERS_MOST = 16 };

static void offers_along(void *user, double h, double *values) {
    Path *p = user;
    Scene *s = p->s;
    CrdError error = {0};
    double z[Z_MOST];
    memcpy(z, s->z, sizeof z);
    move(p, h);
    for (int i = 0; i < Z_MOST; i++) s->z[i] += h * p->z[i];
    apply(s); /* frames and variables of laws */
    for (int k = 0; k < crd_force_kinds[s->def.type]->offers.count; k++)
        if (crd_measure_value(s->model, &s->actions, &s->system, &(CrdLawMeasure){.measure = CRD_OFFERED, .other = k},
                              &values[k], &error) < 0)
            fail_msg("%s", error.text);
    move(p, 0.0);
    memcpy(s->z, z, sizeof z);
}

/* Their derivatives along what stands in system.changes and the jets of states; laws follow their measures. */
static void slopes_of_offers(Scene *s, double *slopes) {
    const CrdStructure *structure = s->model->structure;
    const CrdForceStructure *force = &structure->force_structures[0];
    CrdError error = {0};
    for (int i = 0; i < force->measures; i++) {
        int number = structure->force_measures[force->measure + i];
        assert_true(crd_measure_slope(s->model, &s->actions, &s->system, &structure->law_measures[number],
                                      &s->system.law_jets[crd_law_measures(structure) + number].d1, &error) >= 0);
    }
    for (int k = 0; k < crd_force_kinds[s->def.type]->offers.count; k++)
        assert_true(crd_measure_slope(s->model, &s->actions, &s->system,
                                      &(CrdLawMeasure){.measure = CRD_OFFERED, .other = k}, &slopes[k], &error) >= 0);
    for (int i = 0; i < crd_law_variables(structure); i++) s->system.law_jets[i].d1 = 0.0;
}

static void check_offers(Scene *s, Path *path, double *number) {
    int count = crd_force_kinds[s->def.type]->offers.count;
    double expected[OFFERS_MOST], slopes[OFFERS_MOST], values[OFFERS_MOST];
    *number = 1.0;
    differentiate(offers_along, path, count, expected);
    *number = 0.0;
    offers_along(path, 0.0, values); /* back where it was before the differences */
    slopes_of_offers(s, slopes);
    for (int k = 0; k < count; k++) {
        /* sizes have a kink at 0, which the differences must not reach */
        if (fabs(values[k]) <= 2.0 * DIFFERENCE_STEP * fmax(fabs(slopes[k]), fabs(expected[k]))) continue;
        check_near(slopes[k], expected[k], DERIVATIVES * fmax(1.0, norm_of(expected, count)),
                   "force type %d, space %d: slope of '%s'", s->def.type, s->space,
                   crd_force_kinds[s->def.type]->offers.rows[k].name);
    }
}

static void look_at_offers(Random *random, Scene *s) {
    (void)random;
    const CrdStructure *structure = s->model->structure;
    assert_true(crd_force_kinds[s->def.type]->offers.count <= OFFERS_MOST);
    Path path = path_of(s);
    for (int frame = 1; frame < CARRIERS; frame++)
        for (int k = 0; k < 12; k++) {
            if (!has_twist(s->space, k)) continue;
            double *change = crd_change_component(&s->system.changes[frame], k);
            *change = 1.0;
            check_offers(s, &path, k < 6 ? &path.twist[frame][k] : &path.motion[frame][k - 6]);
            *change = 0.0;
        }
    for (int k = 0; k < structure->first_order; k++) {
        double expected[OFFERS_MOST], slopes[OFFERS_MOST];
        int count = crd_force_kinds[s->def.type]->offers.count;
        path.z[k] = 1.0;
        differentiate(offers_along, &path, count, expected);
        path.z[k] = 0.0;
        apply(s);
        s->system.law_jets[crd_law_states(structure) + k].d1 = 1.0;
        slopes_of_offers(s, slopes);
        for (int i = 0; i < count; i++)
            check_near(slopes[i], expected[i], DERIVATIVES * fmax(1.0, norm_of(expected, count)),
                       "force type %d: slope of offer %d along state %d", s->def.type, i, k);
    }
}

static void slopes_of_what_forces_offer_equal_differences(void **state) {
    (void)state;
    over_every_force(look_at_offers, 41);
}

/* ---- coordinates ---- */

typedef struct CoordinatePath {
    const Case *c;
    Pose pose;
    double near;
    CardanCoordinate which;
    double twist[TWISTS], motion[TWISTS];
} CoordinatePath;

static void coordinate_along(void *user, double h, double *values) {
    const CoordinatePath *p = user;
    Pose q = moved(&p->pose, p->twist, h);
    q.a.v = crd_axpy(q.a.v, h, crd_vec_of(p->motion));
    q.a.w = crd_axpy(q.a.w, h, crd_vec_of(p->motion + 3));
    q.b.v = crd_axpy(q.b.v, h, crd_vec_of(p->motion + 6));
    q.b.w = crd_axpy(q.b.w, h, crd_vec_of(p->motion + 9));
    CrdCoordinate x = coordinate_at(p->c, p->which, &q, p->near);
    values[0] = x.value;
    values[1] = x.rate;
    memcpy(values + 2, x.a, sizeof x.a);
    memcpy(values + 8, x.b, sizeof x.b);
}

static void check_coordinate(Random *random, const Case *c, CardanCoordinate which) {
    double angle, slopes[14], exact[14];
    CoordinatePath path = {.c = c, .pose = random_turned_pose(random, c, &angle), .which = which};
    path.near = path.pose.near;
    for (int k = 0; k < 2 * TWISTS; k++) {
        if (!has_twist(c->space, k)) continue;
        CrdChange change[2];
        double *unit = k < TWISTS ? &path.twist[k] : &path.motion[k - TWISTS];
        *unit = 1.0;
        for (int side = 0; side < 2; side++) {
            change[side].x = crd_vec_of(path.twist + 6 * side);
            change[side].turn = crd_vec_of(path.twist + 6 * side + 3);
            change[side].v = crd_vec_of(path.motion + 6 * side);
            change[side].w = crd_vec_of(path.motion + 6 * side + 3);
        }
        CrdPair pair = {.a = &path.pose.a, .b = &path.pose.b, .near = path.near};
        CrdCoordinate d;
        crd_joint_coordinate_change(which, c->data, &pair, &change[0], &change[1], &d);
        exact[0] = d.value;
        exact[1] = d.rate;
        memcpy(exact + 2, d.a, sizeof d.a);
        memcpy(exact + 8, d.b, sizeof d.b);
        differentiate(coordinate_along, &path, 14, slopes);
        *unit = 0.0;
        for (int i = 0; i < 14; i++)
            if (i < 2 || has_twist(c->space, i - 2))
                check_near(exact[i], slopes[i], DERIVATIVES * fmax(1.0, norm_of(slopes, 14)),
                           "joint type %d: number %d along %d", c->type, i, k);
    }
}

static void coordinates_of_joints_change_as_differences_say(void **state) {
    (void)state;
    for (int type = 1; type < CARDAN_JOINT_TYPES; type++)
        for (int space = 0; space < 2; space++) {
            const CrdJointKind *kind = crd_joint_kinds[type];
            if (!kind->space[space] || kind->coordinates[0] == CARDAN_COORDINATE_NONE) continue;
            Random random = {38 + (uint64_t)(10 * (type - 1) + space)};
            for (int i = 0; i < sample_of(TRIALS, 4); i++) {
                Case c = random_case(&random, (CardanJointType)type, (CardanSpace)space);
                for (int k = 0; k < CRD_JOINT_COORDINATES; k++)
                    if (kind->coordinates[k] != CARDAN_COORDINATE_NONE)
                        check_coordinate(&random, &c, kind->coordinates[k]);
                cardan_model_release(c.model);
            }
        }
}

/* ---- loads by hand ---- */

static void look_at_value(Random *random, Scene *s) {
    (void)random;
    if (s->def.law[0] != NULL || s->def.law[1] != NULL || s->def.law[2] != NULL) return;
    Result here = apply(s);
    const CardanFrame *f = &s->frames[s->def.body.index];
    CrdVec value = s->def.value, given = s->def.follower ? crd_apply(f->rotation, value) : value;
    CrdVec push = crd_vec_of(here.load[2]), moment = crd_apply(f->rotation, crd_vec_of(here.load[2] + 3));
    if (s->def.type == CARDAN_FORCE_AT_POINT) {
        CrdVec arm = crd_cross(crd_apply(f->rotation, s->def.point), given);
        check_near(crd_norm(crd_sub(push, given)), 0.0, EXACT * 10.0, "force in ground axes");
        check_near(crd_norm(crd_sub(moment, arm)), 0.0, EXACT * 10.0, "moment of a force off the centre");
    }
    if (s->def.type == CARDAN_FORCE_TORQUE && s->def.joint.index == 0) {
        check_near(crd_norm(crd_sub(moment, given)), 0.0, EXACT * 10.0, "torque in ground axes");
        check_near(norm_of(here.load[2], 3), 0.0, 0.0, "a torque has no force");
    }
    if (s->def.type == CARDAN_FORCE_TORQUE && s->def.joint.index == 1 && s->space == CARDAN_SPACE_PLANAR)
        check_near(here.load[2][5], value.x, EXACT * 10.0, "torque on a planar revolute");
    if (s->def.type == CARDAN_FORCE_SPRING) { /* tension by hand */
        const CardanFrame *a = &s->frames[s->def.a.index], *b = &s->frames[s->def.b.index];
        CrdVec pa = crd_add(a->x, crd_apply(a->rotation, s->def.point_a));
        CrdVec pb = crd_add(b->x, crd_apply(b->rotation, s->def.point_b));
        CrdVec va = crd_add(a->v, crd_cross(crd_apply(a->rotation, a->w), crd_sub(pa, a->x)));
        CrdVec vb = crd_add(b->v, crd_cross(crd_apply(b->rotation, b->w), crd_sub(pb, b->x)));
        CrdVec d = crd_sub(pb, pa);
        double l = crd_norm(d), rate = crd_dot(d, crd_sub(vb, va)) / l;
        double tension = s->def.stiffness * (l - s->def.length) + s->def.damping * rate;
        check_near(crd_norm(crd_axpy(push, tension / l, d)), 0.0, EXACT * 100.0, "pull of a spring on b");
        check_near(here.power, -s->def.damping * rate * rate, EXACT * 100.0, "power of its damper");
    }
    if (s->def.type == CARDAN_FORCE_MOTOR && s->def.limit > 0.0 && s->space == CARDAN_SPACE_PLANAR &&
        s->def.joint.index == 1)
        assert_true(fabs(here.load[2][5]) <= *numbers_of(s, "limit"));
}

static void loads_are_what_the_manual_says(void **state) {
    (void)state;
    over_every_force(look_at_value, 34);
}

/* Loads are added to what is there, and the ground may be pulled on. */
static void look_at_adding(Random *random, Scene *s) {
    (void)random;
    CrdForceScene scene;
    CrdError error = {0};
    Result once = apply(s), twice;
    double rates[CRD_FORCE_STATES];
    memset(&twice, 0, sizeof twice);
    CrdLoads loads = {.load = twice.load, .z_rate = rates};
    for (int i = 0; i < 2; i++) {
        assert_true(crd_force_scene(s->model, 0, &s->actions, &s->system, &scene, &error) >= 0);
        assert_true(crd_force_kinds[s->def.type]->apply(s->force, &scene.input, &loads) >= 0);
    }
    double size = size_of_loads(&once);
    for (int i = 0; i < CARRIERS; i++)
        for (int k = 0; k < 6; k++)
            check_near(twice.load[i][k], 2.0 * once.load[i][k], EXACT * 10.0 * size, "load added twice");
    check_near(loads.power, 2.0 * once.power, EXACT * 100.0 * size, "power added twice");
    check_near(loads.potential, 2.0 * once.potential, EXACT * 100.0 * size, "potential added twice");
}

static void loads_add_up(void **state) {
    (void)state;
    over_every_force(look_at_adding, 35);
}

static void a_spring_of_no_extent_pulls_in_no_direction(void **state) {
    (void)state;
    Random random = {36};
    Scene s;
    assert_true(make_scene(&random, CARDAN_FORCE_SPRING, CARDAN_SPACE_SPATIAL, 0, &s));
    memset(numbers_of(&s, "points[0]"), 0, sizeof(CrdVec));
    memset(numbers_of(&s, "points[1]"), 0, sizeof(CrdVec));
    s.frames[2].x = s.frames[1].x;
    Result here = apply(&s);
    for (int i = 0; i < CARRIERS; i++) assert_true(norm_of(here.load[i], 6) == 0.0);
    check_near(here.potential, 0.5 * s.def.stiffness * s.def.length * s.def.length, EXACT * 100.0, "its potential");
    discard(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(power_is_what_loads_do_on_twists),
        cmocka_unit_test(loads_at_rest_are_minus_the_slope_of_the_potential),
        cmocka_unit_test(internal_forces_have_no_sum),
        cmocka_unit_test(derivatives_of_loads_equal_differences),
        cmocka_unit_test(slopes_of_what_forces_offer_equal_differences),
        cmocka_unit_test(coordinates_of_joints_change_as_differences_say),
        cmocka_unit_test(loads_are_what_the_manual_says),
        cmocka_unit_test(loads_add_up),
        cmocka_unit_test(a_spring_of_no_extent_pulls_in_no_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
