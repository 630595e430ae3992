/* What is differentiated: a column of a channel as a function c(t, y, p) of state and parameters, or its square.
 * Derivatives over the state are exact where the measure has them, else central differences. */
#ifndef CRD_TANGENT_QUANTITY_H
#define CRD_TANGENT_QUANTITY_H

#include "cardan/sensitivity.h"
#include "tangent/trajectory.h"

typedef struct CrdQuantity {
    CardanChannel channel;
    CardanSensitivityTarget kind;
    int column;    /* the one at hand */
    double value;  /* c */
    double *slope; /* (core) c_y */
    double *over;  /* (knobs) c_p */
    double *room;  /* (n + nv + columns) scratch */
} CrdQuantity;

/* Finds a channel that has derivatives. */
CardanStatus crd_quantity_find(const CardanModel *model, const char *name, CrdQuantity *quantity, CrdError *error);
CardanStatus crd_quantity_take_room(const CrdTrajectory *trajectory, int knobs, CrdQuantity *quantity, CrdError *error);
void crd_quantity_free(CrdQuantity *quantity);

/* c at (t, y) with the sides that are held. */
CardanStatus crd_quantity_value(CrdQuantity *quantity, CrdTrajectory *trajectory, const CardanModel *model, double t,
                                const double *y, double *value, CrdError *error);

/* c, c_y and c_p there. The workspace is elsewhere afterwards. */
CardanStatus crd_quantity_differentiate(CrdQuantity *quantity, CrdTrajectory *trajectory, int knobs,
                                        const CrdKnob *knob, double t, const double *y, CrdError *error);

/* dc/dt along the motion, with the slope f (core) there. */
CardanStatus crd_quantity_rate(CrdQuantity *quantity, CrdTrajectory *trajectory, double t, const double *y,
                               const double *f, double *rate, CrdError *error);

#endif
