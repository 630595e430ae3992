/* Reading a simulation where it must go well: what the call gives, or a failed test with its sentence. */
#ifndef TESTS_SUPPORT_READING_H
#define TESTS_SUPPORT_READING_H

#include "support/check.h"

#include "cardan/cardan.h"

/* The status of a call that must not fail. */
#define MUST(call) assert_true((call) >= 0)

static inline CardanWrench reaction_of(CardanSim *sim, CardanJoint joint) {
    CardanWrench reaction;
    if (cardan_sim_reaction(sim, joint, &reaction) < 0) fail_msg("reaction: %s", cardan_sim_message(sim));
    return reaction;
}

static inline bool reaction_is_unique(CardanSim *sim, CardanJoint joint) {
    bool unique;
    if (cardan_sim_reaction_unique(sim, joint, &unique) < 0) fail_msg("unique: %s", cardan_sim_message(sim));
    return unique;
}

static inline CardanResidual residual_of(CardanSim *sim) {
    CardanResidual residual;
    if (cardan_sim_residual(sim, &residual) < 0) fail_msg("residual: %s", cardan_sim_message(sim));
    return residual;
}

static inline CardanWork work_of(CardanSim *sim) {
    CardanWork work;
    if (cardan_sim_work(sim, &work) < 0) fail_msg("work: %s", cardan_sim_message(sim));
    return work;
}

static inline double input_of(CardanSim *sim, CardanInput input) {
    double value;
    if (cardan_sim_get_input(sim, input, &value) < 0) fail_msg("input: %s", cardan_sim_message(sim));
    return value;
}

#endif
