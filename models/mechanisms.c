#include "mechanisms.h"

#include <math.h>
#include <stdio.h>

static const double G = 9.81;      /* m/s^2 */
static const double ROD = 1.0 / 12; /* of m l^2: uniform rod about its centre */

/* A name with a number, good until the next call with the same buffer; definitions are copied. */
static const char *numbered(char *buffer, size_t size, char letter, int number) {
    snprintf(buffer, size, "%c%d", letter, number);
    return buffer;
}

CardanBuilder *mechanism_slider_crank(double r, double l, double angle) {
    CardanBuilder *b = cardan_builder_create(CARDAN_PLANAR);
    cardan_builder_set_name(b, "slider_crank");
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -G, 0.0});
    double lean = asin(-r * sin(angle) / l);
    CardanVec3 pin = {r * cos(angle), r * sin(angle), 0.0};
    CardanVec3 wrist = {pin.x + l * cos(lean), 0.0, 0.0};
    CardanBody crank = cardan_builder_add_body(
        b, &(CardanBodyDef){.name = "crank", .mass = 1.0, .inertia.zz = 1.0 * r * r * ROD,
                            .pose = {.p = {0.5 * pin.x, 0.5 * pin.y, 0.0}, .angle = angle}});
    CardanBody rod = cardan_builder_add_body(
        b, &(CardanBodyDef){.name = "rod", .mass = 2.0, .inertia.zz = 2.0 * l * l * ROD,
                            .pose = {.p = {0.5 * (pin.x + wrist.x), 0.5 * pin.y, 0.0}, .angle = lean}});
    CardanBody slider =
        cardan_builder_add_body(b, &(CardanBodyDef){.name = "slider", .mass = 0.5, .inertia.zz = 1e-3, .pose.p = wrist});
    cardan_builder_add_joint(b, &(CardanJointDef){.name = "main", .type = CARDAN_REVOLUTE, .b = crank});
    cardan_builder_add_joint(b, &(CardanJointDef){.name = "pin", .type = CARDAN_REVOLUTE, .a = crank, .b = rod, .point = pin});
    cardan_builder_add_joint(
        b, &(CardanJointDef){.name = "wrist", .type = CARDAN_REVOLUTE, .a = rod, .b = slider, .point = wrist});
    cardan_builder_add_joint(
        b, &(CardanJointDef){.name = "guide", .type = CARDAN_PRISMATIC, .b = slider, .axis = {1.0, 0.0, 0.0}});
    return b;
}

CardanBuilder *mechanism_chain(CardanSpace space, int n) {
    CardanBuilder *b = cardan_builder_create(space);
    cardan_builder_set_name(b, "chain");
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -G, 0.0});
    const double edge = 0.1, across = (1.0 + edge * edge) / 12.0, along = edge * edge / 6.0;
    CardanInertia inertia = space == CARDAN_PLANAR ? (CardanInertia){.zz = ROD}
                                                   : (CardanInertia){.xx = along, .yy = across, .zz = across};
    CardanBody last = {0};
    char name[32];
    for (int i = 0; i < n; i++) {
        CardanBody link = cardan_builder_add_body(
            b, &(CardanBodyDef){.name = numbered(name, sizeof name, 'l', i), .mass = 1.0, .inertia = inertia,
                                .pose.p = {i + 0.5, 0.0, 0.0}});
        bool about_y = space == CARDAN_SPATIAL && i % 2 == 1;
        CardanVec3 axis = about_y ? (CardanVec3){0.0, 1.0, 0.0} : (CardanVec3){0.0, 0.0, 1.0};
        cardan_builder_add_joint(b, &(CardanJointDef){.name = numbered(name, sizeof name, 'j', i),
                                                      .type = CARDAN_REVOLUTE, .a = last, .b = link,
                                                      .point = {i, 0.0, 0.0}, .axis = axis});
        last = link;
    }
    return b;
}

static CardanBody add_crank(CardanBuilder *b, int i) {
    char name[32];
    CardanBody crank = cardan_builder_add_body(
        b, &(CardanBodyDef){.name = numbered(name, sizeof name, 'c', i), .mass = 1.0, .inertia.zz = ROD,
                            .pose = {.p = {i, 0.5, 0.0}, .angle = acos(0.0)}, .velocity = {0.5, 0.0, 0.0},
                            .angular_velocity = {0.0, 0.0, -1.0}});
    cardan_builder_add_joint(b, &(CardanJointDef){.name = numbered(name, sizeof name, 'g', i), .type = CARDAN_REVOLUTE,
                                                  .b = crank, .point = {i, 0.0, 0.0}});
    return crank;
}

CardanBuilder *mechanism_four_bars(int n) {
    CardanBuilder *b = cardan_builder_create(CARDAN_PLANAR);
    cardan_builder_set_name(b, "four_bars");
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -G, 0.0});
    char name[32];
    CardanBody left = add_crank(b, 0);
    for (int i = 0; i < n; i++) {
        CardanBody right = add_crank(b, i + 1);
        CardanBody coupler = cardan_builder_add_body(
            b, &(CardanBodyDef){.name = numbered(name, sizeof name, 'h', i), .mass = 1.0, .inertia.zz = ROD,
                                .pose.p = {i + 0.5, 1.0, 0.0}, .velocity = {1.0, 0.0, 0.0}});
        cardan_builder_add_joint(b, &(CardanJointDef){.name = numbered(name, sizeof name, 'a', i),
                                                      .type = CARDAN_REVOLUTE, .a = left, .b = coupler,
                                                      .point = {i, 1.0, 0.0}});
        cardan_builder_add_joint(b, &(CardanJointDef){.name = numbered(name, sizeof name, 'b', i),
                                                      .type = CARDAN_REVOLUTE, .a = right, .b = coupler,
                                                      .point = {i + 1.0, 1.0, 0.0}});
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
