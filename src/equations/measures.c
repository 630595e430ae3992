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

/* ---- joints ---- */

static bool is_turn(CrdMeasure measure) {
    return measure >= CRD_JOINT_ROLL && measure <= CRD_CROSS_ANGLE2;
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

/* ---- all of them ---- */

CardanStatus crd_measure_value(const CardanModel *model, const CrdActions *actions, CrdSystem *system,
                               const CrdLawMeasure *it, double *value, CrdError *error) {
    bool planar = model->structure->space == CARDAN_SPACE_PLANAR;
    CardanFrame a, b;
    CrdDual dual;
    switch (crd_measures[it->measure].of) {
    case CRD_OF_FORCE:
        CRD_TRY(offered(model, actions, system, it, false, &dual, error));
        *value = dual.x;
        break;
    case CRD_OF_JOINT:
        *value = joint_value(model, system, it);
        break;
    case CRD_OF_PAIR:
        *value = crd_measure_pair(it->measure, planar, crd_frame_at(model, system, it->object, &a),
                                  crd_frame_at(model, system, it->other, &b));
        break;
    default:
        *value = crd_measure_frame(it->measure, crd_frame_at(model, system, it->object, &a));
        break;
    }
    return CARDAN_OK;
}

CardanStatus crd_measure_slope(const CardanModel *model, const CrdActions *actions, CrdSystem *system,
                               const CrdLawMeasure *it, double *slope, CrdError *error) {
    bool planar = model->structure->space == CARDAN_SPACE_PLANAR;
    CardanFrame a, b;
    CrdChange da, db;
    CrdDual dual;
    switch (crd_measures[it->measure].of) {
    case CRD_OF_FORCE:
        CRD_TRY(offered(model, actions, system, it, true, &dual, error));
        *slope = dual.d;
        break;
    case CRD_OF_JOINT:
        *slope = joint_slope(model, system, it);
        break;
    case CRD_OF_PAIR:
        *slope = crd_measure_pair_change(it->measure, planar, crd_frame_at(model, system, it->object, &a),
                                         crd_frame_at(model, system, it->other, &b),
                                         change_at(model, system, it->object, &da),
                                         change_at(model, system, it->other, &db));
        break;
    default:
        *slope = crd_measure_frame_change(it->measure, crd_frame_at(model, system, it->object, &a),
                                          change_at(model, system, it->object, &da));
        break;
    }
    return CARDAN_OK;
}
