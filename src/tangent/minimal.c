/* The minimal form by elimination: with the states and inputs given, the other unknowns follow from the equations
 * without rates,
 *     L X = (states; -B u)        L: A with the equations of states replaced by X_i = x_i
 * and the equations with rates then give A and B, outputs C and D. One sparse factor, a solve for each column. */
#include "tangent/linear.h"

#include "linear/sparse_lu.h"

#include <assert.h>
#include <string.h>

static CardanStatus make_matrix(const CardanLinear *linear, CrdError *error, CrdCompressed *out) {
    CrdEntries entries = {0};
    for (int c = 0; c < linear->size; c++)
        for (int i = linear->a.start[c]; i < linear->a.start[c + 1]; i++)
            if (linear->equation[linear->a.row[i]].state < 0)
                crd_entries_add(&entries, linear->a.row[i], c, linear->a.value[i]);
    for (int i = 0; i < linear->states; i++) crd_entries_add(&entries, linear->state_row[i], linear->state[i], 1.0);
    return crd_compressed_create(&entries, linear->size, linear->size, out, error);
}

static void set_right(const CardanLinear *linear, int i, double *x) {
    assert(i >= 0);
    memset(x, 0, (size_t)linear->size * sizeof *x);
    if (i < linear->states) {
        x[linear->state_row[i]] = 1.0;
        return;
    }
    int c = i - linear->states;
    for (int k = linear->b.start[c]; k < linear->b.start[c + 1]; k++)
        if (linear->equation[linear->b.row[k]].state < 0) x[linear->b.row[k]] = -linear->b.value[k];
}

CardanStatus crd_linear_directions(const CardanLinear *linear, CrdError *error, CrdDirections see, void *user) {
    CrdCompressed matrix = {0};
    CrdSparseLu *lu = NULL;
    double weakest, *x = crd_new((size_t)linear->size, sizeof *x), *zero = NULL;
    CardanStatus status = x == NULL ? crd_fail_memory(error) : make_matrix(linear, error, &matrix);
    if (status >= 0) status = crd_sparse_lu_create(linear->size, matrix.start, matrix.row, false, &lu, error);
    if (status >= 0) {
        zero = crd_new((size_t)matrix.start[matrix.columns], sizeof *zero);
        status = zero == NULL ? crd_fail_memory(error) : crd_sparse_lu_factor(lu, 1.0, matrix.value, zero, &weakest);
    }
    for (int i = 0; status >= 0 && i < linear->states + linear->inputs; i++) {
        set_right(linear, i, x);
        status = crd_sparse_lu_solve(lu, x);
        if (status >= 0) status = see(user, i, x);
    }
    if (status == CARDAN_ERR_NUMERIC)
        status = crd_fail(error, status,
                          "the constraint rows depend on each other in this pose to rounding: it is "
                          "singular, or next to it; linearise about another one");
    crd_sparse_lu_destroy(lu);
    crd_compressed_free(&matrix);
    CRD_DELETE_ALL(x, zero);
    return status;
}

/* What is filled column by column. */
typedef struct Filling {
    CardanLinear *linear;
    CardanSim *sim;
    double *product; /* (size) A X */
    double *seen;    /* (outputs) C X */
} Filling;

static CardanStatus fill_column(void *user, int i, const double *unknowns) {
    Filling *filling = user;
    CardanLinear *linear = filling->linear;
    size_t n = (size_t)linear->states, m = (size_t)linear->inputs, k = (size_t)i;
    bool state = i < linear->states;
    size_t input = state ? 0 : k - n;
    memset(filling->product, 0, (size_t)linear->size * sizeof(double));
    memset(filling->seen, 0, (size_t)linear->outputs * sizeof(double));
    crd_compressed_times(&linear->a, 1.0, unknowns, filling->product);
    crd_compressed_times(&linear->c, 1.0, unknowns, filling->seen);
    for (int s = 0; !state && s < linear->b.start[input + 1] - linear->b.start[input]; s++)
        filling->product[linear->b.row[linear->b.start[input] + s]] += linear->b.value[linear->b.start[input] + s];
    for (size_t r = 0; r < n; r++) {
        double value = filling->product[linear->state_row[r]];
        if (state)
            linear->A[r * n + k] = value;
        else
            linear->B[r * m + input] = value;
    }
    for (size_t r = 0; r < (size_t)linear->outputs; r++) {
        if (state)
            linear->C[r * n + k] = filling->seen[r];
        else
            linear->D[r * m + input] = filling->seen[r];
    }
    return crd_linear_difference(linear, filling->sim, i, unknowns);
}

CardanStatus crd_linear_minimal(CardanLinear *linear, const CrdTangent *tangent) {
    CardanSim *sim = tangent->sim;
    size_t n = (size_t)linear->states, m = (size_t)linear->inputs, p = (size_t)linear->outputs;
    if (linear->states > CARDAN_LINEAR_STATES)
        return crd_fail(&sim->error, CARDAN_ERR_LIMIT,
                        "the mechanism has %d independent states; the dense minimal form is made up to %d: ask for the "
                        "descriptor form, which is sparse",
                        linear->states, CARDAN_LINEAR_STATES);
    linear->A = crd_new(n * n, sizeof(double));
    linear->B = crd_new(n * m, sizeof(double));
    linear->C = crd_new(p * n, sizeof(double));
    linear->D = crd_new(p * m, sizeof(double));
    Filling filling = {linear, sim, crd_new((size_t)linear->size, sizeof(double)), crd_new(p, sizeof(double))};
    bool made = linear->A != NULL && linear->B != NULL && linear->C != NULL && linear->D != NULL &&
                filling.product != NULL && filling.seen != NULL;
    CardanStatus status =
        made ? crd_linear_directions(linear, &sim->error, fill_column, &filling) : crd_fail_memory(&sim->error);
    CRD_DELETE_ALL(filling.product, filling.seen);
    return status;
}
