#include "study/steady.h"

#include "equations/element.h"
#include "equations/jacobian_parts.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- screws ---- */

static CrdScrew bracket(CrdScrew x, CrdScrew y) {
    return (CrdScrew){crd_cross(x.w, y.w), crd_add(crd_cross(x.w, y.u), crd_cross(x.u, y.w))};
}

static CrdScrew plus(CrdScrew x, double s, CrdScrew y) {
    return (CrdScrew){crd_axpy(x.w, s, y.w), crd_axpy(x.u, s, y.u)};
}

/* Velocity of the point r. */
static CrdVec velocity_at(CrdScrew x, CrdVec r) {
    return crd_add(x.u, crd_cross(x.w, r));
}

/* The unit screw of a joint as it stands on one of its bodies. */
static CrdScrew screw_on(const CrdSteady *steady, const CrdGiven *given, int frame) {
    const CardanModel *model = steady->study->model;
    const CrdJointData *joint = &model->values.joints[given->element];
    const CardanFrame *f = &steady->study->dynamics->system.frames[frame];
    bool is_a = frame == given->a, turns = given->which == CARDAN_COORDINATE_ANGLE;
    CrdVec axis =
        joint->planar && turns ? crd_vec(0, 0, 1) : crd_apply(f->rotation, is_a ? joint->axis_a : joint->axis_b);
    CrdVec point = crd_add(f->x, crd_apply(f->rotation, is_a ? joint->la : joint->lb));
    return turns ? (CrdScrew){axis, crd_cross(point, axis)} : (CrdScrew){crd_vec(0, 0, 0), axis};
}

/* ---- motion ---- */

/* The rate over the joint to the parent, from the parent on. */
static double rate_over(const CrdSteady *steady, int frame) {
    const CrdGiven *given = &steady->rate[steady->over[frame]];
    return given->b == frame ? given->rate : -given->rate;
}

static void follow_tree(CrdSteady *steady) {
    for (int i = 0; i < steady->frames; i++) {
        int frame = steady->order[i], parent = steady->parent[frame];
        steady->twist[frame] = steady->change[frame] = steady->unit[frame] = (CrdScrew){0};
        if (parent < 0) continue;
        steady->twist[frame] = steady->twist[parent];
        steady->change[frame] = steady->change[parent];
        if (steady->over[frame] < 0) continue;
        double rate = rate_over(steady, frame);
        CrdScrew s = steady->unit[frame] = screw_on(steady, &steady->rate[steady->over[frame]], parent);
        steady->twist[frame] = plus(steady->twist[parent], rate, s);
        steady->change[frame] = plus(steady->change[parent], rate, bracket(steady->twist[parent], s));
    }
}

/* Numbers of a twist, forces' first, as velocities of a block. */
static void put_block(const CrdBlock *block, CrdVec along, CrdVec turn, double *out) {
    const double numbers[6] = {along.x, along.y, along.z, turn.x, turn.y, turn.z};
    for (int k = 0; k < block->nv; k++) out[k] = numbers[block->kind == CRD_PLANAR_BODY && k == 2 ? 5 : k];
}

void crd_steady_motion(CrdSteady *steady, double *v) {
    const CrdStructure *structure = steady->study->model->structure;
    const CardanFrame *frames = steady->study->dynamics->system.frames;
    follow_tree(steady);
    for (int i = 0; i < structure->block_count; i++) {
        const CrdBlock *block = &structure->blocks[i];
        const CardanFrame *frame = &frames[block->frame];
        CrdScrew xi = steady->twist[block->frame], later = steady->change[block->frame];
        CrdVec along = velocity_at(xi, frame->x);
        CrdVec faster = crd_add(velocity_at(later, frame->x), crd_cross(xi.w, along));
        put_block(block, along, crd_apply_t(frame->rotation, xi.w), v + block->v);
        put_block(block, faster, crd_apply_t(frame->rotation, later.w), steady->a + block->v);
    }
}

/* ---- derivatives ---- */

/* What displacement k of a block is, as a change of place in ground axes and a turn in own axes. */
static void displacement(const CrdBlock *block, int k, CrdVec *along, CrdVec *turn) {
    double unit[6] = {0};
    unit[block->kind == CRD_PLANAR_BODY && k == 2 ? 5 : k] = 1.0;
    *along = crd_vec_of(unit);
    *turn = crd_vec_of(unit + 3);
}

/* Changes of v and a (own numbers of the block) along a displacement of the body itself and changes of its screws. */
static void change_of(const CrdSteady *steady, const CrdBlock *block, CrdVec along, CrdVec turn, const CrdScrew by[2],
                      double *dv, double *da) {
    const CardanFrame *frame = &steady->study->dynamics->system.frames[block->frame];
    CrdScrew xi = steady->twist[block->frame], later = steady->change[block->frame];
    CrdVec v = velocity_at(xi, frame->x), w = crd_apply_t(frame->rotation, xi.w);
    CrdVec faster = crd_apply_t(frame->rotation, later.w);
    CrdVec own_v = crd_add(velocity_at(by[0], frame->x), crd_cross(xi.w, along));
    CrdVec own_a = crd_add(velocity_at(by[1], frame->x), crd_cross(later.w, along));
    own_a = crd_add(own_a, crd_add(crd_cross(by[0].w, v), crd_cross(xi.w, own_v)));
    put_block(block, own_v, crd_add(crd_apply_t(frame->rotation, by[0].w), crd_cross(w, turn)), dv);
    put_block(block, own_a, crd_add(crd_apply_t(frame->rotation, by[1].w), crd_cross(faster, turn)), da);
}

/* Changes of all screws along a displacement of one body, which carries axes of given joints. */
static void change_screws(const CrdSteady *steady, int moved, CrdVec along, CrdVec turn) {
    const CardanFrame *frame = &steady->study->dynamics->system.frames[moved];
    CrdVec w = crd_apply(frame->rotation, turn);
    CrdScrew delta = {w, crd_sub(along, crd_cross(w, frame->x))};
    for (int i = 0; i < steady->frames; i++) {
        int at = steady->order[i], parent = steady->parent[at];
        CrdScrew *by = steady->by + 2 * at;
        by[0] = by[1] = (CrdScrew){0};
        if (parent < 0) continue;
        by[0] = steady->by[2 * parent];
        by[1] = steady->by[2 * parent + 1];
        if (steady->over[at] < 0) continue;
        double rate = rate_over(steady, at);
        CrdScrew s = steady->unit[at], ds = parent == moved ? bracket(delta, s) : (CrdScrew){0};
        by[1] = plus(by[1], rate, bracket(by[0], s));
        by[1] = plus(by[1], rate, bracket(steady->twist[parent], ds));
        by[0] = plus(by[0], rate, ds);
    }
}

/* column k of a row-major matrix of nv columns <- M x. */
static void put_inertia(const CrdSteady *steady, int index, const double *x, int columns, int k, double *matrix) {
    const CrdBlock *block = &steady->study->model->structure->blocks[index];
    const CrdBlockValues *values = &steady->study->model->values.blocks[index];
    int lengths = crd_block_lengths(steady->study->model->structure, block);
    double y[6] = {0};
    for (int r = 0; r < lengths; r++) y[r] = values->mass * x[r];
    if (block->kind == CRD_PLANAR_BODY) y[2] = values->inertia[8] * x[2];
    if (block->kind == CRD_SPATIAL_BODY) crd_put(y + 3, crd_apply(values->inertia, crd_vec_of(x + 3)));
    for (int r = 0; r < block->nv; r++) matrix[r * columns + k] = y[r];
}

/* A body over its own displacements: rectangles of -v_x and M a_x. */
static void put_own(const CrdSteady *steady, CrdJacobian *jacobian, int index, int row, int twist, int column) {
    const CrdBlock *block = &steady->study->model->structure->blocks[index];
    const CrdScrew still[2] = {0};
    double rates[36] = {0}, forces[36] = {0};
    int n = block->nv;
    for (int k = 0; k < n && !crd_tiles_is_open(jacobian->tiles); k++) {
        CrdVec along, turn;
        double dv[6], da[6];
        displacement(block, k, &along, &turn);
        change_of(steady, block, along, turn, still, dv, da);
        for (int r = 0; r < n; r++) rates[r * n + k] = dv[r];
        put_inertia(steady, index, da, n, k, forces);
    }
    crd_tiles_put(jacobian->tiles, twist + block->v, column + block->v, n, n, -1.0, rates, n, jacobian->values);
    crd_tiles_put(jacobian->tiles, row + block->v, column + block->v, n, n, 1.0, forces, n, jacobian->values);
}

/* All bodies beyond given joints that one body carries, over its displacements: column by column. */
static void put_carried(const CrdSteady *steady, CrdJacobian *jacobian, int body, int row, int twist, int column) {
    const CrdStructure *structure = steady->study->model->structure;
    const CrdBlock *from = &structure->blocks[structure->frames[body].block];
    bool fills = !crd_tiles_is_open(jacobian->tiles);
    for (int k = 0; k < from->nv; k++) {
        CrdVec along, turn, none = crd_vec(0, 0, 0);
        displacement(from, k, &along, &turn);
        if (fills) change_screws(steady, body, along, turn);
        for (int i = 0; i < structure->block_count; i++) {
            const CrdBlock *to = &structure->blocks[i];
            double dv[6] = {0}, da[6] = {0}, force[6] = {0};
            if (!steady->carried[to->frame]) continue;
            if (fills) change_of(steady, to, none, none, steady->by + 2 * to->frame, dv, da);
            put_inertia(steady, i, da, 1, 0, force);
            crd_tiles_put(jacobian->tiles, twist + to->v, column + from->v + k, to->nv, 1, -1.0, dv, 1,
                          jacobian->values);
            crd_tiles_put(jacobian->tiles, row + to->v, column + from->v + k, to->nv, 1, 1.0, force, 1,
                          jacobian->values);
        }
    }
}

/* Which frames lie beyond a given joint that the body carries. */
static bool mark_carried(const CrdSteady *steady, int body) {
    bool any = false;
    for (int i = 0; i < steady->frames; i++) {
        int frame = steady->order[i], parent = steady->parent[frame];
        bool here = parent == body && steady->over[frame] >= 0;
        steady->carried[frame] = parent >= 0 && (here || steady->carried[parent]);
        any = any || steady->carried[frame];
    }
    return any;
}

void crd_steady_put(const CrdSteady *steady, CrdJacobian *jacobian, int row, int twist, int column) {
    const CrdStructure *structure = steady->study->model->structure;
    for (int i = 0; i < structure->block_count; i++) put_own(steady, jacobian, i, row, twist, column);
    for (int k = 0; k < 2 * steady->given; k++) {
        int body = k % 2 == 0 ? steady->rate[k / 2].a : steady->rate[k / 2].b;
        bool known = structure->frames[body].block < 0;
        for (int j = 0; j < k; j++)
            known = known || body == (j % 2 == 0 ? steady->rate[j / 2].a : steady->rate[j / 2].b);
        if (!known && mark_carried(steady, body)) put_carried(steady, jacobian, body, row, twist, column);
    }
}

/* ---- what is kept ---- */

/* The twist row of one side of a coordinate over the velocities of its block. */
static void row_of(const CrdSteady *steady, const CrdCoordinateRow *pin, int side, int frame, double *out) {
    memset(out, 0, 6 * sizeof *out);
    crd_add_twist_row(steady->study->model->structure, &steady->study->dynamics->system, frame,
                      pin->row + 6 * (size_t)side, out);
}

/* residual += R^T mu. */
static void add_kept(CrdSteady *steady, const double *mu, double *residual) {
    const CrdStructure *structure = steady->study->model->structure;
    for (int i = 0; i < 2 * steady->pins; i++) {
        CrdCoordinateRow *pin = &steady->pin[i / 2];
        if (i % 2 == 0) crd_coordinate_evaluate(steady->study->model, &steady->study->dynamics->system, pin);
        int frame = crd_element_frame(structure, pin->element, i % 2), at = structure->frames[frame].block;
        double row[6];
        if (at < 0) continue;
        row_of(steady, pin, i % 2, frame, row);
        for (int k = 0; k < structure->blocks[at].nv; k++) residual[structure->blocks[at].v + k] += mu[i / 2] * row[k];
    }
}

double crd_steady_add(CrdSteady *steady, const double *mu, double *residual) {
    const CrdStructure *structure = steady->study->model->structure;
    double most = 0.0, inertia[6];
    for (int i = 0; i < structure->block_count; i++) {
        const CrdBlock *block = &structure->blocks[i];
        put_inertia(steady, i, steady->a + block->v, 1, 0, inertia);
        for (int k = 0; k < block->nv; k++) residual[block->v + k] += inertia[k];
        most = fmax(most, crd_max_abs(inertia, block->nv));
    }
    add_kept(steady, mu, residual);
    return most;
}

/* mu times the derivative of the row's side i along side j. */
static void put_curvature(const CrdSteady *steady, CrdJacobian *jacobian, int which, int row, int positions) {
    const CardanModel *model = steady->study->model;
    const CrdStructure *structure = model->structure;
    const CrdCoordinateRow *pin = &steady->pin[which];
    double hessian[CRD_PAIR_TWISTS][CRD_PAIR_TWISTS] = {{0}}, over_x[36], over_q[42] = {0};
    bool fills = !crd_tiles_is_open(jacobian->tiles);
    CrdPair pair = crd_pair_of(structure, &steady->study->dynamics->system, pin->element);
    if (fills) crd_joint_coordinate_hessian(pin->which, &model->values.joints[pin->element], &pair, hessian);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            int to = structure->frames[crd_element_frame(structure, pin->element, i)].block;
            int from = structure->frames[crd_element_frame(structure, pin->element, j)].block;
            if (to < 0 || from < 0) continue;
            const CrdBlock *t = &structure->blocks[to], *f = &structure->blocks[from];
            for (int r = 0; r < t->nv; r++)
                for (int c = 0; c < f->nv; c++)
                    over_x[r * f->nv + c] =
                        hessian[6 * i + crd_twist_component(t, r)][6 * j + crd_twist_component(f, c)];
            if (fills) crd_jacobian_columns(f, jacobian->q, t->nv, over_x, f->nv, over_q);
            crd_tiles_put(jacobian->tiles, row + t->v, positions + f->q, t->nv, f->nq, fills ? steady->mu[which] : 0.0,
                          over_q, f->nq, jacobian->values);
        }
}

void crd_steady_put_pins(const CrdSteady *steady, CrdJacobian *jacobian, int row, int positions, int column, int at) {
    const CrdStructure *structure = steady->study->model->structure;
    bool fills = !crd_tiles_is_open(jacobian->tiles);
    for (int i = 0; i < steady->pins; i++) {
        for (int side = 0; side < 2; side++) {
            int frame = crd_element_frame(structure, steady->pin[i].element, side);
            if (structure->frames[frame].block < 0) continue;
            const CrdBlock *block = &structure->blocks[structure->frames[frame].block];
            double piece[6] = {0};
            if (fills) row_of(steady, &steady->pin[i], side, frame, piece);
            crd_tiles_put(jacobian->tiles, at + i, column + block->v, 1, block->nv, 1.0, piece, block->nv,
                          jacobian->values);
            crd_tiles_put(jacobian->tiles, row + block->v, at + i, block->nv, 1, 1.0, piece, 1, jacobian->values);
        }
        put_curvature(steady, jacobian, i, row, positions);
    }
}
