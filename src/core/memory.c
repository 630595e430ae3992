#include "core/memory.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CACHE_LINE = 64 };

void *crd_new(size_t count, size_t size) {
    return calloc(count > 0 ? count : 1, size);
}

void crd_delete(void *memory) {
    free(memory);
}

bool crd_grow(void *array, int *capacity, int need, size_t size) {
    void *old;
    memcpy(&old, array, sizeof old);
    if (need <= *capacity && old != NULL) return true;
    if (need > INT_MAX / 2) return false;
    int larger = *capacity > 4 ? *capacity : 4;
    while (larger < need) larger = larger > INT_MAX / 2 ? INT_MAX : 2 * larger;
    if ((size_t)larger > SIZE_MAX / size) return false;
    unsigned char *fresh = realloc(old, (size_t)larger * size);
    if (fresh == NULL) return false;
    memset(fresh + (size_t)*capacity * size, 0, (size_t)(larger - *capacity) * size);
    memcpy(array, &fresh, sizeof fresh);
    *capacity = larger;
    return true;
}

char *crd_copy_bytes(const char *text, size_t n) {
    char *copy = malloc(n + 1);
    if (copy == NULL) return NULL;
    memcpy(copy, text, n);
    copy[n] = '\0';
    return copy;
}

char *crd_copy_string(const char *text) {
    return crd_copy_bytes(text, strlen(text));
}

void *crd_take(CrdArena *arena, size_t count, size_t size) {
    if (arena->used == SIZE_MAX || (size > 0 && count > (SIZE_MAX - CACHE_LINE) / 2 / size)) {
        arena->used = SIZE_MAX;
        return NULL;
    }
    size_t bytes = (count * size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    size_t start = arena->used;
    if (bytes > SIZE_MAX / 2 - start) {
        arena->used = SIZE_MAX;
        return NULL;
    }
    arena->used = start + bytes;
    return arena->base == NULL ? NULL : arena->base + start;
}

bool crd_arena_allocate(CrdArena *arena) {
    if (arena->used == SIZE_MAX) return false;
    size_t bytes = arena->used > 0 ? arena->used : CACHE_LINE;
    arena->base = aligned_alloc(CACHE_LINE, bytes);
    if (arena->base == NULL) return false;
    memset(arena->base, 0, bytes);
    arena->used = 0;
    return true;
}
