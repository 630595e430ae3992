/* The published tables: one record each. */
#ifndef PAPERS_PAPER_H
#define PAPERS_PAPER_H

#include "lab/integrate.h"
#include "lab/method.h"
#include "problems.h"
#include "table.h"

typedef struct CrdPaper {
    const char *name; /* "001_table4.3": document and table */
    const char *title;
    /* Writes the table; variant is the record's own. */
    CardanStatus (*compute)(PapersTable *table, int variant);
    int variant;
    const CrdPrinted *printed; /* ended by a row NULL; NULL: nothing printed */
    const CrdRemark *remarks;
} CrdPaper;

/* The tables of a document, ended by a record without name. */
extern const CrdPaper crd_papers_000[], crd_papers_001[], crd_papers_002[], crd_papers_003[], crd_papers_004[];

/* What each document prints, and what is known about it. */
extern const CrdPrinted crd_printed_table11[], crd_printed_table31[], crd_printed_table41[], crd_printed_table42[],
    crd_printed_table43[], crd_printed_table44[], crd_printed_table45[], crd_printed_table46[], crd_printed_table47[],
    crd_printed_table48[], crd_printed_table49[], crd_printed_slow_table1[], crd_printed_slow_points[],
    crd_printed_slow_multipliers[];
extern const CrdRemark crd_remarks_table11[], crd_remarks_table31[], crd_remarks_table41[], crd_remarks_table42[],
    crd_remarks_table44[], crd_remarks_table45[], crd_remarks_table47[], crd_remarks_table49[],
    crd_remarks_slow_table1[], crd_remarks_slow_points[];

/* ---- what several tables share ---- */

/* The state e^t (1, 1 ...) of the linear problems. */
void crd_lab_exponential(double t, double *z, int n);

/* One run of backward Euler and the like on a linear problem over [0, 1]. */
typedef struct CrdLinearRun {
    double error[4];   /* (state) at t = 1, signed */
    double drift[2];   /* |g|, |g'| at t = 1 */
    double multiplier; /* last multiplier at t = 1 */
    double error_max;  /* largest error of all steps */
} CrdLinearRun;
CardanStatus crd_lab_run_linear(const CrdLabMethod *method, int steps, CrdLinearRun *run, CrdLabWorkspace *workspace);

/* State of an ODE (order 0) or of a state-space form at the ascending times t (count), from z at t = 0, to about 1e-13;
 * out: count x state. */
CardanStatus crd_lab_reference(const CrdLabSetting *setting, const double *t, int count, double *z, double *out,
                               CrdLabWorkspace *workspace);

/* ---- parts of documents in files of their own ---- */

CardanStatus crd_paper_slider_crank(PapersTable *table, int variant);
CardanStatus crd_paper_poststab(PapersTable *table, int variant);
CardanStatus crd_paper_crossing(PapersTable *table, int variant);
CardanStatus crd_paper_fold(PapersTable *table, int variant);

#endif
