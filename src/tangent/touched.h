/* What the parameters of a derivative touch: bodies by their inertia, forces by their numbers, laws and what these
 * read, joints and couplers by their places and laws, gravity. Only these are looked at again, on both sides of a
 * parameter, psi R_p = psi_v (M_p a + G_p^T lambda - f_p) - psi_z r_p + psi_r (G_p a - gamma_p) with all that a force
 * reads made ready once for its parameters. What changes otherwise (curves, forces on custom blocks) is wide: all rows
 * and forces are evaluated. */
#ifndef CRD_TANGENT_TOUCHED_H
#define CRD_TANGENT_TOUCHED_H

#include "dynamics/dynamics.h"

/* What a derivative is taken over. */
typedef struct CrdKnob {
    CardanModel *low, *high; /* with the parameter moved down and up; NULL: a start value */
    double width;            /* of the parameter between them */
    int coordinate;          /* start value: number of a displacement, or nv and more: of a velocity */
    int first, last;         /* parameters of the model that move, all between these: others may follow the one named */
    bool wide;               /* it touches what is not told apart */
    bool heavy;              /* it touches inertia, */
    bool heaves;             /* gravity, */
    bool bends;              /* rows */
    bool start;              /* the start as written moves with it */
} CrdKnob;

/* What of a force a knob moves: its numbers, also values of its laws, also what these and it read. */
typedef enum CrdDepth { CRD_TOUCHES_NUMBERS = 0, CRD_TOUCHES_LAWS, CRD_TOUCHES_READS } CrdDepth;

typedef struct CrdTouch {
    int object, knob;
    CrdDepth depth; /* of a force */
} CrdTouch;

/* By object, and room for them. */
typedef struct CrdTouchList {
    int count;
    CrdTouch *touch;
} CrdTouchList;

typedef struct CrdTouches {
    CrdTouchList blocks, forces, elements;
    CardanTwistRow *load; /* by frame; zero in between */
    double *z_rate;       /* (first_order) */
} CrdTouches;

/* Compares the models of the knobs with the model. */
CardanStatus crd_touches_create(const CardanModel *model, int knobs, CrdKnob *knob, CrdTouches *out, CrdError *error);
void crd_touches_free(CrdTouches *touches);

/* A point of the motion with what multiplies its equations. */
typedef struct CrdWeighed {
    const double *q, *v;
    const double *a, *lambda;        /* accelerations and multipliers there */
    const double *dynamics, *states; /* psi of dynamics (nv) and states (first_order), */
    const double *rows;              /* and of rows at the level of accelerations */
} CrdWeighed;

/* derivative[k] += s psi R_p of each knob that is not wide, where rows and forces are evaluated in the workspace. */
CardanStatus crd_touches_over(const CrdTouches *touches, int knobs, const CrdKnob *knob, CrdDynamics *dynamics,
                              const CrdWeighed *at, double s, double *derivative);

/* derivative[k] += weight times the changes of g and of G v + g_t (2 rows) with each knob that is not wide, where rows
 * are evaluated. */
CardanStatus crd_touches_rows(const CrdTouches *touches, const CrdKnob *knob, CrdDynamics *dynamics, const double *q,
                              const double *v, const double *weight, double *derivative);

#endif
