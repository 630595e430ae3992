/* peer-reference: runs the references and writes FOLDER/PROBLEM_SIZE_ends.txt and ..._accelerations.txt. */
#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int position_counts[] = {1, 1, 4, 7}; /* by kind of joint */

static Real *reals(int n) {
    Real *x = calloc((size_t)n + 1, sizeof *x);
    if (x == NULL) exit(1);
    return x;
}

static void lay_out(Reference *ref, const Problem *problem) {
    int bodies = problem->bodies;
    *ref = (Reference){.problem = problem};
    ref->position = calloc((size_t)bodies, sizeof *ref->position);
    ref->velocity = calloc((size_t)bodies, sizeof *ref->velocity);
    ref->frame = calloc((size_t)bodies, sizeof *ref->frame);
    if (ref->position == NULL || ref->velocity == NULL || ref->frame == NULL) exit(1);
    for (int i = 0; i < bodies; i++) {
        ref->position[i] = ref->positions;
        ref->velocity[i] = ref->n;
        ref->positions += position_counts[problem->tree[i].kind];
        ref->n += problem_freedoms(problem->tree[i].kind);
    }
    for (int i = 0; i < problem->loops; i++) ref->rows += problem->loop[i].kind == JOINT_SPHERICAL ? 3 : 5;
    int n = ref->n, rows = ref->rows;
    ref->jw = reals(3 * n * bodies);
    ref->jv = reals(3 * n * bodies);
    ref->h = reals(n * n);
    ref->f = reals(n);
    ref->j = reals(rows * n);
    ref->g = reals(rows);
    ref->c = reals(rows);
    ref->hj = reals(rows * n);
    ref->s = reals(rows * rows);
    ref->lambda = reals(rows);
    ref->work = reals(n + rows);
    ref->order = calloc((size_t)rows + 1, sizeof *ref->order);
    ref->columns = calloc((size_t)bodies, sizeof *ref->columns);
    ref->column = calloc((size_t)bodies * (size_t)n, sizeof *ref->column);
    if (ref->order == NULL || ref->columns == NULL || ref->column == NULL) exit(1);
}

static void start(const Reference *ref, Real *y) {
    for (int i = 0; i < ref->problem->bodies; i++) {
        const Joint *joint = &ref->problem->tree[i];
        Real *q = y + ref->position[i];
        if (problem_freedoms(joint->kind) == 1) y[ref->positions + ref->velocity[i]] = joint->rate;
        q[0] = problem_freedoms(joint->kind) == 1 ? joint->at : 1;
        for (int k = 0; k < 3 && joint->kind == JOINT_FREE; k++) q[4 + k] = ref->problem->body[i].centre[k];
    }
}

/* Quaternion rate of a turn in ground axes. */
static void spin(const Real w[3], const Real q[4], Real rate[4]) {
    rate[0] = -(w[0] * q[1] + w[1] * q[2] + w[2] * q[3]) / 2;
    rate[1] = (w[0] * q[0] + w[1] * q[3] - w[2] * q[2]) / 2;
    rate[2] = (w[1] * q[0] + w[2] * q[1] - w[0] * q[3]) / 2;
    rate[3] = (w[2] * q[0] + w[0] * q[2] - w[1] * q[1]) / 2;
}

/* Rates of the positions when body i turns with w and the joints move with u. */
static void position_rates(const Reference *ref, int i, const Real w[3], const Real *u, const Real *y, Real *rate) {
    const Real *q = y + ref->position[i], *own = u + ref->velocity[i];
    Real *to = rate + ref->position[i];
    JointKind kind = ref->problem->tree[i].kind;
    if (problem_freedoms(kind) == 1)
        to[0] = own[0];
    else
        spin(w, q, to);
    for (int k = 0; k < 3 && kind == JOINT_FREE; k++) to[4 + k] = own[3 + k];
}

static void slope(void *user, const Real *y, Real *dydt) {
    Reference *ref = user;
    const Real *u = y + ref->positions;
    reference_evaluate(ref, y, u);
    dense_solve(ref, ref->f, ref->c, dydt + ref->positions);
    for (int i = 0; i < ref->problem->bodies; i++) position_rates(ref, i, ref->frame[i].w, u, y, dydt);
}

/* Puts positions, then velocities, on the loops. */
static void project(Reference *ref, Real *y, Real *scratch) {
    Real *u = y + ref->positions, *x = scratch, *rate = scratch + ref->n;
    for (int round = 0; round < 2 && ref->rows > 0; round++) {
        reference_evaluate(ref, y, u);
        for (int k = 0; k < ref->rows; k++) ref->c[k] = -ref->g[k];
        dense_solve(ref, NULL, ref->c, x);
        for (int i = 0; i < ref->problem->bodies; i++) {
            Real w[3] = {0};
            const Real *jw = ref->jw + (size_t)i * 3 * (size_t)ref->n;
            for (int c = 0; c < ref->n; c++)
                for (int k = 0; k < 3; k++) w[k] += jw[3 * c + k] * x[c];
            position_rates(ref, i, w, x, y, rate);
        }
        for (int k = 0; k < ref->positions; k++) y[k] += rate[k];
    }
    reference_evaluate(ref, y, u);
    for (int k = 0; k < ref->rows; k++) {
        ref->c[k] = 0;
        for (int c = 0; c < ref->n; c++) ref->c[k] -= ref->j[k * ref->n + c] * u[c];
    }
    dense_solve(ref, NULL, ref->c, x);
    for (int c = 0; c < ref->n && ref->rows > 0; c++) u[c] += x[c];
    for (int i = 0; i < ref->problem->bodies; i++) {
        Real *q = y + ref->position[i];
        if (problem_freedoms(ref->problem->tree[i].kind) == 1) continue;
        Real length = sqrtl(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        for (int k = 0; k < 4; k++) q[k] /= length;
    }
}

static void read_ends(const Reference *ref, Real *ends) {
    const Problem *problem = ref->problem;
    for (int i = 0; i < problem->bodies; i++) {
        const Frame *frame = &ref->frame[i];
        double arm[3];
        problem_arm(problem, i, problem->body[i].end, arm);
        for (int k = 0; k < 3; k++)
            ends[3 * i + k] =
                frame->x[k] + frame->r[3 * k] * arm[0] + frame->r[3 * k + 1] * arm[1] + frame->r[3 * k + 2] * arm[2];
    }
}

/* Of the joints with one freedom, where the problem starts. */
static void accelerate(Reference *ref, Real *accelerations) {
    int size = ref->positions + ref->n;
    Real *y = reals(size), *rate = reals(size);
    start(ref, y);
    slope(ref, y, rate);
    for (int i = 0; i < ref->problem->bodies; i++) accelerations[i] = rate[ref->positions + ref->velocity[i]];
    free(y);
    free(rate);
}

static void general(Reference *ref, long steps, Real *ends) {
    int size = ref->positions + ref->n;
    Real *y = reals(size), *work = reals((COLUMNS + 4) * size);
    start(ref, y);
    for (long i = 0; i < steps; i++) {
        extrapolate(slope, ref, size, (Real)ref->problem->end_time / steps, y, work);
        project(ref, y, work);
    }
    reference_evaluate(ref, y, y + ref->positions);
    read_ends(ref, ends);
    free(y);
    free(work);
}

static bool write_numbers(const Problem *problem, const char *folder, const char *what, const Real *x, int columns) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s_%d_%s.txt", folder, problem->name, problem->size, what);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        perror(path);
        return false;
    }
    for (int i = 0; i < problem->bodies; i++)
        for (int k = 0; k < columns; k++) fprintf(file, "%.17Lg%s", x[columns * i + k], k + 1 < columns ? " " : "\n");
    return fclose(file) == 0;
}

int main(int argc, char **argv) {
    Problem *problem = argc >= 4 ? problem_create(argv[2], atoi(argv[3])) : NULL;
    long steps = argc > 4 ? atol(argv[4]) : 100;
    if (problem == NULL || steps < 1) {
        fprintf(stderr, "usage: peer-reference FOLDER PROBLEM SIZE [STEPS]\n");
        return 2;
    }
    Reference ref;
    Real *ends[2], *accelerations = reals(problem->bodies), difference = 0;
    lay_out(&ref, problem);
    bool closed = false;
    for (int run = 0; run < 2; run++) {
        ends[run] = reals(3 * problem->bodies);
        closed = closed_form(problem, steps * (run + 1), ends[run], accelerations);
        if (!closed) general(&ref, steps * (run + 1), ends[run]);
    }
    if (!closed) {
        problem_bend(problem);
        accelerate(&ref, accelerations);
    }
    for (int i = 0; i < 3 * problem->bodies; i++) difference = fmaxl(difference, fabsl(ends[1][i] - ends[0][i]));
    printf("%s %d: %ld and %ld steps differ by %.1Le m\n", problem->name, problem->size, steps, 2 * steps, difference);
    return write_numbers(problem, argv[1], "ends", ends[1], 3) &&
                   write_numbers(problem, argv[1], "accelerations", accelerations, 1)
               ? 0
               : 1;
}
