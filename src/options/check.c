/* Whether options fit each other, as far as they alone tell: records of steppers and formulations say what each takes.
 * What a stepper asks of a model is its own check (integrate/methods/method.h). */
#include "integrate/methods/formulations.h"
#include "integrate/methods/method.h"
#include "options/table.h"

static CardanStatus check_words(const CardanOptions *options, CrdError *error) {
    const CrdOption *option;
    for (int i = 0; (option = crd_option(i)) != NULL; i++) {
        if (option->kind != CRD_OPTION_WORD) continue;
        int number = (int)crd_option_value(options, option);
        if (option->word(number).name == NULL)
            return crd_fail(error, CARDAN_ERR_ARGUMENT, "there is no %s number %d", option->what, number);
    }
    return CARDAN_OK;
}

static CardanStatus check_ranges(const CardanOptions *options, CrdError *error) {
    const CrdOption *option;
    for (int i = 0; (option = crd_option(i)) != NULL; i++)
        if (option->kind != CRD_OPTION_WORD && !(option->unset != NULL && crd_option_value(options, option) == 0.0))
            CRD_TRY(crd_option_range(option, crd_option_value(options, option), error));
    return CARDAN_OK;
}

/* Steppers as "a, b, c": those with error control, or those that take a formulation. */
typedef struct Names {
    char text[256];
} Names;

static Names steppers(bool adaptive, CardanFormulation formulation) {
    Names names = {0};
    const char *words[CARDAN_STEPPERS];
    int count = 0;
    for (int i = 0; i < CARDAN_STEPPERS; i++) {
        const CrdMethod *method = crd_method((CardanStepper)i);
        if (adaptive ? method->adaptive : (method->formulations & 1u << formulation) != 0)
            words[count++] = method->name;
    }
    crd_word_list(words, count, names.text, sizeof names.text);
    return names;
}

static CardanStatus check_order(const CardanOptions *options, const CrdMethod *method, CrdError *error) {
    if (options->order <= method->order_max) return CARDAN_OK;
    if (method->order_max == 0)
        return crd_fail(error, CARDAN_ERR_MODEL, "stepper '%s' leaves no choice of its order; leave 'order' out",
                        method->name);
    return crd_fail(error, CARDAN_ERR_MODEL, "stepper '%s' has orders 1 to %d, not %d", method->name, method->order_max,
                    options->order);
}

static CardanStatus check_stepper(const CardanOptions *options, CrdError *error) {
    const CrdMethod *method = crd_method(options->stepper);
    if (!method->adaptive && options->step == 0.0)
        return crd_fail(error, CARDAN_ERR_MODEL,
                        "stepper '%s' estimates no error and needs a fixed 'step'; these choose their own: %s",
                        method->name, steppers(true, CARDAN_FORMULATION_INDEX1).text);
    if (method->no_baumgarte && options->stabilise.method == CARDAN_STABILISE_BAUMGARTE)
        return crd_fail(error, CARDAN_ERR_MODEL,
                        "stepper '%s' meets the constraints itself, and Baumgarte's terms would disturb it; leave "
                        "'stabilise' out",
                        method->name);
    return check_order(options, method, error);
}

static CardanStatus check_index(const CardanOptions *options, CrdError *error) {
    bool gains = options->stabilise.alpha > 0.0 && options->stabilise.beta > 0.0;
    if (options->stabilise.index != 3 || (gains && options->stabilise.method == CARDAN_STABILISE_BAUMGARTE))
        return CARDAN_OK;
    return crd_fail(error, CARDAN_ERR_MODEL,
                    "stabilise.index 3 leaves the constraints to Baumgarte's terms alone: it needs method 'baumgarte' "
                    "with alpha and beta above 0");
}

static CardanStatus check_formulation(const CardanOptions *options, CrdError *error) {
    const CrdMethod *method = crd_method(options->stepper);
    const CrdFormulation *formulation = crd_formulation(options->formulation);
    if ((method->formulations & 1u << options->formulation) == 0)
        return crd_fail(error, CARDAN_ERR_MODEL,
                        "formulation '%s' has multipliers as unknowns of each stage, and stages of '%s' have none; "
                        "take %s",
                        formulation->name, method->name, steppers(false, options->formulation).text);
    if (formulation->multipliers && options->stabilise.method == CARDAN_STABILISE_BAUMGARTE)
        return crd_fail(error, CARDAN_ERR_MODEL,
                        "formulation '%s' holds the constraints as equations, and Baumgarte's terms have no place in "
                        "it",
                        formulation->name);
    return formulation->check != NULL ? formulation->check(options, error) : CARDAN_OK;
}

static CardanStatus check_options(const CardanOptions *options, CrdError *error) {
    CRD_TRY(check_words(options, error));
    CRD_TRY(check_ranges(options, error));
    CRD_TRY(check_stepper(options, error));
    CRD_TRY(check_index(options, error));
    CRD_TRY(check_formulation(options, error));
    if (options->step > 0.0 && options->max_step > 0.0 && options->step > options->max_step)
        return crd_fail(error, CARDAN_ERR_MODEL, "the fixed step %g is longer than max_step %g", options->step,
                        options->max_step);
    return CARDAN_OK;
}

CardanStatus cardan_options_check(const CardanOptions *options, char *message, size_t size) {
    CrdError error = {0};
    CardanStatus status = crd_options_made(options, &error);
    if (status >= 0) status = check_options(options, &error);
    return crd_option_report(&error, status, message, size);
}
