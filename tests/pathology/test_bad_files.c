/* Model files with one fault each, outside of bodies, joints and forces (test_bad_objects.c); limits, and files that
 * cannot be read. */
#include "pathology/bad_file.h"
#include "pathology/bad_file_texts.h"

static const BadFile HEAD[] = {
    {"", 1, 1, "the file is empty"},
    {"# nothing but a comment\n", 1, 1, "the file is empty"},
    {"---\n", 2, 1, "a model must be a mapping {key: value, ...}, found nothing"},
    {"hello", 1, 1, "a model must be a mapping"},
    {"[1, 2]", 1, 1, "a model must be a mapping {key: value, ...}, found a list"},
    {"space: planar\n", 1, 1, "the key 'cardan' is missing"},
    {"cardan: 2\nspace: planar\n", 1, 9, "format version 2 is not supported"},
    {"cardan: one\nspace: planar\n", 1, 9, "unknown name 'one'"},
    {"cardan: [1]\nspace: planar\n", 1, 9, "cardan must be a number, found a list"},
    {"cardan: 1\n", 1, 1, "the key 'space' is missing"},
    {"cardan: 1\nspace: plannar\n", 2, 8, "unknown space 'plannar'; did you mean 'planar'?"},
    {"cardan: 1\nspace: 3\n", 2, 8, "unknown space '3'; there are: planar, spatial"},
    {PLANE "gravty: [0, 0]\n", 3, 1, "unknown key 'gravty'; did you mean 'gravity'?"},
    {PLANE "contacts: {}\n", 3, 1, "unknown key 'contacts'; there are: cardan, name"},
    {PLANE "name: [a]\n", 3, 7, "name must be a word, found a list"},
    {PLANE "description: {a: 1}\n", 3, 14, "description must be a text, found a mapping"},
    {PLANE "gravity: 9.81\n", 3, 10, "gravity must be a list of 2 numbers, found one value"},
    {PLANE "gravity: [0, 0, -9.81]\n", 3, 10, "gravity must have 2 numbers, has 3"},
    {SPACE "gravity: [0, -9.81]\n", 3, 10, "gravity must have 3 numbers, has 2"},
    {PLANE "gravity: [0, {}]\n", 3, 14, "gravity must be a number, found a mapping"},
    {PLANE "gravity: [0, ]\n", 3, 10, "gravity must have 2 numbers, has 1"},
    {PLANE "gravity: [0, down]\n", 3, 14, "unknown name 'down'"},
    {PLANE "gravity:\n", 3, 9, "gravity must be a list of 2 numbers, found nothing"},
};

static const BadFile NUMBERS[] = {
    {PLANE "parameters: {r: nan}\n", 3, 17, "expected a finite number, found 'nan'"},
    {PLANE "parameters: {r: .inf}\n", 3, 17, "expected a finite number, found '.inf'"},
    {PLANE "parameters: {r: -Infinity}\n", 3, 17, "expected a finite number, found '-Infinity'"},
    {PLANE "parameters: {r: 1e999}\n", 3, 17, "the number '1e999' is too large"},
    {PLANE "parameters: {r: \"10^400\"}\n", 3, 17, "10^400"},
    {PLANE "parameters: {r: \"1/0\"}\n", 3, 17, "1/0"},
    {PLANE "parameters: {r: \"sqrt(-1)\"}\n", 3, 17, "sqrt"},
    {PLANE "parameters: {r: \"2*(3\"}\n", 3, 17, "2*(3"},
    {PLANE "parameters: {r: 0x10}\n", 3, 17, "0x10"},
    {PLANE "parameters: {r: }\n", 3, 17, "parameter 'r': must be a number, found nothing"},
    {PLANE "parameters: {r: [1]}\n", 3, 17, "parameter 'r': must be a number, found a list"},
    {PLANE "parameters: [1]\n", 3, 13, "this section must be a mapping"},
    {PLANE "parameters: {r: s, s: 1}\n", 3, 17, "unknown name 's'"},
    {PLANE "parameters: {radius: 1, d: \"2*radios\"}\n", 3, 28, "did you mean 'radius'?"},
    {PLANE "parameters: {r: t}\n", 3, 17, "may not depend on the time"},
    {PLANE "parameters: {t: 1}\n", 3, 14, "the name 't' is reserved"},
    {PLANE "parameters: {pi: 3}\n", 3, 14, "the name 'pi' is reserved"},
    {PLANE "parameters: {sin: 3}\n", 3, 14, "the name 'sin' is reserved"},
    {PLANE "parameters: {2r: 3}\n", 3, 14, "'2r' is no name"},
    {PLANE "parameters: {\"a.b\": 3}\n", 3, 14, "'a.b' is no name"},
    {PLANE "parameters: {\"\": 3}\n", 3, 14, "a parameter needs a name"},
    {PLANE "parameters: {r: 1, r: 2}\n", 3, 20, "the key 'r' stands here a second time; the first is in line 3"},
    {PLANE "parameters: {u: 1}\ninputs: {u: 1}\n", 4, 10, "the name 'u' is taken by a parameter in line 3 already"},
    {PLANE "inputs: {u: v}\n", 3, 13, "unknown name 'v'"},
    {PLANE "inputs: {u: inf}\n", 3, 13, "expected a finite number"},
    {PLANE "inputs: {u: 1}\ngravity: [0, u]\n", 4, 14, "it is an input"},
};

static const BadFile RUN_FAULTS[] = {
    {HINGE "start: {rate: {hinge: 1}}\n", 7, 9, "unknown key 'rate'; did you mean 'rates'?"},
    {HINGE "start: {rates: {hinges: 1}}\n", 7, 17, "there is no joint 'hinges'; did you mean 'hinge'?"},
    {HINGE "start: {rates: {hinge: fast}}\n", 7, 24, "unknown name 'fast'"},
    {HINGE "start: {rates: [1]}\n", 7, 16, "rates must be a mapping"},
    {HINGE "start: {positions: guess}\n", 7, 20, "there are: keep, project"},
    {HINGE "start: {hold: rod}\n", 7, 15, "hold must be a list of bodies"},
    {HINGE "start: {hold: [rot]}\n", 7, 16, "there is no body 'rot'; did you mean 'rod'?"},
    {BODIES "joints:\n  w: {type: weld, bodies: [ground, rod]}\nstart: {rates: {w: 1}}\n", 7, 17,
     "no angle or displacement"},
    {PLANE "simulation: {ende: 1}\n", 3, 14, "unknown key 'ende'; did you mean 'end'?"},
    {PLANE "simulation: {end: -1}\n", 3, 19, "end must be >= 0"},
    {PLANE "simulation: {end: soon}\n", 3, 19, "unknown name 'soon'"},
    {PLANE "simulation: {stepper: dopri6}\n", 3, 23, "unknown stepper 'dopri6'; did you mean 'dopri5'?"},
    {PLANE "simulation: {stepper: [rk4]}\n", 3, 23, "stepper must be a word, found a list"},
    {PLANE "simulation: {solver: supernodul}\n", 3, 22, "unknown solver 'supernodul'; did you mean 'supernodal'?"},
    {PLANE "simulation: {formulation: gll}\n", 3, 27, "unknown formulation 'gll'; did you mean 'ggl'?"},
    {PLANE "simulation: {regularise: {method: qw}}\n", 3, 35, "unknown regularisation method 'qw'"},
    {PLANE "simulation: {regularise: {epsilon: -1}}\n", 3, 36, "regularise.epsilon must be >= 0"},
    {PLANE "simulation: {tolerance: 1e-6}\n", 3, 25, "tolerance must be a mapping"},
    {PLANE "simulation: {tolerance: {relativ: 1e-6}}\n", 3, 26, "did you mean 'relative'?"},
    {PLANE "simulation: {tolerance: {absolute: 0}}\n", 3, 36, "tolerance.absolute must be > 0"},
    {PLANE "simulation: {stabilise: {passes: 3}}\n", 3, 34, "stabilise.passes must be 1 or 2, is 3"},
    {PLANE "simulation: {stabilise: {freeze: -1}}\n", 3, 34, "stabilise.freeze must be from 0 to 1000"},
    {PLANE "simulation: {stabilise: {method: pots}}\n", 3, 34, "did you mean 'post'?"},
    {PLANE "simulation: {max_steps: 1.5}\n", 3, 25, "max_steps must be a whole number"},
    {PLANE "outputs: energy\n", 3, 10, "must be a list"},
    {PLANE "outputs: [[energy]]\n", 3, 11, "an output must be a word"},
};

static const BadFile YAML_FAULTS[] = {
    {PLANE "bodies: {rod: {mass: 1,", 3, 24, "not YAML"},
    {PLANE "gravity: [0, -9.81\nname: x\n", 4, 5, "not YAML"},
    {PLANE "name: \"never closed\n", 4, 1, "not YAML"},
    {PLANE "name: a: b\n", 3, 8, "not YAML"},
    {PLANE " name: x\n", 3, 6, "not YAML"},
    {PLANE "\tname: x\n", 3, 1, "not YAML"},
    {PLANE "name: @x\n", 3, 7, "not YAML"},
    {PLANE "name: &n x\n", 3, 7, "YAML anchors are refused"},
    {PLANE "name: *n\n", 3, 7, "YAML aliases are refused"},
    {PLANE "name: !!str x\n", 3, 7, "YAML tags are refused"},
    {PLANE "bodies: !set {}\n", 3, 9, "YAML tags are refused"},
    {PLANE "gravity: &g [0, 0]\n", 3, 10, "YAML anchors are refused"},
    {PLANE "---\n" PLANE, 3, 1, "a second document begins here"},
    {PLANE "? [a, b]\n: 1\n", 3, 3, "a key must be a word"},
    {PLANE "name: \"a\\0b\"\n", 3, 7, "a NUL character"},
    {PLANE "name: \x01\n", 3, 7, "not a text: control characters are not allowed"},
    {PLANE "name: \xff\xfe\n", 3, 7, "not a text"},
    {PLANE "name: \xc3(\n", 3, 8, "not a text"},
    {"\x7f"
     "ELF\x02\x01\x01",
     1, 1, "not a text"},
    {PLANE "name: x\nname: y\n", 4, 1, "the key 'name' stands here a second time; the first is in line 3"},
    {"cardan: 1\ncardan: 1\nspace: planar\nspace: planar\n", 2, 1, "the key 'cardan' stands here a second time"},
    {"{\"cardan\": 1, \"space\": \"planar\", \"gravity\": [0, null]}", 1, 49, "unknown name 'null'"},
};

static void faults_of_the_head_are_placed(void **state) {
    (void)state;
    EXPECT_ALL(HEAD);
}

static void faults_of_numbers_are_placed(void **state) {
    (void)state;
    EXPECT_ALL(NUMBERS);
}

static void faults_of_start_and_simulation_are_placed(void **state) {
    (void)state;
    EXPECT_ALL(RUN_FAULTS);
}

static void faults_of_yaml_are_placed(void **state) {
    (void)state;
    EXPECT_ALL(YAML_FAULTS);
}

/* ---- limits ---- */

static CardanStatus status_of(const char *text, size_t length, char *message, size_t size) {
    CardanBuilder *builder = NULL;
    CardanStatus status = cardan_builder_read_text(text, length, "bad.yaml", &builder);
    snprintf(message, size, "%s", cardan_builder_message(builder));
    cardan_builder_destroy(builder);
    return status;
}

static void deep_nesting_reaches_a_limit(void **state) {
    (void)state;
    char text[512] = PLANE "name: ", message[256];
    size_t n = strlen(text);
    memset(text + n, '[', 100);
    assert_int_equal(status_of(text, n + 100, message, sizeof message), CARDAN_ERR_LIMIT);
    assert_non_null(strstr(message, "bad.yaml:3:70: nested deeper than 64 levels"));
}

static void too_many_values_reach_a_limit(void **state) {
    (void)state;
    size_t count = (size_t)5 << 20;
    char *text = malloc(2 * count), message[256];
    assert_non_null(text);
    for (size_t i = 0; i < count; i++) memcpy(text + 2 * i, i == 0 ? "[1" : ",1", 2);
    assert_int_equal(status_of(text, 2 * count, message, sizeof message), CARDAN_ERR_LIMIT);
    assert_non_null(strstr(message, "values in one file"));
    free(text);
}

static void too_large_a_file_reaches_a_limit(void **state) {
    (void)state;
    size_t size = ((size_t)64 << 20) + 1;
    char *text = malloc(size), message[256];
    assert_non_null(text);
    memset(text, ' ', size);
    assert_int_equal(status_of(text, size, message, sizeof message), CARDAN_ERR_LIMIT);
    assert_string_equal(message, "the file is larger than 64 MiB");
    free(text);
}

/* A hundred thousand bodies with as many faults to look for: no check may be quadratic. */
static void a_large_file_is_read_quickly(void **state) {
    (void)state;
    enum { BODIES_OF_FILE = 50000 };
    size_t size = (size_t)BODIES_OF_FILE * 64 + 64, n = 0;
    char *text = malloc(size), message[256];
    assert_non_null(text);
    n += (size_t)snprintf(text, size, PLANE "bodies:\n");
    for (int i = 0; i < BODIES_OF_FILE; i++)
        n += (size_t)snprintf(text + n, size - n, "  b%d: {mass: 1, inertia: 1}\n", i);
    assert_int_equal(status_of(text, n, message, sizeof message), CARDAN_OK);
    free(text);
}

/* ---- files ---- */

static void a_missing_file_is_an_io_error(void **state) {
    (void)state;
    CardanBuilder *builder = NULL;
    assert_int_equal(cardan_builder_read_file("no/such/file.yaml", &builder), CARDAN_ERR_IO);
    assert_string_equal(cardan_builder_message(builder), "no/such/file.yaml: No such file or directory");
    cardan_builder_destroy(builder);
}

static void a_directory_is_an_io_error(void **state) {
    (void)state;
    CardanBuilder *builder = NULL;
    assert_int_equal(cardan_builder_read_file("/", &builder), CARDAN_ERR_IO);
    assert_non_null(strstr(cardan_builder_message(builder), "directory"));
    cardan_builder_destroy(builder);
}

static void control_characters_do_not_reach_messages(void **state) {
    (void)state;
    char message[256];
    const char *text = PLANE "\"\\e[31mred\": 1\n";
    assert_int_equal(status_of(text, strlen(text), message, sizeof message), CARDAN_ERR_MODEL);
    assert_null(strchr(message, '\x1b'));
    assert_non_null(strstr(message, "'?[31mred'"));
}

/* A file cut anywhere is refused or, where a shorter file happens to be a model, read; never anything else. */
static void a_file_cut_anywhere_is_refused_or_read(void **state) {
    (void)state;
    const char *text =
        FORCE("{type: torque, joint: hinge, value: \"sin(t)\"}") "simulation: {end: 1}\noutputs: [rod.x]\n";
    char message[512];
    for (size_t n = 0; n <= strlen(text); n++) {
        CardanStatus status = status_of(text, n, message, sizeof message);
        assert_true(status == CARDAN_OK || status == CARDAN_ERR_MODEL);
        if (status < 0) assert_int_equal(strncmp(message, "bad.yaml:", 9), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_of_the_head_are_placed),
        cmocka_unit_test(faults_of_numbers_are_placed),
        cmocka_unit_test(faults_of_start_and_simulation_are_placed),
        cmocka_unit_test(faults_of_yaml_are_placed),
        cmocka_unit_test(deep_nesting_reaches_a_limit),
        cmocka_unit_test(too_many_values_reach_a_limit),
        cmocka_unit_test(too_large_a_file_reaches_a_limit),
        cmocka_unit_test(a_large_file_is_read_quickly),
        cmocka_unit_test(a_missing_file_is_an_io_error),
        cmocka_unit_test(a_directory_is_an_io_error),
        cmocka_unit_test(control_characters_do_not_reach_messages),
        cmocka_unit_test(a_file_cut_anywhere_is_refused_or_read),
    };
    return cmocka_run_group_tests_name("bad files", tests, NULL, NULL);
}
