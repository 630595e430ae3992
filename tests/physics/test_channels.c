/* Every channel of every model beside an independent computation: rates beside differences of what they are rates of,
 * accelerations beside differences of velocities, loads on each body in balance with its motion, and what contacts,
 * tyres and springs say beside their laws. */
#include "support/check.h"
#include "support/reading.h"
#include "support/sample.h"
#include "support/scene.h"

#include "model/model.h"

#include <dirent.h>

enum { ROOM = 4000, WIDE = 6 };

/* ---- reading ---- */

static CardanChannel find(const CardanModel *model, const char *name) {
    CardanChannel channel;
    char message[512];
    if (cardan_model_find_channel(model, name, &channel, message, sizeof message) < 0) fail_msg("%s", message);
    return channel;
}

static bool has(const CardanModel *model, const char *object, const char *what) {
    char name[440];
    CardanChannel channel;
    snprintf(name, sizeof name, "%s.%s", object, what);
    return cardan_model_find_channel(model, name, &channel, NULL, 0) >= 0;
}

static void read_now(CardanSim *sim, CardanChannel channel, double *values) {
    if (cardan_sim_sample(sim, cardan_sim_time(sim), 1, &channel, values) < 0) fail_msg("%s", cardan_sim_message(sim));
}

static void value_of(CardanSim *sim, const CardanModel *model, const char *object, const char *what, double *values) {
    char name[440];
    snprintf(name, sizeof name, "%s%s%s", object, object[0] != '\0' ? "." : "", what);
    read_now(sim, find(model, name), values);
}

static double one(CardanSim *sim, const CardanModel *model, const char *object, const char *what) {
    double values[WIDE] = {0};
    value_of(sim, model, object, what, values);
    return values[0];
}

/* ---- each model, a little way into its run ---- */

/* Works of forces are asked for when the run begins. */
static void follow_works(CardanSim *sim, const CardanModel *model) {
    static CardanChannel all[ROOM];
    int count = cardan_model_match_channels(model, "*.work", ROOM, all, NULL, 0);
    double value;
    for (int i = 0; i < count; i++) {
        read_now(sim, all[i], &value);
        assert_true(value == 0.0);
    }
}

typedef void (*Look)(CardanSim *sim, const CardanModel *model, const char *name);

static void look_at(const char *path, const char *name, CardanCoordinates coordinates, Look look) {
    CardanModel *model = scene_load(path);
    CardanOptions options = cardan_model_options(model);
    options.coordinates = coordinates;
    options.rtol = 1e-10;
    options.atol = 1e-12;
    CardanSim *sim = NULL;
    if (cardan_sim_create(model, &options, &sim) >= 0) {
        double end = options.end > 0.0 ? fmin(0.3 * options.end, 0.137) : 0.137;
        follow_works(sim, model);
        if (cardan_sim_advance(sim, end) >= 0) look(sim, model, name);
    } else {
        assert_int_equal(coordinates, CARDAN_COORDINATES_RELATIVE); /* the only one that may refuse a model */
    }
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void in_every_model(CardanCoordinates coordinates, Look look) {
    DIR *folder = opendir("models");
    assert_non_null(folder);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[512];
        const char *dot = strrchr(entry->d_name, '.');
        if (dot == NULL || strcmp(dot, ".yaml") != 0) continue;
        snprintf(path, sizeof path, "models/%s", entry->d_name);
        if (sample_has_name(entry->d_name, 3)) look_at(path, entry->d_name, coordinates, look);
        count++;
    }
    closedir(folder);
    assert_true(count > 40);
}

/* ---- names ---- */

/* Every channel has a value, a unit, and a name by which it is found again. */
static void check_names(CardanSim *sim, const CardanModel *model, const char *name) {
    static CardanChannel all[ROOM];
    static const char *const GROUPS[] = {"*.*", "*"};
    char label[256], message[512];
    for (int g = 0; g < 2; g++) {
        int count = cardan_model_match_channels(model, GROUPS[g], ROOM, all, message, sizeof message);
        if (count < 1 || count > ROOM) fail_msg("%s: %d channels: %s", name, count, message);
        for (int i = 0; i < count; i++) {
            double values[WIDE];
            read_now(sim, all[i], values);
            for (int k = 0; k < all[i].width; k++) {
                cardan_model_channel_label(model, all[i], k, label, sizeof label);
                if (!isfinite(values[k])) fail_msg("%s: %s is not finite", name, label);
                if (cardan_model_channel_unit(model, all[i], k)[0] == '\0') fail_msg("%s: %s has no unit", name, label);
            }
            if (all[i].width > 1) *strrchr(label, '.') = '\0'; /* the column */
            CardanChannel again = find(model, label);
            if (memcmp(&again, &all[i], sizeof again) != 0) fail_msg("%s: '%s' is another channel", name, label);
        }
    }
}

static void every_channel_has_a_value_a_unit_and_a_name_that_finds_it(void **state) {
    (void)state;
    in_every_model(CARDAN_COORDINATES_ABSOLUTE, check_names);
}

/* ---- rates ---- */

/* A channel and what is its derivative. */
typedef struct Rate {
    const char *of, *rate;
} Rate;

static const Rate RATES[] = {
    {"x", "vx"},
    {"y", "vy"},
    {"z", "vz"},
    {"vx", "ax"},
    {"vy", "ay"},
    {"vz", "az"},
    {"wx", "alphax"},
    {"wy", "alphay"},
    {"wz", "alphaz"},
    {"angle", "spin"},
    {"spin", "spin_rate"},
    {"angle", "rate"},
    {"displacement", "speed"},
    {"length", "rate"},
    {"elongation", "rate"},
    {"rate", "acceleration"},
    {"speed", "acceleration2"},
    {"shift.x", "shift_rate.x"},
    {"shift.y", "shift_rate.y"},
    {"shift.z", "shift_rate.z"},
    {"shift_rate.x", "shift_acceleration.x"},
    {"shift_rate.y", "shift_acceleration.y"},
    {"shift_rate.z", "shift_acceleration.z"},
};

/* Differences over 2 h, forwards, of a motion that is integrated to 1e-10: the error is h^2/3 of the third derivative,
 * h a fiftieth of a step and small beside what moves, and the integration's over h. */
typedef struct Later {
    CardanSim *one, *two; /* h and 2 h later */
    double h;
} Later;

static double difference(CardanSim *sim, const Later *later, CardanChannel channel) {
    double now, one_later, two_later;
    read_now(sim, channel, &now);
    read_now(later->one, channel, &one_later);
    read_now(later->two, channel, &two_later);
    return (-3.0 * now + 4.0 * one_later - two_later) / (2.0 * later->h);
}

static void check_rates_of(CardanSim *sim, const CardanModel *model, const Later *later, const char *object,
                           const char *name) {
    for (size_t i = 0; i < sizeof RATES / sizeof *RATES; i++) {
        char of[240], rate[240];
        CardanChannel value, slope;
        snprintf(of, sizeof of, "%s.%s", object, RATES[i].of);
        snprintf(rate, sizeof rate, "%s.%s", object, RATES[i].rate);
        if (cardan_model_find_channel(model, of, &value, NULL, 0) < 0) continue;
        if (cardan_model_find_channel(model, rate, &slope, NULL, 0) < 0) continue;
        double expected = difference(sim, later, value), got, then;
        read_now(sim, slope, &got);
        read_now(later->two, slope, &then);
        double scale = 1.0 + fabs(got) + 50.0 * fabs(then - got); /* what it changes by in a step */
        check_near(got, expected, 1e-4 * scale, "%s: %s beside differences", name, rate);
    }
}

static void check_rates(CardanSim *sim, const CardanModel *model, const char *name) {
    Later later = {NULL, NULL, 0.0};
    CardanSim *ahead = NULL;
    double t = cardan_sim_time(sim);
    assert_int_equal(cardan_sim_clone(sim, &ahead), CARDAN_OK);
    MUST(cardan_sim_step(ahead, (double)INFINITY));
    later.h = fmin(2e-4, 0.02 * cardan_sim_last_step(ahead));
    cardan_sim_destroy(ahead);
    const CardanEvent *events;
    long before = 0, after = 0;
    cardan_sim_events(sim, &events, &before);
    assert_int_equal(cardan_sim_clone(sim, &later.one), CARDAN_OK);
    assert_int_equal(cardan_sim_clone(sim, &later.two), CARDAN_OK);
    MUST(cardan_sim_advance(later.one, t + later.h));
    MUST(cardan_sim_advance(later.two, t + 2.0 * later.h));
    cardan_sim_events(later.two, &events, &after);
    CardanSizes sizes = cardan_model_sizes(model);
    for (int i = 0; i < sizes.bodies && before == after; i++)
        check_rates_of(sim, model, &later, cardan_model_body_name(model, cardan_model_body(model, i)), name);
    for (int i = 1; i <= sizes.markers && before == after; i++)
        check_rates_of(sim, model, &later, cardan_model_marker_name(model, (CardanMarker){i}), name);
    for (int i = 1; i <= sizes.joints && before == after; i++)
        check_rates_of(sim, model, &later, cardan_model_joint_name(model, (CardanJoint){i}), name);
    for (int i = 1; i <= sizes.forces && before == after; i++)
        check_rates_of(sim, model, &later, cardan_model_force_name(model, (CardanForce){i}), name);
    cardan_sim_destroy(later.one);
    cardan_sim_destroy(later.two);
}

static void rates_and_accelerations_are_those_of_differences(void **state) {
    (void)state;
    in_every_model(CARDAN_COORDINATES_ABSOLUTE, check_rates);
}

static void the_same_in_relative_coordinates(void **state) {
    (void)state;
    in_every_model(CARDAN_COORDINATES_RELATIVE, check_rates);
}

/* ---- balance of loads ---- */

typedef struct Sum {
    double force[3], moment[3]; /* ground axes; about the centre of mass */
    double size;                /* of what was added: forces, and moments */
} Sum;

/* Adds s times a wrench at a point. */
static void add_wrench(Sum *sum, bool planar, double s, const double *wrench, const double *at, const double *centre) {
    double f[3] = {wrench[0], wrench[1], planar ? 0.0 : wrench[2]}, m[3] = {0}, r[3];
    for (int k = 0; k < 3; k++) r[k] = at[k] - centre[k];
    if (planar)
        m[2] = wrench[2];
    else
        memcpy(m, wrench + 3, sizeof m);
    const double arm[3] = {r[1] * f[2] - r[2] * f[1], r[2] * f[0] - r[0] * f[2], r[0] * f[1] - r[1] * f[0]};
    for (int k = 0; k < 3; k++) {
        sum->force[k] += s * f[k];
        sum->moment[k] += s * (m[k] + arm[k]);
        sum->size += fabs(f[k]) + fabs(m[k]) + fabs(arm[k]);
    }
}

static void ground_point(CardanSim *sim, CardanBody body, CardanVec3 l, double *out) {
    CardanBodyState b;
    MUST(cardan_sim_body(sim, body, &b));
    const CardanQuat q = b.quaternion;
    /* x + R l with R of the quaternion */
    double ux = q.y * l.z - q.z * l.y, uy = q.z * l.x - q.x * l.z, uz = q.x * l.y - q.y * l.x;
    out[0] = b.position.x + l.x + 2.0 * (q.w * ux + q.y * uz - q.z * uy);
    out[1] = b.position.y + l.y + 2.0 * (q.w * uy + q.z * ux - q.x * uz);
    out[2] = b.position.z + l.z + 2.0 * (q.w * uz + q.x * uy - q.y * ux);
}

/* A direction fixed in a body, ground axes. */
static void ground_direction(CardanSim *sim, CardanBody body, CardanVec3 l, double *out) {
    double origin[3];
    ground_point(sim, body, l, out);
    ground_point(sim, body, (CardanVec3){0, 0, 0}, origin);
    for (int k = 0; k < 3; k++) out[k] -= origin[k];
}

/* Where a wheel touches: from its middle against the normal, in the plane of the disc if it has an axis. */
static void touching_point(CardanSim *sim, const CardanModel *model, const CardanJointScene *scene, double *at) {
    double normal[3], axis[3] = {0}, along = 0.0, size = 0.0;
    bool disc = cardan_model_space(model) == CARDAN_SPACE_SPATIAL;
    ground_point(sim, scene->b, scene->point_b, at);
    ground_direction(sim, scene->a, scene->axis_a, normal);
    if (disc) ground_direction(sim, scene->b, scene->axis_b, axis);
    for (int k = 0; k < 3; k++) along += normal[k] * axis[k];
    for (int k = 0; k < 3; k++) {
        normal[k] -= along * axis[k];
        size += normal[k] * normal[k];
    }
    for (int k = 0; k < 3; k++) at[k] -= scene->radius * normal[k] / sqrt(size);
}

/* Where a joint's wrench on a body is taken: at its point there; of a coupler at that of its first joint there; of rows
 * of a program at the centre of mass. */
static void joint_place(CardanSim *sim, const CardanModel *model, CardanJoint joint, CardanBody body, double *at) {
    CardanJointScene scene = cardan_model_joint_scene(model, joint);
    const CrdStructure *structure = model->structure;
    const CrdElement *element = &structure->elements[structure->element_of_joint[joint.index - 1]];
    for (int i = 0; i < element->terms; i++) {
        const CrdElement *led = &structure->elements[structure->terms[element->term + i].element];
        CardanJointScene one_of = cardan_model_joint_scene(model, (CardanJoint){led->joint + 1});
        if (one_of.a.index != body.index && one_of.b.index != body.index) continue;
        ground_point(sim, body, one_of.b.index == body.index ? one_of.point_b : one_of.point_a, at);
        return;
    }
    if (scene.type == CARDAN_JOINT_ROLLING) {
        touching_point(sim, model, &scene, at);
        return;
    }
    bool b = scene.b.index == body.index, known = b || scene.a.index == body.index;
    CardanVec3 middle = {0, 0, 0};
    ground_point(sim, body, !known ? middle : b ? scene.point_b : scene.point_a, at);
}

/* What joints do to a body. */
static void add_joints(CardanSim *sim, const CardanModel *model, CardanBody body, const double *centre, Sum *sum) {
    bool planar = cardan_model_space(model) == CARDAN_SPACE_PLANAR;
    for (int i = 1; i <= cardan_model_sizes(model).joints; i++) {
        const char *name = cardan_model_joint_name(model, (CardanJoint){i});
        char what[200];
        double wrench[WIDE], at[3];
        snprintf(what, sizeof what, "reaction.%s", cardan_model_body_name(model, body));
        if (!has(model, name, what)) continue;
        value_of(sim, model, name, what, wrench);
        joint_place(sim, model, (CardanJoint){i}, body, at);
        add_wrench(sum, planar, 1.0, wrench, at, centre);
    }
}

/* Where its wrench on a body is taken: as cardan_model_force_point says, but for what touches a plane. */
static bool force_place(CardanSim *sim, const CardanModel *model, CardanForce force, CardanBody body, double *at) {
    CardanForceScene scene = cardan_model_force_scene(model, force);
    bool found = false;
    for (int k = 0; k < scene.points; k++) {
        CardanBodyPoint point = cardan_model_force_point(model, force, k);
        if (point.body.index != body.index) continue;
        ground_point(sim, body, point.point, at);
        found = true;
    }
    if (scene.type == CARDAN_FORCE_CONTACT) {
        const double n[3] = {scene.plane_normal.x, scene.plane_normal.y, scene.plane_normal.z};
        for (int k = 0; k < 3; k++) at[k] -= scene.radius * n[k];
    }
    return found && scene.type != CARDAN_FORCE_TYRE && scene.type != CARDAN_FORCE_BUSHING;
}

static void add_forces(CardanSim *sim, const CardanModel *model, CardanBody body, const double *centre, Sum *sum) {
    bool planar = cardan_model_space(model) == CARDAN_SPACE_PLANAR;
    for (int i = 1; i <= cardan_model_sizes(model).forces; i++) {
        const char *name = cardan_model_force_name(model, (CardanForce){i});
        char what[200];
        double wrench[WIDE], at[3];
        snprintf(what, sizeof what, "wrench.%s", cardan_model_body_name(model, body));
        if (!has(model, name, what)) continue;
        value_of(sim, model, name, what, wrench);
        if (force_place(sim, model, (CardanForce){i}, body, at)) {
            add_wrench(sum, planar, 1.0, wrench, at, centre);
            continue;
        }
        CardanWrench load; /* its place is not told: the sum of its loads about the centre of mass */
        MUST(cardan_sim_load(sim, (CardanForce){i}, body, &load));
        const double whole[WIDE] = {load.force.x,  load.force.y,  planar ? load.moment.z : load.force.z,
                                    load.moment.x, load.moment.y, load.moment.z};
        add_wrench(sum, planar, 1.0, whole, centre, centre);
        check_near(wrench[0], load.force.x, 1e-12 * (1.0 + fabs(load.force.x)), "%s: force along x", name);
    }
}

/* m a and the rate of angular momentum, by the channels, in ground axes. */
static void subtract_motion(CardanSim *sim, const CardanModel *model, CardanBody body, Sum *sum) {
    const char *name = cardan_model_body_name(model, body);
    CardanBodyMass mass = cardan_model_body_mass(model, body);
    CardanVec3 g = cardan_model_gravity(model);
    bool planar = cardan_model_space(model) == CARDAN_SPACE_PLANAR;
    const double pull[3] = {g.x, g.y, g.z};
    static const char *const A[] = {"ax", "ay", "az"}, *const ALPHA[] = {"alphax", "alphay", "alphaz"};
    for (int k = 0; k < (planar ? 2 : 3); k++) {
        double a = one(sim, model, name, A[k]);
        sum->force[k] += mass.mass * (pull[k] - a);
        sum->size += mass.mass * (fabs(pull[k]) + fabs(a));
    }
    if (planar && has(model, name, "spin_rate")) sum->moment[2] -= mass.inertia.zz * one(sim, model, name, "spin_rate");
    if (planar || !has(model, name, "alphax")) return;
    /* I alpha + w x I w in own axes, turned to ground axes by the columns of R */
    const CardanInertia *i = &mass.inertia;
    const double I[9] = {i->xx, i->xy, i->xz, i->xy, i->yy, i->yz, i->xz, i->yz, i->zz};
    CardanBodyState b;
    MUST(cardan_sim_body(sim, body, &b));
    double column[3][3], alpha[3] = {0}, w[3] = {0}, h[3] = {0}, own[3];
    for (int c = 0; c < 3; c++) {
        double tip[3], origin[3];
        ground_point(sim, body, (CardanVec3){c == 0, c == 1, c == 2}, tip);
        ground_point(sim, body, (CardanVec3){0, 0, 0}, origin);
        for (int k = 0; k < 3; k++) column[c][k] = tip[k] - origin[k];
    }
    const double spin[3] = {b.angular_velocity.x, b.angular_velocity.y, b.angular_velocity.z};
    for (int k = 0; k < 3; k++) {
        double value = one(sim, model, name, ALPHA[k]);
        for (int c = 0; c < 3; c++) {
            alpha[c] += column[c][k] * value;
            w[c] += column[c][k] * spin[k];
        }
    }
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) h[r] += I[3 * r + c] * w[c];
    const double turn[3] = {w[1] * h[2] - w[2] * h[1], w[2] * h[0] - w[0] * h[2], w[0] * h[1] - w[1] * h[0]};
    for (int r = 0; r < 3; r++) {
        own[r] = turn[r];
        for (int c = 0; c < 3; c++) own[r] += I[3 * r + c] * alpha[c];
        sum->size += fabs(own[r]);
    }
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++) sum->moment[k] -= column[c][k] * own[c];
}

static int balanced;

static void check_balance(CardanSim *sim, const CardanModel *model, const char *name) {
    for (int i = 0; i < cardan_model_sizes(model).bodies; i++) {
        CardanBody body = cardan_model_body(model, i);
        CardanBodyState b;
        Sum sum = {{0}, {0}, 0.0};
        MUST(cardan_sim_body(sim, body, &b));
        const double centre[3] = {b.position.x, b.position.y, b.position.z};
        add_joints(sim, model, body, centre, &sum);
        add_forces(sim, model, body, centre, &sum);
        subtract_motion(sim, model, body, &sum);
        bool particle = cardan_model_body_kind(model, body) == CARDAN_BODY_PARTICLE;
        for (int k = 0; k < 3; k++) {
            const char *who = cardan_model_body_name(model, body);
            check_near(sum.force[k], 0.0, 1e-9 * (1.0 + sum.size), "%s: forces on '%s', %d", name, who, k);
            if (!particle)
                check_near(sum.moment[k], 0.0, 1e-9 * (1.0 + sum.size), "%s: moments on '%s', %d", name, who, k);
        }
        balanced++;
    }
}

static void loads_on_each_body_balance_its_motion(void **state) {
    (void)state;
    balanced = 0;
    in_every_model(CARDAN_COORDINATES_ABSOLUTE, check_balance);
    assert_true(balanced > sample_of(200, 5)); /* couplers, wheels and rows of programs included */
    in_every_model(CARDAN_COORDINATES_RELATIVE, check_balance);
}

/* ---- power and momenta ---- */

static void check_powers(CardanSim *sim, const CardanModel *model, const char *name) {
    for (int i = 1; i <= cardan_model_sizes(model).forces; i++) {
        const char *force = cardan_model_force_name(model, (CardanForce){i});
        CardanForceScene scene = cardan_model_force_scene(model, (CardanForce){i});
        if (!has(model, force, "rate")) continue;
        double f = one(sim, model, force, "force"), rate = one(sim, model, force, "rate"),
               power = one(sim, model, force, "power");
        double sign = scene.joint.index > 0 ? 1.0 : -1.0; /* a tension pulls against the length */
        check_near(power, sign * f * rate, 1e-11 * (1.0 + fabs(f * rate)), "%s: power of '%s'", name, force);
    }
    double p[3] = {0}, sum[3] = {0}, mass = 0.0, centre[3] = {0}, x[3] = {0};
    bool planar = cardan_model_space(model) == CARDAN_SPACE_PLANAR;
    static const char *const PLACE[] = {"x", "y", "z"};
    value_of(sim, model, "", "momentum", p);
    value_of(sim, model, "", "mass_centre", centre);
    for (int i = 0; i < cardan_model_sizes(model).bodies; i++) {
        CardanBody body = cardan_model_body(model, i);
        double own[3] = {0}, m = cardan_model_body_mass(model, body).mass;
        value_of(sim, model, cardan_model_body_name(model, body), "momentum", own);
        for (int k = 0; k < (planar ? 2 : 3); k++) {
            sum[k] += own[k];
            x[k] += m * one(sim, model, cardan_model_body_name(model, body), PLACE[k]);
        }
        mass += m;
    }
    for (int k = 0; k < 3; k++) {
        check_near(p[k], sum[k], 1e-12 * (1.0 + fabs(sum[k])), "%s: momentum", name);
        check_near(mass * centre[k], x[k], 1e-12 * (1.0 + fabs(x[k])), "%s: centre of mass", name);
    }
}

static void powers_are_forces_times_rates_and_momenta_add_up(void **state) {
    (void)state;
    in_every_model(CARDAN_COORDINATES_ABSOLUTE, check_powers);
}

/* The rate of the angular momentum about the origin is the moment of gravity, springs to the ground and reactions of
 * the ground: of a body alone in space it stays. */
static void the_angular_momentum_of_a_free_body_stays(void **state) {
    (void)state;
    CardanModel *model = scene_read("cardan: 1\nspace: spatial\nbodies:\n"
                                    "  a: {mass: 2, inertia: [1, 2, 2.5], position: [1, 2, 3], velocity: [0.3, -1, 2], "
                                    "body_rates: [0.2, 3, 0.1]}\nsimulation: {end: 3}\n");
    CardanOptions options = scene_tight(1e-12, 1e-13);
    CardanSim *sim = scene_start(model, &options);
    double before[3], after[3], q[4];
    value_of(sim, model, "", "angular_momentum", before);
    scene_advance(sim, 3.0);
    value_of(sim, model, "", "angular_momentum", after);
    for (int k = 0; k < 3; k++) check_near(after[k], before[k], 1e-9, "angular momentum %d", k);
    static const char *const PARTS[] = {"qw", "qx", "qy", "qz"};
    for (int k = 0; k < 4; k++) q[k] = one(sim, model, "a", PARTS[k]);
    /* R of roll, pitch, yaw has the same last row and first column as that of the quaternion */
    double roll = one(sim, model, "a", "roll"), pitch = one(sim, model, "a", "pitch"),
           yaw = one(sim, model, "a", "yaw");
    check_near(-sin(pitch), 2.0 * (q[1] * q[3] - q[0] * q[2]), 1e-12, "pitch");
    check_near(cos(pitch) * sin(roll), 2.0 * (q[2] * q[3] + q[0] * q[1]), 1e-12, "roll");
    check_near(cos(pitch) * sin(yaw), 2.0 * (q[1] * q[2] + q[0] * q[3]), 1e-12, "yaw");
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

/* ---- gradients ---- */

static double along(const double *row, const double *x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += row[i] * x[i];
    return sum;
}

/* Along the motion: the rate of a channel is its gradient times velocities, accelerations and rates of states. */
static void check_gradients(CardanSim *sim, const CardanModel *model, const char *name) {
    static const Rate RATE[] = {
        {"x", "vx"}, {"vx", "ax"}, {"angle", "rate"}, {"rate", "acceleration"}, {"length", "rate"}};
    int nv = model->structure->nv, nz = model->structure->first_order;
    double *by_x = calloc((size_t)nv + 1, sizeof(double)), *by_v = calloc((size_t)nv + 1, sizeof(double)),
           *by_z = calloc((size_t)nz + 1, sizeof(double)), *a = calloc((size_t)nv + 1, sizeof(double));
    CardanSizes sizes = cardan_model_sizes(model);
    MUST(cardan_sim_evaluate(sim, a, NULL));
    const double *v = cardan_sim_velocities(sim);
    for (int i = 0; i < sizes.bodies + sizes.joints; i++) {
        const char *object = i < sizes.bodies ? cardan_model_body_name(model, cardan_model_body(model, i))
                                              : cardan_model_joint_name(model, (CardanJoint){i - sizes.bodies + 1});
        for (size_t k = 0; k < sizeof RATE / sizeof *RATE; k++) {
            if (!has(model, object, RATE[k].of) || !has(model, object, RATE[k].rate)) continue;
            char label[440];
            double value;
            snprintf(label, sizeof label, "%s.%s", object, RATE[k].of);
            if (cardan_sim_gradient(sim, find(model, label), &value, by_x, by_v, by_z) < 0)
                fail_msg("%s", cardan_sim_message(sim));
            double rate = one(sim, model, object, RATE[k].rate);
            check_near(value, one(sim, model, object, RATE[k].of), 1e-15 * fabs(value), "%s: %s", name, label);
            check_near(along(by_x, v, nv) + along(by_v, a, nv), rate, 1e-9 * (1.0 + fabs(rate)),
                       "%s: gradient of %s along the motion", name, label);
        }
    }
    free(by_x);
    free(by_v);
    free(by_z);
    free(a);
}

static void gradients_along_the_motion_are_rates(void **state) {
    (void)state;
    in_every_model(CARDAN_COORDINATES_ABSOLUTE, check_gradients);
}

/* ---- contact and tyre beside their laws ---- */

static void a_contact_says_what_its_law_does(void **state) {
    (void)state;
    const double k = 2e4, e = 1.5, c = 0.3, mu = 0.4, speed = 0.05, r = 0.1;
    CardanModel *model =
        scene_read("cardan: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
                   "  ball: {mass: 1, inertia: {sphere: 0.1}, position: [0, 0, 0.098], velocity: [1, 0.5, 0.6], "
                   "angular_velocity: [1, 2, 3]}\nforces:\n"
                   "  touch: {type: contact, body: ball, radius: 0.1, plane: {point: [0, 0, 0], normal: [0, 0, 1]}, "
                   "stiffness: 2e4,"
                   " dissipation: 0.3, friction: 0.4, speed: 0.05}\nsimulation: {end: 1}\n");
    CardanOptions options = scene_tight(1e-10, 1e-12);
    CardanSim *sim = scene_start(model, &options);
    int touching = 0;
    for (int i = 1; i <= 40; i++) {
        scene_advance(sim, 0.005 * i);
        double z = one(sim, model, "ball", "z"), vz = one(sim, model, "ball", "vz"), depth = r - z;
        double sx = one(sim, model, "ball", "vx") - r * one(sim, model, "ball", "wy"),
               sy = one(sim, model, "ball", "vy") + r * one(sim, model, "ball", "wx"), slip = hypot(sx, sy);
        double normal = depth > 0.0 ? k * pow(depth, e) * fmax(0.0, 1.0 - 1.5 * c * vz) : 0.0;
        double friction = mu * normal * tanh(slip / speed), wrench[WIDE];
        check_near(one(sim, model, "touch", "depth"), depth, 1e-12, "depth");
        check_near(one(sim, model, "touch", "slip"), slip, 1e-10, "slip");
        check_near(one(sim, model, "touch", "normal"), normal, 1e-8 * (1.0 + normal), "normal force");
        check_near(one(sim, model, "touch", "force"), normal, 1e-8 * (1.0 + normal), "force");
        check_near(one(sim, model, "touch", "friction"), friction, 1e-8 * (1.0 + friction), "friction force");
        value_of(sim, model, "touch", "wrench", wrench);
        check_near(wrench[2], normal, 1e-8 * (1.0 + normal), "wrench along the normal");
        check_near(hypot(wrench[0], wrench[1]), friction, 1e-8 * (1.0 + friction), "wrench along the plane");
        for (int m = 3; m < 6; m++) check_near(wrench[m], 0.0, 1e-12 * (1.0 + normal), "moment at the touching point");
        touching += depth > 0.0;
    }
    assert_in_range(touching, 5, 39);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static double magic(double b, double c, double s) {
    return sin(c * atan(b * s));
}

static void a_tyre_says_what_its_law_does(void **state) {
    (void)state;
    const double r = 0.3, k = 1.5e5, d = 500.0;
    CardanModel *model =
        scene_read("cardan: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
                   "  wheel: {mass: 400, inertia: [1, 2, 1], position: [0, 0, 0.275], velocity: [10, -0.4, 0], "
                   "angular_velocity: [0, 34, 0]}\nforces:\n"
                   "  tyre: {type: tyre, wheel: wheel, axis: [0, 1, 0], radius: 0.3, plane: {point: [0, 0, 0], normal: "
                   "[0, 0, 1]}, "
                   "vertical: {stiffness: 1.5e5, damping: 500}, longitudinal: {B: 10, C: 1.6, D: 1}, "
                   "lateral: {B: 8, C: 1.3, D: 0.9}, slow: 0.5}\nsimulation: {end: 1}\n");
    CardanOptions options = scene_tight(1e-10, 1e-12);
    CardanSim *sim = scene_start(model, &options);
    for (int i = 0; i < 20; i++) {
        double z = one(sim, model, "wheel", "z"), vz = one(sim, model, "wheel", "vz"),
               vx = one(sim, model, "wheel", "vx"), vy = one(sim, model, "wheel", "vy"),
               w = one(sim, model, "wheel", "wy");
        if (fabs(one(sim, model, "wheel", "roll")) > 1e-9) break; /* upright and straight: closed forms */
        double load = k * (r - z) - d * vz, s = (r * w - vx) / vx, angle = -atan2(vy, vx);
        double f1 = magic(10.0, 1.6, s), f2 = magic(8.0, 1.3, angle), fill = fmax(1.0, hypot(f1, f2));
        check_near(one(sim, model, "tyre", "depth"), r - z, 1e-10, "depth");
        check_near(one(sim, model, "tyre", "load"), load, 1e-6, "load");
        check_near(one(sim, model, "tyre", "slip"), s, 1e-9, "slip");
        check_near(one(sim, model, "tyre", "slip_angle"), angle, 1e-9, "slip angle");
        check_near(one(sim, model, "tyre", "longitudinal"), load * f1 / fill, 1e-5, "longitudinal force");
        check_near(one(sim, model, "tyre", "lateral"), 0.9 * load * f2 / fill, 1e-5, "lateral force");
        if (i == 0) check_near(s, 0.02, 1e-12, "slip at the start");
        MUST(cardan_sim_step(sim, 1e-3 * (i + 1)));
    }
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_channel_has_a_value_a_unit_and_a_name_that_finds_it),
        cmocka_unit_test(rates_and_accelerations_are_those_of_differences),
        cmocka_unit_test(the_same_in_relative_coordinates),
        cmocka_unit_test(loads_on_each_body_balance_its_motion),
        cmocka_unit_test(powers_are_forces_times_rates_and_momenta_add_up),
        cmocka_unit_test(the_angular_momentum_of_a_free_body_stays),
        cmocka_unit_test(gradients_along_the_motion_are_rates),
        cmocka_unit_test(a_contact_says_what_its_law_does),
        cmocka_unit_test(a_tyre_says_what_its_law_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
