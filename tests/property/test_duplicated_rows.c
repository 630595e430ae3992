/* Random linkages, and the same with random joints there twice or thrice: the motion is that of the minimal model, and
 * the reactions of a joint and its twins add up to the one of the joint alone. A joint is given by a point and an axis
 * in the pose as written, so every linkage is assembled as it is made up; loops are closed by joints of few rows. */
#include "support/check.h"
#include "support/defaulted.h"
#include "support/random.h"
#include "support/reading.h"
#include "support/scene.h"

enum { LINKAGES = 60, BODIES_MAX = 9, JOINTS_MAX = 14, TWINS_MAX = 8, VELOCITIES_MAX = 6 * BODIES_MAX };

typedef struct Linkage {
    CardanSpace space;
    int bodies, joints, twins;
    CardanBodyDef body[BODIES_MAX];
    CardanJointDef joint[JOINTS_MAX];
    int a[JOINTS_MAX], b[JOINTS_MAX]; /* bodies from 1; 0: the ground */
    int twin_of[TWINS_MAX];           /* joints */
    char name[BODIES_MAX + JOINTS_MAX][8], twin_name[TWINS_MAX][8];
} Linkage;

/* ---- making them up ---- */

static void add_joint(Linkage *l, Random *r, CardanJointType type, int a, int b) {
    CardanJointDef *def = &l->joint[l->joints];
    char *name = l->name[BODIES_MAX + l->joints];
    snprintf(name, sizeof l->name[0], "j%d", l->joints);
    *def = (CardanJointDef){DEFAULTED, .name = name, .type = type, .point = random_vec(r, l->space, 2.0),
                            .axis = random_direction(r, l->space)};
    if (l->space == CARDAN_SPACE_PLANAR && type == CARDAN_JOINT_REVOLUTE) def->axis = (CardanVec3){0.0, 0.0, 1.0};
    if (type == CARDAN_JOINT_UNIVERSAL) { /* two axes across each other */
        CrdVec axis = def->axis, other = crd_cross(axis, random_direction(r, l->space));
        def->axis2 = crd_scale(1.0 / crd_norm(other), other);
    }
    l->a[l->joints] = a;
    l->b[l->joints] = b;
    l->joints++;
}

static CardanJointType random_type(Random *r, CardanSpace space) {
    static const CardanJointType spatial[] = {CARDAN_JOINT_REVOLUTE,    CARDAN_JOINT_SPHERICAL, CARDAN_JOINT_UNIVERSAL,
                                              CARDAN_JOINT_CYLINDRICAL, CARDAN_JOINT_PRISMATIC, CARDAN_JOINT_REVOLUTE};
    static const CardanJointType planar[] = {CARDAN_JOINT_REVOLUTE, CARDAN_JOINT_REVOLUTE, CARDAN_JOINT_PRISMATIC};
    return space == CARDAN_SPACE_SPATIAL ? spatial[random_index(r, 6)] : planar[random_index(r, 3)];
}

/* Names are kept inside, so a linkage is not copied. */
static void make_up(Linkage *l, Random *r) {
    *l = (Linkage){.space = random_signed(r) > 0.0 ? CARDAN_SPACE_SPATIAL : CARDAN_SPACE_PLANAR};
    l->bodies = 2 + random_index(r, BODIES_MAX - 1);
    for (int i = 0; i < l->bodies; i++) {
        double mass = pow(10.0, random_signed(r)), size = 0.1 * mass;
        snprintf(l->name[i], sizeof l->name[i], "b%d", i);
        l->body[i] =
            (CardanBodyDef){DEFAULTED, .name = l->name[i], .mass = mass, .pose.p = random_vec(r, l->space, 2.0)};
        l->body[i].inertia = (CardanInertia){.xx = size, .yy = 1.3 * size, .zz = 1.1 * size};
        if (l->space == CARDAN_SPACE_PLANAR) l->body[i].inertia = (CardanInertia){.zz = size};
        add_joint(l, r, random_type(r, l->space), random_index(r, i + 1), i + 1); /* a tree on the ground */
    }
    int loops = random_index(r, 3);
    for (int i = 0; i < loops; i++) {
        int a = random_index(r, l->bodies + 1), b = random_index(r, l->bodies) + 1;
        if (a != b)
            add_joint(l, r, l->space == CARDAN_SPACE_SPATIAL ? CARDAN_JOINT_POINT_ON_PLANE : CARDAN_JOINT_POINT_ON_LINE,
                      a, b);
    }
    l->twins = 1 + random_index(r, TWINS_MAX);
    for (int i = 0; i < l->twins; i++) l->twin_of[i] = random_index(r, l->joints);
}

/* Twins come before the other joints where `early`: what comes first must not matter. */
static CardanModel *build(Linkage *l, bool twins, bool early) {
    CardanBuilder *builder = cardan_builder_create(l->space);
    cardan_builder_set_gravity(builder, l->space == CARDAN_SPACE_PLANAR ? (CardanVec3){0.5, -9.81, 0.0}
                                                                        : (CardanVec3){0.5, 0.3, -9.81});
    CardanBody body[BODIES_MAX + 1] = {{0}};
    for (int i = 0; i < l->bodies; i++) body[i + 1] = cardan_builder_add_body(builder, &l->body[i]);
    for (int pass = 0; pass < 2; pass++) {
        bool now = early == (pass == 0);
        for (int i = 0; twins && now && i < l->twins; i++) {
            CardanJointDef def = l->joint[l->twin_of[i]];
            snprintf(l->twin_name[i], sizeof l->twin_name[i], "t%d", i);
            def.name = l->twin_name[i];
            def.a = body[l->a[l->twin_of[i]]];
            def.b = body[l->b[l->twin_of[i]]];
            cardan_builder_add_joint(builder, &def);
        }
        for (int i = 0; !now && i < l->joints; i++) {
            l->joint[i].a = body[l->a[i]];
            l->joint[i].b = body[l->b[i]];
            cardan_builder_add_joint(builder, &l->joint[i]);
        }
    }
    return scene_compile(builder);
}

static CardanCheck check_of(const CardanModel *model) {
    CardanCheck check;
    char message[256];
    if (cardan_model_check(model, &check, NULL, NULL, message, sizeof message) < 0) fail_msg("%s", message);
    return check;
}

/* ---- comparing ---- */

static double worst_difference(const double *a, const double *b, int n) {
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

static double size_of(const double *a, int n) {
    double most = 1.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
    return most;
}

/* Positions, velocities, accelerations of both, now. */
static void compare_motion(CardanSim *minimal, CardanSim *twinned, int nq, int nv, int draw) {
    double a[VELOCITIES_MAX], b[VELOCITIES_MAX];
    assert_true(cardan_sim_evaluate(minimal, a, NULL) >= 0 && cardan_sim_evaluate(twinned, b, NULL) >= 0);
    const double *q = cardan_sim_positions(minimal), *v = cardan_sim_velocities(minimal);
    double dq = worst_difference(q, cardan_sim_positions(twinned), nq) / size_of(q, nq);
    double dv = worst_difference(v, cardan_sim_velocities(twinned), nv) / size_of(v, nv);
    double da = worst_difference(a, b, nv) / size_of(a, nv);
    if (!(dq <= 1e-10 && dv <= 1e-10 && da <= 1e-10))
        fail_msg("linkage %d at t = %g: positions %g, velocities %g, accelerations %g off", draw,
                 cardan_sim_time(minimal), dq, dv, da);
}

/* The reaction of each joint alone against the sum over it and its twins. */
static void compare_reactions(const Linkage *l, CardanSim *minimal, CardanSim *twinned, const CardanModel *alone,
                              const CardanModel *both, int draw) {
    for (int j = 0; j < l->joints; j++) {
        CardanWrench one = scene_reaction(minimal, alone, l->joint[j].name);
        CardanWrench all = scene_reaction(twinned, both, l->joint[j].name);
        bool single = true;
        for (int i = 0; i < l->twins; i++) {
            if (l->twin_of[i] != j) continue;
            CardanWrench w = scene_reaction(twinned, both, l->twin_name[i]);
            all.force = crd_add(all.force, w.force);
            all.moment = crd_add(all.moment, w.moment);
            single = false;
        }
        double size = fmax(1.0, fmax(crd_norm(one.force), crd_norm(one.moment)));
        double off = fmax(crd_norm(crd_sub(one.force, all.force)), crd_norm(crd_sub(one.moment, all.moment)));
        if (!(off <= 1e-8 * size)) fail_msg("linkage %d, joint %d: reactions %g off of %g", draw, j, off, size);
        CardanJoint joint = cardan_model_find_joint(both, l->joint[j].name);
        assert_int_equal(reaction_is_unique(twinned, joint), single);
    }
}

static int rows_of_twins(const CardanModel *alone, const CardanModel *both) {
    return cardan_model_sizes(both).rows - cardan_model_sizes(alone).rows;
}

/* false: the linkage is none, being rigid or singular by chance. */
static bool check_linkage(Linkage *l, int draw, CardanSolver solver) {
    CardanModel *alone = build(l, false, false), *both = build(l, true, draw % 2 == 0);
    CardanCheck is = check_of(alone);
    bool regular = is.redundant_rows == 0 && !is.singular && is.degrees_of_freedom > 0;
    if (regular) {
        assert_int_equal(check_of(both).redundant_rows, rows_of_twins(alone, both));
        CardanOptions options = scene_fixed(CARDAN_STEPPER_RK4, 2e-3);
        options.solver = solver;
        CardanSim *minimal = scene_start(alone, &options), *twinned = scene_start(both, &options);
        int nq = cardan_model_sizes(alone).coordinates, nv = cardan_model_sizes(alone).velocities;
        compare_motion(minimal, twinned, nq, nv, draw);
        scene_advance(minimal, 0.1);
        scene_advance(twinned, 0.1);
        compare_motion(minimal, twinned, nq, nv, draw);
        compare_reactions(l, minimal, twinned, alone, both, draw);
        cardan_sim_destroy(minimal);
        cardan_sim_destroy(twinned);
    }
    cardan_model_release(alone);
    cardan_model_release(both);
    return regular;
}

static void linkages_with_joints_twice_move_as_the_minimal_ones(void **state) {
    (void)state;
    static const CardanSolver solvers[] = {CARDAN_SOLVER_BLOCK, CARDAN_SOLVER_CHOLMOD, CARDAN_SOLVER_SUPERNODAL,
                                           CARDAN_SOLVER_DENSE};
    Random random = {20240607};
    int checked = 0;
    for (int draw = 0; draw < LINKAGES; draw++) {
        Linkage l;
        make_up(&l, &random);
        checked += check_linkage(&l, draw, solvers[draw % 4]);
    }
    if (getenv("CARDAN_TELL") != NULL) print_message("    %d linkages\n", checked);
    assert_in_range(checked, LINKAGES / 2, LINKAGES);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linkages_with_joints_twice_move_as_the_minimal_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
