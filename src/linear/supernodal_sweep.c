/* Sweeps through the factor of supernodal.c. A branch keeps what it changes of rows of the trunk, which takes it from
 * one branch after the other, whoever did these. */
#include "linear/supernodal.h"

#include <cblas.h>
#include <string.h>

/* What a node changes of the rows below it. */
static void scatter(const CrdSuper *super, const CrdSuperNode *node, const CrdSuperRoom *room, double *r) {
    for (int i = node->block; i < node->end; i++) {
        const CrdBelow *below = &super->e->below[i];
        const CrdPanel *panel = &super->e->panels[below->panel];
        int far = super->far_at[below->panel];
        double *to = far >= 0 && room->far != NULL ? room->far + far : r + panel->first;
        for (int k = 0; k < panel->width; k++) to[k] -= room->r[below->at + k];
    }
}

static void gather(const CrdSuper *super, const CrdSuperNode *node, const CrdSuperRoom *room, const double *r) {
    for (int i = node->block; i < node->end; i++) {
        const CrdBelow *below = &super->e->below[i];
        const CrdPanel *panel = &super->e->panels[below->panel];
        memcpy(room->r + below->at, r + panel->first, (size_t)panel->width * sizeof *r);
    }
}

static void forward(const CrdSuper *super, int t, const CrdSuperRoom *room, double *r) {
    const CrdSuperNode *node = &super->nodes[t];
    int w = node->width, h = node->height, ld = w + h;
    const double *x = super->x + node->x;
    double *z = r + node->first;
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, w, x, ld, z, 1);
    for (int c = 0; c < w; c++) /* a row left out: its column is zero, so only its own entry is to be cleared */
        if (super->base.is_dropped[node->first + c]) z[c] = 0.0;
    if (h == 0) return;
    cblas_dgemv(CblasColMajor, CblasNoTrans, h, w, 1.0, x + w, ld, z, 1, 0.0, room->r, 1);
    scatter(super, node, room, r);
}

static void backward(const CrdSuper *super, int t, const CrdSuperRoom *room, double *r) {
    const CrdSuperNode *node = &super->nodes[t];
    int w = node->width, h = node->height, ld = w + h;
    const double *x = super->x + node->x;
    double *z = r + node->first;
    if (h > 0) {
        gather(super, node, room, r);
        cblas_dgemv(CblasColMajor, CblasTrans, h, w, -1.0, x + w, ld, room->r, 1, 1.0, z, 1);
    }
    cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, w, x, ld, z, 1);
}

typedef struct Sweep {
    const CrdSuper *super;
    double *r;
} Sweep;

static void forward_branch(void *user, int b) {
    const Sweep *all = user;
    const CrdSuper *super = all->super;
    const CrdSuperRoom *room = &super->rooms[b];
    memset(room->far, 0, (size_t)super->far_count * sizeof *room->far);
    for (int i = super->e->branches[b]; i < super->e->branches[b + 1]; i++)
        for (int t = super->ranges[i].first; t < super->ranges[i].end; t++) forward(super, t, room, all->r);
}

static void backward_branch(void *user, int b) {
    const Sweep *all = user;
    const CrdSuper *super = all->super;
    for (int i = super->e->branches[b + 1]; i-- > super->e->branches[b];)
        for (int t = super->ranges[i].end; t-- > super->ranges[i].first;) backward(super, t, &super->rooms[b], all->r);
}

/* Rows of the trunk take what branches change of them. */
static void take_from_branches(const Sweep *all) {
    const CrdSuper *super = all->super;
    for (int p = 0; p < super->e->count; p++) {
        if (super->far_at[p] < 0) continue;
        const CrdPanel *panel = &super->e->panels[p];
        for (int b = 0; b < super->e->branch_count; b++)
            for (int k = 0; k < panel->width; k++)
                all->r[panel->first + k] += super->rooms[b].far[super->far_at[p] + k];
    }
}

CardanStatus crd_super_solve(CrdSolver *solver, double *r) {
    const CrdSuper *super = (const CrdSuper *)solver;
    const int branches = super->e->branch_count;
    const CrdSuperRoom *trunk = &super->rooms[branches];
    Sweep all = {super, r};
    if (!super->factored) return CARDAN_ERR_INTERNAL;
    crd_pool_run(crd_super_pool(super), forward_branch, &all, branches);
    if (branches > 0) take_from_branches(&all);
    for (int t = 0; t < super->count; t++)
        if (super->is_trunk[t]) forward(super, t, trunk, r);
    for (int t = super->count; t-- > 0;)
        if (super->is_trunk[t]) backward(super, t, trunk, r);
    crd_pool_run(crd_super_pool(super), backward_branch, &all, branches);
    return CARDAN_OK;
}
