/* Memory: overflow-checked allocation, growing arrays for the builder, and one-block arenas for everything whose
 * sizes are known at compile.
 *
 * An arena is laid out twice by the same code: first with base NULL, when taking only adds up sizes, then with the
 * block in place. So the sizes stand in one place and cannot disagree. */
#ifndef CRD_CORE_MEMORY_H
#define CRD_CORE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed memory for count things of size bytes; NULL when there is none or the product overflows. count 0 gives a
 * unique pointer. */
void *crd_new(size_t count, size_t size);
void crd_delete(void *memory);

/* Deletes each of them. */
#define CRD_DELETE_ALL(...) crd_delete_all((void *[]){__VA_ARGS__}, sizeof((void *[]){__VA_ARGS__}) / sizeof(void *))
void crd_delete_all(void *const *memory, size_t count);

/* Makes *array (of *capacity things) hold at least need; new room is zeroed. false: out of memory, nothing changed. */
bool crd_grow(void *array, int *capacity, int need, size_t size);

/* A copy of a string; NULL when out of memory. */
char *crd_copy_string(const char *text);

typedef struct CrdArena {
    unsigned char *base; /* NULL while measuring */
    size_t used;         /* bytes; SIZE_MAX after an overflow */
    size_t size;         /* bytes of the block: what was measured */
    void *block;         /* what was allocated, base inside; NULL: the room is the caller's */
} CrdArena;

/* Room for count things of size bytes, aligned to a cache line; NULL while measuring. The real layout may not take more
 * than was measured. */
void *crd_take(CrdArena *arena, size_t count, size_t size);

/* The same for vectors of n numbers each: CRD_TAKE_VECTORS(arena, n, &a, &b, ...). */
void crd_take_vectors(CrdArena *arena, size_t n, double **const *vectors, size_t count);
#define CRD_TAKE_VECTORS(arena, n, ...)                                                                                \
    crd_take_vectors(arena, n, (double **[]){__VA_ARGS__}, sizeof((double **[]){__VA_ARGS__}) / sizeof(double **))

/* Ends measuring: allocates the zeroed block and rewinds. false: out of memory or overflow. Of a large block the system
 * gives only pages that are written to, so what a run never uses costs an address. */
bool crd_arena_allocate(CrdArena *arena);
void crd_arena_free(CrdArena *arena);

/* The same with room of the caller's, for at least arena->used bytes. */
void crd_arena_use(CrdArena *arena, void *room);

/* Has the real layout taken just what was measured? */
static inline bool crd_arena_is_full(const CrdArena *arena) {
    return arena->base != NULL && arena->used == arena->size;
}

#endif
