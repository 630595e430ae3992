/* Threads that work through the parts of a task.
 *
 * Parts are numbered and independent of each other; which thread does which, and when, is open. So results depend on
 * the parts alone, never on how many threads there are. A pool belongs to one caller at a time. */
#ifndef CRD_CORE_POOL_H
#define CRD_CORE_POOL_H

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

/* Does all parts of a task and returns when the last is done; without a pool one after the other. */
void crd_pool_run(CrdPool *pool, CrdTask task, void *user, int parts);

/* Processors that this process may run on; at least 1. */
int crd_pool_processors(void);

#endif
