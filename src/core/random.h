/* Random numbers that are the same in every build (splitmix64, Steele, Lea and Flood 2014). */
#ifndef CRD_CORE_RANDOM_H
#define CRD_CORE_RANDOM_H

#include <stdint.h>

/* Uniform in [-1, 1). */
static inline double crd_random(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-52 - 1.0;
}

#endif
