/* SUNDIALS' IDA on the equations of planar mechanisms in the coordinates x, y, angle of every body, with KLU: what one
 * has without a multibody code. Modes: ggl (stabilised index 2, the multipliers mu keep the positions), index1
 * (accelerations of the constraints, which drift): parameter is the tolerance. Multipliers are left out of the error
 * test. q' = v - G^T mu,  M v' = f - G^T lambda,  g = 0,  G v = 0         (ggl) q' = v,           M v' = f - G^T
 * lambda,  G v' + G' v = 0         (index1) */
#include "engine.h"

#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sundials/sundials_version.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

typedef struct Entry {
    int row, column;
    double value;
} Entry;

typedef struct Peer {
    const Problem *problem;
    bool ggl;
    int joints, q, rows, n; /* q: coordinates; rows: constraints; n: unknowns */
    Entry *entry;           /* of the matrix of the iteration, some twice at one place */
    int entries, capacity;
    int *slot, *start, *index; /* of each entry its place in the columns; the columns */
    int places;
    SUNContext context;
    N_Vector y, yp;
    SUNMatrix matrix;
    SUNLinearSolver solver;
    void *ida;
} Peer;

/* One joint: a revolute keeps two points together; the slide of the slider-crank keeps height and angle of its body. */
typedef struct Side {
    int body; /* first coordinate, or -1 */
    double sign, arm[2];
} Side;

static const Joint *joint_at(const Peer *peer, int k) {
    int bodies = peer->problem->bodies;
    return k < bodies ? &peer->problem->tree[k] : &peer->problem->loop[k - bodies];
}

/* Both sides of a revolute and the gap g between its points. */
static void sides_of(const Peer *peer, const Joint *joint, const double *q, Side side[2], double g[2]) {
    g[0] = g[1] = 0;
    for (int s = 0; s < 2; s++) {
        int body = s == 0 ? joint->a : joint->b;
        double arm[3], place[2] = {0, 0}, c = 1, sine = 0;
        problem_arm(peer->problem, body, joint->point, arm);
        if (body != GROUND) {
            c = cos(q[3 * body + 2]);
            sine = sin(q[3 * body + 2]);
            place[0] = q[3 * body];
            place[1] = q[3 * body + 1];
        }
        side[s] = (Side){
            body == GROUND ? -1 : 3 * body, s == 0 ? -1 : 1, {c * arm[0] - sine * arm[1], sine * arm[0] + c * arm[1]}};
        for (int k = 0; k < 2; k++) g[k] += side[s].sign * (place[k] + side[s].arm[k]);
    }
}

static double mass_of(const Peer *peer, int i) {
    const Body *body = &peer->problem->body[i / 3];
    return i % 3 < 2 ? body->mass : body->inertia[2];
}

/* Adds G^T lambda of one revolute to force. */
static void pull(const Side side[2], const double *lambda, double *force) {
    for (int s = 0; s < 2; s++) {
        if (side[s].body < 0) continue;
        double *f = force + side[s].body, x = side[s].sign * lambda[0], y = side[s].sign * lambda[1];
        f[0] += x;
        f[1] += y;
        f[2] += side[s].arm[0] * y - side[s].arm[1] * x;
    }
}

static int residual(realtype t, N_Vector state, N_Vector slope, N_Vector result, void *user) {
    (void)t;
    Peer *peer = user;
    const double *y = N_VGetArrayPointer(state), *d = N_VGetArrayPointer(slope), *v = y + peer->q,
                 *lambda = v + peer->q;
    double *r = N_VGetArrayPointer(result), *rv = r + peer->q, *rg = rv + peer->q;
    const double *mu = lambda + peer->rows;
    double *rate = peer->ggl ? rg + peer->rows : rg;
    for (int i = 0; i < peer->q; i++) {
        r[i] = d[i] - v[i];
        rv[i] = mass_of(peer, i) * (d[peer->q + i] + (i % 3 == 1 ? peer->problem->gravity : 0));
    }
    for (int k = 0; k < peer->joints; k++) {
        const Joint *joint = joint_at(peer, k);
        if (joint->kind == JOINT_PRISMATIC) {
            for (int s = 0; s < 2; s++) {
                int i = 3 * joint->b + 1 + s;
                rv[i] += lambda[2 * k + s];
                if (peer->ggl) {
                    r[i] += mu[2 * k + s];
                    rg[2 * k + s] = y[i] - (s == 0 ? joint->point[1] : 0);
                }
                rate[2 * k + s] = peer->ggl ? v[i] : d[peer->q + i];
            }
            continue;
        }
        Side side[2];
        double g[2];
        sides_of(peer, joint, y, side, g);
        pull(side, lambda + 2 * k, rv);
        if (peer->ggl) {
            pull(side, mu + 2 * k, r);
            memcpy(rg + 2 * k, g, sizeof g);
        }
        rate[2 * k] = rate[2 * k + 1] = 0;
        for (int s = 0; s < 2; s++) {
            if (side[s].body < 0) continue;
            const double *x = (peer->ggl ? v : d + peer->q) + side[s].body, *arm = side[s].arm;
            double w = v[side[s].body + 2], more = peer->ggl ? 0 : w * w;
            rate[2 * k] += side[s].sign * (x[0] - arm[1] * x[2] - more * arm[0]);
            rate[2 * k + 1] += side[s].sign * (x[1] + arm[0] * x[2] - more * arm[1]);
        }
    }
    return 0;
}

static void put(Peer *peer, int row, int column, double value) {
    if (peer->entries == peer->capacity) {
        peer->capacity = 2 * peer->capacity + 1024;
        peer->entry = realloc(peer->entry, (size_t)peer->capacity * sizeof *peer->entry);
        if (peer->entry == NULL) exit(1);
    }
    peer->entry[peer->entries++] = (Entry){row, column, value};
}

/* Rows of one side of a revolute: G^T in the equations of motion, G (times cj of accelerations) in those of the rows,
 * and what comes from the angle. */
static void put_side(Peer *peer, const Side *side, int k, const double *y, const double *d, double cj) {
    int q = peer->q, b = side->body, first = 2 * q + 2 * k, rate = peer->ggl ? first + peer->rows : first;
    double s = side->sign, x = side->arm[0], z = side->arm[1], w = y[q + b + 2];
    const double *multiplier = y + first;
    for (int level = 0; level < (peer->ggl ? 2 : 1); level++, multiplier += peer->rows) {
        int row = level == 0 ? q + b : b, column = first + level * peer->rows;
        put(peer, row, column, s);
        put(peer, row + 1, column + 1, s);
        put(peer, row + 2, column, -s * z);
        put(peer, row + 2, column + 1, s * x);
        put(peer, row + 2, b + 2, -s * (x * multiplier[0] + z * multiplier[1]));
        if (level == 0) continue;
        put(peer, first, b, s);
        put(peer, first + 1, b + 1, s);
        put(peer, first, b + 2, -s * z);
        put(peer, first + 1, b + 2, s * x);
    }
    double scale = peer->ggl ? 1 : cj, turn = peer->ggl ? w : d[q + b + 2], more = peer->ggl ? 0 : w;
    put(peer, rate, q + b, s * scale);
    put(peer, rate + 1, q + b + 1, s * scale);
    put(peer, rate, q + b + 2, s * (-z * scale - 2 * more * x));
    put(peer, rate + 1, q + b + 2, s * (x * scale - 2 * more * z));
    put(peer, rate, b + 2, s * (-x * turn + more * w * z));
    put(peer, rate + 1, b + 2, s * (-z * turn - more * w * x));
}

static void list_entries(Peer *peer, const double *y, const double *d, double cj) {
    int q = peer->q;
    peer->entries = 0;
    for (int i = 0; i < q; i++) {
        put(peer, i, i, cj);
        put(peer, i, q + i, -1);
        put(peer, q + i, q + i, cj * mass_of(peer, i));
    }
    for (int k = 0; k < peer->joints; k++) {
        const Joint *joint = joint_at(peer, k);
        int first = 2 * q + 2 * k, rate = peer->ggl ? first + peer->rows : first;
        Side side[2];
        double g[2];
        sides_of(peer, joint, y, side, g);
        for (int s = 0; s < 2; s++) {
            int i = 3 * joint->b + 1 + s;
            if (joint->kind == JOINT_REVOLUTE) {
                if (side[s].body >= 0) put_side(peer, &side[s], k, y, d, cj);
                continue;
            }
            put(peer, q + i, first + s, 1);
            put(peer, rate + s, q + i, peer->ggl ? 1 : cj);
            if (!peer->ggl) continue;
            put(peer, i, first + peer->rows + s, 1);
            put(peer, first + s, i, 1);
        }
    }
}

static const Entry *sorted; /* for qsort alone */
static int by_place(const void *a, const void *b) {
    const Entry *x = &sorted[*(const int *)a], *y = &sorted[*(const int *)b];
    return x->column != y->column ? x->column - y->column : x->row - y->row;
}

/* The columns, once: the same entries come in the same order every time. */
static void find_pattern(Peer *peer) {
    int *order = malloc((size_t)peer->entries * sizeof *order);
    peer->slot = malloc((size_t)peer->entries * sizeof *peer->slot);
    peer->index = malloc((size_t)peer->entries * sizeof *peer->index);
    peer->start = calloc((size_t)peer->n + 1, sizeof *peer->start);
    if (order == NULL || peer->slot == NULL || peer->index == NULL || peer->start == NULL) exit(1);
    for (int i = 0; i < peer->entries; i++) order[i] = i;
    sorted = peer->entry;
    qsort(order, (size_t)peer->entries, sizeof *order, by_place);
    for (int i = 0; i < peer->entries; i++) {
        const Entry *entry = &peer->entry[order[i]];
        if (i == 0 || by_place(&order[i - 1], &order[i]) != 0) {
            peer->index[peer->places++] = entry->row;
            peer->start[entry->column + 1]++;
        }
        peer->slot[order[i]] = peer->places - 1;
    }
    for (int i = 0; i < peer->n; i++) peer->start[i + 1] += peer->start[i];
    free(order);
}

static int jacobian(realtype t, realtype cj, N_Vector y, N_Vector yp, N_Vector r, SUNMatrix matrix, void *user,
                    N_Vector a, N_Vector b, N_Vector c) {
    (void)t, (void)r, (void)a, (void)b, (void)c;
    Peer *peer = user;
    sunindextype *start = SUNSparseMatrix_IndexPointers(matrix), *index = SUNSparseMatrix_IndexValues(matrix);
    double *value = SUNSparseMatrix_Data(matrix);
    list_entries(peer, N_VGetArrayPointer(y), N_VGetArrayPointer(yp), cj);
    for (int i = 0; i <= peer->n; i++) start[i] = peer->start[i];
    for (int i = 0; i < peer->places; i++) {
        index[i] = peer->index[i];
        value[i] = 0;
    }
    for (int i = 0; i < peer->entries; i++) value[peer->slot[i]] += peer->entry[i].value;
    return 0;
}

/* Coordinates and velocities of the start, and which unknowns have derivatives. */
static void start(Peer *peer, double *y, double *yp, double *id, double *tolerance, double parameter) {
    for (int i = 0; i < peer->n; i++) {
        id[i] = i < 2 * peer->q;
        tolerance[i] = i < 2 * peer->q ? parameter : peer->ggl ? 1e5 : 1e3 * parameter;
    }
    for (int i = 0; i < peer->q; i++) {
        const Body *body = &peer->problem->body[i / 3];
        y[i] = i % 3 < 2 ? body->centre[i % 3] : 0;
        yp[i] = y[peer->q + i] = i % 3 < 2 ? body->start.velocity[i % 3] : body->start.spin[2];
    }
}

static void open_ida(Peer *peer, double parameter) {
    SUNContext_Create(NULL, &peer->context);
    peer->y = N_VNew_Serial(peer->n, peer->context);
    peer->yp = N_VClone(peer->y);
    N_Vector id = N_VClone(peer->y), tolerance = N_VClone(peer->y);
    N_VConst(0, peer->y);
    N_VConst(0, peer->yp);
    double *y = N_VGetArrayPointer(peer->y), *yp = N_VGetArrayPointer(peer->yp);
    start(peer, y, yp, N_VGetArrayPointer(id), N_VGetArrayPointer(tolerance), parameter);
    list_entries(peer, y, yp, 1);
    find_pattern(peer);
    peer->matrix = SUNSparseMatrix(peer->n, peer->n, peer->places, CSC_MAT, peer->context);
    peer->solver = SUNLinSol_KLU(peer->y, peer->matrix, peer->context);
    peer->ida = IDACreate(peer->context);
    IDAInit(peer->ida, residual, 0, peer->y, peer->yp);
    IDASetUserData(peer->ida, peer);
    IDASVtolerances(peer->ida, parameter, tolerance);
    IDASetLinearSolver(peer->ida, peer->solver, peer->matrix);
    IDASetJacFn(peer->ida, jacobian);
    IDASetId(peer->ida, id);
    if (peer->ggl) IDASetSuppressAlg(peer->ida, SUNTRUE);
    IDASetMaxNumSteps(peer->ida, 100000000);
    N_VDestroy(id);
    N_VDestroy(tolerance);
}

static void *create(const Problem *problem, const char *mode, double parameter) {
    if (!problem->planar || (strcmp(mode, "ggl") != 0 && strcmp(mode, "index1") != 0)) {
        fprintf(stderr, "the equations for IDA are those of planar mechanisms, as ggl and index1\n");
        return NULL;
    }
    Peer *peer = calloc(1, sizeof *peer);
    if (peer == NULL) exit(1);
    peer->problem = problem;
    peer->ggl = strcmp(mode, "ggl") == 0;
    peer->joints = problem->bodies + problem->loops;
    peer->q = 3 * problem->bodies;
    peer->rows = 2 * peer->joints;
    peer->n = 2 * peer->q + (peer->ggl ? 2 : 1) * peer->rows;
    open_ida(peer, parameter);
    return peer;
}

static void destroy(void *self) {
    Peer *peer = self;
    IDAFree(&peer->ida);
    SUNLinSolFree(peer->solver);
    SUNMatDestroy(peer->matrix);
    N_VDestroy(peer->y);
    N_VDestroy(peer->yp);
    SUNContext_Free(&peer->context);
    free(peer->entry);
    free(peer->slot);
    free(peer->start);
    free(peer->index);
    free(peer);
}

/* Accelerations and multipliers of the start come from a first tiny step's worth of Newton (IDACalcIC). */
static bool advance(void *self, double t) {
    Peer *peer = self;
    double reached = 0;
    IDACalcIC(peer->ida, IDA_YA_YDP_INIT, 1e-3 * t);
    IDASetStopTime(peer->ida, t);
    return IDASolve(peer->ida, t, &reached, peer->y, peer->yp, IDA_NORMAL) >= 0;
}

static void poses(void *self, Pose *pose) {
    Peer *peer = self;
    const double *q = N_VGetArrayPointer(peer->y);
    for (int i = 0; i < peer->problem->bodies; i++) {
        double c = cos(q[3 * i + 2]), s = sin(q[3 * i + 2]);
        pose[i] = (Pose){{q[3 * i], q[3 * i + 1], 0}, {c, -s, 0, s, c, 0, 0, 0, 1}};
    }
}

static long steps(void *self) {
    long steps = 0;
    IDAGetNumSteps(((Peer *)self)->ida, &steps);
    return steps;
}

static const char *version(void) {
    return SUNDIALS_VERSION;
}

const Engine peer_engine = {.name = "sundials",
                            .version = version,
                            .create = create,
                            .destroy = destroy,
                            .advance = advance,
                            .poses = poses,
                            .steps = steps};
