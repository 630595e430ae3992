#include "analysis/start_joints.h"

#include "analysis/assemble.h"
#include "analysis/close.h"
#include "analysis/sentences.h"

#include <math.h>

static void ask(const CardanModel *model, CrdCoordinateRow *rows) {
    const CrdStructure *structure = model->structure;
    for (int i = 0; i < model->description->coordinate_count; i++) {
        const CrdStartRate *asked = &model->description->coordinates[i];
        int element = structure->element_of_joint[asked->joint - 1];
        rows[i] = (CrdCoordinateRow){
            .element = element, .which = structure->elements[element].kind->coordinates[0], .value = asked->rate};
    }
}

static CardanStatus refuse(const CrdClosing *closing) {
    const CrdDynamics *dynamics = closing->saddle.dynamics;
    char list[CRD_MESSAGE_SIZE / 2] = "";
    crd_list_worst(dynamics->model, &dynamics->system, dynamics->system.g, crd_part_of_size(dynamics->model, 1.0),
                   0.01 * closing->left, list, sizeof list);
    for (int i = 0; i < closing->saddle.extras; i++)
        if (fabs(closing->saddle.extra[i].g) > 0.01 * closing->left)
            crd_say(list, sizeof list, "%s'%s' misses %.6g by %.3g", list[0] == '\0' ? "" : "; ",
                    crd_element_name(dynamics->model, closing->saddle.extra[i].element), closing->saddle.extra[i].value,
                    closing->saddle.extra[i].g);
    return crd_fail_at(dynamics->error, CARDAN_ERR_MODEL, dynamics->model->description->coordinates[0].place,
                       "start: the mechanism does not close at these joint coordinates: %s", list);
}

static CardanStatus start_joints(CrdIntegrator *run, CrdCoordinateRow *rows, bool *held) {
    const CardanModel *model = run->dynamics.model;
    CrdClosing closing;
    bool any = crd_find_held(model, held);
    ask(model, rows);
    CardanStatus status =
        crd_closing_open(&closing, run, model->description->coordinate_count, rows, any ? held : NULL);
    if (status >= 0) status = crd_close(&closing, run->stepper.t, run->stepper.y);
    if (status >= 0 && !closing.closed) status = refuse(&closing);
    crd_closing_close(&closing);
    return status;
}

CardanStatus crd_start_joints(CrdIntegrator *run) {
    const CardanModel *model = run->dynamics.model;
    int count = model->description->coordinate_count;
    if (count == 0 || model->structure->tree != NULL) return CARDAN_OK;
    CrdCoordinateRow *rows = crd_new((size_t)count, sizeof *rows);
    bool *held = crd_new((size_t)model->structure->block_count, sizeof *held);
    CardanStatus status =
        rows != NULL && held != NULL ? start_joints(run, rows, held) : crd_fail_memory(run->dynamics.error);
    crd_delete(rows);
    crd_delete(held);
    return status;
}
