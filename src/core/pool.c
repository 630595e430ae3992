#include "core/pool.h"

#include "core/memory.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

/* How often a thread looks for work before it sleeps, or the caller for the last part before it lets others run: some
 * 10 us, as long as the system takes to wake a thread. */
#define CRD_POOL_LOOKS 4000

/* The number of a task and its next part in one word, so that who takes a part knows of which task it is. A thread that
 * comes late finds another number and takes nothing; who has taken a part holds up the end of its task, so that task
 * and user stay what they are. Between two tasks there is a number without parts, while the next one is written down.
 */
typedef uint64_t Ticket;
enum { PART_BITS = 32, NO_PART = INT32_MAX };

struct CrdPool {
    pthread_mutex_t lock; /* of those who sleep */
    pthread_cond_t wake;
    int sleepers;
    bool ends;
    _Atomic Ticket ticket;
    atomic_int parts, done; /* of the present task */
    CrdTask task;
    void *user;
    int count; /* threads besides the caller's */
    pthread_t thread[];
};

static Ticket number_of(Ticket ticket) {
    return ticket >> PART_BITS;
}

static int part_of(Ticket ticket) {
    return (int)(ticket & (((Ticket)1 << PART_BITS) - 1));
}

static void rest(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Does parts of that task as long as there are any. */
static void work(CrdPool *pool, Ticket number) {
    Ticket ticket = atomic_load_explicit(&pool->ticket, memory_order_acquire);
    while (number_of(ticket) == number && part_of(ticket) < atomic_load(&pool->parts)) {
        if (!atomic_compare_exchange_weak(&pool->ticket, &ticket, ticket + 1)) continue;
        pool->task(pool->user, part_of(ticket));
        atomic_fetch_add_explicit(&pool->done, 1, memory_order_release);
        ticket = atomic_load_explicit(&pool->ticket, memory_order_acquire);
    }
}

/* Waits for a task after that one; false: the pool ends. */
static bool await(CrdPool *pool, Ticket *number) {
    for (int i = 0; i < CRD_POOL_LOOKS; i++, rest()) {
        Ticket now = number_of(atomic_load_explicit(&pool->ticket, memory_order_acquire));
        if (now == *number) continue;
        *number = now;
        return true;
    }
    pthread_mutex_lock(&pool->lock);
    pool->sleepers++;
    while (!pool->ends && number_of(atomic_load(&pool->ticket)) == *number) pthread_cond_wait(&pool->wake, &pool->lock);
    pool->sleepers--;
    bool ends = pool->ends;
    pthread_mutex_unlock(&pool->lock);
    *number = number_of(atomic_load(&pool->ticket));
    return !ends;
}

static void *serve(void *user) {
    CrdPool *pool = user;
    Ticket number = 0;
    while (await(pool, &number)) work(pool, number);
    return NULL;
}

CrdPool *crd_pool_create(int threads) {
    assert(threads >= 1 && threads <= CRD_POOL_MOST);
    size_t others = (size_t)threads - 1;
    CrdPool *pool = crd_new(1, sizeof *pool + others * sizeof *pool->thread);
    if (pool == NULL) return NULL;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    for (size_t i = 0; i < others; i++) {
        if (pthread_create(&pool->thread[i], NULL, serve, pool) != 0) break;
        pool->count++;
    }
    return pool;
}

void crd_pool_free(CrdPool *pool) {
    if (pool == NULL) return;
    pthread_mutex_lock(&pool->lock);
    pool->ends = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->count; i++) pthread_join(pool->thread[i], NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    crd_delete(pool);
}

int crd_pool_threads(const CrdPool *pool) {
    return pool == NULL ? 1 : pool->count + 1;
}

static void publish(CrdPool *pool, CrdTask task, void *user, int parts) {
    Ticket number = number_of(atomic_load(&pool->ticket));
    atomic_store(&pool->ticket, (number + 1) << PART_BITS | NO_PART);
    pool->task = task;
    pool->user = user;
    atomic_store(&pool->done, 0);
    atomic_store(&pool->parts, parts);
    atomic_store_explicit(&pool->ticket, (number + 2) << PART_BITS, memory_order_release);
    pthread_mutex_lock(&pool->lock); /* nobody is between his look and his sleep */
    if (pool->sleepers > 0) pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
}

void crd_pool_share(CrdPool *pool, CrdTask task, void *user, int parts) {
    publish(pool, task, user, parts);
    work(pool, number_of(atomic_load(&pool->ticket)));
    for (int i = 0; atomic_load_explicit(&pool->done, memory_order_acquire) < parts; i++) {
        rest();
        if (i >= CRD_POOL_LOOKS) sched_yield();
    }
    assert(atomic_load(&pool->done) == parts);
}

typedef struct Division {
    CrdRangeTask task;
    void *user;
    int count, most;
} Division;

static void run_range(void *user, int part) {
    const Division *division = user;
    int first = part * division->most, left = division->count - first;
    division->task(division->user, (CrdRange){first, first + (left < division->most ? left : division->most)});
}

void crd_pool_divide(CrdPool *pool, CrdRangeTask task, void *user, int count, int most) {
    assert(count > 0 && most > 0);
    Division division = {task, user, count, most};
    crd_pool_run(pool, run_range, &division, (count - 1) / most + 1);
}

int crd_pool_processors(void) {
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online < 1 ? 1 : online > CRD_POOL_MOST ? CRD_POOL_MOST : (int)online;
}
