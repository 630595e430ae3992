#include "core/memory.h"

#include <assert.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CACHE_LINE = 64 };

void *crd_new(size_t count, size_t size) {
    assert(size > 0 || count == 0);
    return calloc(count > 0 ? count : 1, size);
}

void crd_delete(void *memory) {
    free(memory);
}

void crd_delete_all(void *const *memory, size_t count) {
    for (size_t i = 0; i < count; i++) crd_delete(memory[i]);
}

bool crd_grow(void *array, int *capacity, int need, size_t size) {
    assert(*capacity >= 0 && need >= 0 && size > 0);
    void *old;
    memcpy(&old, array, sizeof old);
    if (need <= *capacity && old != NULL) return true;
    if (need > INT_MAX / 2) return false;
    int larger = *capacity > 4 ? *capacity : *capacity > 0 || need < 4 ? 4 : need; /* what is known at first is taken */
    while (larger < need) larger = larger > INT_MAX / 2 ? INT_MAX : 2 * larger;
    if ((size_t)larger > SIZE_MAX / size) return false;
    unsigned char *fresh = realloc(old, (size_t)larger * size);
    if (fresh == NULL) return false;
    memset(fresh + (size_t)*capacity * size, 0, (size_t)(larger - *capacity) * size);
    memcpy(array, &fresh, sizeof fresh);
    *capacity = larger;
    assert(*capacity >= need);
    return true;
}

char *crd_copy_string(const char *text) {
    assert(text != NULL);
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

void *crd_take(CrdArena *arena, size_t count, size_t size) {
    if (arena->used == SIZE_MAX || (size > 0 && count > (SIZE_MAX - CACHE_LINE) / 2 / size)) {
        arena->used = SIZE_MAX;
        return NULL;
    }
    size_t bytes = (count * size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    size_t start = arena->used;
    assert(start % CACHE_LINE == 0);
    if (bytes > SIZE_MAX / 2 - start) {
        arena->used = SIZE_MAX;
        return NULL;
    }
    arena->used = start + bytes;
    assert(arena->base == NULL || arena->used <= arena->size); /* the same layout twice */
    return arena->base == NULL ? NULL : arena->base + start;
}

void crd_take_vectors(CrdArena *arena, size_t n, double **const *vectors, size_t count) {
    for (size_t i = 0; i < count; i++) *vectors[i] = crd_take(arena, n, sizeof(double));
}

bool crd_arena_allocate(CrdArena *arena) {
    if (arena->used == SIZE_MAX) return false;
    size_t bytes = arena->used > 0 ? arena->used : CACHE_LINE;
    unsigned char *block = crd_new(bytes + CACHE_LINE, 1); /* clearing an aligned one would touch all of it */
    if (block == NULL) return false;
    arena->block = block;
    crd_arena_use(arena, block + (CACHE_LINE - (uintptr_t)block % CACHE_LINE));
    return true;
}

void crd_arena_free(CrdArena *arena) {
    crd_delete(arena->block);
    *arena = (CrdArena){0};
}

void crd_arena_use(CrdArena *arena, void *room) {
    assert(arena->base == NULL && room != NULL); /* measuring ends once */
    arena->base = room;
    arena->size = arena->used;
    arena->used = 0;
}
