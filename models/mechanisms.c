#include "mechanisms.h"

#include <math.h>
#include <stdio.h>

static const double G = 9.81;       /* m/s^2 */
static const double ROD = 1.0 / 12; /* of m l^2: uniform rod about its centre */
static const CardanVec3 ORIGIN = {0.0, 0.0, 0.0}, Z = {0.0, 0.0, 1.0};

/* A name with a number, good until the next call with the same buffer; definitions are copied. */
static const char *numbered(char *buffer, size_t size, char letter, int number) {
    snprintf(buffer, size, "%c%d", letter, number);
    return buffer;
}

/* A uniform planar rod of length l. */
static CardanBodyDef rod_def(const char *name, double mass, double l) {
    CardanBodyDef def = cardan_default_body();
    def.name = name;
    def.mass = mass;
    def.inertia.zz = mass * l * l * ROD;
    return def;
}

static void hinge(CardanBuilder *b, const char *name, CardanBody a, CardanBody c, CardanVec3 point, CardanVec3 axis) {
    CardanJointDef def = cardan_default_joint(CARDAN_JOINT_REVOLUTE);
    def.name = name;
    def.a = a;
    def.b = c;
    def.point = point;
    def.axis = axis;
    cardan_builder_add_joint(b, &def);
}

CardanBuilder *mechanism_slider_crank(double r, double l, double angle) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    cardan_builder_set_name(b, "slider_crank");
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -G, 0.0});
    double lean = asin(-r * sin(angle) / l);
    CardanVec3 pin = {r * cos(angle), r * sin(angle), 0.0};
    CardanVec3 wrist = {pin.x + l * cos(lean), 0.0, 0.0};
    CardanBodyDef crank_def = rod_def("crank", 1.0, r), link_def = rod_def("rod", 2.0, l);
    crank_def.pose = (CardanPose){.p = {0.5 * pin.x, 0.5 * pin.y, 0.0}, .angle = angle};
    link_def.pose = (CardanPose){.p = {0.5 * (pin.x + wrist.x), 0.5 * pin.y, 0.0}, .angle = lean};
    CardanBodyDef slider_def = cardan_default_body();
    slider_def.name = "slider";
    slider_def.mass = 0.5;
    slider_def.inertia.zz = 1e-3;
    slider_def.pose.p = wrist;
    CardanBody ground = {0};
    CardanBody crank = cardan_builder_add_body(b, &crank_def);
    CardanBody rod = cardan_builder_add_body(b, &link_def);
    CardanBody slider = cardan_builder_add_body(b, &slider_def);
    hinge(b, "main", ground, crank, ORIGIN, Z);
    hinge(b, "pin", crank, rod, pin, Z);
    hinge(b, "wrist", rod, slider, wrist, Z);
    CardanJointDef guide = cardan_default_joint(CARDAN_JOINT_PRISMATIC);
    guide.name = "guide";
    guide.b = slider;
    guide.axis.x = 1.0;
    cardan_builder_add_joint(b, &guide);
    return b;
}

CardanBuilder *mechanism_chain(CardanSpace space, int n) {
    CardanBuilder *b = cardan_builder_create(space);
    cardan_builder_set_name(b, "chain");
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -G, 0.0});
    const double edge = 0.1, across = (1.0 + edge * edge) / 12.0, along = edge * edge / 6.0;
    CardanBody last = {0};
    char name[32];
    for (int i = 0; i < n; i++) {
        CardanBodyDef def = rod_def(numbered(name, sizeof name, 'l', i), 1.0, 1.0);
        if (space == CARDAN_SPACE_SPATIAL) def.inertia = (CardanInertia){.xx = along, .yy = across, .zz = across};
        def.pose.p.x = i + 0.5;
        CardanBody link = cardan_builder_add_body(b, &def);
        bool about_y = space == CARDAN_SPACE_SPATIAL && i % 2 == 1;
        CardanVec3 axis = about_y ? (CardanVec3){0.0, 1.0, 0.0} : Z;
        hinge(b, numbered(name, sizeof name, 'j', i), last, link, (CardanVec3){i, 0.0, 0.0}, axis);
        last = link;
    }
    return b;
}

static CardanBody add_crank(CardanBuilder *b, int i) {
    char name[32];
    CardanBodyDef def = rod_def(numbered(name, sizeof name, 'c', i), 1.0, 1.0);
    def.pose = (CardanPose){.p = {i, 0.5, 0.0}, .angle = acos(0.0)};
    def.velocity.x = 0.5;
    def.angular_velocity.z = -1.0;
    CardanBody ground = {0}, crank = cardan_builder_add_body(b, &def);
    hinge(b, numbered(name, sizeof name, 'g', i), ground, crank, (CardanVec3){i, 0.0, 0.0}, Z);
    return crank;
}

CardanBuilder *mechanism_four_bars(int n) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    cardan_builder_set_name(b, "four_bars");
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -G, 0.0});
    char name[32];
    CardanBody left = add_crank(b, 0);
    for (int i = 0; i < n; i++) {
        CardanBody right = add_crank(b, i + 1);
        CardanBodyDef def = rod_def(numbered(name, sizeof name, 'h', i), 1.0, 1.0);
        def.pose.p = (CardanVec3){i + 0.5, 1.0, 0.0};
        def.velocity.x = 1.0;
        CardanBody coupler = cardan_builder_add_body(b, &def);
        hinge(b, numbered(name, sizeof name, 'a', i), left, coupler, (CardanVec3){i, 1.0, 0.0}, Z);
        hinge(b, numbered(name, sizeof name, 'b', i), right, coupler, (CardanVec3){i + 1.0, 1.0, 0.0}, Z);
        left = right;
    }
    return b;
}

int mechanism_run(CardanBuilder *builder, CardanStatus (*use)(const CardanModel *model, CardanSim *sim)) {
    CardanModel *model = NULL;
    CardanSim *sim = NULL;
    CardanStatus status = cardan_builder_compile(builder, &model);
    if (status < 0) fprintf(stderr, "%s\n", cardan_builder_message(builder));
    if (status >= 0) {
        status = cardan_sim_create(model, NULL, &sim);
        if (status >= 0) status = use(model, sim);
        if (status < 0) fprintf(stderr, "%s\n", cardan_sim_message(sim));
    }
    cardan_sim_destroy(sim);
    cardan_model_release(model);
    cardan_builder_destroy(builder);
    return status < 0;
}
