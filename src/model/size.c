/* The size is the diameter of the points that count, found by two sweeps (the farthest point from any point, then the
 * farthest from that one: exact for most sets, never less than half): centres of bodies, points of joints on bodies,
 * ends of bars on the ground; or the longest force, if it is longer. A lone body has its radius of gyration, a lone
 * particle nothing but its distance from the origin (where paths begin that it may be led along); or else a metre. */
#include "model/size.h"

#include <assert.h>
#include <float.h>
#include <math.h>

/* m; where nothing in the model is a length. */
#define CRD_SIZE_UNKNOWN 1.0

typedef struct Sweep {
    CrdVec from;     /* distances are taken from here */
    CrdVec farthest; /* the point at `distance` */
    double distance; /* -1: no point yet */
} Sweep;

static void see(Sweep *sweep, CrdVec point) {
    double distance = crd_norm(crd_sub(point, sweep->from));
    if (!(distance > sweep->distance)) return; /* a NaN says nothing */
    sweep->distance = distance;
    sweep->farthest = point;
}

/* The point of a joint on one of its sides. The ground's side counts for bars alone: that of others is where the
 * body's is, and a joint without a point has the origin there. */
static void see_side(const CrdStructure *structure, const CrdValues *values, const CardanFrame *frames, int element,
                     int side, Sweep *sweep) {
    const CrdElement *e = &structure->elements[element];
    const CrdJointData *joint = &values->joints[element];
    int frame = crd_element_frame(structure, element, side);
    if (frame == 0 && !crd_joint_has(e->kind, CARDAN_COORDINATE_LENGTH)) return;
    see(sweep, crd_add(frames[frame].x, crd_apply(frames[frame].rotation, side == 0 ? joint->la : joint->lb)));
}

static Sweep sweep_from(const CrdStructure *structure, const CrdValues *values, const CardanFrame *frames,
                        CrdVec from) {
    Sweep sweep = {.from = from, .farthest = from, .distance = -1.0};
    for (int i = 1; i < structure->frame_count; i++) see(&sweep, frames[i].x);
    for (int e = 0; e < structure->element_count; e++)
        for (int side = 0; structure->elements[e].type == CRD_ELEMENT_JOINT && side < 2; side++)
            see_side(structure, values, frames, e, side, &sweep);
    return sweep;
}

static double largest_gyration(const CrdStructure *structure, const CrdValues *values) {
    double max = 0.0;
    for (int i = 0; i < structure->block_count; i++) {
        const CrdBlockValues *block = &values->blocks[i];
        for (int k = 0; structure->blocks[i].kind != CRD_CUSTOM_BLOCK && k < 9; k += 4)
            max = fmax(max, block->inertia[k] / block->mass);
    }
    return sqrt(max);
}

static double size_of(const CrdStructure *structure, const CrdValues *values, const CardanFrame *frames) {
    assert(structure->frame_count > 0);
    Sweep sweep = sweep_from(structure, values, frames, structure->frame_count > 1 ? frames[1].x : crd_vec(0, 0, 0));
    sweep = sweep_from(structure, values, frames, sweep.farthest);
    double size = fmax(sweep.distance, 0.0);
    for (int i = 0; i < structure->force_count; i++)
        if (crd_force_kinds[values->forces[i].type]->length != NULL)
            size = fmax(size, crd_force_length(&values->forces[i], frames));
    if (size == 0.0) size = largest_gyration(structure, values);
    if (size == 0.0) size = values->far;
    return size > 0.0 ? size : CRD_SIZE_UNKNOWN;
}

static double far_of(const CrdStructure *structure, const CrdValues *values, const CardanFrame *frames) {
    double far = 0.0;
    for (int i = 0; i < structure->frame_count; i++) far = fmax(far, crd_norm(frames[i].x));
    for (int e = 0; e < structure->element_count; e++)
        if (structure->elements[e].kind != NULL)
            far = fmax(far, fmax(crd_norm(values->joints[e].la), crd_norm(values->joints[e].lb)));
    return far;
}

static CrdRowUnit coupler_unit(const CrdStructure *structure, const CrdValues *values, const CrdElement *element) {
    CrdRowUnit unit = {0.0, 0.0};
    for (int i = element->term; i < element->term + element->terms; i++)
        *(structure->terms[i].coordinate == CARDAN_COORDINATE_ANGLE ? &unit.angle : &unit.length) +=
            fabs(values->coefficients[i]);
    return unit;
}

static void resolve_units(const CrdStructure *structure, CrdValues *values) {
    values->has_units = true;
    for (int e = 0; e < structure->element_count; e++) {
        const CrdElement *element = &structure->elements[e];
        if (element->rows > 0 && element->type != CRD_ELEMENT_JOINT && element->type != CRD_ELEMENT_COUPLER)
            values->has_units = false;
        for (int r = 0; r < element->rows; r++) {
            CrdRowUnit *unit = &values->row_units[element->first + r];
            if (element->type == CRD_ELEMENT_COUPLER)
                *unit = coupler_unit(structure, values, element);
            else if (element->type == CRD_ELEMENT_JOINT)
                *unit = crd_joint_unit(element->kind, structure->space, r) == CRD_METRES ? (CrdRowUnit){1.0, 0.0}
                                                                                         : (CrdRowUnit){0.0, 1.0};
        }
    }
}

void crd_resolve_sizes(const CrdStructure *structure, const CardanFrame *frames, CrdValues *values) {
    values->far = fmin(far_of(structure, values, frames), DBL_MAX);
    values->size = fmin(size_of(structure, values, frames), DBL_MAX);
    values->far = fmax(values->far, values->size);
    resolve_units(structure, values);
    assert(values->size > 0.0 && values->far >= values->size);
}
