/* Reading results behind one interface: CSV with headings, the first column the time, or a run file. */
#ifndef TOOL_TABLE_H
#define TOOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "runfile.h"

typedef struct Table {
    const char *path;
    FILE *stream;
    char *line;      /* the line being read */
    size_t capacity; /* of line */
    long number;     /* of that line, from 1 */
    int columns;
    char **names; /* columns long; name 0 is the time's */
    char **units; /* likewise; empty: not known, as of CSV */
    size_t rows;
    double **data; /* columns long; rows numbers each; NULL: not asked for. Empty cells are NaN. */
    RunFile run;   /* of a run file; run.result NULL: it is none. Its events: cardan_result_event */
} Table;

/* Reads the headings. Complains and gives the exit status. Close in any case. */
int table_open(Table *table, const char *path);

/* Reads the columns marked in wanted (columns long). */
int table_read(Table *table, const bool *wanted);
void table_close(Table *table);

#endif
