/* Many rows of one step, read from polynomials through a few states of it. */
#ifndef CRD_SIM_SERIES_H
#define CRD_SIM_SERIES_H

#include "sim/channel.h"

/* Rows at times that do not fall, all inside the last step or now: values (rows x columns, one row after another) and,
 * where it is not NULL, the whole states that these are read from (rows x n). */
typedef struct CrdManyRows {
    int count;
    const double *t;
    const CrdAsked *asked;
    int columns;
    double *values, *states;
} CrdManyRows;

/* Columns of all channels asked for. */
int crd_columns_of(const CrdAsked *asked);

CardanStatus crd_sim_sample_rows(CardanSim *sim, const CrdManyRows *rows);

#endif
