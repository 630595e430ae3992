/* The mechanisms that every engine is given, described once: bodies, the tree of joints that carries them, joints that
 * close loops, springs. They are drawn with all coordinates of joints zero and all body axes parallel to those of the
 * ground, so inertia is diagonal there and a point is given by its place in the drawing. They start as drawn, unless
 * bent. Gravity acts along -y. */
#ifndef PEERS_PROBLEM_H
#define PEERS_PROBLEM_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum JointKind { JOINT_REVOLUTE, JOINT_PRISMATIC, JOINT_SPHERICAL, JOINT_FREE } JointKind;

enum { GROUND = -1 };

/* Where a body starts: its centre, its axes as a quaternion, velocities along the axes of the ground. */
typedef struct Start {
    double centre[3], turn[4], velocity[3], spin[3];
} Start;

typedef struct Body {
    double mass, inertia[3];  /* about the centre of mass, along the axes */
    double centre[3], end[3]; /* m; as drawn; the end is where errors are measured */
    Start start;              /* from the coordinates and rates of the joints */
} Body;

typedef struct Joint {
    JointKind kind;
    int a, b; /* bodies; a may be GROUND */
    double point[3], axis[3];
    double at, rate; /* rad or m, rad/s or m/s at the start, of the joints of the tree with one freedom */
} Joint;

/* Between a point of a and a point of b: stiffness (length - rest) + damping d(length)/dt pulls them together. */
typedef struct Spring {
    int a, b;
    double from[3], to[3];
    double stiffness, damping, rest;
} Spring;

typedef struct Problem {
    const char *name;
    int size;
    bool planar; /* all motion in the plane x, y */
    double end_time, gravity;
    int bodies;
    Body *body;
    Joint *tree; /* tree[i] carries body i from one before it */
    int loops;
    Joint *loop;
    int springs;
    Spring *spring;
} Problem;

/* What an engine says of a body: where its centre is, and its axes as columns of a matrix, by rows. */
typedef struct Pose {
    double centre[3], axes[9];
} Pose;

/* NULL: there is no such problem. */
Problem *problem_create(const char *name, int size);
void problem_destroy(Problem *problem);

/* Joints of a tree start away from zero, for right-hand sides: sines and cosines of zero are too cheap. With loops
 * nothing is changed. */
void problem_bend(Problem *problem);

/* Turns a vector by a quaternion. */
void problem_turn(const double turn[4], const double v[3], double out[3]);

/* The names, one after another; NULL after the last. */
const char *problem_name(int i);

/* Place of the end of body i in this pose. */
void problem_end(const Problem *problem, int i, const Pose *pose, double end[3]);

/* From the centre of a body to a place, both as drawn (of the ground: the place itself). */
void problem_arm(const Problem *problem, int body, const double place[3], double arm[3]);

/* Number of freedoms of a joint. */
int problem_freedoms(JointKind kind);

#ifdef __cplusplus
}
#endif
#endif
