/* ODE, the Open Dynamics Engine: bodies in space, every joint a constraint. Modes: step (exact solve), quick (20
 * iterations): parameter is the step; "/tuned" behind it: error reduction 0.8, softness 1e-10, 200 iterations; default:
 * step with 0.01 s. Springs are pushed by hand. There is no right-hand side: velocities and positions come from one
 * solve. */
#include "engine.h"

#include <math.h>
#include <ode/ode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Peer {
    const Problem *problem;
    dWorldID world;
    dBodyID *body;
    bool quick;
    double step;
    long steps;
} Peer;

static dBodyID body_of(const Peer *peer, int i) {
    return i == GROUND ? NULL : peer->body[i];
}

static void add_body(Peer *peer, int i) {
    const Body *b = &peer->problem->body[i];
    dMass mass;
    dBodyID body = peer->body[i] = dBodyCreate(peer->world);
    dMassSetParameters(&mass, b->mass, 0, 0, 0, b->inertia[0], b->inertia[1], b->inertia[2], 0, 0, 0);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, b->centre[0], b->centre[1], b->centre[2]);
    dBodySetLinearVel(body, b->start.velocity[0], b->start.velocity[1], b->start.velocity[2]);
    dBodySetAngularVel(body, b->start.spin[0], b->start.spin[1], b->start.spin[2]);
    dBodySetAutoDisableFlag(body, 0);
    dBodySetGyroscopicMode(body, 1);
}

static void add_joint(Peer *peer, const Joint *joint) {
    dBodyID a = body_of(peer, joint->a), b = body_of(peer, joint->b);
    const double *p = joint->point, *axis = joint->axis;
    dJointID made;
    if (joint->kind == JOINT_REVOLUTE) {
        dJointAttach(made = dJointCreateHinge(peer->world, 0), b, a);
        dJointSetHingeAnchor(made, p[0], p[1], p[2]);
        dJointSetHingeAxis(made, axis[0], axis[1], axis[2]);
    } else if (joint->kind == JOINT_PRISMATIC) {
        dJointAttach(made = dJointCreateSlider(peer->world, 0), b, a);
        dJointSetSliderAxis(made, axis[0], axis[1], axis[2]);
    } else if (joint->kind == JOINT_SPHERICAL) {
        dJointAttach(made = dJointCreateBall(peer->world, 0), b, a);
        dJointSetBallAnchor(made, p[0], p[1], p[2]);
    }
}

static void *create(const Problem *problem, const char *mode, double parameter) {
    if (strncmp(mode, "rhs", 3) == 0) {
        fprintf(stderr, "ODE has no right-hand side\n");
        return NULL;
    }
    Peer *peer = calloc(1, sizeof *peer);
    if (peer == NULL) exit(1);
    double step = strcmp(mode, "default") == 0 ? 0.01 : parameter;
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    peer->problem = problem;
    peer->world = dWorldCreate();
    peer->quick = strncmp(mode, "quick", 5) == 0;
    peer->step = problem->end_time / (double)engine_step_count(problem->end_time, step);
    dWorldSetGravity(peer->world, 0, -problem->gravity, 0);
    if (strstr(mode, "/tuned") != NULL) {
        dWorldSetERP(peer->world, 0.8);
        dWorldSetCFM(peer->world, 1e-10);
        dWorldSetQuickStepNumIterations(peer->world, 200);
    }
    peer->body = calloc((size_t)problem->bodies, sizeof *peer->body);
    for (int i = 0; i < problem->bodies; i++) add_body(peer, i);
    for (int i = 0; i < problem->bodies; i++) add_joint(peer, &problem->tree[i]);
    for (int i = 0; i < problem->loops; i++) add_joint(peer, &problem->loop[i]);
    return peer;
}

static void destroy(void *self) {
    Peer *peer = self;
    dWorldDestroy(peer->world);
    dCloseODE();
    free(peer->body);
    free(peer);
}

/* Place and velocity now of a point given at t = 0. */
static void follow(const Peer *peer, int i, const double place[3], dVector3 at, dVector3 velocity) {
    double arm[3];
    problem_arm(peer->problem, i, place, arm);
    for (int k = 0; k < 3; k++) {
        at[k] = arm[k];
        velocity[k] = 0;
    }
    if (i == GROUND) return;
    dBodyGetRelPointPos(peer->body[i], arm[0], arm[1], arm[2], at);
    dBodyGetRelPointVel(peer->body[i], arm[0], arm[1], arm[2], velocity);
}

static void push_springs(Peer *peer) {
    for (int s = 0; s < peer->problem->springs; s++) {
        const Spring *spring = &peer->problem->spring[s];
        dVector3 from, to, v_from, v_to;
        double along[3], length = 0, rate = 0;
        follow(peer, spring->a, spring->from, from, v_from);
        follow(peer, spring->b, spring->to, to, v_to);
        for (int k = 0; k < 3; k++) {
            along[k] = to[k] - from[k];
            length += along[k] * along[k];
        }
        length = sqrt(length);
        for (int k = 0; k < 3; k++) rate += along[k] / length * (v_to[k] - v_from[k]);
        double pull = (spring->stiffness * (length - spring->rest) + spring->damping * rate) / length;
        double x = pull * along[0], y = pull * along[1], z = pull * along[2];
        if (spring->a != GROUND) dBodyAddForceAtPos(peer->body[spring->a], x, y, z, from[0], from[1], from[2]);
        dBodyAddForceAtPos(peer->body[spring->b], -x, -y, -z, to[0], to[1], to[2]);
    }
}

static bool advance(void *self, double t) {
    Peer *peer = self;
    long steps = engine_step_count(t, peer->step);
    for (peer->steps = 0; peer->steps < steps; peer->steps++) {
        push_springs(peer);
        if (peer->quick)
            dWorldQuickStep(peer->world, peer->step);
        else
            dWorldStep(peer->world, peer->step);
    }
    return true;
}

static void poses(void *self, Pose *pose) {
    Peer *peer = self;
    for (int i = 0; i < peer->problem->bodies; i++) {
        const dReal *x = dBodyGetPosition(peer->body[i]), *r = dBodyGetRotation(peer->body[i]); /* rows of four */
        for (int k = 0; k < 3; k++) {
            pose[i].centre[k] = x[k];
            for (int l = 0; l < 3; l++) pose[i].axes[3 * k + l] = r[4 * k + l];
        }
    }
}

static long steps(void *self) {
    return ((Peer *)self)->steps;
}

static const char *version(void) {
    return PEER_VERSION;
}

const Engine peer_engine = {.name = "ode",
                            .version = version,
                            .create = create,
                            .destroy = destroy,
                            .advance = advance,
                            .poses = poses,
                            .steps = steps};
