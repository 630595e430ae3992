#include "equations/tree_sweep.h"

#include <assert.h>

typedef struct Task {
    const CardanModel *model;
    const CrdSystem *system;
    CrdSweep sweep;
    double *x;
    bool inward;
} Task;

/* Ranges of a branch rise with the links. */
static void sweep_branch(void *user, int branch) {
    const Task *task = user;
    const CrdTree *tree = task->model->structure->tree;
    int first = tree->branches[branch], end = tree->branches[branch + 1];
    for (int i = 0; i < end - first; i++)
        task->sweep(task->model, task->system, tree->ranges[task->inward ? end - 1 - i : first + i], task->x);
}

static void sweep_link(const Task *task, int k) {
    task->sweep(task->model, task->system, (CrdRange){k, k + 1}, task->x);
}

/* Of a tree that is not divided all links at once. */
static bool sweep_whole(const Task *task) {
    const CrdTree *tree = task->model->structure->tree;
    assert(tree != NULL);
    if (tree->branch_count > 0) return false;
    task->sweep(task->model, task->system, (CrdRange){0, tree->count}, task->x);
    return true;
}

void crd_sweep_outward(const CardanModel *model, const CrdSystem *system, CrdSweep sweep, double *x) {
    const CrdTree *tree = model->structure->tree;
    Task task = {model, system, sweep, x, false};
    if (sweep_whole(&task)) return;
    for (int i = 0; i < tree->trunk_count; i++) sweep_link(&task, tree->trunk[i]);
    crd_pool_run(system->pool, sweep_branch, &task, tree->branch_count);
}

void crd_sweep_inward(const CardanModel *model, const CrdSystem *system, CrdSweep sweep, double *x) {
    const CrdTree *tree = model->structure->tree;
    Task task = {model, system, sweep, x, true};
    if (sweep_whole(&task)) return;
    crd_pool_run(system->pool, sweep_branch, &task, tree->branch_count);
    for (int i = tree->trunk_count - 1; i >= 0; i--) sweep_link(&task, tree->trunk[i]);
}
