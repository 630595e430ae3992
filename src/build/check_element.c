/* Checks of joints and forces, by the rules of their fields; what a rule cannot say is the record's own check. */
#include "build/blame.h"

#include "core/numbers.h"

#include <math.h>
#include <string.h>

typedef struct Check {
    const CrdDescription *description;
    CrdOwner owner;
    const CrdElementDesc *element;
    CrdWritten written;
    const char *type; /* "spring"; NULL: a callback */
    CrdVerdict verdict;
} Check;

static bool is_given(const Check *check, const CrdField *field) {
    return (check->written.given >> (field - check->written.table.fields) & 1u) != 0;
}

/* ---- numbers ---- */

static CardanStatus check_number(const Check *check, const CrdField *field, double x) {
    static const char *const RULES[] = {
        [CRD_NOT_NEGATIVE] = ">= 0", [CRD_POSITIVE] = "> 0", [CRD_AT_LEAST_ONE] = ">= 1"};
    assert(field->rule >= CRD_NOT_NEGATIVE && field->rule <= CRD_AT_LEAST_ONE);
    bool kept = x > 0.0 && (field->rule != CRD_AT_LEAST_ONE || x >= 1.0);
    if (kept || (field->rule == CRD_NOT_NEGATIVE && x >= 0.0)) return CARDAN_OK;
    return crd_blame_key(check->verdict, field->key, "%s must be %s, is %g", field->key, RULES[field->rule], x);
}

static CardanStatus check_numbers(const Check *check, const CrdField *field) {
    const double *x = crd_field_numbers(field, check->written.numbers);
    int count = field->count[check->written.space];
    bool driven = field->holds == CRD_HOLDS_DRIVEN && check->element->law[0] != NULL;
    if (driven || field->rule == CRD_ANY || (field->need == CRD_MAYBE && !is_given(check, field))) return CARDAN_OK;
    if (field->rule == CRD_DIRECTION) return crd_check_direction(x, count, field->key, check->verdict);
    if (field->rule == CRD_UPWARDS) {
        if (x[0] < x[1]) return CARDAN_OK;
        return crd_blame_key(check->verdict, field->key, "%s must go upwards, is %g .. %g", field->key, x[0], x[1]);
    }
    for (int k = 0; k < count; k++) CRD_TRY(check_number(check, field, x[k]));
    return CARDAN_OK;
}

/* ---- where a joint sits ---- */

/* A row in ground axes: sides that local rows cover already are not its own. */
static CardanStatus check_side(const Check *check, const CrdField *field, int *covered) {
    const char *local = field->holds == CRD_HOLDS_POINT ? "local" : "local_axis";
    bool used = (field->sides & ~*covered) != 0;
    if (!is_given(check, field)) {
        bool missing = (field->sides & ~*covered & ~field->unread) != 0;
        if (!missing || field->need != CRD_REQUIRED) return CARDAN_OK;
        return crd_blame_key(check->verdict, "", "the key '%s' is missing%s", field->key,
                             field->missing != NULL ? field->missing : "");
    }
    *covered |= field->sides;
    if (used) return check_numbers(check, field);
    if (check->verdict.blame != NULL) check->verdict.blame->at_key = true;
    return crd_blame_key(check->verdict, field->key, "the %s is given twice: by %s and by %s", field->key, field->key,
                         local);
}

/* The local rows first, then the others from the last to the first: axis2 goes before axis. */
static CardanStatus check_sides(const Check *check, CrdHolds holds) {
    CrdFieldTable table = check->written.table;
    int covered = 0;
    for (int i = 0; i < table.count; i++) {
        const CrdField *field = &table.fields[i];
        if (field->holds != holds || !field->local || !is_given(check, field)) continue;
        covered |= field->sides;
        CRD_TRY(check_numbers(check, field));
    }
    for (int i = table.count - 1; i >= 0; i--) {
        const CrdField *field = &table.fields[i];
        bool there = crd_field_there(field, check->written.space, check->element->form);
        if (field->holds == holds && !field->local && there) CRD_TRY(check_side(check, field, &covered));
    }
    return CARDAN_OK;
}

/* ---- bodies ---- */

static bool is_particle(const CrdDescription *description, int frame) {
    assert(frame >= 0 && frame < description->frame_count);
    CrdFrameDesc c = description->frames[frame];
    return c.kind == CRD_FRAME_BODY && description->bodies[c.object].particle;
}

static CardanStatus check_body(const Check *check, const CrdField *field) {
    char body[64];
    int frame;
    memcpy(&frame, (const unsigned char *)check->written.numbers + field->own, sizeof frame);
    if (frame == 0)
        return crd_blame_key(check->verdict, field->key, "%s the ground, which does not move",
                             check->owner == CRD_OWNER_JOINT ? "leads" : "acts on");
    if (field->rule == CRD_TURNS && is_particle(check->description, frame))
        return crd_blame_key(check->verdict, field->key, "'%s' is a particle and cannot turn",
                             crd_frame_name(check->description, frame, body, sizeof body));
    return CARDAN_OK;
}

static CardanStatus check_bodies(const Check *check, const CrdField *field) {
    bool joint = check->owner == CRD_OWNER_JOINT;
    bool turn =
        joint ? !crd_joint_kinds[check->element->type]->particles[check->written.space] : field->rule == CRD_TURNS;
    char body[64];
    int ends[2];
    memcpy(ends, (const unsigned char *)check->written.numbers + field->own, sizeof ends);
    if (ends[0] == ends[1])
        return crd_blame_key(check->verdict, field->key, "joins '%s' with itself",
                             crd_frame_name(check->description, ends[0], body, sizeof body));
    for (int k = 0; k < 2 && turn; k++)
        if (is_particle(check->description, ends[k]))
            return crd_blame_key(
                check->verdict, field->key, "'%s' is a particle and has no orientation, which a %s%s needs",
                crd_frame_name(check->description, ends[k], body, sizeof body), check->type, joint ? " joint" : "");
    return CARDAN_OK;
}

/* ---- other joints ---- */

/* The coordinate asked for: none in `wanted` means the first it has. None when it is not there. */
static CardanCoordinate coordinate_named(const CrdJointDesc *joint, CardanCoordinate wanted) {
    if (joint->rows != NULL) return CARDAN_COORDINATE_NONE;
    const CrdJointKind *kind = crd_joint_kinds[joint->type];
    if (wanted == CARDAN_COORDINATE_NONE) return kind->coordinates[0];
    return crd_joint_has(kind, wanted) ? wanted : CARDAN_COORDINATE_NONE;
}

/* What a force acts along. */
static CardanStatus check_joint(const Check *check) {
    static const char *const WORDS[] = {"angle or displacement", "angle", "displacement", "length"};
    CardanCoordinate wanted;
    assert(crd_force_joint(check->element, &wanted) >= 1);
    const CrdJointDesc *joint = &check->description->joints[crd_force_joint(check->element, &wanted) - 1];
    CardanCoordinate there = coordinate_named(joint, wanted);
    if (there == CARDAN_COORDINATE_ANGLE || there == CARDAN_COORDINATE_DISPLACEMENT) return CARDAN_OK;
    const char *key = wanted != CARDAN_COORDINATE_NONE ? "coordinate" : "joint";
    return crd_blame_key(check->verdict, key, "%s '%s' has no %s to act along",
                         joint->rows != NULL ? "user rows" : "joint", joint->name, WORDS[wanted]);
}

/* One coordinate of another joint, for a driver or coupler; key: where they are named. */
static CardanStatus check_term(const Check *check, const CrdTermDesc *term, const CrdField *field) {
    bool driver = field->holds == CRD_HOLDS_JOINT;
    assert(term->joint >= 1 && term->joint <= check->description->joint_count);
    const CrdJointDesc *of = &check->description->joints[term->joint - 1];
    const CrdJointKind *kind = of->rows == NULL ? crd_joint_kinds[of->type] : NULL;
    if (kind == NULL || kind->coordinates[0] == CARDAN_COORDINATE_NONE)
        return crd_blame_key(check->verdict, field->key, "%s '%s' has no coordinate that could be %s",
                             kind == NULL ? "user rows" : kind->name, of->name, driver ? "driven" : "coupled");
    if (!crd_joint_has(kind, term->coordinate))
        return crd_blame_key(check->verdict, driver ? "coordinate" : field->key, "%s '%s' has no %s", kind->name,
                             of->name, crd_coordinate_name(term->coordinate));
    if (!(fabs(term->coefficient) <= CRD_NUMBER_MAX))
        return crd_blame_key(check->verdict, field->key, "the coefficient of '%s' is %s", of->name,
                             isfinite(term->coefficient) ? "too large to be computed with" : "not finite");
    return CARDAN_OK;
}

static CardanStatus check_terms(const Check *check, const CrdField *field) {
    const CrdElementDesc *joint = check->element;
    CrdError *error = check->verdict.error;
    bool moves = false;
    assert(joint->items > 0);
    for (int i = joint->item; i < joint->item + joint->items; i++) {
        const CrdTermDesc *term = &check->description->terms[i];
        bool fresh = error != NULL && error->status >= 0;
        CardanStatus status = check_term(check, term, field);
        if (status < 0 && fresh && field->holds == CRD_HOLDS_TERMS) error->place = term->place;
        if (status < 0) return status;
        moves = moves || term->coefficient != 0.0;
    }
    return moves ? CARDAN_OK : crd_blame_key(check->verdict, field->key, "all its coefficients are zero");
}

/* ---- the whole ---- */

static CardanStatus check_compliant(const Check *check) {
    const CrdJointKind *kind = crd_joint_kinds[check->element->type];
    CardanSpace space = check->written.space;
    if (!crd_is_compliant(check->element)) return CARDAN_OK;
    if (crd_joint_holonomic_rows(kind, space) == crd_joint_rows(kind, space)) return CARDAN_OK;
    return crd_blame_key(check->verdict, "compliant", "a %s joint is nonholonomic and cannot be compliant", kind->name);
}

static CardanStatus check_points(const Check *check, const CrdField *field) {
    for (int i = check->element->item; i < check->element->item + check->element->items; i++)
        for (int k = 0; k < 3; k++)
            if (!(fabs(check->description->points[i].local[k]) <= CRD_NUMBER_MAX))
                return crd_blame_key(check->verdict, field->key, "%s is %s", field->key,
                                     isfinite(check->description->points[i].local[k]) ? "too large to be computed with"
                                                                                      : "not finite");
    return CARDAN_OK;
}

static CardanStatus check_field(const Check *check, const CrdField *field) {
    switch (field->holds) {
    case CRD_HOLDS_NUMBERS:
    case CRD_HOLDS_PAIR:
    case CRD_HOLDS_DRIVEN:
        return check_numbers(check, field);
    case CRD_HOLDS_BODY:
        return check_body(check, field);
    case CRD_HOLDS_BODIES:
        return check_bodies(check, field);
    case CRD_HOLDS_JOINT:
        return check->owner == CRD_OWNER_JOINT ? check_terms(check, field) : check_joint(check);
    case CRD_HOLDS_TERMS:
        return check_terms(check, field);
    case CRD_HOLDS_POINTS:
        return check_points(check, field);
    case CRD_HOLDS_TARGET:
        if (check->element->law[0] != NULL) return CARDAN_OK;
        return crd_blame_key(check->verdict, field->key, "a %s needs a %s", check->type, field->key);
    default:
        return CARDAN_OK;
    }
}

static CardanStatus check_fields(const Check *check) {
    CrdFieldTable table = check->written.table;
    for (int i = 0; i < table.count; i++)
        if (crd_field_there(&table.fields[i], check->written.space, check->element->form))
            CRD_TRY(check_field(check, &table.fields[i]));
    CRD_TRY(check_sides(check, CRD_HOLDS_POINT));
    return check_sides(check, CRD_HOLDS_AXIS);
}

CardanStatus crd_check_element(const CrdDescription *description, CrdOwner owner, const CrdElementDesc *element,
                               CrdBlame *blame, CrdError *error) {
    if (element->rows != NULL) return CARDAN_OK;
    assert(crd_element_fields(owner, element->type).count > 0); /* the type was checked */
    bool joint = owner == CRD_OWNER_JOINT;
    const CrdJointKind *kind = joint ? crd_joint_kinds[element->type] : NULL;
    const CrdForceKind *force = joint ? NULL : crd_force_kinds[element->type];
    CrdObjectName name = crd_object_name(joint ? "joint" : "force", element->name);
    CrdVerdict verdict = {name.text, blame, error};
    CrdWritten written = crd_written(description, owner, element);
    Check check = {description, owner, element, written, joint ? kind->name : force->name, verdict};
    if (joint && !kind->space[description->space])
        return crd_blame_key(verdict, "type", "%s %s joint needs a %s model", crd_article(kind->name), kind->name,
                             description->space == CARDAN_SPACE_PLANAR ? "spatial" : "planar");
    CRD_TRY(crd_check_finite(description, written.table, owner, element, verdict));
    if (joint) CRD_TRY(check_compliant(&check));
    bool (*own)(const CrdWritten *, CrdObjection *) = joint ? kind->check : force->check;
    CrdObjection fault;
    if (own != NULL && !own(&written, &fault)) return crd_blame_key(verdict, fault.key, "%s", fault.text);
    CRD_TRY(check_fields(&check));
    return crd_check_large(description, written.table, owner, element, verdict);
}
