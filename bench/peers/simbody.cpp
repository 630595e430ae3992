// Simbody. Modes: rhs; rkm (its default, Runge-Kutta-Merson), rk3, cpodes: parameter is its accuracy; "/tight" behind
// it sets the constraint tolerance to 1e-10, which is by default a tenth of the accuracy; default: nothing set.
#include "engine.h"

#include <Simbody.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

using namespace SimTK;

namespace {

Vec3 vector(const double *v) {
    return Vec3(v[0], v[1], v[2]);
}

class Mechanism {
  public:
    Mechanism(const Problem *problem, const char *mode, double parameter);
    void evaluate();
    bool advance(double t);

    const Problem *problem;
    MultibodySystem system;
    SimbodyMatterSubsystem matter;
    GeneralForceSubsystem forces;
    Force::UniformGravity gravity;
    std::vector<MobilizedBody> body;
    State state; // at the start
    std::unique_ptr<Integrator> integrator;

  private:
    MobilizedBody place(int i) {
        return i == GROUND ? MobilizedBody(matter.Ground()) : body[size_t(i)];
    }
    Vec3 arm(int i, const double *point) const;
    void addBody(int i);
    void close(const Joint &joint);
    void addSpring(const Spring &spring);
    void chooseIntegrator(const std::string &mode, double parameter);
};

Vec3 Mechanism::arm(int i, const double *point) const {
    double out[3];
    problem_arm(problem, i, point, out);
    return vector(out);
}

void Mechanism::addBody(int i) {
    const ::Body &b = problem->body[i];
    const Joint &joint = problem->tree[i];
    SimTK::Body::Rigid rigid(MassProperties(b.mass, Vec3(0), Inertia(b.inertia[0], b.inertia[1], b.inertia[2])));
    Vec3 before = arm(joint.a, joint.point), behind = arm(i, joint.point);
    MobilizedBody parent = place(joint.a);
    Rotation turns(UnitVec3(vector(joint.axis)), ZAxis), slides(UnitVec3(vector(joint.axis)), XAxis);
    switch (joint.kind) {
    case JOINT_REVOLUTE:
        body.push_back(MobilizedBody::Pin(parent, Transform(turns, before), rigid, Transform(turns, behind)));
        break;
    case JOINT_PRISMATIC:
        body.push_back(MobilizedBody::Slider(parent, Transform(slides, before), rigid, Transform(slides, behind)));
        break;
    case JOINT_SPHERICAL:
        body.push_back(MobilizedBody::Ball(parent, Transform(before), rigid, Transform(behind)));
        break;
    case JOINT_FREE:
        body.push_back(MobilizedBody::Free(parent, Transform(vector(b.centre)), rigid, Transform()));
        break;
    }
}

// In the plane a hinge that closes a loop needs two rows, which a point on a line along z has.
void Mechanism::close(const Joint &joint) {
    MobilizedBody a = place(joint.a), b = place(joint.b);
    Vec3 on_a = arm(joint.a, joint.point), on_b = arm(joint.b, joint.point);
    if (problem->planar) {
        Constraint::PointOnLine(a, UnitVec3(0, 0, 1), on_a, b, on_b);
        return;
    }
    Constraint::Ball(a, on_a, b, on_b);
    if (joint.kind == JOINT_SPHERICAL) return;
    UnitVec3 z(vector(joint.axis)), x = z.perp(), y(cross(z, x));
    Constraint::ConstantAngle(a, x, b, z, Pi / 2);
    Constraint::ConstantAngle(a, y, b, z, Pi / 2);
}

void Mechanism::addSpring(const Spring &spring) {
    MobilizedBody a = place(spring.a), b = place(spring.b);
    Vec3 from = arm(spring.a, spring.from), to = arm(spring.b, spring.to);
    Force::TwoPointLinearSpring(forces, a, from, b, to, spring.stiffness, spring.rest);
    Force::TwoPointLinearDamper(forces, a, from, b, to, spring.damping);
}

void Mechanism::chooseIntegrator(const std::string &mode, double parameter) {
    std::string word = mode.substr(0, mode.find('/'));
    if (word == "cpodes")
        integrator.reset(new CPodesIntegrator(system, CPodes::Adams, CPodes::Functional));
    else if (word == "rk3")
        integrator.reset(new RungeKutta3Integrator(system));
    else
        integrator.reset(new RungeKuttaMersonIntegrator(system));
    if (word != "default" && word != "rhs") integrator->setAccuracy(parameter);
    if (mode.find("/tight") != std::string::npos) integrator->setConstraintTolerance(1e-10);
}

Mechanism::Mechanism(const Problem *p, const char *mode, double parameter)
    : problem(p), matter(system), forces(system), gravity(forces, matter, Vec3(0, -p->gravity, 0)) {
    for (int i = 0; i < p->bodies; i++) addBody(i);
    for (int i = 0; i < p->loops; i++) close(p->loop[i]);
    for (int i = 0; i < p->springs; i++) addSpring(p->spring[i]);
    state = system.realizeTopology();
    for (int i = 0; i < p->bodies; i++)
        if (problem_freedoms(p->tree[i].kind) == 1) {
            body[size_t(i)].setOneQ(state, 0, p->tree[i].at);
            body[size_t(i)].setOneU(state, 0, p->tree[i].rate);
        }
    system.realize(state, Stage::Acceleration);
    chooseIntegrator(mode, parameter);
}

void Mechanism::evaluate() {
    state.updQ(); // writing access makes everything stale
    state.updU();
    system.realize(state, Stage::Acceleration);
}

bool Mechanism::advance(double t) {
    try {
        integrator->setInternalStepLimit(100000000);
        integrator->setFinalTime(t);
        TimeStepper stepper(system, *integrator);
        stepper.initialize(state);
        stepper.stepTo(t);
        state = stepper.getState();
        system.realize(state, Stage::Velocity);
        return true;
    } catch (const std::exception &e) {
        fprintf(stderr, "%.200s\n", e.what());
        return false;
    }
}

Mechanism *mechanism(void *self) {
    return static_cast<Mechanism *>(self);
}

const char *version() {
    return PEER_VERSION;
}

void *create(const Problem *problem, const char *mode, double parameter) {
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
            acceleration[i] = m->body[size_t(i)].getOneUDot(m->state, 0);
}

bool advance(void *self, double t) {
    return mechanism(self)->advance(t);
}

void poses(void *self, Pose *pose) {
    Mechanism *m = mechanism(self);
    for (int i = 0; i < m->problem->bodies; i++) {
        const Transform &x = m->body[size_t(i)].getBodyTransform(m->state);
        for (int k = 0; k < 3; k++) {
            pose[i].centre[k] = x.p()[k];
            for (int l = 0; l < 3; l++) pose[i].axes[3 * k + l] = x.R()[k][l];
        }
    }
}

long steps(void *self) {
    return mechanism(self)->integrator->getNumStepsTaken();
}

} // namespace

const Engine peer_engine = {"simbody", version, create, destroy, right_side, accelerations, advance, poses, steps};
