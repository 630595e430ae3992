/* The slider-crank of Ascher, Chin, Reich (TR 92-17, Example 4) in the coordinates they use, as a custom block:
 *     q = (theta, x2, y2, psi),  M = diag(J1, m2, m2, J2),  f = (sin t - theta', 0, -m2 g, 0)
 *     g = (x2 - r cos theta - l1 cos psi,  r sin theta - l sin psi,  y2 - (l - l1) sin psi) */
#ifndef TESTS_SUPPORT_PAPER_SLIDER_CRANK_H
#define TESTS_SUPPORT_PAPER_SLIDER_CRANK_H

#include "cardan/cardan.h"

/* To be compiled and destroyed by the caller. */
CardanBuilder *paper_slider_crank(void);

/* g (3) and G v (3) at q, v, apart from the engine's own. */
void paper_slider_crank_residuals(const double *q, const double *v, double *g, double *rate);

#endif
