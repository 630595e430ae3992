/* Where a call that must fail is made, and what is known of it. */
#ifndef TESTS_FAULT_MESSAGES_PLACE_H
#define TESTS_FAULT_MESSAGES_PLACE_H

#include "fault/rich_model.h"
#include "support/defaulted.h"
#include "support/reading.h"
#include "unit/sim_fixture.h"

#include "cardan/lab.h"

#define COUNT_OF(list) (sizeof(list) / sizeof *(list))

/* A running simulation of the model of rich_model.h with a driven wheel, a law that breaks down where the input is
 * negative, and an event at t = 0.05; and room for what calls want. */
typedef struct Place {
    CardanModel *model;
    CardanSim *sim; /* NULL in turn: calls must bear that */
    CardanInput u;
    CardanJoint hinge, rail, drive; /* a plain joint, rows without a coordinate, a driver */
    CardanLabProblem *problem;      /* by callbacks */
    double numbers[STATE_MOST];
    char message[512];
} Place;

typedef enum When {
    PLAIN = 0,
    BROKEN, /* the law has no value at the present input */
    ACTING  /* inside the action of an event */
} When;

/* One call of a function, number k of those that its file knows. */
typedef struct Row {
    const char *function;
    CardanStatus (*call)(Place *place, int k);
    int k;
    When when;
    CardanStatus status;
    const char *piece; /* of the sentence */
} Row;

/* A function that cannot fail: what it answers where there is nothing. */
typedef struct Answer {
    const char *function;
    bool (*holds)(void);
} Answer;

#endif
