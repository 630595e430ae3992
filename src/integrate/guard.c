#include "integrate/guard.h"

#include <assert.h>
#include <math.h>

void crd_guards_add(CrdGuards *guards, const CrdGuard *guard, void *self) {
    assert(guards->count < CRD_GUARDS_MAX);
    guards->guard[guards->count] = guard;
    guards->self[guards->count++] = self;
}

CardanStatus crd_guards_initialise(const CrdGuards *guards) {
    for (int i = 0; i < guards->count; i++)
        if (guards->guard[i]->initialise != NULL) CRD_TRY(guards->guard[i]->initialise(guards->self[i]));
    return CARDAN_OK;
}

double crd_guards_limit(const CrdGuards *guards, double t_limit, double h) {
    for (int i = 0; i < guards->count; i++)
        if (guards->guard[i]->limit != NULL)
            t_limit = fmin(t_limit, guards->guard[i]->limit(guards->self[i], t_limit, h));
    return t_limit;
}

double crd_guards_foresee(const CrdGuards *guards, double h) {
    for (int i = 0; i < guards->count; i++)
        if (guards->guard[i]->foresee != NULL) h = fmin(h, guards->guard[i]->foresee(guards->self[i], h));
    return h;
}

CrdVerdict crd_guards_after_attempt(const CrdGuards *guards, CrdTry *attempt, CardanStatus *status) {
    CrdVerdict verdict = CRD_ACCEPT;
    for (int i = 0; i < guards->count && verdict == CRD_ACCEPT; i++) {
        if (guards->guard[i]->after_attempt == NULL) continue;
        verdict = guards->guard[i]->after_attempt(guards->self[i], attempt, status);
        if (*status < 0 && verdict != CRD_RESTART && verdict != CRD_FAIL) verdict = CRD_REJECT;
    }
    return verdict;
}

CardanStatus crd_guards_after_acceptance(const CrdGuards *guards) {
    CardanStatus last = CARDAN_OK;
    for (int i = 0; i < guards->count && last >= 0; i++) {
        if (guards->guard[i]->after_acceptance == NULL) continue;
        CardanStatus status = guards->guard[i]->after_acceptance(guards->self[i]);
        if (status < 0 || (status != CARDAN_OK && last != CARDAN_STOPPED)) last = status;
    }
    return last;
}

void crd_guards_join(const CrdGuards *guards) {
    for (int i = 0; i < guards->count; i++)
        if (guards->guard[i]->join != NULL) guards->guard[i]->join(guards->self[i]);
}

CardanStatus crd_guards_explain(const CrdGuards *guards, const CrdTry *attempt, CardanStatus status) {
    for (int i = 0; i < guards->count; i++) {
        if (guards->guard[i]->explain == NULL) continue;
        CardanStatus explained = guards->guard[i]->explain(guards->self[i], attempt, status);
        if (explained < 0) return explained;
    }
    return CARDAN_OK;
}

bool crd_guards_are_engaged(const CrdGuards *guards) {
    for (int i = 0; i < guards->count; i++)
        if (guards->guard[i]->is_engaged != NULL && guards->guard[i]->is_engaged(guards->self[i])) return true;
    return false;
}

void crd_guards_touch(const CrdGuards *guards) {
    for (int i = 0; i < guards->count; i++)
        if (guards->guard[i]->touch != NULL) guards->guard[i]->touch(guards->self[i]);
}

void crd_guards_reset(const CrdGuards *guards) {
    for (int i = 0; i < guards->count; i++)
        if (guards->guard[i]->reset != NULL) guards->guard[i]->reset(guards->self[i]);
}

void crd_guards_hold(const CrdGuards *guards, bool last) {
    for (int i = 0; i < guards->count; i++)
        if (guards->guard[i]->hold != NULL) guards->guard[i]->hold(guards->self[i], last);
}

static int size_of(const CrdGuard *guard, const CrdStructure *structure) {
    return guard->memory_size != NULL ? guard->memory_size(structure) : 0;
}

int crd_guards_memory_size(const CrdGuards *guards, const CrdStructure *structure) {
    int size = 0;
    for (int i = 0; i < guards->count; i++) size += size_of(guards->guard[i], structure);
    return size;
}

void crd_guards_get(const CrdGuards *guards, const CrdStructure *structure, double *numbers) {
    for (int i = 0; i < guards->count; i++) {
        if (guards->guard[i]->get != NULL) guards->guard[i]->get(guards->self[i], numbers);
        numbers += size_of(guards->guard[i], structure);
    }
}

void crd_guards_set(const CrdGuards *guards, const CrdStructure *structure, const double *numbers) {
    for (int i = 0; i < guards->count; i++) {
        if (guards->guard[i]->set != NULL) guards->guard[i]->set(guards->self[i], numbers);
        numbers += size_of(guards->guard[i], structure);
    }
}

void crd_guards_copy(const CrdGuards *to, const CrdGuards *from) {
    for (int i = 0; i < to->count; i++)
        for (int k = 0; k < from->count && to->guard[i]->copy != NULL; k++)
            if (to->guard[i] == from->guard[k]) to->guard[i]->copy(to->self[i], from->self[k]);
}
