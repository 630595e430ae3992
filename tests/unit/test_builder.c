/* The builder: definitions, names, checks of sense, the first error, copies. */
#include "builder_fixture.h"
#include "support/defaulted.h"

#include "build/inertia.h"
#include "core/numbers.h"

/* ---- handles and the first error ---- */

static void handles_count_from_one(void **state) {
    (void)state;
    CardanBuilder *b = planar();
    assert_int_equal(rod(b, "one").index, 1);
    CardanBody two = rod(b, "two");
    assert_int_equal(two.index, 2);
    assert_int_equal(
        cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "j", .type = CARDAN_JOINT_REVOLUTE, .b = two})
            .index,
        1);
    assert_int_equal(cardan_builder_add_input(b, "u", 1.0).index, 1);
    CardanForceDef force = {DEFAULTED, .name = "f", .type = CARDAN_FORCE_AT_POINT, .body = two,
                            .value = {1.0, 0.0, 0.0}};
    assert_int_equal(cardan_builder_add_force(b, &force).index, 1);
    accepts(b);
}

static void the_first_error_is_kept_and_nothing_changes_after_it(void **state) {
    (void)state;
    CardanBuilder *b = planar();
    rod(b, "rod");
    rod(b, "rod");
    assert_int_equal(cardan_builder_add_body(b, NULL).index, CARDAN_INVALID);
    assert_int_equal(rod(b, "other").index, CARDAN_INVALID);
    assert_int_equal(cardan_builder_add_input(b, "u", 0.0).index, CARDAN_INVALID);
    assert_int_equal(
        cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "j", .type = CARDAN_JOINT_REVOLUTE}).index,
        CARDAN_INVALID);
    cardan_builder_add_parameter(b, "p", 1.0);
    cardan_builder_set_gravity(b, (CardanVec3){1.0, 2.0, 0.0});
    cardan_builder_bind(b, "rod.mass", "2");
    assert_int_equal(cardan_builder_set_parameter(b, "p", 1.0), CARDAN_ERR_MODEL);
    assert_int_equal(b->description->body_count, 1);
    assert_int_equal(b->description->parameter_count, 0);
    assert_true(b->description->gravity[0] == 0.0);
    refuses(b, CARDAN_ERR_MODEL, "the name 'rod' is taken by a body already");
}

static void null_is_never_followed(void **state) {
    (void)state;
    CardanBodyDef body = {DEFAULTED, .name = "b"};
    assert_int_equal(cardan_builder_add_body(NULL, &body).index, CARDAN_INVALID);
    assert_int_equal(cardan_builder_add_joint(NULL, NULL).index, CARDAN_INVALID);
    assert_int_equal(cardan_builder_add_rows(NULL, NULL).index, CARDAN_INVALID);
    assert_int_equal(cardan_builder_add_block(NULL, NULL).index, CARDAN_INVALID);
    assert_int_equal(cardan_builder_block_frame(NULL, (CardanBlock){1}, 0).index, CARDAN_INVALID);
    assert_int_equal(cardan_builder_add_force(NULL, NULL).index, CARDAN_INVALID);
    assert_int_equal(cardan_builder_add_input(NULL, "u", 0.0).index, CARDAN_INVALID);
    cardan_builder_add_parameter(NULL, "p", 0.0);
    cardan_builder_set_name(NULL, "n");
    cardan_builder_set_gravity(NULL, (CardanVec3){0});
    cardan_builder_bind(NULL, "a", "b");
    cardan_builder_set_start_rate(NULL, (CardanJoint){1}, 0.0);
    cardan_builder_set_start(NULL, CARDAN_START_KEEP, CARDAN_START_KEEP);
    cardan_builder_hold(NULL, (CardanBody){1});
    cardan_builder_destroy(NULL);
    assert_int_equal(cardan_builder_set_parameter(NULL, "p", 0.0), CARDAN_ERR_ARGUMENT);
    assert_int_equal(cardan_builder_status(NULL), CARDAN_ERR_ARGUMENT);
    assert_non_null(cardan_builder_message(NULL));
    assert_int_equal(cardan_builder_read_file(NULL, NULL), CARDAN_ERR_ARGUMENT);
    assert_int_equal(cardan_builder_read_text("", 0, NULL, NULL), CARDAN_ERR_ARGUMENT);
    CardanBuilder *b = NULL;
    assert_int_equal(cardan_builder_read_file(NULL, &b), CARDAN_ERR_ARGUMENT);
    refuses(b, CARDAN_ERR_ARGUMENT, "the path is NULL");
    assert_int_equal(cardan_builder_read_text(NULL, 3, NULL, &b), CARDAN_ERR_ARGUMENT);
    refuses(b, CARDAN_ERR_ARGUMENT, "the text is NULL");
}

typedef void (*Call)(CardanBuilder *b);

static void null_body(CardanBuilder *b) {
    cardan_builder_add_body(b, NULL);
}
static void null_body_name(CardanBuilder *b) {
    rod(b, NULL);
}
static void null_block(CardanBuilder *b) {
    cardan_builder_add_block(b, NULL);
}
static void null_joint(CardanBuilder *b) {
    cardan_builder_add_joint(b, NULL);
}
static void null_rows(CardanBuilder *b) {
    cardan_builder_add_rows(b, NULL);
}
static void null_force(CardanBuilder *b) {
    cardan_builder_add_force(b, NULL);
}
static void null_parameter(CardanBuilder *b) {
    cardan_builder_add_parameter(b, NULL, 1.0);
}
static void null_input(CardanBuilder *b) {
    cardan_builder_add_input(b, NULL, 1.0);
}
static void null_bind(CardanBuilder *b) {
    cardan_builder_bind(b, NULL, "1");
}
static void null_expression(CardanBuilder *b) {
    cardan_builder_bind(b, "gravity[0]", NULL);
}
static void null_name(CardanBuilder *b) {
    cardan_builder_set_name(b, NULL);
}
static void null_set_parameter(CardanBuilder *b) {
    cardan_builder_set_parameter(b, NULL, 1.0);
}
static void foreign_joint(CardanBuilder *b) {
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "j", .type = CARDAN_JOINT_REVOLUTE, .b = {7}});
}
static void negative_body(CardanBuilder *b) {
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "j", .type = CARDAN_JOINT_REVOLUTE,
                                                  .b = cardan_builder_block_frame(b, (CardanBlock){3}, 0)});
}
static void foreign_force(CardanBuilder *b) {
    cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "f", .type = CARDAN_FORCE_TORQUE, .joint = {2}});
}
static void foreign_hold(CardanBuilder *b) {
    cardan_builder_hold(b, (CardanBody){5});
}
static void foreign_rate(CardanBuilder *b) {
    cardan_builder_set_start_rate(b, (CardanJoint){5}, 1.0);
}
static void foreign_mode(CardanBuilder *b) {
    cardan_builder_set_start(b, (CardanStartMode)9, CARDAN_START_KEEP);
}
static void foreign_type(CardanBuilder *b) {
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "j", .type = CARDAN_JOINT_TYPES});
}
static void foreign_bits(CardanBuilder *b) {
    cardan_builder_add_joint(b,
                             &(CardanJointDef){DEFAULTED, .name = "j", .type = CARDAN_JOINT_REVOLUTE, .local = 1024});
}
static void empty_block(CardanBuilder *b) {
    cardan_builder_add_block(b, &(CardanBlockDef){DEFAULTED, .name = "x", .coordinates = 1});
}
static void empty_rows(CardanBuilder *b) {
    cardan_builder_add_rows(b, &(CardanRowsDef){DEFAULTED, .name = "x", .rows = 1});
}
static void empty_callback(CardanBuilder *b) {
    cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "x", .type = CARDAN_FORCE_CALLBACK});
}

static void errors_of_the_programmer_are_argument_errors(void **state) {
    (void)state;
    static const Call CALLS[] = {null_body,    null_body_name,     null_block,    null_joint,    null_rows,
                                 null_force,   null_parameter,     null_input,    null_bind,     null_expression,
                                 null_name,    null_set_parameter, foreign_joint, negative_body, foreign_force,
                                 foreign_hold, foreign_rate,       foreign_mode,  foreign_type,  foreign_bits,
                                 empty_block,  empty_rows,         empty_callback};
    for (size_t i = 0; i < sizeof CALLS / sizeof CALLS[0]; i++) {
        CardanBuilder *b = planar();
        CALLS[i](b);
        assert_int_equal(cardan_builder_status(b), CARDAN_ERR_ARGUMENT);
        assert_true(strlen(cardan_builder_message(b)) > 0);
        cardan_builder_destroy(b);
    }
    refuses(cardan_builder_create((CardanSpace)5), CARDAN_ERR_ARGUMENT, "there is no space number 5");
}

static void a_forgotten_type_is_refused(void **state) {
    (void)state;
    CardanBuilder *b = planar();
    CardanBody body = rod(b, "rod");
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "j", .b = body});
    refuses(b, CARDAN_ERR_ARGUMENT, "joint 'j' has no type: set .type");
    b = planar();
    body = rod(b, "rod");
    cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "f", .b = body});
    refuses(b, CARDAN_ERR_ARGUMENT, "force 'f' has no type: set .type");
    b = planar();
    rod(b, "rod");
    cardan_builder_add_force(b, &(CardanForceDef){DEFAULTED, .name = "f", .type = (CardanForceType)-1});
    refuses(b, CARDAN_ERR_ARGUMENT, "there is no type number -1");
}

/* ---- names ---- */

static void names_are_words_and_unambiguous(void **state) {
    (void)state;
    static const char *const BAD[] = {"", "2b", "a b", "a.b", "\xc3\xa4", "a-b", "ground"};
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        CardanBuilder *b = planar();
        rod(b, BAD[i]);
        refuses(b, CARDAN_ERR_MODEL, "name");
    }
    CardanBuilder *b = planar();
    CardanBody body = rod(b, "same");
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "same", .type = CARDAN_JOINT_REVOLUTE, .b = body});
    refuses(b, CARDAN_ERR_MODEL, "the name 'same' is taken by a body already");
    b = planar();
    cardan_builder_add_input(b, "same", 0.0);
    cardan_builder_add_parameter(b, "same", 0.0);
    refuses(b, CARDAN_ERR_MODEL, "the name 'same' is taken by an input already");
    b = planar();
    cardan_builder_add_parameter(b, "atan2", 0.0);
    refuses(b, CARDAN_ERR_MODEL, "reserved");
    b = planar();
    rod(b, "t"); /* measures are `t.x`: no ambiguity */
    rod(b, "_r9");
    cardan_builder_add_parameter(b, "_r9", 0.0);
    accepts(b);
}

static void many_names_are_found_again(void **state) {
    (void)state;
    enum { MANY = 20000 };
    CardanBuilder *b = planar();
    char name[32];
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "body_%d", i);
        assert_int_equal(rod(b, name).index, i + 1);
    }
    for (int i = 0; i < MANY; i++) {
        int n = snprintf(name, sizeof name, "body_%d", i);
        assert_int_equal(crd_names_find(&b->description->names, name, (size_t)n).index, i);
    }
    accepts(b);
}

/* ---- physical sense ---- */

static void masses_and_inertias_must_be_possible(void **state) {
    (void)state;
    const double masses[] = {0.0, -1.0, (double)NAN, (double)INFINITY};
    for (int i = 0; i < 4; i++) {
        CardanBuilder *b = planar();
        cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "b", .mass = masses[i], .inertia.zz = 1.0});
        refuses(b, CARDAN_ERR_MODEL, "body 'b': mass");
    }
    const CardanInertia bad[] = {{.xx = 1, .yy = 1, .zz = 2.001},
                                 {.xx = 1, .yy = 1, .zz = 1, .xy = 1.0},
                                 {.xx = 1, .yy = 1},
                                 {.xx = 1, .yy = 1, .zz = (double)NAN},
                                 {.xx = -1, .yy = 1, .zz = 1}};
    for (int i = 0; i < 5; i++) {
        CardanBuilder *b = spatial();
        cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "b", .mass = 1.0, .inertia = bad[i]});
        refuses(b, CARDAN_ERR_MODEL, "body 'b': inertia");
    }
    CardanBuilder *b = spatial(); /* a thin disc lies on the triangle inequality, up to rounding */
    CardanInertia disc = {.xx = 1.0, .yy = 1.0, .zz = 2.0 * (1.0 + 0.5 * CRD_INERTIA_SLACK)};
    cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = "b", .mass = 1.0, .inertia = disc});
    CardanBodyDef point = {DEFAULTED, .name = "p", .mass = 1.0, .particle = true};
    cardan_builder_add_body(b, &point);
    accepts(b);
    b = spatial();
    point.inertia.xx = 1.0;
    cardan_builder_add_body(b, &point);
    refuses(b, CARDAN_ERR_MODEL, "a particle has no inertia");
}

static void planar_things_stay_in_the_plane(void **state) {
    (void)state;
    CardanBuilder *b = planar();
    cardan_builder_set_gravity(b, (CardanVec3){0.0, 0.0, -9.81});
    refuses(b, CARDAN_ERR_MODEL, "gravity");
    b = planar();
    cardan_builder_add_body(b,
                            &(CardanBodyDef){DEFAULTED, .name = "b", .mass = 1, .inertia.zz = 1, .pose.p = {0, 0, 1}});
    refuses(b, CARDAN_ERR_MODEL, "the position has a z component");
    b = planar();
    cardan_builder_add_body(
        b, &(CardanBodyDef){DEFAULTED, .name = "b", .mass = 1, .inertia.zz = 1, .angular_velocity = {1, 0, 0}});
    refuses(b, CARDAN_ERR_MODEL, "about z only");
    b = planar();
    CardanBody body = rod(b, "rod");
    cardan_builder_add_joint(
        b, &(CardanJointDef){DEFAULTED, .name = "j", .type = CARDAN_JOINT_REVOLUTE, .b = body, .axis = {0, 0, 1}});
    accepts(b);
    b = planar();
    body = rod(b, "rod");
    cardan_builder_add_joint(
        b, &(CardanJointDef){DEFAULTED, .name = "j", .type = CARDAN_JOINT_REVOLUTE, .b = body, .axis = {0, 0, -1}});
    refuses(b, CARDAN_ERR_MODEL, "planar axes of rotation are +z");
    b = planar();
    body = rod(b, "rod");
    cardan_builder_add_force(
        b, &(CardanForceDef){DEFAULTED, .name = "f", .type = CARDAN_FORCE_AT_POINT, .body = body, .value = {0, 0, 1}});
    refuses(b, CARDAN_ERR_MODEL, "its value has no component 'z' here");
}

static void joints_must_join(void **state) {
    (void)state;
    CardanBuilder *b = spatial();
    CardanBody body = brick(b, "brick");
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "j", .type = CARDAN_JOINT_REVOLUTE, .b = body});
    refuses(b, CARDAN_ERR_MODEL, "joint 'j': axis is zero");
    b = spatial();
    brick(b, "brick");
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "j", .type = CARDAN_JOINT_SPHERICAL});
    refuses(b, CARDAN_ERR_MODEL, "joins 'ground' with itself");
    b = planar();
    body = rod(b, "rod");
    cardan_builder_add_joint(b, &(CardanJointDef){DEFAULTED, .name = "j", .type = CARDAN_JOINT_UNIVERSAL, .b = body});
    refuses(b, CARDAN_ERR_MODEL, "a universal joint needs a spatial model");
    b = spatial();
    body = brick(b, "brick");
    CardanJointDef cross = {DEFAULTED, .name = "j", .type = CARDAN_JOINT_UNIVERSAL, .b = body, .axis = {1, 0, 0}};
    cardan_builder_add_joint(b, &cross);
    refuses(b, CARDAN_ERR_MODEL, "axis2 is zero");
    b = planar();
    body = rod(b, "rod");
    CardanJointDef bar = {DEFAULTED, .name = "j", .type = CARDAN_JOINT_DISTANCE, .b = body, .length_given = true};
    cardan_builder_add_joint(b, &bar);
    refuses(b, CARDAN_ERR_MODEL, "length must be > 0");
}

static void principal_moments_are_eigenvalues(void **state) {
    (void)state;
    /* R diag(1, 2, 2.5) R^T for a rotation about (1, 1, 1): characteristic polynomial as the check */
    double c = cos(0.7), s = sin(0.7), k = (1.0 - c) / 3.0, w = s / sqrt(3.0);
    double r[3][3] = {{c + k, k - w, k + w}, {k + w, c + k, k - w}, {k - w, k + w, c + k}};
    double given[3] = {1.0, 2.0, 2.5}, m[3][3] = {{0.0}}, p[3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int l = 0; l < 3; l++) m[i][j] += r[i][l] * given[l] * r[j][l];
    double tensor[6] = {m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2]};
    crd_principal_moments(tensor, p);
    for (int i = 0; i < 3; i++) assert_true(fabs(p[i] - given[i]) < 16.0 * CRD_EPS * 2.5);
    double tiny[6] = {1e-300, 1e300, 1e300, 0, 0, 0}; /* diagonal: exact whatever the scale */
    crd_principal_moments(tiny, p);
    assert_true(p[0] > 0.0 && p[2] == 1e300);
    double huge[6] = {1e308, 1e308, 1e308, 0, 0, 0};
    crd_principal_moments(huge, p);
    assert_true(p[0] == 1e308 && p[2] == 1e308);
    double none[6] = {0};
    crd_principal_moments(none, p);
    assert_true(p[0] == 0.0 && p[2] == 0.0);
}

/* ---- blocks, rows, callbacks ---- */

static CardanStatus block_mass(void *user, double t, const double *q, double *m) {
    (void)user, (void)t, (void)q;
    m[0] = m[3] = 1.0;
    return CARDAN_OK;
}

static CardanStatus block_frame(void *user, int k, double t, const double *q, const double *v, CardanFrame *frame,
                                double *jacobian, double *bias) {
    (void)user, (void)k, (void)t, (void)q, (void)v, (void)frame, (void)jacobian, (void)bias;
    return CARDAN_OK;
}

static CardanStatus evaluate_rows(void *user, double t, const CardanFrame *frames, double *g, CardanTwistRow *jacobian,
                                  double *rate, double *gamma) {
    (void)user, (void)t, (void)frames, (void)g, (void)jacobian, (void)rate, (void)gamma;
    return CARDAN_OK;
}

static CardanStatus push(void *user, double t, const CardanFrame *frames, const double *inputs, CardanWrench *wrench) {
    (void)user, (void)t, (void)frames, (void)inputs, (void)wrench;
    return CARDAN_OK;
}

/* A builder with one of everything. */
static CardanBuilder *one_of_everything(void) {
    CardanBuilder *b = planar();
    double q0[2] = {1.0, 2.0};
    cardan_builder_set_name(b, "everything");
    cardan_builder_add_parameter(b, "m", 2.0);
    CardanBody body = rod(b, "rod");
    CardanBlockDef def = {DEFAULTED,   .name = "flex",     .coordinates = 2,    .q0 = q0,
                          .frames = 2, .mass = block_mass, .frame = block_frame};
    CardanBlock block = cardan_builder_add_block(b, &def);
    q0[0] = 99.0; /* definitions are copied */
    CardanBody frame = cardan_builder_block_frame(b, block, 1);
    CardanJoint pin = cardan_builder_add_joint(
        b, &(CardanJointDef){DEFAULTED, .name = "pin", .type = CARDAN_JOINT_REVOLUTE, .a = body, .b = frame});
    CardanBody touched[2] = {body, frame};
    CardanRowsDef rows = {DEFAULTED,   .name = "rows",  .rows = 1,
                          .bodies = 2, .body = touched, .evaluate = evaluate_rows};
    cardan_builder_add_rows(b, &rows);
    CardanForceDef law = {DEFAULTED, .name = "law", .type = CARDAN_FORCE_TORQUE, .joint = pin, .law = {"sin(t)"}};
    cardan_builder_add_force(b, &law);
    CardanForceDef callback = {DEFAULTED,   .name = "push",         .type = CARDAN_FORCE_CALLBACK,
                               .bodies = 2, .bodies_list = touched, .callback = push};
    cardan_builder_add_force(b, &callback);
    cardan_builder_bind(b, "rod.mass", "m");
    cardan_builder_set_start_rate(b, pin, 1.0);
    cardan_builder_set_start_rate(b, pin, 2.0);
    cardan_builder_set_start(b, CARDAN_START_KEEP, CARDAN_START_PROJECT);
    cardan_builder_hold(b, body);
    cardan_builder_add_input(b, "u", 0.5);
    return b;
}

static void blocks_offer_frames_as_bodies(void **state) {
    (void)state;
    CardanBuilder *b = one_of_everything();
    const CrdDescription *d = b->description;
    char name[32];
    assert_int_equal(cardan_builder_block_frame(b, (CardanBlock){1}, 0).index, 2);
    assert_string_equal(crd_frame_name(d, 0, name, sizeof name), "ground");
    assert_string_equal(crd_frame_name(d, 1, name, sizeof name), "rod");
    assert_string_equal(crd_frame_name(d, 3, name, sizeof name), "flex.1");
    assert_true(d->blocks[0].q0[0] == 1.0 && d->blocks[0].v0[1] == 0.0);
    assert_true(d->rate_count == 1 && d->rates[0].rate == 2.0);
    cardan_builder_hold(b, (CardanBody){3});
    refuses(b, CARDAN_ERR_ARGUMENT, "a frame of block 'flex' cannot be held");
}

static void frames_that_a_block_does_not_have_are_refused(void **state) {
    (void)state;
    CardanBuilder *b = one_of_everything(), *other = one_of_everything();
    assert_int_equal(cardan_builder_block_frame(b, (CardanBlock){1}, 2).index, CARDAN_INVALID);
    refuses(b, CARDAN_ERR_ARGUMENT, "block 'flex' has no frame 2");
    assert_int_equal(cardan_builder_block_frame(other, (CardanBlock){0}, 0).index, CARDAN_INVALID);
    refuses(other, CARDAN_ERR_ARGUMENT, "there is no block number 0");
}

static void a_copy_is_independent(void **state) {
    (void)state;
    CardanBuilder *b = one_of_everything();
    CrdDescription *copy = crd_description_clone(b->description);
    cardan_builder_set_parameter(b, "m", 7.0);
    accepts(b); /* destroys the original */
    assert_non_null(copy);
    assert_string_equal(copy->name, "everything");
    assert_true(copy->bodies[0].mass == 2.0 && copy->bodies[0].hold);
    assert_int_equal(crd_description_set_parameter(copy, "m", 5.0, NULL), CARDAN_OK);
    assert_true(copy->bodies[0].mass == 5.0);
    assert_string_equal(copy->forces[0].law[0], "sin(t)");
    assert_int_equal(copy->points[copy->forces[1].item + 1].frame, 3);
    assert_int_equal(copy->joints[1].rows->frames[1], 3);
    assert_int_equal(copy->start_velocities, CARDAN_START_PROJECT);
    assert_int_equal(crd_names_find(&copy->names, "push", 4).kind, CRD_NAME_FORCE);
    assert_int_equal(crd_names_find(&copy->numbers, "u", 1).kind, CRD_NAME_INPUT);
    assert_int_equal(crd_description_check(copy, NULL), CARDAN_OK);
    crd_description_free(copy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handles_count_from_one),
        cmocka_unit_test(the_first_error_is_kept_and_nothing_changes_after_it),
        cmocka_unit_test(null_is_never_followed),
        cmocka_unit_test(errors_of_the_programmer_are_argument_errors),
        cmocka_unit_test(a_forgotten_type_is_refused),
        cmocka_unit_test(names_are_words_and_unambiguous),
        cmocka_unit_test(many_names_are_found_again),
        cmocka_unit_test(masses_and_inertias_must_be_possible),
        cmocka_unit_test(planar_things_stay_in_the_plane),
        cmocka_unit_test(joints_must_join),
        cmocka_unit_test(principal_moments_are_eigenvalues),
        cmocka_unit_test(blocks_offer_frames_as_bodies),
        cmocka_unit_test(frames_that_a_block_does_not_have_are_refused),
        cmocka_unit_test(a_copy_is_independent),
    };
    return cmocka_run_group_tests_name("builder", tests, NULL, NULL);
}
