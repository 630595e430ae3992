/* Document 000 (ACR92), example 4, figures 4.2 to 4.13: the slider-crank by Adams-Bashforth of order 2 with h = 0.1,
 * stabilised after each step by (3.9) with alpha = 1 and F = (4.8). */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "paper.h"

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
static CardanStatus run(Work *work, unsigned held, int every, Curves *out, CrdLabWorkspace *workspace) {
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
    return crd_lab_run(&method, 0.0, h / every, STEPS * every, z, (CrdLabObserver){record, work}, workspace);
}

/* One-degree-of-freedom form in the crank's angle. */
static CardanStatus reference(Work *work, CrdLabWorkspace *workspace) {
    static const double crank_angle[4] = {1.0, 0.0, 0.0, 0.0};
    CrdLabSetting setting = {
        .problem = &crd_lab_slider_crank, .formulation = &crd_lab_state_space, .selection = crank_angle};
    double z[STATE];
    for (int i = 0; i < STEPS; i++) work->t[i] = (i + 1) * h;
    memcpy(z, crd_lab_slider_crank_start, sizeof z);
    return crd_lab_reference(&setting, work->t, STEPS, z, work->exact, workspace);
}

static int index_of(double t) {
    return (int)lround(t / h) - 1;
}

/* values (times) = a - b at the listed times; b NULL: zero. */
static void put_curve(PapersTable *table, const char *key, const double *a, const double *b) {
    double values[TIMES];
    for (int i = 0; i < TIMES; i++) {
        int at = index_of(times[i]);
        values[i] = a[at] - (b != NULL ? b[at] : 0.0);
    }
    papers_table_numbers(table, key, values, TIMES);
}

static void put_largest(PapersTable *table, const char *key, const Work *work, const double *exact, double from) {
    double error = 0.0, position = 0.0, velocity = 0.0;
    for (int i = from > 0.0 ? index_of(from) : 0; i < STEPS; i++) {
        error = fmax(error, fabs(work->curves.by_place[i] - exact[i]));
        position = fmax(position, work->curves.position[i]);
        velocity = fmax(velocity, work->curves.velocity[i]);
    }
    papers_table_object(table, key);
    papers_table_number(table, "err", error);
    papers_table_number(table, "pos", position);
    papers_table_number(table, "vel", velocity);
    papers_table_end(table);
}

static CardanStatus put_run(PapersTable *table, Work *work, const char *key, unsigned held, const double *exact) {
    CRD_TRY(run(work, held, 1, &work->curves, &table->workspace));
    papers_table_object(table, key);
    put_curve(table, "slider_err_x2form", work->curves.by_place, exact);
    put_curve(table, "slider_err_thetaform", work->curves.by_angle, exact);
    put_curve(table, "slider_err_vs_h01", work->curves.by_place, work->fine.by_place);
    put_curve(table, "pos_drift_2norm", work->curves.position, NULL);
    put_curve(table, "vel_drift_2norm", work->curves.velocity, NULL);
    put_largest(table, "max_0_100", work, exact, 0.0);
    put_largest(table, "max_1_100", work, exact, 1.0);
    papers_table_end(table);
    return CARDAN_OK;
}

static CardanStatus compute(PapersTable *table, Work *work) {
    static const struct {
        const char *key;
        unsigned held;
    } runs[] = {{"both", CRD_LAB_ALL}, {"none", 0}, {"vel", CRD_LAB_VELOCITY}, {"pos", CRD_LAB_POSITION}};
    double angle[STEPS], exact[STEPS];
    CRD_TRY(reference(work, &table->workspace));
    CRD_TRY(run(work, CRD_LAB_ALL, FINE, &work->fine, &table->workspace));
    for (int i = 0; i < STEPS; i++) {
        angle[i] = work->exact[i * STATE];
        exact[i] = crd_lab_slider_by_angle(work->exact + i * STATE);
    }
    papers_table_object(table, NULL);
    papers_table_numbers(table, "t", times, TIMES);
    put_curve(table, "theta_exact", angle, NULL);
    put_curve(table, "slider_exact", exact, NULL);
    for (int i = 0; i < 4; i++) CRD_TRY(put_run(table, work, runs[i].key, runs[i].held, exact));
    papers_table_end(table);
    return CARDAN_OK;
}

CardanStatus crd_paper_slider_crank(PapersTable *table, int variant) {
    Work *work = crd_new(1, sizeof *work);
    (void)variant;
    if (work == NULL) return crd_fail_memory(&table->error);
    CardanStatus status = compute(table, work);
    crd_delete(work);
    return status;
}
