#include "equations/measures.h"

#include "equations/force_scene.h"

#include <assert.h>

const CardanFrame *crd_frame_at(const CardanModel *model, const CrdSystem *system, int place, CardanFrame *room) {
    int marker = place - model->structure->frame_count;
    if (marker < 0) return &system->frames[place];
    assert(marker < model->structure->marker_count);
    const CrdMarker *it = &model->values.markers[marker];
    *room = crd_marker_frame(it, &system->frames[it->frame]);
    return room;
}

/* How it changes, along system->changes. */
static const CrdChange *change_at(const CardanModel *model, const CrdSystem *system, int place, CrdChange *room) {
    int marker = place - model->structure->frame_count;
    if (marker < 0) return &system->changes[place];
    const CrdMarker *it = &model->values.markers[marker];
    *room = crd_marker_change(it, &system->frames[it->frame], &system->changes[it->frame]);
    return room;
}

static bool is_planar(const CardanModel *model) {
    return model->structure->space == CARDAN_SPACE_PLANAR;
}

/* ---- columns of vectors ---- */

static void put_vector(bool planar, CrdDualVec v, CrdDual *columns) {
    columns[0] = crd_d(v.x.x, v.d.x);
    columns[1] = crd_d(v.x.y, v.d.y);
    if (!planar) columns[2] = crd_d(v.x.z, v.d.z);
}

static void put_spin(bool planar, CrdDualVec v, CrdDual *columns) {
    if (planar)
        columns[0] = crd_d(v.x.z, v.d.z);
    else
        put_vector(false, v, columns);
}

/* ---- forces ---- */

/* Of frames alone, or with what its laws give. */
static CardanStatus offered(const CardanModel *model, const CrdActions *actions, CrdSystem *system,
                            const CrdLawMeasure *it, bool along, CrdDual *value, CrdError *error) {
    const CrdForceData *force = &model->values.forces[it->object];
    CrdForceScene scene;
    if (crd_is_dynamic(model->description, it))
        CRD_TRY(crd_force_scene(model, it->object, actions, system, &scene, error));
    else
        crd_force_frames(model, it->object, actions, system, &scene);
    CardanStatus status = along ? crd_force_scene_along(model, it->object, system, &scene) : CARDAN_OK;
    if (status >= 0) status = crd_force_kinds[force->type]->offered(force, &scene.input, it->other, value);
    return status >= 0 ? CARDAN_OK : crd_force_failed(model, it->object, system, &scene, status, error);
}

static CardanStatus of_force(const CardanModel *model, const CrdActions *actions, CrdSystem *system,
                             const CrdLawMeasure *it, bool along, CrdDual *columns, CrdError *error) {
    CrdForceAlone alone;
    bool wrench = it->measure == CRD_FORCE_WRENCH, planar = is_planar(model);
    if (it->measure == CRD_OFFERED) return offered(model, actions, system, it, along, columns, error);
    assert(it->measure != CRD_FORCE_WORK); /* no function of the state */
    CRD_TRY(crd_force_alone(model, it->object, wrench ? it->other : 0, actions, system, along, &alone, error));
    columns[0] = it->measure == CRD_FORCE_POWER ? alone.power : alone.energy;
    if (!wrench) return CARDAN_OK;
    put_vector(planar, alone.force, columns);
    put_spin(planar, alone.moment, columns + (planar ? 2 : 3));
    return CARDAN_OK;
}

/* ---- joints ---- */

static void of_shift(const CardanModel *model, const CrdSystem *system, const CrdLawMeasure *it, bool along,
                     CrdDual *columns) {
    const CrdStructure *structure = model->structure;
    const CrdJointData *joint = &model->values.joints[it->object];
    CrdPair pair = crd_pair_of(structure, system, it->object);
    CrdJointShift shift = crd_measure_shift(joint, &pair), change = {{0, 0, 0}, {0, 0, 0}};
    if (along)
        change = crd_measure_shift_change(joint, &pair, &system->changes[crd_element_frame(structure, it->object, 0)],
                                          &system->changes[crd_element_frame(structure, it->object, 1)]);
    bool rate = it->measure == CRD_SHIFT_RATE;
    put_vector(is_planar(model), rate ? crd_dv(shift.rate, change.rate) : crd_dv(shift.x, change.x), columns);
}

static bool is_turn(CrdMeasure measure) {
    return measure >= CRD_JOINT_ROLL && measure <= CRD_JOINT_TURN_RATE;
}

static double joint_value(const CardanModel *model, const CrdSystem *system, const CrdLawMeasure *it) {
    const CrdJointData *joint = &model->values.joints[it->object];
    CrdPair pair = crd_pair_of(model->structure, system, it->object);
    CrdCoordinate coordinate;
    if (is_turn(it->measure)) return crd_measure_turn(it->measure, joint, &pair);
    crd_joint_read(crd_measures[it->measure].coordinate, joint, &pair, &coordinate.value, &coordinate.rate);
    return crd_measure_joint(it->measure, &coordinate);
}

static double joint_slope(const CardanModel *model, const CrdSystem *system, const CrdLawMeasure *it) {
    const CrdStructure *structure = model->structure;
    const CrdJointData *joint = &model->values.joints[it->object];
    CrdPair pair = crd_pair_of(structure, system, it->object);
    const CrdChange *a = &system->changes[crd_element_frame(structure, it->object, 0)];
    const CrdChange *b = &system->changes[crd_element_frame(structure, it->object, 1)];
    CrdCoordinate change;
    if (is_turn(it->measure)) return crd_measure_turn_change(it->measure, joint, &pair, a, b);
    crd_joint_coordinate_change(crd_measures[it->measure].coordinate, joint, &pair, a, b, &change);
    return crd_measure_joint(it->measure, &change);
}

static CardanStatus of_joint(const CardanModel *model, CrdSystem *system, const CrdLawMeasure *it, bool along,
                             CrdDual *columns, CrdError *error) {
    CrdDual energy, power;
    switch (crd_measures[it->measure].has) {
    case CRD_HAS_SHIFT:
        of_shift(model, system, it, along, columns);
        break;
    case CRD_HAS_COMPLIANCE:
        CRD_TRY(crd_compliant_alone(model, it->object, system, along, &energy, &power, error));
        columns[0] = it->measure == CRD_JOINT_ENERGY ? energy : power;
        break;
    default:
        columns[0] = crd_d(joint_value(model, system, it), along ? joint_slope(model, system, it) : 0.0);
        break;
    }
    return CARDAN_OK;
}

/* ---- places ---- */

static void of_pair(const CardanModel *model, const CrdSystem *system, const CrdLawMeasure *it, bool along,
                    CrdDual *columns) {
    CardanFrame a, b;
    CrdChange da, db;
    bool planar = is_planar(model);
    const CardanFrame *first = crd_frame_at(model, system, it->object, &a),
                      *second = crd_frame_at(model, system, it->other, &b);
    columns[0] = crd_d(crd_measure_pair(it->measure, planar, first, second), 0.0);
    if (along)
        columns[0].d =
            crd_measure_pair_change(it->measure, planar, first, second, change_at(model, system, it->object, &da),
                                    change_at(model, system, it->other, &db));
}

static double part_of(CardanQuat q, CrdMeasure measure) {
    const double parts[] = {q.w, q.x, q.y, q.z};
    assert(measure >= CRD_QW && measure <= CRD_QZ);
    return parts[measure - CRD_QW];
}

static void of_place(const CardanModel *model, const CrdSystem *system, const CrdLawMeasure *it, bool along,
                     CrdDual *columns) {
    CardanFrame room;
    CrdChange change;
    const CardanFrame *frame;
    switch (it->measure) {
    case CRD_BODY_MOMENTUM:
        put_vector(is_planar(model), crd_body_momentum(model, system, it->object), columns);
        break;
    case CRD_BODY_SPIN_MOMENTUM:
        put_spin(is_planar(model), crd_body_spin_momentum(model, system, it->object), columns);
        break;
    case CRD_QW:
    case CRD_QX:
    case CRD_QY:
    case CRD_QZ:
        columns[0] = crd_d(part_of(crd_place_quaternion(model, system, it->object), it->measure),
                           along ? part_of(crd_place_quaternion_change(model, system, it->object), it->measure) : 0.0);
        break;
    default:
        frame = crd_frame_at(model, system, it->object, &room);
        columns[0] = crd_d(crd_measure_frame(it->measure, frame), 0.0);
        if (along)
            columns[0].d = crd_measure_frame_change(it->measure, frame, change_at(model, system, it->object, &change));
        break;
    }
}

/* ---- all of them ---- */

CardanStatus crd_measure_columns(const CardanModel *model, const CrdActions *actions, CrdSystem *system,
                                 const CrdLawMeasure *it, bool along, CrdDual *columns, CrdError *error) {
    CrdDualVec whole;
    assert(it->measure == CRD_OFFERED || crd_measures[it->measure].in_laws);
    switch (crd_measures[it->measure].of) {
    case CRD_OF_FORCE:
        return of_force(model, actions, system, it, along, columns, error);
    case CRD_OF_JOINT:
        return of_joint(model, system, it, along, columns, error);
    case CRD_OF_PAIR:
        of_pair(model, system, it, along, columns);
        break;
    case CRD_OF_MODEL:
        whole = crd_whole(model, system, it->measure);
        if (it->measure == CRD_ANGULAR_MOMENTUM)
            put_spin(is_planar(model), whole, columns);
        else
            put_vector(is_planar(model), whole, columns);
        break;
    default:
        of_place(model, system, it, along, columns);
        break;
    }
    return CARDAN_OK;
}

CardanStatus crd_measure_value(const CardanModel *model, const CrdActions *actions, CrdSystem *system,
                               const CrdLawMeasure *it, double *value, CrdError *error) {
    CrdDual columns[CRD_COLUMNS];
    CRD_TRY(crd_measure_columns(model, actions, system, it, false, columns, error));
    *value = columns[it->column > 0 ? it->column - 1 : 0].x;
    return CARDAN_OK;
}

CardanStatus crd_measure_slope(const CardanModel *model, const CrdActions *actions, CrdSystem *system,
                               const CrdLawMeasure *it, double *slope, CrdError *error) {
    CrdDual columns[CRD_COLUMNS];
    CRD_TRY(crd_measure_columns(model, actions, system, it, true, columns, error));
    *slope = columns[it->column > 0 ? it->column - 1 : 0].d;
    return CARDAN_OK;
}
