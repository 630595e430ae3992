/* Counting allocations of the whole process, libraries included. */
#ifndef TOOL_COUNT_MALLOC_H
#define TOOL_COUNT_MALLOC_H

/* From start to stop every allocation counts; stop adds nothing. Both are cheap. */
void count_malloc_start(void);
void count_malloc_stop(void);

/* Allocations counted so far; -1 when this build cannot count (sanitizers have their own malloc). */
long count_malloc_total(void);

#endif
