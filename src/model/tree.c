/* Links of a spanning tree in depth-first order. */
#include "model/tree.h"

#include "core/memory.h"
#include "model/tree_span.h"

#include <assert.h>

/* Numbers of the record of a link in the factor (equations/tree_work.h), by space. */
static int factor_size(CardanSpace space, CrdBlockKind kind) {
    bool planar = space == CARDAN_SPACE_PLANAR;
    switch (kind) {
    case CRD_LINK_REVOLUTE:
        return planar ? 6 : 13;
    case CRD_LINK_PRISMATIC:
    case CRD_LINK_SCREW:
        return planar ? 8 : 14;
    case CRD_LINK_SPHERICAL:
        return 27;
    case CRD_LINK_WELD:
        return planar ? 2 : 3;
    case CRD_SPATIAL_BODY:
        return 30;
    case CRD_SPATIAL_PARTICLE:
    case CRD_PLANAR_BODY:
        return 6;
    case CRD_PLANAR_PARTICLE:
    case CRD_CUSTOM_BLOCK:
        break;
    }
    return 3;
}

typedef struct Making {
    const CrdStructure *absolute;
    const CrdDescription *description;
    CrdSpanning spanning;
    int *start, *child; /* frames that hang on each frame; free ones on the ground */
    int *stack;
    CrdTree *tree;
} Making;

static CrdLink *add_link(Making *making, int frame, CrdBlockKind kind) {
    CrdTree *tree = making->tree;
    CrdLink *link = &tree->links[tree->count++];
    *link = (CrdLink){.kind = kind, .free = true, .parent = -1, .in = -1, .out = -1};
    tree->origins[tree->count - 1] = (CrdOrigin){.body = -1, .element = -1};
    link->parts = 1;
    link->factor = tree->size_factor;
    tree->size_factor += factor_size(making->absolute->space, kind);
    link->pose = frame;
    return link;
}

static void use_body(Making *making, CrdLink *link, int frame) {
    CrdTree *tree = making->tree;
    int k = (int)(link - tree->links);
    assert(link->pose == frame);
    tree->origins[k].body = making->absolute->frames[frame].block;
    tree->link_of[frame] = k;
}

static void add_frame(Making *making, int frame) {
    CrdTree *tree = making->tree;
    int element = making->spanning.element[frame], parent = making->spanning.parent[frame];
    if (element < 0) {
        use_body(making, add_link(making, frame, making->absolute->blocks[making->absolute->frames[frame].block].kind),
                 frame);
        return;
    }
    const CrdChain *chain = crd_joint_chain(making->absolute, making->description, element);
    bool reversed = crd_element_frame(making->absolute, element, 0) == frame;
    int above = tree->link_of[parent];
    tree->is_joint[element] = true;
    for (int i = 0; i < chain->count; i++) {
        bool last = i == chain->count - 1;
        CrdLink *link = add_link(making, last ? frame : making->absolute->frame_count + tree->inner++, chain->kind[i]);
        link->parent = above;
        link->free = false;
        if (above >= 0 && above < tree->count - 2) tree->links[above].forks = true;
        tree->origins[tree->count - 1].element = element;
        link->reversed = reversed;
        link->part = i;
        link->parts = chain->count;
        if (last) use_body(making, link, frame);
        above = tree->count - 1;
    }
}

/* Children of each frame, free ones of the ground. */
static void list_children(Making *making) {
    int n = making->absolute->frame_count;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 1; i < n; i++) {
            int parent = making->spanning.parent[i] < 0 ? 0 : making->spanning.parent[i];
            if (pass == 0)
                making->start[parent + 2]++;
            else
                making->child[making->start[parent + 1]++] = i;
        }
        for (int i = 0; pass == 0 && i < n; i++) making->start[i + 2] += making->start[i + 1];
    }
}

static void number_links(Making *making) {
    int waiting = 1;
    making->stack[0] = 0;
    making->tree->link_of[0] = -1;
    while (waiting > 0) {
        int frame = making->stack[--waiting];
        if (frame > 0) add_frame(making, frame);
        for (int i = making->start[frame + 1] - 1; i >= making->start[frame]; i--)
            making->stack[waiting++] = making->child[i];
    }
}

static CardanStatus allocate(Making *making, CrdError *error) {
    const CrdStructure *absolute = making->absolute;
    CrdTree *tree = making->tree;
    size_t frames = (size_t)absolute->frame_count, elements = (size_t)absolute->element_count, links = frames;
    for (int e = 0; e < absolute->element_count; e++) {
        const CrdChain *chain = crd_joint_chain(absolute, making->description, e);
        if (chain != NULL) links += (size_t)chain->count - 1;
    }
    making->start = crd_new(frames + 2, sizeof *making->start);
    making->child = crd_new(frames, sizeof *making->child);
    making->stack = crd_new(links, sizeof *making->stack);
    tree->links = crd_new(links, sizeof *tree->links);
    tree->origins = crd_new(links, sizeof *tree->origins);
    tree->is_joint = crd_new(elements, sizeof *tree->is_joint);
    tree->link_of = crd_new(frames, sizeof *tree->link_of);
    tree->walk = crd_new(elements + 1, sizeof *tree->walk);
    tree->wrench = crd_new(elements, sizeof *tree->wrench);
    tree->loops = crd_new(elements, sizeof *tree->loops);
    tree->counted = crd_new(elements, sizeof *tree->counted);
    tree->tracking = crd_new(elements, sizeof *tree->tracking);
    bool all = making->start != NULL && making->child != NULL && making->stack != NULL && tree->links != NULL &&
               tree->origins != NULL && tree->is_joint != NULL && tree->link_of != NULL && tree->walk != NULL &&
               tree->wrench != NULL && tree->loops != NULL && tree->counted != NULL && tree->tracking != NULL;
    return all ? CARDAN_OK : crd_fail_memory(error);
}

static CardanStatus make(Making *making, CrdError *error) {
    CRD_TRY(crd_span(making->absolute, making->description, &making->spanning, error));
    CRD_TRY(allocate(making, error));
    list_children(making);
    number_links(making);
    CRD_TRY(crd_tree_divide(making->tree, error));
    return crd_tree_give_slots(making->tree, error);
}

CardanStatus crd_tree_create(const CrdStructure *absolute, const CrdDescription *description, CrdTree **out,
                             CrdError *error) {
    *out = NULL;
    Making making = {.absolute = absolute, .description = description, .tree = crd_new(1, sizeof(CrdTree))};
    CardanStatus status = making.tree == NULL ? crd_fail_memory(error) : make(&making, error);
    crd_spanning_free(&making.spanning);
    CRD_DELETE_ALL(making.start, making.child, making.stack);
    if (status < 0)
        crd_tree_free(making.tree);
    else
        *out = making.tree;
    return status;
}

void crd_tree_free(CrdTree *tree) {
    if (tree == NULL) return;
    CRD_DELETE_ALL(tree->counted, tree->tracking, tree->links, tree->origins, tree->is_joint, tree->link_of, tree->walk,
                   tree->steps, tree->seeds, tree->wrench, tree->loops, tree->branches, tree->ranges, tree->trunk);
    crd_delete(tree);
}
