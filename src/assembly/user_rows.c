/* Rows of the user's own: evaluated by their callback, their derivatives by callback or by central differences along
 * displacements of their bodies (step CRD_DIFFERENCE_STEP, good to about 1e-10 where lengths are of size 1). */
#include "assembly/element.h"
#include "joint/change.h"
#include "core/numbers.h"

#include <string.h>

typedef struct UserRows {
    const CardanModel *model;
    const CrdElement *e;
    const CrdJointDesc *joint;
    const CardanRowsDef *def;
    CrdSystem *w;
    CrdError *error;
} UserRows;

static UserRows rows_of(const CardanModel *model, int index, CrdSystem *w, CrdError *error) {
    const CrdElement *e = &model->shape->elements[index];
    const CrdJointDesc *joint = &model->description->joints[e->joint];
    return (UserRows){model, e, joint, &joint->rows->def, w, error};
}

static const CardanFrame *frame_of(const UserRows *u, int body) {
    return &u->w->frames[u->model->shape->attachments[u->e->attachment + body].carrier];
}

static void gather(const UserRows *u) {
    for (int i = 0; i < u->e->attachments; i++) u->w->gathered[i] = *frame_of(u, i);
}

static size_t twist_count(const UserRows *u) {
    return (size_t)u->e->rows * (size_t)u->e->attachments;
}

static CardanStatus told(const UserRows *u, const char *callback, CardanStatus status) {
    if (status >= 0) return CARDAN_OK;
    return crd_fail(u->error, status, "rows '%s': their %s callback failed at t = %.9g", u->joint->name, callback,
                    u->w->t);
}

/* At the gathered frames. */
static CardanStatus evaluate(const UserRows *u, CardanTwistRow *twist, CrdSlots out) {
    size_t bytes = (size_t)u->e->rows * sizeof *out.g;
    memset(twist, 0, twist_count(u) * sizeof *twist);
    memset(out.g, 0, bytes);
    memset(out.rate_t, 0, bytes);
    memset(out.gamma, 0, bytes);
    CRD_TRY(told(u, "evaluate",
                 u->def->evaluate(u->def->user, u->w->t, u->w->gathered, out.g, twist, out.rate_t, out.gamma)));
    if (u->e->holonomic == 0) memset(out.g, 0, bytes);
    return CARDAN_OK;
}

CardanStatus crd_evaluate_user(const CardanModel *model, int index, CrdSystem *w, CardanTwistRow *twist, CrdSlots out,
                               CrdError *error) {
    UserRows u = rows_of(model, index, w, error);
    gather(&u);
    return evaluate(&u, twist, out);
}

/* ---- derivatives ---- */

/* Adds s times what is differentiated to its column `column`. */
typedef void (*AddColumn)(const UserRows *u, const double *lambda, double s, int column, double *out);

/* Of G v, v fixed: out has a twist row for each row and body. */
static void add_rates(const UserRows *u, const double *lambda, double s, int column, double *out) {
    (void)lambda;
    int bodies = u->e->attachments;
    for (int r = 0; r < u->e->rows; r++)
        for (int i = 0; i < bodies; i++)
            out[6 * bodies * r + column] += s * crd_row_rate(u->w->gradient_rows[r * bodies + i], frame_of(u, i));
}

/* Of G^T lambda, lambda fixed: out is 6 bodies x 6 bodies. */
static void add_forces(const UserRows *u, const double *lambda, double s, int column, double *out) {
    int bodies = u->e->attachments, width = 6 * bodies;
    for (int r = 0; r < u->e->rows; r++)
        for (int i = 0; i < width; i++)
            out[(size_t)i * (size_t)width + (size_t)column] +=
                s * lambda[r] * u->w->gradient_rows[r * bodies + i / 6][i % 6];
}

static CardanStatus differences(const UserRows *u, AddColumn add, const double *lambda, double *out) {
    CrdSlots slots = {u->w->probe, u->w->probe + u->e->rows, u->w->probe + 2 * u->e->rows};
    for (int column = 0; column < 6 * u->e->attachments; column++) {
        CrdChange unit = {0};
        if (!crd_change_exists(u->model->shape->space, column % 6)) continue;
        *crd_change_component(&unit, column % 6) = 1.0;
        gather(u);
        for (int side = -1; side <= 1; side += 2) {
            u->w->gathered[column / 6] = crd_changed_frame(frame_of(u, column / 6), &unit, side * CRD_DIFFERENCE_STEP);
            CRD_TRY(evaluate(u, u->w->gradient_rows, slots));
            add(u, lambda, 0.5 * side / CRD_DIFFERENCE_STEP, column, out);
        }
    }
    return CARDAN_OK;
}

CardanStatus crd_user_gradient(const CardanModel *model, int index, CrdSystem *w, CardanTwistRow *twist,
                               CrdError *error) {
    UserRows u = rows_of(model, index, w, error);
    memset(twist, 0, twist_count(&u) * sizeof *twist);
    if (u.def->gradient == NULL) return differences(&u, add_rates, NULL, twist[0]);
    gather(&u);
    return told(&u, "gradient", u.def->gradient(u.def->user, w->t, w->gathered, twist));
}

CardanStatus crd_user_reactions(const CardanModel *model, int index, CrdSystem *w, const double *lambda, double *out,
                                CrdError *error) {
    UserRows u = rows_of(model, index, w, error);
    memset(out, 0, 36 * (size_t)u.e->attachments * (size_t)u.e->attachments * sizeof *out);
    if (u.def->reaction_gradient == NULL) return differences(&u, add_forces, lambda, out);
    gather(&u);
    return told(&u, "reaction_gradient", u.def->reaction_gradient(u.def->user, w->t, w->gathered, lambda, out));
}
