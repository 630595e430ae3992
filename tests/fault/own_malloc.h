/* Stands before glibc's allocator for the whole test program, shared libraries included: counts allocations, counts
 * blocks that are alive, and lets a chosen allocation fail. To be included by one file of a program. Sanitizers stand
 * in this place themselves, so with them there is only OWN_MALLOC 0 and functions that do nothing. */
#ifndef TESTS_FAULT_OWN_MALLOC_H
#define TESTS_FAULT_OWN_MALLOC_H

#include <errno.h> /* any header of glibc defines __GLIBC__ */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#if defined(__has_feature)
#define OWN_MALLOC_FEATURE(x) __has_feature(x)
#else
#define OWN_MALLOC_FEATURE(x) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || OWN_MALLOC_FEATURE(address_sanitizer) ||          \
    OWN_MALLOC_FEATURE(thread_sanitizer) || !defined(__GLIBC__)
#define OWN_MALLOC 0
#else
#define OWN_MALLOC 1
#endif

/* Atomic, because compilers assume that malloc changes no variable of ours. */
static atomic_long own_calls; /* allocations asked for since the program began */
static atomic_long own_live;  /* blocks not freed */
static atomic_long own_left;  /* allocations until one fails; 0: none will */
static atomic_bool own_stays; /* from that one on all fail */
static atomic_long own_failed;

static inline long own_malloc_calls(void) {
    return atomic_load(&own_calls);
}

static inline long own_malloc_live(void) {
    return atomic_load(&own_live);
}

/* The k-th allocation from now fails; forever: and all after it. */
static inline void own_malloc_arm(long k, bool forever) {
    atomic_store(&own_failed, 0);
    atomic_store(&own_stays, forever);
    atomic_store(&own_left, k);
}

/* Ends failing; how many have failed. */
static inline long own_malloc_disarm(void) {
    atomic_store(&own_left, 0);
    return atomic_load(&own_failed);
}

#if OWN_MALLOC

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

/* Declared here and not by <stdlib.h>, whose attributes would let the compiler see through the definitions. */
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *block, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size);
int posix_memalign(void **block, size_t alignment, size_t size);
void free(void *block);

/* One allocation asked for: shall it fail? */
static bool own_refuse(void) {
    atomic_fetch_add(&own_calls, 1);
    long left = atomic_load(&own_left);
    if (left == 0) return false;
    if (left > 1) {
        atomic_store(&own_left, left - 1);
        return false;
    }
    if (!atomic_load(&own_stays)) atomic_store(&own_left, 0);
    atomic_fetch_add(&own_failed, 1);
    errno = ENOMEM;
    return true;
}

static void *own_count(void *block) {
    if (block != NULL) atomic_fetch_add(&own_live, 1);
    return block;
}

void *malloc(size_t size) {
    return own_refuse() ? NULL : own_count(__libc_malloc(size));
}

void *calloc(size_t count, size_t size) {
    return own_refuse() ? NULL : own_count(__libc_calloc(count, size));
}

void *realloc(void *block, size_t size) {
    if (own_refuse()) return NULL;
    void *got = __libc_realloc(block, size);
    if (block == NULL && got != NULL) atomic_fetch_add(&own_live, 1);
    if (block != NULL && got == NULL && size == 0) atomic_fetch_sub(&own_live, 1);
    return got;
}

void *memalign(size_t alignment, size_t size) {
    return own_refuse() ? NULL : own_count(__libc_memalign(alignment, size));
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
    if (block != NULL) atomic_fetch_sub(&own_live, 1);
    __libc_free(block);
}

#endif
#endif
