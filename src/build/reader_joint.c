/* Joints of a model file. */
#include "build/reader.h"

#include "build/law_check.h"
#include "core/memory.h"
#include "core/text.h"

#include <string.h>

enum { MOST_KEYS = 16 };

static CardanStatus read_type(CrdReader *r, const CrdNode *node, CardanJointType *type) {
    const char *names[CARDAN_JOINT_TYPES], *text;
    char list[320];
    CRD_TRY(crd_reader_word(r, node, "type", &text));
    for (int i = 0; i < CARDAN_JOINT_TYPES; i++) {
        if (strcmp(crd_joint_kinds[i]->name, text) != 0) continue;
        *type = (CardanJointType)i;
        if (crd_joint_kinds[i]->space[r->d->space]) return CARDAN_OK;
        return crd_reader_fail(r, node->place, "%s %s joint needs a %s model", crd_article(text), text,
                               r->d->space == CARDAN_PLANAR ? "spatial" : "planar");
    }
    int count = crd_joint_type_names(r->d->space, names);
    crd_word_list(names, count, list, sizeof list);
    CrdShown shown = crd_shown(text, node->length);
    const char *near = crd_nearest_name(text, node->length, names, count);
    if (near != NULL)
        return crd_reader_fail(r, node->place, "unknown joint type '%s'; did you mean '%s'?", shown.text, near);
    return crd_reader_fail(r, node->place, "unknown joint type '%s'; there are: %s", shown.text, list);
}

/* The keys that make sense for the type. */
static CardanStatus check_keys(CrdReader *r, const CrdNode *mapping, const CrdJointDesc *joint) {
    const char *keys[MOST_KEYS];
    unsigned needs = crd_joint_kinds[joint->type]->needs;
    bool axis = crd_joint_needs_axis(joint->type, r->d->space), wheel = (needs & CRD_NEEDS_WHEEL) != 0;
    int n = 0;
    keys[n++] = "type";
    keys[n++] = "bodies";
    if (joint->type != CARDAN_DISTANCE) keys[n++] = "point";
    if (axis || (wheel && r->d->space == CARDAN_SPATIAL)) keys[n++] = "axis";
    if (needs & (CRD_NEEDS_AXIS2 | CRD_TAKES_AXIS2)) keys[n++] = "axis2";
    if (wheel) keys[n++] = "normal";
    if (wheel) keys[n++] = "radius";
    keys[n++] = "local";
    if (axis || wheel) keys[n++] = "local_axis";
    if (needs & CRD_NEEDS_LENGTH) keys[n++] = "length";
    if (needs & CRD_NEEDS_PITCH) keys[n++] = "pitch";
    if (needs & CRD_NEEDS_CURVE) keys[n++] = "path";
    if (needs & CRD_NEEDS_CURVE) keys[n++] = "s";
    keys[n++] = "compliant";
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
    if (joint->type == CARDAN_ROLLING) {
        if (point == NULL && !(given & 1u))
            return crd_reader_fail(r, key->place, "the key 'point' is missing: through which point is the plane?");
        given |= 2u; /* point is a's; the wheel's centre is b's centre of mass unless local says otherwise */
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
    unsigned needs = crd_joint_kinds[joint->type]->needs;
    bool two = axis2 != NULL || (needs & CRD_NEEDS_AXIS2) != 0, edge = joint->type == CARDAN_KNIFE_EDGE;
    unsigned given;
    CRD_TRY(read_pair(r, mapping, "local_axis", FIELDS, joint, &given));
    if (edge && (given & 1u)) return crd_reader_fail(r, key->place, "the edge is fixed in b: local_axis names b only");
    if (given & 1u) joint->local |= CARDAN_LOCAL_AXIS_A;
    if (given & 2u) joint->local |= CARDAN_LOCAL_AXIS_B;
    bool axis_used = two ? !(given & 1u) : edge ? given == 0 : given != 3, axis2_used = two && !(given & 2u);
    if (axis == NULL && axis_used) return crd_reader_fail(r, key->place, "the key 'axis' is missing");
    if (axis2 == NULL && axis2_used) return crd_reader_fail(r, key->place, "the key 'axis2' is missing");
    if (axis != NULL && !axis_used) return crd_reader_fail(r, axis->place, "the axis is given by local_axis already");
    if (axis2 != NULL && !axis2_used) return crd_reader_fail(r, axis2->place, "axis2 is given by local_axis already");
    joint->axis2_given = axis2 != NULL;
    if (axis != NULL) CRD_TRY(read_field(r, crd_reader_value(r, axis), "axis", joint));
    return axis2 != NULL ? read_field(r, crd_reader_value(r, axis2), "axis2", joint) : CARDAN_OK;
}

/* ---- what only some types have ---- */

static CardanStatus read_wheel(CrdReader *r, const CrdNode *key, CrdJointDesc *joint) {
    static const char *const FIELDS[] = {"local_axis.a", "local_axis.b"};
    const CrdNode *mapping = crd_reader_value(r, key), *radius;
    const CrdNode *normal = crd_yaml_key(r->yaml, mapping, "normal"), *axis = crd_yaml_key(r->yaml, mapping, "axis");
    unsigned given;
    CRD_TRY(read_pair(r, mapping, "local_axis", FIELDS, joint, &given));
    if (given & 1u) joint->local |= CARDAN_LOCAL_AXIS_A;
    if (given & 2u) joint->local |= CARDAN_LOCAL_AXIS_B;
    if (normal == NULL && !(given & 1u)) return crd_reader_fail(r, key->place, "the key 'normal' is missing");
    if (normal != NULL && (given & 1u))
        return crd_reader_fail(r, normal->place, "the normal is given by local_axis already");
    if (axis != NULL && (given & 2u)) return crd_reader_fail(r, axis->place, "the axis is given by local_axis already");
    joint->axis_given = r->d->space == CARDAN_SPATIAL && (axis != NULL || (given & 2u) != 0);
    if (normal != NULL) CRD_TRY(read_field(r, crd_reader_value(r, normal), "normal", joint));
    if (axis != NULL) CRD_TRY(read_field(r, crd_reader_value(r, axis), "axis", joint));
    CRD_TRY(crd_reader_need(r, key, "radius", &radius));
    return read_field(r, radius, "radius", joint);
}

/* One number for both units, or one for metres and one for radians. */
static CardanStatus read_by_unit(CrdReader *r, const CrdNode *node, const char *key, CrdJointDesc *joint) {
    if (node == NULL) return CARDAN_OK;
    const CrdField *field = crd_field_find(crd_joint_fields(), key);
    if (node->kind == CRD_NODE_SEQUENCE) return read_field(r, node, key, joint);
    for (size_t k = 0; k < 2; k++) {
        size_t offset = field->offset[r->d->space] + k * sizeof(double);
        CrdTarget target = {CRD_OWNER_JOINT, r->d->joint_count, offset};
        double *value = (double *)(void *)((unsigned char *)joint + offset);
        CRD_TRY(crd_reader_number(r, node, key, &target, value));
    }
    return CARDAN_OK;
}

static CardanStatus read_compliant(CrdReader *r, const CrdNode *key, CrdJointDesc *joint) {
    static const char *const KEYS[] = {"stiffness", "damping"};
    const CrdNode *name = crd_yaml_key(r->yaml, crd_reader_value(r, key), "compliant"), *stiffness;
    if (name == NULL) return CARDAN_OK;
    const CrdNode *mapping = crd_reader_value(r, name);
    CRD_TRY(crd_reader_mapping(r, mapping, "compliant"));
    CRD_TRY(crd_reader_keys(r, mapping, KEYS, 2));
    joint->compliant = true;
    CRD_TRY(crd_reader_need(r, name, "stiffness", &stiffness));
    CRD_TRY(read_by_unit(r, stiffness, "compliant.stiffness", joint));
    return read_by_unit(r, crd_reader_get(r, mapping, "damping"), "compliant.damping", joint);
}

/* ---- laws of drives and paths ---- */

/* Is the text a law of the variable? If it uses none, it is a number. */
static CardanStatus is_law(CrdReader *r, const CrdNode *node, const char *what, const char *variable, bool *law) {
    CrdError inner;
    *law = false;
    if (node->kind != CRD_NODE_SCALAR || node->length == 0)
        return crd_reader_fail(r, node->place, "%s must be a number or an expression, found %s", what,
                               crd_node_word(node));
    crd_error_clear(&inner);
    CardanStatus status = crd_drive_check(r->d, node->text, variable, law, &inner);
    if (status >= 0) return status;
    if (status == CARDAN_ERR_MEMORY) return crd_fail_memory(r->error);
    crd_reader_fail(r, node->place, "%s: %s", what, inner.text);
    return r->error->status = status;
}

static CardanStatus keep_law(CrdReader *r, const CrdNode *node, int k, CrdJointDesc *joint) {
    joint->law[k] = crd_copy_string(node->text);
    joint->law_place[k] = node->place;
    return joint->law[k] != NULL ? CARDAN_OK : crd_fail_memory(r->error);
}

/* A number of the joint that may follow a law in t. */
static CardanStatus read_driven(CrdReader *r, const CrdNode *node, const char *key, CrdJointDesc *joint) {
    bool law;
    if (node == NULL) return CARDAN_OK;
    CRD_TRY(is_law(r, node, key, "t", &law));
    return law ? keep_law(r, node, 0, joint) : read_field(r, node, key, joint);
}

static CardanStatus read_path(CrdReader *r, const CrdNode *key, const char *variable, CrdJointDesc *joint) {
    const CrdNode *path;
    int n = r->d->space == CARDAN_PLANAR ? 2 : 3;
    bool law;
    CRD_TRY(crd_reader_need(r, key, "path", &path));
    if (path->kind != CRD_NODE_SEQUENCE || path->count != n)
        return crd_reader_fail(r, path->place, "path must be a list of %d expressions in %s", n, variable);
    const CrdNode *item = crd_reader_item(r, path->first);
    for (int k = 0; k < n; k++, item = crd_reader_item(r, item->next)) {
        CRD_TRY(is_law(r, item, "path", variable, &law));
        CRD_TRY(keep_law(r, item, k, joint));
    }
    return CARDAN_OK;
}

/* ---- drivers and couplers ---- */

/* Adds a term of the joint; the word may end in .angle or .displacement. */
static CardanStatus read_term(CrdReader *r, const CrdNode *word, const CrdNode *coordinate, const CrdNode *coefficient,
                              CrdJointDesc *joint) {
    static const char *const WORDS[] = {"angle", "displacement", "length"};
    const char *dot = word->kind == CRD_NODE_SCALAR ? strchr(word->text, '.') : NULL;
    CrdTermDesc term = {.coefficient = 1.0, .place = word->place};
    CrdNode name = *word, suffix = *word;
    char copy[128];
    int choice = 0;
    if (dot != NULL && (size_t)(dot - word->text) < sizeof copy) {
        name.length = (size_t)(dot - word->text);
        memcpy(copy, word->text, name.length);
        copy[name.length] = '\0';
        name.text = copy;
        suffix.text = dot + 1;
        suffix.length = word->length - name.length - 1;
        suffix.place.column += (int)name.length + 1;
        coordinate = &suffix;
    }
    CRD_TRY(crd_reader_joint(r, &name, &term.joint));
    if (coordinate != NULL) {
        CRD_TRY(crd_reader_choice(r, coordinate, "coordinate", WORDS, 3, &choice));
        term.coordinate = (CardanCoordinate)(choice + CARDAN_ANGLE);
    }
    CrdTarget target = {CRD_OWNER_TERM, r->d->term_count, offsetof(CrdTermDesc, coefficient)};
    if (coefficient != NULL) CRD_TRY(crd_reader_number(r, coefficient, "a coefficient", &target, &term.coefficient));
    if (joint->terms == 0) {
        joint->term = r->d->term_count;
        joint->a = r->d->joints[term.joint - 1].a;
        joint->b = r->d->joints[term.joint - 1].b;
    }
    joint->terms++;
    return crd_add_term(r->d, &term, r->error);
}

static CardanStatus fill_coordinate_driver(CrdReader *r, const CrdNode *key, CrdJointDesc *joint) {
    static const char *const KEYS[] = {"type", "joint", "coordinate", "value", "compliant", "geometry"};
    const CrdNode *mapping = crd_reader_value(r, key), *value;
    CRD_TRY(crd_reader_keys(r, mapping, KEYS, 6));
    CRD_TRY(read_term(r, crd_reader_get(r, mapping, "joint"), crd_reader_get(r, mapping, "coordinate"), NULL, joint));
    CRD_TRY(crd_reader_need(r, key, "value", &value));
    return read_driven(r, value, "value", joint);
}

static CardanStatus fill_path_driver(CrdReader *r, const CrdNode *key, CrdJointDesc *joint) {
    static const char *const KEYS[] = {"type", "body", "point", "path", "compliant", "geometry"};
    static const char *const EITHER[] = {"type",  "joint", "coordinate", "value",   "body",
                                         "point", "path",  "compliant",  "geometry"};
    const CrdNode *mapping = crd_reader_value(r, key), *body = crd_reader_get(r, mapping, "body");
    if (body == NULL) {
        CRD_TRY(crd_reader_keys(r, mapping, EITHER, 9));
        return crd_reader_fail(r, key->place, "the key 'joint' or 'body' is missing");
    }
    CRD_TRY(crd_reader_keys(r, mapping, KEYS, 6));
    CRD_TRY(crd_reader_body(r, body, &joint->b));
    const CrdNode *point = crd_reader_get(r, mapping, "point");
    if (point == NULL) joint->local |= CARDAN_POINT_AT_CENTRE;
    CRD_TRY(read_field(r, point, "point", joint));
    return read_path(r, key, "t", joint);
}

static CardanStatus fill_coupler(CrdReader *r, const CrdNode *key, CrdJointDesc *joint) {
    static const char *const KEYS[] = {"type", "joints", "value", "compliant", "geometry"};
    const CrdNode *mapping = crd_reader_value(r, key), *joints;
    CRD_TRY(crd_reader_keys(r, mapping, KEYS, 5));
    CRD_TRY(crd_reader_need(r, key, "joints", &joints));
    CRD_TRY(crd_reader_mapping(r, joints, "joints"));
    if (joints->count == 0) return crd_reader_fail(r, joints->place, "joints must name at least one joint");
    for (const CrdNode *name = crd_reader_item(r, joints->first); name != NULL; name = crd_reader_item(r, name->next))
        CRD_TRY(read_term(r, name, NULL, crd_reader_value(r, name), joint));
    return read_driven(r, crd_reader_get(r, mapping, "value"), "value", joint);
}

/* ---- the whole ---- */

static CardanStatus fill_between(CrdReader *r, const CrdNode *key, CrdJointDesc *joint) {
    const CrdNode *mapping = crd_reader_value(r, key), *bodies, *pitch;
    unsigned needs = crd_joint_kinds[joint->type]->needs;
    CRD_TRY(check_keys(r, mapping, joint));
    CRD_TRY(crd_reader_need(r, key, "bodies", &bodies));
    CRD_TRY(crd_reader_two_bodies(r, bodies, &joint->a, &joint->b));
    CRD_TRY(read_points(r, key, joint));
    if (crd_joint_needs_axis(joint->type, r->d->space)) CRD_TRY(read_axes(r, key, joint));
    if (needs & CRD_NEEDS_WHEEL) CRD_TRY(read_wheel(r, key, joint));
    const CrdNode *length = crd_reader_get(r, mapping, "length"), *s = crd_reader_get(r, mapping, "s");
    joint->length_given = length != NULL;
    CRD_TRY(read_driven(r, length, "length", joint));
    if (needs & CRD_NEEDS_PITCH) {
        CRD_TRY(crd_reader_need(r, key, "pitch", &pitch));
        CRD_TRY(read_field(r, pitch, "pitch", joint));
    }
    if (!(needs & CRD_NEEDS_CURVE)) return CARDAN_OK;
    joint->s_given = s != NULL;
    CRD_TRY(read_field(r, s, "s", joint));
    return read_path(r, key, "s", joint);
}

static CardanStatus fill_joint(CrdReader *r, const CrdNode *key, CrdJointDesc *joint) {
    const CrdNode *mapping = crd_reader_value(r, key), *type;
    CRD_TRY(crd_check_name(r->d, CRD_NAME_JOINT, key->text, r->error));
    CRD_TRY(crd_reader_mapping(r, mapping, "a joint"));
    CRD_TRY(crd_reader_need(r, key, "type", &type));
    CRD_TRY(read_type(r, type, &joint->type));
    if (joint->type == CARDAN_COUPLER)
        CRD_TRY(fill_coupler(r, key, joint));
    else if (joint->type != CARDAN_DRIVER)
        CRD_TRY(fill_between(r, key, joint));
    else if (crd_reader_get(r, mapping, "joint") != NULL)
        CRD_TRY(fill_coordinate_driver(r, key, joint));
    else
        CRD_TRY(fill_path_driver(r, key, joint));
    CRD_TRY(read_compliant(r, key, joint));
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
    for (int k = 0; k < 3; k++) crd_delete(joint.law[k]);
    crd_reader_point_to(r, key, blame.key);
    return status;
}

/* Drivers and couplers name other joints, wherever those stand in the file. */
static bool names_joints(const CrdReader *r, const CrdNode *key) {
    const CrdNode *value = crd_reader_value(r, key);
    const CrdNode *type = value->kind == CRD_NODE_MAPPING ? crd_reader_get(r, value, "type") : NULL;
    if (type == NULL || type->kind != CRD_NODE_SCALAR) return false;
    return strcmp(type->text, "driver") == 0 || strcmp(type->text, "coupler") == 0;
}

CardanStatus crd_read_joints(CrdReader *r, const CrdNode *section) {
    if (section == NULL) return CARDAN_OK;
    crd_reader_context(r, "joints", NULL);
    CRD_TRY(crd_reader_mapping(r, section, "this section"));
    for (int later = 0; later < 2; later++)
        for (const CrdNode *key = crd_reader_item(r, section->first); key != NULL; key = crd_reader_item(r, key->next))
            if (names_joints(r, key) == (later == 1)) CRD_TRY(read_joint(r, key));
    return CARDAN_OK;
}
