/* Rows of the user's own: evaluated by their callback, their derivatives by callback or by central differences along
 * displacements of their bodies (step CRD_DIFFERENCE_STEP, good to about 1e-10 where lengths are of size 1). */
#include "core/callback.h"
#include "core/numbers.h"
#include "equations/element.h"
#include "joint/change.h"

#include <assert.h>
#include <string.h>

typedef struct UserRows {
    const CardanModel *model;
    const CrdElement *e;
    const CrdJointDesc *joint;
    const CardanRowsDef *def;
    CrdSystem *w;
    CrdError *error;
} UserRows;

static UserRows rows_of(const CardanModel *model, int index, CrdSystem *system, CrdError *error) {
    const CrdElement *element = &model->structure->elements[index];
    assert(element->type == CRD_ELEMENT_USER);
    const CrdJointDesc *joint = &model->description->joints[element->joint];
    assert(joint->rows != NULL && joint->rows->def.rows == element->rows);
    return (UserRows){model, element, joint, &joint->rows->def, system, error};
}

static const CardanFrame *frame_of(const UserRows *user_rows, int body) {
    assert(body >= 0 && body < user_rows->e->attachments);
    return &user_rows->w->frames[user_rows->model->structure->attachments[user_rows->e->attachment + body].frame];
}

static void gather(const UserRows *user_rows) {
    for (int i = 0; i < user_rows->e->attachments; i++) user_rows->w->gathered[i] = *frame_of(user_rows, i);
}

static size_t twist_count(const UserRows *user_rows) {
    return (size_t)user_rows->e->rows * (size_t)user_rows->e->attachments;
}

static CardanStatus told(const UserRows *user_rows, const char *callback, CardanStatus status, bool finite) {
    return crd_callback_ended(user_rows->error, status, finite, user_rows->w->t, "rows '%s': their %s callback",
                              user_rows->joint->name, callback);
}

/* At the gathered frames. */
static CardanStatus evaluate(const UserRows *user_rows, CardanTwistRow *twist, CrdSlots out) {
    size_t bytes = (size_t)user_rows->e->rows * sizeof *out.g;
    memset(twist, 0, twist_count(user_rows) * sizeof *twist);
    memset(out.g, 0, bytes);
    memset(out.rate_t, 0, bytes);
    memset(out.gamma, 0, bytes);
    CardanStatus status = user_rows->def->evaluate(user_rows->def->user, user_rows->w->t, user_rows->w->gathered, out.g,
                                                   twist, out.rate_t, out.gamma);
    if (user_rows->e->holonomic == 0) memset(out.g, 0, bytes);
    size_t rows = (size_t)user_rows->e->rows;
    bool finite = crd_are_finite(out.g, rows) && crd_are_finite(twist, 6 * twist_count(user_rows)) &&
                  crd_are_finite(out.rate_t, rows) && crd_are_finite(out.gamma, rows);
    return told(user_rows, "evaluate", status, finite);
}

CardanStatus crd_evaluate_user(const CardanModel *model, int index, CrdSystem *system, CardanTwistRow *twist,
                               CrdSlots out, CrdError *error) {
    UserRows u = rows_of(model, index, system, error);
    gather(&u);
    return evaluate(&u, twist, out);
}

/* ---- derivatives ---- */

/* Adds s times what is differentiated to its column `column`. */
typedef void (*AddColumn)(const UserRows *u, const double *lambda, double s, int column, double *out);

/* Of G v, v fixed: out has a twist row for each row and body. */
static void add_rates(const UserRows *user_rows, const double *lambda, double s, int column, double *out) {
    (void)lambda;
    int bodies = user_rows->e->attachments;
    for (int r = 0; r < user_rows->e->rows; r++)
        for (int i = 0; i < bodies; i++)
            out[6 * bodies * r + column] +=
                s * crd_row_rate(user_rows->w->gradient_rows[r * bodies + i], frame_of(user_rows, i));
}

/* Of G^T lambda, lambda fixed: out is 6 bodies x 6 bodies. */
static void add_forces(const UserRows *user_rows, const double *lambda, double s, int column, double *out) {
    int bodies = user_rows->e->attachments, width = 6 * bodies;
    for (int r = 0; r < user_rows->e->rows; r++)
        for (int i = 0; i < width; i++)
            out[(size_t)i * (size_t)width + (size_t)column] +=
                s * lambda[r] * user_rows->w->gradient_rows[r * bodies + i / 6][i % 6];
}

static CardanStatus differences(const UserRows *user_rows, AddColumn add, const double *lambda, double *out) {
    CrdSlots slots = {user_rows->w->probe, user_rows->w->probe + user_rows->e->rows,
                      user_rows->w->probe + 2 * user_rows->e->rows};
    for (int column = 0; column < 6 * user_rows->e->attachments; column++) {
        CrdChange unit = {0};
        if (!crd_change_exists(user_rows->model->structure->space, column % 6)) continue;
        *crd_change_component(&unit, column % 6) = 1.0;
        gather(user_rows);
        for (int side = -1; side <= 1; side += 2) {
            user_rows->w->gathered[column / 6] =
                crd_changed_frame(frame_of(user_rows, column / 6), &unit, side * CRD_DIFFERENCE_STEP);
            CRD_TRY(evaluate(user_rows, user_rows->w->gradient_rows, slots));
            add(user_rows, lambda, 0.5 * side / CRD_DIFFERENCE_STEP, column, out);
        }
    }
    return CARDAN_OK;
}

CardanStatus crd_user_gradient(const CardanModel *model, int index, CrdSystem *system, CardanTwistRow *twist,
                               CrdError *error) {
    UserRows u = rows_of(model, index, system, error);
    assert(twist != system->gradient_rows); /* the scratch of differences */
    memset(twist, 0, twist_count(&u) * sizeof *twist);
    if (u.def->gradient == NULL) return differences(&u, add_rates, NULL, twist[0]);
    gather(&u);
    CardanStatus status = u.def->gradient(u.def->user, system->t, system->gathered, twist);
    return told(&u, "gradient", status, crd_are_finite(twist, 6 * twist_count(&u)));
}

CardanStatus crd_user_reactions(const CardanModel *model, int index, CrdSystem *system, const double *lambda,
                                double *out, CrdError *error) {
    UserRows u = rows_of(model, index, system, error);
    size_t count = 36 * (size_t)u.e->attachments * (size_t)u.e->attachments;
    memset(out, 0, count * sizeof *out);
    if (u.def->reaction_gradient == NULL) return differences(&u, add_forces, lambda, out);
    gather(&u);
    CardanStatus status = u.def->reaction_gradient(u.def->user, system->t, system->gathered, lambda, out);
    return told(&u, "reaction_gradient", status, crd_are_finite(out, count));
}
