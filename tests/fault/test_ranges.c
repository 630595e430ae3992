/* Every number of every definition and every option, out of its range: nothing crashes, every refusal has a sentence,
 * and a NaN that is not refused has no effect because its member means nothing there. */
#include "property/force_fixture.h"
#include "support/reading.h"
#include "support/sample.h"

#include "options/options.h"

#include <limits.h>

/* ---- members ---- */

typedef enum Sort { DOUBLES, INTS } Sort;

typedef struct Member {
    const char *name;
    size_t offset, size;
    Sort sort;
} Member;

#define OF(type, sort, member)                                                                                         \
    { #member, offsetof(type, member), sizeof((type){0}.member), sort }
#define B(member) OF(CardanBodyDef, DOUBLES, member)
#define J(member) OF(CardanJointDef, DOUBLES, member)
#define F(member) OF(CardanForceDef, DOUBLES, member)

static const Member BODY[] = {B(mass), B(inertia), B(pose), B(velocity), B(angular_velocity), B(body_rates)};

static const Member JOINT[] = {J(point),
                               J(axis),
                               J(axis2),
                               J(local_a),
                               J(local_b),
                               J(local_axis_a),
                               J(local_axis_b),
                               J(length),
                               J(pitch),
                               J(radius),
                               J(normal),
                               J(value),
                               J(s),
                               J(stiffness),
                               J(damping),
                               OF(CardanJointDef, INTS, type),
                               OF(CardanJointDef, INTS, a),
                               OF(CardanJointDef, INTS, b),
                               OF(CardanJointDef, INTS, local),
                               OF(CardanJointDef, INTS, joint),
                               OF(CardanJointDef, INTS, coordinate)};

static const Member FORCE[] = {F(point_a),
                               F(point_b),
                               F(stiffness),
                               F(damping),
                               F(bushing_stiffness),
                               F(bushing_damping),
                               F(length),
                               F(angle),
                               F(point),
                               F(value),
                               F(gains),
                               F(limit),
                               F(range),
                               F(coulomb),
                               F(stick),
                               F(stribeck),
                               F(viscous),
                               F(speed),
                               F(radius),
                               F(plane_point),
                               F(plane_normal),
                               F(exponent),
                               F(dissipation),
                               F(friction),
                               F(coefficient),
                               F(axis),
                               F(longitudinal),
                               F(lateral),
                               F(relaxation),
                               F(slow),
                               OF(CardanForceDef, INTS, type),
                               OF(CardanForceDef, INTS, a),
                               OF(CardanForceDef, INTS, b),
                               OF(CardanForceDef, INTS, body),
                               OF(CardanForceDef, INTS, joint),
                               OF(CardanForceDef, INTS, coordinate)};

static const double NUMBERS[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, -1.0, 0.0, 1e308, -1e308, 1e-308};
static const int WHOLE[] = {-1, INT_MIN, INT_MAX, 77};
enum { NUMBER_COUNT = 8, WHOLE_COUNT = 4, NOT_FINITE = 3 };

static int places_of(const Member *m) {
    return (int)(m->size / (m->sort == DOUBLES ? sizeof(double) : sizeof(int)));
}

static int values_of(const Member *m) {
    return m->sort == DOUBLES ? NUMBER_COUNT : WHOLE_COUNT;
}

/* Puts value number k into place i of the member. */
static void put(void *def, const Member *m, int i, int k) {
    unsigned char *to = (unsigned char *)def + m->offset;
    if (m->sort == DOUBLES)
        memcpy(to + (size_t)i * sizeof(double), &NUMBERS[k], sizeof(double));
    else
        memcpy(to + (size_t)i * sizeof(int), &WHOLE[k], sizeof(int));
}

/* ---- one model ---- */

enum { STATE_MOST = 512 };

typedef struct Outcome {
    CardanStatus status;
    char sentence[512];
    int size;
    double state[STATE_MOST]; /* after some steps */
} Outcome;

static void keep(Outcome *out, CardanStatus status, const char *sentence) {
    out->status = status;
    snprintf(out->sentence, sizeof out->sentence, "%s", sentence);
}

/* Compiles, starts and steps what the builder describes, and destroys it. */
static void go(CardanBuilder *b, Outcome *out) {
    CardanModel *model = NULL;
    CardanSim *sim = NULL;
    CardanOptions options = cardan_default_options();
    options.max_steps = 40;
    memset(out, 0, sizeof *out);
    CardanStatus status = cardan_builder_compile(b, &model);
    keep(out, status, cardan_builder_message(b));
    if (status >= 0) {
        status = cardan_sim_create(model, &options, &sim);
        keep(out, status, cardan_sim_message(sim));
    }
    if (status >= 0) {
        status = cardan_sim_advance(sim, 1e-3);
        keep(out, status, cardan_sim_message(sim));
        out->size = cardan_sim_state_size(sim);
        assert_true(out->size <= STATE_MOST);
        MUST(cardan_sim_get_state(sim, out->state));
    }
    cardan_sim_destroy(sim);
    cardan_model_release(model);
    cardan_builder_destroy(b);
}

static long refused, ignored, ran;
static int turn; /* cases so far */

static void judge(const Outcome *base, const Outcome *out, const Member *m, int k, const char *what) {
    if (out->status < 0) {
        if (strlen(out->sentence) < 10) fail_msg("%s, %s, value %d: no sentence", what, m->name, k);
        refused++;
        return;
    }
    for (int i = 0; i < out->size; i++)
        if (!isfinite(out->state[i])) fail_msg("%s, %s, value %d: number %d is not finite", what, m->name, k, i);
    ran++;
    if (m->sort != DOUBLES || k >= NOT_FINITE) return;
    ignored++;
    if (base->size != out->size || memcmp(base->state, out->state, (size_t)out->size * sizeof *out->state) != 0)
        fail_msg("%s: '%s' is not finite, is taken, and has an effect", what, m->name);
}

/* ---- joints and bodies ---- */

static void go_with_joint(const CardanBodyDef *body, const CardanJointDef *def, CardanSpace space, Outcome *out) {
    CardanBuilder *b = cardan_builder_create(space);
    cardan_builder_add_body(b, &body[0]);
    cardan_builder_add_body(b, &body[1]);
    cardan_builder_add_joint(b, def);
    cardan_builder_set_start(b, CARDAN_START_DEFAULT, CARDAN_START_PROJECT);
    go(b, out);
}

static void over_joint(Random *r, CardanJointType type, CardanSpace space, bool compliant) {
    static Outcome base, out;
    char what[64];
    CardanBodyDef body[2] = {random_body(r, space, "a"), random_body(r, space, "b")};
    CardanJointDef def = random_joint(r, type, space);
    fit_joint(r, space, body, false, &def);
    def.a.index = 1;
    def.b.index = 2;
    def.compliant = compliant;
    for (int k = 0; k < 2; k++) def.stiffness[k] = compliant ? 10.0 : 0.0;
    snprintf(what, sizeof what, "%s%s, space %d", compliant ? "compliant " : "", crd_joint_kinds[type]->name, space);
    go_with_joint(body, &def, space, &base);
    if (base.status < 0) fail_msg("%s: %s", what, base.sentence);
    for (size_t m = 0; m < sizeof JOINT / sizeof *JOINT; m++)
        for (int i = 0; i < places_of(&JOINT[m]); i++)
            for (int k = 0; k < values_of(&JOINT[m]); k++) {
                if (!sample_has(turn++, 7)) continue;
                CardanJointDef bad = def;
                put(&bad, &JOINT[m], i, k);
                go_with_joint(body, &bad, space, &out);
                judge(&base, &out, &JOINT[m], k, what);
            }
    for (size_t m = 0; m < sizeof BODY / sizeof *BODY; m++)
        for (int i = 0; i < places_of(&BODY[m]); i++)
            for (int k = 0; k < values_of(&BODY[m]); k++) {
                if (!sample_has(turn++, 7)) continue;
                CardanBodyDef bad[2] = {body[0], body[1]};
                put(&bad[1], &BODY[m], i, k);
                go_with_joint(bad, &def, space, &out);
                judge(&base, &out, &BODY[m], k, what);
            }
}

static void numbers_of_joints_and_bodies_out_of_range_are_refused_or_mean_nothing(void **state) {
    (void)state;
    Random random = {71};
    refused = ignored = ran = 0;
    for (int type = 1; type < CARDAN_JOINT_TYPES; type++)
        for (int space = 0; space < 2; space++) {
            const CrdJointKind *kind = crd_joint_kinds[type];
            if (!kind->space[space] || !stands_alone((CardanJointType)type)) continue;
            over_joint(&random, (CardanJointType)type, (CardanSpace)space, false);
            if (crd_joint_holonomic_rows(kind, (CardanSpace)space) == crd_joint_rows(kind, (CardanSpace)space))
                over_joint(&random, (CardanJointType)type, (CardanSpace)space, true);
        }
    assert_true(refused > sample_of(5000, 8) && ran > sample_of(5000, 8) && ignored > sample_of(1000, 8));
}

/* ---- forces ---- */

static void go_with_force(const Scene *s, const CardanForceDef *def, Outcome *out) {
    CardanBuilder *b = cardan_builder_create(s->space);
    for (int i = 0; i < 3; i++) cardan_builder_add_body(b, &s->body[i]);
    cardan_builder_add_input(b, "u", 7.0);
    for (int i = 0; i < 2; i++) cardan_builder_add_joint(b, &s->joint[i]);
    cardan_builder_add_force(b, def);
    go(b, out);
}

static CardanStatus steady_pull(void *user, double t, const CardanFrame *frames, const double *inputs,
                                CardanWrench *wrench) {
    (void)user, (void)t, (void)frames, (void)inputs;
    wrench[0].force.x = 1.0;
    return CARDAN_OK;
}

static void over_force(Random *r, CardanForceType type, CardanSpace space, int variant) {
    static Outcome base, out;
    static Scene s;
    char what[64];
    memset(&s, 0, sizeof s);
    s.space = space;
    s.variant = variant;
    if (!define(r, type, space, variant, &s)) return;
    compile(r, &s);
    CardanForceDef def = s.def;
    for (int k = 0; k < 3; k++) def.law[k] = type == CARDAN_FORCE_MOTOR ? def.law[k] : NULL; /* of other states */
    def.points_list = s.points;
    def.callback = type == CARDAN_FORCE_CALLBACK ? steady_pull : NULL;
    def.change = NULL;
    snprintf(what, sizeof what, "force type %d, space %d, variant %d", (int)type, space, variant);
    go_with_force(&s, &def, &base);
    if (base.status < 0) fail_msg("%s: %s", what, base.sentence);
    for (size_t m = 0; m < sizeof FORCE / sizeof *FORCE; m++)
        for (int i = 0; i < places_of(&FORCE[m]); i++)
            for (int k = 0; k < values_of(&FORCE[m]); k++) {
                if (!sample_has(turn++, 7)) continue;
                CardanForceDef bad = def;
                put(&bad, &FORCE[m], i, k);
                go_with_force(&s, &bad, &out);
                judge(&base, &out, &FORCE[m], k, what);
            }
    discard(&s);
}

static void numbers_of_forces_out_of_range_are_refused_or_mean_nothing(void **state) {
    (void)state;
    Random random = {72};
    refused = ignored = ran = 0;
    for (int type = 1; type < CARDAN_FORCE_TYPES; type++)
        for (int space = 0; space < 2; space++) over_force(&random, (CardanForceType)type, (CardanSpace)space, 0);
    assert_true(refused > sample_of(1000, 8) && ran > sample_of(5000, 8) && ignored > sample_of(1000, 8));
}

/* ---- options ---- */

static const char CRANK[] = "cardan: 1\nspace: planar\nbodies: {a: {mass: 1, inertia: 1, position: [1, 0]}}\n"
                            "joints: {pin: {type: revolute, bodies: [ground, a], point: [0, 0]}}\ngravity: [0, -9]\n";

static void put_option(CardanOptions *options, const CrdOption *option, double number, long whole) {
    unsigned char *to = (unsigned char *)options + option->offset;
    int word = (int)whole;
    if (option->kind == CRD_OPTION_NUMBER)
        memcpy(to, &number, sizeof number);
    else
        memcpy(to, option->size == sizeof word ? (const void *)&word : (const void *)&whole, option->size);
}

/* Status of creation and of some steps with these options. */
static CardanStatus try_options(const CardanModel *model, const CardanOptions *options, const char *name) {
    CardanSim *sim = NULL;
    CardanOptions bounded = *options;
    if (bounded.max_steps == 0) bounded.max_steps = 200;
    CardanStatus status = cardan_sim_create(model, &bounded, &sim);
    assert_non_null(sim);
    if (status >= 0) status = cardan_sim_advance(sim, 1e-3);
    if (status < 0 && strlen(cardan_sim_message(sim)) < 10) fail_msg("%s: no sentence", name);
    for (int i = 0; status >= 0 && i < 3; i++)
        if (!isfinite(cardan_sim_positions(sim)[i])) fail_msg("%s: not finite", name);
    cardan_sim_destroy(sim);
    return status;
}

static void options_out_of_range_are_refused_by_name(void **state) {
    (void)state;
    CardanModel *model = scene_read(CRANK);
    for (int rows = 0; rows < 2; rows++) /* with fixed steps, and with error control */
        for (int o = 0; crd_option(o) != NULL; o++) {
            const CrdOption *option = crd_option(o);
            CardanOptions options = rows == 0 ? scene_fixed(CARDAN_STEPPER_RK4, 1e-3) : cardan_default_options(), bad;
            const double senseless[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, -1.0, -1e308};
            const long none[] = {-1, INT_MIN, INT_MAX, 64};
            for (int k = 0; k < (option->kind == CRD_OPTION_NUMBER ? 5 : 4); k++) {
                char sentence[256] = "";
                bad = options;
                put_option(&bad, option, senseless[option->kind == CRD_OPTION_NUMBER ? k : 0], none[k % 4]);
                double whole = (double)none[k % 4]; /* a count may have room for some of them */
                bool fits = option->kind == CRD_OPTION_COUNT && whole >= option->min && whole <= option->max;
                CardanStatus status = cardan_options_check(&bad, sentence, sizeof sentence);
                if (!fits && (status >= 0 || strlen(sentence) < 10)) fail_msg("%s: value %d is taken", option->name, k);
                if (!fits) assert_true(try_options(model, &bad, option->name) < 0);
            }
            const double extreme[] = {0.0, 1e-308, 1e308, 1e-12};
            for (int k = 0; option->kind == CRD_OPTION_NUMBER && k < 4; k++) { /* in range, perhaps: nothing breaks */
                bad = options;
                put_option(&bad, option, extreme[k], 0);
                CardanStatus status = try_options(model, &bad, option->name);
                (void)status;
            }
        }
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_joints_and_bodies_out_of_range_are_refused_or_mean_nothing),
        cmocka_unit_test(numbers_of_forces_out_of_range_are_refused_or_mean_nothing),
        cmocka_unit_test(options_out_of_range_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
