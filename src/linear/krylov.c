#include "linear/krylov.h"

#include "core/memory.h"
#include "core/random.h"

#include <assert.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

/* An eigenvalue is there when its residual is this part of it: eigenvalues of symmetric operators are then good to the
 * square of it, vectors to it over their distance. */
static const double CONVERGED = 1e-10;

/* Sizes that differ by less are those of a pair. */
static const double SAME_SIZE = 1e-14;

/* What is left of a vector that lies in the space, of its length. */
static const double IN_SPACE = 1e-12;

/* Vectors beyond those wanted, as a multiple and in blocks, before the search is given up. */
enum { LARGEST_MULTIPLE = 12, LARGEST_MORE = 40, LOOK_EVERY = 2 };

typedef struct Space {
    const CrdOperator *operator;
    int wanted, columns, room;          /* vectors there are, and there is room for */
    int done;                           /* vectors that the operator was applied to */
    bool full;                          /* a vector was left out for want of room */
    double *basis, *image;              /* (n x room) vectors; metric times them, or the same */
    double *h;                          /* (room x room, by columns) projected operator */
    double *y, *my;                     /* (n) */
    double *re, *im, *residual, *small; /* of the projected matrix; small: its vectors */
    int *order;
    double *copy;
} Space;

static size_t at(const Space *space, int column) {
    return (size_t)column * (size_t)space->operator->n;
}

static bool allocate(Space *space) {
    size_t n = (size_t)space->operator->n, room = (size_t)space->room, real = sizeof(double);
    space->basis = crd_new(n * room, real);
    space->image = space->operator->metric != NULL ? crd_new(n * room, real) : space->basis;
    space->h = crd_new(room * room, real);
    space->small = crd_new(room * room, real);
    space->copy = crd_new(room * room, real);
    space->y = crd_new(n, real);
    space->my = crd_new(n, real);
    space->re = crd_new(room, real);
    space->im = crd_new(room, real);
    space->residual = crd_new(room, real);
    space->order = crd_new(room, sizeof(int));
    return space->basis != NULL && space->image != NULL && space->h != NULL && space->small != NULL &&
           space->copy != NULL && space->y != NULL && space->my != NULL && space->re != NULL && space->im != NULL &&
           space->residual != NULL && space->order != NULL;
}

static void release(Space *space) {
    if (space->image != space->basis) crd_delete(space->image);
    CRD_DELETE_ALL(space->basis, space->h, space->small, space->copy, space->y, space->my, space->re, space->im,
                   space->residual, space->order);
}

static double dot(const double *x, const double *y, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

static void times_metric(const Space *space, const double *x, double *y) {
    if (space->operator->metric != NULL)
        space->operator->metric(space->operator->user, x, y);
    else
        memcpy(y, x, (size_t)space->operator->n * sizeof * y);
}

/* Takes from y what lies in the space, twice; parts (columns, may be NULL) gets what was taken. Then y, made 1 long,
 * becomes a vector of the space; *length: what it was, 0 where nothing was left. */
static void append(Space *space, double *parts, double *length) {
    int n = space->operator->n;
    times_metric(space, space->y, space->my);
    double before = sqrt(fmax(0.0, dot(space->y, space->my, n)));
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < space->columns; k++) {
            double s = dot(space->image + at(space, k), space->y, n);
            if (parts != NULL) parts[k] += s;
            for (int i = 0; i < n; i++) space->y[i] -= s * space->basis[at(space, k) + (size_t)i];
        }
    times_metric(space, space->y, space->my);
    *length = sqrt(fmax(0.0, dot(space->y, space->my, n)));
    bool fresh = *length > IN_SPACE * before;
    space->full |= fresh && space->columns == space->room && space->room < n;
    if (!fresh || space->columns == space->room) {
        *length = 0.0;
        return;
    }
    for (int i = 0; i < n; i++) {
        space->basis[at(space, space->columns) + (size_t)i] = space->y[i] / *length;
        if (space->operator->metric != NULL)
            space->image[at(space, space->columns) + (size_t)i] = space->my[i] / *length;
    }
    space->columns++;
}

/* The first block: numbers at random, through the operator once, so that they lie where it leads. */
static CardanStatus begin(Space *space, CrdError *error) {
    uint64_t random = 20;
    int n = space->operator->n;
    for (int b = 0; b < space->operator->block && b<space->room; b++) {
        double length;
        for (int i = 0; i < n; i++) space->my[i] = crd_random(&random) - 0.5;
        CRD_TRY(space->operator->apply(space->operator->user, space->my, space->y));
        append(space, NULL, &length);
    }
    if (space->columns == 0) return crd_fail(error, CARDAN_ERR_NUMERIC, "the operator has no image");
    return CARDAN_OK;
}

static CardanStatus extend(Space *space) {
    double length, *column = space->h + (size_t)space->done * (size_t)space->room;
    const double *x = space->basis + at(space, space->done);
    CRD_TRY(space->operator->apply(space->operator->user, x, space->y));
    int before = space->columns;
    append(space, column, &length);
    if (space->columns > before) column[before] = length;
    space->done++;
    return CARDAN_OK;
}

/* ---- the projected matrix ---- */

static double size_of(const Space *space, int i) {
    return hypot(space->re[i], space->im[i]);
}

/* By falling size; the two of a pair stay together. */
static void sort(Space *space) {
    int m = space->done;
    for (int i = 0; i < m; i++) space->order[i] = i;
    for (int i = 1; i < m; i++) {
        int now = space->order[i], k = i;
        double size = size_of(space, now);
        for (; k > 0 && size_of(space, space->order[k - 1]) < size * (1.0 - SAME_SIZE); k--)
            space->order[k] = space->order[k - 1];
        space->order[k] = now;
    }
}

/* Length of what the operator leads out of the space of a Ritz vector. */
static double outside(const Space *space, const double *vector) {
    double sum = 0.0;
    for (int r = space->done; r < space->columns; r++) {
        double part = 0.0;
        for (int c = 0; c < space->done; c++) part += space->h[(size_t)c * (size_t)space->room + (size_t)r] * vector[c];
        sum += part * part;
    }
    return sqrt(sum);
}

static bool solve_small(Space *space) {
    int m = space->done;
    size_t side = (size_t)m;
    for (size_t c = 0; c < side; c++)
        for (size_t r = 0; r < side; r++) {
            double a = space->h[c * (size_t)space->room + r], b = space->h[r * (size_t)space->room + c];
            space->copy[c * side + r] = space->operator->symmetric ? 0.5 * (a + b) : a;
        }
    if (space->operator->symmetric) {
        memset(space->im, 0, side * sizeof *space->im);
        if (LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'U', m, space->copy, m, space->re) != 0) return false;
        memcpy(space->small, space->copy, side * side * sizeof *space->small);
    } else if (LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'V', m, space->copy, m, space->re, space->im, NULL, 1, space->small,
                             m) != 0) {
        return false;
    }
    for (int i = 0; i < m; i++) {
        double out = outside(space, space->small + (size_t)i * side);
        if (space->im[i] > 0.0) {
            out = hypot(out, outside(space, space->small + (size_t)(i + 1) * side));
            space->residual[i + 1] = out / size_of(space, i);
        }
        if (space->im[i] >= 0.0) space->residual[i] = out / fmax(size_of(space, i), DBL_MIN);
    }
    sort(space);
    return true;
}

/* How many of the largest are converged. */
static int converged(const Space *space) {
    int count = 0;
    while (count < space->done && space->residual[space->order[count]] <= CONVERGED) count++;
    return count;
}

/* ---- results ---- */

static void lift(const Space *space, const double *small, double *out) {
    int n = space->operator->n;
    memset(out, 0, (size_t)n * sizeof *out);
    for (int c = 0; c < space->done; c++)
        for (int i = 0; i < n; i++) out[i] += small[c] * space->basis[at(space, c) + (size_t)i];
}

static CardanStatus take(const Space *space, int count, CrdRitz *out, CrdError *error) {
    size_t n = (size_t)space->operator->n, m = (size_t)count, side = (size_t)space->done;
    *out = (CrdRitz){count, crd_new(m, sizeof(double)), crd_new(m, sizeof(double)), crd_new(m, sizeof(double)),
                     crd_new(n * m, sizeof(double))};
    if (out->re == NULL || out->im == NULL || out->residual == NULL || out->vector == NULL) {
        crd_ritz_free(out);
        return crd_fail_memory(error);
    }
    for (int i = 0; i < count; i++) {
        int k = space->order[i];
        out->re[i] = space->re[k];
        out->im[i] = space->im[k];
        out->residual[i] = space->residual[k];
        lift(space, space->small + (size_t)k * side, out->vector + (size_t)i * n);
    }
    return CARDAN_OK;
}

static CardanStatus search(Space *space, CrdRitz *out, CrdError *error) {
    CRD_TRY(begin(space, error));
    int next = space->wanted + 2 * space->operator->block;
    while (space->done < space->columns) {
        CRD_TRY(extend(space));
        bool exhausted = space->done == space->columns;
        if (space->full) break;
        if (space->done < next && !exhausted) continue;
        next = space->done + LOOK_EVERY * space->operator->block;
        if (!solve_small(space)) return crd_fail(error, CARDAN_ERR_NUMERIC, "eigenvalues of a small matrix not found");
        int count = converged(space);
        if (count < space->wanted && !exhausted) continue;
        if (count > space->wanted) count = space->wanted;
        if (count < space->done && count > 0 && space->im[space->order[count - 1]] > 0.0) count++;
        return take(space, count, out, error);
    }
    return crd_fail(error, CARDAN_ERR_NUMERIC, "the lowest %d eigenvalues did not converge in a space of %d vectors",
                    space->wanted, space->done);
}

CardanStatus crd_krylov(const CrdOperator *operator, int wanted, CrdRitz *out, CrdError *error) {
    long room = (long)LARGEST_MULTIPLE * wanted + (long)LARGEST_MORE * operator->block;
    Space space = {.operator= operator, .wanted = wanted, .room = room > operator->n ? operator->n : (int)room };
    *out = (CrdRitz){0};
    assert(wanted > 0 && operator->block> 0);
    CardanStatus status = allocate(&space) ? search(&space, out, error) : crd_fail_memory(error);
    release(&space);
    return status;
}

void crd_ritz_free(CrdRitz *ritz) {
    CRD_DELETE_ALL(ritz->re, ritz->im, ritz->residual, ritz->vector);
    *ritz = (CrdRitz){0};
}
