/* Shortest decimals by the Schubfach method (R. Giulietti, "The Schubfach way to render doubles", 2020), written from
 * the paper. A double is v = c 2^q, and what reads back as v lies between the halves to its neighbours:
 *
 *     R = [(4 c - 2) 2^(q-2), (4 c + 2) 2^(q-2)]        the lower end (4 c - 1) 2^(q-2) where c = 2^52 and q > -1074
 *
 * with its ends when c is even. With 10^k <= width of R < 10^(k+1), at most one multiple of 10^(k+1) lies in R, and at
 * least one of 10^k: the shortest decimal is the one, or else the nearest of the other. For that c, and the ends, are
 * multiplied by g 2^r >= 10^-k, g of 128 bits, and the product is rounded to odd: all comparisons are then those of the
 * exact products (theorem of section 9.6). g is made once, by exact integers. NUMBER_PLAIN: without products of 128
 * bits, for tests. */
#include "decimal.h"

#include <stdbool.h>
#include <stdint.h>
#include <threads.h>

enum {
    BIAS = 1075,      /* of the exponent of a whole significand */
    POWER_MIN = -292, /* powers of ten that some double needs */
    POWER_MAX = 324,
    POWERS = POWER_MAX - POWER_MIN + 1,
    LIMBS = 40, /* of 32 bits: 10^324 has 1077, 2^START / 10^292 more than 128 */
    START = 32 * (LIMBS - 1)
};

/* ---- powers of ten ---- */

typedef struct Power {
    uint64_t high, low;
} Power;

static Power powers[POWERS]; /* ceil(10^k 2^-r), the highest of the 128 bits set */
static once_flag powers_made = ONCE_FLAG_INIT;

/* An exact whole number, the lowest limb first. */
typedef struct Whole {
    uint32_t limb[LIMBS];
} Whole;

static void times_ten(Whole *x) {
    uint64_t carry = 0;
    for (int i = 0; i < LIMBS; i++) {
        carry += 10u * (uint64_t)x->limb[i];
        x->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

/* Rounded down; so is any number of these in turn. */
static void by_ten(Whole *x) {
    uint64_t rest = 0;
    for (int i = LIMBS - 1; i >= 0; i--) {
        rest = rest << 32 | x->limb[i];
        x->limb[i] = (uint32_t)(rest / 10);
        rest %= 10;
    }
}

/* Limbs `first` and the one below it as 64 bits; below the lowest there are zeros. */
static uint64_t two_limbs(const Whole *x, int first) {
    uint64_t high = first >= 0 ? x->limb[first] : 0, low = first >= 1 ? x->limb[first - 1] : 0;
    return high << 32 | low;
}

/* The 128 bits from the highest one on, rounded up if more comes after them. */
static Power leading(const Whole *x, bool more) {
    int top = LIMBS - 1, shift = 0;
    while (x->limb[top] == 0) top--;
    while ((x->limb[top] << shift & 0x80000000u) == 0) shift++;
    uint64_t a = two_limbs(x, top), b = two_limbs(x, top - 2), c = two_limbs(x, top - 4);
    Power out = {a, b};
    if (shift > 0) out = (Power){a << shift | b >> (64 - shift), b << shift | c >> (64 - shift)};
    more = more || c << shift != 0;
    for (int i = top - 6; i >= 0 && !more; i--) more = x->limb[i] != 0;
    if (more && ++out.low == 0) out.high++; /* no power of ten is so near to one of two that this overflows */
    return out;
}

static void make_powers(void) {
    Whole x = {{1}};
    for (int k = 0; k <= POWER_MAX; k++, times_ten(&x)) powers[k - POWER_MIN] = leading(&x, false);
    x = (Whole){{0}};
    x.limb[START / 32] = 1;
    for (int k = -1; k >= POWER_MIN; k--) {
        by_ten(&x);
        powers[k - POWER_MIN] = leading(&x, true);
    }
}

/* ---- digits ---- */

static Power product(uint64_t a, uint64_t b) {
#if defined(__SIZEOF_INT128__) && !defined(NUMBER_PLAIN)
    __extension__ typedef unsigned __int128 Wide;
    Wide p = (Wide)a * b;
    return (Power){(uint64_t)(p >> 64), (uint64_t)p};
#else
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32), other = a0 * b1 + (uint32_t)middle;
    return (Power){a1 * b1 + (middle >> 32) + (other >> 32), other << 32 | (uint32_t)low};
#endif
}

/* The upper 64 bits of g c, the last of them 1 where anything comes after. */
static uint64_t rounded_to_odd(Power g, uint64_t c) {
    Power low = product(g.low, c), high = product(g.high, c);
    uint64_t middle = high.low + low.high;
    return (high.high + (middle < low.high)) | (middle > 1);
}

/* Rounded down: x / 2^bits, log10(2^q), log10(3/4 2^q), log2(10^k) for the exponents of doubles, which are less than
 * MANY in size. */
enum { MANY = 2048 };
static int floor_shift(int64_t x, int bits) {
    return (int)((uint64_t)(x + ((int64_t)MANY << bits)) >> bits) - MANY;
}
static int log10_of_power2(int q) {
    return floor_shift((int64_t)q * 1262611, 22);
}
static int log10_of_three_quarters(int q) {
    return floor_shift((int64_t)q * 1262611 - 524031, 22);
}
static int log2_of_power10(int k) {
    return floor_shift((int64_t)k * 1741647, 19);
}

/* Of the two neighbours of x among multiples of `unit` the one inside the bounds, in place of `other`, which stays
 * where none or both are. All in quarters. Which it is, is as good as random, so nothing branches on it. */
static uint64_t only_inside(uint64_t below, uint64_t unit, uint64_t low, uint64_t high, uint64_t other) {
    uint64_t lower = low <= 4 * below, upper = 4 * (below + unit) <= high, one = lower ^ upper;
    return other ^ ((other ^ (below + unit * upper)) & (0 - one));
}

/* c 2^q > 0; narrow: the neighbour below is half as far. */
static Decimal exactly_shortest(uint64_t c, int q, bool narrow) {
    int k = narrow ? log10_of_three_quarters(q) : log10_of_power2(q), shift = q + log2_of_power10(-k) + 1;
    Power g = powers[-k - POWER_MIN];
    bool open = (c & 1) != 0;
    uint64_t low = rounded_to_odd(g, (4 * c - 2 + narrow) << shift) + open, value = rounded_to_odd(g, 4 * c << shift),
             high = rounded_to_odd(g, (4 * c + 2) << shift) - open;
    uint64_t ones = value / 4, tens = ones / 10 * 10;
    uint64_t half = 4 * ones + 2, up = (value > half) | ((value == half) & (ones & 1));
    uint64_t digits = only_inside(ones, 1, low, high, ones + up);
    if (ones >= 10) digits = only_inside(tens, 10, low, high, digits);
    return (Decimal){digits, k};
}

/* The same of c 2^q, 2^52 < c < 2^53, from the first 64 bits behind the point of x = c 2^q / 10^k, where these tell. R
 * is as far to both sides of x, by a half to five, so that the nearest whole number is in R; a multiple of ten is where
 * it is as near as that. What is compared is off by less than `doubt` in the last bit: by what g was rounded up, 2^-70,
 * and by what is cut off. Bits behind the point are 60 beside a digit, else 64. */
static Decimal shortest(uint64_t c, int q) {
    const uint64_t doubt = 4, ten = UINT64_C(10) << 60, middle = UINT64_C(1) << 63;
    int k = log10_of_power2(q), shift = q + log2_of_power10(-k) + 1;
    Power g = powers[-k - POWER_MIN], low = product(g.low, c << shift), x = product(g.high, c << shift);
    x.low += low.high;
    x.high += x.low < low.high;
    uint64_t digit = x.high % 10, rest = digit << 60 | x.low >> 4, reach = g.high >> (5 - shift);
    if (rest - reach + doubt <= 2 * doubt || rest + reach - ten + doubt <= 2 * doubt ||
        x.low - middle + doubt <= 2 * doubt)
        return exactly_shortest(c, q, false);
    uint64_t above = rest + reach >= ten, below = rest < reach; /* is the ten in R; as good as random, too */
    uint64_t ones = x.high + (x.low >> 63), tens = x.high - digit + 10 * above;
    return (Decimal){ones ^ ((ones ^ tens) & (0 - (above | below))), k};
}

Decimal decimal_shortest(uint64_t bits) {
    const uint64_t hidden = UINT64_C(1) << 52;
    uint64_t fraction = bits & (hidden - 1);
    int exponent = (int)(bits >> 52);
    call_once(&powers_made, make_powers);
    if (exponent == 0) return exactly_shortest(fraction, 1 - BIAS, false);
    if (fraction == 0) return exactly_shortest(hidden, exponent - BIAS, exponent > 1);
    return shortest(fraction | hidden, exponent - BIAS);
}
