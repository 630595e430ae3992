/* Document 000 (ACR92), example 4, figures 4.2 to 4.13: the slider-crank by Adams-Bashforth of order 2 with h = 0.1,
 * stabilised after each step by (3.9) with alpha = 1 and F = (4.8). */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "lab/paper.h"

enum { STEPS = 1000, FINE = 10, TIMES = 11, STATE = 8 };
static const double h = 0.1;
static const double times[TIMES] = {0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 70.0, 100.0};

/* What the figures show, at the end of each step. */
typedef struct Curves {
    double by_place[STEPS], by_angle[STEPS]; /* slider, m */
    double position[STEPS], velocity[STEPS]; /* 2-norms of g and g' */
} Curves;

typedef struct Work {
    double t[STEPS];
    double exact[STEPS * STATE];
    Curves fine, curves;
    int every; /* steps of the run to one of the curves */
    Curves *out;
} Work;

static double norm(const double *x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

static void record(void *user, const CrdLabPoint *point) {
    Work *work = user;
    int i = point->step / work->every - 1, rows = crd_lab_slider_crank.rows;
    if (point->step % work->every != 0) return;
    const double *invariants = crd_lab_look(&crd_lab_slider_crank, point);
    if (invariants == NULL) return; /* the desk has the sentence, and the next step fails for the same reason */
    work->out->by_place[i] = crd_lab_slider(point->z);
    work->out->by_angle[i] = crd_lab_slider_by_angle(point->z);
    work->out->position[i] = norm(invariants, rows);
    work->out->velocity[i] = norm(invariants + rows, rows);
}

/* held: the levels that are stabilised, 0 for none. */
static CardanStatus run(Work *work, unsigned held, int every, Curves *out, CrdLabDesk *desk) {
    CrdLabMethod method = {.setting = {.problem = &crd_lab_slider_crank, .formulation = &crd_lab_reduced},
                           .stepper = crd_lab_stepper("adams_bashforth2")};
    if (held != 0)
        method.setting.stabiliser = (CrdLabStabiliser){.directions = &crd_lab_along_g,
                                                       .scaling = CRD_LAB_BLOCKS,
                                                       .rows = held,
                                                       .moved = held,
                                                       .correction = &crd_lab_post};
    double z[STATE];
    memcpy(z, crd_lab_slider_crank_start, sizeof z);
    work->every = every;
    work->out = out;
    return crd_lab_run(&method, 0.0, h / every, STEPS * every, z, (CrdLabObserver){record, work}, desk);
}

/* One-degree-of-freedom form in the crank's angle. */
static CardanStatus reference(Work *work, CrdLabDesk *desk) {
    static const double crank_angle[4] = {1.0, 0.0, 0.0, 0.0};
    CrdLabSetting setting = {
        .problem = &crd_lab_slider_crank, .formulation = &crd_lab_state_space, .selection = crank_angle};
    double z[STATE];
    for (int i = 0; i < STEPS; i++) work->t[i] = (i + 1) * h;
    memcpy(z, crd_lab_slider_crank_start, sizeof z);
    return crd_lab_reference(&setting, work->t, STEPS, z, work->exact, desk);
}

static int index_of(double t) {
    return (int)lround(t / h) - 1;
}

/* values (times) = a - b at the listed times; b NULL: zero. */
static void put_curve(CardanTable *sheet, const char *key, const double *a, const double *b) {
    double values[TIMES];
    for (int i = 0; i < TIMES; i++) {
        int at = index_of(times[i]);
        values[i] = a[at] - (b != NULL ? b[at] : 0.0);
    }
    crd_sheet_numbers(sheet, key, values, TIMES);
}

static void put_largest(CardanTable *sheet, const char *key, const Work *work, const double *exact, double from) {
    double error = 0.0, position = 0.0, velocity = 0.0;
    for (int i = from > 0.0 ? index_of(from) : 0; i < STEPS; i++) {
        error = fmax(error, fabs(work->curves.by_place[i] - exact[i]));
        position = fmax(position, work->curves.position[i]);
        velocity = fmax(velocity, work->curves.velocity[i]);
    }
    crd_sheet_object(sheet, key);
    crd_sheet_number(sheet, "err", error);
    crd_sheet_number(sheet, "pos", position);
    crd_sheet_number(sheet, "vel", velocity);
    crd_sheet_end(sheet);
}

static CardanStatus put_run(CardanTable *sheet, Work *work, const char *key, unsigned held, const double *exact) {
    CRD_TRY(run(work, held, 1, &work->curves, &sheet->desk));
    crd_sheet_object(sheet, key);
    put_curve(sheet, "slider_err_x2form", work->curves.by_place, exact);
    put_curve(sheet, "slider_err_thetaform", work->curves.by_angle, exact);
    put_curve(sheet, "slider_err_vs_h01", work->curves.by_place, work->fine.by_place);
    put_curve(sheet, "pos_drift_2norm", work->curves.position, NULL);
    put_curve(sheet, "vel_drift_2norm", work->curves.velocity, NULL);
    put_largest(sheet, "max_0_100", work, exact, 0.0);
    put_largest(sheet, "max_1_100", work, exact, 1.0);
    crd_sheet_end(sheet);
    return CARDAN_OK;
}

static CardanStatus compute(CardanTable *sheet, Work *work) {
    static const struct {
        const char *key;
        unsigned held;
    } runs[] = {{"both", CRD_LAB_ALL}, {"none", 0}, {"vel", CRD_LAB_VELOCITY}, {"pos", CRD_LAB_POSITION}};
    double angle[STEPS], exact[STEPS];
    CRD_TRY(reference(work, &sheet->desk));
    CRD_TRY(run(work, CRD_LAB_ALL, FINE, &work->fine, &sheet->desk));
    for (int i = 0; i < STEPS; i++) {
        angle[i] = work->exact[i * STATE];
        exact[i] = crd_lab_slider_by_angle(work->exact + i * STATE);
    }
    crd_sheet_object(sheet, NULL);
    crd_sheet_numbers(sheet, "t", times, TIMES);
    put_curve(sheet, "theta_exact", angle, NULL);
    put_curve(sheet, "slider_exact", exact, NULL);
    for (int i = 0; i < 4; i++) CRD_TRY(put_run(sheet, work, runs[i].key, runs[i].held, exact));
    crd_sheet_end(sheet);
    return CARDAN_OK;
}

CardanStatus crd_paper_slider_crank(CardanTable *sheet, int variant) {
    Work *work = crd_new(1, sizeof *work);
    (void)variant;
    if (work == NULL) return crd_fail_memory(&sheet->error);
    CardanStatus status = compute(sheet, work);
    crd_delete(work);
    return status;
}
