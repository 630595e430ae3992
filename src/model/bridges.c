/* low(v) is the smallest number, in the order of a depth-first search, that v and what hangs below it in the search
 * reach by one edge that is none of the search's own. The edge by which the search came to v is a bridge when low(v) is
 * v's own number (R. E. Tarjan, A note on finding the bridges of a graph, 1974). The stack is an array: chains are
 * long. */
#include "model/bridges.h"

#include "core/memory.h"

#include <assert.h>

enum { NOT_SEEN = 0 };

typedef struct Search {
    const CrdEdge *edges;
    int *start, *edge; /* (vertices + 1), (2 count) edges at each vertex */
    int *next;         /* (vertices) the next of them to look at */
    int *number, *low; /* (vertices) from 1 on */
    int *came_by;      /* (vertices) the edge to it; -1: a root */
    int *stack;        /* (vertices) */
    int seen;
} Search;

/* Lists the edges at each vertex; next is where the list of each goes on. */
static void list_edges(Search *search, int vertices, int count) {
    for (int i = 0; i < count; i++) {
        search->start[search->edges[i].a + 1]++;
        search->start[search->edges[i].b + 1]++;
    }
    for (int v = 0; v < vertices; v++) search->start[v + 1] += search->start[v];
    for (int v = 0; v < vertices; v++) search->next[v] = search->start[v];
    for (int i = 0; i < count; i++) {
        search->edge[search->next[search->edges[i].a]++] = i;
        search->edge[search->next[search->edges[i].b]++] = i;
    }
    for (int v = 0; v < vertices; v++) search->next[v] = search->start[v];
}

static void enter(Search *search, int v, int edge) {
    search->number[v] = search->low[v] = ++search->seen;
    search->came_by[v] = edge;
}

static void lower(int *low, int number) {
    if (number < *low) *low = number;
}

static void search_from(Search *search, int root, bool *is_bridge) {
    int depth = 0;
    search->stack[0] = root;
    enter(search, root, -1);
    while (depth >= 0) {
        int v = search->stack[depth], by = search->came_by[v];
        if (search->next[v] < search->start[v + 1]) {
            int edge = search->edge[search->next[v]++];
            int other = search->edges[edge].a == v ? search->edges[edge].b : search->edges[edge].a;
            if (edge == by) continue;
            if (search->number[other] != NOT_SEEN) {
                lower(&search->low[v], search->number[other]);
                continue;
            }
            enter(search, other, edge);
            search->stack[++depth] = other;
            continue;
        }
        if (by >= 0) is_bridge[by] = search->low[v] == search->number[v];
        if (depth-- > 0) lower(&search->low[search->stack[depth]], search->low[v]);
    }
}

CardanStatus crd_find_bridges(int vertices, int count, const CrdEdge *edges, bool *is_bridge, CrdError *error) {
    size_t n = (size_t)vertices, m = (size_t)count;
    Search search = {.edges = edges,
                     .start = crd_new(n + 1, sizeof(int)),
                     .edge = crd_new(2 * m, sizeof(int)),
                     .next = crd_new(n, sizeof(int)),
                     .number = crd_new(n, sizeof(int)),
                     .low = crd_new(n, sizeof(int)),
                     .came_by = crd_new(n, sizeof(int)),
                     .stack = crd_new(n, sizeof(int))};
    bool all = search.start != NULL && search.edge != NULL && search.next != NULL && search.number != NULL &&
               search.low != NULL && search.came_by != NULL && search.stack != NULL;
    for (int i = 0; i < count; i++) {
        assert(edges[i].a >= 0 && edges[i].a < vertices && edges[i].b >= 0 && edges[i].b < vertices);
        is_bridge[i] = false;
    }
    if (all) list_edges(&search, vertices, count);
    for (int v = 0; all && v < vertices; v++)
        if (search.number[v] == NOT_SEEN) search_from(&search, v, is_bridge);
    CRD_DELETE_ALL(search.start, search.edge, search.next, search.number, search.low, search.came_by, search.stack);
    return all ? CARDAN_OK : crd_fail_memory(error);
}
