/* Bodies of a model file. */
#include "read/reader.h"

#include "build/take.h"
#include "core/memory.h"

#include <string.h>

/* ---- inertia ---- */

static CardanStatus read_shape_field(CrdReader *reader, const CrdNode *node, const char *key, CrdBodyDesc *body) {
    const CrdField *field = crd_field_find(crd_body_fields(), key, CRD_FORM_INERTIA + (int)body->inertia_form);
    assert(field != NULL);
    return crd_reader_field(reader, node, field, CRD_OWNER_BODY, reader->d->body_count, body);
}

/* In a plane two edges are enough. */
static CardanStatus read_box(CrdReader *reader, const CrdNode *node, CrdBodyDesc *body) {
    bool two = reader->d->space == CARDAN_SPACE_PLANAR && node->kind == CRD_NODE_SEQUENCE && node->count == 2;
    if (!two) return read_shape_field(reader, node, "inertia.box", body);
    CrdTarget target = {CRD_OWNER_BODY, reader->d->body_count, offsetof(CrdBodyDesc, inertia)};
    return crd_reader_numbers(reader, node, "inertia.box", 2, &target, body->inertia);
}

/* The shapes an inertia may be given by; `along` is the axis of those that have one, else -1. */
static const struct {
    const char *key;
    CrdInertiaForm form;
    int along;
} SHAPES[] = {{"rod", CRD_INERTIA_ROD, 0},
              {"box", CRD_INERTIA_BOX, -1},
              {"cylinder", CRD_INERTIA_CYLINDER, 2},
              {"sphere", CRD_INERTIA_SPHERE, -1}};

/* The keys of one shape (form), or of all (CRD_INERTIA_TENSOR): the rows "inertia.x". */
static CardanStatus check_shape_keys(CrdReader *reader, const CrdNode *node, CrdInertiaForm form, bool along) {
    CrdFieldTable table = crd_body_fields();
    const char *keys[CRD_TABLE_ROOM];
    int count = 0;
    for (int i = 0; i < table.count; i++) {
        const CrdField *field = &table.fields[i];
        const char *dot = strchr(field->key, '.');
        bool any = form == CRD_INERTIA_TENSOR, own = field->form == CRD_FORM_INERTIA + (int)form;
        if (dot != NULL && (any || own || (field->form == 0 && along))) keys[count++] = dot + 1;
    }
    return crd_reader_keys(reader, node, keys, count);
}

static CardanStatus read_shape(CrdReader *reader, const CrdNode *node, CrdBodyDesc *body) {
    static const char *const AXES[] = {"x", "y", "z"};
    const CrdNode *value = NULL, *radius = crd_node_get(node, "radius");
    int k = 0;
    while (k < CRD_LENGTH_OF(SHAPES) && (value = crd_node_get(node, SHAPES[k].key)) == NULL) k++;
    if (value == NULL) {
        CRD_TRY(check_shape_keys(reader, node, CRD_INERTIA_TENSOR, true));
        return crd_reader_fail(reader, node->place, "inertia: which shape? there are: rod, box, cylinder, sphere");
    }
    char key[32] = "inertia.";
    body->inertia_form = SHAPES[k].form;
    CRD_TRY(check_shape_keys(reader, node, SHAPES[k].form, SHAPES[k].along >= 0));
    strcat(key, SHAPES[k].key);
    if (SHAPES[k].form == CRD_INERTIA_BOX) return read_box(reader, value, body);
    CRD_TRY(read_shape_field(reader, value, key, body));
    if (radius != NULL) CRD_TRY(read_shape_field(reader, radius, "inertia.radius", body));
    if (SHAPES[k].along < 0) return CARDAN_OK;
    const CrdNode *along = crd_node_get(node, "along");
    body->along = SHAPES[k].along;
    return along != NULL ? crd_reader_choice(reader, along, "axis", AXES, 3, &body->along) : CARDAN_OK;
}

static CardanStatus read_inertia(CrdReader *reader, const CrdNode *node, CrdBodyDesc *body) {
    if (node->kind == CRD_NODE_MAPPING) return read_shape(reader, node, body);
    body->inertia_form = CRD_INERTIA_TENSOR;
    if (reader->d->space == CARDAN_SPACE_PLANAR) {
        if (node->kind == CRD_NODE_SEQUENCE)
            return crd_reader_fail(reader, node->place,
                                   "inertia must be one number (about z) or a shape in a planar model");
        return read_shape_field(reader, node, "inertia", body);
    }
    if (node->kind != CRD_NODE_SEQUENCE || (node->count != 3 && node->count != 6))
        return crd_reader_fail(reader, node->place,
                               "inertia must be [Ixx, Iyy, Izz], those and Ixy, Ixz, Iyz, or a shape");
    CrdTarget target = {CRD_OWNER_BODY, reader->d->body_count, offsetof(CrdBodyDesc, inertia)};
    return crd_reader_numbers(reader, node, "inertia", node->count, &target, body->inertia);
}

/* ---- bodies ---- */

static CardanStatus read_particle(CrdReader *reader, const CrdNode *node, bool *particle) {
    *particle = false;
    if (node == NULL) return CARDAN_OK;
    bool yes = node->kind == CRD_NODE_SCALAR && strcmp(node->text, "true") == 0;
    bool no = node->kind == CRD_NODE_SCALAR && strcmp(node->text, "false") == 0;
    if (!node->plain || (!yes && !no)) return crd_reader_fail(reader, node->place, "particle must be true or false");
    *particle = yes;
    return CARDAN_OK;
}

/* Any field but inertia, which has several forms of its own. */
static CardanStatus read_fields(CrdReader *reader, const CrdNode *mapping, CrdBodyDesc *body) {
    CrdFieldTable table = crd_body_fields();
    const char *orientation = NULL;
    for (int i = 0; i < table.count; i++) {
        const CrdField *field = &table.fields[i];
        const CrdNode *key = crd_node_key(mapping, field->key);
        bool there = key != NULL && field->holds == CRD_HOLDS_NUMBERS && field->count[reader->d->space] > 0;
        if (!there) continue;
        if (field->form != 0) {
            if (orientation != NULL)
                return crd_reader_fail(reader, key->place, "the orientation is given twice: by %s and by %s",
                                       orientation, field->key);
            orientation = field->key;
            body->orientation_form = (CrdOrientationForm)(field->form - CRD_FORM_ORIENTATION);
        }
        CRD_TRY(crd_reader_field(reader, key->value, field, CRD_OWNER_BODY, reader->d->body_count, body));
    }
    return CARDAN_OK;
}

/* A particle has neither orientation nor inertia. */
static CardanStatus check_keys(CrdReader *reader, const CrdNode *mapping, bool particle) {
    CrdFieldTable table = crd_body_fields();
    const char *keys[CRD_TABLE_ROOM];
    int count = 0;
    for (int i = 0; i < table.count; i++) {
        const CrdField *field = &table.fields[i];
        bool turns = field->form != 0 || field->rule == CRD_TURNS;
        if (field->count[reader->d->space] == 0 || strchr(field->key, '.') != NULL || (particle && turns)) continue;
        keys[count++] = field->key;
    }
    return crd_reader_keys(reader, mapping, keys, count);
}

static CardanStatus fill_body(CrdReader *reader, const CrdNode *key, CrdBodyDesc *body) {
    const CrdNode *mapping = key->value, *mass, *inertia;
    CRD_TRY(crd_check_name(reader->d, CRD_NAME_BODY, key->text, reader->error));
    CRD_TRY(crd_reader_mapping(reader, mapping, "a body"));
    CRD_TRY(read_particle(reader, crd_node_get(mapping, "particle"), &body->particle));
    CRD_TRY(check_keys(reader, mapping, body->particle));
    CRD_TRY(crd_reader_need(reader, key, "mass", &mass));
    CRD_TRY(read_fields(reader, mapping, body));
    if (!body->particle) {
        CRD_TRY(crd_reader_need(reader, key, "inertia", &inertia));
        CRD_TRY(read_inertia(reader, inertia, body));
    }
    return crd_reader_geometry(reader, crd_node_get(mapping, "geometry"), reader->d->frame_count); /* it will be */
}

static CardanStatus read_body(CrdReader *reader, const CrdNode *key) {
    CrdBodyDesc body = {.place = key->place};
    CrdBlame blame = {.key = ""};
    crd_reader_context(reader, "body", key);
    CardanStatus status = fill_body(reader, key, &body);
    if (status >= 0) status = crd_take_name(&body.name, key->text, "body", reader->error);
    if (status >= 0) status = crd_add_body(reader->d, &body, &blame, reader->error);
    if (status >= 0) return status;
    crd_delete(body.name);
    crd_reader_point_to(reader, key, &blame);
    return status;
}

CardanStatus crd_read_bodies(CrdReader *reader, const CrdNode *section) {
    return crd_reader_section(reader, section, "bodies", read_body);
}
