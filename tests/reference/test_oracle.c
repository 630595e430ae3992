/* Models beside numbers of an independent, slow computation of the same file (multipliers by least squares, adaptive
 * order-8 steps at 1e-12), and Andrews' squeezing mechanism beside its solution in quadruple precision. What they add
 * to the benchmarks: reactions, joint coordinates, springs and dampers, work, redundant ways of asking the same thing.
 */
#include "support/check.h"
#include "support/scene.h"

typedef struct BodyRow {
    const char *name;
    double p[3], v[3];
} BodyRow;

typedef struct JointRow {
    const char *name;
    bool has_coordinate;
    double coordinate, rate;
    double force[3], moment[3]; /* that b receives at the joint's point on b */
} JointRow;

typedef struct Allowed {
    double place, speed, load;
} Allowed;

static void near3(CardanVec3 a, const double *e, double tolerance, const char *what, const char *name) {
    const double own[] = {a.x, a.y, a.z};
    for (int i = 0; i < 3; i++) check_near(own[i], e[i], tolerance, "%s of '%s', component %d", what, name, i);
}

static void check_bodies(CardanSim *sim, const CardanModel *model, int n, const BodyRow *rows, Allowed allowed) {
    for (int i = 0; i < n; i++) {
        CardanBodyState s = scene_body(sim, model, rows[i].name);
        near3(s.position, rows[i].p, allowed.place, "position", rows[i].name);
        near3(s.velocity, rows[i].v, allowed.speed, "velocity", rows[i].name);
    }
}

static void check_joints(CardanSim *sim, const CardanModel *model, int n, const JointRow *rows, Allowed allowed) {
    for (int i = 0; i < n; i++) {
        const JointRow *row = &rows[i];
        if (row->has_coordinate) {
            double rate;
            check_near(scene_coordinate(sim, model, row->name, &rate), row->coordinate, allowed.place,
                       "coordinate of '%s'", row->name);
            check_near(rate, row->rate, allowed.speed, "rate of '%s'", row->name);
        }
        CardanWrench wrench = scene_reaction(sim, model, row->name);
        near3(wrench.force, row->force, allowed.load, "reaction", row->name);
        near3(wrench.moment, row->moment, allowed.load, "moment", row->name);
    }
}

static CardanSim *run_to(const CardanModel *model, double t) {
    CardanOptions options = scene_tight(1e-12, 1e-13);
    CardanSim *sim = scene_start(model, &options);
    scene_advance(sim, t);
    return sim;
}

static void finish(CardanModel *model, CardanSim *sim) {
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static void slider_crank_with_a_weakening_motor(void **state) {
    (void)state;
    static const BodyRow bodies[] = {
        {"crank", {0.09084189859884595, -0.04180609356250585, 0}, {0.17088721078160363, 0.3713266978760395, 0}},
        {"rod", {0.3772656228897613, -0.04180609356250586, 0}, {0.4211464113620095, 0.37132669787603956, 0}},
        {"slider", {0.5728474485818307, 0, 0}, {0.5005184011608117, 0, 0}}};
    static const JointRow joints[] = {
        {"main", true, -0.4313097205037182, 4.087614895807086, {-19.580119750292447, 12.982405624434325, 0}, {0}},
        {"pin", true, 0.6418931411992898, -5.986189554071442, {-16.884284162022137, 5.033590469850181, 0}, {0}},
        {"wrist", true, -0.21058342069557157, 1.8985746582643561, {-3.830870995160503, -10.864039839318021, 0}, {0}},
        {"guide",
         true,
         -0.027152551418169413,
         0.5005184011608117,
         {0, 15.769039839318063, 0},
         {0, 0, 9.461423903590838}}};
    CardanModel *model = scene_load("models/slider_crank.yaml");
    CardanSim *sim = run_to(model, 1.0);
    Allowed allowed = {1e-10, 1e-9, 1e-8};
    check_bodies(sim, model, COUNT(bodies), bodies, allowed);
    check_joints(sim, model, COUNT(joints), joints, allowed);
    CardanEnergy energy = scene_energy(sim);
    check_near(energy.kinetic, 0.5373292638499743, 1e-10, "kinetic energy");
    check_near(energy.potential, -1.2303533335445473, 1e-10, "potential energy");
    check_near(energy.work, -0.6930240696941596, 1e-10, "work of the motor");
    finish(model, sim);
}

static void spatial_slider_crank_loads(void **state) {
    (void)state;
    static const BodyRow bodies[] = {{"rod",
                                      {0.09247631488890133, 0.07575104310961796, 0.09060855728005811},
                                      {-0.0022801453162855415, -0.441013015459164, 0.3710251701536578}},
                                     {"slider", {0.18495262977780266, 0, 0}, {-0.004560290632571082, 0, 0}}};
    static const JointRow joints[] = {
        {"main",
         true,
         5.5837625533072455,
         14.408160810195717,
         {31.633542483440305, -25.92298794212413, -30.412682121116468},
         {0, 1.9365141941510684, -1.6291934324020048}},
        {"ball", false, 0, 0, {31.633542483440294, -25.668765164913708, -30.50156695477757}, {0}},
        {"cross",
         false,
         0,
         0,
         {-28.118704429724666, 24.609503593203524, 30.871920428365627},
         {0, 0.00718395008703121, 0.008592982040074443}},
        {"guide",
         true,
         -0.015047370222197348,
         -0.004560290632571082,
         {0, 24.6095035932035, 50.49192042836568},
         {0, 0.0071839500870314495, 0.008592982040074644}}};
    CardanModel *model = scene_load("models/spatial_slider_crank.yaml");
    CardanSim *sim = run_to(model, 0.5);
    Allowed allowed = {1e-9, 1e-8, 1e-7}; /* 14 rad/s */
    check_bodies(sim, model, COUNT(bodies), bodies, allowed);
    check_joints(sim, model, COUNT(joints), joints, allowed);
    CardanBodyState rod = scene_body(sim, model, "rod");
    static const double spin[] = {4.879872137053622, 0.0148120687111176, -0.012383263669130694};
    near3(rod.angular_velocity, spin, 1e-8, "angular velocity", "rod");
    finish(model, sim);
}

static void triple_pendulum_of_unequal_rods(void **state) {
    (void)state;
    static const BodyRow bodies[] = {
        {"upper", {-0.0668544789857067, -0.4955103214258505, 0}, {-1.9663820156465688, 0.265305160071398, 0}},
        {"middle", {-0.3035312426638053, -1.1744883283493281, 0}, {-4.9134994800595635, 1.4384036142947887, 0}},
        {"lower", {-0.5504503866994743, -1.4563484641640552, 0}, {-5.808527863493794, 2.2790398700831065, 0}}};
    static const JointRow joints[] = {
        {"shoulder", true, -1.7049069345893761, -3.968397691471344, {2.2516958346631086, 64.90576132354651, 0}, {0}},
        {"elbow", true, -0.6126829457078797, -1.3771510143202836, {15.413646798883702, 27.619074850102525, 0}, {0}},
        {"wrist", true, 0.08215473240421733, 6.216622299913727, {8.945327934207372, 8.57835126515871, 0}, {0}}};
    CardanModel *model = scene_load("models/triple_pendulum.yaml");
    CardanSim *sim = run_to(model, 0.7);
    Allowed allowed = {1e-9, 1e-8, 1e-7};
    check_bodies(sim, model, COUNT(bodies), bodies, allowed);
    check_joints(sim, model, COUNT(joints), joints, allowed);
    finish(model, sim);
}

static void heavy_top_load_on_its_tip(void **state) {
    (void)state;
    static const JointRow joints[] = {
        {"tip", false, 0, 0, {-640.2364079920785, -148.62771134695828, 136.929313038558}, {0}}};
    CardanModel *model = scene_load("models/heavy_top.yaml");
    CardanSim *sim = run_to(model, 0.2);
    check_joints(sim, model, COUNT(joints), joints, (Allowed){1e-9, 1e-8, 1e-6}); /* N, beside the weight of 147 */
    CardanEnergy energy = scene_energy(sim);
    check_near(energy.kinetic, 5512.800893351885, 1e-7, "kinetic energy"); /* 2e-11 of it */
    check_near(energy.potential, -77.10410248633883, 1e-7, "potential energy");
    finish(model, sim);
}

static void double_four_bar_loads(void **state) {
    (void)state;
    static const JointRow joints[] = {
        {"foot0", true, -0.35391872861379525, -1.5552110636912995, {2.983149644687923, 11.071506341081506, 0}, {0}},
        {"foot1", true, -0.35391872861379525, -1.5552110636912995, {4.122336959092422, 14.154759511622254, 0}, {0}},
        {"foot2", true, -0.3539187286137948, -1.5552110636912992, {2.983149644687921, 11.071506341081516, 0}, {0}},
        {"left0", true, 0.35391872861379525, 1.5552110636912995, {1.5419158949067409, 3.0832531705407513, 0}, {0}},
        {"right0", true, 0.35391872861379525, 1.5552110636912995, {1.340551604655619, 3.0832531705407527, 0}, {0}}};
    CardanModel *model = scene_load("models/double_four_bar.yaml");
    CardanSim *sim = run_to(model, 0.3);
    check_joints(sim, model, COUNT(joints), joints, (Allowed){1e-10, 1e-10, 1e-8});
    finish(model, sim);
}

/* The stiff governor A05, explicit: the dampers' rate of about 8e3 1/s asks for a hundred steps and more in a tenth of
 * a second. Balls are particles on spherical joints. The slider against the reduced equations of BENCHMARKS 2.5, loads
 * against the oracle. */
static void flyball_governor_with_stiff_springs_and_dampers(void **state) {
    (void)state;
    static const JointRow joints[] = {
        {"base", true, 0.6221066814026874, 6.1037178088308615, {0, 0, 187.74408633012396}, {0}},
        {"slide", true, 0.023836475569575244, 0.4592718104361574, {0}, {0, 0, -0.016322360679198053}},
        {"hinge_r",
         true,
         -0.027424906522398936,
         -0.5226739297539759,
         {-106.90028607913715, -76.66553660008788, 92.40054316505709},
         {0.003756381413518639, 0.002693679276733363, 0.008492892551378011}},
        {"tip_l", false, 0, 0, {133.46937418950776, 95.68859289916485, 68.36171009854495}, {0}}};
    CardanModel *model = scene_load("models/flyball_governor.yaml");
    CardanSim *sim = run_to(model, 0.1);
    double speed;
    check_near(0.5 + scene_coordinate(sim, model, "slide", &speed), 5.23836475569575694e-01, 1e-10, "s");
    check_near(speed, 4.5927181043613e-01, 1e-9, "s'");
    check_near(scene_body(sim, model, "shaft").angular_velocity.z, 6.10371780883086276, 1e-9, "omega");
    /* forces of the springs are 8e5 and 4e4 times elongations and rates known to about 1e-12 */
    check_joints(sim, model, COUNT(joints), joints, (Allowed){1e-10, 1e-9, 1e-6});
    CardanEnergy energy = scene_energy(sim);
    check_near(energy.work, -0.002382455910092591, 1e-9, "work of the dampers");
    finish(model, sim);
}

/* ---- Andrews' squeezing mechanism, start of the IVP test set ---- */

static void andrews_squeezing_mechanism_after_30_milliseconds(void **state) {
    (void)state;
    static const double beta = 15.810771195153707097, theta = -15.756371058411839470, phi = -0.53473011634207959377,
                        omega = 0.53473011634207959377;
    static const struct {
        const char *body;
        double angle, spin;
    } expected[] = {{"k1", beta, 1139.9203022591060642},
                    {"k2", beta + theta, 1139.9203022591060642 - 1424.3792951775400732},
                    {"k3", 0.040822240119645804858, 11.032911910618593745},
                    {"k4", phi + 0.52440996587995406937, 19.293374105032040832 + 0.57356991482950245382},
                    {"k5", 0.52440996587995406937, 0.57356991482950245382},
                    {"k6", omega + 1.0480807410419378731, -19.293374105032040832 + 0.32317914924913087499},
                    {"k7", 1.0480807410419378731, 0.32317914924913087499}};
    /* the rows of the test set's multipliers are the loads E puts on k3, k4 and k6 */
    static const JointRow joints[] = {{"E3", false, 0, 0, {199.17534810453862819, -29.755309974971763324, 0}, {0}},
                                      {"E4", false, 0, 0, {23.066543611622151129, 31.452725275771137075, 0}, {0}},
                                      {"E6", false, 0, 0, {22.642494786394378578, 11.617392352611255907, 0}, {0}}};
    CardanModel *model = scene_load("models/andrews.yaml");
    CardanSim *sim = run_to(model, 0.03);
    for (int i = 0; i < COUNT(expected); i++) {
        CardanBodyState s = scene_body(sim, model, expected[i].body);
        check_near(s.angle, expected[i].angle, 1e-8, "angle of %s", expected[i].body);
        check_near(s.spin, expected[i].spin, 1e-5, "spin of %s", expected[i].body); /* 1e-8 of 1140 rad/s */
    }
    check_joints(sim, model, COUNT(joints), joints, (Allowed){0, 0, 2e-4}); /* 1e-6 of 200 N */
    finish(model, sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slider_crank_with_a_weakening_motor),
        cmocka_unit_test(spatial_slider_crank_loads),
        cmocka_unit_test(triple_pendulum_of_unequal_rods),
        cmocka_unit_test(heavy_top_load_on_its_tip),
        cmocka_unit_test(double_four_bar_loads),
        cmocka_unit_test(flyball_governor_with_stiff_springs_and_dampers),
        cmocka_unit_test(andrews_squeezing_mechanism_after_30_milliseconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
