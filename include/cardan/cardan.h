/* Cardan: multibody dynamics of constrained mechanical systems. This header brings everything that programs need; the
 * laboratory of published methods has its own, cardan/lab.h. */
#ifndef CARDAN_H
#define CARDAN_H

#include "cardan/analysis.h"
#include "cardan/builder.h"
#include "cardan/linear.h"
#include "cardan/model.h"
#include "cardan/operators.h"
#include "cardan/options.h"
#include "cardan/run.h"
#include "cardan/scene.h"
#include "cardan/sensitivity.h"
#include "cardan/sim.h"
#include "cardan/slow.h"
#include "cardan/start.h"
#include "cardan/types.h"

/* The version of these headers; until 1.0 a new minor version may break programs. As one number for #if: 0.2.0 is
 * 200. */
#define CARDAN_VERSION_MAJOR 0
#define CARDAN_VERSION_MINOR 2
#define CARDAN_VERSION_PATCH 0
#define CARDAN_VERSION (CARDAN_VERSION_MAJOR * 10000 + CARDAN_VERSION_MINOR * 100 + CARDAN_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that is linked: the number, as CARDAN_VERSION, and as text, "0.2.0". A program compiled
 * against other headers than it runs with sees the two numbers differ. */
CARDAN_API int cardan_version(void);
CARDAN_API const char *cardan_version_text(void);

#ifdef __cplusplus
}
#endif
#endif
