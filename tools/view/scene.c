/* A run as JSON: what there is to be drawn, and what is known of it. */
#include <math.h>
#include <string.h>

#include "view/page.h"

enum { NAME_SIZE = 512 };

static void put_vector(Json *json, const char *key, CardanVec3 v) {
    json_vector(json, key, (double[]){v.x, v.y, v.z}, 3);
}

/* The same unless it is 0: models may be large. */
static void put_place(Json *json, const char *key, CardanVec3 v) {
    if (v.x != 0.0 || v.y != 0.0 || v.z != 0.0) put_vector(json, key, v);
}

/* ---- bodies ---- */

static void put_shape(Json *json, CardanShape shape) {
    static const char *const names[CARDAN_SHAPE_KINDS] = {"none", "rod", "box", "cylinder", "sphere", "mesh"};
    json_open_object(json, NULL, false);
    json_string(json, "kind", names[shape.kind]);
    switch (shape.kind) {
    case CARDAN_SHAPE_ROD:
        put_vector(json, "from", shape.from);
        put_vector(json, "to", shape.to);
        json_number(json, "radius", shape.radius);
        break;
    case CARDAN_SHAPE_BOX:
        put_vector(json, "edges", shape.edges);
        break;
    case CARDAN_SHAPE_CYLINDER:
        json_number(json, "height", shape.height); /* fall through */
    case CARDAN_SHAPE_SPHERE:
        json_number(json, "radius", shape.radius);
        break;
    default:
        if (shape.file != NULL) json_string(json, "file", shape.file);
    }
    json_close(json);
}

static void put_body(Json *json, const Movie *movie, CardanBody body) {
    CardanBodyMass mass = cardan_model_body_mass(movie->model, body);
    CardanBodyKind kind = cardan_model_body_kind(movie->model, body);
    json_open_object(json, NULL, false);
    json_string(json, "name", cardan_model_body_name(movie->model, body));
    if (kind != CARDAN_BODY_RIGID) json_string(json, "kind", kind == CARDAN_BODY_PARTICLE ? "particle" : "frame");
    json_number(json, "mass", mass.mass);
    const CardanInertia *i = &mass.inertia;
    json_vector(json, "inertia", (double[]){i->xx, i->yy, i->zz}, 3);
    int shapes = cardan_model_shapes(movie->model, body);
    if (shapes > 0) {
        json_open_array(json, "shapes", false);
        for (int k = 0; k < shapes; k++) put_shape(json, cardan_model_shape(movie->model, body, k));
        json_close(json);
    }
    json_close(json);
}

/* ---- joints and forces ---- */

static void put_joint(Json *json, const Movie *movie, int joint) {
    CardanJointScene scene = cardan_model_joint_scene(movie->model, (CardanJoint){joint});
    json_open_object(json, NULL, false);
    json_string(json, "name", cardan_model_joint_name(movie->model, (CardanJoint){joint}));
    json_string(json, "type", scene.type != CARDAN_JOINT_NONE ? cardan_joint_type_name(scene.type) : "rows");
    json_integer(json, "rows", cardan_model_joint_rows(movie->model, (CardanJoint){joint}));
    json_integer(json, "a", movie_body(movie, scene.a));
    json_integer(json, "b", movie_body(movie, scene.b));
    put_place(json, "pa", scene.point_a);
    put_place(json, "pb", scene.point_b);
    put_place(json, "ua", scene.axis_a);
    put_place(json, "ub", scene.axis_b);
    if (scene.radius > 0.0) json_number(json, "radius", scene.radius);
    if (scene.joint.index > 0) json_integer(json, "leads", scene.joint.index - 1);
    if (scene.compliant) json_boolean(json, "compliant", true);
    const double *residual = movie->residual + 2 * (joint - 1);
    if (movie->examined && movie->redundant[joint - 1]) json_boolean(json, "redundant", true);
    if (movie->examined && residual[0] + residual[1] > 0.0) json_vector(json, "residual", residual, 2);
    json_close(json);
}

static void put_force(Json *json, const Movie *movie, int force) {
    CardanForceScene scene = cardan_model_force_scene(movie->model, (CardanForce){force});
    json_open_object(json, NULL, false);
    json_string(json, "name", cardan_model_force_name(movie->model, (CardanForce){force}));
    json_string(json, "type", cardan_force_type_name(scene.type));
    if (scene.joint.index > 0) json_integer(json, "joint", scene.joint.index - 1);
    if (scene.joint.index > 0) json_boolean(json, "turns", scene.coordinate == CARDAN_COORDINATE_ANGLE);
    json_open_array(json, "points", false);
    for (int k = 0; k < scene.points; k++) {
        CardanBodyPoint at = cardan_model_force_point(movie->model, (CardanForce){force}, k);
        json_vector(json, NULL, (double[]){movie_body(movie, at.body), at.point.x, at.point.y, at.point.z}, 4);
    }
    json_close(json);
    if (scene.radius > 0.0) json_number(json, "radius", scene.radius);
    if (scene.type == CARDAN_FORCE_CONTACT || scene.type == CARDAN_FORCE_TYRE) {
        put_vector(json, "plane", scene.plane_point);
        put_vector(json, "normal", scene.plane_normal);
        put_vector(json, "axis", scene.axis);
    }
    json_close(json);
}

static void put_arrow(Json *json, const Arrow *arrow) {
    json_open_object(json, NULL, false);
    if (arrow->joint > 0) json_integer(json, "joint", arrow->joint - 1);
    if (arrow->force > 0) json_integer(json, "force", arrow->force - 1);
    json_integer(json, "body", arrow->body);
    put_vector(json, "point", arrow->point);
    json_boolean(json, "moment", arrow->moment);
    json_close(json);
}

/* ---- what is known ---- */

static void put_event(Json *json, const Movie *movie, const CardanEvent *event) {
    json_open_object(json, NULL, false);
    json_string(json, "kind", cardan_event_kind_name(event->kind));
    json_number(json, "t", event->t);
    if (event->name != NULL) json_string(json, "name", event->name);
    if (event->kind == CARDAN_EVENT_SINGULARITY) {
        json_string(json, "remedy", cardan_remedy_name(event->remedy));
        json_string(json, "branch", cardan_branch_name(event->branch));
        json_open_array(json, "joints", false);
        for (int i = 0; i < event->joint_count && i < CARDAN_PASSAGE_JOINTS; i++)
            json_string(json, NULL, cardan_model_joint_name(movie->model, event->joint[i]));
        json_close(json);
    }
    json_close(json);
}

static void put_findings(Json *json, const Movie *movie) {
    if (movie->examined) {
        json_open_object(json, "check", false);
        json_integer(json, "freedom", movie->check.degrees_of_freedom);
        json_integer(json, "velocities", movie->check.velocities);
        json_integer(json, "rows", movie->check.rows);
        json_integer(json, "redundant", movie->check.redundant_rows);
        json_boolean(json, "singular", movie->check.singular);
        json_boolean(json, "assembled", movie->check.assembled);
        json_vector(json, "residual", (double[]){movie->check.residual_position, movie->check.residual_velocity}, 2);
        json_close(json);
    }
    json_open_array(json, "remarks", false);
    for (int i = 0; i < movie->remarks.count; i++) json_string(json, NULL, movie->remarks.text[i]);
    json_close(json);
    if (movie->reason[0] != '\0') json_string(json, "reason", movie->reason);
}

static void put_channels(Json *json, const Movie *movie) {
    char label[NAME_SIZE];
    json_open_array(json, "channels", false);
    for (int i = 0; i < movie->channels.channel_count; i++)
        for (int k = 0; k < movie->channels.channels[i].width; k++)
            json_string(json, NULL,
                        cardan_model_channel_label(movie->model, movie->channels.channels[i], k, label, sizeof label));
    json_close(json);
}

void scene_json(Json *json, const Movie *movie, const char *label) {
    CardanSizes sizes = cardan_model_sizes(movie->model);
    json_open_object(json, NULL, true);
    json_string(json, "name", cardan_model_name(movie->model));
    json_string(json, "label", label);
    json_boolean(json, "planar", cardan_model_space(movie->model) == CARDAN_SPACE_PLANAR);
    put_vector(json, "gravity", cardan_model_gravity(movie->model));
    json_number(json, "size", movie->size);
    json_integer(json, "frames", movie->frames);
    put_findings(json, movie);
    json_open_array(json, "bodies", true);
    for (int i = 0; i < movie->body_count; i++) put_body(json, movie, movie->bodies[i]);
    json_close(json);
    json_open_array(json, "joints", true);
    for (int i = 1; i <= sizes.joints; i++) put_joint(json, movie, i);
    json_close(json);
    json_open_array(json, "forces", true);
    for (int i = 1; i <= sizes.forces; i++) put_force(json, movie, i);
    json_close(json);
    json_open_array(json, "arrows", true);
    for (int i = 0; i < movie->arrow_count; i++) put_arrow(json, &movie->arrows[i]);
    json_close(json);
    put_channels(json, movie);
    json_open_array(json, "events", true);
    for (int i = 0; i < movie->event_count; i++) put_event(json, movie, &movie->events[i]);
    json_close(json);
    json_close(json);
}
