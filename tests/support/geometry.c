#include "support/geometry.h"

#include <math.h>
#include <string.h>

/* ---- vectors and matrices */

static double dot(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *out) {
    double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    memcpy(out, c, sizeof c);
}

static void apply(const double *r, const double *a, double *out) {
    double c[3] = {dot(r, a), dot(r + 3, a), dot(r + 6, a)};
    memcpy(out, c, sizeof c);
}

static void apply_transposed(const double *r, const double *a, double *out) {
    double c[3];
    for (int i = 0; i < 3; i++) c[i] = r[i] * a[0] + r[3 + i] * a[1] + r[6 + i] * a[2];
    memcpy(out, c, sizeof c);
}

static void product(const double *m, const double *n, bool transposed, double *out) { /* m n, or m^T n */
    double c[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            c[3 * i + j] = 0.0;
            for (int k = 0; k < 3; k++) c[3 * i + j] += (transposed ? m[3 * k + i] : m[3 * i + k]) * n[3 * k + j];
        }
    memcpy(out, c, sizeof c);
}

static void unit(double *a) {
    double length = sqrt(dot(a, a));
    for (int i = 0; i < 3 && length > 0.0; i++) a[i] /= length;
}

static void of_vec(CardanVec3 v, double *out) {
    out[0] = v.x, out[1] = v.y, out[2] = v.z;
}

/* Rodrigues' formula. */
static void about(const double *axis, double angle, double *r) {
    double s = sin(angle), c = cos(angle);
    const double k[9] = {0.0, -axis[2], axis[1], axis[2], 0.0, -axis[0], -axis[1], axis[0], 0.0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r[3 * i + j] = (i == j ? c : 0.0) + s * k[3 * i + j] + (1.0 - c) * axis[i] * axis[j];
}

static void of_quaternion(CardanQuat q, double *r) {
    double v[3] = {q.x, q.y, q.z}, size = sqrt(dot(v, v));
    double angle = 2.0 * atan2(size, q.w);
    const double z[3] = {0.0, 0.0, 1.0};
    unit(v);
    about(size > 0.0 ? v : z, size > 0.0 ? angle : 0.0, r);
}

/* Two directions that make a right-handed system with u. */
static void across(const double *u, double e[2][3]) {
    int least = fabs(u[0]) < fabs(u[1]) ? 0 : 1;
    if (fabs(u[2]) < fabs(u[least])) least = 2;
    double axis[3] = {0};
    axis[least] = 1.0;
    cross(u, axis, e[0]);
    unit(e[0]);
    cross(u, e[0], e[1]);
}

/* ---- places */

Place place_of_ground(void) {
    return (Place){.r = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
}

static Place placed(CardanSpace space, CardanVec3 x, double angle, CardanQuat q) {
    Place place = place_of_ground();
    const double z[3] = {0.0, 0.0, 1.0};
    of_vec(x, place.x);
    if (space == CARDAN_SPACE_PLANAR)
        about(z, angle, place.r);
    else
        of_quaternion(q, place.r);
    return place;
}

Place place_of_pose(CardanSpace space, const CardanPose *pose) {
    CardanQuat q = pose->q;
    if (q.w == 0.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0) q.w = 1.0;
    return placed(space, pose->p, pose->angle, q);
}

Place place_of_state(CardanSpace space, const CardanBodyState *state) {
    Place place = placed(space, state->position, state->angle, state->quaternion);
    of_vec(state->velocity, place.v);
    of_vec(state->angular_velocity, place.w);
    if (space == CARDAN_SPACE_PLANAR) place.w[2] = state->spin;
    return place;
}

void place_move(Place *place, const double *dx, const double *dw) {
    double angle = sqrt(dot(dw, dw)), axis[3] = {dw[0], dw[1], dw[2]}, r[9];
    for (int i = 0; i < 3; i++) place->x[i] += dx[i];
    if (angle == 0.0) return;
    unit(axis);
    about(axis, angle, r);
    product(r, place->r, false, place->r);
}

static void inside(const Place *place, const double *point, double *out) {
    double d[3] = {point[0] - place->x[0], point[1] - place->x[1], point[2] - place->x[2]};
    apply_transposed(place->r, d, out);
}

static void outside(const Place *place, const double *local, double *out) {
    apply(place->r, local, out);
    for (int i = 0; i < 3; i++) out[i] += place->x[i];
}

/* ---- joints as defined */

/* Directions across a's axis and those of b that coincide with them: by the shortest turn from one axis to the other.
 */
static void direct(Geometry *j, const Place *a, const Place *b) {
    double u[3], w[3], e[2][3], turn[9], axis[3];
    apply(a->r, j->ua, u);
    apply(b->r, j->ub, w);
    across(u, e);
    cross(u, w, axis);
    double s = sqrt(dot(axis, axis));
    unit(axis);
    about(s > 0.0 ? axis : e[0], s > 0.0 ? atan2(s, dot(u, w)) : 0.0, turn);
    for (int k = 0; k < 2; k++) {
        double f[3];
        apply(turn, e[k], f);
        apply_transposed(a->r, e[k], j->ea[k]);
        apply_transposed(b->r, f, j->eb[k]);
    }
}

Geometry geometry_of(CardanSpace space, const CardanJointDef *def, const Place *a, const Place *b) {
    Geometry j = {.type = def->type,
                  .space = space,
                  .first = -1,
                  .second = -1,
                  .pitch = def->pitch,
                  .radius = def->radius,
                  .length = def->length};
    double point[3], axis[3], axis2[3];
    of_vec(def->point, point);
    of_vec(def->type == CARDAN_JOINT_ROLLING ? def->normal : def->axis, axis);
    of_vec(def->type == CARDAN_JOINT_ROLLING ? def->axis : def->axis2, axis2);
    j.ball = def->type == CARDAN_JOINT_ROLLING && (space == CARDAN_SPACE_PLANAR || dot(axis2, axis2) == 0.0);
    inside(a, point, j.la);
    inside(b, point, j.lb);
    if (def->type == CARDAN_JOINT_ROLLING) memset(j.lb, 0, sizeof j.lb);
    if (def->local & CARDAN_LOCAL_POINT_A) of_vec(def->local_a, j.la);
    if (def->local & CARDAN_LOCAL_POINT_B) of_vec(def->local_b, j.lb);
    if (space == CARDAN_SPACE_PLANAR && def->type == CARDAN_JOINT_REVOLUTE) axis[0] = axis[1] = 0.0, axis[2] = 1.0;
    bool second = dot(axis2, axis2) > 0.0;
    apply_transposed(a->r, axis, j.ua);
    apply_transposed(b->r, second ? axis2 : axis, j.ub);
    unit(j.ua);
    unit(j.ub);
    if (dot(axis, axis) > 0.0) direct(&j, a, b);
    product(a->r, b->r, true, j.turn);
    double pa[3], pb[3], gap[3], u[3];
    outside(a, j.la, pa);
    outside(b, j.lb, pb);
    for (int i = 0; i < 3; i++) gap[i] = pb[i] - pa[i];
    apply(a->r, j.ua, u);
    j.along = dot(u, gap);
    if (!def->length_given) j.length = sqrt(dot(gap, gap));
    return j;
}

/* ---- what they say */

typedef struct Now { /* of a joint, in ground axes */
    double pa[3], pb[3], gap[3], ua[3], ub[3], ea[2][3], eb[2][3];
} Now;

static Now now_of(const Geometry *j, const Place *a, const Place *b) {
    Now n;
    outside(a, j->la, n.pa);
    outside(b, j->lb, n.pb);
    for (int i = 0; i < 3; i++) n.gap[i] = n.pb[i] - n.pa[i];
    apply(a->r, j->ua, n.ua);
    apply(b->r, j->ub, n.ub);
    for (int k = 0; k < 2; k++) {
        apply(a->r, j->ea[k], n.ea[k]);
        apply(b->r, j->eb[k], n.eb[k]);
    }
    return n;
}

static int row_gap(const Geometry *j, const Now *n, double *g) {
    int rows = j->space == CARDAN_SPACE_PLANAR ? 2 : 3;
    memcpy(g, n->gap, (size_t)rows * sizeof *g);
    return rows;
}

static int row_off(const Geometry *j, const Now *n, double *g) {
    if (j->space == CARDAN_SPACE_PLANAR) {
        g[0] = n->ua[0] * n->gap[1] - n->ua[1] * n->gap[0];
        return 1;
    }
    for (int k = 0; k < 2; k++) g[k] = dot(n->ea[k], n->gap);
    return 2;
}

static int row_tilt(const Geometry *j, const Now *n, double *g) {
    if (j->space == CARDAN_SPACE_PLANAR) return 0;
    for (int k = 0; k < 2; k++) g[k] = dot(n->ea[k], n->ub);
    return 2;
}

/* Antisymmetric part of the turn of b against a since the poses as written; beyond a right angle its length is 1. */
static int row_turn(const Geometry *j, const Place *a, const Place *b, double *g) {
    double c[9];
    product(a->r, b->r, true, c);
    double back[9];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) back[3 * i + k] = j->turn[3 * k + i];
    product(c, back, false, c);
    double s[3] = {0.5 * (c[7] - c[5]), 0.5 * (c[2] - c[6]), 0.5 * (c[3] - c[1])};
    bool far = c[0] + c[4] + c[8] < 1.0;
    if (j->space == CARDAN_SPACE_PLANAR) {
        g[0] = far ? 1.0 : s[2];
        return 1;
    }
    for (int i = 0; i < 3; i++) g[i] = far ? 1.0 : s[i];
    return 3;
}

static void touch(const Geometry *j, const Now *n, double *contact) {
    double m[3] = {n->ua[0], n->ua[1], n->ua[2]};
    if (!j->ball) {
        double c = dot(n->ua, n->ub);
        for (int i = 0; i < 3; i++) m[i] -= c * n->ub[i];
        unit(m);
    }
    for (int i = 0; i < 3; i++) contact[i] = n->pb[i] - j->radius * m[i];
}

static int row_rolling(const Geometry *j, const Now *n, double *g) {
    double contact[3], d[3];
    touch(j, n, contact);
    for (int i = 0; i < 3; i++) d[i] = contact[i] - n->pa[i];
    g[0] = dot(n->ua, d);
    return 1;
}

static int row_circle(const Geometry *j, const Place *a, const Now *n, double *g) {
    double p[3];
    inside(a, n->pb, p);
    g[0] = hypot(p[0], p[1]) - j->circle;
    g[1] = p[2] - j->height;
    return j->space == CARDAN_SPACE_PLANAR ? 1 : 2;
}

double geometry_coordinate(const Geometry *j, CardanCoordinate which, const Place *a, const Place *b) {
    Now n = now_of(j, a, b);
    if (which == CARDAN_COORDINATE_LENGTH) return sqrt(dot(n.gap, n.gap));
    if (which == CARDAN_COORDINATE_DISPLACEMENT) return dot(n.ua, n.gap) - j->along;
    return atan2(dot(n.ea[1], n.eb[0]) - dot(n.ea[0], n.eb[1]), dot(n.ea[0], n.eb[0]) + dot(n.ea[1], n.eb[1]));
}

int geometry_rows(const Geometry *j, double t, const Place *a, const Place *b, double *g) {
    Now n = now_of(j, a, b);
    int rows;
    switch (j->type) {
    case CARDAN_JOINT_REVOLUTE:
        rows = row_gap(j, &n, g);
        return rows + row_tilt(j, &n, g + rows);
    case CARDAN_JOINT_WELD:
        rows = row_gap(j, &n, g);
        return rows + row_turn(j, a, b, g + rows);
    case CARDAN_JOINT_PRISMATIC:
        rows = row_off(j, &n, g);
        return rows + row_turn(j, a, b, g + rows);
    case CARDAN_JOINT_CYLINDRICAL:
        rows = row_off(j, &n, g);
        return rows + row_tilt(j, &n, g + rows);
    case CARDAN_JOINT_SCREW:
        rows = row_off(j, &n, g);
        rows += row_tilt(j, &n, g + rows);
        g[rows] = geometry_coordinate(j, CARDAN_COORDINATE_DISPLACEMENT, a, b) -
                  j->pitch * geometry_coordinate(j, CARDAN_COORDINATE_ANGLE, a, b);
        return rows + 1;
    case CARDAN_JOINT_SPHERICAL:
        return row_gap(j, &n, g);
    case CARDAN_JOINT_UNIVERSAL:
        g[3] = dot(n.ua, n.ub);
        return row_gap(j, &n, g) + 1;
    case CARDAN_JOINT_CONSTANT_VELOCITY:
        g[3] = dot(n.ea[0], n.eb[1]) - dot(n.ea[1], n.eb[0]);
        return row_gap(j, &n, g) + 1;
    case CARDAN_JOINT_PLANAR:
        g[2] = dot(n.ua, n.gap);
        return row_tilt(j, &n, g) + 1;
    case CARDAN_JOINT_POINT_ON_LINE:
        return row_off(j, &n, g);
    case CARDAN_JOINT_POINT_ON_PLANE:
        g[0] = dot(n.ua, n.gap);
        return 1;
    case CARDAN_JOINT_PARALLEL:
        return row_tilt(j, &n, g);
    case CARDAN_JOINT_PERPENDICULAR:
        g[0] = dot(n.ua, n.ub);
        return 1;
    case CARDAN_JOINT_ANGLE:
        return row_turn(j, a, b, g);
    case CARDAN_JOINT_DISTANCE:
        g[0] = sqrt(dot(n.gap, n.gap)) - j->length;
        return 1;
    case CARDAN_JOINT_ROLLING:
        return row_rolling(j, &n, g);
    case CARDAN_JOINT_CURVE:
        return row_circle(j, a, &n, g);
    case CARDAN_JOINT_DRIVER: /* along a path; of a coordinate: the caller's */
        for (int i = 0; i < 3; i++) g[i] = n.pb[i] - j->path[i] - (i == 0 ? j->speed * sin(t) : 0.0);
        return j->space == CARDAN_SPACE_PLANAR ? 2 : 3;
    default:
        return 0;
    }
}

int geometry_rates(const Geometry *j, const Place *a, const Place *b, double *rate) {
    if (j->type != CARDAN_JOINT_ROLLING && j->type != CARDAN_JOINT_KNIFE_EDGE) return 0;
    Now n = now_of(j, a, b);
    double at[3], slip[3], turned[3], arm[3];
    memcpy(at, n.pb, sizeof at);
    if (j->type == CARDAN_JOINT_ROLLING) touch(j, &n, at);
    for (int i = 0; i < 3; i++) arm[i] = at[i] - b->x[i];
    cross(b->w, arm, turned);
    for (int i = 0; i < 3; i++) slip[i] = b->v[i] + turned[i] - a->v[i], arm[i] = at[i] - a->x[i];
    cross(a->w, arm, turned);
    for (int i = 0; i < 3; i++) slip[i] -= turned[i];
    if (j->type == CARDAN_JOINT_KNIFE_EDGE) {
        rate[0] = dot(n.ub, slip);
        return 1;
    }
    if (j->space == CARDAN_SPACE_PLANAR) {
        rate[0] = n.ua[0] * slip[1] - n.ua[1] * slip[0];
        return 1;
    }
    for (int k = 0; k < 2; k++) rate[k] = dot(n.ea[k], slip);
    return 2;
}
