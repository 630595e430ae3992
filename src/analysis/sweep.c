#include "analysis/sweep.h"

#include "core/rotation.h"
#include "joint/change.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* What a turn of a rad counts against a displacement of a metre: joints close by displacements where they can. */
#define CRD_SWEEP_TURN 1e-6

/* Softening of dependent rows, against their own entry; Newton's steps at most, and what ends them: m or rad, rounding
 * of places of size 1. */
#define CRD_SWEEP_SOFT 1e-12
#define CRD_SWEEP_CLOSED 1e-15
enum { SWEEP_STEPS = 6 };

/* ---- the tree ---- */

/* A joint of rows of its own, without laws and feet: what frames alone decide. */
static bool is_plain(const CrdElement *e) {
    return e->type == CRD_ELEMENT_JOINT && e->kind != NULL && !e->kind->curve && e->laws == 0 && e->compliant == 0 &&
           e->rows > 0 && e->rows == e->holonomic && e->attachments == 2;
}

static bool can_hang(const CrdStructure *structure, int frame) {
    int block = structure->frames[frame].block;
    return block >= 0 && structure->blocks[block].kind != CRD_CUSTOM_BLOCK;
}

/* Elements of each frame: item[start[i]] to item[start[i + 1] - 1]; start (frames + 2). */
static void list_elements(const CrdStructure *structure, int *start, int *item) {
    for (int pass = 0; pass < 2; pass++) {
        for (int e = 0; e < structure->element_count; e++)
            for (int k = 0; is_plain(&structure->elements[e]) && k < 2; k++) {
                int frame = structure->attachments[structure->elements[e].attachment + k].frame;
                if (pass == 0)
                    start[frame + 2]++;
                else
                    item[start[frame + 1]++] = e;
            }
        for (int i = 2; pass == 0 && i < structure->frame_count + 2; i++) start[i] += start[i - 1];
    }
}

/* Breadth first from the ground. */
static void grow(CrdSweep *sweep, const int *start, const int *item) {
    const CrdStructure *structure = sweep->model->structure;
    for (int i = 0; i < structure->frame_count; i++) sweep->parent[i] = sweep->over[i] = -1;
    for (int done = -1; done < sweep->count; done++) {
        int from = done < 0 ? 0 : sweep->order[done];
        for (int k = start[from]; k < start[from + 1]; k++) {
            const CrdAttachment *at = structure->attachments + structure->elements[item[k]].attachment;
            int to = at[0].frame == from ? at[1].frame : at[0].frame;
            if (to == 0 || sweep->parent[to] >= 0 || !can_hang(structure, to)) continue;
            sweep->parent[to] = from;
            sweep->over[to] = item[k];
            sweep->order[sweep->count++] = to;
            assert(sweep->count < structure->frame_count);
        }
    }
}

CardanStatus crd_sweep_open(CrdSweep *sweep, const CardanModel *model, CrdError *error) {
    const CrdStructure *structure = model->structure;
    size_t n = (size_t)structure->frame_count;
    *sweep = (CrdSweep){.model = model};
    sweep->parent = crd_new(n, sizeof(int));
    sweep->over = crd_new(n, sizeof(int));
    sweep->order = crd_new(n, sizeof(int));
    sweep->before = crd_new(n, sizeof *sweep->before);
    int *start = crd_new(n + 2, sizeof *start), *item = crd_new(2 * (size_t)structure->element_count, sizeof *item);
    bool all = sweep->parent != NULL && sweep->over != NULL && sweep->order != NULL && sweep->before != NULL &&
               start != NULL && item != NULL;
    if (all) list_elements(structure, start, item);
    if (all) grow(sweep, start, item);
    CRD_DELETE_ALL(start, item);
    return all ? CARDAN_OK : crd_fail_memory(error);
}

void crd_sweep_free(CrdSweep *sweep) {
    CRD_DELETE_ALL(sweep->parent, sweep->over, sweep->order, sweep->before);
    *sweep = (CrdSweep){0};
}

/* ---- one joint ---- */

/* x <- A^-1 x, A (n x n) positive: Cholesky, in place. */
static void solve_small(int n, double a[CRD_JOINT_ROWS][CRD_JOINT_ROWS], double *x) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = a[i][j];
            for (int k = 0; k < j; k++) sum -= a[i][k] * a[j][k];
            a[i][j] = i == j ? sqrt(fmax(sum, CRD_SWEEP_SOFT * a[i][i])) : sum / a[j][j];
        }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) x[i] -= a[i][k] * x[k];
        x[i] = a[i][i] > 0.0 ? x[i] / a[i][i] : 0.0;
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) x[i] -= a[k][i] * x[k];
        x[i] = a[i][i] > 0.0 ? x[i] / a[i][i] : 0.0;
    }
}

/* The least change of a frame that closes rows g with twist rows `row`, components of `free` alone. */
static CrdChange least_change(int rows, const double *g, CardanTwistRow *row, const bool free[6]) {
    double a[CRD_JOINT_ROWS][CRD_JOINT_ROWS] = {{0}}, x[CRD_JOINT_ROWS], dx[6] = {0};
    for (int i = 0; i < rows; i++) {
        x[i] = -g[i];
        for (int j = 0; j <= i; j++)
            for (int k = 0; k < 6; k++)
                if (free[k]) a[i][j] += (k < 3 ? 1.0 : CRD_SWEEP_TURN) * row[i][k] * row[j][k];
        a[i][i] *= 1.0 + CRD_SWEEP_SOFT;
    }
    solve_small(rows, a, x);
    for (int k = 0; k < 6; k++)
        for (int i = 0; free[k] && i < rows; i++) dx[k] += (k < 3 ? 1.0 : CRD_SWEEP_TURN) * row[i][k] * x[i];
    return (CrdChange){.x = crd_vec_of(dx), .turn = crd_vec_of(dx + 3)};
}

/* Moves a frame until its joint closes. */
static void close_joint(const CrdSweep *sweep, CrdSystem *system, int frame) {
    const CardanModel *model = sweep->model;
    const CrdStructure *structure = model->structure;
    int element = sweep->over[frame], rows = structure->elements[element].rows;
    CrdBlockKind kind = structure->blocks[structure->frames[frame].block].kind;
    bool planar = structure->space == CARDAN_SPACE_PLANAR, turns = kind == CRD_PLANAR_BODY || kind == CRD_SPATIAL_BODY;
    const bool free[6] = {true, true, !planar, turns && !planar, turns && !planar, turns};
    bool is_b = crd_element_frame(structure, element, 1) == frame;
    for (int step = 0; step < SWEEP_STEPS; step++) {
        double g[CRD_JOINT_ROWS], gamma[CRD_JOINT_ROWS], most = 0.0;
        CardanTwistRow a[CRD_JOINT_ROWS], b[CRD_JOINT_ROWS];
        CrdPair pair = crd_pair_of(structure, system, element);
        crd_joint_evaluate(structure->elements[element].kind, &model->values.joints[element], &pair,
                           (CrdRows){g, gamma, a, b});
        for (int i = 0; i < rows; i++) most = fmax(most, fabs(g[i]));
        if (!(most > CRD_SWEEP_CLOSED)) break;
        CrdChange change = least_change(rows, g, is_b ? b : a, free);
        system->frames[frame] = crd_changed_frame(&system->frames[frame], &change, 1.0);
    }
}

/* ---- all of them ---- */

/* The frame goes along with its parent. */
static void carry(const CrdSweep *sweep, CrdSystem *system, int frame) {
    const CardanFrame *from = &sweep->before[sweep->parent[frame]], *to = &system->frames[sweep->parent[frame]];
    CardanFrame *own = &system->frames[frame];
    CrdMat back = crd_transpose(from->rotation), turn = crd_mul(to->rotation, back.m);
    CrdMat turned = crd_mul(turn.m, own->rotation);
    own->x = crd_add(to->x, crd_apply(turn.m, crd_sub(own->x, from->x)));
    memcpy(own->rotation, turned.m, sizeof own->rotation);
    own->angle += to->angle - from->angle;
}

static void put_back(const CrdStructure *structure, const CardanFrame *frame, const CrdBlock *block, double *q) {
    const double x[3] = {frame->x.x, frame->x.y, frame->x.z};
    memcpy(q, x, (size_t)crd_block_lengths(structure, block) * sizeof *q);
    if (block->kind == CRD_PLANAR_BODY) q[2] = frame->angle;
    if (block->kind != CRD_SPATIAL_BODY) return;
    CardanQuat p = crd_quat_of_matrix(frame->rotation);
    double sign = p.w * q[3] + p.x * q[4] + p.y * q[5] + p.z * q[6] < 0.0 ? -1.0 : 1.0;
    const double turned[4] = {sign * p.w, sign * p.x, sign * p.y, sign * p.z};
    memcpy(q + 3, turned, sizeof turned);
}

void crd_sweep(CrdSweep *sweep, const bool *held, CrdSystem *system, double *q) {
    const CrdStructure *structure = sweep->model->structure;
    memcpy(sweep->before, system->frames, (size_t)structure->frame_count * sizeof *sweep->before);
    for (int i = 0; i < sweep->count; i++) {
        int frame = sweep->order[i], at = structure->frames[frame].block;
        assert(at >= 0);
        if (held != NULL && held[at]) continue;
        carry(sweep, system, frame);
        close_joint(sweep, system, frame);
        put_back(structure, &system->frames[frame], &structure->blocks[at], q + structure->blocks[at].q);
    }
    crd_stamp_clear(&system->stamp);
}
