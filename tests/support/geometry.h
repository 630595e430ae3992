/* What joints say, as geometry: points that coincide, axes that are parallel, lengths that stay. From the definition,
 * the poses as written and the poses now, without any code of the library: something independent to hold its rows
 * against. Planar models are spatial ones in z = 0. */
#ifndef TESTS_SUPPORT_GEOMETRY_H
#define TESTS_SUPPORT_GEOMETRY_H

#include "cardan/cardan.h"

enum { GEOMETRY_ROWS_MAX = 6 };

/* Where a body stands and how it moves. */
typedef struct Place {
    double x[3], r[9]; /* ground axes; own axes to ground axes, row-major */
    double v[3], w[3]; /* both in ground axes */
} Place;

typedef struct Geometry {
    CardanJointType type;
    CardanSpace space;
    double la[3], lb[3]; /* its points, own axes */
    double ua[3], ub[3]; /* its axes, own axes */
    double ea[2][3], eb[2][3];
    double turn[9]; /* of b against a, in the poses as written */
    double along, length, pitch, radius;
    bool ball;
    double path[3];               /* driver along a path: its start */
    double circle, height;        /* curve: radius of a circle about a's axis z, and where on it */
    int first, second;            /* driver, coupler: places of its joints in the list, -1: none */
    CardanCoordinate which[2];    /* and their coordinates */
    double coefficient[2], speed; /* of the coupler; the drive is speed sin(t) */
} Geometry;

Place place_of_pose(CardanSpace space, const CardanPose *pose);
Place place_of_state(CardanSpace space, const CardanBodyState *state);
Place place_of_ground(void);

/* The small motion of a body by dx along, and by dw about, ground axes. */
void place_move(Place *place, const double *dx, const double *dw);

/* Of a joint as defined, with its bodies as written. Points, axes and lengths are looked at; drives and curves are the
 * caller's. */
Geometry geometry_of(CardanSpace space, const CardanJointDef *def, const Place *a, const Place *b);

/* Holonomic rows at time t; their number is returned. `all` are the joints of drives and couplers, `of` their bodies.
 */
int geometry_rows(const Geometry *joint, double t, const Place *a, const Place *b, double *g);

/* Nonholonomic rows: what they say of the motion; their number is returned. */
int geometry_rates(const Geometry *joint, const Place *a, const Place *b, double *rate);

/* Coordinate of a joint, from -pi to pi if it is an angle. */
double geometry_coordinate(const Geometry *joint, CardanCoordinate which, const Place *a, const Place *b);

#endif
