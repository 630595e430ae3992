/* Threads that work through the parts of a task.
 *
 * Parts are numbered and independent of each other; which thread does which, and when, is open. So results depend on
 * the parts alone, never on how many threads there are. A pool belongs to one caller at a time. */
#ifndef CRD_CORE_POOL_H
#define CRD_CORE_POOL_H

#include <stddef.h>

typedef struct CrdPool CrdPool;

enum { CRD_POOL_MOST = 1024 }; /* threads of one pool */

/* One part of a task. */
typedef void (*CrdTask)(void *user, int part);

/* A pool of so many threads, the caller's among them; NULL when out of memory. Where the system gives fewer, there are
 * fewer. */
CrdPool *crd_pool_create(int threads);
void crd_pool_free(CrdPool *pool);

/* Threads that work, the caller's among them; of NULL 1. */
int crd_pool_threads(const CrdPool *pool);

/* Does all parts of a task by its threads and returns when the last is done. */
void crd_pool_share(CrdPool *pool, CrdTask task, void *user, int parts);

/* The same; without a pool one after the other. Inlined: that is then a loop. */
static inline void crd_pool_run(CrdPool *pool, CrdTask task, void *user, int parts) {
    if (pool == NULL || parts < 2)
        for (int i = 0; i < parts; i++) task(user, i);
    else
        crd_pool_share(pool, task, user, parts);
}

/* Items first to end - 1. */
typedef struct CrdRange {
    int first, end;
} CrdRange;

/* Does what there is to do with these items, none of which needs another. */
typedef void (*CrdRangeTask)(void *user, CrdRange items);

/* All of `count` items by ranges of `most`. */
void crd_pool_divide(CrdPool *pool, CrdRangeTask task, void *user, int count, int most);

/* The same, but without a pool in one range, so that a task must not depend on where ranges end. Inlined: that one call
 * then costs nothing. */
static inline void crd_pool_each(CrdPool *pool, CrdRangeTask task, void *user, int count, int most) {
    if (pool == NULL || count <= most)
        task(user, (CrdRange){0, count});
    else
        crd_pool_divide(pool, task, user, count, most);
}

/* Processors that this process may run on; at least 1. */
int crd_pool_processors(void);

#endif
