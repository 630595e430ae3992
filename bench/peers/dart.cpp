// DART. Modes: rhs; step (its world, semi-implicit Euler): parameter is the step; rk4: the classical method written
// here around its forward dynamics, for trees; default: its world with its own step of 1 ms. Loops are ball constraints
// of its world, for a hinge in space two.
#include "engine.h"

#include <dart/constraint/BallJointConstraint.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/simulation/World.hpp>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

using namespace dart::dynamics;

namespace {

Eigen::Vector3d vector(const double *v) {
    return Eigen::Vector3d(v[0], v[1], v[2]);
}

class Mechanism {
  public:
    Mechanism(const Problem *problem, const char *mode, double parameter);
    void evaluate();
    bool advance(double t);

    const Problem *problem;
    double step;
    long steps = 0;
    SkeletonPtr skeleton = Skeleton::create("mechanism");
    std::vector<BodyNode *> body;

  private:
    Eigen::Isometry3d frame(int body, const double *point) const;
    void addBody(int i);
    void close(const ::Joint &joint);
    Eigen::VectorXd slope(const Eigen::VectorXd &q, const Eigen::VectorXd &v);
    void rungeKutta(double h, Eigen::VectorXd &q, Eigen::VectorXd &v);

    bool own; // the method written here
    dart::simulation::WorldPtr world = dart::simulation::World::create();
    Eigen::VectorXd q0, v0;
    double flip = 1e-13;
};

Eigen::Isometry3d Mechanism::frame(int i, const double *point) const {
    double arm[3];
    problem_arm(problem, i, point, arm);
    Eigen::Isometry3d at = Eigen::Isometry3d::Identity();
    at.translation() = vector(arm);
    return at;
}

template <class Kind, class Properties>
BodyNode *attach(const SkeletonPtr &skeleton, BodyNode *parent, Properties joint, const BodyNode::Properties &body) {
    return skeleton->createJointAndBodyNodePair<Kind>(parent, joint, body).second;
}

void Mechanism::addBody(int i) {
    const ::Body &b = problem->body[i];
    const ::Joint &joint = problem->tree[i];
    BodyNode *parent = joint.a == GROUND ? nullptr : body[size_t(joint.a)];
    BodyNode::Properties properties;
    properties.mName = "b" + std::to_string(i);
    properties.mInertia = Inertia(b.mass, Eigen::Vector3d::Zero(), vector(b.inertia).asDiagonal());
    auto settle = [&](auto &p) {
        p.mName = "j" + std::to_string(i);
        p.mT_ParentBodyToJoint = frame(joint.a, joint.kind == JOINT_FREE ? b.centre : joint.point);
        p.mT_ChildBodyToJoint = frame(i, joint.kind == JOINT_FREE ? b.centre : joint.point);
    };
    if (joint.kind == JOINT_REVOLUTE) {
        RevoluteJoint::Properties p;
        p.mAxis = vector(joint.axis);
        settle(p);
        body.push_back(attach<RevoluteJoint>(skeleton, parent, p, properties));
    } else if (joint.kind == JOINT_PRISMATIC) {
        PrismaticJoint::Properties p;
        p.mAxis = vector(joint.axis);
        settle(p);
        body.push_back(attach<PrismaticJoint>(skeleton, parent, p, properties));
    } else if (joint.kind == JOINT_SPHERICAL) {
        BallJoint::Properties p;
        settle(p);
        body.push_back(attach<BallJoint>(skeleton, parent, p, properties));
    } else {
        FreeJoint::Properties p;
        settle(p);
        body.push_back(attach<FreeJoint>(skeleton, parent, p, properties));
    }
    if (problem_freedoms(joint.kind) != 1) return;
    body.back()->getParentJoint()->setPosition(0, joint.at);
    body.back()->getParentJoint()->setVelocity(0, joint.rate);
}

void Mechanism::close(const ::Joint &joint) {
    using dart::constraint::BallJointConstraint;
    int points = joint.kind == JOINT_REVOLUTE && !problem->planar ? 2 : 1;
    for (int p = 0; p < points; p++) {
        Eigen::Vector3d place = vector(joint.point) + p * vector(joint.axis);
        BodyNode *b = body[size_t(joint.b)];
        auto ball = joint.a == GROUND ? std::make_shared<BallJointConstraint>(b, place)
                                      : std::make_shared<BallJointConstraint>(body[size_t(joint.a)], b, place);
        world->getConstraintSolver()->addConstraint(ball);
    }
}

Mechanism::Mechanism(const Problem *p, const char *mode, double parameter)
    : problem(p), step(parameter), own(strncmp(mode, "rk4", 3) == 0) {
    if (strcmp(mode, "default") == 0) step = 0.001;
    step = step > 0 ? p->end_time / double(engine_step_count(p->end_time, step)) : 0.001;
    for (int i = 0; i < p->bodies; i++) addBody(i);
    skeleton->setGravity(Eigen::Vector3d(0, -p->gravity, 0));
    q0 = skeleton->getPositions();
    v0 = skeleton->getVelocities();
    if (own || strncmp(mode, "rhs", 3) == 0) return;
    world->setGravity(Eigen::Vector3d(0, -p->gravity, 0));
    world->setTimeStep(step);
    world->addSkeleton(skeleton);
    for (int i = 0; i < p->loops; i++) close(p->loop[i]);
}

// It computes nothing anew for coordinates that have not changed, so they change, in the last digits.
void Mechanism::evaluate() {
    q0.array() += flip = -flip;
    skeleton->setPositions(q0);
    skeleton->setVelocities(v0);
    skeleton->computeForwardDynamics();
}

Eigen::VectorXd Mechanism::slope(const Eigen::VectorXd &q, const Eigen::VectorXd &v) {
    skeleton->setPositions(q);
    skeleton->setVelocities(v);
    skeleton->computeForwardDynamics();
    return skeleton->getAccelerations();
}

void Mechanism::rungeKutta(double h, Eigen::VectorXd &q, Eigen::VectorXd &v) {
    Eigen::VectorXd a1 = slope(q, v), v2 = v + h / 2 * a1, a2 = slope(q + h / 2 * v, v2), v3 = v + h / 2 * a2;
    Eigen::VectorXd a3 = slope(q + h / 2 * v2, v3), v4 = v + h * a3, a4 = slope(q + h * v3, v4);
    q += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
    v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
}

bool Mechanism::advance(double t) {
    long count = engine_step_count(t, step);
    Eigen::VectorXd q = q0, v = v0;
    for (steps = 0; steps < count; steps++) {
        if (own)
            rungeKutta(step, q, v);
        else
            world->step();
    }
    if (own) {
        skeleton->setPositions(q);
        skeleton->setVelocities(v);
    }
    return true;
}

Mechanism *mechanism(void *self) {
    return static_cast<Mechanism *>(self);
}

const char *version() {
    return PEER_VERSION;
}

void *create(const Problem *problem, const char *mode, double parameter) {
    bool several = false; // freedoms whose coordinates are no vector space
    for (int i = 0; i < problem->bodies; i++) several |= problem_freedoms(problem->tree[i].kind) > 1;
    if (problem->springs > 0) {
        fprintf(stderr, "DART has no springs between points\n");
        return nullptr;
    }
    if (problem->loops > 0 && (strncmp(mode, "rhs", 3) == 0 || strncmp(mode, "rk4", 3) == 0)) {
        fprintf(stderr, "DART closes loops by impulses, step by step: there is no right-hand side\n");
        return nullptr;
    }
    if (several && strncmp(mode, "rk4", 3) == 0) {
        fprintf(stderr, "the method around DART is for joints of one freedom\n");
        return nullptr;
    }
    return new Mechanism(problem, mode, parameter);
}

void destroy(void *self) {
    delete mechanism(self);
}
void right_side(void *self) {
    mechanism(self)->evaluate();
}

void accelerations(void *self, double *acceleration) {
    Mechanism *m = mechanism(self);
    for (int i = 0; i < m->problem->bodies; i++)
        if (problem_freedoms(m->problem->tree[i].kind) == 1)
            acceleration[i] = m->body[size_t(i)]->getParentJoint()->getAcceleration(0);
}

bool advance(void *self, double t) {
    return mechanism(self)->advance(t);
}

void poses(void *self, Pose *pose) {
    Mechanism *m = mechanism(self);
    for (int i = 0; i < m->problem->bodies; i++) {
        const Eigen::Isometry3d &at = m->body[size_t(i)]->getWorldTransform();
        for (int k = 0; k < 3; k++) {
            pose[i].centre[k] = at.translation()[k];
            for (int l = 0; l < 3; l++) pose[i].axes[3 * k + l] = at.linear()(k, l);
        }
    }
}

long steps(void *self) {
    return mechanism(self)->steps;
}

} // namespace

const Engine peer_engine = {"dart", version, create, destroy, right_side, accelerations, advance, poses, steps};
