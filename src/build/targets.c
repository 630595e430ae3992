/* Numbers by name, as cardan_builder_bind takes them: "crank.mass", "rod.position[0]", "spring.points[1][0]". */
#include "build/checks.h"

#include <stdlib.h>
#include <string.h>

/* What follows the key: nothing for the only number of a field, else [k]. -1: neither. */
static int component(const char *rest, int count) {
    if (rest[0] == '\0') return count == 1 ? 0 : -1;
    if (rest[0] != '[' || rest[1] < '0' || rest[1] > '9') return -1;
    char *end = NULL;
    long k = strtol(rest + 1, &end, 10);
    return strcmp(end, "]") == 0 && k < count ? (int)k : -1;
}

/* An orientation not given so far starts from no rotation in the form that is bound. */
static void begin_orientation(CrdOrientationForm *form, double *orientation, const CrdField *field) {
    *form = (CrdOrientationForm)(field->form - CRD_FORM_ORIENTATION);
    if (*form == CRD_ORIENTATION_QUATERNION) orientation[0] = 1.0;
    if (*form == CRD_ORIENTATION_AXIS_ANGLE) orientation[2] = 1.0;
}

static CardanStatus take_form(CrdBodyDesc *body, CardanSpace space, const CrdField *field, const char *number,
                              CrdError *error) {
    if (body->particle && field->form != 0)
        return crd_fail(error, CARDAN_ERR_MODEL, "'%s': body '%s' is a particle", number, body->name);
    if (crd_field_active(field, space, CRD_OWNER_BODY, body)) return CARDAN_OK;
    if (field->form < CRD_FORM_INERTIA && body->orientation_form == CRD_ORIENTATION_NONE) {
        begin_orientation(&body->orientation_form, body->orientation, field);
        return CARDAN_OK;
    }
    return crd_fail(error, CARDAN_ERR_MODEL, "'%s': the %s of body '%s' is given in another form", number,
                    field->form < CRD_FORM_INERTIA ? "orientation" : "inertia", body->name);
}

static CardanStatus take_marker_form(CrdMarkerDesc *marker, CardanSpace space, const CrdField *field,
                                     const char *number, CrdError *error) {
    if (crd_field_active(field, space, CRD_OWNER_MARKER, marker)) return CARDAN_OK;
    if (marker->orientation_form != CRD_ORIENTATION_NONE)
        return crd_fail(error, CARDAN_ERR_MODEL, "'%s': the orientation of marker '%s' is given in another form",
                        number, marker->name);
    begin_orientation(&marker->orientation_form, marker->orientation, field);
    return CARDAN_OK;
}

/* Component k of a joint's or force's field is bound: it counts as given, unless it follows a law. */
static CardanStatus take_number(CrdElementDesc *element, CrdFieldTable table, const CrdField *field, int k,
                                const char *number, CrdError *error) {
    const char *law = NULL;
    assert(k >= 0 && k < CRD_NUMBERS_ROOM);
    if (field->holds == CRD_HOLDS_VALUE) law = element->law[field->component + k];
    if (field->holds == CRD_HOLDS_DRIVEN) law = element->law[0];
    if (law != NULL)
        return crd_fail(error, CARDAN_ERR_MODEL, "'%s' follows the law '%s' already", number, crd_shown_text(law).text);
    crd_mark(element, table, field);
    return CARDAN_OK;
}

/* Numbers of the items of a joint or force: "joints[k]", coefficient k of a coupler; "points[i][k]". */
static bool find_item(const CrdDescription *description, const CrdElementDesc *element, CrdFieldTable table,
                      const char *key, CrdTarget *target) {
    bool terms = target->owner == CRD_OWNER_JOINT;
    const CrdField *field = crd_field_holding(table, terms ? CRD_HOLDS_TERMS : CRD_HOLDS_POINTS, element->form);
    size_t n = field != NULL ? strlen(field->key) : 0;
    if (field == NULL || strncmp(key, field->key, n) != 0) return false;
    const char *rest = key + n;
    char first[32];
    size_t length = terms ? strlen(rest) : strcspn(rest, "]") + 1;
    if (length >= sizeof first || length > strlen(rest)) return false;
    memcpy(first, rest, length);
    first[length] = '\0';
    int i = component(first, element->items);
    int k = terms ? 0 : component(rest + length, description->space == CARDAN_SPACE_PLANAR ? 2 : 3);
    if (i < 0 || k < 0) return false;
    size_t offset = terms ? offsetof(CrdTermDesc, coefficient) : offsetof(CrdForcePoint, local);
    *target =
        (CrdTarget){terms ? CRD_OWNER_TERM : CRD_OWNER_POINT, element->item + i, offset + (size_t)k * sizeof(double)};
    return true;
}

static CardanStatus no_number(const char *key, const char *number, CrdError *error) {
    return crd_fail(error, CARDAN_ERR_MODEL, "'%s': there is no number '%s' there", number, crd_shown_text(key).text);
}

/* May the field be bound at all? One of a mapping that was not written may not. */
static bool can_be_bound(const CrdDescription *description, CrdTarget target, const CrdField *field) {
    const void *object = crd_object_of(description, target.owner, target.index);
    if (!crd_field_has_numbers(field) || field->count[description->space] == 0) return false;
    if (!crd_is_element(target.owner)) return true;
    return crd_field_active(field, description->space, target.owner, object) &&
           (field->holds != CRD_HOLDS_PAIR || crd_is_compliant(object));
}

static CardanStatus find_in_object(CrdDescription *description, CrdTarget *target, const char *key, const char *number,
                                   CrdError *error) {
    CrdFieldTable table = crd_fields_of(description, target->owner, target->index);
    CrdElementDesc *element = NULL;
    if (target->owner == CRD_OWNER_JOINT) element = &description->joints[target->index];
    if (target->owner == CRD_OWNER_FORCE) element = &description->forces[target->index];
    if (element != NULL && find_item(description, element, table, key, target)) return CARDAN_OK;
    for (int i = 0; i < table.count; i++) {
        const CrdField *field = &table.fields[i];
        size_t n = strlen(field->key);
        if (strncmp(key, field->key, n) != 0 || (key[n] != '\0' && key[n] != '[')) continue;
        if (!can_be_bound(description, *target, field)) continue;
        int count = field->count[description->space], k = component(key + n, count);
        if (k < 0)
            return crd_fail(error, CARDAN_ERR_MODEL, "'%s': '%s' has %d number%s, counted from [0]", number, field->key,
                            count, count == 1 ? "" : "s");
        target->offset = crd_field_base(target->owner) + field->own + (size_t)k * sizeof(double);
        if (element != NULL) return take_number(element, table, field, k, number, error);
        if (target->owner == CRD_OWNER_MARKER)
            return take_marker_form(&description->markers[target->index], description->space, field, number, error);
        if (target->owner != CRD_OWNER_BODY) return CARDAN_OK;
        return take_form(&description->bodies[target->index], description->space, field, number, error);
    }
    return no_number(key, number, error);
}

static CardanStatus find_rate(const CrdDescription *description, const char *joint, const char *number, CrdTarget *out,
                              CrdError *error) {
    CrdNamed named = crd_names_find(&description->names, joint, strlen(joint));
    for (int i = 0; i < description->rate_count && named.kind == CRD_NAME_JOINT; i++) {
        if (description->rates[i].joint != named.index + 1) continue;
        *out = (CrdTarget){CRD_OWNER_RATE, i, offsetof(CrdStartRate, rate)};
        return CARDAN_OK;
    }
    return crd_fail(error, CARDAN_ERR_MODEL, "'%s': no start rate is set for '%s'", number, crd_shown_text(joint).text);
}

static CardanStatus find_input(const CrdDescription *description, const char *input, const char *number, CrdTarget *out,
                               CrdError *error) {
    CrdNamed named = crd_names_find(&description->numbers, input, strlen(input));
    if (named.kind != CRD_NAME_INPUT)
        return crd_fail(error, CARDAN_ERR_MODEL, "'%s': there is no input '%s'", number, crd_shown_text(input).text);
    *out = (CrdTarget){CRD_OWNER_INPUT, named.index, offsetof(CrdInputDesc, value)};
    return CARDAN_OK;
}

CardanStatus crd_target_find(CrdDescription *description, const char *number, CrdTarget *out, CrdError *error) {
    const char *dot = strchr(number, '.');
    if (dot == NULL) {
        *out = (CrdTarget){CRD_OWNER_MODEL, 0, 0};
        return find_in_object(description, out, number, number, error);
    }
    CrdNamed named = crd_names_find(&description->names, number, (size_t)(dot - number));
    *out = (CrdTarget){CRD_OWNER_MODEL, named.index, 0};
    switch (named.kind) {
    case CRD_NAME_BODY:
        out->owner = CRD_OWNER_BODY;
        break;
    case CRD_NAME_JOINT:
        out->owner = CRD_OWNER_JOINT;
        break;
    case CRD_NAME_FORCE:
        out->owner = CRD_OWNER_FORCE;
        break;
    case CRD_NAME_MARKER:
        out->owner = CRD_OWNER_MARKER;
        break;
    default:
        if (strncmp(number, "inputs.", 7) == 0) return find_input(description, number + 7, number, out, error);
        if (strncmp(number, "start.rates.", 12) == 0) return find_rate(description, number + 12, number, out, error);
        return crd_fail(error, CARDAN_ERR_MODEL, "'%s': there is no body, joint, force or marker '%s'",
                        crd_shown_text(number).text, crd_shown(number, (size_t)(dot - number)).text);
    }
    return find_in_object(description, out, dot + 1, number, error);
}
