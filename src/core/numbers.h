/* Every internal number with its unit, its reason and, where there is one, its source. No tolerance stands bare in
 * the code. */
#ifndef CRD_CORE_NUMBERS_H
#define CRD_CORE_NUMBERS_H

/* One ulp at 1. */
#define CRD_EPS 2.220446049250313e-16

#define CRD_PI 3.14159265358979323846

/* |phi|^2 in rad^2 below which the factor of the rotation vector's rate, whose closed form cancels, is taken from its
 * series; the next term there is below one ulp. */
#define CRD_ROTATION_SERIES 1e-2

/* ---- model checks ---- */

/* Relative slack of the triangle inequality of principal moments: thin bodies lie on it (MODEL_FORMAT, bodies). */
#define CRD_INERTIA_SLACK 1e-12

/* Shortest axis, in the units given, that still names a direction. Axes are normalised, so only rubbish is shorter. */
#define CRD_AXIS_MIN 1e-100

/* ---- forces ---- */

/* Sine of the angle between a wheel's axis and its plane's normal below which the wheel lies flat and has no heading: the
 * direction forward is then known to eps / sine, here still 10 digits. */
#define CRD_TYRE_FLAT 1e-6

/* Step of central differences of size-1 numbers, the cube root of eps: truncation h^2 and rounding eps / h meet there. */
#define CRD_DIFFERENCE_STEP 6e-6

/* ---- start ---- */

/* Scaled residual of the given pose below which it is projected with a remark (MODEL_FORMAT, start). */
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

/* Below this a pivot is a suspicion that a rank-revealing factorisation looks into at compile (SINGULARITIES). */
#define CRD_PIVOT_SUSPECT 1e-6

/* Singular values of the row-scaled M^-1/2 G^T against the largest, below which they are zero. On the manifold the
 * rows are known to about 1e-15 / (distance to the next singular pose); the oracle uses the same number. */
#define CRD_RANK_TOLERANCE 1e-7

/* Reciprocal condition of the scaled saddle matrix at which it is singular to rounding: dependent rows leave about
 * 2e-17, a chain of 60 rows with a mass ratio of 1e10 has 4e-14 (measured on the systems of tests/unit). */
#define CRD_SADDLE_RCOND 1e-15

/* Entry of a null vector, against the largest, below which it is rounding and its row takes no part. */
#define CRD_NULL_SUPPORT 1e-6

/* Predicted work of a factorisation and a solve, in ns of one core (Ice Lake, 2.8 GHz, a plain x86-64 build): so many a
 * call, a row, an entry of L and an operation, fitted to chains of 1 to 1000 links, ladders of 1000 cells and nets of 9 to
 * 10 000 bodies, where they are right to 10 percent but for the smallest (`cardan bench solve` prints them beside what is
 * measured). On another processor they are wrong together: only their ratios decide. Of the dense solver: rows, squares
 * and cubes of rows. */
#define CRD_WORK_BLOCK {0.0, {14.0, 1.33, 0.089}}
#define CRD_WORK_SUPERNODAL {0.0, {57.0, 3.4, 0.060}}
#define CRD_WORK_CHOLMOD {135.0, {8.0, 6.0, 0.44}}
#define CRD_WORK_DENSE {0.0, {28.0, 2.9, 0.0084}}

/* Supernodes are joined up to these widths while the share of zeros in them stays below these numbers (CHOLMOD's
 * defaults nrelax and zrelax). */
#define CRD_RELAX_WIDTH_0 4
#define CRD_RELAX_WIDTH_1 16
#define CRD_RELAX_WIDTH_2 48
#define CRD_RELAX_ZEROS_1 0.8
#define CRD_RELAX_ZEROS_2 0.1
#define CRD_RELAX_ZEROS_3 0.05

/* Columns of a supernode that are factored before BLAS takes the rest: wide enough for its products. */
#define CRD_STRIP 32

/* ---- analysis ---- */

/* Largest rows x velocities for which constraint rows are looked at densely: the singular value decomposition of 1055 rows
 * in 846 velocities takes about 0.2 s, and a look takes some tens of them. Beyond it only the pivots of the sparse factor
 * speak. */
#define CRD_DENSE_LOOK 1000000

/* Operations (rows x velocities x the smaller) that decompositions at neighbours may cost, one each counted; a large model
 * gets fewer neighbours, but never less than 2. */
#define CRD_LOOK_WORK 3e9

/* Largest rows x velocities for which a rank is found by singular values; beyond it sparse QR takes over. Both take some
 * milliseconds there; a decomposition costs the cube of the rows, QR of chains and ladders their number. */
#define CRD_RANK_DENSE 6000

/* Random neighbours looked at by sparse QR. */
#define CRD_NEIGHBOURS_SPARSE 4

/* Neighbours of a pose, along random feasible directions: how many, how far (lengths of the model, or rad), and the
 * scaled residual up to which they count as being on the manifold (the oracle's numbers). */
#define CRD_NEIGHBOURS 12
#define CRD_NEIGHBOUR_NEAR 0.05
#define CRD_NEIGHBOUR_FAR 0.15
#define CRD_NEIGHBOUR_LEFT 1e-11

/* Singular values, against the largest, below which a Newton step near the manifold leaves a direction alone. */
#define CRD_ASSEMBLE_TRUNCATION 1e-8

/* The same in the first Newton steps from a far guess, where only what is well determined moves (the oracle's numbers).
 */
#define CRD_ASSEMBLE_COARSE {1e-2, 1e-3, 1e-4, 1e-6}

/* Largest Newton step from a far guess, in lengths of the model or rad: beyond it a linearised rotation says nothing. */
#define CRD_ASSEMBLE_REACH 0.5

/* Newton iterations without a smaller residual before the best so far is taken: near the manifold, from afar. */
#define CRD_ASSEMBLE_STUCK 2
#define CRD_ASSEMBLE_STUCK_FAR 6

/* Times which a held body's mass counts in the sparse factor while the rest is moved: so heavy that the iteration takes it
 * for fixed (what it would move is left out, each step misses this part), not so heavy that pivots suffer. */
#define CRD_HELD_MASS 1e6

/* A prescribed rate is free when what the constraints leave of its mobility exceeds this part of the mobility of the
 * bodies alone: the same reasons as for pivots. */
#define CRD_RATE_FREE 1e-13

/* ---- curves ---- */

/* Newton iterations for the foot of a point on a path: quadratic from the parameter followed so far, so 3 or 4 do; more
 * only from a far guess. */
#define CRD_FOOT_ITERATIONS 50

/* A step this small against 1 + |s|, and no smaller than the one before, is rounding. */
#define CRD_FOOT_ROUNDING 1e-12

/* Where the nearest foot is looked for when no parameter is given (format 1: -10 <= s <= 10), and in how many parts. */
#define CRD_CURVE_SEARCH 10.0
#define CRD_CURVE_SAMPLES 4000

/* ---- stabilisation ---- */

/* After the passes the residual, in units of the step's tolerance, must be below this; else the factor is refreshed. */
#define CRD_STABILISE_FRACTION 0.01

/* Fresh-factor repetitions before the step is given up: each contracts quadratically, so two reach round-off. */
#define CRD_STABILISE_REPEATS 3

/* Rounding floor of residuals in units of the row's scale: a sum of some tens of terms. */
#define CRD_RESIDUAL_FLOOR 1e-14

/* ---- step size ---- */

#define CRD_STEP_SAFETY 0.9   /* of the step that would just meet the tolerance (Hairer, Norsett, Wanner, II.4) */
#define CRD_STEP_SHRINK 0.2   /* smallest factor after a rejected step */
#define CRD_STEP_GROW 6.0     /* largest factor after an accepted step */
#define CRD_STEP_FAILED 0.25  /* factor after a step that could not be computed at all */
#define CRD_STEP_MIN_ULP 16.0 /* smallest step in ulps of t: below it t + h c does not advance reliably */

/* s; the time scale whose ulps bound the step near t = 0. */
#define CRD_STEP_TIME_SCALE 1e-3

/* A step that would stop this share of itself short of a limit is stretched to land on it: far below any error a step
 * makes, far above the rounding of t after 1e7 steps. */
#define CRD_STEP_STRETCH 1e-8

/* s; first step where nothing bounds it. */
#define CRD_FIRST_STEP_MOST 1.0

/* Error norm below which an accepted step counts as this good: a step of no error at all (a rest, a straight line) says
 * nothing about the next (DOPRI5 of Hairer and Wanner). */
#define CRD_STEP_ERROR_FLOOR 1e-4

/* Part of beta taken off the exponent 1/q of the present error (DOPRI5 of Hairer and Wanner). */
#define CRD_STEP_BETA_SHARE 0.75

/* Share of the square of dop853's third-order estimate in its error norm: high enough to notice when the fifth-order one
 * is small by chance (Hairer, Norsett, Wanner, II.10). */
#define CRD_ERROR_LOWER_SHARE 0.01

/* Adams methods of variable order (Shampine and Gordon): orders 1 and 2 are told apart only when their errors differ
 * clearly, for these estimates are rough; after so many failures of one step its history is not believed any more and
 * order 1 starts again. */
#define CRD_ADAMS_ORDER_ONE 0.5
#define CRD_ADAMS_FAILURES 3

/* A step below this part of what it would have been, had it not had to land on a time, adds no node: formulas over grids
 * with larger ratios amplify what is in the last digits. */
#define CRD_ADAMS_CRUMB 0.1

/* Extrapolation (Hairer, Norsett, Wanner, II.9; ODEX): columns to a digit of the tolerance for the first step; parts of the
 * step that would just meet the tolerance; work a unit of time below which another column is taken. */
#define CRD_GBS_COLUMNS_PER_DIGIT 0.6
#define CRD_GBS_SAFETY 0.94
#define CRD_GBS_AIM 0.65
#define CRD_GBS_SHRINK 0.02
#define CRD_GBS_LOWER 0.8
#define CRD_GBS_RAISE 0.9

/* Error of the pieces that a long step is divided into for what happens inside it, in tolerances: seven of them together
 * are still well below the step's own. */
#define CRD_GBS_INSIDE 0.01

/* Verlet and RATTLE. Newton's method with the factor of the old state gains about -log10(turn in a step) digits an
 * iteration: rounding is reached in time up to a third of a radian a step. Iterations of an implicit kick stand still at
 * a few ulps; where rounding keeps them moving, as much is good enough as a sum of some thousand terms leaves. */
#define CRD_VERLET_ITERATIONS 40
#define CRD_VERLET_STILL 1e-15
#define CRD_VERLET_SMALL 1e-12

/* A body flying freely: Cayley vector (tangent of half the turn) beyond which a step is too long, 90 degrees; iterations of
 * Newton's method, which is quadratic, and their end. */
#define CRD_FLIGHT_TURN 1.0
#define CRD_FLIGHT_ITERATIONS 20
#define CRD_FLIGHT_STILL 1e-15

/* Half-explicit steps: iterations on the multipliers of a stage, each gains about -log10(turn in a step) digits; where they
 * stand still; what is good enough where rounding keeps them moving. Parts of the largest velocity. */
#define CRD_HEM_ITERATIONS 60
#define CRD_HEM_STILL 1e-15
#define CRD_HEM_SMALL 1e-12

/* ---- first step size (Hairer, Norsett, Wanner, II.4); sizes of y and y' are in units of the tolerance ---- */

#define CRD_FIRST_SMALL 1e-5       /* y or y' below this says nothing about the time scale */
#define CRD_FIRST_STEP 1e-6        /* s; guess when nothing is known: a wrong one costs a few steps of growth */
#define CRD_FIRST_FRACTION 0.01    /* part of y that the trial step may change, and of the tolerance it may use */
#define CRD_FIRST_GROW 100.0       /* largest first step, in trial steps */
#define CRD_FIRST_FLAT 1e-15       /* y' and y'' below this are zero: */
#define CRD_FIRST_FLAT_FACTOR 1e-3 /* then this part of the trial step */

/* ---- implicit steps; corrections are in units of the state (step/equations.h, typical) ---- */

/* Step of forward differences: the root of an ulp, where truncation h and rounding eps / h meet. */
#define CRD_STEP_DIFFERENCE 1.5e-8

/* Reciprocal condition number of the scaled step matrix at which it is singular to rounding; measured on the papers'
 * step matrices (CRD_LAB_RCOND). */
#define CRD_STEP_RCOND 1e-15

/* A correction below the first number is some ulps, and the next one smaller; or the rate seen leaves the next one below
 * a tenth of an ulp. */
#define CRD_STEP_CONVERGED 2e-15
#define CRD_STEP_NEXT 1e-17

/* Corrections below the first number that fall by less than the second in two iterations have met the rounding of the
 * slopes. */
#define CRD_STEP_ROUNDING 1e-10
#define CRD_STEP_STILL 0.25

/* Next to a singular pose the first number is this many times h times the noise of accelerations: stages, derivatives and
 * what is taken from neighbours across the pose add theirs; seen are up to 20 times. */
#define CRD_STEP_NOISE 100.0

/* Growth at which a matrix is given up, iterations with one matrix, and matrices of one step: corrections that fall by a
 * factor of 0.05, as usual, take 11; slower ones are better off with another matrix. */
#define CRD_STEP_DIVERGING 2.0
#define CRD_STEP_ITERATIONS 12
#define CRD_STEP_ROUNDS 5

/* Unknowns of an implicit step, whose matrix is dense: 32 MB, a factorisation of half a second. */
#define CRD_STEP_UNKNOWNS 2000

/* ---- singular poses: all closenesses are roots of pivot ratios against the largest one seen (solve/singular.h) ---- */

/* A pivot below this times its diagonal entry is left out. Redundant rows leave rounding, 1e-16 to 1e-14; mass ratios of
 * 1e10 on regular chains reach 4e-10. */
#define CRD_PIVOT_DROP 1e-12

/* Closeness below which solves are refined and the stages of a step put on the constraints. */
#define CRD_APPROACH 0.05

/* Closeness below which steps are laid to cross a pose well, and below which a dip is looked at for the log. */
#define CRD_CROSSING_WATCH 0.15
#define CRD_PASSAGE_WATCH 0.3

/* Closeness at which a passage is over; a dip from here on is another one. */
#define CRD_PASSAGE_LEFT 0.1

/* Closeness below which the vanishing row is left out and accelerations come from both sides of the pose, and no step ends
 * if it can be helped: rounding leaves eps / closeness^2 in velocities. */
#define CRD_LAND 0.01

/* Pivot of M^-1/2 G^T against the largest, below which a row says nothing (regularise: qr). */
#define CRD_POSE 1e-7

/* Noise of accelerations, as a share of them, from which they are taken from neighbours across the pose; from which the
 * ordinary ones say nothing any more and the vanishing row is left out. */
#define CRD_ACROSS_NOISE 1e-9
#define CRD_ACROSS_LOST 1e-2

/* How far the farthest neighbours are, in units of the closeness at which the first noise is reached; the nearest, at half
 * of it, must stay well outside. */
#define CRD_ACROSS_FAR 8.0

/* Where the motion turns back near the pose: the neighbourhood is at most this part of speed^2 / acceleration, so that its
 * farthest neighbours see a quarter of the way to the turn. */
#define CRD_ACROSS_TURN 0.06

/* Largest square of (distance to the pose / distance of the neighbours) that is believed. */
#define CRD_ACROSS_RATIO 0.5

/* Improvements of an acceleration across a pose: each leaves at most some hundredths of what was wrong; it stands still
 * when this share of it changes. */
#define CRD_ACROSS_ITERATIONS 8
#define CRD_ACROSS_STILL 1e-13

/* Share of the largest entry of a null vector from which a row is named in a dependency. */
#define CRD_SINGULAR_SHARE 1e-3

/* Energy and work over a step past a pose balance to this part of their size, or so many tolerances of it. */
#define CRD_BALANCE 0.01
#define CRD_BALANCE_TOLERANCES 1e4

/* Where a fixed step failed, ever shorter ones look how far the motion goes on: at most so many, down to this part of it. */
#define CRD_FAILURE_STEPS 400
#define CRD_FAILURE_SHORTEST 1e-7

/* A correction onto the constraints longer than this share of the distance to the pose might change the branch. */
#define CRD_BRANCH_SHARE 0.5

/* Closeness down to which stages are put on all constraints: rounding leaves eps / closeness^2 of the speed in their
 * velocities, here 1e-9. */
#define CRD_PROJECT_CLOSE 5e-4

/* Allowance of the error control for noise: that many times h times what rounding becomes in accelerations. */
#define CRD_NOISE_FACTOR 1.0

/* Crossing a pose: distance from the nearest node of the method, in steps, that is wide enough (dop853's widest gap is
 * twice 0.13, dopri5's twice 0.25); gaps before the second place are left alone, because early stages are far off the
 * constraints; where a pose should be ahead of a step's end, in steps; a dip below both ends by this factor shows that a
 * pose was crossed. */
#define CRD_CROSSING_CLEAR 0.06
#define CRD_CROSSING_EARLY 0.3
#define CRD_CROSSING_PLACE 0.45
#define CRD_CROSSING_DIP 0.9

/* Redundant rows chosen anew: rows up to this many times the weakest pivot are taken for dependent. */
#define CRD_CHOOSE_MARGIN 1.5

/* A row of velocities is left out before a row of places when what the kept rows leave of it unexplained, a square, is above
 * this part of the most: a loss of a tenth in the pivots against places that would drift. */
#define CRD_CHOOSE_RATE 0.01

/* Closeness below which it is tried, and again when it has fallen by this factor. */
#define CRD_CHOOSE_WATCH 0.3
#define CRD_CHOOSE_LOWER 0.7

/* Share of what is healthy above which the pose is healthy and only the choice of rows made it look singular. */
#define CRD_CHOOSE_HEALTHY 0.5

/* Attempts to lay a step better. */
#define CRD_CROSSING_ATTEMPTS 4

/* Entries of G up to which a simulation keeps room for rank-revealing looks inside steps (a look takes some 10 times as
 * many operations as the cube root of this squared: a third of a second). */
#define CRD_LOOK_IN_STEP 300000

/* Default epsilons, against the largest diagonal entry of S (squared for the trust region): small enough to leave healthy
 * rows alone, large enough that the shifted matrix factors (PROTOTYPE_MEASUREMENTS 4). */
#define CRD_DIRECT_EPSILON 1e-10
#define CRD_TRUST_EPSILON 1e-12

/* Proximal iterations: each multiplies the error of a direction with eigenvalue s by eps / (s + eps); they stop when they
 * change the first share of the accelerations, rounding, or no longer less than before; when that is more than the second
 * share, nothing has converged. */
#define CRD_PROXIMAL_ITERATIONS 200
#define CRD_PROXIMAL_STILL 1e-15
#define CRD_PROXIMAL_REFUSED 1e-6

/* Secular equation: Newton needs 3 or 4 iterations to this relative tolerance of the radius. */
#define CRD_TRUST_ITERATIONS 20
#define CRD_TRUST_TOLERANCE 1e-3

/* ---- laboratory (src/lab) ---- */

/* Reciprocal condition number, after scaling rows and columns, at which a matrix is singular to rounding. Measured on the
 * papers' tables: exactly singular step matrices are left with 3e-17 and 5e-17 (LEC10, example 10.1, eta = -1; AP93,
 * table 4.7, d-2, nu = 100), the worst regular one has 3e-13 (ACR92, table 1.1, gamma = 1e8). */
#define CRD_LAB_RCOND 1e-15

/* Step of central differences in units of max(1, |w|): near the cube root of an ulp, where truncation equals rounding. */
#define CRD_LAB_DIFFERENCE 6e-6

/* Newton has converged when its correction is this part of the unknowns: with Jacobians good to 1e-10 the next one is
 * below an ulp. At the second number it may stop for rounding alone. */
#define CRD_LAB_NEWTON 1e-12
#define CRD_LAB_NEWTON_ROUNDING 1e-8

/* Collocation: derivatives are taken anew when a correction is more than this part of the one before. */
#define CRD_LAB_SLOW 0.2

/* bdf: Newton's method may leave this part of the tolerance, or the root of rtol when that is less. */
#define CRD_LAB_BDF_NEWTON 0.03

/* Newton iterations before a stage or a projection is given up; the linear rate of Gauss-Newton wants the room. */
#define CRD_LAB_ITERATIONS 50

/* Largest |h| that a projection leaves: rounding of invariants of size 1. */
#define CRD_LAB_PROJECT 1e-13

/* The coordinates of a state-space form are chosen anew when the determinant of the dependent columns of G falls below
 * this part of the best one. */
#define CRD_LAB_SWITCH 0.5

/* Closeness below which a dip was a passage through a singular pose; the interpolation that is searched for the lowest
 * point is good to the tolerance only. */
#define CRD_PASSAGE 0.03

/* Singular value of the generic rank against the largest, below which a look confirms what the pivots suspect. */
#define CRD_PASSAGE_CONFIRMED 0.03

/* The search: this share of the step on both sides of the lowest stage, so many golden sections (1e-4 of the step). */
#define CRD_PASSAGE_WINDOW 0.5
#define CRD_PASSAGE_SECTIONS 18

/* A step that starts within this factor of the lowest closeness so far may hide the pose before its first stage. */
#define CRD_PASSAGE_BEHIND 1.5

/* Part of gamma that no acceleration meets, above which velocities in a singular pose belong to no branch. */
#define CRD_BRANCH_UNMET 1e-6

/* ---- events ---- */

/* Search of zeros that the time alone decides (step/event_time.c): part of their size by which value and slope may differ
 * from what the expansion foretold; shortest stretch, as part of the whole, that is still halved; stretches looked at in one
 * go (then the step ends where the search has come to); sections of one zero, enough to halve 1 to an ulp; ulps of the time
 * within which zeros are one event. */
#define CRD_TIMELY_MATCH 0.25
#define CRD_TIMELY_LEAST 1e-9
#define CRD_TIMELY_LOOKS 4000
#define CRD_TIMELY_SECTIONS 200
#define CRD_TIMELY_ULPS 4.0

/* A switching function is looked at closely when along the step it comes nearer to zero than this part of its range:
 * samples a quarter of a step apart of the cubic over it, which may be wrong by some hundredths, cannot hide a zero then. */
#define CRD_EVENT_NEAR 0.5

/* Where the parabola through three samples comes down to this part of them, its lowest point is looked for. */
#define CRD_EVENT_DIP 0.3

/* Golden sections of that (1e-7 of the step: the lowest value then is right to rounding), sections of one zero. */
#define CRD_EVENT_GOLDEN 34
#define CRD_EVENT_SECTIONS 100

/* A user's function whose lowest value is this part of its range touches zero; as much as rounding leaves. */
#define CRD_EVENT_TOUCH 1e-12

/* Steps to a zero: location errors, in units of the tolerance of what moves on meanwhile, and as part of the step, that are
 * good enough; what is left of a function, in relative tolerances of its range, that is good enough where it is flat;
 * attempts. The interpolation is good to the tolerance, so one or two do. */
#define CRD_EVENT_LOCATED 0.1
#define CRD_EVENT_LOCATED_PART 1e-6
#define CRD_EVENT_LOCATED_FIXED 1e-12
#define CRD_EVENT_LOCATED_RANGE 1e-3
#define CRD_EVENT_LANDINGS 6

/* Part of a step on both sides of a zero over which the slope for Newton's correction is taken: three digits do. */
#define CRD_EVENT_ASIDE 5e-4

/* Part of a step after which a function that starts at zero is asked where it goes: far above rounding. */
#define CRD_EVENT_SOON 1e-6

/* Halvings of the first stretch in which a function that starts at zero is looked for on its side. */
#define CRD_EVENT_PROBES 20

/* Smallest steps that cannot be told from none. */
#define CRD_EVENT_NOTHING 4.0

/* Changes of a side without a step in between, and events of one function that follow each other within a small part of the
 * step that was tried, after which both sides are taken to lead back to the zero. */
#define CRD_EVENT_FLIPS 3
#define CRD_EVENT_QUICK 8
#define CRD_EVENT_QUICK_PART 1e-4

/* A law that sticks makes the error control crawl: so many steps with a loose switch are enough, four without one making up
 * for one with it. */
#define CRD_EVENT_STUCK 500

/* A user's event that follows itself after this part of the longest time it once took does so without end: the bounces of a
 * ball that loses speed with each. */
#define CRD_EVENT_CROWDED 1e-7

/* Passes over laws inside laws until all sides are known: deeper nests of `if` do not occur. */
#define CRD_EVENT_PASSES 20

#endif
