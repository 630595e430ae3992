#include "model/cycles.h"

#include "core/memory.h"

#include <assert.h>
#include <string.h>

/* A walk over vertices (from 0) and edges (from graph->vertices on), all called nodes here. */
typedef struct Walk {
    const CrdGraph *graph;
    int *first, *at; /* (vertices + 1), (ends): edges of a vertex */
    int *next;       /* (nodes) neighbours looked at so far */
    int *order;      /* (nodes) when it was reached, from 1; 0: not yet */
    int *low;        /* (nodes) the earliest that it or what is behind it meets */
    int *parent;     /* (nodes) -1: where a walk began */
    int *reached;    /* (nodes) in that order */
    int *label;      /* (nodes) of the way from its parent to it: the node that stands for its component */
    int *joined;     /* (nodes) of labels: the label it is one with, or itself */
    int *number;     /* (nodes) of labels: the component's; -1: none yet */
    int *ahead;      /* (nodes) one behind it, the way to which is in a cycle; -1: none */
    int count;       /* nodes reached */
    CrdArena arena;
} Walk;

static void layout(Walk *walk) {
    size_t vertices = (size_t)walk->graph->vertices, nodes = vertices + (size_t)walk->graph->edges, size = sizeof(int);
    walk->first = crd_take(&walk->arena, vertices + 1, size);
    walk->at = crd_take(&walk->arena, (size_t)walk->graph->start[walk->graph->edges], size);
    int **lists[] = {&walk->next,  &walk->order,  &walk->low,    &walk->parent, &walk->reached,
                     &walk->label, &walk->joined, &walk->number, &walk->ahead};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) *lists[i] = crd_take(&walk->arena, nodes, size);
}

/* Lists the edges of each vertex. */
static void turn_over(Walk *walk) {
    const CrdGraph *graph = walk->graph;
    int ends = graph->start[graph->edges];
    for (int i = 0; i < ends; i++) {
        assert(graph->end[i] >= 0 && graph->end[i] < graph->vertices);
        walk->first[graph->end[i]]++;
    }
    for (int v = 0; v < graph->vertices; v++) walk->first[v + 1] += walk->first[v];
    for (int e = graph->edges; e-- > 0;)
        for (int i = graph->start[e]; i < graph->start[e + 1]; i++) walk->at[--walk->first[graph->end[i]]] = e;
}

/* The next neighbour of a node; -1: there is none left. */
static int next_neighbour(Walk *walk, int node) {
    const CrdGraph *graph = walk->graph;
    bool is_vertex = node < graph->vertices;
    const int *start = is_vertex ? walk->first + node : graph->start + (node - graph->vertices);
    int i = start[0] + walk->next[node];
    if (i == start[1]) return -1;
    walk->next[node]++;
    return is_vertex ? graph->vertices + walk->at[i] : graph->end[i];
}

static void reach(Walk *walk, int node, int parent) {
    walk->reached[walk->count++] = node;
    walk->order[node] = walk->low[node] = walk->count;
    walk->parent[node] = parent;
}

/* Everything that can be reached from a vertex, in depth. */
static void walk_from(Walk *walk, int vertex) {
    reach(walk, vertex, -1);
    for (int node = vertex; node >= 0;) {
        int next = next_neighbour(walk, node), parent = walk->parent[node];
        if (next >= 0 && walk->order[next] == 0) {
            reach(walk, next, node);
            node = next;
        } else if (next >= 0) {
            if (next != parent && walk->order[next] < walk->low[node]) walk->low[node] = walk->order[next];
        } else {
            if (parent >= 0 && walk->low[node] < walk->low[parent]) walk->low[parent] = walk->low[node];
            node = parent;
        }
    }
}

/* Is the way from its parent to this node in a cycle? */
static bool is_in_cycle(const Walk *walk, int node) {
    return walk->parent[node] >= 0 && walk->low[node] < walk->order[node];
}

static int label_of(const Walk *walk, int node) {
    int label = walk->label[node];
    while (walk->joined[label] != label) label = walk->joined[label] = walk->joined[walk->joined[label]];
    return label;
}

/* A way and the one before it are in one component when something behind both meets what is before both. */
static void label_ways(Walk *walk) {
    for (int i = 0; i < walk->count; i++) {
        int node = walk->reached[i], parent = walk->parent[node];
        bool same = parent >= 0 && walk->parent[parent] >= 0 && walk->low[node] < walk->order[parent];
        walk->label[node] = same ? walk->label[parent] : node;
        walk->joined[node] = node;
        walk->number[node] = walk->ahead[node] = -1;
        if (is_in_cycle(walk, node)) walk->ahead[parent] = node;
    }
}

/* Ways of one edge, and those of a vertex that ties, are in one component. */
static void join_ways(Walk *walk) {
    const CrdGraph *graph = walk->graph;
    for (int i = 0; i < walk->count; i++) {
        int node = walk->reached[i], parent = walk->parent[node];
        if (!is_in_cycle(walk, node)) continue;
        bool ties = parent >= graph->vertices || (graph->ties != NULL && graph->ties[parent]);
        int other = is_in_cycle(walk, parent) ? parent : walk->ahead[parent];
        if (ties) walk->joined[label_of(walk, node)] = label_of(walk, other);
    }
}

/* A way of this edge that is in a cycle; -1: it has none. */
static int way_of(const Walk *walk, int edge) {
    int node = walk->graph->vertices + edge;
    if (walk->order[node] == 0) return -1; /* it has no ends */
    return is_in_cycle(walk, node) ? node : walk->ahead[node];
}

static int number_edges(Walk *walk, int *component) {
    int count = 0;
    for (int e = 0; e < walk->graph->edges; e++) {
        int way = way_of(walk, e);
        component[e] = -1;
        if (way < 0) continue;
        int label = label_of(walk, way);
        if (walk->number[label] < 0) walk->number[label] = count++;
        component[e] = walk->number[label];
    }
    return count;
}

int crd_cycle_components(const CrdGraph *graph, int *component) {
    Walk walk = {.graph = graph};
    layout(&walk);
    if (!crd_arena_allocate(&walk.arena)) return -1;
    layout(&walk);
    assert(crd_arena_is_full(&walk.arena));
    turn_over(&walk);
    for (int v = 0; v < graph->vertices; v++)
        if (walk.order[v] == 0) walk_from(&walk, v);
    label_ways(&walk);
    join_ways(&walk);
    int count = number_edges(&walk, component);
    crd_arena_free(&walk.arena);
    return count;
}

/* ---- elements ---- */

/* Does an element stand on the ground, or may it know where things are? */
static bool is_grounded(const CrdStructure *structure, const CrdElement *element) {
    if (element->type == CRD_ELEMENT_USER || element->type == CRD_ELEMENT_BLOCK) return true;
    for (int i = element->attachment; i < element->attachment + element->attachments; i++)
        if (structure->attachments[i].incidence < 0) return true;
    return false;
}

/* The ground is the last vertex; after the elements each custom block is an edge to it, because its own coordinates
 * may say where it is. */
static void list_ends(const CrdStructure *structure, int *start, int *end, bool *ties) {
    int count = 0, edge = 0, ground = structure->block_count;
    for (int e = 0; e < structure->element_count; e++) {
        const CrdElement *element = &structure->elements[e];
        start[edge++] = count;
        if (element->rows == 0) continue;
        for (int i = 0; i < element->incidences; i++)
            end[count++] = structure->incidences[element->incidence + i].block;
        if (is_grounded(structure, element)) end[count++] = ground;
    }
    for (int b = 0; b < structure->block_count; b++) {
        start[edge++] = count;
        ties[b] = structure->blocks[b].kind == CRD_CUSTOM_BLOCK;
        if (!ties[b]) continue;
        end[count++] = b;
        end[count++] = ground;
    }
    start[edge] = count;
}

int crd_element_components(const CrdStructure *structure, int *component) {
    size_t elements = (size_t)structure->element_count, blocks = (size_t)structure->block_count;
    int *start = crd_new(elements + blocks + 1, sizeof *start), *all = crd_new(elements + blocks, sizeof *all);
    int *end = crd_new((size_t)structure->incidence_count + elements + 2 * blocks, sizeof *end);
    bool *ties = crd_new(blocks + 1, sizeof *ties);
    int count = -1;
    if (start != NULL && all != NULL && end != NULL && ties != NULL) {
        list_ends(structure, start, end, ties);
        CrdGraph graph = {structure->block_count + 1, structure->element_count + structure->block_count, start, end,
                          ties};
        count = crd_cycle_components(&graph, all);
        if (count >= 0) memcpy(component, all, elements * sizeof *component);
    }
    CRD_DELETE_ALL(start, all, end, ties);
    return count;
}
