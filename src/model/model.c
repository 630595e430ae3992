/* The public face of a compiled model. */
#include "model/model.h"

#include "core/memory.h"

#include <stdio.h>
#include <string.h>

CardanStatus crd_tell(const CrdError *error, const char *file, char *message, size_t size) {
    if (message == NULL || size == 0) return error->status;
    if (error->place.line > 0)
        snprintf(message, size, "%s:%d:%d: %s", file != NULL ? file : "model", error->place.line, error->place.column,
                 error->text);
    else if (file != NULL && error->text[0] != '\0')
        snprintf(message, size, "%s: %s", file, error->text);
    else
        snprintf(message, size, "%s", error->text);
    return error->status;
}

/* Takes over the description in any case. */
static CardanStatus make_model(CrdShape *shape, CrdDescription *description, CardanModel **out, CrdError *error) {
    CardanModel *model = crd_new(1, sizeof *model);
    CardanStatus status = model == NULL ? crd_fail_memory(error)
                                        : crd_numbers_create(shape, description, &model->numbers, error);
    if (status < 0) {
        crd_description_free(description);
        crd_delete(model);
        return status;
    }
    atomic_init(&model->references, 1);
    atomic_fetch_add(&shape->references, 1);
    model->shape = shape;
    model->description = description;
    *out = model;
    return CARDAN_OK;
}

static CardanStatus compile(const CrdDescription *description, CardanModel **out, CrdError *error) {
    CRD_TRY(crd_description_check(description, error));
    CrdDescription *copy = crd_description_clone(description);
    if (copy == NULL) return crd_fail_memory(error);
    CrdShape *shape;
    CardanStatus status = crd_shape_create(copy, &shape, error);
    if (status < 0) {
        crd_description_free(copy);
        return status;
    }
    status = make_model(shape, copy, out, error);
    crd_shape_release(shape);
    return status;
}

CardanStatus cardan_builder_compile(CardanBuilder *builder, CardanModel **out) {
    if (out != NULL) *out = NULL;
    if (builder == NULL || out == NULL) return CARDAN_ERR_ARGUMENT;
    if (builder->error.status < 0) return builder->error.status;
    CardanStatus status = compile(builder->description, out, &builder->error);
    if (status < 0) crd_tell(&builder->error, builder->description->file, builder->message, sizeof builder->message);
    return status;
}

CardanStatus cardan_model_load(const char *path, CardanModel **out, char *message, size_t size) {
    if (path == NULL || out == NULL) return CARDAN_ERR_ARGUMENT;
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
    if (model == NULL || atomic_fetch_sub(&model->references, 1) > 1) return;
    crd_numbers_free(&model->numbers);
    crd_shape_release(model->shape);
    crd_description_free(model->description);
    crd_delete(model);
}

CardanStatus cardan_model_with_parameters(const CardanModel *model, int count, const char *const *names,
                                          const double *values, CardanModel **out, char *message, size_t size) {
    if (out != NULL) *out = NULL;
    if (model == NULL || out == NULL || count < 0 || (count > 0 && (names == NULL || values == NULL)))
        return CARDAN_ERR_ARGUMENT;
    CrdError error = {0};
    CrdDescription *copy = crd_description_clone(model->description);
    CardanStatus status = copy == NULL ? crd_fail_memory(&error) : CARDAN_OK;
    if (status >= 0) status = crd_description_set_parameters(copy, count, names, values, &error);
    if (status < 0)
        crd_description_free(copy);
    else
        status = make_model(model->shape, copy, out, &error);
    crd_tell(&error, model->description->file, message, size);
    return status;
}

CardanSizes cardan_model_sizes(const CardanModel *model) {
    if (model == NULL) return (CardanSizes){0};
    const CrdShape *s = model->shape;
    return (CardanSizes){.bodies = model->description->body_count,
                         .blocks = model->description->block_count,
                         .joints = s->joint_count,
                         .forces = s->force_count,
                         .inputs = s->input_count,
                         .parameters = s->parameter_count,
                         .coordinates = s->nq,
                         .velocities = s->nv,
                         .rows = s->rows,
                         .holonomic_rows = s->holonomic_rows,
                         .first_order = s->first_order};
}

CardanSpace cardan_model_space(const CardanModel *model) {
    return model == NULL ? CARDAN_PLANAR : model->shape->space;
}

const char *cardan_model_name(const CardanModel *model) {
    return model == NULL ? "" : model->description->name;
}

CardanOptions cardan_model_options(const CardanModel *model) {
    return model == NULL ? cardan_default_options() : model->description->options;
}

CardanBody cardan_model_find_body(const CardanModel *model, const char *name) {
    for (int i = 1; model != NULL && name != NULL && i < model->shape->carrier_count; i++) {
        const CrdCarrierDesc *carrier = &model->description->carriers[i];
        if (carrier->kind == CRD_CARRIER_BODY && strcmp(model->description->bodies[carrier->object].name, name) == 0)
            return (CardanBody){i};
    }
    return (CardanBody){0};
}

CardanJoint cardan_model_find_joint(const CardanModel *model, const char *name) {
    for (int i = 0; model != NULL && name != NULL && i < model->shape->joint_count; i++)
        if (strcmp(model->description->joints[i].name, name) == 0) return (CardanJoint){i + 1};
    return (CardanJoint){0};
}

CardanInput cardan_model_find_input(const CardanModel *model, const char *name) {
    for (int i = 0; model != NULL && name != NULL && i < model->shape->input_count; i++)
        if (strcmp(model->description->inputs[i].name, name) == 0) return (CardanInput){i + 1};
    return (CardanInput){0};
}

CardanStates cardan_model_find_states(const CardanModel *model, const char *name) {
    for (int i = 0; model != NULL && name != NULL && i < model->shape->states_count; i++)
        if (strcmp(model->description->states[i].name, name) == 0) return (CardanStates){i + 1};
    return (CardanStates){0};
}

CardanBody cardan_model_body(const CardanModel *model, int index) {
    if (model == NULL || index < 0 || index >= model->description->body_count) return (CardanBody){0};
    return (CardanBody){model->shape->blocks[index].carrier};
}

const char *cardan_model_body_name(const CardanModel *model, CardanBody body) {
    if (model == NULL || body.index < 0 || body.index >= model->shape->carrier_count) return "";
    const CrdCarrierDesc *carrier = &model->description->carriers[body.index];
    if (carrier->kind == CRD_CARRIER_GROUND) return "ground";
    return carrier->kind == CRD_CARRIER_BODY ? model->description->bodies[carrier->object].name
                                             : model->description->blocks[carrier->object].name;
}

static bool is_joint(const CardanModel *model, CardanJoint joint) {
    return model != NULL && joint.index >= 1 && joint.index <= model->shape->joint_count;
}

const char *cardan_model_joint_name(const CardanModel *model, CardanJoint joint) {
    return is_joint(model, joint) ? model->description->joints[joint.index - 1].name : "";
}

bool cardan_model_body_is_particle(const CardanModel *model, CardanBody body) {
    if (model == NULL || body.index < 1 || body.index >= model->shape->carrier_count) return false;
    CrdBlockKind kind = model->shape->blocks[model->shape->carriers[body.index].block].kind;
    return kind == CRD_PLANAR_PARTICLE || kind == CRD_SPATIAL_PARTICLE;
}

int cardan_model_joint_rows(const CardanModel *model, CardanJoint joint) {
    return is_joint(model, joint) ? model->shape->elements[model->shape->element_of_joint[joint.index - 1]].rows : 0;
}

CardanCoordinate cardan_model_joint_coordinate(const CardanModel *model, CardanJoint joint) {
    if (!is_joint(model, joint)) return CARDAN_NO_COORDINATE;
    const CrdJointKind *kind = model->shape->elements[model->shape->element_of_joint[joint.index - 1]].kind;
    return kind == NULL ? CARDAN_NO_COORDINATE : kind->coordinates[0];
}

int cardan_model_outputs(const CardanModel *model, const char *const **names) {
    if (model == NULL || names == NULL) return 0;
    *names = (const char *const *)model->description->outputs;
    return model->description->output_count;
}

const char *crd_element_name(const CardanModel *model, int element) {
    const CrdElement *e = &model->shape->elements[element];
    if (e->joint >= 0) return model->description->joints[e->joint].name;
    return model->description->blocks[model->shape->blocks[e->block].object].name;
}
