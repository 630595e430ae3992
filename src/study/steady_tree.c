/* Which joints keep which rates, and the tree that the motion is followed along. */
#include "study/steady.h"

#include <assert.h>
#include <string.h>

/* ---- given rates ---- */

static CardanStatus refuse_given(const CrdSteady *steady, int element, const char *why) {
    const CardanModel *model = steady->study->model;
    const CrdJointKind *kind = model->structure->elements[element].kind;
    return crd_fail(&steady->study->error, CARDAN_ERR_MODEL, "joint '%s' of type %s %s",
                    crd_element_name(model, element), kind->name, why);
}

static CardanStatus add_given(CrdSteady *steady, int element, CardanCoordinate which, double rate, bool driven) {
    const CrdStructure *structure = steady->study->model->structure;
    const CrdElement *e = &structure->elements[element];
    bool screw = e->kind->coordinates[1] != CARDAN_COORDINATE_NONE && e->rows == 5;
    if (which == CARDAN_COORDINATE_LENGTH || screw)
        return refuse_given(steady, element,
                            "cannot keep a rate in a steady motion: a revolute, prismatic or cylindrical one can");
    for (int i = 0; i < steady->given; i++)
        if (steady->rate[i].element == element)
            return refuse_given(steady, element, "is given a rate, and a drive leads it too");
    if (!crd_grow(&steady->rate, &steady->given_room, steady->given + 1, sizeof *steady->rate))
        return crd_fail_memory(&steady->study->error);
    int a = crd_element_frame(structure, element, 0), b = crd_element_frame(structure, element, 1);
    steady->rate[steady->given++] = (CrdGiven){element, which, rate, a, b, driven};
    return CARDAN_OK;
}

/* Drives at the rates of their laws: rows at rest have g_t as their rate. */
static CardanStatus add_drives(CrdSteady *steady) {
    CardanStudy *study = steady->study;
    const CardanModel *model = study->model;
    const CrdStructure *structure = model->structure;
    CRD_TRY(crd_integrator_evaluate_constraints(study->run, study->t, study->y));
    for (int i = 0; i < structure->element_count; i++) {
        const CrdElement *e = &structure->elements[i];
        if (!crd_element_is_driven(e)) continue;
        double law = -study->dynamics->system.rate_t[e->first];
        bool one = e->type == CRD_ELEMENT_COUPLER && e->terms == 1;
        if (!one && law != 0.0)
            return crd_fail(&study->error, CARDAN_ERR_MODEL,
                            "joint '%s' is driven at a rate, and not along the coordinate of one joint: steady motions "
                            "with it are not looked for",
                            crd_element_name(model, i));
        if (!one) continue;
        const CrdTerm *term = &structure->terms[e->term];
        CRD_TRY(add_given(steady, term->element, term->coordinate, law / model->values.coefficients[e->term], true));
    }
    return CARDAN_OK;
}

static CardanStatus add_pins(CrdSteady *steady) {
    CardanStudy *study = steady->study;
    for (int i = 0; i < study->rates; i++)
        CRD_TRY(add_given(steady, study->rate[i].row.element, study->rate[i].row.which, study->rate[i].rate, false));
    steady->pin = crd_new((size_t)study->rates, sizeof *steady->pin);
    steady->mu = crd_new((size_t)study->rates, sizeof *steady->mu);
    if (steady->pin == NULL || steady->mu == NULL) return crd_fail_memory(&study->error);
    for (int i = 0; i < study->rates; i++) {
        CrdCoordinateRow *pin = &steady->pin[steady->pins++];
        *pin = study->rate[i].row;
        crd_coordinate_evaluate(study->model, &study->dynamics->system, pin);
        pin->value = pin->x;
    }
    return CARDAN_OK;
}

/* ---- the tree ---- */

typedef struct Edges {
    int *group; /* by frame: what is joined so far */
    int *a, *b, *over;
    int count;
} Edges;

static int group_of(int *group, int frame) {
    while (group[frame] != frame) frame = group[frame] = group[group[frame]];
    return frame;
}

/* Joins what was apart; false: it was joined already. */
static bool join(Edges *edges, int a, int b, int over) {
    int p = group_of(edges->group, a), q = group_of(edges->group, b);
    if (p == q) return false;
    edges->group[p] = q;
    edges->a[edges->count] = a;
    edges->b[edges->count] = b;
    edges->over[edges->count++] = over;
    return true;
}

/* Of joints, or of other rows, that touch several bodies. */
static void join_elements(Edges *edges, const CrdStructure *structure, bool joints) {
    for (int i = 0; i < structure->element_count; i++) {
        const CrdElement *e = &structure->elements[i];
        const CrdAttachment *at = structure->attachments + e->attachment;
        for (int k = 1; k < e->attachments && (e->type == CRD_ELEMENT_JOINT) == joints; k++)
            join(edges, at[0].frame, at[k].frame, -1);
    }
}

/* Given joints first, then joints, other rows, forces, and the ground for what is left. */
static CardanStatus choose_edges(const CrdSteady *steady, Edges *edges) {
    const CrdStructure *structure = steady->study->model->structure;
    for (int i = 0; i < steady->given; i++)
        if (!join(edges, steady->rate[i].a, steady->rate[i].b, i))
            return refuse_given(steady, steady->rate[i].element,
                                "closes a loop of joints with given rates: leave one of the rates out");
    join_elements(edges, structure, true);
    join_elements(edges, structure, false);
    for (int i = 0; i < structure->force_count; i++) {
        const CrdForceStructure *force = &structure->force_structures[i];
        const int *frame = structure->force_frames + force->frame;
        for (int k = 1; k < force->own_frames; k++) join(edges, frame[0], frame[k], -1);
    }
    for (int i = 1; i < steady->frames; i++) join(edges, 0, i, -1);
    return CARDAN_OK;
}

/* Edges of each frame: those of frame i are item[start[i]] to item[start[i + 1] - 1]; start (n + 2). */
static void list_edges(const Edges *edges, int n, int *start, int *item) {
    for (int i = 0; i < edges->count; i++) {
        start[edges->a[i] + 2]++;
        start[edges->b[i] + 2]++;
    }
    for (int i = 2; i < n + 2; i++) start[i] += start[i - 1];
    for (int i = 0; i < edges->count; i++) {
        item[start[edges->a[i] + 1]++] = i;
        item[start[edges->b[i] + 1]++] = i;
    }
}

/* Parents, and an order from the ground on. */
static void walk(CrdSteady *steady, const Edges *edges, const int *start, const int *item) {
    for (int i = 0; i < steady->frames; i++) steady->parent[i] = steady->over[i] = -1;
    steady->order[0] = 0;
    for (int done = 0, known = 1; done < known; done++) {
        int from = steady->order[done];
        for (int k = start[from]; k < start[from + 1]; k++) {
            int to = edges->a[item[k]] == from ? edges->b[item[k]] : edges->a[item[k]];
            if (to == steady->parent[from] || to == 0) continue;
            steady->parent[to] = from;
            steady->over[to] = edges->over[item[k]];
            steady->order[known++] = to;
            assert(known <= steady->frames);
        }
    }
}

static CardanStatus orient(CrdSteady *steady, const Edges *edges) {
    int *start = crd_new((size_t)steady->frames + 2, sizeof *start);
    int *item = crd_new(2 * (size_t)edges->count, sizeof *item);
    bool all = start != NULL && item != NULL;
    if (all) list_edges(edges, steady->frames, start, item);
    if (all) walk(steady, edges, start, item);
    CRD_DELETE_ALL(start, item);
    return all ? CARDAN_OK : crd_fail_memory(&steady->study->error);
}

static CardanStatus make_tree(CrdSteady *steady) {
    size_t n = (size_t)steady->frames;
    int *room = crd_new(4 * n, sizeof *room);
    if (room == NULL) return crd_fail_memory(&steady->study->error);
    Edges edges = {room, room + n, room + 2 * n, room + 3 * n, 0};
    for (int i = 0; i < steady->frames; i++) edges.group[i] = i;
    CardanStatus status = choose_edges(steady, &edges);
    if (status >= 0) status = orient(steady, &edges);
    crd_delete(room);
    return status;
}

/* ---- room ---- */

static CardanStatus take_room(CrdSteady *steady) {
    const CrdStructure *structure = steady->study->model->structure;
    size_t n = (size_t)structure->frame_count;
    steady->frames = structure->frame_count;
    steady->a = crd_new((size_t)structure->nv, sizeof *steady->a);
    steady->parent = crd_new(n, sizeof(int));
    steady->over = crd_new(n, sizeof(int));
    steady->order = crd_new(n, sizeof(int));
    steady->unit = crd_new(n, sizeof(CrdScrew));
    steady->twist = crd_new(n, sizeof(CrdScrew));
    steady->change = crd_new(n, sizeof(CrdScrew));
    steady->carried = crd_new(n, sizeof(bool));
    steady->by = crd_new(2 * n, sizeof(CrdScrew));
    bool all = steady->a != NULL && steady->parent != NULL && steady->over != NULL && steady->order != NULL &&
               steady->unit != NULL && steady->twist != NULL && steady->change != NULL && steady->carried != NULL &&
               steady->by != NULL;
    return all ? CARDAN_OK : crd_fail_memory(&steady->study->error);
}

CardanStatus crd_steady_open(CrdSteady *steady, CardanStudy *study) {
    const CrdStructure *structure = study->model->structure;
    *steady = (CrdSteady){.study = study};
    for (int i = 0; i < structure->block_count; i++)
        if (structure->blocks[i].kind == CRD_CUSTOM_BLOCK)
            return crd_fail(&study->error, CARDAN_ERR_MODEL,
                            "'%s' has coordinates of its own: steady motions are looked for among bodies alone",
                            study->model->description->blocks[structure->blocks[i].object].name);
    memset(crd_study_v(study), 0, (size_t)structure->nv * sizeof(double));
    CRD_TRY(take_room(steady));
    CRD_TRY(add_drives(steady));
    CRD_TRY(add_pins(steady));
    bool any = study->rates > 0;
    for (int i = 0; i < steady->given; i++) any = any || steady->rate[i].rate != 0.0;
    if (!any)
        return crd_fail(&study->error, CARDAN_ERR_MODEL,
                        "nothing has a rate: give that of a joint, or drive one at a constant rate");
    return make_tree(steady);
}

void crd_steady_close(CrdSteady *steady) {
    CRD_DELETE_ALL(steady->rate, steady->pin, steady->mu, steady->a, steady->parent, steady->over, steady->order,
                   steady->unit, steady->twist, steady->change, steady->carried, steady->by);
    *steady = (CrdSteady){0};
}
