/* Rows measured in their own units.
 *
 * Rows in metres and rows in radians stand in one vector. What is allowed of them is therefore two numbers, of a length
 * and of an angle, and a row is allowed length u.length + angle u.angle for its unit u: metres of a row in metres,
 * radians of a row in radians, the sum over its terms of a coupler. Rows of users and of custom blocks say nothing of
 * their unit; their derivatives do: u.length is the largest |G_ij| over lengths j, u.angle that over the rest, both at
 * most 1. */
#ifndef CRD_EQUATIONS_ROW_UNITS_H
#define CRD_EQUATIONS_ROW_UNITS_H

#include "equations/system.h"

typedef struct CrdAllowed {
    double length, angle; /* m, rad; or m/s, rad/s */
    const double *open;   /* by element: part of its size by which it may be open besides; NULL: none may */
} CrdAllowed;

/* The mechanism's own size, times `part`: its length, and a radian. */
CrdAllowed crd_part_of_size(const CardanModel *model, double part);

/* Largest speed and spin among velocities v; coordinates of custom blocks count as both. */
CrdAllowed crd_speeds(const CardanModel *model, const double *v);

/* What a row of an element is allowed. */
double crd_allowed_row(const CardanModel *model, const CrdSystem *system, int element, int row, CrdAllowed allowed);

/* Largest |row| in units of what is allowed, NaN if there is one; *worst is its row, where it is asked for. */
double crd_rows_excess(const CardanModel *model, const CrdSystem *system, const double *rows, CrdAllowed allowed,
                       int *worst);

/* The same of g, where rounding of a row's terms is allowed besides. */
double crd_position_excess(const CardanModel *model, const CrdSystem *system, CrdAllowed allowed, int *worst);

/* The same of the rates at v, where rounding is allowed besides: of terms and of what the speed is elsewhere, `noise`
 * times as much as where positions are known to an ulp. */
double crd_velocity_excess(const CardanModel *model, const CrdSystem *system, const double *v, CrdAllowed allowed,
                           double noise, int *worst);

#endif
