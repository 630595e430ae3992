/* Dead points: where s turns back along the curve of poses.
 *
 * With z = (q, s) the rows leave one motion there, the tangent tau of J = [D G T, D g_s], its null vector, which is
 * regular where G alone is not. Along the arc, tau_s goes through zero; that is found by bisection with secants, each
 * pose put on the rows by the least correction. Dense: for mechanisms up to DEAD_MAX velocities. */
#include "study/drive.h"

#include "analysis/sentences.h"
#include "equations/row_units.h"

#include <assert.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

/* Arc, in lengths of the mechanism and rad: of a step towards the pose, and how far it is looked for. */
#define CRD_DEAD_STEP 1e-3
enum { DEAD_STEPS = 2000, DEAD_NEWTON = 8, DEAD_SECANTS = 60, DEAD_MAX = 600 };

/* tau_s that is zero: s is then known to its square, the pose to it. */
#define CRD_DEAD_ZERO 1e-13

/* tau_s that is zero where the state came to stand in the pose by itself: closed to 1e-12, it is known to the root of
 * that. */
#define CRD_DEAD_HERE 1e-5

/* Singular values of J below this part of the largest are zero, as those of redundant rows are. */
#define CRD_DEAD_RANK 1e-9

/* Rows that are left open by more after the corrections of a pose on the arc were not met. */
#define CRD_DEAD_OPEN 1e-10

/* Part of the largest entry of the dependency from which an element has a part in it. */
#define CRD_DEAD_PART 0.2

typedef struct Arc {
    CrdDrive *drive;
    int m, n;         /* rows with the swept coordinate; velocities and s */
    double *j;        /* (m x n) by rows */
    double *u, *vt;   /* left and right singular vectors */
    double *sigma;    /* (n) */
    double *tangent;  /* (n) */
    double *r;        /* (m) */
    double *work;     /* (n) */
    double *base, *y; /* (n of the state) */
    double base_s, s;
} Arc;

static double width_of(const CardanStudy *study, int velocity, const CrdBlock *block) {
    return velocity < crd_block_lengths(study->model->structure, block) ? study->model->values.size : 1.0;
}

/* J and r at (y, s); columns in lengths of the mechanism. */
static CardanStatus fill(Arc *arc) {
    CrdDrive *drive = arc->drive;
    CardanStudy *study = drive->study;
    CrdSaddle *saddle = &drive->closing.saddle;
    const CrdStructure *structure = study->model->structure;
    const CrdSystem *system = &study->dynamics->system;
    CrdAllowed size = crd_part_of_size(study->model, 1.0);
    if (drive->extra != NULL) drive->extra->value = arc->s;
    CRD_TRY(crd_integrator_evaluate_constraints(study->run, drive->extra != NULL ? study->t : arc->s, arc->y));
    crd_saddle_evaluate(saddle);
    size_t n = (size_t)arc->n;
    memset(arc->j, 0, (size_t)arc->m * n * sizeof *arc->j);
    for (int i = 0; i < structure->incidence_count; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        int first = structure->elements[in->element].first;
        for (int r = 0; r < in->rows; r++)
            for (int k = 0; k < in->width; k++)
                arc->j[(size_t)(first + r) * n + (size_t)(in->v + k)] +=
                    system->G[in->g + r * in->width + k] * width_of(study, k, &structure->blocks[in->block]);
    }
    for (int i = 0; i < structure->rows; i++) {
        double scale = 1.0 / crd_allowed_row(study->model, system, structure->row_element[i], i, size);
        for (size_t k = 0; k < n; k++) arc->j[(size_t)i * n + k] *= scale;
        arc->j[(size_t)i * n + n - 1] = drive->extra != NULL ? 0.0 : scale * system->rate_t[i];
        arc->r[i] = scale * system->g[i];
    }
    return CARDAN_OK;
}

/* The swept coordinate's own row: x - s. */
static void fill_swept(Arc *arc) {
    CrdDrive *drive = arc->drive;
    const CrdStructure *structure = drive->study->model->structure;
    if (drive->extra == NULL) return;
    double *line = arc->j + (size_t)(arc->m - 1) * (size_t)arc->n;
    for (int side = 0; side < 2; side++) {
        int frame = crd_element_frame(structure, drive->extra->element, side), at = structure->frames[frame].block;
        if (at < 0) continue;
        const CrdBlock *block = &structure->blocks[at];
        double piece[6] = {0};
        crd_add_twist_row(structure, &drive->study->dynamics->system, frame, drive->extra->row + 6 * side, piece);
        for (int k = 0; k < block->nv; k++) line[block->v + k] += piece[k] * width_of(drive->study, k, block);
    }
    line[arc->n - 1] = -1.0;
    arc->r[arc->m - 1] = drive->extra->g;
}

/* Singular values of J: tangent, oriented like the one before. */
static CardanStatus decompose(Arc *arc) {
    CRD_TRY(fill(arc));
    fill_swept(arc);
    for (int i = 0; i < arc->n; i++) arc->sigma[i] = 0.0;
    double *superb = arc->work;
    if (LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'A', 'A', arc->m, arc->n, arc->j, arc->n, arc->sigma, arc->u, arc->m, arc->vt,
                       arc->n, superb) != 0)
        return CARDAN_ERR_NUMERIC;
    const double *last = arc->vt + (size_t)(arc->n - 1) * (size_t)arc->n;
    double along = 0.0;
    for (int i = 0; i < arc->n; i++) along += last[i] * arc->tangent[i];
    for (int i = 0; i < arc->n; i++) arc->tangent[i] = along < 0.0 ? -last[i] : last[i];
    return CARDAN_OK;
}

/* y, s moved by x (n, scaled columns). */
static void move(Arc *arc, double step, const double *x) {
    assert(arc->n == arc->drive->study->model->structure->nv + 1);
    CardanStudy *study = arc->drive->study;
    const CrdStructure *structure = study->model->structure;
    for (int b = 0; b < structure->block_count; b++)
        for (int k = 0; k < structure->blocks[b].nv; k++) {
            int at = structure->blocks[b].v + k;
            arc->drive->dx[at] = step * x[at] * width_of(study, k, &structure->blocks[b]);
        }
    crd_move(structure, arc->drive->dx, arc->y);
    arc->s += step * x[arc->n - 1];
}

/* The pose at this arc from the base, with its tangent; Gauss-Newton by the singular vectors. */
static CardanStatus pose_at(Arc *arc, double length, const double *direction) {
    CardanStudy *study = arc->drive->study;
    size_t bytes = (size_t)study->run->stepper.n * sizeof(double);
    memcpy(arc->y, arc->base, bytes);
    arc->s = arc->base_s;
    move(arc, length, direction);
    for (int k = 0; k < DEAD_NEWTON; k++) {
        CRD_TRY(decompose(arc));
        double largest = arc->sigma[0];
        memset(arc->work, 0, (size_t)arc->n * sizeof *arc->work);
        for (int i = 0; i + 1 < arc->n && i < arc->m; i++) {
            double part = 0.0;
            if (arc->sigma[i] <= CRD_DEAD_RANK * largest) continue;
            for (int r = 0; r < arc->m; r++) part += arc->u[(size_t)r * (size_t)arc->m + (size_t)i] * arc->r[r];
            for (int c = 0; c < arc->n; c++)
                arc->work[c] -= part / arc->sigma[i] * arc->vt[(size_t)i * (size_t)arc->n + (size_t)c];
        }
        move(arc, 1.0, arc->work);
    }
    CRD_TRY(decompose(arc));
    return crd_max_abs(arc->r, arc->m) < CRD_DEAD_OPEN ? CARDAN_OK : CARDAN_ERR_NUMERIC;
}

/* ---- the turn ---- */

static void rebase(Arc *arc, double *direction) {
    memcpy(arc->base, arc->y, (size_t)arc->drive->study->run->stepper.n * sizeof(double));
    arc->base_s = arc->s;
    memcpy(direction, arc->tangent, (size_t)arc->n * sizeof *direction);
}

/* Between arcs a and b from the base, where tau_s is fa and fb of other sign. */
static CardanStatus refine(Arc *arc, const double *direction, double b, double fa, double fb) {
    double a = 0.0, f = fb;
    int side = 0;
    for (int k = 0; k < DEAD_SECANTS && fabs(f) > CRD_DEAD_ZERO; k++) {
        double c = (a * fb - b * fa) / (fb - fa);
        CRD_TRY(pose_at(arc, c, direction));
        f = arc->tangent[arc->n - 1];
        bool low = f * fa > 0.0;
        if (low) {
            a = c;
            fa = f;
            if (side == 1) fb *= 0.5;
        } else {
            b = c;
            fb = f;
            if (side == -1) fa *= 0.5;
        }
        side = low ? 1 : -1;
    }
    return CARDAN_OK;
}

/* Do the rows leave one motion of (q, s) alone? */
static bool is_curve(const Arc *arc) {
    return arc->n < 2 || arc->sigma[arc->n - 2] > CRD_DEAD_RANK * arc->sigma[0];
}

static CardanStatus search(Arc *arc, double sign, double *direction) {
    memcpy(arc->y, arc->base, (size_t)arc->drive->study->run->stepper.n * sizeof(double));
    arc->s = arc->base_s;
    CRD_TRY(decompose(arc));
    if (!is_curve(arc)) return CARDAN_ERR_NUMERIC;
    if (fabs(arc->tangent[arc->n - 1]) <= CRD_DEAD_HERE) return CARDAN_OK;
    if (arc->tangent[arc->n - 1] * sign < 0.0)
        for (int i = 0; i < arc->n; i++) arc->tangent[i] = -arc->tangent[i];
    for (int k = 0; k < DEAD_STEPS; k++) {
        rebase(arc, direction);
        double before = arc->tangent[arc->n - 1];
        CRD_TRY(pose_at(arc, CRD_DEAD_STEP, direction));
        double after = arc->tangent[arc->n - 1];
        if (before * after <= 0.0) return refine(arc, direction, CRD_DEAD_STEP, before, after);
    }
    return CARDAN_ERR_NUMERIC;
}

/* ---- saying so ---- */

/* Rows that depend on each other there: the left singular vector of G (J without its last column). */
static void name_joints(Arc *arc, char *list, size_t size) {
    CardanStudy *study = arc->drive->study;
    double most = 0.0, *row = arc->u;
    if (fill(arc) < 0) return;
    fill_swept(arc);
    for (int i = 0; i < arc->m; i++) arc->j[(size_t)i * (size_t)arc->n + (size_t)arc->n - 1] = 0.0;
    if (LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'A', 'A', arc->m, arc->n, arc->j, arc->n, arc->sigma, arc->u, arc->m, arc->vt,
                       arc->n, arc->work) != 0)
        return;
    int at = arc->m < arc->n - 1 ? arc->m - 1 : arc->n - 2; /* its last column is zero: sigma[n - 1] is 0 by that */
    for (int r = 0; r < arc->m; r++) most = fmax(most, fabs(row[(size_t)r * (size_t)arc->m + (size_t)at]));
    int named = 0, last = -1;
    for (int r = 0; r < study->model->structure->rows && named < 6; r++) {
        int element = study->model->structure->row_element[r];
        bool part = fabs(row[(size_t)r * (size_t)arc->m + (size_t)at]) > CRD_DEAD_PART * most;
        if (!part || element == last) continue;
        last = element;
        crd_say(list, size, "%s'%s'", named++ == 0 ? "" : ", ", crd_element_name(study->model, element));
    }
}

static CardanStatus take_room(Arc *arc, double **direction) {
    size_t m = (size_t)arc->m, n = (size_t)arc->n, real = sizeof(double),
           state = (size_t)arc->drive->study->run->stepper.n;
    arc->j = crd_new(m * n, real);
    arc->u = crd_new(m * m, real);
    arc->vt = crd_new(n * n, real);
    arc->sigma = crd_new(n + m, real);
    arc->tangent = crd_new(n, real);
    arc->r = crd_new(m, real);
    arc->work = crd_new(n + m, real);
    arc->base = crd_new(state, real);
    arc->y = crd_new(state, real);
    *direction = crd_new(n, real);
    bool all = arc->j != NULL && arc->u != NULL && arc->vt != NULL && arc->sigma != NULL && arc->tangent != NULL &&
               arc->r != NULL && arc->work != NULL && arc->base != NULL && arc->y != NULL && *direction != NULL;
    return all ? CARDAN_OK : crd_fail_memory(&arc->drive->study->error);
}

static CardanStatus tell(Arc *arc) {
    CardanStudy *study = arc->drive->study;
    char list[CRD_MESSAGE_SIZE / 2] = "", what[128] = "t";
    const CrdCoordinateRow *extra = arc->drive->extra;
    if (extra != NULL)
        crd_say((what[0] = '\0', what), sizeof what, "'%s'", crd_element_name(study->model, extra->element));
    name_joints(arc, list, sizeof list);
    crd_error_clear(&study->error);
    study->dead.known = true;
    study->dead.s = arc->s;
    memcpy(study->dead.y, arc->y, (size_t)study->run->stepper.n * sizeof(double));
    return crd_fail(&study->error, CARDAN_ERR_NUMERIC,
                    "dead point at %s = %.12g: the mechanism goes no further there, joints %s hold each other", what,
                    arc->s, list);
}

static CardanStatus no_dead_point(const CrdDrive *drive) {
    crd_error_clear(&drive->study->error);
    return crd_fail(&drive->study->error, CARDAN_ERR_NUMERIC,
                    "the mechanism cannot be driven beyond %s = %.9g: its joints do not close there",
                    drive->extra != NULL ? crd_element_name(drive->study->model, drive->extra->element) : "t",
                    drive->s);
}

/* Looks for it; CARDAN_ERR_NUMERIC with a sentence where there is one, CARDAN_OK where there is none. */
static CardanStatus look(CrdDrive *drive, double direction) {
    CardanStudy *study = drive->study;
    const CrdStructure *structure = study->model->structure;
    int m = structure->rows + (drive->extra != NULL);
    Arc arc = {.drive = drive, .m = m, .n = structure->nv + 1, .base_s = drive->s};
    if (structure->nv > DEAD_MAX || structure->rows > DEAD_MAX || m < structure->nv) return CARDAN_OK;
    double *along = NULL;
    CardanStatus status = take_room(&arc, &along);
    if (status >= 0) {
        memcpy(arc.base, study->y, (size_t)study->run->stepper.n * sizeof(double));
        status = search(&arc, direction, along);
        status = status >= 0 ? tell(&arc) : status == CARDAN_ERR_NUMERIC ? CARDAN_OK : status;
    }
    CRD_DELETE_ALL(arc.j, arc.u, arc.vt, arc.sigma, arc.tangent, arc.r, arc.work, arc.base, arc.y, along);
    return status;
}

CardanStatus crd_drive_dead(CrdDrive *drive, double direction) {
    CardanStatus status = look(drive, direction);
    return status < 0 ? status : no_dead_point(drive);
}

bool crd_drive_stands_dead(CrdDrive *drive) {
    const CrdError before = drive->study->error;
    CardanStatus status = look(drive, drive->rate);
    if (status < 0 && drive->study->dead.known) return true;
    drive->study->error = before;
    return false;
}
