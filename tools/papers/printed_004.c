/* The numbers that document 004 prints, beside the rows of paper_004.c, and what is known about them. */
#include "paper.h"

/* clang-format off */
const CrdPrinted crd_printed_slow_table1[] = {
    {"1000/its", {5}, 1}, {"10000/its", {5}, 1},
    {"1000/rows/0", {3.08e-2, 3.08e-2, -1.21e-1, -2.42e-1}, 4},
    {"1000/rows/1", {-3.40e-4, -2.41e-4, 2.36e-3, 5.25e-3}, 4},
    {"1000/rows/2", {9.71e-7, 8.11e-7, 2.01e-5, 1.18e-5}, 4},
    {"1000/rows/3", {1.01e-6, 8.95e-7, 2.43e-6, 1.61e-6}, 4},
    {"1000/rows/4", {1.01e-6, 8.95e-7, 2.43e-6, 1.61e-6}, 4},
    {"1000/rows/5", {1.01e-6, 8.95e-7, 2.43e-6, 1.61e-6}, 4},
    {"10000/rows/0", {3.08e-2, 3.08e-2, -1.21e-1, -2.42e-1}, 4},
    {"10000/rows/1", {-3.40e-4, -2.41e-4, 2.34e-3, 5.28e-3}, 4},
    {"10000/rows/2", {-3.00e-8, 7.49e-8, 1.75e-5, 1.02e-5}, 4},
    {"10000/rows/3", {1.01e-8, 8.91e-9, 3.00e-8, 1.45e-8}, 4},
    {"10000/rows/4", {1.01e-8, 8.95e-9, 2.43e-8, 1.61e-8}, 4},
    {"10000/rows/5", {1.01e-8, 8.95e-9, 2.43e-8, 1.62e-8}, 4},
    {"1000/lam_est", {1.01, 0.895}, 2}, {"10000/lam_est", {1.01, 0.895}, 2},
    {.row = NULL},
};
const CrdRemark crd_remarks_slow_table1[] = {
    {"1000/rows/1", 2, "2.33e-3 by every computation: a digit of the print"},
    {"10000/rows/2", 1, "the print has lost its minus sign"},
    {.row = NULL},
};
const CrdPrinted crd_printed_slow_points[] = {
    {"1000/its", {2}, 1}, {"10000/its", {2}, 1},
    {"1000/x", {1.0000015, 2.00000275}, 2}, {"1000/yd", {-0.4999951, 0.4999973}, 2}, {"1000/g", {1.49e-6, 1.23e-6}, 2},
    {"10000/x", {1.000000015, 2.0000000275}, 2}, {"10000/yd", {-0.499999952, 0.499999973}, 2},
    {"10000/g", {1.50e-8, 1.25e-8}, 2},
    {.row = NULL},
};
const CrdRemark crd_remarks_slow_points[] = {
    {"1000/g", 1, "1.2488e-6 by every computation; w^2 g is to be 1.25"},
    {.row = NULL},
};
const CrdPrinted crd_printed_slow_multipliers[] = {
    {"1000", {1.50, 1.25}, 2}, {"10000", {1.50, 1.25}, 2}, {"rods", {1.50, 1.25}, 2},
    {.row = NULL},
};
/* clang-format on */
