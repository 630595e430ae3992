/* Short model files to put a fault into. */
#ifndef TESTS_PATHOLOGY_BAD_FILE_TEXTS_H
#define TESTS_PATHOLOGY_BAD_FILE_TEXTS_H

#define PLANE "cardan: 1\nspace: planar\n"
#define SPACE "cardan: 1\nspace: spatial\n"
#define ROD "  rod: {mass: 1, inertia: 1}\n"
#define BLOCK "  brick: {mass: 1, inertia: [1, 1, 1]}\n"
#define BODIES PLANE "bodies:\n" ROD
#define BRICKS SPACE "bodies:\n" BLOCK

/* Line 5 is the first of the section that follows. */
#define JOINT(text) BODIES "joints:\n  j: " text "\n"
#define JOINT3(text) BRICKS "joints:\n  j: " text "\n"
#define HINGE BODIES "joints:\n  hinge: {type: revolute, bodies: [ground, rod]}\n"
#define FORCE(text) HINGE "forces:\n  f: " text "\n"
#define BODY(text) PLANE "bodies:\n  b: " text "\n"
#define BODY3(text) SPACE "bodies:\n  b: " text "\n"

#endif
