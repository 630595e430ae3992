/* Numbers that several files share, each with its unit, its reason and, where there is one, its source. A number that
 * one file alone uses stands at the head of that file. */
#ifndef CRD_CORE_NUMBERS_H
#define CRD_CORE_NUMBERS_H

/* One ulp at 1. */
#define CRD_EPS 2.220446049250313e-16

#define CRD_PI 3.14159265358979323846

/* ---- model checks ---- */

/* Largest number of a description, and smallest mass and moment of inertia, in SI: squares, and products of a square
 * and another, do not overflow. No mechanism comes near. */
#define CRD_NUMBER_MAX 1e100
#define CRD_NUMBER_MIN 1e-100

/* Relative slack of the triangle inequality of principal moments: thin bodies lie on it (docs/FORMAT.md, Bodies). */
#define CRD_INERTIA_SLACK 1e-12

/* ---- forces ---- */

/* Step of central differences of size-1 numbers, the cube root of eps: truncation h^2 and rounding eps / h meet there.
 */
#define CRD_DIFFERENCE_STEP 6e-6

/* ---- start ---- */

/* Scaled residual of the given pose below which it is projected with a remark (docs/FORMAT.md, Start). */
#define CRD_START_RESIDUAL 1e-8

/* Scaled residual that is rounding of the numbers as written: projected without a word. About 16 digits printed of
 * numbers of size 1, through a few operations. */
#define CRD_START_ROUNDING 1e-14

/* Newton iterations of a projection: quadratic convergence needs 6 from 1e-1; the rest is for poor guesses. */
#define CRD_PROJECT_ITERATIONS 40

/* Projection has converged when the scaled residual is below this, or has stopped falling below START_RESIDUAL. */
#define CRD_PROJECT_TOLERANCE 1e-14

/* ---- multipliers ---- */

/* A pivot below this times its original diagonal entry is round-off of a sum of n cancelling terms of size 1: the rows
 * are dependent. Mass ratios of 1e10 on regular chains reach only 4e-10 (SINGULARITIES), so they raise nothing. */
#define CRD_PIVOT_DEPENDENT 1e-13

/* A pivot more negative than this times its diagonal entry is no rounding of a matrix G W G^T: it is refused even where
 * dependent rows are left out. Rounding leaves about n eps, 1e-10 for a million rows. */
#define CRD_PIVOT_NEGATIVE 1e-8

/* Singular values of the row-scaled M^-1/2 G^T against the largest, below which they are zero. On the manifold the
 * rows are known to about 1e-15 / (distance to the next singular pose); the oracle uses the same number. */
#define CRD_RANK_TOLERANCE 1e-7

/* Kinematic singular values (equations/kinematic.h) against the largest that are zero to rounding: poses are known to
 * some 1e-15, and rows with them (RANK_AND_BRANCH 1.3). */
#define CRD_RANK_EXACT 1e-12

/* Largest tolerance of redundancy that may be asked for: beyond it openings are no errors of data. */
#define CRD_REDUNDANCY_MOST 1e-2

/* Entry of a null vector, against the largest, below which it is rounding and its row takes no part. */
#define CRD_NULL_SUPPORT 1e-6

/* ---- analysis ---- */

/* Largest rows x velocities for which constraint rows are looked at densely: the singular value decomposition of 1055
 * rows in 846 velocities takes about 0.2 s, and a look takes some tens of them. Beyond it only the pivots of the sparse
 * factor speak. */
#define CRD_DENSE_LOOK 1000000

/* Neighbours of a pose, along random feasible directions: how many, how far (lengths of the model, or rad), and the
 * scaled residual up to which they count as being on the manifold (the oracle's numbers). */
#define CRD_NEIGHBOURS 12
#define CRD_NEIGHBOUR_NEAR 0.05
#define CRD_NEIGHBOUR_FAR 0.15
#define CRD_NEIGHBOUR_LEFT 1e-11

/* ---- curves ---- */

/* Where the nearest foot is looked for when no parameter is given (format 1: -10 <= s <= 10), and in how many parts. */
#define CRD_CURVE_SEARCH 10.0
#define CRD_CURVE_SAMPLES 4000

/* ---- stabilisation ---- */

/* Rounding floor of residuals in units of the row's scale: a sum of some tens of terms. */
#define CRD_RESIDUAL_FLOOR 1e-14

/* ---- step size ---- */

#define CRD_STEP_SAFETY 0.9   /* of the step that would just meet the tolerance (Hairer, Norsett, Wanner, II.4) */
#define CRD_STEP_SHRINK 0.2   /* smallest factor after a rejected step */
#define CRD_STEP_GROW 6.0     /* largest factor after an accepted step */
#define CRD_STEP_FAILED 0.25  /* factor after a step that could not be computed at all */
#define CRD_STEP_MIN_ULP 16.0 /* smallest step in ulps of t: below it t + h c does not advance reliably */

/* s; the time scale whose ulps bound the step near t = 0. It matters only where steps fail all the way down to it, so
 * copies of a motion in other units of time do not meet it. */
#define CRD_STEP_TIME_SCALE 1e-3

/* A step that would stop this share of itself short of a limit is stretched to land on it: far below any error a step
 * makes, far above the rounding of t after 1e7 steps. */
#define CRD_STEP_STRETCH 1e-8

/* A step below this part of what it would have been, had it not had to land on a time, adds no node: formulas over
 * grids with larger ratios amplify what is in the last digits. */
#define CRD_ADAMS_CRUMB 0.1

/* ---- first step size (Hairer, Norsett, Wanner, II.4); sizes of y and y' are in units of the tolerance ---- */

#define CRD_FIRST_SMALL 1e-5    /* y, or y' over the way to the limit, below this says nothing about the time scale */
#define CRD_FIRST_STEP 1e-6     /* of the way to the limit (s where there is none): guess when nothing is known */
#define CRD_FIRST_FRACTION 0.01 /* part of y that the trial step may change, and of the tolerance it may use */
#define CRD_FIRST_GROW 100.0    /* largest first step, in trial steps */
#define CRD_FIRST_FLAT 1e-15    /* y' and y'' below this are zero: */
#define CRD_FIRST_FLAT_FACTOR 1e-3 /* then this part of the trial step */

/* ---- singular poses: all closenesses are singularity measures (dynamics/monitor.h) ---- */

/* A pivot below this times its diagonal entry is left out. Redundant rows leave rounding, 1e-16 to 1e-14; mass ratios
 * of 1e10 on regular chains reach 4e-10. */
#define CRD_PIVOT_DROP 1e-12

/* Pivot of M^-1/2 G^T against the largest, below which a row says nothing. */
#define CRD_POSE 1e-7

/* Singularity measure below which solves are refined and the stages of a step put on the constraints. */
#define CRD_APPROACH 0.05

/* Singularity measure of a stage below which it is asked whether the step will cross a pose well: from there on it
 * falls so nearly in proportion to the distance that two stages tell where the pose is, to a tenth of the way. */
#define CRD_FORESEE 0.5

/* Singularity measure below which steps are laid to cross a pose well, and below which a dip is looked at for the log.
 */
#define CRD_CROSSING_WATCH 0.15
#define CRD_PASSAGE_WATCH 0.3

/* Singularity measure below which a dip was a passage through a singular pose; the interpolation that is searched for
 * the lowest point is good to the tolerance only. */
#define CRD_PASSAGE 0.03

/* Singularity measure at which a passage is over; a dip from here on is another one. */
#define CRD_PASSAGE_LEFT 0.1

/* Singularity measure below which the vanishing row is left out and accelerations come from both sides of the pose, and
 * no step ends if it can be helped: rounding leaves eps / measure^2 in velocities. */
#define CRD_LAND 0.01

/* A correction onto the constraints longer than this share of the distance to the pose might change the branch. */
#define CRD_BRANCH_SHARE 0.5

/* A row of velocities is left out before a row of places when what the kept rows leave of it unexplained, a square, is
 * above this part of the most: a loss of a tenth in the pivots against places that would drift. */
#define CRD_CHOOSE_RATE 0.01

/* Entries of G up to which a simulation keeps room for rank-revealing looks inside steps (a look takes some 10 times as
 * many operations as the cube root of this squared: a third of a second). */
#define CRD_LOOK_IN_STEP 300000

/* ---- laboratory (src/lab) ---- */

/* Newton has converged when its correction is this part of the unknowns: with Jacobians good to 1e-10 the next one is
 * below an ulp. At the second number it may stop for rounding alone. */
#define CRD_LAB_NEWTON 1e-12
#define CRD_LAB_NEWTON_ROUNDING 1e-8

/* Newton iterations before a stage or a projection is given up; the linear rate of Gauss-Newton wants the room. */
#define CRD_LAB_ITERATIONS 50

/* Largest |h| that a projection leaves: rounding of invariants of size 1. */
#define CRD_LAB_PROJECT 1e-13

/* ---- events ---- */

/* Changes of a side without a step in between, and events of one function that follow each other within a small part of
 * the step that was tried, after which both sides are taken to lead back to the zero. */
#define CRD_EVENT_FLIPS 3
#define CRD_EVENT_QUICK 8
#define CRD_EVENT_QUICK_PART 1e-4

#endif
