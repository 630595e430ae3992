/* bdf beside SUNDIALS' IDA, the reference among codes of the same family: a mass on a circle, drawn to its lowest point
 * by a spring with a damper a thousand times faster than the way there, in the stabilised index-2 form of both, without
 * the multipliers in the error test. Built where the library is found (Debian: libsundials-dev). */
#include "support/check.h"
#include "support/reading.h"
#include "support/scene.h"

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

static const double STIFFNESS = 1e4, DAMPING = 1e3, GRAVITY = 9.81, END = 0.5;

static const char MODEL[] =
    "cardan: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
    "  ball: {mass: 1, particle: true, position: [1, 0]}\n"
    "joints:\n  wire: {type: distance, bodies: [ground, ball], local: {a: [0, 0], b: [0, 0]}, length: 1}\n"
    "forces:\n  pull: {type: spring, bodies: [ground, ball], points: [[0, -2], [0, 0]],\n"
    "    stiffness: 1e4, damping: 1e3, length: 1}\n";

enum { X, Y, U, V, LAMBDA, MU, UNKNOWNS };

static void force(const double *y, double f[2]) {
    double d[2] = {y[X], y[Y] + 2.0}, length = hypot(d[0], d[1]), rate = (d[0] * y[U] + d[1] * y[V]) / length;
    double tension = STIFFNESS * (length - 1.0) + DAMPING * rate;
    f[0] = -tension * d[0] / length;
    f[1] = -tension * d[1] / length - GRAVITY;
}

static int residual(double t, N_Vector y_vector, N_Vector yp_vector, N_Vector out, void *user) {
    (void)t, (void)user;
    const double *y = N_VGetArrayPointer(y_vector), *yp = N_VGetArrayPointer(yp_vector);
    double *r = N_VGetArrayPointer(out), f[2];
    force(y, f);
    r[0] = yp[X] - y[U] - y[X] * y[MU];
    r[1] = yp[Y] - y[V] - y[Y] * y[MU];
    r[2] = yp[U] - f[0] + y[X] * y[LAMBDA];
    r[3] = yp[V] - f[1] + y[Y] * y[LAMBDA];
    r[4] = 0.5 * (y[X] * y[X] + y[Y] * y[Y] - 1.0);
    r[5] = y[X] * y[U] + y[Y] * y[V];
    return 0;
}

typedef struct Found {
    double x, y, u, v;
    long steps;
} Found;

static Found by_ida(double tolerance) {
    SUNContext context;
    assert_int_equal(SUNContext_Create(NULL, &context), 0);
    N_Vector y = N_VNew_Serial(UNKNOWNS, context), yp = N_VNew_Serial(UNKNOWNS, context),
             id = N_VNew_Serial(UNKNOWNS, context);
    SUNMatrix matrix = SUNDenseMatrix(UNKNOWNS, UNKNOWNS, context);
    SUNLinearSolver solver = SUNLinSol_Dense(y, matrix, context);
    double *start = N_VGetArrayPointer(y), *rate = N_VGetArrayPointer(yp), f[2], t;
    memset(start, 0, UNKNOWNS * sizeof *start);
    memset(rate, 0, UNKNOWNS * sizeof *rate);
    start[X] = 1.0;
    force(start, f);
    start[LAMBDA] = f[0];
    rate[V] = f[1];
    for (int i = 0; i < UNKNOWNS; i++) N_VGetArrayPointer(id)[i] = i < LAMBDA ? 1.0 : 0.0;
    void *ida = IDACreate(context);
    assert_int_equal(IDAInit(ida, residual, 0.0, y, yp), IDA_SUCCESS);
    assert_int_equal(IDASStolerances(ida, tolerance, tolerance), IDA_SUCCESS);
    assert_int_equal(IDASetLinearSolver(ida, solver, matrix), IDA_SUCCESS);
    assert_int_equal(IDASetId(ida, id), IDA_SUCCESS);
    assert_int_equal(IDASetSuppressAlg(ida, 1), IDA_SUCCESS);
    assert_int_equal(IDASetMaxNumSteps(ida, 100000), IDA_SUCCESS);
    assert_int_equal(IDASetStopTime(ida, END), IDA_SUCCESS);
    assert_true(IDASolve(ida, END, &t, y, yp, IDA_NORMAL) >= 0);
    Found found = {start[X], start[Y], start[U], start[V], 0};
    assert_int_equal(IDAGetNumSteps(ida, &found.steps), IDA_SUCCESS);
    IDAFree(&ida);
    SUNLinSolFree(solver);
    SUNMatDestroy(matrix);
    N_VDestroy(y);
    N_VDestroy(yp);
    N_VDestroy(id);
    SUNContext_Free(&context);
    return found;
}

static Found by_cardan(CardanModel *model, CardanStepper stepper, double tolerance) {
    CardanOptions o = scene_tight(tolerance, tolerance);
    o.stepper = stepper;
    o.formulation = CARDAN_FORMULATION_GGL;
    CardanSim *sim = scene_start(model, &o);
    scene_advance(sim, END);
    CardanBodyState ball = scene_body(sim, model, "ball");
    Found found = {ball.position.x, ball.position.y, ball.velocity.x, ball.velocity.y, work_of(sim).steps};
    cardan_sim_destroy(sim);
    return found;
}

static double distance(Found a, Found b) {
    return fmax(fmax(fabs(a.x - b.x), fabs(a.y - b.y)), fmax(fabs(a.u - b.u), fabs(a.v - b.v)));
}

/* The same motion; errors no larger than ten times IDA's, in no more than twice its steps. */
static void bdf_is_as_good_as_ida_in_as_many_steps(void **state) {
    (void)state;
    CardanModel *model = scene_read(MODEL);
    Found truth = by_cardan(model, CARDAN_STEPPER_RADAU5, 1e-12);
    for (int k = 4; k <= 10; k += 2) {
        double tolerance = pow(10.0, -k);
        Found ida = by_ida(tolerance), bdf = by_cardan(model, CARDAN_STEPPER_BDF, tolerance);
        double right = distance(ida, truth), ours = distance(bdf, truth);
        if (getenv("CARDAN_TELL") != NULL)
            print_message("    1e-%d: IDA %.1e in %ld steps, bdf %.1e in %ld\n", k, right, ida.steps, ours, bdf.steps);
        check_between(right, 0.0, 300.0 * tolerance, "error of IDA");
        check_between(ours, 0.0, 10.0 * fmax(right, tolerance), "error of bdf");
        check_between((double)bdf.steps, 1.0, 2.0 * (double)ida.steps, "steps of bdf");
    }
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bdf_is_as_good_as_ida_in_as_many_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
