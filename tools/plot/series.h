/* From results and channels to the series of a figure: of several runs, against time or another channel, in degrees, as
 * sizes for a logarithmic axis, as differences between runs or with the band they span. */
#ifndef TOOL_PLOT_SERIES_H
#define TOOL_PLOT_SERIES_H

#include "plot/figure.h"
#include "table.h"

typedef struct SeriesOrder {
    int run_count;
    const Table *runs;
    int channel_count;
    const char *const *channels; /* headings; each is in every run */
    const char *against;         /* heading, or NULL: the time */
    bool degrees, sizes, band, difference;
} SeriesOrder;

typedef struct SeriesSet {
    int count;
    Series *series;
    char **labels;    /* own, count long */
    int column_count; /* own numbers */
    double **columns;
    char x_label[200];
    const char *x_unit;
} SeriesSet;

/* 0: done; -1: out of memory. Free in any case. */
int series_make(SeriesSet *set, const SeriesOrder *order);
void series_free(SeriesSet *set);

/* The column with this heading; -1: none. */
int series_column(const Table *run, const char *heading);

#endif
