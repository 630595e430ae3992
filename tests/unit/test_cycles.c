/* Components of cycles beside their definition: two ways of the graph in which edges are vertices too stand in one
 * cycle when no vertex parts them. */
#include "model/cycles.h"

#include "core/memory.h"
#include "core/random.h"
#include "mechanisms.h"
#include "support/check.h"
#include "support/scene.h"

enum { VERTICES = 7, EDGES = 8, ENDS = 3, NODES = VERTICES + EDGES, WAYS = EDGES * ENDS, GRAPHS = 4000 };

typedef struct Graph {
    int start[EDGES + 1], end[WAYS];
    bool ties[VERTICES];
    CrdGraph graph;
} Graph;

static int random_below(uint64_t *state, int n) {
    int k = (int)((0.5 + 0.5 * crd_random(state)) * n);
    return k < 0 ? 0 : k >= n ? n - 1 : k;
}

/* Edges with none to three ends. */
static void random_graph(uint64_t *state, Graph *g) {
    int vertices = 1 + random_below(state, VERTICES), edges = random_below(state, EDGES + 1), count = 0;
    bool tied = random_below(state, 3) == 0;
    for (int e = 0; e < edges; e++) {
        int want = random_below(state, 8), ends = want == 0 ? 1 : want == 1 ? 3 : 2;
        g->start[e] = count;
        for (int k = 0; k < ends; k++) {
            int v = random_below(state, vertices);
            bool there = false;
            for (int i = g->start[e]; i < count; i++) there = there || g->end[i] == v;
            if (!there) g->end[count++] = v;
        }
    }
    g->start[edges] = count;
    for (int v = 0; v < vertices; v++) g->ties[v] = tied && random_below(state, 3) == 0;
    g->graph = (CrdGraph){vertices, edges, g->start, g->end, tied ? g->ties : NULL};
}

/* ---- the definition ---- */

typedef struct Way {
    int vertex, edge; /* the edge as a node */
} Way;

static int list_ways(const CrdGraph *graph, Way *ways) {
    int count = 0;
    for (int e = 0; e < graph->edges; e++)
        for (int i = graph->start[e]; i < graph->start[e + 1]; i++)
            ways[count++] = (Way){graph->end[i], graph->vertices + e};
    return count;
}

/* Can b be reached from a when node `without` is not there? */
static bool connected(const Way *ways, int count, int a, int b, int without) {
    bool is_in[NODES] = {false};
    is_in[a] = true;
    for (bool more = true; more;) {
        more = false;
        for (int w = 0; w < count; w++) {
            int u = ways[w].vertex, e = ways[w].edge;
            if (u == without || e == without || is_in[u] == is_in[e]) continue;
            is_in[u] = is_in[e] = more = true;
        }
    }
    return is_in[b];
}

static bool in_one_cycle(const Way *ways, int count, int nodes, Way a, Way b) {
    for (int x = 0; x < nodes; x++) {
        int from = a.vertex == x ? a.edge : a.vertex, to = b.vertex == x ? b.edge : b.vertex;
        if (!connected(ways, count, from, to, x)) return false;
    }
    return true;
}

/* together (edges x edges): in one component; of an edge with itself: it is no bridge. */
static void by_definition(const CrdGraph *graph, bool together[EDGES][EDGES]) {
    Way ways[WAYS];
    int count = list_ways(graph, ways), nodes = graph->vertices + graph->edges;
    bool same[WAYS][WAYS] = {{false}}, cyclic[WAYS] = {false};
    for (int a = 0; a < count; a++)
        for (int b = 0; b < count; b++) {
            same[a][b] = a != b && in_one_cycle(ways, count, nodes, ways[a], ways[b]);
            cyclic[a] = cyclic[a] || same[a][b];
        }
    for (int a = 0; a < count; a++)
        for (int b = 0; b < count; b++) {
            bool tied = ways[a].edge == ways[b].edge ||
                        (graph->ties != NULL && ways[a].vertex == ways[b].vertex && graph->ties[ways[a].vertex]);
            if (tied && cyclic[a] && cyclic[b]) same[a][b] = true;
        }
    for (int k = 0; k < count; k++)
        for (int a = 0; a < count; a++)
            for (int b = 0; b < count; b++) same[a][b] = same[a][b] || (same[a][k] && same[k][b]);
    memset(together, 0, EDGES * sizeof *together);
    for (int a = 0; a < count; a++)
        for (int b = 0; b < count; b++)
            if (same[a][b]) together[ways[a].edge - graph->vertices][ways[b].edge - graph->vertices] = true;
}

static void components_are_those_of_the_definition(void **state) {
    (void)state;
    uint64_t random = 7;
    int bridges = 0, several = 0;
    for (int k = 0; k < GRAPHS; k++) {
        Graph g;
        int component[EDGES];
        bool together[EDGES][EDGES];
        random_graph(&random, &g);
        by_definition(&g.graph, together);
        int count = crd_cycle_components(&g.graph, component), seen = 0;
        for (int a = 0; a < g.graph.edges; a++) {
            assert_true(component[a] >= -1 && component[a] <= seen); /* numbered in the order of edges */
            if (component[a] == seen) seen++;
            bridges += component[a] < 0;
            for (int b = 0; b < g.graph.edges; b++)
                if ((component[a] >= 0 && component[a] == component[b]) != together[a][b])
                    fail_msg("graph %d: edges %d and %d: components %d and %d, but together %d", k, a, b, component[a],
                             component[b], together[a][b]);
        }
        assert_int_equal(count, seen);
        several += count > 1;
    }
    assert_true(bridges > GRAPHS && several > GRAPHS / 100); /* both sorts were among them */
}

/* ---- mechanisms ---- */

/* How many components a model has, and elements in none. */
static int components_of(CardanModel *model, int *bridges) {
    int elements = model->structure->element_count;
    int *component = crd_new((size_t)elements, sizeof *component);
    assert_non_null(component);
    int count = crd_element_components(model->structure, component);
    *bridges = 0;
    for (int e = 0; e < elements; e++) *bridges += component[e] < 0;
    crd_delete(component);
    cardan_model_release(model);
    return count;
}

static void a_chain_has_bridges_alone(void **state) {
    (void)state;
    int bridges;
    assert_int_equal(components_of(scene_compile(mechanism_chain(CARDAN_SPACE_SPATIAL, 20000)), &bridges), 0);
    assert_int_equal(bridges, 20000);
}

static void loops_that_share_a_crank_are_one_component(void **state) {
    (void)state;
    int bridges;
    assert_int_equal(components_of(scene_compile(mechanism_four_bars(30)), &bridges), 1);
    assert_int_equal(bridges, 0);
}

/* A drive and its joint stand between the same two links: six axes, six components. */
static void loops_that_share_a_body_alone_are_several(void **state) {
    (void)state;
    int bridges;
    assert_int_equal(components_of(scene_load("models/six_axis_arm.yaml"), &bridges), 6);
    assert_int_equal(bridges, 0);
}

/* Both feet of the arch stand on the ground, which the hanging rod does not. */
static void what_hangs_from_a_loop_is_in_none(void **state) {
    (void)state;
    int bridges;
    CardanModel *model = scene_read("cardan: 1\nspace: planar\n"
                                    "bodies:\n"
                                    "  left: {mass: 1, inertia: 1, position: [0.5, 0.5]}\n"
                                    "  right: {mass: 1, inertia: 1, position: [1.5, 0.5]}\n"
                                    "  rod: {mass: 1, inertia: 1, position: [1, 0]}\n"
                                    "joints:\n"
                                    "  a: {type: revolute, bodies: [ground, left], point: [0, 0]}\n"
                                    "  top: {type: revolute, bodies: [left, right], point: [1, 1]}\n"
                                    "  b: {type: revolute, bodies: [ground, right], point: [2, 0]}\n"
                                    "  pin: {type: revolute, bodies: [left, rod], point: [1, 1]}\n");
    assert_int_equal(components_of(model, &bridges), 1);
    assert_int_equal(bridges, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_are_those_of_the_definition),
        cmocka_unit_test(a_chain_has_bridges_alone),
        cmocka_unit_test(loops_that_share_a_crank_are_one_component),
        cmocka_unit_test(loops_that_share_a_body_alone_are_several),
        cmocka_unit_test(what_hangs_from_a_loop_is_in_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
