/* The linearised equations against differenced dynamics, on every file of models/ while it moves: states on both sides
 * of a moving one are put on the constraints, and what their independent coordinates, velocities and first-order states
 * differ by must have the rates that A gives it. Outputs and inputs likewise. */
#include "mechanisms.h"
#include "support/check.h"
#include "support/random.h"
#include "support/scene.h"

#include "core/rotation.h"
#include "sim/sim.h"
#include "tangent/linear.h"

#include <dirent.h>

enum { SIZE = 2000, DIRECTIONS = 3 };

/* s: models at rest start on kinks of their friction. */
static const double START = 0.002;
/* Differences of STEP have its square as error, times third derivatives of up to some hundreds. */
static const double STEP = 1e-6, EXACT = 1e-6;

/* Displacements and velocities of a state against the one that is linearised about. */
static void chart(const CardanModel *model, const double *q0, const double *v0, const double *q, const double *v,
                  double *x, double *dv) {
    const CrdStructure *structure = model->structure;
    for (int b = 0; b < structure->block_count; b++) {
        const CrdBlock *block = &structure->blocks[b];
        for (int k = 0; k < (block->kind == CRD_SPATIAL_BODY ? 3 : block->nv); k++)
            x[block->v + k] = q[block->q + k] - q0[block->q + k];
        if (block->kind != CRD_SPATIAL_BODY) continue;
        const double *a = q0 + block->q + 3, *p = q + block->q + 3; /* 2 a* o p */
        x[block->v + 3] = 2.0 * (a[0] * p[1] - a[1] * p[0] - a[2] * p[3] + a[3] * p[2]);
        x[block->v + 4] = 2.0 * (a[0] * p[2] + a[1] * p[3] - a[2] * p[0] - a[3] * p[1]);
        x[block->v + 5] = 2.0 * (a[0] * p[3] - a[1] * p[2] + a[2] * p[1] - a[3] * p[0]);
    }
    for (int i = 0; i < structure->nv; i++) dv[i] = v[i] - v0[i];
}

typedef struct Side {
    double x[SIZE], v[SIZE], z[SIZE], a[SIZE], z_rate[SIZE], outputs[SIZE];
} Side;

typedef struct Case {
    const char *name;
    const CardanModel *model;
    CardanSim *sim;
    const CardanLinear *linear;
    double t, q[SIZE], v[SIZE], z[SIZE], dx[SIZE], dv[SIZE], dz[SIZE];
} Case;

static void look(const Case *c, double s, Side *out) {
    const CrdStructure *structure = c->model->structure;
    CrdIntegrator *integrator = &c->sim->integrator;
    double *y = c->sim->scratch, moved[SIZE];
    memcpy(y, integrator->stepper.y, (size_t)integrator->stepper.n * sizeof *y);
    for (int i = 0; i < structure->nv; i++) moved[i] = s * c->dx[i];
    crd_move(structure, moved, y);
    for (int i = 0; i < structure->nv; i++) y[structure->nq + i] += s * c->dv[i];
    for (int i = 0; i < structure->first_order; i++) y[structure->nq + structure->nv + i] += s * c->dz[i];
    assert_true(crd_integrator_project(integrator, c->t, y) >= 0);
    assert_true(crd_integrator_evaluate_constraints(integrator, c->t, y) >= 0);
    assert_true(crd_integrator_derivative(integrator, y, integrator->stepper.f_new, false) >= 0);
    chart(c->model, c->q, c->v, y, y + structure->nq, out->x, out->v);
    memcpy(out->a, integrator->dynamics.a, (size_t)structure->nv * sizeof(double));
    for (int i = 0; i < structure->first_order; i++) {
        out->z[i] = y[structure->nq + structure->nv + i] - c->z[i];
        out->z_rate[i] = integrator->dynamics.system.z_rate[i];
    }
}

static void compare(Case *c) {
    static Side low, high;
    CardanStateSpace space = cardan_linear_state_space(c->linear);
    const CrdStructure *structure = c->model->structure;
    int nv = structure->nv;
    double h = STEP / fmax(crd_reach(c->model, c->dx), crd_reach(c->model, c->dv));
    double change[SIZE], rate[SIZE], size = 1.0;
    look(c, -h, &low);
    look(c, h, &high);
    for (int i = 0; i < space.states; i++) {
        int unknown = c->linear->state[i];
        int k = unknown < nv ? unknown : unknown < 2 * nv ? unknown - nv : unknown - 2 * nv;
        bool x = unknown < nv, v = !x && unknown < 2 * nv;
        change[i] = (x ? high.x[k] - low.x[k] : v ? high.v[k] - low.v[k] : high.z[k] - low.z[k]) / (2.0 * h);
        rate[i] = (x ? high.v[k] - low.v[k] : v ? high.a[k] - low.a[k] : high.z_rate[k] - low.z_rate[k]) / (2.0 * h);
        size = fmax(size, fabs(rate[i]));
        for (int b = 0; x && b < structure->block_count; b++) {
            const CrdBlock *block = &structure->blocks[b];
            int turn = k - block->v - 3;
            if (block->kind != CRD_SPATIAL_BODY || turn < 0 || turn > 2) continue;
            double d[3];
            for (int j = 0; j < 3; j++) d[j] = (high.x[block->v + 3 + j] - low.x[block->v + 3 + j]) / (2.0 * h);
            CrdVec w = crd_vec_of(c->v + block->v + 3), turned = crd_cross(w, crd_vec_of(d));
            rate[i] -= turn == 0 ? turned.x : turn == 1 ? turned.y : turned.z;
        }
    }
    for (int i = 0; i < space.states; i++) {
        char name[128];
        double sum = 0.0;
        for (int k = 0; k < space.states; k++) sum += space.a[i * space.states + k] * change[k];
        check_near(sum, rate[i], EXACT * size, "%s: rate of %s, state %d of %d", c->name,
                   cardan_linear_name(c->linear, CARDAN_LINEAR_STATE, i, name, sizeof name), i, space.states);
    }
}

static void look_at(const CardanModel *model, const char *name) {
    static Case c;
    Random random = {7};
    CardanOptions options = cardan_model_options(model);
    options.coordinates = CARDAN_COORDINATES_ABSOLUTE;
    c = (Case){.name = name, .model = model, .sim = scene_start(model, &options)};
    if (cardan_sim_advance(c.sim, START) < 0) fail_msg("%s: %s", name, cardan_sim_message(c.sim));
    CardanLinear *linear = NULL;
    if (cardan_sim_linearise(c.sim, CARDAN_LINEAR_MINIMAL, 0, NULL, 0, NULL, &linear) < 0)
        fail_msg("%s: %s", name, cardan_sim_message(c.sim));
    const CrdStructure *structure = model->structure;
    const double *y = c.sim->integrator.stepper.y;
    assert_true(structure->nq <= SIZE);
    c.linear = linear;
    c.t = cardan_sim_time(c.sim);
    memcpy(c.q, y, (size_t)structure->nq * sizeof *y);
    memcpy(c.v, y + structure->nq, (size_t)structure->nv * sizeof *y);
    memcpy(c.z, y + structure->nq + structure->nv, (size_t)structure->first_order * sizeof *y);
    for (int d = 0; d < DIRECTIONS; d++) {
        for (int i = 0; i < structure->nv; i++) {
            c.dx[i] = random_signed(&random);
            c.dv[i] = random_signed(&random);
        }
        for (int i = 0; i < structure->first_order; i++) c.dz[i] = random_signed(&random);
        compare(&c);
    }
    cardan_linear_destroy(linear);
    cardan_sim_destroy(c.sim);
}

static void linearised_rates_are_those_of_neighbours_on_every_model(void **state) {
    (void)state;
    DIR *dir = opendir("models");
    assert_non_null(dir);
    int seen = 0;
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char path[512];
        if (strstr(entry->d_name, ".yaml") == NULL) continue;
        snprintf(path, sizeof path, "models/%s", entry->d_name);
        CardanModel *model = scene_load(path);
        look_at(model, entry->d_name);
        cardan_model_release(model);
        seen++;
    }
    closedir(dir);
    assert_true(seen >= 40);
}

/* The Stewart platform of models/ with springs on its legs in place of drives: six freedoms in loops. */
static char *on_springs(void) {
    static char text[40000];
    FILE *file = fopen("models/stewart_platform.yaml", "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 4000, file)] = '\0';
    fclose(file);
    char *end = strstr(text, "  push1:");
    assert_non_null(end);
    end += sprintf(end, "forces:\n");
    for (int i = 1; i <= 6; i++)
        end += sprintf(end, "  leg%d: {type: torsion, joint: slide%d, stiffness: %d, damping: %d}\n", i, i,
                       20000 + 1000 * i, 100 + 10 * i);
    sprintf(end, "simulation: {end: 1}\n");
    return text;
}

static void a_platform_on_springs_is_linearised_through_its_loops(void **state) {
    (void)state;
    CardanModel *model = scene_read(on_springs());
    look_at(model, "a Stewart platform on springs");
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linearised_rates_are_those_of_neighbours_on_every_model),
        cmocka_unit_test(a_platform_on_springs_is_linearised_through_its_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
