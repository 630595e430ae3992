/* The public builder: definitions of a program become descriptions. The first error is kept; after it nothing changes
 * any more. */
#include "cardan/builder.h"

#include "build/convert.h"
#include "build/objects.h"
#include "build/parameters.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

CardanBuilder *cardan_builder_create(CardanSpace space) {
    CardanBuilder *builder = crd_new(1, sizeof *builder);
    if (builder == NULL) return NULL;
    bool known = space == CARDAN_PLANAR || space == CARDAN_SPATIAL;
    builder->description = crd_description_create(known ? space : CARDAN_PLANAR);
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
    CrdDescription *d = builder->description;
    if (d->space == CARDAN_PLANAR && gravity.z != 0.0) {
        done(builder, crd_fail(&builder->error, CARDAN_ERR_MODEL, "gravity of a planar model has no z component"));
        return;
    }
    double value[3] = {gravity.x, gravity.y, gravity.z};
    memcpy(d->gravity, value, sizeof value);
    done(builder, crd_check_object(d, CRD_OWNER_MODEL, 0, &builder->error));
}

void cardan_builder_add_parameter(CardanBuilder *builder, const char *name, double value) {
    if (!usable(builder) || !given(builder, name, "the name of a parameter")) return;
    CrdParameterDesc parameter = {.name = crd_copy_string(name), .value = value};
    CardanStatus status = parameter.name != NULL ? crd_add_parameter(builder->description, &parameter, &builder->error)
                                                 : crd_fail_memory(&builder->error);
    if (!done(builder, status)) crd_delete(parameter.name);
}

CardanInput cardan_builder_add_input(CardanBuilder *builder, const char *name, double value) {
    CardanInput none = {0};
    if (!usable(builder) || !given(builder, name, "the name of an input")) return none;
    CrdInputDesc input = {.name = crd_copy_string(name), .value = value};
    CardanStatus status = input.name != NULL ? crd_add_input(builder->description, &input, &builder->error)
                                             : crd_fail_memory(&builder->error);
    if (done(builder, status)) return (CardanInput){builder->description->input_count};
    crd_delete(input.name);
    return none;
}

static CardanStatus bind(CrdDescription *d, const char *number, const char *text, CrdError *error) {
    CrdTarget target;
    CrdExpr *expression = NULL;
    double value = 0.0;
    CRD_TRY(crd_target_find(d, number, &target, error));
    CRD_TRY(crd_number_of(d, text, d->parameter_count, &value, &expression, error));
    CRD_TRY(crd_bind(d, target, expression, (CrdPlace){0, 0}, error));
    *crd_target_number(d, target) = value;
    return crd_check_object(d, target.owner, target.index, error);
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
    CardanBody none = {0};
    CrdBodyDesc body;
    if (!usable(builder) || !given(builder, def, "the definition of a body")) return none;
    CardanStatus status = crd_convert_body(builder->description, def, &body, &builder->error);
    if (status >= 0) status = crd_add_body(builder->description, &body, NULL, &builder->error);
    if (done(builder, status)) return (CardanBody){builder->description->carrier_count - 1};
    crd_delete(body.name);
    return none;
}

CardanBlock cardan_builder_add_block(CardanBuilder *builder, const CardanBlockDef *def) {
    CardanBlock none = {0};
    CrdBlockDesc block;
    if (!usable(builder) || !given(builder, def, "the definition of a block")) return none;
    CardanStatus status = crd_convert_block(def, &block, &builder->error);
    if (status >= 0) status = crd_add_block(builder->description, &block, &builder->error);
    if (done(builder, status)) return (CardanBlock){builder->description->block_count};
    crd_delete(block.name);
    crd_delete(block.q0);
    crd_delete(block.v0);
    return none;
}

CardanBody cardan_builder_block_frame(const CardanBuilder *builder, CardanBlock block, int k) {
    if (!usable(builder)) return (CardanBody){0};
    const CrdDescription *d = builder->description;
    bool there =
        block.index >= 1 && block.index <= d->block_count && k >= 0 && k < d->blocks[block.index - 1].def.frames;
    /* No body has the number -1: whatever uses it complains. The ground would be used silently. */
    return (CardanBody){there ? d->blocks[block.index - 1].first_carrier + k : -1};
}

CardanJoint cardan_builder_add_joint(CardanBuilder *builder, const CardanJointDef *def) {
    CardanJoint none = {0};
    CrdJointDesc joint;
    if (!usable(builder) || !given(builder, def, "the definition of a joint")) return none;
    CardanStatus status = crd_convert_joint(builder->description, def, &joint, &builder->error);
    if (status >= 0) status = crd_add_joint(builder->description, &joint, NULL, &builder->error);
    if (done(builder, status)) return (CardanJoint){builder->description->joint_count};
    crd_delete(joint.name);
    for (int k = 0; k < 3; k++) crd_delete(joint.law[k]);
    return none;
}

CardanJoint cardan_builder_add_rows(CardanBuilder *builder, const CardanRowsDef *def) {
    CardanJoint none = {0};
    CrdJointDesc joint;
    if (!usable(builder) || !given(builder, def, "the definition of rows")) return none;
    CardanStatus status = crd_convert_rows(builder->description, def, &joint, &builder->error);
    if (status >= 0) status = crd_add_joint(builder->description, &joint, NULL, &builder->error);
    if (done(builder, status)) return (CardanJoint){builder->description->joint_count};
    crd_delete(joint.name);
    if (joint.rows != NULL) crd_delete(joint.rows->carriers);
    crd_delete(joint.rows);
    return none;
}

CardanForce cardan_builder_add_force(CardanBuilder *builder, const CardanForceDef *def) {
    CardanForce none = {0};
    CrdForceDesc force;
    if (!usable(builder) || !given(builder, def, "the definition of a force")) return none;
    CardanStatus status = crd_convert_force(builder->description, def, &force, &builder->error);
    if (status >= 0) status = crd_add_force(builder->description, &force, NULL, &builder->error);
    if (done(builder, status)) return (CardanForce){builder->description->force_count};
    crd_delete(force.name);
    crd_delete(force.carriers);
    for (int k = 0; k < 3; k++) crd_delete(force.law[k]);
    return none;
}

CardanStates cardan_builder_add_states(CardanBuilder *builder, const CardanStatesDef *def) {
    CardanStates none = {0};
    CrdStatesDesc states;
    if (!usable(builder) || !given(builder, def, "the definition of states")) return none;
    CardanStatus status = crd_convert_states(builder->description, def, &states, &builder->error);
    if (status >= 0) status = crd_add_states(builder->description, &states, &builder->error);
    if (done(builder, status)) return (CardanStates){builder->description->states_count};
    crd_delete(states.name);
    crd_delete(states.z0);
    crd_delete(states.carriers);
    return none;
}

void cardan_builder_add_event(CardanBuilder *builder, const CardanEventDef *def) {
    CrdEventDesc event;
    if (!usable(builder) || !given(builder, def, "the definition of an event")) return;
    CardanStatus status = crd_convert_event(builder->description, def, &event, &builder->error);
    if (status >= 0) status = crd_add_event(builder->description, &event, &builder->error);
    if (done(builder, status)) return;
    crd_delete(event.name);
    crd_delete(event.carriers);
}

void cardan_builder_set_start_rate(CardanBuilder *builder, CardanJoint joint, double rate) {
    if (!usable(builder)) return;
    CrdDescription *d = builder->description;
    CrdError *error = &builder->error;
    if (joint.index < 1 || joint.index > d->joint_count) {
        done(builder, crd_fail(error, CARDAN_ERR_ARGUMENT, "there is no joint number %d", joint.index));
        return;
    }
    done(builder, crd_add_rate(d, &(CrdStartRate){.joint = joint.index, .rate = rate}, error));
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
    CrdDescription *d = builder->description;
    CrdError *error = &builder->error;
    if (body.index < 0 || body.index >= d->carrier_count) {
        done(builder, crd_fail(error, CARDAN_ERR_ARGUMENT, "there is no body number %d", body.index));
        return;
    }
    CrdCarrierDesc carrier = d->carriers[body.index];
    if (carrier.kind == CRD_CARRIER_BODY) d->bodies[carrier.object].hold = true;
    if (carrier.kind == CRD_CARRIER_FRAME)
        done(builder, crd_fail(error, CARDAN_ERR_ARGUMENT, "a frame of block '%s' cannot be held",
                               d->blocks[carrier.object].name));
}
