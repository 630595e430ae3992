/* The workspace of a relative model, and the functions of its tree in space and in the plane.
 *
 * Link k, parent p, o the joint's point on k, d = o_k - o_p. Twists (w, v of o) and wrenches (moment about o, force)
 * are in ground axes, in the plane (w, vx, vy) and (moment, fx, fy); accelerations are those of the point o. H is the
 * joint's motion: revolute (n; 0), prismatic (0; n), screw (n; pitch n), spherical (1; 0), free (1), particle (0; 1).
 *
 *     outward      w, v and the accelerations al, ac at zero second derivatives, from the parent's
 *     inertias     I = [J, [mc]x; -[mc]x, m 1] + children;  D = H^T I H = L L^T;  U = I H L^-T;
 *                  to the parent I - U U^T, moved by d
 *     N f          u = f - H^T p;  y = L^-1 u;  to the parent p + U y, moved by d
 *     N^T y        x = (al_p, ac_p + al_p x d);  q'' = L^-T (y - U^T x);  x + H q''
 * so that M^-1 = N^T N (R. Featherstone, Rigid Body Dynamics Algorithms, 2008, ch. 7; G. Rodriguez, A. Jain,
 * K. Kreutz-Delgado 1991 for the factors). A loop row is a sum of wrenches P on links, and goes up TO THE ROOT, where
 * ways meet, too:
 *     G_k = H^T P, P moved by d          T_k = L^-1 H^T P, P - U T_k moved by d          S = T T^T
 *     S lambda = T N f - gamma,  q'' = N^T (N f - T^T lambda)
 * The frame's accelerations at zero q'' are part of gamma. The factor (U, L, n, d) stays when the frames move, so that
 * corrections can be made with it. */
#ifndef CRD_EQUATIONS_TREE_WORK_H
#define CRD_EQUATIONS_TREE_WORK_H

#include "core/memory.h"
#include "model/tree.h"

typedef struct CrdSystem CrdSystem;

/* A link in space; ground axes: three cache lines. */
typedef struct CrdLinkMotion {
    double rotation[9]; /* of its frame */
    CrdVec n;           /* unit; the joint's axis */
    CrdVec d;           /* m; from the parent's o */
    CrdVec w;           /* rad/s */
    CrdVec al, ac;      /* rad/s^2; m/s^2, of o: at zero second derivatives of coordinates */
} CrdLinkMotion;

/* A link in the plane: d, w and ac as above, and the angle of its frame with its sine and cosine: one cache line. */
typedef struct CrdPlaneMotion {
    double angle, sine, cosine, w;
    double d[2], ac[2];
} CrdPlaneMotion;

/* Numbers of the records of a factor: where the parts stand; what a hinge does not have comes last. */
enum { CRD_SPACE_SUM = 27, CRD_PLANE_SUM = 9 };
enum { CRD_ONE_U = 0, CRD_ONE_N = 6, CRD_ONE_D = 9, CRD_ONE_SCALE = 12, CRD_ONE_PITCH = 13 };
enum { CRD_BALL_L = 0, CRD_BALL_X = 6, CRD_BALL_D = 15, CRD_BALL_R = 18 };
enum { CRD_FREE_L = 0, CRD_FREE_R = 21 };
enum { CRD_PLANE_U = 0, CRD_PLANE_D = 3, CRD_PLANE_SCALE = 5, CRD_PLANE_N = 6 };

/* In a workspace those of gravity and of motion, at the frames. */
typedef struct CrdEnergies {
    double potential, kinetic; /* J */
} CrdEnergies;

typedef struct CrdTreeWork {
    CrdLinkMotion *motion; /* by link; [-1]: the ground */
    CrdPlaneMotion *plane; /* the same in the plane */
    const double *q, *v;   /* of the frames */
    double *speeds;        /* 3 (plane: 2) by link: m/s, of o; known with the frames; [-1]: the ground */
    double *factor;        /* by link, see above */
    double *extra;         /* by link, 6 (plane: 3): accelerations on the way outward; [-1]: the ground. N^T leaves only
                            * what it reads itself, `spread` all */
    double *sums;          /* slots x CRD_SPACE_SUM or CRD_PLANE_SUM: inertias and wrenches on the way inward */
    double *pushes;        /* slots x 6 (plane: 3): wrenches on the way inward */
    double *wrenches;      /* of loop rows, 6 (plane: 3) each: by element, attachment, row */
    double *ways;          /* walk slots x rows x 6 (plane: 3), of one element: the same on their way */
    double *scale;         /* (rows) squares of sizes of rows on their own bodies, in the metric of masses */
    double *pivot_size;    /* (rows) what pivots of the last factor are measured by: scale, and 1 where S is masked */
    double *ones;          /* (rows) the same of kinematic rows */
    double *bias;          /* (nv) N f of gravity and of what depends on velocities, by the last factor */
    bool loaded;           /* there are loads besides */
    CrdEnergies energies;  /* made with the frames where `summed` says so; else zero */
    bool summed, is_aside; /* of the one that is aside frames alone are wanted */
    double *forced;        /* (nv) scratch of crd_add_forced */
    bool euclidean;        /* the last factor was one of G G^T: N is the identity */
} CrdTreeWork;

/* What has a range of links works on them alone, so that branches are swept side by side (tree_sweep.h). */
typedef struct CrdTreeOps {
    int twist; /* numbers of a twist */
    int sum;   /* numbers of an inertia with a wrench */
    /* motion of links at q, v; then the frames, with which it is known */
    void (*motions)(const CardanModel *model, const CrdSystem *system, CrdRange links);
    void (*frames)(const CardanModel *model, const CrdSystem *system, CrdRange links);
    /* rate of a frame's twist at zero second derivatives, as a twist row meets it */
    void (*bias)(const CardanModel *model, const CrdSystem *system, int link, double *out);
    /* f from the loads of frames; x is not used */
    void (*forces)(const CardanModel *model, const CrdSystem *system, CrdRange links, double *x);
    /* the factor, and x <- N f of gravity and of what depends on velocities */
    void (*inertias)(const CardanModel *model, const CrdSystem *system, CrdRange links, double *x);
    /* bias + N (forces of loads); N x; N^T x */
    void (*pushed)(const CardanModel *model, const CrdSystem *system, CrdRange links, double *x);
    void (*inward)(const CardanModel *model, const CrdSystem *system, CrdRange links, double *x);
    void (*outward)(const CardanModel *model, const CrdSystem *system, CrdRange links, double *x);
    /* accelerations of links, into extra, of second derivatives x, at rest; x is only read */
    void (*spread)(const CardanModel *model, const CrdSystem *system, CrdRange links, double *x);
    /* H^T of the momenta of those */
    void (*momenta)(const CardanModel *model, const CrdSystem *system, CrdRange links, double *y);
    /* half the sum of their squares by the masses */
    double (*kinetic)(const CardanModel *model, const CrdSystem *system);
    /* pieces of G, rate, gamma and size of an element's rows, from their twist rows */
    void (*rows)(const CardanModel *model, int element, CrdSystem *system);
    /* pieces of T */
    void (*eliminate)(const CardanModel *model, int element, CrdSystem *system);
} CrdTreeOps;

extern const CrdTreeOps crd_tree_in_space, crd_tree_in_plane;

#endif
