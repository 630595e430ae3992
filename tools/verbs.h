/* One record a verb. */
#ifndef TOOL_VERBS_H
#define TOOL_VERBS_H

#include "command.h"

extern const Verb verb_run;         /* run.c */
extern const Verb verb_resume;      /* resume.c */
extern const Verb verb_convert;     /* convert.c */
extern const Verb verb_channels;    /* channels.c */
extern const Verb verb_check;       /* check.c */
extern const Verb verb_assemble;    /* assemble.c */
extern const Verb verb_equilibrium; /* equilibrium.c */
extern const Verb verb_kinematics;  /* kinematics.c */
extern const Verb verb_inverse;     /* inverse.c */
extern const Verb verb_linearise;   /* linearise.c */
extern const Verb verb_modes;       /* modes.c */
extern const Verb verb_sensitivity; /* sensitivity.c */
extern const Verb verb_view;        /* view/view.c */
extern const Verb verb_slow;        /* slow.c */
extern const Verb verb_plot;        /* plot.c */
extern const Verb verb_methods;     /* methods.c */
extern const Verb verb_papers;      /* papers.c */
extern const Verb verb_bench;       /* bench.c */
extern const Verb verb_help;        /* help.c */
extern const Verb verb_version;     /* help.c */
extern const Verb verb_man;         /* manual.c */
extern const Verb verb_completion;  /* completion.c */

#endif
