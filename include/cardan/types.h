/* Small value types shared by all headers: status, vectors, handles. */
#ifndef CARDAN_TYPES_H
#define CARDAN_TYPES_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__GNUC__)
#define CARDAN_API __attribute__((visibility("default")))
#define CARDAN_NODISCARD __attribute__((warn_unused_result)) /* a status that says whether there is a result */
#else
#define CARDAN_API
#define CARDAN_NODISCARD
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* 0: done.  > 0: done, with a remark.  < 0: failed; the sentence that says why is the message of the object it failed
 * on, or in the buffer handed over for it. A call that failed changed nothing else.
 * The numbers of model, numerical, file and limit failures are the negated exit statuses of the command. */
typedef enum CardanStatus {
    CARDAN_OK = 0,
    CARDAN_REMARK = 1,        /* done, and something is worth reading: see the object's message */
    CARDAN_STOPPED = 2,       /* done, and an event of the user's stopped the run: see the object's message */
    CARDAN_ERR_INTERNAL = -1, /* a fault of the library itself */
    CARDAN_ERR_ARGUMENT = -2, /* a programmer's error: NULL, a foreign handle, a number out of range */
    CARDAN_ERR_MODEL = -3,    /* the model makes no sense; the message names the object and, from a file, the place */
    CARDAN_ERR_NUMERIC = -4,  /* the computation could not go on; the state is the last good one */
    CARDAN_ERR_IO = -5,       /* a file could not be read or written */
    CARDAN_ERR_LIMIT = -6,    /* a documented limit was reached */
    CARDAN_ERR_MEMORY = -7    /* an allocation failed; nothing was changed */
} CardanStatus;

/* "done", "remark", "stopped", "internal error", "bad argument", ...; "unknown status" of any other number. */
CARDAN_API const char *cardan_status_name(CardanStatus status);

/* In planar models z is 0 for positions and forces; moments and spins are the z component. */
typedef struct CardanVec3 {
    double x, y, z;
} CardanVec3;

/* Unit quaternion of the rotation that takes body axes to ground axes. All zeros in a definition means no rotation. */
typedef struct CardanQuat {
    double w, x, y, z;
} CardanQuat;

typedef struct CardanWrench {
    CardanVec3 force;  /* N */
    CardanVec3 moment; /* N m */
} CardanWrench;

/* Handles are small values. Index 0 of a body is the ground, so a zeroed handle is the ground; of the others 0 is none.
 * CARDAN_INVALID is the index of what is not there: an unknown name, an object that a builder refused. Every call
 * refuses it. */
enum { CARDAN_INVALID = -1 };

typedef struct CardanBody {
    int index;
} CardanBody;
typedef struct CardanBlock {
    int index; /* custom coordinate block, from 1 */
} CardanBlock;
typedef struct CardanJoint {
    int index; /* joint or user rows, from 1 */
} CardanJoint;
typedef struct CardanForce {
    int index; /* force element, from 1 */
} CardanForce;
typedef struct CardanInput {
    int index; /* named input, from 1 */
} CardanInput;
typedef struct CardanMarker {
    int index; /* marker, from 1 */
} CardanMarker;
typedef struct CardanFirstOrder {
    int index; /* set of first-order states, from 1; 0: all there are */
} CardanFirstOrder;

typedef enum CardanSpace { CARDAN_SPACE_PLANAR = 0, CARDAN_SPACE_SPATIAL = 1 } CardanSpace;

/* A coordinate of a joint. */
typedef enum CardanCoordinate {
    CARDAN_COORDINATE_NONE = 0,
    CARDAN_COORDINATE_ANGLE,
    CARDAN_COORDINATE_DISPLACEMENT,
    CARDAN_COORDINATE_LENGTH
} CardanCoordinate;

/* What an event in the log is: a passage through a singular pose, or the zero of a switching function. */
typedef enum CardanEventKind {
    CARDAN_EVENT_NONE = 0,
    CARDAN_EVENT_SINGULARITY,
    CARDAN_EVENT_KINK, /* of a law */
    CARDAN_EVENT_LIMIT,
    CARDAN_EVENT_CONTACT,
    CARDAN_EVENT_DRIVE, /* a kink in the law of a drive */
    CARDAN_EVENT_USER,
    CARDAN_EVENT_TURN, /* a bushing or compliant joint in space was turned as far as its rotation vector goes */
    CARDAN_EVENT_STIFF /* direction 1: from here on stability bounds explicit steps, and `name` is to blame; -1: no
                          longer (stepper auto) */
} CardanEventKind;

/* What was done to pass a singular pose. */
typedef enum CardanRemedy {
    CARDAN_REMEDY_NONE = 0, /* the event is no passage */
    CARDAN_REMEDY_STEPPED_OVER,
    CARDAN_REMEDY_REFINED_SOLVE,
    CARDAN_REMEDY_ACROSS_POSE, /* accelerations taken across the pose */
    CARDAN_REMEDY_SOFTENED_ROWS
} CardanRemedy;

/* On which branch of the motion a passage went on, by the jump of its velocities over the pose. */
typedef enum CardanBranch {
    CARDAN_BRANCH_NONE = 0, /* the event is no passage */
    CARDAN_BRANCH_KEPT,     /* the motion went on with its momentum */
    CARDAN_BRANCH_LEFT,     /* it did not */
    CARDAN_BRANCH_UNCLEAR   /* a jump between, no speed in the pose, or too few states on one side of it (yet) */
} CardanBranch;

/* Their words, as the command writes them: "singularity", "stepped over", "kept"; "none" of 0, "unknown" of any other
 * number. */
CARDAN_API const char *cardan_event_kind_name(CardanEventKind kind);
CARDAN_API const char *cardan_remedy_name(CardanRemedy remedy);
CARDAN_API const char *cardan_branch_name(CardanBranch branch);

#ifdef __cplusplus
}
#endif
#endif
