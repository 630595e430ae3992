/* Arithmetic of Taylor jets: with a(s) = a.x + a.d1 s + a.d2 s^2/2 each function gives the jet of its result.
 * Nothing is checked here: what is not defined comes out as NaN or infinite, and the caller looks. */
#ifndef CRD_EXPR_JET_H
#define CRD_EXPR_JET_H

#include "expr/expr.h"

#include <math.h>

/* What has no value; NAN itself is a float. */
#define CRD_UNDEFINED ((double)NAN)

/* f(a) from its value and derivatives at a.x: (f o a)' = f1 a', (f o a)'' = f1 a'' + f2 a'^2. A derivative that does
 * not move (0) leaves an infinite f1 or f2 out. */
CrdJet crd_jet_chain(CrdJet a, double f, double f1, double f2);

CrdJet crd_jet_add(CrdJet a, CrdJet b);
CrdJet crd_jet_subtract(CrdJet a, CrdJet b);
CrdJet crd_jet_multiply(CrdJet a, CrdJet b);
CrdJet crd_jet_divide(CrdJet a, CrdJet b);
CrdJet crd_jet_power(CrdJet a, CrdJet b);
CrdJet crd_jet_atan2(CrdJet y, CrdJet x);
CrdJet crd_jet_sqrt(CrdJet a);
CrdJet crd_jet_log(CrdJet a);
double crd_power(double a, double b); /* pow, with squares and square roots rounded correctly */

/* y on the line from (x0, y0) to (x1, y1). */
double crd_between(double x, double x0, double y0, double x1, double y1);
CrdJet crd_jet_between(CrdJet x, CrdJet x0, CrdJet y0, CrdJet x1, CrdJet y1);

bool crd_jet_is_finite(CrdJet a);

static inline CrdJet crd_jet_constant(double x) {
    return (CrdJet){x, 0.0, 0.0};
}

#endif
