/* A large tree divided into branches that threads sweep side by side.
 *
 * A link with more links outward of it than a branch has belongs to the trunk. What is left are small subtrees. Where
 * one hangs on the trunk its first link, the hook, is swept with the trunk, so that sums of the trunk are made in the
 * order of the links, whoever made the branches; where it hangs on the ground all of it is in a branch. Subtrees that
 * follow each other share a branch until that is large enough. All of this depends on the tree alone. */
#include "core/memory.h"
#include "model/tree.h"

#include <assert.h>

/* Trees from the first number of links on are divided: below it a sweep takes less than 100 us, of which waking a
 * thread would be a good part. Links of a branch: a sweep over it takes some 20 us, and 10,000 links make 40 of them.
 */
enum { CRD_DIVIDE_FROM = 2000, CRD_BRANCH_LINKS = 250 };

typedef struct Division {
    CrdTree *tree;
    int *size;  /* by link: itself and what is outward of it */
    int filled; /* links of the present branch */
} Division;

static bool is_trunk(const Division *division, int k) {
    return division->size[k] > CRD_BRANCH_LINKS;
}

static void measure(Division *division) {
    const CrdTree *tree = division->tree;
    for (int k = tree->count - 1; k >= 0; k--) {
        division->size[k]++;
        if (tree->links[k].parent >= 0) division->size[tree->links[k].parent] += division->size[k];
    }
}

/* Adds links to the present branch, or begins one. */
static void add_range(Division *division, int first, int end) {
    CrdTree *tree = division->tree;
    if (first == end) return;
    CrdRange *last = tree->ranges + tree->range_count - 1;
    bool full = tree->branch_count == 0 || division->filled >= CRD_BRANCH_LINKS;
    if (full) {
        tree->branches[tree->branch_count++] = tree->range_count;
        division->filled = 0;
    }
    if (!full && last->end == first)
        last->end = end;
    else
        tree->ranges[tree->range_count++] = (CrdRange){first, end};
    division->filled += end - first;
}

static void divide(Division *division) {
    CrdTree *tree = division->tree;
    for (int k = 0; k < tree->count;) {
        bool trunk = is_trunk(division, k), hook = !trunk && tree->links[k].parent >= 0;
        assert(!hook || is_trunk(division, tree->links[k].parent));
        int end = trunk ? k + 1 : k + division->size[k];
        if (trunk || hook) tree->trunk[tree->trunk_count++] = k;
        if (!trunk) add_range(division, hook ? k + 1 : k, end);
        k = end;
    }
    tree->branches[tree->branch_count] = tree->range_count;
    if (tree->branch_count >= 2 && tree->trunk_count <= tree->count / 2) return;
    tree->branch_count = tree->range_count = tree->trunk_count = 0; /* one after the other it is as fast */
}

CardanStatus crd_tree_divide(CrdTree *tree, CrdError *error) {
    if (tree->count < CRD_DIVIDE_FROM) return CARDAN_OK;
    size_t links = (size_t)tree->count;
    Division division = {.tree = tree, .size = crd_new(links, sizeof *division.size)};
    tree->trunk = crd_new(links, sizeof *tree->trunk);
    tree->ranges = crd_new(links, sizeof *tree->ranges);
    tree->branches = crd_new(links + 1, sizeof *tree->branches);
    bool all = division.size != NULL && tree->trunk != NULL && tree->ranges != NULL && tree->branches != NULL;
    if (all) {
        measure(&division);
        divide(&division);
    }
    crd_delete(division.size);
    return all ? CARDAN_OK : crd_fail_memory(error);
}

/* ---- slots ---- */

typedef struct Slots {
    CrdTree *tree;
    int *free, back; /* slots given back, a stack */
    bool *keeps;     /* by link: its slot stays taken until the trunk is swept */
} Slots;

/* Slots are given out as registers are: the first child of a link that is done takes one for it, and the link gives it
 * back when it is done itself. */
static void give_slot(Slots *slots, int k) {
    CrdTree *tree = slots->tree;
    CrdLink *link = &tree->links[k];
    if (link->in >= 0 && !slots->keeps[k]) slots->free[slots->back++] = link->in;
    if (link->parent < 0) return;
    CrdLink *parent = &tree->links[link->parent];
    link->first = parent->in < 0;
    if (link->first)
        parent->in = slots->back > 0 && !slots->keeps[link->parent] ? slots->free[--slots->back] : tree->slots++;
    link->out = parent->in;
}

/* Slots that no other group of links uses. */
static void begin_group(Slots *slots) {
    enum { APART = 2 }; /* between groups: threads do not write to one cache line */
    slots->back = 0;
    slots->tree->slots += APART;
}

/* Slots of hooks are written by branches and read by the trunk. */
static void give_divided(Slots *slots) {
    const CrdTree *tree = slots->tree;
    for (int i = 0; i < tree->trunk_count; i++) slots->keeps[tree->trunk[i]] = true;
    for (int b = tree->branch_count - 1; b >= 0; b--) {
        begin_group(slots);
        for (int r = tree->branches[b + 1] - 1; r >= tree->branches[b]; r--)
            for (int k = tree->ranges[r].end - 1; k >= tree->ranges[r].first; k--) give_slot(slots, k);
    }
    begin_group(slots);
    for (int i = tree->trunk_count - 1; i >= 0; i--) {
        int k = tree->trunk[i], parent = tree->links[k].parent;
        bool hook = tree->links[k].in >= 0 && slots->keeps[k];
        if (parent >= 0) slots->keeps[parent] = false; /* its children are of the trunk */
        slots->keeps[k] = hook;
        give_slot(slots, k);
    }
}

CardanStatus crd_tree_give_slots(CrdTree *tree, CrdError *error) {
    size_t links = (size_t)tree->count;
    Slots slots = {.tree = tree, .free = crd_new(links, sizeof(int)), .keeps = crd_new(links, sizeof(bool))};
    bool all = slots.free != NULL && slots.keeps != NULL;
    if (all && tree->branch_count > 0) give_divided(&slots);
    for (int k = tree->count - 1; all && tree->branch_count == 0 && k >= 0; k--) give_slot(&slots, k);
    CRD_DELETE_ALL(slots.free, slots.keeps);
    return all ? CARDAN_OK : crd_fail_memory(error);
}
