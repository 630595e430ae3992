/* Options of a simulation given as words on the command line. */
#ifndef TOOL_SETTINGS_H
#define TOOL_SETTINGS_H

#include "command.h"

/* One setting by its name in the model file's `simulation` section. A failure is complained about in the name of the
 * verb and of its option: STATUS_USAGE. */
int setting_apply(CardanOptions *opt, const Arguments *arguments, const Option *option, const char *name,
                  const char *text);

/* A section as METHOD[:PASSES][,KEY=VALUE]...: "post:2,form=full" for "stabilise" is method post, passes 2, form
 * full. */
int setting_section(CardanOptions *opt, const Arguments *arguments, const Option *option, const char *section,
                    const char *value);

/* The words of choices, for the tables of options. */
const char *word_formulation(int i);
const char *word_regularise(int i);
const char *word_coordinates(int i);
const char *word_solver(int i);
const char *word_stabilise(int i);
const char *word_stepper(int i);

#endif
