/* One joint between two bodies at random, for every record and both spaces: the numbers come from a compiled model, so
 * that what is tested is what simulations use. */
#ifndef TESTS_PROPERTY_JOINT_FIXTURE_H
#define TESTS_PROPERTY_JOINT_FIXTURE_H

#include "support/check.h"
#include "support/defaulted.h"
#include "support/random.h"
#include "support/scene.h"

#include "core/numbers.h"
#include "joint/foot.h"
#include "model/body_values.h"

#include <lapacke.h>
#include <string.h>

enum { TWISTS = 12, TRIALS = 40 };

/* A joint, the frames of its bodies in the pose as written, and frames to look at. */
typedef struct Pose {
    CardanFrame a, b;
    double near; /* what has memory there: a counted angle, the parameter of a curve */
} Pose;

typedef struct Case {
    const CrdJointKind *kind;
    CardanJointType type;
    CardanSpace space;
    CardanModel *model;
    const CrdJointData *data;
    CardanJointDef def; /* a, b: handles of this model */
    CardanBodyDef body[2];
    bool on_ground; /* a is the ground */
    Pose start;
    int rows;
    double t;
} Case;

/* What a joint says at a pose. */
typedef struct Rows {
    double g[CRD_JOINT_ROWS], gamma[CRD_JOINT_ROWS];
    double G[CRD_JOINT_ROWS][TWISTS]; /* twist of a, twist of b */
    double gradient[CRD_JOINT_ROWS][TWISTS];
} Rows;

/* Frames as kernels see them. */
typedef struct Seen {
    CrdPair pair;
    CrdFoot foot;
} Seen;

static inline const CrdElement *element_of(const CardanModel *model) {
    return &model->structure->elements[model->structure->element_of_joint[0]];
}

static inline void see(const Case *c, const Pose *p, Seen *seen) {
    seen->pair = (CrdPair){.a = &p->a, .b = &p->b, .near = p->near, .foot = &seen->foot};
    if (!c->kind->curve) return;
    CrdJet s;
    CrdError error = {0};
    const CrdElement *e = element_of(c->model);
    CrdPath path = {c->model->structure->drives + e->law, e->laws, &s, NULL};
    CrdVec at = crd_add(p->b.x, crd_apply(p->b.rotation, c->data->lb));
    CrdVec point = crd_apply_t(p->a.rotation, crd_sub(at, p->a.x));
    if (crd_foot_find(&path, point, p->near, &seen->foot, &error) < 0) fail_msg("%s", error.text);
}

static inline Rows rows_at(const Case *c, const Pose *p) {
    Rows out;
    Seen seen;
    CardanTwistRow a[CRD_JOINT_ROWS], b[CRD_JOINT_ROWS];
    memset(&out, 0, sizeof out);
    see(c, p, &seen);
    crd_joint_evaluate(c->kind, c->data, &seen.pair, (CrdRows){out.g, out.gamma, a, b});
    for (int r = 0; r < c->rows; r++) {
        memcpy(out.G[r], a[r], sizeof a[r]);
        memcpy(out.G[r] + 6, b[r], sizeof b[r]);
    }
    crd_joint_gradient(c->kind, c->data, &seen.pair, (CrdRows){.a = a, .b = b});
    for (int r = 0; r < c->rows; r++) {
        memcpy(out.gradient[r], a[r], sizeof a[r]);
        memcpy(out.gradient[r] + 6, b[r], sizeof b[r]);
    }
    return out;
}

static inline CrdCoordinate coordinate_at(const Case *c, CardanCoordinate which, const Pose *p, double near) {
    CrdCoordinate out;
    CrdPair pair = {.a = &p->a, .b = &p->b, .near = near};
    crd_joint_coordinate(which, c->data, &pair, &out);
    return out;
}

/* Which of the six numbers of a twist exist in this space. */
static inline bool has_twist(CardanSpace space, int k) {
    int own = k % 6;
    return space == CARDAN_SPACE_SPATIAL || own < 2 || own == 5;
}

static inline void twist_of(const Pose *p, double *twist) {
    crd_put(twist, p->a.v);
    crd_put(twist + 3, p->a.w);
    crd_put(twist + 6, p->b.v);
    crd_put(twist + 9, p->b.w);
}

/* Moves a frame for time s along a constant twist (v in ground, w in own axes); its own v, w stay. */
static inline void move_frame(CardanFrame *f, const double *twist, double s) {
    CrdMat turn = crd_matrix_of(crd_quat_of(crd_scale(s, crd_vec_of(twist + 3))));
    CrdMat r = crd_mul(f->rotation, turn.m);
    memcpy(f->rotation, r.m, sizeof f->rotation);
    f->x = crd_axpy(f->x, s, crd_vec_of(twist));
    f->angle += s * twist[5];
}

static inline Pose moved(const Pose *p, const double *twist, double s) {
    Pose q = *p;
    move_frame(&q.a, twist, s);
    move_frame(&q.b, twist + 6, s);
    return q;
}

static inline double row_dot(const double *row, const double *twist) {
    double sum = 0.0;
    for (int k = 0; k < TWISTS; k++) sum += row[k] * twist[k];
    return sum;
}

/* ---- making cases ---- */

static inline CardanBodyDef random_body(Random *r, CardanSpace space, const char *name) {
    CardanBodyDef def = {DEFAULTED, .name = name, .mass = 1.0, .inertia = {.xx = 1.0, .yy = 1.0, .zz = 1.0}};
    if (space == CARDAN_SPACE_PLANAR) def.inertia = (CardanInertia){.zz = 1.0};
    def.pose.p = random_vec(r, space, 2.0);
    if (space == CARDAN_SPACE_PLANAR)
        def.pose.angle = 10.0 * random_signed(r);
    else
        def.pose.q = random_quat(r);
    return def;
}

/* Does the joint stand between two bodies by itself? Drives and couplers are tested with whole models. */
static inline bool stands_alone(CardanJointType type) {
    return type != CARDAN_JOINT_DRIVER && type != CARDAN_JOINT_COUPLER;
}

/* Is axis2 an axis of its own, which may not be left out? */
static inline bool needs_axis2(CardanJointType type) {
    const CrdField *field = crd_field_find(crd_joint_kinds[type]->fields, "axis2", 0);
    return field != NULL && field->need == CRD_REQUIRED;
}

/* Has it a field of that key in this space? */
static inline bool takes(const CrdJointKind *kind, CardanSpace space, const char *key) {
    for (int i = 0; i < kind->fields.count; i++)
        if (kind->fields.fields[i].count[space] > 0 && strcmp(kind->fields.fields[i].key, key) == 0) return true;
    return false;
}

/* Points, axes and lengths for whatever a kind needs. */
static inline CardanJointDef random_joint(Random *r, CardanJointType type, CardanSpace space) {
    CardanJointDef def = {DEFAULTED, .name = "joint", .type = type};
    const CrdJointKind *kind = crd_joint_kinds[type];
    def.point = random_vec(r, space, 2.0);
    bool wheel = type == CARDAN_JOINT_ROLLING;
    if (takes(kind, space, "axis") && !wheel) def.axis = random_direction(r, space);
    if (needs_axis2(type)) {
        CrdVec across = crd_cross(def.axis, random_direction(r, space));
        def.axis2 = crd_scale(1.0 / crd_norm(across), across);
    }
    if (takes(kind, space, "length")) {
        def.local = CARDAN_LOCAL_POINT_A | CARDAN_LOCAL_POINT_B;
        def.local_a = random_vec(r, space, 1.0);
        def.local_b = crd_add(random_vec(r, space, 1.0), crd_vec(0.0, 4.0, 0.0)); /* kept apart from local_a */
    }
    if (takes(kind, space, "pitch")) def.pitch = random_signed(r);
    if (wheel) {
        def.radius = random_between(r, 0.3, 1.0);
        def.normal = random_direction(r, space);
        if (space == CARDAN_SPACE_SPATIAL && random_index(r, 3) > 0) { /* a disc that does not lie flat; else a ball */
            do def.axis = random_direction(r, space);
            while (fabs(crd_dot(def.axis, def.normal)) > 0.5);
        }
    }
    if (kind->curve) {
        def.path[0] = "s + 0.1*sin(s)";
        def.path[1] = "0.3*sin(0.7*s)";
        if (space == CARDAN_SPACE_SPATIAL) def.path[2] = "0.2*cos(0.5*s)";
    }
    return def;
}

/* Puts the plane of a wheel under it, and a point of b on the curve of a. */
static inline void fit_joint(Random *r, CardanSpace space, CardanBodyDef body[2], bool on_ground, CardanJointDef *def) {
    CrdVec centre = body[1].pose.p, up = def->normal;
    if (def->type == CARDAN_JOINT_ROLLING) {
        if (crd_norm(def->axis) > 0.0) up = crd_axpy(up, -crd_dot(up, def->axis), def->axis);
        def->point = crd_axpy(centre, -def->radius / crd_norm(up), up);
        CrdVec aside = random_vec(r, space, 1.0);
        def->point = crd_add(def->point, crd_axpy(aside, -crd_dot(aside, def->normal), def->normal));
    }
    if (def->type == CARDAN_JOINT_CURVE) {
        double s = 3.0 * random_signed(r);
        CrdVec c =
            crd_vec(s + 0.1 * sin(s), 0.3 * sin(0.7 * s), space == CARDAN_SPACE_SPATIAL ? 0.2 * cos(0.5 * s) : 0.0);
        CrdMat turn =
            space == CARDAN_SPACE_PLANAR ? crd_matrix_about_z(body[0].pose.angle) : crd_matrix_of(body[0].pose.q);
        def->point = on_ground ? c : crd_add(body[0].pose.p, crd_apply(turn.m, c));
    }
}

static inline const CrdJointData *data_of(const CardanModel *model) {
    return &model->values.joints[model->structure->element_of_joint[0]];
}

/* Compiles body a (or the ground), body b and the joint. */
static inline Case make_case(const CardanBodyDef body[2], const CardanJointDef *def, CardanSpace space,
                             bool on_ground) {
    Case c = {.kind = crd_joint_kinds[def->type],
              .type = def->type,
              .space = space,
              .def = *def,
              .on_ground = on_ground,
              .t = 0.3,
              .body = {body[0], body[1]}};
    CardanBuilder *builder = cardan_builder_create(space);
    if (!on_ground) c.def.a = cardan_builder_add_body(builder, &body[0]);
    c.def.b = cardan_builder_add_body(builder, &body[1]);
    cardan_builder_add_joint(builder, &c.def);
    c.model = scene_compile(builder);
    c.data = data_of(c.model);
    c.rows = crd_joint_rows(c.kind, space);
    CardanFrame frames[3];
    CrdError error = {0};
    assert_true(crd_start_frames(c.model->structure, c.model->description, &c.model->values, frames, &error) >= 0);
    c.start = (Pose){frames[c.def.a.index], frames[c.def.b.index], 0.0};
    if (element_of(c.model)->tracked >= 0) c.start.near = c.model->values.tracked[0];
    return c;
}

static inline Case random_case(Random *r, CardanJointType type, CardanSpace space) {
    CardanBodyDef body[2] = {random_body(r, space, "a"), random_body(r, space, "b")};
    CardanJointDef def = random_joint(r, type, space);
    bool on_ground = random_index(r, 4) == 0;
    fit_joint(r, space, body, on_ground, &def);
    return make_case(body, &def, space, on_ground);
}

/* The same joint with its sides exchanged. */
static inline Case swapped_case(const Case *c) {
    CardanBodyDef body[2] = {c->body[0], c->body[1]};
    CardanJointDef def = c->def;
    def.a = c->def.b;
    def.b = c->def.a;
    if (needs_axis2(c->type)) {
        def.axis = c->def.axis2;
        def.axis2 = c->def.axis;
    }
    def.local_a = c->def.local_b;
    def.local_b = c->def.local_a;
    Case s = *c;
    CardanBuilder *builder = cardan_builder_create(c->space);
    if (!c->on_ground) cardan_builder_add_body(builder, &body[0]);
    cardan_builder_add_body(builder, &body[1]);
    cardan_builder_add_joint(builder, &def);
    s.model = scene_compile(builder);
    s.data = data_of(s.model);
    s.def = def;
    return s;
}

static inline void random_motion(Random *r, CardanSpace space, CardanFrame *f, double size) {
    f->v = random_vec(r, space, size);
    f->w = random_spin(r, space, size);
}

/* Any pose: a anywhere, b turned against it by up to 2.9 rad from how it stands as written, points apart. */
static inline Pose random_pose_of_pair(Random *r, const Case *c) {
    Pose p = c->start;
    double twist[TWISTS] = {0};
    if (!c->on_ground) {
        crd_put(twist, random_vec(r, c->space, 3.0));
        crd_put(twist + 3, random_spin(r, c->space, 3.0));
        p = moved(&p, twist, 1.0);
    }
    /* R_b = R_a A0^T exp(phi) B0 */
    CrdVec phi = c->space == CARDAN_SPACE_PLANAR ? crd_vec(0, 0, 2.9 * random_signed(r))
                                                 : crd_scale(2.9 * random_signed(r), random_direction(r, c->space));
    CrdMat a0t = crd_transpose(c->start.a.rotation), turn = crd_matrix_of(crd_quat_of(phi));
    CrdMat left = crd_mul(p.a.rotation, a0t.m), right = crd_mul(turn.m, c->start.b.rotation);
    CrdMat rb = crd_mul(left.m, right.m);
    memcpy(p.b.rotation, rb.m, sizeof p.b.rotation);
    p.b.angle = c->start.b.angle - c->start.a.angle + p.a.angle + phi.z;
    CrdVec pa = crd_add(p.a.x, crd_apply(p.a.rotation, c->data->la)), arm = crd_apply(p.b.rotation, c->data->lb);
    CrdVec gap = crd_scale(random_between(r, 0.7, 3.0), random_direction(r, c->space)); /* |d| has no slope at 0 */
    p.b.x = crd_sub(crd_add(pa, gap), arm);
    if (!c->on_ground) random_motion(r, c->space, &p.a, 2.0);
    random_motion(r, c->space, &p.b, 2.0);
    return p;
}

/* Is every row smooth there? Not where an angle is of axes that point against each other, or a disc lies flat. */
static inline bool is_smooth(const Case *c, const Pose *p) {
    CrdVec ua = crd_apply(p->a.rotation, c->data->axis_a), ub = crd_apply(p->b.rotation, c->data->axis_b);
    if (c->space == CARDAN_SPACE_SPATIAL && crd_joint_has(c->kind, CARDAN_COORDINATE_ANGLE))
        return crd_dot(ua, ub) > -0.5;
    bool disc = c->type == CARDAN_JOINT_ROLLING && crd_norm(c->def.axis) > 0.0;
    return !disc || fabs(crd_dot(ua, ub)) < 0.9;
}

static inline Pose random_pose(Random *r, const Case *c) {
    Pose p;
    do p = random_pose_of_pair(r, c);
    while (!is_smooth(c, &p));
    if (crd_joint_has(c->kind, CARDAN_COORDINATE_ANGLE))
        p.near = coordinate_at(c, CARDAN_COORDINATE_ANGLE, &p, 0.0).value;
    if (c->kind->curve) p.near = c->start.near + 0.5 * random_signed(r);
    return p;
}

/* Near the pose as written: the same for the whole pair moved together, b turned about the axis by any angle and then
 * tilted by up to half a radian. Where angles are defined. */
static inline Pose random_turned_pose(Random *r, const Case *c, double *angle) {
    Pose p = random_pose(r, c);
    *angle = 3.0 * random_signed(r);
    CrdVec axis = c->space == CARDAN_SPACE_PLANAR ? crd_vec(0, 0, 1) : crd_apply(c->start.a.rotation, c->data->axis_a);
    CrdMat tilt = crd_matrix_of(crd_quat_of(random_spin(r, c->space, c->space == CARDAN_SPACE_PLANAR ? 0.0 : 0.3)));
    CrdMat turn = crd_matrix_of(crd_quat_of(crd_scale(*angle, axis)));
    CrdMat a0t = crd_transpose(c->start.a.rotation), left = crd_mul(p.a.rotation, a0t.m);
    CrdMat both = crd_mul(tilt.m, turn.m), right = crd_mul(both.m, c->start.b.rotation), rb = crd_mul(left.m, right.m);
    memcpy(p.b.rotation, rb.m, sizeof p.b.rotation);
    p.b.angle = c->start.b.angle - c->start.a.angle + p.a.angle + *angle;
    p.near = crd_joint_has(c->kind, CARDAN_COORDINATE_ANGLE) ? coordinate_at(c, CARDAN_COORDINATE_ANGLE, &p, 0.0).value
                                                             : c->start.near;
    return p;
}

/* ---- small linear algebra over twists ---- */

/* Orthonormal basis of the span of the rows; returns its dimension. */
static inline int basis_of(int rows, double from[][TWISTS], double basis[][TWISTS]) {
    int count = 0;
    for (int r = 0; r < rows; r++) {
        double *u = basis[count];
        memcpy(u, from[r], TWISTS * sizeof *u);
        double before = norm_of(u, TWISTS);
        for (int again = 0; again < 2; again++)
            for (int k = 0; k < count; k++) {
                double part = row_dot(u, basis[k]);
                for (int i = 0; i < TWISTS; i++) u[i] -= part * basis[k][i];
            }
        double left = norm_of(u, TWISTS);
        if (left <= 1e-9 * before) continue;
        for (int i = 0; i < TWISTS; i++) u[i] /= left;
        count++;
    }
    return count;
}

/* x less its part in the basis. */
static inline void off_basis(int count, double basis[][TWISTS], double *x) {
    for (int k = 0; k < count; k++) {
        double part = row_dot(x, basis[k]);
        for (int i = 0; i < TWISTS; i++) x[i] -= part * basis[k][i];
    }
}

/* Newton onto the joint: from near the pose as written, carried elsewhere. */
static inline Pose try_pose_on_joint(Random *r, const Case *c) {
    Pose p = c->start;
    double twist[TWISTS] = {0};
    crd_put(twist + 6, random_vec(r, c->space, 0.5));
    crd_put(twist + 9, random_spin(r, c->space, 0.5));
    if (!c->on_ground) {
        crd_put(twist, random_vec(r, c->space, 0.5));
        crd_put(twist + 3, random_spin(r, c->space, 0.5));
    }
    p = moved(&p, twist, 1.0);
    for (int i = 0; i < 20; i++) {
        Rows rows = rows_at(c, &p);
        double step[TWISTS] = {0};
        for (int k = 0; k < c->rows; k++) {
            step[k] = -rows.g[k];
            for (int j = 0; j < TWISTS; j++)
                if ((c->on_ground && j < 6) || !has_twist(c->space, j)) rows.G[k][j] = 0.0;
        }
        /* the shortest step with G step = -g */
        assert_int_equal(LAPACKE_dgels(LAPACK_ROW_MAJOR, 'N', c->rows, TWISTS, 1, rows.G[0], TWISTS, step, 1), 0);
        p = moved(&p, step, 1.0);
    }
    if (c->space == CARDAN_SPACE_SPATIAL && crd_joint_has(c->kind, CARDAN_COORDINATE_ANGLE))
        p.near = coordinate_at(c, CARDAN_COORDINATE_ANGLE, &p, p.near).value;
    return p;
}

/* The same, drawn again where Newton does not arrive (an axis carried beyond a quarter turn has another root). */
static inline Pose pose_on_joint(Random *r, const Case *c) {
    const double arrived = 1e-11;
    for (int i = 0; i < 100; i++) {
        Pose pose = try_pose_on_joint(r, c);
        Rows rows = rows_at(c, &pose);
        if (worst_of(rows.g, c->rows) <= arrived) return pose;
    }
    fail_msg("%s: no pose on the joint was found", c->kind->name);
    return c->start;
}

#endif
