/* Definitions of joints and forces into descriptions: each row of the type's table says where a definition has it. */
#include "build/blame.h"
#include "build/convert.h"
#include "build/law_check.h"
#include "build/marker.h"
#include "build/objects.h"
#include "build/take.h"
#include "core/memory.h"

#include <string.h>

_Static_assert(sizeof(CardanVec3) == 3 * sizeof(double), "vectors of definitions are read as three numbers");
_Static_assert(offsetof(CardanJointDef, b) == offsetof(CardanJointDef, a) + sizeof(CardanBody) &&
                   offsetof(CardanForceDef, b) == offsetof(CardanForceDef, a) + sizeof(CardanBody),
               "two bodies stand side by side");

typedef struct Take {
    CrdDescription *description;
    CrdOwner owner;
    const unsigned char *def; /* CardanJointDef or CardanForceDef */
    const char *noun;         /* "joint", "force" */
    const char *name;
    CrdObjectName title; /* "joint 'main'" */
    unsigned local;      /* CARDAN_LOCAL_... of a joint */
    CrdElementDesc *element;
    CrdFieldTable table;
    CrdError *error;
} Take;

static void *place_in(const Take *take, const CrdField *field) {
    return (unsigned char *)&take->element->numbers + field->own;
}

static const char *text_at(const Take *take, size_t offset) {
    const char *text;
    memcpy(&text, take->def + offset, sizeof text);
    return text;
}

static int int_at(const Take *take, size_t offset) {
    int value;
    memcpy(&value, take->def + offset, sizeof value);
    return value;
}

static CardanStatus keep_law(const Take *take, int k, const char *text) {
    assert(k < 3 && take->element->law[k] == NULL);
    take->element->law[k] = crd_copy_string(text);
    return take->element->law[k] != NULL ? CARDAN_OK : crd_fail_memory(take->error);
}

/* ---- numbers ---- */

static bool any(const double *x, int count) {
    for (int k = 0; k < count; k++)
        if (x[k] != 0.0) return true;
    return false;
}

/* Which sides the local rows of a joint cover, as its definition says. */
static int covered(const Take *take, CrdHolds holds) {
    int bits = holds == CRD_HOLDS_POINT ? (int)take->local : (int)take->local / CARDAN_LOCAL_AXIS_A, sides = 0;
    for (int i = 0; i < take->table.count; i++) {
        const CrdField *field = &take->table.fields[i];
        if (field->holds == holds && field->local && (field->need == CRD_REQUIRED || (bits & field->sides) != 0))
            sides |= field->sides;
    }
    return sides;
}

static bool is_given(const Take *take, const CrdField *field, const double *x, int count) {
    bool flag = false;
    if (field->holds == CRD_HOLDS_POINT || field->holds == CRD_HOLDS_AXIS) {
        int local = covered(take, field->holds);
        if (field->local) return (local & field->sides) != 0;
        bool wanted = field->holds == CRD_HOLDS_POINT ? (take->local & CARDAN_POINT_AT_CENTRE) == 0 : any(x, count);
        return (field->sides & ~local) != 0 && (field->need == CRD_REQUIRED || wanted);
    }
    if (field->flag == 0) return field->need != CRD_MAYBE || any(x, count);
    memcpy(&flag, take->def + field->flag, sizeof flag);
    return flag;
}

/* In a plane vectors have no z, and an axis that is not there is +z, said or not. */
static CardanStatus take_numbers(const Take *take, const CrdField *field) {
    CardanSpace space = take->description->space;
    int count = field->count[space], full = field->count[CARDAN_SPACE_SPATIAL];
    assert(field->def != 0 && full <= CRD_NUMBERS_ROOM);
    double x[CRD_NUMBERS_ROOM];
    memcpy(x, take->def + field->def, (size_t)full * sizeof *x);
    if (count == 0 && field->rule == CRD_DIRECTION && !field->local && (any(x, 2) || x[2] < 0.0))
        return crd_fail(take->error, CARDAN_ERR_MODEL, "%s: planar axes of rotation are +z", take->title.text);
    if (count == 0) return CARDAN_OK;
    if (count == 2 && full == 3 && x[2] != 0.0)
        return crd_fail(take->error, CARDAN_ERR_MODEL, "'%s': %s has a z component in a planar model",
                        crd_shown_text(take->name).text, field->key);
    bool given = is_given(take, field, x, full);
    if (given) crd_mark(take->element, take->table, field);
    if (given || field->need != CRD_MAYBE) memcpy(place_in(take, field), x, (size_t)full * sizeof *x);
    return CARDAN_OK;
}

/* ---- laws ---- */

static CardanStatus take_drive(const Take *take, const CrdField *field, int k, const char *text) {
    bool uses;
    CrdError inner = {0};
    CardanStatus status = crd_drive_check(take->description, text, field->variable, &uses, &inner);
    if (status == CARDAN_ERR_MEMORY) return crd_fail_memory(take->error);
    if (status < 0) return crd_fail(take->error, status, "%s: %s", take->title.text, inner.text);
    crd_mark(take->element, take->table, field);
    return keep_law(take, k, text);
}

static CardanStatus take_driven(const Take *take, const CrdField *field) {
    const char *law = text_at(take, field->law);
    return law != NULL ? take_drive(take, field, 0, law) : take_numbers(take, field);
}

static CardanStatus take_path(const Take *take, const CrdField *field) {
    for (int k = 0; k < field->count[take->description->space]; k++) {
        const char *law = text_at(take, field->law + (size_t)k * sizeof law);
        if (law == NULL)
            return crd_fail(take->error, CARDAN_ERR_MODEL, "%s: its %s has no component '%c'", take->title.text,
                            field->key, "xyz"[k]);
        CRD_TRY(take_drive(take, field, k, law));
    }
    return CARDAN_OK;
}

/* Of the three components a definition has, those of the row. */
static CardanStatus take_value(const Take *take, const CrdField *field) {
    assert(take->owner == CRD_OWNER_FORCE);
    const CardanForceDef *def = (const CardanForceDef *)(const void *)take->def;
    const double given[3] = {def->value.x, def->value.y, def->value.z};
    double *out = place_in(take, field);
    for (int k = 0; k < 3; k++) {
        bool there = k >= field->component && k < field->component + field->count[take->description->space];
        if (!there && (given[k] != 0.0 || def->law[k] != NULL))
            return crd_fail(take->error, CARDAN_ERR_MODEL, "%s: its value has no component '%c' here", take->title.text,
                            "xyz"[k]);
        if (there) out[k - field->component] = given[k];
        if (there && def->law[k] != NULL) CRD_TRY(keep_law(take, k, def->law[k]));
    }
    return CARDAN_OK;
}

static CardanStatus take_law(const Take *take, const CrdField *field) {
    const char *law = text_at(take, field->law);
    return law != NULL ? keep_law(take, 0, law) : CARDAN_OK;
}

/* Laws that no row has asked for. */
static CardanStatus refuse_laws(const Take *take) {
    if (take->owner == CRD_OWNER_JOINT) {
        bool follows = crd_field_holding(take->table, CRD_HOLDS_DRIVEN, take->element->form) != NULL;
        if (follows || text_at(take, offsetof(CardanJointDef, law)) == NULL) return CARDAN_OK;
        return crd_fail(take->error, CARDAN_ERR_MODEL, "%s: a %s joint follows no law", take->title.text,
                        crd_joint_kinds[take->element->type]->name);
    }
    const CardanForceDef *def = (const CardanForceDef *)(const void *)take->def;
    for (int k = 0; k < 3; k++)
        if (def->law[k] != NULL && take->element->law[k] == NULL)
            return crd_fail(take->error, CARDAN_ERR_MODEL, "%s: a force of this type has no law[%d]", take->title.text,
                            k);
    return CARDAN_OK;
}

/* ---- bodies and joints ---- */

static CardanStatus take_bodies(const Take *take, const CrdField *field, int count) {
    int *frames = place_in(take, field);
    for (int k = 0; k < count; k++) {
        CardanBody body = {int_at(take, field->def + (size_t)k * sizeof body)};
        CRD_TRY(crd_take_body(take->description, body, take->name, &frames[k], take->error));
    }
    return CARDAN_OK;
}

/* Each item is a body, or a body and a point of it. */
static CardanStatus take_points(const Take *take, const CrdField *field) {
    bool bare = field->holds == CRD_HOLDS_BODY_LIST;
    size_t size = bare ? sizeof(CardanBody) : sizeof(CardanBodyPoint);
    int count = int_at(take, field->flag), least = bare ? 1 : 2;
    const unsigned char *items = (const unsigned char *)text_at(take, field->def);
    if (count < least || items == NULL)
        return crd_fail(take->error, CARDAN_ERR_ARGUMENT, "%s needs %s, %d or more", take->title.text, field->key,
                        least);
    for (int i = 0; i < count; i++) {
        CardanBodyPoint item;
        CrdForcePoint point = {0};
        memset(&item, 0, sizeof item);
        memcpy(&item, items + (size_t)i * size, size);
        CRD_TRY(crd_take_body(take->description, item.body, take->name, &point.frame, take->error));
        CRD_TRY(crd_take_vector(take->description, item.point, take->name, "a point", point.local, take->error));
        CRD_TRY(crd_add_point(take->description, take->element, &point, take->error));
    }
    return CARDAN_OK;
}

static CardanStatus take_term(const Take *take, CardanTerm term) {
    if (term.joint.index < 1 || term.joint.index > take->description->joint_count ||
        (unsigned)term.coordinate > CARDAN_COORDINATE_LENGTH)
        return crd_fail(take->error, CARDAN_ERR_ARGUMENT, "%s: there is no joint number %d (or coordinate %d)",
                        take->title.text, term.joint.index, (int)term.coordinate);
    CrdTermDesc fresh = {term.joint.index, term.coordinate, term.coefficient, {0, 0}};
    return crd_add_term(take->description, take->element, &fresh, take->error);
}

static CardanStatus take_terms(const Take *take) {
    assert(take->owner == CRD_OWNER_JOINT);
    const CardanJointDef *def = (const CardanJointDef *)(const void *)take->def;
    if (def->terms < 1 || def->term == NULL)
        return crd_fail(take->error, CARDAN_ERR_ARGUMENT, "%s needs terms >= 1 and term", take->title.text);
    for (int i = 0; i < def->terms; i++) CRD_TRY(take_term(take, def->term[i]));
    return CARDAN_OK;
}

static CardanStatus take_joint(const Take *take, const CrdField *field) {
    int joint = int_at(take, field->def);
    if (take->owner == CRD_OWNER_JOINT) {
        const CardanJointDef *def = (const CardanJointDef *)(const void *)take->def;
        return take_term(take, (CardanTerm){{joint}, def->coordinate, 1.0});
    }
    if (joint < 1 || joint > take->description->joint_count)
        return crd_fail(take->error, CARDAN_ERR_ARGUMENT, "%s: it cannot act on joint number %d", take->title.text,
                        joint);
    memcpy(place_in(take, field), &joint, sizeof joint);
    return CARDAN_OK;
}

static CardanStatus take_coordinate(const Take *take, const CrdField *field) {
    int which = int_at(take, field->def);
    if (which < 0 || which > CARDAN_COORDINATE_LENGTH)
        return crd_fail(take->error, CARDAN_ERR_ARGUMENT, "%s: there is no coordinate number %d", take->title.text,
                        which);
    memcpy(place_in(take, field), &which, sizeof which);
    return CARDAN_OK;
}

static CardanStatus take_pointer(const Take *take, const CrdField *field) {
    static const unsigned char NONE[sizeof(void *)] = {0};
    if (field->need == CRD_REQUIRED && memcmp(take->def + field->def, NONE, sizeof NONE) == 0)
        return crd_fail(take->error, CARDAN_ERR_ARGUMENT, "%s needs %s", take->title.text, field->key);
    memcpy(place_in(take, field), take->def + field->def, sizeof NONE);
    return CARDAN_OK;
}

/* ---- the whole ---- */

static CardanStatus take_field(const Take *take, const CrdField *field) {
    switch (field->holds) {
    case CRD_HOLDS_NUMBERS:
    case CRD_HOLDS_PAIR:
    case CRD_HOLDS_POINT:
    case CRD_HOLDS_AXIS:
        return take_numbers(take, field);
    case CRD_HOLDS_DRIVEN:
        return take_driven(take, field);
    case CRD_HOLDS_VALUE:
        return field->count[take->description->space] > 0 ? take_value(take, field) : CARDAN_OK;
    case CRD_HOLDS_LAW:
    case CRD_HOLDS_TARGET:
        return take_law(take, field);
    case CRD_HOLDS_PATH:
        return take_path(take, field);
    case CRD_HOLDS_BODY:
        return take_bodies(take, field, 1);
    case CRD_HOLDS_BODIES:
        return take_bodies(take, field, 2);
    case CRD_HOLDS_POINTS:
    case CRD_HOLDS_BODY_LIST:
        return take_points(take, field);
    case CRD_HOLDS_JOINT:
        return take_joint(take, field);
    case CRD_HOLDS_COORDINATE:
        return take_coordinate(take, field);
    case CRD_HOLDS_TERMS:
        return take_terms(take);
    case CRD_HOLDS_POINTER:
        return take_pointer(take, field);
    case CRD_HOLDS_FRAME:
        memcpy(place_in(take, field), take->def + field->def, sizeof(bool));
        return CARDAN_OK;
    default:
        return CARDAN_OK;
    }
}

/* Of a kind with forms the first row of form 1 is a joint: a definition that names one means it. */
static int form_of(const Take *take) {
    const CrdField *first = &take->table.fields[0];
    if (first->form == 0) return 0;
    assert(first->holds == CRD_HOLDS_JOINT);
    return int_at(take, first->def) != 0 ? 1 : 2;
}

/* Where a marker says so. */
static CardanStatus take_marker(Take *take, CardanMarker at) {
    CrdError inner = {0};
    if (at.index == 0) return CARDAN_OK;
    if (at.index < 1 || at.index > take->description->marker_count)
        return crd_fail(take->error, CARDAN_ERR_ARGUMENT, "%s: there is no marker number %d", take->title.text,
                        at.index);
    CardanStatus status = crd_place_at(take->description, take->owner, take->element, at.index, &inner);
    return status < 0 ? crd_fail(take->error, status, "%s: %s", take->title.text, inner.text) : CARDAN_OK;
}

static CardanStatus take_element(Take *take, int type) {
    CRD_TRY(crd_take_name(&take->element->name, take->name, take->noun, take->error));
    take->title = crd_object_name(take->noun, take->name);
    take->table = crd_element_fields(take->owner, type);
    crd_set_type(take->element, take->table, type);
    if (take->table.count == 0)
        return crd_fail(take->error, CARDAN_ERR_ARGUMENT,
                        type == 0 ? "%s has no type: set .type" : "%s: there is no type number %d", take->title.text,
                        type);
    take->element->form = form_of(take);
    for (int i = 0; i < take->table.count; i++) {
        const CrdField *field = &take->table.fields[i];
        if (field->form == 0 || field->form == take->element->form) CRD_TRY(take_field(take, field));
    }
    return refuse_laws(take);
}

CardanStatus crd_convert_joint(CrdDescription *description, const CardanJointDef *def, CrdJointDesc *joint,
                               CrdError *error) {
    const unsigned known = CARDAN_LOCAL_POINT_A | CARDAN_LOCAL_POINT_B | CARDAN_LOCAL_AXIS_A | CARDAN_LOCAL_AXIS_B |
                           CARDAN_POINT_AT_CENTRE;
    Take take = {.description = description,
                 .owner = CRD_OWNER_JOINT,
                 .def = (const unsigned char *)def,
                 .noun = "joint",
                 .name = def->name,
                 .local = def->local,
                 .element = joint,
                 .error = error};
    *joint = (CrdJointDesc){.place = {0, 0}};
    CRD_TRY(take_element(&take, (int)def->type));
    CRD_TRY(take_marker(&take, def->at));
    if ((def->local & ~known) == 0) return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_ARGUMENT, "%s: unknown bits in local", take.title.text);
}

CardanStatus crd_convert_force(CrdDescription *description, const CardanForceDef *def, CrdForceDesc *force,
                               CrdError *error) {
    Take take = {.description = description,
                 .owner = CRD_OWNER_FORCE,
                 .def = (const unsigned char *)def,
                 .noun = "force",
                 .name = def->name,
                 .element = force,
                 .error = error};
    *force = (CrdForceDesc){.place = {0, 0}};
    CRD_TRY(take_element(&take, (int)def->type));
    CRD_TRY(take_marker(&take, def->at));
    bool on_joint = crd_field_holding(take.table, CRD_HOLDS_JOINT, force->form) != NULL;
    if (on_joint || def->joint.index == 0) return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_ARGUMENT, "%s: it cannot act on joint number %d", take.title.text,
                    def->joint.index);
}
