#include "model/paths.h"

#include "core/memory.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

enum { NOT_OF_A_PATH = -1, DONE = -2 };

typedef struct Paths {
    int n;
    const int *start, *item;
    int *path;  /* vertices of the one at hand, from end to end */
    int *end;   /* by vertex: the end that its path was found from */
    int *order; /* the new one */
    int count;
} Paths;

/* The vertex behind `at`, where one comes from `before`; -1: none, -2: several. */
static int next_of(const Paths *paths, int at, int before) {
    int next = -1;
    for (int k = paths->start[at]; k < paths->start[at + 1]; k++) {
        if (paths->item[k] == at || paths->item[k] == before) continue;
        next = next == -1 ? paths->item[k] : -2;
    }
    return next;
}

/* Fills `path` from this end on; how many there are, 0 where it is none. */
static int walk(Paths *paths, int end) {
    int count = 0;
    for (int at = end, before = -1, next; at >= 0; before = at, at = next) {
        next = next_of(paths, at, before);
        if (next == -2) return 0;
        paths->path[count++] = at;
    }
    return count;
}

static void find_paths(Paths *paths, int least) {
    for (int v = 0; v < paths->n; v++) paths->end[v] = NOT_OF_A_PATH;
    for (int v = 0; v < paths->n; v++) {
        if (paths->end[v] != NOT_OF_A_PATH || next_of(paths, v, -1) == -2) continue;
        int count = walk(paths, v);
        for (int i = 0; count >= least && i < count; i++) paths->end[paths->path[i]] = v;
    }
}

/* Both halves, the middle last. */
static void take_path(Paths *paths, int end) {
    int count = walk(paths, end), middle = count / 2;
    for (int i = 0; i < middle; i++) paths->order[paths->count++] = paths->path[i];
    for (int i = count - 1; i >= middle; i--) paths->order[paths->count++] = paths->path[i];
    for (int i = 0; i < count; i++) paths->end[paths->path[i]] = DONE;
}

static void take_all(Paths *paths, const int *order) {
    for (int i = 0; i < paths->n; i++) {
        int end = paths->end[order[i]];
        if (end == NOT_OF_A_PATH)
            paths->order[paths->count++] = order[i];
        else if (end != DONE)
            take_path(paths, end);
    }
    assert(paths->count == paths->n);
}

CardanStatus crd_halve_paths(int n, const int *start, const int *item, int least, int *order, CrdError *error) {
    Paths paths = {n, start, item, NULL, NULL, NULL, 0};
    paths.path = crd_new((size_t)n, sizeof *paths.path);
    paths.end = crd_new((size_t)n, sizeof *paths.end);
    paths.order = crd_new((size_t)n, sizeof *paths.order);
    bool all = paths.path != NULL && paths.end != NULL && paths.order != NULL;
    if (all) {
        find_paths(&paths, least);
        take_all(&paths, order);
        memcpy(order, paths.order, (size_t)n * sizeof *order);
    }
    CRD_DELETE_ALL(paths.path, paths.end, paths.order);
    return all ? CARDAN_OK : crd_fail_memory(error);
}
