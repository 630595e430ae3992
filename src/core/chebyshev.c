#include "core/chebyshev.h"

#include <assert.h>
#include <math.h>

CrdNodes crd_nodes_of(int count) {
    const double pi = acos(-1.0);
    CrdNodes nodes = {.count = count, .probe = -cos(pi * (count / 2) / count)};
    assert(count >= 2 && count <= CRD_NODES_MOST);
    for (int j = 0; j < count; j++) {
        double angle = (2 * j + 1) * pi / (2 * count);
        nodes.x[j] = -cos(angle);
        for (int k = 0; k < 2; k++) nodes.last[k][j] = 2.0 / count * cos((count - 1 - k) * angle);
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
