/* Names of measures: "crank.x", "main.angle", "energy". */
#include "model/model.h"

#include <string.h>

static bool same(const char *name, const char *text, size_t length) {
    return strlen(name) == length && memcmp(name, text, length) == 0;
}

/* What the part before the dot names: a carrier, a joint (element), or a spring (force). */
static bool find_object(const CrdDescription *d, const CrdShape *s, const char *name, size_t length, CrdMeasureOf *of,
                        int *object) {
    *of = CRD_OF_BODY;
    for (int i = 0; i < d->carrier_count; i++)
        if (d->carriers[i].kind == CRD_CARRIER_BODY && same(d->bodies[d->carriers[i].object].name, name, length)) {
            *object = i;
            return true;
        }
    *of = CRD_OF_JOINT;
    for (int i = 0; i < d->joint_count; i++)
        if (same(d->joints[i].name, name, length)) {
            *object = s->element_of_joint[i];
            return true;
        }
    *of = CRD_OF_SPRING;
    for (int i = 0; i < d->force_count; i++)
        if (d->forces[i].type == CARDAN_SPRING && same(d->forces[i].name, name, length)) {
            *object = i;
            return true;
        }
    return false;
}

bool crd_element_has(const CrdElement *e, const CrdMeasureRecord *m) {
    if (m->effort) return crd_element_has_effort(e);
    if (m->power) return crd_element_has_power(e);
    return m->coordinate == CARDAN_NO_COORDINATE || (e->kind != NULL && crd_joint_has(e->kind, m->coordinate));
}

/* Is the measure there for this object? A particle has no angle, a weld no coordinate. */
static bool fits(const CrdMeasureRecord *m, CrdMeasureOf of, int object, const CrdShape *s) {
    if (of == CRD_OF_MODEL || of == CRD_OF_SPRING) return true;
    if (of == CRD_OF_BODY) {
        CrdBlockKind kind = s->blocks[s->carriers[object].block].kind;
        return !m->orientation || kind == CRD_PLANAR_BODY || kind == CRD_SPATIAL_BODY;
    }
    return crd_element_has(&s->elements[object], m);
}

bool crd_find_measure(const CrdDescription *d, const CrdShape *s, const char *name, size_t length, CrdMeasure *measure,
                      int *object) {
    const char *dot = memchr(name, '.', length);
    CrdMeasureOf of = CRD_OF_MODEL;
    *object = 0;
    size_t before = dot == NULL ? 0 : (size_t)(dot - name) + 1;
    if (dot != NULL && !find_object(d, s, name, before - 1, &of, object)) return false;
    int found = crd_measure_find(name + before, length - before, of, d->space);
    if (found < 0 || !fits(&crd_measures[found], of, *object, s)) return false;
    *measure = (CrdMeasure)found;
    return true;
}
