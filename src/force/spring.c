/* Spring and damper between a point of a and a point of b.
 *     d = p_b - p_a,  n = d / |d|,  x = |d| - length,  tension T = stiffness x + damping x'
 *     force T n on a, -T n on b;  potential stiffness x^2 / 2;  power of the damper -damping x'^2
 * Points that coincide have no direction: the force is then zero (x is at its least there and n is undefined). */
#include "force/records.h"

static CardanStatus apply(const CrdForceData *s, const CrdForceInput *in, CrdLoads *loads) {
    const CardanFrame *a = &in->frames[s->a], *b = &in->frames[s->b];
    CrdVec pa = crd_add(a->x, crd_apply(a->rotation, s->point_a));
    CrdVec pb = crd_add(b->x, crd_apply(b->rotation, s->point_b));
    CrdVec va = crd_add(a->v, crd_apply(a->rotation, crd_cross(a->w, s->point_a)));
    CrdVec vb = crd_add(b->v, crd_apply(b->rotation, crd_cross(b->w, s->point_b)));
    CrdVec d = crd_sub(pb, pa);
    double distance = crd_norm(d), x = distance - s->length;
    loads->potential += 0.5 * s->stiffness * x * x;
    if (distance == 0.0) return CARDAN_OK;
    CrdVec n = crd_scale(1.0 / distance, d);
    double rate = crd_dot(n, crd_sub(vb, va)), tension = s->stiffness * x + s->damping * rate;
    crd_push(loads, in->frames, s->a, s->point_a, crd_scale(tension, n));
    crd_push(loads, in->frames, s->b, s->point_b, crd_scale(-tension, n));
    loads->power -= s->damping * rate * rate;
    return CARDAN_OK;
}

const CrdForceKind crd_spring = {.name = "spring", .apply = apply};
