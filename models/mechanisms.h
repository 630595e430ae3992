/* Mechanisms built through the C API, shared by the programs here, by tests/ and by bench/. Each function returns a
 * builder that the caller compiles and destroys; what went wrong, if anything, is in its message. */
#ifndef MODELS_MECHANISMS_H
#define MODELS_MECHANISMS_H

#include <cardan/cardan.h>

/* Planar slider-crank: uniform crank of length r and rod of length l on x, started with the crank at `angle`, at rest.
 * Joints main, pin, wrist, guide. */
CardanBuilder *mechanism_slider_crank(double r, double l, double angle);

/* n uniform rods of 1 m and 1 kg hanging from the ground pin, released horizontal. In space they are square bars of 0.1
 * m whose hinges turn about z and y in turn. Bodies l0 .. , joints j0 .. */
CardanBuilder *mechanism_chain(CardanSpace space, int n);

/* The N-four-bar A02 of the IFToMM benchmark library, planar: n + 1 cranks c0 .. on ground pins, n couplers h0 .. ,
 * upright, cranks turning with -1 rad/s. */
CardanBuilder *mechanism_four_bars(int n);

/* Compiles the builder, makes a simulation, hands both to `use` and cleans up everything, the builder included; what
 * went wrong goes to stderr. Returns the exit status for main. */
int mechanism_run(CardanBuilder *builder, CardanStatus (*use)(const CardanModel *model, CardanSim *sim));

#endif
