#include "analysis/sentences.h"

#include "core/numbers.h"
#include "dynamics/dynamics.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WORST_JOINTS = 5, NAMED_JOINTS = 8 };

static CrdPlace element_place(const CardanModel *model, int element) {
    const CrdElement *e = &model->structure->elements[element];
    if (e->joint >= 0) return model->description->joints[e->joint].place;
    return model->description->blocks[model->structure->blocks[e->block].object].place;
}

void crd_say(char *text, size_t size, const char *format, ...) {
    /* cppcheck-suppress ctunullpointer ; every caller hands an array of its own */
    size_t used = strlen(text);
    assert(used < size);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

/* An element that is off: by so much in units of what is allowed, and in metres or radians. */
typedef struct Off {
    int element;
    double excess, size;
} Off;

static Off off_by(const CardanModel *model, const CrdSystem *system, const double *rows, CrdAllowed allowed, int e) {
    const CrdElement *element = &model->structure->elements[e];
    Off off = {e, 0.0, 0.0};
    for (int r = element->first; r < element->first + element->rows; r++) {
        double excess = fabs(rows[r]) / crd_allowed_row(model, system, e, r, allowed);
        if (rows[r] != 0.0 && !(excess <= off.excess)) off = (Off){e, excess, fabs(rows[r])};
    }
    return off;
}

/* Elements that are off by more than limit, worst first; how many, at most WORST_JOINTS. The array has room for one
 * more. */
static int find_worst(const CardanModel *model, const CrdSystem *system, const double *rows, CrdAllowed allowed,
                      double limit, Off *worst) {
    assert(limit >= 0.0);
    int count = 0;
    for (int e = 0; e < model->structure->element_count; e++) {
        Off off = off_by(model, system, rows, allowed, e);
        if (off.excess <= limit) continue;
        int k = count;
        for (; k > 0 && !(off.excess <= worst[k - 1].excess); k--) /* what is no number comes first */
            worst[k] = worst[k - 1];
        worst[k] = off;
        if (count < WORST_JOINTS) count++;
    }
    return count;
}

CrdPlace crd_list_worst(const CardanModel *model, const CrdSystem *system, const double *rows, CrdAllowed allowed,
                        double limit, char *text, size_t size) {
    Off worst[WORST_JOINTS + 1] = {{0}};
    int count = find_worst(model, system, rows, allowed, limit, worst);
    assert(count <= WORST_JOINTS && size > 0);
    text[0] = '\0';
    for (int k = 0; k < count; k++)
        crd_say(text, size, "%s'%.64s' by %.3g", k == 0 ? "joint " : ", ", crd_element_name(model, worst[k].element),
                worst[k].size);
    return element_place(model, worst[0].element);
}

bool crd_worst_is_driven(const CardanModel *model, const double *rows) {
    int worst = 0;
    for (int i = 1; i < model->structure->rows; i++)
        if (fabs(rows[i]) > fabs(rows[worst])) worst = i;
    return crd_element_is_driven(&model->structure->elements[model->structure->row_element[worst]]);
}

static void add_name(CrdNameList *list, int element) {
    if (list->count++ >= NAMED_JOINTS) return;
    if (list->count == 1) list->place = element_place(list->model, element);
    crd_say(list->text, sizeof list->text, "%s'%.64s'", list->count == 1 ? "" : ", ",
            crd_element_name(list->model, element));
}

CrdNameList crd_list_marked(const CardanModel *model, const bool *marked) {
    const CrdStructure *structure = model->structure;
    CrdNameList list = {.model = model};
    for (int i = 0; i < structure->joint_count; i++)
        if (marked[structure->element_of_joint[i]]) add_name(&list, structure->element_of_joint[i]);
    for (int e = 0; e < structure->element_count; e++)
        if (marked[e] && structure->elements[e].joint < 0) add_name(&list, e);
    if (list.count > NAMED_JOINTS) crd_say(list.text, sizeof list.text, " and %d more", list.count - NAMED_JOINTS);
    return list;
}

void crd_say_nearly(const CardanModel *model, const CrdRank *rank, const char *joints, char *text, size_t size) {
    int digits = (int)ceil(log10(rank->within)); /* the tolerance to set is 1e(digits) */
    int freedoms = model->structure->nv - rank->nearly;
    assert(rank->nearly < rank->rank && rank->within > 0.0);
    crd_say(text, size, "Within %.2g it would have %d (joints %s); ", rank->within, freedoms, joints);
    if (pow(10.0, digits) <= 1.5 * CRD_REDUNDANCY_MOST)
        crd_say(text, size, "set redundancy: 1e%d to allow openings of that size", digits);
    else
        crd_say(text, size, "correct the joint data, as redundancy: %g is the most that is allowed",
                CRD_REDUNDANCY_MOST);
}
