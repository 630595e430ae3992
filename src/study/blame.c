#include "study/blame.h"

#include "analysis/sentences.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Relative step of the difference quotient: rows are smooth in lengths, and the answer is a first-order one. */
#define CRD_BLAME_STEP 1e-6

/* A change beyond so many times the number itself is no remedy. */
#define CRD_BLAME_MOST 3.0

/* Joints nearer than this part of the mechanism stand at one place. */
#define CRD_BLAME_SHORT 1e-9

/* Bodies whose lengths are tried one by one; more would take long. */
enum { BLAME_BODIES = 200 };

typedef struct Blame {
    CardanStudy *study;
    const CrdClosing *closing;
    double square; /* |r|^2 */
    double best;   /* least relative change so far */
    char *text;
    size_t size;
} Blame;

/* r . (D g of another model of the same structure - r) */
static CardanStatus project(const Blame *blame, CardanModel *other, double *along) {
    CardanStudy *study = blame->study;
    CrdDynamics *dynamics = study->dynamics;
    crd_dynamics_use(dynamics, other);
    CardanStatus status = crd_integrator_evaluate_constraints(study->run, study->t, study->y);
    *along = 0.0;
    for (int i = 0; status >= 0 && i < study->model->structure->rows; i++)
        if (crd_row_is_holonomic(study->model->structure, i))
            *along +=
                blame->closing->r[i] * (blame->closing->saddle.scale[i] * dynamics->system.g[i] - blame->closing->r[i]);
    crd_dynamics_use(dynamics, study->model);
    return status;
}

/* Is it better than what stands in the text? */
static bool is_better(Blame *blame, double along, double step, double value, double *wanted) {
    if (!(fabs(along) > 0.0)) return false;
    double change = -blame->square * step / along;
    *wanted = value + change;
    if (!(fabs(change) < CRD_BLAME_MOST * fabs(value)) || !(*wanted * value > 0.0)) return false;
    if (fabs(change / value) >= blame->best) return false;
    blame->best = fabs(change / value);
    blame->text[0] = '\0';
    return true;
}

static CardanStatus try_parameter(Blame *blame, int i) {
    const CardanModel *model = blame->study->model;
    const CrdParameterDesc *parameter = &model->description->parameters[i];
    double value = parameter->value, step = CRD_BLAME_STEP * value, along, wanted;
    if (value == 0.0 || parameter->expression != NULL) return CARDAN_OK;
    double changed = value + step;
    const char *name = parameter->name;
    CardanModel *other = NULL;
    if (cardan_model_with_parameters(model, 1, &name, &changed, &other, NULL, 0) < 0) return CARDAN_OK;
    CardanStatus status = project(blame, other, &along);
    cardan_model_release(other);
    if (status >= 0 && is_better(blame, along, step, value, &wanted))
        crd_say(blame->text, blame->size, "; it would close with parameter '%s' about %.6g in place of %.6g", name,
                wanted, value);
    return status;
}

/* ---- lengths of bodies ---- */

/* Where an element's point is on a body, in its own axes; NULL: it has none there. */
static CrdVec *point_on(CardanModel *model, int element, int frame) {
    const CrdElement *e = &model->structure->elements[element];
    if (e->type != CRD_ELEMENT_JOINT || e->rows == 0 || e->kind == NULL || e->kind->curve) return NULL;
    if (crd_element_frame(model->structure, element, 0) == frame) return &model->values.joints[element].la;
    if (crd_element_frame(model->structure, element, 1) == frame) return &model->values.joints[element].lb;
    return NULL;
}

/* The distance between the points of two joints on a body; `other` has numbers of its own. */
static CardanStatus try_length(Blame *blame, CardanModel *other, int frame, int first, int second) {
    CrdVec *from = point_on(other, first, frame), *to = point_on(other, second, frame);
    if (from == NULL || to == NULL) return CARDAN_OK;
    CrdVec kept = *to, between = crd_sub(*to, *from);
    double length = crd_norm(between), along, wanted;
    if (!(length > CRD_BLAME_SHORT * other->values.size)) return CARDAN_OK;
    *to = crd_axpy(*to, CRD_BLAME_STEP, between);
    CardanStatus status = project(blame, other, &along);
    *to = kept;
    if (status >= 0 && is_better(blame, along, CRD_BLAME_STEP * length, length, &wanted))
        crd_say(blame->text, blame->size,
                "; it would close with body '%s' about %.6g m long between '%s' and '%s' in place of %.6g m",
                cardan_model_body_name(other, (CardanBody){frame}), wanted, crd_element_name(other, first),
                crd_element_name(other, second), length);
    return status;
}

static CardanStatus try_bodies(Blame *blame, CardanModel *other) {
    const CrdStructure *structure = other->structure;
    for (int b = 0; b < structure->block_count && b < BLAME_BODIES; b++)
        for (int i = 0; i < structure->incidence_count; i++)
            for (int k = i + 1; structure->incidences[i].block == b && k < structure->incidence_count; k++)
                if (structure->incidences[k].block == b)
                    CRD_TRY(try_length(blame, other, structure->blocks[b].frame, structure->incidences[i].element,
                                       structure->incidences[k].element));
    return CARDAN_OK;
}

CardanStatus crd_blame_length(CardanStudy *study, const CrdClosing *closing, char *text, size_t size) {
    Blame blame = {study, closing, 0.0, (double)INFINITY, text, size};
    for (int i = 0; i < study->model->structure->rows; i++) blame.square += closing->r[i] * closing->r[i];
    for (int i = 0; i < study->model->description->parameter_count; i++) CRD_TRY(try_parameter(&blame, i));
    if (text[0] != '\0' || study->model->structure->block_count > BLAME_BODIES) return CARDAN_OK;
    CardanModel *other = NULL;
    if (cardan_model_with_parameters(study->model, 0, NULL, NULL, &other, NULL, 0) < 0) return CARDAN_OK;
    CardanStatus status = try_bodies(&blame, other);
    cardan_model_release(other);
    return status;
}
