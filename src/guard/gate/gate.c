#include "guard/gate/gate.h"

#include "core/numbers.h"
#include "integrate/norm.h"

#include <math.h>
#include <string.h>

/* Openings that a state may be accepted with, in tolerances of its step. Post-stabilisation asks for a hundredth of
 * that; where it leaves a row alone next to a singular pose a third has been seen. */
#define CRD_GATE_OPEN 1.0

/* Residual of the equations of motion against the sizes of their terms: 1e-11 is left in models with ordinary masses,
 * 1e-6 where they differ by 1e10. Beyond this the solve is ill-conditioned and its accelerations are no answer. */
#define CRD_GATE_SOLVED 1e-5

/* A bad condition lasts: one step of so many is looked at, and each that comes near a singular pose. Its rows are,
 * against the largest acceleration alone; all equations against all their terms when that is not enough, and in one
 * step of the second number. */
#define CRD_GATE_ROWS_EVERY 4
#define CRD_GATE_ALL_EVERY 64

/* The energy balance: explained are so many relative tolerances of the energies of motion, and one more for each step,
 * as the error control allows it; never more than this share. Fixed steps control nothing: the share. */
#define CRD_GATE_BALANCE 1e3
#define CRD_GATE_BALANCE_SHARE 0.1

/* Of fixed steps besides: a method of order 1 that starts from rest is off by 1/n of its energy after n steps. */
#define CRD_GATE_BALANCE_FIRST 2.0

/* A tolerance below this is rounding of sums over a mechanism. */
#define CRD_GATE_ROUNDING 1e-13

/* Tolerances by which joints that nothing closes may drift without a word; what was told is told again when it has
 * grown by the second number. */
#define CRD_GATE_DRIFT 100.0
#define CRD_GATE_TOLD 10.0

/* It looks at a step when the stabiliser is done with it, in the room of its passes. */
static void borrow(CrdGate *gate, const CrdStructure *structure) {
    const CrdStabiliser *stabiliser = &gate->integrator->stabiliser;
    gate->rows = stabiliser->both;
    gate->rows_size = stabiliser->both + structure->rows;
    gate->forces = stabiliser->moves;
    gate->forces_size = stabiliser->moves + structure->nv;
    gate->free = gate->integrator->y_raw;
}

void *crd_gate_layout(CrdIntegrator *integrator, CrdArena *arena) {
    CrdGate measuring = {0}, *real = crd_take(arena, 1, sizeof *real), *gate = real != NULL ? real : &measuring;
    const CrdStructure *structure = integrator->dynamics.model->structure;
    gate->integrator = integrator;
    gate->mark = crd_take(arena, (size_t)structure->element_count, sizeof *gate->mark);
    if (real != NULL) borrow(gate, structure);
    return real;
}

static const char *name_of_row(const CardanModel *model, int row) {
    return crd_element_name(model, model->structure->row_element[row]);
}

/* ---- before acceptance ---- */

static CardanStatus check_finite(const CrdIntegrator *integrator, double t) {
    const CrdDynamics *dynamics = &integrator->dynamics;
    const CrdStepper *stepper = &integrator->stepper;
    int rows = dynamics->model->structure->rows, row = 0;
    if (crd_all_finite(stepper->f_new, stepper->n) && crd_all_finite(dynamics->lambda, rows)) return CARDAN_OK;
    while (row < rows && isfinite(dynamics->lambda[row])) row++;
    if (row == rows)
        return crd_fail(stepper->error, CARDAN_ERR_NUMERIC, "accelerations are no longer finite at t = %.9g", t);
    return crd_fail(stepper->error, CARDAN_ERR_NUMERIC, "the multipliers of joint '%s' are not finite at t = %.9g",
                    name_of_row(dynamics->model, row), t);
}

static bool is_closed_by_steps(const CrdIntegrator *integrator) {
    return crd_stabiliser_moves(&integrator->stabiliser) || integrator->stepper.method->on_constraints;
}

static CardanStatus check_closed(CrdIntegrator *integrator, double t) {
    const CrdDynamics *dynamics = &integrator->dynamics;
    const double *v = crd_integrator_v(integrator, integrator->stepper.y_new);
    if (integrator->stabiliser.closed) return CARDAN_OK; /* to a hundredth of that */
    CrdResidual opening = crd_stabiliser_judge(&integrator->stabiliser, dynamics, v, CRD_GATE_OPEN);
    if (opening.position <= 1.0 && opening.velocity <= 1.0) return CARDAN_OK;
    bool place = !(opening.position <= 1.0);
    int row = place ? opening.row : opening.rate_row;
    const double *rows = place ? dynamics->system.g : dynamics->system.rate;
    crd_stabiliser_note(&integrator->stabiliser, dynamics, v, row);
    return crd_fail(integrator->stepper.error, CARDAN_ERR_NUMERIC,
                    "joint '%s' does not close at t = %.9g: it is %s by %.2g, %.2g times what the tolerance allows",
                    name_of_row(dynamics->model, row), t, place ? "open" : "opening", fabs(rows[row]),
                    place ? opening.position : opening.velocity);
}

/* Next to a singular pose accelerations come from neighbours of the state, and rows that are softened, or met by least
 * squares, do not hold by intention: then there is nothing to compare with. */
static bool is_solved_exactly(const CrdDynamics *dynamics) {
    return crd_all_rows_act(dynamics) && !dynamics->regularisation.softened && !crd_imperfect_is_spread(dynamics) &&
           crd_singularity_measure(dynamics) >= CRD_LAND;
}

/* The body whose velocity this is. */
static const char *name_of_velocity(const CardanModel *model, int i) {
    const CrdStructure *structure = model->structure;
    int b = 0;
    while (b + 1 < structure->block_count && structure->blocks[b + 1].v <= i) b++;
    const CrdBlock *block = &structure->blocks[b];
    return block->kind == CRD_CUSTOM_BLOCK ? model->description->blocks[block->object].name
                                           : model->description->bodies[block->object].name;
}

static CardanStatus check_solved(CrdGate *gate, double t) {
    const CrdDynamics *dynamics = &gate->integrator->dynamics;
    long step = gate->integrator->statistics.steps;
    bool all = step % CRD_GATE_ALL_EVERY == 0, near = crd_singularity_measure(dynamics) < CRD_PASSAGE_WATCH;
    if (!near && step % CRD_GATE_ROWS_EVERY != 0) return CARDAN_OK;
    if (!all && crd_gate_rows_are_met(gate, CRD_GATE_SOLVED)) return CARDAN_OK;
    CrdUnsolved left = crd_gate_verify(gate);
    bool rows = !(left.rows <= CRD_GATE_SOLVED);
    if (!rows && left.forces <= CRD_GATE_SOLVED) return CARDAN_OK;
    return crd_fail(gate->integrator->stepper.error, CARDAN_ERR_NUMERIC,
                    "the equations of motion are too badly conditioned at t = %.9g: their solution leaves %.2g of %s "
                    "'%s' unmet; masses and inertias that differ by many powers of ten do that",
                    t, rows ? left.rows : left.forces, rows ? "joint" : "body",
                    rows ? name_of_row(dynamics->model, left.row) : name_of_velocity(dynamics->model, left.force));
}

static CrdVerdict after_attempt(void *self, CrdTry *attempt, CardanStatus *status) {
    CrdGate *gate = self;
    CrdIntegrator *integrator = gate->integrator;
    const CrdDynamics *dynamics = &integrator->dynamics;
    bool rows = dynamics->model->structure->rows > 0, exact = rows && is_solved_exactly(dynamics);
    *status = check_finite(integrator, attempt->t_new);
    if (rows && *status >= 0 && is_closed_by_steps(integrator)) *status = check_closed(integrator, attempt->t_new);
    if (exact && *status >= 0) *status = check_solved(gate, attempt->t_new);
    return *status < 0 ? CRD_REJECT : CRD_ACCEPT;
}

/* ---- after acceptance ---- */

/* J that the tolerance explains. */
static double explained_drift(const CrdIntegrator *integrator) {
    const CrdStatistics *statistics = &integrator->statistics;
    const CrdTolerance *tolerance = &integrator->stabiliser.tolerance;
    bool fixed = integrator->options.step > 0.0;
    double relative = fmax(tolerance->relative, CRD_GATE_ROUNDING),
           times = fixed ? 1.0 : CRD_GATE_BALANCE + (double)statistics->steps,
           share = fixed ? CRD_GATE_BALANCE_SHARE + CRD_GATE_BALANCE_FIRST / (double)statistics->steps
                         : fmin(CRD_GATE_BALANCE_SHARE, times * relative),
           work = fabs(*crd_integrator_work(integrator, integrator->stepper.y));
    return share * (statistics->kinetic_max + work) +
           times * (tolerance->energy +
                    relative * fabs(crd_potential(integrator->dynamics.model, &integrator->dynamics.system)));
}

/* A step far too long makes energy from nothing, and nothing else tells: the joints stay closed. */
static CardanStatus tell_balance(CrdGate *gate) {
    const CrdIntegrator *integrator = gate->integrator;
    const CrdStatistics *statistics = &integrator->statistics;
    double drift = fabs(statistics->balance - statistics->energy_start);
    if (drift <= CRD_GATE_TOLD * gate->balance_told || drift <= explained_drift(integrator)) return CARDAN_OK;
    gate->balance_told = drift;
    return crd_fail(integrator->stepper.error, CARDAN_REMARK,
                    "energy and work balance to %.2g J only, beside at most %.2g J of motion, at t = %.9g: %s", drift,
                    statistics->kinetic_max, integrator->stepper.t,
                    integrator->options.step > 0.0 ? "the step is too long for this motion"
                                                   : "the tolerance is too loose for this motion");
}

static CardanStatus tell_opening(CrdGate *gate) {
    const CrdIntegrator *integrator = gate->integrator;
    const CrdDynamics *dynamics = &integrator->dynamics;
    if (dynamics->model->structure->rows == 0 || is_closed_by_steps(integrator)) return CARDAN_OK;
    int row = 0;
    CrdAllowed allowed = crd_tolerated_positions(&integrator->stabiliser.tolerance, dynamics->model, 1.0);
    double open = crd_rows_excess(dynamics->model, &dynamics->system, dynamics->system.g, allowed, &row);
    if (open <= CRD_GATE_DRIFT || open <= CRD_GATE_TOLD * gate->opening_told) return CARDAN_OK;
    gate->opening_told = open;
    return crd_fail(integrator->stepper.error, CARDAN_REMARK,
                    "joint '%s' is open by %.2g at t = %.9g, %.2g times the tolerance: nothing closes joints after a "
                    "step here; stabilise: post does",
                    name_of_row(dynamics->model, row), fabs(dynamics->system.g[row]), integrator->stepper.t, open);
}

/* One remark at a time: one that stands already is not written over, and the number grows until the next. */
static CardanStatus after_acceptance(void *self) {
    CrdGate *gate = self;
    const CrdIntegrator *integrator = gate->integrator;
    if (integrator->stepper.error->text[0] != '\0' || !crd_integrator_is_solved(integrator)) return CARDAN_OK;
    CardanStatus status = tell_opening(gate);
    return status == CARDAN_OK ? tell_balance(gate) : status;
}

/* ---- memory ---- */

enum { REMEMBERED = 3 };

static int memory_size(const CrdStructure *structure) {
    (void)structure;
    return REMEMBERED;
}

static void get(const void *self, double *numbers) {
    const CrdGate *gate = self;
    numbers[0] = gate->integrator->statistics.kinetic_max;
    numbers[1] = gate->balance_told;
    numbers[2] = gate->opening_told;
}

static void set(void *self, const double *numbers) {
    CrdGate *gate = self;
    gate->integrator->statistics.kinetic_max = numbers[0];
    gate->balance_told = numbers[1];
    gate->opening_told = numbers[2];
}

static void copy(void *self, const void *from) {
    double numbers[REMEMBERED];
    get(from, numbers);
    set(self, numbers);
}

const CrdGuard crd_gate_guard = {.after_attempt = after_attempt,
                                 .after_acceptance = after_acceptance,
                                 .explain = crd_gate_explain,
                                 .memory_size = memory_size,
                                 .get = get,
                                 .set = set,
                                 .copy = copy};
