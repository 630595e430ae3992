/* Derivatives along a trajectory (trajectory.h), forwards and backwards. With c the quantity,
 *
 *     tangent   w <- dy_new of each step, one w a knob;                    dc = c_y w + c_p
 *     adjoint   w <- c_y; of each step from the last, with psi_s = L_s^-T (h b_s w + h sum_j>s a_js Y_j),
 *               Y_s = -S_s^T psi_s, w <- w + sum_s Y_s;                    dc = sum of -psi_s R_s, and w y_p at the
 * start
 *
 * An integral is one more state of the same steps, I_new = I + h sum_s b_s c(t_s, Y_s): forwards dI grows by
 * h b_s (c_y dY_s + c_p), backwards Y_s has h b_s c_y more. Accepted states are kept, stages are computed again: what a
 * step needs is there while it is differentiated. */
#ifndef CRD_TANGENT_SENSITIVITY_H
#define CRD_TANGENT_SENSITIVITY_H

#include "tangent/quantity.h"
#include "tangent/transition.h"

typedef struct CrdSensitivity {
    const CardanModel *model;
    CrdTrajectory trajectory;
    CrdQuantity quantity;
    int knobs;
    CrdKnob *knob;
    CrdTouches touches;
    CrdJump jump;
    bool pulls;         /* backwards without matrices */
    bool projected;     /* the start as written was moved by the projection on the constraints */
    double *w;          /* (knobs x core), adjoint: (core) */
    double *k;          /* (knobs x stages x size) slopes of changes; adjoint: (stages x size) psi, then Y */
    double *weight;     /* (2 rows) */
    double *over;       /* (2 rows) */
    double *slope;      /* (core) */
    double *value;      /* (columns) */
    double *derivative; /* (columns x knobs) */
    CrdError error;
} CrdSensitivity;

static inline bool crd_sensitivity_is_integral(const CrdSensitivity *work) {
    return work->quantity.kind != CARDAN_TARGET_END;
}

/* Those of the column at hand. */
static inline double *crd_sensitivity_derivatives(const CrdSensitivity *work) {
    return work->derivative + (size_t)work->quantity.column * (size_t)work->knobs;
}

/* The knob that a name stands for. */
CardanStatus crd_knob_find(const CardanModel *model, const char *name, CrdKnob *knob, CrdError *error);

/* Does the projection on the constraints move the start as written? Then inertia has a part in it. */
bool crd_start_is_projected(const CrdSensitivity *work);

/* w (core): the change of the start with a knob. */
CardanStatus crd_start_change(CrdSensitivity *work, const CrdKnob *knob, double *w);

/* All columns; and the column at hand. */
CardanStatus crd_forwards(CrdSensitivity *work);
CardanStatus crd_backwards(CrdSensitivity *work);

#endif
