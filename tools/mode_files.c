#include "mode_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "about.h"
#include "json.h"
#include "mode_swing.h"
#include "text.h"
#include "whole_file.h"

enum { NAME_SIZE = 160 };

/* ---- JSON ---- */

static void put_mode(Json *json, const ModeFile *file, CardanModeKind kind, int i, int nv, double *re, double *im) {
    CardanMode mode;
    if (cardan_modes_get(file->modes, kind, i, &mode, re, im) < 0) return;
    json_open_object(json, NULL, false);
    json_number(json, "re", mode.re);
    json_number(json, "im", mode.im);
    json_number(json, "frequency", mode.frequency);
    json_number(json, "damping", mode.damping);
    json_number(json, "residual", mode.residual);
    json_open_object(json, "shape", false);
    json_vector(json, "re", re, nv);
    json_vector(json, "im", im, nv);
    json_close(json);
    json_close(json);
}

void mode_json(FILE *out, const ModeFile *file) {
    static const char *const KEYS[CARDAN_MODE_KINDS] = {"damped", "undamped"};
    int nv = cardan_model_sizes(file->model).velocities;
    double *shape = calloc(2 * (size_t)nv + 1, sizeof *shape);
    char name[NAME_SIZE];
    Json json = {.out = out};
    if (shape == NULL) return;
    json_open_object(&json, NULL, true);
    json_string(&json, "model", cardan_model_name(file->model));
    json_number(&json, "t", cardan_sim_time(file->sim));
    json_integer(&json, "ignorable", cardan_modes_ignorable(file->modes));
    json_open_array(&json, "coordinates", false);
    for (int i = 0; i < nv; i++) json_string(&json, NULL, cardan_modes_name(file->modes, i, name, sizeof name));
    json_close(&json);
    for (int k = 0; k < CARDAN_MODE_KINDS; k++) {
        json_open_array(&json, KEYS[k], true);
        for (int i = 0; i < cardan_modes_count(file->modes, (CardanModeKind)k); i++)
            put_mode(&json, file, (CardanModeKind)k, i, nv, shape, shape + nv);
        json_close(&json);
    }
    json_close(&json);
    free(shape);
}

/* ---- rows over time ---- */

static void put_headings(FILE *out, const ModeFile *file, bool planar) {
    fprintf(out, "t");
    for (int b = 0; b < cardan_model_sizes(file->model).bodies; b++) {
        CardanBody body = cardan_model_body(file->model, b);
        const char *name = cardan_model_body_name(file->model, body);
        bool turns = cardan_model_body_kind(file->model, body) == CARDAN_BODY_RIGID;
        fprintf(out, planar ? ",%s.x,%s.y" : ",%s.x,%s.y,%s.z", name, name, name);
        if (turns) fprintf(out, planar ? ",%s.angle" : ",%s.qw,%s.qx,%s.qy,%s.qz", name, name, name, name);
    }
    fprintf(out, "\n");
}

static void put_number(FILE *out, double x) {
    char number[NUMBER_SIZE];
    fprintf(out, ",%s", number_text(x, number));
}

/* The quaternion p turned by the small vector d in own axes. */
static void put_turned(FILE *out, CardanQuat p, const double d[3]) {
    double angle = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), s = angle > 0.0 ? sin(0.5 * angle) / angle : 0.5;
    double w = cos(0.5 * angle), x = s * d[0], y = s * d[1], z = s * d[2];
    put_number(out, p.w * w - p.x * x - p.y * y - p.z * z);
    put_number(out, p.w * x + p.x * w + p.y * z - p.z * y);
    put_number(out, p.w * y - p.x * z + p.y * w + p.z * x);
    put_number(out, p.w * z + p.x * y - p.y * x + p.z * w);
}

static void put_row(FILE *out, const ModeFile *file, bool planar, const double *x) {
    for (int b = 0, v = 0; b < cardan_model_sizes(file->model).bodies; b++) {
        CardanBody body = cardan_model_body(file->model, b);
        CardanBodyState state = {0};
        if (cardan_sim_body(file->sim, body, &state) < 0) return;
        bool turns = cardan_model_body_kind(file->model, body) == CARDAN_BODY_RIGID;
        put_number(out, state.position.x + x[v]);
        put_number(out, state.position.y + x[v + 1]);
        if (!planar) put_number(out, state.position.z + x[v + 2]);
        v += planar ? 2 : 3;
        if (turns && planar) put_number(out, state.angle + x[v]);
        if (turns && !planar) put_turned(out, state.quaternion, x + v);
        v += !turns ? 0 : planar ? 1 : 3;
    }
    fprintf(out, "\n");
}

static const char *put_csv(FILE *out, const void *user) {
    const ModeFile *file = user;
    bool planar = cardan_model_space(file->model) == CARDAN_SPACE_PLANAR;
    char number[NUMBER_SIZE];
    Swing swing;
    if (swing_open(&swing, file) == STATUS_DONE) {
        put_headings(out, file, planar);
        for (int r = 0; r <= SWING_ROWS; r++) {
            double t = swing.end * r / SWING_ROWS;
            swing_at(&swing, t);
            fprintf(out, "%s", number_text(t, number));
            put_row(out, file, planar, swing.x);
        }
    }
    swing_close(&swing);
    return NULL;
}

/* ---- files ---- */

static const char *put_json(FILE *out, const void *user) {
    mode_json(out, user);
    return NULL;
}

bool mode_file_is_known(const char *path) {
    return strcmp(extension_of(path), ".csv") == 0 || strcmp(extension_of(path), ".json") == 0;
}

int mode_file_write(const char *path, const ModeFile *file) {
    return write_file(path, strcmp(extension_of(path), ".csv") == 0 ? put_csv : put_json, file);
}
