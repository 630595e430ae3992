/* f_q and f_v of whole random mechanisms in coordinates, put together from the derivatives of loads on bodies and block
 * frames, of compliant joints, of custom blocks and of gyroscopic terms, against differences of f. */
#include "property/system_bench.h"

#include "equations/block_derivatives.h"
#include "equations/element_derivatives.h"
#include "equations/force_derivatives.h"

enum { MODELS = 60, WIDTH = 24, SIZE = 100 };

static const double DERIVATIVES = 1e-7; /* of the largest entry */

typedef struct Jacobians {
    double q[SIZE][SIZE], v[SIZE][SIZE];
} Jacobians;

/* Adds the derivatives of loads on n carriers: with E the twist from velocities and V = (E v)_q of block frames,
 * f_q += E_i^T (X_ij E_j + T_ij V_j) and f_v += E_i^T T_ij E_j, X by displacements, T by twists. */
static void add_loads(Bench *b, int n, const int *frames, const double *x, const double *t, Jacobians *out) {
    CrdScene scene = {b->model, b->q, b->v};
    double left[6][6], right[6][6], turning[12];
    int width = 6 * n, row, column;
    for (int j = 0; j < n; j++) {
        int columns = velocity_map(b, frames[j], right, &column);
        bool frame = b->model->structure->frames[frames[j]].kind == CRD_FRAME_OF_BLOCK;
        if (frame) assert_true(crd_frame_gradient(&scene, frames[j], &b->w, turning, &b->error) >= 0);
        for (int i = 0; i < n; i++) {
            int rows = velocity_map(b, frames[i], left, &row);
            for (int r = 0; r < rows; r++)
                for (int c = 0; c < columns; c++)
                    for (int k = 0; k < 36; k++) {
                        size_t at = (size_t)(6 * i + k / 6) * (size_t)width + (size_t)(6 * j + k % 6);
                        double of_frame = frame ? turning[k % 6 * columns + c] : 0.0;
                        out->q[row + r][column + c] += left[k / 6][r] * (x[at] * right[k % 6][c] + t[at] * of_frame);
                        out->v[row + r][column + c] += left[k / 6][r] * t[at] * right[k % 6][c];
                    }
        }
    }
}

static void add_force_elements(Bench *b, CrdActions *none, Jacobians *out) {
    const CrdStructure *s = b->model->structure;
    CrdArena arena = {0};
    CrdLoadDerivatives d;
    crd_load_derivatives_layout(&d, s, &arena);
    assert_true(crd_arena_allocate(&arena));
    crd_load_derivatives_layout(&d, s, &arena);
    for (int i = 0; i < s->force_count; i++) {
        if (crd_force_derivatives(b->model, i, none, &b->w, &d, &b->error) < 0) fail_msg("%s", b->error.text);
        add_loads(b, d.frames, d.frame, d.displacement, d.twist, out);
    }
    crd_arena_free(&arena);
}

static void add_compliant(Bench *b, Jacobians *out) {
    const CrdStructure *s = b->model->structure;
    for (int i = 0; i < s->element_count; i++) {
        const CrdElement *e = &s->elements[i];
        double x[WIDTH * WIDTH], t[WIDTH * WIDTH];
        int frames[WIDTH / 6];
        if (e->compliant == 0) continue;
        assert_true(6 * e->attachments <= WIDTH);
        for (int k = 0; k < e->attachments; k++) frames[k] = s->attachments[e->attachment + k].frame;
        assert_true(crd_compliant_derivatives(b->model, i, &b->w, x, t, &b->error) >= 0);
        add_loads(b, e->attachments, frames, x, t, out);
    }
}

/* -w x J w: its derivative along d is -(d x J w + w x J d). */
static void add_gyroscopic(const Bench *b, const CrdBlock *block, const double *inertia, Jacobians *out) {
    CrdVec w = crd_vec_of(b->v + block->v + 3), momentum = crd_apply(inertia, w);
    for (int c = 0; c < 3; c++) {
        CrdVec d = crd_vec(c == 0, c == 1, c == 2);
        CrdVec change = crd_neg(crd_add(crd_cross(d, momentum), crd_cross(w, crd_apply(inertia, d))));
        double column[3];
        crd_put(column, change);
        for (int r = 0; r < 3; r++) out->v[block->v + 3 + r][block->v + 3 + c] += column[r];
    }
}

static void add_custom_and_gyroscopic(Bench *b, Jacobians *out) {
    const CrdStructure *s = b->model->structure;
    CrdScene scene = {b->model, b->q, b->v};
    for (int i = 0; i < s->block_count; i++) {
        const CrdBlock *block = &s->blocks[i];
        double by_q[4], by_v[4], held[4];
        if (block->kind == CRD_SPATIAL_BODY) add_gyroscopic(b, block, b->model->values.blocks[i].inertia, out);
        if (block->kind != CRD_CUSTOM_BLOCK) continue;
        assert_true(crd_block_force(&scene, i, &b->w, NULL, by_q, by_v, &b->error) >= 0);
        for (int k = 0; k < 2; k++) { /* its frames, at fixed loads */
            double load[6];
            memcpy(load, b->w.loads[block->frame + k], sizeof load);
            assert_true(crd_frame_loads(&scene, block->frame + k, &b->w, load, held, &b->error) >= 0);
            for (int m = 0; m < 4; m++) by_q[m] += held[m];
        }
        for (int m = 0; m < 4; m++) {
            out->q[block->v + m / 2][block->v + m % 2] += by_q[m];
            out->v[block->v + m / 2][block->v + m % 2] += by_v[m];
        }
    }
}

typedef struct Path {
    Bench *b;
    int k;
    bool velocity;
} Path;

static void force_at(Bench *b, const double *q, const double *v) {
    CrdActions none = {0};
    measure_at(b, q, v);
    if (crd_forces(b->model, q, v, &none, &b->w, &b->error) < 0) fail_msg("%s", b->error.text);
}

static void force_along(void *user, double h, double *values) {
    const Path *p = user;
    double dx[BENCH_SIZE] = {0}, q[BENCH_SIZE], v[BENCH_SIZE];
    memcpy(q, p->b->q, sizeof q);
    memcpy(v, p->b->v, sizeof v);
    dx[p->k] = h;
    if (p->velocity)
        v[p->k] += h;
    else
        crd_move(p->b->model->structure, dx, q);
    force_at(p->b, q, v);
    memcpy(values, p->b->w.f, (size_t)p->b->model->structure->nv * sizeof *values);
}

static int frames_pushed; /* block frames with loads on them */

static void look(Bench *b, bool exact) {
    static Jacobians seen;
    const CrdStructure *s = b->model->structure;
    CrdActions none = {0};
    assert_true(s->nv <= SIZE);
    memset(&seen, 0, sizeof seen);
    force_at(b, b->q, b->v);
    for (int i = 0; i < s->frame_count; i++)
        frames_pushed += s->frames[i].kind == CRD_FRAME_OF_BLOCK && norm_of(b->w.loads[i], 6) > 0.0;
    add_custom_and_gyroscopic(b, &seen);
    add_force_elements(b, &none, &seen);
    add_compliant(b, &seen);
    for (int k = 0; k < s->nv; k++)
        for (int velocity = 0; velocity < 2; velocity++) {
            Path path = {b, k, velocity == 1};
            double slopes[SIZE];
            differentiate(force_along, &path, s->nv, slopes);
            double size = fmax(1.0, worst_of(slopes, s->nv));
            for (int i = 0; i < s->nv; i++)
                check_near((path.velocity ? seen.v : seen.q)[i][k], slopes[i], DERIVATIVES * size,
                           "%s derivatives, space %d: f_%c (%d, %d)", exact ? "exact" : "differenced", s->space,
                           path.velocity ? 'v' : 'q', i, k);
        }
}

static void derivatives_of_forces_in_coordinates_equal_differences(void **state) {
    (void)state;
    frames_pushed = 0;
    for (int i = 0; i < 2 * MODELS; i++) {
        Random random = {801 + (uint64_t)(7 * i)};
        Recipe recipe = random_recipe(&random, (CardanSpace)(i % 2));
        Bench b;
        recipe.exact = i % 4 >= 2;
        open_bench(&b, describe(&recipe, 0, 0, false), &random);
        look(&b, recipe.exact);
        close_bench(&b);
    }
    assert_true(frames_pushed > MODELS / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_of_forces_in_coordinates_equal_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
