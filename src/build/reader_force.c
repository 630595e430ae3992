/* Forces of a model file. Each type lists its keys, in the order in which they are read, and what they hold; the
 * numbers among them go by the field table. */
#include "build/reader.h"

#include "build/reader_law.h"
#include "core/memory.h"
#include "force/force.h"

#include <string.h>

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

typedef enum Holds { NUMBER, BODY, BODIES, POINTS, JOINT, COORDINATE, VALUE, LAW, FRAME, INNER, GEOMETRY } Holds;

typedef struct Key {
    const char *key;
    Holds holds;
    bool needed;
    const char *inner[4]; /* keys of a mapping; the first `inner_needed` of them must be there */
    int inner_needed;
} Key;

enum { MOST_KEYS = 12 };

#define PLAIN {NULL}, 0

static const Key SPRING[] = {
    {"bodies", BODIES, true, PLAIN},      {"points", POINTS, true, PLAIN},  {"stiffness", NUMBER, false, PLAIN},
    {"damping", NUMBER, false, PLAIN},    {"length", NUMBER, false, PLAIN}, {"law", LAW, false, PLAIN},
    {"geometry", GEOMETRY, false, PLAIN},
};
static const Key TORSION[] = {
    {"joint", JOINT, true, PLAIN},     {"coordinate", COORDINATE, false, PLAIN}, {"stiffness", NUMBER, false, PLAIN},
    {"damping", NUMBER, false, PLAIN}, {"angle", NUMBER, false, PLAIN},          {"law", LAW, false, PLAIN},
};
static const Key BUSHING[] = {
    {"bodies", BODIES, true, PLAIN},
    {"point", NUMBER, true, PLAIN},
    {"stiffness", NUMBER, false, PLAIN},
    {"damping", NUMBER, false, PLAIN},
};
static const Key FORCE[] = {
    {"body", BODY, true, PLAIN},
    {"point", NUMBER, false, PLAIN},
    {"value", VALUE, true, PLAIN},
    {"frame", FRAME, false, PLAIN},
};
static const Key TORQUE_ON_JOINT[] = {
    {"joint", JOINT, true, PLAIN},
    {"coordinate", COORDINATE, false, PLAIN},
    {"value", VALUE, true, PLAIN},
};
static const Key TORQUE_ON_BODY[] = {
    {"body", BODY, true, PLAIN},
    {"value", VALUE, true, PLAIN},
    {"frame", FRAME, false, PLAIN},
};
static const Key TORQUE[] = {
    /* when it is not said on what */
    {"joint", JOINT, false, PLAIN}, {"coordinate", COORDINATE, false, PLAIN}, {"body", BODY, false, PLAIN},
    {"value", VALUE, true, PLAIN},  {"frame", FRAME, false, PLAIN},
};
static const Key MOTOR[] = {
    {"joint", JOINT, true, PLAIN},  {"coordinate", COORDINATE, false, PLAIN}, {"target", LAW, true, PLAIN},
    {"gains", NUMBER, true, PLAIN}, {"limit", NUMBER, false, PLAIN},
};
static const Key FRICTION[] = {
    {"joint", JOINT, true, PLAIN},    {"coordinate", COORDINATE, false, PLAIN}, {"coulomb", NUMBER, true, PLAIN},
    {"static", NUMBER, false, PLAIN}, {"stribeck", NUMBER, false, PLAIN},       {"viscous", NUMBER, false, PLAIN},
    {"speed", NUMBER, true, PLAIN},
};
static const Key LIMIT[] = {
    {"joint", JOINT, true, PLAIN},      {"coordinate", COORDINATE, false, PLAIN}, {"range", NUMBER, true, PLAIN},
    {"stiffness", NUMBER, true, PLAIN}, {"damping", NUMBER, false, PLAIN},
};
static const Key CONTACT[] = {
    {"body", BODY, true, PLAIN},           {"point", NUMBER, false, PLAIN},
    {"radius", NUMBER, false, PLAIN},      {"plane", INNER, true, {"point", "normal"}, 2},
    {"stiffness", NUMBER, true, PLAIN},    {"exponent", NUMBER, false, PLAIN},
    {"dissipation", NUMBER, false, PLAIN}, {"friction", NUMBER, false, PLAIN},
    {"speed", NUMBER, false, PLAIN},
};
static const Key DRAG[] = {
    {"body", BODY, true, PLAIN},
    {"point", NUMBER, false, PLAIN},
    {"coefficient", NUMBER, true, PLAIN},
};
static const Key TYRE[] = {
    /* the last two are for space alone */
    {"wheel", BODY, true, PLAIN},
    {"radius", NUMBER, true, PLAIN},
    {"plane", INNER, true, {"point", "normal"}, 2},
    {"vertical", INNER, true, {"stiffness", "damping"}, 1},
    {"longitudinal", INNER, true, {"B", "C", "D", "E"}, 3},
    {"relaxation", NUMBER, false, PLAIN},
    {"slow", NUMBER, true, PLAIN},
    {"axis", NUMBER, true, PLAIN},
    {"lateral", INNER, true, {"B", "C", "D", "E"}, 3},
};

typedef struct Keys {
    const Key *keys;
    int count;
} Keys;

#define KEYS(table)                                                                                                    \
    (Keys) {                                                                                                           \
        table, COUNT(table)                                                                                            \
    }

static Keys keys_of(const CrdReader *r, const CrdNode *mapping, CardanForceType type) {
    switch (type) {
    case CARDAN_SPRING:
        return KEYS(SPRING);
    case CARDAN_TORSION:
        return KEYS(TORSION);
    case CARDAN_BUSHING:
        return KEYS(BUSHING);
    case CARDAN_FORCE:
        return KEYS(FORCE);
    case CARDAN_TORQUE:
        if (crd_reader_get(r, mapping, "joint") != NULL) return KEYS(TORQUE_ON_JOINT);
        return crd_reader_get(r, mapping, "body") != NULL ? KEYS(TORQUE_ON_BODY) : KEYS(TORQUE);
    case CARDAN_MOTOR:
        return KEYS(MOTOR);
    case CARDAN_FRICTION:
        return KEYS(FRICTION);
    case CARDAN_LIMIT:
        return KEYS(LIMIT);
    case CARDAN_CONTACT:
        return KEYS(CONTACT);
    case CARDAN_DRAG:
        return KEYS(DRAG);
    case CARDAN_TYRE:
        return (Keys){TYRE, COUNT(TYRE) - (r->d->space == CARDAN_PLANAR ? 2 : 0)};
    case CARDAN_CALLBACK:
    case CARDAN_FORCE_TYPES:
        break;
    }
    return (Keys){NULL, 0};
}

static CardanStatus check_keys(CrdReader *r, const CrdNode *mapping, Keys keys) {
    const char *words[MOST_KEYS] = {"type"};
    for (int i = 0; i < keys.count; i++) words[i + 1] = keys.keys[i].key;
    return crd_reader_keys(r, mapping, words, keys.count + 1);
}

/* ---- what keys hold ---- */

static CardanStatus read_field(CrdReader *r, const CrdNode *node, const char *key, CrdForceDesc *force) {
    const CrdField *field = crd_field_find(crd_force_fields(force), key);
    bool *given = crd_force_given(force, key);
    if (given != NULL) *given = true;
    return crd_reader_field(r, node, field, CRD_OWNER_FORCE, r->d->force_count, force);
}

static CardanStatus read_points(CrdReader *r, const CrdNode *points, CrdForceDesc *force) {
    if (points->kind != CRD_NODE_SEQUENCE || points->count != 2)
        return crd_reader_fail(r, points->place, "points must be a list of 2 points");
    const CrdNode *first = crd_reader_item(r, points->first);
    CRD_TRY(read_field(r, first, "points[0]", force));
    return read_field(r, crd_reader_item(r, first->next), "points[1]", force);
}

static CardanStatus read_coordinate(CrdReader *r, const CrdNode *node, CrdForceDesc *force) {
    static const char *const WORDS[] = {"angle", "displacement"};
    int choice = 0;
    CRD_TRY(crd_reader_choice(r, node, "coordinate", WORDS, 2, &choice));
    force->coordinate = choice == 0 ? CARDAN_ANGLE : CARDAN_DISPLACEMENT;
    return CARDAN_OK;
}

static CardanStatus read_frame(CrdReader *r, const CrdNode *node, CrdForceDesc *force) {
    static const char *const FRAMES[] = {"ground", "body"};
    int choice = 0;
    CRD_TRY(crd_reader_choice(r, node, "frame", FRAMES, 2, &choice));
    force->follower = choice == 1;
    return CARDAN_OK;
}

/* {point: [..], normal: [..]}: fields "plane.point", "plane.normal". */
static CardanStatus read_inner(CrdReader *r, const Key *key, const CrdNode *node, CrdForceDesc *force) {
    int count = 0;
    while (count < COUNT(key->inner) && key->inner[count] != NULL) count++;
    CRD_TRY(crd_reader_mapping(r, node, key->key));
    CRD_TRY(crd_reader_keys(r, node, key->inner, count));
    for (int i = 0; i < count; i++) {
        const CrdNode *value = crd_reader_get(r, node, key->inner[i]);
        char path[32];
        size_t n = strlen(key->key);
        memcpy(path, key->key, n);
        path[n] = '.';
        strcpy(path + n + 1, key->inner[i]);
        if (value == NULL && i < key->inner_needed)
            return crd_reader_fail(r, node->place, "the key '%s' is missing", path);
        if (value != NULL) CRD_TRY(read_field(r, value, path, force));
    }
    return CARDAN_OK;
}

static CardanStatus read_key(CrdReader *r, const Key *key, const CrdNode *node, CrdForceDesc *force) {
    switch (key->holds) {
    case NUMBER:
        return read_field(r, node, key->key, force);
    case BODY:
        return crd_reader_body(r, node, &force->body);
    case BODIES:
        return crd_reader_two_bodies(r, node, &force->a, &force->b);
    case POINTS:
        return read_points(r, node, force);
    case JOINT:
        return crd_reader_joint(r, node, &force->joint);
    case COORDINATE:
        return read_coordinate(r, node, force);
    case VALUE:
        return crd_read_value(r, node, force);
    case LAW:
        return crd_read_law(r, node, force);
    case FRAME:
        return read_frame(r, node, force);
    case INNER:
        return read_inner(r, key, node, force);
    case GEOMETRY:
        return crd_reader_geometry(r, node);
    }
    return CARDAN_OK;
}

/* ---- the whole ---- */

static CardanStatus read_type(CrdReader *r, const CrdNode *node, CardanForceType *type) {
    const char *words[CARDAN_FORCE_TYPES];
    int count = 0, choice = 0;
    for (int i = 0; i < CARDAN_FORCE_TYPES; i++)
        if (crd_force_kinds[i]->name != NULL) words[count++] = crd_force_kinds[i]->name;
    CRD_TRY(crd_reader_choice(r, node, "force type", words, count, &choice));
    for (int i = 0; i < CARDAN_FORCE_TYPES; i++)
        if (crd_force_kinds[i]->name == words[choice]) *type = (CardanForceType)i;
    return CARDAN_OK;
}

static CardanStatus fill_force(CrdReader *r, const CrdNode *key, CrdForceDesc *force) {
    const CrdNode *mapping = crd_reader_value(r, key), *type;
    CRD_TRY(crd_check_name(r->d, CRD_NAME_FORCE, key->text, r->error));
    CRD_TRY(crd_reader_mapping(r, mapping, "a force"));
    CRD_TRY(crd_reader_need(r, key, "type", &type));
    CRD_TRY(read_type(r, type, &force->type));
    Keys keys = keys_of(r, mapping, force->type);
    CRD_TRY(check_keys(r, mapping, keys));
    if (keys.keys == TORQUE) return crd_reader_fail(r, key->place, "the key 'joint' or 'body' is missing");
    for (int i = 0; i < keys.count; i++) {
        const CrdNode *node = crd_reader_get(r, mapping, keys.keys[i].key);
        if (node == NULL && keys.keys[i].needed) return crd_reader_need(r, key, keys.keys[i].key, &node);
        if (node != NULL) CRD_TRY(read_key(r, &keys.keys[i], node, force));
    }
    return CARDAN_OK;
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

CardanStatus crd_read_forces(CrdReader *r, const CrdNode *section) {
    if (section == NULL) return CARDAN_OK;
    crd_reader_context(r, "forces", NULL);
    CRD_TRY(crd_reader_mapping(r, section, "this section"));
    for (const CrdNode *key = crd_reader_item(r, section->first); key != NULL; key = crd_reader_item(r, key->next))
        CRD_TRY(read_force(r, key));
    return crd_read_law_names(r);
}
