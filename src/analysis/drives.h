/* Drives that cannot do what their laws ask for.
 *
 * A row of a drive that depends on others, G_i = sum of c_j G_j, leaves its law no choice:
 *     g_t,i = sum of c_j g_t,j,     gamma_i = sum of c_j gamma_j
 * must hold. Where only joints hold it, or drives of the same coordinate, the c_j are the same in every pose and the
 * laws are compared at later times, too. */
#ifndef CRD_ANALYSIS_DRIVES_H
#define CRD_ANALYSIS_DRIVES_H

#include "integrate/integrator.h"

/* At the start, where some drives are known to be held (CrdRank.drivers_held): refused by name when they contradict
 * what holds them. Those that do not at once are marked in redundancy.contested. moving: v meets the constraints, so
 * that accelerations are compared, too. Allocates. */
CardanStatus crd_judge_drives(CrdIntegrator *integrator, double t, const double *q, const double *v, bool moving);

#endif
