#include "started.h"

#include <stdlib.h>

/* Changes from which they are worth a word, in SI units: data with nine digits. */
static const double TOLD = 1e-9;

/* ---- looking ---- */

static void *list(int count, size_t size) {
    return calloc((size_t)count + 1, size);
}

bool started_look(Started *started, CardanSim *sim, const CardanModel *model, bool in_full) {
    CardanStartReport *report = &started->report;
    started->sizes = cardan_model_sizes(model);
    if (in_full) {
        report->body = list(started->sizes.bodies, sizeof *report->body);
        report->joint = list(started->sizes.joints, sizeof *report->joint);
        report->accelerations = list(started->sizes.velocities, sizeof *report->accelerations);
        report->multipliers = list(started->sizes.rows, sizeof *report->multipliers);
    }
    bool there = !in_full || (report->body != NULL && report->joint != NULL && report->accelerations != NULL &&
                              report->multipliers != NULL);
    started->known = there && cardan_sim_start_report(sim, report) >= 0;
    started->asked = started->known && report->rates + report->coordinates > 0;
    return there;
}

void started_free(Started *started) {
    free(started->report.body);
    free(started->report.joint);
    free(started->report.accelerations);
    free(started->report.multipliers);
    *started = (Started){0};
}

/* ---- words ---- */

typedef struct Change {
    const char *key, *key_body, *unit;
    double size;
    CardanBody body;
} Change;

enum { CHANGES = 4 };

static void changes_of(const CardanStartReport *report, Change *change) {
    change[0] = (Change){"moved", "moved_body", "m", report->moved, report->moved_body};
    change[1] = (Change){"turned", "turned_body", "rad", report->turned, report->turned_body};
    change[2] = (Change){"speed", "speed_body", "m/s", report->speed, report->speed_body};
    change[3] = (Change){"spin", "spin_body", "rad/s", report->spin, report->spin_body};
}

void started_print_line(FILE *out, const CardanModel *model, const Started *started, bool velocities,
                        const char *label) {
    static const char *const words[CHANGES] = {"moved by up to ", "turned by ", "velocities changed by ", ""};
    Change change[CHANGES];
    changes_of(&started->report, change);
    int said = 0;
    for (int i = 0; started->known && i < (velocities ? CHANGES : 2); i++) {
        if (!(change[i].size > TOLD)) continue;
        fprintf(out, "%s%s%.3g %s ('%s')", said++ == 0 ? label : ", ", words[i], change[i].size, change[i].unit,
                cardan_model_body_name(model, change[i].body));
    }
    if (said > 0) fprintf(out, "\n");
}

void started_print(FILE *out, const CardanModel *model, const Started *started) {
    const CardanStartReport *report = &started->report;
    if (!started->known || report->body == NULL) return;
    for (int i = 0; i < started->sizes.bodies; i++) {
        const CardanStartBody *b = &report->body[i];
        bool changed = b->moved > TOLD || b->turned > TOLD || b->speed > TOLD || b->spin > TOLD;
        if (!changed && !b->held) continue;
        fprintf(out, "    %-20s %s %.3g m, %.3g rad; velocity changed by %.3g m/s, %.3g rad/s\n",
                cardan_model_body_name(model, (CardanBody){i + 1}), b->held ? "held, moved" : "moved", b->moved,
                b->turned, b->speed, b->spin);
    }
    for (int i = 0; i < started->sizes.joints; i++) {
        const CardanStartJoint *j = &report->joint[i];
        if (!j->held && !j->rate_held) continue;
        fprintf(out, "    %-20s %s %.9g, rate %.9g%s\n", cardan_model_joint_name(model, (CardanJoint){i + 1}),
                j->held ? "asked for: coordinate" : "coordinate", j->now, j->rate, j->rate_held ? " asked for" : "");
    }
}

/* ---- JSON ---- */

static void put_vector(Json *json, const char *key, CardanVec3 v, int dimensions) {
    json_vector(json, key, (double[]){v.x, v.y, v.z}, dimensions);
}

static void put_body(Json *json, const CardanModel *model, int i, const CardanStartBody *b) {
    bool planar = cardan_model_space(model) == CARDAN_SPACE_PLANAR;
    json_open_object(json, cardan_model_body_name(model, (CardanBody){i + 1}), false);
    json_boolean(json, "held", b->held);
    json_number(json, "moved", b->moved);
    json_number(json, "turned", b->turned);
    json_number(json, "speed", b->speed);
    json_number(json, "spin", b->spin);
    put_vector(json, "acceleration", b->acceleration, planar ? 2 : 3);
    if (planar)
        json_number(json, "angular_acceleration", b->angular_acceleration.z);
    else
        put_vector(json, "angular_acceleration", b->angular_acceleration, 3);
    json_close(json);
}

static void put_joint(Json *json, const CardanModel *model, int i, const CardanStartJoint *j, const double *lambda) {
    CardanJoint joint = {i + 1};
    json_open_object(json, cardan_model_joint_name(model, joint), false);
    json_number(json, "off", j->off);
    json_number(json, "rate_off", j->rate_off);
    if (j->has_coordinate) {
        json_number(json, "given", j->given);
        json_number(json, "now", j->now);
        json_boolean(json, "held", j->held);
        json_number(json, "rate_given", j->rate_given);
        json_number(json, "rate", j->rate);
        json_boolean(json, "rate_held", j->rate_held);
    }
    json_vector(json, "multipliers", lambda, cardan_model_joint_rows(model, joint));
    json_close(json);
}

static void put_lists(Json *json, const CardanModel *model, const Started *started) {
    const double *lambda = started->report.multipliers;
    json_open_object(json, "bodies", true);
    for (int i = 0; i < started->sizes.bodies; i++) put_body(json, model, i, &started->report.body[i]);
    json_close(json);
    json_open_object(json, "joints", true);
    for (int i = 0; i < started->sizes.joints; i++) {
        put_joint(json, model, i, &started->report.joint[i], lambda);
        lambda += cardan_model_joint_rows(model, (CardanJoint){i + 1});
    }
    json_close(json);
    json_vector(json, "accelerations", started->report.accelerations, started->sizes.velocities);
}

void started_put(Json *json, const CardanModel *model, const Started *started) {
    Change change[CHANGES];
    if (!started->known) return;
    changes_of(&started->report, change);
    json_open_object(json, "start", started->report.body != NULL);
    for (int i = 0; i < CHANGES; i++) {
        json_number(json, change[i].key, change[i].size);
        if (change[i].size > 0.0) json_string(json, change[i].key_body, cardan_model_body_name(model, change[i].body));
    }
    if (started->report.body != NULL) put_lists(json, model, started);
    json_close(json);
}
