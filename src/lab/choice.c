#include "lab/choice.h"

#include <math.h>
#include <string.h>

/* ---- words ---- */

static const CrdLabRegulariser *const regularisers[] = {&crd_lab_regular, &crd_lab_direct, &crd_lab_trust};
static const CrdLabDirections *const directions[] = {&crd_lab_along_h, &crd_lab_along_g, &crd_lab_along_b,
                                                     &crd_lab_along_given};
static const CrdLabCorrection *const corrections[] = {&crd_lab_forward, &crd_lab_backward, &crd_lab_post,
                                                      &crd_lab_project};
static const struct {
    const char *name;
    CrdLabScaling scaling;
} scalings[] = {{"inverse", CRD_LAB_INVERSE}, {"blocks", CRD_LAB_BLOCKS}, {"plain", CRD_LAB_PLAIN}};
static const struct {
    const char *name;
    unsigned parts;
} parts[] = {{"all", CRD_LAB_ALL}, {"position", CRD_LAB_POSITION}, {"velocity", CRD_LAB_VELOCITY}};

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

static const char *formulation_name(int i) {
    int count = 0;
    while (crd_lab_formulations[count] != NULL) count++;
    return i < count ? crd_lab_formulations[i]->name : NULL;
}
static const char *stepper_name(int i) {
    const CrdLabStepper *stepper = crd_lab_stepper_at(i);
    return stepper != NULL ? stepper->name : NULL;
}
static const char *integrator_name(int i) {
    const CrdMethod *method = crd_lab_integrator_at(i);
    return method != NULL ? method->name : NULL;
}
static const char *regulariser_name(int i) {
    return i < COUNT(regularisers) ? regularisers[i]->name : NULL;
}
static const char *directions_name(int i) {
    return i < COUNT(directions) ? directions[i]->name : NULL;
}
static const char *scaling_name(int i) {
    return i < COUNT(scalings) ? scalings[i].name : NULL;
}
static const char *part_name(int i) {
    return i < COUNT(parts) ? parts[i].name : NULL;
}
static const char *correction_name(int i) {
    return i == 0 ? "none" : i <= COUNT(corrections) ? corrections[i - 1]->name : NULL;
}

static const struct {
    const char *what;
    const char *(*name)(int i);
} choices[] = {
    [CARDAN_LAB_FORMULATION] = {"formulation", formulation_name},
    [CARDAN_LAB_STEPPER] = {"stepper", stepper_name},
    [CARDAN_LAB_INTEGRATOR] = {"integrator", integrator_name},
    [CARDAN_LAB_REGULARISER] = {"regulariser", regulariser_name},
    [CARDAN_LAB_DIRECTIONS] = {"directions", directions_name},
    [CARDAN_LAB_SCALING] = {"scaling", scaling_name},
    [CARDAN_LAB_PART] = {"part", part_name},
    [CARDAN_LAB_CORRECTION] = {"correction", correction_name},
};

const char *cardan_lab_name(CardanLabChoice choice, int i) {
    return (int)choice >= 0 && (int)choice < COUNT(choices) && i >= 0 ? choices[choice].name(i) : NULL;
}

int cardan_lab_stepper_order(const char *name) {
    const CrdLabStepper *stepper = name != NULL ? crd_lab_stepper(name) : NULL;
    return stepper != NULL ? stepper->order : 0;
}

/* Index of a word; NULL is the first. */
static CardanStatus find(CardanLabChoice choice, const char *word, int *index, CrdError *error) {
    *index = 0;
    if (word == NULL) return CARDAN_OK;
    for (const char *name; (name = choices[choice].name(*index)) != NULL; ++*index)
        if (strcmp(name, word) == 0) return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_ARGUMENT, "there is no %s '%s'", choices[choice].what, word);
}

/* ---- from words to a method ---- */

static CardanStatus check_numbers(const CardanLabMethod *words, CrdError *error) {
    const double numbers[] = {words->gamma,    words->alpha, words->beta, words->epsilon, words->correction_alpha,
                              words->tolerance};
    for (int i = 0; i < COUNT(numbers); i++)
        if (!(numbers[i] >= 0.0 && isfinite(numbers[i])))
            return crd_fail(error, CARDAN_ERR_ARGUMENT, "gains, epsilon and tolerance must be 0 or positive, not %g",
                            numbers[i]);
    if (words->passes < 0)
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "passes = %d must not be negative", words->passes);
    if (words->gamma != 0.0 && (words->alpha != 0.0 || words->beta != 0.0))
        return crd_fail(error, CARDAN_ERR_ARGUMENT,
                        "give Baumgarte's gains by gamma or by alpha and beta, not by both");
    return CARDAN_OK;
}

static CardanStatus choose_stepper(const CardanLabMethod *words, CrdLabChosen *chosen, CrdError *error) {
    bool by_tolerance = words->rtol != 0.0 || words->atol != 0.0;
    int i;
    if (words->stepper == NULL) return crd_fail(error, CARDAN_ERR_ARGUMENT, "no stepper is named");
    if (by_tolerance && !(words->rtol > 0.0 && words->atol > 0.0))
        return crd_fail(error, CARDAN_ERR_ARGUMENT, "rtol = %g and atol = %g must both be positive", words->rtol,
                        words->atol);
    CRD_TRY(find(by_tolerance ? CARDAN_LAB_INTEGRATOR : CARDAN_LAB_STEPPER, words->stepper, &i, error));
    if (by_tolerance) {
        chosen->integrator = crd_lab_integrator_at(i);
        chosen->tolerance = (CrdLabTolerance){.rtol = words->rtol, .atol = words->atol};
    } else
        chosen->method.stepper = crd_lab_stepper_at(i);
    return CARDAN_OK;
}

static CardanStatus choose_stabiliser(const CardanLabMethod *words, CrdLabStabiliser *stabiliser, CrdError *error) {
    int along, scaling, held, moved, correction;
    CRD_TRY(find(CARDAN_LAB_DIRECTIONS, words->directions, &along, error));
    CRD_TRY(find(CARDAN_LAB_SCALING, words->scaling, &scaling, error));
    CRD_TRY(find(CARDAN_LAB_PART, words->held, &held, error));
    CRD_TRY(find(CARDAN_LAB_PART, words->moved != NULL ? words->moved : words->held, &moved, error));
    CRD_TRY(find(CARDAN_LAB_CORRECTION, words->correction, &correction, error));
    *stabiliser = (CrdLabStabiliser){
        .directions = directions[along],
        .given = words->given,
        .scaling = scalings[scaling].scaling,
        .rows = parts[held].parts,
        .moved = parts[moved].parts,
        .correction = correction > 0 ? corrections[correction - 1] : NULL,
        .alpha = words->correction_alpha,
        .passes = words->passes,
        .frozen = words->frozen,
        .tolerance = words->tolerance,
    };
    return CARDAN_OK;
}

static CardanStatus choose_law(const CrdLabProblem *problem, const CardanLabMethod *words, bool damped, CrdLabLaw *law,
                               CrdError *error) {
    int regulariser;
    CRD_TRY(find(CARDAN_LAB_REGULARISER, words->regulariser, &regulariser, error));
    *law = (CrdLabLaw){.inverse_step = damped && words->gamma_per_step,
                       .first_derivatives = words->first_derivatives,
                       .regulariser = regularisers[regulariser],
                       .eps = words->epsilon};
    if (damped) crd_lab_damp(law, problem->order, words->gamma);
    if (words->alpha != 0.0 || words->beta != 0.0) {
        law->damping[0] = words->beta;
        law->damping[1] = words->alpha;
    }
    return CARDAN_OK;
}

CardanStatus crd_lab_choose(const CrdLabProblem *problem, const CardanLabMethod *words, CrdLabChosen *chosen,
                            CrdError *error) {
    int formulation;
    *chosen = (CrdLabChosen){.method.setting.problem = problem};
    CrdLabSetting *setting = &chosen->method.setting;
    CRD_TRY(check_numbers(words, error));
    CRD_TRY(find(CARDAN_LAB_FORMULATION, words->formulation, &formulation, error));
    setting->formulation = crd_lab_formulations[formulation];
    setting->selection = words->selection;
    CRD_TRY(choose_stepper(words, chosen, error));
    CRD_TRY(choose_law(problem, words, setting->formulation != &crd_lab_stabilised, &setting->law, error));
    CRD_TRY(choose_stabiliser(words, &setting->stabiliser, error));
    setting->gamma = words->gamma;
    setting->gamma_per_step = words->gamma_per_step;
    /* Where nothing is pulled anywhere there is no stabiliser to be checked. */
    if (!setting->formulation->wants_directions && setting->stabiliser.correction == NULL)
        setting->stabiliser.directions = NULL;
    return CARDAN_OK;
}

/* ---- what does not fit ---- */

/* What an integrator by tolerance cannot do. */
static const char *refuse_integrator(const CrdLabSetting *setting) {
    if (setting->formulation->multipliers != 0 || setting->formulation->overdetermined)
        return "it integrates ODEs, and this formulation has algebraic equations";
    if (setting->stabiliser.correction != NULL) return "corrections after steps belong to steps of fixed size";
    if (setting->law.inverse_step || setting->gamma_per_step) return "gamma = 1/h needs steps of fixed size";
    if (setting->formulation->charted && setting->selection == NULL) return "it needs a given R, which stays the same";
    return NULL;
}

/* Numbers that would be passed over in silence. */
static const char *refuse_numbers(const CrdLabSetting *setting) {
    const CrdLabLaw *law = &setting->law;
    bool damped = law->damping[0] != 0.0 || law->damping[1] != 0.0 || law->inverse_step;
    bool law_used = setting->formulation->multipliers <= 0; /* CRD_LAB_HELD: the law is in f^ */
    if (damped && setting->problem->order == 0)
        return "an ODE with invariants has no multipliers that gains could change";
    if (damped && !law_used) return "gains have no place in a formulation that keeps its multipliers";
    if (law->regulariser != &crd_lab_regular && (!law_used || setting->problem->order == 0))
        return "a regulariser replaces the inverse of G B, which does not occur here";
    if (law->regulariser != &crd_lab_regular && !(law->eps > 0.0)) return "a regulariser needs epsilon > 0";
    return NULL;
}

CardanStatus crd_lab_check_chosen(const CrdLabChosen *chosen, CrdLabWorkspace *workspace) {
    CrdLabSetting s = chosen->method.setting;
    const char *reason = refuse_numbers(&s);
    if (reason == NULL && chosen->integrator != NULL) reason = refuse_integrator(&s);
    if (reason != NULL)
        return crd_fail(workspace->error, CARDAN_ERR_ARGUMENT, "formulation '%s' of '%s' with %s does not fit: %s",
                        s.formulation->name, s.problem->name,
                        chosen->integrator != NULL ? chosen->integrator->name : chosen->method.stepper->name, reason);
    CRD_TRY(crd_lab_check_method(&chosen->method, workspace->error));
    if (chosen->integrator != NULL) return CARDAN_OK;
    s.stabiliser.problem = s.problem;
    CrdLabSystem system = crd_lab_system(&s);
    CrdLabStepping stepping;
    CrdLabMark mark = crd_lab_mark(workspace);
    CRD_TRY(crd_lab_stepping_begin(&stepping, chosen->method.stepper, &system, workspace));
    crd_lab_back(workspace, mark);
    return CARDAN_OK;
}
