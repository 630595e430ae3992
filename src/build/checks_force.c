/* Checks of forces. */
#include "build/blame.h"

#include <math.h>

/* ---- single numbers ---- */

typedef enum Rule { ANY, NOT_NEGATIVE, POSITIVE } Rule;

typedef struct Check {
    const CrdDescription *d;
    const CrdForceDesc *force;
    const char *name; /* "force 'spring'" */
    CrdBlame *blame;
    CrdError *error;
} Check;

static CardanStatus check_number(const Check *c, const char *key, double x, Rule rule) {
    if (rule == ANY || x > 0.0 || (rule == NOT_NEGATIVE && x >= 0.0)) return CARDAN_OK;
    return crd_blame_key(c->error, c->blame, key, c->name, "%s must be %s, is %g", key,
                         rule == POSITIVE ? "> 0" : ">= 0", x);
}

/* ---- what a force acts on ---- */

CardanCoordinate crd_joint_coordinate_named(const CrdJointDesc *joint, CardanCoordinate wanted) {
    if (joint->rows != NULL) return CARDAN_NO_COORDINATE;
    const CrdJointKind *kind = crd_joint_kinds[joint->type];
    if (wanted == CARDAN_NO_COORDINATE) return kind->coordinates[0];
    return crd_joint_has(kind, wanted) ? wanted : CARDAN_NO_COORDINATE;
}

static CardanStatus check_joint(const Check *c) {
    static const char *const WORDS[] = {"angle or displacement", "angle", "displacement", "length"};
    const CrdForceDesc *force = c->force;
    const CrdJointDesc *joint = &c->d->joints[force->joint - 1];
    CardanCoordinate there = crd_joint_coordinate_named(joint, force->coordinate);
    if (there == CARDAN_ANGLE || there == CARDAN_DISPLACEMENT) return CARDAN_OK;
    const char *key = force->coordinate != CARDAN_NO_COORDINATE ? "coordinate" : "joint";
    return crd_blame_key(c->error, c->blame, key, c->name, "%s '%s' has no %s to act along",
                         joint->rows != NULL ? "user rows" : "joint", joint->name, WORDS[force->coordinate]);
}

static CardanStatus check_body(const Check *c, const char *key, bool turns) {
    char body[64];
    if (c->force->body == 0)
        return crd_blame_key(c->error, c->blame, key, c->name, "acts on the ground, which does not move");
    if (turns && crd_is_particle(c->d, c->force->body))
        return crd_blame_key(c->error, c->blame, key, c->name, "'%s' is a particle and cannot turn",
                             crd_carrier_name(c->d, c->force->body, body, sizeof body));
    return CARDAN_OK;
}

static CardanStatus check_two_bodies(const Check *c, bool turn) {
    int ends[2] = {c->force->a, c->force->b};
    char body[64];
    if (ends[0] == ends[1])
        return crd_blame_key(c->error, c->blame, "bodies", c->name, "joins '%s' with itself",
                             crd_carrier_name(c->d, ends[0], body, sizeof body));
    for (int k = 0; k < 2 && turn; k++)
        if (crd_is_particle(c->d, ends[k]))
            return crd_blame_key(c->error, c->blame, "bodies", c->name,
                                 "'%s' is a particle and has no orientation, which a bushing needs",
                                 crd_carrier_name(c->d, ends[k], body, sizeof body));
    return CARDAN_OK;
}

static CardanStatus check_plane(const Check *c) {
    return crd_check_direction(c->force->plane_normal, c->d->space == CARDAN_PLANAR ? 2 : 3, "plane.normal", c->name,
                               c->blame, c->error);
}

/* ---- types ---- */

static CardanStatus check_motor(const Check *c) {
    if (c->force->law[0] == NULL) return crd_blame_key(c->error, c->blame, "target", c->name, "a motor needs a target");
    return c->force->limit_given ? check_number(c, "limit", c->force->limit, POSITIVE) : CARDAN_OK;
}

static CardanStatus check_friction(const Check *c) {
    const CrdForceDesc *f = c->force;
    CRD_TRY(check_number(c, "coulomb", f->coulomb, NOT_NEGATIVE));
    CRD_TRY(check_number(c, "viscous", f->viscous, NOT_NEGATIVE));
    CRD_TRY(check_number(c, "speed", f->speed, POSITIVE));
    if (f->stick_given) CRD_TRY(check_number(c, "static", f->stick, NOT_NEGATIVE));
    return f->stribeck_given ? check_number(c, "stribeck", f->stribeck, POSITIVE) : CARDAN_OK;
}

static CardanStatus check_limit(const Check *c) {
    const CrdForceDesc *f = c->force;
    if (!(f->range[0] < f->range[1]))
        return crd_blame_key(c->error, c->blame, "range", c->name, "range must go upwards, is %g .. %g", f->range[0],
                             f->range[1]);
    CRD_TRY(check_number(c, "stiffness", f->stiffness[0], POSITIVE));
    return check_number(c, "damping", f->damping[0], NOT_NEGATIVE);
}

/* With an exponent below 1 the stiffness at first touch would be infinite. */
static CardanStatus check_contact(const Check *c) {
    const CrdForceDesc *f = c->force;
    CRD_TRY(check_body(c, "body", false));
    CRD_TRY(check_plane(c));
    CRD_TRY(check_number(c, "radius", f->radius, NOT_NEGATIVE));
    CRD_TRY(check_number(c, "stiffness", f->stiffness[0], POSITIVE));
    CRD_TRY(check_number(c, "dissipation", f->dissipation, NOT_NEGATIVE));
    CRD_TRY(check_number(c, "friction", f->friction, NOT_NEGATIVE));
    if (f->exponent_given && !(f->exponent >= 1.0))
        return crd_blame_key(c->error, c->blame, "exponent", c->name, "exponent must be >= 1, is %g", f->exponent);
    if (f->friction > 0.0 && !f->speed_given)
        return crd_blame_key(c->error, c->blame, "friction", c->name,
                             "friction needs the key 'speed': how fast it must slip to be felt in full");
    return f->speed_given ? check_number(c, "speed", f->speed, POSITIVE) : CARDAN_OK;
}

static CardanStatus check_magic(const Check *c, const CardanMagic *m, const char *key_c, const char *key_d) {
    CRD_TRY(check_number(c, key_c, m->C, POSITIVE));
    return check_number(c, key_d, m->D, POSITIVE);
}

static CardanStatus check_tyre(const Check *c) {
    const CrdForceDesc *f = c->force;
    bool spatial = c->d->space == CARDAN_SPATIAL;
    CRD_TRY(check_body(c, "wheel", true));
    CRD_TRY(check_plane(c));
    if (spatial) CRD_TRY(crd_check_direction(f->axis, 3, "axis", c->name, c->blame, c->error));
    CRD_TRY(check_number(c, "radius", f->radius, POSITIVE));
    CRD_TRY(check_number(c, "vertical.stiffness", f->stiffness[0], POSITIVE));
    CRD_TRY(check_number(c, "vertical.damping", f->damping[0], NOT_NEGATIVE));
    CRD_TRY(check_magic(c, &f->longitudinal, "longitudinal.C", "longitudinal.D"));
    if (spatial) CRD_TRY(check_magic(c, &f->lateral, "lateral.C", "lateral.D"));
    if (f->relaxation_given) CRD_TRY(check_number(c, "relaxation", f->relaxation, POSITIVE));
    return check_number(c, "slow", f->slow, POSITIVE);
}

CardanStatus crd_check_force(const CrdDescription *d, const CrdForceDesc *force, CrdBlame *blame, CrdError *error) {
    CrdObjectName name = crd_object_name("force", force->name);
    Check c = {d, force, name.text, blame, error};
    CRD_TRY(crd_check_finite(d, crd_force_fields(force), CRD_OWNER_FORCE, force, name.text, blame, error));
    if (force->joint > 0) CRD_TRY(check_joint(&c));
    switch (force->type) {
    case CARDAN_SPRING:
        CRD_TRY(check_two_bodies(&c, false));
        return force->length_given ? check_number(&c, "length", force->length, NOT_NEGATIVE) : CARDAN_OK;
    case CARDAN_BUSHING:
        return check_two_bodies(&c, true);
    case CARDAN_FORCE:
        return check_body(&c, "body", false);
    case CARDAN_TORQUE:
        return force->joint > 0 ? CARDAN_OK : check_body(&c, "body", true);
    case CARDAN_MOTOR:
        return check_motor(&c);
    case CARDAN_FRICTION:
        return check_friction(&c);
    case CARDAN_LIMIT:
        return check_limit(&c);
    case CARDAN_CONTACT:
        return check_contact(&c);
    case CARDAN_DRAG:
        CRD_TRY(check_body(&c, "body", false));
        return check_number(&c, "coefficient", force->coefficient, NOT_NEGATIVE);
    case CARDAN_TYRE:
        return check_tyre(&c);
    case CARDAN_TORSION:
    case CARDAN_CALLBACK:
    case CARDAN_FORCE_TYPES:
        break;
    }
    return CARDAN_OK;
}
