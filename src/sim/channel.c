#include "sim/channel.h"

#include "core/numbers.h"
#include "dynamics/rank_look.h"

#include <stdio.h>
#include <string.h>

/* ---- reactions ---- */

/* Rows of the user's: what the last of their bodies receives, from the piece of G it has when it is a body. */
static CardanWrench rows_reaction(CrdIntegrator *integrator, int element, const double *lambda) {
    const CrdDynamics *dynamics = &integrator->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    const CrdElement *e = &structure->elements[element];
    const CrdAttachment *at = &structure->attachments[e->attachment + e->attachments - 1];
    CardanWrench none = {0};
    if (at->incidence < 0 || structure->frames[at->frame].kind != CRD_FRAME_BODY) return none;
    const CrdIncidence *in = &structure->incidences[at->incidence];
    double load[6] = {0}, f[6] = {0};
    for (int r = 0; r < e->rows; r++)
        for (int k = 0; k < in->width; k++)
            f[k] -= lambda[e->first + r] * dynamics->system.G[in->g + r * in->width + k];
    bool planar = structure->space == CARDAN_SPACE_PLANAR;
    memcpy(load, f, (planar ? 2 : 3) * sizeof *f);
    if (planar && in->width == 3) load[5] = f[2];
    if (!planar && in->width == 6) memcpy(load + 3, f + 3, 3 * sizeof *f);
    CrdVec moment = crd_apply(dynamics->system.frames[at->frame].rotation, crd_vec_of(load + 3));
    return (CardanWrench){crd_vec_of(load), moment};
}

CardanWrench crd_reaction(CrdIntegrator *integrator, int element, bool local) {
    CrdDynamics *dynamics = &integrator->dynamics;
    const CrdElement *e = &dynamics->model->structure->elements[element];
    const double *lambda = crd_least_multipliers(dynamics, element);
    if (e->kind != NULL) return crd_joint_reaction(dynamics->model, &dynamics->system, lambda, element, local);
    return e->joint >= 0 ? rows_reaction(integrator, element, lambda) : (CardanWrench){0};
}

/* Largest wrench on b, against its largest part, that the null vectors of all rows can put there through this element:
 * B^T D P with B the twist rows of b, D the row scales and P the element's lines of the projector on the null vectors.
 */
static double loose_part(const CrdIntegrator *integrator, int element, const double *projector) {
    const CrdDynamics *dynamics = &integrator->dynamics;
    const CrdElement *e = &dynamics->model->structure->elements[element];
    size_t rows = (size_t)dynamics->model->structure->rows;
    CardanTwistRow a[CRD_JOINT_ROWS], b[CRD_JOINT_ROWS];
    double g[CRD_JOINT_ROWS], gamma[CRD_JOINT_ROWS], max = 0.0, size = 0.0;
    CrdPair pair = crd_pair_of(dynamics->model->structure, &dynamics->system, element);
    crd_joint_evaluate(e->kind, &dynamics->model->values.joints[element], &pair, (CrdRows){g, gamma, a, b});
    for (size_t c = 0; c < rows; c++)
        for (int k = 0; k < 6; k++) {
            double sum = 0.0;
            for (int r = 0; r < e->rows; r++) {
                double part = b[r][k] * dynamics->spectrum.scale[e->first + r];
                sum += part * projector[(size_t)(e->first + r) + rows * c];
                size = fmax(size, fabs(part));
            }
            max = fmax(max, fabs(sum));
        }
    return size > 0.0 ? max / size : 0.0;
}

/* Null vectors of the rows are what multipliers may change by without changing the motion. In models too large for a
 * look the elements with rows left out are known, not those they share a dependency with: none is called unique then.
 */
bool crd_reactions_unique(CrdIntegrator *integrator, double *projector, double *part, bool *unique) {
    CrdDynamics *dynamics = &integrator->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    bool spread = crd_imperfect_is_spread(dynamics);
    bool sure = (dynamics->redundancy.count == 0 && crd_all_rows_act(dynamics) && !spread) || structure->rows == 0;
    for (int e = 0; e < structure->element_count; e++) unique[e] = sure;
    if (sure || projector == NULL || !dynamics->reveals) return sure;
    if (crd_spectrum_take(&dynamics->spectrum, &dynamics->system, false, NULL) < 0) return false;
    int rank =
        spread ? dynamics->redundancy.imperfect.rank : crd_spectrum_rank(&dynamics->spectrum, CRD_RANK_TOLERANCE);
    crd_spectrum_parts(&dynamics->spectrum, rank, projector, part);
    for (int e = 0; e < structure->element_count; e++)
        unique[e] = structure->elements[e].kind != NULL && loose_part(integrator, e, projector) <= CRD_NULL_SUPPORT;
    return true;
}

/* ---- channels ---- */

bool crd_is_channel(const CrdStructure *structure, CardanChannel channel) {
    if (channel.measure < 0 || channel.measure >= CRD_MEASURES || channel.object < 0) return false;
    const CrdMeasureRecord *measure = &crd_measures[channel.measure];
    int max = 1;
    if (measure->of == CRD_OF_BODY) max = structure->frame_count;
    if (measure->of == CRD_OF_JOINT) max = structure->element_count;
    if (measure->of == CRD_OF_SPRING) max = structure->force_count;
    if (!measure->space[structure->space] || channel.object >= max || channel.width != measure->width[structure->space])
        return false;
    return measure->of != CRD_OF_JOINT || crd_element_has(&structure->elements[channel.object], measure);
}

static void wrench_values(CrdIntegrator *integrator, CardanChannel channel, double *values) {
    CardanWrench w = crd_reaction(integrator, channel.object, channel.measure == CRD_REACTION_LOCAL);
    if (integrator->dynamics.model->structure->space == CARDAN_SPACE_PLANAR) {
        values[0] = w.force.x;
        values[1] = w.force.y;
        values[2] = w.moment.z;
    } else {
        crd_put(values, w.force);
        crd_put(values + 3, w.moment);
    }
}

static void model_values(const CrdIntegrator *integrator, const double *y, CrdMeasure measure, double *values) {
    const CrdDynamics *dynamics = &integrator->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    switch (measure) {
    case CRD_ENERGY:
        values[0] = crd_kinetic(dynamics->model, &dynamics->system, y + structure->nq);
        values[1] = dynamics->system.potential;
        values[2] = values[0] + values[1];
        break;
    case CRD_RESIDUAL:
        values[0] = crd_max_abs(dynamics->system.g, structure->rows);
        values[1] = crd_max_abs(dynamics->system.rate, structure->rows);
        break;
    case CRD_STEP:
        values[0] = integrator->stepper.t - integrator->stepper.t_old;
        break;
    default:
        values[0] = dynamics->factor.pivot_last;
        break;
    }
}

CrdMeasureNeed crd_channels_need(int channels, const CardanChannel *channel) {
    CrdMeasureNeed most = CRD_NEEDS_STATE;
    for (int i = 0; i < channels; i++)
        if (crd_measures[channel[i].measure].needs > most) most = crd_measures[channel[i].measure].needs;
    return most;
}

double crd_reaction_effort(CrdIntegrator *integrator, int element) {
    CrdDynamics *dynamics = &integrator->dynamics;
    return crd_joint_effort(dynamics->model, &dynamics->system, crd_least_multipliers(dynamics, element), element);
}

double crd_reaction_power(CrdIntegrator *integrator, int element) {
    CrdDynamics *dynamics = &integrator->dynamics;
    return crd_joint_power(dynamics->model, &dynamics->system, crd_least_multipliers(dynamics, element), element);
}

void crd_channel_values(CrdIntegrator *integrator, const double *y, CardanChannel channel, double *values) {
    const CrdDynamics *dynamics = &integrator->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    CrdMeasure measure = (CrdMeasure)channel.measure;
    if (measure == CRD_REACTION || measure == CRD_REACTION_LOCAL) {
        wrench_values(integrator, channel, values);
    } else if (measure == CRD_REACTION_SOFTENED) {
        values[0] = crd_element_softened(&integrator->dynamics, channel.object) ? 1.0 : 0.0;
    } else if (measure == CRD_EFFORT) {
        values[0] = crd_reaction_effort(integrator, channel.object);
    } else if (measure == CRD_POWER) {
        values[0] = crd_reaction_power(integrator, channel.object);
    } else if (crd_measures[measure].of == CRD_OF_BODY) {
        values[0] = crd_measure_body(measure, &dynamics->system.frames[channel.object]);
    } else if (measure == CRD_SPRING_LENGTH) {
        values[0] = crd_force_length(&dynamics->model->values.forces[channel.object], dynamics->system.frames);
    } else if (crd_measures[measure].of == CRD_OF_JOINT) {
        CrdPair pair = crd_pair_of(structure, &dynamics->system, channel.object);
        CrdCoordinate coordinate;
        crd_joint_read(crd_measures[measure].coordinate, &dynamics->model->values.joints[channel.object], &pair,
                       &coordinate.value, &coordinate.rate);
        values[0] = crd_measure_joint(measure, &coordinate);
    } else {
        model_values(integrator, y, measure, values);
    }
}

CardanStatus cardan_model_find_channel(const CardanModel *model, const char *name, CardanChannel *out, char *message,
                                       size_t size) {
    const char *missing = model == NULL ? "the model" : name == NULL ? "the name" : "the place for the channel";
    if (model == NULL || name == NULL || out == NULL) return crd_refuse_call(message, size, "%s is NULL", missing);
    CrdMeasure measure;
    int object;
    *out = (CardanChannel){0};
    if (!crd_find_measure(model->description, model->structure, name, strlen(name), &measure, &object)) {
        if (message != NULL && size > 0)
            snprintf(message, size,
                     "there is no channel '%s': a channel is BODY.x, JOINT.angle, JOINT.reaction, SPRING.length, ... "
                     "or energy, residual, step, condition",
                     name);
        return CARDAN_ERR_MODEL;
    }
    *out = (CardanChannel){(int)measure, object, crd_measures[measure].width[model->structure->space]};
    return CARDAN_OK;
}

const char *cardan_model_channel_label(const CardanModel *model, CardanChannel channel, int k, char *label,
                                       size_t size) {
    if (label == NULL || size == 0) return "";
    label[0] = '\0';
    if (model == NULL || !crd_is_channel(model->structure, channel) || k < 0 || k >= channel.width) return label;
    const CrdMeasureRecord *measure = &crd_measures[channel.measure];
    const char *part = measure->part[model->structure->space][k], *object = NULL;
    if (measure->of == CRD_OF_BODY) object = cardan_model_body_name(model, (CardanBody){channel.object});
    if (measure->of == CRD_OF_JOINT) object = crd_element_name(model, channel.object);
    if (measure->of == CRD_OF_SPRING) object = model->description->forces[channel.object].name;
    snprintf(label, size, "%s%s%s%s%s", object != NULL ? object : "", object != NULL ? "." : "", measure->name,
             part != NULL ? "." : "", part != NULL ? part : "");
    return label;
}
