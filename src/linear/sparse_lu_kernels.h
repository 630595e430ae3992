/* The loops of sparse_lu.c that touch numbers, for one type of them: included with NUMBER, OF(name), and the
 * operations LESS(x, l, u): x - l u, OVER(x, y): x / y, TIMES(x, s): s real, SIZE(x): |x| within a factor of 1.5. */

/* Column k of the scaled matrix, spread over x. */
static void OF(spread)(CrdSparseLu *lu, int column, const NUMBER *values, NUMBER *x) {
    for (int i = lu->start[column]; i < lu->start[column + 1]; i++) x[lu->row[i]] = values[i];
}

/* x <- L^-1 x on the rows that the search has found, in topological order; pivotal rows go to U. */
static void OF(eliminate)(CrdSparseLu *lu, int k, NUMBER *x) {
    NUMBER *l = lu->l_value, *u = lu->u_value;
    int end = lu->u_start[k];
    for (int p = lu->top; p < lu->n; p++) {
        int r = lu->found[p], j = lu->pivot_of[r];
        if (j < 0) continue;
        NUMBER at = x[r];
        assert(end < lu->u_room);
        lu->u_row[end] = j;
        u[end++] = at;
        x[r] = (NUMBER){0};
        for (int i = lu->l_start[j]; i < lu->l_start[j + 1]; i++) x[lu->l_row[i]] = LESS(x[lu->l_row[i]], l[i], at);
    }
    lu->u_start[k + 1] = end;
}

/* The pivot of column k: that of the diagonal, or the largest. Puts the rest into L. */
static bool OF(choose)(CrdSparseLu *lu, int k, NUMBER *x) {
    NUMBER *l = lu->l_value;
    double largest = 0.0, diagonal = 0.0;
    int best = -1;
    for (int p = lu->top; p < lu->n; p++) {
        int r = lu->found[p];
        if (lu->pivot_of[r] >= 0) continue;
        double size = SIZE(x[r]);
        if (r == lu->order[k]) diagonal = size;
        if (!isfinite(size)) return false;
        if (size > largest) {
            largest = size;
            best = r;
        }
    }
    if (best < 0) return false;
    if (diagonal >= CRD_LU_DIAGONAL * largest) best = lu->order[k];
    NUMBER pivot = x[best];
    int end = lu->l_start[k];
    for (int p = lu->top; p < lu->n; p++) {
        int r = lu->found[p];
        if (lu->pivot_of[r] < 0 && r != best && SIZE(x[r]) > 0.0) {
            assert(end < lu->l_room);
            lu->l_row[end] = r;
            l[end++] = OVER(x[r], pivot);
        }
        x[r] = (NUMBER){0};
    }
    lu->l_start[k + 1] = end;
    lu->pivot_of[best] = k;
    lu->row_of[k] = best;
    ((NUMBER *)lu->diagonal)[k] = pivot;
    lu->least = fmin(lu->least, SIZE(pivot));
    lu->most = fmax(lu->most, SIZE(pivot));
    return true;
}

static bool OF(factor)(CrdSparseLu *lu, const NUMBER *values) {
    NUMBER *x = lu->work;
    memset(x, 0, (size_t)lu->n * sizeof *x);
    for (int k = 0; k < lu->n; k++) {
        search(lu, lu->order[k]);
        OF(spread)(lu, lu->order[k], values, x);
        OF(eliminate)(lu, k, x);
        if (!OF(choose)(lu, k, x)) return false;
    }
    return true;
}

static void OF(sweep)(const CrdSparseLu *lu, NUMBER *x) {
    const NUMBER *l = lu->l_value, *u = lu->u_value, *diagonal = lu->diagonal;
    NUMBER *y = lu->work;
    for (int r = 0; r < lu->n; r++) x[r] = TIMES(x[r], lu->row_scale[r]);
    for (int k = 0; k < lu->n; k++) {
        NUMBER at = x[lu->row_of[k]];
        y[k] = at;
        for (int i = lu->l_start[k]; i < lu->l_start[k + 1]; i++) x[lu->l_row[i]] = LESS(x[lu->l_row[i]], l[i], at);
    }
    for (int k = lu->n - 1; k >= 0; k--) {
        NUMBER at = OVER(y[k], diagonal[k]);
        y[k] = at;
        for (int i = lu->u_start[k]; i < lu->u_start[k + 1]; i++) y[lu->u_row[i]] = LESS(y[lu->u_row[i]], u[i], at);
    }
    for (int k = 0; k < lu->n; k++) x[lu->order[k]] = TIMES(y[k], lu->column_scale[lu->order[k]]);
}
