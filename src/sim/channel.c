#include "sim/channel.h"

#include "core/numbers.h"
#include "core/rotation.h"
#include "dynamics/rank_look.h"
#include "equations/force_scene.h"
#include "equations/measures.h"

#include <limits.h>
#include <math.h>
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
    bool planar = is_planar(integrator);
    switch (measure) {
    case CRD_ENERGY:
        values[0] = crd_kinetic(dynamics->model, &dynamics->system, y + structure->nq);
        values[1] = dynamics->system.potential;
        values[2] = values[0] + values[1];
        break;
    case CRD_MASS_CENTRE:
        put_vector(planar, crd_whole(dynamics->model, &dynamics->system).centre, values);
        break;
    case CRD_MOMENTUM:
        put_vector(planar, crd_whole(dynamics->model, &dynamics->system).momentum, values);
        break;
    case CRD_ANGULAR_MOMENTUM:
        put_spin(planar, crd_whole(dynamics->model, &dynamics->system).angular, values);
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

/* The quaternion of a place, which is continuous in time: that of the body's coordinates, turned on to the marker. */
static CardanQuat quaternion_of(const CrdIntegrator *integrator, const double *y, int place) {
    const CardanModel *model = integrator->dynamics.model;
    const CrdStructure *structure = model->structure;
    int marker = place - structure->frame_count, frame = marker < 0 ? place : model->values.markers[marker].frame;
    int block = structure->frames[frame].block;
    CardanQuat q = crd_quat_of_matrix(integrator->dynamics.system.frames[frame].rotation);
    if (block >= 0 && structure->blocks[block].kind == CRD_SPATIAL_BODY) {
        const double *own = y + structure->blocks[block].q + 3;
        q = crd_quat_normalised((CardanQuat){own[0], own[1], own[2], own[3]});
    }
    return marker < 0 ? q : crd_quat_mul(q, model->values.markers[marker].q);
}

/* Of bodies and markers, what is no function of frames alone. */
static void place_values(const CrdIntegrator *integrator, const double *y, const CrdLawMeasure *it, double *values) {
    const CrdDynamics *dynamics = &integrator->dynamics;
    bool planar = is_planar(integrator);
    if (it->measure <= CRD_QZ) {
        CardanQuat q = quaternion_of(integrator, y, it->object);
        const double parts[] = {q.w, q.x, q.y, q.z};
        values[0] = parts[it->measure - CRD_QW];
    } else if (it->measure == CRD_BODY_MOMENTUM) {
        put_vector(planar, crd_body_momentum(dynamics->model, &dynamics->system, it->object), values);
    } else if (it->measure == CRD_BODY_SPIN_MOMENTUM) {
        put_spin(planar, crd_body_spin_momentum(dynamics->model, &dynamics->system, it->object), values);
    } else {
        CrdFrameRate rate = crd_frame_rate(dynamics->model, &dynamics->system, dynamics->a, it->object);
        values[0] = crd_measure_acceleration(it->measure, &rate);
    }
}

static CardanStatus joint_values(CrdIntegrator *integrator, const CrdLawMeasure *it, double *values) {
    CrdDynamics *dynamics = &integrator->dynamics;
    const CardanModel *model = dynamics->model;
    const CrdElement *element = &model->structure->elements[it->object];
    double energy = 0.0, power = 0.0;
    bool alone = it->measure == CRD_JOINT_ENERGY || (it->measure == CRD_POWER && element->compliant > 0);
    if (alone) CRD_TRY(crd_compliant_alone(model, it->object, &dynamics->system, &energy, &power, dynamics->error));
    switch (it->measure) {
    case CRD_REACTION:
    case CRD_REACTION_LOCAL:
        put_wrench(is_planar(integrator), crd_reaction(integrator, it->object, it->measure == CRD_REACTION_LOCAL),
                   values);
        break;
    case CRD_REACTION_SOFTENED:
        values[0] = crd_element_softened(dynamics, it->object) ? 1.0 : 0.0;
        break;
    case CRD_EFFORT:
        values[0] = crd_reaction_effort(integrator, it->object);
        break;
    case CRD_POWER:
        values[0] = alone ? power : crd_reaction_power(integrator, it->object);
        break;
    case CRD_JOINT_ENERGY:
        values[0] = energy;
        break;
    default: /* accelerations of coordinates */
        values[0] = crd_coordinate_acceleration(model, &dynamics->system, dynamics->a, it->object,
                                                element->kind->coordinates[it->measure == CRD_ACCELERATION2]);
        break;
    }
    return CARDAN_OK;
}

static CardanStatus force_values(CrdIntegrator *integrator, const CrdLawMeasure *it, double *values) {
    CrdDynamics *dynamics = &integrator->dynamics;
    const CardanModel *model = dynamics->model;
    CrdForceAlone alone;
    if (it->measure == CRD_OFFERED) {
        if (crd_is_dynamic(model->description, it))
            CRD_TRY(crd_law_input(model, &dynamics->actions, &dynamics->system, dynamics->error));
        return crd_measure_value(model, &dynamics->actions, &dynamics->system, it, values, dynamics->error);
    }
    values[0] = (double)NAN;
    if (it->measure == CRD_FORCE_WORK)
        return crd_fail(dynamics->error, CARDAN_ERR_ARGUMENT, "the work of a force is no function of the state alone");
    int frame = it->measure == CRD_FORCE_WRENCH ? it->other : 0;
    CRD_TRY(crd_force_alone(model, it->object, frame, &dynamics->actions, &dynamics->system, &alone, dynamics->error));
    if (it->measure == CRD_FORCE_WRENCH)
        put_wrench(is_planar(integrator), alone.wrench, values);
    else
        values[0] = it->measure == CRD_FORCE_POWER ? alone.power : alone.energy;
    return CARDAN_OK;
}

CrdAsked crd_asked_of(int channels, const CardanChannel *channel) {
    CrdAsked asked = {.count = channels, .channel = channel, .need = CRD_NEEDS_STATE};
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
    }
    asked->place = place;
}

CardanStatus crd_channel_values(CrdIntegrator *integrator, const double *y, CardanChannel channel, double *values) {
    CrdDynamics *dynamics = &integrator->dynamics;
    const CrdLawMeasure it = {(CrdMeasure)channel.measure, channel.object, channel.other};
    const CrdMeasureRecord *measure = &crd_measures[it.measure];
    if (measure->of == CRD_OF_FORCE) return force_values(integrator, &it, values);
    if (measure->in_laws)
        return crd_measure_value(dynamics->model, &dynamics->actions, &dynamics->system, &it, values, dynamics->error);
    if (measure->of == CRD_OF_JOINT) return joint_values(integrator, &it, values);
    if (measure->of == CRD_OF_MODEL)
        model_values(integrator, y, it.measure, values);
    else
        place_values(integrator, y, &it, values);
    return CARDAN_OK;
}
