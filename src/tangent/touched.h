/* What the parameters of a derivative touch. Many change the inertia of a body or the numbers of a force and nothing
 * else: then only these are looked at again,
 *     psi R_p = psi (M_p a - f_p)
 * with all that a force reads made ready once for its parameters. The others are wide: rows and forces are evaluated on
 * both sides of them. */
#ifndef CRD_TANGENT_TOUCHED_H
#define CRD_TANGENT_TOUCHED_H

#include "dynamics/dynamics.h"

/* What a derivative is taken over. */
typedef struct CrdKnob {
    CardanModel *low, *high; /* with the parameter moved down and up; NULL: a start value */
    double width;            /* of the parameter between them */
    int coordinate;          /* start value: number of a displacement, or nv and more: of a velocity */
    int parameter;           /* of the model */
    bool wide;               /* it touches more than inertia and forces */
    bool heavy;              /* it touches inertia */
    bool start;              /* the start as written moves with it */
} CrdKnob;

typedef struct CrdTouch {
    int object, knob;
} CrdTouch;

typedef struct CrdTouches {
    int blocks, forces;
    CrdTouch *block, *force; /* by object */
    CardanTwistRow *load;    /* by frame; zero in between */
    double *z_rate;          /* (first_order) */
} CrdTouches;

/* Compares the models of the knobs with the model. */
CardanStatus crd_touches_create(const CardanModel *model, int knobs, CrdKnob *knob, CrdTouches *out, CrdError *error);
void crd_touches_free(CrdTouches *touches);

/* derivative[k] += s psi R_p of each knob that is not wide, where forces are evaluated in the workspace. a: the
 * accelerations there; psi over dynamics (nv) and states (first_order). */
CardanStatus crd_touches_over(const CrdTouches *touches, const CrdKnob *knob, CrdDynamics *dynamics, const double *a,
                              const double *v, const double *psi_v, const double *psi_z, double s, double *derivative);

#endif
