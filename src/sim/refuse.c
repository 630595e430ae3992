#include "sim/refuse.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

CardanStatus crd_refuse(CardanSim *sim, const char *format, ...) {
    if (sim == NULL) return CARDAN_ERR_ARGUMENT;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sim->message, sizeof sim->message, format, arguments);
    va_end(arguments);
    return CARDAN_ERR_ARGUMENT;
}

CardanStatus crd_need_sim(CardanSim *sim) {
    if (sim == NULL) return CARDAN_ERR_ARGUMENT;
    if (sim->busy && !sim->integrator.conduct.acting)
        return crd_refuse(sim, "a callback may not use the simulation that is calling it");
    return sim->started ? CARDAN_OK : crd_refuse(sim, "this simulation did not start; it can only be destroyed");
}

CardanStatus crd_need_free(CardanSim *sim) {
    CRD_TRY(crd_need_sim(sim));
    if (!sim->integrator.conduct.acting) return CARDAN_OK;
    return crd_refuse(sim, "the action of an event may read the simulation and set inputs, not do this");
}

CardanStatus crd_need_given(CardanSim *sim, const void *argument, const char *what) {
    CRD_TRY(crd_need_sim(sim));
    return argument != NULL ? CARDAN_OK : crd_refuse(sim, "%s is NULL", what);
}

CardanStatus crd_need_finite(CardanSim *sim, const double *numbers, int count, const char *what) {
    assert(sim != NULL && numbers != NULL);
    for (int i = 0; i < count; i++) {
        if (isfinite(numbers[i])) continue;
        return count == 1 ? crd_refuse(sim, "%s is not finite", what)
                          : crd_refuse(sim, "number %d of %s is not finite", i, what);
    }
    return CARDAN_OK;
}

CardanStatus crd_need_body(CardanSim *sim, CardanBody body) {
    CRD_TRY(crd_need_sim(sim));
    bool there = body.index >= 0 && body.index < sim->model->structure->frame_count;
    return there ? CARDAN_OK : crd_refuse(sim, "there is no body number %d", body.index);
}

CardanStatus crd_need_joint(CardanSim *sim, CardanJoint joint) {
    CRD_TRY(crd_need_sim(sim));
    bool there = joint.index >= 1 && joint.index <= sim->model->structure->joint_count;
    return there ? CARDAN_OK : crd_refuse(sim, "there is no joint number %d", joint.index);
}

CardanStatus crd_need_input(CardanSim *sim, CardanInput input) {
    CRD_TRY(crd_need_sim(sim));
    bool there = input.index >= 1 && input.index <= sim->model->structure->input_count;
    return there ? CARDAN_OK : crd_refuse(sim, "there is no input number %d", input.index);
}
