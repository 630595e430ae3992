/* The object of `cardan run --json` and its short form for people. */
#include "report.h"

#include <math.h>
#include <string.h>

#include "channels.h"
#include "json.h"

static int dimensions_of(const CardanModel *model) {
    return cardan_model_space(model) == CARDAN_SPACE_PLANAR ? 2 : 3;
}

static void put_vector(Json *json, const char *key, CardanVec3 v, int dimensions) {
    json_vector(json, key, (double[]){v.x, v.y, v.z}, dimensions);
}

static void put_body(Json *json, const CardanModel *model, CardanSim *sim, CardanBody body) {
    CardanBodyState s = {0};
    int dimensions = dimensions_of(model);
    bool particle = cardan_model_body_kind(model, body) == CARDAN_BODY_PARTICLE;
    json_open_object(json, cardan_model_body_name(model, body), false);
    if (cardan_sim_body(sim, body, &s) >= 0) {
        put_vector(json, "position", s.position, dimensions);
        if (!particle && dimensions == 2) json_number(json, "angle", s.angle);
        if (!particle && dimensions == 3)
            json_vector(json, "quaternion", (double[]){s.quaternion.w, s.quaternion.x, s.quaternion.y, s.quaternion.z},
                        4);
        put_vector(json, "velocity", s.velocity, dimensions);
        if (!particle && dimensions == 2) json_number(json, "spin", s.spin);
        if (!particle && dimensions == 3) put_vector(json, "angular_velocity", s.angular_velocity, 3);
    }
    json_close(json);
}

static void put_coordinates(Json *json, CardanSim *sim, CardanJoint joint) {
    static const char *const names[][2] = {
        {NULL, NULL}, {"angle", "rate"}, {"displacement", "speed"}, {"length", NULL}};
    for (int kind = CARDAN_COORDINATE_ANGLE; kind <= CARDAN_COORDINATE_LENGTH; kind++) {
        double coordinate = 0.0, rate = 0.0;
        if (cardan_sim_coordinate(sim, joint, (CardanCoordinate)kind, &coordinate, &rate) < 0) continue;
        json_number(json, names[kind][0], coordinate);
        if (names[kind][1] != NULL) json_number(json, names[kind][1], rate);
    }
}

/* known: there are reactions; not so in a pose whose rows are dependent. */
static void put_joint(Json *json, const CardanModel *model, CardanSim *sim, CardanJoint joint, bool known) {
    CardanWrench reaction;
    bool unique;
    known = cardan_sim_reaction(sim, joint, &reaction) >= 0 && known;
    json_open_object(json, cardan_model_joint_name(model, joint), false);
    put_coordinates(json, sim, joint);
    if (known) {
        json_open_object(json, "reaction", false);
        put_vector(json, "force", reaction.force, dimensions_of(model));
        if (dimensions_of(model) == 2)
            json_number(json, "moment", reaction.moment.z);
        else
            put_vector(json, "moment", reaction.moment, 3);
        json_close(json);
    } else {
        json_null(json, "reaction");
    }
    json_boolean(json, "reaction_unique", known && cardan_sim_reaction_unique(sim, joint, &unique) >= 0 && unique);
    bool softened;
    if (known && cardan_sim_reaction_softened(sim, joint, &softened) >= 0 && softened)
        json_boolean(json, "reaction_softened", true);
    double effort, power;
    if (known && cardan_sim_effort(sim, joint, &effort) >= 0) json_number(json, "effort", effort);
    if (known && cardan_sim_power(sim, joint, &power) >= 0) json_number(json, "power", power);
    json_close(json);
}

static void put_objects(Json *json, const CardanModel *model, CardanSim *sim) {
    CardanSizes sizes = cardan_model_sizes(model);
    json_open_object(json, "bodies", true);
    for (int i = 1; i <= sizes.bodies; i++) put_body(json, model, sim, (CardanBody){i});
    json_close(json);
    bool known = cardan_sim_evaluate(sim, NULL, NULL) >= 0;
    json_open_object(json, "joints", true);
    for (int i = 1; i <= sizes.joints; i++) put_joint(json, model, sim, (CardanJoint){i}, known);
    json_close(json);
}

static void put_event(Json *json, const CardanModel *model, const CardanEvent *event) {
    json_open_object(json, NULL, false);
    json_string(json, "kind", cardan_event_kind_name(event->kind));
    json_number(json, "t", event->t);
    if (event->name != NULL) {
        json_string(json, "name", event->name);
        json_number(json, "direction", event->direction);
        json_close(json);
        return;
    }
    json_number(json, "left_at", event->left_at);
    json_number(json, "pivot_min", event->pivot_min);
    json_open_array(json, "joints", false);
    for (int i = 0; i < event->joint_count && i < CARDAN_PASSAGE_JOINTS; i++)
        json_string(json, NULL, cardan_model_joint_name(model, event->joint[i]));
    json_close(json);
    json_string(json, "remedy", cardan_remedy_name(event->remedy));
    json_number(json, "epsilon", event->epsilon);
    if (event->softened > 0) {
        json_number(json, "radius", event->radius);
        json_number(json, "softened", (double)event->softened);
        json_number(json, "gave_way", event->gave_way);
    }
    json_number(json, "lambda_max", event->lambda_max);
    json_string(json, "branch", cardan_branch_name(event->branch));
    if (event->jump >= 0.0) json_number(json, "jump", event->jump);
    json_close(json);
}

static void put_events(Json *json, const CardanModel *model, const CardanSim *sim) {
    const CardanEvent *events = NULL;
    int count = sim != NULL ? cardan_sim_events(sim, &events, NULL) : 0;
    json_open_array(json, "events", count > 0);
    for (int i = 0; i < count; i++) put_event(json, model, &events[i]);
    json_close(json);
}

/* NaN, which is null in JSON: it cannot be computed where the run stopped. */
static CardanResidual residual_of(CardanSim *sim) {
    CardanResidual residual;
    if (cardan_sim_residual(sim, &residual) >= 0) return residual;
    return (CardanResidual){(double)NAN, (double)NAN, (double)NAN, (double)NAN};
}

static CardanWork work_of(CardanSim *sim) {
    CardanWork work;
    return cardan_sim_work(sim, &work) >= 0 ? work : (CardanWork){0};
}

/* The largest opening of rows of one unit: of which joint, and when. */
static void put_largest(Json *json, const CardanModel *model, const char *key, double size, CardanJoint joint,
                        double t) {
    if (!(size > 0.0)) return;
    json_open_object(json, key, false);
    json_number(json, "size", size);
    json_string(json, "joint", cardan_model_joint_name(model, joint));
    json_number(json, "t", t);
    json_close(json);
}

/* Only of imperfect loops. */
static void put_opening(Json *json, const CardanModel *model, CardanSim *sim) {
    CardanOpening o;
    if (cardan_sim_opening(sim, &o) < 0 || !(o.length > 0.0 || o.angle > 0.0)) return;
    json_open_object(json, "opening", false);
    put_largest(json, model, "length", o.length, o.length_joint, o.length_t);
    put_largest(json, model, "angle", o.angle, o.angle_joint, o.angle_t);
    json_number(json, "redundancy", o.tolerance);
    json_close(json);
}

static void put_numbers(Json *json, const CardanModel *model, CardanSim *sim, const Outcome *outcome) {
    CardanEnergy energy = {0};
    CardanResidual residual = residual_of(sim);
    CardanWork work = work_of(sim);
    json_open_object(json, "energy", false);
    if (cardan_sim_energy(sim, &energy) >= 0) {
        json_number(json, "kinetic", energy.kinetic);
        json_number(json, "potential", energy.potential);
        json_number(json, "total", energy.total);
        json_number(json, "drift_max", energy.drift_max);
    }
    json_close(json);
    json_open_object(json, "residual", false);
    json_number(json, "position_max", residual.position_max);
    json_number(json, "velocity_max", residual.velocity_max);
    json_number(json, "position", residual.position);
    json_number(json, "velocity", residual.velocity);
    json_close(json);
    put_opening(json, model, sim);
    json_open_object(json, "work", false);
    json_integer(json, "steps", work.steps);
    json_integer(json, "rejected", work.rejected);
    json_integer(json, "rhs", work.rhs);
    json_integer(json, "factorisations", work.factorisations);
    json_integer(json, "solves", work.solves);
    json_number(json, "cpu_seconds", outcome->cpu_seconds);
    if (outcome->allocations < 0)
        json_null(json, "allocations_in_steps");
    else
        json_integer(json, "allocations_in_steps", outcome->allocations);
    json_close(json);
}

void report_json(FILE *out, const CardanModel *model, CardanSim *sim, const Outcome *outcome) {
    Json json = {.out = out};
    const Remarks *remarks = &outcome->remarks;
    bool failed = outcome->status != STATUS_DONE;
    json_open_object(&json, NULL, true);
    json_string(&json, "model", cardan_model_name(model));
    json_number(&json, "t", sim != NULL ? cardan_sim_time(sim) : 0.0);
    json_string(&json, "status", failed ? "failed" : remarks->count > 0 ? "remark" : "ok");
    if (remarks->count > 0) {
        json_open_array(&json, "remarks", true);
        for (int i = 0; i < remarks->count; i++) json_string(&json, NULL, remarks->text[i]);
        json_close(&json);
    }
    if (failed) json_string(&json, "reason", outcome->reason);
    if (sim != NULL) {
        bool relative = cardan_sim_coordinates(sim) == CARDAN_COORDINATES_RELATIVE;
        json_string(&json, "coordinates", relative ? "relative" : "absolute");
        started_put(&json, model, &outcome->started);
        put_objects(&json, model, sim);
        put_numbers(&json, model, sim, outcome);
    }
    put_events(&json, model, sim);
    channels_json(&json, model);
    json_close(&json);
}

void report_text(FILE *out, const CardanModel *model, CardanSim *sim, const Outcome *outcome,
                 const Arguments *arguments, int output_key) {
    CardanEnergy energy = {0};
    CardanResidual residual = residual_of(sim);
    CardanWork work = work_of(sim);
    fprintf(out, "%s: %s t = %.9g s in %ld steps (%ld rejected), %.3g s of processor time\n", cardan_model_name(model),
            outcome->status == STATUS_DONE ? "reached" : "stopped at", cardan_sim_time(sim), work.steps, work.rejected,
            outcome->cpu_seconds);
    if (cardan_sim_energy(sim, &energy) >= 0)
        fprintf(out, "  energy    %.9g J (kinetic %.9g, potential %.9g), largest drift %.2g J\n", energy.total,
                energy.kinetic, energy.potential, energy.drift_max);
    fprintf(out, "  residual  largest %.2g in positions, %.2g in velocities\n", residual.position_max,
            residual.velocity_max);
    started_print_line(out, model, &outcome->started, !outcome->started.asked, "  start     ");
    for (int i = 0; i < outcome->remarks.count; i++) fprintf(out, "  remark    %s\n", outcome->remarks.text[i]);
    if (outcome->remarks.left_out > 0) fprintf(out, "  remark    and %ld more\n", outcome->remarks.left_out);
    for (int i = 0; i < arguments->given_count; i++) {
        const Given *given = &arguments->given[i];
        bool file = given->option->key == output_key && strcmp(given->value, "-") != 0;
        if (file && outcome->status != STATUS_IO)
            fprintf(out, "  wrote     %s (%ld rows)\n", given->value, outcome->rows);
    }
}
