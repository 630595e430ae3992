/* The elimination tree divided into branches that threads factor side by side.
 *
 * Column k is changed by columns below it in the tree alone, so subtrees need nothing of each other (Liu 1990). Where
 * the heaviest subtree forks, what is above the fork becomes trunk, which is factored by one thread when all branches
 * are done; that goes on while there is something to gain and the trunk stays light. Subtrees that follow each other
 * share a branch until that is worth a thread's while. All of this depends on the pattern alone. */
#include "core/memory.h"
#include "model/elimination.h"

#include <assert.h>

/* Work of a system from which it is divided: a factorisation of some 100 us. */
#define CRD_DIVIDE_FROM 2e5

/* What a panel takes beside its products, in products. */
#define CRD_PANEL_WORK 64.0

/* Parts of all work: subtrees above the first are looked at for forks; a fork has two arms of at least the second; a
 * branch is filled up to the third; the trunk has at most the fourth. */
#define CRD_LARGE (1.0 / 24.0)
#define CRD_ARM (1.0 / 64.0)
#define CRD_BRANCH (1.0 / 48.0)
#define CRD_TRUNK (1.0 / 4.0)

/* With a heavier branch than this part two threads gain too little. */
#define CRD_HEAVIEST 0.75

typedef struct Division {
    CrdElimination *e;
    int *parent, *child, *sibling; /* by panel; -1: none */
    int *root;                     /* by panel: of its maximal subtree outside the trunk; -1: trunk */
    int *open, open_count;         /* subtrees that may fork */
    double *own, *size;            /* by panel: its work, and that of its subtree */
    double all, trunk;
    double filled, heaviest; /* of the present branch, of any */
} Division;

static double work_of(const CrdPanel *panel) {
    double rows = panel->width + panel->height;
    return CRD_PANEL_WORK + panel->width * rows * rows;
}

/* Parents, children, work; false where the panels of some subtree do not follow each other. */
static bool grow(Division *division) {
    const CrdElimination *e = division->e;
    for (int k = 0; k < e->count; k++) division->parent[k] = division->child[k] = division->sibling[k] = -1;
    for (int k = 0; k < e->count; k++) {
        division->own[k] = work_of(&e->panels[k]);
        division->all += division->own[k];
        division->size[k] += division->own[k];
        division->root[k] = k; /* first of its subtree, for now */
        for (int c = division->child[k]; c >= 0; c = division->sibling[c])
            if (division->root[c] < division->root[k]) division->root[k] = division->root[c];
        int first = k;
        for (int c = division->child[k]; c >= 0; c = division->sibling[c]) { /* the last child is listed first */
            if (c != first - 1) return false;
            first = division->root[c];
        }
        if (e->panels[k].block == e->panels[k + 1].block) continue;
        int parent = e->below[e->panels[k].block].panel;
        assert(parent > k);
        division->parent[k] = parent;
        division->sibling[k] = division->child[parent];
        division->child[parent] = k;
        division->size[parent] += division->size[k];
    }
    return true;
}

/* The two heaviest children; -1: there is none. */
static void arms_of(const Division *division, int k, int arms[2]) {
    arms[0] = arms[1] = -1;
    for (int c = division->child[k]; c >= 0; c = division->sibling[c])
        if (arms[0] < 0 || division->size[c] > division->size[arms[0]]) {
            arms[1] = arms[0];
            arms[0] = c;
        } else if (arms[1] < 0 || division->size[c] > division->size[arms[1]]) {
            arms[1] = c;
        }
}

/* The panel where the subtree of k forks, and the work from k to there; -1: it does not, or too far down. */
static int find_fork(const Division *division, int k, double *work) {
    double room = CRD_TRUNK * division->all - division->trunk;
    *work = 0.0;
    for (int arms[2]; k >= 0; k = arms[0]) {
        *work += division->own[k];
        if (*work > room) return -1;
        arms_of(division, k, arms);
        if (arms[1] >= 0 && division->size[arms[1]] >= CRD_ARM * division->all) return k;
    }
    return -1;
}

static void consider(Division *division, int k) {
    if (division->size[k] >= CRD_LARGE * division->all) division->open[division->open_count++] = k;
}

/* From k down to the fork all is trunk; what hangs there may fork again. */
static void cut(Division *division, int k, int fork) {
    for (int arms[2];; k = arms[0]) {
        division->root[k] = -1;
        arms_of(division, k, arms);
        for (int c = division->child[k]; c >= 0; c = division->sibling[c])
            if (k == fork || c != arms[0]) consider(division, c);
        if (k == fork) return;
    }
}

static void find_trunk(Division *division) {
    for (int k = 0; k < division->e->count; k++) {
        division->root[k] = k;
        if (division->parent[k] < 0) consider(division, k);
    }
    while (division->open_count > 0) {
        int heaviest = 0;
        double work;
        for (int i = 1; i < division->open_count; i++)
            if (division->size[division->open[i]] > division->size[division->open[heaviest]]) heaviest = i;
        int k = division->open[heaviest], fork = find_fork(division, k, &work);
        division->open[heaviest] = division->open[--division->open_count];
        if (fork < 0) continue;
        cut(division, k, fork);
        division->trunk += work;
    }
    for (int k = division->e->count - 1; k >= 0; k--) { /* parents first */
        int parent = division->parent[k];
        if (division->root[k] >= 0 && parent >= 0 && division->root[parent] >= 0)
            division->root[k] = division->root[parent];
    }
}

static void add_range(Division *division, CrdRange range, double work) {
    CrdElimination *e = division->e;
    if (e->branch_count == 0 || division->filled >= CRD_BRANCH * division->all) {
        e->branch_count++;
        e->branches[e->branch_count] = e->branches[e->branch_count - 1];
        division->filled = 0.0;
    }
    int *end = &e->branches[e->branch_count];
    if (division->filled > 0.0 && e->ranges[*end - 1].end == range.first)
        e->ranges[*end - 1].end = range.end;
    else
        e->ranges[(*end)++] = range;
    division->filled += work;
    if (division->filled > division->heaviest) division->heaviest = division->filled;
}

static void gather(Division *division) {
    CrdElimination *e = division->e;
    for (int k = 0, end; k < e->count; k = end) {
        int root = division->root[k];
        end = root < 0 ? k + 1 : root + 1;
        if (root >= 0) {
            add_range(division, (CrdRange){k, end}, division->size[root]);
        } else if (e->trunk_count > 0 && e->trunk[e->trunk_count - 1].end == k) {
            e->trunk[e->trunk_count - 1].end = end;
        } else {
            e->trunk[e->trunk_count++] = (CrdRange){k, end};
        }
    }
}

static void find_reaching(CrdElimination *e) {
    for (int i = 0; i < e->branches[e->branch_count]; i++)
        for (int k = e->ranges[i].first; k < e->ranges[i].end; k++) {
            const CrdPanel *panel = &e->panels[k];
            if (panel->span == panel[1].span) continue;
            const CrdSpan *last = &e->spans[panel[1].span - 1];
            if (last->row + last->count > crd_range_row_end(e, &e->ranges[i])) e->reaching[e->reaching_count++] = k;
        }
}

/* Without branches. */
static void all_trunk(CrdElimination *e) {
    e->branch_count = e->reaching_count = 0;
    e->trunk_count = 1;
    e->trunk[0] = (CrdRange){0, e->count};
}

static void divide(Division *division) {
    CrdElimination *e = division->e;
    if (grow(division)) {
        find_trunk(division);
        gather(division);
    }
    if (e->branch_count < 2 || division->heaviest > CRD_HEAVIEST * division->all)
        all_trunk(e);
    else
        find_reaching(e);
}

static CardanStatus make(Division *division, CrdError *error) {
    CrdElimination *e = division->e;
    size_t count = (size_t)e->count;
    int **indices[] = {&division->parent, &division->child, &division->sibling,
                       &division->root,   &division->open,  &e->reaching};
    bool all = true;
    for (size_t i = 0; i < sizeof indices / sizeof *indices; i++)
        all = (*indices[i] = crd_new(count, sizeof(int))) != NULL && all;
    division->own = crd_new(count, sizeof(double));
    division->size = crd_new(count, sizeof(double));
    e->branches = crd_new(count + 1, sizeof(int));
    e->ranges = crd_new(count, sizeof *e->ranges);
    all = all && division->own != NULL && division->size != NULL && e->branches != NULL && e->ranges != NULL;
    if (all) divide(division);
    CRD_DELETE_ALL(division->parent, division->child, division->sibling, division->root, division->open, division->own,
                   division->size);
    return all ? CARDAN_OK : crd_fail_memory(error);
}

CardanStatus crd_elimination_divide(CrdElimination *e, CrdError *error) {
    double work = 0.0;
    for (int k = 0; k < e->count; k++) work += work_of(&e->panels[k]);
    bool large = work >= CRD_DIVIDE_FROM;
    e->trunk = crd_new(large ? (size_t)e->count : 1, sizeof *e->trunk);
    if (e->trunk == NULL) return crd_fail_memory(error);
    Division division = {.e = e};
    if (large) return make(&division, error);
    all_trunk(e);
    return CARDAN_OK;
}
