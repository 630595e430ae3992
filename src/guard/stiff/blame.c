/* Whose loads make a mode fast: along the twists w of a mode, x = w / lambda, a force with derivatives L_x, L_v does
 *     |w . L_x w| / |lambda| + |w . L_v w|
 * of what holds the mode; the largest is to blame. */
#include "equations/element_derivatives.h"
#include "guard/stiff/stiff.h"
#include "integrate/beyond.h"

#include <math.h>
#include <string.h>

/* Displacement of a power iteration, as a part of the state: its square is the error, its inverse the rounding. */
#define CRD_STIFF_DISPLACEMENT 1e-7

static double norm_of(const double *x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

double crd_stiff_iterate(CrdStiff *stiff, int iterations) {
    CrdIntegrator *integrator = stiff->integrator;
    const CrdStepper *stepper = &integrator->stepper;
    int core = stepper->n - 1 - integrator->dynamics.model->structure->tracked_count;
    double *x = stiff->mode, *y = stiff->image, lambda = (double)NAN;
    double size = CRD_STIFF_DISPLACEMENT * (1.0 + norm_of(stepper->y, core));
    for (int k = 0; k < iterations; k++) {
        double scale = size / norm_of(x, core);
        if (!isfinite(scale)) return (double)NAN;
        memcpy(y, stepper->y, (size_t)stepper->n * sizeof *y);
        for (int i = 0; i < core; i++) y[i] += scale * x[i];
        if (stepper->ode.rhs(stepper->ode.user, stepper->t, y, x) < 0) return (double)NAN;
        for (int i = 0; i < core; i++) x[i] = (x[i] - stiff->slope[i]) / size;
        lambda = norm_of(x, core);
    }
    return lambda;
}

/* ---- loads ---- */

/* Twists of all frames that the velocities of the mode add, and the workspace at the state again. */
static CardanStatus take_twists(CrdStiff *stiff) {
    CrdIntegrator *integrator = stiff->integrator;
    const CrdStepper *stepper = &integrator->stepper;
    const CrdSystem *system = &integrator->dynamics.system;
    const CrdStructure *structure = integrator->dynamics.model->structure;
    const double *v = stiff->mode + structure->nq;
    double scale = norm_of(v, structure->nv);
    if (!(scale > 0.0)) return CARDAN_ERR_NUMERIC;
    memcpy(stiff->image, stepper->y, (size_t)stepper->n * sizeof *stiff->image);
    for (int i = 0; i < structure->nv; i++) stiff->image[structure->nq + i] += v[i] / scale;
    CRD_TRY(crd_integrator_evaluate_constraints(integrator, stepper->t, stiff->image));
    for (int i = 0; i < structure->frame_count; i++)
        memcpy(stiff->twist + 6 * i,
               (double[]){system->frames[i].v.x, system->frames[i].v.y, system->frames[i].v.z, system->frames[i].w.x,
                          system->frames[i].w.y, system->frames[i].w.z},
               6 * sizeof *stiff->twist);
    CRD_TRY(crd_integrator_evaluate_constraints(integrator, stepper->t, stepper->y));
    CRD_TRY(crd_integrator_forces(integrator, stepper->y));
    for (int i = 0; i < structure->frame_count; i++) {
        const CardanFrame *frame = &system->frames[i];
        const double now[6] = {frame->v.x, frame->v.y, frame->v.z, frame->w.x, frame->w.y, frame->w.z};
        for (int k = 0; k < 6; k++) stiff->twist[6 * i + k] -= now[k];
    }
    return CARDAN_OK;
}

/* w_i . L w_j of two frames; rows of L are `stride` apart. */
static double product(const double *wi, const double *l, int stride, const double *wj) {
    double sum = 0.0;
    for (int r = 0; r < 6; r++)
        for (int k = 0; k < 6; k++) sum += wi[r] * l[r * stride + k] * wj[k];
    return sum;
}

static double share_of_force(CrdStiff *stiff, int index, double lambda) {
    CrdIntegrator *integrator = stiff->integrator;
    CrdDynamics *dynamics = &integrator->dynamics;
    CrdLoadDerivatives *loads = &stiff->loads;
    double over_x = 0.0, over_v = 0.0;
    if (crd_force_derivatives(dynamics->model, index, &dynamics->actions, &dynamics->system, loads, dynamics->error) <
        0)
        return 0.0;
    int stride = 6 * loads->frames;
    for (int i = 0; i < loads->frames; i++)
        for (int j = 0; j < loads->frames; j++) {
            const double *wi = stiff->twist + 6 * loads->frame[i], *wj = stiff->twist + 6 * loads->frame[j];
            over_x += product(wi, loads->displacement + 6 * i * stride + 6 * j, stride, wj);
            over_v += product(wi, loads->twist + 6 * i * stride + 6 * j, stride, wj);
        }
    return fabs(over_x) / lambda + fabs(over_v);
}

static double share_of_element(CrdStiff *stiff, int index, double lambda) {
    CrdDynamics *dynamics = &stiff->integrator->dynamics;
    const CrdStructure *structure = dynamics->model->structure;
    const CrdElement *element = &structure->elements[index];
    const CrdAttachment *at = structure->attachments + element->attachment;
    double over_x = 0.0, over_v = 0.0;
    if (crd_compliant_derivatives(dynamics->model, index, &dynamics->system, stiff->element[0], stiff->element[1],
                                  dynamics->error) < 0)
        return 0.0;
    int stride = 6 * element->attachments;
    for (int i = 0; i < element->attachments; i++)
        for (int j = 0; j < element->attachments; j++) {
            const double *wi = stiff->twist + 6 * at[i].frame, *wj = stiff->twist + 6 * at[j].frame;
            over_x += product(wi, stiff->element[0] + 6 * i * stride + 6 * j, stride, wj);
            over_v += product(wi, stiff->element[1] + 6 * i * stride + 6 * j, stride, wj);
        }
    return fabs(over_x) / lambda + fabs(over_v);
}

const char *crd_stiff_blame(CrdStiff *stiff, double lambda) {
    const CardanModel *model = stiff->integrator->dynamics.model;
    const CrdStructure *structure = model->structure;
    const char *name = NULL;
    double largest = 0.0;
    if (take_twists(stiff) < 0) return crd_fastest_name(stiff->integrator);
    for (int i = 0; i < structure->force_count; i++) {
        double share = share_of_force(stiff, i, lambda);
        if (share > largest) largest = share, name = model->description->forces[i].name;
    }
    for (int i = 0; i < structure->element_count; i++) {
        double share = structure->elements[i].compliant > 0 ? share_of_element(stiff, i, lambda) : 0.0;
        if (share > largest) largest = share, name = crd_element_name(model, i);
    }
    return name != NULL ? name : crd_fastest_name(stiff->integrator);
}
