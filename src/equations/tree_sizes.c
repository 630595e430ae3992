/* How large loop rows are on their own bodies. A row of G is no measure of itself: where a loop is in a singular pose,
 * or where nothing can move a row, all of it is small. So it is measured by what it would be if its bodies were free:
 * G_i W G_i^T with W their M^-1, the diagonal entry of S in absolute coordinates, or in kinematic coordinates
 * (equations/kinematic.h). */
#include "equations/tree.h"
#include "equations/tree_arms.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* A wrench about the centre of mass, or about the middle of the body's joints: force, moment in own axes. */
typedef struct Push {
    CrdVec force, moment;
} Push;

static Push push_of(const CardanModel *model, const CrdSystem *system, int link, bool kinematic, const double *wrench) {
    const CrdLink *l = &model->structure->tree->links[link];
    const CardanFrame *frame = &system->frames[l->pose];
    bool planar = model->structure->space == CARDAN_SPACE_PLANAR;
    CrdVec r = crd_tree_centre(model, system, link), force, moment;
    if (planar) {
        force = crd_vec(wrench[1], wrench[2], 0.0);
        moment = crd_vec(0.0, 0.0, wrench[0]);
    } else {
        force = crd_vec_of(wrench + 3);
        moment = crd_vec_of(wrench);
    }
    if (kinematic) r = crd_add(r, crd_apply(frame->rotation, crd_link_body(model, link)->middle));
    if (l->kind == CRD_PLANAR_PARTICLE || l->kind == CRD_SPATIAL_PARTICLE) return (Push){force, crd_vec(0, 0, 0)};
    return (Push){force, crd_apply_t(frame->rotation, crd_sub(moment, crd_cross(r, force)))};
}

/* The product of two pushes on one body. */
static double product_of(const CardanModel *model, int link, bool kinematic, const Push *a, const Push *b) {
    const CrdBlockValues *body = crd_link_body(model, link);
    double span = model->values.span;
    if (kinematic) return span * span * crd_dot(a->force, b->force) + crd_dot(a->moment, b->moment);
    double turn = model->structure->space == CARDAN_SPACE_PLANAR
                      ? a->moment.z * body->inverse_inertia[8] * b->moment.z
                      : crd_dot(a->moment, crd_apply(body->inverse_inertia, b->moment));
    return body->inverse_mass * crd_dot(a->force, b->force) + turn;
}

static const double *wrench_of(const CrdStructure *structure, const CrdSystem *system, int element, int attachment,
                               int row) {
    int twist = structure->space == CARDAN_SPACE_PLANAR ? 3 : 6, rows = structure->elements[element].rows;
    return system->tree.wrenches + (size_t)twist * (size_t)(structure->tree->wrench[element] + attachment * rows + row);
}

/* Product of rows r and c of an element: over pairs of attachments to the same body. */
static double rows_product(const CardanModel *model, const CrdSystem *system, int index, bool kinematic, int r, int c) {
    const CrdStructure *structure = model->structure;
    const CrdElement *element = &structure->elements[index];
    double sum = 0.0;
    for (int i = 0; i < element->attachments; i++)
        for (int j = 0; j < element->attachments; j++) {
            int link = structure->tree->link_of[structure->attachments[element->attachment + i].frame];
            if (link < 0 || link != structure->tree->link_of[structure->attachments[element->attachment + j].frame])
                continue;
            Push a = push_of(model, system, link, kinematic, wrench_of(structure, system, index, i, r)),
                 b = push_of(model, system, link, kinematic, wrench_of(structure, system, index, j, c));
            sum += product_of(model, link, kinematic, &a, &b);
        }
    return sum;
}

void crd_tree_gram(const CardanModel *model, const CrdSystem *system, int element, double *square) {
    int n = model->structure->elements[element].rows;
    for (int r = 0; r < n; r++)
        for (int c = 0; c <= r; c++) square[r * n + c] = rows_product(model, system, element, true, r, c);
}

void crd_tree_row_sizes(const CardanModel *model, const CrdSystem *system, bool kinematic, double *sizes) {
    const CrdStructure *structure = model->structure;
    for (int i = 0; i < structure->tree->loop_elements; i++) {
        int e = structure->tree->loops[i];
        for (int r = 0; r < structure->elements[e].rows; r++)
            sizes[structure->elements[e].first + r] = rows_product(model, system, e, kinematic, r, r);
    }
}

/* ---- forces ---- */

/* Sizes of what a link and those outward of it need and get: N and N m about o. */
typedef struct Strength {
    double force, moment;
} Strength;

static double arm_of(const CrdStructure *structure, const CrdSystem *system, int link) {
    if (structure->space == CARDAN_SPACE_SPATIAL) return crd_norm(system->tree.motion[link].d);
    return hypot(system->tree.plane[link].d[0], system->tree.plane[link].d[1]);
}

/* Of the link's own body, moving with `extra` beside what its velocities make. */
static Strength body_strength(const CardanModel *model, const CrdSystem *system, int link) {
    const CrdLink *l = &model->structure->tree->links[link];
    if (!crd_link_has_body(model->structure, l)) return (Strength){0.0, 0.0};
    const CrdBlockValues *body = crd_link_body(model, link);
    const double *load = system->loads[l->pose];
    double out[6], arm = crd_norm(crd_tree_centre(model, system, link));
    double turn = body->inertia[8] + body->inertia[0] + body->inertia[4];
    crd_frame_acceleration(model, system, l->pose, out);
    CrdVec w = system->frames[l->pose].w;
    double force =
        crd_norm(crd_vec_of(load)) + body->mass * (crd_norm(model->values.gravity) + crd_norm(crd_vec_of(out)));
    return (Strength){force, crd_norm(crd_vec_of(load + 3)) + arm * force +
                                 turn * (crd_norm(crd_vec_of(out + 3)) + crd_dot(w, w))};
}

void crd_tree_force_sizes(const CardanModel *model, const CrdSystem *system, const double *a, double *sizes) {
    const CrdStructure *structure = model->structure;
    const CrdTree *tree = structure->tree;
    crd_tree_spread(model, system, a);
    for (int k = tree->count - 1; k >= 0; k--) {
        const CrdLink *link = &tree->links[k];
        const double *from = system->tree.pushes + 2 * (link->in >= 0 ? link->in : 0);
        Strength all = body_strength(model, system, k);
        if (link->in >= 0) all = (Strength){all.force + from[0], all.moment + from[1]};
        int lengths = crd_block_lengths(structure, &structure->blocks[k]);
        for (int i = 0; i < link->nv; i++) sizes[link->v + i] = i < lengths ? all.force : all.moment;
        if (link->out < 0) continue;
        double *to = system->tree.pushes + 2 * link->out;
        double moment = all.moment + arm_of(structure, system, k) * all.force;
        to[0] = link->first ? all.force : to[0] + all.force;
        to[1] = link->first ? moment : to[1] + moment;
    }
}
