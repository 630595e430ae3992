/* Random numbers that are the same in every run: a 64-bit congruential generator, its upper bits. */
#ifndef TESTS_SUPPORT_RANDOM_H
#define TESTS_SUPPORT_RANDOM_H

#include "core/rotation.h"

#include <stdint.h>

typedef struct Random {
    uint64_t state;
} Random;

/* Uniform in -1 .. 1. */
static inline double random_signed(Random *r) {
    r->state = r->state * 6364136223846793005u + 1442695040888963407u;
    return (double)(r->state >> 11) / 4503599627370496.0 - 1.0;
}

static inline double random_between(Random *r, double low, double high) {
    return low + 0.5 * (high - low) * (1.0 + random_signed(r));
}

/* 0 .. n - 1 */
static inline int random_index(Random *r, int n) {
    int i = (int)(0.5 * (1.0 + random_signed(r)) * n);
    return i < n ? i : n - 1;
}

/* In the cube of half edge `size`; in the plane z is 0. */
static inline CrdVec random_vec(Random *r, CardanSpace space, double size) {
    double x = random_signed(r), y = random_signed(r), z = random_signed(r);
    return crd_scale(size, crd_vec(x, y, space == CARDAN_SPACE_PLANAR ? 0.0 : z));
}

static inline CrdVec random_direction(Random *r, CardanSpace space) {
    for (;;) {
        CrdVec u = random_vec(r, space, 1.0);
        double length = crd_norm(u);
        if (length > 0.1 && length <= 1.0) return crd_scale(1.0 / length, u);
    }
}

/* Spin or small rotation: any direction in space, z in the plane. */
static inline CrdVec random_spin(Random *r, CardanSpace space, double size) {
    return space == CARDAN_SPACE_PLANAR ? crd_vec(0, 0, size * random_signed(r)) : random_vec(r, space, size);
}

static inline CardanQuat random_quat(Random *r) {
    CrdVec axis = random_direction(r, CARDAN_SPACE_SPATIAL);
    return crd_quat_of(crd_scale(3.1 * random_signed(r), axis));
}

#endif
