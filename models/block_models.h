/* Benchmark mechanisms in coordinates of their own, as custom blocks: shared by the programs here and by tests/. The
 * caller compiles and destroys the builder. */
#ifndef MODELS_BLOCK_MODELS_H
#define MODELS_BLOCK_MODELS_H

#include <cardan/cardan.h>

/* Car axis of the Test Set for IVP Solvers: block "axis" with coordinates xl yl xr yr. Its multipliers are the
 * negatives of the published ones. */
CardanBuilder *mechanism_car_axis(void);

/* Slider-crank with flexible rod of the Test Set for IVP Solvers (Simeon 1996): block "crank" with coordinates phi1
 * phi2 x3 q1 .. q4, no damping, started on its constraints. */
CardanBuilder *mechanism_flexible_slider_crank(void);

/* Wheelset of the Test Set for IVP Solvers (Simeon, Fuehrer, Rentrop 1991): block "axle" with coordinates x y z theta
 * phi b, where b' is the published beta. Its multipliers are -1e4 times the published ones. Contacts at q: psi and xi
 * of the right wheel, then of the left one. */
CardanBuilder *mechanism_wheelset(void);
void mechanism_wheelset_contacts(const double *q, double contact[4]);

#endif
