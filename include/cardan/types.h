/* Small value types shared by all headers: status, vectors, handles. */
#ifndef CARDAN_TYPES_H
#define CARDAN_TYPES_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__GNUC__)
#define CARDAN_API __attribute__((visibility("default")))
#else
#define CARDAN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* 0: done.  > 0: done, with a remark.  < 0: failed; the object it failed on keeps a sentence that says why.
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

/* Handles are small values; index 0 of a body is the ground, so a zeroed handle is the ground. */
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

typedef struct CardanStates {
    int index; /* first-order states, from 1 */
} CardanStates;

typedef enum CardanSpace { CARDAN_PLANAR = 0, CARDAN_SPATIAL = 1 } CardanSpace;

/* A coordinate of a joint. */
typedef enum CardanCoordinate { CARDAN_NO_COORDINATE = 0, CARDAN_ANGLE, CARDAN_DISPLACEMENT, CARDAN_LENGTH } CardanCoordinate;

#ifdef __cplusplus
}
#endif
#endif
