/* Modes against independent computations: a hanging chain against its own small-angle equations and the limit of many
 * links, the Whipple bicycle against the published linearised equations. */
#include "mechanisms.h"
#include "support/bicycle.h"
#include "support/check.h"
#include "support/scene.h"

#include <lapacke.h>

static const double G = 9.81;

/* ---- a chain that hangs: the one of models/ with gravity along it ---- */

static CardanSim *hanging(CardanSpace space, int links) {
    CardanBuilder *builder = mechanism_chain(space, links);
    cardan_builder_set_gravity(builder, (CardanVec3){G, 0, 0});
    return scene_run(scene_compile(builder), NULL);
}

static CardanModes *modes_of(CardanSim *sim, int number) {
    CardanModes *modes = NULL;
    if (cardan_sim_modes(sim, number, &modes) < 0) fail_msg("%s", cardan_sim_message(sim));
    return modes;
}

static CardanMode mode_of(const CardanModes *modes, CardanModeKind kind, int i) {
    CardanMode mode = {0};
    assert_int_equal(cardan_modes_get(modes, kind, i, &mode, NULL, NULL), CARDAN_OK);
    return mode;
}

/* omega of n uniform rods of 1 m and 1 kg about hanging rest: angles t_i,
 *     T = 1/2 sum ((sum_k<i t_k' + t_i'/2)^2 + t_i'^2/12),   V = g/2 sum (sum_k<i t_k^2 + t_i^2/2) */
static double *independent(int n) {
    size_t m = (size_t)n;
    double *k = room(m * m, sizeof *k), *mass = room(m * m, sizeof *mass), *w = room(m, sizeof *w);
    for (size_t i = 0; i < m; i++) {
        for (size_t a = 0; a <= i; a++)
            for (size_t b = 0; b <= i; b++) mass[a * m + b] += (a < i ? 1.0 : 0.5) * (b < i ? 1.0 : 0.5);
        mass[i * m + i] += 1.0 / 12.0;
        k[i * m + i] = G * ((double)(n - 1) - (double)i + 0.5);
    }
    assert_int_equal(LAPACKE_dsygv(LAPACK_ROW_MAJOR, 1, 'N', 'U', n, k, n, mass, n, w), 0);
    for (int i = 0; i < n; i++) w[i] = sqrt(w[i]);
    free(k);
    free(mass);
    return w;
}

static void modes_of_a_chain_are_those_of_its_own_equations(void **state) {
    (void)state;
    static const int LINKS[] = {1, 2, 10, 40, 300}; /* the last has more states than are done densely */
    for (size_t c = 0; c < sizeof LINKS / sizeof *LINKS; c++) {
        int n = LINKS[c], shown = n < 20 ? n : 20;
        double *expected = independent(n);
        CardanSim *sim = hanging(CARDAN_SPACE_PLANAR, n);
        CardanModes *modes = modes_of(sim, shown);
        assert_int_equal(cardan_modes_count(modes, CARDAN_MODES_UNDAMPED), shown);
        assert_int_equal(cardan_modes_count(modes, CARDAN_MODES_DAMPED), shown);
        for (int i = 0; i < shown; i++) {
            CardanMode undamped = mode_of(modes, CARDAN_MODES_UNDAMPED, i);
            CardanMode damped = mode_of(modes, CARDAN_MODES_DAMPED, i);
            check_near(undamped.im / expected[i], 1.0, 1e-9, "%d links, undamped mode %d", n, i);
            check_near(damped.im / expected[i], 1.0, 1e-9, "%d links, damped mode %d", n, i);
            check_near(damped.damping, 0.0, 1e-9, "%d links, damping of mode %d", n, i);
        }
        cardan_modes_destroy(modes);
        cardan_sim_destroy(sim);
        free(expected);
    }
}

/* Many links are a rope: omega = j_k / 2 sqrt(g / L), zeros of the Bessel function J0. */
static void many_links_swing_as_a_rope(void **state) {
    (void)state;
    static const double ZERO[5] = {2.404825557695773, 5.520078110286311, 8.653727912911012, 11.791534439014281,
                                   14.930917708487787};
    double off[2];
    for (int c = 0; c < 2; c++) {
        int n = c == 0 ? 250 : 500;
        CardanSim *sim = hanging(CARDAN_SPACE_PLANAR, n);
        CardanModes *modes = modes_of(sim, 5);
        off[c] = 0.0;
        for (int i = 0; i < 5; i++) {
            double rope = 0.5 * ZERO[i] * sqrt(G / n);
            off[c] = fmax(off[c], fabs(mode_of(modes, CARDAN_MODES_UNDAMPED, i).im / rope - 1.0));
        }
        cardan_modes_destroy(modes);
        cardan_sim_destroy(sim);
    }
    print_message("a rope of 250 and 500 links: %.3g and %.3g off\n", off[0], off[1]);
    check_between(off[1], 0.0, 1e-4, "500 links against the rope");
    check_between(off[0] / off[1], 3.8, 4.2, "twice the links, a quarter of the error");
}

/* Hinges turn about z and y in turn: two chains in one, each mode near another. */
static void a_chain_in_space_keeps_both_its_families(void **state) {
    (void)state;
    CardanSim *sim = hanging(CARDAN_SPACE_SPATIAL, 260);
    CardanModes *modes = modes_of(sim, 12);
    CardanSim *small = hanging(CARDAN_SPACE_SPATIAL, 20);
    CardanModes *dense = modes_of(small, 0);
    assert_int_equal(cardan_modes_count(dense, CARDAN_MODES_UNDAMPED), 20);
    for (int i = 0; i + 1 < 12; i += 2) {
        double a = mode_of(modes, CARDAN_MODES_UNDAMPED, i).im, b = mode_of(modes, CARDAN_MODES_UNDAMPED, i + 1).im;
        check_near(a / b, 1.0, 0.01, "modes %d and %d about the two axes", i, i + 1);
        check_near(mode_of(modes, CARDAN_MODES_UNDAMPED, i).residual, 0.0, 1e-9, "residual of mode %d", i);
    }
    cardan_modes_destroy(modes);
    cardan_modes_destroy(dense);
    cardan_sim_destroy(sim);
    cardan_sim_destroy(small);
}

/* ---- the bicycle ---- */

static CardanSim *bicycle_at(double speed) {
    const char *const names[] = {"push", "v"};
    const double values[] = {0.0, speed};
    char message[512];
    CardanModel *model = scene_load("models/bicycle.yaml"), *changed = NULL;
    if (cardan_model_with_parameters(model, 2, names, values, &changed, message, sizeof message) < 0)
        fail_msg("%s", message);
    cardan_model_release(model);
    return scene_run(changed, NULL);
}

/* The four eigenvalues, by real part, then imaginary part. */
static void computed(double speed, double re[4], double im[4]) {
    CardanSim *sim = bicycle_at(speed);
    CardanModes *modes = modes_of(sim, 0);
    int n = 0;
    for (int i = 0; i < cardan_modes_count(modes, CARDAN_MODES_DAMPED); i++) {
        CardanMode mode = mode_of(modes, CARDAN_MODES_DAMPED, i);
        for (int side = mode.im > 0.0 ? -1 : 1; side <= 1 && n < 4; side += 2) {
            re[n] = mode.re;
            im[n++] = side * mode.im;
        }
    }
    assert_int_equal(n, 4);
    assert_int_equal(cardan_modes_ignorable(modes), 6);
    bicycle_sort(re, im);
    cardan_modes_destroy(modes);
    cardan_sim_destroy(sim);
}

static void eigenvalues_of_the_bicycle_are_the_published_ones(void **state) {
    (void)state;
    double worst = 0.0;
    for (int i = 0; i <= 20; i++) {
        double speed = 0.5 * i, a[4][4], re[2][4], im[2][4];
        computed(speed, re[0], im[0]);
        bicycle_published(speed, a);
        bicycle_eigenvalues(a, re[1], im[1]);
        for (int k = 0; k < 4; k++) {
            double off = hypot(re[0][k] - re[1][k], im[0][k] - im[1][k]);
            worst = fmax(worst, off);
            check_near(off, 0.0, 1e-8 * fmax(1.0, hypot(re[1][k], im[1][k])), "eigenvalue %d at %g m/s", k, speed);
        }
    }
    print_message("eigenvalues of the bicycle: at most %.3g off\n", worst);
}

/* Largest real part of the weave (pairs) or of the real eigenvalues. */
static double growth(double speed, bool pairs) {
    double re[4], im[4], most = -HUGE_VAL;
    computed(speed, re, im);
    for (int k = 0; k < 4; k++)
        if ((im[k] != 0.0) == pairs) most = fmax(most, re[k]);
    return most;
}

enum { POINTS = 6 };

/* Where the growth is 0: the zero of the polynomial through it at points around the guess, SPACE apart. (Nearer to the
 * zero than 1e-8 an eigenvalue counts as 0.) */
static double zero_near(double guess, bool pairs) {
    static const double SPACE = 0.01;
    double x[POINTS], f[POINTS], low = guess - 2.0 * SPACE, high = guess + 2.0 * SPACE;
    for (int i = 0; i < POINTS; i++) {
        x[i] = guess + SPACE * (i - 0.5 * (POINTS - 1));
        f[i] = growth(x[i], pairs);
    }
    double side = f[0];
    for (int step = 0; step < 60; step++) {
        double middle = 0.5 * (low + high), sum = 0.0;
        for (int i = 0; i < POINTS; i++) {
            double part = f[i];
            for (int k = 0; k < POINTS; k++)
                if (k != i) part *= (middle - x[k]) / (x[i] - x[k]);
            sum += part;
        }
        if ((sum > 0.0) == (side > 0.0))
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

/* Published to 14 digits: Meijaard et al. 2007, section 5 d. */
static void weave_and_capsize_speeds_are_the_published_ones(void **state) {
    (void)state;
    double weave = zero_near(4.29, true), capsize = zero_near(6.02, false);
    print_message("weave %.12f, capsize %.12f m/s\n", weave, capsize);
    check_near(weave, 4.29238253634111, 1e-6, "weave speed");
    check_near(capsize, 6.02426201538837, 1e-6, "capsize speed");
}

/* ---- what has no modes ---- */

static void refused(const char *path, double t, CardanStatus status, const char *word) {
    CardanModel *model = scene_load(path);
    CardanSim *sim = scene_start(model, NULL);
    CardanModes *modes = NULL;
    if (t > 0.0) scene_advance(sim, t);
    assert_int_equal(cardan_sim_modes(sim, 0, &modes), status);
    assert_null(modes);
    if (strstr(cardan_sim_message(sim), word) == NULL) fail_msg("%s: %s", path, cardan_sim_message(sim));
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void states_without_modes_are_refused_by_name(void **state) {
    (void)state;
    refused("models/pendulum.yaml", 0.0, CARDAN_ERR_NUMERIC, "no equilibrium");
    refused("models/double_pendulum.yaml", 0.3, CARDAN_ERR_NUMERIC, "not steady");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_of_a_chain_are_those_of_its_own_equations),
        cmocka_unit_test(many_links_swing_as_a_rope),
        cmocka_unit_test(a_chain_in_space_keeps_both_its_families),
        cmocka_unit_test(eigenvalues_of_the_bicycle_are_the_published_ones),
        cmocka_unit_test(weave_and_capsize_speeds_are_the_published_ones),
        cmocka_unit_test(states_without_modes_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
