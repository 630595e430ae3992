/* The jump of the velocities over a pose, from states on both sides: by cubics, and by integrations. */
#include "guard/singular/branch.h"

#include <math.h>
#include <string.h>

/* Jumps up to which the branch was kept, and from which it was left. Exact passages leave at most 1.4e-2, softened ones
 * 0.21, branches that were left 1.1 and more (RANK_AND_BRANCH 3). */
#define CRD_BRANCH_SMALL_JUMP 0.25
#define CRD_BRANCH_LARGE_JUMP 0.5

/* Part of the largest speed so far below which a motion has no momentum that could decide. */
#define CRD_BRANCH_SLOW 1e-3

/* Substeps of an integration to the pose; half as many tell its error. Where the few leave no doubt that the branch was
 * kept, the many are not made. */
static const int SUBSTEPS[] = {8, 32};
enum { SUBSTEPS_COUNT = sizeof SUBSTEPS / sizeof *SUBSTEPS };

/* Substeps right next to a pose that a cubic bridges: nearer solves are noisy. */
#define CRD_BRANCH_BRIDGED 2

double crd_branch_square(const CrdBlock *block, const double *v, const double *mass) {
    double sum = 0.0;
    for (int k = 0; k < block->nv; k++) sum += v[block->v + k] * mass[block->v + k];
    return fmax(sum, 0.0);
}

/* |v| over the blocks that take part. The masses are those of the workspace's state: those of bodies do not change. */
static double size_of(const CrdBranch *branch, const CrdDynamics *dynamics, const double *v) {
    const CrdStructure *structure = dynamics->model->structure;
    double sum = 0.0;
    crd_times_mass(dynamics->model, &dynamics->system, v, branch->mass);
    for (int b = 0; b < structure->block_count; b++)
        if (branch->whole || branch->part[b] != 0.0) sum += crd_branch_square(&structure->blocks[b], v, branch->mass);
    return sqrt(sum);
}

/* J of v- and v+, less what is unsure about them when it is to show that the branch was left. */
static CardanBranch compare(CrdBranch *branch, const CrdDynamics *dynamics) {
    const CrdStructure *structure = dynamics->model->structure;
    double speed = fmax(size_of(branch, dynamics, branch->minus), size_of(branch, dynamics, branch->plus)), top = 0.0;
    for (int b = 0; b < structure->block_count; b++) top += (branch->whole ? 1.0 : branch->part[b]) * branch->top[b];
    for (int i = 0; i < structure->nv; i++) branch->spare[i] = branch->plus[i] - branch->minus[i];
    double jump = size_of(branch, dynamics, branch->spare), unsure = size_of(branch, dynamics, branch->unsure);
    branch->jump = speed > 0.0 ? jump / speed : 0.0;
    if (!(speed >= CRD_BRANCH_SLOW * sqrt(top)) || speed == 0.0) return CARDAN_BRANCH_UNCLEAR;
    if (jump <= CRD_BRANCH_SMALL_JUMP * speed) return CARDAN_BRANCH_KEPT;
    return jump - unsure >= CRD_BRANCH_LARGE_JUMP * speed ? CARDAN_BRANCH_LEFT : CARDAN_BRANCH_UNCLEAR;
}

CardanBranch crd_branch_by_cubics(CrdBranch *branch, const CrdDynamics *dynamics, double t, const CrdBranchState *near,
                                  const CrdBranchState *far) {
    const CrdStructure *structure = dynamics->model->structure;
    memset(branch->unsure, 0, (size_t)structure->nv * sizeof *branch->unsure);
    crd_branch_extrapolate(&branch->state[CRD_BRANCH_NEWER], &branch->state[CRD_BRANCH_OLDER], structure, t,
                           branch->minus);
    crd_branch_extrapolate(near, far, structure, t, branch->plus);
    return compare(branch, dynamics);
}

/* v in the pose from a state of one side by n substeps, and how unsure it is. */
static CardanStatus reach(CrdBranch *branch, CrdIntegrator *integrator, const CrdBranchState *from, double t, int n,
                          double *v) {
    int bridged = branch->passes_pose ? CRD_BRANCH_BRIDGED : 0;
    CRD_TRY(crd_march(&branch->march, integrator, from, t, n, bridged, v));
    CRD_TRY(crd_march(&branch->march, integrator, from, t, n / 2, bridged, branch->spare));
    for (int i = 0; i < integrator->dynamics.model->structure->nv; i++)
        branch->unsure[i] += fabs(v[i] - branch->spare[i]);
    return CARDAN_OK;
}

static CardanBranch integrate_by(CrdBranch *branch, CrdIntegrator *integrator, double t, const CrdBranchState *near,
                                 int n) {
    memset(branch->unsure, 0, (size_t)integrator->dynamics.model->structure->nv * sizeof *branch->unsure);
    branch->jump = -1.0;
    if (reach(branch, integrator, &branch->state[CRD_BRANCH_NEWER], t, n, branch->minus) < 0)
        return CARDAN_BRANCH_UNCLEAR;
    if (reach(branch, integrator, near, t, n, branch->plus) < 0) return CARDAN_BRANCH_UNCLEAR;
    return compare(branch, &integrator->dynamics);
}

/* Was it kept, whatever is unsure about the velocities? They and their sizes are those of the last comparison. */
static bool is_surely_kept(CrdBranch *branch, const CrdDynamics *dynamics) {
    double speed = fmax(size_of(branch, dynamics, branch->minus), size_of(branch, dynamics, branch->plus)),
           unsure = size_of(branch, dynamics, branch->unsure);
    return branch->jump * speed + unsure <= CRD_BRANCH_SMALL_JUMP * speed;
}

static CardanBranch integrate(CrdBranch *branch, CrdIntegrator *integrator, double t, const CrdBranchState *near) {
    CardanBranch verdict = CARDAN_BRANCH_UNCLEAR;
    for (int k = 0; k < SUBSTEPS_COUNT; k++) {
        verdict = integrate_by(branch, integrator, t, near, SUBSTEPS[k]);
        if (verdict == CARDAN_BRANCH_KEPT && is_surely_kept(branch, &integrator->dynamics)) break;
    }
    return verdict;
}

/* Do the exact equations miss the pose and lead to the state beyond it? */
static bool misses_pose(CrdBranch *branch, CrdIntegrator *integrator, double t, const CrdBranchState *near) {
    const CrdStructure *structure = integrator->dynamics.model->structure;
    double jump = branch->jump;
    bool missed = false;
    CardanStatus status = crd_march_past(&branch->march, integrator, &branch->state[CRD_BRANCH_NEWER], t, near->t,
                                         branch->minus, &missed);
    if (status < 0 || !missed) return false;
    memcpy(branch->plus, near->y + structure->nq, (size_t)structure->nv * sizeof *branch->plus);
    memset(branch->unsure, 0, (size_t)structure->nv * sizeof *branch->unsure);
    if (compare(branch, &integrator->dynamics) == CARDAN_BRANCH_KEPT) return true;
    branch->jump = jump;
    return false;
}

CardanBranch crd_branch_by_integration(CrdBranch *branch, CrdIntegrator *integrator, double t,
                                       const CrdBranchState *near) {
    CrdDynamics *dynamics = &integrator->dynamics;
    CrdError *told = dynamics->error, *kept = integrator->stepper.error;
    CrdError quiet = {0}; /* sentences of evaluations that fail on the way are not told */
    dynamics->error = integrator->stepper.error = &quiet;
    CardanBranch verdict = integrate(branch, integrator, t, near);
    bool doubted = verdict != CARDAN_BRANCH_KEPT && branch->jump > 0.0;
    if (doubted && misses_pose(branch, integrator, t, near)) verdict = CARDAN_BRANCH_KEPT;
    dynamics->error = told;
    integrator->stepper.error = kept;
    return verdict;
}
