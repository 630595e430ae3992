/* See checks.h. A principal moment larger than the sum of the other two belongs to no distribution of mass. */
#include "build/blame.h"

#include "build/inertia.h"
#include "build/options.h"
#include "core/numbers.h"
#include "core/vec.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool crd_joint_is_driven(const CrdJointDesc *joint) {
    if (joint->rows != NULL) return false;
    CardanCoordinate coordinate = crd_joint_kinds[joint->type]->coordinates[0];
    return coordinate == CARDAN_ANGLE || coordinate == CARDAN_DISPLACEMENT;
}

bool crd_joint_needs_axis(CardanJointType type, CardanSpace space) {
    unsigned needs = crd_joint_kinds[type]->needs;
    return (needs & CRD_NEEDS_AXIS) != 0 || (space == CARDAN_SPATIAL && (needs & CRD_NEEDS_AXIS_IN_SPACE) != 0);
}

const char *crd_coordinate_name(CardanCoordinate coordinate) {
    static const char *const NAMES[] = {"coordinate", "angle", "displacement", "length"};
    return NAMES[coordinate];
}

const char *crd_article(const char *name) {
    return name[0] == 'a' ? "an" : "a";
}

int crd_joint_type_names(CardanSpace space, const char **names) {
    int count = 0;
    for (int i = 0; i < CARDAN_JOINT_TYPES; i++) {
        if (crd_joint_kinds[i]->space[space]) names[count++] = crd_joint_kinds[i]->name;
    }
    return count;
}

/* "body 'crank': sentence", and the key at fault. */
CardanStatus crd_blame_key(CrdError *error, CrdBlame *blame, const char *key, const char *object, const char *format,
                           ...) {
    char sentence[CRD_MESSAGE_SIZE / 2];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    if (blame != NULL) blame->key = key;
    return crd_fail(error, CARDAN_ERR_MODEL, "%s: %s", object, sentence);
}

CrdObjectName crd_object_name(const char *kind, const char *name) {
    CrdObjectName named;
    snprintf(named.text, sizeof named.text, "%s '%s'", kind, crd_shown(name, strlen(name)).text);
    return named;
}

CardanStatus crd_check_finite(const CrdDescription *d, CrdFieldTable table, CrdOwner owner, const void *object,
                              const char *name, CrdBlame *blame, CrdError *error) {
    for (int i = 0; i < table.count; i++) {
        const CrdField *field = &table.fields[i];
        if (!crd_field_active(field, owner, object)) continue;
        for (int k = 0; k < field->count[d->space]; k++) {
            double x;
            size_t offset = field->offset[d->space] + (size_t)k * sizeof x;
            memcpy(&x, (const unsigned char *)object + offset, sizeof x);
            if (!isfinite(x)) return crd_blame_key(error, blame, field->key, name, "%s is not finite", field->key);
        }
    }
    return CARDAN_OK;
}

CardanStatus crd_check_direction(const double *axis, int count, const char *key, const char *name, CrdBlame *blame,
                                 CrdError *error) {
    double square = 0.0;
    for (int k = 0; k < count; k++) square += axis[k] * axis[k];
    if (!(sqrt(square) > CRD_AXIS_MIN)) return crd_blame_key(error, blame, key, name, "%s is zero", key);
    if (!isfinite(square)) return crd_blame_key(error, blame, key, name, "%s is too long to be normalised", key);
    return CARDAN_OK;
}

/* ---- bodies ---- */

static const char *inertia_key(const CrdBodyDesc *body) {
    static const char *const KEYS[] = {"inertia", "inertia.rod", "inertia.box", "inertia.cylinder", "inertia.sphere"};
    return KEYS[body->inertia_form];
}

static CardanStatus check_shape(const CrdBodyDesc *body, const char *name, CrdBlame *blame, CrdError *error) {
    const double *n = body->inertia;
    const char *key = inertia_key(body);
    switch (body->inertia_form) {
    case CRD_INERTIA_TENSOR:
        break;
    case CRD_INERTIA_ROD:
        if (!(n[0] > 0.0)) return crd_blame_key(error, blame, key, name, "the rod's length must be > 0, is %g", n[0]);
        if (!(n[1] >= 0.0))
            return crd_blame_key(error, blame, "inertia.radius", name, "the rod's radius must be >= 0, is %g", n[1]);
        break;
    case CRD_INERTIA_BOX:
        for (int k = 0; k < 3; k++) {
            if (!(n[k] >= 0.0))
                return crd_blame_key(error, blame, key, name, "an edge of the box is %g, must be >= 0", n[k]);
        }
        break;
    case CRD_INERTIA_CYLINDER:
        if (!(n[0] > 0.0)) return crd_blame_key(error, blame, key, name, "the cylinder's radius must be > 0, is %g", n[0]);
        if (!(n[1] >= 0.0))
            return crd_blame_key(error, blame, key, name, "the cylinder's height must be >= 0, is %g", n[1]);
        break;
    case CRD_INERTIA_SPHERE:
        if (!(n[0] > 0.0)) return crd_blame_key(error, blame, key, name, "the sphere's radius must be > 0, is %g", n[0]);
        break;
    }
    return CARDAN_OK;
}

static CardanStatus check_inertia(const CrdDescription *d, const CrdBodyDesc *body, const char *name, CrdBlame *blame,
                                  CrdError *error) {
    CRD_TRY(check_shape(body, name, blame, error));
    const char *key = inertia_key(body);
    double tensor[6], p[3];
    crd_body_inertia(body, tensor);
    if (d->space == CARDAN_PLANAR) {
        if (tensor[2] > 0.0 && isfinite(tensor[2])) return CARDAN_OK;
        return crd_blame_key(error, blame, key, name, "inertia about z must be > 0 and finite, is %g", tensor[2]);
    }
    crd_principal_moments(tensor, p);
    if (!(p[0] > 0.0) || !isfinite(p[2])) {
        bool bare_rod = body->inertia_form == CRD_INERTIA_ROD && body->inertia[1] == 0.0;
        return crd_blame_key(error, blame, key, name, "inertia is not positive definite: principal moments %g, %g, %g%s",
                         p[0], p[1], p[2], bare_rod ? "; in space a rod needs a radius" : "");
    }
    if (p[0] + p[1] < p[2] * (1.0 - CRD_INERTIA_SLACK)) {
        return crd_blame_key(
            error, blame, key, name,
            "inertia breaks the triangle inequality: principal moments %.9g + %.9g < %.9g, so no body has it", p[0],
            p[1], p[2]);
    }
    return CARDAN_OK;
}

CardanStatus crd_check_body(const CrdDescription *d, const CrdBodyDesc *body, CrdBlame *blame, CrdError *error) {
    CrdObjectName name = crd_object_name("body", body->name);
    CRD_TRY(crd_check_finite(d, crd_body_fields(), CRD_OWNER_BODY, body, name.text, blame, error));
    if (!(body->mass > 0.0)) return crd_blame_key(error, blame, "mass", name.text, "mass must be > 0, is %g", body->mass);
    if (body->particle) return CARDAN_OK;
    CRD_TRY(check_inertia(d, body, name.text, blame, error));
    if (body->orientation_form == CRD_ORIENTATION_QUATERNION)
        return crd_check_direction(body->orientation, 4, "quaternion", name.text, blame, error);
    if (body->orientation_form == CRD_ORIENTATION_AXIS_ANGLE)
        return crd_check_direction(body->orientation, 3, "axis_angle", name.text, blame, error);
    return CARDAN_OK;
}

/* ---- joints ---- */

bool crd_is_particle(const CrdDescription *d, int carrier) {
    CrdCarrierDesc c = d->carriers[carrier];
    return c.kind == CRD_CARRIER_BODY && d->bodies[c.object].particle;
}

static CardanStatus check_ends(const CrdDescription *d, const CrdJointDesc *joint, const char *name, CrdBlame *blame,
                               CrdError *error) {
    const CrdJointKind *kind = crd_joint_kinds[joint->type];
    char body[64];
    if (joint->a == joint->b) {
        return crd_blame_key(error, blame, "bodies", name, "joins '%s' with itself",
                         crd_carrier_name(d, joint->a, body, sizeof body));
    }
    int ends[2] = {joint->a, joint->b};
    for (int k = 0; k < 2; k++) {
        if (kind->particles[d->space] || !crd_is_particle(d, ends[k])) continue;
        return crd_blame_key(error, blame, "bodies", name,
                         "'%s' is a particle and has no orientation, which a %s joint needs",
                         crd_carrier_name(d, ends[k], body, sizeof body), kind->name);
    }
    return CARDAN_OK;
}

static CardanStatus check_axes(const CrdDescription *d, const CrdJointDesc *joint, const char *name, CrdBlame *blame,
                               CrdError *error) {
    int n = d->space == CARDAN_PLANAR ? 2 : 3;
    bool on_b = (joint->local & CARDAN_LOCAL_AXIS_B) != 0;
    if (joint->type == CARDAN_KNIFE_EDGE) /* it has one axis, in b */
        return crd_check_direction(on_b ? joint->local_axis_b : joint->axis, n, on_b ? "local_axis.b" : "axis", name, blame,
                               error);
    if (joint->local & CARDAN_LOCAL_AXIS_A) {
        CRD_TRY(crd_check_direction(joint->local_axis_a, n, "local_axis.a", name, blame, error));
    } else {
        CRD_TRY(crd_check_direction(joint->axis, n, "axis", name, blame, error));
    }
    if (on_b) return crd_check_direction(joint->local_axis_b, n, "local_axis.b", name, blame, error);
    if (joint->axis2_given || (crd_joint_kinds[joint->type]->needs & CRD_NEEDS_AXIS2) != 0)
        return crd_check_direction(joint->axis2, n, "axis2", name, blame, error);
    return crd_check_direction(joint->axis, n, "axis", name, blame, error);
}

/* One coordinate of another joint, for a driver or coupler. */
static CardanStatus check_term(const CrdDescription *d, const CrdJointDesc *joint, const CrdTermDesc *term,
                               const char *name, CrdBlame *blame, CrdError *error) {
    bool driver = joint->type == CARDAN_DRIVER;
    const char *key = driver ? "joint" : "joints";
    const CrdJointDesc *of = &d->joints[term->joint - 1];
    const CrdJointKind *kind = of->rows == NULL ? crd_joint_kinds[of->type] : NULL;
    if (kind == NULL || kind->coordinates[0] == CARDAN_NO_COORDINATE)
        return crd_blame_key(error, blame, key, name, "%s '%s' has no coordinate that could be %s",
                             kind == NULL ? "user rows" : kind->name, of->name, driver ? "driven" : "coupled");
    if (!crd_joint_has(kind, term->coordinate))
        return crd_blame_key(error, blame, driver ? "coordinate" : key, name, "%s '%s' has no %s", kind->name, of->name,
                             crd_coordinate_name(term->coordinate));
    if (!isfinite(term->coefficient))
        return crd_blame_key(error, blame, key, name, "the coefficient of '%s' is not finite", of->name);
    return CARDAN_OK;
}

static CardanStatus check_terms(const CrdDescription *d, const CrdJointDesc *joint, const char *name, CrdBlame *blame,
                                CrdError *error) {
    bool moves = false;
    for (int i = joint->term; i < joint->term + joint->terms; i++) {
        bool fresh = error != NULL && error->status >= 0;
        CardanStatus status = check_term(d, joint, &d->terms[i], name, blame, error);
        if (status < 0 && fresh && joint->type == CARDAN_COUPLER) error->place = d->terms[i].place;
        if (status < 0) return status;
        moves = moves || d->terms[i].coefficient != 0.0;
    }
    return moves ? CARDAN_OK : crd_blame_key(error, blame, "joints", name, "all its coefficients are zero");
}

static CardanStatus check_compliant(const CrdDescription *d, const CrdJointDesc *joint, const char *name,
                                    CrdBlame *blame, CrdError *error) {
    const CrdJointKind *kind = crd_joint_kinds[joint->type];
    if (!joint->compliant) return CARDAN_OK;
    if (crd_joint_holonomic_rows(kind, d->space) != crd_joint_rows(kind, d->space))
        return crd_blame_key(error, blame, "compliant", name, "a %s joint is nonholonomic and cannot be compliant",
                         kind->name);
    for (int k = 0; k < 2; k++) {
        if (!(joint->stiffness[k] >= 0.0))
            return crd_blame_key(error, blame, "compliant.stiffness", name, "stiffness must be >= 0, is %g",
                             joint->stiffness[k]);
        if (!(joint->damping[k] >= 0.0))
            return crd_blame_key(error, blame, "compliant.damping", name, "damping must be >= 0, is %g", joint->damping[k]);
    }
    return CARDAN_OK;
}

static CardanStatus check_wheel(const CrdDescription *d, const CrdJointDesc *joint, const char *name, CrdBlame *blame,
                                CrdError *error) {
    int n = d->space == CARDAN_PLANAR ? 2 : 3;
    bool normal_local = (joint->local & CARDAN_LOCAL_AXIS_A) != 0, axis_local = (joint->local & CARDAN_LOCAL_AXIS_B) != 0;
    if (!(joint->radius > 0.0))
        return crd_blame_key(error, blame, "radius", name, "radius must be > 0, is %g", joint->radius);
    CRD_TRY(crd_check_direction(normal_local ? joint->local_axis_a : joint->normal, n,
                            normal_local ? "local_axis.a" : "normal", name, blame, error));
    if (d->space == CARDAN_PLANAR || !joint->axis_given) return CARDAN_OK;
    return crd_check_direction(axis_local ? joint->local_axis_b : joint->axis, n, axis_local ? "local_axis.b" : "axis",
                           name, blame, error);
}

/* The pieces that only some types have. */
static CardanStatus check_details(const CrdDescription *d, const CrdJointDesc *joint, const char *name, CrdBlame *blame,
                                  CrdError *error) {
    const CrdJointKind *kind = crd_joint_kinds[joint->type];
    if (crd_joint_needs_axis(joint->type, d->space)) CRD_TRY(check_axes(d, joint, name, blame, error));
    if (kind->needs & CRD_NEEDS_WHEEL) CRD_TRY(check_wheel(d, joint, name, blame, error));
    bool fixed = joint->type == CARDAN_DISTANCE && joint->law[0] == NULL;
    if (fixed && joint->length_given && !(joint->length > 0.0))
        return crd_blame_key(error, blame, "length", name, "length must be > 0, is %g", joint->length);
    return CARDAN_OK;
}

CardanStatus crd_check_joint(const CrdDescription *d, const CrdJointDesc *joint, CrdBlame *blame, CrdError *error) {
    if (joint->rows != NULL) return CARDAN_OK;
    CrdObjectName name = crd_object_name("joint", joint->name);
    const CrdJointKind *kind = crd_joint_kinds[joint->type];
    if (!kind->space[d->space]) {
        return crd_blame_key(error, blame, "type", name.text, "%s %s joint needs a %s model", crd_article(kind->name), kind->name,
                         d->space == CARDAN_PLANAR ? "spatial" : "planar");
    }
    CRD_TRY(crd_check_finite(d, crd_joint_fields(), CRD_OWNER_JOINT, joint, name.text, blame, error));
    CRD_TRY(check_compliant(d, joint, name.text, blame, error));
    if (joint->terms > 0) return check_terms(d, joint, name.text, blame, error);
    if (joint->type == CARDAN_DRIVER && joint->b == 0)
        return crd_blame_key(error, blame, "body", name.text, "leads the ground, which does not move");
    CRD_TRY(check_ends(d, joint, name.text, blame, error));
    return check_details(d, joint, name.text, blame, error);
}

/* ---- start ---- */

CardanStatus crd_check_rate(const CrdDescription *d, const CrdStartRate *rate, CrdError *error) {
    const CrdJointDesc *joint = &d->joints[rate->joint - 1];
    if (!crd_joint_is_driven(joint)) {
        return crd_fail(error, CARDAN_ERR_MODEL,
                        "start: joint '%s' has no angle or displacement whose rate could be set", joint->name);
    }
    if (!isfinite(rate->rate))
        return crd_fail(error, CARDAN_ERR_MODEL, "start: the rate of joint '%s' is not finite", joint->name);
    return CARDAN_OK;
}

/* ---- the whole ---- */

/* Where the number at fault was bound; the object's own place if it was not. */
static CrdPlace place_of(const CrdDescription *d, CrdOwner owner, int index, const char *key, CrdPlace object) {
    const CrdField *field = key[0] != '\0' ? crd_field_find(crd_fields_of(d, owner, index), key) : NULL;
    for (int i = 0; i < d->binding_count && field != NULL; i++) {
        const CrdBinding *binding = &d->bindings[i];
        if (binding->owner != owner || binding->index != index) continue;
        size_t first = field->offset[d->space];
        size_t last = first + (size_t)field->count[d->space] * sizeof(double);
        if (binding->offset >= first && binding->offset < last && binding->place.line > 0) return binding->place;
    }
    return object;
}

CardanStatus crd_check_object(const CrdDescription *d, CrdOwner owner, int index, CrdError *error) {
    CrdBlame blame = {""};
    CrdPlace place = {0, 0};
    CardanStatus status = CARDAN_OK;
    bool fresh = error != NULL && error->status >= 0;
    switch (owner) {
    case CRD_OWNER_BODY:
        status = crd_check_body(d, &d->bodies[index], &blame, error);
        place = d->bodies[index].place;
        break;
    case CRD_OWNER_JOINT:
        status = crd_check_joint(d, &d->joints[index], &blame, error);
        place = d->joints[index].place;
        break;
    case CRD_OWNER_FORCE:
        status = crd_check_force(d, &d->forces[index], &blame, error);
        place = d->forces[index].place;
        break;
    case CRD_OWNER_RATE:
        status = crd_check_rate(d, &d->rates[index], error);
        place = d->rates[index].place;
        break;
    case CRD_OWNER_TERM: /* with its coupler */
        break;
    case CRD_OWNER_INPUT:
        if (!isfinite(d->inputs[index].value))
            status = crd_fail(error, CARDAN_ERR_MODEL, "input '%s' is not finite", d->inputs[index].name);
        place = d->inputs[index].place;
        break;
    case CRD_OWNER_MODEL:
        blame.key = "gravity";
        for (int k = 0; k < 3 && status == CARDAN_OK; k++) {
            if (!isfinite(d->gravity[k])) status = crd_fail(error, CARDAN_ERR_MODEL, "gravity is not finite");
        }
        break;
    }
    if (status < 0 && fresh) error->place = place_of(d, owner, index, blame.key, place);
    return status;
}

static CardanStatus check_all(const CrdDescription *d, CrdOwner owner, int count, CrdError *error) {
    for (int i = 0; i < count; i++) CRD_TRY(crd_check_object(d, owner, i, error));
    return CARDAN_OK;
}

CardanStatus crd_description_check(const CrdDescription *d, CrdError *error) {
    for (int i = 0; i < d->parameter_count; i++) {
        const CrdParameterDesc *p = &d->parameters[i];
        if (!isfinite(p->value))
            return crd_fail_at(error, CARDAN_ERR_MODEL, p->place, "parameter '%s' is not finite", p->name);
    }
    CRD_TRY(check_all(d, CRD_OWNER_MODEL, 1, error));
    CRD_TRY(check_all(d, CRD_OWNER_INPUT, d->input_count, error));
    CRD_TRY(check_all(d, CRD_OWNER_BODY, d->body_count, error));
    CRD_TRY(check_all(d, CRD_OWNER_JOINT, d->joint_count, error));
    CRD_TRY(check_all(d, CRD_OWNER_FORCE, d->force_count, error));
    CRD_TRY(check_all(d, CRD_OWNER_RATE, d->rate_count, error));
    return crd_options_ranges(&d->options, error);
}
