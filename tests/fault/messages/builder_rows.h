/* Calls on a builder that must be refused: each on a fresh one, which keeps the sentence. */
#ifndef TESTS_FAULT_MESSAGES_BUILDER_ROWS_H
#define TESTS_FAULT_MESSAGES_BUILDER_ROWS_H

#include "fault/messages/place.h"

typedef struct BuilderRow {
    const char *function;
    void (*call)(CardanBuilder *b, int k);
    int k;
    CardanStatus status;
    const char *piece;
} BuilderRow;

#define NONE(handle) assert_int_equal((handle).index, CARDAN_INVALID)

static void set_name(CardanBuilder *b, int k) {
    (void)k;
    cardan_builder_set_name(b, NULL);
}

static void set_gravity(CardanBuilder *b, int k) {
    cardan_builder_set_gravity(b, (CardanVec3){k == 0 ? 0.0 : (double)NAN, 0.0, k == 0 ? 1.0 : 0.0});
}

static void add_parameter(CardanBuilder *b, int k) {
    cardan_builder_add_parameter(b, k == 0 ? NULL : "no name", 1.0);
}

static void add_input(CardanBuilder *b, int k) {
    NONE(cardan_builder_add_input(b, k == 0 ? NULL : "t", 1.0));
}

static void bind(CardanBuilder *b, int k) {
    const char *const numbers[] = {NULL, "gravity[1]", "nobody.mass"};
    cardan_builder_bind(b, numbers[k], k == 1 ? NULL : "1");
}

static void builder_set_parameter(CardanBuilder *b, int k) {
    assert_true(cardan_builder_set_parameter(b, k == 0 ? NULL : "nobody", 1.0) < 0);
}

static void add_body(CardanBuilder *b, int k) {
    CardanBodyDef def = k == 1 ? (CardanBodyDef){.name = "b", .mass = 1.0} : cardan_default_body();
    def.mass = -1.0;
    if (k == 3) def.name = "b";
    NONE(cardan_builder_add_body(b, k == 0 ? NULL : &def));
}

static void add_block(CardanBuilder *b, int k) {
    CardanBlockDef def = k == 1 ? (CardanBlockDef){.name = "b"} : cardan_default_block();
    if (k == 3) def.name = "b";
    NONE(cardan_builder_add_block(b, k == 0 ? NULL : &def));
}

static void block_frame(CardanBuilder *b, int k) {
    NONE(cardan_builder_block_frame(b, (CardanBlock){k == 0 ? CARDAN_INVALID : 99}, 0));
}

static void add_joint(CardanBuilder *b, int k) {
    CardanJointDef def = cardan_default_joint(k == 3 ? CARDAN_JOINT_NONE : CARDAN_JOINT_REVOLUTE);
    if (k == 1) def = (CardanJointDef){.type = CARDAN_JOINT_REVOLUTE};
    if (k != 2) def.name = "j";
    def.b.index = k == 4 ? CARDAN_INVALID : 0;
    NONE(cardan_builder_add_joint(b, k == 0 ? NULL : &def));
}

static void add_rows(CardanBuilder *b, int k) {
    CardanRowsDef def = k == 1 ? (CardanRowsDef){.name = "r"} : cardan_default_rows();
    if (k == 3) def.name = "r";
    NONE(cardan_builder_add_rows(b, k == 0 ? NULL : &def));
}

static void add_force(CardanBuilder *b, int k) {
    CardanForceDef def = cardan_default_force(k == 3 ? CARDAN_FORCE_NONE : CARDAN_FORCE_TORSION);
    if (k == 1) def = (CardanForceDef){.type = CARDAN_FORCE_TORSION};
    if (k != 2) def.name = "f";
    def.joint.index = CARDAN_INVALID;
    NONE(cardan_builder_add_force(b, k == 0 ? NULL : &def));
}

static void add_first_order(CardanBuilder *b, int k) {
    CardanFirstOrderDef def = k == 1 ? (CardanFirstOrderDef){.name = "z"} : cardan_default_first_order();
    if (k == 3) def.name = "z";
    NONE(cardan_builder_add_first_order(b, k == 0 ? NULL : &def));
}

static void add_marker(CardanBuilder *b, int k) {
    CardanMarkerDef def = cardan_default_marker(), zeroed = {0};
    def.name = k == 2 ? NULL : "m";
    def.body.index = 99;
    NONE(cardan_builder_add_marker(b, k == 0 ? NULL : k == 1 ? &zeroed : &def));
}

static void add_event(CardanBuilder *b, int k) {
    CardanEventDef def = k == 1 ? (CardanEventDef){.name = "e"} : cardan_default_event();
    if (k == 3) def.name = "e";
    cardan_builder_add_event(b, k == 0 ? NULL : &def);
}

static void add_invariant(CardanBuilder *b, int k) {
    CardanInvariantDef def = k == 1 ? (CardanInvariantDef){.name = "i"} : cardan_default_invariant();
    if (k == 3) def.name = "i";
    cardan_builder_add_invariant(b, k == 0 ? NULL : &def);
}

static void add_shape(CardanBuilder *b, int k) {
    CardanShape shape = cardan_default_shape(k == 3   ? CARDAN_SHAPE_NONE
                                             : k == 4 ? CARDAN_SHAPE_MESH
                                                      : CARDAN_SHAPE_SPHERE);
    if (k == 1) shape.internal = 0;
    shape.radius = k == 5 ? -1.0 : 1.0;
    cardan_builder_add_shape(b, (CardanBody){k == 2 ? CARDAN_INVALID : 0}, k == 0 ? NULL : &shape);
}

static void set_start_rate(CardanBuilder *b, int k) {
    cardan_builder_set_start_rate(b, (CardanJoint){k == 0 ? CARDAN_INVALID : 99}, 1.0);
}

static void set_start(CardanBuilder *b, int k) {
    cardan_builder_set_start(b, k == 0 ? (CardanStartMode)99 : CARDAN_START_KEEP, (CardanStartMode)99);
}

static void hold(CardanBuilder *b, int k) {
    cardan_builder_hold(b, (CardanBody){k == 0 ? CARDAN_INVALID : 99});
}

static void compile(CardanBuilder *b, int k) {
    (void)k;
    assert_int_equal(cardan_builder_compile(b, NULL), CARDAN_ERR_ARGUMENT);
}

#define ARGUMENT CARDAN_ERR_ARGUMENT

static const BuilderRow BUILDER_ROWS[] = {
    {"cardan_builder_set_name", set_name, 0, ARGUMENT, "the name of the model is NULL"},
    {"cardan_builder_set_gravity", set_gravity, 0, CARDAN_ERR_MODEL, "gravity of a planar model has no z"},
    {"cardan_builder_set_gravity", set_gravity, 1, CARDAN_ERR_MODEL, "gravity"},
    {"cardan_builder_add_parameter", add_parameter, 0, ARGUMENT, "the name of a parameter is NULL"},
    {"cardan_builder_add_parameter", add_parameter, 1, CARDAN_ERR_MODEL, "'no name' is no name"},
    {"cardan_builder_add_input", add_input, 0, ARGUMENT, "the name of an input is NULL"},
    {"cardan_builder_add_input", add_input, 1, CARDAN_ERR_MODEL, "the name 't' is reserved"},
    {"cardan_builder_bind", bind, 0, ARGUMENT, "the number to bind is NULL"},
    {"cardan_builder_bind", bind, 1, ARGUMENT, "the expression is NULL"},
    {"cardan_builder_bind", bind, 2, CARDAN_ERR_MODEL, "nobody"},
    {"cardan_builder_set_parameter", builder_set_parameter, 0, ARGUMENT, "the name of a parameter is NULL"},
    {"cardan_builder_set_parameter", builder_set_parameter, 1, CARDAN_ERR_MODEL, "there is no parameter 'nobody'"},
    {"cardan_builder_add_body", add_body, 0, ARGUMENT, "the definition of a body is NULL"},
    {"cardan_builder_add_body", add_body, 1, ARGUMENT, "was not made by cardan_default_body()"},
    {"cardan_builder_add_body", add_body, 2, ARGUMENT, "a body needs a name"},
    {"cardan_builder_add_body", add_body, 3, CARDAN_ERR_MODEL, "mass"},
    {"cardan_builder_add_block", add_block, 0, ARGUMENT, "the definition of a block is NULL"},
    {"cardan_builder_add_block", add_block, 1, ARGUMENT, "was not made by cardan_default_block()"},
    {"cardan_builder_add_block", add_block, 2, ARGUMENT, "a block needs a name"},
    {"cardan_builder_add_block", add_block, 3, ARGUMENT, "block 'b' needs"},
    {"cardan_builder_block_frame", block_frame, 0, ARGUMENT, "there is no block number -1"},
    {"cardan_builder_block_frame", block_frame, 1, ARGUMENT, "there is no block number 99"},
    {"cardan_builder_add_joint", add_joint, 0, ARGUMENT, "the definition of a joint is NULL"},
    {"cardan_builder_add_joint", add_joint, 1, ARGUMENT, "was not made by cardan_default_joint()"},
    {"cardan_builder_add_joint", add_joint, 2, ARGUMENT, "a joint needs a name"},
    {"cardan_builder_add_joint", add_joint, 3, ARGUMENT, "type"},
    {"cardan_builder_add_joint", add_joint, 4, ARGUMENT, "there is no body number -1"},
    {"cardan_builder_add_rows", add_rows, 0, ARGUMENT, "the definition of rows is NULL"},
    {"cardan_builder_add_rows", add_rows, 1, ARGUMENT, "was not made by cardan_default_rows()"},
    {"cardan_builder_add_rows", add_rows, 2, ARGUMENT, "needs a name"},
    {"cardan_builder_add_rows", add_rows, 3, ARGUMENT, "rows 'r' need"},
    {"cardan_builder_add_force", add_force, 0, ARGUMENT, "the definition of a force is NULL"},
    {"cardan_builder_add_force", add_force, 1, ARGUMENT, "was not made by cardan_default_force()"},
    {"cardan_builder_add_force", add_force, 2, ARGUMENT, "a force needs a name"},
    {"cardan_builder_add_force", add_force, 3, ARGUMENT, "type"},
    {"cardan_builder_add_force", add_force, 4, ARGUMENT, "joint number -1"},
    {"cardan_builder_add_first_order", add_first_order, 0, ARGUMENT, "the definition of states is NULL"},
    {"cardan_builder_add_first_order", add_first_order, 1, ARGUMENT, "was not made by cardan_default_first_order()"},
    {"cardan_builder_add_first_order", add_first_order, 2, ARGUMENT, "needs a name"},
    {"cardan_builder_add_first_order", add_first_order, 3, ARGUMENT, "states 'z' need"},
    {"cardan_builder_add_marker", add_marker, 0, ARGUMENT, "the definition of a marker is NULL"},
    {"cardan_builder_add_marker", add_marker, 1, ARGUMENT, "was not made by cardan_default_marker()"},
    {"cardan_builder_add_marker", add_marker, 2, ARGUMENT, "a marker needs a name"},
    {"cardan_builder_add_marker", add_marker, 3, ARGUMENT, "there is no body number 99"},
    {"cardan_builder_add_event", add_event, 0, ARGUMENT, "the definition of an event is NULL"},
    {"cardan_builder_add_event", add_event, 1, ARGUMENT, "was not made by cardan_default_event()"},
    {"cardan_builder_add_event", add_event, 2, ARGUMENT, "an event needs a name"},
    {"cardan_builder_add_event", add_event, 3, ARGUMENT, "event 'e' needs a function"},
    {"cardan_builder_add_invariant", add_invariant, 0, ARGUMENT, "the definition of an invariant is NULL"},
    {"cardan_builder_add_invariant", add_invariant, 1, ARGUMENT, "was not made by cardan_default_invariant()"},
    {"cardan_builder_add_invariant", add_invariant, 2, ARGUMENT, "an invariant needs a name"},
    {"cardan_builder_add_invariant", add_invariant, 3, ARGUMENT, "invariant 'i' needs evaluate"},
    {"cardan_builder_add_shape", add_shape, 0, ARGUMENT, "the shape is NULL"},
    {"cardan_builder_add_shape", add_shape, 1, ARGUMENT, "was not made by cardan_default_shape()"},
    {"cardan_builder_add_shape", add_shape, 2, ARGUMENT, "there is no body number -1"},
    {"cardan_builder_add_shape", add_shape, 3, ARGUMENT, "there is no shape of kind 0"},
    {"cardan_builder_add_shape", add_shape, 4, ARGUMENT, "a mesh needs the name of a file"},
    {"cardan_builder_add_shape", add_shape, 5, CARDAN_ERR_MODEL, "a number of sphere is negative"},
    {"cardan_builder_set_start_rate", set_start_rate, 0, ARGUMENT, "there is no joint number -1"},
    {"cardan_builder_set_start_rate", set_start_rate, 1, ARGUMENT, "there is no joint number 99"},
    {"cardan_builder_set_start", set_start, 0, ARGUMENT, "there is no such way to start"},
    {"cardan_builder_set_start", set_start, 1, ARGUMENT, "there is no such way to start"},
    {"cardan_builder_hold", hold, 0, ARGUMENT, "there is no body number -1"},
    {"cardan_builder_hold", hold, 1, ARGUMENT, "there is no body number 99"},
    {"cardan_builder_compile", compile, 0, ARGUMENT, "the place for the model is NULL"},
};

#undef ARGUMENT

#endif
