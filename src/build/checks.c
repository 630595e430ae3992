/* See checks.h. A principal moment larger than the sum of the other two belongs to no distribution of mass. */
#include "build/blame.h"

#include "build/inertia.h"
#include "build/marker.h"
#include "build/shape.h"
#include "core/numbers.h"
#include "core/vec.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Shortest axis, in the units given, that still names a direction. Axes are normalised, so only rubbish is shorter. */
#define CRD_AXIS_MIN 1e-100

/* rad; a body that starts at a larger angle has fewer than ten digits left to turn with, and at 1e16 none: its angle
 * would stand still while it turns. */
#define CRD_ANGLE_MAX 1e6

/* Has it an angle or a displacement, whose rate can be set? */
static bool is_driven(const CrdJointDesc *joint) {
    if (joint->rows != NULL) return false;
    CardanCoordinate coordinate = crd_joint_kinds[joint->type]->coordinates[0];
    return coordinate == CARDAN_COORDINATE_ANGLE || coordinate == CARDAN_COORDINATE_DISPLACEMENT;
}

const char *crd_coordinate_name(CardanCoordinate coordinate) {
    static const char *const NAMES[] = {"coordinate", "angle", "displacement", "length"};
    assert(coordinate <= CARDAN_COORDINATE_LENGTH);
    return NAMES[coordinate];
}

const char *crd_article(const char *name) {
    return name[0] == 'a' ? "an" : "a";
}

/* "body 'crank': sentence", and the key at fault. */
CardanStatus crd_blame_key(CrdVerdict verdict, const char *key, const char *format, ...) {
    char sentence[CRD_MESSAGE_SIZE / 2];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    if (verdict.blame != NULL) verdict.blame->key = key;
    return crd_fail(verdict.error, CARDAN_ERR_MODEL, "%s: %s", verdict.object, sentence);
}

CrdObjectName crd_object_name(const char *kind, const char *name) {
    CrdObjectName named;
    snprintf(named.text, sizeof named.text, "%s '%s'", kind, crd_shown_text(name).text);
    return named;
}

static bool finite(const double *x, int count) {
    for (int k = 0; k < count; k++)
        if (!isfinite(x[k])) return false;
    return true;
}

CardanStatus crd_check_finite(const CrdDescription *description, CrdFieldTable table, CrdOwner owner,
                              const void *object, CrdVerdict verdict) {
    for (int i = 0; i < table.count; i++) {
        const CrdField *field = &table.fields[i];
        if (!crd_field_has_numbers(field) || !crd_field_active(field, description->space, owner, object)) continue;
        const double *x = crd_field_numbers(field, (const unsigned char *)object + crd_field_base(owner));
        if (!finite(x, field->count[description->space]))
            return crd_blame_key(verdict, field->key, "%s is not finite", field->key);
    }
    return CARDAN_OK;
}

CardanStatus crd_check_large(const CrdDescription *description, CrdFieldTable table, CrdOwner owner, const void *object,
                             CrdVerdict verdict) {
    for (int i = 0; i < table.count; i++) {
        const CrdField *field = &table.fields[i];
        if (!crd_field_has_numbers(field) || !crd_field_active(field, description->space, owner, object)) continue;
        const double *x = crd_field_numbers(field, (const unsigned char *)object + crd_field_base(owner));
        for (int k = 0; k < field->count[description->space]; k++)
            if (fabs(x[k]) > CRD_NUMBER_MAX)
                return crd_blame_key(verdict, field->key, "%s is %g, too large to be computed with: at most %g",
                                     field->key, x[k], CRD_NUMBER_MAX);
    }
    return CARDAN_OK;
}

CardanStatus crd_check_direction(const double *axis, int count, const char *key, CrdVerdict verdict) {
    assert(count >= 2 && count <= 4);
    double square = 0.0;
    for (int k = 0; k < count; k++) square += axis[k] * axis[k];
    if (!(sqrt(square) > CRD_AXIS_MIN)) return crd_blame_key(verdict, key, "%s is zero", key);
    if (!isfinite(square)) return crd_blame_key(verdict, key, "%s is too long to be normalised", key);
    return CARDAN_OK;
}

/* ---- bodies ---- */

static const char *inertia_key(const CrdBodyDesc *body) {
    static const char *const KEYS[] = {"inertia", "inertia.rod", "inertia.box", "inertia.cylinder", "inertia.sphere"};
    return KEYS[body->inertia_form];
}

static CardanStatus check_shape(const CrdBodyDesc *body, CrdVerdict verdict) {
    const double *n = body->inertia;
    const char *key = inertia_key(body);
    switch (body->inertia_form) {
    case CRD_INERTIA_TENSOR:
        break;
    case CRD_INERTIA_ROD:
        if (!(n[0] > 0.0)) return crd_blame_key(verdict, key, "the rod's length must be > 0, is %g", n[0]);
        if (!(n[1] >= 0.0))
            return crd_blame_key(verdict, "inertia.radius", "the rod's radius must be >= 0, is %g", n[1]);
        break;
    case CRD_INERTIA_BOX:
        for (int k = 0; k < 3; k++) {
            if (!(n[k] >= 0.0)) return crd_blame_key(verdict, key, "an edge of the box is %g, must be >= 0", n[k]);
        }
        break;
    case CRD_INERTIA_CYLINDER:
        if (!(n[0] > 0.0)) return crd_blame_key(verdict, key, "the cylinder's radius must be > 0, is %g", n[0]);
        if (!(n[1] >= 0.0)) return crd_blame_key(verdict, key, "the cylinder's height must be >= 0, is %g", n[1]);
        break;
    case CRD_INERTIA_SPHERE:
        if (!(n[0] > 0.0)) return crd_blame_key(verdict, key, "the sphere's radius must be > 0, is %g", n[0]);
        break;
    }
    return CARDAN_OK;
}

static CardanStatus small(CrdVerdict verdict, const char *key, double value) {
    return crd_blame_key(verdict, key, "%s of %g is too small to be computed with: at least %g", key, value,
                         CRD_NUMBER_MIN);
}

static CardanStatus check_inertia(const CrdDescription *description, const CrdBodyDesc *body, CrdVerdict verdict) {
    CRD_TRY(check_shape(body, verdict));
    const char *key = inertia_key(body);
    double tensor[6], p[3];
    crd_body_inertia(body, tensor);
    if (description->space == CARDAN_SPACE_PLANAR) {
        if (tensor[2] > 0.0 && tensor[2] < CRD_NUMBER_MIN) return small(verdict, key, tensor[2]);
        if (tensor[2] > 0.0 && isfinite(tensor[2])) return CARDAN_OK;
        return crd_blame_key(verdict, key, "inertia about z must be > 0 and finite, is %g", tensor[2]);
    }
    crd_principal_moments(tensor, p);
    if (!(p[0] > 0.0) || !isfinite(p[2])) {
        bool bare_rod = body->inertia_form == CRD_INERTIA_ROD && body->inertia[1] == 0.0;
        return crd_blame_key(verdict, key, "inertia is not positive definite: principal moments %g, %g, %g%s", p[0],
                             p[1], p[2], bare_rod ? "; in space a rod needs a radius" : "");
    }
    if (p[0] < CRD_NUMBER_MIN) return small(verdict, key, p[0]);
    if (p[0] + p[1] < p[2] * (1.0 - CRD_INERTIA_SLACK))
        return crd_blame_key(
            verdict, key,
            "inertia breaks the triangle inequality: principal moments %.9g + %.9g < %.9g, so no body has it", p[0],
            p[1], p[2]);
    return CARDAN_OK;
}

static CardanStatus check_angle(const CrdDescription *description, const CrdBodyDesc *body, CrdVerdict verdict) {
    if (description->space != CARDAN_SPACE_PLANAR || !(fabs(body->orientation[0]) > CRD_ANGLE_MAX)) return CARDAN_OK;
    return crd_blame_key(verdict, "angle", "angle is %g rad, too large to turn on from; whole turns can be left out",
                         body->orientation[0]);
}

CardanStatus crd_check_body(const CrdDescription *description, const CrdBodyDesc *body, CrdBlame *blame,
                            CrdError *error) {
    CrdObjectName name = crd_object_name("body", body->name);
    CrdVerdict verdict = {name.text, blame, error};
    CRD_TRY(check_angle(description, body, verdict));
    CRD_TRY(crd_check_finite(description, crd_body_fields(), CRD_OWNER_BODY, body, verdict));
    if (!(body->mass > 0.0)) return crd_blame_key(verdict, "mass", "mass must be > 0, is %g", body->mass);
    if (body->mass < CRD_NUMBER_MIN) return small(verdict, "mass", body->mass);
    if (!body->particle) {
        CRD_TRY(check_inertia(description, body, verdict));
        if (body->orientation_form == CRD_ORIENTATION_QUATERNION)
            CRD_TRY(crd_check_direction(body->orientation, 4, "quaternion", verdict));
        if (body->orientation_form == CRD_ORIENTATION_AXIS_ANGLE)
            CRD_TRY(crd_check_direction(body->orientation, 3, "axis_angle", verdict));
    }
    return crd_check_large(description, crd_body_fields(), CRD_OWNER_BODY, body, verdict);
}

/* ---- start ---- */

CardanStatus crd_check_rate(const CrdDescription *description, const CrdStartRate *rate, CrdError *error) {
    assert(rate->joint >= 1 && rate->joint <= description->joint_count);
    const CrdJointDesc *joint = &description->joints[rate->joint - 1];
    if (!is_driven(joint))
        return crd_fail(error, CARDAN_ERR_MODEL,
                        "start: joint '%s' has no angle or displacement whose value or rate could be set", joint->name);
    if (!isfinite(rate->rate))
        return crd_fail(error, CARDAN_ERR_MODEL, "start: the value or rate of joint '%s' is not finite", joint->name);
    return CARDAN_OK;
}

/* ---- the whole ---- */

/* Where the number at fault was bound; the object's own place if it was not. */
static CrdPlace place_of(const CrdDescription *description, CrdOwner owner, int index, const char *key,
                         CrdPlace object) {
    const void *start = crd_object_of(description, owner, index);
    CrdFieldTable table = crd_fields_of(description, owner, index);
    for (int i = 0; i < description->binding_count; i++) {
        const CrdBinding *binding = &description->bindings[i];
        if (binding->owner != owner || binding->index != index || binding->place.line == 0) continue;
        for (int k = 0; k < table.count; k++) {
            const CrdField *field = &table.fields[k];
            if (strcmp(field->key, key) != 0 || !crd_field_active(field, description->space, owner, start)) continue;
            size_t first = crd_field_base(owner) + field->own;
            size_t last = first + (size_t)field->count[description->space] * sizeof(double);
            if (binding->offset >= first && binding->offset < last) return binding->place;
        }
    }
    return object;
}

static CardanStatus check_one(const CrdDescription *description, CrdOwner owner, int index, CrdBlame *blame,
                              CrdPlace *place, CrdError *error) {
    const void *object = crd_object_of(description, owner, index);
    const CrdInputDesc *input = object;
    switch (owner) {
    case CRD_OWNER_BODY:
        *place = ((const CrdBodyDesc *)object)->place;
        return crd_check_body(description, object, blame, error);
    case CRD_OWNER_JOINT:
    case CRD_OWNER_FORCE:
        *place = ((const CrdElementDesc *)object)->place;
        return crd_check_element(description, owner, object, blame, error);
    case CRD_OWNER_RATE:
    case CRD_OWNER_COORDINATE:
        *place = ((const CrdStartRate *)object)->place;
        return crd_check_rate(description, object, error);
    case CRD_OWNER_INPUT:
        *place = input->place;
        if (isfinite(input->value)) return CARDAN_OK;
        return crd_fail(error, CARDAN_ERR_MODEL, "input '%s' is not finite", input->name);
    case CRD_OWNER_MODEL:
        blame->key = "gravity";
        return finite(description->gravity, 3) ? CARDAN_OK : crd_fail(error, CARDAN_ERR_MODEL, "gravity is not finite");
    case CRD_OWNER_SHAPE:
        *place = ((const CrdShapeDesc *)object)->place;
        return crd_check_shape(description, object, error);
    case CRD_OWNER_MARKER:
        *place = ((const CrdMarkerDesc *)object)->place;
        return crd_check_marker(description, object, blame, error);
    case CRD_OWNER_TERM:  /* with its coupler */
    case CRD_OWNER_POINT: /* with its force */
        break;
    }
    return CARDAN_OK;
}

CardanStatus crd_check_object(const CrdDescription *description, CrdOwner owner, int index, CrdError *error) {
    CrdBlame blame = {.key = ""};
    CrdPlace place = {0, 0};
    bool fresh = error != NULL && error->status >= 0;
    CardanStatus status = check_one(description, owner, index, &blame, &place, error);
    if (status < 0 && fresh) error->place = place_of(description, owner, index, blame.key, place);
    return status;
}

static CardanStatus check_all(const CrdDescription *description, CrdOwner owner, int count, CrdError *error) {
    for (int i = 0; i < count; i++) CRD_TRY(crd_check_object(description, owner, i, error));
    return CARDAN_OK;
}

CardanStatus crd_description_check(const CrdDescription *description, CrdError *error) {
    for (int i = 0; i < description->parameter_count; i++) {
        const CrdParameterDesc *parameter = &description->parameters[i];
        if (!isfinite(parameter->value))
            return crd_fail_at(error, CARDAN_ERR_MODEL, parameter->place, "parameter '%s' is not finite",
                               parameter->name);
    }
    CRD_TRY(check_all(description, CRD_OWNER_MODEL, 1, error));
    CRD_TRY(check_all(description, CRD_OWNER_INPUT, description->input_count, error));
    CRD_TRY(check_all(description, CRD_OWNER_BODY, description->body_count, error));
    CRD_TRY(check_all(description, CRD_OWNER_MARKER, description->marker_count, error));
    CRD_TRY(check_all(description, CRD_OWNER_JOINT, description->joint_count, error));
    CRD_TRY(check_all(description, CRD_OWNER_FORCE, description->force_count, error));
    CRD_TRY(check_all(description, CRD_OWNER_SHAPE, description->shape_count, error));
    CRD_TRY(check_all(description, CRD_OWNER_COORDINATE, description->coordinate_count, error));
    return check_all(description, CRD_OWNER_RATE, description->rate_count, error);
}
