#include "force/force.h"

#include "force/records.h"

#include <string.h>

#define LISTED(type, record) [CARDAN_FORCE_##type] = &(record),
const CrdForceKind *const crd_force_kinds[CARDAN_FORCE_TYPES] = {CRD_FORCES(LISTED)};

const CrdForceKind *crd_force_kind(int type) {
    return type > 0 && type < CARDAN_FORCE_TYPES ? crd_force_kinds[type] : NULL;
}

const CrdField *crd_force_law_field(const CrdForceKind *kind, int form) {
    for (int i = 0; i < kind->fields.count; i++) {
        const CrdField *field = &kind->fields.fields[i];
        bool law = field->holds >= CRD_HOLDS_VALUE && field->holds <= CRD_HOLDS_TARGET;
        if (law && (field->form == 0 || field->form == form)) return field;
    }
    return NULL;
}

double crd_force_length(const CrdForceData *force, const CardanFrame *frames) {
    assert(crd_force_kinds[force->type]->length != NULL);
    return crd_force_kinds[force->type]->length(force, frames);
}

int crd_offer_find(const CrdForceKind *kind, CardanSpace space, const char *name, size_t length) {
    for (int k = 0; k < kind->offers.count; k++) {
        const CrdOffer *offer = &kind->offers.rows[k];
        bool there = space == CARDAN_SPACE_SPATIAL || !offer->spatial;
        if (there && strlen(offer->name) == length && memcmp(offer->name, name, length) == 0) return k;
    }
    return -1;
}

CrdVec crd_direction_of(CrdVec v) {
    double big = fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
    assert(big > 0.0);
    v = crd_scale(1.0 / big, v); /* so that the norm neither over- nor underflows */
    return crd_scale(1.0 / crd_norm(v), v);
}

double crd_push(CrdLoads *loads, const CardanFrame *frames, int frame, CrdVec local, CrdVec force) {
    assert(frame >= 0);
    const CardanFrame *f = &frames[frame];
    double *load = loads->load[frame];
    crd_put(load, crd_add(crd_vec_of(load), force));
    CrdVec moment = crd_cross(local, crd_apply_t(f->rotation, force));
    return crd_dot(force, f->v) + crd_twist(loads, frames, frame, moment);
}

double crd_twist(CrdLoads *loads, const CardanFrame *frames, int frame, CrdVec moment) {
    assert(frame >= 0);
    double *load = loads->load[frame] + 3;
    crd_put(load, crd_add(crd_vec_of(load), moment));
    return crd_dot(moment, frames[frame].w);
}

void crd_push_change(CrdLoads *change, const CrdForceInput *in, int frame, CrdVec local, CrdVec dlocal, CrdVec force,
                     CrdVec dforce) {
    assert(in->changes != NULL); /* for `along` only */
    const CardanFrame *f = &in->frames[frame];
    double *load = change->load[frame];
    CrdVec own = crd_apply_t(f->rotation, force);
    CrdVec moment =
        crd_add(crd_cross(dlocal, own), crd_cross(local, crd_own_change(f, &in->changes[frame], own, dforce)));
    crd_put(load, crd_add(crd_vec_of(load), dforce));
    crd_put(load + 3, crd_add(crd_vec_of(load + 3), moment));
}

static void add_row(double *load, double value, const double *row) {
    for (int i = 0; i < 6; i++) load[i] += value * row[i];
}

void crd_drive(CrdLoads *loads, const CrdForceInput *in, double value) {
    assert(in->coordinate != NULL); /* of a force on a joint */
    add_row(loads->load[in->joint_a], value, in->coordinate->a);
    add_row(loads->load[in->joint_b], value, in->coordinate->b);
}

void crd_drive_change(CrdLoads *change, const CrdForceInput *in, double value, double dvalue) {
    assert(in->coordinate_change != NULL);
    crd_drive(change, in, dvalue);
    add_row(change->load[in->joint_a], value, in->coordinate_change->a);
    add_row(change->load[in->joint_b], value, in->coordinate_change->b);
}

CardanStatus crd_law(const CrdForceInput *in, double x, double v, double *value) {
    *value = 0.0;
    if (in->law == NULL) return CARDAN_OK;
    assert(in->law_values != NULL);
    in->law_values[CRD_LAW_X] = x;
    in->law_values[CRD_LAW_V] = v;
    return crd_expr_held_value(in->law, in->law_values, in->law_sides, value, in->error);
}

CardanStatus crd_law_change(const CrdForceInput *in, CrdJet x, CrdJet v, double *value, double *change) {
    CrdJet y = {0};
    if (in->law != NULL) {
        assert(in->law_jets != NULL);
        in->law_jets[CRD_LAW_X] = x;
        in->law_jets[CRD_LAW_V] = v;
        CRD_TRY(crd_expr_held_slope(in->law, in->law_jets, in->law_sides, &y, in->error));
    }
    *value = y.x;
    *change = y.d1;
    return CARDAN_OK;
}

/* ---- what forces offer ---- */

CardanStatus crd_law_dual(const CrdForceInput *in, CrdDual x, CrdDual v, CrdDual *value) {
    *value = crd_d(0.0, 0.0);
    if (in->changes == NULL) return crd_law(in, x.x, v.x, &value->x);
    return crd_law_change(in, (CrdJet){x.x, x.d, 0.0}, (CrdJet){v.x, v.d, 0.0}, &value->x, &value->d);
}

const CrdChange *crd_change_of(const CrdForceInput *in, int frame) {
    static const CrdChange NONE = {0};
    return in->changes != NULL ? &in->changes[frame] : &NONE;
}

void crd_point_dual(const CrdForceInput *in, int frame, CrdVec local, CrdDualVec *p, CrdDualVec *u) {
    CrdPoint at = crd_point_of(&in->frames[frame], local);
    CrdPoint d = crd_point_change(&in->frames[frame], crd_change_of(in, frame), local);
    *p = crd_dv(at.p, d.p);
    *u = crd_dv(at.u, d.u);
}

CrdDualVec crd_place_dual(const CrdForceInput *in, int frame, CrdVec local) {
    CrdDualVec p, u;
    crd_point_dual(in, frame, local, &p, &u);
    return p;
}

CrdDual crd_coordinate_dual(const CrdForceInput *in) {
    assert(in->coordinate != NULL);
    return crd_d(in->coordinate->value, in->coordinate_change != NULL ? in->coordinate_change->value : 0.0);
}

CrdDual crd_rate_dual(const CrdForceInput *in) {
    assert(in->coordinate != NULL);
    return crd_d(in->coordinate->rate, in->coordinate_change != NULL ? in->coordinate_change->rate : 0.0);
}

CrdDual crd_value_dual(const CrdForceInput *in, int k) {
    return crd_d(in->value[k], in->value_change != NULL ? in->value_change[k] : 0.0);
}
