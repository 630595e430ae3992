/* One force among three bodies at random, for every record and both spaces. The numbers come from a compiled model, so
 * that what is tested is what simulations use; the frames are then put anywhere, with large turns, and the force is
 * placed so that it acts there. Carriers: 0 ground, 1 a, 2 b, 3 c; hinge between a and b, slide between b and c. */
#ifndef TESTS_PROPERTY_FORCE_FIXTURE_H
#define TESTS_PROPERTY_FORCE_FIXTURE_H

#include "property/joint_fixture.h"
#include "support/defaulted.h"
#include "support/sample.h"

#include "equations/force_derivatives.h"
#include "equations/force_scene.h"

enum { CARRIERS = 4, ROPE_MOST = 4, STATES = 25, PID = 2, Z_MOST = PID + CRD_FORCE_STATES };

typedef struct Scene {
    CardanSpace space;
    int variant;
    CardanForceDef def; /* bodies by number: 1 a, 2 b, 3 c */
    CardanBodyPoint points[ROPE_MOST];
    CardanBodyDef body[3];   /* a, b, c */
    CardanJointDef joint[2]; /* hinge, slide; bodies by number */
    int frame[CARRIERS];     /* of the ground, a, b, c: their numbers, unless bodies are described in another order */
    bool internal;           /* acts between carriers: no sum */
    CardanModel *model;
    CrdForceData *force; /* of the model, to be placed */
    CrdArena arena;
    CrdSystem system;
    CrdLoadDerivatives derivatives;
    CrdActions actions;
    double inputs[1], z[Z_MOST], tracked[4]; /* of the hinge, and a rotation vector */
    CardanFrame frames[CARRIERS];
} Scene;

typedef struct Result {
    CardanTwistRow load[CARRIERS];
    double z_rate[Z_MOST];
    double potential, power;
} Result;

/* ---- callbacks ---- */

/* Wrenches that depend on places and motions of all frames. */
static inline CardanStatus pull(void *user, double t, const CardanFrame *frames, const double *inputs,
                                CardanWrench *wrench) {
    const Scene *s = user;
    assert_true(t == 0.25 && inputs != NULL && inputs[0] == 7.0);
    for (int i = 0; i < 3; i++) {
        assert_true(wrench[i].force.x == 0.0 && wrench[i].moment.z == 0.0); /* arrive zeroed */
        wrench[i].force = crd_axpy(frames[i].x, -0.3, frames[(i + 1) % 3].v);
        wrench[i].moment = crd_apply(frames[i].rotation, frames[i].w);
        if (s->space == CARDAN_SPACE_PLANAR) wrench[i].force.z = wrench[i].moment.x = wrench[i].moment.y = 0.0;
    }
    return CARDAN_OK;
}

static inline CardanStatus pull_change(void *user, double t, const CardanFrame *frames,
                                       const CardanFrameChange *changes, const double *inputs, CardanWrench *change) {
    (void)user, (void)t, (void)inputs;
    for (int i = 0; i < 3; i++) {
        change[i].force = crd_axpy(changes[i].x, -0.3, changes[(i + 1) % 3].v);
        CrdVec own = crd_add(crd_cross(changes[i].turn, frames[i].w), changes[i].w);
        change[i].moment = crd_apply(frames[i].rotation, own);
    }
    return CARDAN_OK;
}

static inline CardanStatus pid_rate(void *user, double t, const CardanFrame *frames, const double *inputs,
                                    const double *z, double *rate) {
    (void)user, (void)t;
    assert_true(rate[0] == 0.0 && rate[1] == 0.0 && inputs[0] == 7.0);
    rate[0] = frames[0].x.x - z[0];
    rate[1] = z[0] * z[1];
    return CARDAN_OK;
}

/* ---- definitions ---- */

static const char *const RICH_LAW = "0.3*t + c.vx*hinge.angle - 0.2*slide.speed + sin(a.y)*u/7 + 0.5*pid.z1^2 "
                                    "+ 0.1*tie.length^2";

static inline CardanMagic random_magic(Random *r) {
    return (CardanMagic){random_between(r, 1.0, 3.0), random_between(r, 1.1, 1.7), random_between(r, 0.7, 1.2),
                         random_between(r, -1.0, 0.9)};
}

static inline void define_plane(Random *r, CardanSpace space, CardanForceDef *def) {
    def->body.index = 2;
    def->radius = random_between(r, 0.4, 0.8);
    def->plane_normal = crd_scale(2.0, random_direction(r, space)); /* any length */
    def->axis =
        space == CARDAN_SPACE_SPATIAL ? crd_cross(def->plane_normal, random_direction(r, space)) : crd_vec(0, 0, 1);
}

/* Variant 0, 1, .. of a type; false: there are no more. */
static inline bool define(Random *r, CardanForceType type, CardanSpace space, int variant, Scene *s) {
    CardanForceDef *def = &s->def;
    static const CardanBody ALL[] = {{3}, {2}, {1}};
    bool planar = space == CARDAN_SPACE_PLANAR;
    *def =
        (CardanForceDef){DEFAULTED, .name = "force", .type = type, .a = {variant == 1 ? 0 : 1}, .b = {2}, .body = {2}};
    def->point = random_vec(r, space, 0.5);
    def->stiffness = random_between(r, 1.0, 5.0);
    def->damping = random_between(r, 0.1, 1.0);
    def->speed = random_between(r, 0.6, 1.0);
    switch (type) {
    case CARDAN_FORCE_SPRING:
        def->point_a = random_vec(r, space, 0.7);
        def->point_b = random_vec(r, space, 0.7);
        def->length = random_between(r, 0.0, 3.0);
        def->length_given = true;
        if (variant == 2) def->law[0] = "2*x*abs(x) + 0.3*v^3 + x*b.vy";
        return variant < 3;
    case CARDAN_FORCE_TORSION:
        def->joint.index = 1 + variant % 2;
        def->angle = random_signed(r);
        if (variant == 2) def->law[0] = "2*x^3 + 0.3*v + x*slide.displacement";
        return variant < 3;
    case CARDAN_FORCE_BUSHING:
        for (int k = 0; k < (planar ? 3 : 6); k++) {
            def->bushing_stiffness[k] = random_between(r, 1.0, 5.0);
            def->bushing_damping[k] = random_between(r, 0.1, 1.0);
        }
        return variant < (planar ? 2 : 3); /* the last: turned by more than half a turn */
    case CARDAN_FORCE_AT_POINT:
        def->value = random_vec(r, space, 3.0);
        def->follower = variant % 2 == 1;
        if (variant >= 2) def->law[1] = RICH_LAW;
        return variant < 4;
    case CARDAN_FORCE_TORQUE:
        def->value = random_spin(r, space, 3.0);
        def->follower = variant % 2 == 1;
        if (variant >= 2 && variant < 4) def->law[2] = RICH_LAW;
        if (variant >= 4) {
            def->joint.index = 1 + variant % 2;
            def->value = crd_vec(random_signed(r) + 2.0, 0, 0);
        }
        if (variant >= 6) def->law[0] = RICH_LAW;
        return variant < 8;
    case CARDAN_FORCE_MOTOR:
        def->joint.index = 1 + variant % 2;
        def->law[0] = variant < 2 ? "1 + 0.5*sin(3*t)*u" : "2";
        def->gains[0] = random_between(r, 1.0, 5.0);
        def->gains[1] = random_between(r, 0.1, 1.0);
        def->limit = variant < 2 ? 0.0 : 1.0; /* placed */
        return variant < 4;
    case CARDAN_FORCE_FRICTION:
        def->joint.index = 1 + variant % 2;
        def->coulomb = random_between(r, 0.5, 1.0);
        def->viscous = 0.1;
        if (variant >= 2) def->stick = 1.5;
        if (variant >= 2) def->stribeck = random_between(r, 0.8, 1.2);
        return variant < 4;
    case CARDAN_FORCE_LIMIT:
        def->joint.index = 1 + variant % 2;
        def->range[1] = 1.0; /* placed */
        return variant < 4;
    case CARDAN_FORCE_CONTACT:
        define_plane(r, space, def);
        if (variant == 1) def->radius = 0.0;
        if (variant == 2) def->exponent = 2.2;
        def->dissipation = 0.2;
        def->friction = variant == 1 ? 0.0 : 0.6;
        return variant < 3;
    case CARDAN_FORCE_DRAG:
        def->coefficient = random_between(r, 0.1, 0.5);
        return variant < 1;
    case CARDAN_FORCE_TYRE:
        define_plane(r, space, def);
        def->longitudinal = random_magic(r);
        if (!planar) def->lateral = random_magic(r);
        def->slow = variant % 2 == 0 ? 0.3 : 5.0;
        if (variant >= 2) def->relaxation = 0.4;
        return variant < 4;
    case CARDAN_FORCE_ROPE: /* over a and b, through all three and back */
        def->points_list = s->points;
        for (int i = 0; i < ROPE_MOST; i++)
            s->points[i] = (CardanBodyPoint){{i == 3 ? 1 : i + 1}, random_vec(r, space, 0.7)};
        def->points = variant == 1 ? 2 : ROPE_MOST;
        def->length = random_between(r, 0.2, 1.5); /* taut: bodies stand 3 apart */
        def->length_given = true;
        if (variant == 2) def->law[0] = "2*x*abs(x) + 0.3*v^3 + x*b.vy";
        return variant < 3;
    case CARDAN_FORCE_CALLBACK:
        def->bodies = 3;
        def->bodies_list = ALL;
        def->callback = pull;
        if (variant == 1) def->change = pull_change;
        return variant < 2;
    default:
        fail_msg("force type %d has no case in this test", (int)type);
    }
    return false;
}

/* ---- a model around it ---- */

static inline void layout(Scene *s) {
    crd_system_layout(&s->system, s->model->structure, &s->arena);
    crd_load_derivatives_layout(&s->derivatives, s->model->structure, &s->arena);
}

/* Describes the bodies in this order (0 a, 1 b, 2 c), then the rest, and compiles. */
static inline void arrange(Scene *s, const int order[3]) {
    CardanBuilder *builder = cardan_builder_create(s->space);
    CardanBody place[CARRIERS] = {{0}}, list[3];
    for (int i = 0; i < 3; i++) place[order[i] + 1] = cardan_builder_add_body(builder, &s->body[order[i]]);
    for (int i = 0; i < CARRIERS; i++) s->frame[i] = place[i].index;
    cardan_builder_add_input(builder, "u", 7.0);
    cardan_builder_add_first_order(builder, &(CardanFirstOrderDef){DEFAULTED, .name = "pid", .count = PID, .bodies = 1,
                                                                   .body = &place[1], .rate = pid_rate});
    for (int i = 0; i < 2; i++) {
        CardanJointDef joint = s->joint[i];
        joint.a = place[joint.a.index];
        joint.b = place[joint.b.index];
        cardan_builder_add_joint(builder, &joint);
    }
    CardanForceDef def = s->def;
    def.user = s;
    def.a = place[def.a.index];
    def.b = place[def.b.index];
    def.body = place[def.body.index];
    for (int i = 0; i < def.bodies; i++) list[i] = place[def.bodies_list[i].index];
    def.bodies_list = list;
    CardanBodyPoint points[ROPE_MOST];
    for (int i = 0; i < def.points; i++)
        points[i] = (CardanBodyPoint){place[s->points[i].body.index], s->points[i].point};
    def.points_list = points;
    cardan_builder_add_force(builder, &def);
    /* without stiffness: its length is there for laws to read */
    cardan_builder_add_force(builder,
                             &(CardanForceDef){DEFAULTED, .name = "tie", .type = CARDAN_FORCE_SPRING, .a = place[1],
                                               .b = place[3], .point_a = {0.2, -0.1, 0.0}, .point_b = {0.0, 0.3, 0.0}});
    s->model = scene_compile(builder);
    s->force = &s->model->values.forces[0];
    s->arena = (CrdArena){0};
    layout(s);
    assert_true(crd_arena_allocate(&s->arena));
    layout(s);
    s->actions = (CrdActions){.inputs = s->inputs, .states = s->z, .tracked = s->tracked};
}

static inline void compile(Random *r, Scene *s) {
    static const char *const NAMES[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++) {
        s->body[i] = random_body(r, s->space, NAMES[i]);
        s->body[i].pose.p = crd_add(random_vec(r, s->space, 0.5), crd_vec(3.0 * i, 0.0, 0.0)); /* springs have a way */
    }
    s->joint[0] = (CardanJointDef){DEFAULTED, .name = "hinge", .type = CARDAN_JOINT_REVOLUTE, .a = {1}, .b = {2}};
    s->joint[1] = (CardanJointDef){DEFAULTED, .name = "slide", .type = CARDAN_JOINT_PRISMATIC, .a = {2}, .b = {3}};
    s->joint[0].point = random_vec(r, s->space, 1.0);
    if (s->space == CARDAN_SPACE_SPATIAL) s->joint[0].axis = random_direction(r, s->space);
    s->joint[1].axis = random_direction(r, s->space);
    s->inputs[0] = 7.0;
    arrange(s, (const int[]){0, 1, 2});
    for (int i = 0; i < Z_MOST; i++) s->z[i] = 0.4 * random_signed(r);
}

static inline void take_frames(Scene *s) {
    memcpy(s->system.frames, s->frames, sizeof s->frames);
    s->system.t = 0.25;
    s->system.tracked = s->tracked;
}

/* Angles are counted from where they are. */
static inline void count_angles(Scene *s) {
    take_frames(s);
    for (int e = 0; e < s->model->structure->element_count; e++) {
        const CrdElement *element = &s->model->structure->elements[e];
        if (element->tracked < 0) continue;
        CrdPair pair = crd_pair_of(s->model->structure, &s->system, e);
        CrdCoordinate x;
        crd_joint_coordinate(CARDAN_COORDINATE_ANGLE, &s->model->values.joints[e], &pair, &x);
        s->tracked[element->tracked] = x.value;
    }
}

/* Everything carried elsewhere together, then b and c turned far about an axis and tilted a little. */
static inline void random_frames(Random *r, Scene *s) {
    CrdError error = {0};
    double together[6], turn[6] = {0};
    assert_true(crd_start_frames(s->model->structure, s->model->description, &s->model->values, s->frames, &error) >=
                0);
    crd_put(together, random_vec(r, s->space, 2.0));
    crd_put(together + 3, random_spin(r, s->space, 3.0));
    for (int i = 1; i < CARRIERS; i++) {
        CardanFrame *f = &s->frames[i];
        double own[6]; /* the common turn is about ground axes */
        memcpy(own, together, sizeof own);
        crd_put(own + 3, crd_apply_t(f->rotation, crd_vec_of(together + 3)));
        move_frame(f, own, 1.0);
        if (i > 1) {
            const CrdJointData *joint = &s->model->values.joints[s->model->structure->element_of_joint[0]];
            CrdVec axis = s->space == CARDAN_SPACE_PLANAR ? crd_vec(0, 0, 1) : joint->axis_b;
            if (i == 3) axis = crd_apply_t(f->rotation, crd_apply(s->frames[2].rotation, axis));
            crd_put(turn + 3, crd_scale(2.4 * random_signed(r), axis));
            move_frame(f, turn, 1.0);
            crd_put(turn + 3, random_spin(r, s->space, 0.3));
            move_frame(f, turn, 1.0);
        }
        random_motion(r, s->space, f, 2.0);
    }
    count_angles(s);
}

static inline CrdCoordinate coordinate_here(const Scene *s) {
    CrdCoordinate x;
    int e = s->model->structure->element_of_joint[s->force->joint - 1];
    const CrdElement *element = &s->model->structure->elements[e];
    CrdPair pair = crd_pair_of(s->model->structure, &s->system, e);
    crd_joint_coordinate(element->kind->coordinates[0], &s->model->values.joints[e], &pair, &x);
    return x;
}

/* The numbers of a field in the compiled force. */
static inline double *numbers_of(Scene *s, const char *key) {
    const CrdField *field = crd_field_find(crd_force_kinds[s->force->type]->fields, key, 0);
    assert_non_null(field);
    return (double *)(void *)((unsigned char *)&s->force->numbers + field->own);
}

/* Moves ends of ranges, limits and planes so that the force acts. */
static inline void place(Random *r, Scene *s) {
    CardanForceType type = s->force->type;
    if (type == CARDAN_FORCE_MOTOR && s->variant >= 2) *numbers_of(s, "limit") = s->variant == 2 ? 0.3 : 100.0;
    if (type == CARDAN_FORCE_LIMIT) {
        double x = coordinate_here(s).value, over = random_between(r, 0.2, 0.5), *range = numbers_of(s, "range");
        range[0] = s->variant < 2 ? x - over - 1.0 : x + over;
        range[1] = s->variant < 2 ? x - over : x + over + 1.0;
    }
    if (type == CARDAN_FORCE_CONTACT || type == CARDAN_FORCE_TYRE) {
        const CardanFrame *body = &s->frames[s->def.body.index];
        CrdVec local = type == CARDAN_FORCE_CONTACT ? s->def.point : crd_vec(0, 0, 0);
        CrdVec normal = crd_vec_of(numbers_of(s, "plane.normal"));
        double reach = s->def.radius;
        if (type == CARDAN_FORCE_TYRE) {
            double c = crd_dot(normal, crd_apply(body->rotation, crd_vec_of(numbers_of(s, "axis"))));
            reach *= sqrt(1.0 - c * c);
        }
        double height = reach - (type == CARDAN_FORCE_CONTACT ? random_between(r, 0.2, 0.4) : 0.3 * reach);
        crd_put(numbers_of(s, "plane.point"), crd_axpy(crd_point_of(body, local).p, -height, normal));
    }
}

/* rad; rows and loads grow without bound towards a whole turn. */
static const double TURN_MAX = 1.9 * CRD_PI;

/* Rotation vectors are those from where they are: the shortest, in the last variant the one the other way round. */
static inline void count_turns(Scene *s) {
    int at = s->model->structure->force_structures[0].tracked;
    if (at < 0) return;
    CrdForceInput input = {.frames = s->frames};
    CrdVec phi, rate;
    crd_force_kinds[s->def.type]->turn(s->force, &input, &phi, &rate);
    if (s->variant == 2) phi = crd_scale(1.0 - 2.0 * CRD_PI / crd_norm(phi), phi);
    crd_put(s->tracked + at, phi);
}

static inline bool near_whole_turn(const Scene *s) {
    int at = s->model->structure->force_structures[0].tracked;
    return at >= 0 && crd_norm(crd_vec_of(s->tracked + at)) > TURN_MAX;
}

static inline void discard(Scene *s) {
    crd_arena_free(&s->arena);
    cardan_model_release(s->model);
}

static inline bool make_scene(Random *r, CardanForceType type, CardanSpace space, int variant, Scene *s) {
    memset(s, 0, sizeof *s);
    s->space = space;
    s->variant = variant;
    if (!define(r, type, space, variant, s)) return false;
    bool joint = s->def.joint.index > 0;
    s->internal = type == CARDAN_FORCE_SPRING || type == CARDAN_FORCE_ROPE || type == CARDAN_FORCE_BUSHING || joint;
    compile(r, s);
    random_frames(r, s);
    place(r, s);
    count_turns(s);
    return true;
}

/* ---- what it does there ---- */

static inline Result apply(Scene *s) {
    Result out;
    CrdError error = {0};
    memset(&out, 0, sizeof out);
    take_frames(s);
    if (crd_forces(s->model, NULL, NULL, &s->actions, &s->system, &error) < 0) fail_msg("%s", error.text);
    memcpy(out.load, s->system.loads, sizeof out.load);
    memcpy(out.z_rate, s->system.z_rate, (size_t)s->model->structure->first_order * sizeof *out.z_rate);
    out.potential = s->system.stored;
    out.power = s->system.power;
    return out;
}

/* Is a kink within reach of differences? Measured in metres, radians, newtons: all of size 1 here. */
static inline bool near_kink(Scene *s) {
    double values[64];
    CrdError error = {0};
    assert_true(s->model->structure->switch_count <= 64);
    take_frames(s);
    if (crd_switches(s->model, NULL, NULL, &s->actions, &s->system, values, &error) < 0) fail_msg("%s", error.text);
    for (int i = 0; i < s->model->structure->switch_count; i++)
        if (fabs(values[i]) < 0.1 && values[i] != 0.0) return true;
    return false;
}

typedef void (*Look)(Random *random, Scene *s);

static inline void over_every_force(Look look, uint64_t seed) {
    for (int type = 1; type < CARDAN_FORCE_TYPES; type++)
        for (int space = 0; space < 2; space++)
            for (int variant = 0;; variant++) {
                Random random = {seed + (uint64_t)(100 * (type - 1) + 10 * space + variant)};
                Scene s;
                int seen = 0, tried = 0, wanted = sample_of(STATES, 4);
                for (; seen < wanted && tried < 20 * STATES; tried++) {
                    if (!make_scene(&random, (CardanForceType)type, (CardanSpace)space, variant, &s)) break;
                    if (!near_kink(&s) && !near_whole_turn(&s)) {
                        look(&random, &s);
                        seen++;
                    }
                    discard(&s);
                }
                if (tried == 0) break;
                assert_int_equal(seen, wanted);
            }
}

#endif
