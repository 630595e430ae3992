/* From a description to a running simulation, with every failure told by its sentence. */
#ifndef TESTS_SUPPORT_SCENE_H
#define TESTS_SUPPORT_SCENE_H

#include "cardan/cardan.h"

/* Compiles and destroys the builder. */
CardanModel *scene_compile(CardanBuilder *builder);

/* A model file by name ("models/pendulum.yaml"), or the text of one. */
CardanModel *scene_load(const char *path);
CardanModel *scene_read(const char *text);

/* The start of a model under these options; a remark is allowed. Retains the model: release yours when done. */
CardanSim *scene_start(const CardanModel *model, const CardanOptions *options);

/* Both at once: the model goes with the simulation. */
CardanSim *scene_run(CardanModel *model, const CardanOptions *options);

/* DOP853 with these tolerances; a stepper with a fixed step. Post-stabilisation is the default's. */
CardanOptions scene_tight(double rtol, double atol);
CardanOptions scene_fixed(CardanStepper stepper, double step);

void scene_advance(CardanSim *sim, double t);

/* By names; fails when there is none. */
CardanBodyState scene_body(CardanSim *sim, const CardanModel *model, const char *name);
double scene_coordinate(CardanSim *sim, const CardanModel *model, const char *joint, double *rate);
CardanWrench scene_reaction(CardanSim *sim, const CardanModel *model, const char *joint);
CardanEnergy scene_energy(CardanSim *sim);

#endif
