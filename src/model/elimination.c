/* Symbolic factorisation of S by blocks.
 *
 * Row structure: block i is in column k when k is reached from a neighbour of i on the way up the elimination tree
 * before i (Liu 1990). Blocks are visited in order, so the lists of every column come out sorted, and the columns
 * reached from i are those that will change column i: lists of blocks and of updates are made by the same walk. */
#include "model/elimination.h"

#include "core/memory.h"
#include "model/valid.h"

#include <assert.h>
#include <limits.h>
#include <stddef.h>

/* What the making needs and the result does not. */
typedef struct Work {
    CrdElimination *e;
    const int *start, *row; /* pattern of S */
    int *block_of;          /* (n) block of each row */
    int *parent;            /* (count) in the elimination tree; -1: a root */
    int *mark;              /* (count) last block that passed here */
    int *fill;              /* (count) items written so far */
    int *place;             /* (count) where the rows of a block go in the panel at hand */
} Work;

void crd_elimination_free(CrdElimination *elimination) {
    if (elimination == NULL) return;
    CRD_DELETE_ALL(elimination->panels, elimination->below, elimination->spans, elimination->sources,
                   elimination->updates, elimination->runs, elimination->branches, elimination->ranges,
                   elimination->trunk, elimination->reaching);
    crd_delete(elimination);
}

/* ---- blocks ---- */

/* Whether column j + 1 has the rows of column j and its own. */
static bool continues(const Work *work, int j) {
    int a = work->start[j], b = work->start[j + 1], count = b - a;
    if (work->start[j + 2] - b != count + 1) return false;
    for (int k = 0; k < count; k++)
        if (work->row[a + k] != work->row[b + k]) return false;
    return true;
}

/* Rows of the block that starts at j. end: where the group given ends. */
static int width_at(const Work *work, int j, int end, bool given) {
    int width = 1;
    while (width < CRD_WIDEST && j + width < end && (given || continues(work, j + width - 1))) width++;
    return width;
}

/* Cuts the rows into blocks; counts alone while there are no panels. */
static int cut(Work *work, int blocks, const int *block) {
    CrdElimination *elimination = work->e;
    int count = 0, group = 0;
    for (int j = 0, width; j < elimination->n; j += width, count++) {
        while (block != NULL && group < blocks && block[group] <= j) group++;
        width = width_at(work, j, block != NULL && group < blocks ? block[group] : elimination->n, block != NULL);
        if (elimination->panels == NULL) continue;
        elimination->panels[count].first = j;
        elimination->panels[count].width = width;
        for (int i = 0; i < width; i++) work->block_of[j + i] = count;
    }
    return count;
}

static CardanStatus make_blocks(Work *work, int blocks, const int *block, CrdError *error) {
    CrdElimination *elimination = work->e;
    elimination->count = cut(work, blocks, block);
    size_t count = (size_t)elimination->count;
    work->block_of = crd_new((size_t)elimination->n, sizeof(int));
    work->parent = crd_new(count, sizeof(int));
    work->mark = crd_new(count, sizeof(int));
    work->fill = crd_new(count, sizeof(int));
    work->place = crd_new(count, sizeof(int));
    elimination->panels = crd_new(count + 1, sizeof *elimination->panels);
    if (work->block_of == NULL || work->parent == NULL || work->mark == NULL || work->fill == NULL ||
        work->place == NULL || elimination->panels == NULL)
        return crd_fail_memory(error);
    int again = cut(work, blocks, block);
    assert(again == elimination->count);
    (void)again;
    elimination->panels[count].first = elimination->n;
    return CARDAN_OK;
}

/* ---- columns ---- */

/* Visits every column that block i is in; in the second pass lists i there, and the column as an update of i. */
static void walk_row(Work *work, int i, long long *updates) {
    CrdElimination *elimination = work->e;
    int first = elimination->panels[i].first;
    work->mark[i] = i;
    for (int slot = work->start[first]; slot < work->start[first + 1]; slot++)
        for (int k = work->block_of[work->row[slot]]; work->mark[k] != i; k = work->parent[k]) {
            work->mark[k] = i;
            if (work->parent[k] < 0) work->parent[k] = i;
            if (elimination->below == NULL) {
                work->fill[k]++;
            } else {
                CrdBelow *below = &elimination->below[elimination->panels[k].block + work->fill[k]];
                int at = work->fill[k]++ > 0 ? below[-1].at + elimination->panels[below[-1].panel].width : 0;
                *below = (CrdBelow){i, at};
                elimination->updates[*updates] = (CrdUpdate){.panel = k, .at = at};
            }
            ++*updates;
        }
}

static long long walk(Work *work) {
    long long updates = 0;
    for (int k = 0; k < work->e->count; k++) {
        work->mark[k] = -1;
        work->fill[k] = 0;
    }
    for (int i = 0; i < work->e->count; i++) {
        if (work->e->below != NULL) work->e->panels[i].update = (int)updates;
        walk_row(work, i, &updates);
    }
    return updates;
}

/* Entries and operations of L, and where panels start; false: too many for 32 bits. */
static bool measure(CrdElimination *elimination) {
    long long size = 0;
    for (int k = 0; k < elimination->count; k++) {
        CrdPanel *panel = &elimination->panels[k];
        panel->diagonal = size <= INT_MAX ? (int)size : 0;
        size += (long long)panel->width * (panel->width + panel->height);
        for (int c = 0; c < panel->width; c++) {
            double entries = (double)(panel->width - c) + (double)panel->height;
            elimination->lnz += entries;
            elimination->flops += entries * entries;
        }
    }
    elimination->size = size <= INT_MAX ? (int)size : 0;
    elimination->panels[elimination->count].diagonal = elimination->size;
    return size <= INT_MAX;
}

static CardanStatus make_columns(Work *work, CrdError *error) {
    CrdElimination *elimination = work->e;
    for (int k = 0; k < elimination->count; k++) work->parent[k] = -1;
    long long count = walk(work);
    if (count >= INT_MAX) {
        elimination->fits = false;
        elimination->lnz = elimination->flops =
            (double)count * CRD_WIDEST; /* a bound from below, and enough to choose by */
        return CARDAN_OK;
    }
    int block = 0;
    for (int k = 0; k < elimination->count; k++) {
        elimination->panels[k].block = block;
        block += work->fill[k];
    }
    elimination->panels[elimination->count].block = block;
    elimination->below = crd_new((size_t)count, sizeof *elimination->below);
    elimination->updates = crd_new((size_t)count + 1, sizeof *elimination->updates);
    if (elimination->below == NULL || elimination->updates == NULL) return crd_fail_memory(error);
    long long again = walk(work);
    assert(again == count);
    (void)again;
    elimination->panels[elimination->count].update = (int)count;
    for (int k = 0; k < elimination->count; k++)
        for (int i = elimination->panels[k].block; i < elimination->panels[k + 1].block; i++)
            elimination->panels[k].height += elimination->panels[elimination->below[i].panel].width;
    elimination->fits = measure(elimination);
    return CARDAN_OK;
}

/* ---- spans ---- */

static CardanStatus make_spans(CrdElimination *elimination, CrdError *error) {
    for (int pass = 0; pass < 2; pass++) {
        int count = 0;
        for (int k = 0; k < elimination->count; k++) {
            int end = -1; /* row after the last span */
            if (pass == 1) elimination->panels[k].span = count;
            for (int i = elimination->panels[k].block; i < elimination->panels[k + 1].block; i++) {
                const CrdPanel *panel = &elimination->panels[elimination->below[i].panel];
                if (panel->first != end) count++;
                end = panel->first + panel->width;
                if (pass == 0) continue;
                CrdSpan *span = &elimination->spans[count - 1];
                if (span->count == 0) span->row = panel->first;
                span->count += panel->width;
            }
        }
        elimination->panels[elimination->count].span = count;
        if (pass == 1) break;
        elimination->spans = crd_new((size_t)count, sizeof *elimination->spans);
        if (elimination->spans == NULL) return crd_fail_memory(error);
    }
    return CARDAN_OK;
}

/* ---- runs ---- */

/* The runs of one update; counts alone while runs is NULL. place: of the changed panel's blocks. */
static int find_runs(const CrdElimination *elimination, const int *place, const CrdUpdate *update, CrdStretch *runs) {
    const CrdPanel *panel = &elimination->panels[update->panel];
    assert(update->at + 1 <= panel->height);
    int count = 0, next = -1;
    for (int i = panel[1].block - 1; i >= panel->block && elimination->below[i].at > update->at;
         i--) { /* from the end: it is known */
        const CrdBelow *below = &elimination->below[i];
        int width = elimination->panels[below->panel].width;
        if (place[below->panel] + width != next) count++;
        next = place[below->panel];
        if (runs == NULL) continue;
        CrdStretch *run = &runs[-count];
        *run = (CrdStretch){below->at, next, run->count + width};
    }
    return count;
}

static CardanStatus make_runs(Work *work, CrdError *error) {
    CrdElimination *elimination = work->e;
    for (int pass = 0; pass < 2; pass++) {
        long long count = 0;
        for (int j = 0; j < elimination->count; j++) {
            for (int i = elimination->panels[j].block; i < elimination->panels[j + 1].block; i++)
                work->place[elimination->below[i].panel] = elimination->below[i].at;
            for (int u = elimination->panels[j].update; u < elimination->panels[j + 1].update; u++) {
                elimination->updates[u].run = (int)count;
                count += find_runs(elimination, work->place, &elimination->updates[u], NULL);
                if (count >= INT_MAX) {
                    elimination->fits = false;
                    return CARDAN_OK;
                }
                if (pass == 1) find_runs(elimination, work->place, &elimination->updates[u], elimination->runs + count);
            }
        }
        elimination->updates[elimination->panels[elimination->count].update].run = (int)count;
        if (pass == 1) break;
        elimination->runs = crd_new((size_t)count, sizeof *elimination->runs);
        if (elimination->runs == NULL) return crd_fail_memory(error);
    }
    return CARDAN_OK;
}

/* ---- sources ---- */

/* Where the rows of block i are in panel k. */
static int place_of(const CrdElimination *elimination, int k, int i) {
    int low = elimination->panels[k].block, high = elimination->panels[k + 1].block - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (elimination->below[middle].panel < i)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low <= high && elimination->below[low].panel == i); /* the pattern of L holds that of S */
    return elimination->below[low].at;
}

/* Goes through the parts of S above block i; lists them with their panels while there are sources. */
static void list_sources(Work *work, int i) {
    CrdElimination *elimination = work->e;
    assert(elimination->fits);
    int first = elimination->panels[i].first, begin = work->start[first], end = work->start[first + 1] - 1;
    for (int slot = begin, columns; slot < end; slot += columns) {
        int k = work->block_of[work->row[slot]];
        CrdPanel *panel = &elimination->panels[k];
        for (columns = 1; slot + columns < end && work->row[slot + columns] == work->row[slot] + columns &&
                          work->block_of[work->row[slot + columns]] == k;)
            columns++;
        if (elimination->sources != NULL)
            elimination->sources[panel->source + work->fill[k]] = (CrdSource){.slot = slot,
                                                                              .above = end - begin,
                                                                              .block = i,
                                                                              .at = place_of(elimination, k, i),
                                                                              .rows = elimination->panels[i].width,
                                                                              .column = work->row[slot] - panel->first,
                                                                              .columns = columns};
        work->fill[k]++;
    }
}

static CardanStatus make_sources(Work *work, CrdError *error) {
    CrdElimination *elimination = work->e;
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < elimination->count; k++) work->fill[k] = 0;
        for (int i = 0; i < elimination->count; i++) list_sources(work, i);
        if (pass == 1) break;
        int count = 0;
        for (int k = 0; k < elimination->count; k++) {
            elimination->panels[k].source = count;
            count += work->fill[k];
        }
        elimination->panels[elimination->count].source = count;
        elimination->sources = crd_new((size_t)count, sizeof *elimination->sources);
        if (elimination->sources == NULL) return crd_fail_memory(error);
    }
    for (int k = 0; k < elimination->count; k++) {
        CrdPanel *panel = &elimination->panels[k];
        int area = 0;
        for (int s = panel->source; s < panel[1].source; s++)
            area += elimination->sources[s].rows * elimination->sources[s].columns;
        panel->filled = area == panel->height * panel->width;
    }
    return CARDAN_OK;
}

/* ---- all ---- */

static CardanStatus make(Work *work, int blocks, const int *block, CrdError *error) {
    CRD_TRY(make_blocks(work, blocks, block, error));
    CRD_TRY(make_columns(work, error));
    if (work->e->fits) CRD_TRY(make_runs(work, error));
    if (!work->e->fits) return CARDAN_OK;
    CRD_TRY(make_spans(work->e, error));
    CRD_TRY(make_sources(work, error));
    return crd_elimination_divide(work->e, error);
}

CardanStatus crd_elimination_create(int n, const int *start, const int *row, int blocks, const int *block,
                                    CrdElimination **out, CrdError *error) {
    *out = NULL;
    assert(crd_pattern_is_valid(n, start, row));
    assert(block == NULL || blocks == 0 || block[0] == 0);
    CrdElimination *elimination = crd_new(1, sizeof *elimination);
    if (elimination == NULL) return crd_fail_memory(error);
    elimination->n = n;
    Work w = {.e = elimination, .start = start, .row = row};
    CardanStatus status = make(&w, blocks, block, error);
    CRD_DELETE_ALL(w.block_of, w.parent, w.mark, w.fill, w.place);
    if (status < 0) {
        crd_elimination_free(elimination);
        return status;
    }
    assert(crd_elimination_is_valid(elimination, start[n]));
    *out = elimination;
    return CARDAN_OK;
}
