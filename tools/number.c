/* Shortest decimals by the Schubfach method (R. Giulietti, "The Schubfach way to render doubles", 2020), written from
 * the paper. A double is v = c 2^q, and what reads back as v lies between the halves to its neighbours:
 *
 *     R = [(4 c - 2) 2^(q-2), (4 c + 2) 2^(q-2)]        the lower end (4 c - 1) 2^(q-2) where c = 2^52 and q > -1074
 *
 * with its ends when c is even. With 10^k <= width of R < 10^(k+1), at most one multiple of 10^(k+1) lies in R, and at
 * least one of 10^k: the shortest decimal is the one, or else the nearest of the other. For that c, and the ends, are
 * multiplied by g 2^r >= 10^-k, g of 128 bits, and the product is rounded to odd: all comparisons are then those of the
 * exact products (theorem of section 9.6). g is made once, by exact integers. */
#include "number.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <threads.h>

enum {
    BIAS = 1075,      /* of the exponent of a whole significand */
    POWER_MIN = -292, /* powers of ten that some double needs */
    POWER_MAX = 324,
    POWERS = POWER_MAX - POWER_MIN + 1,
    LIMBS = 40, /* of 32 bits: 10^324 has 1077, 2^START / 10^292 more than 128 */
    START = 32 * (LIMBS - 1),
    DIGITS_MOST = 17,
    PLAIN_DIGITS = 15, /* up to so many before the point are written without an exponent, as %.15g does */
    PLAIN_ZEROS = -4   /* and exponents down to this one */
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

/* value = digits 10^exponent */
typedef struct Decimal {
    uint64_t digits;
    int exponent;
} Decimal;

static Power product(uint64_t a, uint64_t b) {
#ifdef __SIZEOF_INT128__
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
static Decimal shortest(uint64_t c, int q, bool narrow) {
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

/* ---- text ---- */

/* The significant digits, of 17 with zeros at both ends. */
typedef struct Digits {
    char room[2 * DIGITS_MOST + 6]; /* those that are copied too many come after */
    const char *at;                 /* the first */
    int count, first;               /* how many; exponent of the first */
} Digits;

/* Copies all there may be, whatever the count: lengths that are known are the faster ones. */
static void copy_digits(char *to, const char *from) {
    memcpy(to, from, DIGITS_MOST);
}

/* The lowest byte first. */
static void put_bytes(uint64_t x, char *to) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(to, &x, sizeof x);
#else
    for (int i = 0; i < 8; i++) to[i] = (char)(x >> 8 * i & 0xff);
#endif
}

/* Eight digits, the four of each half first, then pairs, then single ones: in parts of one number that do not reach
 * into each other. x / 100 = x 10486 / 2^20 below 10^4, x / 10 = x 103 / 2^10 below 100, rounded down. */
static uint64_t eight_digits(uint32_t x) {
    uint64_t four = x / 10000 | (uint64_t)(x % 10000) << 32;
    uint64_t high = four * 10486 >> 20 & UINT64_C(0x0000007f0000007f), two = high | (four - 100 * high) << 16;
    high = two * 103 >> 10 & UINT64_C(0x000f000f000f000f);
    return high | (two - 10 * high) << 8;
}

/* Of eight digits that are not all zero, the last in the highest byte. */
static int zeros_at_end(uint64_t digits) {
#ifdef __GNUC__
    return __builtin_clzll(digits) / 8;
#else
    int count = 0;
    for (; digits >> 56 == 0; digits <<= 8) count++;
    return count;
#endif
}

static void spread(Decimal x, Digits *out) {
    const uint64_t eight = 100000000, zeros = UINT64_C(0x3030303030303030);
    uint64_t upper = x.digits / eight, first = upper / eight;
    uint64_t high = eight_digits((uint32_t)(upper % eight)), low = eight_digits((uint32_t)(x.digits % eight));
    char *room = out->room, *end = room + DIGITS_MOST;
    room[0] = (char)('0' + first);
    put_bytes(high + zeros, room + 1);
    put_bytes(low + zeros, room + 9);
    memset(end, 0, sizeof out->room - DIGITS_MOST);
    end -= low != 0 ? zeros_at_end(low) : high != 0 ? 8 + zeros_at_end(high) : 16;
    out->at = room + (first == 0);
    while (*out->at == '0') out->at++;
    out->count = (int)(end - out->at);
    out->first = DIGITS_MOST - 1 - (int)(out->at - room) + x.exponent;
}

/* d.ddde-05, of at least two digits in the exponent. */
static size_t put_scientific(const Digits *d, char *text) {
    char *at = text;
    *at++ = d->at[0];
    if (d->count > 1) *at++ = '.';
    copy_digits(at, d->at + 1);
    at += d->count - 1;
    *at++ = 'e';
    *at++ = d->first < 0 ? '-' : '+';
    int size = d->first < 0 ? -d->first : d->first;
    if (size >= 100) *at++ = (char)('0' + size / 100);
    *at++ = (char)('0' + size / 10 % 10);
    *at++ = (char)('0' + size % 10);
    return (size_t)(at - text);
}

/* ddd.ddd, 0.00ddd or ddd000; point: digits before the point. */
static size_t put_plain(const Digits *d, char *text) {
    static const char zeros[8] = "0.000000";
    int point = d->first + 1;
    if (point <= 0) {
        memcpy(text, zeros, sizeof zeros);
        copy_digits(text + 2 - point, d->at);
        return (size_t)(2 - point + d->count);
    }
    copy_digits(text, d->at);
    for (int i = d->count; i < point; i++) text[i] = '0';
    if (point >= d->count) return (size_t)point;
    text[point] = '.';
    copy_digits(text + point + 1, d->at + point);
    return (size_t)d->count + 1;
}

/* Neither 0 nor without end, by its bits without the sign; text has room for the digits after anything that stands
 * before them. */
static size_t put_finite(uint64_t bits, char *text) {
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    int exponent = (int)(bits >> 52);
    Digits d;
    call_once(&powers_made, make_powers);
    spread(exponent == 0 ? shortest(fraction, 1 - BIAS, false)
                         : shortest(fraction | UINT64_C(1) << 52, exponent - BIAS, fraction == 0 && exponent > 1),
           &d);
    bool plain = d.first >= PLAIN_ZEROS && d.first < (d.count > PLAIN_DIGITS ? d.count : PLAIN_DIGITS);
    return plain ? put_plain(&d, text) : put_scientific(&d, text);
}

static size_t put_word(const char *word, char *text) {
    memcpy(text, word, strlen(word));
    return strlen(word);
}

size_t number_put(double x, char text[NUMBER_SIZE]) {
    const uint64_t infinite = UINT64_C(2047) << 52;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint64_t size = bits & ~(UINT64_C(1) << 63);
    size_t length = bits != size && size <= infinite ? 1 : 0;
    text[0] = '-';
    char *at = text + length;
    length += size == 0          ? put_word("0", at)
              : size < infinite  ? put_finite(size, at)
              : size == infinite ? put_word("inf", at)
                                 : put_word("nan", at);
    text[length] = '\0';
    return length;
}

const char *number_text(double x, char text[NUMBER_SIZE]) {
    number_put(x, text);
    return text;
}
