/* The choices of stabilisation by name: methods, their forms, metrics and levels. */
#ifndef CRD_PROJECT_WORDS_H
#define CRD_PROJECT_WORDS_H

#include "cardan/options.h"
#include "core/names.h"

typedef struct CrdStabiliseRecord {
    const char *name, *summary;
    bool moves; /* puts states back on the constraints after a step */
} CrdStabiliseRecord;

const CrdStabiliseRecord *crd_stabilise_record(CardanStabiliseMethod method);

/* Name and sentence by number; no name after the last. */
CrdWord crd_stabilise_method_word(int i);
CrdWord crd_stabilise_form_word(int i);
CrdWord crd_stabilise_metric_word(int i);
CrdWord crd_stabilise_levels_word(int i);

#endif
