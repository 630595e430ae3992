/* The motion inside the last step. */
#ifndef CRD_INTEGRATE_INTERPOLATE_H
#define CRD_INTEGRATE_INTERPOLATE_H

#include "integrate/integrator.h"

/* The method's own preparation, for the step its vectors are of. */
CardanStatus crd_prepare_by_method(CrdIntegrator *integrator);

/* Makes the interpolation of the last step ready. */
CardanStatus crd_integrator_prepare_dense(CrdIntegrator *integrator);

/* The same of a step that was tried and not yet accepted, of size h, for methods that can (CrdMethod.looks_inside): its
 * vectors stand for a moment where they will be then. */
CardanStatus crd_integrator_prepare_attempt(CrdIntegrator *integrator, double h);

/* y at theta = (t - t_old) / (t_new - t_old) as the method has it, neither normalised nor put on the constraints. */
void crd_integrator_dense_at(const CrdIntegrator *integrator, double theta, double *y);

/* How well a state inside a step is put back on the constraints: where its rows are open by more than so many
 * tolerances, up to `left` of one, by a factor that is shared in each of so many parts of the step. */
typedef struct CrdRowClosing {
    double open, left, parts;
} CrdRowClosing;

/* Of a row by itself: as open as the error of a step may be. And of one that others are read from (sim/series.c). */
extern const CrdRowClosing crd_close_row, crd_close_node;

/* y at a time inside the last step, put back on the constraints. The workspace then holds its residuals, and all of its
 * rows where they are wanted. */
CardanStatus crd_integrator_interpolate(CrdIntegrator *integrator, double t, bool rows, const CrdRowClosing *closing,
                                        double *y);

/* The same of a model without rows, with the frames in a system beside its own (crd_system_layout_aside): the workspace
 * goes on holding what the next step begins with, unless the interpolation asked for stages of its own. */
CardanStatus crd_integrator_interpolate_aside(CrdIntegrator *integrator, double t, double *y, CrdSystem *aside);

#endif
