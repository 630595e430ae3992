/* Gradients of measures: along displacements and velocities of the coordinate blocks, and along first-order states. */
#ifndef CRD_EQUATIONS_MEASURE_GRADIENT_H
#define CRD_EQUATIONS_MEASURE_GRADIENT_H

#include "equations/element.h"
#include "equations/measures.h"

typedef enum CrdGradientBy { CRD_BY_DISPLACEMENT = 0, CRD_BY_VELOCITY, CRD_BY_STATE } CrdGradientBy;

/* Called with what the columns (their .d) change by along number `index` of the velocities or states. The same number
 * may come several times: the sum counts. False: stop, there is no room. */
typedef bool (*CrdGradientVisit)(void *user, CrdGradientBy by, int index, const CrdDual *columns);

/* Is the measure of this model a function of t, q, v and first-order states? */
bool crd_has_gradient(const CardanModel *model, const CrdLawMeasure *it);

/* At the frames in the workspace, those of scene->q, scene->v in absolute coordinates, after crd_begin_rows; of what a
 * force does after crd_law_input. */
CardanStatus crd_measure_gradient(const CrdScene *scene, const CrdActions *actions, CrdSystem *system,
                                  const CrdLawMeasure *it, CrdGradientVisit visit, void *user, CrdError *error);

#endif
