/* The public linearisation. */
#include "tangent/linear.h"

#include "build/description.h"
#include "sim/channel.h"
#include "sim/refuse.h"
#include "tangent/copy.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* What a mechanism must be for its neighbourhood to be linear at all. */
static CardanStatus check_state(CardanSim *sim) {
    const CrdDynamics *dynamics = &sim->integrator.dynamics;
    if (dynamics->redundancy.imperfect.kind != CRD_PERFECT)
        return crd_fail(
            &sim->error, CARDAN_ERR_MODEL,
            "loops of the mechanism are imperfect, so that joints open when it moves: its constraints have no "
            "linearisation; mend the lengths (cardan check names the joints)");
    return CARDAN_OK;
}

/* What is asked for. */
typedef struct Asked {
    CardanLinear *linear;
    int inputs, outputs;
    const char *const *input;
    const char *const *output;
} Asked;

static CardanStatus make(CardanLinear *linear, CrdTangent *tangent, const Asked *asked) {
    CardanSim *sim = tangent->sim;
    CRD_TRY(crd_linear_inputs(linear, tangent, asked->inputs, asked->input));
    CRD_TRY(crd_linear_outputs(linear, tangent, asked->outputs, asked->output));
    CRD_TRY(crd_linear_descriptor(linear, tangent));
    if (linear->form == CARDAN_LINEAR_MINIMAL) return crd_linear_minimal(linear, tangent);
    CrdEntries none = {0};
    return crd_compressed_create(&none, linear->outputs, linear->inputs, &linear->through, &sim->error);
}

static CardanStatus linearise(CardanSim *sim, void *user) {
    const Asked *asked = user;
    CardanLinear *linear = asked->linear;
    CrdTangent tangent;
    crd_error_clear(&sim->error);
    CardanStatus status = check_state(sim);
    if (status < 0) return crd_sim_report(sim, status);
    CRD_TRY(crd_tangent_create(sim, &tangent));
    linear->nv = tangent.nv;
    linear->nz = tangent.nz;
    linear->rows = tangent.rows;
    linear->size = 3 * tangent.nv + tangent.nz + tangent.rows;
    status = crd_independent_create(&tangent, &linear->independent);
    if (status >= 0) {
        CrdCall before = crd_sim_enter(sim);
        crd_error_clear(&sim->error);
        status = make(linear, &tangent, asked);
        crd_sim_leave(sim, before);
        crd_sim_touch(sim);
        status = status < 0 ? crd_sim_report(sim, status) : CARDAN_OK;
    }
    crd_tangent_free(&tangent);
    return status;
}

static CardanStatus check_names(CardanSim *sim, int count, const char *const *name, const char *what) {
    if (count < 0) return crd_refuse(sim, "there cannot be %d %s", count, what);
    if (count > 0) CRD_TRY(crd_need_given(sim, name, what));
    for (int i = 0; i < count; i++)
        if (name[i] == NULL) return crd_refuse(sim, "name %d of the %s is NULL", i, what);
    return CARDAN_OK;
}

CardanStatus cardan_sim_linearise(CardanSim *sim, CardanLinearForm form, int inputs, const char *const *input,
                                  int outputs, const char *const *output, CardanLinear **out) {
    if (out != NULL) *out = NULL;
    CRD_TRY(crd_need_free(sim));
    CRD_TRY(crd_need_given(sim, out, "the place for the linearisation"));
    if (form != CARDAN_LINEAR_MINIMAL && form != CARDAN_LINEAR_DESCRIPTOR)
        return crd_refuse(sim, "there is no form number %d", (int)form);
    CRD_TRY(check_names(sim, inputs, input, "inputs"));
    CRD_TRY(check_names(sim, outputs, output, "outputs"));
    CardanLinear *linear = crd_new(1, sizeof *linear);
    if (linear == NULL) return crd_sim_report(sim, crd_fail_memory(&sim->error));
    linear->model = cardan_model_retain(sim->model);
    linear->form = form;
    Asked asked = {linear, inputs, outputs, input, output};
    CardanStatus status = crd_on_copy(sim, linearise, &asked);
    if (status < 0)
        cardan_linear_destroy(linear);
    else
        *out = linear;
    return status;
}

void cardan_linear_destroy(CardanLinear *linear) {
    if (linear == NULL) return;
    CrdCompressed *matrices[] = {&linear->e, &linear->a, &linear->b, &linear->c, &linear->through};
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) crd_compressed_free(matrices[i]);
    for (int i = 0; i < linear->inputs; i++) crd_delete(linear->input[i]);
    CRD_DELETE_ALL(linear->input, linear->channel, linear->exact, linear->equation, linear->state, linear->state_row,
                   linear->A, linear->B, linear->C, linear->D);
    crd_independent_free(&linear->independent);
    cardan_model_release(linear->model);
    crd_delete(linear);
}

/* ---- reading ---- */

CardanStateSpace cardan_linear_state_space(const CardanLinear *linear) {
    if (linear == NULL || linear->form != CARDAN_LINEAR_MINIMAL) return (CardanStateSpace){0};
    return (CardanStateSpace){.states = linear->states,
                              .inputs = linear->inputs,
                              .outputs = linear->outputs,
                              .positions = linear->independent.positions,
                              .velocities = linear->independent.velocities,
                              .a = linear->A,
                              .b = linear->B,
                              .c = linear->C,
                              .d = linear->D};
}

static CardanSparse view(const CrdCompressed *matrix) {
    return (CardanSparse){matrix->rows, matrix->columns, matrix->start, matrix->row, matrix->value};
}

CardanDescriptor cardan_linear_descriptor(const CardanLinear *linear) {
    if (linear == NULL || linear->form != CARDAN_LINEAR_DESCRIPTOR) return (CardanDescriptor){0};
    return (CardanDescriptor){.size = linear->size,
                              .inputs = linear->inputs,
                              .outputs = linear->outputs,
                              .e = view(&linear->e),
                              .a = view(&linear->a),
                              .b = view(&linear->b),
                              .c = view(&linear->c),
                              .d = view(&linear->through)};
}

bool cardan_linear_is_exact(const CardanLinear *linear, int i) {
    return linear != NULL && i >= 0 && i < linear->outputs && linear->exact[i];
}

/* ---- names ---- */

static void name_first_order(const CardanModel *model, int i, char *text, size_t size) {
    assert(i >= 0 && size > 0);
    const CrdStructure *structure = model->structure;
    for (int s = structure->states_count - 1; s >= 0; s--)
        if (i >= structure->state_of_states[s] &&
            i < structure->state_of_states[s] + model->description->states[s].def.count) {
            snprintf(text, size, "%s.%d", model->description->states[s].name, i - structure->state_of_states[s]);
            return;
        }
    for (int f = 0; f < structure->force_count; f++) {
        const CrdForceStructure *force = &structure->force_structures[f];
        if (i < force->state || i >= force->state + force->states) continue;
        snprintf(text, size, "%s.state%d", model->description->forces[f].name, i - force->state);
    }
}

static void name_unknown(const CardanLinear *linear, int i, char *text, size_t size) {
    assert(i >= 0 && size > 0);
    const CrdStructure *structure = linear->model->structure;
    int nv = linear->nv, z = 2 * nv, a = z + linear->nz, lambda = a + nv;
    char name[128];
    if (i < nv)
        crd_tangent_name(linear->model, i, false, text, size);
    else if (i < z)
        crd_tangent_name(linear->model, i - nv, true, text, size);
    else if (i < a)
        name_first_order(linear->model, i - z, text, size);
    else if (i < lambda)
        snprintf(text, size, "d/dt %s", crd_tangent_name(linear->model, i - a, true, name, sizeof name));
    else
        snprintf(text, size, "%s.lambda%d", crd_element_name(linear->model, structure->row_element[i - lambda]),
                 i - lambda - structure->elements[structure->row_element[i - lambda]].first);
}

static void name_equation(const CardanLinear *linear, int i, char *text, size_t size) {
    assert(i >= 0 && size > 0);
    static const char *const LEVEL[3] = {"position", "velocity", "acceleration"};
    const CrdEquation *equation = &linear->equation[i];
    const CrdStructure *structure = linear->model->structure;
    char name[128];
    if (equation->state >= 0) {
        name_unknown(linear, equation->state, name, sizeof name);
        snprintf(text, size, "d/dt %s", name);
    } else if (equation->row >= 0) {
        const CrdElement *element = &structure->elements[structure->row_element[equation->row]];
        snprintf(text, size, "%s.row%d %s", crd_element_name(linear->model, structure->row_element[equation->row]),
                 equation->row - element->first, equation->is_unity ? "redundant" : LEVEL[equation->level]);
    } else {
        crd_tangent_name(linear->model, i - 2 * linear->nv - linear->nz, true, name, sizeof name);
        snprintf(text, size, "balance %s", name);
    }
}

static void name_output(const CardanLinear *linear, int i, char *text, size_t size) {
    assert(i >= 0 && size > 0);
    int c = 0;
    while (i >= linear->channel[c].width) i -= linear->channel[c++].width;
    cardan_model_channel_label(linear->model, linear->channel[c], i, text, size);
}

const char *cardan_linear_name(const CardanLinear *linear, CardanLinearName kind, int i, char *text, size_t size) {
    if (text == NULL || size == 0) return "";
    text[0] = '\0';
    if (linear == NULL || i < 0) return text;
    if (kind == CARDAN_LINEAR_STATE && i < linear->states) name_unknown(linear, linear->state[i], text, size);
    if (kind == CARDAN_LINEAR_INPUT && i < linear->inputs) snprintf(text, size, "%s", linear->input[i]);
    if (kind == CARDAN_LINEAR_OUTPUT && i < linear->outputs) name_output(linear, i, text, size);
    if (kind == CARDAN_LINEAR_UNKNOWN && i < linear->size) name_unknown(linear, i, text, size);
    if (kind == CARDAN_LINEAR_EQUATION && i < linear->size) name_equation(linear, i, text, size);
    return text;
}
