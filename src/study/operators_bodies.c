/* Operators at a state: points of bodies, forces, momenta, transmitted loads.
 *
 * In relative coordinates J x comes from the outward sweep of the tree, J^T from the inward one: f is affine in the
 * loads of frames, f(loads) = J^T loads + f(0), and J^T is its linear part. */
#include "study/operators.h"

#include "analysis/close.h"
#include "equations/tree.h"
#include "equations/tree_arms.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Softening of rows when multipliers are looked for, times the mean entry of W: dependent rows share what they carry.
 */
#define CRD_OPERATORS_SOFT 1e-12

static const CrdTreeOps *ops_of(const CrdStructure *structure) {
    return structure->space == CARDAN_SPACE_PLANAR ? &crd_tree_in_plane : &crd_tree_in_space;
}

static CardanStatus need_body(CardanOperators *operators, CardanBody body) {
    if (body.index >= 0 && body.index < operators->absolute->structure->frame_count) return CARDAN_OK;
    return crd_operators_refuse(operators, CARDAN_ERR_ARGUMENT, "there is no such body");
}

/* ---- J x ---- */

/* Of a link: the tree must have spread x. */
static void link_twist(const CardanModel *model, const CrdSystem *system, int link, CrdVec *v, CrdVec *w) {
    bool planar = model->structure->space == CARDAN_SPACE_PLANAR;
    const double *extra = system->tree.extra + ops_of(model->structure)->twist * link;
    CrdVec o = planar ? crd_vec(extra[1], extra[2], 0) : crd_vec_of(extra + 3);
    *w = planar ? crd_vec(0, 0, extra[0]) : crd_vec_of(extra);
    *v = crd_add(o, crd_cross(*w, crd_tree_centre(model, system, link)));
}

/* Of a frame of a custom block. */
static void custom_twist(const CrdBlock *block, const double *jacobian, const CardanFrame *frame, const double *x,
                         CrdVec *v, CrdVec *w) {
    double twist[6] = {0};
    assert(block->kind == CRD_CUSTOM_BLOCK);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < block->nv; k++) twist[i] += jacobian[i * block->nv + k] * x[k];
    *v = crd_vec_of(twist);
    *w = crd_apply(frame->rotation, crd_vec_of(twist + 3));
}

/* Twist of a frame: v of the origin and w, both in ground axes. */
static void frame_twist(const CardanOperators *operators, int index, const double *x, CrdVec *v, CrdVec *w) {
    const CrdStructure *structure = operators->model->structure;
    const CrdSystem *system = &operators->dynamics->system;
    const CrdFrame *frame = &structure->frames[index];
    *v = *w = crd_vec(0, 0, 0);
    if (index == 0) return;
    if (structure->tree != NULL) {
        link_twist(operators->model, system, structure->tree->link_of[index], v, w);
        return;
    }
    const CrdBlock *block = &structure->blocks[frame->block];
    const double *from = x + block->v, *rotation = system->frames[index].rotation;
    if (block->kind == CRD_CUSTOM_BLOCK) {
        custom_twist(block, system->frame_jacobian + frame->jacobian, &system->frames[index], from, v, w);
        return;
    }
    *v = crd_vec(from[0], from[1], structure->space == CARDAN_SPACE_PLANAR ? 0.0 : from[2]);
    if (block->kind == CRD_PLANAR_BODY) *w = crd_vec(0, 0, from[2]);
    if (block->kind == CRD_SPATIAL_BODY) *w = crd_apply(rotation, crd_vec_of(from + 3));
}

static void spread(const CardanOperators *operators, const double *x) {
    const CrdStructure *structure = operators->model->structure;
    if (structure->tree != NULL) crd_tree_spread(operators->model, &operators->dynamics->system, x);
}

CardanStatus cardan_operators_point_place(CardanOperators *operators, CardanBody body, CardanVec3 point,
                                          CardanVec3 *place) {
    CRD_TRY(CRD_OPERATORS_NEED(operators, place));
    CRD_TRY(need_body(operators, body));
    CRD_TRY(crd_operators_at(operators));
    const CardanFrame *frame = &operators->dynamics->system.frames[body.index];
    *place = crd_add(frame->x, crd_apply(frame->rotation, point));
    return CARDAN_OK;
}

CardanStatus cardan_operators_point_times(CardanOperators *operators, CardanBody body, CardanVec3 point,
                                          const double *x, CardanVec3 *velocity, CardanVec3 *spin) {
    CRD_TRY(CRD_OPERATORS_NEED(operators, x));
    CRD_TRY(need_body(operators, body));
    CRD_TRY(crd_operators_at(operators));
    CrdVec v, w;
    spread(operators, x);
    frame_twist(operators, body.index, x, &v, &w);
    CrdVec arm = crd_apply(operators->dynamics->system.frames[body.index].rotation, point);
    if (velocity != NULL) *velocity = crd_add(v, crd_cross(w, arm));
    if (spin != NULL) *spin = w;
    return CARDAN_OK;
}

/* ---- J^T ---- */

/* x <- J^T of the loads of frames (force in ground axes, moment in own axes); the workspace's own loads are lost. */
static void loads_to_forces(CardanOperators *operators, double *x) {
    const CrdStructure *structure = operators->model->structure;
    CrdSystem *system = &operators->dynamics->system;
    memset(x, 0, (size_t)structure->nv * sizeof *x);
    if (structure->tree == NULL) {
        for (int i = 0; i < structure->frame_count; i++) {
            int block = structure->frames[i].block;
            if (block >= 0) crd_add_twist_row(structure, system, i, system->loads[i], x + structure->blocks[block].v);
        }
        return;
    }
    crd_complete_forces(operators->model, system);
    memcpy(x, system->f, (size_t)structure->nv * sizeof *x);
    memset(system->loads, 0, (size_t)structure->frame_count * sizeof *system->loads);
    crd_complete_forces(operators->model, system);
    for (int i = 0; i < structure->nv; i++) x[i] -= system->f[i];
}

static CardanStatus clear_loads(CardanOperators *operators) {
    CRD_TRY(crd_operators_at(operators));
    CrdSystem *system = &operators->dynamics->system;
    crd_stamp_drop(&system->stamp, CRD_HOLDS_FORCES);
    memset(system->loads, 0, (size_t)operators->model->structure->frame_count * sizeof *system->loads);
    system->loaded = true; /* wrenches will be put there */
    return CARDAN_OK;
}

static void put_wrench(CardanOperators *operators, int frame, CardanVec3 point, CardanWrench wrench) {
    const CardanFrame *f = &operators->dynamics->system.frames[frame];
    double *load = operators->dynamics->system.loads[frame];
    CrdVec moment = crd_add(wrench.moment, crd_cross(crd_apply(f->rotation, point), wrench.force));
    crd_put(load, wrench.force);
    crd_put(load + 3, crd_apply_t(f->rotation, moment));
    if (operators->model->structure->space == CARDAN_SPACE_PLANAR) load[2] = load[3] = load[4] = 0.0;
}

CardanStatus cardan_operators_point_transposed(CardanOperators *operators, CardanBody body, CardanVec3 point,
                                               CardanWrench wrench, double *x) {
    CRD_TRY(CRD_OPERATORS_NEED(operators, x));
    CRD_TRY(need_body(operators, body));
    CRD_TRY(clear_loads(operators));
    put_wrench(operators, body.index, point, wrench);
    loads_to_forces(operators, x);
    return CARDAN_OK;
}

CardanStatus cardan_operators_point(CardanOperators *operators, CardanBody body, CardanVec3 point, double *jacobian) {
    CRD_TRY(CRD_OPERATORS_NEED(operators, jacobian));
    size_t n = (size_t)operators->model->structure->nv;
    for (int i = 0; i < 6; i++) {
        double unit[6] = {0};
        unit[i] = 1.0;
        CardanWrench wrench = {.force = crd_vec_of(unit), .moment = crd_vec_of(unit + 3)};
        CRD_TRY(cardan_operators_point_transposed(operators, body, point, wrench, jacobian + (size_t)i * n));
    }
    return CARDAN_OK;
}

/* ---- forces ---- */

CardanStatus cardan_operators_forces(CardanOperators *operators, double *f) {
    CRD_TRY(CRD_OPERATORS_NEED(operators, f));
    CRD_TRY(crd_operators_forced(operators));
    crd_complete_forces(operators->model, &operators->dynamics->system);
    memcpy(f, operators->dynamics->system.f, (size_t)operators->model->structure->nv * sizeof *f);
    return CARDAN_OK;
}

CardanStatus cardan_operators_gravity(CardanOperators *operators, double *f) {
    CRD_TRY(CRD_OPERATORS_NEED(operators, f));
    CRD_TRY(clear_loads(operators));
    const CardanModel *absolute = operators->absolute;
    for (int i = 0; i < absolute->structure->block_count; i++) {
        const CrdBlock *block = &absolute->structure->blocks[i];
        if (block->kind == CRD_CUSTOM_BLOCK) continue;
        CardanWrench weight = {.force = crd_scale(absolute->values.blocks[i].mass, absolute->values.gravity)};
        put_wrench(operators, block->frame, crd_vec(0, 0, 0), weight);
    }
    loads_to_forces(operators, f);
    return CARDAN_OK;
}

/* bias = gravity - f without loads. */
CardanStatus cardan_operators_bias(CardanOperators *operators, double *f) {
    CRD_TRY(CRD_OPERATORS_NEED(operators, f));
    const CrdStructure *structure = operators->model->structure;
    CrdSystem *system = &operators->dynamics->system;
    if (structure->tree != NULL) {
        CRD_TRY(cardan_operators_gravity(operators, f));
        crd_complete_forces(operators->model, system); /* gravity left no loads */
        for (int i = 0; i < structure->nv; i++) f[i] -= system->f[i];
        return CARDAN_OK;
    }
    CRD_TRY(crd_operators_at(operators));
    memset(f, 0, (size_t)structure->nv * sizeof *f);
    for (int i = 0; i < structure->block_count; i++) {
        const CrdBlock *block = &structure->blocks[i];
        if (block->kind != CRD_SPATIAL_BODY) continue;
        CrdVec w = system->frames[block->frame].w;
        crd_put(f + block->v + 3, crd_cross(w, crd_apply(operators->model->values.blocks[i].inertia, w)));
    }
    return CARDAN_OK;
}

CardanStatus cardan_operators_totals(CardanOperators *operators, CardanTotals *out) {
    CRD_TRY(CRD_OPERATORS_NEED(operators, out));
    CRD_TRY(crd_operators_forced(operators));
    const CardanModel *absolute = operators->absolute;
    const CrdSystem *system = &operators->dynamics->system;
    CardanTotals totals = {.kinetic = crd_kinetic(operators->model, system, operators->v),
                           .potential = crd_potential(operators->model, system)};
    CrdVec spin = crd_vec(0, 0, 0), first = crd_vec(0, 0, 0);
    for (int i = 0; i < absolute->structure->block_count; i++) {
        const CrdBlock *block = &absolute->structure->blocks[i];
        if (block->kind == CRD_CUSTOM_BLOCK) continue;
        const CrdBlockValues *body = &absolute->values.blocks[i];
        const CardanFrame *frame = &system->frames[block->frame];
        CrdVec p = crd_scale(body->mass, frame->v);
        totals.mass += body->mass;
        first = crd_axpy(first, body->mass, frame->x);
        totals.momentum = crd_add(totals.momentum, p);
        spin = crd_add(spin, crd_cross(frame->x, p));
        if (block->kind == CRD_SPATIAL_BODY)
            spin = crd_add(spin, crd_apply(frame->rotation, crd_apply(body->inertia, frame->w)));
        if (block->kind == CRD_PLANAR_BODY) spin.z += body->inertia[8] * frame->w.z;
    }
    if (totals.mass > 0.0) totals.centre = crd_scale(1.0 / totals.mass, first);
    totals.angular = crd_sub(spin, crd_cross(totals.centre, totals.momentum));
    *out = totals;
    return CARDAN_OK;
}

/* ---- transmitted loads ---- */

static CardanStatus need_absolute(CardanOperators *operators) {
    if (operators->model->structure->tree == NULL) return CARDAN_OK;
    return crd_operators_refuse(operators, CARDAN_ERR_ARGUMENT,
                                "joints of a tree have no rows in relative coordinates: ask operators in absolute ones "
                                "for what they transmit");
}

/* [M G^T; G -eps] [x; lambda] = [f - M a; 0]: x is what no joint carries, as accelerations. */
static CardanStatus solve_multipliers(CardanOperators *operators, const double *a, double *left) {
    const CrdStructure *structure = operators->model->structure;
    CrdSystem *system = &operators->dynamics->system;
    if (!operators->has_saddle) {
        CRD_TRY(crd_saddle_open(&operators->saddle, operators->dynamics, 0, NULL));
        operators->has_saddle = true;
    }
    CrdSaddle *saddle = &operators->saddle;
    double *x = saddle->sparse.x;
    CRD_TRY(crd_saddle_factor(saddle, 1.0, CRD_OPERATORS_SOFT / crd_mean_mass(operators->model), false));
    memset(operators->y, 0, (size_t)structure->nv * sizeof(double));
    if (a != NULL) crd_times_mass(operators->model, system, a, operators->y);
    for (int i = 0; i < structure->nv; i++) x[i] = operators->x[i] = system->f[i] - operators->y[i];
    memset(x + structure->nv, 0, (size_t)structure->rows * sizeof *x);
    CRD_TRY(crd_saddle_solve(saddle));
    crd_times_gt(structure, system->G, -1.0, x + structure->nv, operators->x);
    *left = crd_max_abs(operators->x, structure->nv);
    return CARDAN_OK;
}

CardanStatus cardan_operators_multipliers(CardanOperators *operators, const double *accelerations, double *multipliers,
                                          double *left) {
    CRD_TRY(CRD_OPERATORS_NEED(operators, multipliers));
    CRD_TRY(need_absolute(operators));
    CRD_TRY(crd_operators_forced(operators));
    double rest = 0.0;
    CardanStatus status = solve_multipliers(operators, accelerations, &rest);
    if (status < 0) {
        crd_fail(&operators->error, status, "the loads of joints cannot be solved for here");
        return crd_operators_report(operators, status);
    }
    crd_rows_outward(operators->model->structure, operators->saddle.sparse.x + operators->model->structure->nv,
                     multipliers);
    if (left != NULL) *left = rest;
    return CARDAN_OK;
}

CardanStatus cardan_operators_transmitted(CardanOperators *operators, const double *multipliers, CardanJoint joint,
                                          CardanWrench *out) {
    CRD_TRY(CRD_OPERATORS_NEED(operators, multipliers, out));
    CRD_TRY(need_absolute(operators));
    const CrdStructure *structure = operators->model->structure;
    if (joint.index < 1 || joint.index > structure->joint_count)
        return crd_operators_refuse(operators, CARDAN_ERR_ARGUMENT, "there is no such joint");
    int element = structure->element_of_joint[joint.index - 1];
    if (structure->elements[element].kind == NULL)
        return crd_operators_refuse(operators, CARDAN_ERR_ARGUMENT, "rows of the user's have no place for a load");
    CRD_TRY(crd_operators_forced(operators));
    crd_rows_inward(structure, multipliers, operators->r);
    *out = crd_joint_reaction(operators->model, &operators->dynamics->system, operators->r, element, false);
    return CARDAN_OK;
}
