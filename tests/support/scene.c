#include "support/scene.h"
#include "support/reading.h"

#include "support/check.h"

CardanModel *scene_compile(CardanBuilder *builder) {
    CardanModel *model = NULL;
    if (cardan_builder_compile(builder, &model) < 0) fail_msg("%s", cardan_builder_message(builder));
    cardan_builder_destroy(builder);
    assert_non_null(model);
    return model;
}

CardanModel *scene_load(const char *path) {
    CardanBuilder *builder = NULL;
    if (cardan_builder_read_file(path, &builder) < 0) fail_msg("%s", cardan_builder_message(builder));
    return scene_compile(builder);
}

CardanModel *scene_read(const char *text) {
    CardanBuilder *builder = NULL;
    if (cardan_builder_read_text(text, strlen(text), "text", &builder) < 0)
        fail_msg("%s", cardan_builder_message(builder));
    return scene_compile(builder);
}

CardanSim *scene_start(const CardanModel *model, const CardanOptions *options) {
    CardanSim *sim = NULL;
    if (cardan_sim_create(model, options, &sim) < 0) fail_msg("%s", cardan_sim_message(sim));
    return sim;
}

CardanSim *scene_run(CardanModel *model, const CardanOptions *options) {
    CardanSim *sim = scene_start(model, options);
    cardan_model_release(model);
    return sim;
}

CardanOptions scene_tight(double rtol, double atol) {
    CardanOptions options = cardan_default_options();
    options.rtol = rtol;
    options.atol = atol;
    return options;
}

CardanOptions scene_fixed(CardanStepper stepper, double step) {
    CardanOptions options = cardan_default_options();
    options.stepper = stepper;
    options.step = step;
    return options;
}

void scene_advance(CardanSim *sim, double t) {
    if (cardan_sim_advance(sim, t) < 0) fail_msg("%s", cardan_sim_message(sim));
    assert_true(cardan_sim_time(sim) == t);
}

CardanBodyState scene_body(CardanSim *sim, const CardanModel *model, const char *name) {
    CardanBody body = cardan_model_find_body(model, name);
    CardanBodyState state;
    assert_int_not_equal(body.index, 0);
    assert_true(cardan_sim_body(sim, body, &state) >= 0);
    return state;
}

static CardanJoint joint_of(const CardanModel *model, const char *name) {
    CardanJoint joint = cardan_model_find_joint(model, name);
    assert_int_not_equal(joint.index, 0);
    return joint;
}

double scene_coordinate(CardanSim *sim, const CardanModel *model, const char *joint, double *rate) {
    double coordinate, ignored;
    assert_true(cardan_sim_joint(sim, joint_of(model, joint), &coordinate, rate != NULL ? rate : &ignored) >= 0);
    return coordinate;
}

CardanWrench scene_reaction(CardanSim *sim, const CardanModel *model, const char *joint) {
    return reaction_of(sim, joint_of(model, joint));
}

CardanEnergy scene_energy(CardanSim *sim) {
    CardanEnergy energy;
    assert_true(cardan_sim_energy(sim, &energy) >= 0);
    return energy;
}
