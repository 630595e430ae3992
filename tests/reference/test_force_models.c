/* Models with many forces beside numbers of an independent, slow computation of the same files (every derivative exact
 * by Taylor arithmetic, adaptive order-8 steps at 1e-12). */
#include "support/check.h"
#include "support/scene.h"

typedef struct BodyRow {
    const char *name;
    double p[3], v[3];
} BodyRow;

typedef struct JointRow {
    const char *name;
    double coordinate, rate;
} JointRow;

typedef struct Expected {
    const char *file;
    double t;
    const BodyRow *bodies;
    int body_count;
    const JointRow *joints;
    int joint_count;
    double kinetic, potential, work; /* J */
    double place, speed, energy;     /* allowed */
} Expected;

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static void near3(CardanVec3 a, const double *e, double tolerance, const char *what, const char *name) {
    const double own[] = {a.x, a.y, a.z};
    for (int i = 0; i < 3; i++) check_near(own[i], e[i], tolerance, "%s of '%s', component %d", what, name, i);
}

static void check(const Expected *e) {
    CardanModel *model = scene_load(e->file);
    CardanOptions options = scene_tight(1e-12, 1e-13);
    CardanSim *sim = scene_start(model, &options);
    scene_advance(sim, e->t);
    for (int i = 0; i < e->body_count; i++) {
        CardanBodyState s = scene_body(sim, model, e->bodies[i].name);
        near3(s.position, e->bodies[i].p, e->place, "position", e->bodies[i].name);
        near3(s.velocity, e->bodies[i].v, e->speed, "velocity", e->bodies[i].name);
    }
    for (int i = 0; i < e->joint_count; i++) {
        double rate, x = scene_coordinate(sim, model, e->joints[i].name, &rate);
        check_near(x, e->joints[i].coordinate, e->place, "coordinate of '%s'", e->joints[i].name);
        check_near(rate, e->joints[i].rate, e->speed, "rate of '%s'", e->joints[i].name);
    }
    CardanEnergy energy = scene_energy(sim);
    check_near(energy.kinetic, e->kinetic, e->energy, "kinetic energy");
    check_near(energy.potential, e->potential, e->energy, "potential energy");
    check_near(energy.work, e->work, e->energy, "work");
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* Springs, torsion, bushing, force, torque, friction, limit, contact on one tree; it ends nearly at rest. */
static void every_kind_of_load_in_space(void **state) {
    (void)state;
    static const BodyRow bodies[] = {
        {"post",
         {0.08031547991828189, 0.05957703991888201, 0.4},
         {-0.0010550995875162077, 0.0014223739522528412, -3.1012926778139214e-23}},
        {"sleeve",
         {0.16063095983656378, 0.11915407983776402, 0.8},
         {-0.0021101991750324153, 0.0028447479045056825, -6.20258535560746e-23}},
        {"arm",
         {0.4800140638940327, 0.34804206062417137, 0.7248582492661503},
         {-0.0032045930527440348, 0.004484335555372164, -8.531189452707573e-05}},
        {"tool",
         {0.8640800176789062, 0.6298078782496837, 0.5459710191274798},
         {-0.00977537285090021, 0.00814322345011853, -0.00013196491604611072}},
    };
    static const JointRow joints[] = {
        {"yaw", 0.6382245241492678, 0.017709835684229933},
        {"elbow", 0.188977173935157, 0.00021714560311301536},
        {"rail", -0.006446519154614853, -0.004988968053293235},
    };
    check(&(Expected){"models/every_load.yaml", 1.5, bodies, COUNT(bodies), joints, COUNT(joints),
                      0.0001008217987158395, 20.80939337358664, -5.133108581745672, 1e-10, 1e-9, 1e-8});
}

/* A bouncing ball and stops: each touch is a kink that steps find only by their error estimate, which is what is
 * allowed here. */
static void every_kind_of_load_in_the_plane(void **state) {
    (void)state;
    static const BodyRow bodies[] = {
        {"cart", {1.155118243931625, 0.5, 0.0}, {0.7184755465050094, 2.7369110631344083e-48, 0.0}},
        {"arm", {1.6237482582547111, 0.3256844537181377, 0.0}, {0.9182347478173212, 0.5370327510593208, 0.0}},
        {"tool", {2.190296288529007, 0.11742983942430471, 0.0}, {1.0474829615553138, 1.0562262705155763, 0.0}},
        {"ball", {0.772561649989679, 0.17122585304571897, 0.0}, {-0.7931224276230262, -0.24958759980004117, 0.0}},
    };
    static const JointRow joints[] = {
        {"rail", 1.155118243931625, 0.7184755465050094},
        {"elbow", -0.3561101643856451, 1.1459632004899198},
    };
    check(&(Expected){"models/plane_loads.yaml", 1.2, bodies, COUNT(bodies), joints, COUNT(joints), 1.8614969397616712,
                      15.210260273988633, -7.927842785103209, 1e-8, 1e-7, 1e-4});
}

/* Rest and slip in turn; the creep of the regularised law at rest is stiff. */
static void stick_and_slip(void **state) {
    (void)state;
    static const BodyRow bodies[] = {
        {"block", {0.1871325857659675, 0.0, 0.0}, {0.0003327537649108289, 0.0, 0.0}},
    };
    static const JointRow joints[] = {
        {"floor", 0.1871325857659675, 0.0003327537649108289},
    };
    check(&(Expected){"models/stick_slip.yaml", 2.0, bodies, COUNT(bodies), joints, COUNT(joints),
                      5.5362534031165586e-08, 0.0, 5.536260400508216e-08, 1e-10, 1e-10, 1e-9});
}

/* Forces on both coordinates of a cylindrical joint; the velocities given are projected. */
static void loads_on_a_cylindrical_joint(void **state) {
    (void)state;
    static const BodyRow bodies[] = {
        {"post",
         {0.08970161971582541, 0.044199767198000534, 0.4},
         {-0.004439107560819946, 0.00900898723096282, -8.989684261499812e-33}},
        {"arm",
         {0.5313372200675455, 0.2627531865935888, 0.7242108869334837},
         {0.013229293877473005, -0.02719106767565929, -0.00034579480806464137}},
        {"tool",
         {0.9604765676299819, 0.4698195885636939, 0.545822676981772},
         {-0.010395820467739148, 0.014077573808437839, -0.00020372754630957875}},
    };
    static const JointRow joints[] = {
        {"yaw", 0.45782447351623856, 0.10043282673716794},
        {"elbow", 0.19062517514182234, 0.0008804352477170453},
    };
    check(&(Expected){"models/loads.yaml", 1.5, bodies, COUNT(bodies), joints, COUNT(joints), 0.0016810406274902537,
                      18.605506001176163, -4.4553972034140665, 1e-10, 1e-9, 1e-8});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_load_in_space),
        cmocka_unit_test(every_kind_of_load_in_the_plane),
        cmocka_unit_test(stick_and_slip),
        cmocka_unit_test(loads_on_a_cylindrical_joint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
