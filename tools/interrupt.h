/* SIGINT and SIGTERM ask a run to stop after the step it is in. */
#ifndef TOOL_INTERRUPT_H
#define TOOL_INTERRUPT_H

/* From now on the first signal only asks; a second one ends the process at once. */
void interrupt_watch(void);

/* The number of the signal that came; 0: none. */
int interrupt_signal(void);

#endif
