/* Formulations of the laboratory in the matrix: the published forms of the equations on the same model, by dense
 * matrices. They are for comparing: `cardan run` does not offer them. */
#include "methods.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SENTENCE_SIZE = 1024, REPEATS = 3, SAMPLE_STEPS = 8 };

/* Gains that formulations may have; the laboratory says where they have no place. */
static const struct {
    const char *label;
    double gamma;
    bool per_step;
} gains[] = {{"", 0.0, false}, {"+gamma=10", 10.0, false}, {"+gamma=1/h", 0.0, true}};
enum { GAINS = sizeof gains / sizeof *gains };

/* ---- which ones ---- */

/* Whether a list of the command line names the word, or there is no such list. */
static bool is_wanted(const Arguments *arguments, int key, const char *word) {
    size_t n = strlen(word);
    bool listed = false;
    for (int i = 0; i < arguments->given_count; i++) {
        if (arguments->given[i].option->key != key) continue;
        listed = true;
        for (const char *s = arguments->given[i].value; s != NULL; s = strchr(s, ',')) {
            s += *s == ',';
            if (strncmp(s, word, n) == 0 && (s[n] == '\0' || s[n] == ',')) return true;
        }
    }
    return !listed;
}

bool lab_has(int key, const char *word) {
    static const struct {
        int key;
        CardanLabChoice choice;
        const char *before; /* its names, here */
    } axes[] = {{KEY_FORMULATIONS, CARDAN_LAB_FORMULATION, "lab:"},
                {KEY_STEPPERS, CARDAN_LAB_STEPPER, ""},
                {KEY_STEPPERS, CARDAN_LAB_INTEGRATOR, ""},
                {KEY_STABILISERS, CARDAN_LAB_CORRECTION, ""}};
    for (size_t a = 0; a < sizeof axes / sizeof *axes; a++) {
        size_t n = strlen(axes[a].before);
        if (axes[a].key != key || strncmp(word, axes[a].before, n) != 0) continue;
        for (int i = 0; cardan_lab_name(axes[a].choice, i) != NULL; i++) {
            const char *name = cardan_lab_name(axes[a].choice, i);
            size_t length = strlen(name);
            for (int g = 0; g < GAINS; g++)
                if (strncmp(word + n, name, length) == 0 && strcmp(word + n + length, gains[g].label) == 0) return true;
        }
    }
    return false;
}

/* One combination at the end of the matrix. */
static int add(Matrix *matrix, const CardanLabMethod *method, int gain, bool integrator, CardanLabProblem *problem) {
    if ((matrix->count & (matrix->count - 1)) == 0) { /* room is a power of two */
        size_t room = matrix->count > 0 ? 2 * (size_t)matrix->count : 1;
        Combination *more = realloc(matrix->all, room * sizeof *more);
        if (more == NULL) return STATUS_FAULT;
        matrix->all = more;
    }
    Combination *combination = &matrix->all[matrix->count];
    char sentence[SENTENCE_SIZE] = "";
    *combination =
        (Combination){.row = matrix->count, .first_regulariser = true, .laboratory = true, .controlled = integrator};
    combination->runs = calloc(RUNGS, sizeof *combination->runs);
    if (combination->runs == NULL) return STATUS_FAULT;
    matrix->count++;
    combination->lab = *method;
    combination->options = matrix->base;
    combination->departures = 4;
    snprintf(combination->formulation, LABEL_SIZE, "lab:%s%s", method->formulation, gains[gain].label);
    snprintf(combination->stepper, LABEL_SIZE, "%s", method->stepper);
    snprintf(combination->stabiliser, LABEL_SIZE, "%s", method->correction);
    snprintf(combination->regulariser, LABEL_SIZE, "none");
    if (integrator) combination->lab.rtol = combination->lab.atol = 1e-6;
    if (cardan_lab_check(problem, &combination->lab, sentence, sizeof sentence) >= 0) return STATUS_DONE;
    static const char before[] = " does not fit: "; /* the names that stand before it are ours */
    const char *reason = strstr(sentence, before);
    combination->fate = FATE_REFUSED;
    snprintf(combination->why, sizeof combination->why, "%s", reason != NULL ? reason + sizeof before - 1 : sentence);
    return STATUS_DONE;
}

static int add_steppers(Matrix *matrix, const Arguments *arguments, CardanLabMethod *method, int gain,
                        CardanLabProblem *problem) {
    int status = STATUS_DONE;
    for (int kind = CARDAN_LAB_STEPPER; kind <= CARDAN_LAB_INTEGRATOR; kind++)
        for (int s = 0; cardan_lab_name((CardanLabChoice)kind, s) != NULL; s++)
            for (int k = 0; cardan_lab_name(CARDAN_LAB_CORRECTION, k) != NULL && status == STATUS_DONE; k++) {
                method->stepper = cardan_lab_name((CardanLabChoice)kind, s);
                method->correction = cardan_lab_name(CARDAN_LAB_CORRECTION, k);
                if (!is_wanted(arguments, KEY_STEPPERS, method->stepper)) continue;
                if (!is_wanted(arguments, KEY_STABILISERS, method->correction)) continue;
                status = add(matrix, method, gain, kind == CARDAN_LAB_INTEGRATOR, problem);
            }
    return status;
}

int lab_add(Matrix *matrix, const Arguments *arguments) {
    char sentence[SENTENCE_SIZE] = "", label[2 * LABEL_SIZE];
    CardanLabProblem *problem = NULL;
    int status = STATUS_DONE, before = matrix->count;
    if (cardan_lab_problem_of_model(matrix->model, CARDAN_LAB_MECHANISM, &problem, sentence, sizeof sentence) < 0) {
        complain("methods: --laboratory: %s", sentence);
        return STATUS_STOPPED;
    }
    size_t room = 1;
    while (room < (size_t)matrix->count) room *= 2;
    Combination *all = realloc(matrix->all, room * sizeof *all);
    if (all == NULL) status = STATUS_FAULT;
    if (all != NULL) matrix->all = all;
    for (int f = 0; cardan_lab_name(CARDAN_LAB_FORMULATION, f) != NULL; f++)
        for (int g = 0; g < GAINS && status == STATUS_DONE; g++) {
            CardanLabMethod method = cardan_default_lab_method();
            method.formulation = cardan_lab_name(CARDAN_LAB_FORMULATION, f);
            method.gamma = gains[g].gamma;
            method.gamma_per_step = gains[g].per_step;
            snprintf(label, sizeof label, "lab:%s%s", method.formulation, gains[g].label);
            if (is_wanted(arguments, KEY_FORMULATIONS, label))
                status = add_steppers(matrix, arguments, &method, g, problem);
        }
    if (status == STATUS_FAULT) complain("out of memory");
    matrix->of_laboratory = matrix->count - before;
    cardan_lab_problem_destroy(problem);
    matrix->conservative = cardan_lab_problem_of_model(matrix->model, CARDAN_LAB_ENERGY, &problem, NULL, 0) >= 0;
    cardan_lab_problem_destroy(problem);
    return status;
}

/* ---- runs ---- */

typedef struct Course {
    CardanLabProblem *problem;
    double *z, *state; /* the laboratory's, and as (q, v, first-order states) */
    CardanWork work;
    double position, velocity, energy; /* largest so far */
    char why[SENTENCE_SIZE];
} Course;

static bool course_open(Course *course, const Matrix *matrix) {
    *course = (Course){.problem = NULL};
    if (cardan_lab_problem_of_model(matrix->model, CARDAN_LAB_MECHANISM, &course->problem, course->why,
                                    sizeof course->why) < 0)
        return false;
    course->z = calloc((size_t)cardan_lab_problem_sizes(course->problem).state + 1, sizeof *course->z);
    course->state = calloc((size_t)matrix->reference.n + 1, sizeof *course->state);
    if (course->z == NULL || course->state == NULL) snprintf(course->why, sizeof course->why, "out of memory");
    return course->z != NULL && course->state != NULL &&
           cardan_lab_problem_start(course->problem, course->z, course->why, sizeof course->why) >= 0;
}

static void course_close(Course *course) {
    cardan_lab_problem_destroy(course->problem);
    free(course->z);
    free(course->state);
}

static bool course_run(Course *course, const CardanLabMethod *method, double t0, double t1, int steps) {
    CardanLabResult r = {0};
    CardanLabSpan span = cardan_default_lab_span();
    span.t0 = t0;
    span.t1 = t1;
    span.steps = steps;
    bool good = cardan_lab_run(course->problem, method, &span, course->z, &r, course->why, sizeof course->why) >= 0;
    course->work.steps += r.steps;
    course->work.rejected += r.rejected;
    course->work.rhs += r.rhs;
    course->work.factorisations += r.factorisations;
    course->work.solves += r.solves;
    course->position = fmax(course->position, r.position_max);
    course->velocity = fmax(course->velocity, r.velocity_max);
    course->energy = fmax(course->energy, r.energy_max);
    return good;
}

/* The landings and a quarter of the time, where the drift is looked at. */
static bool run_quarters(Course *course, const Matrix *matrix, const CardanLabMethod *method, int steps,
                         MethodRun *run) {
    const Reference *reference = &matrix->reference;
    double early = 0.0;
    for (int k = 0; k < LANDINGS_MOST; k++) {
        if (!course_run(course, method, matrix->base.end * k / LANDINGS_MOST,
                        matrix->base.end * (k + 1) / LANDINGS_MOST, steps))
            return false;
        run->drift_share = fmax(course->position / reference->size[0], course->velocity / reference->size[1]);
        if (k == 0) early = run->drift_share;
        if (reference->landings == 1 && k + 1 < LANDINGS_MOST) continue;
        const double *there = reference->state[reference->landings == 1 ? 0 : k];
        if (cardan_lab_problem_motion(course->problem, course->z, course->state, course->state + reference->nq,
                                      course->why, sizeof course->why) < 0)
            return false;
        double apart = reference_distance(reference, course->state, there);
        if (!(apart <= run->error)) run->error = apart;
    }
    run->growth = run->drift_share / fmax(early, 1e-15);
    if (!isfinite(run->error)) snprintf(course->why, sizeof course->why, "the motion is not finite");
    return isfinite(run->error);
}

void lab_run(const Matrix *matrix, const Combination *combination, int k, MethodRun *run) {
    CardanOptions o = matrix_options(matrix, combination, k);
    CardanLabMethod method = combination->lab;
    Course course;
    int steps = combination->controlled ? 0 : (int)fmax(1.0, round(matrix->base.end / LANDINGS_MOST / o.step));
    *run = (MethodRun){.step = o.step, .rtol = o.rtol, .atol = o.atol};
    if (combination->controlled) {
        method.rtol = o.rtol;
        method.atol = o.atol;
    } else {
        run->step = matrix->base.end / LANDINGS_MOST / steps;
    }
    bool good = course_open(&course, matrix);
    double began = thread_seconds();
    if (good && LANDINGS_MOST * steps * combination->step_seconds > matrix->limits.seconds) {
        snprintf(course.why, sizeof course.why, "a run would take more than %.2g s", matrix->limits.seconds);
        good = false;
        run->seconds = matrix->limits.seconds;
    }
    run->done = good && run_quarters(&course, matrix, &method, steps, run);
    run->seconds += thread_seconds() - began;
    run->work = course.work;
    run->drift[0] = course.position;
    run->drift[1] = course.velocity;
    run->energy = matrix->conservative ? course.energy : (double)NAN; /* it does not count what forces put in */
    if (!run->done) {
        run->error = (double)NAN;
        run->why = strdup(course.why);
    }
    course_close(&course);
}

/* Dense matrices of its own: its time decides what its counts weigh. */
void lab_scale(const Matrix *matrix, Combination *combination) {
    double least = (double)INFINITY, h = matrix->base.end / (10.0 * (double)matrix->reference.coarse_steps);
    CardanWork work = {0};
    combination->scale = 1.0;
    for (int i = 0; i < REPEATS; i++) {
        Course course;
        bool good = course_open(&course, matrix);
        double began = thread_seconds();
        good = good && course_run(&course, &combination->lab, 0.0, SAMPLE_STEPS * h,
                                  combination->controlled ? 0 : SAMPLE_STEPS);
        if (good && thread_seconds() - began < least) {
            least = thread_seconds() - began;
            work = course.work;
        }
        course_close(&course);
    }
    double predicted = costs_of(matrix, combination, &work) * matrix->costs.evaluation;
    if (!isfinite(least) || !(predicted > 0.0)) return;
    combination->scale = least / predicted;
    combination->step_seconds = combination->controlled ? 0.0 : least / SAMPLE_STEPS;
}
