/* Rows that depend on others in every pose, and rows that only look so because masses differ: reactions under
 * redundancy beside those of an independent computation (multipliers by singular value decomposition, `oracle` below),
 * regular chains of very unequal masses beside an elimination in extended precision, and the ways to regularise that a
 * user may ask for. */
#include "pathology/passage_fixture.h"
#include "sim/sim.h"
#include "support/defaulted.h"
#include "support/random.h"
#include "support/reading.h"

/* ---- reactions ---- */

typedef struct ReactionRow {
    const char *joint;
    bool unique;
    double force[3], moment[3]; /* that b receives at the joint's point on b */
} ReactionRow;

static double off(CardanVec3 a, const double *e) {
    return fmax(fabs(a.x - e[0]), fmax(fabs(a.y - e[1]), fabs(a.z - e[2])));
}

static void check_reactions(CardanModel *model, double t, int n, const ReactionRow *rows, double allowed) {
    CardanOptions options = scene_tight(1e-12, 1e-13);
    CardanSim *sim = scene_start(model, &options);
    scene_advance(sim, t);
    double worst = 0.0;
    for (int i = 0; i < n; i++) {
        CardanJoint joint = cardan_model_find_joint(model, rows[i].joint);
        if (reaction_is_unique(sim, joint) != rows[i].unique)
            fail_msg("the reaction of '%s' is%s unique", rows[i].joint, rows[i].unique ? "" : " not");
        CardanWrench w = reaction_of(sim, joint);
        worst = fmax(worst, fmax(off(w.force, rows[i].force), off(w.moment, rows[i].moment)));
    }
    check_below(worst, allowed, "reactions of '%s' beside the oracle's, N and N m", cardan_model_name(model));
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void bricard_reactions_are_the_least_ones_and_none_is_unique(void **state) {
    (void)state;
    static const ReactionRow rows[] = {{"j1",
                                        false,
                                        {2.996438718061655, 29.642083438247703, -2.1843093188645484},
                                        {6.52587166679152, 0, -23.86523308920374}},
                                       {"j2",
                                        false,
                                        {2.217414130897392, 19.832083438247757, -1.2466215793522397},
                                        {0.4474263168356763, 2.488676624700577, 0.11341989962010368}},
                                       {"j3",
                                        false,
                                        {0.8828470746311811, 9.785841561439401, -0.21478397924371345},
                                        {0.5883927637379287, 2.305896629073138, -4.209280096290866}},
                                       {"j4",
                                        false,
                                        {-0.4517199816350208, 0.2367180884858201, 0.8170536208648316},
                                        {5.278995841161627, 2.0365799939123845, -3.3377126734332885}},
                                       {"j5",
                                        false,
                                        {-1.2307445687993, -9.312405384467823, 1.848891220973407},
                                        {4.709817756621787, 3.512420585081888, 0.7067194821204488}},
                                       {"j6",
                                        false,
                                        {-1.230744568799254, -19.35864726127623, 1.943041081569544},
                                        {0, 3.755188238125217, -0.4998442585351127}}};
    check_reactions(scene_load("models/bricard.yaml"), 2.0, 6, rows, 1e-8);
}

static const char FOUR_BAR[] =
    "cardan: 1\nname: four_bar_and_pendulum\nspace: spatial\ngravity: [0, -9.81, 0]\nbodies:\n"
    "  crank:    {mass: 1, inertia: [\"1/12\", \"1/600\", \"1/12\"], position: [0, 0.5, 0], velocity: [0.5, 0, 0],"
    " angular_velocity: [0, 0, -1]}\n"
    "  rocker:   {mass: 1, inertia: [\"1/12\", \"1/600\", \"1/12\"], position: [1, 0.5, 0], velocity: [0.5, 0, 0],"
    " angular_velocity: [0, 0, -1]}\n"
    "  coupler:  {mass: 2, inertia: [\"1/600\", \"1/6\", \"1/6\"], position: [0.5, 1, 0], velocity: [1, 0, 0]}\n"
    "  pendulum: {mass: 1, inertia: [\"1/12\", \"1/600\", \"1/12\"], position: [0.3, 0.5, 0.2], velocity: [1, 0, 0]}\n"
    "joints:\n"
    "  foot1: {type: revolute, bodies: [ground, crank], point: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  left:  {type: revolute, bodies: [crank, coupler], point: [0, 1, 0], axis: [0, 0, 1]}\n"
    "  right: {type: revolute, bodies: [coupler, rocker], point: [1, 1, 0], axis: [0, 0, 1]}\n"
    "  foot2: {type: revolute, bodies: [rocker, ground], point: [1, 0, 0], axis: [0, 0, 1]}\n"
    "  hang:  {type: revolute, bodies: [coupler, pendulum], point: [0.3, 1, 0.2], axis: [0, 0, 1]}\n";

/* Reactions of j2 at times between steps, read one by one. */
enum { BETWEEN = 100 };

static void reactions_between_steps(double relative, CardanVec3 *force) {
    CardanModel *model = scene_load("models/bennett.yaml");
    CardanOptions options = cardan_model_options(model);
    CardanChannel reaction;
    char message[128];
    double wrench[6];
    options.coordinates = CARDAN_COORDINATES_ABSOLUTE;
    options.rtol = relative;
    options.atol = 1e-10;
    CardanSim *sim = scene_start(model, &options);
    assert_true(cardan_model_find_channel(model, "j2.reaction", &reaction, message, sizeof message) >= 0);
    for (int i = 0; i < BETWEEN; i++) {
        double t = 0.02 * (i + 1);
        while (cardan_sim_time(sim) < t) assert_true(cardan_sim_step(sim, 3.0) >= 0);
        assert_true(cardan_sim_sample(sim, t, 1, &reaction, wrench) >= 0);
        force[i] = (CardanVec3){wrench[0], wrench[1], wrench[2]};
    }
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* Rows between steps are open by up to a tolerance, and then depend on each other by no more than that. */
static void rows_that_are_open_depend_on_each_other_all_the_same(void **state) {
    (void)state;
    CardanVec3 coarse[BETWEEN], fine[BETWEEN];
    double largest = 0.0, off = 0.0;
    reactions_between_steps(1e-4, coarse);
    reactions_between_steps(1e-10, fine);
    for (int i = 0; i < BETWEEN; i++) {
        CardanVec3 d = crd_sub(coarse[i], fine[i]);
        largest = fmax(largest, sqrt(crd_dot(fine[i], fine[i])));
        off = fmax(off, sqrt(crd_dot(d, d)));
    }
    check_between(off / largest, 0.0, 1e-3, "reactions at a tolerance of 1e-4"); /* 0.2 where their rank is counted */
}

static void only_the_joints_of_a_redundant_loop_are_not_unique(void **state) {
    (void)state;
    static const ReactionRow rows[] = {{"foot1",
                                        false,
                                        {5.238291523223825, 11.550931995526918, 0.13631782845552912},
                                        {-0.3068810611556061, -0.019261149818623337, 0}},
                                       {"left",
                                        false,
                                        {3.838793662342833, 5.276385496978881, 0.1363178284555145},
                                        {-0.42326336883615867, 0.051715669029353636, 0}},
                                       {"right",
                                        false,
                                        {-2.954570161770305, -3.8265040684744243, 0.13631782845551915},
                                        {0.30167734541606345, -0.051040978632964605, 0}},
                                       {"foot2",
                                        false,
                                        {-4.354068022651293, -10.101050567022467, 0.1363178284555168},
                                        {0.41805965309661336, -0.12201779748093997, 0}},
                                       {"hang", true, {1.1953723805891823, 3.624703571261137, 0}, {0, 0, 0}}};
    check_reactions(scene_read(FOUR_BAR), 0.4, 5, rows, 1e-8);
}

static void a_regular_model_has_unique_reactions(void **state) {
    (void)state;
    CardanModel *model = scene_compile(equal_slider_crank((CrankDef){.angle = -0.3}));
    CardanSim *sim = scene_start(model, NULL);
    for (int j = 1; j <= 4; j++) assert_true(reaction_is_unique(sim, (CardanJoint){j}));
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* ---- regular chains of unequal masses ---- */

enum { LINKS = 12, CHAIN_ROWS = 2 * LINKS, CHAIN_V = 3 * LINKS, SADDLE = CHAIN_V + CHAIN_ROWS };

static double link_mass(int i, double ratio) {
    return i % 2 == 0 ? 1.0 : ratio;
}

/* Bent and moving: link i at a random angle with a random spin. */
static CardanModel *uneven_chain(double ratio) {
    CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
    cardan_builder_set_gravity(b, (CardanVec3){0.0, -GRAVITY, 0.0});
    Random random = {99};
    CardanBody before = {0};
    double x = 0.0, y = 0.0, vx = 0.0, vy = 0.0;
    for (int i = 0; i < LINKS; i++) {
        double angle = random_signed(&random), w = random_signed(&random), c = 0.5 * cos(angle), s = 0.5 * sin(angle);
        double mass = link_mass(i, ratio);
        char name[16];
        snprintf(name, sizeof name, "l%d", i);
        CardanBody link = cardan_builder_add_body(
            b, &(CardanBodyDef){DEFAULTED, .name = name, .mass = mass, .inertia.zz = mass / 12.0,
                                .pose = {.p = {x + c, y + s, 0.0}, .angle = angle},
                                .velocity = {vx - w * s, vy + w * c, 0.0}, .angular_velocity.z = w});
        snprintf(name, sizeof name, "j%d", i);
        cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = name, .type = CARDAN_JOINT_REVOLUTE,
                                                      .a = before, .b = link, .point = {x, y, 0.0}});
        x += 2.0 * c, y += 2.0 * s, vx -= 2.0 * w * s, vy += 2.0 * w * c;
        before = link;
    }
    return scene_compile(b);
}

/* G and gamma of the chain, in extended precision at the simulation's own state. */
static void chain_rows(const double *q, const double *v, long double G[CHAIN_ROWS][CHAIN_V], long double *gamma) {
    memset(G, 0, sizeof(long double[CHAIN_ROWS][CHAIN_V]));
    memset(gamma, 0, CHAIN_ROWS * sizeof *gamma);
    for (int i = 0; i < LINKS; i++)
        for (int k = i - 1; k <= i; k++) { /* the end of link i - 1, the beginning of link i */
            if (k < 0) continue;
            long double sign = k == i ? 1.0L : -1.0L, angle = (long double)q[3 * k + 2];
            long double c = 0.5L * cosl(angle), s = 0.5L * sinl(angle), w = (long double)v[3 * k + 2];
            G[2 * i][3 * k] = G[2 * i + 1][3 * k + 1] = sign;
            G[2 * i][3 * k + 2] = s; /* both ways round: sign and side of the end change together */
            G[2 * i + 1][3 * k + 2] = -c;
            gamma[2 * i] -= w * w * c;
            gamma[2 * i + 1] -= w * w * s;
        }
}

/* Solves A x = b by elimination with row pivoting, b in column n. */
static void eliminate(int n, long double A[SADDLE][SADDLE + 1]) {
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabsl(A[i][k]) > fabsl(A[best][k])) best = i;
        for (int j = 0; j <= n; j++) {
            long double keep = A[k][j];
            A[k][j] = A[best][j], A[best][j] = keep;
        }
        for (int i = 0; i < n; i++) {
            long double factor = i == k ? 0.0L : A[i][k] / A[k][k];
            if (factor != 0.0L)
                for (int j = k; j <= n; j++) A[i][j] -= factor * A[k][j];
        }
    }
    for (int i = 0; i < n; i++) A[i][n] /= A[i][i];
}

/* B = D G M^-1/2 with rows of length 1. */
static void scale_rows(double ratio, long double G[CHAIN_ROWS][CHAIN_V], long double *gamma, long double *root) {
    for (int j = 0; j < CHAIN_V; j++) {
        long double m = (long double)link_mass(j / 3, ratio);
        root[j] = sqrtl(j % 3 == 2 ? m / 12.0L : m);
    }
    for (int i = 0; i < CHAIN_ROWS; i++) {
        long double sum = 0.0L;
        for (int j = 0; j < CHAIN_V; j++) G[i][j] /= root[j], sum += G[i][j] * G[i][j];
        for (int j = 0; j < CHAIN_V; j++) G[i][j] /= sqrtl(sum);
        gamma[i] /= sqrtl(sum);
    }
}

/* [1 B'; B 0] [M^1/2 a; .] = [M^-1/2 f; D gamma] */
static void chain_accelerations(double ratio, const double *q, const double *v, double *a) {
    static long double G[CHAIN_ROWS][CHAIN_V], A[SADDLE][SADDLE + 1];
    long double gamma[CHAIN_ROWS], root[CHAIN_V];
    chain_rows(q, v, G, gamma);
    scale_rows(ratio, G, gamma, root);
    memset(A, 0, sizeof A);
    for (int j = 0; j < CHAIN_V; j++) {
        A[j][j] = 1.0L;
        A[j][SADDLE] = j % 3 == 1 ? -(long double)GRAVITY * root[j] : 0.0L;
    }
    for (int i = 0; i < CHAIN_ROWS; i++) {
        for (int j = 0; j < CHAIN_V; j++) A[CHAIN_V + i][j] = A[j][CHAIN_V + i] = G[i][j];
        A[CHAIN_V + i][SADDLE] = gamma[i];
    }
    eliminate(SADDLE, A);
    for (int j = 0; j < CHAIN_V; j++) a[j] = (double)(A[j][SADDLE] / root[j]);
}

/* |S| |S^-1| of S scaled to unit diagonal, norms by columns. */
static double chain_condition(double ratio, const double *q, const double *v) {
    static long double G[CHAIN_ROWS][CHAIN_V], S[CHAIN_ROWS][CHAIN_ROWS], A[SADDLE][SADDLE + 1];
    long double gamma[CHAIN_ROWS], root[CHAIN_V], norm = 0.0L, inverse = 0.0L;
    chain_rows(q, v, G, gamma);
    scale_rows(ratio, G, gamma, root);
    for (int i = 0; i < CHAIN_ROWS; i++)
        for (int k = 0; k < CHAIN_ROWS; k++) {
            S[i][k] = 0.0L;
            for (int j = 0; j < CHAIN_V; j++) S[i][k] += G[i][j] * G[k][j];
        }
    for (int k = 0; k < CHAIN_ROWS; k++) {
        long double column = 0.0L, solved = 0.0L;
        for (int i = 0; i < CHAIN_ROWS; i++) {
            for (int j = 0; j < CHAIN_ROWS; j++) A[i][j] = S[i][j];
            A[i][CHAIN_ROWS] = i == k ? 1.0L : 0.0L;
            column += fabsl(S[i][k]);
        }
        eliminate(CHAIN_ROWS, A);
        for (int i = 0; i < CHAIN_ROWS; i++) solved += fabsl(A[i][CHAIN_ROWS]);
        norm = fmaxl(norm, column);
        inverse = fmaxl(inverse, solved);
    }
    return (double)(norm * inverse);
}

/* Largest error of the accelerations of this simulation now, against the largest one. */
static double acceleration_error(CardanSim *sim, double ratio) {
    double own[CHAIN_V], exact[CHAIN_V], error = 0.0;
    assert_true(cardan_sim_evaluate(sim, own, NULL) >= 0);
    chain_accelerations(ratio, cardan_sim_positions(sim), cardan_sim_velocities(sim), exact);
    for (int j = 0; j < CHAIN_V; j++) error = fmax(error, fabs(own[j] - exact[j]));
    return error / worst_of(exact, CHAIN_V);
}

static const double RATIOS[] = {1.0, 1e6, 1e8, 1e10, 1e-4, 1e-6, 1e-8, 1e-10};
enum { RATIO_COUNT = sizeof RATIOS / sizeof *RATIOS };

static void accelerations_of_unequal_masses_are_as_good_as_their_condition(void **state) {
    (void)state;
    for (int k = 0; k < RATIO_COUNT; k++) {
        double ratio = RATIOS[k], worst = 0.0, largest = 0.0;
        CardanModel *model = uneven_chain(ratio);
        CardanSim *sim = scene_start(model, NULL);
        for (int i = 0; i <= 10; i++) {
            if (i > 0) scene_advance(sim, 0.05 * i);
            double condition = chain_condition(ratio, cardan_sim_positions(sim), cardan_sim_velocities(sim));
            largest = fmax(largest, condition);
            worst = fmax(worst, acceleration_error(sim, ratio) / condition);
        }
        check_below(worst, 1e-15, "ratio %.0e, condition %.1e: error in conditions", ratio, largest);
        cardan_sim_destroy(sim);
        cardan_model_release(model);
    }
}

/* Two seconds of motion at default tolerances: what went wrong, or an empty text. Links turn over, so that the weak
 * direction of a joint at a light link passes from its one row to the other. Without a lost row the residual stays
 * below a hundredth of the tolerance of coordinates of 12 m. */
static void run_chain(double ratio, char *wrong, size_t size) {
    CardanModel *model = uneven_chain(ratio);
    CardanSim *sim = scene_start(model, NULL);
    int dropped = 0;
    while (cardan_sim_time(sim) < 2.0) {
        must_step(sim, 2.0);
        if (sim->integrator.dynamics.factor.dropped > dropped) dropped = sim->integrator.dynamics.factor.dropped;
    }
    const CardanEvent *events;
    long total;
    cardan_sim_events(sim, &events, &total);
    double residual = residual_of(sim).position_max;
    wrong[0] = '\0';
    if (total > 0 || dropped > 0 || sim->integrator.dynamics.redundancy.count > 0 || !(residual < 1e-7))
        snprintf(wrong, size, "ratio %.0e: %ld events (first at t = %.6f), %d rows dropped, residual %.1e\n", ratio,
                 total, total > 0 ? events[0].t : 0.0, dropped, residual);
    for (int j = 1; j <= LINKS; j++) assert_true(reaction_is_unique(sim, (CardanJoint){j}));
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void unequal_masses_raise_no_singularity_and_lose_no_row(void **state) {
    (void)state;
    char all[2048] = "";
    for (int k = 0; k < RATIO_COUNT; k++) {
        char wrong[256];
        run_chain(RATIOS[k], wrong, sizeof wrong);
        strncat(all, wrong, sizeof all - strlen(all) - 1);
    }
    if (all[0] != '\0') fail_msg("%s", all);
}

static void without_regularisation_dependent_rows_are_refused(void **state) {
    (void)state;
    CardanOptions options = cardan_default_options();
    options.regularise.method = CARDAN_REGULARISE_NONE;
    CardanModel *models[] = {scene_load("models/bricard.yaml"),
                             scene_compile(equal_slider_crank((CrankDef){.angle = -HALF_PI, .rate = 2.0}))};
    const CardanStatus expected[] = {CARDAN_ERR_MODEL, CARDAN_ERR_NUMERIC};
    const char *const words[] = {"redundant", "singular"};
    for (int i = 0; i < 2; i++) {
        CardanSim *sim = NULL;
        assert_int_equal(cardan_sim_create(models[i], &options, &sim), expected[i]);
        assert_non_null(strstr(cardan_sim_message(sim), words[i]));
        assert_non_null(strstr(cardan_sim_message(sim), i == 0 ? "'j1'" : "'main'"));
        cardan_sim_destroy(sim);
        cardan_model_release(models[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bricard_reactions_are_the_least_ones_and_none_is_unique),
        cmocka_unit_test(rows_that_are_open_depend_on_each_other_all_the_same),
        cmocka_unit_test(only_the_joints_of_a_redundant_loop_are_not_unique),
        cmocka_unit_test(a_regular_model_has_unique_reactions),
        cmocka_unit_test(accelerations_of_unequal_masses_are_as_good_as_their_condition),
        cmocka_unit_test(unequal_masses_raise_no_singularity_and_lose_no_row),
        cmocka_unit_test(without_regularisation_dependent_rows_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
