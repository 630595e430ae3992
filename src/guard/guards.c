#include "guard/guards.h"

#include "guard/events/event.h"
#include "guard/gate/gate.h"
#include "guard/hold/hold.h"
#include "guard/singular/singular.h"
#include "guard/stiff/stiff.h"
#include "guard/turn.h"
#include "model/relative.h"

void crd_guards_install(CrdIntegrator *integrator, CrdArena *arena) {
    const CrdStructure *structure = integrator->dynamics.model->structure;
    /* before all others: they look at the end that it moves */
    if (crd_hold_is_wanted(integrator))
        crd_guards_add(&integrator->guards, &crd_hold_guard, crd_hold_layout(integrator, arena));
    /* first of them: after it the state may be another one, by an event */
    if (crd_stiff_is_watched(integrator))
        crd_guards_add(&integrator->guards, &crd_stiff_guard, crd_stiff_layout(integrator, arena));
    if (structure->watched_count > 0 && !crd_is_relative(structure)) /* relative steps end before a pose */
        crd_guards_add(&integrator->guards, &crd_singular_guard, crd_singular_layout(integrator, arena));
    if (structure->switch_count > 0)
        crd_guards_add(&integrator->guards, &crd_events_guard, crd_events_layout(integrator, arena));
    if (structure->turn_count > 0) crd_guards_add(&integrator->guards, &crd_turn_guard, integrator);
    /* last: it looks at what would be accepted */
    crd_guards_add(&integrator->guards, &crd_gate_guard, crd_gate_layout(integrator, arena));
}
