/* Every force record: its loads do not depend on how the world is turned, on the order in which bodies are described,
 * or on which side of a spring or joint is called a. */
#include "property/force_fixture.h"

static const double EXACT = 1e-11; /* of the size of the loads; rotation vectors near half a turn lose a digit */

static double size_of(const Result *r) {
    double size = 1.0;
    for (int i = 0; i < CARRIERS; i++) size = fmax(size, norm_of(r->load[i], 6));
    return size;
}

/* Another look at the world: x there is turn x + shift. */
typedef struct View {
    CrdMat turn;
    CrdVec shift;
} View;

static const View SAME = {.turn.m = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

/* Loads of `there` are those of `here` with forces turned (moments are in own axes; those of the ground about its
 * origin); energies and the rates of the force's own states are the same. */
static void compare(const Scene *s, const Scene *other, const Result *here, const Result *there, const View *view,
                    const char *what) {
    const CrdMat *q = &view->turn;
    double size = 10.0 * size_of(here);
    const CrdForceStructure *structure = &s->model->structure->force_structures[0];
    for (int i = 0; i < CARRIERS; i++) {
        const double *load = here->load[s->frame[i]], *seen = there->load[other->frame[i]];
        CrdVec force = crd_apply(q->m, crd_vec_of(load));
        CrdVec moment = crd_vec_of(load + 3);
        if (i == 0) moment = crd_add(crd_apply(q->m, moment), crd_cross(view->shift, force));
        double apart = crd_norm(crd_sub(crd_vec_of(seen), force));
        double turned = crd_norm(crd_sub(crd_vec_of(seen + 3), moment));
        if (s->space == CARDAN_SPACE_PLANAR) turned = fabs(seen[5] - moment.z);
        check_near(apart, 0.0, EXACT * size, "force type %d, space %d, variant %d, body %d: force, %s", s->def.type,
                   s->space, s->variant, i, what);
        check_near(turned, 0.0, EXACT * size, "force type %d, space %d, variant %d, body %d: moment, %s", s->def.type,
                   s->space, s->variant, i, what);
    }
    check_near(there->potential, here->potential, EXACT * size, "force type %d: potential, %s", s->def.type, what);
    check_near(there->power, here->power, EXACT * 10.0 * size, "force type %d: power, %s", s->def.type, what);
    for (int i = 0; i < structure->states; i++)
        check_near(there->z_rate[structure->state + i], here->z_rate[structure->state + i], EXACT * size,
                   "force type %d: rate of state %d, %s", s->def.type, i, what);
}

/* ---- another order of bodies ---- */

/* The same scene from a description that was changed: numbers that were placed by hand go over. */
static void rebuild(Scene *s, const int order[3], Scene *other) {
    arrange(other, order);
    static const struct {
        const char *key;
        size_t count;
    } PLACED[] = {{"limit", 1}, {"plane.point", 3}, {"range", 2}};
    for (size_t i = 0; i < sizeof PLACED / sizeof *PLACED; i++)
        if (crd_field_find(crd_force_kinds[s->def.type]->fields, PLACED[i].key, 0) != NULL)
            memcpy(numbers_of(other, PLACED[i].key), numbers_of(s, PLACED[i].key), PLACED[i].count * sizeof(double));
    for (int i = 0; i < CARRIERS; i++) other->frames[other->frame[i]] = s->frames[i];
}

static void look_at_order(Random *random, Scene *s) {
    static const int orders[][3] = {{1, 0, 2}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}};
    Scene other = *s;
    rebuild(s, orders[random_index(random, 4)], &other);
    Result here = apply(s), there = apply(&other);
    compare(s, &other, &here, &there, &SAME, "bodies in another order");
    discard(&other);
}

static void the_order_of_bodies_does_not_matter(void **state) {
    (void)state;
    over_every_force(look_at_order, 51);
}

/* ---- a and b exchanged ---- */

/* The law of a motor the other way round. */
static const char *negative(const char *law) {
    if (law == NULL) return NULL;
    return strcmp(law, "2") == 0 ? "-2" : "-(1 + 0.5*sin(3*t)*u)";
}

static bool exchange(const Scene *s, Scene *other) {
    CardanForceDef *def = &other->def;
    if (def->type == CARDAN_FORCE_SPRING) {
        CardanBody a = def->a;
        CrdVec point = def->point_a;
        def->a = def->b, def->point_a = def->point_b;
        def->b = a, def->point_b = point;
        return true;
    }
    if (def->joint.index == 0) return false; /* acts on one body; a bushing's axes are a's */
    if (def->type == CARDAN_FORCE_TORQUE && def->law[0] != NULL) return false; /* the law reads the coordinates */
    CardanJointDef *joint = &other->joint[def->joint.index - 1];
    CardanBody a = joint->a;
    joint->a = joint->b;
    joint->b = a;
    def->angle = -def->angle;
    def->value.x = -def->value.x;
    if (def->type == CARDAN_FORCE_MOTOR) def->law[0] = negative(def->law[0]);
    if (def->joint.index == 1) other->tracked[0] = -s->tracked[0];
    return true;
}

/* Off a joint its coordinate is a's view: both sides see the same on it alone. Puts b on the hinge and c on the slide,
 * turned, moved and moving as these allow, wherever a is. */
static void go_on_the_joints(Random *random, Scene *s) {
    CardanFrame start[CARRIERS], *f = s->frames;
    CrdError error = {0};
    assert_true(crd_start_frames(s->model->structure, s->model->description, &s->model->values, start, &error) >= 0);
    double angle = 2.9 * random_signed(random), shift = random_signed(random);
    double turning = 2.0 * random_signed(random), sliding = 2.0 * random_signed(random);
    CrdMat back = crd_transpose(start[1].rotation), carry = crd_mul(f[1].rotation, back.m);
    CrdVec axis = s->space == CARDAN_SPACE_PLANAR ? crd_vec(0, 0, 1) : crd_apply(carry.m, s->joint[0].axis);
    CrdVec point = crd_add(f[1].x, crd_apply(carry.m, crd_sub(s->joint[0].point, start[1].x)));
    CrdMat turn = crd_matrix_of(crd_quat_of(crd_scale(angle, axis))), both = crd_mul(turn.m, carry.m);
    CrdVec along = crd_apply(both.m, s->joint[1].axis);
    CrdVec wa = crd_apply(f[1].rotation, f[1].w), wb = crd_axpy(wa, turning, axis);
    CrdVec at_point = crd_add(f[1].v, crd_cross(wa, crd_sub(point, f[1].x)));
    for (int i = 2; i < CARRIERS; i++) {
        CrdMat r = crd_mul(both.m, start[i].rotation);
        memcpy(f[i].rotation, r.m, sizeof f[i].rotation);
        f[i].angle = start[i].angle + f[1].angle - start[1].angle + angle;
        f[i].x = crd_axpy(crd_add(point, crd_apply(both.m, crd_sub(start[i].x, s->joint[0].point))),
                          i == 3 ? shift : 0.0, along);
        f[i].v = crd_axpy(crd_add(at_point, crd_cross(wb, crd_sub(f[i].x, point))), i == 3 ? sliding : 0.0, along);
        f[i].w = crd_apply_t(f[i].rotation, wb);
    }
    count_angles(s);
    place(random, s);
}

static int exchanged;

static void look_at_exchange(Random *random, Scene *s) {
    if (s->def.joint.index > 0) go_on_the_joints(random, s);
    Scene other = *s;
    if (!exchange(s, &other)) return;
    rebuild(s, (const int[]){0, 1, 2}, &other);
    if (s->def.type == CARDAN_FORCE_LIMIT) {
        numbers_of(&other, "range")[0] = -numbers_of(s, "range")[1];
        numbers_of(&other, "range")[1] = -numbers_of(s, "range")[0];
    }
    Result here = apply(s), there = apply(&other);
    compare(s, &other, &here, &there, &SAME, "a and b exchanged");
    discard(&other);
    exchanged++;
}

static void exchanging_a_and_b_changes_nothing(void **state) {
    (void)state;
    exchanged = 0;
    over_every_force(look_at_exchange, 52);
    assert_true(exchanged > 10 * sample_of(STATES, 4));
}

/* ---- a turned world ---- */

/* Laws that read places and velocities in ground axes turn with the world only where these are turned too. */
static bool reads_ground_axes(const CardanForceDef *def) {
    for (int i = 0; i < 3; i++)
        if (def->law[i] != NULL && (strstr(def->law[i], ".vx") != NULL || strstr(def->law[i], ".vy") != NULL))
            return true;
    return false;
}

static CrdVec seen_from(const View *view, CrdVec x) {
    return crd_add(crd_apply(view->turn.m, x), view->shift);
}

static void turn_force(Scene *s, const View *view) {
    const CrdMat *q = &view->turn;
    CrdForceData *f = s->force;
    if (crd_field_find(crd_force_kinds[f->type]->fields, "plane.point", 0) != NULL) {
        double *point = numbers_of(s, "plane.point"), *normal = numbers_of(s, "plane.normal");
        crd_put(point, seen_from(view, crd_vec_of(point)));
        crd_put(normal, crd_apply(q->m, crd_vec_of(normal)));
    }
    if (f->type == CARDAN_FORCE_SPRING && s->def.a.index == 0) {
        double *point = numbers_of(s, "points[0]");
        crd_put(point, seen_from(view, crd_vec_of(point)));
    }
    bool on_body =
        (f->type == CARDAN_FORCE_AT_POINT || f->type == CARDAN_FORCE_TORQUE) && f->joint == 0 && !s->def.follower;
    if (on_body) crd_put(f->value, crd_apply(q->m, crd_vec_of(f->value)));
}

static void look_at_turned_world(Random *random, Scene *s) {
    if (reads_ground_axes(&s->def)) return;
    double angle = 3.0 * random_signed(random);
    View view = {s->space == CARDAN_SPACE_PLANAR ? crd_matrix_about_z(angle) : crd_matrix_of(random_quat(random)),
                 random_vec(random, s->space, 3.0)};
    if (s->def.type == CARDAN_FORCE_CALLBACK) view.shift = crd_vec(0, 0, 0); /* this one pulls towards the origin */
    Result here = apply(s);
    for (int i = 1; i < CARRIERS; i++) {
        CardanFrame *f = &s->frames[i];
        CrdMat r = crd_mul(view.turn.m, f->rotation);
        memcpy(f->rotation, r.m, sizeof f->rotation);
        f->x = seen_from(&view, f->x);
        f->v = crd_apply(view.turn.m, f->v);
        if (s->space == CARDAN_SPACE_PLANAR) f->angle += angle;
    }
    turn_force(s, &view);
    if (s->def.type == CARDAN_FORCE_BUSHING && s->def.a.index == 0) return; /* its axes are the ground's */
    Result there = apply(s);
    compare(s, s, &here, &there, &view, "in a turned and moved world");
}

static void nothing_depends_on_where_the_world_is_and_how_it_is_turned(void **state) {
    (void)state;
    over_every_force(look_at_turned_world, 53);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_bodies_does_not_matter),
        cmocka_unit_test(exchanging_a_and_b_changes_nothing),
        cmocka_unit_test(nothing_depends_on_where_the_world_is_and_how_it_is_turned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
