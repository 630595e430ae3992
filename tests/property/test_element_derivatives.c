/* Derivatives of the forces of rows, those of the user's among them, and of compliant joints, over whole models with
 * drives and couplers, against differences: frames are moved one by one, as implicit steppers and linearisation see
 * them. */
#include "property/system_bench.h"

#include "core/numbers.h"
#include "equations/element_derivatives.h"

enum { MODELS = 40, ATTACHMENTS_MAX = 4, LOADS = 6 * ATTACHMENTS_MAX };

static const double DERIVATIVES = 1e-7; /* of the size of the numbers, times that of the differences' terms */

/* The load of one element while one frame moves along one component of its displacement or twist. */
typedef struct Path {
    Bench *b;
    int element, frame, component;
    bool twist, compliant;
    const double *lambda;
} Path;

static void load_along(void *user, double s, double *values) {
    Path *p = user;
    Bench *b = p->b;
    const CrdStructure *structure = b->model->structure;
    const CrdElement *e = &structure->elements[p->element];
    CardanFrame *f = &b->w.frames[p->frame], kept = *f;
    double unit[6] = {0}, g[CRD_JOINT_ROWS], rate_t[CRD_JOINT_ROWS], gamma[CRD_JOINT_ROWS], h[CRD_JOINT_ROWS];
    int rows = e->rows + e->compliant;
    unit[p->component] = 1.0;
    if (p->twist) {
        f->v = crd_axpy(f->v, s, crd_vec_of(unit));
        f->w = crd_axpy(f->w, s, crd_vec_of(unit + 3));
    } else {
        move_frame(f, unit, s);
    }
    CrdSlots out = {g, rate_t, gamma};
    const double *force = p->lambda;
    CardanStatus status = structure->curve_count > 0 ? crd_find_feet(b->model, &b->w, &b->error) : CARDAN_OK;
    if (p->compliant) {
        if (status >= 0) status = crd_compliant_rows(b->model, p->element, &b->w, h, &b->error);
        for (int r = 0; r < rows; r++) h[r] = -h[r];
        force = h;
    } else if (e->type == CRD_ELEMENT_COUPLER) {
        if (status >= 0) status = crd_evaluate_coupler(b->model, p->element, &b->w, b->w.twist_rows, out, &b->error);
    } else if (e->type == CRD_ELEMENT_USER) { /* of one row: attachment after attachment, as the others */
        if (status >= 0) status = crd_evaluate_user(b->model, p->element, &b->w, b->w.twist_rows, out, &b->error);
    } else if (status >= 0) {
        status =
            crd_evaluate_joint(b->model, p->element, &b->w, b->w.twist_rows, b->w.twist_rows + rows, out, &b->error);
    }
    if (status < 0) fail_msg("%s", b->error.text);
    for (int i = 0; i < 6 * e->attachments; i++) {
        values[i] = 0.0;
        for (int r = 0; r < rows; r++) values[i] += force[r] * b->w.twist_rows[i / 6 * rows + r][i % 6];
    }
    *f = kept;
    if (structure->curve_count > 0) assert_true(crd_find_feet(b->model, &b->w, &b->error) >= 0);
}

/* Columns of attachments on the moved carrier, added up. */
static double column_of(const CrdStructure *s, const CrdElement *e, const double *matrix, int row, const Path *p) {
    double sum = 0.0;
    for (int j = 0; j < e->attachments; j++)
        if (s->attachments[e->attachment + j].frame == p->frame)
            sum += matrix[row * 6 * e->attachments + 6 * j + p->component];
    return sum;
}

static void compare(Path *path, const double *matrix) {
    const CrdStructure *s = path->b->model->structure;
    const CrdElement *e = &s->elements[path->element];
    int n = 6 * e->attachments;
    double size = 1.0;
    for (int i = 0; i < n * n; i++) size = fmax(size, fabs(matrix[i]));
    for (int side = 0; side < e->attachments; side++)
        for (path->component = 0; path->component < 6; path->component++) {
            double slopes[LOADS];
            path->frame = s->attachments[e->attachment + side].frame;
            if (path->frame == 0 || !has_twist(s->space, path->component)) continue;
            differentiate(load_along, path, n, slopes);
            for (int i = 0; i < n; i++)
                if (has_twist(s->space, i))
                    check_near(column_of(s, e, matrix, i, path), slopes[i], DERIVATIVES * size,
                               "'%s' of %s: load %d along %s %d", crd_element_name(path->b->model, path->element),
                               e->kind != NULL ? e->kind->name : "the user's", i,
                               path->twist ? "twist" : "displacement", path->component);
        }
}

static int seen[CRD_ELEMENT_TYPES], seen_compliant, seen_long_way;

static void look_at_compliant(Bench *b, int element) {
    double first[LOADS * LOADS], second[LOADS * LOADS];
    Path path = {.b = b, .element = element, .compliant = true};
    assert_true(crd_compliant_derivatives(b->model, element, &b->w, first, second, &b->error) >= 0);
    compare(&path, first);
    path.twist = true;
    compare(&path, second);
}

/* The same after another turn, with the rotation vector that goes the other way round: more than half a turn. */
static void look_the_long_way(Random *random, Bench *b, int element) {
    const CrdStructure *s = b->model->structure;
    const double *kept = b->w.tracked;
    double tracked[BENCH_SIZE], turn[6] = {0};
    int side_b = crd_element_frame(s, element, 1);
    CardanFrame *moved = &b->w.frames[side_b > 0 ? side_b : crd_element_frame(s, element, 0)], before = *moved;
    crd_put(turn + 3, crd_scale(1.5, random_direction(random, s->space)));
    move_frame(moved, turn, 1.0);
    CrdVec phi, rate;
    CrdPair pair = crd_pair_of(s, &b->w, element);
    crd_turn_of_joint(&b->model->values.joints[element], &pair, &phi, &rate);
    CrdVec other = crd_scale(1.0 - 2.0 * CRD_PI / crd_norm(phi), phi);
    assert_true(s->tracked_count <= BENCH_SIZE);
    memcpy(tracked, kept, (size_t)s->tracked_count * sizeof *tracked);
    crd_put(tracked + s->elements[element].tracked, other);
    b->w.tracked = tracked;
    look_at_compliant(b, element);
    b->w.tracked = kept;
    *moved = before;
    seen_long_way++;
}

static void look_at_element(Random *random, Bench *b, int element) {
    const CrdElement *e = &b->model->structure->elements[element];
    double lambda[CRD_JOINT_ROWS], first[LOADS * LOADS];
    assert_true(e->attachments <= ATTACHMENTS_MAX);
    for (int r = 0; r < CRD_JOINT_ROWS; r++) lambda[r] = random_signed(random);
    Path path = {.b = b, .element = element, .lambda = lambda};
    assert_true(crd_row_force_derivatives(b->model, element, &b->w, lambda, first, &b->error) >= 0);
    compare(&path, first);
    seen[e->type]++;
    if (e->compliant == 0) return;
    look_at_compliant(b, element);
    for (int i = 0; e->turns && i < 5; i++) look_the_long_way(random, b, element);
    seen_compliant++;
}

static void derivatives_of_row_forces_and_compliant_loads_equal_differences(void **state) {
    (void)state;
    for (int space = 0; space < 2; space++)
        for (int i = 0; i < MODELS; i++) {
            Random random = {400 + (uint64_t)(1000 * space + 7 * i)};
            Recipe recipe = random_recipe(&random, (CardanSpace)space);
            Bench b;
            recipe.exact = i % 2 == 0;
            open_bench(&b, describe(&recipe, 0, 0, false), &random);
            for (int e = 0; e < b.model->structure->element_count; e++)
                if (b.model->structure->elements[e].type != CRD_ELEMENT_BLOCK) look_at_element(&random, &b, e);
            close_bench(&b);
        }
    assert_true(seen[CRD_ELEMENT_JOINT] > 200 && seen[CRD_ELEMENT_COUPLER] > 5 && seen[CRD_ELEMENT_USER] > 100);
    assert_true(seen_compliant > 20 && seen_long_way >= 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_of_row_forces_and_compliant_loads_equal_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
