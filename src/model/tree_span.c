/* The spanning tree: joints with many rows become joints of the tree and those with few are cut, among equals the one
 * that makes the tree least deep. That is Prim's algorithm from the ground with (rows, depth) as its order (R. C. Prim
 * 1957); whatever is not reached hangs on a free joint and is gone on from. */
#include "model/tree_span.h"

#include "core/memory.h"

#include <assert.h>

static const CrdChain CHAINS[2][CARDAN_JOINT_TYPES] = {
    [CARDAN_SPACE_PLANAR] =
        {
            [CARDAN_JOINT_REVOLUTE] = {1, {CRD_LINK_REVOLUTE}},
            [CARDAN_JOINT_PRISMATIC] = {1, {CRD_LINK_PRISMATIC}},
            [CARDAN_JOINT_WELD] = {1, {CRD_LINK_WELD}},
        },
    [CARDAN_SPACE_SPATIAL] =
        {
            [CARDAN_JOINT_REVOLUTE] = {1, {CRD_LINK_REVOLUTE}},
            [CARDAN_JOINT_PRISMATIC] = {1, {CRD_LINK_PRISMATIC}},
            [CARDAN_JOINT_SCREW] = {1, {CRD_LINK_SCREW}},
            [CARDAN_JOINT_SPHERICAL] = {1, {CRD_LINK_SPHERICAL}},
            [CARDAN_JOINT_WELD] = {1, {CRD_LINK_WELD}},
            [CARDAN_JOINT_UNIVERSAL] = {2, {CRD_LINK_REVOLUTE, CRD_LINK_REVOLUTE}},
            [CARDAN_JOINT_CYLINDRICAL] = {2, {CRD_LINK_PRISMATIC, CRD_LINK_REVOLUTE}},
            [CARDAN_JOINT_PLANAR] = {3, {CRD_LINK_PRISMATIC, CRD_LINK_PRISMATIC, CRD_LINK_REVOLUTE}},
        },
};

const CrdChain *crd_joint_chain(const CrdStructure *structure, const CrdDescription *description, int element) {
    const CrdElement *e = &structure->elements[element];
    if (e->type != CRD_ELEMENT_JOINT || e->rows == 0) return NULL;
    const CrdChain *chain = &CHAINS[structure->space][description->joints[e->joint].type];
    bool two = crd_element_frame(structure, element, 0) != crd_element_frame(structure, element, 1);
    return chain->count > 0 && two ? chain : NULL;
}

/* ---- the graph of frames ---- */

typedef struct Edge {
    int element, to; /* another frame by this joint */
} Edge;

/* A joint from the tree to `to`: many rows first, then little depth, then as described. */
typedef struct Way {
    int rows, depth, element, to;
} Way;

typedef struct Search {
    const CrdStructure *structure;
    const CrdDescription *description;
    int *start; /* by frame, one more */
    Edge *edges;
    int *depth; /* by frame; -1: not reached */
    Way *heap;
    int waiting;
    CrdSpanning *out;
} Search;

static bool before(const Way *a, const Way *b) {
    if (a->rows != b->rows) return a->rows > b->rows;
    if (a->depth != b->depth) return a->depth < b->depth;
    return a->element < b->element;
}

static void push(Search *search, Way way) {
    int i = search->waiting++;
    for (; i > 0 && before(&way, &search->heap[(i - 1) / 2]); i = (i - 1) / 2)
        search->heap[i] = search->heap[(i - 1) / 2];
    search->heap[i] = way;
}

static Way pop(Search *search) {
    Way top = search->heap[0], last = search->heap[--search->waiting];
    int i = 0, n = search->waiting;
    for (int child = 1; child < n; child = 2 * i + 1) {
        if (child + 1 < n && before(&search->heap[child + 1], &search->heap[child])) child++;
        if (!before(&search->heap[child], &last)) break;
        search->heap[i] = search->heap[child];
        i = child;
    }
    if (n > 0) search->heap[i] = last;
    return top;
}

static bool is_particle(const Search *search, int frame) {
    int block = search->structure->frames[frame].block;
    if (block < 0) return false;
    CrdBlockKind kind = search->structure->blocks[block].kind;
    return kind == CRD_PLANAR_PARTICLE || kind == CRD_SPATIAL_PARTICLE;
}

static void reach(Search *search, int frame, int depth) {
    search->depth[frame] = depth;
    for (int i = search->start[frame]; i < search->start[frame + 1]; i++) {
        const Edge *edge = &search->edges[i];
        /* A particle does not turn with a joint: it is a root or in a loop. */
        if (search->depth[edge->to] >= 0 || is_particle(search, edge->to)) continue;
        push(search, (Way){search->structure->elements[edge->element].rows, depth + 1, edge->element, edge->to});
    }
}

/* All that hangs on a frame. */
static void grow(Search *search, int frame) {
    reach(search, frame, 0);
    while (search->waiting > 0) {
        Way way = pop(search);
        if (search->depth[way.to] >= 0) continue;
        int a = crd_element_frame(search->structure, way.element, 0),
            b = crd_element_frame(search->structure, way.element, 1);
        search->out->parent[way.to] = way.to == a ? b : a;
        search->out->element[way.to] = way.element;
        reach(search, way.to, way.depth);
    }
}

static int degree(const Search *search, int frame) {
    return search->start[frame + 1] - search->start[frame];
}

/* The ground, then what must be a root, then of what is left the frames with the most joints first. */
static void span(Search *search) {
    int n = search->structure->frame_count, max = 0;
    for (int i = 0; i < n; i++) {
        search->depth[i] = search->out->parent[i] = search->out->element[i] = -1;
        max = degree(search, i) > max ? degree(search, i) : max;
    }
    grow(search, 0);
    for (int i = 1; i < n; i++)
        if (search->depth[i] < 0 && is_particle(search, i)) grow(search, i);
    /* Few frames have more joints than a handful: what is beyond counts as that. */
    for (int most = max < 8 ? max : 8; most >= 0; most--)
        for (int i = 1; i < n; i++)
            if (search->depth[i] < 0 && degree(search, i) >= most) grow(search, i);
}

static CardanStatus list_edges(Search *search, CrdError *error) {
    const CrdStructure *structure = search->structure;
    search->start = crd_new((size_t)structure->frame_count + 2, sizeof *search->start);
    search->edges = crd_new(2 * (size_t)structure->element_count, sizeof *search->edges);
    search->heap = crd_new(2 * (size_t)structure->element_count, sizeof *search->heap);
    search->depth = crd_new((size_t)structure->frame_count, sizeof *search->depth);
    if (search->start == NULL || search->edges == NULL || search->heap == NULL || search->depth == NULL)
        return crd_fail_memory(error);
    for (int pass = 0; pass < 2; pass++) {
        for (int e = 0; e < structure->element_count; e++) {
            if (crd_joint_chain(structure, search->description, e) == NULL) continue;
            int a = crd_element_frame(structure, e, 0), b = crd_element_frame(structure, e, 1);
            if (pass == 0) {
                search->start[a + 2]++;
                search->start[b + 2]++;
            } else {
                search->edges[search->start[a + 1]++] = (Edge){e, b};
                search->edges[search->start[b + 1]++] = (Edge){e, a};
            }
        }
        for (int i = 0; pass == 0 && i < structure->frame_count; i++) search->start[i + 2] += search->start[i + 1];
    }
    return CARDAN_OK;
}

CardanStatus crd_span(const CrdStructure *structure, const CrdDescription *description, CrdSpanning *out,
                      CrdError *error) {
    Search search = {.structure = structure, .description = description, .out = out};
    out->parent = crd_new((size_t)structure->frame_count, sizeof *out->parent);
    out->element = crd_new((size_t)structure->frame_count, sizeof *out->element);
    CardanStatus status =
        out->parent == NULL || out->element == NULL ? crd_fail_memory(error) : list_edges(&search, error);
    if (status >= 0) span(&search);
    CRD_DELETE_ALL(search.start, search.edges, search.heap, search.depth);
    return status;
}

void crd_spanning_free(CrdSpanning *spanning) {
    CRD_DELETE_ALL(spanning->parent, spanning->element);
}
