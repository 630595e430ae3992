#include "support/made_model.h"

/* Longer than any name or law that is made here. */
enum { WORD = 96 };

#define DRIVE_MAX 0.5 /* amplitude of drives, rad or m */

static CardanVec3 lattice(Bytes *b, CardanSpace space) {
    double x = bytes_lattice(b), y = bytes_lattice(b), z = space == CARDAN_SPACE_PLANAR ? 0.0 : bytes_lattice(b);
    return (CardanVec3){x, y, z};
}

/* Mostly along an axis of the ground: planar mechanisms in space are full of redundant rows. */
static CardanVec3 direction(Bytes *b, CardanSpace space) {
    static const CardanVec3 AXES[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1},  {0, 0, 1}, {0, 0, 1},
                                      {1, 1, 0}, {0, 1, 1}, {1, 2, -1}, {3, 1, 2}};
    static const CardanVec3 FLAT[] = {{1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, -1, 0}};
    return space == CARDAN_SPACE_PLANAR ? FLAT[bytes_index(b, 4)] : AXES[bytes_index(b, 9)];
}

/* Across a direction, one of two. */
static CardanVec3 square_to(Bytes *b, CardanVec3 u) {
    CardanVec3 e =
        fabs(u.x) < fabs(u.y) || fabs(u.x) < fabs(u.z) ? (CardanVec3){0, u.z, -u.y} : (CardanVec3){-u.z, 0, u.x};
    if (e.x == 0.0 && e.y == 0.0 && e.z == 0.0) e = (CardanVec3){-u.y, u.x, 0};
    if (bytes_index(b, 2) == 0) return e;
    return (CardanVec3){u.y * e.z - u.z * e.y, u.z * e.x - u.x * e.z, u.x * e.y - u.y * e.x};
}

static CardanQuat orientation(Bytes *b) {
    static const CardanQuat QUATS[] = {{1, 0, 0, 0}, {1, 0, 0, 0}, {1, 0, 0, 1},
                                       {1, 1, 0, 0}, {0, 0, 1, 0}, {3, 1, 2, -1}};
    return QUATS[bytes_index(b, 6)];
}

static void make_body(Made *made, Bytes *b) {
    char name[WORD];
    int i = ++made->bodies;
    snprintf(name, sizeof name, "b%d", i);
    CardanBodyDef def = cardan_default_body();
    def.name = name;
    def.mass = pow(10.0, bytes_between(b, -2.0, 2.0));
    def.particle = made->particle[i] = bytes_index(b, 8) == 7;
    def.pose.p = lattice(b, made->space);
    double size = def.mass * pow(10.0, bytes_between(b, -2.0, 0.0));
    if (!def.particle) {
        def.inertia = (CardanInertia){.xx = size, .yy = 1.25 * size, .zz = 1.5 * size};
        def.pose.angle = made->space == CARDAN_SPACE_PLANAR ? 0.5 * bytes_lattice(b) : 0.0;
        if (made->space == CARDAN_SPACE_SPATIAL) def.pose.q = orientation(b);
        if (made->space == CARDAN_SPACE_PLANAR) def.inertia = (CardanInertia){.zz = size};
        def.angular_velocity.z = bytes_lattice(b);
    }
    def.velocity = lattice(b, made->space);
    made->written[i] = place_of_pose(made->space, &def.pose);
    made->body[i] = cardan_builder_add_body(made->builder, &def);
}

/* A joint whose coordinate can be driven, among those that are there; -1: none. */
static int driven_one(const Made *made, Bytes *b) {
    if (made->joints == 0) return -1;
    int i = bytes_index(b, made->joints);
    CardanJointType type = made->geometry[i].type;
    return type == CARDAN_JOINT_REVOLUTE || type == CARDAN_JOINT_PRISMATIC || type == CARDAN_JOINT_CYLINDRICAL ? i : -1;
}

static CardanCoordinate coordinate_of(const Made *made, int i) {
    return made->geometry[i].type == CARDAN_JOINT_PRISMATIC ? CARDAN_COORDINATE_DISPLACEMENT : CARDAN_COORDINATE_ANGLE;
}

typedef struct Draft { /* a joint on its way: definition, texts it points to, what is known of its rows beside */
    CardanJointDef def;
    CardanTerm term[2];
    char law[WORD], path[3][WORD];
    Geometry beside;
} Draft;

static bool draft_drive(const Made *made, Bytes *b, Draft *draft) {
    int i = driven_one(made, b), k = driven_one(made, b);
    bool coupler = draft->def.type == CARDAN_JOINT_COUPLER;
    if (i < 0 || (coupler && (k < 0 || k == i))) return false;
    draft->beside = (Geometry){.type = draft->def.type,
                               .first = i,
                               .second = coupler ? k : -1,
                               .which = {coordinate_of(made, i), coordinate_of(made, coupler ? k : i)},
                               .coefficient = {1.0, 0.0}};
    if (coupler) {
        for (int n = 0; n < 2; n++) {
            draft->beside.coefficient[n] = 0.25 + 0.25 * bytes_index(b, 8);
            draft->term[n] =
                (CardanTerm){made->joint[n == 0 ? i : k], draft->beside.which[n], draft->beside.coefficient[n]};
        }
        draft->def.terms = 2;
        draft->def.term = draft->term;
        return true;
    }
    draft->beside.speed = bytes_between(b, -DRIVE_MAX, DRIVE_MAX);
    draft->def.joint = made->joint[i];
    draft->def.coordinate = draft->beside.which[0];
    snprintf(draft->law, sizeof draft->law, "%.17g*sin(t)", draft->beside.speed);
    draft->def.law = draft->law;
    return true;
}

/* A point of b led along a path that begins where it is. */
static void draft_path(const Made *made, Bytes *b, Draft *draft, int body) {
    double speed = bytes_between(b, -DRIVE_MAX, DRIVE_MAX);
    const double *x = made->written[body].x;
    for (int i = 0; i < 3; i++) {
        snprintf(draft->path[i], sizeof draft->path[i], "%.17g + %.17g*sin(t)", x[i], i == 0 ? speed : 0.0);
        draft->def.path[i] = made->space == CARDAN_SPACE_PLANAR && i == 2 ? NULL : draft->path[i];
    }
    draft->def.point = (CardanVec3){x[0], x[1], x[2]};
    draft->beside.speed = speed;
}

/* A circle about a's axis z through the point of b. */
static void draft_circle(const Made *made, const Place *a, Draft *draft) {
    double d[3] = {draft->def.point.x - a->x[0], draft->def.point.y - a->x[1], draft->def.point.z - a->x[2]}, p[3];
    for (int i = 0; i < 3; i++) p[i] = a->r[i] * d[0] + a->r[3 + i] * d[1] + a->r[6 + i] * d[2];
    draft->beside.circle = hypot(p[0], p[1]);
    draft->beside.height = p[2];
    snprintf(draft->path[0], sizeof draft->path[0], "%.17g*cos(s)", draft->beside.circle);
    snprintf(draft->path[1], sizeof draft->path[1], "%.17g*sin(s)", draft->beside.circle);
    snprintf(draft->path[2], sizeof draft->path[2], "%.17g", draft->beside.height);
    for (int i = 0; i < (made->space == CARDAN_SPACE_PLANAR ? 2 : 3); i++) draft->def.path[i] = draft->path[i];
}

/* Points, axes and lengths so that the joint is closed in the pose as written. */
static void draft_plain(const Made *made, Bytes *b, Draft *draft, int at, int bt) {
    CardanJointDef *def = &draft->def;
    const Place *pa = &made->written[at], *pb = &made->written[bt];
    def->point = made->particle[bt] ? (CardanVec3){pb->x[0], pb->x[1], pb->x[2]} : lattice(b, made->space);
    if (made->particle[at]) def->point = (CardanVec3){pa->x[0], pa->x[1], pa->x[2]};
    CardanVec3 axis = direction(b, made->space);
    bool plain = def->type == CARDAN_JOINT_PRISMATIC || def->type == CARDAN_JOINT_POINT_ON_LINE ||
                 def->type == CARDAN_JOINT_KNIFE_EDGE || def->type == CARDAN_JOINT_ROLLING;
    if (made->space == CARDAN_SPACE_SPATIAL || plain) def->axis = axis; /* in the plane others turn about z */
    def->pitch = 0.125 * bytes_lattice(b);
    if (def->type == CARDAN_JOINT_UNIVERSAL || def->type == CARDAN_JOINT_PERPENDICULAR)
        def->axis2 = square_to(b, def->axis);
    if (def->type == CARDAN_JOINT_PARALLEL || def->type == CARDAN_JOINT_CONSTANT_VELOCITY) def->axis2 = def->axis;
    if (def->type == CARDAN_JOINT_DISTANCE) {
        def->local = CARDAN_LOCAL_POINT_A | CARDAN_LOCAL_POINT_B;
        if (!made->particle[at]) def->local_a = lattice(b, made->space);
        if (!made->particle[bt]) def->local_b = lattice(b, made->space);
    }
    if (def->type == CARDAN_JOINT_ROLLING) { /* the plane under the wheel where it is; its axis along the plane */
        def->radius = 0.25 + 0.125 * bytes_index(b, 4);
        def->normal = def->axis;
        double n = sqrt(def->axis.x * def->axis.x + def->axis.y * def->axis.y + def->axis.z * def->axis.z);
        def->axis =
            bytes_index(b, 2) == 0 || made->space == CARDAN_SPACE_PLANAR ? (CardanVec3){0} : square_to(b, def->axis);
        def->point =
            (CardanVec3){pb->x[0] - def->radius * def->normal.x / n, pb->x[1] - def->radius * def->normal.y / n,
                         pb->x[2] - def->radius * def->normal.z / n};
    }
    draft->beside = geometry_of(made->space, def, pa, pb);
    if (def->type == CARDAN_JOINT_CURVE) draft_circle(made, pa, draft);
}

/* Any kind that the space has; now and then one that it has not, which must be refused. */
static CardanJointType kind(const Made *made, Bytes *b) {
    static const CardanJointType FLAT[] = {CARDAN_JOINT_REVOLUTE, CARDAN_JOINT_PRISMATIC,     CARDAN_JOINT_WELD,
                                           CARDAN_JOINT_DISTANCE, CARDAN_JOINT_POINT_ON_LINE, CARDAN_JOINT_ANGLE,
                                           CARDAN_JOINT_DRIVER,   CARDAN_JOINT_COUPLER,       CARDAN_JOINT_CURVE,
                                           CARDAN_JOINT_ROLLING,  CARDAN_JOINT_KNIFE_EDGE,    CARDAN_JOINT_REVOLUTE};
    int choice = bytes_index(b, 251);
    if (made->space == CARDAN_SPACE_PLANAR && choice != 250) return FLAT[choice % 12];
    CardanJointType any = (CardanJointType)(1 + choice % (CARDAN_JOINT_TYPES - 1));
    return any == CARDAN_JOINT_ANGLE ? CARDAN_JOINT_REVOLUTE : any;
}

static bool needs_orientation(CardanJointType type) {
    return type != CARDAN_JOINT_DISTANCE && type != CARDAN_JOINT_SPHERICAL && type != CARDAN_JOINT_POINT_ON_LINE &&
           type != CARDAN_JOINT_POINT_ON_PLANE && type != CARDAN_JOINT_CURVE && type != CARDAN_JOINT_DRIVER;
}

static void make_joint(Made *made, Bytes *b) {
    Draft draft = {.def = cardan_default_joint(kind(made, b))};
    char name[WORD];
    int i = made->joints, bt = 1 + bytes_index(b, made->bodies), at = bytes_index(b, made->bodies + 1);
    if (at == bt) at = 0;
    CardanJointDef *def = &draft.def;
    if ((made->particle[at] || made->particle[bt]) && needs_orientation(def->type) && bytes_index(b, 8) > 0) return;
    snprintf(name, sizeof name, "j%d", i);
    def->name = name;
    bool coordinate = def->type == CARDAN_JOINT_COUPLER || (def->type == CARDAN_JOINT_DRIVER && bytes_index(b, 3) > 0);
    if (coordinate) {
        if (!draft_drive(made, b, &draft)) return;
    } else {
        if (def->type == CARDAN_JOINT_DRIVER) at = 0;
        def->a = made->body[at];
        def->b = made->body[bt];
        draft_plain(made, b, &draft, at, bt);
        if (def->type == CARDAN_JOINT_DRIVER) {
            draft_path(made, b, &draft, bt);
            double speed = draft.beside.speed;
            draft.beside = geometry_of(made->space, def, &made->written[0], &made->written[bt]);
            draft.beside.speed = speed;
            memcpy(draft.beside.path, made->written[bt].x, sizeof draft.beside.path);
        }
        def->compliant = def->type != CARDAN_JOINT_DRIVER && def->type != CARDAN_JOINT_ROLLING &&
                         def->type != CARDAN_JOINT_KNIFE_EDGE && bytes_index(b, 8) == 0;
        def->stiffness[0] = def->stiffness[1] = 50.0;
        def->damping[0] = 1.0;
    }
    made->a[i] = at;
    made->b[i] = bt;
    made->geometry[i] = draft.beside;
    made->rigid[i] = !def->compliant;
    made->joint[i] = cardan_builder_add_joint(made->builder, def);
    made->joints++;
}

static void make_force(Made *made, Bytes *b) {
    static const char *const LAWS[] = {NULL, "sin(3*t)", "max(t - 0.01, 0)", "2 - 0.1*t^2"};
    static const char *const TENSIONS[] = {NULL, "5*x^3", "0.1*v*abs(v)", "if(x > 0, x, 0)"};
    char name[WORD];
    CardanForceDef def = cardan_default_force((CardanForceType)(1 + bytes_index(b, CARDAN_FORCE_TYPES - 1)));
    if (def.type == CARDAN_FORCE_CALLBACK || (def.type == CARDAN_FORCE_TYRE && made->space == CARDAN_SPACE_PLANAR))
        return;
    int joint = driven_one(made, b), bt = 1 + bytes_index(b, made->bodies), at = bytes_index(b, made->bodies + 1);
    if (at == bt) at = 0;
    bool on_joint = def.type == CARDAN_FORCE_TORSION || def.type == CARDAN_FORCE_MOTOR ||
                    def.type == CARDAN_FORCE_FRICTION || def.type == CARDAN_FORCE_LIMIT;
    if (on_joint && joint < 0) return;
    snprintf(name, sizeof name, "f%d", made->forces++);
    def.name = name;
    def.a = made->body[at], def.b = def.body = made->body[bt];
    if (on_joint) def.joint = made->joint[joint];
    if (!made->particle[bt]) def.point = def.point_b = lattice(b, made->space);
    def.point_a = at == 0 ? lattice(b, made->space) : (CardanVec3){0};
    def.value = lattice(b, made->space);
    if (def.type == CARDAN_FORCE_TORQUE && made->space == CARDAN_SPACE_PLANAR)
        def.value = (CardanVec3){0, 0, bytes_lattice(b)};
    def.stiffness = pow(10.0, bytes_between(b, 0.0, 4.0));
    def.damping = def.type == CARDAN_FORCE_CONTACT ? 0.0 : 0.5 * bytes_index(b, 4);
    for (int i = 0; i < 6; i++) def.bushing_stiffness[i] = def.stiffness, def.bushing_damping[i] = def.damping;
    if (def.type == CARDAN_FORCE_SPRING || def.type == CARDAN_FORCE_TORSION || def.type == CARDAN_FORCE_ROPE)
        def.law[0] = TENSIONS[bytes_index(b, 4)];
    else if (def.type == CARDAN_FORCE_AT_POINT || def.type == CARDAN_FORCE_MOTOR)
        def.law[0] = LAWS[bytes_index(b, 4)];
    def.gains[0] = 20.0, def.gains[1] = 2.0, def.limit = bytes_index(b, 2) == 0 ? 0.0 : 5.0;
    def.range[0] = -0.01, def.range[1] = 0.01;
    def.coulomb = 0.5, def.stick = 0.75, def.speed = 0.05, def.viscous = 0.1;
    def.radius = 0.25, def.plane_point = lattice(b, made->space);
    def.plane_normal = made->space == CARDAN_SPACE_PLANAR ? (CardanVec3){0, 1, 0} : (CardanVec3){0, 0, 1};
    def.dissipation = 0.25, def.friction = 0.5, def.coefficient = 0.25;
    def.axis = (CardanVec3){0, 1, 0};
    def.longitudinal = (CardanMagic){10, 1.6, 1, 0.1}, def.lateral = (CardanMagic){8, 1.3, 1, -1};
    def.relaxation = bytes_index(b, 2) == 0 ? 0.0 : 0.3, def.slow = 0.5;
    CardanBodyPoint points[2] = {{def.a, def.point_a}, {def.b, def.point_b}};
    def.points = 2, def.points_list = points;
    cardan_builder_add_force(made->builder, &def);
}

void made_model(Made *made, Bytes *b, bool with_forces) {
    memset(made, 0, sizeof *made);
    made->space = bytes_index(b, 2) == 0 ? CARDAN_SPACE_PLANAR : CARDAN_SPACE_SPATIAL;
    made->builder = cardan_builder_create(made->space);
    MUST(made->builder != NULL, "out of memory");
    made->written[0] = place_of_ground();
    int bodies = 1 + bytes_index(b, MADE_BODIES), joints = bytes_index(b, MADE_JOINTS + 1);
    for (int i = 0; i < bodies; i++) make_body(made, b);
    for (int i = 0; i < joints; i++) make_joint(made, b);
    if (with_forces) {
        int forces = bytes_index(b, MADE_FORCES + 1);
        for (int i = 0; i < forces; i++) make_force(made, b);
        cardan_builder_set_gravity(made->builder, lattice(b, made->space));
    }
    cardan_builder_set_start(made->builder, CARDAN_START_DEFAULT, CARDAN_START_PROJECT);
}

/* ---- what is known of it beside */

static double wrapped(double angle) {
    return remainder(angle, 2.0 * acos(-1.0));
}

static int drive_row(const Made *made, int i, double t, const Place *places, double *g) {
    const Geometry *j = &made->geometry[i];
    int of[2] = {j->first, j->second};
    g[0] = -j->speed * sin(t);
    bool angles = true;
    for (int k = 0; k < 2 && of[k] >= 0; k++) {
        const Geometry *on = &made->geometry[of[k]];
        double x = geometry_coordinate(on, j->which[k], &places[made->a[of[k]]], &places[made->b[of[k]]]);
        g[0] += j->coefficient[k] * x;
        angles = angles && j->which[k] == CARDAN_COORDINATE_ANGLE;
    }
    if (angles && j->second < 0) g[0] = wrapped(g[0]);
    return 1;
}

int made_rows(const Made *made, double t, const Place *places, double *g) {
    int rows = 0;
    for (int i = 0; i < made->joints; i++) {
        if (!made->rigid[i]) continue;
        if (made->geometry[i].first >= 0)
            rows += drive_row(made, i, t, places, g + rows);
        else
            rows += geometry_rows(&made->geometry[i], t, &places[made->a[i]], &places[made->b[i]], g + rows);
    }
    return rows;
}

int made_rates(const Made *made, const Place *places, double *rate) {
    int rows = 0;
    for (int i = 0; i < made->joints; i++)
        if (made->rigid[i] && made->geometry[i].first < 0)
            rows += geometry_rates(&made->geometry[i], &places[made->a[i]], &places[made->b[i]], rate + rows);
    return rows;
}

double made_size(const Made *made) {
    double size = 0.0;
    for (int i = 0; i < made->joints; i++)
        for (int k = 0; k < 3; k++)
            size = fmax(size, fmax(fabs(made->geometry[i].la[k]), fabs(made->geometry[i].lb[k])));
    return size > 0.0 ? size : 1.0;
}
