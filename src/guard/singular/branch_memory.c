/* What the branch watch remembers, as numbers: scalars of the dip, then the arrays one after another. */
#include "guard/singular/branch.h"

#include "guard/events/event.h"

#include <math.h>
#include <string.h>

enum { SCALARS = 14, ARRAYS = 3 + 2 * CRD_BRANCH_STATES };

/* Array i of those that belong to the state, and its length. */
static double *array(const CrdBranch *branch, const CrdStructure *structure, int i, int *count) {
    double *const single[3] = {branch->v_last, branch->top, branch->part};
    if (i < 3) {
        *count = i == 0 ? structure->nv : structure->block_count;
        return single[i];
    }
    const CrdBranchState *state = &branch->state[(i - 3) / 2];
    bool flat = (i - 3) % 2 == 0;
    *count = flat ? crd_branch_flat_size(structure) : structure->nv;
    return flat ? state->y : state->a;
}

void crd_branch_reset(CrdBranch *branch, const CrdStructure *structure) {
    branch->dip = (CrdDip){0};
    branch->counted = crd_events_happened(branch->integrator);
    memset(branch->top, 0, (size_t)structure->block_count * sizeof *branch->top);
}

int crd_branch_memory_size(const CrdStructure *structure) {
    const CrdBranch none = {0};
    int size = SCALARS + CRD_BRANCH_STATES, count;
    for (int i = 0; i < ARRAYS; i++) {
        array(&none, structure, i, &count);
        size += count;
    }
    return size;
}

void crd_branch_get(const CrdBranch *branch, const CrdStructure *structure, double *numbers) {
    const CrdDip *dip = &branch->dip;
    const double scalars[SCALARS] = {dip->before,      dip->near,
                                     dip->passed,      dip->logged,
                                     dip->known,       dip->joint,
                                     dip->joint_count, dip->t_last,
                                     dip->pose_at,     dip->lowest,
                                     dip->w_before,    dip->w_after,
                                     dip->softened,    (double)crd_branch_events(branch)};
    memcpy(numbers, scalars, sizeof scalars);
    numbers += SCALARS;
    for (int i = 0; i < CRD_BRANCH_STATES; i++) *numbers++ = branch->state[i].t;
    for (int i = 0, count; i < ARRAYS; i++, numbers += count) {
        const double *from = array(branch, structure, i, &count);
        memcpy(numbers, from, (size_t)count * sizeof *from);
    }
}

static int whole_number(double x, int max) {
    return x >= 0.0 && x <= max ? (int)x : 0;
}

void crd_branch_set(CrdBranch *branch, const CrdStructure *structure, const double *numbers) {
    branch->dip = (CrdDip){.before = whole_number(numbers[0], 2),
                           .near = numbers[1] != 0.0,
                           .passed = numbers[2] != 0.0,
                           .logged = numbers[3] != 0.0,
                           .known = numbers[4] != 0.0,
                           .joint = whole_number(numbers[5], structure->joint_count),
                           .joint_count = whole_number(numbers[6], structure->joint_count),
                           .t_last = numbers[7],
                           .pose_at = numbers[8],
                           .lowest = numbers[9],
                           .w_before = numbers[10],
                           .w_after = numbers[11],
                           .softened = numbers[12] != 0.0,
                           .events = fabs(numbers[13]) < 1e15 ? (long)numbers[13] : 0};
    branch->counted = crd_events_happened(branch->integrator);
    numbers += SCALARS;
    for (int i = 0; i < CRD_BRANCH_STATES; i++) branch->state[i].t = *numbers++;
    for (int i = 0, count; i < ARRAYS; i++, numbers += count) {
        double *to = array(branch, structure, i, &count);
        memcpy(to, numbers, (size_t)count * sizeof *to);
    }
}

void crd_branch_copy(CrdBranch *branch, const CrdBranch *from, const CrdStructure *structure) {
    branch->dip = from->dip;
    branch->dip.events = crd_branch_events(from);
    branch->counted = crd_events_happened(branch->integrator);
    for (int i = 0; i < CRD_BRANCH_STATES; i++) branch->state[i].t = from->state[i].t;
    for (int i = 0, count; i < ARRAYS; i++) {
        double *to = array(branch, structure, i, &count);
        memcpy(to, array(from, structure, i, &count), (size_t)count * sizeof *to);
    }
}
