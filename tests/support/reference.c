#include "support/reference.h"
#include "support/reading.h"

static const double ALLOWED = 1e-9; /* of 1 + |value| */

static void compare(const double *value, const Row *row, int n) {
    for (int i = 0; i < n; i++)
        check_near(value[i], row->value[i], ALLOWED * (1.0 + fabs(row->value[i])), "%s, number %d", row->name, i);
}

static void put(double *to, CardanVec3 a, CardanVec3 b) {
    const double both[] = {a.x, a.y, a.z, b.x, b.y, b.z};
    memcpy(to, both, sizeof both);
}

static void check_joint(CardanSim *sim, const CardanModel *model, const Row *row, const char *dot) {
    char name[64];
    double value[6];
    snprintf(name, sizeof name, "%.*s", (int)(dot - row->name), row->name);
    CardanJoint joint = cardan_model_find_joint(model, name);
    assert_int_not_equal(joint.index, 0);
    if (strcmp(dot, ".reaction") == 0) {
        CardanWrench wrench = reaction_of(sim, joint);
        put(value, wrench.force, wrench.moment);
        compare(value, row, 6);
    } else if (strcmp(dot, ".effort") == 0) {
        assert_int_equal(cardan_sim_effort(sim, joint, value), CARDAN_OK);
        compare(value, row, 1);
    } else {
        CardanCoordinate which = strcmp(dot, ".angle") == 0 ? CARDAN_COORDINATE_ANGLE : CARDAN_COORDINATE_DISPLACEMENT;
        assert_int_equal(cardan_sim_coordinate(sim, joint, which, &value[0], &value[1]), CARDAN_OK);
        compare(value, row, 2);
    }
}

static void check_row(CardanSim *sim, const CardanModel *model, const Row *row) {
    double value[6];
    const char *dot = strchr(row->name, '.');
    if (dot != NULL) {
        check_joint(sim, model, row, dot);
    } else if (strcmp(row->name, "energy") == 0) {
        CardanEnergy energy = scene_energy(sim);
        compare((double[]){energy.kinetic, energy.potential, energy.work}, row, 3);
        check_near(energy.drift_max, 0.0, 1e-9 * (1.0 + energy.kinetic), "energy less work");
    } else {
        CardanBodyState body = scene_body(sim, model, row->name);
        put(value, body.position, body.velocity);
        compare(value, row, 6);
    }
}

void check_reference(const Reference *reference) {
    CardanModel *model = reference->file != NULL ? scene_load(reference->file) : scene_read(reference->text);
    CardanOptions options = scene_tight(1e-12, 1e-13);
    CardanSim *sim = scene_start(model, &options);
    scene_advance(sim, reference->t);
    for (int i = 0; i < reference->count; i++) check_row(sim, model, &reference->rows[i]);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}
