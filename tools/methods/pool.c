/* Independent tasks on several threads. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "methods.h"

static const long tick_every = 100000000; /* ns */

typedef struct Pool {
    pthread_mutex_t lock;
    pthread_cond_t finished;
    int count, next, done, alive;
    void (*task)(void *user, int i);
    void *user;
} Pool;

static void *work(void *argument) {
    Pool *pool = argument;
    pthread_mutex_lock(&pool->lock);
    while (pool->next < pool->count) {
        int i = pool->next++;
        pthread_mutex_unlock(&pool->lock);
        pool->task(pool->user, i);
        pthread_mutex_lock(&pool->lock);
        pool->done++;
    }
    pool->alive--;
    pthread_cond_signal(&pool->finished);
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* Waits for the threads, calling tick several times a second. */
static void wait_for(Pool *pool, void (*tick)(void *user, int done)) {
    pthread_mutex_lock(&pool->lock);
    while (pool->alive > 0) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += tick_every;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&pool->finished, &pool->lock, &until);
        int done = pool->done;
        pthread_mutex_unlock(&pool->lock);
        tick(pool->user, done);
        pthread_mutex_lock(&pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
}

int pool_run(int jobs, int count, void (*task)(void *user, int i), void *user, void (*tick)(void *user, int done)) {
    Pool pool = {.count = count, .task = task, .user = user};
    int threads = jobs < count ? jobs : count, started = 0;
    pthread_t *thread = calloc((size_t)threads + 1, sizeof *thread);
    if (thread == NULL) return STATUS_FAULT;
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.finished, NULL);
    pthread_mutex_lock(&pool.lock); /* alive is right before the first one looks */
    while (started < threads && pthread_create(&thread[started], NULL, work, &pool) == 0) started++;
    pool.alive = started;
    pthread_mutex_unlock(&pool.lock);
    wait_for(&pool, tick);
    for (int i = 0; i < started; i++) pthread_join(thread[i], NULL);
    pthread_cond_destroy(&pool.finished);
    pthread_mutex_destroy(&pool.lock);
    free(thread);
    return started > 0 || count == 0 ? STATUS_DONE : STATUS_FAULT;
}
