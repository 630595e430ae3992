/* The factor of a tree's M^-1, in space and in the plane: parts of CrdTreeOps that have a file of their own. */
#ifndef CRD_EQUATIONS_TREE_FACTOR_H
#define CRD_EQUATIONS_TREE_FACTOR_H

#include "equations/system.h"

void crd_space_inertias(const CardanModel *model, const CrdSystem *system, CrdRange links, double *x);
void crd_space_pushed(const CardanModel *model, const CrdSystem *system, CrdRange links, double *x);
void crd_space_inward(const CardanModel *model, const CrdSystem *system, CrdRange links, double *x);
void crd_space_outward(const CardanModel *model, const CrdSystem *system, CrdRange links, double *x);
void crd_space_eliminate(const CardanModel *model, int element, CrdSystem *system);

void crd_plane_inertias(const CardanModel *model, const CrdSystem *system, CrdRange links, double *x);
void crd_plane_pushed(const CardanModel *model, const CrdSystem *system, CrdRange links, double *x);
void crd_plane_inward(const CardanModel *model, const CrdSystem *system, CrdRange links, double *x);
void crd_plane_outward(const CardanModel *model, const CrdSystem *system, CrdRange links, double *x);
void crd_plane_eliminate(const CardanModel *model, int element, CrdSystem *system);

/* In a range of links: is the link before this one its parent, so that what goes from one to the other needs no
 * memory? And on the way inward: is something in the slot of its children, because not all did so? */
static inline bool crd_carries(const CrdTree *tree, CrdRange links, int link) {
    return link > links.first && tree->links[link].parent == link - 1;
}
static inline bool crd_reads_slot(const CrdTree *tree, CrdRange links, int link) {
    if (tree->links[link].in < 0) return false;
    bool handed = link + 1 < links.end && crd_carries(tree, links, link + 1);
    return !handed || !tree->links[link + 1].first;
}

/* On the way outward: does a link read the accelerations of this one that does not come right after it? */
static inline bool crd_is_read(const CrdTree *tree, CrdRange links, int link) {
    return tree->links[link].forks || link + 1 == links.end;
}

/* x <- L^-1 x and L^-T x of a lower triangle by rows. */
static inline void crd_lower_solve(const double *l, int n, double *x) {
    for (int i = 0; i < n; l += ++i) {
        for (int j = 0; j < i; j++) x[i] -= l[j] * x[j];
        x[i] /= l[i];
    }
}
static inline void crd_lower_solve_t(const double *l, int n, double *x) {
    for (int i = n - 1; i >= 0; i--) {
        const double *row = l + i * (i + 1) / 2;
        x[i] /= row[i];
        for (int j = 0; j < i; j++) x[j] -= row[j] * x[i];
    }
}

/* Cholesky of a lower triangle by rows. */
static inline void crd_lower_factor(double *l, int n) {
    for (int i = 0; i < n; i++) {
        double *row = l + i * (i + 1) / 2;
        for (int j = 0; j <= i; j++) {
            const double *other = l + j * (j + 1) / 2;
            double sum = row[j];
            for (int k = 0; k < j; k++) sum -= row[k] * other[k];
            row[j] = i == j ? sqrt(sum) : sum / other[j];
        }
    }
}

#endif
