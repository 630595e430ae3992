/* Every public function, called so that it must fail: the right status, a sentence of its own and never an older one,
 * and nothing changed. A function that no table here names fails the last test. */
#include "fault/messages/answers.h"
#include "fault/messages/buffer_rows.h"
#include "fault/messages/builder_rows.h"
#include "fault/messages/run_rows.h"
#include "fault/messages/sim_rows.h"
#include "fault/messages/study_rows.h"
#include "support/reading.h"

#include <dirent.h>

/* ---- the place ---- */

/* The call to be made inside the action of the event; NULL: none. */
typedef struct Inside {
    const Row *row;
    Place *place;
    CardanStatus status;
    char message[512];
} Inside;

static Inside inside;

static CardanStatus at_005(void *user, const CardanEventView *view, double *value) {
    (void)user;
    *value = view->t - 0.05;
    return CARDAN_OK;
}

static CardanStatus act(void *user, CardanSim *sim, double *q, double *v, double *z) {
    (void)user, (void)q, (void)v, (void)z;
    if (inside.row == NULL) return CARDAN_OK;
    inside.status = inside.row->call(inside.place, inside.row->k);
    snprintf(inside.message, sizeof inside.message, "%s", cardan_sim_message(sim));
    return CARDAN_OK;
}

static CardanModel *build_model(void) {
    CardanBuilder *b = rich_model();
    CardanBody wheel = cardan_builder_add_body(
        b, &(CardanBodyDef){DEFAULTED, .name = "wheel", .mass = 1.0, .inertia.zz = 1.0, .pose.p.x = 9.0});
    CardanJoint axle =
        cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "axle", .type = CARDAN_JOINT_REVOLUTE,
                                                      .b = wheel, .point = {9.0, 0.0, 0.0}});
    cardan_builder_add_joint(
        b, &(CardanJointDef){DEFAULTED, .name = "drive", .type = CARDAN_JOINT_DRIVER, .joint = axle, .law = "0.1*t^2"});
    cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "brittle", .type = CARDAN_FORCE_TORQUE,
                                                  .joint = axle, .law = {"sqrt(u)"}});
    cardan_builder_add_event(b, &(CardanEventDef){DEFAULTED, .name = "tick", .function = at_005, .action = act});
    return model_of(b);
}

static Place open_place(void) {
    static const CardanLabDef decay = {DEFAULTED, .name = "decay", .order = 0, .n = 1, .terms = lab_terms};
    Place p = {.model = build_model()};
    p.u = cardan_model_find_input(p.model, "u");
    p.hinge = cardan_model_find_joint(p.model, "hinge");
    p.rail = cardan_model_find_joint(p.model, "rail");
    p.drive = cardan_model_find_joint(p.model, "drive");
    p.sim = sim_of(p.model, NULL);
    MUST(cardan_lab_problem_create(&decay, &p.problem, NULL, 0));
    return p;
}

static void close_place(Place *p) {
    cardan_lab_problem_destroy(p->problem);
    cardan_sim_destroy(p->sim);
    cardan_model_release(p->model);
}

static void check_row(const char *function, int k, CardanStatus status, CardanStatus expected, const char *message,
                      const char *piece) {
    if (status != expected)
        fail_msg("%s, case %d: %s (%s), expected %s", function, k, cardan_status_name(status), message,
                 cardan_status_name(expected));
    if (strstr(message, piece) == NULL) fail_msg("%s, case %d: '%s' has not '%s'", function, k, message, piece);
}

/* ---- simulations ---- */

static void every_call_on_a_simulation_that_fails_leaves_its_own_sentence_and_changes_nothing(void **state) {
    (void)state;
    Place p = open_place();
    advance(p.sim, 0.1);
    for (size_t i = 0; i < COUNT_OF(SIM_ROWS); i++) {
        const Row *row = &SIM_ROWS[i];
        if (row->when == ACTING) continue;
        MUST(cardan_sim_set_input(p.sim, p.u, row->when == BROKEN ? -7.0 : 0.5));
        Snapshot before = snapshot_of(p.sim);
        assert_int_equal(cardan_sim_sample(p.sim, 0.1, -12345, NULL, NULL), CARDAN_ERR_ARGUMENT); /* an older one */
        CardanStatus status = row->call(&p, row->k);
        check_row(row->function, row->k, status, row->status, cardan_sim_message(p.sim), row->piece);
        assert_null(strstr(cardan_sim_message(p.sim), "12345"));
        assert_unchanged(&before, p.sim);
        assert_true(input_of(p.sim, p.u) == (row->when == BROKEN ? -7.0 : 0.5));
    }
    close_place(&p);
}

static void calls_that_would_move_a_simulation_are_refused_inside_the_action_of_an_event(void **state) {
    (void)state;
    Place p = open_place();
    for (size_t i = 0; i < COUNT_OF(SIM_ROWS); i++) {
        if (SIM_ROWS[i].when != ACTING) continue;
        CardanSim *quiet = sim_of(p.model, NULL);
        inside = (Inside){.row = NULL};
        advance(quiet, 0.06);
        cardan_sim_destroy(p.sim);
        p.sim = sim_of(p.model, NULL);
        inside = (Inside){.row = &SIM_ROWS[i], .place = &p};
        advance(p.sim, 0.06);
        check_row(SIM_ROWS[i].function, SIM_ROWS[i].k, inside.status, SIM_ROWS[i].status, inside.message,
                  SIM_ROWS[i].piece);
        assert_string_equal(cardan_sim_message(p.sim), ""); /* of the advance, which went well */
        assert_same_bits(p.sim, quiet);
        cardan_sim_destroy(quiet);
    }
    inside = (Inside){.row = NULL};
    close_place(&p);
}

static void calls_without_a_simulation_or_on_one_that_did_not_start_are_refused(void **state) {
    (void)state;
    Place p = open_place(), none = p, dead = p;
    CardanOptions bad = cardan_default_options();
    bad.rtol = -1.0;
    none.sim = dead.sim = NULL;
    assert_int_equal(cardan_sim_create(p.model, &bad, &dead.sim), CARDAN_ERR_MODEL);
    for (size_t i = 0; i < COUNT_OF(SIM_ROWS); i++) {
        const Row *row = &SIM_ROWS[i];
        check_row(row->function, row->k, row->call(&none, row->k), CARDAN_ERR_ARGUMENT, cardan_sim_message(NULL),
                  "there is no simulation");
        if (row->call == set_motion || row->call == work) continue; /* reads the motion first; counters are there */
        check_row(row->function, row->k, row->call(&dead, row->k), CARDAN_ERR_ARGUMENT, cardan_sim_message(dead.sim),
                  "this simulation did not start");
    }
    cardan_sim_destroy(dead.sim);
    close_place(&p);
}

/* ---- buffers, builders, answers ---- */

static void every_call_with_a_buffer_that_fails_puts_its_own_sentence_there(void **state) {
    (void)state;
    Place p = open_place();
    Snapshot before = snapshot_of(p.sim);
    for (size_t i = 0; i < COUNT_OF(BUFFER_ROWS); i++) {
        const Row *row = &BUFFER_ROWS[i];
        strcpy(p.message, "an older sentence");
        CardanStatus status = row->call(&p, row->k);
        check_row(row->function, row->k, status, row->status, p.message, row->piece);
        assert_null(strstr(p.message, "older"));
    }
    assert_unchanged(&before, p.sim);
    close_place(&p);
}

static void every_call_on_a_builder_that_fails_leaves_its_sentence_which_is_kept(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(BUILDER_ROWS); i++) {
        const BuilderRow *row = &BUILDER_ROWS[i];
        CardanBuilder *b = cardan_builder_create(CARDAN_SPACE_PLANAR);
        char first[512];
        row->call(b, row->k);
        check_row(row->function, row->k, cardan_builder_status(b), row->status, cardan_builder_message(b), row->piece);
        snprintf(first, sizeof first, "%s", cardan_builder_message(b));
        assert_int_equal(cardan_builder_add_body(b, NULL).index, CARDAN_INVALID);
        CardanModel *model = NULL;
        assert_int_equal(cardan_builder_compile(b, &model), row->status);
        assert_null(model);
        assert_string_equal(cardan_builder_message(b), first);
        cardan_builder_destroy(b);
        if (row->call != builder_set_parameter && row->call != compile) row->call(NULL, row->k); /* bears NULL */
    }
}

static void what_cannot_be_read_leaves_a_builder_with_the_sentence(void **state) {
    (void)state;
    const struct {
        const char *path, *text;
        CardanStatus status;
        const char *piece;
    } cases[] = {{NULL, NULL, CARDAN_ERR_ARGUMENT, "the path is NULL"},
                 {"models/nowhere.yaml", NULL, CARDAN_ERR_IO, "models/nowhere.yaml"},
                 {NULL, "cardan: 99", CARDAN_ERR_MODEL, "here:1:"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        CardanBuilder *b = NULL;
        CardanStatus status = cases[i].text == NULL
                                  ? cardan_builder_read_file(cases[i].path, &b)
                                  : cardan_builder_read_text(cases[i].text, strlen(cases[i].text), "here", &b);
        check_row("reading", (int)i, status, cases[i].status, cardan_builder_message(b), cases[i].piece);
        cardan_builder_destroy(b);
    }
    CardanBuilder *b = NULL;
    assert_int_equal(cardan_builder_read_text(NULL, 3, "here", &b), CARDAN_ERR_ARGUMENT);
    assert_string_equal(cardan_builder_message(b), "the text is NULL");
    cardan_builder_destroy(b);
    assert_int_equal(cardan_builder_read_file("models/pendulum.yaml", NULL), CARDAN_ERR_ARGUMENT);
    assert_int_equal(cardan_builder_read_text("", 0, "here", NULL), CARDAN_ERR_ARGUMENT);
}

static void functions_that_cannot_fail_answer_as_documented_where_there_is_nothing(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(ANSWERS); i++)
        if (!ANSWERS[i].holds()) fail_msg("%s answers something else", ANSWERS[i].function);
}

static void handles_of_unknown_names_are_refused_where_the_ground_would_be_taken(void **state) {
    (void)state;
    Place p = open_place();
    CardanBody nobody = cardan_model_find_body(p.model, "nobody");
    CardanBodyState out;
    assert_int_equal(nobody.index, CARDAN_INVALID);
    assert_int_equal(cardan_model_find_body(p.model, "ground").index, 0);
    assert_int_equal(cardan_sim_body(p.sim, nobody, &out), CARDAN_ERR_ARGUMENT);
    assert_int_equal(cardan_model_body_kind(p.model, nobody), CARDAN_BODY_NONE);
    assert_int_equal(cardan_model_find_joint(p.model, "nobody").index, CARDAN_INVALID);
    assert_int_equal(cardan_model_find_input(p.model, "nobody").index, CARDAN_INVALID);
    assert_int_equal(cardan_model_find_first_order(p.model, "nobody").index, CARDAN_INVALID);
    close_place(&p);
}

static void every_call_on_operators_that_fails_leaves_its_own_sentence(void **state) {
    (void)state;
    Place p = open_place();
    CardanOperators *op = NULL;
    char message[64];
    assert_int_equal(cardan_operators_create(NULL, CARDAN_COORDINATES_ABSOLUTE, &op, message, sizeof message),
                     CARDAN_ERR_ARGUMENT);
    assert_string_equal(message, "the model is NULL");
    assert_int_equal(cardan_operators_create(p.model, CARDAN_COORDINATES_ABSOLUTE, &op, NULL, 0), CARDAN_OK);
    assert_int_equal(cardan_operators_get(NULL, NULL, NULL, NULL), CARDAN_ERR_ARGUMENT);
    assert_int_equal(cardan_operators_residuals(NULL, NULL, NULL, NULL), CARDAN_ERR_ARGUMENT);
    assert_int_equal(cardan_operators_sizes(NULL).rows, 0);
    assert_string_equal(cardan_operators_message(NULL), "there are no operators");
    for (size_t i = 0; i < COUNT_OF(STUDY_ROWS); i++) {
        assert_int_equal(cardan_operators_get(op, NULL, NULL, NULL), CARDAN_OK);
        assert_string_equal(cardan_operators_message(op), "");
        assert_int_equal(STUDY_ROWS[i].call(op), CARDAN_ERR_ARGUMENT);
        if (cardan_operators_message(op)[0] == '\0') fail_msg("%s leaves no sentence", STUDY_ROWS[i].function);
        assert_int_equal(STUDY_ROWS[i].call(NULL), CARDAN_ERR_ARGUMENT);
    }
    cardan_operators_destroy(NULL);
    cardan_operators_destroy(op);
    close_place(&p);
}

static void every_call_on_a_study_that_fails_leaves_its_own_sentence(void **state) {
    (void)state;
    Place p = open_place();
    CardanStudy *study = NULL;
    char message[64];
    assert_int_equal(cardan_study_create(NULL, &study, message, sizeof message), CARDAN_ERR_ARGUMENT);
    assert_string_equal(message, "the model is NULL");
    assert_int_equal(cardan_study_create(p.model, &study, NULL, 0), CARDAN_OK);
    assert_string_equal(cardan_study_message(NULL), "there is no study");
    assert_true(isnan(cardan_study_time(NULL)));
    assert_null(cardan_study_positions(NULL));
    assert_null(cardan_study_velocities(NULL));
    assert_null(cardan_study_accelerations(NULL));
    assert_null(cardan_study_multipliers(NULL));
    for (size_t i = 0; i < COUNT_OF(ANALYSIS_ROWS); i++) {
        assert_int_equal(cardan_study_hold(study, (CardanBody){0}), CARDAN_OK);
        assert_string_equal(cardan_study_message(study), "");
        assert_int_equal(ANALYSIS_ROWS[i].call(study), CARDAN_ERR_ARGUMENT);
        if (cardan_study_message(study)[0] == '\0') fail_msg("%s leaves no sentence", ANALYSIS_ROWS[i].function);
        assert_int_equal(ANALYSIS_ROWS[i].call(NULL), CARDAN_ERR_ARGUMENT);
    }
    cardan_study_destroy(NULL);
    cardan_study_destroy(study);
    close_place(&p);
}

static void calls_on_runs_and_results_refuse_nothing(void **state) {
    (void)state;
    Place p = open_place();
    runs_refuse_nothing_by_status_and_sentence(&p);
    results_refuse_nothing_by_status_and_sentence(&p);
    close_place(&p);
}

/* ---- the tables are complete ---- */

static bool is_tested(const char *function) {
    static const char *const others[] = {"cardan_builder_read_file", "cardan_builder_read_text"}; /* above */
    for (size_t i = 0; i < COUNT_OF(SIM_ROWS); i++)
        if (strcmp(SIM_ROWS[i].function, function) == 0) return true;
    for (size_t i = 0; i < COUNT_OF(BUFFER_ROWS); i++)
        if (strcmp(BUFFER_ROWS[i].function, function) == 0) return true;
    for (size_t i = 0; i < COUNT_OF(BUILDER_ROWS); i++)
        if (strcmp(BUILDER_ROWS[i].function, function) == 0) return true;
    for (size_t i = 0; i < COUNT_OF(ANSWERS); i++)
        if (strcmp(ANSWERS[i].function, function) == 0) return true;
    for (size_t i = 0; i < COUNT_OF(STUDY_ROWS); i++)
        if (strcmp(STUDY_ROWS[i].function, function) == 0) return true;
    for (size_t i = 0; i < COUNT_OF(ANALYSIS_ROWS); i++)
        if (strcmp(ANALYSIS_ROWS[i].function, function) == 0) return true;
    for (size_t i = 0; i < COUNT_OF(STUDY_OTHERS); i++)
        if (strcmp(STUDY_OTHERS[i], function) == 0) return true;
    for (size_t i = 0; i < COUNT_OF(RUN_FUNCTIONS); i++)
        if (strcmp(RUN_FUNCTIONS[i], function) == 0) return true;
    for (size_t i = 0; i < COUNT_OF(others); i++)
        if (strcmp(others[i], function) == 0) return true;
    return false;
}

static int check_header(const char *path) {
    char line[512];
    int declared = 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        char *name = strncmp(line, "CARDAN_API", 10) == 0 ? strstr(line, "cardan_") : NULL;
        if (name == NULL) continue;
        name[strcspn(name, "(")] = '\0';
        declared++;
        if (!is_tested(name)) fail_msg("%s declares %s, which has no row here", path, name);
    }
    fclose(file);
    return declared;
}

static void every_function_of_the_public_headers_is_in_a_table(void **state) {
    (void)state;
    char path[512];
    int declared = 0;
    DIR *folder = opendir("include/cardan");
    assert_non_null(folder);
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot == NULL || strcmp(dot, ".h") != 0) continue;
        snprintf(path, sizeof path, "include/cardan/%s", entry->d_name);
        declared += check_header(path);
    }
    closedir(folder);
    assert_true(declared > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_on_a_simulation_that_fails_leaves_its_own_sentence_and_changes_nothing),
        cmocka_unit_test(calls_that_would_move_a_simulation_are_refused_inside_the_action_of_an_event),
        cmocka_unit_test(calls_without_a_simulation_or_on_one_that_did_not_start_are_refused),
        cmocka_unit_test(every_call_with_a_buffer_that_fails_puts_its_own_sentence_there),
        cmocka_unit_test(every_call_on_a_builder_that_fails_leaves_its_sentence_which_is_kept),
        cmocka_unit_test(what_cannot_be_read_leaves_a_builder_with_the_sentence),
        cmocka_unit_test(functions_that_cannot_fail_answer_as_documented_where_there_is_nothing),
        cmocka_unit_test(handles_of_unknown_names_are_refused_where_the_ground_would_be_taken),
        cmocka_unit_test(every_call_on_operators_that_fails_leaves_its_own_sentence),
        cmocka_unit_test(every_call_on_a_study_that_fails_leaves_its_own_sentence),
        cmocka_unit_test(calls_on_runs_and_results_refuse_nothing),
        cmocka_unit_test(every_function_of_the_public_headers_is_in_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
