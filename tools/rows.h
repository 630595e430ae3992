/* Where rows of results stand. */
#ifndef TOOL_ROWS_H
#define TOOL_ROWS_H

/* Steps of high order are long beside what a curve shows: a step of length h is divided into equal parts, none longer
 * than a 400th of the run, at most 32. A function of the step alone, so a run that is resumed has the same rows. end
 * 0: no end is known, and a step is 8 parts. */
int rows_of_step(double h, double end);

/* How many rows of so many columns are read at once: as many as stay in a cache, or all parts of a step where that is
 * some megabytes; at least one. */
int rows_at_once(int columns);

/* k-th multiple of output_step; by division when that gives the rounder numbers (3/10, not 3 * 0.1). */
double row_multiple(double output_step, double end, double k);

#endif
