/* Jets: product and quotient rules, the chain rule, and the few functions of two arguments.
 *     q = a/b:     q' = (a' - q b')/b,   q'' = (a'' - 2 q' b' - q b'')/b
 *     y = a^b:     y = exp(w), w = b log a;  y' = y w',  y'' = y (w'' + w'^2)
 *     l = log a:   l' = a'/a,  l'' = a''/a - l'^2;      y = sqrt a:  y' = a'/(2 y),  y'' = (a'' - 2 y'^2)/(2 y)
 * The last two, and powers of numbers whose square is none any more, by ratios: 1/a^2 of 1e200 is 0, and a derivative
 * made with it would be wrong without a word.
 *     th = atan2(y, x), h = hypot(x, y):  th' = (x y' - y x')/h^2,  th'' = (x y'' - y x'')/h^2 - 2 th' h'/h */
#include "expr/jet.h"

#include <assert.h>
#include <float.h>
#include <math.h>

bool crd_jet_is_finite(CrdJet a) {
    return isfinite(a.x) && isfinite(a.d1) && isfinite(a.d2);
}

/* f d, where something that does not move is not moved by an infinite f. */
static double moved(double f, double d) {
    return d == 0.0 ? 0.0 : f * d;
}

CrdJet crd_jet_chain(CrdJet a, double f, double f1, double f2) {
    return (CrdJet){f, moved(f1, a.d1), moved(f1, a.d2) + moved(moved(f2, a.d1), a.d1)};
}

CrdJet crd_jet_add(CrdJet a, CrdJet b) {
    return (CrdJet){a.x + b.x, a.d1 + b.d1, a.d2 + b.d2};
}

CrdJet crd_jet_subtract(CrdJet a, CrdJet b) {
    return (CrdJet){a.x - b.x, a.d1 - b.d1, a.d2 - b.d2};
}

CrdJet crd_jet_multiply(CrdJet a, CrdJet b) {
    return (CrdJet){a.x * b.x, a.d1 * b.x + a.x * b.d1, a.d2 * b.x + 2.0 * a.d1 * b.d1 + a.x * b.d2};
}

CrdJet crd_jet_divide(CrdJet a, CrdJet b) {
    CrdJet q;
    q.x = a.x / b.x;
    q.d1 = (a.d1 - q.x * b.d1) / b.x;
    q.d2 = (a.d2 - 2.0 * q.d1 * b.d1 - q.x * b.d2) / b.x;
    return q;
}

CrdJet crd_jet_sqrt(CrdJet a) {
    double y = sqrt(a.x);
    if (a.x == 0.0 && a.d1 == 0.0) return (CrdJet){y, sqrt(0.5 * a.d2), 0.0}; /* the kink of expr.h; NaN for d2 < 0 */
    double d1 = moved(0.5 / y, a.d1);
    return (CrdJet){y, d1, moved(0.5 / y, a.d2) - moved(d1 / y, d1)};
}

CrdJet crd_jet_log(CrdJet a) {
    double inverse = 1.0 / a.x, d1 = moved(inverse, a.d1);
    return (CrdJet){a.x > 0.0 ? log(a.x) : CRD_UNDEFINED, d1, moved(inverse, a.d2) - d1 * d1};
}

double crd_power(double a, double b) {
    if (b == 2.0) return a * a;
    if (b == 0.5) return sqrt(a);
    if (b == 1.0) return a;
    return pow(a, b);
}

/* a^p; factors that are 0 stand first, so that x^2 and x^1 are differentiated at 0 too. */
static CrdJet constant_power(CrdJet a, double p) {
    if (p == 0.5) return crd_jet_sqrt(a);
    double f1 = p == 0.0 ? 0.0 : p * crd_power(a.x, p - 1.0);
    double f2 = p == 0.0 || p == 1.0 ? 0.0 : p * (p - 1.0) * crd_power(a.x, p - 2.0);
    bool lost = fabs(f2) < DBL_MIN && p != 0.0 && p != 1.0 && a.x != 0.0; /* faded beyond numbers */
    if (lost) {
        double y = crd_power(a.x, p), rate = a.d1 / a.x;
        return (CrdJet){y, p * y * rate, p * y * (a.d2 / a.x + (p - 1.0) * rate * rate)};
    }
    return crd_jet_chain(a, crd_power(a.x, p), f1, f2);
}

/* 0^b with b > 0 that moves: all terms of a derivative of order n fade as a^(b - n) does. */
static CrdJet zero_to_varying(CrdJet a, CrdJet b) {
    bool still = a.d1 == 0.0 && a.d2 == 0.0;
    return (CrdJet){crd_power(a.x, b.x), still || b.x > 1.0 ? 0.0 : CRD_UNDEFINED,
                    still || b.x > 2.0 ? 0.0 : CRD_UNDEFINED};
}

CrdJet crd_jet_power(CrdJet a, CrdJet b) {
    if (b.d1 == 0.0 && b.d2 == 0.0) return constant_power(a, b.x);
    if (a.x == 0.0 && b.x > 0.0) return zero_to_varying(a, b);
    CrdJet w = crd_jet_multiply(b, crd_jet_log(a));
    double y = crd_power(a.x, b.x);
    return (CrdJet){y, y * w.d1, y * (w.d2 + w.d1 * w.d1)};
}

CrdJet crd_jet_atan2(CrdJet y, CrdJet x) {
    bool still = y.d1 == 0.0 && y.d2 == 0.0 && x.d1 == 0.0 && x.d2 == 0.0;
    if (still) return crd_jet_constant(atan2(y.x, x.x));
    double h = hypot(x.x, y.x), c = x.x / h, s = y.x / h;
    double turn = (c * y.d1 - s * x.d1) / h, stretch = (c * x.d1 + s * y.d1) / h;
    return (CrdJet){atan2(y.x, x.x), turn, (c * y.d2 - s * x.d2) / h - 2.0 * turn * stretch};
}

double crd_between(double x, double x0, double y0, double x1, double y1) {
    assert(x0 < x1);
    return y0 + (x - x0) / (x1 - x0) * (y1 - y0);
}

CrdJet crd_jet_between(CrdJet x, CrdJet x0, CrdJet y0, CrdJet x1, CrdJet y1) {
    assert(x0.x < x1.x);
    CrdJet part = crd_jet_divide(crd_jet_subtract(x, x0), crd_jet_subtract(x1, x0));
    return crd_jet_add(y0, crd_jet_multiply(part, crd_jet_subtract(y1, y0)));
}
