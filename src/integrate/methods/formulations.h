/* The registry of formulations (formulation.h says what they are): names, sentences, and what each asks of the other
 * options. */
#ifndef CRD_INTEGRATE_METHODS_FORMULATIONS_H
#define CRD_INTEGRATE_METHODS_FORMULATIONS_H

#include "cardan/options.h"
#include "core/names.h"

typedef struct CrdFormulation {
    const char *name, *summary;
    bool multipliers; /* are unknowns of each stage, and the constraints equations */
    /* Whether it fits the other options; the sentence says why not. NULL: always. */
    CardanStatus (*check)(const CardanOptions *options, CrdError *error);
} CrdFormulation;

const CrdFormulation *crd_formulation(CardanFormulation formulation);

/* Name and sentence by number; no name after the last. */
CrdWord crd_formulation_word(int i);

#endif
