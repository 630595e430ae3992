#include "model/postorder.h"

#include "core/memory.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct Tree {
    int n;
    const int *start, *item;
    int *order, *place;    /* by place, and its inverse; places name the vertices below */
    int *parent, *highest; /* -1: a root; where the way up is known to lead */
    int *child, *sibling;  /* first child of each and, at n, first root; -1: none */
    int *stack, *done;     /* vertices in the new order */
} Tree;

/* The parent of k is the first later one that its column reaches (Liu 1990); ways up are shortened as they are gone. */
static void find_parents(Tree *tree) {
    for (int i = 0; i < tree->n; i++) {
        int vertex = tree->order[i];
        tree->parent[i] = tree->highest[i] = -1;
        for (int s = tree->start[vertex]; s < tree->start[vertex + 1]; s++)
            for (int k = tree->place[tree->item[s]], next; k >= 0 && k < i; k = next) {
                next = tree->highest[k];
                tree->highest[k] = i;
                if (next < 0) tree->parent[k] = i;
            }
    }
}

/* Children in their order. */
static void list_children(Tree *tree) {
    for (int i = 0; i <= tree->n; i++) tree->child[i] = -1;
    for (int i = tree->n - 1; i >= 0; i--) {
        int list = tree->parent[i] < 0 ? tree->n : tree->parent[i];
        tree->sibling[i] = tree->child[list];
        tree->child[list] = i;
    }
}

static void number(Tree *tree) {
    int depth = 0, count = 0;
    for (int root = tree->child[tree->n]; root >= 0; root = tree->sibling[root]) {
        tree->stack[depth++] = root;
        while (depth > 0) {
            int at = tree->stack[depth - 1], next = tree->child[at];
            if (next >= 0) {
                tree->child[at] = tree->sibling[next];
                tree->stack[depth++] = next;
            } else {
                tree->done[count++] = tree->order[at];
                depth--;
            }
        }
    }
    assert(count == tree->n);
    for (int i = 0; i < tree->n; i++) tree->order[i] = tree->done[i];
}

CardanStatus crd_postorder(int n, const int *start, const int *item, int *order, CrdError *error) {
    Tree tree = {.n = n, .start = start, .item = item, .order = order};
    int **arrays[] = {&tree.place, &tree.parent, &tree.highest, &tree.child, &tree.sibling, &tree.stack, &tree.done};
    bool all = true;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        all = (*arrays[i] = crd_new((size_t)n + 1, sizeof(int))) != NULL && all;
    if (all) {
        for (int i = 0; i < n; i++) tree.place[order[i]] = i;
        find_parents(&tree);
        list_children(&tree);
        number(&tree);
    }
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) crd_delete(*arrays[i]);
    return all ? CARDAN_OK : crd_fail_memory(error);
}
