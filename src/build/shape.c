#include "build/shape.h"

#include "build/take.h"
#include "core/cookie.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

const CrdShapeKind crd_shape_kinds[CARDAN_SHAPE_KINDS] = {
    [CARDAN_SHAPE_ROD] = {"rod", 7, 6},           [CARDAN_SHAPE_BOX] = {"box", 3, 0},
    [CARDAN_SHAPE_CYLINDER] = {"cylinder", 2, 0}, [CARDAN_SHAPE_SPHERE] = {"sphere", 1, 0},
    [CARDAN_SHAPE_MESH] = {"mesh", 0, 0},
};

CardanShape cardan_default_shape(CardanShapeKind kind) {
    return (CardanShape){.internal = CRD_COOKIE, .kind = kind};
}

CardanStatus crd_check_shape(const CrdDescription *description, const CrdShapeDesc *shape, CrdError *error) {
    char buffer[64];
    const CrdShapeKind *kind = &crd_shape_kinds[shape->kind];
    assert(kind->name != NULL);
    for (int i = 0; i < kind->numbers; i++) {
        bool size = i >= kind->first_size;
        if (isfinite(shape->numbers[i]) && !(size && shape->numbers[i] < 0.0)) continue;
        /* of a body that is being read there is no name yet: the reader says it */
        const char *name = shape->frame < description->frame_count
                               ? crd_frame_name(description, shape->frame, buffer, sizeof buffer)
                               : "";
        return crd_fail(error, CARDAN_ERR_MODEL, "%s%s%sgeometry: a number of %s is %s",
                        name[0] != '\0' ? "body '" : "", name, name[0] != '\0' ? "': " : "", kind->name,
                        isfinite(shape->numbers[i]) ? "negative" : "not finite");
    }
    return CARDAN_OK;
}

CardanStatus crd_add_shape(CrdDescription *description, const CrdShapeDesc *shape, CrdError *error) {
    CRD_TRY(crd_check_shape(description, shape, error));
    return crd_list_append(description, CRD_LIST_SHAPES, shape, error);
}

static void put(double *out, CardanVec3 v) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

CardanStatus crd_convert_shape(const CrdDescription *description, CardanBody body, const CardanShape *def,
                               CrdShapeDesc *out, CrdError *error) {
    *out = (CrdShapeDesc){.kind = def->kind};
    CRD_TRY(crd_take_body(description, body, "a shape", &out->frame, error));
    if ((int)def->kind <= CARDAN_SHAPE_NONE || def->kind >= CARDAN_SHAPE_KINDS)
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "there is no shape of kind %d", (int)def->kind);
    switch (def->kind) {
    case CARDAN_SHAPE_ROD:
        put(out->numbers, def->from);
        put(out->numbers + 3, def->to);
        out->numbers[6] = def->radius;
        break;
    case CARDAN_SHAPE_BOX:
        put(out->numbers, def->edges);
        break;
    case CARDAN_SHAPE_MESH:
        if (def->file == NULL) return crd_fail(error, CARDAN_ERR_ARGUMENT, "a mesh needs the name of a file");
        out->file = crd_copy_string(def->file);
        return out->file != NULL ? CARDAN_OK : crd_fail_memory(error);
    default: /* cylinder, sphere */
        out->numbers[0] = def->radius;
        out->numbers[1] = def->height;
    }
    return CARDAN_OK;
}

CardanShape crd_shape_of(const CrdShapeDesc *shape) {
    const double *x = shape->numbers;
    CardanShape out = cardan_default_shape(shape->kind);
    out.file = shape->file;
    if (shape->kind == CARDAN_SHAPE_ROD) {
        out.from = (CardanVec3){x[0], x[1], x[2]};
        out.to = (CardanVec3){x[3], x[4], x[5]};
        out.radius = x[6];
    } else if (shape->kind == CARDAN_SHAPE_BOX) {
        out.edges = (CardanVec3){x[0], x[1], x[2]};
    } else {
        out.radius = x[0];
        out.height = x[1];
    }
    return out;
}
