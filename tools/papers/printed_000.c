/* The numbers that document 000 (ACR92) prints, beside the rows of paper_000.c, and what is known about them. */
#include <math.h>

#include "paper.h"

/* clang-format off */
const CrdPrinted crd_printed_table11[] = {
    {"Error0", {0.0019, 0.0022, 0.001, 2.7e-05, 1.3e+41, 9.2e+73}, 6},
    {"Drift0", {0.0085, 0.0049, 0.00029, 9.3e-09, 4.5e+38, 4.5e+57}, 6},
    {"Error1", {0.002, 0.0011, 5.6e-05, 1.4e-05, 1.4e-05, 1.4e-05}, 6},
    {"Drift1", {0.0085, 0.0049, 0.00031, 3.9e-06, 4e-08, 0.0}, 6},
    {"Error2", {0.0019, 2.5e-05, 1.4e-05, 1.4e-05, 1.4e-05, 1.4e-05}, 6},
    {"Drift2", {0.0085, 0.0001, 1.2e-06, 1.2e-08, 1.3e-10, 0.0}, 6},
    {.row = NULL},
};

const CrdRemark crd_remarks_table11[] = {
    {"Error0", 5, "printed is the limit gamma = infinity: direct_index2"},
    {"Drift0", 5, "printed is the rounding of the limit gamma = infinity"},
    {"Error1", 0, "misprint: without stabilisation all three errors are the same"},
    {"Drift1", 5, "rounding"},
    {"Drift2", 5, "rounding"},
    {"direct_index2", 1, "rounding of a state of size 1e73"},
    {"poststab_3.9_alpha1_[error,drift]", -1, "blow-ups: the explicit methods meet h nu = 10; drifts are rounding"},
    {.row = NULL},
};

/* Which of the computed rows a printed one is was found by comparing, see docs/PAPERS.md. */
const CrdPrinted crd_printed_table31[] = {
    {"fe h=0.001pi none", {-0.63, -0.91}, 2},
    {"fe h=0.001pi velocity-only D=(0,v)", {0.00012, 0.00024}, 2},
    {"fe h=0.0005pi none", {-0.35, -0.88}, 2},
    {"fe h=0.0005pi velocity-only D=(0,v)", {3.2e-05, 6.3e-05}, 2},
    {"emid h=0.001pi none", {0.00047, 0.00094}, 2},
    {"imid h=0.001pi velocity-only D=(0,v)", {2.7e-05, 5.5e-05}, 2},
    {.row = NULL},
};

const CrdRemark crd_remarks_table31[] = {
    {"fe h=0.001pi velocity-only D=(0,v)", -1, "the text says D = E^T; moving velocities alone gives what is printed"},
    {"fe h=0.0005pi velocity-only D=(0,v)", -1, "the text says D = E^T; moving velocities alone gives what is printed"},
    {"imid h=0.001pi velocity-only D=(0,v)", -1, "implicit midpoint and velocities only: inferred from two numbers"},
    {"emid h=0.001pi none", -1, "explicit midpoint: inferred from two numbers"},
    {.row = NULL},
};
/* clang-format on */
