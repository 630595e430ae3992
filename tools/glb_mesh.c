/* Triangles of rods, boxes, cylinders and spheres. */
#include "glb.h"

#include <math.h>
#include <stdlib.h>

enum { SIDES = 16, RINGS = 8 };

/* Thickness of what has none of its own, against the mechanism. */
static const double THIN = 0.02;

static const double PI = 3.14159265358979323846;

typedef struct Axes {
    CardanVec3 x, y, z, origin;
} Axes;

void mesh_free(Mesh *mesh) {
    free(mesh->positions);
    free(mesh->normals);
    *mesh = (Mesh){0};
}

static CardanVec3 place(const Axes *axes, double x, double y, double z) {
    return (CardanVec3){axes->origin.x + x * axes->x.x + y * axes->y.x + z * axes->z.x,
                        axes->origin.y + x * axes->x.y + y * axes->y.y + z * axes->z.y,
                        axes->origin.z + x * axes->x.z + y * axes->y.z + z * axes->z.z};
}

static CardanVec3 cross(CardanVec3 a, CardanVec3 b) {
    return (CardanVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static CardanVec3 difference(CardanVec3 a, CardanVec3 b) {
    return (CardanVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double length(CardanVec3 a) {
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

static bool grow(Mesh *mesh, int more) {
    if (mesh->failed) return false;
    if (mesh->count + more <= mesh->room) return true;
    int room = 2 * mesh->room + more + 256;
    float *positions = realloc(mesh->positions, 3 * (size_t)room * sizeof *positions);
    if (positions != NULL) mesh->positions = positions;
    float *normals = realloc(mesh->normals, 3 * (size_t)room * sizeof *normals);
    if (normals != NULL) mesh->normals = normals;
    mesh->failed = positions == NULL || normals == NULL;
    if (!mesh->failed) mesh->room = room;
    return !mesh->failed;
}

static void put(float *to, CardanVec3 v) {
    to[0] = (float)v.x;
    to[1] = (float)v.y;
    to[2] = (float)v.z;
}

/* Flat; corners counter-clockwise from outside. One without area is left out. */
static void triangle(Mesh *mesh, CardanVec3 a, CardanVec3 b, CardanVec3 c) {
    CardanVec3 normal = cross(difference(b, a), difference(c, a)), corner[3] = {a, b, c};
    double size = length(normal);
    if (!(size > 0.0) || !grow(mesh, 3)) return;
    normal = (CardanVec3){normal.x / size, normal.y / size, normal.z / size};
    for (int i = 0; i < 3; i++, mesh->count++) {
        put(mesh->positions + 3 * mesh->count, corner[i]);
        put(mesh->normals + 3 * mesh->count, normal);
    }
}

static void quad(Mesh *mesh, CardanVec3 a, CardanVec3 b, CardanVec3 c, CardanVec3 d) {
    triangle(mesh, a, b, c);
    triangle(mesh, a, c, d);
}

static void box(Mesh *mesh, const Axes *axes, double x, double y, double z) {
    for (int k = 0; k < 3; k++)
        for (int side = -1; side <= 1; side += 2) {
            double e[3] = {0.5 * x, 0.5 * y, 0.5 * z};
            CardanVec3 corner[4];
            static const int u[4] = {-1, 1, 1, -1}, v[4] = {-1, -1, 1, 1};
            for (int i = 0; i < 4; i++) {
                double p[3];
                p[k] = side * e[k];
                p[(k + 1) % 3] = side * u[i] * e[(k + 1) % 3];
                p[(k + 2) % 3] = v[i] * e[(k + 2) % 3];
                corner[i] = place(axes, p[0], p[1], p[2]);
            }
            quad(mesh, corner[0], corner[1], corner[2], corner[3]);
        }
}

static CardanVec3 on_circle(const Axes *axes, double radius, int i, double z) {
    double angle = 2.0 * PI * i / SIDES;
    return place(axes, radius * cos(angle), radius * sin(angle), z);
}

static void cylinder(Mesh *mesh, const Axes *axes, double radius, double height) {
    double z = 0.5 * height;
    for (int i = 0; i < SIDES; i++) {
        CardanVec3 a = on_circle(axes, radius, i, -z), b = on_circle(axes, radius, i + 1, -z),
                   c = on_circle(axes, radius, i + 1, z), d = on_circle(axes, radius, i, z);
        quad(mesh, a, b, c, d);
        triangle(mesh, place(axes, 0.0, 0.0, z), d, c);
        triangle(mesh, place(axes, 0.0, 0.0, -z), b, a);
    }
}

static void sphere(Mesh *mesh, const Axes *axes, double radius) {
    for (int k = 0; k < RINGS; k++) {
        double low = PI * k / RINGS - 0.5 * PI, high = PI * (k + 1) / RINGS - 0.5 * PI;
        for (int i = 0; i < SIDES; i++)
            quad(mesh, on_circle(axes, radius * cos(low), i, radius * sin(low)),
                 on_circle(axes, radius * cos(low), i + 1, radius * sin(low)),
                 on_circle(axes, radius * cos(high), i + 1, radius * sin(high)),
                 on_circle(axes, radius * cos(high), i, radius * sin(high)));
    }
}

static void rod(Mesh *mesh, CardanVec3 from, CardanVec3 to, double radius) {
    CardanVec3 along = difference(to, from);
    double l = length(along);
    if (!(l > 0.0)) return;
    Axes axes = {.z = {along.x / l, along.y / l, along.z / l},
                 .origin = {0.5 * (from.x + to.x), 0.5 * (from.y + to.y), 0.5 * (from.z + to.z)}};
    CardanVec3 other = fabs(axes.z.x) < 0.8 ? (CardanVec3){1.0, 0.0, 0.0} : (CardanVec3){0.0, 1.0, 0.0};
    CardanVec3 x = cross(other, axes.z);
    double n = length(x);
    axes.x = (CardanVec3){x.x / n, x.y / n, x.z / n};
    axes.y = cross(axes.z, axes.x);
    cylinder(mesh, &axes, radius, l);
}

static void shape(Mesh *mesh, const CardanShape *s, double size) {
    const Axes own = {.x = {1, 0, 0}, .y = {0, 1, 0}, .z = {0, 0, 1}};
    double thin = THIN * size, least = 0.1 * thin; /* a plate without thickness is drawn with some */
    if (s->kind == CARDAN_SHAPE_ROD) rod(mesh, s->from, s->to, s->radius > 0.0 ? s->radius : 0.5 * thin);
    if (s->kind == CARDAN_SHAPE_BOX)
        box(mesh, &own, fmax(s->edges.x, least), fmax(s->edges.y, least), fmax(s->edges.z, least));
    if (s->kind == CARDAN_SHAPE_CYLINDER) cylinder(mesh, &own, s->radius, s->height > 0.0 ? s->height : thin);
    if (s->kind == CARDAN_SHAPE_SPHERE) sphere(mesh, &own, s->radius);
}

static void rods_to_joints(Mesh *mesh, const CardanModel *model, CardanBody body, double size) {
    for (int j = 1; j <= cardan_model_sizes(model).joints; j++) {
        CardanJointScene scene = cardan_model_joint_scene(model, (CardanJoint){j});
        if (scene.type == CARDAN_JOINT_NONE || scene.joint.index > 0) continue;
        if (scene.a.index == body.index) rod(mesh, (CardanVec3){0}, scene.point_a, 0.5 * THIN * size);
        if (scene.b.index == body.index) rod(mesh, (CardanVec3){0}, scene.point_b, 0.5 * THIN * size);
    }
}

void mesh_of_body(Mesh *mesh, const CardanModel *model, CardanBody body, double size) {
    const Axes own = {.x = {1, 0, 0}, .y = {0, 1, 0}, .z = {0, 0, 1}};
    for (int k = 0; k < cardan_model_shapes(model, body); k++) {
        CardanShape s = cardan_model_shape(model, body, k);
        shape(mesh, &s, size);
    }
    if (mesh->count == 0) rods_to_joints(mesh, model, body, size);
    if (mesh->count == 0 || cardan_model_shapes(model, body) == 0)
        box(mesh, &own, 2.0 * THIN * size, 2.0 * THIN * size, 2.0 * THIN * size); /* the centre of mass */
}
