/* Numbers of a model: masses and inertias, the start as written, and the geometry of forces in body axes. */
#include "model/model.h"

#include "build/orientation.h"
#include "core/callback.h"
#include "core/memory.h"
#include "model/body_values.h"
#include "model/joint_values.h"
#include "model/size.h"

#include <assert.h>
#include <string.h>

/* ---- the whole ---- */

static CardanStatus allocate(const CrdStructure *structure, CrdValues *out, CrdError *error) {
    out->blocks = crd_new((size_t)structure->block_count, sizeof *out->blocks);
    out->joints = crd_new((size_t)structure->element_count, sizeof *out->joints);
    out->coefficients = crd_new((size_t)structure->term_count, sizeof(double));
    out->tracked = crd_new((size_t)structure->tracked_count, sizeof(double));
    out->forces = crd_new((size_t)structure->force_count, sizeof *out->forces);
    out->markers = crd_new((size_t)structure->marker_count, sizeof *out->markers);
    out->q0 = crd_new((size_t)structure->nq, sizeof(double));
    out->v0 = crd_new((size_t)structure->nv, sizeof(double));
    out->z0 = crd_new((size_t)structure->first_order, sizeof(double));
    out->parameters = crd_new((size_t)structure->parameter_count, sizeof(double));
    out->row_units = crd_new((size_t)structure->rows, sizeof *out->row_units);
    bool all = out->blocks != NULL && out->joints != NULL && out->forces != NULL && out->markers != NULL &&
               out->q0 != NULL && out->v0 != NULL && out->z0 != NULL && out->parameters != NULL &&
               out->coefficients != NULL && out->tracked != NULL && out->row_units != NULL;
    return all ? CARDAN_OK : crd_fail_memory(error);
}

static void resolve_blocks(const CrdStructure *structure, const CrdDescription *description, CrdValues *out) {
    for (int i = 0; i < structure->block_count; i++) {
        const CrdBlock *block = &structure->blocks[i];
        double *q = out->q0 + block->q, *v = out->v0 + block->v;
        if (block->kind == CRD_CUSTOM_BLOCK) {
            memcpy(q, description->blocks[block->object].q0, (size_t)block->nq * sizeof *q);
            memcpy(v, description->blocks[block->object].v0, (size_t)block->nv * sizeof *v);
        } else {
            crd_resolve_body(&description->bodies[block->object], description->space, &out->blocks[i], q, v);
            assert(out->blocks[i].mass > 0.0 && out->blocks[i].inverse_mass > 0.0);
        }
    }
}

static void resolve_markers(const CrdDescription *description, CrdValues *out) {
    for (int i = 0; i < description->marker_count; i++) {
        const CrdMarkerDesc *marker = &description->markers[i];
        CrdMarker *it = &out->markers[i];
        *it = (CrdMarker){.frame = marker->frame, .local = crd_vec_of(marker->point)};
        it->q = crd_orientation_of(marker->orientation_form, marker->orientation);
        CrdMat rotation = crd_matrix_of(it->q);
        memcpy(it->rotation, rotation.m, sizeof it->rotation);
        if (marker->orientation_form == CRD_ORIENTATION_ANGLE) it->angle = marker->orientation[0];
    }
}

static CardanStatus resolve_elements(const CrdStructure *structure, const CrdDescription *description,
                                     const CardanFrame *frames, CrdValues *out, CrdError *error) {
    for (int i = 0; i < structure->term_count; i++) out->coefficients[i] = description->terms[i].coefficient;
    for (int e = 0; e < structure->element_count; e++) {
        if (structure->elements[e].kind == NULL) continue;
        CRD_TRY(crd_resolve_joint(structure, description, e, frames, out, error));
    }
    for (int i = 0; i < structure->force_count; i++)
        out->forces[i] = crd_resolve_force(description, &description->forces[i], frames);
    crd_resolve_sizes(structure, frames, out);
    return crd_resolve_span(structure, out, error);
}

static CardanStatus resolve(const CrdStructure *structure, const CrdDescription *description, CardanFrame *frames,
                            CrdValues *out, CrdError *error) {
    CRD_TRY(allocate(structure, out, error));
    out->gravity = crd_vec_of(description->gravity);
    for (int i = 0; i < structure->parameter_count; i++) out->parameters[i] = description->parameters[i].value;
    resolve_blocks(structure, description, out);
    resolve_markers(description, out);
    for (int i = 0; i < description->states_count; i++)
        memcpy(out->z0 + structure->state_of_states[i], description->states[i].z0,
               (size_t)description->states[i].def.count * sizeof(double));
    CRD_TRY(crd_start_frames(structure, description, out, frames, error));
    return resolve_elements(structure, description, frames, out, error);
}

CardanStatus crd_values_create(const CrdStructure *structure, const CrdDescription *description, CrdValues *out,
                               CrdError *error) {
    assert(structure->frame_count == description->frame_count && structure->term_count == description->term_count);
    assert(structure->parameter_count == description->parameter_count);
    assert(structure->tree == NULL);
    memset(out, 0, sizeof *out);
    CardanFrame *frames = crd_new((size_t)structure->frame_count, sizeof *frames);
    CardanStatus status = frames == NULL ? crd_fail_memory(error) : resolve(structure, description, frames, out, error);
    crd_delete(frames);
    if (status < 0) crd_values_free(out);
    return status;
}

void crd_values_free(CrdValues *values) {
    CRD_DELETE_ALL(values->blocks, values->joints, values->forces, values->markers, values->q0, values->v0, values->z0,
                   values->parameters, values->coefficients, values->tracked, values->row_units);
    memset(values, 0, sizeof *values);
}

static CardanStatus custom_frames(const CrdStructure *structure, const CrdDescription *description,
                                  const CrdValues *values, int index, double *jacobian, CardanFrame *frame,
                                  CrdError *error) {
    const CrdBlock *block = &structure->blocks[structure->frames[index].block];
    assert(block->kind == CRD_CUSTOM_BLOCK);
    const CrdBlockDesc *desc = &description->blocks[block->object];
    double bias[6] = {0};
    CardanStatus status = desc->def.frame(desc->def.user, structure->frames[index].frame, 0.0, values->q0 + block->q,
                                          values->v0 + block->v, frame, jacobian, bias);
    bool finite = crd_are_finite(frame, sizeof *frame / sizeof(double));
    return crd_callback_ended(error, status, finite, 0.0, "block '%s': its frame callback", desc->name);
}

CardanStatus crd_start_frames(const CrdStructure *structure, const CrdDescription *description, const CrdValues *values,
                              CardanFrame *frames, CrdError *error) {
    double *jacobian = crd_new(6 * (size_t)structure->max_coordinates, sizeof(double));
    if (jacobian == NULL) return crd_fail_memory(error);
    CardanStatus status = CARDAN_OK;
    for (int i = 0; i < structure->frame_count && status >= 0; i++) {
        const CrdFrame *frame = &structure->frames[i];
        assert((frame->kind == CRD_FRAME_GROUND) == (frame->block < 0));
        frames[i] = (CardanFrame){.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        if (frame->kind == CRD_FRAME_OF_BLOCK)
            status = custom_frames(structure, description, values, i, jacobian, &frames[i], error);
        else if (frame->kind == CRD_FRAME_BODY)
            crd_body_frame(&structure->blocks[frame->block], values->q0, values->v0, &frames[i]);
    }
    crd_delete(jacobian);
    return status;
}
