/* What the switches of a model are: those of forces (their records', then their laws'), then the kinks of the laws of
 * drives and paths, then the events of users. */
#include "model/model.h"

#include "core/memory.h"

#include <limits.h>

typedef struct Variables {
    const CrdShape *shape;
    bool path; /* variable 0 is the parameter of a curve */
} Variables;

/* Variables of laws of forces: t, x, v, parameters, inputs, states, measures. */
static bool moves_in_law(const void *user, int variable) {
    const CrdShape *s = ((const Variables *)user)->shape;
    return variable == CRD_LAW_X || variable == CRD_LAW_V || variable >= crd_law_states(s);
}

/* Variables of laws of drives: t or s, parameters, inputs. */
static bool moves_in_drive(const void *user, int variable) {
    return variable == 0 && ((const Variables *)user)->path;
}

/* The kinks of a law, from *count on. */
static void add_law(CrdShape *s, const CrdExpr *law, bool path, CrdSwitch made, bool *reads, int *count) {
    Variables variables = {s, path};
    bool drive = made.kind[0] == 'd';
    crd_expr_kink_reads(law, drive ? moves_in_drive : moves_in_law, &variables, reads);
    for (int k = 0; k < crd_expr_kink_count(law); k++) {
        made.timely = !reads[k];
        s->timely_count += made.timely;
        s->switches[(*count)++] = made;
    }
}

static void add_force(CrdShape *s, const CrdDescription *d, int index, bool *reads, int *count) {
    const CrdForceKind *kind = crd_force_kinds[d->forces[index].type];
    CrdSwitch made = {.kind = "kink", .object = index};
    for (int k = 0; k < kind->switch_count; k++) {
        s->switches[*count] = made;
        if (k < kind->event_switches) s->switches[*count].kind = kind->event;
        (*count)++;
    }
    for (int k = 0; k < CRD_FORCE_LAWS; k++)
        if (s->laws[CRD_FORCE_LAWS * index + k] != NULL)
            add_law(s, s->laws[CRD_FORCE_LAWS * index + k], false, made, reads, count);
}

static void add_element(CrdShape *s, CrdElement *e, bool *reads, int *count) {
    CrdSwitch made = {.kind = "drive", .object = e->joint};
    bool path = e->kind != NULL && (e->kind->needs & CRD_NEEDS_CURVE);
    e->first_switch = *count;
    for (int k = 0; k < e->laws; k++) add_law(s, s->drives[e->law + k], path, made, reads, count);
}

CardanStatus crd_shape_switches(CrdShape *s, const CrdDescription *d, CrdError *error) {
    long long total = s->switch_count, most = 0;
    for (int i = 0; i < s->drive_count; i++) total += crd_expr_kink_count(s->drives[i]);
    total += d->event_count;
    if (total > INT_MAX) return crd_fail(error, CARDAN_ERR_LIMIT, "the model is too large: a size does not fit 32 bits");
    for (int i = 0; i < CRD_FORCE_LAWS * d->force_count; i++)
        if (s->laws[i] != NULL && crd_expr_kink_count(s->laws[i]) > most) most = crd_expr_kink_count(s->laws[i]);
    for (int i = 0; i < s->drive_count; i++)
        if (crd_expr_kink_count(s->drives[i]) > most) most = crd_expr_kink_count(s->drives[i]);
    s->switches = crd_new((size_t)total, sizeof *s->switches);
    bool *reads = crd_new((size_t)most, sizeof *reads);
    if (s->switches == NULL || reads == NULL) {
        crd_delete(reads);
        return crd_fail_memory(error);
    }
    int count = 0;
    for (int i = 0; i < d->force_count; i++) add_force(s, d, i, reads, &count);
    s->first_drive_switch = count;
    for (int i = 0; i < s->element_count; i++) add_element(s, &s->elements[i], reads, &count);
    s->first_event = count;
    for (int i = 0; i < d->event_count; i++) s->switches[count++] = (CrdSwitch){.kind = "user", .object = i};
    s->switch_count = count;
    crd_delete(reads);
    return CARDAN_OK;
}
