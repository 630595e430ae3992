/* The mechanisms. Chains, slider-cranks, the N-four-bar (A02), Bricard's linkage (A04 of the IFToMM benchmark library)
 * and the tree of 31 freedoms are as others have them; links are rods of 1 m and 1 kg where nothing else is said. */
#include "problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double x_axis[3] = {1, 0, 0}, y_axis[3] = {0, 1, 0}, z_axis[3] = {0, 0, 1};
static const double thin = 1e-3; /* kg m^2 of a rod of 1 kg about itself */

static void set(double to[3], double x, double y, double z) {
    to[0] = x;
    to[1] = y;
    to[2] = z;
}

static void cross(const double a[3], const double b[3], double c[3]) {
    set(c, a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
}

static bool room(Problem *p, int bodies, int loops, int springs) {
    p->body = calloc((size_t)bodies, sizeof *p->body);
    p->tree = calloc((size_t)bodies, sizeof *p->tree);
    p->loop = calloc((size_t)loops + 1, sizeof *p->loop);
    p->spring = calloc((size_t)springs + 1, sizeof *p->spring);
    return p->body != NULL && p->tree != NULL && p->loop != NULL && p->spring != NULL;
}

static void hold(Joint *joint, JointKind kind, int a, int b, const double point[3], const double axis[3], double rate) {
    *joint = (Joint){.kind = kind, .a = a, .b = b, .rate = rate};
    memcpy(joint->point, point, sizeof joint->point);
    memcpy(joint->axis, axis, sizeof joint->axis);
}

static void add_loop(Problem *p, JointKind kind, int a, int b, const double point[3], const double axis[3]) {
    hold(&p->loop[p->loops++], kind, a, b, point, axis, 0);
}

/* The next body and the joint that carries it. */
static Body *add(Problem *p, JointKind kind, int a, const double point[3], const double axis[3], double rate) {
    hold(&p->tree[p->bodies], kind, a, p->bodies, point, axis, rate);
    return &p->body[p->bodies++];
}

/* A rod of 1 kg; one that lies along no axis has the same inertia about all, which in the plane changes nothing. */
static void rod(Body *body, const double from[3], const double to[3]) {
    double length2 = 0, along[3];
    for (int k = 0; k < 3; k++) {
        along[k] = to[k] - from[k];
        length2 += along[k] * along[k];
        body->centre[k] = 0.5 * (from[k] + to[k]);
        body->end[k] = to[k];
    }
    body->mass = 1;
    for (int k = 0; k < 3; k++) {
        bool lies = fabs(fabs(along[k]) - sqrt(length2)) < 1e-12 && length2 > 0;
        body->inertia[k] = lies ? thin : length2 / 12;
    }
}

/* ---- the mechanisms, one function each */

static bool chain(Problem *p) {
    if (!room(p, p->size, 0, 0)) return false;
    for (int i = 0; i < p->size; i++) {
        double from[3] = {i, 0, 0}, to[3] = {i + 1, 0, 0};
        rod(add(p, JOINT_REVOLUTE, i - 1, from, z_axis, 0), from, to);
    }
    return true;
}

/* Axes along z and y in turn; those along y turn at the start, so that it leaves the plane at once. */
static bool spatial_chain(Problem *p) {
    if (!room(p, p->size, 0, 0)) return false;
    for (int i = 0; i < p->size; i++) {
        double from[3] = {i, 0, 0}, to[3] = {i + 1, 0, 0};
        bool odd = i % 2 == 1;
        rod(add(p, JOINT_REVOLUTE, i - 1, from, odd ? y_axis : z_axis, odd ? i % 4 - 2 : 0), from, to);
    }
    return true;
}

static bool any_slider_crank(Problem *p, double r) {
    const double l = 1, angle = acos(-1.0) / 4, speed = 4;
    double s = sin(angle), c = cos(angle), sine = r / l * s, cosine = sqrt(1 - sine * sine);
    double rod_rate = r * c * speed / (l * cosine);
    double o[3] = {0, 0, 0}, pin[3] = {r * c, r * s, 0}, wrist[3] = {r * c + l * cosine, 0, 0};
    if (!room(p, 3, 1, 0)) return false;
    rod(add(p, JOINT_REVOLUTE, GROUND, o, z_axis, speed), o, pin);
    rod(add(p, JOINT_REVOLUTE, 0, pin, z_axis, -rod_rate - speed), pin, wrist);
    Body *slider = add(p, JOINT_PRISMATIC, GROUND, wrist, x_axis, -r * s * speed - l * sine * rod_rate);
    rod(slider, wrist, wrist);
    set(slider->inertia, 1.0 / 12, 1.0 / 12, 1.0 / 12);
    for (int i = 0; i < 2; i++) /* isotropic: they lie along no axis */
        set(p->body[i].inertia, p->body[i].inertia[2], p->body[i].inertia[2], p->body[i].inertia[2]);
    add_loop(p, JOINT_REVOLUTE, 1, 2, wrist, z_axis);
    return true;
}

static bool slider_crank(Problem *p) {
    return any_slider_crank(p, 0.5);
}

static bool equal_slider_crank(Problem *p) {
    return any_slider_crank(p, 1);
}

/* n + 1 parallel cranks at `angle`, n couplers. */
static bool parallel_cranks(Problem *p, double angle, double rate) {
    int n = p->size, before = 0;
    double c = cos(angle), s = sin(angle);
    if (fabs(c) < 1e-15) c = 0;
    if (!room(p, 2 * n + 1, n, 0)) return false;
    for (int i = 0; i <= n; i++) {
        double foot[3] = {i, 0, 0}, top[3] = {i + c, s, 0}, last[3] = {i - 1 + c, s, 0};
        if (i > 0) rod(add(p, JOINT_REVOLUTE, before, last, z_axis, -rate), last, top);
        int coupler = p->bodies - 1;
        before = p->bodies;
        rod(add(p, JOINT_REVOLUTE, GROUND, foot, z_axis, rate), foot, top);
        if (i > 0) add_loop(p, JOINT_REVOLUTE, coupler, before, top, z_axis);
    }
    return true;
}

static bool four_bars(Problem *p) {
    return parallel_cranks(p, acos(-1.0) / 2, -1);
}

static bool ladder(Problem *p) {
    return parallel_cranks(p, 1, -1);
}

static bool bricard(Problem *p) {
    static const double pin[6][3] = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
    const double *axis[6] = {y_axis, z_axis, x_axis, y_axis, z_axis, x_axis};
    if (!room(p, 5, 1, 0)) return false;
    for (int i = 0; i < 5; i++) rod(add(p, JOINT_REVOLUTE, i - 1, pin[i], axis[i], 0), pin[i], pin[i + 1]);
    add_loop(p, JOINT_REVOLUTE, GROUND, 4, pin[5], axis[5]);
    return true;
}

/* A trunk that flies, two legs of six hinges, a waist of three, two arms of four, a neck of two: 31 freedoms. */
static bool tree(Problem *p) {
    typedef struct Hinge {
        int from; /* body */
        double point[3];
        int axis;
    } Hinge;
    static const Hinge hinge[25] = {
        {0, {0, 0, 0.1}, 2},      {1, {0, 0, 0.15}, 1},     {2, {0, 0, 0.2}, 0},      {0, {0, -0.1, -0.05}, 0},
        {4, {0, -0.1, -0.06}, 1}, {5, {0, -0.1, -0.07}, 2}, {6, {0, -0.1, -0.47}, 1}, {7, {0, -0.1, -0.87}, 1},
        {8, {0, -0.1, -0.88}, 0}, {0, {0, 0.1, -0.05}, 0},  {10, {0, 0.1, -0.06}, 1}, {11, {0, 0.1, -0.07}, 2},
        {12, {0, 0.1, -0.47}, 1}, {13, {0, 0.1, -0.87}, 1}, {14, {0, 0.1, -0.88}, 0}, {3, {0, -0.2, 0.5}, 1},
        {16, {0, -0.22, 0.5}, 0}, {17, {0, -0.24, 0.5}, 2}, {18, {0, -0.24, 0.2}, 1}, {3, {0, 0.2, 0.5}, 1},
        {20, {0, 0.22, 0.5}, 0},  {21, {0, 0.24, 0.5}, 2},  {22, {0, 0.24, 0.2}, 1},  {3, {0, 0, 0.6}, 2},
        {24, {0, 0, 0.65}, 1},
    };
    const double *axes[3] = {x_axis, y_axis, z_axis}, o[3] = {0, 0, 0};
    if (!room(p, 26, 0, 0)) return false;
    Body *trunk = add(p, JOINT_FREE, GROUND, o, z_axis, 0);
    trunk->mass = 10;
    set(trunk->inertia, 0.1, 0.12, 0.08);
    for (int i = 0; i < 25; i++) {
        const Hinge *h = &hinge[i];
        Body *body = add(p, JOINT_REVOLUTE, h->from, h->point, axes[h->axis], 0.5 * cos(2 * (i + 1) + 1.0));
        double down = h->from == 0 || i < 3 ? 0.05 : -0.1;
        body->mass = 1 + 0.1 * (i % 5);
        set(body->inertia, 0.02, 0.03, 0.01);
        set(body->centre, h->point[0] + 0.02, h->point[1] + 0.01, h->point[2] + down);
        set(body->end, h->point[0], h->point[1], h->point[2] + 2 * down);
    }
    return true;
}

static void knot(int row, int column, double at[3]) {
    set(at, column + 0.15 * sin(1.0 + 2 * row + 3 * column), -row + 0.15 * sin(2.0 + 5 * row + column),
        0.3 * sin(3.0 + 4 * row + 7 * column));
}

/* n x n cubes of 1 kg on a crumpled grid (a flat one is a singular pose), each held to its right and its lower
 * neighbour by spherical joints, the upper corners to the ground. The tree goes down the first column and along the
 * rows. */
static bool net(Problem *p) {
    int n = p->size;
    if (!room(p, n * n, n * n, 0)) return false;
    for (int row = 0; row < n; row++) {
        for (int column = 0; column < n; column++) {
            int a = column > 0 ? p->bodies - 1 : row > 0 ? p->bodies - n : GROUND;
            double at[3], point[3];
            knot(row, column, at);
            for (int k = 0; k < 3; k++) point[k] = a == GROUND ? at[k] : 0.5 * (at[k] + p->body[a].centre[k]);
            if (a == GROUND) point[1] += 0.5;
            Body *body = add(p, JOINT_SPHERICAL, a, point, z_axis, 0);
            body->mass = 1;
            set(body->inertia, 0.1, 0.1, 0.1);
            memcpy(body->centre, at, sizeof at);
            set(body->end, at[0] + 0.5, at[1], at[2]);
            if (column == 0 || row == 0) continue;
            int above = p->bodies - 1 - n;
            for (int k = 0; k < 3; k++) point[k] = 0.5 * (at[k] + p->body[above].centre[k]);
            add_loop(p, JOINT_SPHERICAL, above, p->bodies - 1, point, z_axis);
        }
    }
    double corner[3];
    knot(0, n - 1, corner);
    corner[1] += 0.5;
    add_loop(p, JOINT_SPHERICAL, GROUND, n - 1, corner, z_axis);
    return true;
}

/* One corner of the vehicle: two wishbones on the chassis, the upright between them, its tie rod, the wheel. side: +1
 * left (z), -1 right; front: where it is in x. The wheel stands on a post of the rig by a spring, the lower wishbone
 * carries another. */
static void corner(Problem *p, double front, double side) {
    double low[3] = {front, 0.25, 0.35 * side}, high[3] = {front, 0.5, 0.4 * side};
    double low_ball[3] = {front, 0.2, 0.7 * side}, high_ball[3] = {front, 0.5, 0.66 * side};
    double rack[3] = {front + 0.15, 0.3, 0.36 * side}, tie[3] = {front + 0.15, 0.28, 0.69 * side};
    double hub[3] = {front, 0.33, 0.75 * side}, shock[3] = {front, 0.6, 0.42 * side},
           seat[3] = {front, 0.22, 0.55 * side};
    double post[3] = {front, 0, 0.75 * side};
    int first = p->bodies;
    const double *end[5] = {low_ball, hub, high_ball, tie, hub}, *from[5] = {low, low_ball, high, rack, hub};
    const JointKind kind[5] = {JOINT_REVOLUTE, JOINT_SPHERICAL, JOINT_REVOLUTE, JOINT_SPHERICAL, JOINT_REVOLUTE};
    const int on[5] = {0, first, 0, 0, first + 1};
    const double mass[5] = {4, 8, 3, 1, 15};
    for (int i = 0; i < 5; i++) {
        Body *body = add(p, kind[i], on[i], from[i], i == 4 ? z_axis : x_axis, i == 4 ? -20 : 0);
        body->mass = mass[i];
        for (int k = 0; k < 3; k++) {
            body->centre[k] = 0.5 * (from[i][k] + end[i][k]);
            body->inertia[k] = mass[i] * (i == 4 ? (k == 2 ? 0.06 : 0.04) : 0.02);
            body->end[k] = end[i][k];
        }
        if (i == 4) body->end[0] += 0.3; /* of the wheel: a point of its tread */
    }
    add_loop(p, JOINT_SPHERICAL, first + 2, first + 1, high_ball, x_axis);
    add_loop(p, JOINT_SPHERICAL, first + 3, first + 1, tie, x_axis);
    Spring *spring = &p->spring[p->springs];
    spring[0] = (Spring){.a = 0, .b = first, .stiffness = 3e4, .damping = 2e3, .rest = 0.45};
    spring[1] = (Spring){.a = GROUND, .b = first + 4, .stiffness = 2e5, .damping = 5e2, .rest = 0.34};
    memcpy(spring[0].from, shock, sizeof shock);
    memcpy(spring[0].to, seat, sizeof seat);
    memcpy(spring[1].from, post, sizeof post);
    memcpy(spring[1].to, hub, sizeof hub);
    p->springs += 2;
}

static bool vehicle(Problem *p) {
    const double o[3] = {0, 0.5, 0};
    if (!room(p, 21, 8, 8)) return false;
    Body *chassis = add(p, JOINT_FREE, GROUND, o, z_axis, 0);
    chassis->mass = 800;
    set(chassis->inertia, 250, 1200, 1100);
    set(chassis->centre, 0.1, 0.5, 0.02);
    set(chassis->end, 2, 0.5, 0);
    for (int i = 0; i < 4; i++) corner(p, i < 2 ? 1.3 : -1.3, i % 2 == 0 ? 1 : -1);
    return true;
}

/* ---- what they have in common */

typedef struct Kind {
    const char *name;
    bool (*make)(Problem *);
    bool planar;
    double end_time;
} Kind;

static const Kind kinds[] = {
    {"chain", chain, true, 1},
    {"spatial_chain", spatial_chain, false, 1},
    {"slider_crank", slider_crank, true, 5},
    {"equal_slider_crank", equal_slider_crank, true, 5},
    {"four_bars", four_bars, true, 10},
    {"ladder", ladder, true, 0.3},
    {"bricard", bricard, false, 9.5},
    {"tree", tree, false, 0.5},
    {"net", net, false, 0.3},
    {"vehicle", vehicle, false, 1},
};
static const int kind_count = (int)(sizeof kinds / sizeof *kinds);

const char *problem_name(int i) {
    return i < kind_count ? kinds[i].name : NULL;
}

int problem_freedoms(JointKind kind) {
    static const int freedoms[] = {1, 1, 3, 6};
    return freedoms[kind];
}

void problem_arm(const Problem *problem, int body, const double place[3], double arm[3]) {
    for (int k = 0; k < 3; k++) arm[k] = place[k] - (body == GROUND ? 0 : problem->body[body].centre[k]);
}

static void multiply(const double a[4], const double b[4], double out[4]) {
    const double product[4] = {
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    memcpy(out, product, sizeof product);
}

void problem_turn(const double turn[4], const double v[3], double out[3]) {
    double twice[3], again[3];
    cross(turn + 1, v, twice);
    for (int k = 0; k < 3; k++) twice[k] *= 2;
    cross(turn + 1, twice, again);
    for (int k = 0; k < 3; k++) out[k] = v[k] + turn[0] * twice[k] + again[k];
}

/* Where bodies start and how they move, from the coordinates and rates of the joints. */
static void set_going(Problem *p) {
    static const Start still = {.turn = {1, 0, 0, 0}};
    for (int i = 0; i < p->bodies; i++) {
        const Joint *joint = &p->tree[i];
        const Start *a = joint->a == GROUND ? &still : &p->body[joint->a].start;
        Start *b = &p->body[i].start;
        bool hinge = joint->kind == JOINT_REVOLUTE, slide = joint->kind == JOINT_PRISMATIC;
        double half = hinge ? joint->at / 2 : 0, sine = sin(half), axis[3], arm[3], back[3], turn_a[3], turn_b[3];
        const double own[4] = {cos(half), sine * joint->axis[0], sine * joint->axis[1], sine * joint->axis[2]};
        multiply(a->turn, own, b->turn);
        problem_turn(a->turn, joint->axis, axis);
        problem_arm(p, joint->a, joint->point, arm);
        problem_turn(a->turn, arm, arm);
        problem_arm(p, i, joint->point, back);
        problem_turn(b->turn, back, back);
        for (int k = 0; k < 3; k++) {
            b->spin[k] = a->spin[k] + (hinge ? joint->rate * axis[k] : 0);
            arm[k] += slide ? joint->at * axis[k] : 0;
        }
        cross(a->spin, arm, turn_a);
        cross(b->spin, back, turn_b);
        for (int k = 0; k < 3; k++) {
            b->centre[k] = a->centre[k] + arm[k] - back[k];
            b->velocity[k] = a->velocity[k] + turn_a[k] - turn_b[k] + (slide ? joint->rate * axis[k] : 0);
        }
    }
}

void problem_bend(Problem *problem) {
    for (int i = 0; i < problem->bodies && problem->loops == 0; i++)
        if (problem_freedoms(problem->tree[i].kind) == 1) problem->tree[i].at = 0.3 * sin(i + 1.0);
    set_going(problem);
}

Problem *problem_create(const char *name, int size) {
    const Kind *kind = NULL;
    for (int i = 0; i < kind_count; i++)
        if (strcmp(kinds[i].name, name) == 0) kind = &kinds[i];
    Problem *p = kind == NULL || size < 1 ? NULL : calloc(1, sizeof *p);
    if (p == NULL) return NULL;
    *p = (Problem){
        .name = kind->name, .size = size, .planar = kind->planar, .end_time = kind->end_time, .gravity = 9.81};
    if (!kind->make(p)) {
        problem_destroy(p);
        return NULL;
    }
    set_going(p);
    return p;
}

void problem_destroy(Problem *problem) {
    if (problem == NULL) return;
    free(problem->body);
    free(problem->tree);
    free(problem->loop);
    free(problem->spring);
    free(problem);
}

void problem_end(const Problem *problem, int i, const Pose *pose, double end[3]) {
    double arm[3];
    problem_arm(problem, i, problem->body[i].end, arm);
    for (int k = 0; k < 3; k++)
        end[k] = pose->centre[k] + pose->axes[3 * k] * arm[0] + pose->axes[3 * k + 1] * arm[1] +
                 pose->axes[3 * k + 2] * arm[2];
}
