/* All elements with rows, one after the other or by the threads of the system. Bits are the same: an element's rows
 * are its own. */
#ifndef CRD_EQUATIONS_EACH_H
#define CRD_EQUATIONS_EACH_H

#include "equations/system.h"
#include "model/tree.h"

/* What is done with one of them; scratch is that of the `system` given. */
typedef CardanStatus (*CrdOfElement)(const void *user, int element, CrdSystem *system, CrdError *error);

/* Those that there are in all; in a tree those with loop rows. */
static inline int crd_each_count(const CrdStructure *structure) {
    return structure->tree != NULL ? structure->tree->loop_elements : structure->element_count;
}

static inline int crd_each_at(const CrdStructure *structure, int i) {
    return structure->tree != NULL ? structure->tree->loops[i] : i;
}

/* By the threads of the system. Elements that can fail or call the user's functions are the caller's own, one after the
 * other; the first failure is handed out. */
CardanStatus crd_share_elements(const CrdStructure *structure, CrdSystem *system, CrdOfElement of, const void *user,
                                CrdError *error);

/* Inlined, so that without threads `of` is. */
static inline CardanStatus crd_each_element(const CrdStructure *structure, CrdSystem *system, CrdOfElement of,
                                            const void *user, CrdError *error) {
    if (system->pool != NULL) return crd_share_elements(structure, system, of, user, error);
    for (int i = 0, count = crd_each_count(structure); i < count; i++) {
        int element = crd_each_at(structure, i);
        if (structure->elements[element].rows > 0) CRD_TRY(of(user, element, system, error));
    }
    return CARDAN_OK;
}

#endif
