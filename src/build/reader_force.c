/* Forces of a model file. A value that depends only on parameters is a number; one that uses the time, an input or a
 * measure is a law, kept as text and compiled with the model. */
#include "build/reader.h"

#include "build/law_check.h"
#include "core/memory.h"

#include <string.h>

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

static const char *const TYPES[] = {"spring", "force", "torque"}; /* in the order of CardanForceType */
static const char *const LATER[] = {"torsion", "bushing", "motor", "friction", "limit", "contact", "drag", "tyre"};

static CardanStatus read_type(CrdReader *r, const CrdNode *node, CardanForceType *type) {
    const char *text;
    CRD_TRY(crd_reader_word(r, node, "type", &text));
    for (int i = 0; i < COUNT(LATER); i++) {
        if (strcmp(LATER[i], text) != 0) continue;
        return crd_reader_fail(r, node->place,
                               "force type '%s' is not in this version; there are: spring, force, torque", text);
    }
    int choice = 0;
    CRD_TRY(crd_reader_choice(r, node, "force type", TYPES, COUNT(TYPES), &choice));
    *type = (CardanForceType)choice;
    return CARDAN_OK;
}

static CardanStatus read_field(CrdReader *r, const CrdNode *node, const char *key, CrdForceDesc *force) {
    if (node == NULL) return CARDAN_OK;
    const CrdField *field = crd_field_find(crd_force_fields(force), key);
    return crd_reader_field(r, node, field, CRD_OWNER_FORCE, r->d->force_count, force);
}

/* ---- springs ---- */

static CardanStatus fill_spring(CrdReader *r, const CrdNode *key, CrdForceDesc *force) {
    static const char *const KEYS[] = {"type", "bodies", "points", "stiffness", "damping", "length", "geometry"};
    const CrdNode *mapping = crd_reader_value(r, key), *bodies, *points;
    const CrdNode *law = crd_yaml_key(r->yaml, mapping, "law");
    if (law != NULL) return crd_reader_fail(r, law->place, "'law' of a spring is not in this version");
    CRD_TRY(crd_reader_keys(r, mapping, KEYS, COUNT(KEYS)));
    CRD_TRY(crd_reader_need(r, key, "bodies", &bodies));
    CRD_TRY(crd_reader_two_bodies(r, bodies, &force->a, &force->b));
    CRD_TRY(crd_reader_need(r, key, "points", &points));
    if (points->kind != CRD_NODE_SEQUENCE || points->count != 2)
        return crd_reader_fail(r, points->place, "points must be a list of 2 points");
    const CrdNode *first = crd_reader_item(r, points->first);
    CRD_TRY(read_field(r, first, "points[0]", force));
    CRD_TRY(read_field(r, crd_reader_item(r, first->next), "points[1]", force));
    CRD_TRY(read_field(r, crd_reader_get(r, mapping, "stiffness"), "stiffness", force));
    CRD_TRY(read_field(r, crd_reader_get(r, mapping, "damping"), "damping", force));
    const CrdNode *length = crd_reader_get(r, mapping, "length");
    force->length_given = length != NULL;
    CRD_TRY(read_field(r, length, "length", force));
    return crd_reader_geometry(r, crd_reader_get(r, mapping, "geometry"));
}

/* ---- values and laws ---- */

static CardanStatus fail_at_node(CrdReader *r, const CrdNode *node, CardanStatus status, const char *sentence) {
    if (status == CARDAN_ERR_MEMORY) return crd_fail_memory(r->error);
    crd_reader_fail(r, node->place, "value: %s", sentence);
    return r->error->status = status;
}

/* Component k of the value: a number, or a law. */
static CardanStatus read_component(CrdReader *r, const CrdNode *node, int k, CrdForceDesc *force) {
    CrdTarget target = {CRD_OWNER_FORCE, r->d->force_count, offsetof(CrdForceDesc, value) + (size_t)k * sizeof(double)};
    bool law = false;
    if (node->kind == CRD_NODE_SCALAR && node->length > 0) {
        CrdError inner;
        crd_error_clear(&inner);
        CardanStatus status = crd_law_uses_state(r->d, node->text, &law, &inner);
        if (status < 0) return fail_at_node(r, node, status, inner.text);
    }
    if (!law) return crd_reader_number(r, node, "value", &target, &force->value[k]);
    force->law[k] = crd_copy_string(node->text);
    force->law_place[k] = node->place;
    return force->law[k] != NULL ? CARDAN_OK : crd_fail_memory(r->error);
}

static CardanStatus read_value(CrdReader *r, const CrdNode *node, int first, int count, CrdForceDesc *force) {
    if (count == 1) {
        if (node->kind == CRD_NODE_SEQUENCE)
            return crd_reader_fail(r, node->place, "value must be one number, found a list");
        return read_component(r, node, first, force);
    }
    if (node->kind != CRD_NODE_SEQUENCE)
        return crd_reader_fail(r, node->place, "value must be a list of %d numbers, found %s", count,
                               crd_node_word(node));
    if (node->count != count)
        return crd_reader_fail(r, node->place, "value must have %d numbers, has %d", count, node->count);
    const CrdNode *item = crd_reader_item(r, node->first);
    for (int k = first; k < first + count; k++, item = crd_reader_item(r, item->next))
        CRD_TRY(read_component(r, item, k, force));
    return CARDAN_OK;
}

static CardanStatus read_frame(CrdReader *r, const CrdNode *node, CrdForceDesc *force) {
    static const char *const FRAMES[] = {"ground", "body"};
    int choice = 0;
    if (node != NULL) CRD_TRY(crd_reader_choice(r, node, "frame", FRAMES, 2, &choice));
    force->follower = choice == 1;
    return CARDAN_OK;
}

/* ---- forces and torques ---- */

static CardanStatus fill_force_at_point(CrdReader *r, const CrdNode *key, CrdForceDesc *force) {
    static const char *const KEYS[] = {"type", "body", "point", "value", "frame"};
    const CrdNode *mapping = crd_reader_value(r, key), *body, *value;
    CRD_TRY(crd_reader_keys(r, mapping, KEYS, COUNT(KEYS)));
    CRD_TRY(crd_reader_need(r, key, "body", &body));
    CRD_TRY(crd_reader_body(r, body, &force->body));
    CRD_TRY(read_field(r, crd_reader_get(r, mapping, "point"), "point", force));
    CRD_TRY(crd_reader_need(r, key, "value", &value));
    CRD_TRY(read_value(r, value, 0, r->d->space == CARDAN_PLANAR ? 2 : 3, force));
    return read_frame(r, crd_reader_get(r, mapping, "frame"), force);
}

static CardanStatus fill_torque(CrdReader *r, const CrdNode *key, CrdForceDesc *force) {
    static const char *const ON_JOINT[] = {"type", "joint", "value"};
    static const char *const ON_BODY[] = {"type", "body", "value", "frame"};
    static const char *const EITHER[] = {"type", "joint", "body", "value", "frame"};
    const CrdNode *mapping = crd_reader_value(r, key), *value;
    const CrdNode *joint = crd_reader_get(r, mapping, "joint"), *body = crd_reader_get(r, mapping, "body");
    if (joint != NULL) {
        CRD_TRY(crd_reader_keys(r, mapping, ON_JOINT, COUNT(ON_JOINT)));
        CRD_TRY(crd_reader_joint(r, joint, &force->joint));
        CRD_TRY(crd_reader_need(r, key, "value", &value));
        return read_value(r, value, 0, 1, force);
    }
    if (body == NULL) {
        CRD_TRY(crd_reader_keys(r, mapping, EITHER, COUNT(EITHER)));
        return crd_reader_fail(r, key->place, "the key 'joint' or 'body' is missing");
    }
    bool planar = r->d->space == CARDAN_PLANAR;
    CRD_TRY(crd_reader_keys(r, mapping, ON_BODY, COUNT(ON_BODY)));
    CRD_TRY(crd_reader_body(r, body, &force->body));
    CRD_TRY(crd_reader_need(r, key, "value", &value));
    CRD_TRY(read_value(r, value, planar ? 2 : 0, planar ? 1 : 3, force));
    return read_frame(r, crd_reader_get(r, mapping, "frame"), force);
}

static CardanStatus fill_force(CrdReader *r, const CrdNode *key, CrdForceDesc *force) {
    const CrdNode *type;
    CRD_TRY(crd_check_name(r->d, CRD_NAME_FORCE, key->text, r->error));
    CRD_TRY(crd_reader_mapping(r, crd_reader_value(r, key), "a force"));
    CRD_TRY(crd_reader_need(r, key, "type", &type));
    CRD_TRY(read_type(r, type, &force->type));
    if (force->type == CARDAN_SPRING) return fill_spring(r, key, force);
    if (force->type == CARDAN_FORCE) return fill_force_at_point(r, key, force);
    return fill_torque(r, key, force);
}

static CardanStatus read_force(CrdReader *r, const CrdNode *key) {
    CrdForceDesc force = {.place = key->place};
    CrdBlame blame = {""};
    crd_reader_context(r, "force", key);
    CardanStatus status = fill_force(r, key, &force);
    if (status >= 0) {
        force.name = crd_copy_string(key->text);
        status = force.name != NULL ? crd_add_force(r->d, &force, &blame, r->error) : crd_fail_memory(r->error);
    }
    if (status >= 0) return status;
    crd_delete(force.name);
    for (int k = 0; k < 3; k++) crd_delete(force.law[k]);
    crd_reader_point_to(r, key, blame.key);
    return status;
}

/* Now that all objects are known: the names in the laws. */
static CardanStatus check_laws(CrdReader *r) {
    for (int i = 0; i < r->d->force_count; i++) {
        const CrdForceDesc *force = &r->d->forces[i];
        for (int k = 0; k < 3; k++) {
            CrdError inner;
            crd_error_clear(&inner);
            CardanStatus status = force->law[k] != NULL ? crd_law_check(r->d, force->law[k], &inner) : CARDAN_OK;
            if (status >= 0) continue;
            if (status == CARDAN_ERR_MEMORY) return crd_fail_memory(r->error);
            return crd_fail_at(r->error, status, force->law_place[k], "force '%s': value: %s", force->name, inner.text);
        }
    }
    return CARDAN_OK;
}

CardanStatus crd_read_forces(CrdReader *r, const CrdNode *section) {
    if (section == NULL) return CARDAN_OK;
    crd_reader_context(r, "forces", NULL);
    CRD_TRY(crd_reader_mapping(r, section, "this section"));
    for (const CrdNode *key = crd_reader_item(r, section->first); key != NULL; key = crd_reader_item(r, key->next))
        CRD_TRY(read_force(r, key));
    return check_laws(r);
}
