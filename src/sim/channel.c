#include "sim/channel.h"

#include "core/numbers.h"
#include "dynamics/rank_look.h"
#include "equations/force_scene.h"
#include "equations/measures.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* ---- reactions ---- */

/* Rows of the user's: what a body receives, from the piece of G it has. */
static CardanWrench rows_reaction(CrdIntegrator *integrator, int element, const CrdAttachment *at,
                                  const double *lambda) {
    const CrdDynamics *dynamics = &integrator->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    const CrdElement *e = &structure->elements[element];
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
    if (e->joint < 0) return (CardanWrench){0};
    const CrdAttachment *last = &dynamics->model->structure->attachments[e->attachment + e->attachments - 1];
    return rows_reaction(integrator, element, last, lambda);
}

CardanWrench crd_reaction_on(CrdIntegrator *integrator, int element, int frame) {
    CrdDynamics *dynamics = &integrator->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    const CrdElement *e = &structure->elements[element];
    const double *lambda = crd_least_multipliers(dynamics, element);
    if (e->kind != NULL) return crd_joint_reaction_on(dynamics->model, &dynamics->system, lambda, element, frame);
    for (int i = 0; i < e->attachments; i++) {
        const CrdAttachment *at = &structure->attachments[e->attachment + i];
        if (at->frame == frame) return rows_reaction(integrator, element, at, lambda);
    }
    return (CardanWrench){0};
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
    crd_spectrum_parts(&dynamics->spectrum, crd_rank_here(dynamics), projector, part);
    for (int e = 0; e < structure->element_count; e++)
        unique[e] = structure->elements[e].kind != NULL && loose_part(integrator, e, projector) <= CRD_NULL_SUPPORT;
    return true;
}

double crd_reaction_effort(CrdIntegrator *integrator, int element) {
    CrdDynamics *dynamics = &integrator->dynamics;
    return crd_joint_effort(dynamics->model, &dynamics->system, crd_least_multipliers(dynamics, element), element);
}

double crd_reaction_power(CrdIntegrator *integrator, int element) {
    CrdDynamics *dynamics = &integrator->dynamics;
    return crd_joint_power(dynamics->model, &dynamics->system, crd_least_multipliers(dynamics, element), element);
}

/* ---- values of channels ---- */

static bool is_planar(const CrdIntegrator *integrator) {
    return integrator->dynamics.model->structure->space == CARDAN_SPACE_PLANAR;
}

static void put_vector(bool planar, CrdVec v, double *values) {
    values[0] = v.x;
    values[1] = v.y;
    if (!planar) values[2] = v.z;
}

static void put_spin(bool planar, CrdVec v, double *values) {
    if (planar)
        values[0] = v.z;
    else
        crd_put(values, v);
}

static void put_wrench(bool planar, CardanWrench wrench, double *values) {
    put_vector(planar, wrench.force, values);
    put_spin(planar, wrench.moment, values + (planar ? 2 : 3));
}

static void model_values(const CrdIntegrator *integrator, const double *y, CrdMeasure measure, double *values) {
    const CrdDynamics *dynamics = &integrator->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    switch (measure) {
    case CRD_ENERGY:
        values[0] = crd_kinetic(dynamics->model, &dynamics->system, y + structure->nq);
        values[1] = crd_potential(dynamics->model, &dynamics->system);
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

static void joint_values(CrdIntegrator *integrator, const CrdLawMeasure *it, double *values) {
    CrdDynamics *dynamics = &integrator->dynamics;
    const CardanModel *model = dynamics->model;
    const CrdElement *element = &model->structure->elements[it->object];
    bool planar = is_planar(integrator);
    switch (it->measure) {
    case CRD_REACTION:
    case CRD_REACTION_LOCAL:
        put_wrench(planar,
                   it->other > 0 ? crd_reaction_on(integrator, it->object, it->other)
                                 : crd_reaction(integrator, it->object, it->measure == CRD_REACTION_LOCAL),
                   values);
        break;
    case CRD_REACTION_SOFTENED:
        values[0] = crd_element_softened(dynamics, it->object) ? 1.0 : 0.0;
        break;
    case CRD_EFFORT:
        values[0] = crd_reaction_effort(integrator, it->object);
        break;
    case CRD_POWER:
        values[0] = crd_reaction_power(integrator, it->object);
        break;
    case CRD_PARAMETER:
        values[0] = dynamics->system.feet[element->tracked].s;
        break;
    case CRD_SHIFT_ACCELERATION:
        put_vector(planar, crd_shift_acceleration(model, &dynamics->system, dynamics->a, it->object), values);
        break;
    default: /* accelerations of coordinates */
        values[0] = crd_coordinate_acceleration(model, &dynamics->system, dynamics->a, it->object,
                                                element->kind->coordinates[it->measure == CRD_ACCELERATION2]);
        break;
    }
}

/* Functions of the state: those that laws may read. */
static CardanStatus state_values(CrdIntegrator *integrator, const CrdLawMeasure *it, double *values) {
    CrdDynamics *dynamics = &integrator->dynamics;
    const CardanModel *model = dynamics->model;
    CrdDual columns[CRD_COLUMNS];
    if (crd_is_dynamic(model->description, it))
        CRD_TRY(crd_law_input(model, &dynamics->actions, &dynamics->system, dynamics->error));
    CRD_TRY(crd_measure_columns(model, &dynamics->actions, &dynamics->system, it, false, columns, dynamics->error));
    int width = it->measure == CRD_OFFERED ? 1 : crd_measures[it->measure].width[model->structure->space];
    for (int k = 0; k < width; k++) values[k] = columns[k].x;
    return CARDAN_OK;
}

/* All columns of a channel's measure. */
static CardanStatus measure_values(CrdIntegrator *integrator, const double *y, const CrdLawMeasure *it,
                                   double *values) {
    const CrdDynamics *dynamics = &integrator->dynamics;
    const CrdMeasureRecord *measure = &crd_measures[it->measure];
    if (measure->in_laws || it->measure == CRD_OFFERED) return state_values(integrator, it, values);
    values[0] = (double)NAN;
    if (it->measure == CRD_FORCE_WORK)
        return crd_fail(dynamics->error, CARDAN_ERR_ARGUMENT, "the work of a force is no function of the state alone");
    if (measure->of == CRD_OF_JOINT)
        joint_values(integrator, it, values);
    else if (measure->of == CRD_OF_MODEL)
        model_values(integrator, y, it->measure, values);
    else { /* bodies and markers */
        CrdFrameRate rate = crd_frame_rate(dynamics->model, &dynamics->system, dynamics->a, it->object);
        values[0] = crd_measure_acceleration(it->measure, &rate);
    }
    return CARDAN_OK;
}

CrdLawMeasure crd_channel_measure(CardanChannel channel) {
    return (CrdLawMeasure){(CrdMeasure)channel.measure, channel.object, channel.other, channel.column};
}

CrdAsked crd_asked_of(int channels, const CardanChannel *channel) {
    CrdAsked asked = {.count = channels, .channel = channel, .need = CRD_NEEDS_STATE, .closing = &crd_close_row};
    for (int i = 0; i < channels; i++) {
        CrdMeasureNeed need = crd_measures[channel[i].measure].needs;
        if (need > asked.need) asked.need = need;
        asked.work = asked.work || channel[i].measure == CRD_FORCE_WORK;
    }
    return asked;
}

void crd_find_places(const CardanModel *model, CrdAsked *asked, int *place) {
    for (int i = 0; i < asked->count; i++) {
        CardanChannel channel = asked->channel[i];
        int field = crd_measures[channel.measure].field;
        bool stands = field > 0 && channel.object < model->structure->frame_count;
        size_t bytes = (size_t)channel.object * sizeof(CardanFrame) + (size_t)(field - 1) * sizeof(double);
        assert(!stands || channel.width == 1);
        place[i] = stands && bytes <= INT_MAX ? (int)bytes : -1;
        if (place[i] >= 0 && asked->stand == i) asked->stand++;
    }
    asked->place = place;
}

CardanStatus crd_channel_values(CrdIntegrator *integrator, const double *y, CardanChannel channel, double *values) {
    const CrdLawMeasure it = crd_channel_measure(channel);
    double columns[CRD_COLUMNS];
    if (channel.column == 0) return measure_values(integrator, y, &it, values);
    CRD_TRY(measure_values(integrator, y, &it, columns));
    values[0] = columns[channel.column - 1];
    return CARDAN_OK;
}
