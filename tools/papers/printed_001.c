/* The numbers that document 001 (AP93) prints, beside the rows of paper_001.c, and what is known about them. */
#include <math.h>

#include "paper.h"

/* clang-format off */
const CrdPrinted crd_printed_table41[] = {
    {"Baumgarte_0", {2.6e+78, 3.3e+78}, 2},
    {"Baumgarte_1", {1e+78, 1.3e+78}, 2},
    {"Baumgarte_10", {3.7e+74, 4.8e+74}, 2},
    {"Baumgarte_100", {6.3e+52, 8.5e+52}, 2},
    {"Baumgarte_1000", {27000000.0, 130000000.0}, 2},
    {"Baumgarte_10000", {0.00023, 2.3e-05}, 2},
    {"Baumgarte_inf(direct index-2)", {0.0002, 1.4e-16}, 2},
    {"projected_invariant(4.7)", {0.0002, 0.0}, 2},
    {"state_space_R=(1,0)", {0.042, 0.0}, 2},
    {.row = NULL},
};

const CrdRemark crd_remarks_table41[] = {
    {"Baumgarte_1000", 0, "printed is the error of the first component"},
    {"Baumgarte_inf(direct index-2)", 1, "rounding"},
    {"projected_invariant(4.7)", 1, "rounding"},
    {"state_space_R=(1,0)", 0, "printed number not explained"},
    {"state_space_R=(1,0)", 1, "rounding"},
    {.row = NULL},
};

const CrdPrinted crd_printed_table42[] = {
    {"Baumgarte_0", {0.0019, 0.0085}, 2},
    {"Baumgarte_1", {0.0022, 0.0049}, 2},
    {"Baumgarte_10", {0.001, 0.00029}, 2},
    {"Baumgarte_100", {2.7e-05, 9.3e-09}, 2},
    {"Baumgarte_1000", {1.3e+41, 4.5e+38}, 2},
    {"Baumgarte_inf(direct index-2)", {9.2e+73, 4.5e+57}, 2},
    {"projected_invariant(4.7)", {1.4e-05, 0.0}, 2},
    {"state_space_R=(1,0)", {1.4e-05, 0.0}, 2},
    {.row = NULL},
};

const CrdRemark crd_remarks_table42[] = {
    {"Baumgarte_inf(direct index-2)", 1, "rounding of a state of size 1e73"},
    {"projected_invariant(4.7)", 1, "rounding"},
    {"state_space_R=(1,0)", 1, "rounding"},
    {.row = NULL},
};

const CrdPrinted crd_printed_table43[] = {
    {"B1", {0.0016, 0.013, 0.012, 0.0049}, 4},
    {"B100", {9.1e-05, 0.0038, 0.0035, 0.00014}, 4},
    {"B1000", {3.4e+72, 9.3e+73, 0.0036, 9.3e+73}, 4},
    {"CT1", {0.0016, 0.012, 0.012, 0.0035}, 4},
    {"CT100", {0.0018, 0.0074, 0.0035, 0.0037}, 4},
    {"CT1000", {0.0018, 0.0072, 0.0036, 0.0037}, 4},
    {"unit1", {0.0024, 0.011, 0.012, 0.0026}, 4},
    {"unit100", {0.0027, 0.0065, 0.0035, 0.0029}, 4},
    {"unit1000", {0.0027, 0.0064, 0.0036, 0.0029}, 4},
    {"d2_1", {(double)NAN, 0.013, 0.012, 0.0037}, 4},
    {"d2_100", {(double)NAN, 0.0037, 0.017, 0.0036}, 4},
    {"d2_1000", {(double)NAN, 1e+70, 1.1e+72, 1e+68}, 4},
    {.row = NULL},
};

const CrdPrinted crd_printed_table44[] = {
    {"B1", {8.6e-05, 0.013, 0.012}, 3},
    {"B100", {4.4e-07, 0.0037, 0.017}, 3},
    {"B1000", {0.00028, 0.0035, 0.78}, 3},
    {"CT1", {0.00013, 0.012, 0.012}, 3},
    {"CT100", {1.8e-08, 0.0037, 0.017}, 3},
    {"CT1000", {9.9e+72, 1.8e+73, 2e+75}, 3},
    {"unit1", {0.00026, 0.011, 0.012}, 3},
    {"unit100", {4.2e-08, 0.0038, 0.017}, 3},
    {"unit1000", {1.6e+74, 1.5e+74, 1.6e+76}, 3},
    {.row = NULL},
};

const CrdRemark crd_remarks_table44[] = {
    {"unit100", 1, "last digit; B and C^T print 0.37e-2 for the same positions"},
    {.row = NULL},
};

const CrdPrinted crd_printed_table45[] = {
    {"B1", {0.0016, 0.012, 0.0086, 0.0049}, 4},
    {"B100", {9.1e-05, 0.0038, 0.0035, 0.00014}, 4},
    {"B1000", {3.4e+72, 9.3e+73, 0.0035, 9.3e+73}, 4},
    {"CT1", {0.0017, 0.011, 0.0086, 0.0035}, 4},
    {"CT100", {0.0018, 0.0073, 0.0035, 0.0037}, 4},
    {"CT1000", {0.0081, 0.0072, 0.0035, 0.0037}, 4},
    {"unit1", {0.0025, 0.01, 0.0086, 0.0027}, 4},
    {"unit100", {0.0027, 0.0065, 0.0035, 0.0028}, 4},
    {"unit1000", {0.0027, 0.0064, 0.0035, 0.0028}, 4},
    {"d2_1", {(double)NAN, 0.012, 0.0086, 0.0037}, 4},
    {"d2_100", {(double)NAN, 0.0062, 0.013, 0.0036}, 4},
    {"d2_1000", {(double)NAN, 0.006, 0.013, 0.0036}, 4},
    {.row = NULL},
};

const CrdRemark crd_remarks_table45[] = {
    {"CT1000", 0, "printed with its digits swapped: 0.18e-2"},
    {.row = NULL},
};

const CrdPrinted crd_printed_table46[] = {
    {"B1", {7.4e-05, 0.012, 0.0086}, 3},
    {"B100", {4.5e-05, 0.18, 0.19}, 3},
    {"B1000", {1.1e+149, 3.2e+149, 2.8e+152}, 3},
    {"CT1", {0.00011, 0.011, 0.0086}, 3},
    {"CT100", {3.4e-05, 0.0053, 0.012}, 3},
    {"CT1000", {3.3e-05, 0.0052, 0.012}, 3},
    {"unit1", {0.00022, 0.0099, 0.0086}, 3},
    {"unit100", {6.8e-05, 0.005, 0.012}, 3},
    {"unit1000", {6.7e-05, 0.0049, 0.012}, 3},
    {.row = NULL},
};

const CrdPrinted crd_printed_table47[] = {
    {"B1", {0.0015, 0.015, 0.018, 0.0049}, 4},
    {"B100", {8.8e-05, 0.01, 0.018, 0.00032}, 4},
    {"B1000", {3.4e+72, 9.3e+73, 0.018, 9.3e+73}, 4},
    {"CT1", {0.0015, 0.013, 0.018, 0.0034}, 4},
    {"CT100", {0.0015, 0.013, 0.018, 0.0034}, 4},
    {"CT1000", {0.0015, 0.013, 0.018, 0.0034}, 4},
    {"unit1", {0.0022, 0.012, 0.018, 0.0026}, 4},
    {"unit100", {0.0022, 0.012, 0.018, 0.0026}, 4},
    {"unit1000", {0.0022, 0.012, 0.018, 0.0026}, 4},
    {"d2_1", {(double)NAN, 0.014, 0.018, 0.0037}, 4},
    {"d2_100", {(double)NAN, 30.0, 300000000000000.0, 0.3}, 4},
    {"d2_1000", {(double)NAN, 0.17, 0.54, 0.0053}, 4},
    {.row = NULL},
};

const CrdRemark crd_remarks_table47[] = {
    {"d2_100", -1, "printed numbers are rounding: the step matrix is singular at t = 0.99"},
    {.row = NULL},
};

const CrdPrinted crd_printed_table48[] = {
    {"B1", {0.00011, 0.015, 0.018}, 3},
    {"B100", {4.7e-05, 0.37, 0.35}, 3},
    {"B1000", {5.4e-07, 0.36, 0.34}, 3},
    {"CT1", {0.00016, 0.013, 0.018}, 3},
    {"CT100", {11.0, 0.23, 2200.0}, 3},
    {"CT1000", {0.0018, 0.06, 0.34}, 3},
    {"unit1", {0.00032, 0.012, 0.018}, 3},
    {"unit100", {1300.0, 0.14, 130000.0}, 3},
    {"unit1000", {0.0028, 0.026, 0.27}, 3},
    {.row = NULL},
};

const CrdPrinted crd_printed_table49[] = {
    {"nu1/Pa/.01", {0.0022, 0.0082}, 2},
    {"nu1/Pa/.001", {0.00022, 0.00081}, 2},
    {"nu1/Pb/.01", {0.0036, 0.0047}, 2},
    {"nu1/Pb/.001", {0.00037, 0.00048}, 2},
    {"nu1/Pc/.01", {0.0029, 0.003}, 2},
    {"nu1/Pc/.001", {0.00028, 0.0003}, 2},
    {"nu1/S/.01", {0.0036, 0.0047}, 2},
    {"nu1/S/.001", {0.00036, 0.00048}, 2},
    {"nu100/Pa/.1", {0.022, 0.017}, 2},
    {"nu100/Pa/.01", {0.00019, 6.5e-05}, 2},
    {"nu100/Pa/.001", {5.9e-06, 1.5e-05}, 2},
    {"nu100/Pb/.1", {0.022, 2.2}, 2},
    {"nu100/Pb/.01", {0.00019, 0.019}, 2},
    {"nu100/Pb/.001", {5.7e-06, 0.00056}, 2},
    {"nu100/Pc/.1", {0.00017, 0.017}, 2},
    {"nu100/Pc/.01", {6.8e-07, 6.6e-05}, 2},
    {"nu100/Pc/.001", {1.6e-07, 1.5e-05}, 2},
    {"nu100/S/.1", {0.022, 2.2}, 2},
    {"nu100/S/.01", {0.00019, 0.019}, 2},
    {"nu100/S/.001", {5.8e-06, 0.00056}, 2},
    {.row = NULL},
};

const CrdRemark crd_remarks_table49[] = {
    {"nu100/S/.001", 0, "last digit; Pb, the same to four digits, prints 0.57e-5"},
    {.row = NULL},
};
/* clang-format on */
