/* The public builder: definitions of a program become descriptions. The first error is kept; after it nothing changes
 * any more. */
#include "cardan/builder.h"

#include "build/convert.h"
#include "build/marker.h"
#include "build/objects.h"
#include "build/parameters.h"
#include "build/shape.h"
#include "build/take.h"
#include "core/cookie.h"
#include "core/memory.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

CardanBuilder *cardan_builder_create(CardanSpace space) {
    CardanBuilder *builder = crd_new(1, sizeof *builder);
    if (builder == NULL) return NULL;
    bool known = space == CARDAN_SPACE_PLANAR || space == CARDAN_SPACE_SPATIAL;
    builder->description = crd_description_create(known ? space : CARDAN_SPACE_PLANAR);
    if (builder->description == NULL) {
        crd_delete(builder);
        return NULL;
    }
    if (!known) {
        crd_fail(&builder->error, CARDAN_ERR_ARGUMENT, "there is no space number %d", (int)space);
        crd_builder_report(builder);
    }
    return builder;
}

void cardan_builder_destroy(CardanBuilder *builder) {
    if (builder == NULL) return;
    crd_description_free(builder->description);
    crd_delete(builder);
}

CardanStatus crd_builder_report(CardanBuilder *builder) {
    const CrdError *error = &builder->error;
    const char *file = builder->description->file;
    if (error->place.line > 0 && file != NULL) {
        snprintf(builder->message, sizeof builder->message, "%.480s:%d:%d: %s", file, error->place.line,
                 error->place.column, error->text);
    } else {
        snprintf(builder->message, sizeof builder->message, "%s", error->text);
    }
    return error->status;
}

const char *cardan_builder_message(const CardanBuilder *builder) {
    return builder != NULL ? builder->message : "there is no builder";
}

CardanStatus cardan_builder_status(const CardanBuilder *builder) {
    return builder != NULL ? builder->error.status : CARDAN_ERR_ARGUMENT;
}

/* May the builder still be changed? Otherwise a call does nothing. */
static bool usable(const CardanBuilder *builder) {
    return builder != NULL && builder->error.status >= 0;
}

/* NULL where a definition or a text must be: the first error. */
static bool given(CardanBuilder *builder, const void *argument, const char *what) {
    if (argument != NULL) return true;
    crd_fail(&builder->error, CARDAN_ERR_ARGUMENT, "%s is NULL", what);
    crd_builder_report(builder);
    return false;
}

/* The same for definitions, which begin with what cardan_default_...() put there. */
static bool defaulted(CardanBuilder *builder, const void *def, const char *what, const char *function) {
    int internal;
    if (def == NULL) return given(builder, NULL, what);
    memcpy(&internal, def, sizeof internal);
    if (internal == CRD_COOKIE) return true;
    crd_fail(&builder->error, CARDAN_ERR_ARGUMENT, "%s was not made by %s()", what, function);
    crd_builder_report(builder);
    return false;
}

static_assert(offsetof(CardanBodyDef, internal) == 0 && offsetof(CardanBlockDef, internal) == 0 &&
                  offsetof(CardanJointDef, internal) == 0 && offsetof(CardanRowsDef, internal) == 0 &&
                  offsetof(CardanForceDef, internal) == 0 && offsetof(CardanFirstOrderDef, internal) == 0 &&
                  offsetof(CardanEventDef, internal) == 0 && offsetof(CardanMarkerDef, internal) == 0 &&
                  offsetof(CardanShape, internal) == 0,
              "the mark is the first member of every definition");

/* Ends a call: true when it went well. */
static bool done(CardanBuilder *builder, CardanStatus status) {
    if (status >= 0) return true;
    if (builder->error.status >= 0) crd_fail(&builder->error, status, "the call failed");
    crd_builder_report(builder);
    return false;
}

void cardan_builder_set_name(CardanBuilder *builder, const char *name) {
    if (!usable(builder) || !given(builder, name, "the name of the model")) return;
    char *copy = crd_copy_string(name);
    if (copy == NULL) {
        done(builder, crd_fail_memory(&builder->error));
        return;
    }
    crd_delete(builder->description->name);
    builder->description->name = copy;
}

void cardan_builder_set_gravity(CardanBuilder *builder, CardanVec3 gravity) {
    if (!usable(builder)) return;
    CrdDescription *description = builder->description;
    if (description->space == CARDAN_SPACE_PLANAR && gravity.z != 0.0) {
        done(builder, crd_fail(&builder->error, CARDAN_ERR_MODEL, "gravity of a planar model has no z component"));
        return;
    }
    double value[3] = {gravity.x, gravity.y, gravity.z};
    memcpy(description->gravity, value, sizeof value);
    done(builder, crd_check_object(description, CRD_OWNER_MODEL, 0, &builder->error));
}

void cardan_builder_add_parameter(CardanBuilder *builder, const char *name, double value) {
    if (!usable(builder) || !given(builder, name, "the name of a parameter")) return;
    CrdParameterDesc parameter = {.value = value};
    CardanStatus status = crd_take_name(&parameter.name, name, "parameter", &builder->error);
    if (status >= 0) status = crd_add_parameter(builder->description, &parameter, &builder->error);
    if (!done(builder, status)) crd_delete(parameter.name);
}

CardanInput cardan_builder_add_input(CardanBuilder *builder, const char *name, double value) {
    const CardanInput none = {CARDAN_INVALID};
    if (!usable(builder) || !given(builder, name, "the name of an input")) return none;
    CrdInputDesc input = {.value = value};
    CardanStatus status = crd_take_name(&input.name, name, "input", &builder->error);
    if (status >= 0) status = crd_add_input(builder->description, &input, &builder->error);
    if (done(builder, status)) return (CardanInput){builder->description->input_count};
    crd_delete(input.name);
    return none;
}

static CardanStatus bind(CrdDescription *description, const char *number, const char *text, CrdError *error) {
    CrdTarget target;
    CrdExpr *expression = NULL;
    double value = 0.0;
    CRD_TRY(crd_target_find(description, number, &target, error));
    CRD_TRY(crd_number_of(description, text, description->parameter_count, &value, &expression, error));
    CRD_TRY(crd_bind(description, target, expression, (CrdPlace){0, 0}, error));
    *crd_target_number(description, target) = value;
    crd_follow_markers(description);
    return crd_check_object(description, target.owner, target.index, error);
}

void cardan_builder_bind(CardanBuilder *builder, const char *number, const char *expression) {
    if (!usable(builder) || !given(builder, number, "the number to bind")) return;
    if (!given(builder, expression, "the expression")) return;
    done(builder, bind(builder->description, number, expression, &builder->error));
}

CardanStatus cardan_builder_set_parameter(CardanBuilder *builder, const char *name, double value) {
    if (builder == NULL) return CARDAN_ERR_ARGUMENT;
    if (!usable(builder)) return builder->error.status;
    if (!given(builder, name, "the name of a parameter")) return CARDAN_ERR_ARGUMENT;
    CardanStatus status = crd_description_set_parameter(builder->description, name, value, &builder->error);
    done(builder, status);
    return status;
}

CardanBody cardan_builder_add_body(CardanBuilder *builder, const CardanBodyDef *def) {
    const CardanBody none = {CARDAN_INVALID};
    CrdBodyDesc body;
    if (!usable(builder) || !defaulted(builder, def, "the definition of a body", "cardan_default_body")) return none;
    CardanStatus status = crd_convert_body(builder->description, def, &body, &builder->error);
    if (status >= 0) status = crd_add_body(builder->description, &body, NULL, &builder->error);
    if (done(builder, status)) return (CardanBody){builder->description->frame_count - 1};
    crd_delete(body.name);
    return none;
}

void cardan_builder_add_shape(CardanBuilder *builder, CardanBody body, const CardanShape *shape) {
    CrdShapeDesc fresh;
    if (!usable(builder) || !defaulted(builder, shape, "the shape", "cardan_default_shape")) return;
    CardanStatus status = crd_convert_shape(builder->description, body, shape, &fresh, &builder->error);
    if (status >= 0) status = crd_add_shape(builder->description, &fresh, &builder->error);
    if (!done(builder, status)) crd_delete(fresh.file);
}

CardanBlock cardan_builder_add_block(CardanBuilder *builder, const CardanBlockDef *def) {
    const CardanBlock none = {CARDAN_INVALID};
    CrdBlockDesc block;
    if (!usable(builder) || !defaulted(builder, def, "the definition of a block", "cardan_default_block")) return none;
    CardanStatus status = crd_convert_block(def, &block, &builder->error);
    if (status >= 0) status = crd_add_block(builder->description, &block, &builder->error);
    if (done(builder, status)) return (CardanBlock){builder->description->block_count};
    CRD_DELETE_ALL(block.name, block.q0, block.v0);
    return none;
}

CardanBody cardan_builder_block_frame(CardanBuilder *builder, CardanBlock block, int k) {
    const CardanBody none = {CARDAN_INVALID};
    if (!usable(builder)) return none;
    const CrdDescription *description = builder->description;
    CrdError *error = &builder->error;
    if (block.index < 1 || block.index > description->block_count) {
        done(builder, crd_fail(error, CARDAN_ERR_ARGUMENT, "there is no block number %d", block.index));
        return none;
    }
    const CrdBlockDesc *it = &description->blocks[block.index - 1];
    if (k >= 0 && k < it->def.frames) return (CardanBody){it->first_frame + k};
    done(builder,
         crd_fail(error, CARDAN_ERR_ARGUMENT, "block '%s' has no frame %d; it has %d", it->name, k, it->def.frames));
    return none;
}

CardanMarker cardan_builder_add_marker(CardanBuilder *builder, const CardanMarkerDef *def) {
    const CardanMarker none = {CARDAN_INVALID};
    CrdMarkerDesc marker;
    if (!usable(builder) || !defaulted(builder, def, "the definition of a marker", "cardan_default_marker"))
        return none;
    CardanStatus status = crd_convert_marker(builder->description, def, &marker, &builder->error);
    if (status >= 0) status = crd_check_name(builder->description, CRD_NAME_MARKER, marker.name, &builder->error);
    if (status >= 0) status = crd_add_marker(builder->description, &marker, NULL, &builder->error);
    if (done(builder, status)) return (CardanMarker){builder->description->marker_count};
    crd_delete(marker.name);
    return none;
}

CardanJoint cardan_builder_add_joint(CardanBuilder *builder, const CardanJointDef *def) {
    const CardanJoint none = {CARDAN_INVALID};
    CrdJointDesc joint;
    if (!usable(builder) || !defaulted(builder, def, "the definition of a joint", "cardan_default_joint")) return none;
    CardanStatus status = crd_convert_joint(builder->description, def, &joint, &builder->error);
    if (status >= 0) status = crd_add_element(builder->description, CRD_OWNER_JOINT, &joint, NULL, &builder->error);
    if (done(builder, status)) return (CardanJoint){builder->description->joint_count};
    crd_element_free(&joint);
    return none;
}

CardanJoint cardan_builder_add_rows(CardanBuilder *builder, const CardanRowsDef *def) {
    const CardanJoint none = {CARDAN_INVALID};
    CrdJointDesc joint;
    if (!usable(builder) || !defaulted(builder, def, "the definition of rows", "cardan_default_rows")) return none;
    CardanStatus status = crd_convert_rows(builder->description, def, &joint, &builder->error);
    if (status >= 0) status = crd_add_element(builder->description, CRD_OWNER_JOINT, &joint, NULL, &builder->error);
    if (done(builder, status)) return (CardanJoint){builder->description->joint_count};
    crd_element_free(&joint);
    return none;
}

CardanForce cardan_builder_add_force(CardanBuilder *builder, const CardanForceDef *def) {
    const CardanForce none = {CARDAN_INVALID};
    CrdForceDesc force;
    if (!usable(builder) || !defaulted(builder, def, "the definition of a force", "cardan_default_force")) return none;
    CardanStatus status = crd_convert_force(builder->description, def, &force, &builder->error);
    if (status >= 0) status = crd_add_element(builder->description, CRD_OWNER_FORCE, &force, NULL, &builder->error);
    if (done(builder, status)) return (CardanForce){builder->description->force_count};
    crd_element_free(&force);
    return none;
}

CardanFirstOrder cardan_builder_add_first_order(CardanBuilder *builder, const CardanFirstOrderDef *def) {
    const CardanFirstOrder none = {CARDAN_INVALID};
    CrdStatesDesc states;
    if (!usable(builder) || !defaulted(builder, def, "the definition of states", "cardan_default_first_order"))
        return none;
    CardanStatus status = crd_convert_states(builder->description, def, &states, &builder->error);
    if (status >= 0) status = crd_add_states(builder->description, &states, &builder->error);
    if (done(builder, status)) return (CardanFirstOrder){builder->description->states_count};
    CRD_DELETE_ALL(states.name, states.z0, states.frames);
    return none;
}

void cardan_builder_add_event(CardanBuilder *builder, const CardanEventDef *def) {
    CrdEventDesc event;
    if (!usable(builder) || !defaulted(builder, def, "the definition of an event", "cardan_default_event")) return;
    CardanStatus status = crd_convert_event(builder->description, def, &event, &builder->error);
    if (status >= 0) status = crd_add_event(builder->description, &event, &builder->error);
    if (done(builder, status)) return;
    CRD_DELETE_ALL(event.name, event.frames);
}

void cardan_builder_add_invariant(CardanBuilder *builder, const CardanInvariantDef *def) {
    CrdInvariantDesc invariant;
    if (!usable(builder) || !defaulted(builder, def, "the definition of an invariant", "cardan_default_invariant"))
        return;
    CardanStatus status = crd_convert_invariant(builder->description, def, &invariant, &builder->error);
    if (status >= 0) status = crd_add_invariant(builder->description, &invariant, &builder->error);
    if (done(builder, status)) return;
    CRD_DELETE_ALL(invariant.name, invariant.frames);
}

void cardan_builder_set_start_rate(CardanBuilder *builder, CardanJoint joint, double rate) {
    if (!usable(builder)) return;
    CrdDescription *description = builder->description;
    CrdError *error = &builder->error;
    if (joint.index < 1 || joint.index > description->joint_count) {
        done(builder, crd_fail(error, CARDAN_ERR_ARGUMENT, "there is no joint number %d", joint.index));
        return;
    }
    done(builder, crd_add_rate(description, &(CrdStartRate){.joint = joint.index, .rate = rate}, error));
}

void cardan_builder_set_start(CardanBuilder *builder, CardanStartMode positions, CardanStartMode velocities) {
    if (!usable(builder)) return;
    CrdError *error = &builder->error;
    if ((unsigned)positions > CARDAN_START_PROJECT || (unsigned)velocities > CARDAN_START_PROJECT) {
        done(builder, crd_fail(error, CARDAN_ERR_ARGUMENT, "there is no such way to start"));
        return;
    }
    builder->description->start_positions = positions;
    builder->description->start_velocities = velocities;
}

void cardan_builder_hold(CardanBuilder *builder, CardanBody body) {
    if (!usable(builder)) return;
    CrdDescription *description = builder->description;
    CrdError *error = &builder->error;
    if (body.index < 0 || body.index >= description->frame_count) {
        done(builder, crd_fail(error, CARDAN_ERR_ARGUMENT, "there is no body number %d", body.index));
        return;
    }
    CrdFrameDesc frame = description->frames[body.index];
    if (frame.kind == CRD_FRAME_BODY) description->bodies[frame.object].hold = true;
    if (frame.kind == CRD_FRAME_OF_BLOCK)
        done(builder, crd_fail(error, CARDAN_ERR_ARGUMENT, "a frame of block '%s' cannot be held",
                               description->blocks[frame.object].name));
}
