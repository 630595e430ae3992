/* Reading a study: bodies, joints, reactions, and all loads on a body.
 *
 *     sum of joints and forces + m g - m a = 0,      moments about the centre of mass likewise: - I w' - w x I w */
#include "study/study.h"

#include "core/rotation.h"
#include "equations/element.h"

#include <assert.h>
#include <string.h>

/* What is left of all loads after taking off those of forces is rounding up to this part of the largest. */
#define CRD_REST 1e-14

CardanStatus cardan_study_body(CardanStudy *study, CardanBody body, CardanBodyState *out) {
    CRD_TRY(crd_study_need_body(study, body));
    CRD_TRY(crd_study_need(study, out, "the place for the state of a body"));
    CardanStatus status = crd_study_evaluate(study);
    if (status < 0) return crd_study_report(study, status);
    const CardanFrame *frame = &study->dynamics->system.frames[body.index];
    *out = (CardanBodyState){.position = frame->x,
                             .velocity = frame->v,
                             .angle = frame->angle,
                             .spin = frame->w.z,
                             .quaternion = crd_quat_of_matrix(frame->rotation),
                             .angular_velocity = crd_apply(frame->rotation, frame->w)};
    return CARDAN_OK;
}

CardanStatus cardan_study_joint(CardanStudy *study, CardanJoint joint, double *coordinate, double *rate) {
    CRD_TRY(crd_study_need_joint(study, joint));
    CrdCoordinateRow row;
    CRD_TRY(crd_study_coordinate(study, joint.index, &row));
    CardanStatus status = crd_study_evaluate(study);
    if (status < 0) return crd_study_report(study, status);
    CrdPair pair = crd_pair_of(study->model->structure, &study->dynamics->system, row.element);
    double x, dx;
    crd_joint_read(row.which, &study->model->values.joints[row.element], &pair, &x, &dx);
    if (coordinate != NULL) *coordinate = x;
    if (rate != NULL) *rate = dx;
    return CARDAN_OK;
}

CardanStatus cardan_study_reaction(CardanStudy *study, CardanJoint joint, CardanWrench *out) {
    CRD_TRY(crd_study_need_joint(study, joint));
    CRD_TRY(crd_study_need(study, out, "the place for the reaction"));
    int element = study->model->structure->element_of_joint[joint.index - 1];
    if (study->model->structure->elements[element].kind == NULL)
        return crd_study_refuse(study, "rows of the user's have no place for a reaction");
    CardanStatus status = crd_study_evaluate(study);
    if (status < 0) return crd_study_report(study, status);
    *out = crd_joint_reaction(study->model, &study->dynamics->system, study->lambda, element, false);
    return CARDAN_OK;
}

CardanStatus cardan_study_effort(CardanStudy *study, CardanJoint joint, double *effort) {
    CRD_TRY(crd_study_need_joint(study, joint));
    CRD_TRY(crd_study_need(study, effort, "the place for the effort"));
    int element = study->model->structure->element_of_joint[joint.index - 1];
    for (int i = 0; i < study->rates; i++)
        if (study->rate[i].row.element == element) {
            *effort = study->rate[i].effort;
            return CARDAN_OK;
        }
    if (!crd_element_has_effort(&study->model->structure->elements[element]))
        return crd_study_refuse(
            study, "joint '%s' has no effort: it is no driver, coupler or driven distance, and keeps no rate",
            crd_element_name(study->model, element));
    CardanStatus status = crd_study_evaluate(study);
    if (status < 0) return crd_study_report(study, status);
    *effort = crd_joint_effort(study->model, &study->dynamics->system, study->lambda, element);
    return CARDAN_OK;
}

/* ---- all loads on a body ---- */

typedef struct Table {
    CardanStudy *study;
    int frame, block, room, count;
    CardanLoad *loads;
} Table;

/* load: force in ground axes at the origin, moment in own axes. */
static void add(Table *table, const char *name, const double *load) {
    const CardanFrame *frame = &table->study->dynamics->system.frames[table->frame];
    int at = table->count++;
    assert(table->frame > 0 && name != NULL);
    if (at >= table->room) return;
    CardanWrench wrench = {crd_vec_of(load), crd_apply(frame->rotation, crd_vec_of(load + 3))};
    table->loads[at] = (CardanLoad){name, wrench};
}

/* A block's generalised force as a load: of a body they are the same numbers but in the plane. */
static void add_generalised(Table *table, const char *name, const double *f) {
    const CrdBlock *block = &table->study->model->structure->blocks[table->block];
    bool planar = table->study->model->structure->space == CARDAN_SPACE_PLANAR;
    double load[6] = {0};
    for (int k = 0; k < block->nv; k++) load[planar && k == 2 ? 5 : k] = f[k];
    add(table, name, load);
}

/* Rows of elements that touch the body: -G^T lambda. */
static void add_joints(Table *table) {
    const CardanModel *model = table->study->model;
    const CrdStructure *structure = model->structure;
    for (int j = 0; j < structure->joint_count; j++) {
        int e = structure->element_of_joint[j];
        const CrdElement *element = &structure->elements[e];
        double f[6] = {0};
        bool touches = false;
        for (int i = element->incidence; i < element->incidence + element->incidences; i++) {
            const CrdIncidence *in = &structure->incidences[i];
            if (in->block != table->block || element->rows == 0) continue;
            touches = true;
            for (int r = 0; r < in->rows; r++)
                for (int k = 0; k < in->width; k++)
                    f[k] -= table->study->dynamics->system.G[in->g + r * in->width + k] *
                            table->study->lambda[element->first + r];
        }
        if (touches) add_generalised(table, crd_element_name(model, e), f);
    }
}

/* Forces one by one; compliant joints are what is left of all loads. */
static CardanStatus add_forces(Table *table) {
    CardanStudy *study = table->study;
    CrdSystem *system = &study->dynamics->system;
    double rest[6], most = 0.0, left = 0.0;
    memcpy(rest, system->loads[table->frame], sizeof rest);
    for (int i = 0; i < study->model->structure->force_count; i++) {
        CRD_TRY(crd_one_force(study->model, i, &study->dynamics->actions, system, &study->error));
        const double *load = system->loads[table->frame];
        bool acts = false;
        for (int k = 0; k < 6; k++) {
            acts = acts || load[k] != 0.0;
            rest[k] -= load[k];
            most = fmax(most, fabs(load[k]));
        }
        if (acts) add(table, study->model->description->forces[i].name, load);
    }
    crd_stamp_drop(&system->stamp, CRD_HOLDS_FORCES);
    for (int k = 0; k < 6; k++) left = fmax(left, fabs(rest[k]));
    if (study->model->structure->compliant_count > 0 && left > 0.0 && left > CRD_REST * most)
        add(table, "compliant joints", rest);
    return CARDAN_OK;
}

static void add_inertia(Table *table) {
    const CardanModel *model = table->study->model;
    const CrdBlock *block = &model->structure->blocks[table->block];
    const CrdBlockValues *values = &model->values.blocks[table->block];
    const CardanFrame *frame = &table->study->dynamics->system.frames[table->frame];
    const double *a = table->study->a + block->v;
    assert(block->kind != CRD_CUSTOM_BLOCK);
    bool planar = model->structure->space == CARDAN_SPACE_PLANAR;
    double load[6] = {0};
    crd_put(load, crd_scale(values->mass, model->values.gravity));
    add(table, "gravity", load);
    crd_put(load, crd_scale(-values->mass, crd_vec(a[0], a[1], planar ? 0.0 : a[2])));
    if (block->kind == CRD_PLANAR_BODY) load[5] = -values->inertia[8] * a[2];
    if (block->kind == CRD_SPATIAL_BODY) {
        CrdVec turn = crd_apply(values->inertia, crd_vec_of(a + 3));
        turn = crd_add(turn, crd_cross(frame->w, crd_apply(values->inertia, frame->w)));
        crd_put(load + 3, crd_neg(turn));
    }
    add(table, "inertia", load);
}

CardanStatus cardan_study_loads(CardanStudy *study, CardanBody body, int room, CardanLoad *loads, int *count) {
    CRD_TRY(crd_study_need_body(study, body));
    CRD_TRY(crd_study_need(study, count, "the place for the number of loads"));
    if (room < 0 || (room > 0 && loads == NULL)) return crd_study_refuse(study, "there is no place for the loads");
    const CrdFrame *frame = &study->model->structure->frames[body.index];
    if (frame->kind != CRD_FRAME_BODY)
        return crd_study_refuse(study, "a table of loads is one of a body, not of the ground or of a custom block");
    crd_stamp_drop(&study->dynamics->system.stamp, CRD_HOLDS_FORCES);
    CardanStatus status = crd_study_evaluate(study);
    Table table = {study, body.index, frame->block, room, 0, loads};
    if (status >= 0) {
        add_joints(&table);
        status = add_forces(&table);
    }
    if (status < 0) return crd_study_report(study, status);
    add_inertia(&table);
    *count = table.count;
    return CARDAN_OK;
}
