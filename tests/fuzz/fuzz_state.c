/* The state as numbers: bytes put into the state of a few simulations. What set_state, set_motion, set_first_order and
 * set_input take is made of numbers, and stays so through a step; what they refuse leaves every bit as it was; a state
 * that was taken can be got and put back with the same bits, and a clone goes on as the original does. */
#include "bytes.h"
#include "cardan/cardan.h"

#include <stdbool.h>

enum { SIMS = 6, STATE_MAX = 1024, CHANGES_MAX = 24 };

/* Planar and spatial, with counted angles, curves, first-order states, events in laws and memory of methods. */
static const char *const MODELS[SIMS] = {
    "cardan: 1\nspace: planar\ngravity: [0, -9.81]\nbodies: {bob: {mass: 1, particle: true, position: [1, 0]}}\n"
    "joints: {bar: {type: distance, bodies: [ground, bob], local: {a: [0, 0]}, length: 1}}\n",
    "cardan: 1\nspace: planar\nparameters: {r: 0.2, l: 0.4}\ninputs: {u: 0.1}\nbodies:\n"
    "  crank: {mass: 1, inertia: 0.01, position: [\"r/2\", 0]}\n"
    "  rod: {mass: 2, inertia: {rod: l}, position: [\"r + l/2\", 0]}\n"
    "  slider: {mass: 0.5, inertia: 1e-3, position: [\"r + l\", 0]}\njoints:\n"
    "  main: {type: revolute, bodies: [ground, crank], point: [0, 0]}\n"
    "  pin: {type: revolute, bodies: [crank, rod], point: [r, 0]}\n"
    "  wrist: {type: revolute, bodies: [rod, slider], point: [\"r + l\", 0]}\n"
    "  guide: {type: prismatic, bodies: [ground, slider], axis: [1, 0]}\n"
    "forces: {push: {type: torque, joint: main, value: \"u*abs(sin(5*t))\"}}\nstart: {rates: {main: 5}}\n"
    "simulation: {stepper: abm}\n",
    "cardan: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
    "  arm: {mass: 1, inertia: [0.1, 0.1, 0.02], position: [0.5, 0, 0]}\n"
    "  nut: {mass: 0.5, inertia: [0.01, 0.01, 0.02], position: [1, 0, 0.2]}\njoints:\n"
    "  base: {type: revolute, bodies: [ground, arm], point: [0, 0, 0], axis: [0, 1, 1]}\n"
    "  thread: {type: screw, bodies: [arm, nut], point: [1, 0, 0], axis: [0, 0, 1], pitch: 0.01}\n"
    "forces: {stop: {type: limit, joint: base, range: [-0.01, 0.01], stiffness: 100, damping: 1}}\n"
    "simulation: {stepper: dopri5}\n",
    "cardan: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
    "  bead: {mass: 0.3, particle: true, position: [0.5, 0, 0], velocity: [0, 1, 0.2]}\n"
    "  ball: {mass: 1, inertia: {sphere: 0.1}, position: [3, 0, 0.1], velocity: [0.2, 0, 0]}\njoints:\n"
    "  wire: {type: curve, bodies: [ground, bead], path: [\"0.5*cos(s)\", \"0.5*sin(s)\", \"0.1*s\"], s: 0}\n"
    "  road: {type: rolling, bodies: [ground, ball], point: [0, 0, 0], normal: [0, 0, 1], radius: 0.1}\n"
    "start: {velocities: project}\nsimulation: {step: 0.001, stepper: rk4}\n",
    "cardan: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
    "  wheel: {mass: 20, inertia: {cylinder: [0.3, 0.2], along: y}, position: [0, 0, 0.295], velocity: [10, 0, 0],\n"
    "          angular_velocity: [0, 33, 0]}\njoints: {hold: {type: parallel, bodies: [ground, wheel], axis: [0, 1, "
    "0]}}\n"
    "forces:\n  tyre: {type: tyre, wheel: wheel, axis: [0, 1, 0], radius: 0.3,\n"
    "         plane: {point: [0, 0, 0], normal: [0, 0, 1]}, vertical: {stiffness: 2e5, damping: 500},\n"
    "         longitudinal: {B: 10, C: 1.6, D: 1, E: 0.1}, lateral: {B: 8, C: 1.3, D: 1, E: -1}, relaxation: 0.3,\n"
    "         slow: 0.5}\n",
    "cardan: 1\nspace: planar\nbodies:\n"
    "  a: {mass: 1, inertia: 0.1, position: [0.5, 0], spin: 2, velocity: [0, 1]}\n"
    "  b: {mass: 1, inertia: 0.1, position: [1.5, 0]}\n"
    "joints: {h: {type: revolute, bodies: [a, b], point: [1, 0]}}\nstart: {velocities: project}\n"
    "simulation: {stepper: gauss, step: 0.001}\n",
};

typedef struct Bench {
    CardanSim *sim;
    CardanSizes sizes;
    double home[STATE_MAX]; /* the state it was made with */
    int length;
} Bench;

static Bench made(const char *text) {
    Bench bench = {0};
    CardanBuilder *builder = NULL;
    CardanModel *model = NULL;
    CardanStatus status = cardan_builder_read_text(text, strlen(text), "fuzz", &builder);
    if (status >= 0) status = cardan_builder_compile(builder, &model);
    MUST(status >= 0, "%s", cardan_builder_message(builder));
    status = cardan_sim_create(model, NULL, &bench.sim);
    MUST(status >= 0, "%s", cardan_sim_message(bench.sim));
    bench.sizes = cardan_model_sizes(model);
    bench.length = cardan_sim_state_size(bench.sim);
    MUST(bench.length > 0 && bench.length <= STATE_MAX, "state of %d numbers", bench.length);
    MUST(cardan_sim_get_state(bench.sim, bench.home) >= 0, "no state");
    cardan_model_release(model);
    cardan_builder_destroy(builder);
    return bench;
}

static void check_numbers(const Bench *bench, const char *when) {
    const double *q = cardan_sim_positions(bench->sim), *v = cardan_sim_velocities(bench->sim);
    MUST(isfinite(cardan_sim_time(bench->sim)), "t after %s", when);
    for (int i = 0; i < bench->sizes.coordinates; i++) MUST(isfinite(q[i]), "q[%d] after %s", i, when);
    for (int i = 0; i < bench->sizes.velocities; i++) MUST(isfinite(v[i]), "v[%d] after %s", i, when);
    if (bench->sizes.first_order == 0) return;
    const double *z = cardan_sim_first_order(bench->sim, (CardanFirstOrder){0});
    for (int i = 0; i < bench->sizes.first_order; i++) MUST(isfinite(z[i]), "z[%d] after %s", i, when);
}

static void got(const Bench *bench, double *state) {
    MUST(cardan_sim_get_state(bench->sim, state) >= 0, "get_state: %s", cardan_sim_message(bench->sim));
}

static bool same_bits(const Bench *bench, const double *a, const double *b) {
    return memcmp(a, b, (size_t)bench->length * sizeof *a) == 0;
}

/* A number as it is, or one near the number that stands there. */
static double changed(Bytes *bytes, double old) {
    static const double special[] = {0.0, 1.0, -1.0, 1e308, -1e308, 1e-308, 1e17, 3.0e9};
    switch (bytes_index(bytes, 6)) {
    case 0:
        return bytes_raw(bytes);
    case 1:
        return special[bytes_index(bytes, 8)];
    case 2:
        return (double)NAN;
    case 3:
        return bytes_index(bytes, 2) == 0 ? (double)INFINITY : -(double)INFINITY;
    case 4:
        return old + bytes_between(bytes, -1.0, 1.0);
    default:
        return old * (1.0 + bytes_between(bytes, -1e-6, 1e-6));
    }
}

/* A clone goes on with the same bits, and with the same status. */
static void go_on(const Bench *bench) {
    CardanSim *twin = NULL;
    double ours[STATE_MAX], theirs[STATE_MAX];
    CardanStatus status = cardan_sim_clone(bench->sim, &twin);
    MUST(status >= 0 && twin != NULL, "clone: %s", cardan_sim_message(bench->sim));
    got(bench, ours);
    double limit = cardan_sim_time(bench->sim) + 0.01;
    status = cardan_sim_step(bench->sim, limit);
    CardanStatus other = cardan_sim_step(twin, limit);
    MUST(status == other, "a clone steps with status %d, its original with %d: %s", (int)other, (int)status,
         cardan_sim_message(bench->sim));
    MUST(status >= 0 || cardan_sim_message(bench->sim)[0] != '\0', "a failed step without a sentence");
    if (status < 0) {
        got(bench, theirs);
        for (int i = 0; i < bench->length; i++)
            MUST(memcmp(&ours[i], &theirs[i], sizeof *ours) == 0,
                 "a failed step changed number %d of %d from %g to %g: %s", i, bench->length, ours[i], theirs[i],
                 cardan_sim_message(bench->sim));
    }
    got(bench, ours);
    MUST(cardan_sim_get_state(twin, theirs) >= 0, "get_state of a clone");
    for (int i = 0; i < bench->length; i++)
        MUST(memcmp(&ours[i], &theirs[i], sizeof *ours) == 0, "number %d of %d is %.17g, of a clone %.17g, status %d",
             i, bench->length, ours[i], theirs[i], (int)status);
    check_numbers(bench, "a step");
    if (status >= 0) {
        CardanEnergy energy;
        CardanResidual residual;
        if (cardan_sim_energy(bench->sim, &energy) >= 0) MUST(isfinite(energy.total), "energy");
        if (cardan_sim_residual(bench->sim, &residual) >= 0)
            MUST(isfinite(residual.position) && isfinite(residual.velocity), "residual");
    }
    cardan_sim_destroy(twin);
}

/* Puts numbers in and says whether they were taken. */
static CardanStatus put(const Bench *bench, Bytes *bytes) {
    double state[STATE_MAX], z[STATE_MAX];
    memcpy(state, bench->home, (size_t)bench->length * sizeof *state);
    int how = bytes_index(bytes, 8), changes = 1 + bytes_index(bytes, CHANGES_MAX);
    for (int i = 0; i < changes && bytes->at < bytes->end; i++) {
        int k = (int)((bytes_one(bytes) | bytes_one(bytes) << 8) % (unsigned)bench->length);
        state[k] = changed(bytes, state[k]);
    }
    if (how == 0) return cardan_sim_set_motion(bench->sim, state[0], state + 1, state + 1 + bench->sizes.coordinates);
    if (how == 1 && bench->sizes.first_order > 0) {
        for (int i = 0; i < bench->sizes.first_order; i++) z[i] = changed(bytes, 0.5);
        return cardan_sim_set_first_order(bench->sim, (CardanFirstOrder){0}, z);
    }
    if (how == 2 && bench->sizes.inputs > 0)
        return cardan_sim_set_input(bench->sim, (CardanInput){1}, changed(bytes, 0.1));
    return cardan_sim_set_state(bench->sim, state);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static Bench benches[SIMS];
    Bytes bytes = bytes_of(data, size);
    Bench *bench = &benches[bytes_index(&bytes, SIMS)];
    if (bench->sim == NULL) *bench = made(MODELS[bench - benches]);
    double before[STATE_MAX], after[STATE_MAX], again[STATE_MAX];
    got(bench, before);
    CardanStatus status = put(bench, &bytes);
    got(bench, after);
    MUST(status >= 0 || cardan_sim_message(bench->sim)[0] != '\0', "a refusal without a sentence");
    MUST(status >= 0 || same_bits(bench, before, after), "a refusal changed the state: %s",
         cardan_sim_message(bench->sim));
    check_numbers(bench, "the numbers were put in");
    if (status >= 0) {
        status = cardan_sim_set_state(bench->sim, after);
        MUST(status >= 0, "a state that was got is not taken back: %s", cardan_sim_message(bench->sim));
        got(bench, after); /* what was still to be found of a changed state is known now: sides of switches */
        status = cardan_sim_set_state(bench->sim, after);
        MUST(status >= 0, "a state that was got is not taken back again: %s", cardan_sim_message(bench->sim));
        got(bench, again);
        for (int i = 0; i < bench->length; i++)
            MUST(memcmp(&after[i], &again[i], sizeof *after) == 0, "number %d of %d was %.17g, put back %.17g", i,
                 bench->length, after[i], again[i]);
        int steps = 1 + bytes_index(&bytes, 3);
        for (int i = 0; i < steps; i++) go_on(bench);
    }
    status = cardan_sim_set_state(bench->sim, bench->home);
    MUST(status >= 0, "the first state is not taken back: %s", cardan_sim_message(bench->sim));
    if (bench->sizes.inputs > 0) MUST(cardan_sim_set_input(bench->sim, (CardanInput){1}, 0.1) >= 0, "input");
    return 0;
}
