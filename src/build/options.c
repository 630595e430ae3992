/* Options by name: one table for the names of numbers and choices, one list of words per choice. */
#include "build/options.h"

#include "build/names.h"
#include "core/text.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- words ---- */

typedef struct Choice {
    const char *what;         /* "stepper" */
    const char *const *words; /* in the order of the enum */
    int count;
    const char *const *later; /* of the format, not in this version; ends with NULL */
} Choice;

static const char *const STEPPERS[CARDAN_STEPPERS] = {
    "euler", "midpoint", "heun", "kutta3",         "rk4",         "dopri5",            "dop853",
    "ab2",   "abm",      "gbs",  "backward_euler", "trapezoidal", "implicit_midpoint", "gauss",
    "verlet", "rattle", "hem"};
static const char *const STEPPERS_LATER[] = {"bdf", "radau5", "galpha", NULL};
static const char *const SOLVERS[CARDAN_SOLVERS] = {"auto", "dense", "cholmod", "saddle", "block", "supernodal"};
static const char *const METHODS[] = {"post", "baumgarte", "project", "none"};
static const char *const FORMS[] = {"block", "full"};
static const char *const METRICS[] = {"mass", "euclid"};
static const char *const LEVELS[] = {"both", "position", "velocity"};
static const char *const FORMULATIONS[CARDAN_FORMULATIONS] = {"index1", "ggl", "projected"};
static const char *const REGULARISERS[CARDAN_REGULARISERS] = {"auto", "qr", "proximal", "trust_region", "direct", "none"};
static const char *const NOTHING_LATER[] = {NULL};

static const Choice STEPPER = {"stepper", STEPPERS, CARDAN_STEPPERS, STEPPERS_LATER};
static const Choice SOLVER = {"solver", SOLVERS, CARDAN_SOLVERS, NOTHING_LATER};
static const Choice METHOD = {"stabilisation method", METHODS, 4, NOTHING_LATER};
static const Choice FORM = {"stabilisation form", FORMS, 2, NOTHING_LATER};
static const Choice METRIC = {"stabilisation metric", METRICS, 2, NOTHING_LATER};
static const Choice LEVEL = {"stabilisation level", LEVELS, 3, NOTHING_LATER};
static const Choice FORMULATION = {"formulation", FORMULATIONS, CARDAN_FORMULATIONS, NOTHING_LATER};
static const Choice REGULARISER = {"regularisation method", REGULARISERS, CARDAN_REGULARISERS, NOTHING_LATER};

static CardanStatus choose(const Choice *choice, const char *text, int *value, CrdError *error) {
    char list[256];
    size_t length = strlen(text);
    for (int i = 0; i < choice->count; i++) {
        if (strcmp(choice->words[i], text) != 0) continue;
        *value = i;
        return CARDAN_OK;
    }
    crd_word_list(choice->words, choice->count, list, sizeof list);
    for (int i = 0; choice->later[i] != NULL; i++) {
        if (strcmp(choice->later[i], text) != 0) continue;
        return crd_fail(error, CARDAN_ERR_MODEL, "%s '%s' is not in this version; there are: %s", choice->what, text,
                        list);
    }
    const char *near = crd_nearest_name(text, length, choice->words, choice->count);
    if (near != NULL) {
        return crd_fail(error, CARDAN_ERR_MODEL, "unknown %s '%s'; did you mean '%s'?", choice->what,
                        crd_shown(text, length).text, near);
    }
    return crd_fail(error, CARDAN_ERR_MODEL, "unknown %s '%s'; there are: %s", choice->what,
                    crd_shown(text, length).text, list);
}

/* ---- the table ---- */

typedef enum Range { NOT_NEGATIVE = 0, POSITIVE } Range;

typedef struct Option {
    const char *name;
    CrdOptionKind kind;
    size_t offset;        /* of a number */
    Range range;          /* of a number */
    const Choice *choice; /* of a word */
} Option;

#define NUMBER(name, member, range)                                                                                    \
    { name, CRD_OPTION_NUMBER, offsetof(CardanOptions, member), range, NULL }
#define WHOLE(name)                                                                                                    \
    { name, CRD_OPTION_COUNT, 0, NOT_NEGATIVE, NULL }
#define WORD(name, choice)                                                                                             \
    { name, CRD_OPTION_WORD, 0, NOT_NEGATIVE, choice }

static const Option OPTIONS[] = {
    NUMBER("end", end, NOT_NEGATIVE),
    NUMBER("step", step, NOT_NEGATIVE),
    NUMBER("tolerance.relative", rtol, NOT_NEGATIVE),
    NUMBER("tolerance.absolute", atol, POSITIVE),
    NUMBER("output_step", output_step, NOT_NEGATIVE),
    NUMBER("max_step", max_step, NOT_NEGATIVE),
    NUMBER("stabilise.alpha", stabilise.alpha, NOT_NEGATIVE),
    NUMBER("stabilise.beta", stabilise.beta, NOT_NEGATIVE),
    NUMBER("regularise.epsilon", regularise.epsilon, NOT_NEGATIVE),
    NUMBER("regularise.radius", regularise.radius, NOT_NEGATIVE),
    WHOLE("max_steps"),
    WHOLE("stabilise.passes"),
    WHOLE("stabilise.freeze"),
    WORD("stepper", &STEPPER),
    WORD("solver", &SOLVER),
    WORD("formulation", &FORMULATION),
    WORD("stabilise.method", &METHOD),
    WORD("stabilise.form", &FORM),
    WORD("stabilise.metric", &METRIC),
    WORD("stabilise.levels", &LEVEL),
    WORD("regularise.method", &REGULARISER),
};

enum { OPTION_COUNT = sizeof OPTIONS / sizeof OPTIONS[0] };

static const Option *find_option(const char *name) {
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (strcmp(OPTIONS[i].name, name) == 0) return &OPTIONS[i];
    }
    return NULL;
}

bool crd_option_info(const char *name, CrdOptionInfo *info) {
    const Option *option = find_option(name);
    if (option != NULL) *info = (CrdOptionInfo){option->kind, option->offset};
    return option != NULL;
}

const char *crd_option_nearest(const char *name) {
    const char *names[OPTION_COUNT];
    for (int i = 0; i < OPTION_COUNT; i++) names[i] = OPTIONS[i].name;
    return crd_nearest_name(name, strlen(name), names, OPTION_COUNT);
}

/* ---- setting ---- */

static CardanStatus check_range(const Option *option, double value, CrdError *error) {
    bool good = option->range == POSITIVE ? value > 0.0 : value >= 0.0;
    if (good && isfinite(value)) return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_MODEL, "%s must be %s and finite, is %g", option->name,
                    option->range == POSITIVE ? "> 0" : ">= 0", value);
}

static CardanStatus scan(const char *name, const char *text, double *value, CrdError *error) {
    size_t length = strlen(text), used = 0;
    bool good = crd_scan_number(text, length, value, &used);
    if (good && used == length) return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_MODEL, "%s: expected a number, found '%s'", name, crd_shown(text, length).text);
}

static CardanStatus set_count(CardanOptions *o, const char *name, double value, CrdError *error) {
    bool steps = strcmp(name, "max_steps") == 0, passes = strcmp(name, "stabilise.passes") == 0;
    double least = passes ? 1.0 : 0.0, most = steps ? 1e15 : passes ? 2.0 : 1.0; /* 1e15: exact in a double */
    if (steps && most > (double)LONG_MAX) most = (double)INT_MAX;
    if (!(value >= least && value <= most) || value != floor(value)) {
        const char *what = steps    ? "a whole number >= 0"
                           : passes ? "1 or 2"
                                    : "0 or 1 (a factor kept for several steps is not in this version)";
        return crd_fail(error, CARDAN_ERR_MODEL, "%s must be %s, is %g", name, what, value);
    }
    if (steps) o->max_steps = (long)value;
    if (passes) o->stabilise.passes = (int)value;
    if (!steps && !passes) o->stabilise.freeze = (int)value;
    return CARDAN_OK;
}

static CardanStatus set_word(CardanOptions *o, const Choice *choice, const char *text, CrdError *error) {
    int value = 0;
    CRD_TRY(choose(choice, text, &value, error));
    if (choice == &STEPPER) o->stepper = (CardanStepper)value;
    if (choice == &SOLVER) o->solver = (CardanSolver)value;
    if (choice == &METHOD) o->stabilise.method = (CardanStabiliseMethod)value;
    if (choice == &FORM) o->stabilise.form = (CardanStabiliseForm)value;
    if (choice == &METRIC) o->stabilise.metric = (CardanMetric)value;
    if (choice == &LEVEL) o->stabilise.levels = (CardanLevels)value;
    if (choice == &REGULARISER) o->regularise.method = (CardanRegularise)value;
    if (choice == &FORMULATION) o->formulation = (CardanFormulation)value;
    return CARDAN_OK;
}

static CardanStatus set_option(CardanOptions *o, const char *name, const char *text, CrdError *error) {
    const Option *option = find_option(name);
    double value = 0.0;
    if (option == NULL) {
        const char *near = crd_option_nearest(name);
        return crd_fail(error, CARDAN_ERR_MODEL, "unknown option '%s'%s%s%s", crd_shown(name, strlen(name)).text,
                        near != NULL ? "; did you mean '" : "", near != NULL ? near : "", near != NULL ? "'?" : "");
    }
    if (option->kind == CRD_OPTION_WORD) return set_word(o, option->choice, text, error);
    CRD_TRY(scan(name, text, &value, error));
    if (option->kind == CRD_OPTION_COUNT) return set_count(o, name, value, error);
    CRD_TRY(check_range(option, value, error));
    memcpy((unsigned char *)o + option->offset, &value, sizeof value);
    return CARDAN_OK;
}

static CardanStatus hand_out(const CrdError *error, CardanStatus status, char *message, size_t size) {
    if (message != NULL && size > 0) snprintf(message, size, "%s", status < 0 ? error->text : "");
    return status;
}

CardanStatus cardan_options_set(CardanOptions *options, const char *name, const char *text, char *message,
                                size_t size) {
    CrdError error;
    crd_error_clear(&error);
    CardanStatus status = options == NULL || name == NULL || text == NULL
                              ? crd_fail(&error, CARDAN_ERR_ARGUMENT, "options, name or text is NULL")
                              : set_option(options, name, text, &error);
    return hand_out(&error, status, message, size);
}

/* ---- the whole ---- */

CardanOptions cardan_default_options(void) {
    CardanOptions o = {.rtol = 1e-6, .atol = 1e-8, .stepper = CARDAN_DOP853, .solver = CARDAN_SOLVER_AUTO};
    o.stabilise.passes = 2;
    o.stabilise.freeze = 1;
    return o;
}

CardanStatus crd_options_ranges(const CardanOptions *o, CrdError *error) {
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (OPTIONS[i].kind != CRD_OPTION_NUMBER) continue;
        double value;
        memcpy(&value, (const unsigned char *)o + OPTIONS[i].offset, sizeof value);
        CRD_TRY(check_range(&OPTIONS[i], value, error));
    }
    return CARDAN_OK;
}

static bool within(int value, int count) {
    return value >= 0 && value < count;
}

static CardanStatus check_choices(const CardanOptions *o, CrdError *error) {
    if (!within((int)o->stepper, CARDAN_STEPPERS))
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "there is no stepper number %d", (int)o->stepper);
    if (!within((int)o->formulation, CARDAN_FORMULATIONS))
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "there is no formulation number %d", (int)o->formulation);
    if (!within((int)o->solver, CARDAN_SOLVERS))
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "there is no solver number %d", (int)o->solver);
    if (!within((int)o->stabilise.method, METHOD.count) || !within((int)o->stabilise.form, FORM.count) ||
        !within((int)o->stabilise.metric, METRIC.count) || !within((int)o->stabilise.levels, LEVEL.count))
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "a choice of the stabilisation is out of its range");
    return CARDAN_OK;
}

/* What a stepper can do, as far as options alone tell; what it asks of a model is in its record (step/method.h). */
typedef struct Ability {
    bool adaptive;      /* estimates its error; all take fixed steps */
    bool no_baumgarte;  /* meets the constraints itself, which Baumgarte's terms would disturb */
    bool multipliers;   /* solves for multipliers in its stages: takes any formulation */
} Ability;

static const Ability ABILITIES[CARDAN_STEPPERS] = {
    [CARDAN_DOPRI5] = {.adaptive = true},
    [CARDAN_DOP853] = {.adaptive = true},
    [CARDAN_AB2] = {.adaptive = true},
    [CARDAN_ABM] = {.adaptive = true},
    [CARDAN_GBS] = {.adaptive = true},
    [CARDAN_BACKWARD_EULER] = {.multipliers = true},
    [CARDAN_TRAPEZOIDAL] = {.multipliers = true},
    [CARDAN_IMPLICIT_MIDPOINT] = {.multipliers = true},
    [CARDAN_GAUSS] = {.multipliers = true},
    [CARDAN_RATTLE] = {.no_baumgarte = true},
    [CARDAN_HEM] = {.no_baumgarte = true},
};

static CardanStatus check_stepper(const CardanOptions *o, CrdError *error) {
    const Ability *able = &ABILITIES[o->stepper];
    const char *name = STEPPERS[o->stepper];
    if (!able->adaptive && o->step == 0.0)
        return crd_fail(error, CARDAN_ERR_MODEL,
                        "stepper '%s' estimates no error and needs a fixed 'step'; dopri5 and dop853 choose their own",
                        name);
    if (able->no_baumgarte && o->stabilise.method == CARDAN_STABILISE_BAUMGARTE)
        return crd_fail(error, CARDAN_ERR_MODEL,
                        "stepper '%s' meets the constraints itself, and Baumgarte's terms would disturb it; leave "
                        "'stabilise' out", name);
    return CARDAN_OK;
}

/* Formulations whose stages carry multipliers. */
static CardanStatus check_formulation(const CardanOptions *o, CrdError *error) {
    const Ability *able = &ABILITIES[o->stepper];
    const char *name = STEPPERS[o->stepper], *form = FORMULATIONS[o->formulation];
    if (o->formulation == CARDAN_INDEX1) return CARDAN_OK;
    if (!able->multipliers)
        return crd_fail(error, CARDAN_ERR_MODEL,
                        "formulation '%s' has multipliers as unknowns of each stage, and stages of '%s' have none; "
                        "take backward_euler, trapezoidal, implicit_midpoint or gauss", form, name);
    if (o->stabilise.method == CARDAN_STABILISE_BAUMGARTE)
        return crd_fail(error, CARDAN_ERR_MODEL,
                        "formulation '%s' holds the constraints as equations, and Baumgarte's terms have no place in "
                        "it", form);
    if (o->formulation == CARDAN_PROJECTED)
        return o->stabilise.levels != CARDAN_LEVELS_VELOCITY
                   ? CARDAN_OK
                   : crd_fail(error, CARDAN_ERR_MODEL,
                              "formulation 'projected' on velocities alone lets positions drift; levels must be both "
                              "or position");
    if (o->stabilise.levels != CARDAN_LEVELS_BOTH || o->stabilise.form != CARDAN_FORM_BLOCK)
        return crd_fail(error, CARDAN_ERR_MODEL,
                        "formulation 'ggl' holds positions and velocities in block form; other levels and forms belong "
                        "to 'projected'");
    if (o->regularise.method != CARDAN_REGULARISE_AUTO && o->regularise.method != CARDAN_REGULARISE_NONE)
        return crd_fail(error, CARDAN_ERR_MODEL,
                        "formulation 'ggl' solves for the multipliers with the step, so 'regularise' can do nothing "
                        "there; leave it out");
    return CARDAN_OK;
}

static CardanStatus check_options(const CardanOptions *o, CrdError *error) {
    CRD_TRY(check_choices(o, error));
    CRD_TRY(crd_options_ranges(o, error));
    CardanOptions scratch = *o;
    CRD_TRY(set_count(&scratch, "max_steps", (double)o->max_steps, error));
    CRD_TRY(set_count(&scratch, "stabilise.passes", o->stabilise.passes, error));
    CRD_TRY(set_count(&scratch, "stabilise.freeze", o->stabilise.freeze, error));
    CRD_TRY(check_stepper(o, error));
    CRD_TRY(check_formulation(o, error));
    if (o->step > 0.0 && o->max_step > 0.0 && o->step > o->max_step) {
        return crd_fail(error, CARDAN_ERR_MODEL, "the fixed step %g is longer than max_step %g", o->step, o->max_step);
    }
    return CARDAN_OK;
}

CardanStatus cardan_options_check(const CardanOptions *options, char *message, size_t size) {
    CrdError error;
    crd_error_clear(&error);
    CardanStatus status =
        options == NULL ? crd_fail(&error, CARDAN_ERR_ARGUMENT, "options is NULL") : check_options(options, &error);
    return hand_out(&error, status, message, size);
}

CardanOptions crd_options_resolved(const CardanOptions *options) {
    CardanOptions o = *options;
    if (o.stabilise.method == CARDAN_STABILISE_BAUMGARTE && o.stabilise.alpha == 0.0 && o.stabilise.beta == 0.0) {
        o.stabilise.alpha = 20.0; /* 2 w and w^2 with w = 10 1/s */
        o.stabilise.beta = 100.0;
    }
    return o;
}

const char *cardan_stepper_name(CardanStepper stepper) {
    return within((int)stepper, CARDAN_STEPPERS) ? STEPPERS[stepper] : "unknown";
}

const char *cardan_solver_name(CardanSolver solver) {
    return within((int)solver, CARDAN_SOLVERS) ? SOLVERS[solver] : "unknown";
}

const char *cardan_options_word(const char *name, int i) {
    const Option *option = name != NULL ? find_option(name) : NULL;
    bool there = option != NULL && option->choice != NULL && within(i, option->choice->count);
    return there ? option->choice->words[i] : NULL;
}
