#include "slow/twin.h"

#include "analysis/start.h"
#include "build/fields.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---- numbers ---- */

static void numbers_of_bushing(const CardanModel *model, CrdFast *fast) {
    const CrdForceData *force = &model->values.forces[fast->force];
    bool turn = false;
    fast->rows = crd_force_kinds[force->type]->compliance(force, fast->k, fast->c, &fast->gap);
    for (int r = fast->gap; r < fast->rows; r++) turn = turn || fast->k[r] > 0.0;
    fast->loose = fast->loose || !turn;
    if (fast->loose) fast->rows = fast->gap;
    for (int r = 0; r < fast->rows; r++) fast->unit[r] = r < fast->gap ? CRD_METRES : CRD_RADIANS;
}

static CrdUnit unit_of(const CrdStructure *structure, const CrdElement *element, int r) {
    if (element->type == CRD_ELEMENT_JOINT) return crd_joint_unit(element->kind, structure->space, r);
    return structure->terms[element->term].coordinate == CARDAN_COORDINATE_ANGLE ? CRD_RADIANS : CRD_METRES;
}

static void numbers_of_joint(const CardanModel *model, CrdFast *fast) {
    int index = model->structure->element_of_joint[fast->joint];
    const CrdElement *element = &model->structure->elements[index];
    const CrdJointData *data = &model->values.joints[index];
    fast->rows = element->compliant;
    for (int r = 0; r < fast->rows; r++) {
        fast->unit[r] = unit_of(model->structure, element, r);
        fast->k[r] = data->stiffness[fast->unit[r]];
        fast->c[r] = data->damping[fast->unit[r]];
    }
}

bool crd_fast_numbers(const CardanModel *model, CrdFast *fast) {
    if (fast->joint < 0)
        numbers_of_bushing(model, fast);
    else
        numbers_of_joint(model, fast);
    assert(fast->rows > 0 && fast->rows <= CRD_JOINT_ROWS);
    for (int r = 0; r < fast->rows; r++)
        if (!(fast->k[r] > 0.0)) return false;
    return true;
}

CrdMat crd_fast_axes(const CrdTwin *rigid, const CrdFast *fast) {
    const CardanModel *model = rigid->model;
    const CardanFrame *a =
        &rigid->integrator.dynamics.system.frames[crd_element_frame(model->structure, fast->element, 0)];
    CrdMat back = crd_transpose(model->values.joints[fast->element].start_a);
    return crd_mul(a->rotation, back.m);
}

/* ---- descriptions ---- */

/* A copy that starts wherever it is put, or with the rates and held bodies of the description. */
static CrdDescription *copy_of(const CardanModel *model, bool begins) {
    CrdDescription *copy = crd_description_clone(model->description);
    if (copy == NULL) return NULL;
    copy->start_positions = copy->start_velocities = CARDAN_START_PROJECT;
    if (begins) return copy;
    copy->rate_count = copy->coordinate_count = 0;
    for (int i = 0; i < copy->body_count; i++) copy->bodies[i].hold = false;
    return copy;
}

static double *numbers_at(CrdForceDesc *force, const char *key) {
    const CrdField *field = crd_field_find(crd_element_fields(CRD_OWNER_FORCE, force->type), key, force->form);
    assert(field != NULL && field->own % sizeof(double) == 0);
    return force->numbers.number + field->own / sizeof(double);
}

static void make_rigid(CrdJointDesc *joint) {
    CrdFieldTable table = crd_element_fields(CRD_OWNER_JOINT, joint->type);
    for (int i = 0; i < table.count; i++)
        if (strncmp(table.fields[i].key, "compliant.", strlen("compliant.")) == 0)
            joint->given &= ~((uint64_t)1 << (unsigned)i);
}

typedef struct TwinName {
    char text[256];
} TwinName;

/* A name that nobody else has. */
static TwinName name_of_twin(const CrdDescription *description, const char *name) {
    TwinName out;
    snprintf(out.text, sizeof out.text, "%.200s_rigid", name);
    while (crd_names_find(&description->names, out.text, strlen(out.text)).kind != CRD_NAME_NONE &&
           strlen(out.text) + 1 < sizeof out.text)
        strcat(out.text, "_");
    return out;
}

/* In place of a bushing a weld, or where its turn is left to it a joint of points; the bushing stays, without the
 * forces that these take over. */
static CardanStatus replace_bushing(CardanBuilder *builder, const CrdFast *fast) {
    TwinName name = name_of_twin(builder->description, fast->name);
    CrdForceDesc *bushing = &builder->description->forces[fast->force];
    CrdFieldTable table = crd_element_fields(CRD_OWNER_FORCE, bushing->type);
    const CrdField *bodies = crd_field_find(table, "bodies", bushing->form);
    int frames[2];
    memcpy(frames, (const unsigned char *)&bushing->numbers + bodies->own, sizeof frames);
    const double *point = numbers_at(bushing, "point");
    bool planar = builder->description->space == CARDAN_SPACE_PLANAR;
    CardanJointType points = planar ? CARDAN_JOINT_REVOLUTE : CARDAN_JOINT_SPHERICAL;
    CardanJointDef def = cardan_default_joint(fast->loose ? points : CARDAN_JOINT_WELD);
    def.name = name.text;
    def.a = (CardanBody){frames[0]};
    def.b = (CardanBody){frames[1]};
    def.point = (CardanVec3){point[0], point[1], planar ? 0.0 : point[2]};
    memset(numbers_at(bushing, "stiffness"), 0, (size_t)fast->rows * sizeof(double));
    memset(numbers_at(bushing, "damping"), 0, (size_t)fast->rows * sizeof(double));
    cardan_builder_add_joint(builder, &def);
    return builder->error.status;
}

CardanStatus crd_twin_rigid(const CardanModel *model, const CrdFast *fast, int count, bool begins, CardanModel **out,
                            CrdError *error) {
    CardanBuilder builder = {.description = copy_of(model, begins)};
    CrdStructure *structure = NULL;
    if (builder.description == NULL) return crd_fail_memory(error);
    CardanStatus status = CARDAN_OK;
    for (int i = 0; status >= 0 && i < count; i++) {
        if (fast[i].joint >= 0)
            make_rigid(&builder.description->joints[fast[i].joint]);
        else
            status = replace_bushing(&builder, &fast[i]);
    }
    if (status < 0) crd_fail(error, status, "%s", builder.error.text);
    if (status >= 0) status = crd_structure_create(builder.description, &structure, error);
    if (status < 0) {
        crd_description_free(builder.description);
        return status;
    }
    status = crd_model_create(structure, builder.description, out, error);
    crd_structure_release(structure);
    return status;
}

CardanStatus crd_twin_soft(const CardanModel *model, const CrdFast *fast, int count, bool damped, double stiffer,
                           CardanModel **out, CrdError *error) {
    CrdDescription *copy = copy_of(model, false);
    if (copy == NULL) return crd_fail_memory(error);
    for (int i = 0; i < count; i++) {
        bool joint = fast[i].joint >= 0;
        CrdElementDesc *element = joint ? &copy->joints[fast[i].joint] : &copy->forces[fast[i].force];
        CrdJointNumbers *numbers = (CrdJointNumbers *)(void *)&element->numbers;
        double *k = joint ? numbers->stiffness : numbers_at(element, "stiffness");
        double *c = joint ? numbers->damping : numbers_at(element, "damping");
        for (int r = 0; r < (joint ? 2 : fast[i].rows); r++) {
            k[r] *= stiffer;
            if (!damped) c[r] = 0.0;
        }
    }
    return crd_model_create(model->structure, copy, out, error);
}

/* ---- workspace ---- */

static void copy_tracked(int count, int from, const double *y, int to, double *own) {
    assert(count >= 0);
    if (from >= 0 && to >= 0) memcpy(own + to, y + from, (size_t)count * sizeof *own);
}

/* Numbers with memory of the same joints and forces; what only one of them has stays. */
static void put_tracked(const CrdStructure *structure, const CrdStructure *twin, const double *tracked, double *own) {
    for (int j = 0; j < structure->joint_count; j++) {
        const CrdElement *a = &structure->elements[structure->element_of_joint[j]],
                         *b = &twin->elements[twin->element_of_joint[j]];
        if (a->turns == b->turns) copy_tracked(a->turns ? 3 : 1, a->tracked, tracked, b->tracked, own);
    }
    for (int i = 0; i < structure->force_count; i++)
        copy_tracked(3, structure->force_structures[i].tracked, tracked, twin->force_structures[i].tracked, own);
}

void crd_twin_put(CrdTwin *twin, const CardanModel *model, const double *y, double *own) {
    const CrdStructure *structure = model->structure;
    size_t n = (size_t)structure->nq + (size_t)structure->nv + (size_t)structure->first_order;
    memcpy(own, y, n * sizeof *own);
    put_tracked(structure, twin->model->structure, y + n, own + n);
    own[twin->integrator.stepper.n - 1] = 0.0;
}

void crd_twin_get(const CrdTwin *twin, const double *own, double *y) {
    const CrdStructure *structure = twin->model->structure;
    memcpy(y, own, ((size_t)structure->nq + (size_t)structure->nv) * sizeof *y);
}

static CardanStatus open_workspace(CrdTwin *twin, const CardanOptions *options, const CrdIntegrator *like,
                                   CrdError *error) {
    CrdIntegrator *integrator = &twin->integrator;
    CrdStepper *stepper = &integrator->stepper;
    crd_integrator_layout(integrator, twin->model, options, &twin->arena);
    if (!crd_arena_allocate(&twin->arena)) return crd_fail_memory(error);
    crd_integrator_layout(integrator, twin->model, options, &twin->arena);
    stepper->error = integrator->dynamics.error = error;
    integrator->dynamics.actions = like->dynamics.actions;
    integrator->dynamics.actions.sides = NULL; /* laws are looked at as they are, not held */
    integrator->dynamics.actions.states = crd_integrator_z(integrator, stepper->y);
    integrator->dynamics.actions.tracked = crd_integrator_tracked(integrator, stepper->y);
    CRD_TRY(crd_model_equations_open(integrator, error));
    CRD_TRY(crd_dynamics_open(&integrator->dynamics, options));
    const CrdValues *values = &twin->model->values;
    memcpy(crd_integrator_tracked(integrator, stepper->y), values->tracked,
           (size_t)twin->model->structure->tracked_count * sizeof(double));
    crd_twin_put(twin, like->dynamics.model, like->stepper.y, stepper->y);
    stepper->t = stepper->t_old = like->stepper.t;
    CRD_TRY(crd_start(integrator));
    crd_error_clear(error);
    return CARDAN_OK;
}

CardanStatus crd_twin_open(CrdTwin *twin, CardanModel *model, const CardanOptions *options, const CrdIntegrator *like,
                           CrdError *error) {
    twin->model = model;
    return open_workspace(twin, options, like, error);
}

void crd_twin_close(CrdTwin *twin) {
    if (twin->arena.base != NULL) {
        crd_model_equations_close(&twin->integrator);
        crd_dynamics_close(&twin->integrator.dynamics);
    }
    cardan_model_release(twin->model);
    crd_arena_free(&twin->arena);
    *twin = (CrdTwin){0};
}
