/* Laws of forces: names become variables, texts become programs. */
#include "model/model.h"

#include "core/memory.h"

#include <string.h>

typedef struct Names {
    CrdShape *shape;
    const CrdDescription *description;
    int capacity;
    CardanStatus status; /* of the last measure that was asked for */
} Names;

static bool same(const char *name, const char *text, size_t length) {
    return strlen(name) == length && memcmp(name, text, length) == 0;
}

static int measure_variable(Names *names, CrdMeasure measure, int object) {
    CrdShape *s = names->shape;
    int first = 1 + s->parameter_count + s->input_count;
    for (int i = 0; i < s->law_measure_count; i++)
        if (s->law_measures[i].measure == measure && s->law_measures[i].object == object) return first + i;
    if (!crd_grow(&s->law_measures, &names->capacity, s->law_measure_count + 1, sizeof *s->law_measures)) {
        names->status = CARDAN_ERR_MEMORY;
        return -1;
    }
    s->law_measures[s->law_measure_count] = (CrdLawMeasure){measure, object};
    return first + s->law_measure_count++;
}

static int find(const void *user, const char *name, size_t length) {
    Names *names = *(Names *const *)user;
    const CrdDescription *d = names->description;
    if (same("t", name, length)) return 0;
    for (int i = 0; i < d->parameter_count; i++)
        if (same(d->parameters[i].name, name, length)) return 1 + i;
    for (int i = 0; i < d->input_count; i++)
        if (same(d->inputs[i].name, name, length)) return 1 + d->parameter_count + i;
    CrdMeasure measure;
    int object;
    if (!crd_find_measure(d, names->shape, name, length, &measure, &object) || !crd_measures[measure].in_laws) return -1;
    return measure_variable(names, measure, object);
}

static CardanStatus compile_law(Names *names, const CrdForceDesc *force, int k, CrdExpr **out, CrdError *error) {
    Names *handle = names;
    CrdSymbols symbols = {.find = find, .suggest = NULL, .user = &handle};
    CrdError inner = {0};
    CardanStatus status = crd_expr_compile(force->law[k], &symbols, out, &inner);
    if (status >= 0) return status;
    if (status == CARDAN_ERR_MEMORY || names->status == CARDAN_ERR_MEMORY) return crd_fail_memory(error);
    CrdPlace place = force->law_place[k];
    if (place.line > 0) place.column += inner.place.column > 0 ? inner.place.column - 1 : 0;
    return crd_fail_at(error, CARDAN_ERR_MODEL, place, "force '%s': %s", force->name, inner.text);
}

CardanStatus crd_shape_laws(CrdShape *s, const CrdDescription *d, CrdError *error) {
    Names names = {.shape = s, .description = d};
    s->laws = crd_new(3 * (size_t)d->force_count, sizeof(CrdExpr *));
    if (s->laws == NULL) return crd_fail_memory(error);
    for (int i = 0; i < d->force_count; i++)
        for (int k = 0; k < 3; k++)
            if (d->forces[i].law[k] != NULL)
                CRD_TRY(compile_law(&names, &d->forces[i], k, &s->laws[3 * i + k], error));
    return CARDAN_OK;
}
