/* What a run prints when it is over. */
#ifndef TOOL_REPORT_H
#define TOOL_REPORT_H

#include "simulate.h"

/* sim NULL: it could not be created; only what is known is printed. */
void report_json(FILE *out, const CardanModel *model, CardanSim *sim, const Outcome *outcome);

/* A few lines for people; arguments name the files written. */
void report_text(FILE *out, const CardanModel *model, CardanSim *sim, const Outcome *outcome,
                 const Arguments *arguments, int output_key);

#endif
