/* Symbolic factorisation of S by blocks.
 *
 * Row structure: block i is in column k when k is reached from a neighbour of i on the way up the elimination tree
 * before i (Liu 1990). Blocks are visited in order, so the lists of every column come out sorted, and the columns
 * reached from i are those that will change column i: lists of blocks and of updates are made by the same walk. */
#include "model/elimination.h"

#include "core/memory.h"

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

void crd_elimination_free(CrdElimination *e) {
    if (e == NULL) return;
    void *owned[] = {e->panels, e->below, e->spans, e->sources, e->updates, e->runs};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) crd_delete(owned[i]);
    crd_delete(e);
}

static void free_work(Work *w) {
    void *owned[] = {w->block_of, w->parent, w->mark, w->fill, w->place};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) crd_delete(owned[i]);
}

/* ---- blocks ---- */

/* Whether column j + 1 has the rows of column j and its own. */
static bool continues(const Work *w, int j) {
    int a = w->start[j], b = w->start[j + 1], count = b - a;
    if (w->start[j + 2] - b != count + 1) return false;
    for (int k = 0; k < count; k++)
        if (w->row[a + k] != w->row[b + k]) return false;
    return true;
}

/* Rows of the block that starts at j. end: where the group given ends. */
static int width_at(const Work *w, int j, int end, bool given) {
    int width = 1;
    while (width < CRD_WIDEST && j + width < end && (given || continues(w, j + width - 1))) width++;
    return width;
}

/* Cuts the rows into blocks; counts alone while there are no panels. */
static int cut(Work *w, int blocks, const int *block) {
    CrdElimination *e = w->e;
    int count = 0, group = 0;
    for (int j = 0, width; j < e->n; j += width, count++) {
        while (block != NULL && group < blocks && block[group] <= j) group++;
        width = width_at(w, j, block != NULL && group < blocks ? block[group] : e->n, block != NULL);
        if (e->panels == NULL) continue;
        e->panels[count].first = j;
        e->panels[count].width = width;
        for (int i = 0; i < width; i++) w->block_of[j + i] = count;
    }
    return count;
}

static CardanStatus make_blocks(Work *w, int blocks, const int *block, CrdError *error) {
    CrdElimination *e = w->e;
    e->count = cut(w, blocks, block);
    size_t count = (size_t)e->count;
    w->block_of = crd_new((size_t)e->n, sizeof(int));
    w->parent = crd_new(count, sizeof(int));
    w->mark = crd_new(count, sizeof(int));
    w->fill = crd_new(count, sizeof(int));
    w->place = crd_new(count, sizeof(int));
    e->panels = crd_new(count + 1, sizeof *e->panels);
    if (w->block_of == NULL || w->parent == NULL || w->mark == NULL || w->fill == NULL || w->place == NULL ||
        e->panels == NULL)
        return crd_fail_memory(error);
    cut(w, blocks, block);
    e->panels[count].first = e->n;
    return CARDAN_OK;
}

/* ---- columns ---- */

/* Visits every column that block i is in; in the second pass lists i there, and the column as an update of i. */
static void walk_row(Work *w, int i, long long *updates) {
    CrdElimination *e = w->e;
    int first = e->panels[i].first;
    w->mark[i] = i;
    for (int slot = w->start[first]; slot < w->start[first + 1]; slot++)
        for (int k = w->block_of[w->row[slot]]; w->mark[k] != i; k = w->parent[k]) {
            w->mark[k] = i;
            if (w->parent[k] < 0) w->parent[k] = i;
            if (e->below == NULL) {
                w->fill[k]++;
            } else {
                CrdBelow *below = &e->below[e->panels[k].block + w->fill[k]];
                int at = w->fill[k]++ > 0 ? below[-1].at + e->panels[below[-1].panel].width : 0;
                *below = (CrdBelow){i, at};
                e->updates[*updates] = (CrdUpdate){.panel = k, .at = at};
            }
            ++*updates;
        }
}

static long long walk(Work *w) {
    long long updates = 0;
    for (int k = 0; k < w->e->count; k++) {
        w->mark[k] = -1;
        w->fill[k] = 0;
    }
    for (int i = 0; i < w->e->count; i++) {
        if (w->e->below != NULL) w->e->panels[i].update = (int)updates;
        walk_row(w, i, &updates);
    }
    return updates;
}

/* Entries and operations of L, and where panels start; false: too many for 32 bits. */
static bool measure(CrdElimination *e) {
    long long size = 0;
    for (int k = 0; k < e->count; k++) {
        CrdPanel *p = &e->panels[k];
        p->diagonal = size <= INT_MAX ? (int)size : 0;
        size += (long long)p->width * (p->width + p->height);
        for (int c = 0; c < p->width; c++) {
            double entries = (double)(p->width - c) + (double)p->height;
            e->lnz += entries;
            e->flops += entries * entries;
        }
    }
    e->size = size <= INT_MAX ? (int)size : 0;
    e->panels[e->count].diagonal = e->size;
    return size <= INT_MAX;
}

static CardanStatus make_columns(Work *w, CrdError *error) {
    CrdElimination *e = w->e;
    for (int k = 0; k < e->count; k++) w->parent[k] = -1;
    long long count = walk(w);
    if (count >= INT_MAX) {
        e->fits = false;
        e->lnz = e->flops = (double)count * CRD_WIDEST; /* a bound from below, and enough to choose by */
        return CARDAN_OK;
    }
    int block = 0;
    for (int k = 0; k < e->count; k++) {
        e->panels[k].block = block;
        block += w->fill[k];
    }
    e->panels[e->count].block = block;
    e->below = crd_new((size_t)count, sizeof *e->below);
    e->updates = crd_new((size_t)count + 1, sizeof *e->updates);
    if (e->below == NULL || e->updates == NULL) return crd_fail_memory(error);
    walk(w);
    e->panels[e->count].update = (int)count;
    for (int k = 0; k < e->count; k++)
        for (int i = e->panels[k].block; i < e->panels[k + 1].block; i++)
            e->panels[k].height += e->panels[e->below[i].panel].width;
    e->fits = measure(e);
    return CARDAN_OK;
}

/* ---- spans ---- */

static CardanStatus make_spans(CrdElimination *e, CrdError *error) {
    for (int pass = 0; pass < 2; pass++) {
        int count = 0;
        for (int k = 0; k < e->count; k++) {
            int end = -1; /* row after the last span */
            if (pass == 1) e->panels[k].span = count;
            for (int i = e->panels[k].block; i < e->panels[k + 1].block; i++) {
                const CrdPanel *p = &e->panels[e->below[i].panel];
                if (p->first != end) count++;
                end = p->first + p->width;
                if (pass == 0) continue;
                CrdSpan *span = &e->spans[count - 1];
                if (span->count == 0) span->row = p->first;
                span->count += p->width;
            }
        }
        e->panels[e->count].span = count;
        if (pass == 1) break;
        e->spans = crd_new((size_t)count, sizeof *e->spans);
        if (e->spans == NULL) return crd_fail_memory(error);
    }
    return CARDAN_OK;
}

/* ---- runs ---- */

/* The runs of one update; counts alone while runs is NULL. place: of the changed panel's blocks. */
static int find_runs(const CrdElimination *e, const int *place, const CrdUpdate *u, CrdStretch *runs) {
    const CrdPanel *k = &e->panels[u->panel];
    int count = 0, next = -1;
    for (int i = k[1].block - 1; i >= k->block && e->below[i].at > u->at; i--) { /* from the end: it is known */
        const CrdBelow *b = &e->below[i];
        int width = e->panels[b->panel].width;
        if (place[b->panel] + width != next) count++;
        next = place[b->panel];
        if (runs == NULL) continue;
        CrdStretch *run = &runs[-count];
        *run = (CrdStretch){b->at, next, run->count + width};
    }
    return count;
}

static CardanStatus make_runs(Work *w, CrdError *error) {
    CrdElimination *e = w->e;
    for (int pass = 0; pass < 2; pass++) {
        long long count = 0;
        for (int j = 0; j < e->count; j++) {
            for (int i = e->panels[j].block; i < e->panels[j + 1].block; i++)
                w->place[e->below[i].panel] = e->below[i].at;
            for (int u = e->panels[j].update; u < e->panels[j + 1].update; u++) {
                e->updates[u].run = (int)count;
                count += find_runs(e, w->place, &e->updates[u], NULL);
                if (count >= INT_MAX) {
                    e->fits = false;
                    return CARDAN_OK;
                }
                if (pass == 1) find_runs(e, w->place, &e->updates[u], e->runs + count);
            }
        }
        e->updates[e->panels[e->count].update].run = (int)count;
        if (pass == 1) break;
        e->runs = crd_new((size_t)count, sizeof *e->runs);
        if (e->runs == NULL) return crd_fail_memory(error);
    }
    return CARDAN_OK;
}

/* ---- sources ---- */

/* Where the rows of block i are in panel k. */
static int place_of(const CrdElimination *e, int k, int i) {
    int low = e->panels[k].block, high = e->panels[k + 1].block - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (e->below[middle].panel < i)
            low = middle + 1;
        else
            high = middle;
    }
    return e->below[low].at;
}

/* Goes through the parts of S above block i; lists them with their panels while there are sources. */
static void list_sources(Work *w, int i) {
    CrdElimination *e = w->e;
    int first = e->panels[i].first, begin = w->start[first], end = w->start[first + 1] - 1;
    for (int slot = begin, columns; slot < end; slot += columns) {
        int k = w->block_of[w->row[slot]];
        CrdPanel *p = &e->panels[k];
        for (columns = 1; slot + columns < end && w->row[slot + columns] == w->row[slot] + columns &&
                          w->block_of[w->row[slot + columns]] == k;)
            columns++;
        if (e->sources != NULL)
            e->sources[p->source + w->fill[k]] = (CrdSource){.slot = slot,
                                                             .above = end - begin,
                                                             .block = i,
                                                             .at = place_of(e, k, i),
                                                             .rows = e->panels[i].width,
                                                             .column = w->row[slot] - p->first,
                                                             .columns = columns};
        w->fill[k]++;
    }
}

static CardanStatus make_sources(Work *w, CrdError *error) {
    CrdElimination *e = w->e;
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < e->count; k++) w->fill[k] = 0;
        for (int i = 0; i < e->count; i++) list_sources(w, i);
        if (pass == 1) break;
        int count = 0;
        for (int k = 0; k < e->count; k++) {
            e->panels[k].source = count;
            count += w->fill[k];
        }
        e->panels[e->count].source = count;
        e->sources = crd_new((size_t)count, sizeof *e->sources);
        if (e->sources == NULL) return crd_fail_memory(error);
    }
    for (int k = 0; k < e->count; k++) {
        CrdPanel *p = &e->panels[k];
        int area = 0;
        for (int s = p->source; s < p[1].source; s++) area += e->sources[s].rows * e->sources[s].columns;
        p->filled = area == p->height * p->width;
    }
    return CARDAN_OK;
}

/* ---- all ---- */

static CardanStatus make(Work *w, int blocks, const int *block, CrdError *error) {
    CRD_TRY(make_blocks(w, blocks, block, error));
    CRD_TRY(make_columns(w, error));
    if (w->e->fits) CRD_TRY(make_runs(w, error));
    if (!w->e->fits) return CARDAN_OK;
    CRD_TRY(make_spans(w->e, error));
    return make_sources(w, error);
}

CardanStatus crd_elimination_create(int n, const int *start, const int *row, int blocks, const int *block,
                                    CrdElimination **out, CrdError *error) {
    *out = NULL;
    CrdElimination *e = crd_new(1, sizeof *e);
    if (e == NULL) return crd_fail_memory(error);
    e->n = n;
    Work w = {.e = e, .start = start, .row = row};
    CardanStatus status = make(&w, blocks, block, error);
    free_work(&w);
    if (status < 0) {
        crd_elimination_free(e);
        return status;
    }
    *out = e;
    return CARDAN_OK;
}
