/* Steps of the stiff steppers on planar chains of 10 to N links (10,000), hinges and bushings by turns: processor time
 * an accepted step, and by what power of the length it grows. Steps go by tolerance from rest; the first few, which
 * begin with low orders and short steps, are left out. */
#include "bench.h"

#include "cardan/cardan.h"

#include <math.h>
#include <stdio.h>

enum { FIRST = 20, TIMED_MIN = 10, TIMED_LINKS = 3000 };

/* N/m and N m/rad, and the same for rates: overdamped, a thousand times faster than the chain. */
static const double STIFFNESS = 1e6, DAMPING = 1e4, TURNING = 1e3, TURNING_DAMPING = 1e2;

static void add_bushing(CardanBuilder *b, const char *name, CardanBody last, CardanBody link, double x) {
    CardanForceDef def = cardan_default_force(CARDAN_FORCE_BUSHING);
    def.name = name;
    def.a = last;
    def.b = link;
    def.point.x = x;
    for (int i = 0; i < 2; i++) {
        def.bushing_stiffness[i] = STIFFNESS;
        def.bushing_damping[i] = DAMPING;
    }
    def.bushing_stiffness[2] = TURNING;
    def.bushing_damping[2] = TURNING_DAMPING;
    cardan_builder_add_force(b, &def);
}

static void add_hinge(CardanBuilder *b, const char *name, CardanBody last, CardanBody link, double x) {
    CardanJointDef def = cardan_default_joint(CARDAN_JOINT_REVOLUTE);
    def.name = name;
    def.a = last;
    def.b = link;
    def.point.x = x;
    cardan_builder_add_joint(b, &def);
}

static CardanBuilder *bushed_chain(int n) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    CardanBody last = {0};
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -9.81, 0.0});
    for (int i = 0; i < n; i++) {
        char name[32];
        CardanBodyDef def = cardan_default_body();
        snprintf(name, sizeof name, "l%d", i + 1);
        def.name = name;
        def.mass = 1.0;
        def.inertia.zz = 1.0 / 12.0;
        def.pose.p.x = i + 0.5;
        CardanBody link = cardan_builder_add_body(b, &def);
        snprintf(name, sizeof name, "%c%d", i % 2 == 0 ? 'j' : 'f', i + 1);
        (i % 2 == 0 ? add_hinge : add_bushing)(b, name, last, link, i);
        last = link;
    }
    return b;
}

/* Seconds an accepted step; negative: it failed. */
static double step_time(const CardanModel *model, int n, CardanStepper stepper, CardanFormulation formulation) {
    CardanOptions options = cardan_default_options();
    const int timed = TIMED_LINKS / n > TIMED_MIN ? TIMED_LINKS / n : TIMED_MIN; /* short ones want more */
    CardanSim *sim = NULL;
    options.stepper = stepper;
    options.formulation = formulation;
    options.rtol = options.atol = 1e-5;
    CardanStatus status = cardan_sim_create(model, &options, &sim);
    for (int i = 0; i < FIRST && status >= 0; i++) status = cardan_sim_step(sim, (double)INFINITY);
    double start = bench_now();
    for (int i = 0; i < timed && status >= 0; i++) status = cardan_sim_step(sim, (double)INFINITY);
    double time = (bench_now() - start) / timed;
    if (status < 0) fprintf(stderr, "%s: %s\n", cardan_stepper_name(stepper), cardan_sim_message(sim));
    cardan_sim_destroy(sim);
    return status < 0 ? -1.0 : time;
}

static const struct {
    CardanStepper stepper;
    CardanFormulation formulation;
} CASES[] = {
    {CARDAN_STEPPER_BDF, CARDAN_FORMULATION_INDEX1},    {CARDAN_STEPPER_BDF, CARDAN_FORMULATION_GGL},
    {CARDAN_STEPPER_RADAU5, CARDAN_FORMULATION_INDEX1}, {CARDAN_STEPPER_RADAU5, CARDAN_FORMULATION_GGL},
    {CARDAN_STEPPER_GALPHA, CARDAN_FORMULATION_INDEX1},
};
enum { CASE_COUNT = sizeof CASES / sizeof *CASES };

static void print(int k, int n, double time, double exponent, bool json) {
    const char *format =
        json ? "{\"bench\": \"stiff\", \"stepper\": \"%s\", \"formulation\": \"%s\", \"size\": %d, "
               "\"seconds\": %.6g, \"exponent\": %.4g}\n"
             : "  %-7s %-10s %6d links   %10.4g s an accepted step   exponent from the shortest %5.2f\n";
    printf(format, cardan_stepper_name(CASES[k].stepper), cardan_options_word("formulation", (int)CASES[k].formulation),
           n, time, exponent);
}

static int run(int n, double *first, int smallest, bool json) {
    CardanBuilder *builder = bushed_chain(n);
    CardanModel *model = NULL;
    int failed = cardan_builder_compile(builder, &model) < 0;
    if (failed) fprintf(stderr, "%s\n", cardan_builder_message(builder));
    for (int k = 0; k < CASE_COUNT && !failed; k++) {
        double time = step_time(model, n, CASES[k].stepper, CASES[k].formulation);
        failed = time < 0.0;
        if (n == smallest) first[k] = time;
        double exponent = n == smallest ? 0.0 : log(time / first[k]) / log((double)n / smallest);
        if (!failed) print(k, n, time, exponent, json);
    }
    cardan_model_release(model);
    cardan_builder_destroy(builder);
    return failed;
}

int bench_stiff(const BenchOptions *options) {
    int largest = options->size > 0 ? (int)options->size : 10000, smallest = largest < 10 ? largest : 10;
    double first[CASE_COUNT];
    for (int n = smallest; n <= largest; n *= 10)
        if (run(n, first, smallest, options->json) != 0) return 1;
    return 0;
}
