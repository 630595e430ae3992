/* Models of which one body is a million times lighter or heavier, over a horizon short of chaos, beside the numbers of
 * an independent, slow computation (multipliers by least squares, adaptive order-8 steps at 1e-12): of each file, with
 * mass and moments of inertia of the body multiplied, oracle.py FILE --end END. What accelerations at single states do
 * not tell: that the motion stays right. */
#include "support/check.h"
#include "support/scene.h"

#include "sim/sim.h"

enum { BODIES_MOST = 5 };

/* Of places in m, and of speeds in m/s where they are below one, else of the speed: the horizons are so short that
 * errors of steps at 1e-10 grow by less than a thousand. */
#define ALLOWED 1e-7

typedef struct BodyRow {
    const char *name;
    double p[3], v[3];
} BodyRow;

typedef struct Case {
    const char *path, *body;
    int block;      /* place of the body in the file */
    double by, end; /* factor; s */
    BodyRow rows[BODIES_MOST];
} Case;

static const Case CASES[] = {
    {"models/double_pendulum.yaml",
     "upper",
     0,
     1e-06,
     1,
     {{"upper", {-0.35123757820206447, -0.35585413255819953, 0}, {-0.6841633515936123, 0.6752875875877219, 0}},
      {"lower", {-1.13024225487135, -0.9705814183573925, 0}, {-2.5443390461183006, 3.293841139216722, 0}}}},
    {"models/double_pendulum.yaml",
     "upper",
     0,
     1e+06,
     1,
     {{"upper", {-0.4999832801689114, -0.004088954821933266, 0}, {0.002005461450047823, -0.24522090307006925, 0}},
      {"lower", {-0.5649431910491786, -0.2546625302041681, 0}, {-2.7689281684447695, -5.384431961010352, 0}}}},
    {"models/slider_crank.yaml",
     "rod",
     1,
     1e-06,
     0.5,
     {{"crank", {-0.08197572503990427, -0.057271114046978454, 0}, {-0.11109042345494696, 0.15901066635859723, 0}},
      {"rod", {0.027673233862052123, -0.05727111404697846, 0}, {-0.1746571259550703, 0.15901066635859726, 0}},
      {"slider", {0.21929791780391283, 0, 0}, {-0.12713340500024667, 0, 0}}}},
    {"models/slider_crank.yaml",
     "rod",
     1,
     1e+06,
     0.5,
     {{"crank", {-0.09962973512691414, -0.008597434416204178, 0}, {-0.03049492784365751, 0.35338467695102743, 0}},
      {"rod", {0.0005556546027727587, -0.00859743441620418, 0}, {-0.04578479257731097, 0.3533846769510275, 0}},
      {"slider", {0.20037077945937387, 0, 0}, {-0.030579729467306915, 0, 0}}}},
    {"models/triple_pendulum.yaml",
     "middle",
     1,
     1e-06,
     0.5,
     {{"upper", {0.10967400538120269, -0.4878233415322025, 0}, {-1.5212352800061166, -0.34200898579686506, 0}},
      {"middle", {0.43455545184676586, -1.1028699407727405, 0}, {-3.933909972345881, -2.191952906335629, 0}},
      {"lower", {0.7550697671397928, -1.2974390390683022, 0}, {-5.40336137931183, -4.603709604665242, 0}}}},
    {"models/triple_pendulum.yaml",
     "middle",
     1,
     1e+06,
     0.5,
     {{"upper", {0.30749508575398493, -0.3942673867277757, 0}, {-1.3239265300313947, -1.032550283356469, 0}},
      {"middle", {0.7359086550665875, -1.0073468396993588, 0}, {-3.571871151034029, -2.5757253611265933, 0}},
      {"lower", {0.9692304540012225, -1.280844321663261, 0}, {-5.258028360334838, -4.652891481960465, 0}}}},
    {"models/bricard.yaml",
     "bar3",
     2,
     1e-06,
     0.3,
     {{"bar1",
       {0.49891026863189675, -6.4027127465476e-25, -0.032993087967764075},
       {-0.014502909836164755, -8.728397239284901e-24, -0.21930807596350893}},
      {"bar2",
       {0.9669372279815753, -0.4990411306956462, -0.06394385328965838},
       {-0.22068484606187108, 0.011969789978612862, -0.41230548533260225}},
      {"bar3",
       {0.9669372279815753, -1.0310120772404403, 0.43605614671034165},
       {-0.22068484606187108, -0.19415807977436644, -0.41230548533260225}},
      {"bar4",
       {0.49891026863189675, -1.0310120772404403, 0.9360561467103417},
       {-0.014502909836164776, -0.19415807977436644, -0.4123054853326022}},
      {"bar5",
       {-8.966921481669306e-25, -0.4990411306956462, 0.9690492346781057},
       {2.407268137991133e-24, 0.01196978997861286, -0.19299740936909326}}}},
    {"models/bricard.yaml",
     "bar3",
     2,
     1e+06,
     0.3,
     {{"bar1",
       {0.4952677040312583, -9.957586332081479e-20, -0.06862872098185936},
       {-0.06538432583175752, -1.058821975615577e-18, -0.47185412274965716}},
      {"bar2",
       {0.9307607469926413, -0.49634502442544864, -0.12897453051409435},
       {-0.4842540414780755, 0.044356127594718624, -0.8366838168920255}},
      {"bar3",
       {0.9307607469926413, -1.060817097234954, 0.37102546948590565},
       {-0.48425404147807555, -0.37360442836434976, -0.8366838168920255}},
      {"bar4",
       {0.4952677040312583, -1.060817097234954, 0.8710254694859055},
       {-0.06538432583175756, -0.3736044283643498, -0.8366838168920254}},
      {"bar5",
       {-5.468829229759251e-20, -0.49634502442544864, 0.939654190467765},
       {7.222988630025638e-20, 0.0443561275947186, -0.3648296941423684}}}},
    {"models/sarrus.yaml",
     "lower1",
     0,
     1e-06,
     0.3,
     {{"lower1", {0.9448575958936044, 0, 0.22825801054018344}, {0.4382602671533046, 0, -0.8541361083456289}},
      {"upper1", {0.9448575958936044, 0, 0.6847740316205503}, {0.43826026715330463, 0, -2.562408325036887}},
      {"lower2", {0, 0.9448575958936044, 0.22825801054018344}, {0, 0.4382602671533046, -0.8541361083456291}},
      {"upper2", {0, 0.9448575958936044, 0.6847740316205503}, {0, 0.4382602671533046, -2.562408325036887}},
      {"plate", {0, 0, 0.9130320421607336}, {0, 0, -3.4165444333825166}}}},
    {"models/sarrus.yaml",
     "lower1",
     0,
     1e+06,
     0.3,
     {{"lower1", {0.9798496312290191, 0, 0.1405145238378378}, {0.49695323853627077, 0, -1.6970688989054021}},
      {"upper1", {0.9798496312290191, 0, 0.4215435715135135}, {0.49695323853627077, 0, -5.091206696716204}},
      {"lower2", {0, 0.9798496312290191, 0.14051452383783775}, {0, 0.4969532385362707, -1.697068898905403}},
      {"upper2", {0, 0.9798496312290191, 0.42154357151351346}, {0, 0.4969532385362707, -5.091206696716205}},
      {"plate", {0, 0, 0.5620580953513514}, {0, 0, -6.788275595621605}}}},
    {"models/stephenson_six_bar.yaml",
     "coupler",
     1,
     1e-06,
     0.3,
     {{"crank", {0, 0, 0}, {0, 0, 0}},
      {"coupler", {0.05513071221794718, 0.20111579004107147, 0}, {-1.190844913564027, -0.7675279348531932, 0}},
      {"rocker", {0.14817786241461575, 0.08552465174487121, 0}, {-0.5653931025326552, -0.34258986796788216, 0}},
      {"bar", {0.20909912931332714, 0.1601449488469139, 0}, {-0.5036735477220168, -0.26624557682045263, 0}},
      {"arm", {0.2690998366533295, 0.004525943772172555, 0}, {0.25586819018226636, 0.02935952888834053, 0}}}},
    {"models/stephenson_six_bar.yaml",
     "coupler",
     1,
     1e+06,
     0.3,
     {{"crank", {0, 0, 0}, {0, 0, 0}},
      {"coupler", {-0.019973951051646097, 0.11486024711953625, 0}, {0.3740931161401025, 0.8965413219667022, 0}},
      {"rocker", {0.11511245223139228, 0.05285928711051954, 0}, {0.14898260820426512, 0.23925347771318115, 0}},
      {"bar", {0.11696478892464861, 0.12848036349657727, 0}, {1.2917829648566712, 0.35649130623494235, 0}},
      {"arm", {0.2546490153083315, 0.004971753363275428, 0}, {0.32878625392392624, -0.05844619037828801, 0}}}},
};
enum { CASE_COUNT = sizeof CASES / sizeof *CASES };

static void scale_body(CrdBlockValues *values, double by) {
    values->mass *= by;
    values->inverse_mass /= by;
    for (int i = 0; i < 9; i++) {
        values->inertia[i] *= by;
        values->inverse_inertia[i] /= by;
    }
}

static void near3(CardanVec3 a, const double *e, const char *what, const Case *c, const char *name) {
    const double own[] = {a.x, a.y, a.z};
    for (int i = 0; i < 3; i++)
        check_near(own[i], e[i], ALLOWED * fmax(1.0, fabs(e[i])), "%s, '%s' times %g: %s of '%s', component %d",
                   c->path, c->body, c->by, what, name, i);
}

static void motions_with_one_body_a_million_times_lighter_or_heavier_are_those_of_the_oracle(void **state) {
    (void)state;
    for (int k = 0; k < CASE_COUNT; k++) {
        const Case *c = &CASES[k];
        CardanModel *model = scene_load(c->path);
        CardanOptions options = scene_tight(1e-10, 1e-12);
        scale_body(&model->values.blocks[c->block], c->by);
        CardanSim *sim = scene_start(model, &options);
        scene_advance(sim, c->end);
        for (int i = 0; i < BODIES_MOST && c->rows[i].name != NULL; i++) {
            CardanBodyState s = scene_body(sim, model, c->rows[i].name);
            near3(s.position, c->rows[i].p, "position", c, c->rows[i].name);
            near3(s.velocity, c->rows[i].v, "velocity", c, c->rows[i].name);
        }
        cardan_sim_destroy(sim);
        cardan_model_release(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motions_with_one_body_a_million_times_lighter_or_heavier_are_those_of_the_oracle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
