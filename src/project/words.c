#include "project/words.h"

#include <assert.h>

static const CrdStabiliseRecord METHODS[] = {
    [CARDAN_STABILISE_POST] = {.name = "post", .summary = "corrections after each step, once or twice", .moves = true},
    [CARDAN_STABILISE_BAUMGARTE] = {.name = "baumgarte",
                                    .summary = "G a = gamma - alpha (G v + g_t) - beta g in every evaluation"},
    [CARDAN_STABILISE_PROJECT] = {.name = "project",
                                  .summary = "Newton's method to rounding after each step",
                                  .moves = true},
    [CARDAN_STABILISE_NONE] = {.name = "none", .summary = "nothing: the constraints drift"},
};
static const CrdWord FORMS[] = {
    [CARDAN_STABILISE_FORM_BLOCK] = {"block", "positions and velocities corrected apart"},
    [CARDAN_STABILISE_FORM_FULL] = {"full", "corrected together, with the derivative of the velocity rows"},
};
static const CrdWord METRICS[] = {
    [CARDAN_METRIC_MASS] = {"mass", "least change measured by the mass matrix"},
    [CARDAN_METRIC_EUCLID] = {"euclid", "least change of the coordinates as they are"},
};
static const CrdWord LEVELS[] = {
    [CARDAN_LEVELS_BOTH] = {"both", "positions and velocities"},
    [CARDAN_LEVELS_POSITION] = {"position", "positions alone"},
    [CARDAN_LEVELS_VELOCITY] = {"velocity", "velocities alone"},
};

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))
#define WORD(table, i) ((i) >= 0 && (i) < COUNT(table) ? (CrdWord){(table)[i].name, (table)[i].summary} : (CrdWord){0})

const CrdStabiliseRecord *crd_stabilise_record(CardanStabiliseMethod method) {
    assert((int)method >= 0 && (int)method < COUNT(METHODS));
    return &METHODS[method];
}

CrdWord crd_stabilise_method_word(int i) {
    return WORD(METHODS, i);
}

CrdWord crd_stabilise_form_word(int i) {
    return WORD(FORMS, i);
}

CrdWord crd_stabilise_metric_word(int i) {
    return WORD(METRICS, i);
}

CrdWord crd_stabilise_levels_word(int i) {
    return WORD(LEVELS, i);
}
