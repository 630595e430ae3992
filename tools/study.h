/* What the verbs that ask a study share: loading, complaints, the state as text and as JSON. */
#ifndef TOOL_STUDY_H
#define TOOL_STUDY_H

#include "command.h"
#include "json.h"

typedef struct Study {
    const Arguments *arguments;
    const char *path;
    CardanModel *model;
    CardanStudy *study;
    bool json; /* failures are printed as an object too */
} Study;

/* Loads the first operand, makes a study of it, calls `work` and frees both. */
int study_run(const Arguments *arguments, int set_key, int json_key, int (*work)(Study *study));

/* The exit status of a call on the study; a failure is told, with --json as an object besides. */
int study_check(Study *study, CardanStatus status);

/* Splits "main=0.3" of an option into a joint and a number; "crank" or "crank=2" into a body and one. */
int study_joint_value(Study *study, const Given *given, CardanJoint *joint, double *value);
int study_body_value(Study *study, const Given *given, bool needs_value, CardanBody *body, double *value);

/* Bodies, joints, reactions of the state. */
void study_put_state(Json *json, Study *study);
void study_print_state(Study *study);

/* All loads on a body, by name, and their sum. */
int study_print_loads(Study *study, const char *name);

#endif
