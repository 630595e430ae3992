/* Newton for both feet, r = point - c(s):
 *     for rows     T . r = 0, T held:       ds = (T . r) / (T . c1)
 *     nearest      r . c1(s) = 0:           ds = (r . c1) / (c1 . c1 - r . c2)
 * On the path they agree. What the first leaves after a step ds is ds^2 (T . c2) / (2 T . c1), and a step smaller than
 * rounding need not be made. */
#include "joint/foot.h"

#include "core/numbers.h"
#include "core/rotation.h"

#include <assert.h>

/* Newton iterations for the foot of a point on a path: quadratic from the parameter followed so far, so 3 or 4 do; more
 * only from a far guess. */
#define CRD_FOOT_ITERATIONS 50

/* A step this small against 1 + |s|, and no smaller than the one before, is rounding. */
#define CRD_FOOT_ROUNDING 1e-12

/* Steps from which on what the next one would be is known by c2 alone: what c3 adds is their cube, and is lost in
 * rounding unless c3 is 1e8 times c1. Not against |s|: a path does not straighten out where s is large. */
#define CRD_FOOT_CLOSE 1e-8

/* c, c1, c2 at s. */
static CardanStatus path_at(const CrdPath *path, double s, CrdFoot *out, CrdError *error) {
    double c[3] = {0}, c1[3] = {0}, c2[3] = {0};
    const CrdSide *sides = path->sides;
    assert(path->dimensions == 2 || path->dimensions == 3);
    path->variables[0] = (CrdJet){s, 1.0, 0.0};
    for (int k = 0; k < path->dimensions; k++) {
        CrdJet value;
        CRD_TRY(crd_expr_held_jet(path->law[k], path->variables, sides, &value, error));
        if (sides != NULL) sides += crd_expr_kink_count(path->law[k]);
        c[k] = value.x;
        c1[k] = value.d1;
        c2[k] = value.d2;
    }
    out->s = s;
    out->c = crd_vec_of(c);
    out->c1 = crd_vec_of(c1);
    out->c2 = crd_vec_of(c2);
    return CARDAN_OK;
}

static CardanStatus hold_tangent(const CrdPath *path, CrdFoot *foot, CrdError *error) {
    double speed = crd_norm(foot->c1);
    if (!(speed > 0.0))
        return crd_fail(error, CARDAN_ERR_NUMERIC, "the path stands still at s = %.9g and has no tangent there",
                        foot->s);
    if (!isfinite(speed))
        return crd_fail(error, CARDAN_ERR_NUMERIC, "the path is too long to compute with at s = %.9g", foot->s);
    foot->tangent = crd_scale(1.0 / speed, foot->c1);
    foot->across[0] = crd_vec(-foot->tangent.y, foot->tangent.x, 0.0);
    if (path->dimensions == 3) crd_across(foot->tangent, &foot->across[0], &foot->across[1]);
    return CARDAN_OK;
}

/* Has the iteration arrived? Its last steps are rounding and need not become smaller. */
static bool arrived(double step, double before, double s) {
    assert(!isnan(step)); /* the path would have said so */
    double scale = 1.0 + fabs(s);
    return fabs(step) <= CRD_EPS * scale || (fabs(step) <= CRD_FOOT_ROUNDING * scale && fabs(step) >= fabs(before));
}

/* Would the step after this one be rounding? */
static bool is_last(const CrdFoot *foot, double step) {
    double scale = 1.0 + fabs(foot->s);
    return fabs(step) <= CRD_FOOT_CLOSE && 0.5 * fabs(crd_dot(foot->tangent, foot->c2)) * step * step <=
                                               0.5 * CRD_EPS * scale * fabs(crd_dot(foot->tangent, foot->c1));
}

CardanStatus crd_foot_find(const CrdPath *path, CrdVec point, double near, CrdFoot *out, CrdError *error) {
    double step = (double)INFINITY, before;
    *out = (CrdFoot){0};
    CRD_TRY(path_at(path, near, out, error));
    CRD_TRY(hold_tangent(path, out, error));
    for (int i = 0; i < CRD_FOOT_ITERATIONS; i++) {
        before = step;
        step = crd_dot(out->tangent, crd_sub(point, out->c)) / crd_dot(out->tangent, out->c1);
        if (!isfinite(step)) break;
        if (step == 0.0) return CARDAN_OK;
        CRD_TRY(path_at(path, out->s + step, out, error));
        if (is_last(out, step) || arrived(step, before, out->s)) return CARDAN_OK;
    }
    return crd_fail(error, CARDAN_ERR_NUMERIC, "the point is not beside the path near s = %.9g", near);
}

/* The best of a grid; parameters where the path has no value are passed over. */
static CardanStatus search(const CrdPath *path, CrdVec point, double *s, CrdError *error) {
    double min = (double)INFINITY;
    for (int i = 0; i <= CRD_CURVE_SAMPLES; i++) {
        double at = CRD_CURVE_SEARCH * (2.0 * i / CRD_CURVE_SAMPLES - 1.0);
        CrdFoot foot;
        CrdError ignored = {0};
        if (path_at(path, at, &foot, &ignored) < 0) continue;
        double distance = crd_norm(crd_sub(point, foot.c));
        bool better = distance < min || (distance == min && fabs(at) < fabs(*s));
        if (!better) continue;
        min = distance;
        *s = at;
    }
    if (isfinite(min)) return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_MODEL, "the path has no value for s from %g to %g", -CRD_CURVE_SEARCH,
                    CRD_CURVE_SEARCH);
}

CardanStatus crd_foot_nearest(const CrdPath *path, CrdVec point, bool given, double *s, CrdError *error) {
    CrdFoot foot;
    double step = (double)INFINITY;
    if (!given) CRD_TRY(search(path, point, s, error));
    CRD_TRY(path_at(path, *s, &foot, error));
    for (int i = 0; i < CRD_FOOT_ITERATIONS; i++) {
        CrdVec r = crd_sub(point, foot.c);
        double square = crd_dot(foot.c1, foot.c1), curved = square - crd_dot(r, foot.c2), before = step;
        if (!(square > 0.0)) break;
        step = crd_dot(r, foot.c1) / (curved > 0.0 ? curved : square);
        CRD_TRY(path_at(path, foot.s + step, &foot, error));
        if (arrived(step, before, foot.s)) break;
    }
    *s = foot.s;
    return CARDAN_OK;
}
