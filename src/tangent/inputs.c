/* What a linearised system can be acted on by, as columns of B: the loads (nv) and rates of first-order states (nz)
 * that one unit makes. */
#include "tangent/linear.h"

#include "build/parameters.h"
#include "core/text.h"
#include "sim/channel.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Step of differences over an input, of 1 or its value. Laws are as good as linear in their inputs; what is not is met
 * to fourth order. */
static const double INPUT_STEP = 1e-2;

/* ---- inputs of the model ---- */

/* Drives held by rows have no place for their rates. */
static CardanStatus check_drives(const CardanSim *sim, int input, CrdError *error) {
    assert(input >= 0);
    const CrdStructure *structure = sim->model->structure;
    for (int e = 0; e < structure->element_count; e++)
        for (int k = 0; k < structure->elements[e].laws; k++)
            if (crd_expr_uses(structure->drives[structure->elements[e].law + k],
                              1 + structure->parameter_count + input))
                return crd_fail(error, CARDAN_ERR_MODEL,
                                "input '%s' moves joint '%s' by its law, so its first and second derivatives would be "
                                "inputs too; linearise with a force along that joint in its place",
                                sim->model->description->inputs[input].name, crd_element_name(sim->model, e));
    return CARDAN_OK;
}

/* Loads and rates at another value of an input, into out (nv + nz). */
static CardanStatus loads_at(CardanSim *sim, int input, double value, double *out) {
    assert(input >= 0);
    CrdIntegrator *integrator = &sim->integrator;
    CrdDynamics *dynamics = &integrator->dynamics;
    const CrdStructure *structure = sim->model->structure;
    const double *y = integrator->stepper.y;
    double kept = sim->inputs[input];
    sim->inputs[input] = value;
    CardanStatus status = crd_integrator_evaluate_constraints(integrator, integrator->stepper.t, y);
    if (status >= 0) status = crd_integrator_forces(integrator, y);
    sim->inputs[input] = kept;
    memcpy(out, dynamics->system.f, (size_t)structure->nv * sizeof *out);
    if (structure->first_order > 0)
        memcpy(out + structure->nv, dynamics->system.z_rate, (size_t)structure->first_order * sizeof *out);
    return status;
}

static CardanStatus add_input(const CrdTangent *tangent, int input, double *column, double *room) {
    assert(input >= 0);
    CardanSim *sim = tangent->sim;
    int n = tangent->nv + tangent->nz;
    static const double AT[4] = {-2, -1, 1, 2}, SHARE[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    CRD_TRY(check_drives(sim, input, &sim->error));
    double now = sim->inputs[input], h = INPUT_STEP * (now > 1.0 ? now : now < -1.0 ? -now : 1.0);
    for (int k = 0; k < 4; k++) {
        CRD_TRY(loads_at(sim, input, now + AT[k] * h, room));
        for (int i = 0; i < n; i++) column[i] += SHARE[k] * room[i] / h;
    }
    return CARDAN_OK;
}

/* ---- forces along joints and on bodies ---- */

static void add_twist_row(const CrdTangent *tangent, int frame, const double *row, double *column) {
    const CrdStructure *structure = tangent->structure;
    int block = structure->frames[frame].block;
    if (block < 0) return;
    crd_add_twist_row(structure, &tangent->sim->integrator.dynamics.system, frame, row,
                      column + structure->blocks[block].v);
}

static CardanStatus add_joint(const CrdTangent *tangent, int joint, CardanCoordinate which, double *column) {
    assert(joint >= 0);
    CardanSim *sim = tangent->sim;
    const CrdStructure *structure = tangent->structure;
    int e = structure->element_of_joint[joint];
    const CrdJointKind *kind = structure->elements[e].kind;
    if (kind != NULL && which == CARDAN_COORDINATE_NONE) which = kind->coordinates[0];
    if (kind == NULL || which == CARDAN_COORDINATE_NONE || !crd_joint_has(kind, which))
        return crd_fail(&sim->error, CARDAN_ERR_MODEL,
                        "joint '%s' has no coordinate that a force could act along; BODY.fx .. BODY.mz act on bodies",
                        crd_element_name(sim->model, e));
    CRD_TRY(
        crd_integrator_evaluate_constraints(&sim->integrator, sim->integrator.stepper.t, sim->integrator.stepper.y));
    CrdPair pair = crd_pair_of(structure, &sim->integrator.dynamics.system, e);
    CrdCoordinate coordinate;
    crd_joint_coordinate(which, &sim->model->values.joints[e], &pair, &coordinate);
    add_twist_row(tangent, crd_element_frame(structure, e, 0), coordinate.a, column);
    add_twist_row(tangent, crd_element_frame(structure, e, 1), coordinate.b, column);
    return CARDAN_OK;
}

static const char *const LOADS[6] = {"fx", "fy", "fz", "mx", "my", "mz"};

static CardanStatus add_load(const CrdTangent *tangent, int frame, int component, double *column) {
    assert(frame >= 0 && component >= 0);
    CardanSim *sim = tangent->sim;
    CRD_TRY(
        crd_integrator_evaluate_constraints(&sim->integrator, sim->integrator.stepper.t, sim->integrator.stepper.y));
    double unit[3] = {component % 3 == 0, component % 3 == 1, component % 3 == 2}, row[6] = {0};
    if (component < 3)
        memcpy(row, unit, sizeof unit);
    else
        crd_put(row + 3, crd_apply_t(sim->integrator.dynamics.system.frames[frame].rotation, crd_vec_of(unit)));
    add_twist_row(tangent, frame, row, column);
    return CARDAN_OK;
}

/* ---- names ---- */

static CardanStatus unknown_input(const CrdTangent *tangent, const char *name) {
    const CrdDescription *description = tangent->sim->model->description;
    unsigned kinds = 1u << CRD_NAME_INPUT | 1u << CRD_NAME_JOINT | 1u << CRD_NAME_FORCE | 1u << CRD_NAME_BODY;
    const char *near = crd_nearest_of(description, kinds, name, strcspn(name, "."));
    return crd_fail(
        &tangent->sim->error, CARDAN_ERR_MODEL,
        "there is no input '%s': inputs are those of the model, joints with a coordinate, forces on joints, and "
        "BODY.fx .. BODY.mz%s",
        crd_shown_text(name).text, crd_did_you_mean(near).text);
}

static CardanStatus add_force(const CrdTangent *tangent, int force, double *column) {
    assert(force >= 0);
    const CrdForceData *data = &tangent->sim->model->values.forces[force];
    if (data->joint > 0) return add_joint(tangent, data->joint - 1, data->coordinate, column);
    return crd_fail(&tangent->sim->error, CARDAN_ERR_MODEL,
                    "force '%s' does not act along a joint; take BODY.fx .. BODY.mz of the body it acts on",
                    tangent->sim->model->description->forces[force].name);
}

static int component_of(const CrdTangent *tangent, int frame, const char *part) {
    assert(frame >= 0);
    const CrdStructure *structure = tangent->structure;
    bool planar = structure->space == CARDAN_SPACE_PLANAR;
    if (structure->frames[frame].kind != CRD_FRAME_BODY) return -1;
    CrdBlockKind kind = structure->blocks[structure->frames[frame].block].kind;
    bool particle = kind == CRD_PLANAR_PARTICLE || kind == CRD_SPATIAL_PARTICLE;
    for (int k = 0; k < 6; k++)
        if (strcmp(LOADS[k], part) == 0 && crd_change_exists(planar ? CARDAN_SPACE_PLANAR : CARDAN_SPACE_SPATIAL, k) &&
            !(particle && k >= 3))
            return k;
    return -1;
}

static CardanStatus add_named(const CrdTangent *tangent, const char *name, double *column, double *room) {
    const CrdDescription *description = tangent->sim->model->description;
    const char *dot = strchr(name, '.');
    size_t length = dot != NULL ? (size_t)(dot - name) : strlen(name);
    CrdNamed number = crd_names_find(&description->numbers, name, length);
    CrdNamed object = crd_names_find(&description->names, name, length);
    if (dot == NULL && number.kind == CRD_NAME_INPUT) return add_input(tangent, number.index, column, room);
    if (dot == NULL && object.kind == CRD_NAME_JOINT)
        return add_joint(tangent, object.index, CARDAN_COORDINATE_NONE, column);
    if (dot == NULL && object.kind == CRD_NAME_FORCE) return add_force(tangent, object.index, column);
    if (dot != NULL && object.kind == CRD_NAME_BODY) {
        int frame = tangent->structure->blocks[object.index].frame;
        int component = component_of(tangent, frame, dot + 1);
        if (component >= 0) return add_load(tangent, frame, component, column);
    }
    return unknown_input(tangent, name);
}

/* Loads stand in the equations of motion, rates in those of first-order states. */
static void add_entries(const CardanLinear *linear, int input, const double *column, CrdEntries *entries) {
    int z = 2 * linear->nv, a = z + linear->nz;
    for (int i = 0; i < linear->nv + linear->nz; i++) {
        if (column[i] == 0.0) continue;
        crd_entries_add(entries, i < linear->nv ? a + i : z + i - linear->nv, input, column[i]);
    }
}

CardanStatus crd_linear_inputs(CardanLinear *linear, const CrdTangent *tangent, int count, const char *const *name) {
    CardanSim *sim = tangent->sim;
    CrdEntries entries = {0};
    size_t n = (size_t)(tangent->nv + tangent->nz);
    double *column = crd_new(n, sizeof *column), *room = crd_new(n, sizeof *room);
    linear->input = crd_new((size_t)count, sizeof *linear->input);
    CardanStatus status =
        column == NULL || room == NULL || linear->input == NULL ? crd_fail_memory(&sim->error) : CARDAN_OK;
    for (int i = 0; status >= 0 && i < count; i++) {
        memset(column, 0, n * sizeof *column);
        status = add_named(tangent, name[i], column, room);
        if (status < 0) break;
        add_entries(linear, i, column, &entries);
        linear->inputs = i + 1;
        linear->input[i] = crd_copy_string(name[i]);
        if (linear->input[i] == NULL) status = crd_fail_memory(&sim->error);
    }
    CRD_DELETE_ALL(column, room);
    if (status >= 0) return crd_compressed_create(&entries, linear->size, count, &linear->b, &sim->error);
    crd_delete(entries.entry);
    return status;
}
