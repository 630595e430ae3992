/* A compiled mechanism: immutable, shared by any number of simulations on any threads. Where a question has no answer
 * (no model, no such object) counts are -1, texts empty and handles CARDAN_INVALID. */
#ifndef CARDAN_MODEL_H
#define CARDAN_MODEL_H

#include "cardan/builder.h"
#include "cardan/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads and compiles a file in one go; on failure message (size bytes, may be NULL) gets the sentence. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_model_load(const char *path, CardanModel **out, char *message,
                                                           size_t size);

/* Models are counted: retain for another owner, release when done. Simulations retain theirs. */
CARDAN_API CardanModel *cardan_model_retain(const CardanModel *model);
CARDAN_API void cardan_model_release(CardanModel *model);

/* The same structure with other parameter values: numbering, patterns and the elimination order are shared, only
 * numbers are computed anew. On failure message gets the sentence. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_model_with_parameters(const CardanModel *model, int count,
                                                                      const char *const *names, const double *values,
                                                                      CardanModel **out, char *message, size_t size);

typedef struct CardanSizes {
    int bodies; /* bodies and particles, without the ground and block frames */
    int blocks; /* custom coordinate blocks */
    int joints; /* joints and user rows */
    int forces;
    int inputs;
    int parameters;
    int coordinates; /* length of q */
    int velocities;  /* length of v */
    int rows;        /* constraint rows, nonholonomic ones included */
    int holonomic_rows;
    int first_order; /* first-order states: of the user's and of forces */
    int markers;
} CardanSizes;

/* All zero without a model. */
CARDAN_API CardanSizes cardan_model_sizes(const CardanModel *model);
CARDAN_API CardanSpace cardan_model_space(const CardanModel *model);
CARDAN_API const char *cardan_model_name(const CardanModel *model);

/* The options of the file's `simulation` section over the defaults; without a model the defaults. */
CARDAN_API CardanOptions cardan_model_options(const CardanModel *model);

/* Objects by name; CARDAN_INVALID when there is none of that name. The name "ground" gives the ground, index 0. */
CARDAN_API CardanBody cardan_model_find_body(const CardanModel *model, const char *name);
CARDAN_API CardanJoint cardan_model_find_joint(const CardanModel *model, const char *name);
CARDAN_API CardanInput cardan_model_find_input(const CardanModel *model, const char *name);
CARDAN_API CardanFirstOrder cardan_model_find_first_order(const CardanModel *model, const char *name);

CARDAN_API CardanMarker cardan_model_find_marker(const CardanModel *model, const char *name);

/* Body number i, from 0 to bodies - 1, in the order of the description (block frames are not counted). */
CARDAN_API CardanBody cardan_model_body(const CardanModel *model, int i);

typedef enum CardanBodyKind {
    CARDAN_BODY_NONE = 0, /* there is no such body */
    CARDAN_BODY_GROUND,
    CARDAN_BODY_RIGID,
    CARDAN_BODY_PARTICLE,
    CARDAN_BODY_FRAME /* of a custom block */
} CardanBodyKind;
CARDAN_API CardanBodyKind cardan_model_body_kind(const CardanModel *model, CardanBody body);

/* Names and rows. Joints have the handles 1 to joints. */
CARDAN_API const char *cardan_model_body_name(const CardanModel *model, CardanBody body);
CARDAN_API const char *cardan_model_joint_name(const CardanModel *model, CardanJoint joint);
/* Markers have the handles 1 to markers. */
CARDAN_API const char *cardan_model_marker_name(const CardanModel *model, CardanMarker marker);

CARDAN_API int cardan_model_joint_rows(const CardanModel *model, CardanJoint joint);

/* Which coordinate a joint has; of two (cylindrical, screw) the first, the angle. None also of no joint. */
CARDAN_API CardanCoordinate cardan_model_joint_coordinate(const CardanModel *model, CardanJoint joint);

/* Names the file lists under `outputs` (names may be NULL); their number is returned. */
CARDAN_API int cardan_model_outputs(const CardanModel *model, const char *const **names);

/* Where output number i, from 0, stands in the file; line 0: in none. */
CARDAN_API void cardan_model_output_place(const CardanModel *model, int i, int *line, int *column);

/* What is known of the constraints without simulating. */
typedef struct CardanCheck {
    int degrees_of_freedom; /* velocities minus the generic rank of all rows */
    int velocities;
    int rows;
    int redundant_rows;                          /* rows minus generic rank */
    bool singular;                               /* the given pose has lower rank than its neighbours */
    double residual_position, residual_velocity; /* largest |row| of the pose as given, SI */
    bool assembled;                              /* the constraints can be met from the given pose */
} CardanCheck;

/* joint_redundant and joint_residual (2 per joint: position, velocity) may be NULL; else joints (2 x joints) long,
 * joint i at i - 1. On failure message gets the sentence. */
CARDAN_API CARDAN_NODISCARD CardanStatus cardan_model_check(const CardanModel *model, CardanCheck *check,
                                                            bool *joint_redundant, double *joint_residual,
                                                            char *message, size_t size);

#ifdef __cplusplus
}
#endif
#endif
