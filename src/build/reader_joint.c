/* Joints of a model file. */
#include "build/reader.h"

#include "core/memory.h"
#include "core/text.h"

#include <string.h>

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

enum { MOST_KEYS = 12 };

static const char *const LATER[] = {"cylindrical", "screw",         "planar",    "point_on_line", "point_on_plane",
                                    "parallel",    "perpendicular", "angle",     "driver",        "coupler",
                                    "curve",       "rolling",       "knife_edge"};

static CardanStatus read_type(CrdReader *r, const CrdNode *node, CardanJointType *type) {
    const char *names[CARDAN_JOINT_TYPES], *text;
    char list[160];
    CRD_TRY(crd_reader_word(r, node, "type", &text));
    for (int i = 0; i < CARDAN_JOINT_TYPES; i++) {
        if (strcmp(crd_joint_kinds[i]->name, text) != 0) continue;
        *type = (CardanJointType)i;
        if (crd_joint_kinds[i]->space[r->d->space]) return CARDAN_OK;
        return crd_reader_fail(r, node->place, "a %s joint needs a %s model", text,
                               r->d->space == CARDAN_PLANAR ? "spatial" : "planar");
    }
    int count = crd_joint_type_names(r->d->space, names);
    crd_word_list(names, count, list, sizeof list);
    CrdShown shown = crd_shown(text, node->length);
    for (int i = 0; i < COUNT(LATER); i++) {
        if (strcmp(LATER[i], text) != 0) continue;
        return crd_reader_fail(r, node->place, "joint type '%s' is not in this version; there are: %s", text, list);
    }
    const char *near = crd_nearest_name(text, node->length, names, count);
    if (near != NULL)
        return crd_reader_fail(r, node->place, "unknown joint type '%s'; did you mean '%s'?", shown.text, near);
    return crd_reader_fail(r, node->place, "unknown joint type '%s'; there are: %s", shown.text, list);
}

/* The keys that make sense for the type. */
static CardanStatus check_keys(CrdReader *r, const CrdNode *mapping, CardanJointType type) {
    const char *keys[MOST_KEYS];
    unsigned needs = crd_joint_kinds[type]->needs;
    int n = 0;
    const CrdNode *compliant = crd_yaml_key(r->yaml, mapping, "compliant");
    if (compliant != NULL) return crd_reader_fail(r, compliant->place, "'compliant' is not in this version");
    keys[n++] = "type";
    keys[n++] = "bodies";
    if (type != CARDAN_DISTANCE) keys[n++] = "point";
    if (crd_joint_needs_axis(type, r->d->space)) keys[n++] = "axis";
    if (needs & CRD_NEEDS_AXIS2) keys[n++] = "axis2";
    keys[n++] = "local";
    if (crd_joint_needs_axis(type, r->d->space)) keys[n++] = "local_axis";
    if (needs & CRD_NEEDS_LENGTH) keys[n++] = "length";
    keys[n++] = "geometry";
    return crd_reader_keys(r, mapping, keys, n);
}

static CardanStatus read_field(CrdReader *r, const CrdNode *node, const char *key, CrdJointDesc *joint) {
    if (node == NULL) return CARDAN_OK;
    return crd_reader_field(r, node, crd_field_find(crd_joint_fields(), key), CRD_OWNER_JOINT, r->d->joint_count,
                            joint);
}

/* {a: [..], b: [..]}: which of the two are there goes to *given, as bits 1 and 2. */
static CardanStatus read_pair(CrdReader *r, const CrdNode *mapping, const char *key, const char *const fields[2],
                              CrdJointDesc *joint, unsigned *given) {
    static const char *const SIDES[] = {"a", "b"};
    const CrdNode *pair = crd_reader_get(r, mapping, key);
    *given = 0;
    if (pair == NULL) return CARDAN_OK;
    CRD_TRY(crd_reader_mapping(r, pair, key));
    CRD_TRY(crd_reader_keys(r, pair, SIDES, 2));
    if (pair->count == 0) return crd_reader_fail(r, pair->place, "%s must name a, b or both", key);
    for (int k = 0; k < 2; k++) {
        const CrdNode *side = crd_reader_get(r, pair, SIDES[k]);
        if (side == NULL) continue;
        *given |= 1u << k;
        CRD_TRY(read_field(r, side, fields[k], joint));
    }
    return CARDAN_OK;
}

static CardanStatus read_points(CrdReader *r, const CrdNode *key, CrdJointDesc *joint) {
    static const char *const FIELDS[] = {"local.a", "local.b"};
    const CrdNode *mapping = crd_reader_value(r, key), *point = crd_yaml_key(r->yaml, mapping, "point");
    unsigned given;
    CRD_TRY(read_pair(r, mapping, "local", FIELDS, joint, &given));
    if (joint->type == CARDAN_DISTANCE) {
        if (given == 0) return crd_reader_fail(r, key->place, "the key 'local' is missing: between which points?");
        given = 3; /* a point left out is the centre of mass */
    }
    if (given & 1u) joint->local |= CARDAN_LOCAL_POINT_A;
    if (given & 2u) joint->local |= CARDAN_LOCAL_POINT_B;
    if (point == NULL && given != 3) joint->local |= CARDAN_POINT_AT_CENTRE;
    if (point == NULL) return CARDAN_OK;
    if (given == 3) return crd_reader_fail(r, point->place, "the point is given twice: by point and by local");
    return read_field(r, crd_reader_value(r, point), "point", joint);
}

static CardanStatus read_axes(CrdReader *r, const CrdNode *key, CrdJointDesc *joint) {
    static const char *const FIELDS[] = {"local_axis.a", "local_axis.b"};
    const CrdNode *mapping = crd_reader_value(r, key);
    const CrdNode *axis = crd_yaml_key(r->yaml, mapping, "axis"), *axis2 = crd_yaml_key(r->yaml, mapping, "axis2");
    bool two = (crd_joint_kinds[joint->type]->needs & CRD_NEEDS_AXIS2) != 0;
    unsigned given;
    CRD_TRY(read_pair(r, mapping, "local_axis", FIELDS, joint, &given));
    if (given & 1u) joint->local |= CARDAN_LOCAL_AXIS_A;
    if (given & 2u) joint->local |= CARDAN_LOCAL_AXIS_B;
    bool axis_used = two ? !(given & 1u) : given != 3, axis2_used = two && !(given & 2u);
    if (axis == NULL && axis_used) return crd_reader_fail(r, key->place, "the key 'axis' is missing");
    if (axis2 == NULL && axis2_used) return crd_reader_fail(r, key->place, "the key 'axis2' is missing");
    if (axis != NULL && !axis_used) return crd_reader_fail(r, axis->place, "the axis is given by local_axis already");
    if (axis2 != NULL && !axis2_used) return crd_reader_fail(r, axis2->place, "axis2 is given by local_axis already");
    joint->axis2_given = axis2 != NULL;
    if (axis != NULL) CRD_TRY(read_field(r, crd_reader_value(r, axis), "axis", joint));
    return axis2 != NULL ? read_field(r, crd_reader_value(r, axis2), "axis2", joint) : CARDAN_OK;
}

static CardanStatus fill_joint(CrdReader *r, const CrdNode *key, CrdJointDesc *joint) {
    const CrdNode *mapping = crd_reader_value(r, key), *type, *bodies;
    CRD_TRY(crd_check_name(r->d, CRD_NAME_JOINT, key->text, r->error));
    CRD_TRY(crd_reader_mapping(r, mapping, "a joint"));
    CRD_TRY(crd_reader_need(r, key, "type", &type));
    CRD_TRY(read_type(r, type, &joint->type));
    CRD_TRY(check_keys(r, mapping, joint->type));
    CRD_TRY(crd_reader_need(r, key, "bodies", &bodies));
    CRD_TRY(crd_reader_two_bodies(r, bodies, &joint->a, &joint->b));
    CRD_TRY(read_points(r, key, joint));
    if (crd_joint_needs_axis(joint->type, r->d->space)) CRD_TRY(read_axes(r, key, joint));
    const CrdNode *length = crd_reader_get(r, mapping, "length");
    joint->length_given = length != NULL;
    CRD_TRY(read_field(r, length, "length", joint));
    return crd_reader_geometry(r, crd_reader_get(r, mapping, "geometry"));
}

static CardanStatus read_joint(CrdReader *r, const CrdNode *key) {
    CrdJointDesc joint = {.place = key->place};
    CrdBlame blame = {""};
    crd_reader_context(r, "joint", key);
    CardanStatus status = fill_joint(r, key, &joint);
    if (status >= 0) {
        joint.name = crd_copy_string(key->text);
        status = joint.name != NULL ? crd_add_joint(r->d, &joint, &blame, r->error) : crd_fail_memory(r->error);
    }
    if (status >= 0) return status;
    crd_delete(joint.name);
    crd_reader_point_to(r, key, blame.key);
    return status;
}

CardanStatus crd_read_joints(CrdReader *r, const CrdNode *section) {
    if (section == NULL) return CARDAN_OK;
    crd_reader_context(r, "joints", NULL);
    CRD_TRY(crd_reader_mapping(r, section, "this section"));
    for (const CrdNode *key = crd_reader_item(r, section->first); key != NULL; key = crd_reader_item(r, key->next))
        CRD_TRY(read_joint(r, key));
    return CARDAN_OK;
}
