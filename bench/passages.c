/* The N-four-bar A02 (1000) through its flat poses, where N + 1 rows become dependent at once: does it keep its branch,
 * how far is it from the closed motion, what did it cost? The cranks' angle x (clockwise from upright) obeys
 *     [(N+1)/3 + N] x'' = [(N+1)/2 + N] g sin x
 * which is integrated beside it by many small RK4 steps. */
#include "bench.h"

#include "mechanisms.h"

#include <math.h>
#include <stdio.h>

static const double END = 10.0; /* s; ten passages */
static const double HALF_PI = 1.57079632679489661923;
static const double SMALL_STEP = 1e-4; /* s; of the closed motion: good to 1e-12 */

typedef struct Turn {
    double a; /* 1/s^2 */
    double t, x, v;
} Turn;

static void turn_advance(Turn *turn, double t) {
    int n = 1 + (int)((t - turn->t) / SMALL_STEP);
    double h = (t - turn->t) / n;
    for (int i = 0; i < n; i++) {
        double v1 = turn->v, a1 = turn->a * sin(turn->x);
        double v2 = turn->v + 0.5 * h * a1, a2 = turn->a * sin(turn->x + 0.5 * h * v1);
        double v3 = turn->v + 0.5 * h * a2, a3 = turn->a * sin(turn->x + 0.5 * h * v2);
        double v4 = turn->v + h * a3, a4 = turn->a * sin(turn->x + h * v3);
        turn->x += h / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4);
        turn->v += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    }
    turn->t = t;
}

typedef struct Worst {
    double error, parted; /* rad: first crank against the closed motion, cranks against the first */
} Worst;

/* Cranks are bodies 0, 1, 3, 5, ... of the description. */
static CardanStatus compare(CardanSim *sim, const CardanModel *model, int n, double x, Worst *worst) {
    CardanBodyState first, other;
    CardanStatus status = cardan_sim_body(sim, cardan_model_body(model, 0), &first);
    if (status < 0) return status;
    worst->error = fmax(worst->error, fabs(HALF_PI - first.angle - x));
    for (int i = 1; i <= n; i++) {
        status = cardan_sim_body(sim, cardan_model_body(model, 2 * i - 1), &other);
        if (status < 0) return status;
        worst->parted = fmax(worst->parted, fabs(other.angle - first.angle));
    }
    return CARDAN_OK;
}

static int report(CardanSim *sim, const CardanModel *model, int n, bool json) {
    Turn turn = {.a = 9.81 * ((n + 1) / 2.0 + n) / ((n + 1) / 3.0 + n), .v = 1.0};
    Worst worst = {0};
    double start = bench_now();
    CardanStatus status = CARDAN_OK;
    while (status >= 0 && cardan_sim_time(sim) < END) {
        status = cardan_sim_step(sim, END);
        turn_advance(&turn, cardan_sim_time(sim));
        if (status >= 0) status = compare(sim, model, n, turn.x, &worst);
    }
    double seconds = bench_now() - start;
    long passages;
    const CardanEvent *events;
    cardan_sim_events(sim, &events, &passages);
    CardanWork work;
    if (cardan_sim_work(sim, &work) < 0) return 1;
    bool kept = status >= 0 && worst.parted < 1e-3;
    const char *format =
        json ? "{\"bench\": \"passages\", \"size\": %d, \"t\": %.9g, \"branch_kept\": %s, \"passages\": %ld, "
               "\"parted\": %.3g, \"error\": %.3g, \"steps\": %ld, \"rhs\": %ld, \"alarms\": %ld, \"seconds\": %.4g}\n"
             : "N = %d, t = %.9g s, branch kept: %s, %ld passages logged\ncranks apart by at most %.3g rad, "
               "off the closed motion by %.3g rad\n%ld steps, %ld right-hand sides, %ld alarms, %.4g s\n";
    printf(format, n, cardan_sim_time(sim), kept ? "true" : "false", passages, worst.parted, worst.error, work.steps,
           work.rhs, work.alarms, seconds);
    return kept ? 0 : 1;
}

int bench_passages(const BenchOptions *options) {
    int n = options->size > 0 ? (int)options->size : 1000;
    CardanBuilder *builder = mechanism_four_bars(n);
    CardanModel *model = NULL;
    CardanSim *sim = NULL;
    CardanOptions choice = cardan_default_options();
    choice.rtol = 1e-9;
    choice.atol = 1e-11;
    int failed = 1;
    if (cardan_builder_compile(builder, &model) < 0)
        fprintf(stderr, "%s\n", cardan_builder_message(builder));
    else if (cardan_sim_create(model, &choice, &sim) < 0 || (failed = report(sim, model, n, options->json)) != 0)
        fprintf(stderr, "%s\n", cardan_sim_message(sim));
    cardan_sim_destroy(sim);
    cardan_model_release(model);
    cardan_builder_destroy(builder);
    return failed;
}
