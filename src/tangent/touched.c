#include "tangent/touched.h"

#include "core/memory.h"
#include "equations/force_scene.h"

#include <assert.h>
#include <string.h>

/* ---- what differs ---- */

static bool differ(const void *a, const void *b, size_t count, size_t size) {
    return count > 0 && memcmp(a, b, count * size) != 0;
}

static bool block_differs(const CrdKnob *knob, int i) {
    const CrdBlockValues *a = &knob->low->values.blocks[i], *b = &knob->high->values.blocks[i];
    return a->mass != b->mass || differ(a->inertia, b->inertia, 9, sizeof *a->inertia);
}

static bool joint_differs(const CrdKnob *knob, int element) {
    return differ(&knob->low->values.joints[element], &knob->high->values.joints[element], 1, sizeof(CrdJointData));
}

/* Numbers of a joint without those that no coordinate of this kind depends on. */
static CrdJointData coordinate_numbers(const CardanModel *model, int element, CardanCoordinate which) {
    CrdJointData out = model->values.joints[element];
    out.value = 0.0;
    memset(out.stiffness, 0, sizeof out.stiffness);
    memset(out.damping, 0, sizeof out.damping);
    if (which != CARDAN_COORDINATE_ANGLE) return out;
    out.la = out.lb = (CrdVec){0.0, 0.0, 0.0};
    out.along0 = 0.0;
    return out;
}

/* Does a coordinate of a joint that stands still change? */
static bool coordinate_differs(const CrdKnob *knob, int element, CardanCoordinate which) {
    if (!joint_differs(knob, element)) return false;
    CrdJointData a = coordinate_numbers(knob->low, element, which), b = coordinate_numbers(knob->high, element, which);
    return differ(&a, &b, 1, sizeof a);
}

static bool place_differs(const CrdKnob *knob, int place) {
    int marker = place - knob->low->structure->frame_count;
    return marker >= 0 &&
           differ(&knob->low->values.markers[marker], &knob->high->values.markers[marker], 1, sizeof(CrdMarker));
}

/* Rates and coordinates that the start asks for; one on the slow manifold moves with everything. */
static bool wish_differs(const CrdDescription *a, const CrdDescription *b) {
    if (a->slow.given) return true;
    for (int i = 0; i < a->rate_count; i++)
        if (a->rates[i].rate != b->rates[i].rate) return true;
    for (int i = 0; i < a->coordinate_count; i++)
        if (a->coordinates[i].rate != b->coordinates[i].rate) return true;
    return false;
}

static bool start_differs(const CrdKnob *knob) {
    const CrdStructure *structure = knob->low->structure;
    const CrdValues *a = &knob->low->values, *b = &knob->high->values;
    return wish_differs(knob->low->description, knob->high->description) ||
           differ(a->q0, b->q0, (size_t)structure->nq, sizeof *a->q0) ||
           differ(a->v0, b->v0, (size_t)structure->nv, sizeof *a->v0) ||
           differ(a->z0, b->z0, (size_t)structure->first_order, sizeof *a->z0) ||
           differ(a->tracked, b->tracked, (size_t)structure->tracked_count, sizeof *a->tracked);
}

/* ---- forces ---- */

static bool numbers_differ(const CrdKnob *knob, int force) {
    const CrdForceData *a = &knob->low->values.forces[force], *b = &knob->high->values.forces[force];
    if (differ(a->value, b->value, CRD_FORCE_LAWS, sizeof *a->value)) return true;
    for (int i = 0; i < a->points; i++)
        if (a->point[i].frame != b->point[i].frame || differ(a->point[i].local, b->point[i].local, 3, sizeof(double)))
            return true;
    return differ(&a->numbers, &b->numbers, 1, sizeof a->numbers);
}

/* Does a law read a parameter that moves? before: its variables ahead of the parameters. */
static bool law_reads(const CrdKnob *knob, const CrdExpr *law, int before) {
    for (int i = knob->first; law != NULL && i <= knob->last; i++)
        if (crd_expr_uses(law, before + i)) return true;
    return false;
}

static bool laws_read(const CrdKnob *knob, int force) {
    for (int k = 0; k < CRD_FORCE_LAWS; k++)
        if (law_reads(knob, knob->low->structure->laws[CRD_FORCE_LAWS * force + k], CRD_LAW_OWN)) return true;
    return false;
}

/* Is it on a joint whose coordinate differs? */
static bool bears_differ(const CrdKnob *knob, int force) {
    int joint = knob->low->values.forces[force].joint;
    return joint > 0 && coordinate_differs(knob, knob->low->structure->element_of_joint[joint - 1],
                                           crd_force_coordinate(knob->low, force));
}

static bool measure_differs(const CrdKnob *knob, const CrdLawMeasure *it) {
    switch (crd_measures[it->measure].of) {
    case CRD_OF_FORCE:
        return numbers_differ(knob, it->object) || bears_differ(knob, it->object) || laws_read(knob, it->object);
    case CRD_OF_JOINT:
        return coordinate_differs(knob, it->object, crd_measures[it->measure].coordinate);
    case CRD_OF_PAIR:
        return place_differs(knob, it->object) || place_differs(knob, it->other);
    default:
        return place_differs(knob, it->object);
    }
}

/* Does what a force reads move with the knob? */
static bool reads_differ(const CrdKnob *knob, int force) {
    const CrdStructure *structure = knob->low->structure;
    const CrdForceStructure *it = &structure->force_structures[force];
    if (bears_differ(knob, force)) return true;
    for (int i = 0; i < it->measures; i++)
        if (measure_differs(knob, &structure->law_measures[structure->force_measures[it->measure + i]])) return true;
    return false;
}

/* How deep a knob touches a force; false: not at all. */
static bool touches(const CrdKnob *knob, int force, CrdDepth *depth) {
    *depth = CRD_TOUCHES_READS;
    if (reads_differ(knob, force)) return true;
    *depth = CRD_TOUCHES_LAWS;
    if (laws_read(knob, force)) return true;
    *depth = CRD_TOUCHES_NUMBERS;
    return numbers_differ(knob, force);
}

static bool is_on_custom(const CrdStructure *structure, int force) {
    const CrdForceStructure *it = &structure->force_structures[force];
    for (int i = 0; i < it->frames; i++)
        if (structure->frames[structure->force_frames[it->frame + i]].kind == CRD_FRAME_OF_BLOCK) return true;
    return false;
}

/* ---- elements ---- */

static bool element_differs(const CrdKnob *knob, int index) {
    const CrdStructure *structure = knob->low->structure;
    const CrdElement *element = &structure->elements[index];
    for (int k = 0; k < element->laws; k++)
        if (law_reads(knob, structure->drives[element->law + k], 1)) return true;
    if (element->type == CRD_ELEMENT_COUPLER) {
        const double *a = knob->low->values.coefficients, *b = knob->high->values.coefficients;
        if (differ(a + element->term, b + element->term, (size_t)element->terms, sizeof *a)) return true;
        for (int i = 0; i < element->terms; i++)
            if (coordinate_differs(knob, structure->terms[element->term + i].element,
                                   structure->terms[element->term + i].coordinate))
                return true;
    }
    return joint_differs(knob, index);
}

/* One whose change is not told by its rows alone: a foot is found, a block's frame moves its own way. */
static bool is_hidden(const CrdStructure *structure, const CrdElement *element) {
    if (element->kind != NULL && element->kind->curve) return true;
    for (int i = 0; element->compliant > 0 && i < element->attachments; i++)
        if (structure->frames[structure->attachments[element->attachment + i].frame].kind == CRD_FRAME_OF_BLOCK)
            return true;
    return false;
}

/* ---- lists ---- */

static void look_at_knob(CrdKnob *knob) {
    const CrdStructure *structure = knob->low->structure;
    const CrdValues *low = &knob->low->values, *high = &knob->high->values;
    CrdDepth depth;
    knob->start = start_differs(knob);
    knob->heaves = differ(&low->gravity, &high->gravity, 1, sizeof low->gravity);
    knob->wide = knob->heaves && structure->size_custom > 0;
    for (int i = 0; i < structure->block_count; i++) knob->heavy |= block_differs(knob, i);
    for (int i = 0; i < structure->element_count; i++) {
        if (!element_differs(knob, i)) continue;
        knob->bends = true;
        knob->wide |= is_hidden(structure, &structure->elements[i]);
    }
    for (int i = 0; !knob->wide && i < structure->force_count; i++)
        knob->wide = is_on_custom(structure, i) && touches(knob, i, &depth);
}

static void note(CrdTouchList *list, int object, int knob, CrdDepth depth) {
    if (list->touch != NULL) list->touch[list->count] = (CrdTouch){object, knob, depth};
    list->count++;
}

/* Notes who touches what, or counts it where lists are NULL. */
static void list_all(const CrdStructure *structure, int knobs, const CrdKnob *knob, CrdTouches *out) {
    out->blocks.count = out->forces.count = out->elements.count = 0;
    for (int i = 0; i < structure->block_count; i++)
        for (int k = 0; k < knobs; k++)
            if (knob[k].low != NULL && !knob[k].wide && block_differs(&knob[k], i))
                note(&out->blocks, i, k, CRD_TOUCHES_NUMBERS);
    for (int i = 0; i < structure->element_count; i++)
        for (int k = 0; k < knobs; k++)
            if (knob[k].low != NULL && !knob[k].wide && element_differs(&knob[k], i))
                note(&out->elements, i, k, CRD_TOUCHES_NUMBERS);
    for (int i = 0; i < structure->force_count; i++)
        for (int k = 0; k < knobs; k++) {
            CrdDepth depth;
            if (knob[k].low != NULL && !knob[k].wide && touches(&knob[k], i, &depth)) note(&out->forces, i, k, depth);
        }
}

CardanStatus crd_touches_create(const CardanModel *model, int knobs, CrdKnob *knob, CrdTouches *out, CrdError *error) {
    assert(knobs >= 0 && (knobs == 0 || knob != NULL));
    const CrdStructure *structure = model->structure;
    *out = (CrdTouches){0};
    for (int k = 0; k < knobs; k++)
        if (knob[k].low != NULL) look_at_knob(&knob[k]);
    list_all(structure, knobs, knob, out);
    out->blocks.touch = crd_new((size_t)out->blocks.count, sizeof(CrdTouch));
    out->forces.touch = crd_new((size_t)out->forces.count, sizeof(CrdTouch));
    out->elements.touch = crd_new((size_t)out->elements.count, sizeof(CrdTouch));
    out->load = crd_new((size_t)structure->frame_count, sizeof *out->load);
    out->z_rate = crd_new((size_t)structure->first_order, sizeof *out->z_rate);
    if (out->blocks.touch == NULL || out->forces.touch == NULL || out->elements.touch == NULL || out->load == NULL ||
        out->z_rate == NULL)
        return crd_fail_memory(error);
    list_all(structure, knobs, knob, out);
    return CARDAN_OK;
}

void crd_touches_free(CrdTouches *touches) {
    CRD_DELETE_ALL(touches->blocks.touch, touches->forces.touch, touches->elements.touch, touches->load,
                   touches->z_rate);
}
