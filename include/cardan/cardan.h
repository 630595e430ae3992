/* Cardan: multibody dynamics of constrained mechanical systems. This header brings everything. */
#ifndef CARDAN_H
#define CARDAN_H

#include "cardan/builder.h"
#include "cardan/lab.h"
#include "cardan/model.h"
#include "cardan/options.h"
#include "cardan/sim.h"
#include "cardan/types.h"

#define CARDAN_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that is linked, as in "0.1.0". */
CARDAN_API const char *cardan_version(void);

#ifdef __cplusplus
}
#endif
#endif
