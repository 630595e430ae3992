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
        return crd_element_has_power(element);
    case CRD_HAS_COMPLIANCE:
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

/* ---- of each body of a joint or force ---- */

int crd_last_frame(const CrdStructure *structure, int force) {
    return structure->force_structures[force].last;
}

static bool loads(const CrdDescription *description, const CrdStructure *structure, CrdMeasureOf of, int object,
                  int frame) {
    if (of == CRD_OF_FORCE) return crd_force_loads(structure, description, object, frame);
    const CrdElement *element = &structure->elements[object];
    for (int i = 0; i < element->attachments; i++)
        if (structure->attachments[element->attachment + i].frame == frame) return true;
    return false;
}

/* "crank" or "crank.fx" behind "wrench." or "reaction.". */
static bool find_body(const CrdDescription *description, const CrdStructure *structure, CrdMeasureOf of,
                      const char *name, size_t length, CrdLawMeasure *out) {
    const char *dot = memchr(name, '.', length);
    size_t n = dot != NULL ? (size_t)(dot - name) : length;
    const CrdMeasureRecord *measure = &crd_measures[out->measure];
    int frame = find_place(description, structure, name, n);
    out->column = dot != NULL ? crd_measure_column(measure, description->space, dot + 1, length - n - 1) : 0;
    if (frame < 0 || frame >= structure->frame_count || (dot != NULL && out->column == 0)) return false;
    out->other = frame;
    if (of == CRD_OF_JOINT && frame == crd_element_frame(structure, out->object, 1)) out->other = 0; /* as always */
    return loads(description, structure, of, out->object, frame);
}

static bool find_on_body(const CrdDescription *description, const CrdStructure *structure, CrdMeasureOf of,
                         const char *what, size_t length, CrdLawMeasure *out) {
    const char *dot = memchr(what, '.', length);
    size_t n = dot != NULL ? (size_t)(dot - what) : 0;
    int found = n > 0 ? crd_measure_next(-1, what, n, of, description->space, &out->column) : -1;
    if (found < 0 || !crd_measures[found].on_bodies) return false;
    out->measure = (CrdMeasure)found;
    return find_body(description, structure, of, dot + 1, length - n - 1, out);
}

/* ---- forces ---- */

static bool find_of_force(const CrdDescription *description, const CrdStructure *structure, const char *what,
                          size_t length, CrdLawMeasure *out) {
    int offer =
        crd_offer_find(crd_force_kinds[description->forces[out->object].type], description->space, what, length);
    if (offer >= 0) {
        out->measure = CRD_OFFERED;
        out->other = offer;
        return true;
    }
    int found = crd_measure_next(-1, what, length, CRD_OF_FORCE, description->space, &out->column);
    if (found < 0) return false;
    out->measure = (CrdMeasure)found;
    if (found == CRD_FORCE_WRENCH) out->other = crd_last_frame(structure, out->object);
    return true;
}

bool crd_is_dynamic(const CrdDescription *description, const CrdLawMeasure *it) {
    if (crd_measures[it->measure].of != CRD_OF_FORCE) return false;
    if (it->measure != CRD_OFFERED) return true;
    return !crd_force_kinds[description->forces[it->object].type]->offers.rows[it->other].kinematic;
}

/* ---- pairs ---- */

static bool find_pair(const CrdDescription *description, const CrdStructure *structure, const char *name, size_t length,
                      CrdLawMeasure *out) {
    CrdPairName pair;
    if (!crd_split_pair(name, length, &pair)) return false;
    int column, found = crd_measure_next(-1, pair.word[0], pair.length[0], CRD_OF_PAIR, description->space, &column);
    *out = (CrdLawMeasure){.measure = (CrdMeasure)found,
                           .object = find_place(description, structure, pair.word[1], pair.length[1]),
                           .other = find_place(description, structure, pair.word[2], pair.length[2])};
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
    if (dot != NULL && !find_object(description, structure, name, before - 1, &of, &out->object))
        before = 0; /* a column of the whole model's: momentum.x */
    const char *what = name + before;
    length -= before;
    if (of == CRD_OF_FORCE && find_of_force(description, structure, what, length, out)) return true;
    for (int found = -1; of != CRD_OF_FORCE &&
                         (found = crd_measure_next(found, what, length, of, description->space, &out->column)) >= 0;) {
        out->measure = (CrdMeasure)found;
        if (fits(description, structure, out)) return true;
    }
    return (of == CRD_OF_FORCE || of == CRD_OF_JOINT) && find_on_body(description, structure, of, what, length, out);
}

int crd_measured_frame(const CardanModel *model, const CrdLawMeasure *it, int i) {
    const CrdStructure *structure = model->structure;
    const CrdMeasureOf of = crd_measures[it->measure].of;
    assert(i >= 0);
    if (of == CRD_OF_FORCE) {
        const CrdForceStructure *force = &structure->force_structures[it->object];
        int count = crd_is_dynamic(model->description, it) ? force->frames : force->own_frames;
        return i < count ? structure->force_frames[force->frame + i] : -1;
    }
    if (of == CRD_OF_JOINT) {
        const CrdElement *element = &structure->elements[it->object];
        return i < element->attachments ? structure->attachments[element->attachment + i].frame : -1;
    }
    if (of == CRD_OF_MODEL) return i + 1 < structure->frame_count ? i + 1 : -1; /* those of custom blocks add nothing */
    int places[2] = {it->object, it->other};
    for (int k = 0; k < 2; k++)
        if (places[k] >= structure->frame_count)
            places[k] = model->values.markers[places[k] - structure->frame_count].frame;
    bool two = of == CRD_OF_PAIR && places[0] != places[1];
    return i < (two ? 2 : 1) ? places[i] : -1;
}
