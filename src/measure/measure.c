#include "measure/measure.h"

#include <assert.h>
#include <string.h>

#define BOTH                                                                                                           \
    { true, true }
#define PLANE                                                                                                          \
    { true, false }
#define SPACE                                                                                                          \
    { false, true }
#define ONE                                                                                                            \
    { 1, 1 }
#define WRENCH {3, 6}, .part = {{"fx", "fy", "m"}, {"fx", "fy", "fz", "mx", "my", "mz"}}, .unit = "N, N m"

/* Of bodies, and of those that turn; of coordinates of joints: all for laws too. */
#define BODY(what, where, in, is)                                                                                      \
    { what, CRD_OF_BODY, CRD_NEEDS_STATE, where, ONE, .in_laws = true, .unit = in, .summary = is }
#define TURN(what, where, in, is)                                                                                      \
    { what, CRD_OF_BODY, CRD_NEEDS_STATE, where, ONE, .orientation = true, .in_laws = true, .unit = in, .summary = is }
#define JOINT(what, which, in, is)                                                                                     \
    {                                                                                                                  \
        what, CRD_OF_JOINT, CRD_NEEDS_STATE, BOTH, ONE, .coordinate = CARDAN_COORDINATE_##which, .in_laws = true,      \
                                                        .unit = in, .summary = is                                      \
    }
#define MODEL(what, needs, in, is, ...)                                                                                \
    { what, CRD_OF_MODEL, CRD_NEEDS_##needs, BOTH, __VA_ARGS__, .unit = in, .summary = is }

const CrdMeasureRecord crd_measures[CRD_MEASURES] = {
    [CRD_X] = BODY("x", BOTH, "m", "centre of mass along x of the ground"),
    [CRD_Y] = BODY("y", BOTH, "m", "centre of mass along y"),
    [CRD_Z] = BODY("z", SPACE, "m", "centre of mass along z"),
    [CRD_VX] = BODY("vx", BOTH, "m/s", "velocity of the centre of mass along x of the ground"),
    [CRD_VY] = BODY("vy", BOTH, "m/s", "velocity of the centre of mass along y"),
    [CRD_VZ] = BODY("vz", SPACE, "m/s", "velocity of the centre of mass along z"),
    [CRD_WX] = TURN("wx", SPACE, "rad/s", "angular velocity about x of the ground"),
    [CRD_WY] = TURN("wy", SPACE, "rad/s", "angular velocity about y of the ground"),
    [CRD_WZ] = TURN("wz", SPACE, "rad/s", "angular velocity about z of the ground"),
    [CRD_BODY_ANGLE] = TURN("angle", PLANE, "rad", "angle about z, counted through turns"),
    [CRD_SPIN] = TURN("spin", PLANE, "rad/s", "rate of angle"),
    [CRD_ANGLE] = JOINT("angle", ANGLE, "rad", "turn of b against a about the axis, counted through turns"),
    [CRD_RATE] = JOINT("rate", ANGLE, "rad/s", "rate of angle"),
    [CRD_DISPLACEMENT] = JOINT("displacement", DISPLACEMENT, "m", "shift of b against a along the axis"),
    [CRD_SPEED] = JOINT("speed", DISPLACEMENT, "m/s", "rate of displacement"),
    [CRD_LENGTH] = JOINT("length", LENGTH, "m", "distance of its two points"),
    [CRD_REACTION] = {"reaction", CRD_OF_JOINT, CRD_NEEDS_LEAST, BOTH, WRENCH,
                      .summary = "force and moment that b receives at the joint's point on b, ground axes"},
    [CRD_REACTION_LOCAL] = {"reaction_local", CRD_OF_JOINT, CRD_NEEDS_LEAST, BOTH, WRENCH,
                            .summary = "the same in the joint's axes on a"},
    [CRD_REACTION_SOFTENED] = {"reaction_softened", CRD_OF_JOINT, CRD_NEEDS_LEAST, BOTH, ONE, .unit = "1",
                               .summary = "1 where the regularisation softened rows and changed the reaction, else 0"},
    [CRD_EFFORT] = {"effort", CRD_OF_JOINT, CRD_NEEDS_LEAST, BOTH, ONE, .effort = true, .unit = "N or N m",
                    .summary = "force or torque along the coordinate, + on b"},
    [CRD_POWER] = {"power", CRD_OF_JOINT, CRD_NEEDS_LEAST, BOTH, ONE, .power = true, .unit = "W",
                   .summary = "power fed into the mechanism"},
    [CRD_SPRING_LENGTH] = {"length", CRD_OF_SPRING, CRD_NEEDS_STATE, BOTH, ONE, .in_laws = true, .unit = "m",
                           .summary = "distance along its points"},
    [CRD_ENERGY] = MODEL("energy", FORCES, "J", "kinetic, potential (gravity, springs) and their sum", {3, 3},
                         .part = {{"kinetic", "potential", "total"}, {"kinetic", "potential", "total"}}),
    [CRD_RESIDUAL] = MODEL("residual", ROWS, "m or rad, per s", "largest row of the constraints, and of their rates",
                           {2, 2}, .part = {{"position", "velocity"}, {"position", "velocity"}}),
    [CRD_STEP] = MODEL("step", STATE, "s", "length of the last step", ONE),
    [CRD_CONDITION] =
        MODEL("condition", ACCELERATIONS, "1",
              "smallest pivot of the multipliers' matrix against its diagonal entry: small near a singular pose", ONE),
};

int crd_measure_find(const char *name, size_t length, CrdMeasureOf of, CardanSpace space) {
    assert(space == CARDAN_SPACE_PLANAR || space == CARDAN_SPACE_SPATIAL);
    for (int i = 0; i < CRD_MEASURES; i++) {
        const CrdMeasureRecord *measure = &crd_measures[i];
        if (measure->of == of && measure->space[space] && strlen(measure->name) == length &&
            memcmp(measure->name, name, length) == 0)
            return i;
    }
    return -1;
}

/* Of a body's place, velocity, angular velocity in ground axes, angle and spin: in the order of CRD_X .. CRD_SPIN. */
static double component(CrdMeasure measure, CrdVec x, CrdVec v, CrdVec w, double angle, double spin) {
    const double parts[] = {x.x, x.y, x.z, v.x, v.y, v.z, w.x, w.y, w.z, angle, spin};
    assert(measure <= CRD_SPIN && crd_measures[measure].of == CRD_OF_BODY);
    return parts[measure];
}

double crd_measure_body(CrdMeasure measure, const CardanFrame *frame) {
    return component(measure, frame->x, frame->v, crd_apply(frame->rotation, frame->w), frame->angle, frame->w.z);
}

double crd_measure_body_change(CrdMeasure measure, const CardanFrame *frame, const CrdChange *change) {
    CrdVec spin = crd_apply(frame->rotation, crd_add(crd_cross(change->turn, frame->w), change->w)); /* of R w */
    return component(measure, change->x, change->v, spin, change->turn.z, change->w.z);
}

double crd_measure_joint(CrdMeasure measure, const CrdCoordinate *coordinate) {
    assert(crd_measures[measure].coordinate != CARDAN_COORDINATE_NONE);
    return measure == CRD_RATE || measure == CRD_SPEED ? coordinate->rate : coordinate->value;
}
