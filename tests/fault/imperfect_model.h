/* A loop with errors in several joints, so that its rows are met by least squares, and with a driver that agrees with
 * another: what a start looks at most. */
#ifndef TESTS_FAULT_IMPERFECT_MODEL_H
#define TESTS_FAULT_IMPERFECT_MODEL_H

#include "cardan/cardan.h"

#include <string.h>

static inline CardanBuilder *build_imperfect(void) {
    static const char text[] =
        "cardan: 1\nname: imperfect\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  crank:   {mass: 1, inertia: {rod: 1, radius: 0.02, along: z}, position: [0, 0, 0.5]}\n"
        "  coupler: {mass: 1, inertia: {rod: 2, radius: 0.02, along: x}, position: [1, 0, 1]}\n"
        "  rocker:  {mass: 1, inertia: {rod: 1, radius: 0.02, along: z}, position: [2, 0, 0.5]}\n"
        "joints:\n"
        "  A: {type: revolute, bodies: [ground, crank], point: [0, 0, 0], axis: [0, 1, 1e-6]}\n"
        "  B: {type: revolute, bodies: [crank, coupler], point: [0, 0, 1], axis: [1e-6, 1, 2e-6]}\n"
        "  C: {type: revolute, bodies: [coupler, rocker], point: [2, 0, 1], axis: [-1e-6, 1, 0]}\n"
        "  D: {type: revolute, bodies: [ground, rocker], point: [2.3, 0, 0], axis: [0, 1, -1e-6]}\n"
        "  one: {type: driver, joint: A, value: \"0.2*t^2\"}\n"
        "  two: {type: driver, joint: A, value: \"0.2*t^2\"}\n";
    CardanBuilder *builder = NULL;
    CardanStatus status = cardan_builder_read_text(text, strlen(text), "text", &builder);
    (void)status; /* the builder keeps it */
    return builder;
}

#endif
