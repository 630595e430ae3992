/* The list of verbs. */
#include "verbs.h"

#include <string.h>

/* Verbs of later versions: refused by name, not as unknown. */
#define LATER(verb) static const Verb later_##verb = {.name = #verb}
LATER(sweep);
LATER(fmu);

/* clang-format off */
const Verb *const verbs[] = {
    &verb_run, &verb_resume, &verb_convert, &verb_channels, &verb_check, &verb_assemble, &verb_kinematics, &verb_equilibrium, &verb_inverse,
    &verb_linearise, &verb_modes, &verb_sensitivity, &verb_view, &verb_plot, &verb_slow, &verb_methods, &verb_papers, &verb_bench,
    &verb_help, &verb_man, &verb_completion, &verb_version,
    &later_sweep, &later_fmu,
    NULL,
};
/* clang-format on */

const Verb *verb_find(const char *name) {
    for (const Verb *const *v = verbs; *v != NULL; v++)
        if (strcmp((*v)->name, name) == 0) return *v;
    return NULL;
}
