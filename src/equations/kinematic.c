#include "equations/kinematic.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* A pivot of an element's own rows below this part of its diagonal entry is rounding. */
#define CRD_KINEMATIC_LOST 1e-14

/* T of a planar body: (L y_x + y_w r_y, L y_y - y_w r_x, y_w), r in ground axes. */
static void planar_root(double length, CrdVec r, bool transposed, double *x) {
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

void crd_kinematic_root(const CardanModel *model, const CrdSystem *system, int index, bool transposed, double *x) {
    const CrdBlock *block = &model->structure->blocks[index];
    double length = model->values.span;
    assert(length > 0.0);
    if (block->kind == CRD_CUSTOM_BLOCK) return;
    const CardanFrame *frame = &system->frames[block->frame];
    CrdVec r = model->values.blocks[index].middle;
    if (block->kind == CRD_PLANAR_BODY)
        planar_root(length, crd_apply(frame->rotation, r), transposed, x);
    else if (block->kind == CRD_SPATIAL_BODY)
        spatial_root(length, r, frame->rotation, transposed, x);
    else
        for (int k = 0; k < block->nv; k++) x[k] *= length;
}

/* square <- K_e K_e^T of one element, lower triangle. */
static void gram(const CrdStructure *structure, const CrdElement *element, const double *pieces, double *square) {
    int n = element->rows;
    memset(square, 0, (size_t)n * (size_t)n * sizeof *square);
    for (int i = element->incidence; i < element->incidence + element->incidences; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        for (int r = 0; r < n; r++)
            for (int c = 0; c <= r; c++)
                for (int k = 0; k < in->width; k++)
                    square[r * n + c] += pieces[in->g + r * in->width + k] * pieces[in->g + c * in->width + k];
    }
}

/* square <- its Cholesky factor L; a pivot that is rounding of its diagonal entry becomes infinite, so that its row
 * becomes zero. */
static void cholesky(double *square, int n) {
    for (int r = 0; r < n; r++) {
        double diagonal = square[r * n + r];
        for (int c = 0; c < r; c++) {
            for (int k = 0; k < c; k++) square[r * n + c] -= square[r * n + k] * square[c * n + k];
            square[r * n + c] /= square[c * n + c];
        }
        for (int k = 0; k < r; k++) square[r * n + r] -= square[r * n + k] * square[r * n + k];
        bool lost = !(square[r * n + r] > CRD_KINEMATIC_LOST * diagonal);
        square[r * n + r] = lost ? (double)INFINITY : sqrt(square[r * n + r]);
    }
}

/* K_e <- L^-1 K_e, one piece of the element. */
static void orthonormalise(const double *square, int rows, int width, double *piece) {
    for (int r = 0; r < rows; r++) {
        double *row = piece + r * width;
        for (int c = 0; c < r; c++)
            for (int k = 0; k < width; k++) row[k] -= square[r * rows + c] * piece[c * width + k];
        for (int k = 0; k < width; k++) row[k] /= square[r * rows + r];
    }
}

/* pieces <- G T. */
static void fill(const CardanModel *model, const CrdSystem *system, double *pieces) {
    const CrdStructure *structure = model->structure;
    assert(crd_stamp_holds(&system->stamp, CRD_HOLDS_ROWS));
    memcpy(pieces, system->G, (size_t)structure->size_g * sizeof *pieces);
    for (int i = 0; i < structure->incidence_count; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        for (int r = 0; r < in->rows; r++)
            crd_kinematic_root(model, system, in->block, true, pieces + in->g + r * in->width);
    }
}

static void orthonormalise_element(const CrdStructure *structure, const CrdElement *element, double *square,
                                   double *pieces) {
    gram(structure, element, pieces, square);
    cholesky(square, element->rows);
    for (int i = element->incidence; i < element->incidence + element->incidences; i++)
        orthonormalise(square, element->rows, structure->incidences[i].width, pieces + structure->incidences[i].g);
}

void crd_kinematic_pieces(const CardanModel *model, const CrdSystem *system, double *square, double *pieces) {
    const CrdStructure *structure = model->structure;
    fill(model, system, pieces);
    for (int e = 0; e < structure->element_count; e++)
        orthonormalise_element(structure, &structure->elements[e], square, pieces);
}

/* Zeros in rows and blocks that are left alone. */
static void leave_out(const CrdStructure *structure, const bool *row_out, const bool *block_out, double *pieces) {
    for (int i = 0; i < structure->incidence_count; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        for (int r = 0; r < in->rows; r++) {
            bool out = (block_out != NULL && block_out[in->block]) ||
                       (row_out != NULL && row_out[structure->elements[in->element].first + r]);
            if (out) memset(pieces + in->g + r * in->width, 0, (size_t)in->width * sizeof *pieces);
        }
    }
}

void crd_kinematic_rows(const CardanModel *model, const CrdSystem *system, const bool *row_out, const bool *block_out,
                        double *factors, double *pieces) {
    const CrdStructure *structure = model->structure;
    fill(model, system, pieces);
    leave_out(structure, row_out, block_out, pieces);
    for (int e = 0; e < structure->element_count; e++) {
        const CrdElement *element = &structure->elements[e];
        orthonormalise_element(structure, element, factors, pieces);
        factors += element->rows * element->rows;
    }
}

size_t crd_kinematic_factor_size(const CrdStructure *structure) {
    size_t size = 0;
    for (int e = 0; e < structure->element_count; e++)
        size += (size_t)structure->elements[e].rows * (size_t)structure->elements[e].rows;
    return size;
}

void crd_kinematic_scale(const CrdStructure *structure, const double *factors, bool transposed, double *r) {
    for (int e = 0; e < structure->element_count; e++) {
        int n = structure->elements[e].rows;
        double *x = r + structure->elements[e].first;
        for (int k = 0; k < n; k++) {
            int i = transposed ? n - 1 - k : k;
            for (int j = transposed ? i + 1 : 0; j < (transposed ? n : i); j++)
                x[i] -= (transposed ? factors[j * n + i] : factors[i * n + j]) * x[j];
            x[i] /= factors[i * n + i]; /* a row without anything of its own becomes zero */
        }
        factors += n * n;
    }
}

void crd_kinematic_unscale(const CrdStructure *structure, const double *factors, double *r) {
    for (int e = 0; e < structure->element_count; e++) {
        int n = structure->elements[e].rows;
        double *x = r + structure->elements[e].first;
        for (int i = n - 1; i >= 0; i--) {
            x[i] = isfinite(factors[i * n + i]) ? factors[i * n + i] * x[i] : 0.0;
            for (int j = 0; j < i; j++) x[i] += factors[i * n + j] * x[j];
        }
        factors += n * n;
    }
}

bool crd_row_is_length(const CrdStructure *structure, const CrdSystem *system, int row) {
    const CrdElement *element = &structure->elements[structure->row_element[row]];
    for (int i = element->incidence; i < element->incidence + element->incidences; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        const CrdBlock *block = &structure->blocks[in->block];
        int moves = block->kind == CRD_CUSTOM_BLOCK ? in->width : structure->space == CARDAN_SPACE_PLANAR ? 2 : 3;
        for (int k = 0; k < moves && k < in->width; k++)
            if (system->G[in->g + (row - element->first) * in->width + k] != 0.0) return true;
    }
    return false;
}
