/* The Whipple bicycle against the published linearised equations (J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L.
 * Schwab, Proc. R. Soc. A 463 (2007) 1955-1982, section 5 c; support/bicycle.h).
 * The model's x is forward, y left, z up; lean to the right and steer to the right are positive in both. */
#include "core/rotation.h"
#include "support/bicycle.h"
#include "support/check.h"
#include "support/reading.h"
#include "support/scene.h"

static const double REAR = 0.3, FRONT = 0.35, BASE = 1.02, TRAIL = 0.08, HEAD = 0.9;
static const double TILT = 0.1 * 3.14159265358979323846;

/* ---- a pose and a motion with given lean, steer and their rates ---- */

static const CrdVec Y = {0, 1, 0}, UP = {0, 0, 1};

typedef struct Bicycle {
    CrdMat body, fork;        /* rotations */
    CrdVec rear, head, front; /* m: hubs, point of the steer joint */
    CrdVec axis;              /* of steering, ground axes */
} Bicycle;

static CrdVec steer_axis(void) {
    return crd_vec(sin(TILT), 0.0, -cos(TILT)); /* own axes of body and fork */
}

static CrdVec head_point(void) {
    return crd_vec(BASE + TRAIL - HEAD * tan(TILT), 0.0, HEAD); /* ground axes, as written */
}

static CrdMat turned(CrdVec about, double angle) {
    return crd_matrix_of(crd_quat_of(crd_scale(angle, about)));
}

static double height(CrdVec hub, CrdMat wheel, double radius) {
    double c = crd_dot(crd_apply(wheel.m, Y), UP);
    return hub.z - radius * sqrt(1.0 - c * c);
}

static Bicycle placed(double lean, double steer, double pitch) {
    Bicycle b;
    CrdMat roll = turned(crd_vec(1, 0, 0), lean), nose = turned(Y, pitch);
    b.body = crd_mul(roll.m, nose.m);
    CrdMat turn = turned(steer_axis(), steer);
    b.fork = crd_mul(b.body.m, turn.m);
    b.rear = crd_vec(0, 0, REAR * cos(lean)); /* its lowest point is on the road */
    b.head = crd_add(b.rear, crd_apply(b.body.m, crd_sub(head_point(), crd_vec(0, 0, REAR))));
    b.front = crd_add(b.head, crd_apply(b.fork.m, crd_sub(crd_vec(BASE, 0, FRONT), head_point())));
    b.axis = crd_apply(b.body.m, steer_axis());
    return b;
}

/* The pitch that puts the front wheel on the road, by secants. */
static Bicycle on_the_road(double lean, double steer) {
    double x = 0.0, y = 1e-3;
    Bicycle b = placed(lean, steer, x);
    double fx = height(b.front, b.fork, FRONT);
    for (int i = 0; i < 20; i++) {
        b = placed(lean, steer, y);
        double fy = height(b.front, b.fork, FRONT);
        if (fabs(fy) < 1e-16 || fy == fx) break;
        double next = y - fy * (y - x) / (fy - fx);
        x = y, fx = fy, y = next;
    }
    check_near(height(b.front, b.fork, FRONT), 0.0, 1e-15, "height of the front wheel");
    return b;
}

/* Hub to the lowest point of a wheel. */
static CrdVec down(CrdMat wheel, double radius) {
    CrdVec u = crd_apply(wheel.m, Y);
    CrdVec up = crd_axpy(UP, -crd_dot(u, UP), u);
    return crd_scale(-radius / crd_norm(up), up);
}

typedef struct Motion {
    CrdVec w[4], v[4]; /* rear, body, fork, front: ground axes, of the centres of mass */
} Motion;

/* Rates: yaw, pitch, front spin (unknown), lean, steer, rear spin (given). The rear wheel does not slip. */
static Motion motion_of(const Bicycle *b, const double r[6]) {
    Motion m;
    CrdVec lateral = crd_apply(b->body.m, Y);
    m.w[1] = crd_add(crd_scale(r[0], UP), crd_axpy(crd_vec(r[3], 0, 0), r[1], lateral));
    m.w[2] = crd_axpy(m.w[1], r[4], b->axis);
    m.w[0] = crd_axpy(m.w[1], r[5], lateral);
    m.w[3] = crd_axpy(m.w[2], r[2], crd_apply(b->fork.m, Y));
    CrdVec to_body = crd_apply(b->body.m, crd_vec(0.3, 0, 0.9 - REAR));
    CrdVec to_fork = crd_apply(b->fork.m, crd_sub(crd_vec(0.9, 0, 0.7), head_point()));
    m.v[0] = crd_neg(crd_cross(m.w[0], down(b->body, REAR)));
    m.v[1] = crd_add(m.v[0], crd_cross(m.w[1], to_body));
    CrdVec head = crd_add(m.v[0], crd_cross(m.w[1], crd_sub(b->head, b->rear)));
    m.v[2] = crd_add(head, crd_cross(m.w[2], to_fork));
    m.v[3] = crd_add(head, crd_cross(m.w[2], crd_sub(b->front, b->head)));
    return m;
}

static CrdVec front_slip(const Bicycle *b, const double r[6]) {
    Motion m = motion_of(b, r);
    return crd_add(m.v[3], crd_cross(m.w[3], down(b->fork, FRONT)));
}

/* Yaw, pitch and front spin such that the front wheel does not slip: linear. */
static Motion rolling(const Bicycle *b, double lean_rate, double steer_rate, double speed) {
    double r[6] = {0, 0, 0, lean_rate, steer_rate, speed / REAR}, a[9], x[3];
    lapack_int pivots[3];
    CrdVec rest = front_slip(b, r);
    for (int k = 0; k < 3; k++) {
        r[k] = 1.0;
        crd_put(a + 3 * k, crd_sub(front_slip(b, r), rest));
        r[k] = 0.0;
    }
    crd_put(x, crd_neg(rest));
    assert_int_equal(LAPACKE_dgesv(LAPACK_COL_MAJOR, 3, 1, a, 3, pivots, x, 3), 0);
    memcpy(r, x, sizeof x);
    return motion_of(b, r);
}

/* Second derivatives of lean and steer at lean, steer, lean', steer'. */
static void accelerations(CardanSim *sim, const double s[4], double speed, double out[2]) {
    Bicycle b = on_the_road(s[0], s[1]);
    Motion m = rolling(&b, s[2], s[3], speed);
    const CrdMat rotations[4] = {b.body, b.body, b.fork, b.fork}; /* wheels: turned as their frames */
    const CrdVec centres[4] = {b.rear, crd_add(b.rear, crd_apply(b.body.m, crd_vec(0.3, 0, 0.9 - REAR))),
                               crd_add(b.head, crd_apply(b.fork.m, crd_sub(crd_vec(0.9, 0, 0.7), head_point()))),
                               b.front};
    double q[28], v[24], a[24];
    for (int i = 0; i < 4; i++) {
        CardanQuat p = crd_quat_of_matrix(rotations[i].m);
        crd_put(q + 7 * i, centres[i]);
        memcpy(q + 7 * i + 3, (double[]){p.w, p.x, p.y, p.z}, 4 * sizeof *q);
        crd_put(v + 6 * i, m.v[i]);
        crd_put(v + 6 * i + 3, crd_apply_t(rotations[i].m, m.w[i]));
    }
    if (cardan_sim_set_motion(sim, 0.0, q, v) < 0) fail_msg("%s", cardan_sim_message(sim));
    CardanResidual residual = residual_of(sim);
    check_between(fmax(residual.position, residual.velocity), 0.0, 1e-13, "the motion put in meets the constraints");
    if (cardan_sim_evaluate(sim, a, NULL) < 0) fail_msg("%s", cardan_sim_message(sim));
    /* sin(lean) = z of the body's y axis; steer' is the difference of own rates along the axis, fixed in both */
    CrdVec w = crd_vec_of(v + 9), turning = crd_cross(w, Y);
    CrdVec second = crd_apply(b.body.m, crd_add(crd_cross(crd_vec_of(a + 9), Y), crd_cross(w, turning)));
    out[0] = (second.z + s[2] * s[2] * sin(s[0])) / cos(s[0]);
    out[1] = crd_dot(steer_axis(), crd_sub(crd_vec_of(a + 15), crd_vec_of(a + 9)));
}

typedef struct Path {
    CardanSim *sim;
    double speed;
    int k;
} Path;

static void accelerations_along(void *user, double s, double *values) {
    const Path *p = user;
    double state[4] = {0};
    state[p->k] = s;
    accelerations(p->sim, state, p->speed, values);
}

static void look_at_speed(CardanSim *sim, double speed) {
    double seen[4][4] = {{0, 0, 1, 0}, {0, 0, 0, 1}}, expected[4][4], re[4], im[4], re0[4], im0[4];
    for (int k = 0; k < 4; k++) {
        double slopes[2];
        Path path = {sim, speed, k};
        differentiate(accelerations_along, &path, 2, slopes);
        seen[2][k] = slopes[0];
        seen[3][k] = slopes[1];
    }
    bicycle_published(speed, expected);
    for (int i = 2; i < 4; i++)
        for (int k = 0; k < 4; k++) /* entries of up to 2600 at 10 m/s */
            check_near(seen[i][k], expected[i][k], 1e-9 * fmax(1.0, fabs(expected[i][k])), "entry (%d, %d) at %g m/s",
                       i, k, speed);
    bicycle_eigenvalues(seen, re, im);
    bicycle_eigenvalues(expected, re0, im0);
    for (int i = 0; i < 4; i++) {
        check_near(re[i], re0[i], 1e-6, "real part of eigenvalue %d at %g m/s", i, speed);
        check_near(im[i], im0[i], 1e-6, "imaginary part of eigenvalue %d at %g m/s", i, speed);
    }
    if (speed != 5.0) return;
    static const double printed_re[] = {-14.07838969279824, -0.775341882195846, -0.775341882195846, -0.322866429004085};
    static const double printed_im[] = {0.0, -4.464867713788223, 4.464867713788223, 0.0};
    for (int i = 0; i < 4; i++) {
        check_near(re[i], printed_re[i], 1e-6, "published real part %d", i);
        check_near(im[i], printed_im[i], 1e-6, "published imaginary part %d", i);
    }
}

static void eigenvalues_are_the_published_ones(void **state) {
    (void)state;
    CardanSim *sim = scene_run(scene_load("models/bicycle.yaml"), NULL);
    const double speeds[] = {5.0, 3.0, 8.0}; /* stable, weaving, capsizing */
    for (int i = 0; i < 3; i++) look_at_speed(sim, speeds[i]);
    cardan_sim_destroy(sim);
}

/* ---- motions ---- */

static CardanModel *with(double speed, double push) {
    CardanModel *model = scene_load("models/bicycle.yaml"), *other = NULL;
    const char *const names[] = {"v", "push"};
    const double values[] = {speed, push};
    char message[256];
    if (cardan_model_with_parameters(model, 2, names, values, &other, message, sizeof message) < 0)
        fail_msg("%s", message);
    cardan_model_release(model);
    return other;
}

static double lean_of(CardanSim *sim, const CardanModel *model) {
    CardanQuat p = scene_body(sim, model, "body").quaternion;
    return asin(2.0 * (p.y * p.z + p.w * p.x));
}

/* x <- exp(A t) x, by Taylor's series over short steps. */
static void go_on(double a[4][4], double t, double x[4]) {
    enum { STEPS = 100, TERMS = 15 };
    for (int i = 0; i < STEPS; i++) {
        double term[4];
        memcpy(term, x, sizeof term);
        for (int n = 1; n <= TERMS; n++) {
            double next[4] = {0};
            for (int r = 0; r < 4; r++)
                for (int k = 0; k < 4; k++) next[r] += a[r][k] * term[k] * t / STEPS / n;
            for (int r = 0; r < 4; r++) x[r] += term[r] = next[r];
        }
    }
}

/* A push of 1e-5 rad/s: what is not linear is of the cube of the lean, which reaches 6e-5 at 3 m/s: 2e-13, times 15. */
static void a_small_push_is_followed_as_the_published_equations_say(void **state) {
    (void)state;
    const double speeds[] = {3.0, 5.0, 8.0}, push = 1e-5;
    for (int i = 0; i < 3; i++) {
        CardanModel *model = with(speeds[i], push);
        CardanOptions options = scene_tight(1e-11, 1e-15);
        CardanSim *sim = scene_start(model, &options);
        double a[4][4], x[4] = {0, 0, push, 0};
        bicycle_published(speeds[i], a);
        for (int k = 1; k <= 5; k++) {
            double rate;
            scene_advance(sim, 0.5 * k);
            go_on(a, 0.5, x);
            check_near(lean_of(sim, model), x[0], 1e-11, "lean at %g m/s, %g s", speeds[i], 0.5 * k);
            check_near(scene_coordinate(sim, model, "steer", &rate), x[1], 1e-11, "steer at %g m/s, %g s", speeds[i],
                       0.5 * k);
            check_near(rate, x[3], 1e-10, "rate of steer at %g m/s, %g s", speeds[i], 0.5 * k);
        }
        cardan_sim_destroy(sim);
        cardan_model_release(model);
    }
}

/* Height over the road and slip of the lowest point of a wheel, from its state alone. */
static void check_wheel(CardanSim *sim, const CardanModel *model, const char *name, double radius) {
    CardanBodyState s = scene_body(sim, model, name);
    CrdMat r = crd_matrix_of(s.quaternion);
    CrdVec slip = crd_add(s.velocity, crd_cross(s.angular_velocity, down(r, radius)));
    check_near(height(s.position, r, radius), 0.0, 1e-13, "height of the %s wheel", name);
    check_near(crd_norm(slip), 0.0, 1e-12, "slip of the %s wheel", name);
}

static double energy_error(CardanSim *sim) {
    CardanEnergy energy = scene_energy(sim);
    return energy.drift_max / energy.total;
}

static void it_comes_upright_again_at_5_metres_per_second(void **state) {
    (void)state;
    CardanModel *model = with(5.0, 0.3);
    CardanOptions options = scene_tight(1e-10, 1e-12);
    CardanSim *sim = scene_start(model, &options);
    double most = 0.0;
    for (int i = 1; i <= 200; i++) {
        scene_advance(sim, 0.1 * i);
        most = fmax(most, fabs(lean_of(sim, model)));
        check_wheel(sim, model, "rear", REAR);
        check_wheel(sim, model, "front", FRONT);
    }
    check_between(most, 0.02, 0.2, "largest lean");
    /* the capsize mode, exp(-0.32 t), is left: 1.6e-3 of it after 20 s */
    check_between(fabs(lean_of(sim, model)), 0.0, 2e-3 * most, "lean after 20 s");
    check_between(energy_error(sim), 0.0, 1e-10, "error of the energy");
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void it_falls_at_3_metres_per_second(void **state) {
    (void)state;
    CardanModel *model = with(3.0, 0.1);
    CardanOptions options = scene_tight(1e-10, 1e-12);
    CardanSim *sim = scene_start(model, &options);
    double fallen = 0.0;
    for (int i = 1; i <= 120 && fallen == 0.0; i++) {
        scene_advance(sim, 0.05 * i);
        check_wheel(sim, model, "rear", REAR);
        check_wheel(sim, model, "front", FRONT);
        if (fabs(lean_of(sim, model)) > 1.2) fallen = cardan_sim_time(sim);
    }
    check_between(fallen, 3.0, 6.0, "time of the fall");
    check_between(energy_error(sim), 0.0, 1e-9, "error of the energy");
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenvalues_are_the_published_ones),
        cmocka_unit_test(a_small_push_is_followed_as_the_published_equations_say),
        cmocka_unit_test(it_comes_upright_again_at_5_metres_per_second),
        cmocka_unit_test(it_falls_at_3_metres_per_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
