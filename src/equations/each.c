#include "equations/each.h"

#include <assert.h>
#include <stdatomic.h>

enum { PART = 64 }; /* elements that a thread takes at a time: some 10 us */

typedef struct Task {
    const CrdStructure *structure;
    CrdSystem *system;
    CrdOfElement of;
    const void *user;
    atomic_bool left; /* some are no plain ones */
} Task;

/* Joints without laws: they neither fail nor call anybody, and a walk of their rows to the root has two ways. */
static bool is_plain(const CrdElement *element) {
    return element->type == CRD_ELEMENT_JOINT && element->laws == 0;
}

/* Each range has scratch of its own. */
static void do_plain(void *user, CrdRange items) {
    enum { SIDES = 2, TWIST = 6 };
    Task *task = user;
    CardanTwistRow rows[SIDES * CRD_JOINT_ROWS];
    double ways[SIDES * CRD_JOINT_ROWS * TWIST];
    CrdSystem own = *task->system;
    own.twist_rows = rows;
    own.tree.ways = ways;
    for (int i = items.first; i < items.end; i++) {
        int e = crd_each_at(task->structure, i);
        const CrdElement *element = &task->structure->elements[e];
        if (element->rows == 0) continue;
        CardanStatus status = CARDAN_OK;
        if (is_plain(element))
            status = task->of(task->user, e, &own, NULL);
        else
            atomic_store_explicit(&task->left, true, memory_order_relaxed);
        assert(status >= 0);
        (void)status;
    }
}

CardanStatus crd_share_elements(const CrdStructure *structure, CrdSystem *system, CrdOfElement of, const void *user,
                                CrdError *error) {
    Task task = {structure, system, of, user, false};
    int count = crd_each_count(structure);
    crd_pool_each(system->pool, do_plain, &task, count, PART);
    for (int i = 0; task.left && i < count; i++) {
        int e = crd_each_at(structure, i);
        const CrdElement *element = &structure->elements[e];
        if (element->rows > 0 && !is_plain(element)) CRD_TRY(of(user, e, system, error));
    }
    return CARDAN_OK;
}
