/* Why did post-stabilisation not converge, or a joint stay open, in steps of any length? The first of these that is so:
 *
 *     redundant rows disagree         the worst row is one that others were taken to say already; with a drive, the
 *                                     drive asks for what the others do not allow
 *     a body is light                 against the heaviest, as a mass or by its inertia over the square of the size
 *     rows nearly depend              the weakest pivot of S is a small part of its diagonal entry; with a drive among
 *                                     them, the drive asks for what the others do not allow
 *     the tolerance is too tight      what is left is a few times rounding
 *
 * Whether a fixed step is too long is asked in sim/too_long.c. Looked at only when a run ends, so nothing here is
 * counted in instructions. */
#include "guard/gate/gate.h"

#include "core/numbers.h"
#include "dynamics/rank_look.h"
#include "integrate/attempt.h"
#include "model/tree.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Pivot of S against its diagonal entry, below which a correction of size 1 is known to less than eight digits: it does
 * not bring residuals to a hundredth of a tolerance. */
#define CRD_CAUSE_PIVOT 1e-8

/* Masses in one mechanism that differ by more lose all digits of the light one in S. */
#define CRD_CAUSE_LIGHT 1e-9

/* Residuals up to this many times the rounding of their rows are rounding. */
#define CRD_CAUSE_ROUNDING 1e3

enum { NAMES = 6, TEXT_SIZE = CRD_MESSAGE_SIZE / 2 };

static void say(char *text, const char *format, ...) CRD_PRINTF(2, 3);
static void say(char *text, const char *format, ...) {
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, TEXT_SIZE - used, format, arguments);
    va_end(arguments);
}

/* ---- the rows ---- */

static bool is_drive(const CrdElement *element) {
    return crd_element_has_power(element) && element->laws > 0;
}

/* Names of marked elements, drives or others. */
static int list(const CrdGate *gate, bool drives, char *text) {
    const CardanModel *model = gate->integrator->dynamics.model;
    int count = 0;
    for (int e = 0; e < model->structure->element_count; e++) {
        if (!gate->mark[e] || is_drive(&model->structure->elements[e]) != drives) continue;
        if (count < NAMES) say(text, "%s'%.64s'", count == 0 ? "" : ", ", crd_element_name(model, e));
        count++;
    }
    if (count > NAMES) say(text, " and %d more", count - NAMES);
    return count;
}

static bool disagree(const CrdGate *gate, int row, char *text) {
    const CrdDynamics *dynamics = &gate->integrator->dynamics;
    const CardanModel *model = dynamics->model;
    if (dynamics->redundancy.count == 0 || !dynamics->redundancy.is_dropped[row]) return false;
    int element = model->structure->row_element[row];
    const char *name = crd_element_name(model, element);
    if (is_drive(&model->structure->elements[element]))
        say(text,
            "the drive '%.64s' asks for a motion that other joints do not allow: take it away, or free one of them",
            name);
    else
        say(text, "joint '%.64s' says again what others say, and not quite the same: correct the joint data", name);
    return true;
}

static bool are_dependent(CrdGate *gate, char *text) {
    CrdIntegrator *integrator = gate->integrator;
    CrdDynamics *dynamics = &integrator->dynamics;
    const CrdStepper *stepper = &integrator->stepper;
    bool known = crd_integrator_evaluate_constraints(integrator, stepper->t, stepper->y) >= 0 &&
                 crd_factor(dynamics, CARDAN_METRIC_MASS) >= 0;
    if (known && dynamics->factor.pivot_last > CRD_CAUSE_PIVOT && dynamics->factor.dropped == 0) return false;
    crd_singular_elements(dynamics, gate->mark);
    char drives[TEXT_SIZE] = "", others[TEXT_SIZE] = "";
    int driven = list(gate, true, drives), held = list(gate, false, others);
    if (driven > 0 && held > 0)
        say(text, "the drive %.200s asks for a motion that %.400s do not allow: take it away, or free one of them",
            drives, others);
    else
        say(text,
            "rows of %.400s nearly depend on each other (pivot %.2g): correct the joint data, or leave out what says "
            "the same twice",
            driven > 0 ? drives : others, dynamics->factor.pivot_last);
    return true;
}

/* ---- masses ---- */

/* The least mass that a body shows to its joints. */
static double least_mass(const CrdBlockValues *block, CrdBlockKind kind, double size) {
    double mass = block->mass;
    bool turns = kind == CRD_PLANAR_BODY || kind == CRD_SPATIAL_BODY;
    for (int k = kind == CRD_PLANAR_BODY ? 8 : 0; turns && k < 9; k += 4)
        mass = fmin(mass, block->inertia[k] / (size * size));
    return mass;
}

static bool is_light(const CrdGate *gate, char *text) {
    const CardanModel *model = gate->integrator->dynamics.model;
    const CrdStructure *structure = model->structure;
    double least = DBL_MAX, largest = 0.0;
    int light = -1;
    for (int b = 0; b < structure->block_count; b++) {
        const CrdBlockValues *values = crd_block_values(model, b);
        if (structure->blocks[b].kind == CRD_CUSTOM_BLOCK || values->mass == 0.0) continue;
        double mass = least_mass(values, structure->blocks[b].kind, model->values.size);
        largest = fmax(largest, values->mass);
        if (mass < least) least = mass, light = b;
    }
    if (light < 0 || least > CRD_CAUSE_LIGHT * largest) return false;
    say(text,
        "body '%.64s' has %.2g of the mass of the heaviest, by its mass or inertia: give it more, or weld it to "
        "another",
        model->description->bodies[structure->blocks[light].object].name, least / largest);
    return true;
}

/* ---- the tolerance ---- */

static bool is_rounding(const CrdGate *gate, double rounding, char *text) {
    const CrdTolerance *tolerance = &gate->integrator->stabiliser.tolerance;
    if (!(rounding <= CRD_CAUSE_ROUNDING)) return false;
    say(text,
        "what is left is rounding: the tolerance, relative %.2g, absolute %.2g m and %.2g rad, is too tight for it",
        tolerance->relative, tolerance->length, tolerance->angle);
    return true;
}

CardanStatus crd_gate_explain(void *self, const CrdTry *attempt, CardanStatus status) {
    CrdGate *gate = self;
    CrdIntegrator *integrator = gate->integrator;
    CrdDynamics *dynamics = &integrator->dynamics;
    if (!attempt->unclosed.any || status != CARDAN_ERR_NUMERIC) return CARDAN_OK;
    CrdUnclosed worst = attempt->unclosed;
    CrdError told = *integrator->stepper.error, quiet = {0};
    CrdError *stepper_error = integrator->stepper.error, *dynamics_error = dynamics->error;
    char cause[TEXT_SIZE] = "";
    integrator->stepper.error = dynamics->error = &quiet;
    bool found = disagree(gate, worst.row, cause) || is_light(gate, cause) || are_dependent(gate, cause) ||
                 is_rounding(gate, worst.rounding, cause);
    integrator->stepper.error = stepper_error;
    dynamics->error = dynamics_error;
    if (!found && integrator->options.step > 0.0) return CARDAN_OK; /* sim/too_long.c tries shorter ones */
    if (!found) say(cause, "steps down to %.2g fail too: look at the model there", attempt->h);
    crd_error_clear(stepper_error);
    return crd_fail(stepper_error, CARDAN_ERR_NUMERIC, "%.500s; %s", told.text, cause);
}
