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

/* Makes *array (of *capacity things) hold at least need; new room is zeroed. false: out of memory, nothing changed. */
bool crd_grow(void *array, int *capacity, int need, size_t size);

/* A copy of a string, or of its first n bytes; NULL when out of memory. */
char *crd_copy_string(const char *text);
char *crd_copy_bytes(const char *text, size_t n);

typedef struct CrdArena {
    unsigned char *base; /* NULL while measuring */
    size_t used;         /* bytes; SIZE_MAX after an overflow */
} CrdArena;

/* Room for count things of size bytes, aligned to a cache line; NULL while measuring. */
void *crd_take(CrdArena *arena, size_t count, size_t size);

/* Ends measuring: allocates the zeroed block and rewinds. false: out of memory or overflow. */
bool crd_arena_allocate(CrdArena *arena);

#endif
