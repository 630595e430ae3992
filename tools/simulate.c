/* The loop of a run: one internal step at a time, so that a signal, a full disk or a failure loses nothing. */
#include "simulate.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "count_malloc.h"
#include "interrupt.h"
#include "progress.h"

static double cpu_clock(void) {
    struct timespec now = {0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void remarks_add(Remarks *remarks, const char *text) {
    for (int i = 0; i < remarks->count; i++)
        if (strncmp(remarks->text[i], text, REASON_SIZE - 1) == 0) return;
    if (remarks->count == REMARKS_KEPT)
        remarks->left_out++;
    else
        snprintf(remarks->text[remarks->count++], REASON_SIZE, "%s", text);
}

void remarks_on_model(Remarks *remarks, const CardanModel *model) {
    char text[REASON_SIZE];
    for (int k = 0; k < cardan_model_remarks(model, k, text, sizeof text); k++) remarks_add(remarks, text);
}

static void fail(Outcome *outcome, int status, const char *reason) {
    outcome->status = status;
    snprintf(outcome->reason, sizeof outcome->reason, "%s", reason);
}

/* One step; allocations count from the second on. */
static void step_once(CardanSim *sim, double end, long taken, Outcome *outcome) {
    double before = cardan_sim_time(sim);
    if (taken > 0) count_malloc_start();
    CardanStatus st = cardan_sim_step(sim, end);
    count_malloc_stop();
    if (st < 0)
        fail(outcome, exit_status(st), cardan_sim_message(sim));
    else if (st > 0)
        remarks_add(&outcome->remarks, cardan_sim_message(sim));
    if (st >= 0 && !(cardan_sim_time(sim) > before)) fail(outcome, STATUS_FAULT, "a step did not move the time on");
}

static void note_interrupt(const CardanSim *sim, const Record *record, Outcome *outcome) {
    int number = interrupt_signal();
    if (number == 0 || outcome->status != STATUS_DONE) return;
    outcome->status = STATUS_SIGNAL + number;
    snprintf(outcome->reason, sizeof outcome->reason, "interrupted by %s at t = %.9g%s",
             number == SIGINT ? "SIGINT" : "SIGTERM", cardan_sim_time(sim),
             record->on_disk ? "; saved, 'cardan resume' goes on from here"
                             : "; without a run file (-o FILE.cardan) a new run starts from the beginning");
}

static void keep(int status, Outcome *outcome) {
    if (status != STATUS_DONE && outcome->status == STATUS_DONE)
        fail(outcome, status, "the results could not be written");
}

/* Openings from which they are worth a word: data with nine digits. */
static const double OPENING_TOLD = 1e-9;

static void remark_on_openings(CardanSim *sim, const CardanModel *model, Outcome *outcome) {
    CardanOpening o;
    char text[256] = "", length[96] = "", angle[96] = "";
    if (cardan_sim_opening(sim, &o) < 0 || !(o.length > OPENING_TOLD || o.angle > OPENING_TOLD)) return;
    if (o.length > OPENING_TOLD)
        snprintf(length, sizeof length, "%.2g m (joint %.32s, t = %.3g)", o.length,
                 cardan_model_joint_name(model, o.length_joint), o.length_t);
    if (o.angle > OPENING_TOLD)
        snprintf(angle, sizeof angle, "%.2g rad (joint %.32s, t = %.3g)", o.angle,
                 cardan_model_joint_name(model, o.angle_joint), o.angle_t);
    snprintf(text, sizeof text, "largest opening %s%s%s", length, length[0] != '\0' && angle[0] != '\0' ? ", " : "",
             angle);
    remarks_add(&outcome->remarks, text);
}

void simulate(CardanSim *sim, const CardanModel *model, const CardanOptions *options, Record *record,
              Outcome *outcome) {
    Progress progress;
    double end = options->end, began = cpu_clock();
    long taken = 0, allocated = count_malloc_total();
    interrupt_watch();
    progress_start(&progress);
    keep(record_step(record, sim), outcome);
    while (outcome->status == STATUS_DONE && cardan_sim_time(sim) < end) {
        if (options->max_steps > 0 && taken == options->max_steps) {
            fail(outcome, STATUS_LIMIT, "the largest number of steps (max_steps) was reached");
            break;
        }
        step_once(sim, end, taken, outcome);
        if (outcome->status != STATUS_DONE) break;
        taken++;
        keep(record_step(record, sim), outcome);
        progress_show(&progress, cardan_sim_time(sim), end, taken);
        note_interrupt(sim, record, outcome);
    }
    if (outcome->status != STATUS_IO) keep(record_finish(record, sim, outcome->status, cpu_clock() - began), outcome);
    progress_erase(&progress);
    remark_on_openings(sim, model, outcome);
    outcome->rows = record->rows;
    outcome->cpu_seconds = cpu_clock() - began;
    outcome->allocations = allocated < 0 ? -1 : count_malloc_total() - allocated;
}
