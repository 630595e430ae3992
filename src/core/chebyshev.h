/* Polynomials of degree n through values where the Chebyshev polynomial T_n is 1 or -1, which are near the best there
 * are (L. N. Trefethen, Approximation Theory and Approximation Practice, SIAM 2013, chapters 2 to 4 and 16):
 *
 *     x_j = -cos(j pi / n), j = 0..n     p(x) = sum_j f_j prod_(m /= j) (x - x_m) / (x_j - x_m),   -1 <= x <= 1
 *     c_k = 2/n sum_j f_j cos(k j pi / n), the first and the last f halved, and so c_n
 *           coefficients of p, up to their sign, for k > 0
 *
 * Coefficients of smooth functions fall geometrically, so that the last ones say what is left out (chapter 8). Of twice
 * the degree every other node is one of these, and the probe is a node: of n even that of number n + 1. */
#ifndef CRD_CORE_CHEBYSHEV_H
#define CRD_CORE_CHEBYSHEV_H

enum { CRD_NODES_MOST = 17 };

typedef struct CrdNodes {
    int count;
    double x[CRD_NODES_MOST];       /* rising */
    double weight[CRD_NODES_MOST];  /* 1 / prod (x_j - x_m) */
    double last[2][CRD_NODES_MOST]; /* of the last two coefficients: c = sum_j last_j f_j */
    double probe;                 /* between two nodes in the middle, where T_n is 0 and prod (x - x_m) about largest */
    double share[CRD_NODES_MOST]; /* of the values in p there */
} CrdNodes;

/* count: n + 1. */
CrdNodes crd_nodes_of(int count);

/* What each value counts for in p(x). */
void crd_node_shares(const CrdNodes *nodes, double x, double *share);

#endif
