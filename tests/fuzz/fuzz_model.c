/* Whole small mechanisms made of bytes (support/made_model.h): described, compiled, started and stepped, or refused
 * with a sentence. A status that is no failure means numbers in the state, joints that are closed as geometry sees
 * them, and an energy; and two solvers find the same accelerations, or both refuse. */
#include "cardan/cardan.h"
#include "support/made_model.h"

enum { STEPS = 5, VELOCITIES_MAX = 6 * MADE_BODIES };

#define REACH 0.05       /* s; how far the steps may go */
#define TOLERANCES 100.0 /* of the error control: how far a joint may be open */
#define RTOL 1e-6        /* the default tolerances */
#define ATOL 1e-8
#define OPENING 10.0      /* tolerances of redundancy: what a loop may open by */
#define SPAN 4.0          /* sizes, at most, that make up what the library takes for the mechanism's length */
#define AGREEMENT 1e-9    /* of accelerations between solvers, in units of them, over the smallest pivot */
#define PIVOT_JUDGED 1e-6 /* below, next to a singular pose, solvers may differ */

static void check_numbers(const Made *made, CardanSim *sim, CardanSizes sizes) {
    const double *q = cardan_sim_positions(sim), *v = cardan_sim_velocities(sim);
    for (int i = 0; i < sizes.coordinates; i++) MUST(isfinite(q[i]), "q[%d] of %d bodies", i, made->bodies);
    for (int i = 0; i < sizes.velocities; i++) MUST(isfinite(v[i]), "v[%d]", i);
    CardanEnergy energy;
    CardanStatus status = cardan_sim_energy(sim, &energy);
    MUST(status < 0 || (isfinite(energy.total) && isfinite(energy.work) && isfinite(energy.drift_max)),
         "energy %g, work %g", energy.total, energy.work);
}

/* What joints of an imperfect loop are open by, as the simulation says; never more than it may allow. */
static double opening_told(const Made *made, CardanSim *sim) {
    CardanOpening opening;
    MUST(cardan_sim_opening(sim, &opening) >= 0, "%s", cardan_sim_message(sim));
    double told = fmax(opening.length, opening.angle);
    MUST(told <= OPENING * opening.tolerance * fmax(SPAN * made_size(made), 1.0), "open by %g m, %g rad",
         opening.length, opening.angle);
    return told;
}

/* Rows by geometry alone, from what the simulation says of its bodies. */
static void check_closed(const Made *made, CardanSim *sim) {
    Place places[MADE_BODIES + 1] = {place_of_ground()};
    double g[MADE_ROWS], worst = 0.0;
    for (int i = 1; i <= made->bodies; i++) {
        CardanBodyState state;
        MUST(cardan_sim_body(sim, made->body[i], &state) >= 0, "body %d: %s", i, cardan_sim_message(sim));
        places[i] = place_of_state(made->space, &state);
        if (made->particle[i]) memcpy(places[i].r, made->written[0].r, sizeof places[i].r);
    }
    int rows = made_rows(made, cardan_sim_time(sim), places, g), at = 0;
    for (int i = 0; i < rows; i++)
        if (!(fabs(g[i]) <= worst)) worst = fabs(g[i]), at = i;
    double allowed = TOLERANCES * (ATOL + RTOL * made_size(made)) + opening_told(made, sim);
    MUST(worst <= allowed, "row %d of %d is open by %g at t = %g, allowed %g", at, rows, worst, cardan_sim_time(sim),
         allowed);
}

static CardanStatus started(const CardanModel *model, CardanSolver solver, CardanSim **sim) {
    CardanOptions options = cardan_model_options(model);
    options.solver = solver;
    CardanStatus status = cardan_sim_create(model, &options, sim);
    MUST(*sim != NULL, "no simulation");
    MUST(status >= 0 || cardan_sim_message(*sim)[0] != '\0', "a refusal without a sentence");
    return status;
}

static bool solved(CardanSim *sim, double *a, double *scale) {
    CardanWork work;
    CardanStatus status = cardan_sim_evaluate(sim, a, NULL);
    MUST(status >= 0 || cardan_sim_message(sim)[0] != '\0', "a refusal without a sentence");
    if (status < 0 || cardan_sim_work(sim, &work) < 0) return false;
    *scale = fmin(*scale, work.pivot_min);
    return true;
}

/* Next to a singular pose a solver may; the saddle matrix has no way to leave dependent rows out. */
static bool may_refuse(const CardanModel *model, CardanSim *sim, CardanSolver solver) {
    CardanWork work;
    CardanCheck check;
    if (cardan_sim_work(sim, &work) < 0 || work.pivot_min < PIVOT_JUDGED) return true;
    if (solver != CARDAN_SOLVER_SADDLE) return false;
    return cardan_model_check(model, &check, NULL, NULL, NULL, 0) < 0 || check.redundant_rows > 0 || check.singular;
}

/* The same accelerations by another back end. */
static void compare(const CardanModel *model, CardanSim *sim, CardanSolver solver, CardanSizes sizes) {
    CardanSim *other = NULL;
    double a[VELOCITIES_MAX], b[VELOCITIES_MAX], pivot = 1.0, largest = 1.0, off = 0.0;
    CardanStatus status = started(model, solver, &other);
    if (status < 0) {
        MUST(may_refuse(model, sim, solver), "started with one solver, refused with %s: %s", cardan_solver_name(solver),
             cardan_sim_message(other));
    } else if (solved(sim, a, &pivot) && solved(other, b, &pivot) && pivot >= PIVOT_JUDGED) {
        for (int i = 0; i < sizes.velocities; i++) {
            largest = fmax(largest, fabs(a[i]));
            off = fmax(off, fabs(a[i] - b[i]));
        }
        MUST(off <= AGREEMENT * largest / pivot, "accelerations differ by %g of %g with %s, pivot %g", off, largest,
             cardan_solver_name(solver), pivot);
    }
    cardan_sim_destroy(other);
}

static void run(const Made *made, const CardanModel *model, CardanSolver solver) {
    CardanSim *sim = NULL;
    CardanSizes sizes = cardan_model_sizes(model);
    CardanStatus status = started(model, CARDAN_SOLVER_BLOCK, &sim);
    if (status >= 0) {
        check_numbers(made, sim, sizes);
        check_closed(made, sim);
        compare(model, sim, solver, sizes);
    }
    for (int i = 0; i < STEPS && status >= 0 && cardan_sim_time(sim) < REACH; i++) {
        status = cardan_sim_step(sim, REACH);
        MUST(status >= 0 || cardan_sim_message(sim)[0] != '\0', "a failed step without a sentence");
        check_numbers(made, sim, sizes);
        if (status >= 0) check_closed(made, sim);
    }
    cardan_sim_destroy(sim);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Bytes bytes = bytes_of(data, size);
    static const CardanSolver SOLVERS[] = {CARDAN_SOLVER_DENSE, CARDAN_SOLVER_SADDLE, CARDAN_SOLVER_CHOLMOD,
                                           CARDAN_SOLVER_SUPERNODAL};
    CardanSolver solver = SOLVERS[bytes_index(&bytes, 4)];
    static Made made;
    made_model(&made, &bytes, true);
    CardanModel *model = NULL;
    CardanStatus status = cardan_builder_compile(made.builder, &model);
    MUST((status >= 0) == (model != NULL), "status %d", (int)status);
    MUST(status >= 0 || cardan_builder_message(made.builder)[0] != '\0', "a refusal without a sentence");
    if (status >= 0) run(&made, model, solver);
    cardan_model_release(model);
    cardan_builder_destroy(made.builder);
    return 0;
}
