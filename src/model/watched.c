#include "model/watched.h"

#include "core/memory.h"
#include "model/bridges.h"

#include <assert.h>

enum { GROUND = 0 };

typedef struct Watch {
    const CrdStructure *structure;
    CrdEdge *edges;
    int *owner; /* by edge: its element */
    int edge_count;
    bool *is_bridge;    /* by edge */
    bool *is_watched;   /* by element; of groups at their first */
    int *group;         /* by element: a parent in its group, itself at the first */
    int *coupler_count; /* by element: in the group, at its first */
} Watch;

static int vertex_of(const CrdStructure *structure, int frame) {
    int block = structure->frames[frame].block;
    return block < 0 || structure->blocks[block].kind == CRD_CUSTOM_BLOCK ? GROUND : block + 1;
}

/* ---- edges ---- */

static void join(Watch *watch, int element, int a, int b) {
    watch->edges[watch->edge_count] = (CrdEdge){a, b};
    watch->owner[watch->edge_count++] = element;
}

static int end_of(const CrdStructure *structure, int element, int side) {
    return vertex_of(structure, crd_element_frame(structure, element, side));
}

static void join_element(Watch *watch, int e) {
    const CrdStructure *structure = watch->structure;
    const CrdElement *element = &structure->elements[e];
    switch (element->type) {
    case CRD_ELEMENT_JOINT:
        if (element->rows > 0) join(watch, e, end_of(structure, e, 0), end_of(structure, e, 1));
        break;
    case CRD_ELEMENT_USER:
        for (int i = 0; i < element->attachments; i++) join(watch, e, GROUND, end_of(structure, e, i));
        break;
    case CRD_ELEMENT_COUPLER: /* a compliant joint has no rows that would join its bodies */
        for (int i = element->term; i < element->term + element->terms; i++) {
            int of = structure->terms[i].element;
            if (structure->elements[of].rows == 0) join(watch, e, end_of(structure, of, 0), end_of(structure, of, 1));
        }
        break;
    case CRD_ELEMENT_BLOCK:
    case CRD_ELEMENT_TYPES:
        break;
    }
}

/* ---- groups ---- */

static int first_of(const Watch *watch, int e) {
    while (watch->group[e] != e) e = watch->group[e] = watch->group[watch->group[e]];
    return e;
}

static void unite(Watch *watch, int a, int b) {
    int first = first_of(watch, a), other = first_of(watch, b);
    if (first == other) return;
    watch->group[other] = first;
    watch->coupler_count[first] += watch->coupler_count[other];
}

/* ---- rows that can lose rank by themselves ---- */

static bool coupler_can_vanish(const CrdStructure *structure, const CrdElement *element) {
    for (int i = element->term; i < element->term + element->terms; i++) {
        const CrdElement *of = &structure->elements[structure->terms[i].element];
        if (structure->terms[i].coordinate == CARDAN_COORDINATE_LENGTH || of->rows == 0) return true;
    }
    return false;
}

static bool can_vanish(const CrdStructure *structure, const CrdElement *element) {
    switch (element->type) {
    case CRD_ELEMENT_JOINT:
        return element->kind->rank == CRD_RANK_CAN_FALL ||
               (element->kind->rank == CRD_RANK_CAN_BE_DRIVEN_DOWN && element->laws > 0);
    case CRD_ELEMENT_COUPLER:
        return coupler_can_vanish(structure, element);
    case CRD_ELEMENT_USER:
    case CRD_ELEMENT_BLOCK:
    case CRD_ELEMENT_TYPES:
        break;
    }
    return true;
}

/* ---- all of it ---- */

/* At most one for each two attachments, of a user's rows one each. */
static bool make(Watch *watch) {
    size_t n = (size_t)watch->structure->element_count, edges = (size_t)watch->structure->attachment_count;
    watch->edges = crd_new(edges, sizeof *watch->edges);
    watch->owner = crd_new(edges, sizeof *watch->owner);
    watch->is_bridge = crd_new(edges, sizeof *watch->is_bridge);
    watch->is_watched = crd_new(n, sizeof *watch->is_watched);
    watch->group = crd_new(n, sizeof *watch->group);
    watch->coupler_count = crd_new(n, sizeof *watch->coupler_count);
    return watch->edges != NULL && watch->owner != NULL && watch->is_bridge != NULL && watch->is_watched != NULL &&
           watch->group != NULL && watch->coupler_count != NULL;
}

static void begin(Watch *watch) {
    const CrdStructure *structure = watch->structure;
    for (int e = 0; e < structure->element_count; e++) {
        watch->group[e] = e;
        watch->coupler_count[e] = structure->elements[e].type == CRD_ELEMENT_COUPLER;
        join_element(watch, e);
    }
    assert(watch->edge_count <= structure->attachment_count);
    for (int e = 0; e < structure->element_count; e++)
        for (int i = 0; i < structure->elements[e].terms; i++)
            unite(watch, e, structure->terms[structure->elements[e].term + i].element);
}

static void judge(Watch *watch) {
    const CrdStructure *structure = watch->structure;
    for (int i = 0; i < watch->edge_count; i++)
        if (!watch->is_bridge[i]) watch->is_watched[first_of(watch, watch->owner[i])] = true;
    for (int e = 0; e < structure->element_count; e++) {
        int first = first_of(watch, e);
        if (structure->elements[e].rows == 0) continue;
        if (watch->coupler_count[first] > 1 || can_vanish(structure, &structure->elements[e]))
            watch->is_watched[first] = true;
    }
}

static CardanStatus list(Watch *watch, CrdStructure *structure, CrdError *error) {
    structure->watched = crd_new((size_t)structure->element_count, sizeof *structure->watched);
    if (structure->watched == NULL) return crd_fail_memory(error);
    for (int e = 0; e < structure->element_count; e++)
        if (structure->elements[e].rows > 0 && watch->is_watched[first_of(watch, e)])
            structure->watched[structure->watched_count++] = e;
    return CARDAN_OK;
}

CardanStatus crd_structure_watch(CrdStructure *structure, CrdError *error) {
    Watch watch = {.structure = structure};
    CardanStatus status = make(&watch) ? CARDAN_OK : crd_fail_memory(error);
    if (status >= 0) {
        begin(&watch);
        status = crd_find_bridges(structure->block_count + 1, watch.edge_count, watch.edges, watch.is_bridge, error);
    }
    if (status >= 0) {
        judge(&watch);
        status = list(&watch, structure, error);
    }
    CRD_DELETE_ALL(watch.edges, watch.owner, watch.is_bridge, watch.is_watched, watch.group, watch.coupler_count);
    return status;
}
