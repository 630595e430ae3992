/* The public face of a compiled model. */
#include "model/model.h"

#include "core/memory.h"
#include "model/tree.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

CardanStatus crd_tell(const CrdError *error, const char *file, char *message, size_t size) {
    if (message == NULL || size == 0) return error->status;
    if (error->text[0] == '\0' &&
        error->place.line <= 0) { /* as after most steps: formatting nothing takes 900 instructions */
        message[0] = '\0';
        return error->status;
    }
    if (error->place.line > 0)
        snprintf(message, size, "%s:%d:%d: %s", file != NULL ? file : "model", error->place.line, error->place.column,
                 error->text);
    else if (file != NULL)
        snprintf(message, size, "%s: %s", file, error->text);
    else
        snprintf(message, size, "%s", error->text);
    return error->status;
}

CardanStatus crd_model_create(CrdStructure *structure, CrdDescription *description, CardanModel **out,
                              CrdError *error) {
    CardanModel *model = crd_new(1, sizeof *model);
    CardanStatus status =
        model == NULL ? crd_fail_memory(error) : crd_values_create(structure, description, &model->values, error);
    if (status < 0) {
        crd_description_free(description);
        crd_delete(model);
        return status;
    }
    assert(structure->joint_count == description->joint_count && structure->force_count == description->force_count);
    atomic_init(&model->references, 1);
    atomic_fetch_add(&structure->references, 1);
    model->structure = structure;
    model->description = description;
    *out = model;
    return CARDAN_OK;
}

static CardanStatus compile(const CrdDescription *description, CardanModel **out, CrdError *error) {
    CRD_TRY(crd_description_check(description, error));
    CrdDescription *copy = crd_description_clone(description);
    if (copy == NULL) return crd_fail_memory(error);
    CrdStructure *structure;
    CardanStatus status = crd_structure_create(copy, &structure, error);
    if (status < 0) {
        crd_description_free(copy);
        return status;
    }
    status = crd_model_create(structure, copy, out, error);
    crd_structure_release(structure);
    return status;
}

CardanStatus cardan_builder_compile(CardanBuilder *builder, CardanModel **out) {
    if (out != NULL) *out = NULL;
    if (builder == NULL) return CARDAN_ERR_ARGUMENT;
    if (builder->error.status < 0) return builder->error.status;
    CardanStatus status = out == NULL
                              ? crd_fail(&builder->error, CARDAN_ERR_ARGUMENT, "the place for the model is NULL")
                              : compile(builder->description, out, &builder->error);
    if (status < 0) crd_tell(&builder->error, builder->description->file, builder->message, sizeof builder->message);
    return status;
}

CardanStatus cardan_model_load(const char *path, CardanModel **out, char *message, size_t size) {
    if (out == NULL) return crd_refuse_call(message, size, "the place for the model is NULL");
    *out = NULL;
    CardanBuilder *builder = NULL;
    CardanStatus status = cardan_builder_read_file(path, &builder);
    if (status >= 0) status = cardan_builder_compile(builder, out);
    if (message != NULL && size > 0)
        snprintf(message, size, "%s", builder != NULL ? cardan_builder_message(builder) : "out of memory");
    cardan_builder_destroy(builder);
    return status;
}

CardanModel *cardan_model_retain(const CardanModel *model) {
    union { /* the counter is the one thing that changes in a model */
        const CardanModel *given;
        CardanModel *counted;
    } handle = {model};
    if (model != NULL) atomic_fetch_add(&handle.counted->references, 1);
    return handle.counted;
}

void cardan_model_release(CardanModel *model) {
    if (model == NULL) return;
    int references = atomic_fetch_sub(&model->references, 1);
    assert(references >= 1);
    if (references > 1) return;
    if (model->absolute != NULL) {
        crd_relative_values_free(&model->values);
        cardan_model_release(model->absolute);
    } else {
        crd_values_free(&model->values);
        crd_description_free(model->description);
    }
    crd_structure_release(model->structure);
    crd_delete(model);
}

CardanStatus cardan_model_with_parameters(const CardanModel *model, int count, const char *const *names,
                                          const double *values, CardanModel **out, char *message, size_t size) {
    if (out != NULL) *out = NULL;
    if (model == NULL || out == NULL)
        return crd_refuse_call(message, size, "%s is NULL", model == NULL ? "the model" : "the place for the model");
    if (count < 0 || (count > 0 && (names == NULL || values == NULL)))
        return crd_refuse_call(message, size, "%d parameters need as many names and values", count);
    CrdError error = {0};
    CrdDescription *copy = crd_description_clone(model->description);
    CardanStatus status = copy == NULL ? crd_fail_memory(&error) : CARDAN_OK;
    if (status >= 0) status = crd_description_set_parameters(copy, count, names, values, &error);
    if (status < 0)
        crd_description_free(copy);
    else
        status = crd_model_create(model->structure, copy, out, &error);
    crd_tell(&error, model->description->file, message, size);
    return status;
}

CardanSizes cardan_model_sizes(const CardanModel *model) {
    if (model == NULL) return (CardanSizes){0};
    const CrdStructure *structure = model->structure;
    return (CardanSizes){.bodies = model->description->body_count,
                         .blocks = model->description->block_count,
                         .joints = structure->joint_count,
                         .forces = structure->force_count,
                         .inputs = structure->input_count,
                         .parameters = structure->parameter_count,
                         .coordinates = structure->nq,
                         .velocities = structure->nv,
                         .rows = structure->rows,
                         .holonomic_rows = structure->holonomic_rows,
                         .first_order = structure->first_order,
                         .markers = structure->marker_count};
}

CardanSpace cardan_model_space(const CardanModel *model) {
    return model == NULL ? CARDAN_SPACE_PLANAR : model->structure->space;
}

const char *cardan_model_name(const CardanModel *model) {
    return model == NULL ? "" : model->description->name;
}

CardanOptions cardan_model_options(const CardanModel *model) {
    return model == NULL ? cardan_default_options() : model->description->options;
}

/* Index of the object of that name; -1: there is none of this kind. */
static int find(const CardanModel *model, CrdNameKind kind, const char *name) {
    if (model == NULL || name == NULL) return -1;
    const CrdDescription *description = model->description;
    const CrdNames *names = kind == CRD_NAME_INPUT ? &description->numbers : &description->names;
    CrdNamed named = crd_names_find(names, name, strlen(name));
    return named.kind == kind ? named.index : -1;
}

static int handle_of(int index) {
    return index >= 0 ? index + 1 : CARDAN_INVALID;
}

CardanBody cardan_model_find_body(const CardanModel *model, const char *name) {
    int index = find(model, CRD_NAME_BODY, name);
    if (index >= 0) return (CardanBody){model->structure->blocks[index].frame};
    bool ground = model != NULL && name != NULL && strcmp(name, "ground") == 0;
    return (CardanBody){ground ? 0 : CARDAN_INVALID};
}

CardanJoint cardan_model_find_joint(const CardanModel *model, const char *name) {
    return (CardanJoint){handle_of(find(model, CRD_NAME_JOINT, name))};
}

CardanInput cardan_model_find_input(const CardanModel *model, const char *name) {
    return (CardanInput){handle_of(find(model, CRD_NAME_INPUT, name))};
}

CardanFirstOrder cardan_model_find_first_order(const CardanModel *model, const char *name) {
    return (CardanFirstOrder){handle_of(find(model, CRD_NAME_STATES, name))};
}

CardanMarker cardan_model_find_marker(const CardanModel *model, const char *name) {
    return (CardanMarker){handle_of(find(model, CRD_NAME_MARKER, name))};
}

const char *cardan_model_marker_name(const CardanModel *model, CardanMarker marker) {
    bool there = model != NULL && marker.index >= 1 && marker.index <= model->structure->marker_count;
    return there ? model->description->markers[marker.index - 1].name : "";
}

CardanBody cardan_model_body(const CardanModel *model, int index) {
    if (model == NULL || index < 0 || index >= model->description->body_count) return (CardanBody){CARDAN_INVALID};
    return (CardanBody){model->structure->blocks[index].frame};
}

const char *cardan_model_body_name(const CardanModel *model, CardanBody body) {
    if (model == NULL || body.index < 0 || body.index >= model->structure->frame_count) return "";
    const CrdFrameDesc *frame = &model->description->frames[body.index];
    if (frame->kind == CRD_FRAME_GROUND) return "ground";
    return frame->kind == CRD_FRAME_BODY ? model->description->bodies[frame->object].name
                                         : model->description->blocks[frame->object].name;
}

static bool is_joint(const CardanModel *model, CardanJoint joint) {
    return model != NULL && joint.index >= 1 && joint.index <= model->structure->joint_count;
}

const char *cardan_model_joint_name(const CardanModel *model, CardanJoint joint) {
    return is_joint(model, joint) ? model->description->joints[joint.index - 1].name : "";
}

CardanBodyKind cardan_model_body_kind(const CardanModel *model, CardanBody body) {
    if (model == NULL || body.index < 0 || body.index >= model->structure->frame_count) return CARDAN_BODY_NONE;
    const CrdFrameDesc *frame = &model->description->frames[body.index];
    if (frame->kind == CRD_FRAME_GROUND) return CARDAN_BODY_GROUND;
    if (frame->kind == CRD_FRAME_OF_BLOCK) return CARDAN_BODY_FRAME;
    return model->description->bodies[frame->object].particle ? CARDAN_BODY_PARTICLE : CARDAN_BODY_RIGID;
}

static const CrdElement *element_of(const CardanModel *model, CardanJoint joint) {
    return &model->structure->elements[model->structure->element_of_joint[joint.index - 1]];
}

int cardan_model_joint_rows(const CardanModel *model, CardanJoint joint) {
    return is_joint(model, joint) ? element_of(model, joint)->rows : -1;
}

CardanCoordinate cardan_model_joint_coordinate(const CardanModel *model, CardanJoint joint) {
    if (!is_joint(model, joint)) return CARDAN_COORDINATE_NONE;
    const CrdJointKind *kind = element_of(model, joint)->kind;
    return kind == NULL ? CARDAN_COORDINATE_NONE : kind->coordinates[0];
}

int cardan_model_outputs(const CardanModel *model, const char *const **names) {
    if (model == NULL) return -1;
    if (names != NULL) *names = (const char *const *)model->description->outputs;
    return model->description->output_count;
}

void cardan_model_output_place(const CardanModel *model, int i, int *line, int *column) {
    CrdPlace place = {0, 0};
    if (model != NULL && i >= 0 && i < model->description->output_count) place = model->description->output_places[i];
    if (line != NULL) *line = place.line;
    if (column != NULL) *column = place.column;
}

const char *crd_element_name(const CardanModel *model, int element) {
    assert(element >= 0 && element < model->structure->element_count);
    const CrdElement *e = &model->structure->elements[element];
    if (e->joint >= 0) return model->description->joints[e->joint].name;
    return model->description->blocks[model->structure->blocks[e->block].object].name;
}
