#include "build/fields.h"

#include "build/marker.h"

#include <string.h>

#define AT(member) .own = offsetof(CrdBodyDesc, member)
#define TURN(which) .form = CRD_FORM_ORIENTATION + (which)
#define SHAPE(which) .form = CRD_FORM_INERTIA + (which)

static const CrdField BODY[] = {
    {"mass", CRD_HOLDS_NUMBERS, CRD_ONE, CRD_REQUIRED, CRD_POSITIVE, .unit = "kg", AT(mass), .doc = "Its mass."},
    {"particle", CRD_HOLDS_FLAG, CRD_ONE, .fallback = "false", AT(particle),
     .doc = "true: a point with mass alone, without orientation and inertia."},
    {"position", CRD_HOLDS_NUMBERS, CRD_VECTOR, .unit = "m", .fallback = "0", AT(position),
     .doc = "Of the centre of mass, ground axes."},
    {"angle", CRD_HOLDS_NUMBERS, CRD_COUNT(1, 0), .unit = "rad", .fallback = "0", AT(orientation),
     TURN(CRD_ORIENTATION_ANGLE), .doc = "Of its axes against those of the ground."},
    {"quaternion", CRD_HOLDS_NUMBERS, CRD_COUNT(0, 4), CRD_MAYBE, CRD_DIRECTION, .fallback = "no rotation",
     AT(orientation), TURN(CRD_ORIENTATION_QUATERNION),
     .doc = "Orientation: [w, x, y, z], own axes to ground axes; any length."},
    {"rpy", CRD_HOLDS_NUMBERS, CRD_COUNT(0, 3), .unit = "rad", .fallback = "no rotation", AT(orientation),
     TURN(CRD_ORIENTATION_RPY), .doc = "Orientation: roll, pitch, yaw about the fixed axes x, y, z in turn."},
    {"axis_angle", CRD_HOLDS_NUMBERS, CRD_COUNT(0, 4), .unit = "1, rad", .fallback = "no rotation", AT(orientation),
     TURN(CRD_ORIENTATION_AXIS_ANGLE), .doc = "Orientation: [ax, ay, az, angle]; the axis of any length."},
    {"velocity", CRD_HOLDS_NUMBERS, CRD_VECTOR, .unit = "m/s", .fallback = "0", AT(velocity),
     .doc = "Of the centre of mass at the start, ground axes."},
    {"spin", CRD_HOLDS_NUMBERS, CRD_COUNT(1, 0), .rule = CRD_TURNS, .unit = "rad/s", .fallback = "0",
     AT(angular_velocity[2]), .doc = "Angular velocity at the start."},
    {"angular_velocity", CRD_HOLDS_NUMBERS, CRD_COUNT(0, 3), .rule = CRD_TURNS, .unit = "rad/s", .fallback = "0",
     AT(angular_velocity), .doc = "At the start, ground axes."},
    {"body_rates", CRD_HOLDS_NUMBERS, CRD_COUNT(0, 3), .rule = CRD_TURNS, .unit = "rad/s", .fallback = "0",
     AT(body_rates), .doc = "The same in body axes, added to it."},
    {"inertia", CRD_HOLDS_SHAPE, CRD_COUNT(1, 0), CRD_REQUIRED, .unit = "kg m^2", AT(inertia[2]),
     SHAPE(CRD_INERTIA_TENSOR),
     .doc = "About z through the centre of mass; or a shape, by which it follows from the mass."},
    {"inertia", CRD_HOLDS_SHAPE, CRD_COUNT(0, 6), CRD_REQUIRED, .unit = "kg m^2", AT(inertia),
     SHAPE(CRD_INERTIA_TENSOR),
     .doc = "[Ixx, Iyy, Izz] or with Ixy, Ixz, Iyz: body axes, about the centre of mass; or a shape."},
    {"inertia.rod", CRD_HOLDS_NUMBERS, CRD_ONE, .unit = "m", AT(inertia), SHAPE(CRD_INERTIA_ROD), .doc = "Length."},
    {"inertia.radius", CRD_HOLDS_NUMBERS, CRD_ONE, .unit = "m", .fallback = "0, in a plane", AT(inertia[1]),
     SHAPE(CRD_INERTIA_ROD), .doc = "Of the rod."},
    {"inertia.box", CRD_HOLDS_NUMBERS, CRD_COUNT(3, 3), .unit = "m", AT(inertia), SHAPE(CRD_INERTIA_BOX),
     .doc = "Edges along x, y, z; in a plane two are enough."},
    {"inertia.cylinder", CRD_HOLDS_NUMBERS, CRD_COUNT(2, 2), .unit = "m", AT(inertia), SHAPE(CRD_INERTIA_CYLINDER),
     .doc = "Radius and height."},
    {"inertia.sphere", CRD_HOLDS_NUMBERS, CRD_ONE, .unit = "m", AT(inertia), SHAPE(CRD_INERTIA_SPHERE),
     .doc = "Radius."},
    {"inertia.along", CRD_HOLDS_WORD, CRD_ONE, .fallback = "x of a rod, z of a cylinder", AT(along),
     .doc = "x, y or z: the axis of a rod or cylinder."},
    {"geometry", CRD_HOLDS_GEOMETRY, CRD_ONE,
     .doc = "What the viewer draws: {rod: [from, to, radius]}, {box: [a, b, c]}, {cylinder: [r, h]}, {sphere: r} or "
            "{mesh: file}, or a list of them."},
};

#define MARK(member) .own = offsetof(CrdMarkerDesc, member)
static const CrdField MARKER[] = {
    {"body", CRD_HOLDS_BODY, CRD_ONE, CRD_REQUIRED, .own = offsetof(CrdMarkerDesc, frame),
     .doc = "What it is fixed to: a body, or ground."},
    {"point", CRD_HOLDS_NUMBERS, CRD_VECTOR, .unit = "m", .fallback = "the centre of mass", MARK(point),
     .doc = "Where, in the body's own axes from its centre of mass."},
    {"angle", CRD_HOLDS_NUMBERS, CRD_COUNT(1, 0), .unit = "rad", .fallback = "0", MARK(orientation),
     TURN(CRD_ORIENTATION_ANGLE), .doc = "Of its axes against those of the body."},
    {"quaternion", CRD_HOLDS_NUMBERS, CRD_COUNT(0, 4), CRD_MAYBE, CRD_DIRECTION, .fallback = "no rotation",
     MARK(orientation), TURN(CRD_ORIENTATION_QUATERNION),
     .doc = "Of its axes against those of the body: [w, x, y, z]; any length."},
    {"rpy", CRD_HOLDS_NUMBERS, CRD_COUNT(0, 3), .unit = "rad", .fallback = "no rotation", MARK(orientation),
     TURN(CRD_ORIENTATION_RPY), .doc = "The same: roll, pitch, yaw about the body's axes x, y, z in turn."},
    {"axis_angle", CRD_HOLDS_NUMBERS, CRD_COUNT(0, 4), .unit = "1, rad", .fallback = "no rotation", MARK(orientation),
     TURN(CRD_ORIENTATION_AXIS_ANGLE), .doc = "The same: [ax, ay, az, angle]; the axis of any length."},
};

static const CrdField START[] = {
    {"positions", CRD_HOLDS_WORD, CRD_ONE, .fallback = "project what is off by less than 1e-8, refuse the rest",
     .doc = "keep: refused when joints are not closed; project: always closed."},
    {"velocities", CRD_HOLDS_WORD, CRD_ONE, .fallback = "as positions", .doc = "The same for velocities."},
    {"rates", CRD_HOLDS_TERMS, CRD_ONE, .unit = "rad/s or m/s",
     .doc = "{joint: rate, ...}: rates of joints' coordinates; other velocities follow."},
    {"joints", CRD_HOLDS_TERMS, CRD_ONE, .unit = "rad or m",
     .doc = "{joint: coordinate, ...}: joints' coordinates to assemble at; other positions follow."},
    {"hold", CRD_HOLDS_BODY_LIST, CRD_ONE, .doc = "Bodies that stay where they are given while the rest is closed."},
    {"slow", CRD_HOLDS_WORD, CRD_ONE, .fallback = "none",
     .doc = "all, or a list of compliant joints and bushings: they start without ringing, on the slow manifold."},
    {"method", CRD_HOLDS_WORD, CRD_ONE, .fallback = "bounded",
     .doc = "slow: bounded (by derivatives) or iterated (by filtered motions)."},
    {"kernel", CRD_HOLDS_WORD, CRD_ONE, .fallback = "smooth", .doc = "slow, iterated: smooth or cubic."},
    {"tolerance", CRD_HOLDS_NUMBERS, CRD_ONE, .fallback = "1e-6, iterated 1e-3",
     .doc = "slow: what may still ring, as a part of the largest multiplier."},
    {"slow_every", CRD_HOLDS_NUMBERS, CRD_ONE, .unit = "s", .fallback = "never",
     .doc = "The state is put on the slow manifold again after every so many seconds."},
};

static const CrdField MODEL[] = {
    {"gravity", CRD_HOLDS_NUMBERS, CRD_VECTOR, .unit = "m/s^2", .fallback = "0",
     .own = offsetof(CrdDescription, gravity), .doc = "Ground axes."},
};

static const CrdField INPUT[] = {{"value", CRD_HOLDS_NUMBERS, CRD_ONE, .own = offsetof(CrdInputDesc, value)}};
static const CrdField RATE[] = {{"rate", CRD_HOLDS_NUMBERS, CRD_ONE, .own = offsetof(CrdStartRate, rate)}};
static const CrdField COORDINATE[] = {{"coordinate", CRD_HOLDS_NUMBERS, CRD_ONE, .own = offsetof(CrdStartRate, rate)}};
static const CrdField TERM[] = {{"coefficient", CRD_HOLDS_NUMBERS, CRD_ONE, .own = offsetof(CrdTermDesc, coefficient)}};
static const CrdField POINT[] = {
    {"point", CRD_HOLDS_NUMBERS, CRD_VECTOR, .own = offsetof(CrdForcePoint, local), .unit = "m"}};

static const CrdField SHAPE[] = {
    {"geometry", CRD_HOLDS_NUMBERS, CRD_COUNT(7, 7), .own = offsetof(CrdShapeDesc, numbers), .unit = "m"}};

CrdFieldTable crd_body_fields(void) {
    return (CrdFieldTable)CRD_FIELDS(BODY);
}

CrdFieldTable crd_marker_fields(void) {
    return (CrdFieldTable)CRD_FIELDS(MARKER);
}

CrdFieldTable crd_start_fields(void) {
    return (CrdFieldTable)CRD_FIELDS(START);
}

CrdFieldTable crd_element_fields(CrdOwner owner, int type) {
    assert(crd_is_element(owner));
    if (owner == CRD_OWNER_JOINT && crd_joint_kind(type) != NULL) return crd_joint_kind(type)->fields;
    if (owner == CRD_OWNER_FORCE && crd_force_kind(type) != NULL) return crd_force_kind(type)->fields;
    return (CrdFieldTable){NULL, 0};
}

/* By owner: its table, of joints and forces that of the type; where its array stands in a description, and how large an
 * item is. */
#define OWNER(array, ...)                                                                                              \
    { __VA_ARGS__, offsetof(CrdDescription, array), sizeof *((CrdDescription *)0)->array }
static const struct {
    CrdFieldTable table;
    size_t array, size;
} OWNERS[] = {
    [CRD_OWNER_MODEL] = {CRD_FIELDS(MODEL), 0, 0},
    [CRD_OWNER_BODY] = OWNER(bodies, CRD_FIELDS(BODY)),
    [CRD_OWNER_JOINT] = OWNER(joints, {NULL, 0}),
    [CRD_OWNER_FORCE] = OWNER(forces, {NULL, 0}),
    [CRD_OWNER_INPUT] = OWNER(inputs, CRD_FIELDS(INPUT)),
    [CRD_OWNER_RATE] = OWNER(rates, CRD_FIELDS(RATE)),
    [CRD_OWNER_COORDINATE] = OWNER(coordinates, CRD_FIELDS(COORDINATE)),
    [CRD_OWNER_TERM] = OWNER(terms, CRD_FIELDS(TERM)),
    [CRD_OWNER_POINT] = OWNER(points, CRD_FIELDS(POINT)),
    [CRD_OWNER_SHAPE] = OWNER(shapes, CRD_FIELDS(SHAPE)),
    [CRD_OWNER_MARKER] = OWNER(markers, CRD_FIELDS(MARKER)),
};

const void *crd_object_of(const CrdDescription *description, CrdOwner owner, int index) {
    const unsigned char *array;
    if (owner == CRD_OWNER_MODEL) return description;
    memcpy(&array, (const unsigned char *)description + OWNERS[owner].array, sizeof array);
    assert(array != NULL && index >= 0);
    return array + (size_t)index * OWNERS[owner].size;
}

CrdFieldTable crd_fields_of(const CrdDescription *description, CrdOwner owner, int index) {
    if (!crd_is_element(owner)) return OWNERS[owner].table;
    return crd_element_fields(owner, ((const CrdElementDesc *)crd_object_of(description, owner, index))->type);
}

bool crd_is_element(CrdOwner owner) {
    return owner == CRD_OWNER_JOINT || owner == CRD_OWNER_FORCE;
}

bool crd_field_active(const CrdField *field, CardanSpace space, CrdOwner owner, const void *object) {
    if (field->count[space] == 0) return false;
    if (crd_is_element(owner)) return crd_field_there(field, space, ((const CrdElementDesc *)object)->form);
    if (owner == CRD_OWNER_MARKER && field->form != 0)
        return field->form == CRD_FORM_ORIENTATION + (int)((const CrdMarkerDesc *)object)->orientation_form;
    if (owner != CRD_OWNER_BODY || field->form == 0) return true;
    const CrdBodyDesc *body = object;
    int form = field->form >= CRD_FORM_INERTIA ? CRD_FORM_INERTIA + (int)body->inertia_form
                                               : CRD_FORM_ORIENTATION + (int)body->orientation_form;
    return !body->particle && form == field->form;
}

size_t crd_field_base(CrdOwner owner) {
    return crd_is_element(owner) ? offsetof(CrdElementDesc, numbers) : 0;
}

CrdWritten crd_written(const CrdDescription *description, CrdOwner owner, const CrdElementDesc *element) {
    assert(element->rows == NULL);
    return (CrdWritten){description->space, crd_element_fields(owner, element->type), element->given,
                        &element->numbers};
}

void crd_set_type(CrdElementDesc *element, CrdFieldTable table, int type) {
    element->type = type;
    for (int i = 0; i < table.count; i++)
        if (table.fields[i].otherwise != 0.0)
            memcpy((unsigned char *)&element->numbers + table.fields[i].own, &table.fields[i].otherwise,
                   sizeof(double));
}

void crd_mark(CrdElementDesc *element, CrdFieldTable table, const CrdField *field) {
    assert(field >= table.fields && field < table.fields + table.count && table.count <= CRD_TABLE_ROOM);
    element->given |= (uint64_t)1 << (field - table.fields);
}

const CrdField *crd_side_field(const CrdWritten *written, CrdHolds holds, int form, int side) {
    assert(side == CRD_SIDE_A || side == CRD_SIDE_B);
    const CrdField *found = NULL;
    for (int i = 0; i < written->table.count; i++) {
        const CrdField *field = &written->table.fields[i];
        bool given = (written->given >> i & 1u) != 0 && crd_field_there(field, written->space, form);
        if (!given || field->holds != holds || (field->sides & side) == 0) continue;
        if (found == NULL || !found->local) found = field;
    }
    return found;
}

/* ---- forces ---- */

CrdLawScope crd_law_scope(const CrdForceDesc *force) {
    const CrdField *law = crd_force_law_field(crd_force_kinds[force->type], force->form);
    if (law == NULL || law->holds == CRD_HOLDS_VALUE) return CRD_LAW_OF_STATE;
    return law->holds == CRD_HOLDS_LAW ? CRD_LAW_OF_TWO : CRD_LAW_OF_TIME;
}

const char *crd_law_key(const CrdForceDesc *force) {
    const CrdField *law = crd_force_law_field(crd_force_kinds[force->type], force->form);
    assert(law != NULL);
    return law->key;
}

/* An int among the numbers: of a body, a joint, a coordinate. */
static int whole_number(const CrdForceDesc *force, const CrdField *field) {
    int value;
    memcpy(&value, (const unsigned char *)&force->numbers + field->own, sizeof value);
    return value;
}

int crd_force_joint(const CrdForceDesc *force, CardanCoordinate *coordinate) {
    CrdFieldTable table = crd_force_kinds[force->type]->fields;
    const CrdField *joint = crd_field_holding(table, CRD_HOLDS_JOINT, force->form);
    const CrdField *which = crd_field_holding(table, CRD_HOLDS_COORDINATE, force->form);
    *coordinate = which != NULL ? (CardanCoordinate)whole_number(force, which) : CARDAN_COORDINATE_NONE;
    return joint != NULL ? whole_number(force, joint) : 0;
}

/* ---- numbers ---- */

double *crd_target_number(CrdDescription *description, CrdTarget target) {
    const unsigned char *object = crd_object_of(description, target.owner, target.index);
    return (double *)(uintptr_t)(object + target.offset); /* of a description that may be changed */
}
