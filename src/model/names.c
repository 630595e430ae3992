/* Names of measures: "crank.x", "main.angle", "energy". */
#include "model/model.h"

#include <assert.h>
#include <string.h>

/* What the part before the dot names: a frame, a joint (element), or a force with a length. */
static bool find_object(const CrdDescription *description, const CrdStructure *structure, const char *name,
                        size_t length, CrdMeasureOf *of, int *object) {
    CrdNamed named = crd_names_find(&description->names, name, length);
    switch (named.kind) {
    case CRD_NAME_BODY:
        *of = CRD_OF_BODY;
        *object = structure->blocks[named.index].frame;
        return true;
    case CRD_NAME_JOINT:
        *of = CRD_OF_JOINT;
        *object = structure->element_of_joint[named.index];
        return true;
    case CRD_NAME_FORCE:
        *of = CRD_OF_SPRING;
        *object = named.index;
        return crd_force_kinds[description->forces[named.index].type]->length != NULL;
    default:
        return false;
    }
}

bool crd_element_has(const CrdElement *element, const CrdMeasureRecord *measure) {
    assert(measure->of == CRD_OF_JOINT);
    if (measure->effort) return crd_element_has_effort(element);
    if (measure->power) return crd_element_has_power(element);
    return measure->coordinate == CARDAN_COORDINATE_NONE ||
           (element->kind != NULL && crd_joint_has(element->kind, measure->coordinate));
}

/* Is the measure there for this object? A particle has no angle, a weld no coordinate. */
static bool fits(const CrdMeasureRecord *measure, CrdMeasureOf of, int object, const CrdStructure *structure) {
    if (of == CRD_OF_MODEL || of == CRD_OF_SPRING) return true;
    if (of == CRD_OF_BODY) {
        assert(structure->frames[object].kind == CRD_FRAME_BODY);
        CrdBlockKind kind = structure->blocks[structure->frames[object].block].kind;
        return !measure->orientation || kind == CRD_PLANAR_BODY || kind == CRD_SPATIAL_BODY;
    }
    return crd_element_has(&structure->elements[object], measure);
}

bool crd_find_measure(const CrdDescription *description, const CrdStructure *structure, const char *name, size_t length,
                      CrdMeasure *measure, int *object) {
    const char *dot = memchr(name, '.', length);
    CrdMeasureOf of = CRD_OF_MODEL;
    *object = 0;
    size_t before = dot == NULL ? 0 : (size_t)(dot - name) + 1;
    if (dot != NULL && !find_object(description, structure, name, before - 1, &of, object)) return false;
    int found = crd_measure_find(name + before, length - before, of, description->space);
    if (found < 0 || !fits(&crd_measures[found], of, *object, structure)) return false;
    *measure = (CrdMeasure)found;
    return true;
}
