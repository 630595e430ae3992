#include "rows.h"

#include <math.h>

/* Multiples of output_step this near to the end (in parts of it) are the end: k * 0.1 is not exactly 0.3. */
static const double same_time = 1e-9;

enum { ROWS_OF_RUN = 400, PARTS_MOST = 32, PARTS_WITHOUT_END = 8, ROWS_AT_ONCE = 1024, NUMBERS_AT_ONCE = 1 << 14 };

int rows_of_step(double h, double end) {
    if (!(end > 0.0)) return PARTS_WITHOUT_END;
    double parts = ceil(ROWS_OF_RUN * h / end);
    if (!(parts > 1.0)) return 1;
    return parts < PARTS_MOST ? (int)parts : PARTS_MOST;
}

int rows_at_once(int columns) {
    int rows = NUMBERS_AT_ONCE / (columns + 1);
    return rows < PARTS_MOST ? PARTS_MOST : rows < ROWS_AT_ONCE ? rows : ROWS_AT_ONCE;
}

double row_multiple(double output_step, double end, double k) {
    double per_second = round(1.0 / output_step), t = k * output_step;
    if (per_second >= 1.0 && 1.0 / per_second == output_step) t = k / per_second;
    return fabs(t - end) <= same_time * output_step ? end : t;
}
