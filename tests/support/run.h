/* A model on its way: the simulation and the names to ask it by. */
#ifndef TESTS_SUPPORT_RUN_H
#define TESTS_SUPPORT_RUN_H

#include "support/check.h"
#include "support/scene.h"

#include "core/rotation.h"

typedef struct Run {
    CardanModel *model;
    CardanSim *sim;
} Run;

static inline Run start(CardanModel *model, double rtol, double atol) {
    CardanOptions options = scene_tight(rtol, atol);
    return (Run){model, scene_start(model, &options)};
}

static inline Run load(const char *file) {
    return start(scene_load(file), 1e-12, 1e-13);
}

static inline void finish(Run *run) {
    cardan_sim_destroy(run->sim);
    cardan_model_release(run->model);
}

static inline double coordinate(const Run *run, const char *joint, double *rate) {
    return scene_coordinate(run->sim, run->model, joint, rate);
}

static inline CardanBodyState body(const Run *run, const char *name) {
    return scene_body(run->sim, run->model, name);
}

static inline CardanJoint joint_of(const Run *run, const char *name) {
    CardanJoint joint = cardan_model_find_joint(run->model, name);
    assert_int_not_equal(joint.index, 0);
    return joint;
}

static inline double effort_of(const Run *run, const char *name) {
    double value;
    assert_int_equal(cardan_sim_effort(run->sim, joint_of(run, name), &value), CARDAN_OK);
    return value;
}

/* A vector of a body's axes in ground axes. */
static inline CrdVec turned(CardanQuat q, CrdVec a) {
    CrdMat r = crd_matrix_of(q);
    return crd_apply(r.m, a);
}

#endif
