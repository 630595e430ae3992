/* What the viewer draws: `geometry` of bodies, which is kept, and of joints and forces, which is only checked. */
#include "build/shape.h"
#include "core/memory.h"
#include "read/reader.h"

#include <stdio.h>
#include <string.h>

/* The numbers of a shape from number k on; the next shape to be added is theirs. */
static CardanStatus read_numbers(CrdReader *reader, const CrdNode *node, const char *what, int count, int k,
                                 CrdShapeDesc *shape) {
    size_t offset = offsetof(CrdShapeDesc, numbers) + (size_t)k * sizeof(double);
    CrdTarget target = {CRD_OWNER_SHAPE, reader->d->shape_count, offset};
    return crd_reader_numbers(reader, node, what, count, shape->frame >= 0 ? &target : NULL, shape->numbers + k);
}

static CardanStatus read_rod(CrdReader *reader, const CrdNode *node, CrdShapeDesc *shape) {
    if (node->kind != CRD_NODE_SEQUENCE || node->count != 3)
        return crd_reader_fail(reader, node->place, "geometry: rod must be [from, to, radius]");
    int n = reader->d->space == CARDAN_SPACE_PLANAR ? 2 : 3;
    const CrdNode *from = node->first, *to = from->next;
    CRD_TRY(read_numbers(reader, from, "geometry: an end of rod", n, 0, shape));
    CRD_TRY(read_numbers(reader, to, "geometry: an end of rod", n, 3, shape));
    return read_numbers(reader, to->next, "geometry: the radius of rod", 1, 6, shape);
}

static CardanStatus read_mesh(CrdReader *reader, const CrdNode *node, CrdShapeDesc *shape) {
    const char *file;
    CRD_TRY(crd_reader_word(reader, node, "geometry: mesh", &file));
    shape->file = crd_copy_string(file);
    return shape->file != NULL ? CARDAN_OK : crd_fail_memory(reader->error);
}

static CardanStatus fill_shape(CrdReader *reader, const CrdNode *node, CrdShapeDesc *shape) {
    char what[32];
    const char *names[CARDAN_SHAPE_KINDS];
    CRD_TRY(crd_reader_mapping(reader, node, "geometry"));
    for (int k = 1; k < CARDAN_SHAPE_KINDS; k++) names[k - 1] = crd_shape_kinds[k].name;
    CRD_TRY(crd_reader_keys(reader, node, names, CARDAN_SHAPE_KINDS - 1));
    if (node->count != 1)
        return crd_reader_fail(reader, node->place, "geometry: one shape each; several stand in a list");
    const CrdNode *key = node->first, *value = key->value;
    int kind = 1;
    while (strcmp(key->text, crd_shape_kinds[kind].name) != 0) kind++;
    shape->kind = (CardanShapeKind)kind;
    shape->place = value->place;
    if (kind == CARDAN_SHAPE_ROD) return read_rod(reader, value, shape);
    if (kind == CARDAN_SHAPE_MESH) return read_mesh(reader, value, shape);
    snprintf(what, sizeof what, "geometry: %s", crd_shape_kinds[kind].name);
    return read_numbers(reader, value, what, crd_shape_kinds[kind].numbers, 0, shape);
}

static CardanStatus read_shape(CrdReader *reader, const CrdNode *node, int frame) {
    CrdShapeDesc shape = {.frame = frame};
    CrdError inner = {0};
    CardanStatus status = fill_shape(reader, node, &shape);
    if (status >= 0) status = crd_check_shape(reader->d, &shape, &inner);
    if (status < 0 && inner.status < 0) status = crd_reader_fail(reader, shape.place, "%s", inner.text);
    if (status >= 0 && frame >= 0) status = crd_add_shape(reader->d, &shape, reader->error);
    if (status < 0 || frame < 0) crd_delete(shape.file);
    return status;
}

CardanStatus crd_reader_geometry(CrdReader *reader, const CrdNode *node, int frame) {
    if (node == NULL) return CARDAN_OK;
    if (node->kind != CRD_NODE_SEQUENCE) return read_shape(reader, node, frame);
    for (const CrdNode *item = node->first; item != NULL; item = item->next) CRD_TRY(read_shape(reader, item, frame));
    return CARDAN_OK;
}
