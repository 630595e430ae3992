#include "options/table.h"

#include "core/numbers.h"
#include "core/pool.h"
#include "core/text.h"
#include "dynamics/regularise.h"
#include "integrate/methods/formulations.h"
#include "integrate/methods/method.h"
#include "linear/solver.h"
#include "project/words.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* Internal steps of one advance: exact in a double, and a long. */
#define CRD_STEPS_MAX ((double)LONG_MAX < 1e15 ? (double)INT_MAX : 1e15)

/* Highest order of any stepper that chooses its own. */
#define CRD_ORDER_MOST 12.0

static const char *const STEPPERS_LATER[] = {"slow_rk4", NULL};

static CrdWord leave_branch_word(int i) {
    static const CrdWord WORDS[CARDAN_LEAVE_BRANCH_WORDS + 1] = {
        [CARDAN_LEAVE_BRANCH_ERROR] = {"false", "a passage that leaves its branch stops the run"},
        [CARDAN_LEAVE_BRANCH_REMARK] = {"true", "it is a remark"}};
    return WORDS[i >= 0 && i < CARDAN_LEAVE_BRANCH_WORDS ? i : CARDAN_LEAVE_BRANCH_WORDS];
}

static CrdWord energy_word(int i) {
    static const CrdWord WORDS[CARDAN_ENERGY_HOLDS + 1] = {
        [CARDAN_ENERGY_FREE] = {"false", "it is as steps leave it"},
        [CARDAN_ENERGY_HELD] = {"true", "velocities are scaled after each step so that it stays"}};
    return WORDS[i >= 0 && i < CARDAN_ENERGY_HOLDS ? i : CARDAN_ENERGY_HOLDS];
}

static CrdWord coordinates_word(int i) {
    static const CrdWord WORDS[CARDAN_COORDINATES_WORDS + 1] = {
        [CARDAN_COORDINATES_AUTO] = {"auto", "relative where they promise less work, else absolute"},
        [CARDAN_COORDINATES_ABSOLUTE] = {"absolute", "those of each body"},
        [CARDAN_COORDINATES_RELATIVE] = {"relative",
                                         "those of the joints of a spanning tree; other joints close its loops"}};
    return WORDS[i >= 0 && i < CARDAN_COORDINATES_WORDS ? i : CARDAN_COORDINATES_WORDS];
}

#define AT(member) .offset = offsetof(CardanOptions, member), .size = sizeof((CardanOptions){0}.member)
#define NUMBER(key, member, in, is, ...)                                                                               \
    {                                                                                                                  \
        .name = key, .summary = is, AT(member), .kind = CRD_OPTION_NUMBER, .max = (double)INFINITY, .unit = in,        \
        .rule = __VA_ARGS__                                                                                            \
    }
#define COUNT(key, member, least, most, allowed, is)                                                                   \
    {                                                                                                                  \
        .name = key, .summary = is, AT(member), .kind = CRD_OPTION_COUNT, .min = least, .max = most, .rule = allowed,  \
        .unit = "1"                                                                                                    \
    }
#define WORD(key, member, called, is, ...)                                                                             \
    { .name = key, .summary = is, AT(member), .kind = CRD_OPTION_WORD, .what = called, .word = __VA_ARGS__ }

static const CrdOption OPTIONS[] = {
    NUMBER("end", end, "s", "where a run of the command ends", ">= 0"),
    NUMBER("step", step, "s", "length of fixed steps; 0: by error control", ">= 0"),
    NUMBER("tolerance.relative", rtol, "1", "of the error control, against the size of each component", ">= 0"),
    NUMBER("tolerance.absolute", atol, "m, rad", "of the error control, one number for all", "> 0", .above = true,
           .unset = "1e-8, of lengths and speeds 1e-8 of the mechanism's size if less"),
    NUMBER("output_step", output_step, "s",
           "from one result to the next; 0: every step, and inside it as smooth curves need", ">= 0"),
    NUMBER("max_step", max_step, "s", "bound of steps; 0: none", ">= 0"),
    COUNT("max_steps", max_steps, 0.0, CRD_STEPS_MAX, "a whole number >= 0",
          "internal steps of one advance; 0: no bound"),
    WORD("stepper", stepper, "stepper", "which stepping method", crd_method_word, .later = STEPPERS_LATER),
    COUNT("order", order, 0.0, CRD_ORDER_MOST, "a whole number from 0 to 12",
          "highest order of a stepper of variable order, and that of fixed steps of bdf; 0: what it has"),
    WORD("formulation", formulation, "formulation", "which equations an implicit stepper solves", crd_formulation_word),
    {.name = "rho",
     .summary = "galpha: what a step leaves of the fastest motions; 1: damps nothing, 0.5: HHT with alpha = -1/3",
     AT(rho),
     .kind = CRD_OPTION_NUMBER,
     .max = 1.0,
     .unit = "1",
     .rule = "from 0 to 1"},
    WORD("stabilise.method", stabilise.method, "stabilisation method", "how states are kept on their constraints",
         crd_stabilise_method_word),
    COUNT("stabilise.passes", stabilise.passes, 1.0, 2.0, "1 or 2", "corrections after a step"),
    WORD("stabilise.form", stabilise.form, "stabilisation form", "what a correction solves", crd_stabilise_form_word),
    WORD("stabilise.metric", stabilise.metric, "stabilisation metric", "what makes a correction small",
         crd_stabilise_metric_word),
    WORD("stabilise.levels", stabilise.levels, "stabilisation level", "what is corrected", crd_stabilise_levels_word),
    NUMBER("stabilise.alpha", stabilise.alpha, "1/s", "Baumgarte's factor of the rates; both 0: 20 and 100", ">= 0"),
    NUMBER("stabilise.beta", stabilise.beta, "1/s^2", "Baumgarte's factor of the residuals", ">= 0"),
    COUNT("stabilise.index", stabilise.index, 2.0, 3.0, "2 or 3",
          "Baumgarte: 3 leaves out second derivatives of the rows, as the index-3 form does"),
    COUNT("stabilise.freeze", stabilise.freeze, 0.0, 1000.0, "from 0 to 1000",
          "0: a fresh factor for each correction; 1: the last stage's serves both; k: one is kept for up to k steps"),
    WORD("stabilise.energy", stabilise.energy, "word for energy", "whether the energy of a conservative model is held",
         energy_word),
    WORD("regularise.method", regularise.method, "regularisation method",
         "how accelerations are found where rows depend on each other", crd_regulariser_word),
    NUMBER("regularise.epsilon", regularise.epsilon, "of S",
           "what is added to S, or to S S (trust_region); 0: 1e-12 of each diagonal entry, or none", ">= 0"),
    NUMBER("regularise.radius", regularise.radius, "of lambda",
           "trust region: bound of the multipliers of scaled rows; 0: 1000 times what is healthy", ">= 0"),
    WORD("regularise.leave_branch", regularise.leave_branch, "word for leave_branch",
         "whether a passage through a singular pose may leave its branch", leave_branch_word),
    {.name = "redundancy",
     .summary = "rows that depend on others within this count as dependent, and may open; 0: exactly dependent ones",
     AT(redundancy),
     .kind = CRD_OPTION_NUMBER,
     .max = CRD_REDUNDANCY_MOST,
     .unit = "1",
     .rule = "from 0 to 0.01"},
    WORD("coordinates", coordinates, "coordinates", "in which coordinates steps are made", coordinates_word),
    WORD("solver", solver, "solver", "how multipliers are solved for", crd_solver_word),
    COUNT("threads", threads, 0.0, CRD_POOL_MOST, "a whole number from 0 to 1024",
          "threads that take branches of a large tree and of its factors, the same to the bit for any; 0: one a "
          "processor, 4 at most, from 4000 links on. Factors with heavy fill want OPENBLAS_NUM_THREADS=1"),
};

enum { OPTION_COUNT = sizeof OPTIONS / sizeof OPTIONS[0] };
_Static_assert(sizeof(CardanStepper) == sizeof(int), "words are stored as int");

const CrdOption *crd_option(int i) {
    return i >= 0 && i < OPTION_COUNT ? &OPTIONS[i] : NULL;
}

const CrdOption *crd_option_find(const char *name) {
    for (int i = 0; i < OPTION_COUNT; i++)
        if (strcmp(OPTIONS[i].name, name) == 0) return &OPTIONS[i];
    return NULL;
}

const char *crd_option_nearest(const char *name) {
    const char *names[OPTION_COUNT];
    for (int i = 0; i < OPTION_COUNT; i++) names[i] = OPTIONS[i].name;
    return crd_nearest_name(name, strlen(name), names, OPTION_COUNT);
}

double crd_option_value(const CardanOptions *options, const CrdOption *option) {
    const unsigned char *from = (const unsigned char *)options + option->offset;
    double number;
    long count;
    int word;
    if (option->kind == CRD_OPTION_NUMBER) return memcpy(&number, from, sizeof number), number;
    if (option->size == sizeof word) return memcpy(&word, from, sizeof word), (double)word;
    assert(option->size == sizeof count);
    return memcpy(&count, from, sizeof count), (double)count;
}

int crd_option_words(const CrdOption *option, const char *words[CRD_WORDS_MAX]) {
    int n = 0;
    for (; option->word(n).name != NULL; n++) {
        assert(n < CRD_WORDS_MAX);
        words[n] = option->word(n).name;
    }
    return n;
}

CardanStatus crd_option_range(const CrdOption *option, double value, CrdError *error) {
    bool number = option->kind == CRD_OPTION_NUMBER;
    bool good = (option->above ? value > option->min : value >= option->min) && value <= option->max &&
                (number ? isfinite(value) : value == floor(value));
    return good ? CARDAN_OK
                : crd_fail(error, CARDAN_ERR_MODEL, "%s must be %s%s, is %g", option->name, option->rule,
                           number ? " and finite" : "", value);
}

const char *cardan_options_word(const char *name, int i) {
    const CrdOption *option = name != NULL ? crd_option_find(name) : NULL;
    return option != NULL && option->word != NULL ? option->word(i).name : NULL;
}

const char *cardan_options_summary(const char *name, int i) {
    const CrdOption *option = name != NULL ? crd_option_find(name) : NULL;
    return option != NULL && option->word != NULL ? option->word(i).summary : NULL;
}

const char *cardan_stepper_name(CardanStepper stepper) {
    const char *name = crd_method_word((int)stepper).name;
    return name != NULL ? name : "unknown";
}

const char *cardan_solver_name(CardanSolver solver) {
    const char *name = crd_solver_word((int)solver).name;
    return name != NULL ? name : "unknown";
}
