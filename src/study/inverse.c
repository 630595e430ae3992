/* Inverse dynamics: forces of motors for the motion that the drives of a model prescribe.
 *
 *     M a + G_p^T lambda - B^T tau = f        a: of the drives' motion; G_p: rows without drives; B: motors'
 * coordinates
 *
 * by the saddle system with rows of drives left out and those of motors softened: what no motor can give is least in
 * the metric of M^-1, and of all tau that give the same the least is taken. */
#include "study/drive.h"

#include "study/operators.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Softening of joints' rows and of motors, against M: motors are the dearer ones, so that they do no more than they
 * must; their least norm is met to the ratio. Proximal steps take back what softening leaves. */
#define CRD_INVERSE_JOINTS 1e-13
#define CRD_INVERSE_MOTORS 1e-5

/* What motors leave of the accelerations that is nothing, and how much less soft they are made while there is more. */
#define CRD_INVERSE_DONE 1e-12
#define CRD_INVERSE_FALL 1e-2
enum { PROXIMAL_STEPS = 5 };

typedef struct Inverse {
    CardanStudy *study;
    CrdSaddle saddle;
    int motors;
    CrdCoordinateRow *row; /* (motors) */
    double *tau;           /* (motors) */
    double *lambda;        /* (rows) */
} Inverse;

static void leave_out_drives(Inverse *inverse) {
    const CrdStructure *structure = inverse->study->model->structure;
    for (int i = 0; i < structure->rows; i++)
        inverse->saddle.scale[i] = crd_element_is_driven(&structure->elements[structure->row_element[i]]) ? 0.0 : 1.0;
}

/* Proximal steps with motors as soft as this; x is what no motor can give, as accelerations. */
static CardanStatus iterate(Inverse *inverse, const double *inertia, double joints, double motors) {
    CrdSaddle *saddle = &inverse->saddle;
    const CrdSystem *system = &inverse->study->dynamics->system;
    double *x = saddle->sparse.x, *y = x + saddle->nv, *tau = y + saddle->rows;
    for (int i = 0; i < inverse->motors; i++) inverse->row[i].soft = 1.0 / motors;
    CRD_TRY(crd_saddle_factor(saddle, 1.0, joints, false));
    for (int step = 0; step < PROXIMAL_STEPS; step++) {
        for (int i = 0; i < saddle->nv; i++) x[i] = system->f[i] - inertia[i];
        for (int i = 0; i < saddle->rows; i++) y[i] = -joints * inverse->lambda[i];
        for (int i = 0; i < inverse->motors; i++) tau[i] = -motors * inverse->tau[i];
        CRD_TRY(crd_saddle_solve(saddle));
        memcpy(inverse->lambda, y, (size_t)saddle->rows * sizeof *y);
        memcpy(inverse->tau, tau, (size_t)inverse->motors * sizeof *tau);
    }
    return CARDAN_OK;
}

/* Less and less soft while something is left: those first found stay, so that the least norm is kept. */
static CardanStatus solve(Inverse *inverse, double *inertia, double *left) {
    CardanStudy *study = inverse->study;
    double unit = crd_study_soft(study->model) / CRD_STUDY_SOFT, most;
    leave_out_drives(inverse);
    crd_saddle_evaluate(&inverse->saddle);
    crd_times_mass(study->model, &study->dynamics->system, study->a, inertia);
    most = fmax(crd_reach(study->model, study->a), 1.0);
    *left = (double)INFINITY;
    for (double soft = CRD_INVERSE_MOTORS; soft >= CRD_INVERSE_JOINTS && *left > CRD_INVERSE_DONE * most;
         soft *= CRD_INVERSE_FALL) {
        CRD_TRY(iterate(inverse, inertia, CRD_INVERSE_JOINTS * unit, soft * unit));
        *left = crd_reach(study->model, inverse->saddle.sparse.x);
    }
    return CARDAN_OK;
}

/* Motors that are named, or all coordinates that drives lead. */
static CardanStatus take_motors(Inverse *inverse, int count, const CardanJoint *joints) {
    for (int i = 0; i < count; i++) {
        CRD_TRY(crd_study_need_joint(inverse->study, joints[i]));
        CRD_TRY(crd_study_coordinate(inverse->study, joints[i].index, &inverse->row[i]));
    }
    inverse->motors = count;
    return CARDAN_OK;
}

static CardanStatus work(Inverse *inverse, double t, double *forces, CardanInverse *out) {
    CardanStudy *study = inverse->study;
    CardanDriven driven;
    CRD_TRY(cardan_study_kinematics(study, t, &driven));
    crd_study_begin(study);
    CardanStatus status = crd_study_evaluate(study);
    if (status >= 0) status = crd_saddle_open(&inverse->saddle, study->dynamics, inverse->motors, inverse->row);
    double *inertia = crd_new((size_t)study->model->structure->nv, sizeof *inertia);
    if (inertia == NULL) status = crd_fail_memory(&study->error);
    if (status >= 0) status = solve(inverse, inertia, &out->left);
    crd_delete(inertia);
    crd_saddle_close(&inverse->saddle);
    if (status >= 0) {
        double speed = fmax(crd_reach(study->model, study->a), crd_reach(study->model, crd_study_v(study)));
        out->share = out->left / fmax(speed, 1.0);
        for (int i = 0; i < inverse->motors; i++) forces[i] = -inverse->tau[i];
        memcpy(study->lambda, inverse->lambda, (size_t)study->model->structure->rows * sizeof(double));
        crd_rows_outward(study->model->structure, study->lambda, study->outer);
    }
    return crd_study_end(study, status);
}

CardanStatus cardan_study_inverse(CardanStudy *study, double t, int count, const CardanJoint *motors, double *forces,
                                  CardanInverse *out) {
    CRD_TRY(crd_study_need(study, motors, "the list of motors"));
    CRD_TRY(crd_study_need(study, forces, "the place for forces"));
    CRD_TRY(crd_study_need(study, out, "the place for the findings"));
    if (count < 1) return crd_study_refuse(study, "no motors are named");
    Inverse inverse = {.study = study};
    CardanInverse found = {0};
    inverse.row = crd_new((size_t)count, sizeof *inverse.row);
    inverse.tau = crd_new((size_t)count, sizeof *inverse.tau);
    inverse.lambda = crd_new((size_t)study->model->structure->rows, sizeof *inverse.lambda);
    double *result = crd_new((size_t)count, sizeof *result);
    bool all = inverse.row != NULL && inverse.tau != NULL && inverse.lambda != NULL && result != NULL;
    CardanStatus status =
        all ? take_motors(&inverse, count, motors) : crd_study_report(study, crd_fail_memory(&study->error));
    if (status >= 0) status = work(&inverse, t, result, &found);
    if (status >= 0) {
        memcpy(forces, result, (size_t)count * sizeof *forces);
        *out = found;
    }
    CRD_DELETE_ALL(inverse.row, inverse.tau, inverse.lambda, result);
    return status;
}
