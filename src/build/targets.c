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
static CardanStatus take_form(CrdBodyDesc *body, const CrdField *field, const char *number, CrdError *error) {
    if (body->particle && field->group != CRD_GROUP_NONE)
        return crd_fail(error, CARDAN_ERR_MODEL, "'%s': body '%s' is a particle", number, body->name);
    if (crd_field_active(field, CRD_OWNER_BODY, body)) return CARDAN_OK;
    if (field->group == CRD_GROUP_ORIENTATION && body->orientation_form == CRD_ORIENTATION_NONE) {
        body->orientation_form = (CrdOrientationForm)field->form;
        if (field->form == CRD_ORIENTATION_QUATERNION) body->orientation[0] = 1.0;
        if (field->form == CRD_ORIENTATION_AXIS_ANGLE) body->orientation[2] = 1.0;
        return CARDAN_OK;
    }
    const char *what = field->group == CRD_GROUP_INERTIA ? "inertia" : "orientation";
    return crd_fail(error, CARDAN_ERR_MODEL, "'%s': the %s of body '%s' is given in another form", number, what,
                    body->name);
}

static void take_joint_number(CrdJointDesc *joint, const CrdField *field) {
    if (strcmp(field->key, "length") == 0) joint->length_given = true;
    if (strcmp(field->key, "s") == 0) joint->s_given = true;
    if (strcmp(field->key, "axis") == 0 || strcmp(field->key, "local_axis.b") == 0) joint->axis_given = true;
    if (strcmp(field->key, "axis2") == 0) joint->axis2_given = true;
    if (strcmp(field->key, "point") == 0) joint->local &= ~(unsigned)CARDAN_POINT_AT_CENTRE;
    if (strcmp(field->key, "local.a") == 0) joint->local |= CARDAN_LOCAL_POINT_A;
    if (strcmp(field->key, "local.b") == 0) joint->local |= CARDAN_LOCAL_POINT_B;
    if (strcmp(field->key, "local_axis.a") == 0) joint->local |= CARDAN_LOCAL_AXIS_A;
    if (strcmp(field->key, "local_axis.b") == 0) joint->local |= CARDAN_LOCAL_AXIS_B;
}

static CardanStatus take_force_number(CrdForceDesc *force, const CrdField *field, size_t offset, const char *number,
                                      CrdError *error) {
    bool *given = crd_force_given(force, field->key);
    if (given != NULL) *given = true;
    if (strcmp(field->key, "value") != 0) return CARDAN_OK;
    const char *law = force->law[(offset - offsetof(CrdForceDesc, value)) / sizeof(double)];
    if (law == NULL) return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_MODEL, "'%s' follows the law '%s' already", number,
                    crd_shown(law, strlen(law)).text);
}

/* Does a joint of this type use the number? */
static bool joint_uses(const CrdDescription *d, const CrdJointDesc *joint, const CrdField *field) {
    if (joint->rows != NULL) return false;
    unsigned needs = crd_joint_kinds[joint->type]->needs;
    bool fixed = joint->law[0] == NULL, wheel = (needs & CRD_NEEDS_WHEEL) != 0;
    if (strcmp(field->key, "length") == 0) return (needs & CRD_NEEDS_LENGTH) != 0 && fixed;
    if (strcmp(field->key, "value") == 0) return joint->terms > 0 && fixed;
    if (strcmp(field->key, "pitch") == 0) return (needs & CRD_NEEDS_PITCH) != 0;
    if (strcmp(field->key, "s") == 0) return (needs & CRD_NEEDS_CURVE) != 0;
    if (strcmp(field->key, "radius") == 0 || strcmp(field->key, "normal") == 0) return wheel;
    if (strncmp(field->key, "compliant", 9) == 0) return joint->compliant;
    if (joint->terms > 0) return false;
    if (strcmp(field->key, "axis2") == 0) return (needs & (CRD_NEEDS_AXIS2 | CRD_TAKES_AXIS2)) != 0;
    if (strstr(field->key, "axis") != NULL) return crd_joint_needs_axis(joint->type, d->space) || wheel;
    return strcmp(field->key, "point") != 0 || joint->type != CARDAN_DISTANCE;
}

/* "joints[k]": coefficient number k of a coupler. */
static bool find_term(const CrdJointDesc *joint, const char *key, CrdTarget *target) {
    if (strncmp(key, "joints", 6) != 0) return false;
    int k = component(key + 6, joint->terms);
    if (joint->type != CARDAN_COUPLER || k < 0) return false;
    *target = (CrdTarget){CRD_OWNER_TERM, joint->term + k, offsetof(CrdTermDesc, coefficient)};
    return true;
}

static CardanStatus find_in_object(CrdDescription *d, CrdTarget *target, const char *key, const char *number,
                                   CrdError *error) {
    CrdFieldTable table = crd_fields_of(d, target->owner, target->index);
    if (target->owner == CRD_OWNER_JOINT && find_term(&d->joints[target->index], key, target)) return CARDAN_OK;
    for (int i = 0; i < table.count; i++) {
        const CrdField *field = &table.fields[i];
        size_t n = strlen(field->key);
        if (field->count[d->space] == 0 || strncmp(key, field->key, n) != 0) continue;
        if (key[n] != '\0' && key[n] != '[') continue;
        if (target->owner == CRD_OWNER_JOINT && !joint_uses(d, &d->joints[target->index], field)) break;
        int k = component(key + n, field->count[d->space]);
        if (k < 0) {
            return crd_fail(error, CARDAN_ERR_MODEL, "'%s': '%s' has %d number%s, counted from [0]", number, field->key,
                            field->count[d->space], field->count[d->space] == 1 ? "" : "s");
        }
        target->offset = field->offset[d->space] + (size_t)k * sizeof(double);
        if (target->owner == CRD_OWNER_BODY) return take_form(&d->bodies[target->index], field, number, error);
        if (target->owner == CRD_OWNER_JOINT) take_joint_number(&d->joints[target->index], field);
        if (target->owner == CRD_OWNER_FORCE)
            return take_force_number(&d->forces[target->index], field, target->offset, number, error);
        return CARDAN_OK;
    }
    return crd_fail(error, CARDAN_ERR_MODEL, "'%s': there is no number '%s' there", number,
                    crd_shown(key, strlen(key)).text);
}

static CardanStatus find_rate(const CrdDescription *d, const char *joint, const char *number, CrdTarget *out,
                              CrdError *error) {
    CrdNamed named = crd_names_find(&d->names, joint, strlen(joint));
    for (int i = 0; i < d->rate_count && named.kind == CRD_NAME_JOINT; i++) {
        if (d->rates[i].joint != named.index + 1) continue;
        *out = (CrdTarget){CRD_OWNER_RATE, i, offsetof(CrdStartRate, rate)};
        return CARDAN_OK;
    }
    return crd_fail(error, CARDAN_ERR_MODEL, "'%s': no start rate is set for '%s'", number,
                    crd_shown(joint, strlen(joint)).text);
}

static CardanStatus find_input(const CrdDescription *d, const char *input, const char *number, CrdTarget *out,
                               CrdError *error) {
    CrdNamed named = crd_names_find(&d->numbers, input, strlen(input));
    if (named.kind != CRD_NAME_INPUT) {
        return crd_fail(error, CARDAN_ERR_MODEL, "'%s': there is no input '%s'", number,
                        crd_shown(input, strlen(input)).text);
    }
    *out = (CrdTarget){CRD_OWNER_INPUT, named.index, offsetof(CrdInputDesc, value)};
    return CARDAN_OK;
}

CardanStatus crd_target_find(CrdDescription *d, const char *number, CrdTarget *out, CrdError *error) {
    const char *dot = strchr(number, '.');
    if (dot == NULL) {
        *out = (CrdTarget){CRD_OWNER_MODEL, 0, 0};
        return find_in_object(d, out, number, number, error);
    }
    CrdNamed named = crd_names_find(&d->names, number, (size_t)(dot - number));
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
    default:
        if (strncmp(number, "inputs.", 7) == 0) return find_input(d, number + 7, number, out, error);
        if (strncmp(number, "start.rates.", 12) == 0) return find_rate(d, number + 12, number, out, error);
        return crd_fail(error, CARDAN_ERR_MODEL, "'%s': there is no body, joint or force '%s'",
                        crd_shown(number, strlen(number)).text, crd_shown(number, (size_t)(dot - number)).text);
    }
    return find_in_object(d, out, dot + 1, number, error);
}
