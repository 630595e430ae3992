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

#include <math.h>
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

/* Rounded down: x / 2^bits, log10(2^q), log10(3/4 2^q), log2(10^k) for the exponents of doubles. */
static int floor_shift(int x, int bits) {
    return x >= 0 ? x >> bits : -((-x + (1 << bits) - 1) >> bits);
}
static int log10_of_power2(int q) {
    return floor_shift(q * 1262611, 22);
}
static int log10_of_three_quarters(int q) {
    return floor_shift(q * 1262611 - 524031, 22);
}
static int log2_of_power10(int k) {
    return floor_shift(k * 1741647, 19);
}

/* Of the two neighbours of x among multiples of `unit` the one inside the bounds; 0: none or both. All in quarters. */
static uint64_t only_inside(uint64_t below, uint64_t unit, uint64_t low, uint64_t high) {
    bool lower = low <= 4 * below, upper = 4 * (below + unit) <= high;
    return lower == upper ? 0 : upper ? below + unit : below;
}

/* c 2^q > 0; narrow: the neighbour below is half as far. */
static Decimal shortest(uint64_t c, int q, bool narrow) {
    int k = narrow ? log10_of_three_quarters(q) : log10_of_power2(q), shift = q + log2_of_power10(-k) + 1;
    Power g = powers[-k - POWER_MIN];
    bool open = (c & 1) != 0;
    uint64_t low = rounded_to_odd(g, (4 * c - 2 + narrow) << shift) + open, value = rounded_to_odd(g, 4 * c << shift),
             high = rounded_to_odd(g, (4 * c + 2) << shift) - open;
    uint64_t ones = value / 4, tens = ones / 10 * 10;
    uint64_t found = ones >= 10 ? only_inside(tens, 10, low, high) : 0;
    if (found == 0) found = only_inside(ones, 1, low, high);
    if (found != 0) return (Decimal){found, k};
    uint64_t half = 4 * ones + 2;
    bool up = value > half || (value == half && (ones & 1) != 0);
    return (Decimal){ones + up, k};
}

static Decimal without_zeros(Decimal x) {
    const uint64_t many = 100000000;
    if (x.digits % many == 0) x = (Decimal){x.digits / many, x.exponent + 8};
    for (; x.digits % 10 == 0; x.exponent++) x.digits /= 10;
    return x;
}

/* ---- text ---- */

/* Copies all there may be, whatever the count: lengths that are known are the faster ones. */
static void copy_digits(char *to, const char *from) {
    memcpy(to, from, DIGITS_MOST);
}

/* Writes the digits so that they end before `end`; returns how many. */
static int put_digits(uint64_t digits, char *end) {
    static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                                "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                                "8081828384858687888990919293949596979899";
    char *at = end;
    while (digits >= 10000) {
        uint32_t four = (uint32_t)(digits % 10000);
        digits /= 10000;
        at -= 4;
        memcpy(at, pairs + 2 * (size_t)(four / 100), 2);
        memcpy(at + 2, pairs + 2 * (size_t)(four % 100), 2);
    }
    uint32_t rest = (uint32_t)digits;
    for (; rest >= 10; rest /= 100) memcpy(at -= 2, pairs + 2 * (size_t)(rest % 100), 2);
    if (rest > 0) *--at = (char)('0' + rest);
    return (int)(end - at);
}

/* d.ddde-05, of at least two digits in the exponent. */
static size_t put_scientific(const char *digits, int count, int exponent, char *text) {
    char *at = text, number[8];
    *at++ = digits[0];
    if (count > 1) *at++ = '.';
    copy_digits(at, digits + 1);
    at += count - 1;
    *at++ = 'e';
    *at++ = exponent < 0 ? '-' : '+';
    int size = exponent < 0 ? -exponent : exponent, length = put_digits((uint64_t)size, number + sizeof number);
    if (length < 2) *at++ = '0';
    memcpy(at, number + sizeof number - length, (size_t)length);
    return (size_t)(at - text) + (size_t)length;
}

/* ddd.ddd, 0.00ddd or ddd000; point: digits before the point. */
static size_t put_plain(const char *digits, int count, int point, char *text) {
    if (point <= 0) {
        for (int i = 0; i < 2 - point; i++) text[i] = i == 1 ? '.' : '0';
        copy_digits(text + 2 - point, digits);
        return (size_t)(2 - point + count);
    }
    copy_digits(text, digits);
    for (int i = count; i < point; i++) text[i] = '0';
    if (point >= count) return (size_t)point;
    text[point] = '.';
    copy_digits(text + point + 1, digits + point);
    return (size_t)count + 1;
}

/* text has room for the digits after anything that stands before them. */
static size_t put_finite(double size, char *text) {
    char digits[2 * DIGITS_MOST + 8]; /* those that are copied too many come after */
    char *end = digits + DIGITS_MOST;
    uint64_t bits;
    memset(end, 0, DIGITS_MOST + 8);
    memcpy(&bits, &size, sizeof bits);
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    int exponent = (int)(bits >> 52);
    call_once(&powers_made, make_powers);
    Decimal x = exponent == 0 ? shortest(fraction, 1 - BIAS, false)
                              : shortest(fraction | UINT64_C(1) << 52, exponent - BIAS, fraction == 0 && exponent > 1);
    x = without_zeros(x);
    int count = put_digits(x.digits, end), first = count - 1 + x.exponent;
    bool plain = first >= PLAIN_ZEROS && first < (count > PLAIN_DIGITS ? count : PLAIN_DIGITS);
    return plain ? put_plain(end - count, count, first + 1, text) : put_scientific(end - count, count, first, text);
}

size_t number_put(double x, char text[NUMBER_SIZE]) {
    size_t sign = !isnan(x) && signbit(x) ? 1 : 0, length;
    text[0] = '-';
    const char *word = isnan(x) ? "nan" : isinf(x) ? "inf" : x == 0.0 ? "0" : NULL;
    if (word != NULL) {
        length = sign + strlen(word);
        memcpy(text + sign, word, length - sign);
    } else {
        length = sign + put_finite(fabs(x), text + sign);
    }
    text[length] = '\0';
    return length;
}

const char *number_text(double x, char text[NUMBER_SIZE]) {
    number_put(x, text);
    return text;
}
