/* Rows of a swing:
 *
 *     q(t) = close(q_0 + N x(t))        nearest in the metric of masses
 *     v(t) = onto rows(v_0 + x'(t) + (0, w_0 x turn(t)))
 *
 * with x of mode_swing.h about the state q_0, v_0 that was linearised. Turns are in own axes, so that they are carried
 * round by the spin w_0 of a steady motion; the places of such a motion stand still. */
#include "mode_run.h"

#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "mode_swing.h"
#include "record.h"
#include "text.h"

enum { SENTENCE_SIZE = 1024 };

bool mode_run_is_known(const char *path) {
    const Export *format = export_find(path);
    return strcmp(extension_of(path), ".cardan") == 0 || (format != NULL && format->write != export_csv);
}

typedef struct Rows {
    const ModeFile *file;
    Swing swing;
    CardanStudy *study;         /* closes poses */
    CardanOperators *operators; /* moves coordinates */
    CardanSim *sim;             /* takes the poses, and is recorded */
    CardanSizes sizes;
    double begin;  /* s */
    double *q, *v; /* (rows x coordinates), (rows x velocities) */
} Rows;

/* ---- poses ---- */

static double time_of(const Rows *rows, int r) {
    return rows->begin + rows->swing.end * r / SWING_ROWS;
}

/* Adds w_0 x turn to the velocities of bodies that spin in space. */
static void carry_turns(const Rows *rows, double *v) {
    if (cardan_model_space(rows->file->model) == CARDAN_SPACE_PLANAR) return;
    const double *v0 = cardan_sim_velocities(rows->file->sim), *x = rows->swing.x;
    for (int b = 0, at = 0; b < rows->sizes.bodies; b++) {
        CardanBody body = cardan_model_body(rows->file->model, b);
        bool turns = cardan_model_body_kind(rows->file->model, body) == CARDAN_BODY_RIGID;
        const double *w = v0 + at + 3, *turn = x + at + 3;
        for (int k = 0; turns && k < 3; k++) {
            int l = (k + 1) % 3, m = (k + 2) % 3;
            v[at + 3 + k] += w[l] * turn[m] - w[m] * turn[l];
        }
        at += turns ? 6 : 3;
    }
}

/* A failure of the closing, with what can be done. */
static int not_closed(const Rows *rows, int r, CardanStatus status, const char *reason) {
    complain(
        "modes: the swing of mode %d cannot be closed at t = %.9g: %s; a smaller --amplitude than %g may help, but "
        "not where drives go on with the time",
        rows->file->mode + 1, time_of(rows, r), reason, rows->file->amplitude);
    return exit_status(status);
}

static int close_row(Rows *rows, int r) {
    size_t nq = (size_t)rows->sizes.coordinates, nv = (size_t)rows->sizes.velocities;
    double *q = rows->q + (size_t)r * nq, *v = rows->v + (size_t)r * nv;
    CardanAssembly found;
    swing_at(&rows->swing, time_of(rows, r) - rows->begin);
    memcpy(q, cardan_sim_positions(rows->file->sim), nq * sizeof *q);
    memcpy(v, cardan_sim_velocities(rows->file->sim), nv * sizeof *v);
    for (size_t i = 0; i < nv; i++) v[i] += rows->swing.rate[i];
    carry_turns(rows, v);
    CardanStatus st = cardan_operators_move(rows->operators, rows->swing.x, q);
    if (st < 0) return not_closed(rows, r, st, cardan_operators_message(rows->operators));
    st = cardan_study_set(rows->study, rows->begin, q, v);
    if (st >= 0) st = cardan_study_assemble(rows->study, 1, 0, &found);
    if (st < 0) return not_closed(rows, r, st, cardan_study_message(rows->study));
    memcpy(q, cardan_study_positions(rows->study), nq * sizeof *q);
    memcpy(v, cardan_study_velocities(rows->study), nv * sizeof *v);
    st = cardan_sim_set_motion(rows->sim, time_of(rows, r), q, v);
    return st < 0 ? not_closed(rows, r, st, cardan_sim_message(rows->sim)) : STATUS_DONE;
}

static int no_room(void) {
    complain("out of memory");
    return STATUS_FAULT;
}

static int open_rows(Rows *rows, const ModeFile *file) {
    char reason[SENTENCE_SIZE] = "";
    *rows = (Rows){.file = file, .sizes = cardan_model_sizes(file->model), .begin = cardan_sim_time(file->sim)};
    int status = swing_open(&rows->swing, file);
    if (status != STATUS_DONE) return status;
    rows->q = calloc((SWING_ROWS + 1) * (size_t)rows->sizes.coordinates + 1, sizeof *rows->q);
    rows->v = calloc((SWING_ROWS + 1) * (size_t)rows->sizes.velocities + 1, sizeof *rows->v);
    if (rows->q == NULL || rows->v == NULL) return no_room();
    CardanStatus st = cardan_study_create(file->model, &rows->study, reason, sizeof reason);
    if (st >= 0)
        st = cardan_operators_create(file->model, CARDAN_COORDINATES_ABSOLUTE, &rows->operators, reason, sizeof reason);
    if (st >= 0 && (st = cardan_sim_clone(file->sim, &rows->sim)) < 0)
        snprintf(reason, sizeof reason, "%s", cardan_sim_message(file->sim));
    if (st < 0) complain("modes: the swing cannot be made: %s", reason);
    return exit_status(st);
}

static void close_rows(Rows *rows) {
    swing_close(&rows->swing);
    cardan_study_destroy(rows->study);
    cardan_operators_destroy(rows->operators);
    cardan_sim_destroy(rows->sim);
    free(rows->q);
    free(rows->v);
}

/* ---- files ---- */

static int record_rows(Rows *rows, Record *record) {
    int status = STATUS_DONE;
    for (int r = 0; r <= SWING_ROWS && status == STATUS_DONE; r++) {
        CardanStatus st =
            cardan_sim_set_motion(rows->sim, time_of(rows, r), rows->q + (size_t)r * (size_t)rows->sizes.coordinates,
                                  rows->v + (size_t)r * (size_t)rows->sizes.velocities);
        status = st < 0 ? not_closed(rows, r, st, cardan_sim_message(rows->sim)) : record_step(record, rows->sim);
    }
    return status;
}

static int write_run(Rows *rows, const ModeRun *run, const Arguments *files) {
    Record record;
    CardanOptions options = cardan_model_options(rows->file->model);
    RecordOrder order = {files, run->output_key, -1, -1, run->set_key, files->operands[0]};
    options.output_step = 0.0;
    options.end = time_of(rows, SWING_ROWS);
    int status = record_open(&record, rows->sim, rows->file->model, &options, &order);
    if (status == STATUS_DONE) status = record_rows(rows, &record);
    if (status == STATUS_DONE) status = record_finish(&record, rows->sim, STATUS_DONE, 0.0);
    if (status == STATUS_DONE) status = record_export(&record);
    int closed = record_close(&record);
    return status != STATUS_DONE ? status : closed;
}

static int swing_files(const ModeRun *run, const ModeFile *file, const Arguments *files) {
    Rows rows;
    int status = record_check_names(files, run->output_key);
    if (status != STATUS_DONE) return status;
    status = open_rows(&rows, file);
    for (int r = 0; r <= SWING_ROWS && status == STATUS_DONE; r++) status = close_row(&rows, r);
    if (status == STATUS_DONE) status = write_run(&rows, run, files);
    close_rows(&rows);
    return status;
}

int mode_run_write(const ModeRun *run, const ModeFile *file) {
    Arguments files = *run->arguments;
    int outputs = 0;
    files.given = calloc((size_t)files.given_count + 1, sizeof *files.given);
    if (files.given == NULL) return no_room();
    files.given_count = 0;
    for (int i = 0; i < run->arguments->given_count; i++) {
        Given given = run->arguments->given[i];
        bool output = given.option->key == run->output_key && mode_run_is_known(given.value);
        if (output || given.option->key == run->set_key) files.given[files.given_count++] = given;
        outputs += output;
    }
    int status = outputs > 0 ? swing_files(run, file, &files) : STATUS_DONE;
    free(files.given);
    return status;
}
