/* Every regulariser on every model file, beside auto: within ten tolerances over a short time, or refused for a reason
 * that is allowed: redundant rows or a pose with `none`, size, rows that give way. */
#include "mechanisms.h"
#include "support/check.h"
#include "support/sample.h"
#include "support/scene.h"

#include <dirent.h>
#include <string.h>

static const double TOLERANCE = 1e-9; /* relative, and absolute */
static const double SHORT = 0.5;      /* s */
static const double LARGE_RADIUS = 1000.0;

enum { FILES_MAX = 200, NAME_MAX_LENGTH = 200, NUMBERS_MAX = 4000 };

typedef struct Files {
    int count;
    char name[FILES_MAX][NAME_MAX_LENGTH];
} Files;

static int compare_names(const void *a, const void *b) {
    return strcmp(a, b);
}

static void list_files(Files *files) {
    DIR *folder = opendir("models");
    assert_non_null(folder);
    files->count = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        size_t length = strlen(entry->d_name);
        if (length < 5 || strcmp(entry->d_name + length - 5, ".yaml") != 0) continue;
        assert_true(files->count < FILES_MAX && length + 8 < NAME_MAX_LENGTH);
        snprintf(files->name[files->count++], NAME_MAX_LENGTH, "models/%s", entry->d_name);
    }
    closedir(folder);
    qsort(files->name, (size_t)files->count, sizeof *files->name, compare_names);
}

typedef struct Motion {
    CardanStatus status;
    char message[512];
    int count;
    double y[NUMBERS_MAX]; /* positions, velocities */
} Motion;

/* The motion after a short time with the options of the file but for tolerance and regulariser. */
static void move(const CardanModel *model, CardanRegularise method, double tolerance, Motion *motion) {
    CardanOptions options = cardan_model_options(model);
    options.rtol = options.atol = tolerance;
    options.regularise.method = method;
    options.coordinates = CARDAN_COORDINATES_ABSOLUTE; /* in which regularisers act */
    double end = options.end > 0.0 ? fmin(options.end, SHORT) : SHORT;
    CardanSim *sim = NULL;
    motion->status = cardan_sim_create(model, &options, &sim);
    if (motion->status >= 0) motion->status = cardan_sim_advance(sim, end);
    snprintf(motion->message, sizeof motion->message, "%s", cardan_sim_message(sim));
    CardanSizes sizes = cardan_model_sizes(model);
    motion->count = sizes.coordinates + sizes.velocities;
    assert_true(motion->count <= NUMBERS_MAX);
    if (motion->status >= 0) {
        memcpy(motion->y, cardan_sim_positions(sim), (size_t)sizes.coordinates * sizeof *motion->y);
        memcpy(motion->y + sizes.coordinates, cardan_sim_velocities(sim), (size_t)sizes.velocities * sizeof *motion->y);
    }
    cardan_sim_destroy(sim);
}

/* Largest difference in tolerances. */
static double apart(const Motion *a, const Motion *b, double tolerance) {
    double max = 0.0;
    for (int i = 0; i < a->count; i++) max = fmax(max, fabs(a->y[i] - b->y[i]) / (tolerance * (1.0 + fabs(b->y[i]))));
    return max;
}

/* At the bound of its stability dop853 accepts a step that is tens of tolerances wrong now and then, as the estimate of
 * an undamped ringing vanishes in some of its phases; which step that is hangs on the last bit. An error of steps falls
 * with the tolerance, that of a regulariser does not: a second look at a tenth of it, on the same terms, tells. */
static bool agrees_at_a_tenth(const CardanModel *model, CardanRegularise method) {
    static Motion exact, other;
    const double tenth = 0.1 * TOLERANCE;
    move(model, CARDAN_REGULARISE_AUTO, tenth, &exact);
    move(model, method, tenth, &other);
    return exact.status >= 0 && other.status >= 0 && apart(&other, &exact, tenth) <= 10.0;
}

static bool is_allowed(CardanRegularise method, const Motion *motion) {
    if (method == CARDAN_REGULARISE_NONE) return strstr(motion->message, "regularise: none") != NULL;
    return motion->status == CARDAN_ERR_LIMIT || strstr(motion->message, "softened rows give way") != NULL;
}

static void every_regulariser_agrees_with_auto_on_every_model_file(void **state) {
    (void)state;
    static Files files;
    static Motion exact, other;
    double worst[CARDAN_REGULARISERS] = {0.0};
    int refused = 0, failed = 0;
    list_files(&files);
    assert_true(files.count >= 40);
    for (int f = 0; f < files.count; f++) {
        CardanModel *model = scene_load(files.name[f]);
        move(model, CARDAN_REGULARISE_AUTO, TOLERANCE, &exact);
        if (exact.status < 0) fail_msg("%s: %s", files.name[f], exact.message);
        for (int m = 1; m < CARDAN_REGULARISERS; m++) {
            if (!sample_has(f + m, CARDAN_REGULARISERS - 1)) continue; /* one of them */
            const char *name = cardan_options_word("regularise.method", m);
            move(model, (CardanRegularise)m, TOLERANCE, &other);
            if (other.status < 0) {
                print_message("    refused: %s, %s: %s\n", files.name[f], name, other.message);
                refused++;
                failed += !is_allowed((CardanRegularise)m, &other);
                continue;
            }
            double tolerances = apart(&other, &exact, TOLERANCE);
            worst[m] = fmax(worst[m], tolerances);
            if (tolerances <= 10.0) continue;
            print_message("    %s, %s: %.3g tolerances from auto\n", files.name[f], name, tolerances);
            failed += !agrees_at_a_tenth(model, (CardanRegularise)m);
        }
        cardan_model_release(model);
    }
    print_message("    %d files, %d refusals; tolerances from auto at most:", files.count, refused);
    for (int m = 1; m < CARDAN_REGULARISERS; m++)
        print_message(" %s %.2g", cardan_options_word("regularise.method", m), worst[m]);
    print_message("\n");
    assert_int_equal(failed, 0);
}

/* ---- no limit of size ---- */

/* 300 four-bars, 1802 rows, swing through their flat pose; gives the position of the last crank. */
static double swing_large(CardanRegularise method, double radius, CardanEvent *first) {
    enum { CELLS = 300 };
    CardanModel *model = scene_compile(mechanism_four_bars(CELLS));
    CardanOptions options = scene_fixed(CARDAN_STEPPER_RK4, 0.01);
    options.regularise.method = method;
    options.regularise.radius = radius;
    CardanSim *sim = scene_start(model, &options);
    scene_advance(sim, 1.0);
    const CardanEvent *events;
    assert_true(cardan_sim_events(sim, &events, NULL) > 0);
    *first = events[0];
    double x = cardan_sim_positions(sim)[6 * CELLS];
    cardan_sim_destroy(sim);
    cardan_model_release(model);
    return x;
}

static void large_models_have_their_multipliers_bounded_too(void **state) {
    (void)state;
    CardanEvent exact, inside, outside;
    double x = swing_large(CARDAN_REGULARISE_AUTO, 0.0, &exact);
    check_near(swing_large(CARDAN_REGULARISE_TRUST_REGION, 0.0, &inside), x, 1e-12, "inside the radius");
    assert_int_equal(inside.softened, 0);
    double bounded = swing_large(CARDAN_REGULARISE_TRUST_REGION, LARGE_RADIUS, &outside);
    print_message("    bounded to %g: %ld evaluations, epsilon %.2g, gave way by %.2g, %.2g m beside\n", LARGE_RADIUS,
                  outside.softened, outside.epsilon, outside.gave_way, fabs(bounded - x));
    assert_true(outside.softened > 0 && outside.epsilon > 0.0 && outside.gave_way > 0.0);
    assert_int_equal(outside.branch, CARDAN_BRANCH_KEPT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_regulariser_agrees_with_auto_on_every_model_file),
        cmocka_unit_test(large_models_have_their_multipliers_bounded_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
