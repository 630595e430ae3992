/* Inside of options: what the reader and the simulation need beyond the public functions. */
#ifndef CRD_BUILD_OPTIONS_H
#define CRD_BUILD_OPTIONS_H

#include "cardan/options.h"
#include "core/status.h"

typedef enum CrdOptionKind { CRD_OPTION_NUMBER = 0, CRD_OPTION_COUNT, CRD_OPTION_WORD } CrdOptionKind;

typedef struct CrdOptionInfo {
    CrdOptionKind kind;
    size_t offset; /* of a number: bytes from the start of CardanOptions */
} CrdOptionInfo;

/* false: there is no option of that name. */
bool crd_option_info(const char *name, CrdOptionInfo *info);

/* The nearest known name of an option, or of a group such as "tolerance"; NULL: none is near. */
const char *crd_option_nearest(const char *name);

/* Each number in its range; says nothing about combinations, which the command line may still change. */
CardanStatus crd_options_ranges(const CardanOptions *options, CrdError *error);

/* Options as the simulation uses them: Baumgarte's alpha and beta, when both are 0, become 20 1/s and 100 1/s^2, the
 * critically damped pair with a time constant of 0.1 s. */
CardanOptions crd_options_resolved(const CardanOptions *options);

#endif
