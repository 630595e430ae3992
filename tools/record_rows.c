/* Rows of a run: computed, written as text and kept in the run file. */
#include "record_rows.h"

#include <errno.h>

#include "rows.h"
#include "text.h"

/* The row at hand as a line; returns its length. */
static size_t put_line(const Record *record, double t) {
    char *at = record->line;
    at += number_put(t, at);
    for (int k = 0; k < record->columns; k++) {
        *at++ = ',';
        at += number_put(record->values[k], at);
    }
    *at++ = '\n';
    return (size_t)(at - record->line);
}

/* Computes the row; into the run too unless it is one that only this file ends with. */
static int compute_row(Record *record, CardanSim *sim, double t, bool in_run) {
    if (in_run && record->run != NULL) {
        CardanStatus st = cardan_run_row(record->run, t, record->values);
        return st < 0 ? record_run_failed(record, st) : STATUS_DONE;
    }
    CardanStatus st = cardan_sim_sample(sim, t, record->channel_count, record->channels, record->values);
    if (st < 0) complain("the result at t = %.9g could not be computed: %s", t, cardan_sim_message(sim));
    return exit_status(st);
}

int record_write_row(Record *record, CardanSim *sim, double t, bool in_run) {
    int status = compute_row(record, sim, t, in_run);
    if (status != STATUS_DONE) return status;
    size_t length = record->file_count > 0 ? put_line(record, t) : 0;
    for (int f = 0; f < record->file_count; f++) {
        FILE *out = record->files[f].stream;
        errno = 0;
        if (fwrite(record->line, 1, length, out) != length || ferror(out))
            return record_write_failed(&record->files[f]);
    }
    record->last_t = t;
    record->rows++;
    return STATUS_DONE;
}

/* The rows of the last step, its end the last of them. */
static int write_step(Record *record, CardanSim *sim, double now) {
    double h = cardan_sim_last_step(sim), begin = now - h;
    int parts = rows_of_step(h, record->end), status = STATUS_DONE;
    for (int k = 1; k < parts && status == STATUS_DONE && record->last_t >= 0.0; k++) {
        double t = begin + h * k / parts;
        if (t > record->last_t && t < now) status = record_write_row(record, sim, t, true);
    }
    return status == STATUS_DONE && now > record->last_t ? record_write_row(record, sim, now, true) : status;
}

int record_write_rows(Record *record, CardanSim *sim) {
    double now = cardan_sim_time(sim);
    int status = STATUS_DONE;
    if (record->file_count == 0 && record->run == NULL) return STATUS_DONE;
    if (!(record->output_step > 0.0)) return write_step(record, sim, now);
    for (double t; status == STATUS_DONE && (t = row_multiple(record->output_step, record->end, record->next)) <= now;
         record->next += 1.0)
        status = record_write_row(record, sim, t, true);
    return status;
}
