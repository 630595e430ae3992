/* Names of measures: "crank.x", "main.angle", "spring.force", "spring.wrench.crank", "distance(foot, hip)", "energy".
 */
#include "model/model.h"

#include <assert.h>
#include <string.h>

/* A body or a marker as a place: the frame, or frame_count and the marker's number; -1: neither. */
static int find_place(const CrdDescription *description, const CrdStructure *structure, const char *name,
                      size_t length) {
    CrdNamed named = crd_names_find(&description->names, name, length);
    if (named.kind == CRD_NAME_BODY) return structure->blocks[named.index].frame;
    return named.kind == CRD_NAME_MARKER ? structure->frame_count + named.index : -1;
}

/* What the part before the dot names: a place, a joint (element) or a force. */
static bool find_object(const CrdDescription *description, const CrdStructure *structure, const char *name,
                        size_t length, CrdMeasureOf *of, int *object) {
    CrdNamed named = crd_names_find(&description->names, name, length);
    switch (named.kind) {
    case CRD_NAME_BODY:
    case CRD_NAME_MARKER:
        *of = named.kind == CRD_NAME_BODY ? CRD_OF_BODY : CRD_OF_MARKER;
        *object = find_place(description, structure, name, length);
        return true;
    case CRD_NAME_JOINT:
        *of = CRD_OF_JOINT;
        *object = structure->element_of_joint[named.index];
        return true;
    case CRD_NAME_FORCE:
        *of = CRD_OF_FORCE;
        *object = named.index;
        return true;
    default:
        return false;
    }
}

bool crd_element_has(const CrdElement *element, const CrdMeasureRecord *measure) {
    assert(measure->of == CRD_OF_JOINT);
    switch (measure->has) {
    case CRD_HAS_EFFORT:
        return crd_element_has_effort(element);
    case CRD_HAS_POWER:
        return crd_element_has_power(element) || element->compliant > 0;
    case CRD_HAS_ENERGY:
        return element->compliant > 0;
    default:
        return element->kind != NULL ? crd_kind_has(element->kind, measure)
                                     : measure->has == CRD_ANY_JOINT && measure->coordinate == CARDAN_COORDINATE_NONE;
    }
}

static bool turns(const CrdDescription *description, const CrdStructure *structure, int place) {
    int frame = place < structure->frame_count ? place : description->markers[place - structure->frame_count].frame;
    if (structure->frames[frame].kind != CRD_FRAME_BODY) return true;
    return !description->bodies[description->frames[frame].object].particle;
}

/* Is the measure there for this object? A particle has no angle, a weld no coordinate. */
static bool fits(const CrdDescription *description, const CrdStructure *structure, const CrdLawMeasure *it) {
    const CrdMeasureRecord *measure = &crd_measures[it->measure];
    if (measure->of == CRD_OF_MODEL || measure->of == CRD_OF_FORCE) return true;
    if (measure->of == CRD_OF_JOINT) return crd_element_has(&structure->elements[it->object], measure);
    if (!measure->orientation) return true;
    return turns(description, structure, it->object) &&
           (measure->of != CRD_OF_PAIR || turns(description, structure, it->other));
}

/* ---- forces ---- */

int crd_last_frame(const CrdStructure *structure, int force) {
    return structure->force_structures[force].last;
}

/* The frame of a body that the force loads; -1: none of that name. */
static int loaded_frame(const CrdDescription *description, const CrdStructure *structure, int force, const char *name,
                        size_t length) {
    const CrdForceStructure *it = &structure->force_structures[force];
    int frame = find_place(description, structure, name, length);
    for (int i = 0; i < it->own_frames; i++)
        if (structure->force_frames[it->frame + i] == frame) return frame;
    return -1;
}

static bool find_of_force(const CrdDescription *description, const CrdStructure *structure, const char *what,
                          size_t length, CrdLawMeasure *out) {
    static const char WRENCH[] = "wrench.";
    const size_t n = sizeof WRENCH - 1;
    int offer =
        crd_offer_find(crd_force_kinds[description->forces[out->object].type], description->space, what, length);
    if (offer >= 0) {
        out->measure = CRD_OFFERED;
        out->other = offer;
        return true;
    }
    bool wrench = length > n && memcmp(what, WRENCH, n) == 0;
    int found = crd_measure_next(-1, what, wrench ? n - 1 : length, CRD_OF_FORCE, description->space);
    if (found < 0) return false;
    out->measure = (CrdMeasure)found;
    if (structure->force_frames == NULL && found == CRD_FORCE_WRENCH) return false; /* a law, before they are known */
    if (found == CRD_FORCE_WRENCH) out->other = crd_last_frame(structure, out->object);
    if (wrench) out->other = loaded_frame(description, structure, out->object, what + n, length - n);
    return out->other >= 0;
}

bool crd_is_dynamic(const CrdDescription *description, const CrdLawMeasure *it) {
    if (it->measure != CRD_OFFERED) return false;
    return !crd_force_kinds[description->forces[it->object].type]->offers.rows[it->other].kinematic;
}

/* ---- pairs ---- */

static bool find_pair(const CrdDescription *description, const CrdStructure *structure, const char *name, size_t length,
                      CrdLawMeasure *out) {
    CrdPairName pair;
    if (!crd_split_pair(name, length, &pair)) return false;
    int found = crd_measure_next(-1, pair.word[0], pair.length[0], CRD_OF_PAIR, description->space);
    *out = (CrdLawMeasure){(CrdMeasure)found, find_place(description, structure, pair.word[1], pair.length[1]),
                           find_place(description, structure, pair.word[2], pair.length[2])};
    return found >= 0 && out->object >= 0 && out->other >= 0 && fits(description, structure, out);
}

/* ---- all ---- */

bool crd_find_measure(const CrdDescription *description, const CrdStructure *structure, const char *name, size_t length,
                      CrdLawMeasure *out) {
    const char *dot = memchr(name, '.', length);
    CrdMeasureOf of = CRD_OF_MODEL;
    *out = (CrdLawMeasure){.object = 0};
    if (memchr(name, '(', length) != NULL) return find_pair(description, structure, name, length, out);
    size_t before = dot == NULL ? 0 : (size_t)(dot - name) + 1;
    if (dot != NULL && !find_object(description, structure, name, before - 1, &of, &out->object)) return false;
    if (of == CRD_OF_FORCE) return find_of_force(description, structure, name + before, length - before, out);
    for (int found = -1;
         (found = crd_measure_next(found, name + before, length - before, of, description->space)) >= 0;) {
        out->measure = (CrdMeasure)found;
        if (fits(description, structure, out)) return true;
    }
    return false;
}
