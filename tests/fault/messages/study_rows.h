/* Calls on operators that must fail: each with nothing where something is needed. */
#ifndef TESTS_FAULT_MESSAGES_STUDY_ROWS_H
#define TESTS_FAULT_MESSAGES_STUDY_ROWS_H

#include "cardan/cardan.h"

#include <math.h>

typedef struct StudyRow {
    const char *function;
    CardanStatus (*call)(CardanOperators *op);
} StudyRow;

#define STUDY_CALL(name, ...)                                                                                          \
    static CardanStatus study_##name(CardanOperators *op) {                                                            \
        return cardan_operators_##name(op, __VA_ARGS__);                                                               \
    }

static const CardanVec3 ORIGIN;
STUDY_CALL(set, 0.0, NULL, NULL)
STUDY_CALL(set_input, (CardanInput){99}, 0.0)
STUDY_CALL(move, NULL, NULL)
STUDY_CALL(mass_times, NULL, NULL)
STUDY_CALL(mass_solve, NULL, NULL)
STUDY_CALL(rows_times, NULL, NULL)
STUDY_CALL(rows_transposed, NULL, NULL)
STUDY_CALL(mass, NULL)
STUDY_CALL(rows, NULL)
STUDY_CALL(motions, NULL, NULL, NULL)
STUDY_CALL(point_place, (CardanBody){0}, ORIGIN, NULL)
STUDY_CALL(point_times, (CardanBody){0}, ORIGIN, NULL, NULL, NULL)
STUDY_CALL(point_transposed, (CardanBody){0}, ORIGIN, (CardanWrench){.force = {0}}, NULL)
STUDY_CALL(point, (CardanBody){0}, ORIGIN, NULL)
STUDY_CALL(forces, NULL)
STUDY_CALL(gravity, NULL)
STUDY_CALL(bias, NULL)
STUDY_CALL(totals, NULL)
STUDY_CALL(multipliers, NULL, NULL, NULL)
STUDY_CALL(transmitted, NULL, (CardanJoint){1}, NULL)

#define STUDY_ROW(name)                                                                                                \
    { "cardan_operators_" #name, study_##name }
static const StudyRow STUDY_ROWS[] = {
    STUDY_ROW(set),
    STUDY_ROW(set_input),
    STUDY_ROW(move),
    STUDY_ROW(mass_times),
    STUDY_ROW(mass_solve),
    STUDY_ROW(rows_times),
    STUDY_ROW(rows_transposed),
    STUDY_ROW(mass),
    STUDY_ROW(rows),
    STUDY_ROW(motions),
    STUDY_ROW(point_place),
    STUDY_ROW(point_times),
    STUDY_ROW(point_transposed),
    STUDY_ROW(point),
    STUDY_ROW(forces),
    STUDY_ROW(gravity),
    STUDY_ROW(bias),
    STUDY_ROW(totals),
    STUDY_ROW(multipliers),
    STUDY_ROW(transmitted),
};

/* The same on a study. */
typedef struct AnalysisRow {
    const char *function;
    CardanStatus (*call)(CardanStudy *study);
} AnalysisRow;

#define ANALYSIS_CALL(name, ...)                                                                                       \
    static CardanStatus analysis_##name(CardanStudy *study) {                                                          \
        return cardan_study_##name(study, __VA_ARGS__);                                                                \
    }

ANALYSIS_CALL(set, 0.0, NULL, NULL)
ANALYSIS_CALL(set_input, (CardanInput){99}, 0.0)
ANALYSIS_CALL(body, (CardanBody){0}, NULL)
ANALYSIS_CALL(joint, (CardanJoint){99}, NULL, NULL)
ANALYSIS_CALL(reaction, (CardanJoint){1}, NULL)
ANALYSIS_CALL(effort, (CardanJoint){1}, NULL)
ANALYSIS_CALL(hold, (CardanBody){99})
ANALYSIS_CALL(target, (CardanJoint){99}, 0.0, 0.0)
ANALYSIS_CALL(keep_rate, (CardanJoint){99}, 0.0)
ANALYSIS_CALL(weight, (CardanBody){0}, 1.0)
ANALYSIS_CALL(assemble, 0, 0, NULL)
ANALYSIS_CALL(alternative, 99, NULL, NULL)
ANALYSIS_CALL(rewrite, NULL, 0, NULL, NULL)
ANALYSIS_CALL(kinematics, (double)NAN, NULL)
ANALYSIS_CALL(sweep, (CardanJoint){99}, 0.0, 1.0, NULL)
ANALYSIS_CALL(dead_point, NULL, NULL)
ANALYSIS_CALL(inverse, 0.0, 0, NULL, NULL, NULL)
ANALYSIS_CALL(equilibrium, NULL)
ANALYSIS_CALL(equilibria, 0, 0, NULL, NULL)
ANALYSIS_CALL(take, 99)
ANALYSIS_CALL(loads, (CardanBody){1}, 0, NULL, NULL)

#define ANALYSIS_ROW(name)                                                                                             \
    { "cardan_study_" #name, analysis_##name }
static const AnalysisRow ANALYSIS_ROWS[] = {
    ANALYSIS_ROW(set),         ANALYSIS_ROW(set_input),  ANALYSIS_ROW(body),     ANALYSIS_ROW(joint),
    ANALYSIS_ROW(reaction),    ANALYSIS_ROW(effort),     ANALYSIS_ROW(hold),     ANALYSIS_ROW(target),
    ANALYSIS_ROW(keep_rate),   ANALYSIS_ROW(weight),     ANALYSIS_ROW(assemble), ANALYSIS_ROW(alternative),
    ANALYSIS_ROW(equilibrium), ANALYSIS_ROW(equilibria), ANALYSIS_ROW(take),     ANALYSIS_ROW(kinematics),
    ANALYSIS_ROW(sweep),       ANALYSIS_ROW(dead_point), ANALYSIS_ROW(inverse),  ANALYSIS_ROW(loads),
    ANALYSIS_ROW(rewrite),
};

/* What has no argument to get wrong; tests/property/test_operators.c has them. */
static const char *const STUDY_OTHERS[] = {
    "cardan_operators_create",    "cardan_operators_destroy",   "cardan_operators_message", "cardan_operators_sizes",
    "cardan_operators_get",       "cardan_operators_residuals", "cardan_study_create",      "cardan_study_destroy",
    "cardan_study_message",       "cardan_study_time",          "cardan_study_positions",   "cardan_study_velocities",
    "cardan_study_accelerations", "cardan_study_multipliers"};

#endif
