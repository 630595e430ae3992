/* The decimals of doubles: of those with the fewest digits that read back as the same bits the nearest. */
#ifndef TOOL_DECIMAL_H
#define TOOL_DECIMAL_H

#include <stdint.h>

/* digits 10^exponent */
typedef struct Decimal {
    uint64_t digits;
    int exponent;
} Decimal;

/* Of a positive finite double by its bits. There may be zeros at the end; there are 17 digits at most. */
Decimal decimal_shortest(uint64_t bits);

#endif
