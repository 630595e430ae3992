/* Methods by name: every choice of the laboratory as a word. */
#ifndef CRD_LAB_CHOICE_H
#define CRD_LAB_CHOICE_H

#include "lab/integrate.h"
#include "lab/method.h"

typedef struct CrdLabChosen {
    CrdLabMethod method;         /* stepper NULL: the integrator does it */
    const CrdMethod *integrator; /* NULL: steps of fixed size */
    CrdLabTolerance tolerance;
} CrdLabChosen;

/* CARDAN_ERR_ARGUMENT names a word that means nothing, or numbers out of range. */
CardanStatus crd_lab_choose(const CrdLabProblem *problem, const CardanLabMethod *words, CrdLabChosen *chosen,
                            CrdError *error);

/* CARDAN_ERR_ARGUMENT with the reason when the parts do not fit together. */
CardanStatus crd_lab_check_chosen(const CrdLabChosen *chosen, CrdLabWorkspace *workspace);

#endif
