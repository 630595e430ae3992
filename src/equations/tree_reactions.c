/* Multipliers of all absolute rows from a motion in relative coordinates. Of loop rows they are the same. Those of a
 * joint e of the tree balance the body b that hangs on it, from the outermost body inwards:
 *
 *     G_b^T lambda_e = rest_b          rest = f - M a - G^T lambda of loop rows
 *     rest_a <- rest_a - G_a^T lambda_e       of the body a that it hangs on
 *
 * Rows of one joint are independent on its body, so that this has one solution, by orthogonal vectors of its rows. */
#include "equations/tree.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { TWIST = 6 };

static double dot(const double *x, const double *y, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

static void add(double s, const double *x, double *y, int n) {
    for (int i = 0; i < n; i++) y[i] += s * x[i];
}

/* Row i of g as factors of the orthonormal vectors before it, down column i of r, and a new one. Twice is enough
 * (Kahan; Parlett, The Symmetric Eigenvalue Problem, 6.9). */
static void orthogonalise(const double *g, int i, int width, double q[TWIST][TWIST], double r[TWIST][TWIST]) {
    memcpy(q[i], g + (size_t)i * (size_t)width, (size_t)width * sizeof *g);
    for (int j = 0; j < i; j++) r[j][i] = 0.0;
    for (int again = 0; again < 2; again++)
        for (int j = 0; j < i; j++) {
            double part = dot(q[j], q[i], width);
            r[j][i] += part;
            add(-part, q[j], q[i], width);
        }
    r[i][i] = sqrt(dot(q[i], q[i], width));
    assert(r[i][i] > 0.0);
    for (int k = 0; k < width; k++) q[i][k] /= r[i][i];
}

/* lambda with g^T lambda = rest, of the rows of g (rows x width). */
static void balance(const double *g, int rows, int width, const double *rest, double *lambda) {
    double q[TWIST][TWIST], r[TWIST][TWIST] = {{0.0}}, left[TWIST];
    assert(rows <= width && width <= TWIST);
    memcpy(left, rest, (size_t)width * sizeof *left);
    for (int i = 0; i < rows; i++) {
        orthogonalise(g, i, width, q, r);
        lambda[i] = dot(q[i], left, width);
        add(-lambda[i], q[i], left, width);
    }
    for (int i = rows - 1; i >= 0; i--) {
        for (int j = i + 1; j < rows; j++) lambda[i] -= r[i][j] * lambda[j];
        lambda[i] /= r[i][i];
    }
}

/* The joint of a link: of the body that hangs on it, then on the other side. */
static void balance_link(const CrdStructure *absolute, const CrdSystem *system, const CrdOrigin *link, double *rest,
                         double *lambda) {
    const CrdElement *element = &absolute->elements[link->element];
    const CrdAttachment *at = absolute->attachments + element->attachment;
    const CrdIncidence *in[2];
    double *own = lambda + element->first;
    if (element->rows == 0) return;
    assert(element->attachments == 2);
    for (int i = 0; i < 2; i++) in[i] = at[i].incidence < 0 ? NULL : &absolute->incidences[at[i].incidence];
    int b = in[1] != NULL && in[1]->block == link->body ? 1 : 0;
    assert(in[b] != NULL && in[b]->block == link->body);
    balance(system->G + in[b]->g, element->rows, in[b]->width, rest + in[b]->v, own);
    const CrdIncidence *other = in[1 - b];
    for (int r = 0; other != NULL && r < element->rows; r++)
        add(-own[r], system->G + other->g + r * other->width, rest + other->v, other->width);
}

void crd_tree_multipliers(const CardanModel *absolute, const CardanModel *relative, const CrdSystem *system,
                          const double *a, const double *loops, double *rest, double *lambda) {
    const CrdStructure *structure = absolute->structure, *other = relative->structure;
    const CrdTree *tree = other->tree;
    assert(structure == tree->absolute && crd_stamp_holds(&system->stamp, CRD_HOLDS_ROWS | CRD_HOLDS_FORCES));
    memset(lambda, 0, (size_t)structure->rows * sizeof *lambda);
    for (int e = 0; e < other->element_count; e++)
        for (int r = 0; r < other->elements[e].rows; r++)
            lambda[structure->elements[e].first + r] = loops[other->elements[e].first + r];
    crd_times_mass(absolute, system, a, rest);
    for (int i = 0; i < structure->nv; i++) rest[i] = system->f[i] - rest[i];
    crd_times_gt(structure, system->G, -1.0, lambda, rest);
    for (int k = tree->count - 1; k >= 0; k--)
        if (tree->origins[k].body >= 0 && tree->origins[k].element >= 0)
            balance_link(structure, system, &tree->origins[k], rest, lambda);
}
