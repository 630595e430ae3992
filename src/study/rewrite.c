/* The model file of a study with its bodies where the study has them. Only numbers change:
 *
 *     bodies    position and orientation in the form they are written in; velocities
 *     joints    points and axes in ground coordinates, which stand in the pose as written: p -> x' + R' R^T (p - x),
 *               with the body they are fixed in
 *     start     joints: to how far each coordinate still has to go, as coordinates are zero in the pose as written
 *
 * What else counts from the pose as written (drivers, laws of coordinates, bushings) cannot be told by a number of the
 * file: the text is read again and must mean the same mechanism (same.h), else it is refused. */
#include "read/rewrite.h"
#include "build/fields.h"
#include "build/orientation.h"
#include "cardan/builder.h"
#include "core/memory.h"
#include "study/same.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Displacements in lengths of the mechanism and rad, and velocities of those a second, that are none: rounding. */
#define CRD_REWRITE_SAME 1e-14

typedef struct Rewriting {
    CardanStudy *study;
    CrdYaml tree;
    CrdEdits edits;
    double *dx, *dv; /* (nv) from the state as written */
} Rewriting;

/* ---- bodies ---- */

static void orientation_now(const CardanFrame *frame, CrdBodyDesc *now) {
    const double *r = frame->rotation;
    CardanQuat q = crd_quat_of_matrix(r);
    CrdVec u = crd_rotation_vector(r);
    double *o = now->orientation, turn = crd_norm(u);
    switch (now->orientation_form) {
    case CRD_ORIENTATION_ANGLE:
        o[0] = frame->angle;
        break;
    case CRD_ORIENTATION_RPY:
        o[0] = atan2(r[7], r[8]);
        o[1] = atan2(-r[6], hypot(r[0], r[3]));
        o[2] = atan2(r[3], r[0]);
        break;
    case CRD_ORIENTATION_AXIS_ANGLE:
        if (turn > 0.0) crd_put(o, crd_scale(1.0 / turn, u));
        o[3] = turn;
        break;
    default:
        memcpy(o, (double[4]){q.w, q.x, q.y, q.z}, 4 * sizeof *o);
    }
}

/* All numbers of a body as they are now, those that did not change by more than rounding as written. */
static void body_now(const Rewriting *rewriting, const CrdBlock *block, const CrdNode *mapping, CrdBodyDesc *now) {
    const CardanStudy *study = rewriting->study;
    const CardanFrame *frame = &study->dynamics->system.frames[block->frame];
    const double *dx = rewriting->dx + block->v, *dv = rewriting->dv + block->v;
    bool moved = false, turned = false, faster = false, spun = false, planar = now->orientation_form == 1;
    double size = study->model->values.size;
    for (int k = 0; k < block->nv; k++) {
        bool length = k < crd_block_lengths(study->model->structure, block);
        double same = CRD_REWRITE_SAME * (length ? size : 1.0);
        *(length ? &moved : &turned) |= fabs(dx[k]) > same;
        *(length ? &faster : &spun) |= fabs(dv[k]) > same;
    }
    if (moved) crd_put(now->position, frame->x);
    if (turned) orientation_now(frame, now);
    if (faster) crd_put(now->velocity, frame->v);
    spun = spun || (turned && !planar && crd_norm(frame->w) > 0.0); /* in ground axes it is another */
    if (!spun) return;
    bool own = crd_node_get(mapping, "body_rates") != NULL;
    crd_put(now->angular_velocity, own ? crd_vec(0, 0, 0) : crd_apply(frame->rotation, frame->w));
    crd_put(now->body_rates, own ? frame->w : crd_vec(0, 0, 0));
}

static CardanStatus rewrite_body(Rewriting *rewriting, const CrdBlock *block) {
    CardanStudy *study = rewriting->study;
    const CrdDescription *description = study->model->description;
    const CrdBodyDesc *body = &description->bodies[block->object];
    const CrdNode *mapping = crd_node_get(crd_node_get(rewriting->tree.root, "bodies"), body->name);
    CrdBodyDesc old = *body;
    if (mapping == NULL) return crd_fail(&study->error, CARDAN_ERR_ARGUMENT, "the text has no body '%s'", body->name);
    if (old.orientation_form == CRD_ORIENTATION_NONE && !old.particle) { /* as if it were written */
        bool planar = description->space == CARDAN_SPACE_PLANAR;
        old.orientation_form = planar ? CRD_ORIENTATION_ANGLE : CRD_ORIENTATION_QUATERNION;
        old.orientation[0] = planar ? 0.0 : 1.0;
    }
    CrdBodyDesc now = old;
    body_now(rewriting, block, mapping, &now);
    CrdFieldTable table = crd_body_fields();
    for (int i = 0; i < table.count; i++) {
        const CrdField *field = &table.fields[i];
        bool placed = field->holds == CRD_HOLDS_NUMBERS && field->own >= offsetof(CrdBodyDesc, position) &&
                      field->own < offsetof(CrdBodyDesc, hold);
        if (!placed || !crd_field_active(field, description->space, CRD_OWNER_BODY, &old)) continue;
        CRD_TRY(crd_edit_numbers(&rewriting->edits, mapping, field->key, field->count[description->space],
                                 crd_field_numbers(field, &old), crd_field_numbers(field, &now), 0.0, &study->error));
    }
    return CARDAN_OK;
}

/* ---- joints ---- */

/* A point or axis that is fixed in a frame, from the pose as written to the one now. */
static CrdVec carried(const CardanStudy *study, int frame, bool axis, CrdVec p) {
    const CrdDescription *description = study->model->description;
    const CrdFrameDesc *owner = &description->frames[frame];
    if (frame == 0 || owner->kind != CRD_FRAME_BODY) return p;
    const CrdBodyDesc *body = &description->bodies[owner->object];
    const CardanFrame *now = &study->dynamics->system.frames[frame];
    CrdMat r = crd_matrix_of(crd_orientation_of(body->orientation_form, body->orientation));
    CrdVec own = crd_apply_t(r.m, axis ? p : crd_sub(p, crd_vec_of(body->position)));
    CrdVec out = crd_apply(now->rotation, own);
    return axis ? out : crd_add(out, now->x);
}

static CardanStatus rewrite_joint(Rewriting *rewriting, const CrdJointDesc *joint) {
    CardanStudy *study = rewriting->study;
    const CrdDescription *description = study->model->description;
    const CrdNode *mapping = crd_node_get(crd_node_get(rewriting->tree.root, "joints"), joint->name);
    const CrdJointNumbers *numbers = crd_joint_numbers(joint);
    CrdFieldTable table = crd_element_fields(CRD_OWNER_JOINT, joint->type);
    double same = CRD_REWRITE_SAME * study->model->values.size;
    for (int i = 0; i < table.count; i++) {
        const CrdField *field = &table.fields[i];
        bool axis = field->holds == CRD_HOLDS_AXIS, place = axis || field->holds == CRD_HOLDS_POINT;
        if (!place || field->local || crd_node_get(mapping, field->key) == NULL) continue;
        int count = field->count[description->space];
        bool in_b = (field->sides & CRD_SIDE_B) != 0 && !(axis && (field->unread & CRD_SIDE_B) != 0);
        double now[3] = {0}, old[3] = {0};
        memcpy(old, crd_field_numbers(field, numbers), (size_t)count * sizeof *old);
        crd_put(now, carried(study, in_b && numbers->b > 0 ? numbers->b : numbers->a, axis, crd_vec_of(old)));
        double least = axis ? CRD_REWRITE_SAME * crd_norm(crd_vec_of(old)) : same;
        CRD_TRY(crd_edit_numbers(&rewriting->edits, mapping, field->key, count, old, now, least, &study->error));
    }
    return CARDAN_OK;
}

/* ---- start ---- */

static CardanStatus rewrite_start(Rewriting *rewriting, const CrdStartRate *start) {
    CardanStudy *study = rewriting->study;
    const char *name = study->model->description->joints[start->joint - 1].name;
    const CrdNode *mapping = crd_node_get(crd_node_get(rewriting->tree.root, "start"), "joints");
    double x = 0.0;
    CrdCoordinateRow row;
    CRD_TRY(crd_study_coordinate(study, start->joint, &row));
    if (row.which == CARDAN_COORDINATE_LENGTH || crd_node_get(mapping, name) == NULL) return CARDAN_OK;
    CRD_TRY(cardan_study_joint(study, (CardanJoint){start->joint}, &x, NULL));
    double now = start->rate - x, scale = CRD_REWRITE_SAME * fmax(1.0, fabs(x));
    if (fabs(now) < scale) now = 0.0;
    return crd_edit_numbers(&rewriting->edits, mapping, name, 1, &start->rate, &now, 0.0, &study->error);
}

/* ---- the whole ---- */

static CardanStatus make_edits(Rewriting *rewriting) {
    CardanStudy *study = rewriting->study;
    const CardanModel *model = study->model;
    const CrdStructure *structure = model->structure;
    CRD_TRY(crd_study_evaluate(study));
    double *written = study->given; /* scratch between analyses */
    memcpy(written, model->values.q0, (size_t)structure->nq * sizeof *written);
    crd_normalise(structure, written);
    crd_displacement(structure, written, study->y, rewriting->dx);
    for (int i = 0; i < structure->nv; i++) rewriting->dv[i] = crd_study_v(study)[i] - model->values.v0[i];
    for (int i = 0; i < structure->block_count; i++) {
        if (structure->blocks[i].kind == CRD_CUSTOM_BLOCK)
            return crd_fail(&study->error, CARDAN_ERR_ARGUMENT, "the model is not of a file: it has a custom block");
        CRD_TRY(rewrite_body(rewriting, &structure->blocks[i]));
    }
    for (int i = 0; i < model->description->joint_count; i++)
        if (model->description->joints[i].rows == NULL)
            CRD_TRY(rewrite_joint(rewriting, &model->description->joints[i]));
    for (int i = 0; i < model->description->coordinate_count; i++)
        CRD_TRY(rewrite_start(rewriting, &model->description->coordinates[i]));
    return CARDAN_OK;
}

/* The text is a model file, and means the same. */
static CardanStatus prove(CardanStudy *study, const char *text, size_t length) {
    CardanBuilder *builder = NULL;
    CardanModel *model = NULL;
    CardanStudy *other = NULL;
    const char *label = study->model->description->file;
    char message[CRD_MESSAGE_SIZE];
    CardanStatus status = cardan_builder_read_text(text, length, label, &builder);
    if (status >= 0) status = cardan_builder_compile(builder, &model);
    if (status < 0 && builder != NULL)
        crd_fail(&study->error, status, "the rewritten file: %s", cardan_builder_message(builder));
    if (status >= 0) {
        status = cardan_study_create(model, &other, message, sizeof message);
        if (status < 0) crd_fail(&study->error, status, "the rewritten file: %s", message);
    }
    if (status >= 0) status = crd_study_same(study, other);
    cardan_study_destroy(other);
    cardan_model_release(model);
    cardan_builder_destroy(builder);
    return status;
}

static CardanStatus rewrite(CardanStudy *study, const char *text, size_t length, char **made, size_t *made_length) {
    Rewriting rewriting = {.study = study};
    size_t nv = (size_t)study->model->structure->nv;
    CardanStatus status = crd_yaml_read(&rewriting.tree, text, length, &study->error);
    rewriting.dx = crd_new(nv, sizeof(double));
    rewriting.dv = crd_new(nv, sizeof(double));
    if (rewriting.dx == NULL || rewriting.dv == NULL) status = crd_fail_memory(&study->error);
    if (status >= 0) status = make_edits(&rewriting);
    if (status >= 0) status = crd_edits_apply(&rewriting.edits, text, length, made, made_length, &study->error);
    if (status >= 0) status = prove(study, *made, *made_length);
    crd_yaml_free(&rewriting.tree);
    CRD_DELETE_ALL(rewriting.dx, rewriting.dv, rewriting.edits.list);
    return status;
}

CardanStatus cardan_study_rewrite(CardanStudy *study, const char *text, size_t length, const char **out,
                                  size_t *out_length) {
    CRD_TRY(crd_study_need(study, text, "the text"));
    CRD_TRY(crd_study_need(study, out, "the place for the text"));
    CRD_TRY(crd_study_need(study, out_length, "the place for its length"));
    char *made = NULL;
    crd_delete(study->text);
    study->text = NULL;
    CardanStatus status = rewrite(study, text, length, &made, out_length);
    if (status < 0) {
        crd_delete(made);
        return crd_study_report(study, status);
    }
    *out = study->text = made;
    return CARDAN_OK;
}
