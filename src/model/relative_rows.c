/* Loop rows of a relative structure: an element's columns are those of all joints between its bodies and the root, so
 * two elements are coupled when some joint has a body of each at or outward of it. The walk of an element is the list
 * of those joints' links from the leaves to the root. */
#include "model/tree.h"

#include "core/memory.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Links that loop rows pass, and pairs of elements that share one, above which the absolute form is faster by far and
 * nothing is made: so many times the joints, or the products of the absolute structure, and some for small models. */
#define CRD_LOOPS_MAX 64
#define CRD_LOOPS_SMALL 100000

typedef struct Walking {
    CrdStructure *structure;
    int *mark;        /* by link: last element that saw it, from 1 */
    int *slot;        /* by link, of the element at hand; -1: none yet */
    int *path;        /* links of the element at hand */
    int *free, given; /* slots given back, and how many there are */
} Walking;

static int downwards(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x < y) - (x > y);
}

/* Links on the ways of an element's bodies to the root, leaves first. */
static int find_path(Walking *walking, int e) {
    const CrdStructure *structure = walking->structure;
    const CrdTree *tree = structure->tree;
    const CrdElement *element = &structure->elements[e];
    int count = 0;
    for (int i = element->attachment; i < element->attachment + element->attachments; i++)
        for (int k = tree->link_of[structure->attachments[i].frame]; k >= 0 && walking->mark[k] != e + 1;
             k = tree->links[k].parent) {
            walking->mark[k] = e + 1;
            walking->slot[k] = -1;
            walking->path[count++] = k;
        }
    qsort(walking->path, (size_t)count, sizeof *walking->path, downwards);
    return count;
}

/* Incidences, steps and seeds, counted or made. */
typedef struct Counts {
    long long steps, incidences, numbers, seeds, wrenches;
} Counts;

static int seed(Walking *walking, const CrdElement *element, int link, Counts *at, bool real) {
    const CrdStructure *structure = walking->structure;
    int seeds = 0;
    for (int i = 0; i < element->attachments; i++) {
        if (structure->tree->link_of[structure->attachments[element->attachment + i].frame] != link) continue;
        if (real) structure->tree->seeds[at->seeds] = i;
        at->seeds++;
        seeds++;
    }
    return seeds;
}

/* Passes the slot on to the parent, or adds to what came there before. */
static void place_step(Walking *walking, CrdWalk *step, int *back) {
    CrdTree *tree = walking->structure->tree;
    int k = step->link, parent = tree->links[k].parent;
    step->fresh = walking->slot[k] < 0;
    if (step->fresh) walking->slot[k] = *back > 0 ? walking->free[--*back] : walking->given++;
    step->slot = walking->slot[k];
    step->up = -1;
    bool moves = parent >= 0 && walking->slot[parent] < 0;
    if (moves) walking->slot[parent] = step->slot;
    if (parent >= 0) step->up = walking->slot[parent];
    if (!moves) walking->free[(*back)++] = step->slot;
}

static void walk_element(Walking *walking, int e, Counts *at, bool real) {
    CrdStructure *structure = walking->structure;
    CrdTree *tree = structure->tree;
    CrdElement *element = &structure->elements[e];
    if (real) tree->walk[e] = (int)at->steps;
    if (element->rows == 0) return;
    int count = find_path(walking, e), back = 0;
    walking->given = 0;
    if (real) {
        element->incidence = (int)at->incidences;
        tree->wrench[e] = (int)at->wrenches;
    }
    for (int i = 0; i < count; i++) {
        int k = walking->path[i];
        const CrdBlock *block = &structure->blocks[k];
        CrdWalk step = {.link = k, .g = block->nv > 0 ? (int)at->numbers : -1, .seed = (int)at->seeds};
        step.seeds = seed(walking, element, k, at, real);
        place_step(walking, &step, &back);
        assert(!step.fresh || step.seeds > 0);
        if (real) tree->steps[at->steps] = step;
        at->steps++;
        if (block->nv == 0) continue;
        if (real)
            structure->incidences[at->incidences] =
                (CrdIncidence){e, k, element->rows, block->nv, step.g, block->v, false, false};
        at->incidences++;
        at->numbers += (long long)element->rows * block->nv;
    }
    at->wrenches += (long long)element->rows * element->attachments;
    if (real) element->incidences = (int)at->incidences - element->incidence;
    if (walking->given > tree->walk_slots) tree->walk_slots = walking->given;
}

static CardanStatus walk_all(Walking *walking, CrdError *error) {
    CrdStructure *structure = walking->structure;
    CrdTree *tree = structure->tree;
    for (int pass = 0; pass < 2; pass++) {
        Counts counts = {0};
        memset(walking->mark, 0, (size_t)tree->count * sizeof *walking->mark);
        for (int e = 0; e < structure->element_count; e++) walk_element(walking, e, &counts, pass == 1);
        tree->walk[structure->element_count] = (int)counts.steps;
        if (pass == 1) return CARDAN_OK;
        long long few = CRD_LOOPS_MAX * ((long long)structure->element_count + structure->frame_count);
        if (counts.steps > few + CRD_LOOPS_SMALL)
            return crd_fail(error, CARDAN_ERR_LIMIT, "its loops are too long: %lld links are passed by loop rows",
                            counts.steps);
        if (counts.numbers > INT_MAX || counts.seeds > INT_MAX || counts.wrenches > INT_MAX / 6)
            return crd_fail(error, CARDAN_ERR_LIMIT, "the model is too large: loop rows do not fit 32 bits");
        structure->incidence_count = (int)counts.incidences;
        structure->size_g = (int)counts.numbers;
        tree->wrenches = (int)counts.wrenches;
        tree->steps = crd_new((size_t)counts.steps, sizeof *tree->steps);
        tree->seeds = crd_new((size_t)counts.seeds, sizeof *tree->seeds);
        structure->incidences = crd_new((size_t)counts.incidences, sizeof *structure->incidences);
        if (tree->steps == NULL || tree->seeds == NULL || structure->incidences == NULL) return crd_fail_memory(error);
    }
    return CARDAN_OK;
}

/* ---- elimination order: of the loop elements alone, which crd_structure_order sees as a model of their own ---- */

static CardanStatus compress(const CrdStructure *structure, CrdStructure *loops, int *number, CrdError *error) {
    *loops = (CrdStructure){.block_count = structure->block_count,
                            .rows = structure->rows,
                            .incidence_count = structure->incidence_count,
                            .size_g = structure->size_g};
    loops->elements = crd_new((size_t)structure->element_count, sizeof *loops->elements);
    loops->incidences = crd_new((size_t)structure->incidence_count, sizeof *loops->incidences);
    if (loops->elements == NULL || loops->incidences == NULL) return crd_fail_memory(error);
    for (int e = 0; e < structure->element_count; e++) {
        if (structure->elements[e].rows == 0) continue;
        number[e] = loops->element_count;
        CrdElement *element = &loops->elements[loops->element_count++];
        *element = structure->elements[e];
        element->joint = -1;
        element->block = e; /* to be found again */
    }
    for (int i = 0; i < structure->incidence_count; i++) {
        loops->incidences[i] = structure->incidences[i];
        loops->incidences[i].element = number[structure->incidences[i].element];
    }
    return CARDAN_OK;
}

static void take_over(CrdStructure *structure, CrdStructure *loops) {
    CrdTree *tree = structure->tree;
    tree->loop_elements = loops->element_count;
    for (int i = 0; i < loops->element_count; i++) {
        tree->loops[i] = loops->elements[i].block;
        structure->elements[tree->loops[i]].first = loops->elements[i].first;
    }
    for (int r = 0; r < structure->rows; r++) loops->row_element[r] = tree->loops[loops->row_element[r]];
    structure->of_block_start = loops->of_block_start;
    structure->of_block = loops->of_block;
    structure->products = loops->products;
    structure->product_count = loops->product_count;
    structure->s_start = loops->s_start;
    structure->s_row = loops->s_row;
    structure->row_element = loops->row_element;
    structure->elimination = loops->elimination;
    structure->size_s = loops->size_s;
}

static CardanStatus order(CrdStructure *structure, CrdError *error) {
    CrdStructure loops = {0};
    int *number = crd_new((size_t)structure->element_count, sizeof *number);
    CardanStatus status = number == NULL ? crd_fail_memory(error) : compress(structure, &loops, number, error);
    if (status >= 0) status = crd_structure_order(&loops, error);
    if (status >= 0) {
        take_over(structure, &loops);
    } else {
        CRD_DELETE_ALL(loops.of_block_start, loops.of_block, loops.products, loops.s_start, loops.s_row,
                       loops.row_element);
        crd_elimination_free(loops.elimination);
    }
    CRD_DELETE_ALL(loops.elements, loops.incidences, number);
    return status;
}

/* Are loops coupled so much that S would be full? */
static CardanStatus check_coupling(const CrdStructure *structure, CrdError *error) {
    int *elements = crd_new((size_t)structure->block_count, sizeof *elements);
    if (elements == NULL) return crd_fail_memory(error);
    double pairs = 0.0, few = CRD_LOOPS_MAX * (double)structure->tree->absolute->product_count;
    for (int i = 0; i < structure->incidence_count; i++) pairs += ++elements[structure->incidences[i].block];
    crd_delete(elements);
    if (pairs <= few + CRD_LOOPS_SMALL) return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_LIMIT, "its loops are coupled too much: %.2g pairs of them share a link", pairs);
}

CardanStatus crd_relative_rows(CrdStructure *structure, CrdError *error) {
    Walking walking = {.structure = structure};
    size_t links = (size_t)structure->tree->count, attachments = (size_t)structure->max_attachments;
    walking.mark = crd_new(links, sizeof(int));
    walking.slot = crd_new(links, sizeof(int));
    walking.path = crd_new(links, sizeof(int));
    walking.free = crd_new(attachments + 1, sizeof(int));
    bool all = walking.mark != NULL && walking.slot != NULL && walking.path != NULL && walking.free != NULL;
    CardanStatus status = all ? walk_all(&walking, error) : crd_fail_memory(error);
    CRD_DELETE_ALL(walking.mark, walking.slot, walking.path, walking.free);
    if (status >= 0) status = check_coupling(structure, error);
    return status < 0 ? status : order(structure, error);
}
