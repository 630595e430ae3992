#include "study.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

/* ---- running ---- */

static void print_failure(const Study *study, const char *reason) {
    Json json = {.out = stdout};
    json_open_object(&json, NULL, true);
    json_string(&json, "model", cardan_model_name(study->model));
    json_string(&json, "status", "failed");
    json_string(&json, "reason", reason);
    json_close(&json);
}

int study_check(Study *study, CardanStatus status) {
    if (status >= 0) return STATUS_DONE;
    const char *reason = cardan_study_message(study->study);
    if (study->json) print_failure(study, reason);
    complain_about(study->path, reason);
    return exit_status(status);
}

int study_run(const Arguments *arguments, int set_key, int json_key, int (*work)(Study *study)) {
    Study study = {.arguments = arguments, .path = arguments->operands[0], .json = arguments_has(arguments, json_key)};
    int status = load_model(study.path, arguments, set_key, &study.model);
    if (status != STATUS_DONE) return status;
    char message[2048];
    CardanStatus st = cardan_study_create(study.model, &study.study, message, sizeof message);
    if (st < 0) {
        complain_about(study.path, message);
        status = exit_status(st);
    } else {
        status = work(&study);
    }
    cardan_study_destroy(study.study);
    cardan_model_release(study.model);
    return status;
}

/* ---- words ---- */

/* Name before '=' (or all of it), number after it. */
static int split(const Study *study, const Given *given, bool needs_value, char *name, size_t size, double *value) {
    const char *equals = strchr(given->value, '=');
    size_t length = equals != NULL ? (size_t)(equals - given->value) : strlen(given->value);
    bool wrong = (equals == NULL) == needs_value || length == 0 || length >= size;
    if (wrong || (equals != NULL && !parse_number(equals + 1, value))) {
        complain("%s: --%s '%s': expected %s", study->arguments->verb->name, given->option->name, given->value,
                 given->option->value);
        return STATUS_USAGE;
    }
    memcpy(name, given->value, length);
    name[length] = '\0';
    return STATUS_DONE;
}

int study_joint_value(Study *study, const Given *given, CardanJoint *joint, double *value) {
    char name[256];
    int status = split(study, given, true, name, sizeof name, value);
    if (status != STATUS_DONE) return status;
    *joint = cardan_model_find_joint(study->model, name);
    if (joint->index >= 1) return STATUS_DONE;
    complain("%s: --%s: there is no joint '%s'", study->arguments->verb->name, given->option->name, name);
    return STATUS_USAGE;
}

int study_body_value(Study *study, const Given *given, bool needs_value, CardanBody *body, double *value) {
    char name[256];
    int status = split(study, given, needs_value, name, sizeof name, value);
    if (status != STATUS_DONE) return status;
    *body = cardan_model_find_body(study->model, name);
    if (body->index >= 1) return STATUS_DONE;
    complain("%s: --%s: there is no body '%s'", study->arguments->verb->name, given->option->name, name);
    return STATUS_USAGE;
}

/* ---- the state ---- */

static void put_vector(Json *json, const char *key, CardanVec3 x, bool planar) {
    double numbers[3] = {x.x, x.y, x.z};
    json_vector(json, key, numbers, planar ? 2 : 3);
}

static void put_body(Json *json, Study *study, CardanBody body, bool planar) {
    CardanBodyState state;
    if (cardan_study_body(study->study, body, &state) < 0) return;
    json_open_object(json, cardan_model_body_name(study->model, body), false);
    put_vector(json, "position", state.position, planar);
    if (planar) json_number(json, "angle", state.angle);
    double q[4] = {state.quaternion.w, state.quaternion.x, state.quaternion.y, state.quaternion.z};
    if (!planar) json_vector(json, "quaternion", q, 4);
    put_vector(json, "velocity", state.velocity, planar);
    if (planar) json_number(json, "spin", state.spin);
    if (!planar) put_vector(json, "angular_velocity", state.angular_velocity, false);
    json_close(json);
}

static void put_joint(Json *json, Study *study, CardanJoint joint, bool planar) {
    double x = 0.0, rate = 0.0, effort = 0.0;
    CardanWrench wrench;
    json_open_object(json, cardan_model_joint_name(study->model, joint), false);
    if (cardan_study_joint(study->study, joint, &x, &rate) >= 0) {
        json_number(json, "coordinate", x);
        json_number(json, "rate", rate);
    }
    if (cardan_study_reaction(study->study, joint, &wrench) >= 0) {
        json_open_object(json, "reaction", false);
        put_vector(json, "force", wrench.force, planar);
        if (planar)
            json_number(json, "moment", wrench.moment.z);
        else
            put_vector(json, "moment", wrench.moment, false);
        json_close(json);
    }
    if (cardan_study_effort(study->study, joint, &effort) >= 0) json_number(json, "effort", effort);
    json_close(json);
}

void study_put_state(Json *json, Study *study) {
    CardanSizes sizes = cardan_model_sizes(study->model);
    bool planar = cardan_model_space(study->model) == CARDAN_SPACE_PLANAR;
    json_number(json, "t", cardan_study_time(study->study));
    json_open_object(json, "bodies", true);
    for (int i = 0; i < sizes.bodies; i++) put_body(json, study, cardan_model_body(study->model, i), planar);
    json_close(json);
    json_open_object(json, "joints", true);
    for (int i = 1; i <= sizes.joints; i++) put_joint(json, study, (CardanJoint){i}, planar);
    json_close(json);
}

static void print_body(Study *study, CardanBody body, bool planar) {
    CardanBodyState s;
    if (cardan_study_body(study->study, body, &s) < 0) return;
    printf("    %-16s ", cardan_model_body_name(study->model, body));
    if (planar)
        printf("at %.9g %.9g, angle %.9g\n", s.position.x, s.position.y, s.angle);
    else
        printf("at %.9g %.9g %.9g, quaternion %.6g %.6g %.6g %.6g\n", s.position.x, s.position.y, s.position.z,
               s.quaternion.w, s.quaternion.x, s.quaternion.y, s.quaternion.z);
}

static void print_joint(Study *study, CardanJoint joint) {
    double x = 0.0, rate = 0.0, effort = 0.0;
    CardanWrench w;
    printf("    %-16s ", cardan_model_joint_name(study->model, joint));
    if (cardan_study_joint(study->study, joint, &x, &rate) >= 0) printf("coordinate %.9g, rate %.6g; ", x, rate);
    if (cardan_study_effort(study->study, joint, &effort) >= 0) printf("effort %.6g; ", effort);
    if (cardan_study_reaction(study->study, joint, &w) >= 0)
        printf("reaction %.6g %.6g %.6g N, %.6g %.6g %.6g N m", w.force.x, w.force.y, w.force.z, w.moment.x, w.moment.y,
               w.moment.z);
    printf("\n");
}

void study_print_state(Study *study) {
    CardanSizes sizes = cardan_model_sizes(study->model);
    bool planar = cardan_model_space(study->model) == CARDAN_SPACE_PLANAR;
    enum { SHOWN = 20 };
    printf("  bodies\n");
    for (int i = 0; i < sizes.bodies && i < SHOWN; i++) print_body(study, cardan_model_body(study->model, i), planar);
    printf("  joints\n");
    for (int i = 1; i <= sizes.joints && i <= SHOWN; i++) print_joint(study, (CardanJoint){i});
    if (sizes.bodies > SHOWN || sizes.joints > SHOWN)
        printf("    (--json has all %d and %d)\n", sizes.bodies, sizes.joints);
}

/* ---- loads ---- */

int study_print_loads(Study *study, const char *name) {
    enum { ROOM = 256 };
    static CardanLoad loads[ROOM];
    int count = 0;
    double sum[6] = {0};
    CardanBody body = cardan_model_find_body(study->model, name);
    int status = study_check(study, cardan_study_loads(study->study, body, ROOM, loads, &count));
    if (status != STATUS_DONE) return status;
    printf("  loads on '%s': N, and N m about its centre of mass; with inertia they sum to zero\n", name);
    for (int i = 0; i < count && i < ROOM; i++) {
        const CardanWrench *w = &loads[i].wrench;
        const double number[6] = {w->force.x, w->force.y, w->force.z, w->moment.x, w->moment.y, w->moment.z};
        printf("    %-20s", loads[i].name);
        for (int k = 0; k < 6; k++) printf(" %12.6g", number[k]);
        printf("\n");
        for (int k = 0; k < 6; k++) sum[k] += number[k];
    }
    printf("    %-20s", "sum");
    for (int k = 0; k < 6; k++) printf(" %12.2g", sum[k]);
    printf("\n");
    return STATUS_DONE;
}
