/* glTF 2.0 in one binary file (Khronos, glTF 2.0 Specification, 2021): a node a body with its mesh, and one animation
 * that moves them, places and quaternions interpolated linearly between the rows. y is up there: models in space stand
 * on a node that turns z upwards; planar ones lie in x and y as they are. */
#include "export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "glb.h"
#include "json.h"
#include "whole_file.h"

enum { FLOAT = 5126, ARRAY_BUFFER = 34962, HEAD = 12, CHUNK_HEAD = 8 };

typedef struct Glb {
    const RunFile *run;
    CardanModel *model;
    CardanSim *sim;
    int bodies, frames;
    double size;
    Mesh *meshes;  /* by body */
    float *times;  /* frames */
    float *places; /* by body: 3 a frame */
    float *turns;  /* by body: x y z w a frame */
} Glb;

/* ---- frames ---- */

static double size_of(const Glb *glb) {
    double reach = 0.0;
    for (int i = 0; i < glb->bodies; i++) {
        const float *p = glb->places + (size_t)i * (size_t)glb->frames * 3, *first = glb->places;
        double dx = (double)(p[0] - first[0]), dy = (double)(p[1] - first[1]), dz = (double)(p[2] - first[2]);
        reach = fmax(reach, sqrt(dx * dx + dy * dy + dz * dz));
    }
    for (int j = 1; j <= cardan_model_sizes(glb->model).joints; j++) {
        CardanJointScene scene = cardan_model_joint_scene(glb->model, (CardanJoint){j});
        const CardanVec3 *point[] = {&scene.point_a, &scene.point_b};
        for (int k = 0; k < 2; k++)
            reach =
                fmax(reach, sqrt(point[k]->x * point[k]->x + point[k]->y * point[k]->y + point[k]->z * point[k]->z));
    }
    return reach > 0.0 ? reach : 1.0;
}

/* q and -q are the same turn: the one nearer to the last, of length 1 in single precision. */
static void put_turn(CardanQuat q, const float *last, float *out) {
    double n = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    double sign =
        last != NULL &&
                q.x * (double)last[0] + q.y * (double)last[1] + q.z * (double)last[2] + q.w * (double)last[3] < 0.0
            ? -1.0
            : 1.0;
    out[0] = (float)(sign * q.x / n);
    out[1] = (float)(sign * q.y / n);
    out[2] = (float)(sign * q.z / n);
    out[3] = (float)(sign * q.w / n);
}

static int take_frame(Glb *glb, long row, int frame) {
    if (cardan_result_show(glb->run->result, row, glb->sim) < 0) {
        complain_about(glb->run->path, cardan_sim_message(glb->sim));
        return STATUS_IO;
    }
    for (int i = 0; i < glb->bodies; i++) {
        CardanBodyState s = {0};
        size_t at = (size_t)i * (size_t)glb->frames + (size_t)frame;
        if (cardan_sim_body(glb->sim, cardan_model_body(glb->model, i), &s) < 0) continue;
        float *place = glb->places + 3 * at;
        place[0] = (float)s.position.x;
        place[1] = (float)s.position.y;
        place[2] = (float)s.position.z;
        if (s.quaternion.w == 0.0 && s.quaternion.x == 0.0 && s.quaternion.y == 0.0 && s.quaternion.z == 0.0)
            s.quaternion.w = 1.0; /* a particle */
        put_turn(s.quaternion, frame > 0 ? glb->turns + 4 * (at - 1) : NULL, glb->turns + 4 * at);
    }
    return STATUS_DONE;
}

/* Times must rise, also in single precision: rows that fall together are left out. */
static int take_frames(Glb *glb) {
    long rows = glb->run->info.states, count = 0;
    float last = 0.0f;
    for (long i = 0; i < rows; i++) {
        float t = (float)cardan_result_time(glb->run->result, i);
        if (count == 0 || t > last) count++, last = t;
    }
    glb->frames = (int)count;
    size_t n = (size_t)glb->bodies * (size_t)count;
    glb->times = calloc((size_t)count + 1, sizeof *glb->times);
    glb->places = calloc(3 * n + 1, sizeof *glb->places);
    glb->turns = calloc(4 * n + 1, sizeof *glb->turns);
    if (glb->times == NULL || glb->places == NULL || glb->turns == NULL) {
        complain("out of memory");
        return STATUS_FAULT;
    }
    int frame = 0, status = STATUS_DONE;
    for (long i = 0; i < rows && status == STATUS_DONE; i++) {
        float t = (float)cardan_result_time(glb->run->result, i);
        if (frame > 0 && !(t > glb->times[frame - 1])) continue;
        glb->times[frame] = t;
        status = take_frame(glb, i, frame++);
    }
    return status;
}

/* ---- parts of the file, in the order of their accessors: times; of each body positions, normals, places, turns ----
 */

typedef struct Part {
    const float *numbers;
    int count, width; /* elements, numbers of each */
    bool mesh;        /* vertices, not an animation */
    bool bounds;      /* minimum and maximum are wanted */
} Part;

enum { OF_BODY = 4 };

static int part_count(const Glb *glb) {
    return 1 + OF_BODY * glb->bodies;
}

static Part part_of(const Glb *glb, int i) {
    if (i == 0) return (Part){glb->times, glb->frames, 1, false, true};
    int body = (i - 1) / OF_BODY, which = (i - 1) % OF_BODY;
    size_t first = (size_t)body * (size_t)glb->frames;
    const Mesh *mesh = &glb->meshes[body];
    const Part parts[OF_BODY] = {{mesh->positions, mesh->count, 3, true, true},
                                 {mesh->normals, mesh->count, 3, true, false},
                                 {glb->places + 3 * first, glb->frames, 3, false, false},
                                 {glb->turns + 4 * first, glb->frames, 4, false, false}};
    return parts[which];
}

static size_t bytes_of(Part part) {
    return (size_t)part.count * (size_t)part.width * sizeof(float);
}

static void put_bounds(Json *json, Part part) {
    double low[4], high[4];
    for (int k = 0; k < part.width; k++) {
        low[k] = high[k] = (double)part.numbers[k];
        for (int i = 1; i < part.count; i++) {
            double x = (double)part.numbers[i * part.width + k];
            low[k] = fmin(low[k], x);
            high[k] = fmax(high[k], x);
        }
    }
    json_vector(json, "min", low, part.width);
    json_vector(json, "max", high, part.width);
}

static void put_accessors(Json *json, const Glb *glb) {
    static const char *const types[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    json_open_array(json, "accessors", true);
    for (int i = 0; i < part_count(glb); i++) {
        Part part = part_of(glb, i);
        json_open_object(json, NULL, false);
        json_integer(json, "bufferView", i);
        json_integer(json, "componentType", FLOAT);
        json_integer(json, "count", part.count);
        json_string(json, "type", types[part.width]);
        if (part.bounds) put_bounds(json, part);
        json_close(json);
    }
    json_close(json);
    json_open_array(json, "bufferViews", true);
    size_t at = 0;
    for (int i = 0; i < part_count(glb); i++) {
        Part part = part_of(glb, i);
        json_open_object(json, NULL, false);
        json_integer(json, "buffer", 0);
        json_integer(json, "byteOffset", (long)at);
        json_integer(json, "byteLength", (long)bytes_of(part));
        if (part.mesh) json_integer(json, "target", ARRAY_BUFFER);
        json_close(json);
        at += bytes_of(part);
    }
    json_close(json);
    json_open_array(json, "buffers", false);
    json_open_object(json, NULL, false);
    json_integer(json, "byteLength", (long)at);
    json_close(json);
    json_close(json);
}

/* ---- nodes and animation ---- */

static void put_nodes(Json *json, const Glb *glb) {
    bool space = cardan_model_space(glb->model) == CARDAN_SPACE_SPATIAL;
    json_open_array(json, "nodes", true);
    json_open_object(json, NULL, false);
    json_string(json, "name", cardan_model_name(glb->model));
    if (space) json_vector(json, "rotation", (const double[]){-sqrt(0.5), 0.0, 0.0, sqrt(0.5)}, 4);
    json_open_array(json, "children", false);
    for (int i = 0; i < glb->bodies; i++) json_integer(json, NULL, i + 1);
    json_close(json);
    json_close(json);
    for (int i = 0; i < glb->bodies; i++) {
        size_t first = (size_t)i * (size_t)glb->frames;
        const float *p = glb->places + 3 * first, *q = glb->turns + 4 * first;
        json_open_object(json, NULL, false);
        json_string(json, "name", cardan_model_body_name(glb->model, cardan_model_body(glb->model, i)));
        json_integer(json, "mesh", i);
        json_vector(json, "translation", (const double[]){(double)p[0], (double)p[1], (double)p[2]}, 3);
        json_vector(json, "rotation", (const double[]){(double)q[0], (double)q[1], (double)q[2], (double)q[3]}, 4);
        json_close(json);
    }
    json_close(json);
}

static void put_meshes(Json *json, const Glb *glb) {
    static const double colours[][4] = {{0.20, 0.40, 0.65, 1.0}, {0.85, 0.45, 0.20, 1.0}, {0.30, 0.60, 0.35, 1.0},
                                        {0.60, 0.35, 0.60, 1.0}, {0.55, 0.50, 0.30, 1.0}, {0.35, 0.60, 0.65, 1.0}};
    enum { COLOURS = sizeof colours / sizeof *colours };
    json_open_array(json, "meshes", true);
    for (int i = 0; i < glb->bodies; i++) {
        json_open_object(json, NULL, false);
        json_open_array(json, "primitives", false);
        json_open_object(json, NULL, false);
        json_open_object(json, "attributes", false);
        json_integer(json, "POSITION", 1 + OF_BODY * i);
        json_integer(json, "NORMAL", 2 + OF_BODY * i);
        json_close(json);
        json_integer(json, "material", i % COLOURS);
        json_close(json);
        json_close(json);
        json_close(json);
    }
    json_close(json);
    json_open_array(json, "materials", true);
    for (int i = 0; i < COLOURS && i < glb->bodies; i++) {
        json_open_object(json, NULL, false);
        json_open_object(json, "pbrMetallicRoughness", false);
        json_vector(json, "baseColorFactor", colours[i], 4);
        json_number(json, "metallicFactor", 0.1);
        json_number(json, "roughnessFactor", 0.7);
        json_close(json);
        json_close(json);
    }
    json_close(json);
}

static void put_animation(Json *json, const Glb *glb) {
    static const char *const paths[] = {"translation", "rotation"};
    if (glb->frames < 2) return;
    json_open_array(json, "animations", false);
    json_open_object(json, NULL, true);
    json_string(json, "name", "motion");
    json_open_array(json, "channels", true);
    for (int i = 0; i < 2 * glb->bodies; i++) {
        json_open_object(json, NULL, false);
        json_integer(json, "sampler", i);
        json_open_object(json, "target", false);
        json_integer(json, "node", 1 + i / 2);
        json_string(json, "path", paths[i % 2]);
        json_close(json);
        json_close(json);
    }
    json_close(json);
    json_open_array(json, "samplers", true);
    for (int i = 0; i < 2 * glb->bodies; i++) {
        json_open_object(json, NULL, false);
        json_integer(json, "input", 0);
        json_integer(json, "output", 3 + OF_BODY * (i / 2) + i % 2);
        json_string(json, "interpolation", "LINEAR");
        json_close(json);
    }
    json_close(json);
    json_close(json);
    json_close(json);
}

static void put_json(FILE *out, const Glb *glb) {
    Json json = {.out = out};
    json_open_object(&json, NULL, true);
    json_open_object(&json, "asset", false);
    json_string(&json, "version", "2.0");
    json_string(&json, "generator", "cardan");
    json_close(&json);
    json_integer(&json, "scene", 0);
    json_open_array(&json, "scenes", false);
    json_open_object(&json, NULL, false);
    json_open_array(&json, "nodes", false);
    json_integer(&json, NULL, 0);
    json_close(&json);
    json_close(&json);
    json_close(&json);
    put_nodes(&json, glb);
    put_meshes(&json, glb);
    put_animation(&json, glb);
    put_accessors(&json, glb);
    json_close(&json);
}

/* ---- the file ---- */

static void put_words(FILE *out, const unsigned *words, int count) {
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 4; k++) fputc((int)(words[i] >> (8 * k) & 0xff), out);
}

static const char *put_glb(FILE *out, const void *user) {
    const Glb *glb = user;
    char *text = NULL;
    size_t length = 0, binary = 0;
    FILE *memory = open_memstream(&text, &length);
    if (memory == NULL) return "out of memory";
    put_json(memory, glb);
    if (fclose(memory) != 0) return "out of memory";
    for (int i = 0; i < part_count(glb); i++) binary += bytes_of(part_of(glb, i));
    size_t filled = (length + 3) / 4 * 4;
    put_words(out,
              (const unsigned[]){0x46546c67, 2, (unsigned)(HEAD + 2 * CHUNK_HEAD + filled + binary), (unsigned)filled,
                                 0x4e4f534a},
              5);
    fwrite(text, 1, length, out);
    for (size_t i = length; i < filled; i++) fputc(' ', out);
    put_words(out, (const unsigned[]){(unsigned)binary, 0x004e4942}, 2);
    for (int i = 0; i < part_count(glb); i++) fwrite(part_of(glb, i).numbers, 1, bytes_of(part_of(glb, i)), out);
    free(text);
    return NULL;
}

static int prepare(Glb *glb) {
    int status = runfile_model(glb->run, &glb->model);
    CardanOptions options;
    if (status != STATUS_DONE) return status;
    if (cardan_result_options(glb->run->result, &options, NULL, 0) < 0) options = cardan_model_options(glb->model);
    CardanStatus st = cardan_sim_create(glb->model, &options, &glb->sim);
    if (st < 0) {
        complain_about(glb->run->path, glb->sim != NULL ? cardan_sim_message(glb->sim) : "out of memory");
        return exit_status(st);
    }
    glb->bodies = cardan_model_sizes(glb->model).bodies;
    if (glb->run->info.states == 0 || glb->bodies == 0) {
        complain("'%s': the run file has no poses to be drawn", glb->run->path);
        return STATUS_IO;
    }
    status = take_frames(glb);
    glb->meshes = calloc((size_t)glb->bodies, sizeof *glb->meshes);
    if (status != STATUS_DONE || glb->meshes == NULL) return status != STATUS_DONE ? status : STATUS_FAULT;
    glb->size = size_of(glb);
    for (int i = 0; i < glb->bodies; i++) {
        mesh_of_body(&glb->meshes[i], glb->model, cardan_model_body(glb->model, i), glb->size);
        if (glb->meshes[i].failed) status = STATUS_FAULT;
    }
    return status;
}

int export_glb(const RunFile *run, const char *path) {
    Glb glb = {.run = run};
    int status = prepare(&glb);
    if (status == STATUS_DONE) status = write_file(path, put_glb, &glb);
    for (int i = 0; glb.meshes != NULL && i < glb.bodies; i++) mesh_free(&glb.meshes[i]);
    free(glb.meshes);
    free(glb.times);
    free(glb.places);
    free(glb.turns);
    cardan_sim_destroy(glb.sim);
    cardan_model_release(glb.model);
    return status;
}
