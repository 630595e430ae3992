/* Functions that cannot fail: what they answer where there is nothing to answer. */
#ifndef TESTS_FAULT_MESSAGES_ANSWERS_H
#define TESTS_FAULT_MESSAGES_ANSWERS_H

#include "fault/messages/place.h"

#define IS(text, expected) (strcmp(text, expected) == 0)
#define ANSWER(name, expression)                                                                                       \
    static bool name##_holds(void) {                                                                                   \
        return expression;                                                                                             \
    }

static bool goes(void (*call)(void)) {
    call();
    return true;
}

static void destroy_nothing(void) {
    cardan_builder_destroy(NULL);
    cardan_model_release(NULL);
    cardan_sim_destroy(NULL);
    cardan_lab_problem_destroy(NULL);
    cardan_linear_destroy(NULL);
    cardan_modes_destroy(NULL);
}

static bool creates(void) {
    CardanBuilder *b = cardan_builder_create((CardanSpace)7);
    bool told =
        cardan_builder_status(b) == CARDAN_ERR_ARGUMENT && IS(cardan_builder_message(b), "there is no space number 7");
    cardan_builder_destroy(b);
    return told;
}

static bool labels(void) {
    char label[8] = "older";
    return IS(cardan_model_channel_label(NULL, (CardanChannel){0, 0, 1, 0, 0}, 0, label, sizeof label), "");
}

static bool no_output_place(void) {
    int line = 7, column = 7;
    cardan_model_output_place(NULL, 0, &line, &column);
    cardan_model_output_place(NULL, 0, NULL, NULL);
    return line == 0 && column == 0;
}

static bool linear_names(void) {
    char text[8] = "older", other[8] = "older";
    return IS(cardan_linear_name(NULL, CARDAN_LINEAR_STATE, 0, text, sizeof text), "") &&
           IS(cardan_modes_name(NULL, 0, other, sizeof other), "");
}

ANSWER(linear_views, cardan_linear_state_space(NULL).states == 0 && cardan_linear_descriptor(NULL).size == 0 &&
                         !cardan_linear_is_exact(NULL, 0))
ANSWER(modes_views, cardan_modes_count(NULL, CARDAN_MODES_DAMPED) == -1 && cardan_modes_ignorable(NULL) == -1 &&
                        cardan_modes_get(NULL, CARDAN_MODES_DAMPED, 0, NULL, NULL, NULL) == CARDAN_ERR_ARGUMENT)
ANSWER(version, cardan_version() == CARDAN_VERSION)
ANSWER(version_text, cardan_version_text()[0] == '0' + CARDAN_VERSION_MAJOR)
ANSWER(status_name, IS(cardan_status_name((CardanStatus)-99), "unknown status") &&
                        IS(cardan_status_name(CARDAN_ERR_MEMORY), "out of memory") &&
                        IS(cardan_status_name(CARDAN_ERR_ARGUMENT), "bad argument") &&
                        IS(cardan_status_name(CARDAN_OK), "done") && IS(cardan_status_name(CARDAN_STOPPED), "stopped"))
ANSWER(event_kind_name, IS(cardan_event_kind_name((CardanEventKind)99), "unknown"))
ANSWER(remedy_name, IS(cardan_remedy_name((CardanRemedy)-1), "unknown"))
ANSWER(branch_name, IS(cardan_branch_name((CardanBranch)99), "unknown"))
ANSWER(default_body, cardan_default_body().name == NULL)
ANSWER(default_block, cardan_default_block().mass == NULL)
ANSWER(default_joint, cardan_default_joint(CARDAN_JOINT_WELD).type == CARDAN_JOINT_WELD)
ANSWER(default_rows, cardan_default_rows().evaluate == NULL)
ANSWER(default_force, cardan_default_force(CARDAN_FORCE_DRAG).type == CARDAN_FORCE_DRAG)
ANSWER(default_first_order, cardan_default_first_order().count == 0)
ANSWER(default_event, cardan_default_event().function == NULL)
ANSWER(default_invariant, cardan_default_invariant().evaluate == NULL)
ANSWER(default_sensitivity, cardan_default_sensitivity().channel == NULL)
ANSWER(default_marker, cardan_default_marker().name == NULL)
ANSWER(find_marker, cardan_model_find_marker(NULL, "a").index == CARDAN_INVALID)
ANSWER(marker_name, IS(cardan_model_marker_name(NULL, (CardanMarker){1}), ""))
ANSWER(marker_scene, cardan_model_marker_scene(NULL, (CardanMarker){1}).body.index == CARDAN_INVALID)
ANSWER(channel_unit, IS(cardan_model_channel_unit(NULL, (CardanChannel){0, 0, 1, 0, 0}, 0), ""))
ANSWER(default_options, cardan_default_options().rtol > 0.0)
ANSWER(default_lab_problem, cardan_default_lab_problem().terms == NULL)
ANSWER(default_lab_method, cardan_default_lab_method().stepper == NULL)
ANSWER(default_lab_span, cardan_default_lab_span().steps == 0)
ANSWER(stepper_name, IS(cardan_stepper_name((CardanStepper)99), "unknown"))
ANSWER(solver_name, IS(cardan_solver_name((CardanSolver)99), "unknown"))
ANSWER(options_word, cardan_options_word(NULL, 0) == NULL && cardan_options_word("stepper", 99) == NULL)
ANSWER(options_summary, cardan_options_summary(NULL, 0) == NULL && cardan_options_summary("stepper", 99) == NULL)
ANSWER(builder_message, IS(cardan_builder_message(NULL), "there is no builder"))
ANSWER(builder_status, cardan_builder_status(NULL) == CARDAN_ERR_ARGUMENT)
ANSWER(destroy, goes(destroy_nothing))
ANSWER(retain, cardan_model_retain(NULL) == NULL)
ANSWER(sizes, cardan_model_sizes(NULL).bodies == 0)
ANSWER(space, cardan_model_space(NULL) == CARDAN_SPACE_PLANAR)
ANSWER(name, IS(cardan_model_name(NULL), ""))
ANSWER(model_options, cardan_model_options(NULL).rtol == cardan_default_options().rtol)
ANSWER(find_body, cardan_model_find_body(NULL, "ground").index == CARDAN_INVALID)
ANSWER(find_joint, cardan_model_find_joint(NULL, "j").index == CARDAN_INVALID)
ANSWER(find_input, cardan_model_find_input(NULL, "u").index == CARDAN_INVALID)
ANSWER(find_first_order, cardan_model_find_first_order(NULL, "z").index == CARDAN_INVALID)
ANSWER(model_body, cardan_model_body(NULL, 0).index == CARDAN_INVALID)
ANSWER(body_kind, cardan_model_body_kind(NULL, (CardanBody){0}) == CARDAN_BODY_NONE)
ANSWER(body_name, IS(cardan_model_body_name(NULL, (CardanBody){0}), ""))
ANSWER(joint_name, IS(cardan_model_joint_name(NULL, (CardanJoint){1}), ""))
ANSWER(joint_rows, cardan_model_joint_rows(NULL, (CardanJoint){1}) == -1)
ANSWER(joint_coordinate, cardan_model_joint_coordinate(NULL, (CardanJoint){1}) == CARDAN_COORDINATE_NONE)
ANSWER(outputs, cardan_model_outputs(NULL, NULL) == -1)
ANSWER(default_shape, cardan_default_shape(CARDAN_SHAPE_BOX).kind == CARDAN_SHAPE_BOX)
ANSWER(shapes, cardan_model_shapes(NULL, (CardanBody){1}) == -1)
ANSWER(shape, cardan_model_shape(NULL, (CardanBody){1}, 0).kind == CARDAN_SHAPE_NONE)
ANSWER(body_mass, cardan_model_body_mass(NULL, (CardanBody){1}).mass == 0.0)
ANSWER(gravity, cardan_model_gravity(NULL).y == 0.0)
ANSWER(body_pose, cardan_model_body_pose(NULL, (CardanBody){1}).q.w == 0.0)
ANSWER(joint_scene, cardan_model_joint_scene(NULL, (CardanJoint){1}).type == CARDAN_JOINT_NONE)
ANSWER(joint_type_name, IS(cardan_joint_type_name((CardanJointType)99), "unknown") &&
                            IS(cardan_joint_type_name(CARDAN_JOINT_WELD), "weld"))
ANSWER(force_scene, cardan_model_force_scene(NULL, (CardanForce){1}).type == CARDAN_FORCE_NONE)
ANSWER(force_point, cardan_model_force_point(NULL, (CardanForce){1}, 0).body.index == CARDAN_INVALID)
ANSWER(find_force, cardan_model_find_force(NULL, "f").index == CARDAN_INVALID)
ANSWER(force_name, IS(cardan_model_force_name(NULL, (CardanForce){1}), ""))
ANSWER(force_type_name, IS(cardan_force_type_name((CardanForceType)99), "unknown") &&
                            IS(cardan_force_type_name(CARDAN_FORCE_CALLBACK), "callback"))
ANSWER(remarks, cardan_model_remarks(NULL, 0, NULL, 0) == -1)
ANSWER(sim_message, IS(cardan_sim_message(NULL), "there is no simulation"))
ANSWER(sim_time, isnan(cardan_sim_time(NULL)))
ANSWER(last_step, isnan(cardan_sim_last_step(NULL)))
ANSWER(state_size, cardan_sim_state_size(NULL) == -1)
ANSWER(positions, cardan_sim_positions(NULL) == NULL)
ANSWER(velocities, cardan_sim_velocities(NULL) == NULL)
ANSWER(solver, cardan_sim_solver(NULL) == CARDAN_SOLVER_AUTO)
ANSWER(solver_reason, IS(cardan_sim_solver_reason(NULL), ""))
ANSWER(coordinates, cardan_sim_coordinates(NULL) == CARDAN_COORDINATES_ABSOLUTE)
ANSWER(coordinates_reason, IS(cardan_sim_coordinates_reason(NULL), ""))
ANSWER(events, cardan_sim_events(NULL, NULL, NULL) == -1)
ANSWER(default_slow, cardan_default_slow().method == CARDAN_SLOW_BOUNDED && cardan_default_slow().names == NULL)
ANSWER(model_slow, cardan_model_slow(NULL).method == CARDAN_SLOW_BOUNDED && cardan_model_slow(NULL).count == 0)
ANSWER(slow_method_name, cardan_slow_method_name(-1) == NULL && IS(cardan_slow_method_name(1), "iterated"))
ANSWER(slow_kernel_name, cardan_slow_kernel_name(2) == NULL && IS(cardan_slow_kernel_name(1), "cubic"))
ANSWER(lab_sizes, cardan_lab_problem_sizes(NULL).state == 0)
ANSWER(lab_name, cardan_lab_name(CARDAN_LAB_STEPPER, 999) == NULL && cardan_lab_name((CardanLabChoice)99, 0) == NULL)
ANSWER(lab_order, cardan_lab_stepper_order("nonsense") == 0)

static const Answer ANSWERS[] = {
    {"cardan_version", version_holds},
    {"cardan_version_text", version_text_holds},
    {"cardan_status_name", status_name_holds},
    {"cardan_event_kind_name", event_kind_name_holds},
    {"cardan_remedy_name", remedy_name_holds},
    {"cardan_branch_name", branch_name_holds},
    {"cardan_default_body", default_body_holds},
    {"cardan_default_block", default_block_holds},
    {"cardan_default_joint", default_joint_holds},
    {"cardan_default_rows", default_rows_holds},
    {"cardan_default_force", default_force_holds},
    {"cardan_default_first_order", default_first_order_holds},
    {"cardan_default_event", default_event_holds},
    {"cardan_default_invariant", default_invariant_holds},
    {"cardan_default_sensitivity", default_sensitivity_holds},
    {"cardan_default_marker", default_marker_holds},
    {"cardan_model_find_marker", find_marker_holds},
    {"cardan_model_marker_name", marker_name_holds},
    {"cardan_model_marker_scene", marker_scene_holds},
    {"cardan_model_channel_unit", channel_unit_holds},
    {"cardan_model_output_place", no_output_place},
    {"cardan_default_options", default_options_holds},
    {"cardan_default_lab_problem", default_lab_problem_holds},
    {"cardan_default_lab_method", default_lab_method_holds},
    {"cardan_default_lab_span", default_lab_span_holds},
    {"cardan_stepper_name", stepper_name_holds},
    {"cardan_solver_name", solver_name_holds},
    {"cardan_options_word", options_word_holds},
    {"cardan_options_summary", options_summary_holds},
    {"cardan_builder_create", creates},
    {"cardan_builder_destroy", destroy_holds},
    {"cardan_builder_message", builder_message_holds},
    {"cardan_builder_status", builder_status_holds},
    {"cardan_model_retain", retain_holds},
    {"cardan_model_release", destroy_holds},
    {"cardan_model_sizes", sizes_holds},
    {"cardan_model_space", space_holds},
    {"cardan_model_name", name_holds},
    {"cardan_model_options", model_options_holds},
    {"cardan_model_find_body", find_body_holds},
    {"cardan_model_find_joint", find_joint_holds},
    {"cardan_model_find_input", find_input_holds},
    {"cardan_model_find_first_order", find_first_order_holds},
    {"cardan_model_body", model_body_holds},
    {"cardan_model_body_kind", body_kind_holds},
    {"cardan_model_body_name", body_name_holds},
    {"cardan_model_joint_name", joint_name_holds},
    {"cardan_model_joint_rows", joint_rows_holds},
    {"cardan_model_joint_coordinate", joint_coordinate_holds},
    {"cardan_model_outputs", outputs_holds},
    {"cardan_model_channel_label", labels},
    {"cardan_default_shape", default_shape_holds},
    {"cardan_model_shapes", shapes_holds},
    {"cardan_model_shape", shape_holds},
    {"cardan_model_body_mass", body_mass_holds},
    {"cardan_model_gravity", gravity_holds},
    {"cardan_model_body_pose", body_pose_holds},
    {"cardan_model_joint_scene", joint_scene_holds},
    {"cardan_joint_type_name", joint_type_name_holds},
    {"cardan_model_force_scene", force_scene_holds},
    {"cardan_model_force_point", force_point_holds},
    {"cardan_model_find_force", find_force_holds},
    {"cardan_model_force_name", force_name_holds},
    {"cardan_force_type_name", force_type_name_holds},
    {"cardan_model_remarks", remarks_holds},
    {"cardan_sim_destroy", destroy_holds},
    {"cardan_sim_message", sim_message_holds},
    {"cardan_sim_time", sim_time_holds},
    {"cardan_sim_last_step", last_step_holds},
    {"cardan_sim_state_size", state_size_holds},
    {"cardan_sim_positions", positions_holds},
    {"cardan_sim_velocities", velocities_holds},
    {"cardan_sim_solver", solver_holds},
    {"cardan_sim_solver_reason", solver_reason_holds},
    {"cardan_sim_coordinates", coordinates_holds},
    {"cardan_sim_coordinates_reason", coordinates_reason_holds},
    {"cardan_sim_events", events_holds},
    {"cardan_linear_destroy", destroy_holds},
    {"cardan_linear_state_space", linear_views_holds},
    {"cardan_linear_descriptor", linear_views_holds},
    {"cardan_linear_is_exact", linear_views_holds},
    {"cardan_linear_name", linear_names},
    {"cardan_modes_destroy", destroy_holds},
    {"cardan_modes_count", modes_views_holds},
    {"cardan_modes_ignorable", modes_views_holds},
    {"cardan_modes_get", modes_views_holds},
    {"cardan_modes_name", linear_names},
    {"cardan_default_slow", default_slow_holds},
    {"cardan_model_slow", model_slow_holds},
    {"cardan_slow_method_name", slow_method_name_holds},
    {"cardan_slow_kernel_name", slow_kernel_name_holds},
    {"cardan_lab_problem_destroy", destroy_holds},
    {"cardan_lab_problem_sizes", lab_sizes_holds},
    {"cardan_lab_name", lab_name_holds},
    {"cardan_lab_stepper_order", lab_order_holds},
};

#endif
