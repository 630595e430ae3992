/* Bodies of a model file, and the geometry that bodies and joints may carry for the viewer. */
#include "build/reader.h"

#include "core/memory.h"

#include <string.h>

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

static const char *const PARTICLE_KEYS[] = {"mass", "particle", "position", "velocity", "geometry"};
static const char *const PLANAR_KEYS[] = {"mass",  "inertia",  "particle", "position",
                                          "angle", "velocity", "spin",     "geometry"};
static const char *const SPATIAL_KEYS[] = {"mass",    "inertia",    "particle", "position",         "quaternion",
                                           "rpy",     "axis_angle", "velocity", "angular_velocity", "body_rates",
                                           "geometry"};

/* ---- geometry ---- */

static CardanStatus check_rod(CrdReader *r, const CrdNode *node) {
    double scrap[3];
    if (node->kind != CRD_NODE_SEQUENCE || node->count != 3)
        return crd_reader_fail(r, node->place, "geometry: rod must be [from, to, radius]");
    int n = r->d->space == CARDAN_PLANAR ? 2 : 3;
    const CrdNode *from = crd_reader_item(r, node->first), *to = crd_reader_item(r, from->next);
    CRD_TRY(crd_reader_numbers(r, from, "geometry: an end of rod", n, NULL, scrap));
    CRD_TRY(crd_reader_numbers(r, to, "geometry: an end of rod", n, NULL, scrap));
    return crd_reader_number(r, crd_reader_item(r, to->next), "geometry: the radius of rod", NULL, scrap);
}

static CardanStatus check_drawn(CrdReader *r, const CrdNode *node) {
    static const char *const SHAPES[] = {"rod", "box", "cylinder", "sphere", "mesh"};
    double scrap[3];
    const char *file;
    CRD_TRY(crd_reader_mapping(r, node, "geometry"));
    CRD_TRY(crd_reader_keys(r, node, SHAPES, COUNT(SHAPES)));
    if (node->count != 1) return crd_reader_fail(r, node->place, "geometry: one shape each; several stand in a list");
    const CrdNode *key = crd_reader_item(r, node->first), *value = crd_reader_value(r, key);
    if (strcmp(key->text, "rod") == 0) return check_rod(r, value);
    if (strcmp(key->text, "box") == 0) return crd_reader_numbers(r, value, "geometry: box", 3, NULL, scrap);
    if (strcmp(key->text, "cylinder") == 0) return crd_reader_numbers(r, value, "geometry: cylinder", 2, NULL, scrap);
    if (strcmp(key->text, "sphere") == 0) return crd_reader_number(r, value, "geometry: sphere", NULL, scrap);
    return crd_reader_word(r, value, "geometry: mesh", &file);
}

CardanStatus crd_reader_geometry(CrdReader *r, const CrdNode *node) {
    if (node == NULL) return CARDAN_OK;
    if (node->kind != CRD_NODE_SEQUENCE) return check_drawn(r, node);
    for (const CrdNode *item = crd_reader_item(r, node->first); item != NULL; item = crd_reader_item(r, item->next))
        CRD_TRY(check_drawn(r, item));
    return CARDAN_OK;
}

/* ---- inertia ---- */

static CardanStatus read_along(CrdReader *r, const CrdNode *shape, int otherwise, int *along) {
    static const char *const AXES[] = {"x", "y", "z"};
    const CrdNode *node = crd_reader_get(r, shape, "along");
    *along = otherwise;
    return node != NULL ? crd_reader_choice(r, node, "axis", AXES, 3, along) : CARDAN_OK;
}

static CardanStatus read_shape_field(CrdReader *r, const CrdNode *node, const char *key, CrdBodyDesc *body) {
    return crd_reader_field(r, node, crd_field_find(crd_body_fields(), key), CRD_OWNER_BODY, r->d->body_count, body);
}

/* In a plane two edges are enough. */
static CardanStatus read_box(CrdReader *r, const CrdNode *node, CrdBodyDesc *body) {
    bool two = r->d->space == CARDAN_PLANAR && node->kind == CRD_NODE_SEQUENCE && node->count == 2;
    if (!two) return read_shape_field(r, node, "inertia.box", body);
    CrdTarget target = {CRD_OWNER_BODY, r->d->body_count, offsetof(CrdBodyDesc, inertia)};
    return crd_reader_numbers(r, node, "inertia.box", 2, &target, body->inertia);
}

static CardanStatus read_shape(CrdReader *r, const CrdNode *node, CrdBodyDesc *body) {
    static const char *const ROD[] = {"rod", "radius", "along"};
    static const char *const CYLINDER[] = {"cylinder", "along"};
    static const char *const BOX[] = {"box"};
    static const char *const SPHERE[] = {"sphere"};
    static const char *const ANY[] = {"rod", "radius", "along", "box", "cylinder", "sphere"};
    const CrdNode *rod = crd_reader_get(r, node, "rod"), *cylinder = crd_reader_get(r, node, "cylinder");
    const CrdNode *box = crd_reader_get(r, node, "box"), *sphere = crd_reader_get(r, node, "sphere");
    if (rod != NULL) {
        const CrdNode *radius = crd_reader_get(r, node, "radius");
        body->inertia_form = CRD_INERTIA_ROD;
        CRD_TRY(crd_reader_keys(r, node, ROD, COUNT(ROD)));
        CRD_TRY(read_shape_field(r, rod, "inertia.rod", body));
        if (radius != NULL) CRD_TRY(read_shape_field(r, radius, "inertia.radius", body));
        return read_along(r, node, 0, &body->along);
    }
    if (cylinder != NULL) {
        body->inertia_form = CRD_INERTIA_CYLINDER;
        CRD_TRY(crd_reader_keys(r, node, CYLINDER, COUNT(CYLINDER)));
        CRD_TRY(read_shape_field(r, cylinder, "inertia.cylinder", body));
        return read_along(r, node, 2, &body->along);
    }
    if (box != NULL) {
        body->inertia_form = CRD_INERTIA_BOX;
        CRD_TRY(crd_reader_keys(r, node, BOX, COUNT(BOX)));
        return read_box(r, box, body);
    }
    if (sphere != NULL) {
        body->inertia_form = CRD_INERTIA_SPHERE;
        CRD_TRY(crd_reader_keys(r, node, SPHERE, COUNT(SPHERE)));
        return read_shape_field(r, sphere, "inertia.sphere", body);
    }
    CRD_TRY(crd_reader_keys(r, node, ANY, COUNT(ANY)));
    return crd_reader_fail(r, node->place, "inertia: which shape? there are: rod, box, cylinder, sphere");
}

static CardanStatus read_inertia(CrdReader *r, const CrdNode *node, CrdBodyDesc *body) {
    if (node->kind == CRD_NODE_MAPPING) return read_shape(r, node, body);
    body->inertia_form = CRD_INERTIA_TENSOR;
    if (r->d->space == CARDAN_PLANAR) {
        if (node->kind == CRD_NODE_SEQUENCE)
            return crd_reader_fail(r, node->place, "inertia must be one number (about z) or a shape in a planar model");
        return read_shape_field(r, node, "inertia", body);
    }
    if (node->kind != CRD_NODE_SEQUENCE || (node->count != 3 && node->count != 6)) {
        return crd_reader_fail(r, node->place, "inertia must be [Ixx, Iyy, Izz], those and Ixy, Ixz, Iyz, or a shape");
    }
    CrdTarget target = {CRD_OWNER_BODY, r->d->body_count, offsetof(CrdBodyDesc, inertia)};
    return crd_reader_numbers(r, node, "inertia", node->count, &target, body->inertia);
}

/* ---- bodies ---- */

static CardanStatus read_particle(CrdReader *r, const CrdNode *node, bool *particle) {
    *particle = false;
    if (node == NULL) return CARDAN_OK;
    bool yes = node->kind == CRD_NODE_SCALAR && strcmp(node->text, "true") == 0;
    bool no = node->kind == CRD_NODE_SCALAR && strcmp(node->text, "false") == 0;
    if (!node->plain || (!yes && !no)) return crd_reader_fail(r, node->place, "particle must be true or false");
    *particle = yes;
    return CARDAN_OK;
}

/* Any field but inertia, which has several forms of its own. */
static CardanStatus read_fields(CrdReader *r, const CrdNode *mapping, CrdBodyDesc *body) {
    CrdFieldTable table = crd_body_fields();
    const char *orientation = NULL;
    for (int i = 0; i < table.count; i++) {
        const CrdField *field = &table.fields[i];
        const CrdNode *key = crd_yaml_key(r->yaml, mapping, field->key);
        if (key == NULL || field->group == CRD_GROUP_INERTIA || field->count[r->d->space] == 0) continue;
        if (field->group == CRD_GROUP_ORIENTATION) {
            if (orientation != NULL)
                return crd_reader_fail(r, key->place, "the orientation is given twice: by %s and by %s", orientation,
                                       field->key);
            orientation = field->key;
            body->orientation_form = (CrdOrientationForm)field->form;
        }
        CRD_TRY(crd_reader_field(r, crd_reader_value(r, key), field, CRD_OWNER_BODY, r->d->body_count, body));
    }
    return CARDAN_OK;
}

static CardanStatus fill_body(CrdReader *r, const CrdNode *key, CrdBodyDesc *body) {
    const CrdNode *mapping = crd_reader_value(r, key), *mass, *inertia;
    bool planar = r->d->space == CARDAN_PLANAR;
    CRD_TRY(crd_check_name(r->d, CRD_NAME_BODY, key->text, r->error));
    CRD_TRY(crd_reader_mapping(r, mapping, "a body"));
    CRD_TRY(read_particle(r, crd_reader_get(r, mapping, "particle"), &body->particle));
    if (body->particle) {
        CRD_TRY(crd_reader_keys(r, mapping, PARTICLE_KEYS, COUNT(PARTICLE_KEYS)));
    } else {
        CRD_TRY(crd_reader_keys(r, mapping, planar ? PLANAR_KEYS : SPATIAL_KEYS,
                                planar ? COUNT(PLANAR_KEYS) : COUNT(SPATIAL_KEYS)));
    }
    CRD_TRY(crd_reader_need(r, key, "mass", &mass));
    CRD_TRY(read_fields(r, mapping, body));
    if (!body->particle) {
        CRD_TRY(crd_reader_need(r, key, "inertia", &inertia));
        CRD_TRY(read_inertia(r, inertia, body));
    }
    return crd_reader_geometry(r, crd_reader_get(r, mapping, "geometry"));
}

static CardanStatus read_body(CrdReader *r, const CrdNode *key) {
    CrdBodyDesc body = {.place = key->place};
    CrdBlame blame = {""};
    crd_reader_context(r, "body", key);
    CardanStatus status = fill_body(r, key, &body);
    if (status >= 0) {
        body.name = crd_copy_string(key->text);
        status = body.name != NULL ? crd_add_body(r->d, &body, &blame, r->error) : crd_fail_memory(r->error);
    }
    if (status >= 0) return status;
    crd_delete(body.name);
    crd_reader_point_to(r, key, blame.key);
    return status;
}

CardanStatus crd_read_bodies(CrdReader *r, const CrdNode *section) {
    if (section == NULL) return CARDAN_OK;
    crd_reader_context(r, "bodies", NULL);
    CRD_TRY(crd_reader_mapping(r, section, "this section"));
    for (const CrdNode *key = crd_reader_item(r, section->first); key != NULL; key = crd_reader_item(r, key->next))
        CRD_TRY(read_body(r, key));
    return CARDAN_OK;
}
