#include "support/scaled.h"

#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "build/fields.h"
#include "measure/measure.h"

enum { TEXT_SIZE = 2000 };

/* ---- units ---- */

static double factor_of(const Scaling *s, const char *word, size_t n) {
    static const struct {
        const char *name;
        int length, mass, time;
    } UNITS[] = {{"m", 1, 0, 0}, {"kg", 0, 1, 0}, {"s", 0, 0, 1}, {"N", 1, 1, -2}, {"rad", 0, 0, 0}, {"1", 0, 0, 0}};
    for (size_t i = 0; i < sizeof UNITS / sizeof *UNITS; i++)
        if (strlen(UNITS[i].name) == n && memcmp(UNITS[i].name, word, n) == 0)
            return pow(s->length, UNITS[i].length) * pow(s->mass, UNITS[i].mass) * pow(s->time, UNITS[i].time);
    fail_msg("unit '%.*s' is not known", (int)n, word);
    return 1.0;
}

double scale_of_unit(const Scaling *scaling, const char *unit, size_t length) {
    double scale = 1.0, sign = 1.0;
    for (size_t i = 0; i < length;) {
        size_t word = i, power = 1;
        if (unit[i] == ' ' || unit[i] == '/') {
            if (unit[i++] == '/') sign = -1.0;
            continue;
        }
        while (i < length && isalnum((unsigned char)unit[i])) i++;
        assert_true(i > word);
        double factor = factor_of(scaling, unit + word, i - word);
        if (i + 1 < length && unit[i] == '^') {
            power = (size_t)(unit[i + 1] - '0');
            i += 2;
        }
        scale *= pow(factor, sign * (double)power);
    }
    return scale;
}

/* "A or B": A of an angle, B of a length. "A, B" and "A, then B": A first, B from number `second` on. */
typedef struct Choice {
    bool angle;
    int number, second;
} Choice;

static double scale_of(const Scaling *s, const char *unit, Choice choice) {
    if (unit == NULL) return 1.0;
    const char *comma = strstr(unit, ", "), *word = strstr(unit, " or ");
    if (comma != NULL) {
        const char *then = strncmp(comma, ", then ", 7) == 0 ? comma + 7 : comma + 2;
        return choice.number < choice.second ? scale_of_unit(s, unit, (size_t)(comma - unit))
                                             : scale_of_unit(s, then, strlen(then));
    }
    if (word == NULL) return scale_of_unit(s, unit, strlen(unit));
    return choice.angle ? scale_of_unit(s, unit, (size_t)(word - unit)) : scale_of_unit(s, word + 4, strlen(word + 4));
}

/* ---- laws ---- */

static bool is_name(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* What a name in a law is divided by. */
static double scale_of_name(const Scaling *s, const char *name, size_t n, bool angle) {
    const char *dot = memchr(name, '.', n);
    if (n == 1 && name[0] == 't') return s->time;
    if (n == 1 && name[0] == 'x') return angle ? 1.0 : s->length;
    if (n == 1 && name[0] == 'v') return (angle ? 1.0 : s->length) / s->time;
    for (int i = 0; dot != NULL && i < CRD_MEASURES; i++) {
        if (crd_measures[i].name == NULL) continue; /* what forces offer: those with a length have it as joints do */
        size_t length = strlen(crd_measures[i].name);
        if (crd_measures[i].in_laws && length == n - (size_t)(dot + 1 - name) &&
            memcmp(crd_measures[i].name, dot + 1, length) == 0)
            return scale_of_unit(s, crd_measures[i].unit, strlen(crd_measures[i].unit));
    }
    return 1.0;
}

/* "scale*(law with every name that has a unit divided by its own scale)" */
static char *scaled_law(const Scaling *s, const char *law, double scale, bool angle) {
    char text[TEXT_SIZE];
    int used = snprintf(text, sizeof text, "%.17g*(", scale);
    for (const char *at = law; *at != '\0';) {
        size_t n = 0;
        bool name = isalpha((unsigned char)*at) || *at == '_';
        do n++;
        while (is_name(*at) && is_name(at[n]));
        double by = name ? scale_of_name(s, at, n, angle) : 1.0;
        used += snprintf(text + used, sizeof text - (size_t)used, by == 1.0 ? "%.*s" : "(%.*s/%.17g)", (int)n, at, by);
        assert_true(used < TEXT_SIZE - 2);
        at += n;
    }
    text[used++] = ')';
    text[used] = '\0';
    char *copy = malloc((size_t)used + 1);
    assert_non_null(copy);
    return memcpy(copy, text, (size_t)used + 1);
}

/* ---- objects ---- */

static bool joint_is_angle(const CrdDescription *d, int joint, CardanCoordinate coordinate) {
    if (coordinate == CARDAN_COORDINATE_NONE) coordinate = crd_joint_kinds[d->joints[joint - 1].type]->coordinates[0];
    return coordinate == CARDAN_COORDINATE_ANGLE;
}

static bool acts_on_angle(const CrdDescription *d, CrdOwner owner, const void *object) {
    const CrdElementDesc *element = object;
    CardanCoordinate coordinate = CARDAN_COORDINATE_NONE;
    int joint = 0;
    if (owner == CRD_OWNER_FORCE) joint = crd_force_joint(element, &coordinate);
    if (owner == CRD_OWNER_JOINT && element->type == CARDAN_JOINT_DRIVER && element->items > 0) {
        joint = d->terms[element->item].joint;
        coordinate = d->terms[element->item].coordinate;
    }
    return joint > 0 && joint_is_angle(d, joint, coordinate);
}

static void scale_object(CrdDescription *d, const Scaling *s, CrdOwner owner, int index) {
    unsigned char *object = (unsigned char *)(uintptr_t)crd_object_of(d, owner, index);
    CrdFieldTable table = crd_fields_of(d, owner, index);
    CrdElementDesc *element = crd_is_element(owner) ? (CrdElementDesc *)(void *)object : NULL;
    Choice choice = {.angle = element != NULL && acts_on_angle(d, owner, object)};
    for (int i = 0; i < table.count; i++) {
        const CrdField *field = &table.fields[i];
        if (field->unit == NULL || !crd_field_active(field, d->space, owner, object)) continue;
        int count = field->count[d->space];
        choice.second = count == 3 ? 2 : (count + 1) / 2;
        double *numbers = (double *)(void *)(object + crd_field_base(owner) + field->own);
        for (choice.number = 0; crd_field_has_numbers(field) && choice.number < count; choice.number++)
            numbers[choice.number] *= scale_of(s, field->unit, choice);
        bool law = field->holds == CRD_HOLDS_DRIVEN || field->holds == CRD_HOLDS_VALUE ||
                   field->holds == CRD_HOLDS_LAW || field->holds == CRD_HOLDS_TARGET || field->holds == CRD_HOLDS_PATH;
        for (int k = 0; law && k < 3; k++) {
            if (element->law[k] == NULL) continue;
            char *old = element->law[k];
            choice.number = 0;
            element->law[k] = scaled_law(s, old, scale_of(s, field->unit, choice), choice.angle);
            free(old);
        }
    }
}

/* A coupler's sum is a length when one of its coordinates is; then its angles' coefficients are lengths too. */
static void scale_terms(CrdDescription *d, const Scaling *s, CrdJointDesc *coupler) {
    bool length = false;
    for (int i = coupler->item; i < coupler->item + coupler->items; i++)
        length = length || d->terms[i].coordinate != CARDAN_COORDINATE_ANGLE;
    for (int i = coupler->item; length && i < coupler->item + coupler->items; i++)
        if (d->terms[i].coordinate == CARDAN_COORDINATE_ANGLE) d->terms[i].coefficient *= s->length;
    CrdJointNumbers *numbers = (CrdJointNumbers *)(void *)&coupler->numbers;
    if (length) numbers->value *= s->length;
    if (coupler->law[0] == NULL) return;
    char *old = coupler->law[0];
    coupler->law[0] = scaled_law(s, old, length ? s->length : 1.0, true);
    free(old);
}

static void scale_description(CrdDescription *d, const Scaling *s) {
    for (int i = 0; i < 3; i++) d->gravity[i] *= s->length / (s->time * s->time);
    for (int i = 0; i < d->body_count; i++) scale_object(d, s, CRD_OWNER_BODY, i);
    for (int i = 0; i < d->rate_count; i++)
        d->rates[i].rate *= (joint_is_angle(d, d->rates[i].joint, CARDAN_COORDINATE_NONE) ? 1.0 : s->length) / s->time;
    for (int i = 0; i < d->joint_count; i++) {
        scale_object(d, s, CRD_OWNER_JOINT, i);
        if (d->joints[i].type == CARDAN_JOINT_COUPLER) scale_terms(d, s, &d->joints[i]);
    }
    for (int i = 0; i < d->force_count; i++) scale_object(d, s, CRD_OWNER_FORCE, i);
    for (int i = 0; i < d->point_count; i++)
        for (int k = 0; k < 3; k++) d->points[i].local[k] *= s->length;
    d->options = scaled_options(d->options, s);
}

/* ---- models and simulations ---- */

CardanModel *scaled_model(const char *file, const Scaling *scaling) {
    CardanBuilder *builder = NULL;
    CardanModel *model = NULL;
    if (cardan_builder_read_file(file, &builder) < 0) fail_msg("%s", cardan_builder_message(builder));
    scale_description(builder->description, scaling);
    if (cardan_builder_compile(builder, &model) < 0) fail_msg("%s", cardan_builder_message(builder));
    cardan_builder_destroy(builder);
    return model;
}

CardanOptions scaled_options(CardanOptions options, const Scaling *scaling) {
    options.end *= scaling->time;
    options.step *= scaling->time;
    options.max_step *= scaling->time;
    options.output_step *= scaling->time;
    options.stabilise.alpha /= scaling->time;
    options.stabilise.beta /= scaling->time * scaling->time;
    return options;
}

void scale_tolerances(CardanSim *copy, const CardanSim *itself, const Scaling *scaling) {
    CrdTolerance tolerance = itself->integrator.stabiliser.tolerance;
    CrdStepper *stepper = &copy->integrator.stepper;
    tolerance.length *= scaling->length;
    tolerance.speed *= scaling->length / scaling->time;
    tolerance.spin /= scaling->time;
    tolerance.energy *= scaling->mass * scaling->length * scaling->length / (scaling->time * scaling->time);
    copy->integrator.stabiliser.tolerance = tolerance;
    crd_integrator_scale(&copy->integrator);
    crd_tolerance_spread(&tolerance, copy->model->structure, stepper->absolute);
    stepper->absolute[stepper->n - 1] = tolerance.energy;
}

double scaled_back(const CardanSim *copy, const Scaling *scaling, int i) {
    const CrdStructure *structure = copy->model->structure;
    double value = copy->integrator.stepper.y[i];
    int lengths = structure->space == CARDAN_SPACE_PLANAR ? 2 : 3;
    for (int b = 0; b < structure->block_count; b++) {
        const CrdBlock *block = &structure->blocks[b];
        int place = i - block->q, rate = i - structure->nq - block->v;
        if (place >= 0 && place < block->nq) return place < lengths ? value / scaling->length : value;
        if (i >= structure->nq && rate >= 0 && rate < block->nv)
            return (rate < lengths ? value / scaling->length : value) * scaling->time;
    }
    if (i < copy->integrator.stepper.n - 1) return value;
    return value / (scaling->mass * scaling->length * scaling->length) * scaling->time * scaling->time;
}
