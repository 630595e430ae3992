/* The choice of what is to be slow, and of how; what a projection needs before it begins. */
#include "slow/slow.h"

#include "core/cookie.h"
#include "core/numbers.h"
#include "integrate/fits.h"
#include "slow/frequencies.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* What may still ring, as a part of the largest multiplier, when nothing is said: sweeps of `bounded` gain some 1e-5
 * each and so end far below; iterations stop when they change less. */
#define CRD_SLOW_BOUNDED_TOLERANCE 1e-6
#define CRD_SLOW_ITERATED_TOLERANCE 1e-3

/* The slowest of the fast motions must be so many times faster than the motion itself: else it is part of it. */
#define CRD_SLOW_SEPARATION 20.0

/* Rounding of forces k g, in ulps of the lengths (of a radian) in the rows: a window is some hundred micro-steps. */
#define CRD_SLOW_ULPS 500.0

static const char *const METHODS[] = {"bounded", "iterated"};
static const char *const KERNELS[] = {"smooth", "cubic"};

const char *cardan_slow_method_name(int i) {
    return i >= 0 && i < CARDAN_SLOW_METHODS ? METHODS[i] : NULL;
}

const char *cardan_slow_kernel_name(int i) {
    return i >= 0 && i < CARDAN_SLOW_KERNELS ? KERNELS[i] : NULL;
}

CardanSlow cardan_default_slow(void) {
    return (CardanSlow){.internal = CRD_COOKIE};
}

/* ---- which ---- */

static CrdFast fast_joint(const CardanModel *model, int joint) {
    assert(joint >= 0);
    return (CrdFast){.name = model->description->joints[joint].name,
                     .place = model->description->joints[joint].place,
                     .joint = joint,
                     .force = -1};
}

static CrdFast fast_force(const CardanModel *model, int force) {
    assert(force >= 0);
    return (CrdFast){.name = model->description->forces[force].name,
                     .place = model->description->forces[force].place,
                     .joint = -1,
                     .force = force};
}

static bool is_compliant(const CardanModel *model, int joint) {
    return model->structure->elements[model->structure->element_of_joint[joint]].compliant > 0;
}

static bool holds_as_joint(const CardanModel *model, int force) {
    return crd_force_kinds[model->values.forces[force].type]->compliance != NULL;
}

static CardanStatus pick_named(CrdSlow *slow, const CardanModel *model, const char *name) {
    CrdNamed found = crd_names_find(&model->description->names, name, strlen(name));
    bool joint = found.kind == CRD_NAME_JOINT && is_compliant(model, found.index),
         force = found.kind == CRD_NAME_FORCE && holds_as_joint(model, found.index);
    if (!joint && !force)
        return crd_fail(slow->error, CARDAN_ERR_MODEL, "slow: '%s' is no compliant joint and no bushing of this model",
                        name);
    CrdFast fast = joint ? fast_joint(model, found.index) : fast_force(model, found.index);
    for (int i = 0; i < slow->count; i++)
        if (slow->fast[i].joint == fast.joint && slow->fast[i].force == fast.force)
            return crd_fail(slow->error, CARDAN_ERR_MODEL, "slow: '%s' is named twice", name);
    if (!crd_fast_numbers(model, &fast))
        return crd_fail_at(slow->error, CARDAN_ERR_MODEL, fast.place,
                           "slow: '%s' has no stiffness in some direction, where it cannot be stiff; give it one, or "
                           "leave it out",
                           name);
    slow->fast[slow->count++] = fast;
    return CARDAN_OK;
}

static void pick_all(CrdSlow *slow, const CardanModel *model) {
    for (int j = 0; j < model->structure->joint_count; j++) {
        CrdFast fast = fast_joint(model, j);
        if (is_compliant(model, j) && crd_fast_numbers(model, &fast)) slow->fast[slow->count++] = fast;
    }
    for (int i = 0; i < model->structure->force_count; i++) {
        CrdFast fast = fast_force(model, i);
        if (holds_as_joint(model, i) && crd_fast_numbers(model, &fast)) slow->fast[slow->count++] = fast;
    }
}

static CardanStatus pick(CrdSlow *slow, const CardanModel *model, const CardanSlow *wish) {
    int room = model->structure->joint_count + model->structure->force_count;
    slow->fast = crd_new((size_t)room, sizeof *slow->fast);
    if (slow->fast == NULL) return crd_fail_memory(slow->error);
    if (wish->names == NULL) pick_all(slow, model);
    for (int i = 0; wish->names != NULL && i < wish->count; i++) CRD_TRY(pick_named(slow, model, wish->names[i]));
    if (slow->count > 0) return CARDAN_OK;
    return crd_fail(slow->error, CARDAN_ERR_MODEL,
                    "slow: the model has no compliant joint and no bushing with a stiffness in every direction");
}

/* ---- workspace ---- */

static void layout(CrdSlow *slow) {
    const CrdStructure *twin = slow->rigid.model->structure;
    size_t rows = (size_t)slow->rows, all = (size_t)twin->rows, nv = (size_t)twin->nv, real = sizeof(double);
    size_t n = (size_t)slow->rigid.integrator.stepper.n, own = (size_t)slow->soft.integrator.stepper.n;
    CrdArena *arena = &slow->arena;
    bool dense = slow->rows <= CRD_SLOW_DENSE;
    slow->lambda = crd_take(arena, CRD_SLOW_POINTS * rows, real);
    CRD_TAKE_VECTORS(arena, rows, &slow->wanted[0], &slow->wanted[1], &slow->wanted[2], &slow->g[0], &slow->g[1],
                     &slow->rate[0], &slow->rate[1], &slow->values);
    CRD_TAKE_VECTORS(arena, all, &slow->row_target, &slow->r, &slow->dlambda);
    CRD_TAKE_VECTORS(arena, nv, &slow->dx, &slow->moved, &slow->speed);
    CRD_TAKE_VECTORS(arena, n, &slow->slope[0], &slow->slope[1], &slow->slope[2], &slow->slope[3], &slow->stage);
    slow->here = crd_take(arena, own, real);
    slow->inverse = crd_take(arena, dense ? rows * rows : 0, real);
    slow->lanczos =
        crd_take(arena, dense ? (size_t)CRD_SLOW_DENSE_WORK(rows) : (CRD_SLOW_LANCZOS + 1) * (rows + 2), real);
}

static CardanOptions twin_options(const CrdIntegrator *integrator, CardanStepper stepper) {
    CardanOptions options = integrator->options;
    options.stepper = stepper;
    options.step = 0.0;
    options.formulation = CARDAN_FORMULATION_INDEX1;
    options.coordinates = CARDAN_COORDINATES_ABSOLUTE;
    options.stabilise = cardan_default_options().stabilise;
    return options;
}

/* Are rows of fast elements among those that depend on others? */
static bool is_dependent(const CrdSlow *slow) {
    const CrdRedundancy *redundancy = &slow->rigid.integrator.dynamics.redundancy;
    for (int i = 0; redundancy->count > 0 && i < slow->count; i++)
        for (int r = 0; r < slow->fast[i].rows; r++)
            if (redundancy->is_dropped[slow->fast[i].first + r]) return true;
    return false;
}

/* Bushings that were taken for welds become joints of points: false when all are. */
static bool loosen_all(CrdSlow *slow, double stiffer) {
    bool any = false;
    for (int i = 0; i < slow->count; i++) {
        CrdFast *fast = &slow->fast[i];
        if (fast->joint >= 0 || fast->loose) continue;
        any = fast->loose = true;
        crd_fast_numbers(slow->model, fast);
        for (int r = 0; r < fast->rows; r++) fast->k[r] *= stiffer;
    }
    return any;
}

/* Rows that depend on others have no multipliers of their own: deflections of these joints are not told by loads. */
static CardanStatus refuse_dependent(CrdSlow *slow) {
    const CrdRedundancy *redundancy = &slow->rigid.integrator.dynamics.redundancy;
    for (int i = 0; redundancy->count > 0 && i < slow->count; i++)
        for (int r = 0; r < slow->fast[i].rows; r++)
            if (redundancy->is_dropped[slow->fast[i].first + r])
                return crd_fail_at(slow->error, CARDAN_ERR_MODEL, slow->fast[i].place,
                                   "slow: were '%s' and the others rigid, %d of their rows would be redundant, and "
                                   "their loads not decided: name fewer joints",
                                   slow->fast[i].name, redundancy->count);
    return CARDAN_OK;
}

/* Where the rows of fast elements are in the twin. */
static void number_rows(CrdSlow *slow) {
    const CrdStructure *twin = slow->rigid.model->structure;
    int joint = slow->model->structure->joint_count;
    slow->rows = 0;
    for (int i = 0; i < slow->count; i++) {
        CrdFast *fast = &slow->fast[i];
        fast->element = twin->element_of_joint[fast->joint >= 0 ? fast->joint : joint++];
        assert(twin->elements[fast->element].rows == fast->rows);
        fast->first = twin->elements[fast->element].first;
        fast->at = slow->rows;
        slow->rows += fast->rows;
    }
}

/* Bushings that are no welds, because rows would be redundant or the start impossible, are points. */
static CardanStatus open_rigid(CrdSlow *slow, const CrdIntegrator *integrator, bool begins, double stiffer,
                               const CardanOptions *options) {
    for (;;) {
        CardanModel *model = NULL;
        CRD_TRY(crd_twin_rigid(slow->model, slow->fast, slow->count, begins, &model, slow->error));
        CardanStatus status = crd_twin_open(&slow->rigid, model, options, integrator, slow->error);
        number_rows(slow);
        bool stuck = status == CARDAN_ERR_MODEL || status == CARDAN_ERR_NUMERIC || (status >= 0 && is_dependent(slow));
        if (!stuck || !loosen_all(slow, stiffer)) return status;
        crd_error_clear(slow->error);
        crd_twin_close(&slow->rigid);
    }
}

static CardanStatus open_twins(CrdSlow *slow, const CrdIntegrator *integrator, bool begins, double stiffer) {
    assert(stiffer > 0.0);
    CardanModel *model = NULL;
    CardanOptions options = twin_options(integrator, CARDAN_STEPPER_RK4);
    CRD_TRY(open_rigid(slow, integrator, begins, stiffer, &options));
    CRD_TRY(refuse_dependent(slow));
    bool iterated = slow->method == CARDAN_SLOW_ITERATED, rows = slow->model->structure->rows > 0;
    if (iterated) options.stepper = rows ? CARDAN_STEPPER_RATTLE : CARDAN_STEPPER_VERLET;
    if (iterated) CRD_TRY(crd_method_check(slow->model, &options, slow->error));
    CRD_TRY(crd_twin_soft(slow->model, slow->fast, slow->count, !iterated, stiffer, &model, slow->error));
    CRD_TRY(crd_twin_open(&slow->soft, model, &options, integrator, slow->error));
    layout(slow);
    if (!crd_arena_allocate(&slow->arena)) return crd_fail_memory(slow->error);
    layout(slow);
    assert(crd_arena_is_full(&slow->arena));
    return CARDAN_OK;
}

static void close_twins(CrdSlow *slow) {
    crd_twin_close(&slow->rigid);
    crd_twin_close(&slow->soft);
    crd_arena_free(&slow->arena);
    slow->arena = (CrdArena){0};
}

/* ---- before a projection ---- */

static bool is_one_sided(const CardanModel *model, int force) {
    CardanForceType type = model->values.forces[force].type;
    return type == CARDAN_FORCE_CONTACT || type == CARDAN_FORCE_LIMIT;
}

static bool has_one_sided(const CardanModel *model) {
    for (int i = 0; i < model->structure->force_count; i++)
        if (is_one_sided(model, i)) return true;
    return false;
}

CardanStatus crd_slow_refuse_contact(CrdSlow *slow, CrdTwin *twin, double t, const double *y) {
    CrdIntegrator *integrator = &twin->integrator;
    CrdDynamics *dynamics = &integrator->dynamics;
    const CardanModel *model = twin->model;
    if (!has_one_sided(model)) return CARDAN_OK;
    CRD_TRY(crd_integrator_evaluate_constraints(integrator, t, y));
    CRD_TRY(crd_integrator_forces(integrator, y));
    for (int i = 0; i < model->structure->force_count; i++) {
        if (!is_one_sided(model, i)) continue;
        CRD_TRY(crd_one_force(model, i, &dynamics->actions, &dynamics->system, dynamics->error));
        crd_integrator_touch(integrator);
        if (crd_max_abs(&dynamics->system.loads[0][0], 6 * model->structure->frame_count) == 0.0) continue;
        const CrdForceDesc *force = &model->description->forces[i];
        return crd_fail_at(slow->error, CARDAN_ERR_MODEL, force->place,
                           "slow: %s '%s' acts at t = %.9g, and its law changes with it: start where it does not",
                           crd_force_kinds[model->values.forces[i].type]->name, force->name, t);
    }
    return CARDAN_OK;
}

double crd_slow_ringing(CrdSlow *slow, double (*dlambda)(const CrdSlow *slow, const CrdFast *fast, int row)) {
    const double *here = slow->lambda + (size_t)CRD_SLOW_HERE * (size_t)slow->rows;
    double size[2] = {fmax(slow->model->values.far, slow->model->values.size), 1.0}, scale[2] = {0.0, 0.0};
    double worst = 0.0;
    for (int i = 0; i < slow->count; i++)
        for (int r = 0; r < slow->fast[i].rows; r++)
            scale[slow->fast[i].unit[r]] = fmax(scale[slow->fast[i].unit[r]], fabs(here[slow->fast[i].at + r]));
    slow->result.ringing = 0.0;
    for (int i = 0; i < slow->count; i++) {
        const CrdFast *fast = &slow->fast[i];
        for (int r = 0; r < fast->rows; r++) {
            double now = fabs(dlambda(slow, fast, r)),
                   floor = CRD_SLOW_ULPS * CRD_EPS * fast->k[r] * size[fast->unit[r]];
            slow->result.ringing = fmax(slow->result.ringing, now);
            worst = fmax(worst, now / fmax(slow->tolerance * scale[fast->unit[r]], floor));
        }
    }
    return worst;
}

static CardanStatus check_separation(CrdSlow *slow) {
    const CrdSlowResult *result = &slow->result;
    if (result->w_min >= CRD_SLOW_SEPARATION * result->rate) return CARDAN_OK;
    const CrdFast *slowest = &slow->fast[crd_slow_slowest(slow)];
    return crd_fail_at(slow->error, CARDAN_ERR_MODEL, slowest->place,
                       "slow: '%s' is not stiff enough: its frequency of %.3g rad/s is less than %g times the rate of "
                       "the motion, %.3g 1/s; leave it out, it is part of the motion",
                       slowest->name, result->w_min, CRD_SLOW_SEPARATION, result->rate);
}

/* The rigid motion nearest to `here`, its multipliers and its rate; with them the frequencies. */
static CardanStatus look(CrdSlow *slow, double t, bool frequencies) {
    CrdIntegrator *rigid = &slow->rigid.integrator;
    double *y = rigid->stepper.y;
    crd_twin_put(&slow->rigid, slow->model, slow->here, y);
    CRD_TRY(crd_slow_refuse_contact(slow, &slow->soft, t, slow->here));
    CRD_TRY(crd_integrator_project(rigid, t, y));
    double *here = slow->lambda + (size_t)CRD_SLOW_HERE * (size_t)slow->rows;
    CRD_TRY(crd_slow_multipliers(slow, t, y, slow->slope[0], here));
    slow->result.multiplier = crd_max_abs(here, slow->rows);
    slow->result.rate =
        fmax(crd_reach(slow->model, crd_integrator_v(rigid, y)), sqrt(crd_reach(slow->model, rigid->dynamics.a)));
    slow->soft.integrator.stepper.t = t;
    return frequencies ? crd_slow_frequencies(slow) : CARDAN_OK;
}

static void use_actions(CrdSlow *slow, const CrdActions *actions) {
    CrdTwin *twins[] = {&slow->rigid, &slow->soft};
    for (int i = 0; i < 2; i++) {
        CrdActions *own = &twins[i]->integrator.dynamics.actions;
        own->inputs = actions->inputs;
        own->wrenches = actions->wrenches;
        crd_integrator_touch(&twins[i]->integrator);
    }
}

static CardanStatus open_with(CrdSlow *slow, const CrdIntegrator *integrator, bool begins, double stiffer) {
    CRD_TRY(open_twins(slow, integrator, begins, stiffer));
    memcpy(slow->here, integrator->stepper.y, (size_t)integrator->stepper.n * sizeof *slow->here);
    if (begins) crd_twin_get(&slow->rigid, slow->rigid.integrator.stepper.y, slow->here);
    return look(slow, integrator->stepper.t, true);
}

CardanStatus crd_slow_open(CrdSlow *slow, const CrdIntegrator *integrator, const CardanSlow *wish, bool begins,
                           double stiffer, CrdError *error) {
    bool iterated = wish->method == CARDAN_SLOW_ITERATED;
    *slow = (CrdSlow){.model = integrator->dynamics.model,
                      .error = error,
                      .method = wish->method,
                      .kernel = wish->kernel,
                      .tolerance = wish->tolerance > 0.0 ? wish->tolerance
                                   : iterated            ? CRD_SLOW_ITERATED_TOLERANCE
                                                         : CRD_SLOW_BOUNDED_TOLERANCE};
    CRD_TRY(pick(slow, slow->model, wish));
    for (int i = 0; i < slow->count; i++)
        for (int r = 0; r < slow->fast[i].rows; r++) slow->fast[i].k[r] *= stiffer;
    for (;;) {
        CRD_TRY(open_with(slow, integrator, begins, stiffer));
        bool apart = slow->result.w_min >= CRD_SLOW_SEPARATION * slow->result.rate;
        int slowest = crd_slow_slowest(slow);
        CrdFast *least = &slow->fast[slowest];
        bool loosen = !apart && least->joint < 0 && !least->loose; /* a bushing that turns easily still holds a point */
        if (apart || (!loosen && (wish->names != NULL || slow->count == 1))) return check_separation(slow);
        close_twins(slow);
        if (loosen) {
            loosen_all(slow, stiffer);
            continue;
        }
        /* Of all that there are, those that are part of the motion are left out. */
        memmove(slow->fast + slowest, slow->fast + slowest + 1,
                (size_t)(slow->count - slowest - 1) * sizeof *slow->fast);
        slow->count--;
    }
}

void crd_slow_close(CrdSlow *slow) {
    close_twins(slow);
    crd_delete(slow->fast);
    *slow = (CrdSlow){0};
}

CardanStatus crd_slow_project(CrdSlow *slow, const CrdActions *actions, double t, double *y) {
    CrdIntegrator *soft = &slow->soft.integrator;
    bool iterated = slow->method == CARDAN_SLOW_ITERATED;
    slow->result.evaluations = 0;
    use_actions(slow, actions);
    memcpy(slow->here, y, (size_t)soft->stepper.n * sizeof *y);
    CRD_TRY(look(slow, t, iterated));
    CRD_TRY(iterated ? crd_slow_iterated(slow, t) : crd_slow_bounded(slow, t));
    CRD_TRY(crd_integrator_evaluate_constraints(soft, t, slow->here));
    CRD_TRY(crd_integrator_track(soft, slow->here));
    memcpy(y, slow->here, (size_t)soft->stepper.n * sizeof *y);
    return CARDAN_OK;
}

CardanStatus crd_slow_elastic(CrdSlow *slow, double t, const double *y, int index, double *elastic) {
    assert(index >= 0);
    const CrdFast *fast = &slow->fast[index];
    CRD_TRY(crd_slow_rows(slow, t, y, slow->g[0], slow->rate[0]));
    for (int r = 0; r < fast->rows; r++) elastic[r] = fast->k[r] * slow->g[0][fast->at + r];
    return CARDAN_OK;
}
