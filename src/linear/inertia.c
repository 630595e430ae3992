#include "linear/inertia.h"

#include <assert.h>
#include <math.h>
#include <suitesparse/cholmod.h>

struct CrdInertia {
    cholmod_common common;
    cholmod_factor *l;
    int n;
};

static void configure(cholmod_common *common) {
    cholmod_start(common);
    common->print = 0;
    common->error_handler = NULL;
    common->nmethods = 1;
    common->method[0].ordering = CHOLMOD_NATURAL;
    common->postorder = 0;
    common->supernodal = CHOLMOD_SIMPLICIAL;
    common->final_ll = 0;
}

/* Pivots that are there and finite. */
static bool is_sound(const CrdInertia *inertia) {
    const int *start = inertia->l->p;
    const double *value = inertia->l->x;
    for (int j = 0; j < inertia->n; j++)
        if (!isfinite(value[start[j]]) || value[start[j]] == 0.0) return false;
    return true;
}

static CardanStatus factor(CrdInertia *inertia, const CrdCompressed *upper, CrdError *error) {
    cholmod_sparse a = {.nrow = (size_t)upper->columns,
                        .ncol = (size_t)upper->columns,
                        .nzmax = (size_t)upper->start[upper->columns],
                        .p = upper->start,
                        .i = upper->row,
                        .x = upper->value,
                        .stype = 1,
                        .itype = CHOLMOD_INT,
                        .xtype = CHOLMOD_REAL,
                        .dtype = CHOLMOD_DOUBLE,
                        .sorted = 1,
                        .packed = 1};
    inertia->l = cholmod_analyze(&a, &inertia->common);
    if (inertia->l != NULL) cholmod_factorize(&a, inertia->l, &inertia->common);
    if (inertia->common.status == CHOLMOD_OUT_OF_MEMORY) return crd_fail_memory(error);
    bool there = inertia->l != NULL && inertia->l->xtype == CHOLMOD_REAL && !inertia->l->is_ll &&
                 inertia->l->minor == inertia->l->n;
    return there && is_sound(inertia) ? CARDAN_OK : CARDAN_ERR_NUMERIC;
}

CardanStatus crd_inertia_create(const CrdCompressed *upper, CrdInertia **out, CrdError *error) {
    assert(upper->rows == upper->columns);
    *out = NULL;
    CrdInertia *inertia = crd_new(1, sizeof *inertia);
    if (inertia == NULL) return crd_fail_memory(error);
    inertia->n = upper->columns;
    configure(&inertia->common);
    CardanStatus status = inertia->n > 0 ? factor(inertia, upper, error) : CARDAN_OK;
    if (status < 0)
        crd_inertia_destroy(inertia);
    else
        *out = inertia;
    return status;
}

void crd_inertia_destroy(CrdInertia *inertia) {
    if (inertia == NULL) return;
    cholmod_free_factor(&inertia->l, &inertia->common);
    cholmod_finish(&inertia->common);
    crd_delete(inertia);
}

int crd_inertia_negative(const CrdInertia *inertia) {
    int negative = 0;
    if (inertia->n == 0) return 0;
    const int *start = inertia->l->p;
    const double *value = inertia->l->x;
    for (int j = 0; j < inertia->n; j++) negative += value[start[j]] < 0.0;
    return negative;
}

CardanStatus crd_inertia_solve(const CrdInertia *inertia, double *x) {
    if (inertia->n == 0) return CARDAN_OK;
    const int *start = inertia->l->p, *row = inertia->l->i, *count = inertia->l->nz;
    const double *value = inertia->l->x;
    bool finite = true;
    for (int j = 0; j < inertia->n; j++)
        for (int k = 1; k < count[j]; k++) x[row[start[j] + k]] -= value[start[j] + k] * x[j];
    for (int j = inertia->n - 1; j >= 0; j--) {
        x[j] /= value[start[j]];
        for (int k = 1; k < count[j]; k++) x[j] -= value[start[j] + k] * x[row[start[j] + k]];
        finite = finite && isfinite(x[j]);
    }
    return finite ? CARDAN_OK : CARDAN_ERR_NUMERIC;
}
