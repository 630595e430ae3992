/* Rows of a run: computed, written as text and kept in the run file. */
#include "record_rows.h"

#include <errno.h>

#include "rows.h"
#include "text.h"

int record_hand_over(Record *record) {
    Lines *lines = &record->lines;
    int status = STATUS_DONE;
    for (int f = 0; f < record->file_count && lines->held > 0; f++) {
        RecordFile *file = &record->files[f];
        if (file->failed) continue;
        errno = 0;
        if (fwrite(lines->begin, 1, lines->held, file->stream) != lines->held || ferror(file->stream))
            status = record_write_failed(file);
    }
    lines_pass(lines);
    return status;
}

static int write_line(Record *record, double t, const double *values) {
    if (record->file_count > 0) lines_put(&record->lines, t, values);
    record->last_t = t;
    record->rows++;
    return lines_full(&record->lines) ? record_hand_over(record) : STATUS_DONE;
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
    return status == STATUS_DONE ? write_line(record, t, record->values) : status;
}

/* The first rows of record->times. Without a run file those that cannot be computed together are written one by one,
 * up to the one at fault; a run file sees to that itself. */
static int write_rows(Record *record, CardanSim *sim, int count) {
    int status = STATUS_DONE;
    bool read = true;
    if (record->run != NULL) {
        CardanStatus st = cardan_run_rows(record->run, count, record->times, record->values);
        if (st < 0) return record_run_failed(record, st);
    } else {
        read = cardan_sim_sample_rows(sim, count, record->times, record->channel_count, record->channels,
                                      record->values) >= 0;
    }
    for (int i = 0; i < count && status == STATUS_DONE; i++)
        status = read ? write_line(record, record->times[i], record->values + (size_t)i * (size_t)record->columns)
                      : record_write_row(record, sim, record->times[i], true);
    return status;
}

/* The next times in parts of the last step, from this one on, its end the last; as many as there is room for. */
static int parts_of_step(Record *record, const CardanSim *sim, double now, int *part) {
    double h = cardan_sim_last_step(sim), begin = now - h;
    int parts = rows_of_step(h, record->end), count = 0;
    if (record->last_t < 0.0 && *part < parts) *part = parts; /* nothing is there yet: the end alone */
    for (; *part <= parts && count < record->room; ++*part) {
        double t = *part < parts ? begin + h * *part / parts : now;
        if (t > record->last_t && (t < now || *part == parts)) record->times[count++] = t;
    }
    return count;
}

/* The next times that are multiples of the output step, as many as there is room for. */
static int multiples_up_to(Record *record, double now) {
    int count = 0;
    for (double t; count < record->room && (t = row_multiple(record->output_step, record->end, record->next)) <= now;
         record->next += 1.0)
        record->times[count++] = t;
    return count;
}

int record_write_rows(Record *record, CardanSim *sim) {
    double now = cardan_sim_time(sim);
    int status = STATUS_DONE, part = 1, count = 1;
    bool multiples = record->output_step > 0.0;
    if (record->file_count == 0 && record->run == NULL) return STATUS_DONE;
    while (count > 0 && status == STATUS_DONE) {
        count = multiples ? multiples_up_to(record, now) : parts_of_step(record, sim, now, &part);
        if (count > 0) status = write_rows(record, sim, count);
    }
    return status;
}
