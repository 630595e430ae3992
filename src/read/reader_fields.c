/* What the keys of joints and forces hold. A number that depends only on parameters is a number, bound to its
 * expression; one that uses the time, an input or a measure is a law, kept as text and compiled with the model. */
#include "read/reader_fields.h"

#include "build/law_check.h"
#include "core/memory.h"

#include <string.h>

static void *place_in(const CrdReading *reading, const CrdField *field) {
    return (unsigned char *)&reading->element->numbers + field->own;
}

static CrdTarget target_of(const CrdReading *reading, const CrdField *field, int k) {
    size_t offset = crd_field_base(reading->owner) + field->own + (size_t)k * sizeof(double);
    return (CrdTarget){reading->owner, reading->index, offset};
}

static CardanStatus read_numbers(CrdReading *reading, const CrdField *field, const CrdNode *node) {
    return crd_reader_field(reading->reader, node, field, reading->owner, reading->index, reading->element);
}

/* One number for both, or a list of two. */
static CardanStatus read_pair(CrdReading *reading, const CrdField *field, const CrdNode *node) {
    double *value = place_in(reading, field);
    if (node->kind == CRD_NODE_SEQUENCE) return read_numbers(reading, field, node);
    for (int k = 0; k < 2; k++) {
        CrdTarget target = target_of(reading, field, k);
        CRD_TRY(crd_reader_number(reading->reader, node, field->key, &target, &value[k]));
    }
    return CARDAN_OK;
}

/* ---- laws ---- */

static CardanStatus keep_law(CrdReading *reading, const CrdNode *node, int k) {
    assert(k < 3 && reading->element->law[k] == NULL);
    reading->element->law[k] = crd_copy_string(node->text);
    reading->element->law_place[k] = node->place;
    return reading->element->law[k] != NULL ? CARDAN_OK : crd_fail_memory(reading->reader->error);
}

static bool is_text(const CrdNode *node) {
    return node->kind == CRD_NODE_SCALAR && node->length > 0;
}

/* Is the text a law of the field's variable? If it uses none, it is a number. */
static CardanStatus is_drive(CrdReader *reader, const CrdNode *node, const CrdField *field, bool *law) {
    CrdError inner = {0};
    *law = false;
    if (!is_text(node))
        return crd_reader_fail(reader, node->place, "%s must be a number or an expression, found %s", field->key,
                               crd_node_word(node));
    CardanStatus status = crd_drive_check(reader->d, node->text, field->variable, law, &inner);
    return status < 0 ? crd_reader_refuse(reader, node, field->key, status, &inner) : CARDAN_OK;
}

static CardanStatus read_driven(CrdReading *reading, const CrdField *field, const CrdNode *node) {
    bool law;
    CRD_TRY(is_drive(reading->reader, node, field, &law));
    return law ? keep_law(reading, node, 0) : read_numbers(reading, field, node);
}

static CardanStatus read_path(CrdReading *reading, const CrdField *field, const CrdNode *path) {
    CrdReader *reader = reading->reader;
    int n = field->count[reader->d->space];
    bool law;
    assert(field->variable == 't' || field->variable == 's');
    if (path->kind != CRD_NODE_SEQUENCE || path->count != n)
        return crd_reader_fail(reader, path->place, "%s must be a list of %d expressions in %c", field->key, n,
                               field->variable);
    const CrdNode *item = path->first;
    for (int k = 0; k < n; k++, item = item->next) {
        CRD_TRY(is_drive(reader, item, field, &law));
        CRD_TRY(keep_law(reading, item, k));
    }
    return CARDAN_OK;
}

/* Component k of a value: a number, or a law. */
static CardanStatus read_component(CrdReading *reading, const CrdField *field, const CrdNode *node, int k) {
    CrdReader *reader = reading->reader;
    CrdTarget target = target_of(reading, field, k);
    bool law = false;
    if (is_text(node)) {
        CrdError inner = {0};
        CardanStatus status = crd_law_uses_state(reader->d, node->text, CRD_LAW_OF_STATE, &law, &inner);
        if (status < 0) return crd_reader_refuse(reader, node, field->key, status, &inner);
    }
    if (law) return keep_law(reading, node, field->component + k);
    return crd_reader_number(reader, node, field->key, &target, (double *)place_in(reading, field) + k);
}

static CardanStatus read_value(CrdReading *reading, const CrdField *field, const CrdNode *node) {
    CrdReader *reader = reading->reader;
    int count = field->count[reader->d->space];
    if (count == 1 && node->kind == CRD_NODE_SEQUENCE)
        return crd_reader_fail(reader, node->place, "%s must be one number, found a list", field->key);
    if (count == 1) return read_component(reading, field, node, 0);
    if (node->kind != CRD_NODE_SEQUENCE)
        return crd_reader_fail(reader, node->place, "%s must be a list of %d numbers, found %s", field->key, count,
                               crd_node_word(node));
    if (node->count != count)
        return crd_reader_fail(reader, node->place, "%s must have %d numbers, has %d", field->key, count, node->count);
    const CrdNode *item = node->first;
    for (int k = 0; k < count; k++, item = item->next) CRD_TRY(read_component(reading, field, item, k));
    return CARDAN_OK;
}

static CardanStatus read_law(CrdReading *reading, const CrdField *field, const CrdNode *node) {
    CrdReader *reader = reading->reader;
    if (!is_text(node))
        return crd_reader_fail(reader, node->place, "%s must be an expression, found %s", field->key,
                               crd_node_word(node));
    CrdError inner = {0};
    bool uses;
    CardanStatus status = crd_law_uses_state(reader->d, node->text, crd_law_scope(reading->element), &uses, &inner);
    return status < 0 ? crd_reader_refuse(reader, node, field->key, status, &inner) : keep_law(reading, node, 0);
}

CardanStatus crd_read_law_names(CrdReader *reader) {
    for (int i = 0; i < reader->d->force_count; i++) {
        const CrdForceDesc *force = &reader->d->forces[i];
        for (int k = 0; k < 3; k++) {
            if (force->law[k] == NULL) continue;
            CrdError inner = {0};
            CardanStatus status = crd_law_check(reader->d, force->law[k], crd_law_scope(force), &inner);
            if (status >= 0) continue;
            if (status == CARDAN_ERR_MEMORY) return crd_fail_memory(reader->error);
            return crd_fail_at(reader->error, status, force->law_place[k], "force '%s': %s: %s", force->name,
                               crd_law_key(force), inner.text);
        }
    }
    return CARDAN_OK;
}

/* ---- bodies ---- */

static CardanStatus read_two_bodies(CrdReading *reading, const CrdField *field, const CrdNode *node) {
    CrdReader *reader = reading->reader;
    int *ends = place_in(reading, field);
    assert(field->holds == CRD_HOLDS_BODIES);
    if (node->kind != CRD_NODE_SEQUENCE || node->count != 2)
        return crd_reader_fail(reader, node->place, "%s must be a list of 2 names", field->key);
    const CrdNode *first = node->first;
    CRD_TRY(crd_reader_body(reader, first, &ends[0]));
    return crd_reader_body(reader, first->next, &ends[1]);
}

/* A marker in place of [body, point]. */
static CardanStatus read_marker_point(CrdReading *reading, const CrdNode *node, CrdForcePoint *point) {
    CrdReader *reader = reading->reader;
    if (crd_names_find(&reader->d->names, node->text, node->length).kind != CRD_NAME_MARKER)
        return crd_reader_fail(reader, node->place, "one of the points must be [body, point] or a marker");
    CRD_TRY(crd_reader_marker(reader, node, &point->marker));
    const CrdMarkerDesc *marker = &reader->d->markers[point->marker - 1];
    point->frame = marker->frame;
    memcpy(point->local, marker->point, sizeof point->local);
    return crd_add_point(reader->d, reading->element, point, reader->error);
}

/* [[body, [..]], ...] */
static CardanStatus read_points(CrdReading *reading, const CrdField *field, const CrdNode *node) {
    CrdReader *reader = reading->reader;
    int n = field->count[reader->d->space];
    if (node->kind != CRD_NODE_SEQUENCE || node->count < 2)
        return crd_reader_fail(reader, node->place, "%s must be a list of 2 or more [body, point]", field->key);
    for (const CrdNode *item = node->first; item != NULL; item = item->next) {
        CrdForcePoint point = {.place = item->place};
        CrdTarget target = {CRD_OWNER_POINT, reader->d->point_count, offsetof(CrdForcePoint, local)};
        if (item->kind == CRD_NODE_SCALAR) {
            CRD_TRY(read_marker_point(reading, item, &point));
            continue;
        }
        if (item->kind != CRD_NODE_SEQUENCE || item->count != 2)
            return crd_reader_fail(reader, item->place, "one of the %s must be [body, point] or a marker", field->key);
        const CrdNode *body = item->first;
        CRD_TRY(crd_reader_body(reader, body, &point.frame));
        CRD_TRY(crd_reader_numbers(reader, body->next, "a point", n, &target, point.local));
        CRD_TRY(crd_add_point(reader->d, reading->element, &point, reader->error));
    }
    return CARDAN_OK;
}

/* ---- other joints ---- */

/* Adds a term of the joint; the word may end in .angle, .displacement or .length. */
static CardanStatus read_term(CrdReading *reading, const CrdNode *word, const CrdNode *coordinate,
                              const CrdNode *coefficient) {
    static const char *const WORDS[] = {"angle", "displacement", "length"};
    CrdReader *reader = reading->reader;
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
    CRD_TRY(crd_reader_joint(reader, &name, &term.joint));
    if (coordinate != NULL) {
        CRD_TRY(crd_reader_choice(reader, coordinate, "coordinate", WORDS, 3, &choice));
        term.coordinate = (CardanCoordinate)(choice + CARDAN_COORDINATE_ANGLE);
    }
    CrdTarget target = {CRD_OWNER_TERM, reader->d->term_count, offsetof(CrdTermDesc, coefficient)};
    if (coefficient != NULL)
        CRD_TRY(crd_reader_number(reader, coefficient, "a coefficient", &target, &term.coefficient));
    return crd_add_term(reader->d, reading->element, &term, reader->error);
}

static CardanStatus read_terms(CrdReading *reading, const CrdField *field, const CrdNode *joints) {
    CrdReader *reader = reading->reader;
    CRD_TRY(crd_reader_mapping(reader, joints, field->key));
    if (joints->count == 0)
        return crd_reader_fail(reader, joints->place, "%s must name at least one joint", field->key);
    for (const CrdNode *name = joints->first; name != NULL; name = name->next)
        CRD_TRY(read_term(reading, name, NULL, name->value));
    return CARDAN_OK;
}

/* A joint that drives one of another is a term of it, with the coordinate; a force keeps its number. */
static CardanStatus read_joint(CrdReading *reading, const CrdField *field, const CrdNode *node) {
    if (reading->owner == CRD_OWNER_JOINT)
        return read_term(reading, node, crd_node_get(reading->mapping, "coordinate"), NULL);
    return crd_reader_joint(reading->reader, node, place_in(reading, field));
}

/* ---- words ---- */

static CardanStatus read_coordinate(CrdReading *reading, const CrdField *field, const CrdNode *node) {
    static const char *const WORDS[] = {"angle", "displacement"};
    int choice = 0;
    if (reading->owner == CRD_OWNER_JOINT) return CARDAN_OK; /* read with the joint */
    CRD_TRY(crd_reader_choice(reading->reader, node, field->key, WORDS, 2, &choice));
    choice += CARDAN_COORDINATE_ANGLE;
    memcpy(place_in(reading, field), &choice, sizeof choice);
    return CARDAN_OK;
}

static CardanStatus read_frame(CrdReading *reading, const CrdField *field, const CrdNode *node) {
    static const char *const FRAMES[] = {"ground", "body"};
    int choice = 0;
    CRD_TRY(crd_reader_choice(reading->reader, node, field->key, FRAMES, 2, &choice));
    *(bool *)place_in(reading, field) = choice == 1;
    return CARDAN_OK;
}

CardanStatus crd_read_field(CrdReading *reading, const CrdField *field, const CrdNode *node) {
    crd_mark(reading->element, reading->table, field);
    switch (field->holds) {
    case CRD_HOLDS_NUMBERS:
    case CRD_HOLDS_POINT:
    case CRD_HOLDS_AXIS:
        return read_numbers(reading, field, node);
    case CRD_HOLDS_PAIR:
        return read_pair(reading, field, node);
    case CRD_HOLDS_DRIVEN:
        return read_driven(reading, field, node);
    case CRD_HOLDS_VALUE:
        return read_value(reading, field, node);
    case CRD_HOLDS_LAW:
    case CRD_HOLDS_TARGET:
        return read_law(reading, field, node);
    case CRD_HOLDS_PATH:
        return read_path(reading, field, node);
    case CRD_HOLDS_BODY:
        return crd_reader_body(reading->reader, node, place_in(reading, field));
    case CRD_HOLDS_BODIES:
        return read_two_bodies(reading, field, node);
    case CRD_HOLDS_POINTS:
        return read_points(reading, field, node);
    case CRD_HOLDS_JOINT:
        return read_joint(reading, field, node);
    case CRD_HOLDS_COORDINATE:
        return read_coordinate(reading, field, node);
    case CRD_HOLDS_TERMS:
        return read_terms(reading, field, node);
    case CRD_HOLDS_FRAME:
        return read_frame(reading, field, node);
    case CRD_HOLDS_GEOMETRY:
        return crd_reader_geometry(reading->reader, node, -1);
    default:
        assert(false); /* bodies, and what only programs define */
        return CARDAN_OK;
    }
}
