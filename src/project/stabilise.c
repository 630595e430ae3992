#include "project/stabilise.h"

#include "core/numbers.h"
#include "dynamics/rank_look.h"
#include "project/full.h"
#include "project/words.h"

#include <string.h>

/* After the passes the residual, in units of the step's tolerance, must be below this; else the factor is refreshed. */
#define CRD_STABILISE_FRACTION 0.01

/* Fresh-factor repetitions before the step is given up: each contracts quadratically, so two reach round-off. */
#define CRD_STABILISE_REPEATS 3

/* Rows of the dense full form: beyond this its (2 rows)^2 matrix costs more than seconds a step. */
enum { FULL_ROWS_MAX = 1000 };

void crd_stabiliser_layout(CrdStabiliser *st, const CrdStructure *structure, const CardanOptions *options,
                           CrdArena *arena) {
    st->options = *options;
    CRD_TAKE_VECTORS(arena, (size_t)structure->nv, &st->dx, &st->dv);
    CRD_TAKE_VECTORS(arena, (size_t)structure->rows, &st->rp, &st->rv);
    bool full = options->stabilise.method == CARDAN_STABILISE_POST &&
                options->stabilise.form == CARDAN_STABILISE_FORM_FULL && structure->rows <= FULL_ROWS_MAX;
    if (full) crd_full_layout(st, structure, arena);
}

CardanStatus crd_stabiliser_check(const CardanModel *model, const CardanOptions *options, CrdError *error) {
    if (options->stabilise.method != CARDAN_STABILISE_POST || options->stabilise.form != CARDAN_STABILISE_FORM_FULL)
        return CARDAN_OK;
    const CrdStructure *structure = model->structure;
    if (structure->rows > FULL_ROWS_MAX)
        return crd_fail(error, CARDAN_ERR_LIMIT,
                        "the full form of post-stabilisation is dense and takes at most %d rows; this model has %d; "
                        "use form: block",
                        FULL_ROWS_MAX, structure->rows);
    if (structure->holonomic_rows != structure->rows)
        return crd_fail(error, CARDAN_ERR_MODEL,
                        "the full form of post-stabilisation has no place for nonholonomic rows; use form: block");
    return CARDAN_OK;
}

static bool wants_position(const CrdStabiliser *st) {
    return st->options.stabilise.levels != CARDAN_LEVELS_VELOCITY;
}

static bool wants_velocity(const CrdStabiliser *st) {
    return st->options.stabilise.levels != CARDAN_LEVELS_POSITION;
}

/* One block pass with the factor at hand, from the rows at hand; then evaluates those of the result. */
static CardanStatus block_pass(CrdStabiliser *st, CrdDynamics *dynamics, bool position, bool velocity, double t,
                               double *q, double *v) {
    const CrdStructure *structure = dynamics->model->structure;
    if (position) CRD_TRY(crd_correct(dynamics, dynamics->system.g, st->rp, st->dx));
    if (velocity) CRD_TRY(crd_correct(dynamics, dynamics->system.rate, st->rv, st->dv));
    if (position) crd_move(structure, st->dx, q);
    for (int i = 0; velocity && i < structure->nv; i++) v[i] += st->dv[i];
    return crd_evaluate_constraints(dynamics, t, q, v);
}

/* ---- is it good enough? ---- */

/* What rounding alone leaves in velocities: sum |G_ij v_j|, in ulps. Near a singular pose positions are known to an ulp
 * over the singularity measure only, and G with them. */
static double velocity_floor(const CrdDynamics *dynamics, const double *v) {
    const CrdStructure *structure = dynamics->model->structure;
    double max = 0.0;
    for (int i = 0; i < structure->incidence_count; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        for (int r = 0; r < in->rows; r++) {
            double sum = 0.0;
            for (int k = 0; k < in->width; k++)
                sum += fabs(dynamics->system.G[in->g + r * in->width + k] * v[in->v + k]);
            max = fmax(max, sum);
        }
    }
    return CRD_RESIDUAL_FLOOR * max / fmax(crd_singularity_measure(dynamics), CRD_LAND);
}

typedef struct Verdict {
    double position, velocity; /* residual in units of what is allowed: <= 1 is good */
} Verdict;

/* Small against the tolerance of the step; the costlier rounding floors are looked at only when it is not. */
static Verdict judge(const CrdStabiliser *st, const CrdDynamics *dynamics, const double *v) {
    const CrdStructure *structure = dynamics->model->structure;
    const CardanOptions *options = &st->options;
    double g = crd_max_abs(dynamics->system.g, structure->rows),
           rate = crd_max_abs(dynamics->system.rate, structure->rows);
    double speed = crd_max_abs(v, structure->nv);
    double allowed_g = CRD_STABILISE_FRACTION * (options->atol + options->rtol * dynamics->model->values.size);
    double allowed_rate = CRD_STABILISE_FRACTION * (options->atol + options->rtol * speed);
    g = g <= allowed_g ? g / allowed_g : crd_position_excess(dynamics->model, &dynamics->system, allowed_g);
    if (!(rate <= allowed_rate)) allowed_rate = fmax(allowed_rate, velocity_floor(dynamics, v));
    return (Verdict){wants_position(st) ? g : 0.0, wants_velocity(st) ? rate / allowed_rate : 0.0};
}

static bool good(Verdict verdict) {
    return verdict.position <= 1.0 && verdict.velocity <= 1.0; /* false for a NaN */
}

static CardanStatus fail(const CrdDynamics *dynamics) {
    const CrdStructure *structure = dynamics->model->structure;
    int worst = 0;
    for (int i = 0; i < structure->rows; i++)
        if (fabs(dynamics->system.g[i]) > fabs(dynamics->system.g[worst])) worst = i;
    return crd_fail(dynamics->error, CARDAN_ERR_NUMERIC,
                    "post-stabilisation did not converge at t = %.9g: residual %.2g of joint '%s', %.2g in velocities",
                    dynamics->system.t, crd_max_abs(dynamics->system.g, structure->rows),
                    structure->rows > 0 ? crd_element_name(dynamics->model, structure->row_element[worst]) : "",
                    crd_max_abs(dynamics->system.rate, structure->rows));
}

/* ---- the methods ---- */

static bool is_full(const CrdStabiliser *st) {
    return st->options.stabilise.form == CARDAN_STABILISE_FORM_FULL;
}

/* One pass of either form; fresh: with a factor made anew, as the full form always is. */
static CardanStatus post_pass(CrdStabiliser *st, CrdDynamics *dynamics, bool fresh, double t, double *q, double *v) {
    if (is_full(st)) return crd_full_pass(st, dynamics, t, q, v);
    if (fresh) CRD_TRY(crd_factor(dynamics, st->options.stabilise.metric));
    return block_pass(st, dynamics, wants_position(st), wants_velocity(st), t, q, v);
}

static CardanStatus post(CrdStabiliser *st, CrdDynamics *dynamics, double t, double *q, double *v) {
    /* Rows met by least squares are those of the pose itself: an old Z would leave the motion in doubt by the openings.
     */
    bool frozen = st->options.stabilise.freeze > 0 && !crd_imperfect_is_spread(dynamics),
         kept = st->options.stabilise.metric == CARDAN_METRIC_MASS;
    for (int pass = 0; pass < st->options.stabilise.passes; pass++)
        CRD_TRY(post_pass(st, dynamics, !frozen || (!kept && pass == 0), t, q, v));
    for (int again = 0; !good(judge(st, dynamics, v)); again++) {
        if (again == CRD_STABILISE_REPEATS) return fail(dynamics);
        if (again == 0 && !is_full(st)) st->refreshed++;
        CRD_TRY(post_pass(st, dynamics, true, t, q, v));
    }
    return CARDAN_OK;
}

CardanStatus crd_project(CrdStabiliser *st, CrdDynamics *dynamics, double t, double *q, double *v) {
    const CrdStructure *structure = dynamics->model->structure;
    CRD_TRY(crd_evaluate_constraints(dynamics, t, q, v));
    double before = (double)INFINITY, floor = CRD_PROJECT_TOLERANCE * dynamics->model->values.size;
    for (int i = 0; i < CRD_PROJECT_ITERATIONS; i++) {
        double now = crd_max_abs(dynamics->system.g, structure->rows);
        /* At round-off the residual stops falling; before that a Newton step may well raise it once. */
        if (now <= floor || (now >= before && crd_position_excess(dynamics->model, &dynamics->system, floor) <= 1.0))
            break;
        before = now;
        CRD_TRY(crd_factor(dynamics, st->options.stabilise.metric));
        CRD_TRY(block_pass(st, dynamics, true, false, t, q, v));
    }
    CRD_TRY(crd_factor(dynamics, st->options.stabilise.metric));
    for (int i = 0; i < 2; i++) CRD_TRY(block_pass(st, dynamics, false, true, t, q, v));
    return crd_position_excess(dynamics->model, &dynamics->system, floor) <= 1.0 ? CARDAN_OK : fail(dynamics);
}

CardanStatus crd_project_without_weak_rows(CrdStabiliser *st, CrdDynamics *dynamics, double t, double *q, double *v) {
    CardanMetric metric = st->options.stabilise.metric;
    CardanStatus status = CARDAN_OK;
    st->options.stabilise.metric = CARDAN_METRIC_MASS; /* the watch is over S in this metric */
    for (int pass = 0; status >= 0 && pass < 3; pass++) {
        status = crd_factor_without_weak_rows(dynamics);
        if (status >= 0) status = block_pass(st, dynamics, true, true, t, q, v);
    }
    st->options.stabilise.metric = metric;
    return status;
}

bool crd_stabiliser_moves(const CrdStabiliser *st) {
    return crd_stabilise_record(st->options.stabilise.method)->moves;
}

CardanStatus crd_stabilise(CrdStabiliser *st, CrdDynamics *dynamics, double t, double *q, double *v) {
    const CrdStructure *structure = dynamics->model->structure;
    CardanStabiliseMethod method = st->options.stabilise.method;
    crd_normalise(structure, q);
    if (structure->rows > 0 && method == CARDAN_STABILISE_PROJECT) return crd_project(st, dynamics, t, q, v);
    CRD_TRY(crd_evaluate_constraints(dynamics, t, q, v));
    return structure->rows > 0 && method == CARDAN_STABILISE_POST ? post(st, dynamics, t, q, v) : CARDAN_OK;
}
