/* Loop rows of a tree: T and S. */
#include "equations/tree.h"

#include "equations/each.h"
#include "equations/tree_sweep.h"

#include <assert.h>
#include <string.h>

static const CrdTreeOps *ops_of(const CrdStructure *structure) {
    return structure->space == CARDAN_SPACE_PLANAR ? &crd_tree_in_plane : &crd_tree_in_space;
}

void crd_tree_rows(const CardanModel *model, int element, CrdSystem *system) {
    ops_of(model->structure)->rows(model, element, system);
}

static CardanStatus eliminate(const void *user, int element, CrdSystem *system, CrdError *error) {
    const CardanModel *model = user;
    (void)error;
    ops_of(model->structure)->eliminate(model, element, system);
    return CARDAN_OK;
}

void crd_tree_schur(const CardanModel *model, CardanMetric metric, CrdSystem *system) {
    const CrdStructure *structure = model->structure;
    system->tree.euclidean = metric != CARDAN_METRIC_MASS;
    if (system->tree.euclidean) {
        memcpy(system->T, system->G, (size_t)structure->size_g * sizeof *system->T);
    } else {
        crd_sweep_inward(model, system, ops_of(structure)->inertias, system->tree.bias);
        CardanStatus status = crd_each_element(structure, system, eliminate, model, NULL);
        assert(status >= 0);
        (void)status;
    }
    if (structure->rows > 0) crd_form_product(system->pool, structure, system->T, system->T, system->S);
}
