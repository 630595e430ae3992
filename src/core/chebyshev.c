#include "core/chebyshev.h"

#include <assert.h>
#include <math.h>

CrdNodes crd_nodes_of(int count) {
    const double pi = acos(-1.0);
    const int n = count - 1;
    CrdNodes nodes = {.count = count, .probe = -cos((2 * (n / 2) + 1) * pi / (2 * n))};
    assert(count >= 2 && count <= CRD_NODES_MOST);
    for (int j = 0; j < count; j++) {
        double angle = j * pi / n, share = (j == 0 || j == n ? 1.0 : 2.0) / n;
        nodes.x[j] = -cos(angle);
        nodes.last[0][j] = 0.5 * share * cos(n * angle);
        nodes.last[1][j] = share * cos((n - 1) * angle);
    }
    for (int j = 0; j < count; j++) {
        double product = 1.0;
        for (int m = 0; m < count; m++)
            if (m != j) product *= nodes.x[j] - nodes.x[m];
        nodes.weight[j] = 1.0 / product;
    }
    crd_node_shares(&nodes, nodes.probe, nodes.share);
    return nodes;
}

void crd_node_shares(const CrdNodes *nodes, double x, double *share) {
    double below = 1.0, above = 1.0;
    for (int j = 0; j < nodes->count; j++) {
        share[j] = nodes->weight[j] * below;
        below *= x - nodes->x[j];
    }
    for (int j = nodes->count - 1; j >= 0; j--) {
        share[j] *= above;
        above *= x - nodes->x[j];
    }
}
