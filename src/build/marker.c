#include "build/marker.h"

#include "build/blame.h"
#include "build/orientation.h"
#include "build/take.h"
#include "core/cookie.h"
#include "core/memory.h"

#include <string.h>

CardanMarkerDef cardan_default_marker(void) {
    return (CardanMarkerDef){.internal = CRD_COOKIE};
}

/* ---- one marker ---- */

static bool is_particle(const CrdDescription *description, int frame) {
    CrdFrameDesc it = description->frames[frame];
    return it.kind == CRD_FRAME_BODY && description->bodies[it.object].particle;
}

CardanStatus crd_check_marker(const CrdDescription *description, const CrdMarkerDesc *marker, CrdBlame *blame,
                              CrdError *error) {
    CrdObjectName name = crd_object_name("marker", marker->name);
    CrdVerdict verdict = {name.text, blame, error};
    assert(marker->frame >= 0 && marker->frame < description->frame_count);
    CRD_TRY(crd_check_finite(description, crd_marker_fields(), CRD_OWNER_MARKER, marker, verdict));
    if (marker->orientation_form == CRD_ORIENTATION_QUATERNION)
        CRD_TRY(crd_check_direction(marker->orientation, 4, "quaternion", verdict));
    if (marker->orientation_form == CRD_ORIENTATION_AXIS_ANGLE)
        CRD_TRY(crd_check_direction(marker->orientation, 3, "axis_angle", verdict));
    bool off = marker->point[0] != 0.0 || marker->point[1] != 0.0 || marker->point[2] != 0.0;
    if (is_particle(description, marker->frame) && (off || marker->orientation_form != CRD_ORIENTATION_NONE))
        return crd_blame_key(verdict, off ? "point" : "",
                             "its body is a particle, which has no axes: it sits there, "
                             "without point and orientation");
    return crd_check_large(description, crd_marker_fields(), CRD_OWNER_MARKER, marker, verdict);
}

CardanStatus crd_add_marker(CrdDescription *description, const CrdMarkerDesc *marker, CrdBlame *blame,
                            CrdError *error) {
    CRD_TRY(crd_check_marker(description, marker, blame, error));
    return crd_list_append(description, CRD_LIST_MARKERS, marker, error);
}

static CardanStatus convert_orientation(const CrdDescription *description, const CardanMarkerDef *def,
                                        CrdMarkerDesc *marker, CrdError *error) {
    const CardanQuat *q = &def->q;
    bool turned = q->w != 0.0 || q->x != 0.0 || q->y != 0.0 || q->z != 0.0;
    bool planar = description->space == CARDAN_SPACE_PLANAR;
    if (planar ? turned : def->angle != 0.0)
        return crd_fail(error, CARDAN_ERR_MODEL, "marker '%s': its axes are given by %s in a %s model",
                        crd_shown_text(def->name).text, planar ? "angle" : "q", planar ? "planar" : "spatial");
    if (def->angle != 0.0) marker->orientation_form = CRD_ORIENTATION_ANGLE;
    if (turned) marker->orientation_form = CRD_ORIENTATION_QUATERNION;
    const double numbers[4] = {turned ? q->w : def->angle, q->x, q->y, q->z};
    memcpy(marker->orientation, numbers, sizeof numbers);
    return CARDAN_OK;
}

CardanStatus crd_convert_marker(const CrdDescription *description, const CardanMarkerDef *def, CrdMarkerDesc *marker,
                                CrdError *error) {
    *marker = (CrdMarkerDesc){.frame = 0};
    CRD_TRY(crd_take_name(&marker->name, def->name, "marker", error));
    CRD_TRY(crd_take_body(description, def->body, def->name, &marker->frame, error));
    CRD_TRY(crd_take_vector(description, def->point, def->name, "its point", marker->point, error));
    return convert_orientation(description, def, marker, error);
}

/* ---- markers as places ---- */

/* Where a marker is: in own axes of its frame, or in ground axes in the pose as written. */
static CardanStatus place_of(const CrdDescription *description, const CrdMarkerDesc *marker, bool local,
                             double *numbers, CrdError *error) {
    CrdFrameDesc frame = description->frames[marker->frame];
    memcpy(numbers, marker->point, sizeof marker->point);
    if (local || frame.kind == CRD_FRAME_GROUND) return CARDAN_OK;
    if (frame.kind != CRD_FRAME_BODY)
        return crd_fail(error, CARDAN_ERR_MODEL,
                        "marker '%s' is on a block, whose place is not known here: give local points instead",
                        marker->name);
    const CrdBodyDesc *body = &description->bodies[frame.object];
    CrdMat rotation = crd_matrix_of(crd_orientation_of(body->orientation_form, body->orientation));
    crd_put(numbers, crd_add(crd_vec_of(body->position), crd_apply(rotation.m, crd_vec_of(marker->point))));
    return CARDAN_OK;
}

/* Rows of joints, and the point of a bushing, are in ground axes. */
static bool is_local(CrdOwner owner, CrdFieldTable table, const CrdField *field) {
    bool bushing = crd_field_find(table, "bodies", 0) != NULL && strcmp(field->key, "point") == 0;
    return owner == CRD_OWNER_FORCE && !bushing;
}

static double *numbers_at(CrdElementDesc *element, const CrdField *field) {
    return (double *)(void *)((unsigned char *)&element->numbers + field->own);
}

static void follow(const CrdDescription *description, CrdOwner owner, CrdElementDesc *elements, int count) {
    for (int i = 0; i < count; i++) {
        CrdFieldTable table = crd_element_fields(owner, elements[i].type);
        for (int k = 0; k < CRD_PLACINGS && elements[i].at[k].marker > 0; k++) {
            const CrdField *field = &table.fields[elements[i].at[k].row];
            CardanStatus status = place_of(description, &description->markers[elements[i].at[k].marker - 1],
                                           is_local(owner, table, field), numbers_at(&elements[i], field), NULL);
            assert(status >= 0); /* it could be placed when it was made */
            (void)status;
        }
    }
}

void crd_follow_markers(CrdDescription *description) {
    if (description->marker_count == 0) return;
    follow(description, CRD_OWNER_JOINT, description->joints, description->joint_count);
    follow(description, CRD_OWNER_FORCE, description->forces, description->force_count);
    for (int i = 0; i < description->point_count; i++) {
        CrdForcePoint *point = &description->points[i];
        if (point->marker > 0) memcpy(point->local, description->markers[point->marker - 1].point, sizeof point->local);
    }
}

/* The body of a point in own axes: the marker's, said or not. */
static CardanStatus take_frame(const CrdDescription *description, const CrdMarkerDesc *marker, int *frame,
                               CrdError *error) {
    char here[64], there[64];
    if (*frame == 0) *frame = marker->frame;
    if (*frame == marker->frame) return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_MODEL, "marker '%s' is on '%s', not on '%s'", marker->name,
                    crd_frame_name(description, marker->frame, there, sizeof there),
                    crd_frame_name(description, *frame, here, sizeof here));
}

CardanStatus crd_place(const CrdDescription *description, CrdOwner owner, CrdElementDesc *element,
                       const CrdField *field, int *frame, int marker, CrdError *error) {
    CrdFieldTable table = crd_element_fields(owner, element->type);
    const CrdMarkerDesc *it = &description->markers[marker - 1];
    bool local = is_local(owner, table, field);
    assert(marker >= 1 && marker <= description->marker_count && local == (frame != NULL));
    int k = element->at[0].marker > 0 ? 1 : 0;
    assert(element->at[k].marker == 0);
    if (frame != NULL) CRD_TRY(take_frame(description, it, frame, error));
    CRD_TRY(place_of(description, it, local, numbers_at(element, field), error));
    element->at[k] = (CrdPlacing){marker, (int)(field - table.fields)};
    crd_mark(element, table, field);
    return CARDAN_OK;
}

CardanStatus crd_place_at(const CrdDescription *description, CrdOwner owner, CrdElementDesc *element, int marker,
                          CrdError *error) {
    CrdFieldTable table = crd_element_fields(owner, element->type);
    const CrdField *point = crd_field_find(table, "point", element->form);
    const CrdField *body = crd_field_holding(table, CRD_HOLDS_BODY, element->form);
    if (point == NULL || point->count[description->space] == 0)
        return crd_fail(error, CARDAN_ERR_MODEL, "it has no point that marker '%s' could stand for",
                        description->markers[marker - 1].name);
    int *frame = NULL;
    if (is_local(owner, table, point)) frame = (int *)(void *)((unsigned char *)&element->numbers + body->own);
    CRD_TRY(crd_place(description, owner, element, point, frame, marker, error));
    if (frame != NULL) crd_mark(element, table, body);
    return CARDAN_OK;
}
