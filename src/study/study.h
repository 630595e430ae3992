/* The public study: a model, a workspace that is never stepped, and what is known of the state in it. */
#ifndef CRD_STUDY_STUDY_H
#define CRD_STUDY_STUDY_H

#include "analysis/assemble.h"
#include "analysis/close.h"
#include "cardan/analysis.h"
#include "sim/sim.h"

#include <stdint.h>

/* A closed pose beside the first. */
typedef struct CrdAlternative {
    double *y;
    double distance;
} CrdAlternative;

/* A joint's coordinate that keeps a rate in a steady motion. */
typedef struct CrdKeptRate {
    CrdCoordinateRow row;
    double rate, effort; /* effort: N or N m that keep it, + on b; of the last motion that was found */
} CrdKeptRate;

typedef struct CrdFound {
    double *y;
    double *loads; /* multipliers, accelerations, efforts of kept rates */
    CardanEquilibrium what;
} CrdFound;

struct CardanStudy {
    CardanModel *model; /* retained */
    CardanSim *sim;
    CrdIntegrator *run; /* of sim */
    CrdDynamics *dynamics;
    double t;
    double *y;      /* (n) the state: in sim */
    double *a;      /* (nv) */
    double *lambda; /* (rows) elimination order */
    double *outer;  /* (rows) the same in the order of the description */
    double *given;  /* (n) the state before an analysis */
    bool *held;     /* (blocks) */
    double *weight; /* (blocks) */
    bool has_held, has_weights;
    int targets;
    CrdCoordinateRow *target; /* those of the description, then those that were set */
    int target_room;
    int rates, rate_room;
    CrdKeptRate *rate; /* (rates) */
    bool drives_go_on; /* in equilibria, which then are steady motions */
    int alternatives, alternative_room;
    CrdAlternative *alternative;
    int found, found_room;
    CrdFound *equilibrium; /* (found) */
    struct {
        bool known;
        double s;
        double *y; /* (n) */
    } dead;        /* where the last sweep ended */
    char *text;    /* of the last cardan_study_rewrite */
    CrdError error;
    char message[CRD_MESSAGE_SIZE + 512];
};

/* Writes the sentence for a failure or remark; returns status. */
CardanStatus crd_study_report(CardanStudy *study, CardanStatus status);
CardanStatus crd_study_refuse(CardanStudy *study, const char *format, ...) CRD_PRINTF(2, 3);

/* What calls need: a study; a pointer; a joint. */
CardanStatus crd_study_need(CardanStudy *study, const void *given, const char *what);
CardanStatus crd_study_need_joint(CardanStudy *study, CardanJoint joint);
CardanStatus crd_study_need_body(CardanStudy *study, CardanBody body);

static inline double *crd_study_v(CardanStudy *study) {
    return study->y + study->model->structure->nq;
}

/* Rows and forces of the state are in the workspace. */
CardanStatus crd_study_evaluate(CardanStudy *study);

/* Softening of rows beside M, where what it leaves open is taken back by proximal steps. */
#define CRD_STUDY_SOFT 1e-10
double crd_study_soft(const CardanModel *model);

/* Accelerations and multipliers of the state: M a + G^T lambda = f, G a = gamma, rows that depend on others sharing
 * what they carry. */
CardanStatus crd_study_accelerate(CardanStudy *study);

/* The same with the rows in a saddle system, a swept coordinate beside them, by proximal steps
 *     [M G^T; G -eps] [a; y] = [f; gamma - eps y_before];
 * effort: of that coordinate. */
CardanStatus crd_study_solve_motion(CardanStudy *study, CrdSaddle *saddle, double *effort);

/* A pose beside the given one: far in lengths of the mechanism and rad, bodies that are held stay; dx (nv) scratch. */
void crd_study_perturb(const CardanStudy *study, double far, uint64_t *random, double *dx, double *y);

/* Those of the last cardan_study_equilibria. */
void crd_study_forget_equilibria(CardanStudy *study);

/* How far start number i is. */
double crd_study_far(int start);

/* The coordinate of a joint as a row; refused by name where it has none. */
CardanStatus crd_study_coordinate(CardanStudy *study, int joint, CrdCoordinateRow *row);

/* Before and after an analysis that may fail: the state is kept, and put back where status < 0. */
void crd_study_begin(CardanStudy *study);
CardanStatus crd_study_end(CardanStudy *study, CardanStatus status);

#endif
