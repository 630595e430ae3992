#include "linear/supernodal.h"

#include "core/memory.h"

#include <assert.h>

/* Supernodes are joined up to these widths while the share of zeros in them stays below these numbers (CHOLMOD's
 * defaults nrelax and zrelax). */
#define CRD_RELAX_WIDTH_0 4
#define CRD_RELAX_WIDTH_1 16
#define CRD_RELAX_WIDTH_2 48
#define CRD_RELAX_ZEROS_1 0.8
#define CRD_RELAX_ZEROS_2 0.1
#define CRD_RELAX_ZEROS_3 0.05

static double entries_of(int width, int height) {
    return 0.5 * (double)width * ((double)width + 1.0) + (double)width * (double)height;
}

/* Whether a supernode of this width and share of zeros is worth its joint. */
static bool is_worth(int width, double zeros) {
    if (zeros <= 0.0 || width <= CRD_RELAX_WIDTH_0) return true;
    if (width <= CRD_RELAX_WIDTH_1) return zeros < CRD_RELAX_ZEROS_1;
    if (width <= CRD_RELAX_WIDTH_2) return zeros < CRD_RELAX_ZEROS_2;
    return zeros < CRD_RELAX_ZEROS_3;
}

/* Joins panel after panel to its parent where the parent is the next one. */
static void join_panels(CrdSuper *super) {
    const CrdElimination *elimination = super->e;
    double entries = 0.0;
    super->count = 0;
    for (int j = 0; j < elimination->count; j++) {
        const CrdPanel *panel = &elimination->panels[j];
        CrdSuperNode *last = &super->nodes[super->count > 0 ? super->count - 1 : 0];
        double own = entries_of(panel->width, panel->height);
        bool child = j > 0 && panel[-1].block < panel->block && elimination->below[panel[-1].block].panel == j;
        bool joined = child && is_worth(last->width + panel->width,
                                        1.0 - (entries + own) / entries_of(last->width + panel->width, panel->height));
        if (!joined) {
            last = &super->nodes[super->count++];
            *last = (CrdSuperNode){.panel = j, .first = panel->first};
            entries = 0.0;
        }
        entries += own;
        last->width += panel->width;
        last->height = panel->height;
        last->block = panel->block;
        last->end = panel[1].block;
        super->node_of[j] = super->count - 1;
    }
    assert(super->count <= elimination->count && elimination->n == super->base.pattern.n);
    super->nodes[super->count] = (CrdSuperNode){.panel = elimination->count, .first = elimination->n};
    for (int t = 0; t < super->count; t++)
        super->nodes[t + 1].x = super->nodes[t].x + (size_t)super->nodes[t].width *
                                                        (size_t)(super->nodes[t].width + super->nodes[t].height);
}

void crd_super_place(const CrdSuper *super, int t, int *place) {
    const CrdElimination *elimination = super->e;
    const CrdSuperNode *node = &super->nodes[t];
    assert(t >= 0 && t < super->count);
    for (int p = node->panel; p < node[1].panel; p++) place[p] = elimination->panels[p].first - node->first;
    for (int i = node->block; i < node->end; i++)
        place[elimination->below[i].panel] = node->width + elimination->below[i].at;
}

/* Lists, or only counts while there is no room, the changes that each supernode gets. */
static void list_changes(CrdSuper *super, int *fill) {
    const CrdElimination *elimination = super->e;
    for (int k = 0; k < super->count; k++) {
        const CrdSuperNode *node = &super->nodes[k];
        for (int i = node->block, end; i < node->end; i = end) {
            int t = super->node_of[elimination->below[i].panel];
            for (end = i + 1; end < node->end && super->node_of[elimination->below[end].panel] == t;) end++;
            if (super->changes != NULL) super->changes[super->nodes[t].change + fill[t]] = (CrdSuperChange){k, i, end};
            fill[t]++;
        }
    }
}

static CardanStatus make_changes(CrdSuper *super, CrdError *error) {
    int *fill = crd_new((size_t)super->count, sizeof *fill);
    if (fill == NULL) return crd_fail_memory(error);
    list_changes(super, fill);
    for (int t = 0; t < super->count; t++) {
        super->nodes[t + 1].change = super->nodes[t].change + fill[t];
        fill[t] = 0;
    }
    super->changes = crd_solver_new(&super->base, (size_t)super->nodes[super->count].change, sizeof *super->changes);
    if (super->changes != NULL) list_changes(super, fill);
    crd_delete(fill);
    return super->changes == NULL ? crd_fail_memory(error) : CARDAN_OK;
}

static CardanStatus make_parts(CrdSuper *super, CrdError *error) {
    const CrdElimination *elimination = super->e;
    int *place = super->rooms[0].place, count = elimination->panels[elimination->count].source, at = 0;
    super->parts = crd_solver_new(&super->base, (size_t)count, sizeof *super->parts);
    if (super->parts == NULL) return crd_fail_memory(error);
    for (int t = 0; t < super->count; t++) {
        const CrdSuperNode *node = &super->nodes[t];
        size_t ld = (size_t)(node->width + node->height);
        super->nodes[t].part = at;
        crd_super_place(super, t, place);
        for (int p = node->panel; p < node[1].panel; p++)
            for (int i = elimination->panels[p].source; i < elimination->panels[p + 1].source; i++) {
                const CrdSource *from = &elimination->sources[i];
                size_t column = (size_t)(elimination->panels[p].first - node->first + from->column);
                super->parts[at++] = (CrdSuperPart){from->slot, from->above, from->rows, from->columns,
                                                    node->x + column * ld + (size_t)place[from->block]};
            }
    }
    assert(at == count);
    super->nodes[super->count].part = at;
    return CARDAN_OK;
}

int crd_super_rows(const CrdSuper *super, const CrdSuperChange *change) {
    assert(change->from < change->until);
    return super->nodes[change->node].height - super->e->below[change->from].at;
}

int crd_super_columns(const CrdSuper *super, const CrdSuperChange *change) {
    const CrdBelow *last = &super->e->below[change->until - 1];
    return last->at + super->e->panels[last->panel].width - super->e->below[change->from].at;
}

/* ---- branches and rooms ---- */

/* Of the nodes of a range: those that end in it. One that goes on into the trunk belongs there. */
static CrdRange nodes_of(const CrdSuper *super, CrdRange panels) {
    CrdRange nodes = {super->node_of[panels.first], super->node_of[panels.end - 1] + 1};
    assert(super->nodes[nodes.first].panel ==
           panels.first); /* a node is a chain of parents: it begins in one subtree */
    if (super->nodes[nodes.end].panel > panels.end) nodes.end--;
    return nodes;
}

static void find_trunk(CrdSuper *super) {
    const CrdElimination *e = super->e;
    for (int t = 0; t < super->count; t++) super->is_trunk[t] = true;
    for (int b = 0; b < e->branch_count; b++)
        for (int i = e->branches[b]; i < e->branches[b + 1]; i++) {
            super->ranges[i] = nodes_of(super, e->ranges[i]);
            for (int t = super->ranges[i].first; t < super->ranges[i].end; t++) super->is_trunk[t] = false;
        }
    for (int p = 0; p < e->count; p++) {
        bool far = e->branch_count > 0 && super->is_trunk[super->node_of[p]];
        super->far_at[p] = far ? super->far_count : -1;
        super->far_count += far ? e->panels[p].width : 0;
    }
}

int crd_super_slices(const CrdSuper *super, int t) {
    enum { LARGE = 1000000 }; /* operations: some 100 us */
    const CrdSuperNode *node = &super->nodes[t];
    double rows = node->width + node->height;
    if (super->e->branch_count == 0 || !super->is_trunk[t] || rows * rows * node->width < LARGE) return 1;
    return (node->width + node->height + CRD_SUPER_SLICE - 1) / CRD_SUPER_SLICE;
}

/* The largest product of a change that node t gets in a slice of its rows, if larger. */
static void add_product(const CrdSuper *super, int t, size_t *product) {
    bool whole = crd_super_slices(super, t) == 1;
    for (int i = super->nodes[t].change; i < super->nodes[t + 1].change; i++) {
        const CrdSuperChange *change = &super->changes[i];
        size_t rows = whole ? (size_t)crd_super_rows(super, change) : CRD_SUPER_SLICE,
               size = rows * (size_t)crd_super_columns(super, change);
        if (size > *product) *product = size;
    }
}

/* The largest product in the room of branch b; after the last branch, in those of the trunk. */
static size_t product_of(const CrdSuper *super, int b) {
    const CrdElimination *e = super->e;
    size_t product = 0;
    for (int t = 0; b >= e->branch_count && t < super->count; t++)
        if (super->is_trunk[t]) add_product(super, t, &product);
    for (int i = b < e->branch_count ? e->branches[b] : 0; b < e->branch_count && i < e->branches[b + 1]; i++)
        for (int t = super->ranges[i].first; t < super->ranges[i].end; t++) add_product(super, t, &product);
    return product;
}

/* Slices of a node of the trunk share its places. */
static CardanStatus make_rooms(CrdSuper *super, CrdError *error) {
    size_t count = (size_t)super->e->count, branches = (size_t)super->e->branch_count, blocks = 0, all = 0, slices = 1;
    for (int t = 0; t < super->count; t++) {
        size_t own = (size_t)(super->nodes[t].end - super->nodes[t].block), parts = (size_t)crd_super_slices(super, t);
        if (own > blocks) blocks = own;
        if (parts > slices) slices = parts;
    }
    for (size_t i = 0; i < branches + slices; i++) all += product_of(super, (int)i);
    super->rooms = crd_solver_new(&super->base, branches + slices, sizeof *super->rooms);
    double *c = crd_solver_new(&super->base, all, sizeof *c);
    int *place = crd_solver_new(&super->base, (branches + 1) * count, sizeof *place);
    CrdSuperStretch *stretches = crd_solver_new(&super->base, (branches + slices) * blocks, sizeof *stretches);
    if (super->base.lacks_memory) return crd_fail_memory(error);
    for (size_t i = 0; i < branches + slices; i++) {
        super->rooms[i] = (CrdSuperRoom){.c = c, .place = place, .stretches = stretches + i * blocks};
        c += product_of(super, (int)i);
        if (i < branches) place += count;
    }
    return CARDAN_OK;
}

/* Those of branches, and the first behind them, of the trunk. */
static CardanStatus make_sweep_rooms(CrdSuper *super, CrdError *error) {
    size_t branches = (size_t)super->e->branch_count, height = 0, far = (size_t)super->far_count;
    for (int t = 0; t < super->count; t++)
        if ((size_t)super->nodes[t].height > height) height = (size_t)super->nodes[t].height;
    double *r = crd_solver_new(&super->base, (branches + 1) * height + branches * far, sizeof *r);
    if (r == NULL) return crd_fail_memory(error);
    for (size_t i = 0; i <= branches; i++, r += height) super->rooms[i].r = r;
    for (size_t i = 0; i < branches; i++, r += far) super->rooms[i].far = r;
    return CARDAN_OK;
}

static CardanStatus make_numbers(CrdSuper *super, CrdError *error) {
    super->x = crd_solver_new(&super->base, super->nodes[super->count].x, sizeof *super->x);
    super->s = crd_solver_new(&super->base, (size_t)super->e->n, sizeof *super->s);
    return super->base.lacks_memory ? crd_fail_memory(error) : CARDAN_OK;
}

CardanStatus crd_super_open(CrdSuper *super, CrdError *error) {
    const CrdPattern *pattern = &super->base.pattern;
    super->e = pattern->elimination;
    if (super->e == NULL) {
        CRD_TRY(crd_elimination_create(pattern->n, pattern->start, pattern->row, 0, NULL, &super->owned, error));
        super->e = super->owned;
    }
    if (!super->e->fits)
        return crd_fail(error, CARDAN_ERR_LIMIT, "the factor of %d rows is too large for the supernodal solver",
                        pattern->n);
    super->nodes = crd_solver_new(&super->base, (size_t)super->e->count + 1, sizeof *super->nodes);
    super->node_of = crd_solver_new(&super->base, (size_t)super->e->count, sizeof *super->node_of);
    super->ranges = crd_solver_new(&super->base, (size_t)super->e->count, sizeof *super->ranges);
    super->is_trunk = crd_solver_new(&super->base, (size_t)super->e->count, sizeof *super->is_trunk);
    super->far_at = crd_solver_new(&super->base, (size_t)super->e->count, sizeof *super->far_at);
    if (super->base.lacks_memory) return crd_fail_memory(error);
    join_panels(super);
    find_trunk(super);
    CRD_TRY(make_changes(super, error));
    CRD_TRY(make_rooms(super, error));
    CRD_TRY(make_sweep_rooms(super, error));
    CRD_TRY(make_parts(super, error));
    return make_numbers(super, error);
}
