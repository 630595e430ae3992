/* Run files: every record read back as written; cut, damaged, of another version, of another model; a run that goes on
 * writes the same records as one that was never interrupted; a sink that fails loses nothing it had taken. */
#include "store/checksum.h"
#include "store/record.h"
#include "support/check.h"
#include "support/scene.h"

#include "cardan/run.h"

#include <stdlib.h>
#include <string.h>

enum { CHANNELS = 3, CUT = 4096 };

/* A run of a model: bytes of its file, kept. */
typedef struct Kept {
    unsigned char *bytes;
    size_t size;
} Kept;

typedef struct Setting {
    CardanModel *model;
    CardanOptions options;
    CardanChannel channel[CHANNELS];
    double step; /* s; between rows */
    bool work;   /* of a force is among the channels: it is followed from the start */
} Setting;

/* A slider-crank that passes its singular pose, and a dropped body that meets contacts and limits. */
static Setting make_setting(const char *path, const char *stepper) {
    static const char *const names[CHANNELS] = {"energy", "residual", "step"};
    char message[256];
    Setting setting = {.model = scene_load(path), .step = 0.01};
    setting.options = cardan_model_options(setting.model);
    setting.options.step = 0.0;
    setting.options.end = 1.5;
    assert_int_equal(cardan_options_set(&setting.options, "stepper", stepper, message, sizeof message), CARDAN_OK);
    for (int i = 0; i < CHANNELS; i++)
        assert_int_equal(cardan_model_find_channel(setting.model, names[i], &setting.channel[i], NULL, 0), CARDAN_OK);
    return setting;
}

static CardanRunDef def_of(const Setting *setting, CardanSink sink) {
    CardanRunDef def = cardan_default_run();
    def.sink = sink;
    def.notes = "note of the test\n";
    def.channels = CHANNELS;
    def.channel = setting->channel;
    return def;
}

static int keep(void *user, const void *bytes, size_t size) {
    Kept *kept = user;
    kept->bytes = realloc(kept->bytes, kept->size + size);
    memcpy(kept->bytes + kept->size, bytes, size);
    kept->size += size;
    return 0;
}

static int shorten(void *user, size_t size) {
    ((Kept *)user)->size = size;
    return 0;
}

/* Goes on from row `row` to the end or, first, to at most `steps` steps; a checkpoint each tenth. */
static CardanStatus go(const Setting *setting, CardanSim *sim, CardanRun *run, double row, int steps, bool finish) {
    double end = setting->options.end;
    CardanStatus status = CARDAN_OK;
    for (int k = 0; k < steps && status >= 0 && cardan_sim_time(sim) < end; k++) {
        if (cardan_sim_step(sim, end) < 0) fail_msg("%s", cardan_sim_message(sim));
        status = cardan_run_follow(run);
        for (; status >= 0 && row * setting->step <= cardan_sim_time(sim); row += 1.0)
            status = cardan_run_row(run, row * setting->step, NULL);
        if (status >= 0 && k % 10 == 9) status = cardan_run_checkpoint(run, 1, &row);
    }
    return status >= 0 && finish ? cardan_run_finish(run, 0, 1.25, 1, &row) : status;
}

static Kept whole_run(const Setting *setting, int steps, bool finish) {
    Kept kept = {0};
    CardanSim *sim = scene_start(setting->model, &setting->options);
    CardanRun *run = NULL;
    CardanRunDef def = def_of(setting, (CardanSink){&kept, keep, NULL});
    const double first = 0.0;
    double none;
    if (setting->work) assert_int_equal(cardan_sim_sample(sim, 0.0, 1, &setting->channel[2], &none), CARDAN_OK);
    assert_int_equal(cardan_run_create(sim, &def, &run), CARDAN_OK);
    assert_int_equal(cardan_run_checkpoint(run, 1, &first), CARDAN_OK);
    assert_int_equal(go(setting, sim, run, first, steps, finish), CARDAN_OK);
    cardan_run_close(run);
    cardan_sim_destroy(sim);
    return kept;
}

/* The records that belong to every run, one behind the other. */
static Kept repeatable(const Kept *file) {
    Kept out = {0};
    CrdRecord record;
    for (size_t at = CRD_FILE_HEAD; crd_record_read(file->bytes, file->size, at, &record) == CRD_READ; at = record.end)
        if (record.kind < CRD_RECORD_REPEATABLE) keep(&out, file->bytes + record.begin, record.end - record.begin);
    return out;
}

static CardanResult *read_file(const Kept *file) {
    CardanResult *result = NULL;
    char message[512] = "";
    if (cardan_result_read(file->bytes, file->size, &result, message, sizeof message) < 0) fail_msg("%s", message);
    return result;
}

static void checksums_are_those_of_the_standard(void **state) {
    (void)state;
    unsigned char bytes[97];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(37 * i + 11);
    assert_int_equal(crd_checksum(0, "123456789", 9), 0xe3069283u); /* RFC 3720, B.4 */
    for (size_t n = 0; n <= sizeof bytes; n++) {
        assert_int_equal(crd_checksum(0, bytes, n), crd_checksum_by_table(0, bytes, n));
        assert_int_equal(crd_checksum(crd_checksum(0, bytes, n), bytes + n, sizeof bytes - n),
                         crd_checksum(0, bytes, sizeof bytes));
    }
}

static void a_run_is_read_back_as_it_was(void **state) {
    (void)state;
    Setting setting = make_setting("models/slider_crank.yaml", "dop853");
    Kept file = whole_run(&setting, 1 << 20, true);
    CardanResult *result = read_file(&file);
    CardanResultInfo info = cardan_result_info(result);
    assert_string_equal(info.damage, "");
    assert_string_equal(info.model_name, "slider_crank");
    assert_string_equal(info.notes, "note of the test\n");
    assert_true(info.ended && info.status == 0 && info.resumable && info.seconds == 1.25 && info.size == file.size);
    assert_int_equal(info.rows, 151);
    assert_int_equal(info.states, 151);
    assert_int_equal(info.columns, 6);
    assert_string_equal(cardan_result_name(result, 3), "residual.position");
    assert_string_equal(cardan_result_unit(result, 0), "J");
    CardanOptions options;
    assert_int_equal(cardan_result_options(result, &options, NULL, 0), CARDAN_OK);
    assert_memory_equal(&options, &setting.options, sizeof options);
    /* the last row against a simulation that was only advanced */
    CardanSim *sim = scene_start(setting.model, &setting.options);
    scene_advance(sim, 1.5);
    assert_true(cardan_result_time(result, 150) == 1.5);
    assert_memory_equal(cardan_result_state(result, 150), cardan_sim_positions(sim), 9 * sizeof(double));
    assert_true(cardan_result_row(result, 150)[2] == scene_energy(sim).total);
    /* the pose of a row, looked at */
    assert_int_equal(cardan_result_show(result, 0, sim), CARDAN_OK);
    assert_true(cardan_sim_time(sim) == 0.0);
    cardan_sim_destroy(sim);
    cardan_result_close(result);
    free(file.bytes);
    cardan_model_release(setting.model);
}

static void a_file_cut_anywhere_is_read_up_to_the_cut(void **state) {
    (void)state;
    Setting setting = make_setting("models/slider_crank.yaml", "dop853");
    Kept file = whole_run(&setting, 1 << 20, true);
    assert_true(file.size > CUT);
    for (size_t size = file.size - CUT; size < file.size; size++) {
        /* its own count of complete records */
        long rows = 0;
        size_t at = CRD_FILE_HEAD, good = at;
        uint32_t head[4];
        while (at + sizeof head <= size) {
            memcpy(head, file.bytes + at, sizeof head);
            at += sizeof head + (head[1] + 7) / 8 * 8;
            if (at > size) break;
            good = at;
            rows += head[0] == CRD_RECORD_SAMPLE;
        }
        Kept cut = {file.bytes, size};
        CardanResult *result = read_file(&cut);
        CardanResultInfo info = cardan_result_info(result);
        if (info.rows != rows || info.size != good) fail_msg("cut at %zu: %ld rows of %ld", size, info.rows, rows);
        assert_true((good == size) == (info.damage[0] == '\0'));
        if (good != size) assert_non_null(strstr(info.damage, "cut off in record"));
        cardan_result_close(result);
    }
    free(file.bytes);
    cardan_model_release(setting.model);
}

static void a_flipped_bit_is_found_and_named(void **state) {
    (void)state;
    Setting setting = make_setting("models/slider_crank.yaml", "dop853");
    Kept file = whole_run(&setting, 4, false);
    for (size_t at = 0; at < file.size; at++) {
        CardanResult *result = NULL;
        char message[512] = "", place[64];
        file.bytes[at] ^= (unsigned char)(1u << (at % 8));
        CardanStatus status = cardan_result_read(file.bytes, file.size, &result, message, sizeof message);
        if (status >= 0) {
            CardanResultInfo info = cardan_result_info(result);
            snprintf(place, sizeof place, "at byte %zu is damaged", info.size);
            if (strstr(info.damage, place) == NULL || info.size > at)
                fail_msg("byte %zu was changed: '%s'", at, info.damage);
        } else if (message[0] == '\0') {
            fail_msg("byte %zu was changed and nothing is said", at);
        }
        cardan_result_close(result);
        file.bytes[at] ^= (unsigned char)(1u << (at % 8));
    }
    free(file.bytes);
    cardan_model_release(setting.model);
}

static void what_is_no_run_file_of_this_version_is_refused(void **state) {
    (void)state;
    Setting setting = make_setting("models/slider_crank.yaml", "dop853");
    Kept file = whole_run(&setting, 2, false);
    CardanResult *result = NULL;
    char message[512];
    assert_int_equal(cardan_result_read("t,x\n0,1\n2,3\n4,5\n", 16, &result, message, sizeof message), CARDAN_ERR_IO);
    assert_non_null(strstr(message, "no run file"));
    assert_int_equal(cardan_result_read(file.bytes, 11, &result, message, sizeof message), CARDAN_ERR_IO);
    assert_non_null(strstr(message, "cut off in its first 16 bytes"));
    assert_int_equal(cardan_result_read(file.bytes, 40, &result, message, sizeof message), CARDAN_ERR_IO);
    assert_non_null(strstr(message, "ends before its channels"));
    uint32_t version = 7, sum;
    memcpy(file.bytes + 8, &version, sizeof version);
    sum = crd_checksum(0, file.bytes, 12);
    memcpy(file.bytes + 12, &sum, sizeof sum);
    assert_int_equal(cardan_result_read(file.bytes, file.size, &result, message, sizeof message), CARDAN_ERR_IO);
    assert_non_null(strstr(message, "version 7 of the format"));
    free(file.bytes);
    cardan_model_release(setting.model);
}

static void a_run_of_another_model_is_refused(void **state) {
    (void)state;
    Setting setting = make_setting("models/slider_crank.yaml", "dop853");
    Kept file = whole_run(&setting, 4, false);
    CardanResult *result = read_file(&file);
    CardanModel *other = scene_load("models/four_bar.yaml");
    CardanSim *sim = scene_start(other, NULL);
    assert_int_equal(cardan_result_restore(result, sim, NULL, NULL), CARDAN_ERR_MODEL);
    assert_non_null(strstr(cardan_sim_message(sim), "another model, 'slider_crank'"));
    assert_true(cardan_sim_time(sim) == 0.0);
    cardan_sim_destroy(sim);
    CardanModel *changed = NULL; /* the same names, another length */
    assert_int_equal(cardan_model_with_parameters(setting.model, 1, (const char *[]){"r"}, (const double[]){0.15},
                                                  &changed, NULL, 0),
                     CARDAN_OK);
    sim = scene_start(changed, &setting.options);
    assert_int_equal(cardan_result_restore(result, sim, NULL, NULL), CARDAN_ERR_MODEL);
    cardan_sim_destroy(sim);
    cardan_model_release(changed);
    cardan_model_release(other);
    cardan_result_close(result);
    free(file.bytes);
    cardan_model_release(setting.model);
}

/* Goes on with a file that was cut, on a copy. */
static Kept resumed(const Setting *setting, const Kept *file) {
    Kept copy = {0};
    double row = 0.0;
    int count = 0;
    keep(&copy, file->bytes, file->size);
    CardanResult *result = read_file(file);
    copy.size = cardan_result_info(result).size;
    CardanSim *sim = scene_start(setting->model, &setting->options);
    CardanRunDef def = def_of(setting, (CardanSink){&copy, keep, NULL});
    CardanRun *run = NULL;
    double numbers[16];
    if (cardan_result_restore(result, sim, &count, numbers) < 0) fail_msg("%s", cardan_sim_message(sim));
    assert_int_equal(count, 1);
    row = numbers[0];
    assert_int_equal(cardan_run_resume(sim, result, &def, shorten, &run), CARDAN_OK);
    assert_int_equal(go(setting, sim, run, row, 1 << 20, true), CARDAN_OK);
    assert_true(isnan(cardan_run_differs(run)));
    cardan_run_close(run);
    cardan_sim_destroy(sim);
    cardan_result_close(result);
    return copy;
}

static void check_setting(Setting setting, const char *path, const char *stepper, int cuts) {
    Kept file = whole_run(&setting, 1 << 20, true), expected = repeatable(&file);
    CardanResult *result = read_file(&file);
    size_t first = 0;
    for (CrdRecord record = {.end = CRD_FILE_HEAD}; record.kind != CRD_RECORD_CHECKPOINT; first = record.end)
        assert_int_equal(crd_record_read(file.bytes, file.size, record.end, &record), CRD_READ);
    cardan_result_close(result);
    for (int i = 0; i < cuts; i++) {
        Kept cut = {file.bytes, first + (file.size - first) * (size_t)i / (size_t)cuts + (size_t)(7 * i)};
        if (cut.size > file.size) cut.size = file.size;
        Kept copy = resumed(&setting, &cut), found = repeatable(&copy);
        if (found.size != expected.size || memcmp(found.bytes, expected.bytes, found.size) != 0)
            fail_msg("%s with %s, cut at %zu of %zu: other records", path, stepper, cut.size, file.size);
        free(copy.bytes);
        free(found.bytes);
    }
    free(file.bytes);
    free(expected.bytes);
    cardan_model_release(setting.model);
}

static void check_resumed(const char *path, const char *stepper, int cuts) {
    check_setting(make_setting(path, stepper), path, stepper, cuts);
}

/* The last row of a run with the work of a force in place of the step: it is no longer 0, or nothing was followed. */
static void check_worked(const Setting *setting) {
    Kept file = whole_run(setting, 1 << 20, true);
    CardanResult *result = read_file(&file);
    CardanResultInfo info = cardan_result_info(result);
    const double *values = cardan_result_row(result, info.rows - 1);
    assert_non_null(values);
    assert_true(isfinite(values[info.columns - 1]) && fabs(values[info.columns - 1]) > 1e-6);
    cardan_result_close(result);
    free(file.bytes);
}

/* Integrals over the steps are part of the state. */
static void so_it_does_with_the_work_of_forces(void **state) {
    (void)state;
    static const struct {
        const char *path, *stepper, *channel;
    } cases[] = {{"models/loads.yaml", "dop853", "spring.work"},
                 {"models/loads.yaml", "radau5", "motor.work"},
                 {"models/plane_loads.yaml", "dopri5", "rub.work"},
                 {"models/quarter_car.yaml", "dop853", "coil.work"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Setting setting = make_setting(cases[i].path, cases[i].stepper);
        char message[256] = "";
        setting.options.end = 0.5;
        setting.work = true;
        if (cardan_model_find_channel(setting.model, cases[i].channel, &setting.channel[2], message, sizeof message) <
            0)
            fail_msg("%s", message);
        check_worked(&setting);
        check_setting(setting, cases[i].path, cases[i].stepper, 5);
    }
}

static void a_run_that_goes_on_has_the_records_of_one_that_never_stopped(void **state) {
    (void)state;
    check_resumed("models/slider_crank.yaml", "dop853", 12);
    check_resumed("models/equal_slider_crank.yaml", "dop853", 12); /* passages, whose branch is judged later */
    check_resumed("models/equal_slider_crank.yaml", "radau5", 6);
    check_resumed("models/every_load.yaml", "dopri5", 6); /* contacts, limits, kinks */
    check_resumed("models/geneva.yaml", "abm", 6);
    check_resumed("models/double_four_bar.yaml", "gbs", 6);
}

/* A sink that fails at its k-th call, after half of the bytes. */
typedef struct Failing {
    Kept kept;
    int calls, fails_at;
} Failing;

static int fail_late(void *user, const void *bytes, size_t size) {
    Failing *failing = user;
    bool fails = ++failing->calls >= failing->fails_at;
    keep(&failing->kept, bytes, fails ? size / 2 : size);
    return fails ? -1 : 0;
}

static void a_write_that_fails_loses_no_record_written_before(void **state) {
    (void)state;
    Setting setting = make_setting("models/slider_crank.yaml", "dop853");
    Kept file = whole_run(&setting, 1 << 20, true), expected = repeatable(&file);
    bool failed = true;
    for (int k = 2; failed; k++) {
        Failing failing = {.fails_at = k};
        CardanSim *sim = scene_start(setting.model, &setting.options);
        CardanRun *run = NULL;
        CardanRunDef def = def_of(&setting, (CardanSink){&failing, fail_late, NULL});
        const double first = 0.0;
        assert_int_equal(cardan_run_create(sim, &def, &run), CARDAN_OK);
        CardanStatus status = cardan_run_checkpoint(run, 1, &first);
        if (status >= 0) status = go(&setting, sim, run, first, 1 << 20, true);
        failed = status < 0;
        if (failed) assert_int_equal(status, CARDAN_ERR_IO);
        if (failed) assert_int_equal(cardan_run_checkpoint(run, 1, &first), CARDAN_ERR_IO); /* and stays so */
        Kept found = repeatable(&failing.kept);
        assert_true(found.size <= expected.size && memcmp(found.bytes, expected.bytes, found.size) == 0);
        if (failed && k > 2) { /* and the run goes on from what is there */
            Kept copy = resumed(&setting, &failing.kept), again = repeatable(&copy);
            assert_true(again.size == expected.size && memcmp(again.bytes, expected.bytes, again.size) == 0);
            free(copy.bytes);
            free(again.bytes);
        }
        cardan_run_close(run);
        cardan_sim_destroy(sim);
        free(failing.kept.bytes);
        free(found.bytes);
    }
    free(file.bytes);
    free(expected.bytes);
    cardan_model_release(setting.model);
}

static void a_simulation_is_saved_to_a_file_and_to_memory(void **state) {
    (void)state;
    const char *path = "test_run_file.saved";
    Setting setting = make_setting("models/equal_slider_crank.yaml", "abm");
    CardanSim *sim = scene_start(setting.model, &setting.options),
              *other = scene_start(setting.model, &setting.options);
    scene_advance(sim, 0.4);
    assert_int_equal(cardan_sim_save_file(sim, path), CARDAN_OK);
    scene_advance(sim, 1.5);
    if (cardan_sim_load_file(other, path) < 0) fail_msg("%s", cardan_sim_message(other));
    assert_true(cardan_sim_time(other) == 0.4);
    scene_advance(other, 1.5);
    assert_memory_equal(cardan_sim_positions(sim), cardan_sim_positions(other), 9 * sizeof(double));
    assert_int_equal(cardan_sim_load_file(other, "no_such_file.cardan"), CARDAN_ERR_IO);
    assert_non_null(strstr(cardan_sim_message(other), "no_such_file.cardan"));
    remove(path);
    CardanRunDef def = def_of(&setting, (CardanSink){0});
    CardanRun *run = NULL;
    size_t size = 0;
    assert_int_equal(cardan_run_create(sim, &def, &run), CARDAN_OK);
    assert_int_equal(cardan_run_checkpoint(run, 0, NULL), CARDAN_OK);
    const void *bytes = cardan_run_bytes(run, &size);
    Kept memory = {0};
    keep(&memory, bytes, size);
    CardanResult *result = read_file(&memory);
    assert_int_equal(cardan_result_restore(result, other, NULL, NULL), CARDAN_OK);
    assert_true(cardan_sim_time(other) == 1.5);
    cardan_result_close(result);
    free(memory.bytes);
    cardan_run_close(run);
    cardan_sim_destroy(other);
    cardan_sim_destroy(sim);
    cardan_model_release(setting.model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checksums_are_those_of_the_standard),
        cmocka_unit_test(a_run_is_read_back_as_it_was),
        cmocka_unit_test(a_file_cut_anywhere_is_read_up_to_the_cut),
        cmocka_unit_test(a_flipped_bit_is_found_and_named),
        cmocka_unit_test(what_is_no_run_file_of_this_version_is_refused),
        cmocka_unit_test(a_run_of_another_model_is_refused),
        cmocka_unit_test(a_run_that_goes_on_has_the_records_of_one_that_never_stopped),
        cmocka_unit_test(so_it_does_with_the_work_of_forces),
        cmocka_unit_test(a_write_that_fails_loses_no_record_written_before),
        cmocka_unit_test(a_simulation_is_saved_to_a_file_and_to_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
