/* Run files: every call with nothing where something is needed, or with something that makes no sense. */
#ifndef TESTS_FAULT_MESSAGES_RUN_ROWS_H
#define TESTS_FAULT_MESSAGES_RUN_ROWS_H

#include "fault/messages/place.h"

#include <math.h>

/* What the two below call. */
static const char *const RUN_FUNCTIONS[] = {
    "cardan_default_run",    "cardan_run_create",     "cardan_run_close",      "cardan_run_message",
    "cardan_run_row",        "cardan_run_follow",     "cardan_run_checkpoint", "cardan_run_finish",
    "cardan_run_bytes",      "cardan_run_resume",     "cardan_run_differs",    "cardan_result_read",
    "cardan_result_close",   "cardan_result_info",    "cardan_result_name",    "cardan_result_unit",
    "cardan_result_time",    "cardan_result_row",     "cardan_result_state",   "cardan_result_event",
    "cardan_result_options", "cardan_result_restore", "cardan_result_show",    "cardan_sim_save_file",
    "cardan_sim_load_file",  "cardan_run_rows",
};

static void runs_refuse_nothing_by_status_and_sentence(Place *p) {
    CardanRunDef def = cardan_default_run(), undefaulted = {.channels = 0};
    CardanRun *run = (CardanRun *)(void *)p;
    assert_int_equal(cardan_run_create(NULL, &def, &run), CARDAN_ERR_ARGUMENT);
    assert_int_equal(cardan_run_create(p->sim, &undefaulted, &run), CARDAN_ERR_ARGUMENT);
    assert_null(run);
    assert_string_not_equal(cardan_sim_message(p->sim), "");
    assert_int_equal(cardan_run_create(p->sim, NULL, &run), CARDAN_ERR_ARGUMENT);
    assert_int_equal(cardan_run_row(NULL, 0.0, NULL), CARDAN_ERR_ARGUMENT);
    assert_int_equal(cardan_run_rows(NULL, 0, NULL, NULL), CARDAN_ERR_ARGUMENT);
    assert_int_equal(cardan_run_follow(NULL), CARDAN_ERR_ARGUMENT);
    assert_int_equal(cardan_run_checkpoint(NULL, 0, NULL), CARDAN_ERR_ARGUMENT);
    assert_int_equal(cardan_run_finish(NULL, 0, 0.0, 0, NULL), CARDAN_ERR_ARGUMENT);
    assert_true(isnan(cardan_run_differs(NULL)));
    assert_non_null(cardan_run_message(NULL));
    cardan_run_close(NULL);

    assert_int_equal(cardan_run_create(p->sim, &def, &run), CARDAN_OK);
    assert_int_equal(cardan_run_checkpoint(run, 17, p->numbers), CARDAN_ERR_ARGUMENT);
    assert_non_null(strstr(cardan_run_message(run), "numbers"));
    assert_true(cardan_run_row(run, -1e9, NULL) < 0);
    assert_string_not_equal(cardan_run_message(run), "");
    size_t size = 0;
    assert_non_null(cardan_run_bytes(run, &size));
    assert_true(size > 0);
    cardan_run_close(run);

    assert_int_equal(cardan_run_create(p->sim, &def, &run), CARDAN_OK);
    assert_int_equal(cardan_run_rows(run, 0, NULL, NULL), CARDAN_OK);
    assert_int_equal(cardan_run_rows(run, 1, NULL, NULL), CARDAN_ERR_ARGUMENT);
    assert_non_null(strstr(cardan_run_message(run), "list of times"));
    cardan_run_close(run);
}

static void results_refuse_nothing_by_status_and_sentence(Place *p) {
    CardanResult *result = (CardanResult *)(void *)p;
    CardanRunDef def = cardan_default_run();
    CardanRun *run = NULL;
    CardanOptions options;
    p->message[0] = '\0';
    assert_int_equal(cardan_result_read("no run", 6, &result, p->message, sizeof p->message), CARDAN_ERR_IO);
    assert_null(result);
    assert_non_null(strstr(p->message, "no run file"));
    assert_int_equal(cardan_result_info(NULL).rows, 0);
    assert_string_equal(cardan_result_name(NULL, 0), "");
    assert_string_equal(cardan_result_unit(NULL, 0), "");
    assert_true(isnan(cardan_result_time(NULL, 0)));
    assert_null(cardan_result_row(NULL, 0));
    assert_null(cardan_result_state(NULL, 0));
    assert_null(cardan_result_event(NULL, 0));
    assert_int_equal(cardan_result_options(NULL, &options, NULL, 0), CARDAN_ERR_ARGUMENT);
    assert_int_equal(cardan_result_restore(NULL, p->sim, NULL, NULL), CARDAN_ERR_ARGUMENT);
    assert_int_equal(cardan_result_show(NULL, 0, p->sim), CARDAN_ERR_ARGUMENT);
    assert_int_equal(cardan_run_resume(p->sim, NULL, &def, NULL, &run), CARDAN_ERR_ARGUMENT);
    assert_null(run);
    assert_int_equal(cardan_sim_save_file(NULL, "x"), CARDAN_ERR_ARGUMENT);
    assert_int_equal(cardan_sim_save_file(p->sim, NULL), CARDAN_ERR_ARGUMENT);
    assert_int_equal(cardan_sim_save_file(p->sim, "no/such/folder/x"), CARDAN_ERR_IO);
    assert_string_not_equal(cardan_sim_message(p->sim), "");
    assert_int_equal(cardan_sim_load_file(NULL, "x"), CARDAN_ERR_ARGUMENT);
    assert_int_equal(cardan_sim_load_file(p->sim, "no/such/folder/x"), CARDAN_ERR_IO);
    assert_string_not_equal(cardan_sim_message(p->sim), "");
    cardan_result_close(NULL);
}

#endif
