#include "output/channel.h"

#include "core/numbers.h"
#include "solve/singular.h"

#include <stdio.h>
#include <string.h>

/* ---- reactions ---- */

/* Rows of the user's: what the last of their bodies receives, from the piece of G it has when it is a body. */
static CardanWrench rows_reaction(const CrdRun *run, int element) {
    const CrdDynamics *d = &run->dynamics;
    const CrdShape *s = d->model->shape;
    const CrdElement *e = &s->elements[element];
    const CrdAttachment *at = &s->attachments[e->attachment + e->attachments - 1];
    CardanWrench none = {0};
    if (at->incidence < 0 || s->carriers[at->carrier].kind != CRD_CARRIER_BODY) return none;
    const CrdIncidence *in = &s->incidences[at->incidence];
    double load[6] = {0}, f[6] = {0};
    for (int r = 0; r < e->rows; r++)
        for (int k = 0; k < in->width; k++)
            f[k] -= d->lambda[e->first + r] * d->system.G[in->g + r * in->width + k];
    bool planar = s->space == CARDAN_PLANAR;
    memcpy(load, f, (planar ? 2 : 3) * sizeof *f);
    if (planar && in->width == 3) load[5] = f[2];
    if (!planar && in->width == 6) memcpy(load + 3, f + 3, 3 * sizeof *f);
    CrdVec moment = crd_apply(d->system.frames[at->carrier].rotation, crd_vec_of(load + 3));
    return (CardanWrench){crd_vec_of(load), moment};
}

CardanWrench crd_reaction(const CrdRun *run, int element, bool local) {
    const CrdDynamics *d = &run->dynamics;
    const CrdElement *e = &d->model->shape->elements[element];
    if (e->kind != NULL) return crd_joint_reaction(d->model, &d->system, d->lambda, element, local);
    return e->joint >= 0 ? rows_reaction(run, element) : (CardanWrench){0};
}

/* Largest wrench on b, against its largest part, that the null vectors of all rows can put there through this element:
 * B^T D P with B the twist rows of b, D the row scales and P the element's lines of the projector on the null vectors. */
static double loose_part(const CrdRun *run, int element, const double *projector) {
    const CrdDynamics *d = &run->dynamics;
    const CrdElement *e = &d->model->shape->elements[element];
    size_t rows = (size_t)d->model->shape->rows;
    CardanTwistRow a[CRD_JOINT_ROWS], b[CRD_JOINT_ROWS];
    double g[CRD_JOINT_ROWS], gamma[CRD_JOINT_ROWS], most = 0.0, size = 0.0;
    CrdPair pair = crd_pair_of(d->model->shape, &d->system, element);
    crd_joint_evaluate(e->kind, &d->model->numbers.joints[element], &pair, (CrdRows){g, gamma, a, b});
    for (size_t c = 0; c < rows; c++)
        for (int k = 0; k < 6; k++) {
            double sum = 0.0;
            for (int r = 0; r < e->rows; r++) {
                double part = b[r][k] * d->spectrum.scale[e->first + r];
                sum += part * projector[(size_t)(e->first + r) + rows * c];
                size = fmax(size, fabs(part));
            }
            most = fmax(most, fabs(sum));
        }
    return size > 0.0 ? most / size : 0.0;
}

/* Null vectors of the rows are what multipliers may change by without changing the motion. In models too large for a look
 * the elements with rows left out are known, not those they share a dependency with: none is called unique then. */
bool crd_reactions_unique(CrdRun *run, double *projector, double *part, bool *unique) {
    CrdDynamics *d = &run->dynamics;
    const CrdShape *s = d->model->shape;
    bool sure = (d->redundant == 0 && d->dropped == 0) || s->rows == 0;
    for (int e = 0; e < s->element_count; e++) unique[e] = sure;
    if (sure || projector == NULL || !d->looks) return sure;
    if (crd_spectrum_take(&d->spectrum, &d->system, false, NULL) < 0) return false;
    crd_spectrum_parts(&d->spectrum, crd_spectrum_rank(&d->spectrum, CRD_RANK_TOLERANCE), projector, part);
    for (int e = 0; e < s->element_count; e++)
        unique[e] = s->elements[e].kind != NULL && loose_part(run, e, projector) <= CRD_NULL_SUPPORT;
    return true;
}

/* ---- channels ---- */

bool crd_is_channel(const CrdShape *s, CardanChannel channel) {
    if (channel.measure < 0 || channel.measure >= CRD_MEASURES || channel.object < 0) return false;
    const CrdMeasureRecord *m = &crd_measures[channel.measure];
    int most = 1;
    if (m->of == CRD_OF_BODY) most = s->carrier_count;
    if (m->of == CRD_OF_JOINT) most = s->element_count;
    if (m->of == CRD_OF_SPRING) most = s->force_count;
    if (!m->space[s->space] || channel.object >= most || channel.width != m->width[s->space]) return false;
    return m->of != CRD_OF_JOINT || crd_element_has(&s->elements[channel.object], m);
}

static void wrench_values(const CrdRun *run, CardanChannel channel, double *values) {
    CardanWrench w = crd_reaction(run, channel.object, channel.measure == CRD_REACTION_LOCAL);
    if (run->dynamics.model->shape->space == CARDAN_PLANAR) {
        values[0] = w.force.x;
        values[1] = w.force.y;
        values[2] = w.moment.z;
    } else {
        crd_put(values, w.force);
        crd_put(values + 3, w.moment);
    }
}

static void model_values(const CrdRun *run, const double *y, CrdMeasure measure, double *values) {
    const CrdDynamics *d = &run->dynamics;
    const CrdShape *s = d->model->shape;
    switch (measure) {
    case CRD_ENERGY:
        values[0] = crd_kinetic(d->model, &d->system, y + s->nq);
        values[1] = d->system.potential;
        values[2] = values[0] + values[1];
        break;
    case CRD_RESIDUAL:
        values[0] = crd_worst(d->system.g, s->rows);
        values[1] = crd_worst(d->system.rate, s->rows);
        break;
    case CRD_STEP: values[0] = run->t - run->t_old; break;
    default: values[0] = d->pivot_last; break;
    }
}

void crd_channel_values(const CrdRun *run, const double *y, CardanChannel channel, double *values) {
    const CrdDynamics *d = &run->dynamics;
    const CrdShape *s = d->model->shape;
    CrdMeasure measure = (CrdMeasure)channel.measure;
    if (measure == CRD_REACTION || measure == CRD_REACTION_LOCAL) {
        wrench_values(run, channel, values);
    } else if (measure == CRD_EFFORT) {
        values[0] = crd_joint_effort(d->model, &d->system, d->lambda, channel.object);
    } else if (measure == CRD_POWER) {
        values[0] = crd_joint_power(d->model, &d->system, d->lambda, channel.object);
    } else if (crd_measures[measure].of == CRD_OF_BODY) {
        values[0] = crd_measure_body(measure, &d->system.frames[channel.object]);
    } else if (measure == CRD_SPRING_LENGTH) {
        values[0] = crd_spring_length(&d->model->numbers.forces[channel.object], d->system.frames);
    } else if (crd_measures[measure].of == CRD_OF_JOINT) {
        CrdPair pair = crd_pair_of(s, &d->system, channel.object);
        CrdCoordinate coordinate;
        crd_joint_coordinate(crd_measures[measure].coordinate, &d->model->numbers.joints[channel.object], &pair, &coordinate);
        values[0] = crd_measure_joint(measure, &coordinate);
    } else {
        model_values(run, y, measure, values);
    }
}

CardanStatus cardan_model_find_channel(const CardanModel *model, const char *name, CardanChannel *out, char *message,
                                       size_t size) {
    if (model == NULL || name == NULL || out == NULL) return CARDAN_ERR_ARGUMENT;
    CrdMeasure measure;
    int object;
    *out = (CardanChannel){0};
    if (!crd_find_measure(model->description, model->shape, name, strlen(name), &measure, &object)) {
        if (message != NULL && size > 0)
            snprintf(message, size, "there is no channel '%s': a channel is BODY.x, JOINT.angle, JOINT.reaction, SPRING.length, ... "
                     "or energy, residual, step, condition", name);
        return CARDAN_ERR_MODEL;
    }
    *out = (CardanChannel){(int)measure, object, crd_measures[measure].width[model->shape->space]};
    return CARDAN_OK;
}

const char *cardan_model_channel_label(const CardanModel *model, CardanChannel channel, int k, char *label,
                                       size_t size) {
    if (label == NULL || size == 0) return "";
    label[0] = '\0';
    if (model == NULL || !crd_is_channel(model->shape, channel) || k < 0 || k >= channel.width) return label;
    const CrdMeasureRecord *m = &crd_measures[channel.measure];
    const char *part = m->part[model->shape->space][k], *object = NULL;
    if (m->of == CRD_OF_BODY) object = cardan_model_body_name(model, (CardanBody){channel.object});
    if (m->of == CRD_OF_JOINT) object = crd_element_name(model, channel.object);
    if (m->of == CRD_OF_SPRING) object = model->description->forces[channel.object].name;
    snprintf(label, size, "%s%s%s%s%s", object != NULL ? object : "", object != NULL ? "." : "", m->name,
             part != NULL ? "." : "", part != NULL ? part : "");
    return label;
}
