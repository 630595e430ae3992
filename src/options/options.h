/* Options by name: one table, which the reader, the command line, help and documents walk; words come from the
 * registries of steppers, formulations, stabilisers, regularisers and solvers. */
#ifndef CRD_OPTIONS_OPTIONS_H
#define CRD_OPTIONS_OPTIONS_H

#include "cardan/options.h"
#include "core/names.h"

typedef enum CrdOptionKind { CRD_OPTION_NUMBER = 0, CRD_OPTION_COUNT, CRD_OPTION_WORD } CrdOptionKind;

typedef struct CrdOption {
    const char *name;    /* as in the model file's section `simulation`: "tolerance.relative" */
    const char *summary; /* one sentence for help and documents */
    CrdOptionKind kind;
    size_t offset, size;      /* of the member of CardanOptions: a double; an int or long; an enum */
    double min, max;          /* of numbers and counts */
    bool above;               /* min itself is not allowed */
    const char *unset;        /* what is done while it is 0, which cannot be given then; NULL: 0 is a value */
    const char *unit, *rule;  /* "s", ">= 0" */
    CrdWord (*word)(int i);   /* of a word: those there are, in the order of the enum */
    const char *what;         /* of a word: what it is called in messages */
    const char *const *later; /* those of the format that are not in this version, ended by NULL; NULL: none */
} CrdOption;

/* i from 0; NULL after the last. */
const CrdOption *crd_option(int i);

/* NULL: there is no option of that name. */
const CrdOption *crd_option_find(const char *name);

/* The nearest known name of an option; NULL: none is near. */
const char *crd_option_nearest(const char *name);

/* The value of an option; of a word its number. */
double crd_option_value(const CardanOptions *options, const CrdOption *option);

/* They are not NULL and come from cardan_default_options. */
CardanStatus crd_options_made(const CardanOptions *options, CrdError *error);

/* Options as the simulation uses them: Baumgarte's alpha and beta, when both are 0, become 20 1/s and 100 1/s^2, the
 * critically damped pair with a time constant of 0.1 s. */
CardanOptions crd_options_resolved(const CardanOptions *options);

#endif
