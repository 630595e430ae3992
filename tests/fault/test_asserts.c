/* Asserts that hold their word: internal functions called wrongly, each in a process of its own that has to die there
 * and say why. Where asserts are off (release builds) there is nothing to test. A further one: a function that breaks a
 * rule and a line in CASES. */
#ifdef NDEBUG

int main(void) {
    return 77; /* skipped */
}

#else

#include "analysis/assemble.h"
#include "analysis/rates.h"
#include "core/names.h"
#include "core/rotation.h"
#include "equations/force_scene.h"
#include "equations/stamp.h"
#include "expr/lex.h"
#include "expr/program.h"
#include "linear/pivot.h"
#include "linear/reduced.h"
#include "support/check.h"
#include "support/scene.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- a mechanism: workspace laid out, nothing evaluated ---- */

typedef struct Bench {
    CardanModel *model;
    const CrdStructure *structure;
    CrdDynamics dynamics;
    CrdSystem *system;
    CrdArena arena;
    CrdError error;
    const double *q, *v;
} Bench;

static Bench *open_bench(const char *path) {
    static Bench bench;
    CardanOptions options = cardan_default_options();
    bench.model = scene_load(path);
    bench.structure = bench.model->structure;
    bench.system = &bench.dynamics.system;
    crd_dynamics_layout(&bench.dynamics, bench.model, &options, &bench.arena);
    assert_true(crd_arena_allocate(&bench.arena));
    crd_dynamics_layout(&bench.dynamics, bench.model, &options, &bench.arena);
    bench.dynamics.error = &bench.error;
    assert_true(crd_dynamics_open(&bench.dynamics, &options) >= 0);
    bench.q = bench.model->values.q0;
    bench.v = bench.model->values.v0;
    return &bench;
}

static Bench *bench_with_frames(const char *path) {
    Bench *bench = open_bench(path);
    assert_true(crd_kinematics(bench->model, 0.0, bench->q, bench->v, bench->system, &bench->error) >= 0);
    return bench;
}

static Bench *bench_with_rows(const char *path) {
    Bench *bench = open_bench(path);
    assert_true(crd_evaluate_constraints(&bench->dynamics, 0.0, bench->q, bench->v) >= 0);
    return bench;
}

static const char *const FOUR_BAR = "models/four_bar.yaml"; /* with a start rate */
static const char *const CAR = "models/quarter_car.yaml";   /* with forces */

/* ---- core ---- */

static void real_layout_larger_than_the_measured(void) {
    CrdArena arena = {0};
    crd_take(&arena, 8, sizeof(double));
    if (!crd_arena_allocate(&arena)) return;
    crd_take(&arena, 9, sizeof(double));
}

static void arena_allocated_twice(void) {
    CrdArena arena = {0};
    if (crd_arena_allocate(&arena)) crd_arena_allocate(&arena);
}

static void name_without_room(void) {
    CrdNames names = {.slots = NULL};
    crd_names_put(&names, "crank", CRD_NAME_BODY, 0);
}

static void name_twice(void) {
    CrdNames names = {.slots = NULL};
    for (int i = 0; i < 2 && crd_names_reserve(&names); i++) crd_names_put(&names, "crank", CRD_NAME_BODY, i);
}

static void matrix_of_a_long_quaternion(void) {
    crd_matrix_of((CardanQuat){1.0, 0.1, 0.0, 0.0});
}

static void directions_across_no_unit_vector(void) {
    CrdVec e1, e2;
    crd_across(crd_vec(0.0, 0.0, 2.0), &e1, &e2);
}

static void failure_that_is_none(void) {
    CrdError error = {0};
    crd_fail(&error, CARDAN_OK, "nothing");
}

/* ---- expr ---- */

static void arguments_counted_off_a_bracket(void) {
    const char *text = "sin(1)";
    CrdLexer lexer = {.text = text, .at = text, .end = text + strlen(text)};
    if (crd_lex_next(&lexer) >= 0) crd_lex_count_arguments(&lexer);
}

static int find_x(const void *user, const char *name, size_t length) {
    (void)user;
    return length == 1 && name[0] == 'x' ? 0 : -1;
}

static void expression_without_its_variables(void) {
    CrdSymbols symbols = {.find = find_x};
    CrdExpr *expr;
    double value;
    if (crd_expr_compile("x + 1", &symbols, &expr, NULL) >= 0) crd_expr_value(expr, NULL, &value, NULL);
}

static void comparison_held_on_no_side(void) {
    crd_held_comparison(CRD_OP_LESS, 0);
}

/* ---- measure, model ---- */

static void joint_measure_of_a_body(void) {
    CardanFrame frame = {.angle = 0.0};
    crd_measure_frame(CRD_LENGTH, &frame);
}

static const int START[] = {0, 1, 3}, SORTED[] = {0, 0, 1}, UNSORTED[] = {0, 1, 0};

static void elimination_of_an_unsorted_pattern(void) {
    CrdElimination *elimination;
    crd_elimination_create(2, START, UNSORTED, 0, NULL, &elimination, NULL);
}

static void structure_ordered_twice(void) {
    crd_structure_order(open_bench(FOUR_BAR)->model->structure, NULL);
}

static void third_side_of_a_joint(void) {
    crd_element_frame(open_bench(FOUR_BAR)->structure, 0, 2);
}

/* ---- linear ---- */

static void slots_for_a_back_end_without(void) {
    CrdPattern pattern = {.n = 2, .start = START, .row = SORTED, .slot = SORTED};
    CrdSolver *solver;
    crd_solver_dense.create(&pattern, 2, &solver, NULL);
}

static void rows_of_a_solver_that_is_not_reduced(void) {
    CrdPattern pattern = {.n = 2, .start = START, .row = SORTED};
    CrdSolver *solver;
    if (crd_solver_dense.create(&pattern, 2, &solver, NULL) >= 0) crd_reduced_rows(solver);
}

static void pivot_of_a_row_beyond_the_last(void) {
    CrdPattern pattern = {.n = 2, .start = START, .row = SORTED};
    CrdSolver *solver;
    if (crd_solver_dense.create(&pattern, 2, &solver, NULL) < 0) return;
    CrdPivot pivot = crd_pivot_start(solver);
    crd_pivot_judge(solver, &pivot, 2, 1.0, 1.0);
}

static void rank_without_singular_values(void) {
    CrdSpectrum spectrum;
    if (crd_spectrum_open(&spectrum, open_bench(FOUR_BAR)->model, NULL) >= 0) crd_spectrum_rank(&spectrum, 1e-7);
}

static void singular_values_read_as_qr(void) {
    Bench *bench = bench_with_rows(FOUR_BAR);
    CrdSpectrum spectrum;
    if (crd_spectrum_open(&spectrum, bench->model, NULL) < 0) return;
    if (crd_spectrum_take(&spectrum, bench->system, false, NULL) < 0) return;
    crd_spectrum_motion_qr(&spectrum, bench->system, bench->system->f, bench->system->gamma, 0, bench->dynamics.a,
                           bench->dynamics.lambda);
}

static void spectrum_without_rows(void) {
    Bench *bench = bench_with_frames(FOUR_BAR);
    CrdSpectrum spectrum;
    if (crd_spectrum_open(&spectrum, bench->model, NULL) >= 0) crd_spectrum_take(&spectrum, bench->system, false, NULL);
}

/* ---- equations ---- */

static void rows_at_a_state_without_frames(void) {
    Bench *bench = open_bench(FOUR_BAR);
    crd_constraints(bench->model, bench->q, bench->v, &bench->dynamics.actions, bench->system, &bench->error);
}

static void schur_complement_without_rows(void) {
    Bench *bench = bench_with_frames(FOUR_BAR);
    crd_form_schur(bench->model, CARDAN_METRIC_MASS, bench->system);
}

static void force_without_the_variables_of_laws(void) {
    Bench *bench = open_bench(CAR);
    CrdForceScene scene;
    crd_kinematics(bench->model, 1.0, bench->q, bench->v, bench->system, &bench->error);
    crd_force_scene(bench->model, 0, &bench->dynamics.actions, bench->system, &scene, &bench->error);
}

static void effort_of_a_joint_without(void) {
    Bench *bench = bench_with_rows(FOUR_BAR);
    crd_joint_effort(bench->model, bench->system, bench->dynamics.lambda, 0);
}

static void product_into_its_own_factor(void) {
    Bench *bench = bench_with_rows(FOUR_BAR);
    crd_times_g(bench->structure, bench->system->G, bench->system->f, bench->system->f);
}

/* ---- dynamics, analysis ---- */

static void accelerations_without_rows(void) {
    Bench *bench = bench_with_frames(FOUR_BAR);
    crd_solve_accelerations(&bench->dynamics, bench->q, bench->v);
}

static void factor_of_another_state(void) {
    Bench *bench = bench_with_rows(FOUR_BAR);
    crd_kinematics(bench->model, 1.0, bench->q, bench->v, bench->system, &bench->error); /* frames went on */
    crd_factor(&bench->dynamics, CARDAN_METRIC_MASS);
}

static void solve_without_a_factor(void) {
    Bench *bench = bench_with_rows(FOUR_BAR);
    crd_solve_rows(&bench->dynamics, bench->dynamics.lambda);
}

static void rates_without_a_factor(void) {
    Bench *bench = bench_with_rows(FOUR_BAR);
    crd_set_rates(&bench->dynamics, bench->dynamics.a);
}

static void assembly_with_the_spectrum_of_another_model(void) {
    Bench *bench = open_bench(FOUR_BAR);
    CardanModel *other = scene_load(CAR);
    CrdSpectrum spectrum;
    if (crd_spectrum_open(&spectrum, other, NULL) < 0) return;
    CrdAssembly assembly = {.dynamics = &bench->dynamics, .spectrum = &spectrum};
    crd_assemble(&assembly, 0.0, bench->dynamics.near_pose.q, bench->v);
}

/* ---- all of them ---- */

typedef struct Case {
    const char *name;
    const char *expression; /* part of what the assert says */
    void (*break_rule)(void);
} Case;

#define BREAKS(function, expression)                                                                                   \
    { #function, expression, function }

static Case CASES[] = {
    BREAKS(real_layout_larger_than_the_measured, "arena->used <= arena->size"),
    BREAKS(arena_allocated_twice, "arena->base == NULL && room != NULL"),
    BREAKS(name_without_room, "names->count < names->capacity / 2"),
    BREAKS(name_twice, "slot->name == NULL"),
    BREAKS(matrix_of_a_long_quaternion, "is_unit_quat(q)"),
    BREAKS(directions_across_no_unit_vector, "is_unit(u)"),
    BREAKS(failure_that_is_none, "status != CARDAN_OK"),
    BREAKS(arguments_counted_off_a_bracket, "lexer->token.kind == '('"),
    BREAKS(expression_without_its_variables, "variables != NULL"),
    BREAKS(comparison_held_on_no_side, "side != 0"),
    BREAKS(joint_measure_of_a_body, "(crd_measures[measure].of & CRD_OF_BODY) != 0"),
    BREAKS(elimination_of_an_unsorted_pattern, "crd_pattern_is_valid(n, start, row)"),
    BREAKS(structure_ordered_twice, "structure->s_start == NULL"),
    BREAKS(third_side_of_a_joint, "side < structure->elements[element].attachments"),
    BREAKS(slots_for_a_back_end_without, "ops->takes_slots"),
    BREAKS(rows_of_a_solver_that_is_not_reduced, "solver->ops == &crd_solver_reduced"),
    BREAKS(pivot_of_a_row_beyond_the_last, "row < solver->pattern.n"),
    BREAKS(rank_without_singular_values, "has_singular_values(sp, 0)"),
    BREAKS(singular_values_read_as_qr, "sp->holds == CRD_PIVOTED_QR"),
    BREAKS(spectrum_without_rows, "crd_stamp_holds(&system->stamp, CRD_HOLDS_ROWS)"),
    BREAKS(rows_at_a_state_without_frames, "crd_stamp_at(&system->stamp, q)"),
    BREAKS(schur_complement_without_rows, "crd_stamp_holds(&system->stamp, CRD_HOLDS_ROWS)"),
    BREAKS(force_without_the_variables_of_laws, "system->law_values[CRD_LAW_TIME] == system->t"),
    BREAKS(effort_of_a_joint_without, "crd_element_has_effort"),
    BREAKS(product_into_its_own_factor, "x != y"),
    BREAKS(accelerations_without_rows, "CRD_HOLDS_ROWS"),
    BREAKS(factor_of_another_state, "crd_stamp_holds(stamp, CRD_HOLDS_ROWS)"),
    BREAKS(solve_without_a_factor, "dynamics->factor.made"),
    BREAKS(rates_without_a_factor, "CRD_HOLDS_FACTOR"),
    BREAKS(assembly_with_the_spectrum_of_another_model, "as->spectrum->model->structure"),
};

enum { CASE_COUNT = sizeof CASES / sizeof *CASES };

/* Only the abort of the assert may end it: no handler of a sanitizer or of the test's, no core file. */
static void die(const Case *broken, int to) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    signal(SIGABRT, SIG_DFL);
    dup2(to, STDOUT_FILENO);
    dup2(to, STDERR_FILENO);
    broken->break_rule();
    _exit(0);
}

static void the_rule_is_asserted(void **state) {
    const Case *broken = *state;
    char said[4096] = "";
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) die(broken, ends[1]);
    close(ends[1]);
    size_t used = 0;
    for (ssize_t n; used < sizeof said - 1 && (n = read(ends[0], said + used, sizeof said - 1 - used)) > 0;)
        used += (size_t)n;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT) fail_msg("not asserted; it said: %s", said);
    if (strstr(said, broken->expression) == NULL) fail_msg("another assert: %s", said);
}

int main(void) {
    struct CMUnitTest tests[CASE_COUNT];
    for (int i = 0; i < CASE_COUNT; i++)
        tests[i] =
            (struct CMUnitTest){.name = CASES[i].name, .test_func = the_rule_is_asserted, .initial_state = &CASES[i]};
    return _cmocka_run_group_tests("asserts", tests, CASE_COUNT, NULL, NULL);
}

#endif
