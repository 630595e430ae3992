/* Definitions that a program gives with one fault each, such as no model file can have: the builder keeps a sentence
 * that names the object and the fault. Those of files are in test_bad_objects.c and test_bad_joints.c. */
#include "support/check.h"
#include "support/defaulted.h"

#include "cardan/cardan.h"

#include <math.h>
#include <string.h>

/* ---- a planar and a spatial stage with a rod on a hinge ---- */

typedef struct Stage {
    CardanBuilder *builder;
    CardanBody rod;
    CardanJoint hinge;
} Stage;

static Stage stage_of(CardanSpace space) {
    Stage stage = {.builder = cardan_builder_create(space)};
    stage.rod = cardan_builder_add_body(stage.builder, &(CardanBodyDef){DEFAULTED, .name = "rod", .mass = 1.0,
                                                                        .inertia = {1.0, 1.0, 1.0, 0.0, 0.0, 0.0}});
    CardanJointDef def = {DEFAULTED, .name = "hinge", .type = CARDAN_JOINT_REVOLUTE, .b = stage.rod};
    if (space == CARDAN_SPACE_SPATIAL) def.axis.z = 1.0;
    stage.hinge = cardan_builder_add_joint(stage.builder, &def);
    return stage;
}

static void add_force(const Stage *stage, CardanForceDef def) {
    def.internal = cardan_default_force(def.type).internal;
    def.name = "f";
    cardan_builder_add_force(stage->builder, &def);
}

/* ---- faults ---- */

static void spatial_angle(Stage *stage) {
    CardanBodyDef def = {DEFAULTED, .name = "tilted", .mass = 1.0, .inertia = {1.0, 1.0, 1.0, 0.0, 0.0, 0.0},
                         .pose.angle = 0.1};
    cardan_builder_add_body(stage->builder, &def);
}

static void point_off_the_plane(Stage *stage) {
    add_force(stage, (CardanForceDef){.type = CARDAN_FORCE_AT_POINT, .body = stage->rod, .point.z = 0.1});
}

static void law_too_many(Stage *stage) {
    add_force(stage, (CardanForceDef){.type = CARDAN_FORCE_SPRING,
                                      .b = stage->rod,
                                      .point_b.x = 1.0,
                                      .stiffness = 1.0,
                                      .law = {NULL, "1", NULL}});
}

static void coordinate_without_name(Stage *stage) {
    add_force(stage, (CardanForceDef){.type = CARDAN_FORCE_TORSION,
                                      .joint = stage->hinge,
                                      .stiffness = 1.0,
                                      .coordinate = (CardanCoordinate)99});
}

static void callback_of_nothing(Stage *stage) {
    add_force(stage, (CardanForceDef){.type = CARDAN_FORCE_CALLBACK, .bodies = 1, .bodies_list = &stage->rod});
}

static void drag_on_a_joint(Stage *stage) {
    add_force(stage, (CardanForceDef){
                         .type = CARDAN_FORCE_DRAG, .body = stage->rod, .coefficient = 1.0, .joint = stage->hinge});
}

static void motor_without_a_target(Stage *stage) {
    add_force(stage, (CardanForceDef){.type = CARDAN_FORCE_MOTOR, .joint = stage->hinge, .gains = {1.0, 1.0}});
}

static void endless_parameter(Stage *stage) {
    cardan_builder_add_parameter(stage->builder, "p", (double)INFINITY);
}

static void endless_input(Stage *stage) {
    cardan_builder_add_input(stage->builder, "u", (double)NAN);
}

static void endless_rate(Stage *stage) {
    cardan_builder_set_start_rate(stage->builder, stage->hinge, (double)NAN);
}

static void endless_coefficient(Stage *stage) {
    const CardanTerm term[] = {{stage->hinge, CARDAN_COORDINATE_ANGLE, (double)INFINITY}};
    CardanJointDef def = {DEFAULTED, .name = "gear", .type = CARDAN_JOINT_COUPLER, .terms = 1, .term = term};
    cardan_builder_add_joint(stage->builder, &def);
}

static void endless_point_of_a_rope(Stage *stage) {
    const CardanBodyPoint points[] = {{.body = {0}}, {.body = stage->rod, .point.x = (double)NAN}};
    add_force(stage, (CardanForceDef){.type = CARDAN_FORCE_ROPE, .points = 2, .points_list = points, .stiffness = 1.0});
}

static void name_of_a_force_again(Stage *stage) {
    for (int i = 0; i < 2; i++)
        add_force(stage, (CardanForceDef){.type = CARDAN_FORCE_AT_POINT, .body = stage->rod, .value.x = 1.0});
}

static const struct {
    void (*make)(Stage *stage);
    CardanSpace space;
    CardanStatus status;
    const char *sentence;
} FAULTS[] = {
    {spatial_angle, CARDAN_SPACE_SPATIAL, CARDAN_ERR_MODEL, "body 'tilted': pose.angle is for planar models"},
    {point_off_the_plane, CARDAN_SPACE_PLANAR, CARDAN_ERR_MODEL, "'f': point has a z component in a planar model"},
    {law_too_many, CARDAN_SPACE_PLANAR, CARDAN_ERR_MODEL, "force 'f': a force of this type has no law[1]"},
    {coordinate_without_name, CARDAN_SPACE_PLANAR, CARDAN_ERR_ARGUMENT, "force 'f': there is no coordinate number 99"},
    {callback_of_nothing, CARDAN_SPACE_PLANAR, CARDAN_ERR_ARGUMENT, "force 'f' needs callback"},
    {drag_on_a_joint, CARDAN_SPACE_PLANAR, CARDAN_ERR_ARGUMENT, "force 'f': it cannot act on joint number 1"},
    {motor_without_a_target, CARDAN_SPACE_PLANAR, CARDAN_ERR_MODEL, "force 'f': a motor needs a target"},
    {endless_parameter, CARDAN_SPACE_PLANAR, CARDAN_ERR_MODEL, "parameter 'p' is not finite"},
    {endless_input, CARDAN_SPACE_PLANAR, CARDAN_ERR_MODEL, "input 'u' is not finite"},
    {endless_rate, CARDAN_SPACE_PLANAR, CARDAN_ERR_MODEL, "start: the value or rate of joint 'hinge' is not finite"},
    {endless_coefficient, CARDAN_SPACE_PLANAR, CARDAN_ERR_MODEL,
     "joint 'gear': the coefficient of 'hinge' is not finite"},
    {endless_point_of_a_rope, CARDAN_SPACE_PLANAR, CARDAN_ERR_MODEL, "force 'f': points is not finite"},
    {name_of_a_force_again, CARDAN_SPACE_PLANAR, CARDAN_ERR_MODEL, "the name 'f' is taken by a force already"},
};

static void each_fault_of_a_definition_is_named(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof FAULTS / sizeof *FAULTS; i++) {
        Stage stage = stage_of(FAULTS[i].space);
        CardanModel *model = NULL;
        FAULTS[i].make(&stage);
        CardanStatus status = cardan_builder_compile(stage.builder, &model);
        const char *said = cardan_builder_message(stage.builder);
        if (status != FAULTS[i].status || strcmp(said, FAULTS[i].sentence) != 0)
            fail_msg("fault %zu: status %d and '%s' instead of %d and '%s'", i, (int)status, said,
                     (int)FAULTS[i].status, FAULTS[i].sentence);
        assert_null(model);
        cardan_builder_destroy(stage.builder);
    }
}

/* The same stages without a fault: it is not they that are refused. */
static void the_stages_themselves_are_sound(void **state) {
    (void)state;
    for (int space = CARDAN_SPACE_PLANAR; space <= CARDAN_SPACE_SPATIAL; space++) {
        Stage stage = stage_of((CardanSpace)space);
        CardanModel *model = NULL;
        add_force(&stage, (CardanForceDef){.type = CARDAN_FORCE_AT_POINT, .body = stage.rod, .value.x = 1.0});
        assert_int_equal(cardan_builder_compile(stage.builder, &model), CARDAN_OK);
        cardan_model_release(model);
        cardan_builder_destroy(stage.builder);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_fault_of_a_definition_is_named),
        cmocka_unit_test(the_stages_themselves_are_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
