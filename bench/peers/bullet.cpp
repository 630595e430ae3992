// Bullet in double precision: btMultiBody, its articulated-body algorithm. Modes: rhs; step (semi-implicit Euler), rk4:
// parameter is the step; default: 1/60 s, its usual step. Loops are points held together by its constraint solver, with
// "/tuned" behind the mode by 200 instead of 10 iterations and twice the error reduction. Springs are pushed by hand.
// Gravity is a force on every link, as its world applies it.
#include "engine.h"

#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <BulletDynamics/Featherstone/btMultiBodyPoint2Point.h>
#include <btBulletDynamicsCommon.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace {

btVector3 vector(const double *v) {
    return btVector3(v[0], v[1], v[2]);
}

class Mechanism {
  public:
    Mechanism(const Problem *problem, const char *mode, double parameter);
    void start();
    void evaluate(double dt);
    bool advance(double t);
    void read(Pose *pose);

    const Problem *problem;
    bool floats; // the first body is the base and flies
    double step;
    long steps = 0;
    std::unique_ptr<btMultiBody> tree;

    int link(int body) const {
        return floats ? body - 1 : body;
    }

  private:
    btVector3 arm(int body, const double *point) const;
    void addLink(int i);
    void close(const Joint &joint);

    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btMultiBodyConstraintSolver solver;
    btMultiBodyDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    btEmptyShape shape;
    std::vector<std::unique_ptr<btMultiBodyLinkCollider>> colliders;
    std::vector<std::unique_ptr<btMultiBodyConstraint>> constraints;
    btAlignedObjectArray<btScalar> reals;
    btAlignedObjectArray<btVector3> vectors;
    btAlignedObjectArray<btMatrix3x3> matrices;
};

btVector3 Mechanism::arm(int body, const double *point) const {
    double out[3];
    problem_arm(problem, body, point, out);
    return vector(out);
}

void Mechanism::addLink(int i) {
    const Body &body = problem->body[i];
    const Joint &joint = problem->tree[i];
    btVector3 before = arm(joint.a, joint.point), behind = -arm(i, joint.point);
    const btQuaternion none(0, 0, 0, 1);
    int parent = joint.a == GROUND ? -1 : link(joint.a);
    if (joint.kind == JOINT_REVOLUTE)
        tree->setupRevolute(link(i), body.mass, vector(body.inertia), parent, none, vector(joint.axis), before, behind,
                            true);
    else if (joint.kind == JOINT_PRISMATIC)
        tree->setupPrismatic(link(i), body.mass, vector(body.inertia), parent, none, vector(joint.axis), before, behind,
                             true);
    else
        tree->setupSpherical(link(i), body.mass, vector(body.inertia), parent, none, before, behind, true);
}

// A hinge in space is two points.
void Mechanism::close(const Joint &joint) {
    int points = joint.kind == JOINT_REVOLUTE && !problem->planar ? 2 : 1;
    for (int p = 0; p < points; p++) {
        double place[3];
        for (int k = 0; k < 3; k++) place[k] = joint.point[k] + p * joint.axis[k];
        btVector3 on_a = arm(joint.a, place), on_b = arm(joint.b, place);
        auto *held = joint.a == GROUND
                         ? new btMultiBodyPoint2Point(tree.get(), link(joint.b), (btRigidBody *)nullptr, on_b, on_a)
                         : new btMultiBodyPoint2Point(tree.get(), link(joint.b), tree.get(), link(joint.a), on_b, on_a);
        held->setMaxAppliedImpulse(1e10);
        constraints.emplace_back(held);
        world.addMultiBodyConstraint(held);
    }
}

void Mechanism::start() {
    for (int i = floats ? 1 : 0; i < problem->bodies; i++)
        if (problem_freedoms(problem->tree[i].kind) == 1) {
            tree->setJointPos(link(i), problem->tree[i].at);
            tree->setJointVel(link(i), problem->tree[i].rate);
        }
    if (!floats) return;
    tree->setBaseVel(btVector3(0, 0, 0));
    tree->setBaseOmega(btVector3(0, 0, 0));
}

Mechanism::Mechanism(const Problem *p, const char *mode, double parameter)
    : problem(p), floats(p->tree[0].kind == JOINT_FREE), step(parameter) {
    std::string word(mode);
    bool tuned = word.find("/tuned") != std::string::npos;
    if (word == "default") step = 1.0 / 60;
    step = step > 0 ? p->end_time / double(engine_step_count(p->end_time, step)) : 1;
    world.setGravity(btVector3(0, -p->gravity, 0));
    if (tuned) {
        world.getSolverInfo().m_numIterations = 200;
        world.getSolverInfo().m_erp = 0.4;
    }
    const Body &base = p->body[0];
    tree.reset(new btMultiBody(p->bodies - (floats ? 1 : 0), floats ? base.mass : 0,
                               floats ? vector(base.inertia) : btVector3(0, 0, 0), !floats, false));
    btTransform at = btTransform::getIdentity();
    if (floats) at.setOrigin(vector(base.centre));
    tree->setBaseWorldTransform(at);
    for (int i = floats ? 1 : 0; i < p->bodies; i++) addLink(i);
    tree->finalizeMultiDof();
    tree->setLinearDamping(0);
    tree->setAngularDamping(0);
    tree->setUseGyroTerm(true);
    tree->setCanSleep(false);
    tree->setHasSelfCollision(false);
    tree->setMaxCoordinateVelocity(1e9);
    tree->useRK4Integration(word.compare(0, 3, "rk4") == 0);
    start();
    for (int i = -1; p->loops > 0 && i < tree->getNumLinks(); i++) { // its constraints ask their links for these
        colliders.emplace_back(new btMultiBodyLinkCollider(tree.get(), i));
        colliders.back()->setCollisionShape(&shape);
        colliders.back()->setActivationState(DISABLE_DEACTIVATION);
        world.addCollisionObject(colliders.back().get(), 0, 0);
        if (i < 0)
            tree->setBaseCollider(colliders.back().get());
        else
            tree->getLink(i).m_collider = colliders.back().get();
    }
    world.addMultiBody(tree.get());
    for (int i = 0; i < p->loops; i++) close(p->loop[i]);
}

// The velocities come out advanced by dt.
void Mechanism::evaluate(double dt) {
    tree->clearForcesAndTorques();
    btVector3 pull(0, -problem->gravity, 0);
    if (floats) tree->addBaseForce(pull * tree->getBaseMass());
    for (int i = 0; i < tree->getNumLinks(); i++) tree->addLinkForce(i, pull * tree->getLinkMass(i));
    tree->computeAccelerationsArticulatedBodyAlgorithmMultiDof(dt, reals, vectors, matrices, false, false, false);
}

bool Mechanism::advance(double t) {
    long count = engine_step_count(t, step);
    for (steps = 0; steps < count; steps++) world.stepSimulation(step, 0);
    return true;
}

void Mechanism::read(Pose *pose) {
    btAlignedObjectArray<btQuaternion> quaternions;
    tree->forwardKinematics(quaternions, vectors);
    for (int i = 0; i < problem->bodies; i++) {
        const btTransform at =
            link(i) < 0 ? tree->getBaseWorldTransform() : tree->getLink(link(i)).m_cachedWorldTransform;
        for (int k = 0; k < 3; k++) {
            pose[i].centre[k] = at.getOrigin()[k];
            for (int l = 0; l < 3; l++) pose[i].axes[3 * k + l] = at.getBasis()[k][l];
        }
    }
}

Mechanism *mechanism(void *self) {
    return static_cast<Mechanism *>(self);
}

const char *version() {
    static char text[32];
    snprintf(text, sizeof text, "%d.%02d", btGetVersion() / 100, btGetVersion() % 100);
    return text;
}

void *create(const Problem *problem, const char *mode, double parameter) {
    if (problem->springs > 0) {
        fprintf(stderr, "Bullet's trees have no springs between points\n");
        return nullptr;
    }
    if (problem->loops > 0 && strncmp(mode, "rhs", 3) == 0) {
        fprintf(stderr, "Bullet closes loops by impulses, step by step: there is no right-hand side\n");
        return nullptr;
    }
    return new Mechanism(problem, mode, parameter);
}

void destroy(void *self) {
    delete mechanism(self);
}

// Setting the start again is part of it: the algorithm changes the velocities. It is a twentieth of the time.
void right_side(void *self) {
    mechanism(self)->start();
    mechanism(self)->evaluate(1);
}

void accelerations(void *self, double *acceleration) {
    Mechanism *m = mechanism(self);
    const Problem *problem = m->problem;
    for (int i = 0; i < problem->bodies; i++)
        if (problem_freedoms(problem->tree[i].kind) == 1)
            acceleration[i] = m->tree->getJointVel(m->link(i)) - problem->tree[i].rate; // dt was 1 s
}

bool advance(void *self, double t) {
    return mechanism(self)->advance(t);
}
void poses(void *self, Pose *pose) {
    mechanism(self)->read(pose);
}
long steps(void *self) {
    return mechanism(self)->steps;
}

} // namespace

const Engine peer_engine = {"bullet", version, create, destroy, right_side, accelerations, advance, poses, steps};
