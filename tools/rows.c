#include "rows.h"

#include <math.h>

/* Multiples of output_step this near to the end (in parts of it) are the end: k * 0.1 is not exactly 0.3. */
static const double same_time = 1e-9;

enum { ROWS_OF_RUN = 400, PARTS_MOST = 32, PARTS_WITHOUT_END = 8, ROWS_AT_ONCE = 1024 };

/* Numbers that stay in a cache, and those that all parts of a step may take beyond that. */
enum { NUMBERS_NEAR = 1 << 14, NUMBERS_MOST = 1 << 20 };

int rows_of_step(double h, double end) {
    if (!(end > 0.0)) return PARTS_WITHOUT_END;
    double parts = ceil(ROWS_OF_RUN * h / end);
    if (!(parts > 1.0)) return 1;
    return parts < PARTS_MOST ? (int)parts : PARTS_MOST;
}

int rows_at_once(int columns) {
    int rows = NUMBERS_NEAR / (columns + 1), most = NUMBERS_MOST / (columns + 1);
    if (rows >= PARTS_MOST) return rows < ROWS_AT_ONCE ? rows : ROWS_AT_ONCE;
    return most >= PARTS_MOST ? PARTS_MOST : most > 1 ? most : 1;
}

double row_multiple(double output_step, double end, double k) {
    double per_second = round(1.0 / output_step), t = k * output_step;
    if (per_second >= 1.0 && 1.0 / per_second == output_step) t = k / per_second;
    return fabs(t - end) <= same_time * output_step ? end : t;
}
