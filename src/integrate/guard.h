/* Guards: what watches the steps of an integrator without being part of them (events, singular poses,
 * turns).
 *
 * The loop in step.c calls them at fixed places; what they need from step to step is their own. An integrator has only
 * the guards that its model has something for: a free pendulum by a torque without kinks has none, and nothing of them
 * is run. A hook that is NULL has nothing to do. */
#ifndef CRD_INTEGRATE_GUARD_H
#define CRD_INTEGRATE_GUARD_H

#include "core/memory.h"
#include "core/status.h"
#include "integrate/controller.h"
#include "model/model.h"
#include "project/stabilise.h"

typedef struct CrdIntegrator CrdIntegrator;

/* One step being made. */
typedef struct CrdTry {
    double limit;             /* s; the step does not go beyond: what the caller asks for, or a time event before it */
    double h;                 /* s; size of the attempt */
    double t_new;             /* s; where it ends */
    bool anew;                /* it was given up for a better one: h is the size to try now */
    double norm;              /* its error in units of the tolerance */
    CrdController controller; /* as it was before the step */
    CrdUnclosed unclosed;     /* where no step succeeds: rows of the last one that were left open */
} CrdTry;

/* What is to become of a step that was tried. */
typedef enum CrdVerdict {
    CRD_ACCEPT = 0,
    CRD_AGAIN,   /* to be made again with the size now in try->h */
    CRD_RESTART, /* laws changed where it begins: all is to be begun again; with a failure: no step is to be made */
    CRD_REJECT,  /* its error is too large, or it could not be computed: shorter */
    CRD_FAIL     /* with it something is known that no other step mends; *status says what */
} CrdVerdict;

typedef struct CrdGuard {
    /* Before a step from a state that is new, or under other inputs. */
    CardanStatus (*initialise)(void *self);

    /* Before a step: it is not to go beyond the time returned, t_limit or an earlier one; about h is planned. */
    double (*limit)(void *self, double t_limit, double h);

    /* At a stage of an attempt of size h under error control: the size with which the step had better be tried, less
     * than h, or h where it lies well so far. */
    double (*foresee)(void *self, double h);

    /* After an attempt that passed its error test and whose end is on its constraints; the workspace holds the end, and
     * must again when the verdict is CRD_ACCEPT. *status < 0: a failure, with its sentence. */
    CrdVerdict (*after_attempt)(void *self, CrdTry *attempt, CardanStatus *status);

    /* After acceptance. CARDAN_REMARK, CARDAN_STOPPED or a failure, with its sentence. */
    CardanStatus (*after_acceptance)(void *self);

    /* Steps before were made by another integrator, and this one goes on: it has the present state with its slope, and
     * the one before with its (t_old, y_old, f_new), as after a step of its own. */
    void (*join)(void *self);

    /* Where no step succeeds: a status < 0 and a sentence when the guard knows why; CARDAN_OK: it does not. */
    CardanStatus (*explain)(void *self, const CrdTry *attempt, CardanStatus status);

    /* Is something under way that steps to come have to tell? Then they are made by this integrator. NULL: never. */
    bool (*is_engaged)(const void *self);

    /* Inputs or the state changed from outside: what is known of the present state has to be found again. */
    void (*touch)(void *self);

    /* The state is another one: nothing is known of it. */
    void (*reset)(void *self);

    /* Laws as they were in the last step (to look inside it), or as they are now. */
    void (*hold)(void *self, bool last);

    /* What is remembered, as numbers that a saved state keeps; the same of another integrator, for a clone. */
    int (*memory_size)(const CrdStructure *structure);
    void (*get)(const void *self, double *numbers);
    void (*set)(void *self, const double *numbers);
    void (*copy)(void *self, const void *from);
} CrdGuard;

enum { CRD_GUARDS_MAX = 6 };

typedef struct CrdGuards {
    int count;
    const CrdGuard *guard[CRD_GUARDS_MAX];
    void *self[CRD_GUARDS_MAX];
} CrdGuards;

/* Adds a guard; they are called in the order in which they were added. */
void crd_guards_add(CrdGuards *guards, const CrdGuard *guard, void *self);

/* The hooks of all guards. A verdict other than CRD_ACCEPT, and a failure, end the round; of remarks the last stands.
 */
CardanStatus crd_guards_initialise(const CrdGuards *guards);
double crd_guards_limit(const CrdGuards *guards, double t_limit, double h);
double crd_guards_foresee(const CrdGuards *guards, double h);
CrdVerdict crd_guards_after_attempt(const CrdGuards *guards, CrdTry *attempt, CardanStatus *status);
CardanStatus crd_guards_after_acceptance(const CrdGuards *guards);
void crd_guards_join(const CrdGuards *guards);
CardanStatus crd_guards_explain(const CrdGuards *guards, const CrdTry *attempt, CardanStatus status);
bool crd_guards_are_engaged(const CrdGuards *guards);
void crd_guards_touch(const CrdGuards *guards);
void crd_guards_reset(const CrdGuards *guards);
void crd_guards_hold(const CrdGuards *guards, bool last);
int crd_guards_memory_size(const CrdGuards *guards, const CrdStructure *structure);
void crd_guards_get(const CrdGuards *guards, const CrdStructure *structure, double *numbers);
void crd_guards_set(const CrdGuards *guards, const CrdStructure *structure, const double *numbers);
void crd_guards_copy(const CrdGuards *to, const CrdGuards *from); /* of those that both have */

#endif
