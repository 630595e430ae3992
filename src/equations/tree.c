/* Relative coordinates: the workspace, and products with M. */
#include "equations/tree.h"

#include "core/sines.h"
#include "equations/tree_sweep.h"

#include <assert.h>
#include <string.h>

static const CrdTreeOps *ops_of(const CrdStructure *structure) {
    return structure->space == CARDAN_SPACE_PLANAR ? &crd_tree_in_plane : &crd_tree_in_space;
}

/* The ground stands before the first link, at rest. */
void crd_tree_layout_motion(CrdTreeWork *work, const CrdStructure *structure, CrdArena *arena) {
    size_t links = (size_t)structure->tree->count + 1;
    bool planar = structure->space == CARDAN_SPACE_PLANAR;
    work->motion = crd_take(arena, planar ? 0 : links, sizeof *work->motion);
    work->plane = crd_take(arena, planar ? links : 0, sizeof *work->plane);
    work->speeds = crd_take(arena, (planar ? 2 : 3) * links, sizeof *work->speeds);
    if (arena->base == NULL) return;
    work->motion++;
    work->plane++;
    work->speeds += planar ? 2 : 3;
    if (planar) work->plane[-1].cosine = 1.0;
    for (int k = -1; !planar && k < structure->tree->count; k++) /* a particle does not turn, either */
        if (k < 0 || structure->tree->links[k].kind == CRD_SPATIAL_PARTICLE)
            for (int i = 0; i < 9; i += 4) work->motion[k].rotation[i] = 1.0;
}

void crd_tree_layout(CrdTreeWork *work, const CrdStructure *structure, CrdArena *arena) {
    const CrdTree *tree = structure->tree;
    const CrdTreeOps *ops = ops_of(structure);
    size_t links = (size_t)tree->count + 1, twist = (size_t)ops->twist, real = sizeof(double);
    work->factor = crd_take(arena, (size_t)tree->size_factor, real);
    work->extra = crd_take(arena, links * twist, real);
    work->sums = crd_take(arena, (size_t)tree->slots * (size_t)ops->sum, real);
    work->pushes = crd_take(arena, (size_t)tree->slots * twist, real);
    work->wrenches = crd_take(arena, (size_t)tree->wrenches * twist, real);
    work->ways = crd_take(arena, (size_t)tree->walk_slots * (size_t)structure->max_rows * twist, real);
    work->bias = crd_take(arena, (size_t)structure->nv, real);
    work->scale = crd_take(arena, (size_t)structure->rows, real);
    work->pivot_size = crd_take(arena, (size_t)structure->rows, real);
    work->ones = crd_take(arena, (size_t)structure->rows, real);
    work->forced = crd_take(arena, (size_t)structure->nv, real);
    if (arena->base == NULL) return;
    work->extra += twist; /* the ground's before the first link */
    for (int i = 0; i < structure->rows; i++) work->ones[i] = 1.0;
}

/* Of links whose frames are there. Masses come from where fewer numbers stand between them. */
static void add_energies(const CardanModel *model, const CrdSystem *system, CrdRange links, bool kinetic,
                         CrdEnergies *to) {
    const CrdTree *tree = model->structure->tree;
    bool planar = model->structure->space == CARDAN_SPACE_PLANAR;
    for (int k = links.first; k < links.end; k++) {
        const CardanFrame *frame = &system->frames[tree->links[k].pose];
        double mass = planar ? model->values.plane_masses[k].mass : model->values.masses[k].mass;
        to->potential -= mass * crd_dot(model->values.gravity, frame->x);
        if (!kinetic) continue;
        const double *inertia = crd_link_body(model, k)->inertia;
        double turning =
            planar ? inertia[8] * frame->w.z * frame->w.z : crd_dot(frame->w, crd_apply(inertia, frame->w));
        to->kinetic += 0.5 * (mass * crd_dot(frame->v, frame->v) + turning);
    }
}

static void sweep_motions(const CardanModel *model, const CrdSystem *system, CrdRange links, double *x) {
    (void)x;
    ops_of(model->structure)->motions(model, system, links);
}

/* Some links at a time, so that their motion is still near when the frames ask for it, and those for energies. */
static void sweep_kinematics(const CardanModel *model, const CrdSystem *system, CrdRange links, double *x) {
    const CrdTreeOps *ops = ops_of(model->structure);
    CrdEnergies energies = {0};
    for (int first = links.first; first < links.end; first += CRD_SINES_AT_ONCE) {
        CrdRange some = {first, links.end - first < CRD_SINES_AT_ONCE ? links.end : first + CRD_SINES_AT_ONCE};
        ops->motions(model, system, some);
        ops->frames(model, system, some);
        if (x != NULL) add_energies(model, system, some, true, &energies);
    }
    if (x != NULL) memcpy(x, (const double[]){energies.potential, energies.kinetic}, 2 * sizeof *x);
}

/* Nothing acts on the links but gravity: frames are made once in a step, and then its energy is asked for. */
static bool is_alone(const CrdStructure *structure) {
    return structure->rows == 0 && structure->force_count == 0 && structure->compliant_count == 0 &&
           structure->first_order == 0 && structure->tracked_count == 0;
}

void crd_tree_kinematics(const CardanModel *model, const double *q, const double *v, CrdSystem *system) {
    CrdTreeWork *work = &system->tree;
    double sums[2] = {0.0, 0.0};
    work->q = q;
    work->v = v;
    work->summed = !work->is_aside && is_alone(model->structure) && model->structure->tree->branch_count == 0;
    crd_sweep_outward(model, system, sweep_kinematics, work->summed ? sums : NULL);
    work->energies = (CrdEnergies){sums[0], sums[1]};
}

bool crd_tree_is_plain(const CrdStructure *structure, const CrdActions *actions) {
    return structure->tree != NULL && is_alone(structure) && actions->wrenches == NULL;
}

void crd_tree_accelerate(const CardanModel *model, const double *q, const double *v, CrdSystem *system, double *a) {
    system->tree.q = q;
    system->tree.v = v;
    system->tree.euclidean = false;
    crd_stamp_clear(&system->stamp);
    crd_sweep_outward(model, system, sweep_motions, NULL);
    crd_sweep_inward(model, system, ops_of(model->structure)->inertias, a);
    crd_sweep_outward(model, system, ops_of(model->structure)->outward, a);
}

/* kinetic: that is asked for, too. */
static CrdEnergies energies_of(const CardanModel *model, const CrdSystem *system, bool kinetic) {
    CrdEnergies energies = {0};
    assert(crd_stamp_at(&system->stamp, system->tree.q));
    if (system->tree.summed) return system->tree.energies;
    add_energies(model, system, (CrdRange){0, model->structure->tree->count}, kinetic, &energies);
    return energies;
}

double crd_tree_gravity(const CardanModel *model, const CrdSystem *system) {
    return energies_of(model, system, false).potential;
}

CrdEnergies crd_tree_energies(const CardanModel *model, const CrdSystem *system) {
    return energies_of(model, system, true);
}

void crd_complete_forces(const CardanModel *model, const CrdSystem *system) {
    if (model->structure->tree != NULL) crd_sweep_inward(model, system, ops_of(model->structure)->forces, NULL);
}

void crd_tree_pushed(const CardanModel *model, const CrdSystem *system, double *x) {
    const CrdTreeWork *work = &system->tree;
    assert(!work->euclidean && crd_stamp_holds(&system->stamp, CRD_HOLDS_SCHUR | CRD_HOLDS_FORCES));
    if (work->loaded)
        crd_sweep_inward(model, system, ops_of(model->structure)->pushed, x);
    else
        memcpy(x, work->bias, (size_t)model->structure->nv * sizeof *x);
}

void crd_tree_inward(const CardanModel *model, const CrdSystem *system, double *x) {
    if (!system->tree.euclidean) crd_sweep_inward(model, system, ops_of(model->structure)->inward, x);
}

void crd_tree_outward(const CardanModel *model, const CrdSystem *system, double *x) {
    if (!system->tree.euclidean) crd_sweep_outward(model, system, ops_of(model->structure)->outward, x);
}

void crd_tree_spread(const CardanModel *model, const CrdSystem *system, const double *x) {
    union {
        const double *read;
        double *swept;
    } numbers = {x}; /* other sweeps write theirs */
    crd_sweep_outward(model, system, ops_of(model->structure)->spread, numbers.swept);
}

void crd_tree_times_mass(const CardanModel *model, const CrdSystem *system, const double *x, double *y) {
    crd_tree_spread(model, system, x);
    crd_sweep_inward(model, system, ops_of(model->structure)->momenta, y);
}

double crd_tree_kinetic(const CardanModel *model, const CrdSystem *system, const double *x) {
    crd_tree_spread(model, system, x);
    return ops_of(model->structure)->kinetic(model, system);
}
