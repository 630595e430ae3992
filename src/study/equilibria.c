/* Equilibria: the one a mechanism falls to, and several. */
#include "study/balance.h"

#include "analysis/sentences.h"
#include "study/operators.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Equilibria that differ by less are the same; in lengths of the mechanism or rad. */
#define CRD_SAME_BALANCE 1e-6

/* How far starts for further equilibria are, in lengths of the mechanism and rad: anywhere a closed loop can be. */
#define CRD_BALANCE_FAR 3.2

/* ---- what is found ---- */

static CardanStatus describe(CrdBalance *balance, CardanEquilibrium *out) {
    CardanStudy *study = balance->study;
    *out = (CardanEquilibrium){.residual = balance->left, .iterations = balance->iterations};
    CRD_TRY(crd_study_evaluate(study));
    out->potential = crd_potential(study->model, &study->dynamics->system);
    if (balance->moves) out->potential -= crd_kinetic(study->model, &study->dynamics->system, crd_study_v(study));
    return crd_balance_judge(balance, out);
}

/* Names of forces that vanish at rest: with them every pose near by may be one of rest. */
static void name_friction(const CardanStudy *study, char *list, size_t size) {
    const CrdDescription *description = study->model->description;
    for (int i = 0; i < description->force_count; i++) {
        bool dry = description->forces[i].type == CARDAN_FORCE_FRICTION;
        if (dry) crd_say(list, size, "%s'%s'", list[0] == '\0' ? "" : ", ", description->forces[i].name);
    }
}

/* Which body is pushed most, and by what. */
static CardanStatus refuse(CrdBalance *balance) {
    CardanStudy *study = balance->study;
    const CrdStructure *structure = study->model->structure;
    int worst = 0;
    double most = -1.0, force = 0.0;
    crd_stamp_clear(&study->dynamics->system.stamp);
    if (crd_study_accelerate(study) < 0) memset(study->a, 0, (size_t)structure->nv * sizeof(double));
    for (int i = 0; i < structure->block_count; i++)
        for (int k = 0; k < structure->blocks[i].nv; k++) {
            int at = structure->blocks[i].v + k;
            double size = k < crd_block_lengths(structure, &structure->blocks[i]) ? study->model->values.size : 1.0;
            if (!(fabs(study->a[at]) / size > most)) continue;
            most = fabs(study->a[at]) / size;
            force = study->a[at];
            worst = i;
        }
    const CrdBlock *block = &structure->blocks[worst];
    const char *name = block->kind == CRD_CUSTOM_BLOCK
                           ? study->model->description->blocks[block->object].name
                           : cardan_model_body_name(study->model, (CardanBody){block->frame});
    crd_error_clear(&study->error);
    return crd_fail(&study->error, CARDAN_ERR_NUMERIC,
                    "no %s was found after %d steps: nothing balances what moves '%s' (acceleration %.3g "
                    "m/s^2 or rad/s^2 there): hold it by a joint or a spring, or start nearer",
                    balance->moves ? "steady motion" : "equilibrium", balance->iterations, name, force);
}

/* ---- one ---- */

static CardanStatus check_model(CardanStudy *study) {
    const CrdStructure *structure = study->model->structure;
    for (int i = 0; i < structure->rows; i++)
        if (!crd_row_is_holonomic(structure, i))
            return crd_fail(
                &study->error, CARDAN_ERR_MODEL,
                "joint '%s' rolls or slides by velocities alone: with it poses of balance and steady motions "
                "are no isolated ones, so they are not looked for",
                crd_element_name(study->model, structure->row_element[i]));
    return CARDAN_OK;
}

/* Closed first, then in balance. */
static CardanStatus find(CardanStudy *study, CrdBalance *balance, CrdBalanceWay way, bool *converged) {
    memset(crd_study_v(study), 0, (size_t)study->model->structure->nv * sizeof(double));
    *converged = false;
    CardanStatus status = crd_close(&balance->closing, study->t, study->y);
    bool closed = balance->closing.closed;
    if (status == CARDAN_ERR_NUMERIC) return CARDAN_OK;
    CRD_TRY(status);
    if (!closed) return CARDAN_OK;
    status = crd_balance_find(balance, way, converged);
    if (status != CARDAN_ERR_NUMERIC) return status;
    crd_error_clear(&study->error);
    *converged = false;
    return CARDAN_OK;
}

/* What the loose way ends in counts where it is no unstable one; else the potential itself is followed. */
static CardanStatus equilibrium(CardanStudy *study, CrdBalance *balance, CardanEquilibrium *out) {
    for (int way = CRD_BALANCE_LOOSE; way <= CRD_BALANCE_NEWTON; way++) {
        bool converged = false;
        memcpy(study->y, study->given, (size_t)study->run->stepper.n * sizeof(double));
        CRD_TRY(find(study, balance, (CrdBalanceWay)way, &converged));
        if (!converged) continue;
        CRD_TRY(describe(balance, out));
        if (way != CRD_BALANCE_LOOSE || !out->judged || out->negative == 0) return CARDAN_OK;
    }
    return refuse(balance);
}

static CardanStatus finish(CardanStudy *study, CardanStatus status) {
    char list[CRD_MESSAGE_SIZE / 2] = "";
    crd_rows_outward(study->model->structure, study->lambda, study->outer);
    name_friction(study, list, sizeof list);
    if (status >= 0 && list[0] != '\0')
        status = crd_fail(
            &study->error, CARDAN_REMARK,
            "dry friction (%s) vanishes at rest and took no part: with it poses near by are in balance too", list);
    return crd_study_end(study, status);
}

CardanStatus cardan_study_equilibrium(CardanStudy *study, CardanEquilibrium *out) {
    CRD_TRY(crd_study_need(study, out, "the place for the equilibrium"));
    CrdBalance balance = {0};
    CardanEquilibrium found = {0};
    crd_study_begin(study);
    CardanStatus status = check_model(study);
    if (status >= 0) status = crd_balance_open(&balance, study);
    if (status >= 0) status = equilibrium(study, &balance, &found);
    crd_balance_close(&balance);
    if (status >= 0) *out = found;
    return finish(study, status);
}

/* ---- several ---- */

void crd_study_forget_equilibria(CardanStudy *study) {
    for (int i = 0; i < study->found; i++) CRD_DELETE_ALL(study->equilibrium[i].y, study->equilibrium[i].loads);
    study->found = 0;
}

static bool is_known(CardanStudy *study, double *dx) {
    for (int i = 0; i < study->found; i++) {
        crd_displacement(study->model->structure, study->equilibrium[i].y, study->y, dx);
        if (crd_reach(study->model, dx) < CRD_SAME_BALANCE) return true;
    }
    return false;
}

static double *copy_of(const double *x, int n) {
    double *copy = crd_new((size_t)n, sizeof *copy);
    if (copy != NULL) memcpy(copy, x, (size_t)n * sizeof *copy);
    return copy;
}

static double *loads_of(const CardanStudy *study) {
    int rows = study->model->structure->rows, nv = study->model->structure->nv;
    double *loads = crd_new((size_t)(rows + nv + study->rates), sizeof *loads);
    if (loads == NULL) return NULL;
    memcpy(loads, study->lambda, (size_t)rows * sizeof *loads);
    memcpy(loads + rows, study->a, (size_t)nv * sizeof *loads);
    for (int i = 0; i < study->rates; i++) loads[rows + nv + i] = study->rate[i].effort;
    return loads;
}

/* By potential, lowest first. */
static CardanStatus keep(CardanStudy *study, CardanEquilibrium what) {
    if (!crd_grow(&study->equilibrium, &study->found_room, study->found + 1, sizeof *study->equilibrium))
        return crd_fail_memory(&study->error);
    CrdFound found = {copy_of(study->y, study->run->stepper.n), loads_of(study), what};
    if (found.y == NULL || found.loads == NULL) {
        CRD_DELETE_ALL(found.y, found.loads);
        return crd_fail_memory(&study->error);
    }
    int at = study->found++;
    for (; at > 0 && study->equilibrium[at - 1].what.potential > what.potential; at--)
        study->equilibrium[at] = study->equilibrium[at - 1];
    study->equilibrium[at] = found;
    return CARDAN_OK;
}

static CardanStatus look_from(CardanStudy *study, CrdBalance *balance, CrdBalanceWay way) {
    bool converged = false;
    CardanEquilibrium what;
    CRD_TRY(find(study, balance, way, &converged));
    if (!converged || is_known(study, balance->residual)) return CARDAN_OK;
    CRD_TRY(describe(balance, &what));
    return keep(study, what);
}

static CardanStatus search(CardanStudy *study, CrdBalance *balance, int starts) {
    uint64_t random = 3;
    CRD_TRY(look_from(study, balance, CRD_BALANCE_RELAX));
    for (int i = 0; i < starts; i++) {
        double far = CRD_BALANCE_FAR * (i + 1) / starts;
        crd_study_perturb(study, far, &random, balance->residual, study->y);
        CRD_TRY(look_from(study, balance, i % 2 == 0 ? CRD_BALANCE_RELAX : CRD_BALANCE_NEWTON));
    }
    return study->found > 0 ? CARDAN_OK : refuse(balance);
}

static void put(CardanStudy *study, int i) {
    assert(i >= 0 && i < study->found);
    memcpy(study->y, study->equilibrium[i].y, (size_t)study->run->stepper.n * sizeof(double));
    int rows = study->model->structure->rows, nv = study->model->structure->nv;
    const double *loads = study->equilibrium[i].loads;
    memcpy(study->lambda, loads, (size_t)rows * sizeof(double));
    memcpy(study->a, loads + rows, (size_t)nv * sizeof(double));
    for (int k = 0; k < study->rates; k++) study->rate[k].effort = loads[rows + nv + k];
    crd_stamp_clear(&study->dynamics->system.stamp);
    crd_rows_outward(study->model->structure, study->lambda, study->outer);
}

CardanStatus cardan_study_equilibria(CardanStudy *study, int starts, int room, CardanEquilibrium *out, int *count) {
    CRD_TRY(crd_study_need(study, count, "the place for their number"));
    if (starts < 0 || room < 0 || (room > 0 && out == NULL))
        return crd_study_refuse(study, "a number of starts is below 0, or there is no place for equilibria");
    CrdBalance balance = {0};
    crd_study_forget_equilibria(study);
    crd_study_begin(study);
    CardanStatus status = check_model(study);
    if (status >= 0) status = crd_balance_open(&balance, study);
    if (status >= 0) status = search(study, &balance, starts);
    crd_balance_close(&balance);
    if (status >= 0) {
        put(study, 0);
        *count = study->found;
        for (int i = 0; i < study->found && i < room; i++) out[i] = study->equilibrium[i].what;
    }
    return finish(study, status);
}

CardanStatus cardan_study_take(CardanStudy *study, int i) {
    CRD_TRY(crd_study_need(study, study, "the study"));
    if (i < 0 || i >= study->found) return crd_study_refuse(study, "there is no such equilibrium");
    put(study, i);
    return CARDAN_OK;
}
