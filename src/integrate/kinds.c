#include "integrate/kinds.h"

#include "dynamics/dynamics.h"

#include <assert.h>
#include <math.h>

/* ---- the ranges ---- */

/* So many numbers of this kind come next; ranges NULL: they are counted only. */
static void add(CrdKinds *kinds, CrdKind kind, int count, CrdKindRange *last) {
    if (count <= 0) return;
    bool goes_on = kinds->count > 0 && last->kind == kind;
    *last = (CrdKindRange){goes_on ? last->first : last->end, last->end + count, kind};
    if (!goes_on) kinds->count++;
    if (kinds->ranges != NULL) kinds->ranges[kinds->count - 1] = *last;
}

static void find_ranges(CrdKinds *kinds, const CrdStructure *structure) {
    CrdKindRange last = {0};
    kinds->count = 0;
    for (int rates = 0; rates < 2; rates++)
        for (int i = 0; i < structure->block_count; i++) {
            const CrdBlock *block = &structure->blocks[i];
            int count = rates ? block->nv : block->nq, lengths = crd_block_lengths(structure, block);
            assert(last.end == (rates ? structure->nq + block->v : block->q));
            if (block->kind == CRD_CUSTOM_BLOCK) {
                add(kinds, rates ? CRD_KIND_RATE : CRD_KIND_NUMBER, count, &last);
                continue;
            }
            add(kinds, rates ? CRD_KIND_SPEED : CRD_KIND_LENGTH, lengths, &last);
            add(kinds, rates ? CRD_KIND_SPIN : CRD_KIND_ANGLE, count - lengths, &last);
        }
    add(kinds, CRD_KIND_STATE, structure->first_order, &last);
    assert(last.end == structure->nq + structure->nv + structure->first_order);
}

void crd_kinds_layout(CrdKinds *kinds, const CrdStructure *structure, CrdArena *arena) {
    kinds->ranges = NULL;
    find_ranges(kinds, structure);
    kinds->ranges = crd_take(arena, (size_t)kinds->count, sizeof *kinds->ranges);
    if (kinds->ranges != NULL) find_ranges(kinds, structure);
}

/* ---- sizes ---- */

static double largest(const double *x, const CrdKindRange *range) {
    return crd_max_abs(x + range->first, range->end - range->first);
}

CrdKindSizes crd_kinds_tolerated(const CrdKinds *kinds, const CrdTolerance *tolerance, const CardanModel *model,
                                 const double *y) {
    double max[CRD_KINDS] = {0}, relative = tolerance->relative;
    for (int i = 0; i < kinds->count; i++) {
        const CrdKindRange *range = &kinds->ranges[i];
        if (range->kind < CRD_KIND_SPEED) continue;
        max[range->kind] = fmax(max[range->kind], largest(y, range));
    }
    CrdAllowed place = crd_tolerated_positions(tolerance, model, 1.0);
    double speed = fmax(max[CRD_KIND_SPEED], max[CRD_KIND_RATE]), spin = fmax(max[CRD_KIND_SPIN], max[CRD_KIND_RATE]),
           number = tolerance->number + relative * fmax(1.0, max[CRD_KIND_STATE]);
    return (CrdKindSizes){{[CRD_KIND_LENGTH] = place.length,
                           [CRD_KIND_ANGLE] = place.angle,
                           [CRD_KIND_NUMBER] = number,
                           [CRD_KIND_SPEED] = tolerance->speed + relative * speed,
                           [CRD_KIND_SPIN] = tolerance->spin + relative * spin,
                           [CRD_KIND_RATE] = number,
                           [CRD_KIND_STATE] = number}};
}

CrdKindSizes crd_kinds_of_rates(const CrdKinds *kinds, const CrdStructure *structure, const double *rates) {
    CrdKindSizes sizes = {{0}};
    for (int i = 0; i < kinds->count; i++) {
        CrdKindRange range = kinds->ranges[i];
        if (range.first < structure->nq || range.kind == CRD_KIND_STATE) continue;
        double size = crd_max_abs(rates + range.first - structure->nq, range.end - range.first);
        double *most = &sizes.of[range.kind];
        if (!(size <= *most) && !isnan(*most)) *most = size; /* a NaN stays, too */
    }
    return sizes;
}

double crd_kinds_largest(const CrdKinds *kinds, const CrdKindSizes *sizes, const double *x) {
    double max = 0.0;
    for (int i = 0; i < kinds->count; i++) {
        const CrdKindRange *range = &kinds->ranges[i];
        double size = largest(x, range) / sizes->of[range->kind];
        if (isnan(size)) return size;
        max = fmax(max, size);
    }
    return max;
}
