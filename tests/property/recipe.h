/* Random mechanisms, kept as recipes so that the same one can be described in another order: a tree of bodies and
 * particles on every kind of joint, a custom block in it that offers frames, loops, rows of the user's own, holonomic
 * and not, springs, forces, torques, on bodies and on the block's frames. Masses differ by up to a factor of 1000. */
#ifndef TESTS_PROPERTY_RECIPE_H
#define TESTS_PROPERTY_RECIPE_H

#include "property/joint_fixture.h"
#include "property/recipe_callbacks.h"
#include "support/defaulted.h"

enum {
    BODIES_MAX = 10,
    JOINTS_MAX = 24,
    FORCES_MAX = 4,
    GROUND = 0,
    FRAME = 100 /* places: 0, 1 + body, 100 + frame */
};

typedef struct RecipeJoint {
    char name[16];
    CardanJointDef def;
    int a, b; /* places */
    enum { PLAIN, LINK, BLADE } kind;
    Link link;
    Blade blade;
} RecipeJoint;

typedef struct Recipe {
    CardanSpace space;
    CrdVec gravity;
    CardanStartMode start; /* of positions and velocities */
    bool exact;            /* callbacks give their derivatives; else they are taken by differences */
    bool spoke_there;
    Spoke spoke;
    int bodies, joints, forces;
    char body_name[BODIES_MAX][16];
    CardanBodyDef body[BODIES_MAX];
    RecipeJoint joint[JOINTS_MAX];
    CardanForceDef force[FORCES_MAX];
    int force_place[FORCES_MAX][2];
    int torque_joint;    /* -1: none */
    int driven, coupled; /* joints whose coordinates are driven, and coupled with that of the torque; -1: none */
    int led;             /* body whose centre is led along a path; -1: none */
} Recipe;

/* ---- making them up ---- */

static inline CardanBodyDef recipe_body(Random *r, CardanSpace space, bool particle, const char *name) {
    CardanBodyDef def = random_body(r, space, name);
    def.mass = pow(10.0, 1.5 * random_signed(r));
    def.particle = particle;
    def.velocity = random_vec(r, space, 1.0);
    double size = def.mass * 0.1;
    if (particle) {
        def.inertia = (CardanInertia){0};
        def.pose.angle = 0.0;
        def.pose.q = (CardanQuat){0};
        return def;
    }
    if (space == CARDAN_SPACE_PLANAR) {
        def.inertia.zz = size;
        def.angular_velocity.z = random_signed(r);
        return def;
    }
    def.inertia = (CardanInertia){.xx = size * random_between(r, 0.8, 1.2),
                                  .yy = size * random_between(r, 0.8, 1.2),
                                  .zz = size * random_between(r, 0.8, 1.2),
                                  .xy = 0.1 * size * random_signed(r),
                                  .xz = 0.1 * size * random_signed(r),
                                  .yz = 0.1 * size * random_signed(r)};
    def.angular_velocity = random_vec(r, space, 1.0);
    return def;
}

static inline bool is_particle(const Recipe *p, int place) {
    return place > 0 && place < FRAME && p->body[place - 1].particle;
}

static inline RecipeJoint *add_joint(Recipe *p, int a, int b) {
    RecipeJoint *j = &p->joint[p->joints];
    snprintf(j->name, sizeof j->name, "j%d", p->joints++);
    j->a = a;
    j->b = b;
    return j;
}

/* A joint of a random kind that may stand between these places. */
static inline void join(Random *r, Recipe *p, int a, int b) {
    bool particle = is_particle(p, a) || is_particle(p, b);
    RecipeJoint *j = add_joint(p, a, b);
    for (;;) {
        CardanJointType type = (CardanJointType)(1 + random_index(r, CARDAN_JOINT_TYPES - 1));
        const CrdJointKind *kind = crd_joint_kinds[type];
        if (!stands_alone(type) || !kind->space[p->space] || (particle && !kind->particles[p->space])) continue;
        j->def = random_joint(r, type, p->space);
        if (is_particle(p, a)) {
            j->def.point = p->body[a - 1].pose.p;
            j->def.local_a = crd_vec(0, 0, 0);
        } else if (is_particle(p, b)) {
            j->def.point = p->body[b - 1].pose.p;
        }
        if (is_particle(p, b)) j->def.local_b = crd_vec(0, 0, 0);
        if (type == CARDAN_JOINT_DISTANCE && random_index(r, 2) == 0) j->def.law = "4 + 0.3*sin(2*t)";
        j->def.compliant = type != CARDAN_JOINT_ROLLING && type != CARDAN_JOINT_KNIFE_EDGE && random_index(r, 6) == 0;
        j->def.stiffness[0] = 30.0;
        j->def.stiffness[1] = 5.0;
        j->def.damping[0] = 2.0;
        j->def.damping[1] = 0.7;
        return;
    }
}

static inline void add_link(Random *r, Recipe *p, int a, int b) {
    RecipeJoint *j = add_joint(p, a, b);
    j->kind = LINK;
    if (!is_particle(p, a)) j->link.la = random_vec(r, p->space, 1.0);
    if (!is_particle(p, b)) j->link.lb = random_vec(r, p->space, 1.0);
    j->link.square = 4.0;
}

static inline void add_blade(Random *r, Recipe *p, int b) {
    RecipeJoint *j = add_joint(p, GROUND, b);
    j->kind = BLADE;
    j->blade = (Blade){random_vec(r, p->space, 1.0), random_direction(r, p->space), 0.4};
}

static inline void add_forces(Random *r, Recipe *p) {
    static const char *const names[] = {"f0", "f1", "f2"};
    for (int i = 0; i < 3; i++) {
        CardanForceDef *f = &p->force[p->forces];
        *f =
            (CardanForceDef){DEFAULTED, .name = names[i], .type = i == 2 ? CARDAN_FORCE_AT_POINT : CARDAN_FORCE_SPRING};
        int a = random_index(r, p->bodies + 1), b = 1 + random_index(r, p->bodies);
        if (p->spoke_there && random_index(r, 3) == 0) b = FRAME + random_index(r, 2);
        if (i < 2 && a == b) continue;
        p->force_place[p->forces][0] = a;
        p->force_place[p->forces][1] = b;
        f->stiffness = 20.0;
        f->damping = 3.0;
        f->length = 1.0;
        f->length_given = true;
        f->value = random_vec(r, p->space, 5.0);
        f->follower = !is_particle(p, b);
        if (!is_particle(p, a)) f->point_a = random_vec(r, p->space, 0.5);
        if (!is_particle(p, b)) f->point_b = f->point = random_vec(r, p->space, 0.5);
        p->forces++;
    }
    p->torque_joint = -1;
    for (int i = 0; i < p->joints; i++) {
        const RecipeJoint *j = &p->joint[i];
        if (j->kind != PLAIN || is_particle(p, j->a) || is_particle(p, j->b)) continue;
        CardanCoordinate of = crd_joint_kinds[j->def.type]->coordinates[0];
        if (of == CARDAN_COORDINATE_ANGLE || of == CARDAN_COORDINATE_DISPLACEMENT) p->torque_joint = i;
    }
}

/* Drives and couplers for a third of the models. */
static inline void add_drives(Random *r, Recipe *p) {
    p->driven = p->coupled = p->led = -1;
    int which = random_index(r, 9);
    for (int i = 0; i < p->joints && which < 2; i++) {
        const RecipeJoint *j = &p->joint[i];
        bool plain = j->kind == PLAIN && !is_particle(p, j->a) && !is_particle(p, j->b);
        if (!plain || crd_joint_kinds[j->def.type]->coordinates[0] == CARDAN_COORDINATE_NONE) continue;
        if (which == 0) p->driven = i;
        if (which == 1 && i != p->torque_joint && p->torque_joint >= 0) p->coupled = i;
    }
    if (which == 2) p->led = random_index(r, p->bodies);
}

static inline Recipe random_recipe(Random *r, CardanSpace space) {
    Recipe p = {.space = space, .bodies = 3 + random_index(r, BODIES_MAX - 2), .spoke_there = random_index(r, 2) == 0};
    p.gravity = space == CARDAN_SPACE_PLANAR ? crd_vec(1.0, -9.81, 0.0) : crd_vec(1.0, 2.0, -9.81);
    CrdMat one = space == CARDAN_SPACE_PLANAR ? crd_matrix_about_z(0.7) : crd_matrix_of(random_quat(r));
    p.spoke = (Spoke){.space = space,
                      .base = random_vec(r, space, 1.0),
                      .u = random_direction(r, space),
                      .twist = {crd_identity(), one},
                      .mass = 2.0,
                      .inertia = 0.5,
                      .mixed = 0.2,
                      .stiffness = 30.0,
                      .wave = 0.3,
                      .speed = 0.8,
                      .q0 = {0.4, 1.0 + 0.3 * sin(0.4)},
                      .v0 = {1.1, -0.4}};
    for (int i = 0; i < p.bodies; i++) {
        snprintf(p.body_name[i], sizeof p.body_name[i], "b%d", i);
        p.body[i] = recipe_body(r, space, random_index(r, 4) == 0, NULL);
        int parent = random_index(r, i + 1 + (p.spoke_there ? 2 : 0));
        if (parent > i) parent = FRAME + parent - i - 1;
        if (random_index(r, 8) > 0) join(r, &p, parent, i + 1); /* some float */
    }
    for (int i = 0; i < 2; i++) { /* loops of one row each */
        int a = random_index(r, p.bodies + 1), b = 1 + random_index(r, p.bodies);
        if (a != b) add_link(r, &p, a, b);
    }
    if (p.spoke_there) add_link(r, &p, 1, FRAME + 1);
    for (int i = 0; i < p.bodies; i++)
        if (!p.body[i].particle && random_index(r, 4) == 0) add_blade(r, &p, i + 1);
    add_forces(r, &p);
    add_drives(r, &p);
    return p;
}

/* ---- describing them ---- */

static inline void describe_joint(CardanBuilder *b, Recipe *p, RecipeJoint *j, const CardanBody *place,
                                  CardanJoint *out) {
    CardanBody sides[2] = {place[j->a], place[j->b]};
    if (j->kind == PLAIN) {
        CardanJointDef def = j->def;
        def.name = j->name;
        def.a = sides[0];
        def.b = sides[1];
        *out = cardan_builder_add_joint(b, &def);
        return;
    }
    CardanRowsDef rows = {DEFAULTED,        .name = j->name,      .rows = 1, .bodies = 2, .body = sides,
                          .user = &j->link, .evaluate = link_rows};
    if (j->kind == BLADE)
        rows = (CardanRowsDef){DEFAULTED,         .name = j->name,      .rows = 1,         .bodies = 1,
                               .body = &sides[1], .nonholonomic = true, .user = &j->blade, .evaluate = blade_rows};
    if (p->exact) {
        rows.gradient = j->kind == BLADE ? blade_gradient : link_gradient;
        rows.reaction_gradient = j->kind == BLADE ? blade_reaction_gradient : link_reaction_gradient;
    }
    *out = cardan_builder_add_rows(b, &rows);
}

static inline void describe_spoke(CardanBuilder *b, Recipe *p, CardanBody *place) {
    CardanBlockDef def = {DEFAULTED,
                          .name = "spoke",
                          .coordinates = 2,
                          .q0 = p->spoke.q0,
                          .v0 = p->spoke.v0,
                          .rows = 1,
                          .frames = 2,
                          .user = &p->spoke,
                          .mass = spoke_mass,
                          .force = spoke_force,
                          .constraint = spoke_constraint,
                          .frame = spoke_frame,
                          .potential = spoke_potential};
    if (p->exact) {
        def.constraint_gradient = spoke_constraint_gradient;
        def.reaction_gradient = spoke_reaction_gradient;
        def.mass_gradient = spoke_mass_gradient;
        def.force_gradient = spoke_force_gradient;
        def.frame_gradient = spoke_frame_gradient;
        def.load_gradient = spoke_load_gradient;
    }
    CardanBlock block = cardan_builder_add_block(b, &def);
    for (int k = 0; k < 2; k++) place[FRAME + k] = cardan_builder_block_frame(b, block, k);
}

/* The second coordinate of a joint that has two. */
static inline CardanCoordinate last_coordinate(const RecipeJoint *j) {
    const CrdJointKind *kind = crd_joint_kinds[j->def.type];
    return kind->coordinates[1] != CARDAN_COORDINATE_NONE ? kind->coordinates[1] : kind->coordinates[0];
}

static inline void describe_drives(CardanBuilder *b, const Recipe *p, const CardanBody *place,
                                   const CardanJoint *joint) {
    if (p->driven >= 0)
        cardan_builder_add_joint(
            b, &(CardanJointDef){DEFAULTED, .name = "drive", .type = CARDAN_JOINT_DRIVER, .joint = joint[p->driven],
                                 .coordinate = last_coordinate(&p->joint[p->driven]), .law = "0.2*t + 0.3*sin(2*t)"});
    if (p->coupled >= 0) {
        CardanTerm terms[] = {{.joint = joint[p->coupled], .coefficient = 2.0},
                              {joint[p->torque_joint], last_coordinate(&p->joint[p->torque_joint]), -0.7}};
        cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "gears", .type = CARDAN_JOINT_COUPLER,
                                                      .terms = 2, .term = terms, .law = "0.1*t^2"});
    }
    if (p->led >= 0)
        cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "lead", .type = CARDAN_JOINT_DRIVER,
                                                      .b = place[p->led + 1], .local = CARDAN_POINT_AT_CENTRE,
                                                      .path = {"cos(t)", "0.5*t^2", "sin(2*t)"}});
}

/* Bodies from `first_body` on and then round, joints likewise and backwards when `backwards`. */
static inline CardanModel *describe(Recipe *p, int first_body, int first_joint, bool backwards) {
    CardanBuilder *b = cardan_builder_create(p->space);
    CardanBody place[FRAME + 2] = {{0}};
    CardanJoint joint[JOINTS_MAX];
    cardan_builder_set_gravity(b, p->gravity);
    cardan_builder_set_start(b, p->start, p->start);
    if (p->spoke_there && !backwards) describe_spoke(b, p, place);
    for (int i = 0; i < p->bodies; i++) {
        int k = (i + first_body) % p->bodies;
        CardanBodyDef def = p->body[k];
        def.name = p->body_name[k];
        place[k + 1] = cardan_builder_add_body(b, &def);
    }
    if (p->spoke_there && backwards) describe_spoke(b, p, place);
    for (int i = 0; i < p->joints; i++) {
        int k = (i + first_joint) % p->joints;
        if (backwards) k = p->joints - 1 - k;
        describe_joint(b, p, &p->joint[k], place, &joint[k]);
    }
    describe_drives(b, p, place, joint);
    for (int i = 0; i < p->forces; i++) {
        CardanForceDef def = p->force[i];
        def.a = place[p->force_place[i][0]];
        def.b = def.body = place[p->force_place[i][1]];
        cardan_builder_add_force(b, &def);
    }
    if (p->torque_joint >= 0)
        cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "motor", .type = CARDAN_FORCE_TORQUE,
                                                      .joint = joint[p->torque_joint], .value = {2.5, 0.0, 0.0}});
    return scene_compile(b);
}

#endif
