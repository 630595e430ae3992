#include "equations/kinematic.h"

#include "equations/tree.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* A pivot of an element's own rows below this part of its diagonal entry is rounding. */
#define CRD_KINEMATIC_LOST 1e-14

/* T of a planar body: (L y_x + y_w r_y, L y_y - y_w r_x, y_w), r in ground axes. */
static inline void planar_root(double length, CrdVec r, bool transposed, double *x) {
    if (transposed) {
        x[2] += x[0] * r.y - x[1] * r.x;
        x[0] *= length;
        x[1] *= length;
    } else {
        x[0] = length * x[0] + x[2] * r.y;
        x[1] = length * x[1] - x[2] * r.x;
    }
}

/* T of a spatial body; moments and rates of turning in own axes, r too. */
static void spatial_root(double length, CrdVec r, const double *rotation, bool transposed, double *x) {
    CrdVec linear = crd_vec_of(x), turn = crd_vec_of(x + 3);
    if (transposed) {
        crd_put(x + 3, crd_sub(turn, crd_cross(r, crd_apply_t(rotation, linear))));
        crd_put(x, crd_scale(length, linear));
    } else {
        crd_put(x, crd_sub(crd_scale(length, linear), crd_apply(rotation, crd_cross(turn, r))));
    }
}

/* T of several rows of one block, `width` apart. */
static void apply_root(const CardanModel *model, const CrdSystem *system, int index, bool transposed, int rows,
                       int width, double *x) {
    const CrdBlock *block = &model->structure->blocks[index];
    double length = model->values.span;
    assert(length > 0.0);
    if (block->kind >= CRD_CUSTOM_BLOCK) {
        if (block->kind == CRD_LINK_PRISMATIC) x[0] *= length;
        return;
    }
    const CardanFrame *frame = &system->frames[block->frame];
    CrdVec r = crd_block_values(model, index)->middle;
    if (block->kind == CRD_PLANAR_BODY) {
        CrdVec turned = crd_apply(frame->rotation, r);
        for (int i = 0; i < rows; i++) planar_root(length, turned, transposed, x + i * width);
    } else if (block->kind == CRD_SPATIAL_BODY) {
        for (int i = 0; i < rows; i++) spatial_root(length, r, frame->rotation, transposed, x + i * width);
    } else {
        for (int i = 0; i < rows; i++)
            for (int k = 0; k < block->nv; k++) x[i * width + k] *= length;
    }
}

void crd_kinematic_root(const CardanModel *model, const CrdSystem *system, int index, bool transposed, double *x) {
    apply_root(model, system, index, transposed, 1, 0, x);
}

/* Kernels are inlined with a constant width where it is a body's, so that their inner loops are unrolled. */
#define CRD_WITH_COLUMNS(width, kernel, ...)                                                                           \
    switch (width) {                                                                                                   \
    case 3:                                                                                                            \
        kernel(3, __VA_ARGS__);                                                                                        \
        break;                                                                                                         \
    case 6:                                                                                                            \
        kernel(6, __VA_ARGS__);                                                                                        \
        break;                                                                                                         \
    default:                                                                                                           \
        kernel(width, __VA_ARGS__);                                                                                    \
        break;                                                                                                         \
    }

static inline void add_gram(int width, int n, const double *piece, double *square) {
    for (int r = 0; r < n; r++)
        for (int c = 0; c <= r; c++) {
            double sum = 0.0;
            for (int k = 0; k < width; k++) sum += piece[r * width + k] * piece[c * width + k];
            square[r * n + c] += sum;
        }
}

/* square <- K_e K_e^T of one element, lower triangle. */
static inline void gram(const CrdStructure *structure, const CrdElement *element, const double *pieces,
                        double *square) {
    int n = element->rows;
    memset(square, 0, (size_t)n * (size_t)n * sizeof *square);
    for (int i = element->incidence; i < element->incidence + element->incidences; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        if (n == 2 && in->width == 3) /* a hinge in the plane */
            add_gram(3, 2, pieces + in->g, square);
        else
            CRD_WITH_COLUMNS(in->width, add_gram, n, pieces + in->g, square);
    }
}

/* square <- its Cholesky factor L. The pivot of a row that is left out, or that is rounding of its diagonal entry,
 * becomes infinite: the row becomes zero and has no part in the others. */
static inline void cholesky_of(int n, double *square, const bool *left_out) {
    for (int r = 0; r < n; r++) {
        double diagonal = square[r * n + r];
        for (int c = 0; c < r; c++) {
            for (int k = 0; k < c; k++) square[r * n + c] -= square[r * n + k] * square[c * n + k];
            square[r * n + c] /= square[c * n + c];
        }
        for (int k = 0; k < r; k++) square[r * n + r] -= square[r * n + k] * square[r * n + k];
        bool lost = (left_out != NULL && left_out[r]) || !(square[r * n + r] > CRD_KINEMATIC_LOST * diagonal);
        square[r * n + r] = lost ? (double)INFINITY : sqrt(square[r * n + r]);
    }
}

static void cholesky(double *square, int n, const bool *left_out) {
    if (n == 2)
        cholesky_of(2, square, left_out);
    else
        cholesky_of(n, square, left_out);
}

static inline void divide(int width, const double *square, int rows, double *piece) {
    for (int r = 0; r < rows; r++) {
        double *row = piece + r * width, inverse = 1.0 / square[r * rows + r];
        for (int c = 0; c < r; c++)
            for (int k = 0; k < width; k++) row[k] -= square[r * rows + c] * piece[c * width + k];
        for (int k = 0; k < width; k++) row[k] *= inverse;
    }
}

/* K_e <- L^-1 K_e, one piece of the element. */
static inline void orthonormalise(const double *square, int rows, int width, double *piece) {
    if (rows == 2 && width == 3)
        divide(3, square, 2, piece);
    else
        CRD_WITH_COLUMNS(width, divide, square, rows, piece);
}

void crd_kinematic_rows(const CrdStructure *structure, const double *factors, double *r) {
    for (int e = 0; e < structure->element_count; e++) {
        const CrdElement *element = &structure->elements[e];
        const double *square = factors + (size_t)element->first * (size_t)structure->max_rows;
        orthonormalise(square, element->rows, 1, r + element->first);
    }
}

typedef struct Task {
    const CardanModel *model;
    const CrdSystem *system;
    const bool *left_out, *held;
    double *factors, *pieces;
} Task;

/* pieces <- G T, zero in blocks that are held. */
static void fill(const Task *task, const CrdElement *element) {
    const CrdStructure *structure = task->model->structure;
    for (int i = element->incidence; i < element->incidence + element->incidences; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        double *piece = task->pieces + in->g;
        size_t bytes = (size_t)in->rows * (size_t)in->width * sizeof *piece;
        if (task->held != NULL && task->held[in->block]) {
            memset(piece, 0, bytes);
            continue;
        }
        memcpy(piece, task->system->G + in->g, bytes);
        apply_root(task->model, task->system, in->block, true, in->rows, in->width, piece);
    }
}

static void kinematic_range(void *user, CrdRange items) {
    const Task *task = user;
    const CrdStructure *structure = task->model->structure;
    for (int e = items.first; e < items.end; e++) {
        const CrdElement *element = &structure->elements[e];
        double *square = task->factors + (size_t)element->first * (size_t)structure->max_rows;
        fill(task, element);
        if (structure->tree != NULL)
            crd_tree_gram(task->model, task->system, e, square);
        else
            gram(structure, element, task->pieces, square);
        cholesky(square, element->rows, task->left_out != NULL ? task->left_out + element->first : NULL);
        for (int i = element->incidence; i < element->incidence + element->incidences; i++)
            orthonormalise(square, element->rows, structure->incidences[i].width,
                           task->pieces + structure->incidences[i].g);
    }
}

void crd_kinematic_held_pieces(const CardanModel *model, const CrdSystem *system, const bool *left_out,
                               const bool *held, double *factors, double *pieces) {
    enum { PART = 64 }; /* elements; some 10 us */
    Task task = {model, system, left_out, held, factors, pieces};
    assert(crd_stamp_holds(&system->stamp, CRD_HOLDS_ROWS));
    crd_pool_each(system->pool, kinematic_range, &task, model->structure->element_count, PART);
}

void crd_kinematic_pieces(const CardanModel *model, const CrdSystem *system, const bool *left_out, double *factors,
                          double *pieces) {
    crd_kinematic_held_pieces(model, system, left_out, NULL, factors, pieces);
}

void crd_kinematic_rows_transposed(const CrdStructure *structure, const double *factors, double *r) {
    for (int e = 0; e < structure->element_count; e++) {
        const CrdElement *element = &structure->elements[e];
        const double *square = factors + (size_t)element->first * (size_t)structure->max_rows;
        int n = element->rows;
        double *x = r + element->first;
        for (int i = n - 1; i >= 0; i--) {
            for (int j = i + 1; j < n; j++) x[i] -= square[j * n + i] * x[j];
            x[i] /= square[i * n + i]; /* a row without anything of its own becomes zero */
        }
    }
}

void crd_kinematic_rows_back(const CrdStructure *structure, const double *factors, double *r) {
    for (int e = 0; e < structure->element_count; e++) {
        const CrdElement *element = &structure->elements[e];
        const double *square = factors + (size_t)element->first * (size_t)structure->max_rows;
        int n = element->rows;
        double *x = r + element->first;
        for (int i = n - 1; i >= 0; i--) {
            x[i] = isfinite(square[i * n + i]) ? square[i * n + i] * x[i] : 0.0;
            for (int j = 0; j < i; j++) x[i] += square[i * n + j] * x[j];
        }
    }
}

bool crd_row_is_length(const CrdStructure *structure, const CrdSystem *system, int row) {
    const CrdElement *element = &structure->elements[structure->row_element[row]];
    for (int i = element->incidence; i < element->incidence + element->incidences; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        const CrdBlock *block = &structure->blocks[in->block];
        int moves = block->kind == CRD_CUSTOM_BLOCK ? in->width : crd_block_lengths(structure, block);
        for (int k = 0; k < moves && k < in->width; k++)
            if (system->G[in->g + (row - element->first) * in->width + k] != 0.0) return true;
    }
    return false;
}
