/* Elimination order and the pattern of S = G M^-1 G^T.
 *
 * Two elements are coupled when they share a coordinate block. The quotient graph of elements is ordered by AMD
 * (Amestoy, Davis, Duff 1996) and expanded to rows, so that the rows of one element stay together: then the slots of a
 * block of S follow from three numbers per pair (CrdProduct) and no search is needed when S is filled. */
#include "model/model.h"

#include "core/memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/amd.h>

/* Elements of each block, and coupled elements of each element. */
typedef struct Graph {
    int *block_start, *block_item; /* incidences of each block */
    int *start, *item;             /* neighbours of each element, itself included */
    int *mark;                     /* last element that saw this one */
    int *order, *position;         /* elimination order and its inverse */
    long long edges;
} Graph;

static void free_graph(Graph *g) {
    void *owned[] = {g->block_start, g->block_item, g->start, g->item, g->mark, g->order, g->position};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) crd_delete(owned[i]);
}

static CardanStatus list_incidences(const CrdShape *s, Graph *g, CrdError *error) {
    g->block_start = crd_new((size_t)s->block_count + 2, sizeof(int));
    g->block_item = crd_new((size_t)s->incidence_count, sizeof(int));
    if (g->block_start == NULL || g->block_item == NULL) return crd_fail_memory(error);
    for (int i = 0; i < s->incidence_count; i++) g->block_start[s->incidences[i].block + 2]++;
    for (int i = 0; i < s->block_count; i++) g->block_start[i + 2] += g->block_start[i + 1];
    for (int i = 0; i < s->incidence_count; i++) g->block_item[g->block_start[s->incidences[i].block + 1]++] = i;
    return CARDAN_OK;
}

/* Visits the neighbours of element e once each; writes them when items is not NULL. */
static int neighbours(const CrdShape *s, Graph *g, int e, int *items) {
    int count = 0;
    g->mark[e] = e;
    if (items != NULL) items[count] = e;
    count++;
    for (int i = s->elements[e].incidence; i < s->elements[e].incidence + s->elements[e].incidences; i++) {
        int block = s->incidences[i].block;
        for (int k = g->block_start[block]; k < g->block_start[block + 1]; k++) {
            int other = s->incidences[g->block_item[k]].element;
            if (g->mark[other] == e) continue;
            g->mark[other] = e;
            if (items != NULL) items[count] = other;
            count++;
        }
    }
    return count;
}

static void clear_marks(const CrdShape *s, Graph *g) {
    for (int e = 0; e < s->element_count; e++) g->mark[e] = -1;
}

static CardanStatus couple(const CrdShape *s, Graph *g, CrdError *error) {
    g->start = crd_new((size_t)s->element_count + 1, sizeof(int));
    g->mark = crd_new((size_t)s->element_count, sizeof(int));
    g->order = crd_new((size_t)s->element_count, sizeof(int));
    g->position = crd_new((size_t)s->element_count, sizeof(int));
    if (g->start == NULL || g->mark == NULL || g->order == NULL || g->position == NULL) return crd_fail_memory(error);
    clear_marks(s, g);
    for (int e = 0; e < s->element_count; e++) {
        g->edges += neighbours(s, g, e, NULL);
        if (g->edges > INT_MAX) return crd_fail(error, CARDAN_ERR_LIMIT, "the model is too large: too many coupled joints");
        g->start[e + 1] = (int)g->edges;
    }
    g->item = crd_new((size_t)g->edges, sizeof(int));
    if (g->item == NULL) return crd_fail_memory(error);
    clear_marks(s, g);
    for (int e = 0; e < s->element_count; e++) neighbours(s, g, e, g->item + g->start[e]);
    return CARDAN_OK;
}

static CardanStatus order_elements(const CrdShape *s, Graph *g, CrdError *error) {
    if (s->element_count == 0) return CARDAN_OK;
    int status = amd_order(s->element_count, g->start, g->item, g->order, NULL, NULL);
    if (status == AMD_OUT_OF_MEMORY) return crd_fail_memory(error);
    if (status == AMD_INVALID) return crd_fail(error, CARDAN_ERR_INTERNAL, "the joint graph could not be ordered");
    for (int i = 0; i < s->element_count; i++) g->position[g->order[i]] = i;
    return CARDAN_OK;
}

static int by_value(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Renames elements by their place in the order; neighbour lists become sorted lists of new names. */
static CardanStatus rename_elements(CrdShape *s, Graph *g, CrdError *error) {
    CrdElement *renamed = crd_new((size_t)s->element_count, sizeof *renamed);
    int *start = crd_new((size_t)s->element_count + 1, sizeof(int)), *item = crd_new((size_t)g->edges, sizeof(int));
    if (renamed == NULL || start == NULL || item == NULL) {
        crd_delete(renamed);
        crd_delete(start);
        crd_delete(item);
        return crd_fail_memory(error);
    }
    int first = 0;
    for (int i = 0; i < s->element_count; i++) {
        int old = g->order[i], count = g->start[old + 1] - g->start[old];
        renamed[i] = s->elements[old];
        renamed[i].first = first;
        first += renamed[i].rows;
        if (renamed[i].joint >= 0) s->element_of_joint[renamed[i].joint] = i;
        start[i + 1] = start[i] + count;
        for (int k = 0; k < count; k++) item[start[i] + k] = g->position[g->item[g->start[old] + k]];
        qsort(item + start[i], (size_t)count, sizeof(int), by_value);
    }
    for (int i = 0; i < s->incidence_count; i++) s->incidences[i].element = g->position[s->incidences[i].element];
    for (int i = 0; i < s->term_count; i++) s->terms[i].element = g->position[s->terms[i].element];
    crd_delete(s->elements);
    crd_delete(g->start);
    crd_delete(g->item);
    s->elements = renamed;
    g->start = start;
    g->item = item;
    return CARDAN_OK;
}

/* Earlier neighbours of e come first in its sorted list; e itself follows them. */
static int rows_above(const CrdShape *s, const Graph *g, int e, int until) {
    int rows = 0;
    for (int k = g->start[e]; g->item[k] < until; k++) rows += s->elements[g->item[k]].rows;
    return rows;
}

static CardanStatus make_pattern(CrdShape *s, const Graph *g, CrdError *error) {
    long long size = 0;
    for (int e = 0; e < s->element_count; e++) {
        long long rows = s->elements[e].rows;
        size += rows * rows_above(s, g, e, e) + rows * (rows + 1) / 2;
        if (size > INT_MAX) return crd_fail(error, CARDAN_ERR_LIMIT, "the model is too large: S does not fit 32 bits");
    }
    s->size_s = (int)size;
    s->s_start = crd_new((size_t)s->rows + 1, sizeof(int));
    s->s_row = crd_new((size_t)s->size_s, sizeof(int));
    s->row_element = crd_new((size_t)s->rows, sizeof(int));
    if (s->s_start == NULL || s->s_row == NULL || s->row_element == NULL) return crd_fail_memory(error);
    int slot = 0;
    for (int e = 0; e < s->element_count; e++) {
        const CrdElement *element = &s->elements[e];
        for (int c = 0; c < element->rows; c++) {
            s->row_element[element->first + c] = e;
            s->s_start[element->first + c] = slot;
            for (int k = g->start[e]; g->item[k] < e; k++) {
                const CrdElement *above = &s->elements[g->item[k]];
                for (int r = 0; r < above->rows; r++) s->s_row[slot++] = above->first + r;
            }
            for (int r = 0; r <= c; r++) s->s_row[slot++] = element->first + r;
        }
    }
    s->s_start[s->rows] = slot;
    return CARDAN_OK;
}

static CrdProduct product_of(const CrdShape *s, const Graph *g, const CrdIncidence *column, const CrdIncidence *row) {
    int above = rows_above(s, g, column->element, column->element);
    bool diagonal = row->element == column->element;
    return (CrdProduct){.g = row->g,
                        .t = column->g,
                        .rows = row->rows,
                        .columns = column->rows,
                        .width = column->width,
                        .base = s->s_start[s->elements[column->element].first],
                        .above = above,
                        .offset = diagonal ? above : rows_above(s, g, column->element, row->element),
                        .diagonal = diagonal};
}

static CardanStatus make_products(CrdShape *s, const Graph *g, CrdError *error) {
    for (int pass = 0; pass < 2; pass++) {
        long long count = 0;
        for (int e = 0; e < s->element_count; e++)
            for (int i = s->elements[e].incidence; i < s->elements[e].incidence + s->elements[e].incidences; i++) {
                const CrdIncidence *column = &s->incidences[i];
                for (int k = g->block_start[column->block]; k < g->block_start[column->block + 1]; k++) {
                    const CrdIncidence *row = &s->incidences[g->block_item[k]];
                    if (row->element > e) continue;
                    if (pass == 1) s->products[count] = product_of(s, g, column, row);
                    count++;
                }
            }
        if (count > INT_MAX) return crd_fail(error, CARDAN_ERR_LIMIT, "the model is too large: too many coupled joints");
        if (pass == 1) return CARDAN_OK;
        s->product_count = (int)count;
        s->products = crd_new((size_t)count, sizeof *s->products);
        if (s->products == NULL) return crd_fail_memory(error);
    }
    return CARDAN_OK;
}

/* Blocks of the elimination are the rows of elements. */
static CardanStatus make_elimination(CrdShape *s, CrdError *error) {
    int *first = crd_new((size_t)s->element_count, sizeof *first), count = 0;
    if (first == NULL) return crd_fail_memory(error);
    for (int e = 0; e < s->element_count; e++)
        if (s->elements[e].rows > 0) first[count++] = s->elements[e].first;
    CardanStatus status = crd_elimination_create(s->rows, s->s_start, s->s_row, count, first, &s->elimination, error);
    crd_delete(first);
    return status;
}

static CardanStatus build(CrdShape *s, Graph *g, CrdError *error) {
    CRD_TRY(list_incidences(s, g, error));
    CRD_TRY(couple(s, g, error));
    CRD_TRY(order_elements(s, g, error));
    CRD_TRY(rename_elements(s, g, error));
    CRD_TRY(make_pattern(s, g, error));
    CRD_TRY(make_products(s, g, error));
    return make_elimination(s, error);
}

CardanStatus crd_shape_order(CrdShape *s, CrdError *error) {
    Graph graph = {0};
    CardanStatus status = build(s, &graph, error);
    free_graph(&graph);
    return status;
}
