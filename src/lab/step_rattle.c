/* RATTLE, which without algebraic equations is velocity Verlet, on w = (x, v, y, ...):
 *     v_half = v + h/2 (f - B y)(t, x, v)        x_new = x + h v_half                      y from g(x_new) = 0
 *     v_new = v_half + h/2 (f - B y_new)(t + h, x_new, v_new)                              y_new from g'(x_new, v_new)
 * = 0 (Hairer, Lubich, Wanner, VII.1.4). Forces that depend on velocities enter the first half at its start and the
 * second at its end, so that the step is symmetric and of order 2. */
#include <math.h>
#include <string.h>

#include "core/numbers.h"
#include "lab/stepper.h"

typedef struct Step {
    const CrdLabStepping *stepping;
    double t, h;
    int n, rows;           /* of x, of g */
    double *x, *v;         /* (n) at the start; in the second half: x_new and v_half */
    double *v_end, *x_end; /* (n) of the half that is made */
    double *w, *out;       /* (n + algebraic) one evaluation */
} Step;

/* phi and psi at (t, x, v) with the first multipliers y and no others, into s->out. */
static CardanStatus evaluate(const Step *s, double t, const double *x, const double *v, const double *y) {
    const CrdLabSystem *system = s->stepping->system;
    size_t bytes = (size_t)s->n * sizeof *x;
    memset(s->w, 0, (size_t)(system->n + system->algebraic) * sizeof *s->w);
    memcpy(s->w, x, bytes);
    memcpy(s->w + s->n, v, bytes);
    memcpy(s->w + system->n, y, (size_t)s->rows * sizeof *y);
    return system->rates(system->user, t, s->w, s->out, s->stepping->desk);
}

/* v_half and x_new for these multipliers, and g there. */
static CardanStatus first_half(void *user, const double *y, double *left) {
    const Step *s = user;
    CRD_TRY(evaluate(s, s->t, s->x, s->v, y));
    for (int i = 0; i < s->n; i++) {
        s->v_end[i] = s->v[i] + 0.5 * s->h * s->out[s->n + i];
        s->x_end[i] = s->x[i] + s->h * s->v_end[i];
    }
    if (s->rows == 0) return CARDAN_OK;
    CRD_TRY(evaluate(s, s->t + s->h, s->x_end, s->v_end, y));
    memcpy(left, s->out + s->stepping->system->n, (size_t)s->rows * sizeof *left);
    return CARDAN_OK;
}

/* v_new for these multipliers by iteration, and g' there. */
static CardanStatus second_half(void *user, const double *y, double *left) {
    const Step *s = user;
    double change = (double)INFINITY;
    memcpy(s->v_end, s->v, (size_t)s->n * sizeof *s->v);
    for (int k = 0; k < CRD_LAB_ITERATIONS && change > CRD_EPS; k++) {
        double before = change;
        CRD_TRY(evaluate(s, s->t + s->h, s->x, s->v_end, y));
        change = 0.0;
        for (int i = 0; i < s->n; i++) {
            double next = s->v[i] + 0.5 * s->h * s->out[s->n + i];
            change = fmax(change, fabs(next - s->v_end[i]) / fmax(1.0, fabs(next)));
            s->v_end[i] = next;
        }
        if (change <= CRD_LAB_NEWTON && change >= 0.5 * before) break; /* rounding */
    }
    if (!(change <= CRD_LAB_NEWTON))
        return crd_fail(s->stepping->desk->error, CARDAN_ERR_NUMERIC,
                        "%s: forces that depend on velocities do not converge at t = %.9g; take shorter steps",
                        s->stepping->stepper->name, s->t);
    if (s->rows == 0) return CARDAN_OK;
    CRD_TRY(evaluate(s, s->t + s->h, s->x, s->v_end, y));
    memcpy(left, s->out + s->stepping->system->n + s->rows, (size_t)s->rows * sizeof *left);
    return CARDAN_OK;
}

/* Finds the multipliers y of one half, and leaves its end in v_end and x_end. */
static CardanStatus make(Step *s, CardanStatus (*half)(void *user, const double *y, double *left), const char *what,
                         double *y) {
    double *left = crd_lab_numbers(s->stepping->desk, s->rows, 1);
    if (s->stepping->desk->empty) return crd_fail_memory(s->stepping->desk->error);
    CrdLabPlace place = {what, s->t, s->stepping->desk};
    if (s->rows > 0) CRD_TRY(crd_lab_find_root(&(CrdLabRoot){s->rows, half, s, place}, y));
    return half(s, y, left);
}

static CardanStatus step_rattle(CrdLabStepping *stepping, double t, double h, double *w) {
    const CrdLabSystem *system = stepping->system;
    CrdLabDesk *desk = stepping->desk;
    Step s = {.stepping = stepping, .t = t, .h = h, .n = system->n / 2, .rows = system->algebraic / 2};
    size_t bytes = (size_t)s.n * sizeof *w;
    double **vectors[] = {&s.x, &s.v, &s.x_end, &s.v_end};
    for (int i = 0; i < 4; i++) *vectors[i] = crd_lab_numbers(desk, s.n, 1);
    s.w = crd_lab_numbers(desk, system->n + system->algebraic, 1);
    s.out = crd_lab_numbers(desk, system->n + system->algebraic, 1);
    if (desk->empty) return crd_fail_memory(desk->error);
    memcpy(s.x, w, bytes);
    memcpy(s.v, w + s.n, bytes);
    CRD_TRY(make(&s, first_half, "matrix of the positions of rattle", w + system->n));
    memcpy(s.x, s.x_end, bytes);
    memcpy(s.v, s.v_end, bytes);
    CRD_TRY(make(&s, second_half, "matrix of the velocities of rattle", w + system->n));
    memcpy(w, s.x, bytes);
    memcpy(w + s.n, s.v_end, bytes);
    return crd_lab_finite(w, system->n) ? CARDAN_OK : crd_lab_not_finite(stepping, t);
}

static const char *refuse_rattle(const CrdLabSystem *system) {
    if (!system->both_levels)
        return "it needs positions, velocities and g = 0, g' = 0 with multipliers y: formulation stabilised_index2";
    return NULL;
}

static const char *refuse_verlet(const CrdLabSystem *system) {
    if (!system->second_order) return "it needs accelerations of positions: a problem of order 2 without multipliers";
    return NULL;
}

const CrdLabStepper crd_lab_rattle_family[] = {
    {"verlet", 2, NULL, false, refuse_verlet, step_rattle, NULL, false},
    {"rattle", 2, NULL, false, refuse_rattle, step_rattle, NULL, false},
    {.name = NULL},
};
