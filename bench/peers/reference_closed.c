/* Mechanisms of one freedom, the angle of the crank, with effective mass m and potential V:
 *     m angle'' + m' angle'^2 / 2 + V' = 0.
 * It stays smooth in the poses where the loops lose rank. */
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Crank {
    bool slider;
    Real r, g; /* slider-crank: length of the crank, the rod has 1 m */
    Real pull; /* parallel cranks: angle'' = -pull cos(angle) */
} Crank;

/* The rod of the slider-crank: its angle and derivatives by that of the crank. With equal lengths they are the same. */
typedef struct Rod {
    Real sine, cosine, first, second;
} Rod;

static Rod rod_of(Real r, Real angle) {
    Rod rod = {r * sinl(angle), cosl(angle), 1, 0};
    if (r == 1) return rod;
    rod.cosine = sqrtl(1 - rod.sine * rod.sine);
    rod.first = r * cosl(angle) / rod.cosine;
    rod.second = (rod.sine * rod.first * rod.first - rod.sine) / rod.cosine;
    return rod;
}

static Real slider_speed(Real r, Real angle, const Rod *rod) {
    return -r * sinl(angle) - rod->sine * rod->first;
}

static Real slider_change(Real r, Real angle, const Rod *rod) {
    return -r * cosl(angle) - rod->cosine * rod->first * rod->first - rod->sine * rod->second;
}

static void slope(void *user, const Real *y, Real *dydt) {
    const Crank *crank = user;
    Real s = sinl(y[0]), c = cosl(y[0]), r = crank->r;
    dydt[0] = y[1];
    dydt[1] = -crank->pull * c;
    if (!crank->slider) return;
    Rod rod = rod_of(r, y[0]);
    Real square = rod.first * rod.first;
    Real vx = -r * s - rod.sine * rod.first / 2, vy = r * c - rod.cosine * rod.first / 2;
    Real dvx = -r * c - (rod.cosine * square + rod.sine * rod.second) / 2;
    Real dvy = -r * s + (rod.sine * square - rod.cosine * rod.second) / 2;
    Real v = slider_speed(r, y[0], &rod), dv = slider_change(r, y[0], &rod);
    Real mass = r * r / 3 + vx * vx + vy * vy + square / 12 + v * v;
    Real half_change = vx * dvx + vy * dvy + rod.first * rod.second / 12 + v * dv;
    dydt[1] = -(half_change * y[1] * y[1] + crank->g * r * c) / mass;
}

static void slider_results(const Crank *crank, const Real start[2], const Real y[2], Real *ends, Real *accelerations) {
    Real s = sinl(y[0]), c = cosl(y[0]), r = crank->r, dydt[2];
    Rod rod = rod_of(r, y[0]);
    const Real all[9] = {r * c, r * s, 0, r * c + rod.cosine, 0, 0, r * c + rod.cosine, 0, 0};
    memcpy(ends, all, sizeof all);
    Crank copy = *crank;
    slope(&copy, start, dydt);
    rod = rod_of(r, start[0]);
    accelerations[0] = dydt[1];
    accelerations[1] = -rod.first * dydt[1] - rod.second * start[1] * start[1] - dydt[1];
    accelerations[2] =
        slider_speed(r, start[0], &rod) * dydt[1] + slider_change(r, start[0], &rod) * start[1] * start[1];
}

static void cranks_results(const Problem *problem, const Crank *crank, const Real start[2], const Real y[2], Real *ends,
                           Real *accelerations) {
    for (int i = 0; i < problem->bodies; i++) { /* crank, then coupler and crank in turn */
        Real *end = ends + 3 * i;
        end[0] = (Real)((i + 1) / 2) + cosl(y[0]);
        end[1] = sinl(y[0]);
        end[2] = 0;
        accelerations[i] = (i % 2 == 0 ? -1 : 1) * crank->pull * cosl(start[0]);
    }
}

bool closed_form(const Problem *problem, long steps, Real *ends, Real *accelerations) {
    const Real pi = acosl(-1);
    bool slider = strstr(problem->name, "slider_crank") != NULL, upright = strcmp(problem->name, "four_bars") == 0;
    Real n = problem->size, work[2 * (COLUMNS + 4)];
    if (!slider && !upright && strcmp(problem->name, "ladder") != 0) return false;
    Crank crank = {slider, strcmp(problem->name, "slider_crank") == 0 ? 0.5L : 1, problem->gravity,
                   problem->gravity * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)};
    Real y[2] = {slider ? pi / 4 : upright ? pi / 2 : 1, problem->tree[0].rate}, start[2] = {y[0], y[1]};
    for (long i = 0; i < steps; i++) extrapolate(slope, &crank, 2, (Real)problem->end_time / steps, y, work);
    if (slider)
        slider_results(&crank, start, y, ends, accelerations);
    else
        cranks_results(problem, &crank, start, y, ends, accelerations);
    return true;
}
