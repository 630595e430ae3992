#include "model/valid.h"

#include "model/tree.h"

#ifndef NDEBUG

bool crd_pattern_is_valid(int n, const int *start, const int *row) {
    if (start[0] != 0) return false;
    for (int j = 0; j < n; j++) {
        if (start[j + 1] <= start[j] || row[start[j]] < 0 || row[start[j + 1] - 1] != j) return false;
        for (int k = start[j] + 1; k < start[j + 1]; k++)
            if (row[k] <= row[k - 1]) return false;
    }
    return true;
}

/* ---- elimination ---- */

/* The blocks below panel k: later ones, sorted, stacked without gaps. */
static bool blocks_are_valid(const CrdElimination *e, int k) {
    int at = 0, before = k;
    for (int i = e->panels[k].block; i < e->panels[k + 1].block; i++) {
        if (e->below[i].panel <= before || e->below[i].panel >= e->count || e->below[i].at != at) return false;
        before = e->below[i].panel;
        at += e->panels[before].width;
    }
    return at == e->panels[k].height;
}

static bool spans_are_valid(const CrdElimination *e, int k) {
    int rows = 0, end = e->panels[k].first + e->panels[k].width;
    for (int i = e->panels[k].span; i < e->panels[k + 1].span; i++) {
        if (e->spans[i].count < 1 || e->spans[i].row < end || e->spans[i].row + e->spans[i].count > e->n) return false;
        end = e->spans[i].row + e->spans[i].count;
        rows += e->spans[i].count;
    }
    return rows == e->panels[k].height;
}

static bool sources_are_valid(const CrdElimination *e, int k, int size_s) {
    for (int i = e->panels[k].source; i < e->panels[k + 1].source; i++) {
        const CrdSource *from = &e->sources[i];
        int c = from->rows - 1, last = from->slot + c * from->above + c * (c + 1) / 2 + from->columns - 1;
        bool inside = from->at >= 0 && from->at + from->rows <= e->panels[k].height && from->column >= 0 &&
                      from->column + from->columns <= e->panels[k].width;
        if (!inside || from->rows < 1 || from->columns < 1 || from->slot < 0 || last >= size_s) return false;
    }
    return true;
}

/* Updates of panel j come from earlier panels; their runs stay inside both. */
static bool updates_are_valid(const CrdElimination *e, int j) {
    for (const CrdUpdate *u = e->updates + e->panels[j].update; u < e->updates + e->panels[j + 1].update; u++) {
        if (u->panel < 0 || u->panel >= j || u->at < 0 || u->at + e->panels[j].width > e->panels[u->panel].height)
            return false;
        if (u[1].run < u->run) return false;
        for (const CrdStretch *run = e->runs + u->run; run < e->runs + u[1].run; run++)
            if (run->count < 1 || run->from < u->at + e->panels[j].width || run->to < 0 ||
                run->from + run->count > e->panels[u->panel].height || run->to + run->count > e->panels[j].height)
                return false;
    }
    return true;
}

/* Each panel is in one branch or in the trunk, and branches have rows below in their own range or in the trunk alone.
 */
static bool branches_are_valid(const CrdElimination *e) {
    int panels = 0;
    for (int i = 0; i < e->trunk_count; i++) panels += e->trunk[i].end - e->trunk[i].first;
    for (int i = 0; e->branch_count > 0 && i < e->branches[e->branch_count]; i++) {
        const CrdRange *range = &e->ranges[i];
        if (range->first < 0 || range->first >= range->end || range->end > e->count) return false;
        panels += range->end - range->first;
        for (int k = range->first; k < range->end; k++)
            for (int u = e->panels[k].update; u < e->panels[k + 1].update; u++)
                if (e->updates[u].panel < range->first) return false;
    }
    return panels == e->count;
}

bool crd_elimination_is_valid(const CrdElimination *elimination, int size_s) {
    const CrdElimination *e = elimination;
    int row = 0, slot = 0;
    for (int k = 0; k < e->count; row += e->panels[k++].width)
        if (e->panels[k].first != row || e->panels[k].width < 1 || e->panels[k].width > CRD_WIDEST) return false;
    if (row != e->n || e->panels[e->count].first != e->n) return false;
    for (int k = 0; e->fits && k < e->count; k++) {
        if (e->panels[k].diagonal != slot) return false;
        slot += e->panels[k].width * (e->panels[k].width + e->panels[k].height);
        if (!blocks_are_valid(e, k) || !spans_are_valid(e, k)) return false;
        if (!sources_are_valid(e, k, size_s) || !updates_are_valid(e, k)) return false;
    }
    return !e->fits || (slot == e->size && branches_are_valid(e));
}

/* ---- structure ---- */

static bool coordinates_are_valid(const CrdStructure *structure) {
    int q = 0, v = 0;
    for (int i = 0; i < structure->block_count; i++) {
        const CrdBlock *block = &structure->blocks[i];
        if (block->q != q || block->v != v || (block->nv < 1 && block->kind != CRD_LINK_WELD) || block->nq < block->nv)
            return false;
        q += block->nq;
        v += block->nv;
    }
    for (int i = 0; i < structure->frame_count; i++)
        if (structure->frames[i].block < -1 || structure->frames[i].block >= structure->block_count) return false;
    return q == structure->nq && v == structure->nv;
}

static bool incidence_is_valid(const CrdStructure *structure, int e, const CrdIncidence *incidence) {
    const CrdBlock *block = &structure->blocks[incidence->block];
    return incidence->element == e && incidence->rows == structure->elements[e].rows && incidence->width == block->nv &&
           incidence->v == block->v && incidence->g >= 0 &&
           incidence->g + incidence->rows * incidence->width <= structure->size_g &&
           (!incidence->direct || incidence->width == 6) &&
           (!incidence->point || (incidence->direct && incidence->rows >= 3));
}

static bool element_is_valid(const CrdStructure *structure, int e) {
    const CrdElement *element = &structure->elements[e];
    int first = element->incidence, end = first + element->incidences;
    if (element->holonomic < 0 || element->holonomic > element->rows + element->compliant) return false;
    if (element->rows > 0 && element->compliant > 0) return false;
    if (first < 0 || end > structure->incidence_count) return false;
    if (element->attachment + element->attachments > structure->attachment_count) return false;
    if (element->whole != NULL && element->attachments != 2) return false;
    for (int i = 0; i < element->attachments; i++) {
        const CrdAttachment *at = &structure->attachments[element->attachment + i];
        if (at->frame < 0 || at->frame >= structure->frame_count) return false;
        if (at->incidence != -1 && (at->incidence < first || at->incidence >= end)) return false;
    }
    for (int i = first; i < end; i++)
        if (!incidence_is_valid(structure, e, &structure->incidences[i])) return false;
    return element->joint < 0 || structure->element_of_joint[element->joint] == e;
}

static bool elements_are_valid(const CrdStructure *structure) {
    int row = 0;
    for (int i = 0; structure->tree != NULL && i < structure->tree->loop_elements; i++) {
        int e = structure->tree->loops[i];
        if (structure->elements[e].first != row || !element_is_valid(structure, e)) return false;
        for (int r = 0; r < structure->elements[e].rows; r++)
            if (structure->row_element[row++] != e) return false;
    }
    for (int e = 0; structure->tree == NULL && e < structure->element_count; e++) {
        if (structure->elements[e].first != row || !element_is_valid(structure, e)) return false;
        for (int r = 0; r < structure->elements[e].rows; r++)
            if (structure->row_element[row++] != e) return false;
    }
    return row == structure->rows;
}

static bool products_are_valid(const CrdStructure *structure) {
    for (int i = 0; i < structure->product_count; i++) {
        const CrdProduct *p = &structure->products[i];
        int c = p->columns - 1, slot = p->base + c * p->above + c * (c + 1) / 2 + p->offset;
        if (p->rows < 1 || p->columns < 1 || p->offset < 0 || p->offset > p->above) return false;
        if (p->diagonal && (p->rows != p->columns || p->offset != p->above)) return false;
        if (p->base < 0 || slot + (p->diagonal ? c : p->rows - 1) >= structure->size_s) return false;
        if (p->g < 0 || p->g + p->rows * p->width > structure->size_g) return false;
        if (p->t < 0 || p->t + p->columns * p->width > structure->size_g) return false;
    }
    return true;
}

bool crd_structure_is_valid(const CrdStructure *structure) {
    return coordinates_are_valid(structure) && elements_are_valid(structure) && products_are_valid(structure) &&
           structure->s_start[structure->rows] == structure->size_s && structure->elimination->n == structure->rows;
}

#endif
