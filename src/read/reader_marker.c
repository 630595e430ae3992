/* Markers of a model file, and markers as places of joints and forces: `at: foot`, `points: [foot, hip]`. */
#include "read/reader_fields.h"

#include "build/marker.h"
#include "build/take.h"
#include "core/memory.h"

#include <string.h>

/* ---- markers ---- */

static CardanStatus read_orientation(CrdReader *reader, const CrdNode *key, const CrdField *field, const char **given,
                                     CrdMarkerDesc *marker) {
    if (field->form == 0) return CARDAN_OK;
    if (*given != NULL)
        return crd_reader_fail(reader, key->place, "the orientation is given twice: by %s and by %s", *given,
                               field->key);
    *given = field->key;
    marker->orientation_form = (CrdOrientationForm)(field->form - CRD_FORM_ORIENTATION);
    return CARDAN_OK;
}

static CardanStatus fill_marker(CrdReader *reader, const CrdNode *key, CrdMarkerDesc *marker) {
    CrdFieldTable table = crd_marker_fields();
    const char *keys[CRD_TABLE_ROOM], *orientation = NULL;
    const CrdNode *body;
    int count = 0;
    CRD_TRY(crd_check_name(reader->d, CRD_NAME_MARKER, key->text, reader->error));
    CRD_TRY(crd_reader_mapping(reader, key->value, "a marker"));
    for (int i = 0; i < table.count; i++)
        if (table.fields[i].count[reader->d->space] > 0) keys[count++] = table.fields[i].key;
    CRD_TRY(crd_reader_keys(reader, key->value, keys, count));
    CRD_TRY(crd_reader_need(reader, key, "body", &body));
    CRD_TRY(crd_reader_body(reader, body, &marker->frame));
    for (int i = 0; i < table.count; i++) {
        const CrdField *field = &table.fields[i];
        const CrdNode *it = crd_node_key(key->value, field->key);
        if (it == NULL || field->holds != CRD_HOLDS_NUMBERS) continue;
        CRD_TRY(read_orientation(reader, it, field, &orientation, marker));
        CRD_TRY(crd_reader_field(reader, it->value, field, CRD_OWNER_MARKER, reader->d->marker_count, marker));
    }
    return CARDAN_OK;
}

static CardanStatus read_marker(CrdReader *reader, const CrdNode *key) {
    CrdMarkerDesc marker = {.place = key->place};
    CrdBlame blame = {.key = ""};
    crd_reader_context(reader, "marker", key);
    CardanStatus status = fill_marker(reader, key, &marker);
    if (status >= 0) status = crd_take_name(&marker.name, key->text, "marker", reader->error);
    if (status >= 0) status = crd_add_marker(reader->d, &marker, &blame, reader->error);
    if (status >= 0) return status;
    crd_delete(marker.name);
    crd_reader_point_to(reader, key, &blame);
    return status;
}

CardanStatus crd_read_markers(CrdReader *reader, const CrdNode *section) {
    return crd_reader_section(reader, section, "markers", read_marker);
}

CardanStatus crd_reader_marker(CrdReader *reader, const CrdNode *node, int *marker) {
    const char *name;
    *marker = 0;
    CRD_TRY(crd_reader_word(reader, node, "the name of a marker", &name));
    CrdNamed named = crd_names_find(&reader->d->names, name, node->length);
    if (named.kind != CRD_NAME_MARKER) {
        const char *near = crd_nearest_of(reader->d, 1u << CRD_NAME_MARKER, node->text, node->length);
        return crd_reader_fail(reader, node->place, "there is no marker '%s'%s",
                               crd_shown(node->text, node->length).text, crd_did_you_mean(near).text);
    }
    *marker = named.index + 1;
    return CARDAN_OK;
}

/* ---- markers as places ---- */

bool crd_may_be_at(const CrdReading *reading) {
    const CrdField *point = crd_field_find(reading->table, "point", reading->element->form);
    return point != NULL && crd_field_there(point, reading->reader->d->space, reading->element->form);
}

static CardanStatus ended(const CrdReading *reading, const CrdNode *node, CardanStatus status, const CrdError *inner) {
    if (status >= 0) return CARDAN_OK;
    if (status == CARDAN_ERR_MEMORY) return crd_fail_memory(reading->reader->error);
    return crd_reader_fail(reading->reader, node->place, "%s", inner->text);
}

static CardanStatus read_at(CrdReading *reading, const CrdNode *node) {
    CrdReader *reader = reading->reader;
    const CrdNode *point = crd_node_key(reading->mapping, "point");
    const CrdField *body = crd_field_holding(reading->table, CRD_HOLDS_BODY, reading->element->form);
    CrdError inner = {0};
    int marker;
    if (point != NULL) return crd_reader_fail(reader, point->place, "the point is given twice: by point and by at");
    CRD_TRY(crd_reader_marker(reader, node, &marker));
    const CrdNode *written = body != NULL ? crd_node_get(reading->mapping, body->key) : NULL;
    if (written != NULL) CRD_TRY(crd_read_field(reading, body, written));
    return ended(reading, node, crd_place_at(reader->d, reading->owner, reading->element, marker, &inner), &inner);
}

/* points: [foot, hip] of what joins two bodies. */
static CardanStatus read_ends(CrdReading *reading, const CrdField *bodies, const CrdNode *node) {
    static const char *const ENDS[2] = {"points[0]", "points[1]"};
    CrdReader *reader = reading->reader;
    int *frames = (int *)(void *)((unsigned char *)&reading->element->numbers + bodies->own);
    const CrdNode *written = crd_node_get(reading->mapping, bodies->key), *item = node->first;
    if (written != NULL) CRD_TRY(crd_read_field(reading, bodies, written));
    for (int k = 0; k < 2; k++, item = item->next) {
        const CrdField *field = crd_field_find(reading->table, ENDS[k], reading->element->form);
        CrdError inner = {0};
        int marker;
        if (item->kind != CRD_NODE_SCALAR) continue;
        CRD_TRY(crd_reader_marker(reader, item, &marker));
        CardanStatus status = crd_place(reader->d, reading->owner, reading->element, field, &frames[k], marker, &inner);
        CRD_TRY(ended(reading, item, status, &inner));
        reading->placed++;
    }
    if (reading->placed == 2) crd_mark(reading->element, reading->table, bodies);
    return CARDAN_OK;
}

CardanStatus crd_read_places(CrdReading *reading) {
    const CrdNode *at = crd_node_get(reading->mapping, "at"), *points = crd_node_get(reading->mapping, "points");
    const CrdField *bodies = crd_field_holding(reading->table, CRD_HOLDS_BODIES, reading->element->form);
    if (at != NULL) CRD_TRY(read_at(reading, at));
    bool ends = points != NULL && points->kind == CRD_NODE_SEQUENCE && points->count == 2 && bodies != NULL &&
                crd_field_find(reading->table, "points[0]", reading->element->form) != NULL;
    return ends ? read_ends(reading, bodies, points) : CARDAN_OK;
}

bool crd_is_placed(const CrdReading *reading, const CrdField *field) {
    for (int k = 0; k < CRD_PLACINGS; k++)
        if (reading->element->at[k].marker > 0 && reading->table.fields + reading->element->at[k].row == field)
            return true;
    return false;
}
