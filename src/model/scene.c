/* What there is to be seen of a compiled model (cardan/scene.h). Where forces act is read from their tables of fields
 * by the keys of the model file, so that a new force shows itself. */
#include "build/fields.h"
#include "build/shape.h"
#include "joint/contact.h"
#include "model/body_values.h"

#include <assert.h>
#include <string.h>

static bool is_frame(const CardanModel *model, CardanBody body) {
    return model != NULL && body.index >= 0 && body.index < model->structure->frame_count;
}

static const CrdBlock *block_of(const CardanModel *model, CardanBody body) {
    if (!is_frame(model, body) || model->structure->frames[body.index].kind != CRD_FRAME_BODY) return NULL;
    return &model->structure->blocks[model->structure->frames[body.index].block];
}

/* ---- bodies ---- */

/* Shape number k of a body, counted on from *i; NULL: it has no more. */
static const CrdShapeDesc *next_shape(const CardanModel *model, CardanBody body, int *i) {
    const CrdDescription *description = model->description;
    for (; *i < description->shape_count; (*i)++)
        if (description->shapes[*i].frame == body.index) return &description->shapes[(*i)++];
    return NULL;
}

int cardan_model_shapes(const CardanModel *model, CardanBody body) {
    int count = 0, i = 0;
    if (!is_frame(model, body)) return -1;
    while (next_shape(model, body, &i) != NULL) count++;
    return count;
}

CardanShape cardan_model_shape(const CardanModel *model, CardanBody body, int k) {
    const CrdShapeDesc *shape = NULL;
    if (!is_frame(model, body) || k < 0) return (CardanShape){0};
    for (int i = 0; k >= 0; k--) {
        shape = next_shape(model, body, &i);
        if (shape == NULL) return (CardanShape){0};
    }
    return crd_shape_of(shape);
}

CardanBodyMass cardan_model_body_mass(const CardanModel *model, CardanBody body) {
    const CrdBlock *block = block_of(model, body);
    if (block == NULL) return (CardanBodyMass){0};
    const CrdBlockValues *values = &model->values.blocks[block - model->structure->blocks];
    const double *m = values->inertia;
    return (CardanBodyMass){values->mass, {.xx = m[0], .yy = m[4], .zz = m[8], .xy = m[1], .xz = m[2], .yz = m[5]}};
}

CardanVec3 cardan_model_gravity(const CardanModel *model) {
    return model != NULL ? model->values.gravity : (CardanVec3){0};
}

static CardanFrame frame_of(const CardanModel *model, CardanBody body) {
    CardanFrame frame = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const CrdBlock *block = block_of(model, body);
    if (block != NULL) crd_body_frame(block, model->values.q0, model->values.v0, &frame);
    return frame;
}

CardanPose cardan_model_body_pose(const CardanModel *model, CardanBody body) {
    if (!is_frame(model, body)) return (CardanPose){0};
    CardanFrame frame = frame_of(model, body);
    return (CardanPose){.p = frame.x, .q = crd_quat_of_matrix(frame.rotation), .angle = frame.angle};
}

/* ---- markers ---- */

CardanMarkerScene cardan_model_marker_scene(const CardanModel *model, CardanMarker marker) {
    if (model == NULL || marker.index < 1 || marker.index > model->structure->marker_count)
        return (CardanMarkerScene){.body = {CARDAN_INVALID}};
    const CrdMarker *it = &model->values.markers[marker.index - 1];
    return (CardanMarkerScene){{it->frame}, it->local, it->q};
}

/* ---- joints ---- */

static bool is_joint(const CardanModel *model, CardanJoint joint) {
    return model != NULL && joint.index >= 1 && joint.index <= model->structure->joint_count;
}

/* The joint whose coordinate a driver or coupler leads, from 1; 0: it leads none. */
static int led_joint(const CardanModel *model, const CrdElement *element) {
    const CrdJointDesc *desc = &model->description->joints[element->joint];
    return element->type == CRD_ELEMENT_COUPLER ? model->description->terms[desc->item].joint : 0;
}

CardanJointScene cardan_model_joint_scene(const CardanModel *model, CardanJoint joint) {
    if (!is_joint(model, joint)) return (CardanJointScene){0};
    int e = model->structure->element_of_joint[joint.index - 1];
    const CrdElement *element = &model->structure->elements[e];
    if (element->kind == NULL) return (CardanJointScene){0};
    int led = led_joint(model, element);
    if (led > 0) {
        CardanJointScene scene = cardan_model_joint_scene(model, (CardanJoint){led});
        scene.type = (CardanJointType)model->description->joints[element->joint].type;
        scene.joint = (CardanJoint){led};
        return scene;
    }
    const CrdJointData *data = &model->values.joints[e];
    CardanJointScene scene = {.type = (CardanJointType)model->description->joints[element->joint].type,
                              .a = {crd_element_frame(model->structure, e, 0)},
                              .b = {crd_element_frame(model->structure, e, 1)},
                              .point_a = data->la,
                              .point_b = data->lb,
                              .axis_a = data->axis_a,
                              .axis_b = data->axis_b,
                              .compliant = element->compliant > 0};
    if (scene.type == CARDAN_JOINT_ROLLING) {
        scene.radius = crd_wheel(data)->radius;
        if (!crd_wheel(data)->disc) scene.axis_b = crd_vec(0, 0, data->planar ? 1 : 0);
    }
    return scene;
}

const char *cardan_joint_type_name(CardanJointType type) {
    const CrdJointKind *kind = crd_joint_kind((int)type);
    return kind != NULL ? kind->name : "unknown";
}

/* ---- forces ---- */

static bool is_force(const CardanModel *model, CardanForce force) {
    return model != NULL && force.index >= 1 && force.index <= model->structure->force_count;
}

/* A field of a force by its key; NULL: it has none. */
static const void *field_of(const CardanModel *model, CardanForce force, const char *key) {
    const CrdForceDesc *desc = &model->description->forces[force.index - 1];
    const CrdForceData *data = &model->values.forces[force.index - 1];
    const CrdField *field = crd_field_find(crd_force_kinds[desc->type]->fields, key, desc->form);
    return field != NULL ? (const unsigned char *)crd_own(data) + field->own : NULL;
}

static CrdVec vector_field(const CardanModel *model, CardanForce force, const char *key) {
    const double *numbers = field_of(model, force, key);
    return numbers != NULL ? crd_vec_of(numbers) : crd_vec(0, 0, 0);
}

/* The body of a force that acts on one; CARDAN_INVALID: it acts on none or on several. */
static int single_body(const CardanModel *model, CardanForce force) {
    const int *body = field_of(model, force, "body");
    if (body == NULL) body = field_of(model, force, "wheel");
    return body != NULL ? *body : CARDAN_INVALID;
}

static int count_points(const CardanModel *model, CardanForce force) {
    const CrdForceData *data = &model->values.forces[force.index - 1];
    if (data->joint > 0) return 2;
    if (data->points > 0) return data->points;
    if (field_of(model, force, "bodies") != NULL) return 2;
    return single_body(model, force) >= 0 ? 1 : 0;
}

CardanForceScene cardan_model_force_scene(const CardanModel *model, CardanForce force) {
    if (!is_force(model, force)) return (CardanForceScene){0};
    const CrdForceData *data = &model->values.forces[force.index - 1];
    const double *radius = field_of(model, force, "radius");
    CardanForceScene scene = {.type = data->type,
                              .joint = {data->joint},
                              .coordinate = data->coordinate,
                              .points = count_points(model, force),
                              .plane_point = vector_field(model, force, "plane.point"),
                              .plane_normal = vector_field(model, force, "plane.normal"),
                              .radius = radius != NULL ? *radius : 0.0,
                              .axis = vector_field(model, force, "axis")};
    if (data->joint > 0 && data->coordinate == CARDAN_COORDINATE_NONE)
        scene.coordinate = cardan_model_joint_coordinate(model, scene.joint);
    return scene;
}

/* An end of what joins two bodies: given in own axes, or common to both in the pose as written. */
static CardanBodyPoint end_of(const CardanModel *model, CardanForce force, int k) {
    static const char *const keys[] = {"points[0]", "points[1]"};
    CardanBodyPoint end = {{((const int *)field_of(model, force, "bodies"))[k]}, {0, 0, 0}};
    if (field_of(model, force, keys[k]) != NULL) {
        end.point = vector_field(model, force, keys[k]);
    } else {
        CardanFrame frame = frame_of(model, end.body);
        end.point = crd_apply_t(frame.rotation, crd_sub(vector_field(model, force, "point"), frame.x));
    }
    return end;
}

CardanBodyPoint cardan_model_force_point(const CardanModel *model, CardanForce force, int k) {
    if (!is_force(model, force) || k < 0 || k >= count_points(model, force))
        return (CardanBodyPoint){{CARDAN_INVALID}, {0, 0, 0}};
    const CrdForceData *data = &model->values.forces[force.index - 1];
    if (data->joint > 0) {
        CardanJointScene joint = cardan_model_joint_scene(model, (CardanJoint){data->joint});
        return k == 0 ? (CardanBodyPoint){joint.a, joint.point_a} : (CardanBodyPoint){joint.b, joint.point_b};
    }
    if (data->points > 0) return (CardanBodyPoint){{data->point[k].frame}, crd_vec_of(data->point[k].local)};
    if (field_of(model, force, "bodies") != NULL) return end_of(model, force, k);
    return (CardanBodyPoint){{single_body(model, force)}, vector_field(model, force, "point")};
}

CardanForce cardan_model_find_force(const CardanModel *model, const char *name) {
    if (model == NULL || name == NULL) return (CardanForce){CARDAN_INVALID};
    CrdNamed named = crd_names_find(&model->description->names, name, strlen(name));
    return (CardanForce){named.kind == CRD_NAME_FORCE ? named.index + 1 : CARDAN_INVALID};
}

const char *cardan_model_force_name(const CardanModel *model, CardanForce force) {
    return is_force(model, force) ? model->description->forces[force.index - 1].name : "";
}

const char *cardan_force_type_name(CardanForceType type) {
    const CrdForceKind *kind = crd_force_kind((int)type);
    if (kind == NULL) return "unknown";
    return kind->name != NULL ? kind->name : "callback";
}
