/* The text of a decimal: digits are made eight or sixteen at a time and put where they belong with those that are not
 * wanted behind them, whatever the count: lengths that are known are the faster ones, and nothing branches by chance.
 */
#include "number.h"

#include "decimal.h"

#include <string.h>

/* NUMBER_PLAIN: as on a processor without these instructions, for tests */
#if defined(__SSE2__) && defined(__GNUC__) && !defined(NUMBER_PLAIN)
#define SIXTEEN_AT_ONCE
#include <emmintrin.h>
#endif

enum {
    DIGITS_MOST = 17,
    PLAIN_DIGITS = 15, /* up to so many before the point are written without an exponent, as %.15g does */
    PLAIN_ZEROS = -4   /* and exponents down to this one */
};

/* ---- digits ---- */

/* Eight digits as text, the first in the lowest byte. */
typedef uint64_t Eight;

/* d.dddddddddddddddd 10^exponent: the first digit, the others, and how many there are without zeros at the end. */
typedef struct Digits {
    char first;
    Eight high, low;
    int count, exponent;
} Digits;

static void put_eight(Eight x, char *to) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(to, &x, sizeof x);
#else
    for (int i = 0; i < 8; i++) to[i] = (char)(x >> 8 * i & 0xff);
#endif
}

#ifdef SIXTEEN_AT_ONCE
/* high 10^8 + low: the four of each half first, then pairs, then single ones, in lanes of one register.
 * x / 10^4 = x 3518437209 / 2^45 below 10^8, x / 100 = x 5243 / 2^19 below 10^4, x / 10 = x 6554 / 2^16 below 100,
 * rounded down. */
static void sixteen_digits(uint32_t high, uint32_t low, Digits *out) {
    __m128i x = _mm_set_epi64x(low, high), part = _mm_srli_epi64(_mm_mul_epu32(x, _mm_set1_epi64x(3518437209)), 45);
    x = _mm_sub_epi32(x, _mm_mul_epu32(part, _mm_set1_epi64x(10000)));
    x = _mm_or_si128(part, _mm_slli_epi64(x, 32));
    part = _mm_srli_epi16(_mm_mulhi_epu16(x, _mm_set1_epi16(5243)), 3);
    x = _mm_sub_epi16(x, _mm_mullo_epi16(part, _mm_set1_epi16(100)));
    x = _mm_or_si128(part, _mm_slli_epi32(x, 16));
    part = _mm_mulhi_epu16(x, _mm_set1_epi16(6554));
    x = _mm_sub_epi16(x, _mm_mullo_epi16(part, _mm_set1_epi16(10)));
    x = _mm_or_si128(part, _mm_slli_epi16(x, 8));
    unsigned zero = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_setzero_si128()));
    out->count = 32 - __builtin_clz(2 * (0xffffu ^ zero) + 1);
    x = _mm_or_si128(x, _mm_set1_epi8('0'));
    _mm_storel_epi64((__m128i *)&out->high, x);
    _mm_storel_epi64((__m128i *)&out->low, _mm_unpackhi_epi64(x, x));
}
#else
/* The same in parts of one number that do not reach into each other: x / 100 = x 10486 / 2^20 below 10^4,
 * x / 10 = x 103 / 2^10 below 100. */
static uint64_t eight_digits(uint32_t x) {
    uint64_t four = x / 10000 | (uint64_t)(x % 10000) << 32;
    uint64_t high = four * 10486 >> 20 & UINT64_C(0x0000007f0000007f), two = high | (four - 100 * high) << 16;
    high = two * 103 >> 10 & UINT64_C(0x000f000f000f000f);
    return high | (two - 10 * high) << 8;
}

/* Of eight digits that are not all zero, without zeros at the end. */
static int count_of(uint64_t digits) {
#ifdef __GNUC__
    return 8 - __builtin_clzll(digits) / 8;
#else
    int count = 8;
    for (; digits >> 56 == 0; digits <<= 8) count--;
    return count;
#endif
}

static void sixteen_digits(uint32_t high, uint32_t low, Digits *out) {
    const Eight zeros = UINT64_C(0x3030303030303030);
    uint64_t upper = eight_digits(high), lower = eight_digits(low);
    out->count = 1 + (lower != 0 ? 8 + count_of(lower) : upper != 0 ? count_of(upper) : 0);
    out->high = upper + zeros;
    out->low = lower + zeros;
}
#endif

static Digits digits_of(Decimal x) {
    const uint64_t eight = 100000000, sixteen = eight * eight;
    Digits out;
    do { /* almost always once */
        uint64_t few = x.digits < sixteen;
        x.digits += 9 * x.digits & (0 - few);
        x.exponent -= (int)few;
    } while (x.digits < sixteen);
    uint64_t upper = x.digits / eight, first = upper / eight;
    out.first = (char)('0' + first);
    out.exponent = x.exponent + DIGITS_MOST - 1;
    sixteen_digits((uint32_t)(upper - first * eight), (uint32_t)(x.digits - upper * eight), &out);
    return out;
}

/* ---- text ---- */

/* d.ddde-05, of at least two digits in the exponent. */
static size_t put_scientific(Digits d, char *text) {
    char *at = text + d.count + (d.count > 1);
    int size = d.exponent < 0 ? -d.exponent : d.exponent;
    text[0] = d.first;
    text[1] = '.';
    put_eight(d.high, text + 2);
    put_eight(d.low, text + 10);
    *at++ = 'e';
    *at++ = d.exponent < 0 ? '-' : '+';
    if (size >= 100) *at++ = (char)('0' + size / 100);
    *at++ = (char)('0' + size / 10 % 10);
    *at++ = (char)('0' + size % 10);
    return (size_t)(at - text);
}

/* 0.00ddd */
static size_t put_below_one(Digits d, char *text) {
    static const char none[8] = {'0', '.', '0', '0', '0', '0', '0', '0'};
    memcpy(text, none, sizeof none);
    text += 1 - d.exponent;
    text[0] = d.first;
    put_eight(d.high, text + 1);
    put_eight(d.low, text + 9);
    return (size_t)(1 - d.exponent + d.count);
}

/* ddd.ddd or ddd000 */
static size_t put_from_one(Digits d, char *text) {
    int point = d.exponent + 1; /* digits before it */
    text[0] = d.first;
    put_eight(d.high, text + 1);
    if (point <= 8) {
        put_eight(d.high >> 8 * (point - 1), text + point + 1);
        put_eight(d.low, text + 10);
    } else {
        put_eight(d.low, text + 9);
        memmove(text + point + 1, text + point, 8);
    }
    text[point] = '.';
    return (size_t)(d.count > point ? d.count + 1 : point);
}

/* Neither 0 nor without end, by its bits without the sign. */
static size_t put_finite(uint64_t bits, char *text) {
    Digits d = digits_of(decimal_shortest(bits));
    if (d.exponent < PLAIN_ZEROS || (d.exponent >= PLAIN_DIGITS && d.exponent >= d.count))
        return put_scientific(d, text);
    return d.exponent < 0 ? put_below_one(d, text) : put_from_one(d, text);
}

static size_t put_word(const char *word, char *text) {
    size_t length = 0;
    for (; word[length] != '\0'; length++) text[length] = word[length];
    return length;
}

size_t number_put(double x, char text[NUMBER_SIZE]) {
    const uint64_t infinite = UINT64_C(2047) << 52;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint64_t size = bits & ~(UINT64_C(1) << 63), negative = bits >> 63;
    size_t length;
    text[0] = '-';
    if (size - 1 < infinite - 1)
        length = negative + put_finite(size, text + negative);
    else if (size == 0)
        length = negative + put_word("0", text + negative);
    else
        length = size > infinite ? put_word("nan", text) : negative + put_word("inf", text + negative);
    text[length] = '\0';
    return length;
}

const char *number_text(double x, char text[NUMBER_SIZE]) {
    number_put(x, text);
    return text;
}
