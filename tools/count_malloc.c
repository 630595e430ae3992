/* Stands before glibc's allocator: a malloc defined in the program serves the shared libraries too, so what LAPACKE,
 * SuiteSparse or libyaml allocate is seen. Memory itself is glibc's, by the names it keeps for this purpose. */
#include "count_malloc.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

/* Declared here and not by <stdlib.h>, whose attributes would let the compiler see through the definitions. */
void *malloc(size_t size);
void *calloc(size_t number, size_t size);
void *realloc(void *block, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size);
int posix_memalign(void **block, size_t alignment, size_t size);
void free(void *block);

static atomic_bool counting;
static atomic_long counted;

static void count(void) {
    if (atomic_load_explicit(&counting, memory_order_relaxed))
        atomic_fetch_add_explicit(&counted, 1, memory_order_relaxed);
}

void *malloc(size_t size) {
    count();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count();
    return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
    count();
    return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
    count();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    bool power = alignment != 0 && (alignment & (alignment - 1)) == 0;
    if (!power || alignment % sizeof(void *) != 0) return EINVAL;
    void *got = memalign(alignment, size);
    if (got == NULL) return ENOMEM;
    *block = got;
    return 0;
}

void free(void *block) {
    __libc_free(block);
}

void count_malloc_start(void) {
    atomic_store(&counting, true);
}

void count_malloc_stop(void) {
    atomic_store(&counting, false);
}

long count_malloc_total(void) {
    return atomic_load(&counted);
}
