/* cardan methods: the matrix formulation x stepper x stabiliser x regulariser, its runs, and what came of them.
 *
 * Work is counted in evaluations: one right-hand side with its factorisation and its solve. So it is a number of the
 * method and the model, not of the machine's load. */
#ifndef TOOL_METHODS_H
#define TOOL_METHODS_H

#include <cardan/lab.h>

#include "command.h"
#include "work_precision.h"

enum { LABEL_SIZE = 64, WHY_SIZE = 320, RUNGS = 30, LEVELS_MOST = 8, LANDINGS_MOST = 4 };

/* ---- one run (methods_run.c) ---- */

typedef struct MethodRun {
    bool done;               /* false: failed, and no number below but step and rtol counts */
    bool refused;            /* the engine did not take it: no failure of the method */
    char *why;               /* of a failure; freed by matrix_free */
    double step, rtol, atol; /* step 0: chosen by the error control */
    double error;            /* against the reference, relative */
    double drift[2];         /* largest residual of positions and velocities, SI */
    double drift_share;      /* the larger of the two, each against the size of positions or velocities */
    double growth;           /* drift over the whole run against that over its first quarter */
    double energy;           /* J; largest drift of the energy balance */
    CardanWork work;
    double seconds; /* of processor time */
    double cost;    /* evaluations */
} MethodRun;

/* What stops a run from outside. */
typedef struct Limits {
    double seconds;  /* of processor time for one run */
    double deadline; /* on wall_seconds(): everything ends */
} Limits;

double wall_seconds(void);
double thread_seconds(void);

/* A simulation on its way over equal parts of the time. */
typedef struct Drive {
    CardanSim *sim;
    const CardanModel *model;
    const Limits *limits;
    double began, end; /* s; on thread_seconds(), of the simulation */
    int landings;      /* how many parts */
    long steps;
    CardanResidual early; /* as it was after a quarter of the time */
    bool early_known;
    int nq, n;          /* coordinates; with velocities and first-order states */
    double *state;      /* n long; as read last */
    double size[2];     /* largest |position|, |velocity or first-order state| read so far */
    bool watch_size;    /* read the state after every step */
    bool refused;       /* the engine does not take these options */
    char why[WHY_SIZE]; /* it failed */
} Drive;

bool drive_open(Drive *drive, const CardanModel *model, const CardanOptions *options, const Limits *limits);
bool drive_to(Drive *drive, int landing);
void drive_read(Drive *drive);
void drive_close(Drive *drive);

/* The solution that errors are measured against, at the landings (methods_reference.c). */
typedef struct Reference {
    int nq, n;                    /* as in Drive */
    int landings;                 /* 1 where steps are so long that landing more often would shorten them */
    double *state[LANDINGS_MOST]; /* each n long */
    double size[2];               /* largest position and velocity on the way; 1 where nothing moves */
    double error;                 /* how far the second, independent run is from it */
    long coarse_steps;            /* what error control at 1e-3 takes */
    char text[WHY_SIZE];          /* which runs these were */
} Reference;

/* The largest difference of two states, positions and velocities each against their size. */
double reference_distance(const Reference *reference, const double *a, const double *b);

/* Complains and gives the exit status. Free in any case. */
int reference_make(Reference *reference, const CardanModel *model, const CardanOptions *base, const Limits *limits);
void reference_free(Reference *reference);

void method_run(const CardanModel *model, const CardanOptions *options, const Reference *reference,
                const Limits *limits, MethodRun *run);

/* ---- the matrix (methods_matrix.c) ---- */

typedef enum Fate {
    FATE_RUNNING = 0, /* more runs are to come */
    FATE_COMPLETE,    /* reached the smallest error asked for, or the reference's own */
    FATE_STOPPED,     /* ran, but was not refined further; why says the reason */
    FATE_FAILED,      /* no run succeeded */
    FATE_REFUSED,     /* the engine does not take it */
    FATE_LEFT_OUT,    /* not run; why says the reason */
    FATES
} Fate;

typedef struct Combination {
    char formulation[LABEL_SIZE], stepper[LABEL_SIZE], stabiliser[LABEL_SIZE], regulariser[LABEL_SIZE];
    int row;                /* the same for combinations that differ in the regulariser alone */
    bool first_regulariser; /* of its row: run before the others */
    CardanOptions options;  /* but for step and tolerances */
    bool controlled;        /* takes tolerances; else fixed steps */
    bool implicit;          /* its stepper takes other formulations, too: iterates, so that runs cost more */
    int departures;         /* choices that are not the default */
    double scale;           /* of its work: 1 unless it factors other matrices than the model's usual ones */
    bool laboratory;        /* run by the laboratory, by `lab` instead of `options` */
    CardanLabMethod lab;
    double step_seconds; /* of the laboratory: about what a step takes; 0: not known */
    Fate fate;
    char why[WHY_SIZE];
    int count;
    MethodRun *runs;           /* RUNGS of them */
    double at[LEVELS_MOST];    /* evaluations at each error asked for; NaN: not reached */
    bool keeps[LEVELS_MOST];   /* the constraints, there */
    int reaching[LEVELS_MOST]; /* the run that reaches it; -1: none */
    int looser[LEVELS_MOST];   /* the run before that; -1: none */
} Combination;

/* What one evaluation is made of, as parts of it, and its time. */
typedef struct Costs {
    double rhs, factorisation, solve; /* s */
    double evaluation;                /* s; their sum */
} Costs;

typedef struct Matrix {
    const char *path;
    const Arguments *arguments;
    const CardanModel *model;
    CardanOptions base; /* end, solver and so on */
    int levels;
    double level[LEVELS_MOST]; /* errors asked for, falling */
    bool full;                 /* leave nothing out */
    int jobs;
    double budget, began; /* s; wall time */
    Limits limits;
    Costs costs;
    Reference reference;
    int count;
    Combination *all;
    bool conservative;              /* its energy stays; known when there is a laboratory */
    int of_laboratory;              /* the last ones of these; 0: it was not asked for */
    int choices[4];                 /* formulations, steppers, stabilisers, regularisers */
    int best[LEVELS_MOST], overall; /* recommended; -1: none */
    double overall_worst;           /* its worst ratio to the least work */
    double least[LEVELS_MOST];      /* least work of all, those that lose the constraints too; NaN: none reaches it */
} Matrix;

/* Keys of the options that choose. */
enum { KEY_FORMULATIONS = 100, KEY_STEPPERS, KEY_STABILISERS, KEY_REGULARISERS };

/* All combinations of the lists given, or of all there are; those that the engine refuses with its reason. */
int matrix_make(Matrix *matrix, const Arguments *arguments, bool laboratory);
void matrix_free(Matrix *matrix);

/* The options of run number k of a combination. */
CardanOptions matrix_options(const Matrix *matrix, const Combination *combination, int k);

/* ---- the laboratory (methods_lab.c) ---- */

/* Adds its formulations, steppers and corrections. Complains and gives the exit status. */
int lab_add(Matrix *matrix, const Arguments *arguments);

/* Whether it knows a word of the axis with this key. */
bool lab_has(int key, const char *word);
void lab_run(const Matrix *matrix, const Combination *combination, int k, MethodRun *run);
void lab_scale(const Matrix *matrix, Combination *combination);

/* ---- costs (methods_cost.c) ---- */

/* Times the three parts on this model, then every combination that runs first. Complains and gives the exit status. */
int costs_measure(Matrix *matrix);

/* Times some combinations: their scale. */
int costs_scale(const Matrix *matrix, int count, Combination *const *some);
double costs_of(const Matrix *matrix, const Combination *combination, const CardanWork *work);

/* ---- the runs (methods_ladder.c) ---- */

/* Runs every combination from coarse to fine. */
int ladder_run(Matrix *matrix);

/* Its finished runs, by work. Returns their number. */
int combination_points(const Combination *combination, WorkPoint points[RUNGS]);

/* ---- what came of them (methods_judge.c) ---- */

/* Fills at, keeps, reaching and looser of the combinations, best, least and overall of the matrix. */
int matrix_judge(Matrix *matrix);

/* Is the reference exact enough to speak of this error? */
bool level_is_known(const Matrix *matrix, int level);

/* Is the drift small against the error, and does it not go on growing? */
bool run_keeps(const MethodRun *run, double level);

/* The tolerance or step of a combination at an error it reaches. */
double setting_at(const Combination *combination, int level, const Matrix *matrix);

/* ---- in parallel (methods_pool.c) ---- */

/* Calls task(user, i) for i from 0 to count - 1 on so many threads, and tick several times a second on this one.
 * STATUS_FAULT: no thread could be started. */
int pool_run(int jobs, int count, void (*task)(void *user, int i), void *user, void (*tick)(void *user, int done));

/* ---- reports ---- */

typedef enum Curves {
    CURVES_STEPPER = 0,
    CURVES_STABILISER,
    CURVES_REGULARISER,
    CURVES_FORMULATION,
    CURVES_ALL
} Curves;

void methods_text(FILE *out, const Matrix *matrix, bool everything); /* methods_text.c */
void methods_csv(FILE *out, const Matrix *matrix);                   /* methods_files.c */
void methods_json(FILE *out, const Matrix *matrix);
/* What stands over the work. */
typedef enum Shown { SHOWN_ERROR = 0, SHOWN_DRIFT, SHOWN_ENERGY } Shown;

/* title NULL: the usual one. */
void methods_svg(FILE *out, const Matrix *matrix, Curves curves, Shown shown, const char *title); /* methods_svg.c */

/* "cardan run ..." with the settings of a combination at an error level. */
void methods_command(const Matrix *matrix, const Combination *combination, int level, char *text, size_t size);
extern const char *const fate_words[FATES];

#endif
