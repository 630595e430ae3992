/* Elimination order and the pattern of S = G M^-1 G^T.
 *
 * Two elements are coupled when they share a coordinate block. The quotient graph of elements is ordered by AMD
 * (Amestoy, Davis, Duff 1996) and expanded to rows, so that the rows of one element stay together: then the slots of a
 * block of S follow from three numbers per pair (CrdProduct) and no search is needed when S is filled. */
#include "model/model.h"

#include "core/memory.h"
#include "model/paths.h"
#include "model/postorder.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <suitesparse/amd.h>

/* Elements from which subtrees of the elimination are kept together: smaller systems have no branches for threads. */
enum { CRD_BRANCHES_FROM = 2000 };

/* Elements of each block, and coupled elements of each element. */
typedef struct Graph {
    int *start, *item;     /* neighbours of each element, itself included */
    int *mark;             /* last element that saw this one */
    int *order, *position; /* elimination order and its inverse */
    long long edges;
} Graph;

static CardanStatus list_incidences(CrdStructure *structure, CrdError *error) {
    size_t blocks = (size_t)structure->block_count, count = (size_t)structure->incidence_count;
    int *start = structure->of_block_start = crd_new(blocks + 2, sizeof(int));
    int *item = structure->of_block = crd_new(count, sizeof(int));
    if (start == NULL || item == NULL) return crd_fail_memory(error);
    for (size_t i = 0; i < count; i++) start[structure->incidences[i].block + 2]++;
    for (size_t i = 0; i < blocks; i++) start[i + 2] += start[i + 1];
    for (size_t i = 0; i < count; i++) item[start[structure->incidences[i].block + 1]++] = (int)i;
    return CARDAN_OK;
}

/* Visits the neighbours of element e once each; writes them when items is not NULL. */
static int neighbours(const CrdStructure *structure, Graph *graph, int e, int *items) {
    int count = 0;
    graph->mark[e] = e;
    if (items != NULL) items[count] = e;
    count++;
    const CrdElement *element = &structure->elements[e];
    for (int i = element->incidence; i < element->incidence + element->incidences; i++) {
        int block = structure->incidences[i].block;
        for (int k = structure->of_block_start[block]; k < structure->of_block_start[block + 1]; k++) {
            int other = structure->incidences[structure->of_block[k]].element;
            if (graph->mark[other] == e) continue;
            graph->mark[other] = e;
            if (items != NULL) items[count] = other;
            count++;
        }
    }
    return count;
}

static void clear_marks(const CrdStructure *structure, Graph *graph) {
    for (int e = 0; e < structure->element_count; e++) graph->mark[e] = -1;
}

static CardanStatus couple(const CrdStructure *structure, Graph *graph, CrdError *error) {
    graph->start = crd_new((size_t)structure->element_count + 1, sizeof(int));
    graph->mark = crd_new((size_t)structure->element_count, sizeof(int));
    graph->order = crd_new((size_t)structure->element_count, sizeof(int));
    graph->position = crd_new((size_t)structure->element_count, sizeof(int));
    if (graph->start == NULL || graph->mark == NULL || graph->order == NULL || graph->position == NULL)
        return crd_fail_memory(error);
    clear_marks(structure, graph);
    for (int e = 0; e < structure->element_count; e++) {
        graph->edges += neighbours(structure, graph, e, NULL);
        if (graph->edges > INT_MAX)
            return crd_fail(error, CARDAN_ERR_LIMIT, "the model is too large: too many coupled joints");
        graph->start[e + 1] = (int)graph->edges;
    }
    graph->item = crd_new((size_t)graph->edges, sizeof(int));
    if (graph->item == NULL) return crd_fail_memory(error);
    clear_marks(structure, graph);
    for (int e = 0; e < structure->element_count; e++) neighbours(structure, graph, e, graph->item + graph->start[e]);
    return CARDAN_OK;
}

#ifndef NDEBUG
static bool is_permutation(const int *order, const int *inverse, int count) {
    for (int i = 0; i < count; i++)
        if (inverse[i] < 0 || inverse[i] >= count || order[inverse[i]] != i) return false;
    return true;
}

static bool is_in_order_of_description(const CrdStructure *structure) {
    for (int i = 0; i < structure->joint_count; i++)
        if (structure->elements[i].joint != i) return false;
    return true;
}
#endif

/* Subtrees of the elimination tree become ranges; of long paths there are two. */
static CardanStatus keep_branches(const CrdStructure *structure, const Graph *graph, CrdError *error) {
    int n = structure->element_count;
    if (n < CRD_BRANCHES_FROM) return CARDAN_OK;
    CRD_TRY(crd_postorder(n, graph->start, graph->item, graph->order, error));
    return crd_halve_paths(n, graph->start, graph->item, CRD_BRANCHES_FROM, graph->order, error);
}

static CardanStatus order_elements(const CrdStructure *structure, Graph *graph, CrdError *error) {
    if (structure->element_count == 0) return CARDAN_OK;
    int status = amd_order(structure->element_count, graph->start, graph->item, graph->order, NULL, NULL);
    if (status == AMD_OUT_OF_MEMORY) return crd_fail_memory(error);
    if (status == AMD_INVALID) return crd_fail(error, CARDAN_ERR_INTERNAL, "the joint graph could not be ordered");
    CRD_TRY(keep_branches(structure, graph, error));
    for (int i = 0; i < structure->element_count; i++) graph->position[graph->order[i]] = i;
    assert(is_permutation(graph->order, graph->position, structure->element_count));
    return CARDAN_OK;
}

static int by_value(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Renames elements by their place in the order; neighbour lists become sorted lists of new names. */
static CardanStatus rename_elements(CrdStructure *structure, Graph *graph, CrdError *error) {
    CrdElement *renamed = crd_new((size_t)structure->element_count, sizeof *renamed);
    int *start = crd_new((size_t)structure->element_count + 1, sizeof(int)),
        *item = crd_new((size_t)graph->edges, sizeof(int));
    if (renamed == NULL || start == NULL || item == NULL) {
        CRD_DELETE_ALL(renamed, start, item);
        return crd_fail_memory(error);
    }
    int first = 0;
    for (int i = 0; i < structure->element_count; i++) {
        int old = graph->order[i], count = graph->start[old + 1] - graph->start[old];
        renamed[i] = structure->elements[old];
        renamed[i].first = first;
        first += renamed[i].rows;
        if (renamed[i].joint >= 0) structure->element_of_joint[renamed[i].joint] = i;
        start[i + 1] = start[i] + count;
        for (int k = 0; k < count; k++) item[start[i] + k] = graph->position[graph->item[graph->start[old] + k]];
        qsort(item + start[i], (size_t)count, sizeof(int), by_value);
    }
    assert(first == structure->rows);
    for (int i = 0; i < structure->incidence_count; i++)
        structure->incidences[i].element = graph->position[structure->incidences[i].element];
    for (int i = 0; i < structure->term_count; i++)
        structure->terms[i].element = graph->position[structure->terms[i].element];
    CRD_DELETE_ALL(structure->elements, graph->start, graph->item);
    structure->elements = renamed;
    graph->start = start;
    graph->item = item;
    return CARDAN_OK;
}

/* Earlier neighbours of e come first in its sorted list; e itself follows them. */
static int rows_above(const CrdStructure *structure, const Graph *graph, int e, int until) {
    assert(until <= e); /* e itself ends the search */
    int rows = 0;
    for (int k = graph->start[e]; graph->item[k] < until; k++) rows += structure->elements[graph->item[k]].rows;
    return rows;
}

static CardanStatus make_pattern(CrdStructure *structure, const Graph *graph, CrdError *error) {
    long long size = 0;
    for (int e = 0; e < structure->element_count; e++) {
        long long rows = structure->elements[e].rows;
        size += rows * rows_above(structure, graph, e, e) + rows * (rows + 1) / 2;
        if (size > INT_MAX) return crd_fail(error, CARDAN_ERR_LIMIT, "the model is too large: S does not fit 32 bits");
    }
    structure->size_s = (int)size;
    structure->s_start = crd_new((size_t)structure->rows + 1, sizeof(int));
    structure->s_row = crd_new((size_t)structure->size_s, sizeof(int));
    structure->row_element = crd_new((size_t)structure->rows, sizeof(int));
    if (structure->s_start == NULL || structure->s_row == NULL || structure->row_element == NULL)
        return crd_fail_memory(error);
    int slot = 0;
    for (int e = 0; e < structure->element_count; e++) {
        const CrdElement *element = &structure->elements[e];
        for (int c = 0; c < element->rows; c++) {
            structure->row_element[element->first + c] = e;
            structure->s_start[element->first + c] = slot;
            for (int k = graph->start[e]; graph->item[k] < e; k++) {
                const CrdElement *above = &structure->elements[graph->item[k]];
                for (int r = 0; r < above->rows; r++) structure->s_row[slot++] = above->first + r;
            }
            for (int r = 0; r <= c; r++) structure->s_row[slot++] = element->first + r;
        }
    }
    assert(slot == structure->size_s);
    structure->s_start[structure->rows] = slot;
    return CARDAN_OK;
}

static CrdProductKind kind_of(const CrdIncidence *column, const CrdIncidence *row) {
    int rows = row->rows == column->rows ? row->rows : 0;
    switch (column->width) {
    case 6:
        if (!row->point || !column->point) return CRD_PRODUCT_SPACE;
        return rows == 5 ? CRD_PRODUCT_POINTS5 : rows == 3 ? CRD_PRODUCT_POINTS3 : CRD_PRODUCT_POINTS;
    case 3:
        return rows == CRD_PIN_ROWS ? CRD_PRODUCT_HINGES : CRD_PRODUCT_PLANE;
    case 2:
        return CRD_PRODUCT_TWO;
    case 1:
        return CRD_PRODUCT_ONE;
    default:
        return CRD_PRODUCT_ANY;
    }
}

static CrdProduct product_of(const CrdStructure *structure, const Graph *graph, const CrdIncidence *column,
                             const CrdIncidence *row) {
    assert(row->block == column->block && row->width == column->width && row->element <= column->element);
    int above = rows_above(structure, graph, column->element, column->element);
    bool diagonal = row->element == column->element;
    return (CrdProduct){.g = row->g,
                        .t = column->g,
                        .rows = row->rows,
                        .columns = column->rows,
                        .width = column->width,
                        .base = structure->s_start[structure->elements[column->element].first],
                        .above = above,
                        .offset = diagonal ? above : rows_above(structure, graph, column->element, row->element),
                        .diagonal = diagonal,
                        .kind = kind_of(column, row)};
}

static CardanStatus make_products(CrdStructure *structure, const Graph *graph, CrdError *error) {
    for (int pass = 0; pass < 2; pass++) {
        long long count = 0;
        for (int e = 0; e < structure->element_count; e++)
            for (int i = structure->elements[e].incidence;
                 i < structure->elements[e].incidence + structure->elements[e].incidences; i++) {
                const CrdIncidence *column = &structure->incidences[i];
                for (int k = structure->of_block_start[column->block]; k < structure->of_block_start[column->block + 1];
                     k++) {
                    const CrdIncidence *row = &structure->incidences[structure->of_block[k]];
                    if (row->element > e) continue;
                    if (pass == 1) structure->products[count] = product_of(structure, graph, column, row);
                    count++;
                }
            }
        if (count > INT_MAX)
            return crd_fail(error, CARDAN_ERR_LIMIT, "the model is too large: too many coupled joints");
        assert(pass == 0 || count == structure->product_count);
        if (pass == 1) return CARDAN_OK;
        structure->product_count = (int)count;
        structure->products = crd_new((size_t)count, sizeof *structure->products);
        if (structure->products == NULL) return crd_fail_memory(error);
    }
    return CARDAN_OK;
}

/* Blocks of the elimination are the rows of elements. */
static CardanStatus make_elimination(CrdStructure *structure, CrdError *error) {
    int *first = crd_new((size_t)structure->element_count, sizeof *first), count = 0;
    if (first == NULL) return crd_fail_memory(error);
    for (int e = 0; e < structure->element_count; e++)
        if (structure->elements[e].rows > 0) first[count++] = structure->elements[e].first;
    CardanStatus status = crd_elimination_create(structure->rows, structure->s_start, structure->s_row, count, first,
                                                 &structure->elimination, error);
    crd_delete(first);
    return status;
}

static CardanStatus build(CrdStructure *structure, Graph *graph, CrdError *error) {
    CRD_TRY(list_incidences(structure, error));
    CRD_TRY(couple(structure, graph, error));
    CRD_TRY(order_elements(structure, graph, error));
    CRD_TRY(rename_elements(structure, graph, error));
    CRD_TRY(make_pattern(structure, graph, error));
    CRD_TRY(make_products(structure, graph, error));
    return make_elimination(structure, error);
}

CardanStatus crd_structure_order(CrdStructure *structure, CrdError *error) {
    assert(structure->s_start == NULL && structure->elimination == NULL); /* once */
    assert(is_in_order_of_description(structure));
    Graph graph = {0};
    CardanStatus status = build(structure, &graph, error);
    CRD_DELETE_ALL(graph.start, graph.item, graph.mark, graph.order, graph.position);
    return status;
}
