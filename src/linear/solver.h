/* Multipliers: S lambda = r with S = G M^-1 G^T, behind one table of operations.
 *
 * Rows are numbered as the model eliminates them, so S arrives permuted and every back end works in natural order.
 * Create once per simulation, then factor and solve without allocation. */
#ifndef CRD_LINEAR_SOLVER_H
#define CRD_LINEAR_SOLVER_H

#include "cardan/options.h"
#include "core/names.h"
#include "core/pool.h"
#include "model/elimination.h"

#include <stdbool.h>
#include <stddef.h>

/* Upper triangle of S by columns (CSC), rows sorted; the diagonal entry is the last of each column. */
typedef struct CrdPattern {
    int n;                             /* rows of the system */
    const int *start;                  /* n + 1 */
    const int *row;                    /* start[n] */
    const CrdElimination *elimination; /* of this pattern; NULL: the back ends that need one make their own */
    const int *slot; /* start[n]: where each entry is among the values of S; NULL: they stand in this order. Only for
                      * back ends that take slots */
} CrdPattern;

/* What a back end may ask for when it factors. */
typedef struct CrdMatrix {
    const double *s; /* start[n] values of S */
    int velocities;  /* order of M */
    /* Writes M (velocities x velocities, both triangles) into the upper left and G into the lower left corner of the
     * zeroed column-major saddle matrix k of order velocities + n. Only the saddle reference calls it. */
    void (*fill_saddle)(const void *user, double *k, int order);
    const void *user;
} CrdMatrix;

/* The smallest pivot of the last factorisation, of the rows kept, against the diagonal entry of S it came from. */
typedef struct CrdPivot {
    double ratio; /* 1: perfectly conditioned; <= 0 or NaN: not positive definite */
    int row;
    int dropped; /* rows left out because they depend on others */
} CrdPivot;

typedef struct CrdSolver CrdSolver;

/* Predicted work of a factorisation and a solve, in ns of one core (Ice Lake, 2.8 GHz, a plain x86-64 build): so many a
 * call, a row, an entry of L and an operation, fitted to chains of 1 to 1000 links, ladders of 1000 cells and nets of 9
 * to 10 000 bodies, where they are right to 10 percent but for the smallest (`cardan bench solve` prints them beside
 * what is measured). On another processor they are wrong together: only their ratios decide. */
typedef struct CrdPredicted {
    bool known;
    bool full; /* of a full matrix: rows, squares and cubes of rows instead of rows, entries and operations */
    double call, unit[3];
} CrdPredicted;

/* The record of a back end; those of CardanSolver are listed in solver.c. */
typedef struct CrdSolverOps {
    const char *name, *summary;
    CardanStatus (*create)(const CrdPattern *pattern, int velocities, CrdSolver **out, CrdError *error);
    /* CARDAN_ERR_NUMERIC when S is not safely positive definite (pivot tells where); no solve may follow then. */
    CardanStatus (*factor)(CrdSolver *solver, const CrdMatrix *matrix, CrdPivot *pivot);
    /* r becomes lambda; r is n long. */
    CardanStatus (*solve)(CrdSolver *solver, double *r);
    /* The same for two right sides in one sweep, number beside number (n x 2); NULL: one after the other. */
    CardanStatus (*solve_twice)(CrdSolver *solver, double *r);
    void (*destroy)(CrdSolver *solver);
    bool takes_slots; /* values of S may stand anywhere */
    CrdPredicted work;
} CrdSolverOps;

enum { CRD_SOLVER_ARRAYS = 16 };

/* Every back end embeds this first. */
struct CrdSolver {
    const CrdSolverOps *ops;
    CrdPattern pattern;
    /* 0, as created: dependent rows are refused. > 0: a row whose pivot is at most this times its diagonal entry of S
     * is left out by the next factorisation: its multiplier is 0 and it takes no part in later pivots. The caller may
     * change it between factorisations. The saddle reference refuses in any case. */
    double drop;
    const double *drop_row; /* (n x 1) the same row by row, where larger than drop; NULL: none */
    const double *scale; /* (n x 1) what pivots are measured by in place of the diagonal entries of S; NULL: by them */
    unsigned char *is_dropped; /* (n x 1) 1: left out by the last factorisation; NULL: this back end leaves out none */
    double *ratio;             /* (n x 1) each pivot of the last factorisation against its diagonal entry of S */
    CrdPool *pool;             /* threads for what can be done side by side; NULL: none */
    void *owned[CRD_SOLVER_ARRAYS]; /* by crd_solver_new */
    int owned_count;
    bool lacks_memory; /* one of them could not be had */
};

extern const CrdSolverOps crd_solver_dense;
extern const CrdSolverOps crd_solver_block;
extern const CrdSolverOps crd_solver_cholmod;
extern const CrdSolverOps crd_solver_supernodal;
extern const CrdSolverOps crd_solver_saddle;

/* r (n x 2), two right sides number beside number, becomes their solutions; scratch is n long. */
CardanStatus crd_solver_solve_twice(CrdSolver *solver, double *r, double *scratch);

/* Whether the last factorisation left this row out. */
bool crd_solver_dropped(const CrdSolver *solver, int row);

/* Zeroed memory that crd_solver_close frees, also while a creation fails. */
void *crd_solver_new(CrdSolver *solver, size_t count, size_t size);

/* The end of a creation: hands the solver out, or destroys it where memory is lacking or something else failed. */
CardanStatus crd_solver_finish(CrdSolver *solver, CardanStatus status, CrdSolver **out, CrdError *error);

/* The part every back end has: for those that leave out rows. close may follow a failed open. */
CardanStatus crd_solver_open(CrdSolver *solver, const CrdSolverOps *ops, const CrdPattern *pattern, CrdError *error);
void crd_solver_close(CrdSolver *solver);

enum { CRD_REASON_SIZE = 200 };

typedef struct CrdChoice {
    const CrdSolverOps *ops; /* NULL: there is no such solver */
    CardanSolver kind;
    char reason[CRD_REASON_SIZE]; /* "block: 5000 rows, fill 1.00; predicted in microseconds: block 153, ..." */
} CrdChoice;

/* The record of a back end; NULL: there is no such solver, or it is AUTO. */
const CrdSolverOps *crd_solver_ops(CardanSolver kind);

/* Name and sentence of a CardanSolver, AUTO included; no name after the last. */
CrdWord crd_solver_word(int kind);

/* Predicted time of a factorisation and a solve in ns; < 0: not known. */
double crd_solver_predict(CardanSolver kind, const CrdPattern *pattern);

/* What a choice stands for; AUTO is decided by the predicted work of the pattern's elimination. */
CrdChoice crd_solver_choose(CardanSolver choice, const CrdPattern *pattern);

#endif
