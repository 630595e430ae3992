/* Bytes of a fuzzer as decisions and numbers; past their end all are 0. What a target found wrong ends the program with
 * a sentence, so that the fuzzer keeps the input. */
#ifndef TESTS_FUZZ_BYTES_H
#define TESTS_FUZZ_BYTES_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(condition, ...)                                                                                           \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n  ", __FILE__, __LINE__, #condition);                                          \
            fprintf(stderr, __VA_ARGS__);                                                                              \
            fputc('\n', stderr);                                                                                       \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Bytes {
    const uint8_t *at, *end;
} Bytes;

static inline Bytes bytes_of(const uint8_t *data, size_t size) {
    return size == 0 ? (Bytes){NULL, NULL} : (Bytes){data, data + size};
}

static inline unsigned bytes_one(Bytes *b) {
    return b->at < b->end ? *b->at++ : 0;
}

/* 0 .. n - 1 */
static inline int bytes_index(Bytes *b, int n) {
    return (int)(bytes_one(b) % (unsigned)n);
}

/* Uniform in [low, high], of two bytes. */
static inline double bytes_between(Bytes *b, double low, double high) {
    unsigned two = bytes_one(b) << 8;
    two |= bytes_one(b);
    return low + (high - low) * (double)two / 65535.0;
}

/* On a lattice of quarters in [-2, 2]: poses and axes that meet by accident are the interesting ones. */
static inline double bytes_lattice(Bytes *b) {
    return 0.25 * (bytes_index(b, 17) - 8);
}

/* The eight bytes as they are: any double at all. */
static inline double bytes_raw(Bytes *b) {
    uint8_t eight[8];
    for (int i = 0; i < 8; i++) eight[i] = (uint8_t)bytes_one(b);
    double x;
    memcpy(&x, eight, sizeof x);
    return x;
}

/* What is left, as a text of at most size - 1 bytes without NUL inside. */
static inline void bytes_text(Bytes *b, char *text, size_t size) {
    size_t n = 0;
    while (b->at < b->end && n + 1 < size) {
        char c = (char)bytes_one(b);
        if (c != '\0') text[n++] = c;
    }
    text[n] = '\0';
}

#endif
