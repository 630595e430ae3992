/* Implicit Runge-Kutta methods as constant data (Hairer, Wanner, IV.5; Hairer, Lubich, Wanner, II.1). Gauss has the
 * zeros of the shifted Legendre polynomial of degree s as nodes and order 2 s; the implicit midpoint rule is the one
 * with s = 1. Radau IIA ends on its last stage, and its error estimate is filtered so that stiff components do not
 * spoil it. */
#include "integrate/methods/implicit.h"

#include <string.h>

#define ROOT_3 1.7320508075688773 /* sqrt(3) */
#define ROOT_6 2.449489742783178  /* sqrt(6) */
#define ROOT_15 3.872983346207417 /* sqrt(15) */

const CrdImplicitTableau crd_implicit_methods[CRD_IMPLICIT_METHODS] = {
    {.name = "backward_euler",
     .order = 1,
     .stage_order = 1,
     .stages = 1,
     .a = {{1.0}},
     .b = {1.0},
     .c = {1.0},
     .ends_on_stage = true},
    {.name = "trapezoidal",
     .order = 2,
     .stage_order = 2,
     .stages = 1,
     .a = {{0.5}},
     .b = {0.5},
     .c = {1.0},
     .start = {0.5},
     .start_end = 0.5,
     .ends_on_stage = true},
    {.name = "implicit_midpoint",
     .order = 2,
     .stage_order = 1,
     .stages = 1,
     .a = {{0.5}},
     .b = {1.0},
     .c = {0.5},
     .symmetric = true},
    {.name = "gauss",
     .order = 6,
     .stage_order = 3,
     .stages = 3,
     .a = {{5.0 / 36.0, 2.0 / 9.0 - ROOT_15 / 15.0, 5.0 / 36.0 - ROOT_15 / 30.0},
           {5.0 / 36.0 + ROOT_15 / 24.0, 2.0 / 9.0, 5.0 / 36.0 - ROOT_15 / 24.0},
           {5.0 / 36.0 + ROOT_15 / 30.0, 2.0 / 9.0 + ROOT_15 / 15.0, 5.0 / 36.0}},
     .b = {5.0 / 18.0, 4.0 / 9.0, 5.0 / 18.0},
     .c = {0.5 - ROOT_15 / 10.0, 0.5, 0.5 + ROOT_15 / 10.0},
     .symmetric = true},
    {.name = "gauss4",
     .order = 4,
     .stage_order = 2,
     .stages = 2,
     .a = {{0.25, 0.25 - ROOT_3 / 6.0}, {0.25 + ROOT_3 / 6.0, 0.25}},
     .b = {0.5, 0.5},
     .c = {0.5 - ROOT_3 / 6.0, 0.5 + ROOT_3 / 6.0},
     .symmetric = true},
    /* filter: the inverse of the real eigenvalue 3.6378342527444957 of A^-1 (Hairer, Wanner, IV.8) */
    {.name = "radau5",
     .order = 5,
     .stage_order = 3,
     .stages = 3,
     .a = {{(88.0 - 7.0 * ROOT_6) / 360.0, (296.0 - 169.0 * ROOT_6) / 1800.0, (-2.0 + 3.0 * ROOT_6) / 225.0},
           {(296.0 + 169.0 * ROOT_6) / 1800.0, (88.0 + 7.0 * ROOT_6) / 360.0, (-2.0 - 3.0 * ROOT_6) / 225.0},
           {(16.0 - ROOT_6) / 36.0, (16.0 + ROOT_6) / 36.0, 1.0 / 9.0}},
     .b = {(16.0 - ROOT_6) / 36.0, (16.0 + ROOT_6) / 36.0, 1.0 / 9.0},
     .c = {(4.0 - ROOT_6) / 10.0, (4.0 + ROOT_6) / 10.0, 1.0},
     .ends_on_stage = true,
     .filter = 0.27488882959567734,
     .estimate = {(-13.0 - 7.0 * ROOT_6) / 3.0, (-13.0 + 7.0 * ROOT_6) / 3.0, -1.0 / 3.0}},
};

const CrdImplicitTableau *crd_implicit_find(const char *name) {
    for (int i = 0; i < CRD_IMPLICIT_METHODS; i++)
        if (strcmp(crd_implicit_methods[i].name, name) == 0) return &crd_implicit_methods[i];
    return NULL;
}
