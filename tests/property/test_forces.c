/* Every force record: its loads are what its power and its potential say, internal ones have no sum. A record without
 * a case here fails the first test. */
#include "property/joint_fixture.h"

#include "force/force.h"

static const double DIFFERENCES = 1e-9, EXACT = 1e-12;

enum { CARRIERS = 4, STATES = 30 };

/* A force among random frames; carrier 0 is the ground. */
typedef struct Scene {
    CrdForceData data;
    CardanFrame frames[CARRIERS];
    CardanSpace space;
    Case joint; /* for a torque on a coordinate: between carriers data.a and data.b */
    bool on_joint;
    bool internal; /* acts between two carriers */
    double value[3];
    int carriers[CARRIERS];
} Scene;

typedef struct Result {
    CardanTwistRow load[CARRIERS];
    double potential, power;
} Result;

/* Wrenches that depend on places and motions of all frames. */
static CardanStatus pull(void *user, double t, const CardanFrame *frames, const double *inputs, CardanWrench *wrench) {
    const Scene *s = user;
    assert_true(t == 0.25 && inputs != NULL && inputs[0] == 7.0);
    for (int i = 0; i < s->data.bodies; i++) {
        assert_true(wrench[i].force.x == 0.0 && wrench[i].moment.z == 0.0); /* arrive zeroed */
        wrench[i].force = crd_axpy(frames[i].x, -0.3, frames[(i + 1) % s->data.bodies].v);
        wrench[i].moment = crd_apply(frames[i].rotation, frames[i].w);
        if (s->space == CARDAN_PLANAR) wrench[i].force.z = wrench[i].moment.x = wrench[i].moment.y = 0.0;
    }
    return CARDAN_OK;
}

static Result apply(const Scene *s) {
    Result out;
    memset(&out, 0, sizeof out);
    const double inputs[] = {7.0};
    CardanFrame gathered[CARRIERS];
    CardanWrench wrench[CARRIERS];
    CrdLoads loads = {.load = out.load};
    CrdForceInput input = {
        .t = 0.25, .frames = s->frames, .value = s->value, .inputs = inputs, .gathered = gathered, .wrench = wrench};
    CrdCoordinate coordinate;
    if (s->on_joint) {
        Pose pose = {s->frames[s->data.a], s->frames[s->data.b]};
        coordinate = coordinate_at(&s->joint, &pose, 0.0);
        input.coordinate = &coordinate;
        input.joint_a = s->data.a;
        input.joint_b = s->data.b;
    }
    assert_true(crd_force_kinds[s->data.type]->apply(&s->data, &input, &loads) >= 0);
    out.potential = loads.potential;
    out.power = loads.power;
    return out;
}

/* ---- scenes ---- */

static void random_frames(Random *r, Scene *s) {
    memset(s->frames, 0, sizeof s->frames);
    for (int i = 0; i < CARRIERS; i++) {
        CardanFrame *f = &s->frames[i];
        f->angle = i > 0 && s->space == CARDAN_PLANAR ? 3.0 * random_signed(r) : 0.0;
        CrdMat turn = s->space == CARDAN_PLANAR ? crd_matrix_about_z(f->angle) : crd_matrix_of(random_quat(r));
        if (i == 0) turn = crd_identity();
        memcpy(f->rotation, turn.m, sizeof f->rotation);
        if (i == 0) continue;
        f->x = crd_add(random_vec(r, s->space, 0.5), crd_vec(4.0 * i, 0.0, 0.0)); /* apart: a spring has a direction */
        random_motion(r, s->space, f, 2.0);
    }
}

/* Variant 0, 1, .. of a type; false: there are no more. */
static bool make_scene(Random *r, CardanForceType type, CardanSpace space, int variant, Scene *s) {
    memset(s, 0, sizeof *s);
    s->data.type = type;
    s->space = space;
    random_frames(r, s);
    for (int k = 0; k < 3; k++) s->value[k] = 3.0 * random_signed(r);
    if (space == CARDAN_PLANAR) s->value[2] = 0.0;
    s->data.point = random_vec(r, space, 1.0);
    switch (type) {
    case CARDAN_SPRING:
        s->data.a = variant == 0 ? 1 : 0;
        s->data.b = 2;
        s->data.point_a = random_vec(r, space, 0.7);
        s->data.point_b = random_vec(r, space, 0.7);
        s->data.stiffness = random_between(r, 1.0, 5.0);
        s->data.damping = random_between(r, 0.1, 1.0);
        s->data.length = random_between(r, 0.0, 3.0);
        s->internal = true;
        return variant < 2;
    case CARDAN_FORCE:
        s->data.body = 2;
        s->data.follower = variant == 1;
        return variant < 2;
    case CARDAN_TORQUE:
        s->data.body = 3;
        s->data.follower = variant == 1;
        if (space == CARDAN_PLANAR) {
            s->value[0] = s->value[1] = 0.0;
            s->value[2] = 3.0 * random_signed(r);
        }
        if (variant < 2) return true;
        if (variant >= 2 + CARDAN_JOINT_TYPES) return false;
        s->data.joint = 1;
        s->data.a = 1;
        s->data.b = 2;
        s->value[0] = 2.0 + random_signed(r);
        s->joint = random_case(r, (CardanJointType)(variant - 2), space);
        s->on_joint = s->internal = true;
        return true;
    case CARDAN_CALLBACK:
        s->data.bodies = 3;
        for (int i = 0; i < 3; i++) s->carriers[i] = 3 - i;
        s->data.callback = pull;
        return variant < 1;
    default:
        fail_msg("force type %d has no case in this test", (int)type);
    }
    return false;
}

typedef void (*Look)(Random *random, Scene *s);

static void over_every_force(Look look, uint64_t seed) {
    for (int type = 0; type < CARDAN_FORCE_TYPES; type++)
        for (int space = 0; space < 2; space++)
            for (int variant = 0;; variant++) {
                Random random = {seed + (uint64_t)(100 * type + 10 * space + variant)};
                bool there = true;
                for (int i = 0; there && i < STATES; i++) {
                    Scene s;
                    bool joint = type == CARDAN_TORQUE && variant >= 2 && variant < 2 + CARDAN_JOINT_TYPES;
                    const CrdJointKind *kind = joint ? crd_joint_kinds[variant - 2] : NULL;
                    if (joint && (!kind->space[space] || kind->coordinate == CARDAN_NO_COORDINATE)) break;
                    there = make_scene(&random, (CardanForceType)type, (CardanSpace)space, variant, &s);
                    if (!there) break;
                    s.data.carriers = s.carriers;
                    s.data.user = &s;
                    if (s.on_joint) { /* near the joint, where its coordinate is defined */
                        double angle;
                        Pose pose = random_turned_pose(&random, &s.joint, &angle);
                        s.frames[s.data.a] = pose.a;
                        s.frames[s.data.b] = pose.b;
                    }
                    look(&random, &s);
                    if (s.on_joint) cardan_model_release(s.joint.model);
                }
                if (!there) break;
            }
}

/* ---- looks ---- */

typedef struct Path {
    Scene *s;
    CardanFrame frames[CARRIERS];
    double twist[CARRIERS][6];
} Path;

static void potential_along(void *user, double s, double *values) {
    Path *p = user;
    memcpy(p->s->frames, p->frames, sizeof p->frames);
    for (int i = 1; i < CARRIERS; i++) move_frame(&p->s->frames[i], p->twist[i], s);
    values[0] = apply(p->s).potential;
    memcpy(p->s->frames, p->frames, sizeof p->frames);
}

static double size_of_loads(const Result *r) {
    double size = 1.0;
    for (int i = 0; i < CARRIERS; i++) size = fmax(size, norm_of(r->load[i], 6));
    return size;
}

/* load . twist = power - potential': nothing is lost and nothing counted twice. */
static void look_at_power(Random *random, Scene *s) {
    (void)random;
    Path path = {.s = s};
    memcpy(path.frames, s->frames, sizeof path.frames);
    double flow = 0.0, climb;
    Result here = apply(s);
    for (int i = 1; i < CARRIERS; i++) {
        crd_put(path.twist[i], s->frames[i].v);
        crd_put(path.twist[i] + 3, s->frames[i].w);
        for (int k = 0; k < 6; k++) flow += here.load[i][k] * path.twist[i][k];
    }
    differentiate(potential_along, &path, 1, &climb);
    check_near(flow, here.power - climb, 100.0 * DIFFERENCES * size_of_loads(&here), "force type %d: power",
               s->data.type);
}

static void power_is_what_loads_do_on_twists(void **state) {
    (void)state;
    over_every_force(look_at_power, 31);
}

static void look_at_potential(Random *random, Scene *s) {
    (void)random;
    Path path = {.s = s};
    double slope;
    if (s->data.type == CARDAN_CALLBACK) return; /* theirs has no potential, checked by power */
    for (int i = 1; i < CARRIERS; i++) s->frames[i].v = s->frames[i].w = crd_vec(0, 0, 0);
    memcpy(path.frames, s->frames, sizeof path.frames);
    Result rest = apply(s);
    if (s->data.type != CARDAN_SPRING) {
        assert_true(rest.potential == 0.0);
        return;
    }
    assert_true(rest.potential > 0.0);
    for (int i = 1; i < CARRIERS; i++)
        for (int k = 0; k < 6; k++) {
            if (!has_twist(s->space, k)) continue;
            memset(path.twist, 0, sizeof path.twist);
            path.twist[i][k] = 1.0;
            differentiate(potential_along, &path, 1, &slope);
            check_near(rest.load[i][k], -slope, 10.0 * DIFFERENCES * size_of_loads(&rest),
                       "force type %d, carrier %d, twist %d: load at rest", s->data.type, i, k);
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
    assert_true(norm_of(here.load[s->data.b], 6) > 1e-3);
    check_near(crd_norm(force), 0.0, EXACT * size, "force type %d: sum of forces", s->data.type);
    double turning = s->space == CARDAN_PLANAR ? fabs(moment.z) : crd_norm(moment);
    check_near(turning, 0.0, EXACT * size, "force type %d: sum of moments", s->data.type);
}

static void internal_forces_have_no_sum(void **state) {
    (void)state;
    over_every_force(look_at_sum, 33);
}

/* The wrench on b, seen in ground axes at its origin. */
static void look_at_value(Random *random, Scene *s) {
    (void)random;
    Result here = apply(s);
    const CardanFrame *f = &s->frames[s->data.body];
    CrdVec value = crd_vec_of(s->value), given = s->data.follower ? crd_apply(f->rotation, value) : value;
    if (s->data.type == CARDAN_FORCE) {
        CrdVec push = crd_vec_of(here.load[s->data.body]);
        CrdVec moment = crd_apply(f->rotation, crd_vec_of(here.load[s->data.body] + 3));
        CrdVec arm = crd_cross(crd_apply(f->rotation, s->data.point), given);
        check_near(crd_norm(crd_sub(push, given)), 0.0, EXACT * 10.0, "force in ground axes");
        check_near(crd_norm(crd_sub(moment, arm)), 0.0, EXACT * 10.0, "moment of a force off the centre");
    }
    if (s->data.type == CARDAN_TORQUE && !s->on_joint) {
        CrdVec moment = crd_apply(f->rotation, crd_vec_of(here.load[s->data.body] + 3));
        check_near(crd_norm(crd_sub(moment, given)), 0.0, EXACT * 10.0, "torque in ground axes");
        check_near(norm_of(here.load[s->data.body], 3), 0.0, 0.0, "a torque has no force");
    }
    if (s->on_joint && s->joint.kind->coordinate == CARDAN_ANGLE && s->space == CARDAN_PLANAR)
        check_near(here.load[s->data.b][5], s->value[0], EXACT * 10.0, "torque on a planar revolute");
    if (s->data.type == CARDAN_SPRING) { /* tension by hand */
        const CardanFrame *a = &s->frames[s->data.a], *b = &s->frames[s->data.b];
        CrdVec pa = crd_add(a->x, crd_apply(a->rotation, s->data.point_a));
        CrdVec pb = crd_add(b->x, crd_apply(b->rotation, s->data.point_b));
        CrdVec va = crd_add(a->v, crd_cross(crd_apply(a->rotation, a->w), crd_sub(pa, a->x)));
        CrdVec vb = crd_add(b->v, crd_cross(crd_apply(b->rotation, b->w), crd_sub(pb, b->x)));
        CrdVec d = crd_sub(pb, pa);
        double l = crd_norm(d), rate = crd_dot(d, crd_sub(vb, va)) / l;
        double tension = s->data.stiffness * (l - s->data.length) + s->data.damping * rate;
        check_near(crd_norm(crd_axpy(crd_vec_of(here.load[s->data.b]), tension / l, d)), 0.0, EXACT * 100.0,
                   "pull of a spring on b");
        check_near(here.power, -s->data.damping * rate * rate, EXACT * 100.0, "power of its damper");
    }
}

static void loads_are_what_the_manual_says(void **state) {
    (void)state;
    over_every_force(look_at_value, 34);
}

/* Loads are added to what is there, and the ground may be pulled on. */
static void look_at_adding(Random *random, Scene *s) {
    (void)random;
    if (s->on_joint || s->data.type == CARDAN_CALLBACK) return;
    Result once = apply(s), twice;
    memset(&twice, 0, sizeof twice);
    CrdLoads loads = {.load = twice.load};
    CrdForceInput input = {.frames = s->frames, .value = s->value};
    for (int i = 0; i < 2; i++) assert_true(crd_force_kinds[s->data.type]->apply(&s->data, &input, &loads) >= 0);
    for (int i = 0; i < CARRIERS; i++)
        for (int k = 0; k < 6; k++)
            check_near(twice.load[i][k], 2.0 * once.load[i][k], EXACT * 10.0, "load added twice");
    check_near(loads.power, 2.0 * once.power, EXACT * 100.0, "power added twice");
    check_near(loads.potential, 2.0 * once.potential, EXACT * 100.0, "potential added twice");
}

static void loads_add_up(void **state) {
    (void)state;
    over_every_force(look_at_adding, 35);
}

static void a_spring_of_no_extent_pulls_in_no_direction(void **state) {
    (void)state;
    Random random = {36};
    Scene s;
    assert_true(make_scene(&random, CARDAN_SPRING, CARDAN_SPATIAL, 0, &s));
    s.data.point_a = s.data.point_b = crd_vec(0, 0, 0);
    s.frames[2].x = s.frames[1].x;
    Result here = apply(&s);
    for (int i = 0; i < CARRIERS; i++) assert_true(norm_of(here.load[i], 6) == 0.0);
    check_near(here.potential, 0.5 * s.data.stiffness * s.data.length * s.data.length, EXACT * 100.0, "its potential");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(power_is_what_loads_do_on_twists),
        cmocka_unit_test(loads_at_rest_are_minus_the_slope_of_the_potential),
        cmocka_unit_test(internal_forces_have_no_sum),
        cmocka_unit_test(loads_are_what_the_manual_says),
        cmocka_unit_test(loads_add_up),
        cmocka_unit_test(a_spring_of_no_extent_pulls_in_no_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
