/* The references: peer-reference FOLDER PROBLEM SIZE [STEPS]
 * Written for this purpose alone and slow: no code of any engine, no recursion over the tree but for kinematics. In
 * coordinates of the tree's joints the equations are
 *     H u' + J^T lambda = f,   J u' = c,     H = sum over bodies of Jv^T m Jv + Jw^T I Jw,
 * with the Jacobians of all bodies written out, solved by dense elimination in long double: Cholesky of H, then
 * S = J H^-1 J^T with complete pivoting, where pivots below `drop` mean that a row depends on the others. After each
 * step positions and velocities are put on the loops. Steps of one size are of order 2 COLUMNS by extrapolating the
 * modified midpoint rule (Gragg 1965). The run is made twice, with STEPS and twice as many; the difference is printed.
 * Slider-cranks and parallel cranks have one freedom and pass poses where J loses rank; closed.c has their equation.
 * Turning velocities of spherical and free joints are in ground axes; orientations are kept as quaternions. */
#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const Real drop =
    1e-11L; /* squared sine of the angle of a row to the others: rounding leaves 1e-17, poses 1e-4 */

static void cross(const Real a[3], const Real b[3], Real c[3]) {
    Real x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    c[0] = x;
    c[1] = y;
    c[2] = z;
}

static Real dot(const Real a[3], const Real b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void turn(const Real r[9], const Real v[3], Real out[3]) {
    Real w[3] = {dot(r, v), dot(r + 3, v), dot(r + 6, v)};
    memcpy(out, w, sizeof w);
}

static void matrix_of(const Real q[4], Real r[9]) {
    Real n = 1 / sqrtl(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    Real w = q[0] * n, x = q[1] * n, y = q[2] * n, z = q[3] * n;
    const Real m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                       2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                       2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(r, m, sizeof m);
}

/* Where a place given at t = 0 is now, and its arm from the centre. */
static void point_of(const Reference *ref, int body, const double place[3], Real arm[3], Real at[3]) {
    for (int k = 0; k < 3; k++) {
        arm[k] = body == GROUND ? 0 : (Real)place[k] - ref->problem->body[body].centre[k];
        at[k] = body == GROUND ? place[k] : 0;
    }
    if (body == GROUND) return;
    turn(ref->frame[body].r, arm, arm);
    for (int k = 0; k < 3; k++) at[k] = ref->frame[body].x[k] + arm[k];
}

static void axis_of(const Reference *ref, int body, const double axis[3], Real out[3]) {
    for (int k = 0; k < 3; k++) out[k] = axis[k];
    if (body != GROUND) turn(ref->frame[body].r, out, out);
}

/* w x (w x arm) + alpha x arm, added. */
static void add_turning(const Frame *frame, const Real arm[3], Real sign, Real acceleration[3]) {
    Real a[3], b[3];
    cross(frame->w, arm, a);
    cross(frame->w, a, a);
    cross(frame->alpha, arm, b);
    for (int k = 0; k < 3; k++) acceleration[k] += sign * (a[k] + b[k]);
}

/* ---- kinematics: frames, velocities and the accelerations there are without u' */

static void orient(Reference *ref, int i, const Real *y) {
    const Joint *joint = &ref->problem->tree[i];
    Frame *frame = &ref->frame[i];
    const Real *q = y + ref->position[i];
    if (joint->kind == JOINT_SPHERICAL || joint->kind == JOINT_FREE) {
        matrix_of(q, frame->r);
        return;
    }
    Real unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, rotation[9];
    Real half = joint->kind == JOINT_REVOLUTE ? q[0] / 2 : 0, s = sinl(half);
    const Real *before = joint->a == GROUND ? unit : ref->frame[joint->a].r;
    const Real relative[4] = {cosl(half), s * joint->axis[0], s * joint->axis[1], s * joint->axis[2]};
    matrix_of(relative, rotation);
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
            frame->r[3 * k + l] =
                before[3 * k] * rotation[l] + before[3 * k + 1] * rotation[3 + l] + before[3 * k + 2] * rotation[6 + l];
}

static void move_body(Reference *ref, int i, const Real *y, const Real *u) {
    static const Frame still = {0};
    const Joint *joint = &ref->problem->tree[i];
    const Frame *a = joint->a == GROUND ? &still : &ref->frame[joint->a];
    Frame *b = &ref->frame[i];
    Real axis[3], arm[3], at[3], back[3], extra[3];
    const Real *q = y + ref->position[i];
    const Real *rate = u + ref->velocity[i];
    orient(ref, i, y);
    memcpy(b->w, a->w, sizeof b->w);
    memcpy(b->alpha, a->alpha, sizeof b->alpha);
    axis_of(ref, joint->a, joint->axis, axis);
    point_of(ref, joint->a, joint->point, arm, at);
    for (int k = 0; k < 3; k++) {
        if (joint->kind == JOINT_REVOLUTE) b->w[k] += axis[k] * rate[0];
        if (joint->kind == JOINT_SPHERICAL || joint->kind == JOINT_FREE) b->w[k] += rate[k];
    }
    cross(a->w, axis, extra);
    for (int k = 0; k < 3 && joint->kind == JOINT_REVOLUTE; k++) b->alpha[k] += extra[k] * rate[0];
    if (joint->kind == JOINT_FREE) {
        memcpy(b->x, q + 4, sizeof b->x);
        memcpy(b->v, rate + 3, sizeof b->v);
        memset(b->a, 0, sizeof b->a);
        return;
    }
    for (int k = 0; k < 3; k++) back[k] = (Real)ref->problem->body[i].centre[k] - joint->point[k];
    turn(b->r, back, back);
    memcpy(b->v, a->v, sizeof b->v);
    memcpy(b->a, a->a, sizeof b->a);
    Real slide = joint->kind == JOINT_PRISMATIC ? q[0] : 0, speed = joint->kind == JOINT_PRISMATIC ? rate[0] : 0;
    for (int k = 0; k < 3; k++) arm[k] += slide * axis[k];
    add_turning(a, arm, 1, b->a);
    add_turning(b, back, 1, b->a);
    for (int k = 0; k < 3; k++) {
        b->x[k] = at[k] + slide * axis[k] + back[k];
        b->a[k] += 2 * extra[k] * speed;
    }
    cross(a->w, arm, extra);
    cross(b->w, back, arm);
    for (int k = 0; k < 3; k++) b->v[k] += extra[k] + arm[k] + speed * axis[k];
}

/* Columns of the Jacobians: body i moves with joint j when j is on its way to the ground. */
static void jacobians(Reference *ref, int i) {
    const Problem *problem = ref->problem;
    Real *jw = ref->jw + (size_t)i * 3 * (size_t)ref->n, *jv = ref->jv + (size_t)i * 3 * (size_t)ref->n;
    memset(jw, 0, 3 * (size_t)ref->n * sizeof *jw);
    memset(jv, 0, 3 * (size_t)ref->n * sizeof *jv);
    ref->columns[i] = 0;
    for (int j = i; j != GROUND; j = problem->tree[j].a) {
        const Joint *joint = &problem->tree[j];
        Real axis[3], arm[3], at[3], column[3];
        point_of(ref, j, joint->point, arm, at);
        if (joint->kind == JOINT_FREE) memcpy(at, ref->frame[j].x, sizeof at);
        for (int k = 0; k < 3; k++) arm[k] = ref->frame[i].x[k] - at[k];
        for (int d = 0; d < problem_freedoms(joint->kind); d++) {
            int c = ref->velocity[j] + d;
            ref->column[i * ref->n + ref->columns[i]++] = c;
            axis_of(ref, joint->a, joint->axis, axis);
            for (int k = 0; k < 3 && problem_freedoms(joint->kind) > 1; k++) axis[k] = d % 3 == k;
            bool slides = joint->kind == JOINT_PRISMATIC || d >= 3;
            cross(axis, arm, column);
            for (int k = 0; k < 3; k++) {
                jw[3 * c + k] = slides ? 0 : axis[k];
                jv[3 * c + k] = slides ? axis[k] : column[k];
            }
        }
    }
}

static void kinematics(Reference *ref, const Real *y, const Real *u) {
    for (int i = 0; i < ref->problem->bodies; i++) {
        move_body(ref, i, y, u);
        jacobians(ref, i);
    }
}

/* ---- H, f and the rows of the loops */

static void push(Reference *ref, int body, const Real arm[3], const Real force[3]) {
    Real moment[3];
    if (body == GROUND) return;
    cross(arm, force, moment);
    const Real *jw = ref->jw + (size_t)body * 3 * (size_t)ref->n, *jv = ref->jv + (size_t)body * 3 * (size_t)ref->n;
    for (int k = 0; k < ref->columns[body]; k++) {
        int c = ref->column[body * ref->n + k];
        ref->f[c] += dot(jv + 3 * c, force) + dot(jw + 3 * c, moment);
    }
}

static void speed_of(const Reference *ref, int body, const Real arm[3], Real v[3]) {
    memset(v, 0, 3 * sizeof *v);
    if (body == GROUND) return;
    cross(ref->frame[body].w, arm, v);
    for (int k = 0; k < 3; k++) v[k] += ref->frame[body].v[k];
}

static void springs(Reference *ref) {
    for (int s = 0; s < ref->problem->springs; s++) {
        const Spring *spring = &ref->problem->spring[s];
        Real arm_a[3], arm_b[3], a[3], b[3], va[3], vb[3], along[3], force[3], opposite[3], rate = 0;
        point_of(ref, spring->a, spring->from, arm_a, a);
        point_of(ref, spring->b, spring->to, arm_b, b);
        speed_of(ref, spring->a, arm_a, va);
        speed_of(ref, spring->b, arm_b, vb);
        for (int k = 0; k < 3; k++) along[k] = b[k] - a[k];
        Real length = sqrtl(dot(along, along));
        for (int k = 0; k < 3; k++) rate += along[k] / length * (vb[k] - va[k]);
        Real tension = spring->stiffness * (length - spring->rest) + spring->damping * rate;
        for (int k = 0; k < 3; k++) {
            force[k] = tension * along[k] / length;
            opposite[k] = -force[k];
        }
        push(ref, spring->a, arm_a, force);
        push(ref, spring->b, arm_b, opposite);
    }
}

static void masses(Reference *ref) {
    int n = ref->n;
    memset(ref->h, 0, (size_t)n * (size_t)n * sizeof *ref->h);
    memset(ref->f, 0, (size_t)n * sizeof *ref->f);
    for (int i = 0; i < ref->problem->bodies; i++) {
        const Body *body = &ref->problem->body[i];
        const Frame *frame = &ref->frame[i];
        const Real *jw = ref->jw + (size_t)i * 3 * (size_t)n, *jv = ref->jv + (size_t)i * 3 * (size_t)n;
        Real inertia[9], momentum[3], moment[3], change[3], force[3];
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < 3; l++) {
                inertia[3 * k + l] = 0;
                for (int m = 0; m < 3; m++)
                    inertia[3 * k + l] += frame->r[3 * k + m] * body->inertia[m] * frame->r[3 * l + m];
            }
        turn(inertia, frame->w, momentum);
        cross(frame->w, momentum, moment);
        turn(inertia, frame->alpha, change);
        for (int k = 0; k < 3; k++) force[k] = -body->mass * (frame->a[k] + (k == 1 ? (Real)ref->problem->gravity : 0));
        for (int k = 0; k < ref->columns[i]; k++) {
            int c = ref->column[i * n + k];
            Real turned[3];
            ref->f[c] += dot(jv + 3 * c, force) - dot(jw + 3 * c, moment) - dot(jw + 3 * c, change);
            turn(inertia, jw + 3 * c, turned);
            for (int l = 0; l < ref->columns[i]; l++) {
                int d = ref->column[i * n + l];
                if (d <= c) ref->h[c * n + d] += body->mass * dot(jv + 3 * c, jv + 3 * d) + dot(turned, jw + 3 * d);
            }
        }
    }
    springs(ref);
}

/* What one side of a loop's joint adds to its rows: J, its velocity and its acceleration without u'. */
static void side(Reference *ref, int row, int body, const Real arm[3], const Real dir[3], bool turns, Real sign) {
    if (body == GROUND) return;
    const Frame *frame = &ref->frame[body];
    const Real *jw = ref->jw + (size_t)body * 3 * (size_t)ref->n, *jv = ref->jv + (size_t)body * 3 * (size_t)ref->n;
    for (int k = 0; k < ref->columns[body]; k++) {
        int c = ref->column[body * ref->n + k];
        Real column[3];
        cross(jw + 3 * c, arm, column);
        ref->j[row * ref->n + c] += sign * (turns ? dot(dir, jw + 3 * c) : dot(dir, jv + 3 * c) + dot(dir, column));
    }
    Real a[3] = {0};
    if (!turns) {
        memcpy(a, frame->a, sizeof a);
        add_turning(frame, arm, 1, a);
        ref->c[row] -= sign * dot(dir, a);
    }
}

/* Two directions across an axis. */
static void across(const double axis[3], double p[3], double q[3]) {
    int k = fabs(axis[0]) < 0.6 ? 0 : 1;
    double e[3] = {k == 0, k == 1, 0};
    double along = axis[0] * e[0] + axis[1] * e[1] + axis[2] * e[2], length = 0;
    for (int i = 0; i < 3; i++) p[i] = e[i] - along * axis[i];
    for (int i = 0; i < 3; i++) length += p[i] * p[i];
    for (int i = 0; i < 3; i++) p[i] /= sqrt(length);
    for (int i = 0; i < 3; i++) q[i] = axis[(i + 1) % 3] * p[(i + 2) % 3] - axis[(i + 2) % 3] * p[(i + 1) % 3];
}

/* Row: p of a stays across axis of b. d/dt (p . z) = (wb - wa) . (z x p); once more for the rest. */
static void angle_row(Reference *ref, int row, const Joint *joint, const double across_a[3]) {
    static const Frame still = {0};
    Real p[3], z[3], normal[3], none[3] = {0}, dp[3], dz[3], x[3], y[3];
    const Frame *a = joint->a == GROUND ? &still : &ref->frame[joint->a], *b = &ref->frame[joint->b];
    axis_of(ref, joint->a, across_a, p);
    axis_of(ref, joint->b, joint->axis, z);
    cross(z, p, normal);
    ref->g[row] = dot(p, z);
    side(ref, row, joint->b, none, normal, true, 1);
    side(ref, row, joint->a, none, normal, true, -1);
    cross(a->w, p, dp);
    cross(b->w, z, dz);
    cross(dz, p, x);
    cross(z, dp, y);
    for (int k = 0; k < 3; k++) {
        ref->c[row] -= normal[k] * (b->alpha[k] - a->alpha[k]) + (x[k] + y[k]) * (b->w[k] - a->w[k]);
    }
}

static void loops(Reference *ref) {
    int row = 0;
    memset(ref->j, 0, (size_t)ref->rows * (size_t)ref->n * sizeof *ref->j);
    memset(ref->c, 0, (size_t)ref->rows * sizeof *ref->c);
    for (int l = 0; l < ref->problem->loops; l++) {
        const Joint *joint = &ref->problem->loop[l];
        Real arm_a[3], arm_b[3], a[3], b[3];
        point_of(ref, joint->a, joint->point, arm_a, a);
        point_of(ref, joint->b, joint->point, arm_b, b);
        for (int k = 0; k < 3; k++, row++) {
            Real dir[3] = {k == 0, k == 1, k == 2};
            ref->g[row] = b[k] - a[k];
            side(ref, row, joint->b, arm_b, dir, false, 1);
            side(ref, row, joint->a, arm_a, dir, false, -1);
        }
        if (joint->kind == JOINT_SPHERICAL) continue;
        double p[3], q[3];
        across(joint->axis, p, q);
        angle_row(ref, row++, joint, p);
        angle_row(ref, row++, joint, q);
    }
}

void reference_evaluate(Reference *ref, const Real *y, const Real *u) {
    kinematics(ref, y, u);
    masses(ref);
    loops(ref);
    dense_factor(ref, drop);
}
