#include "tangent/kept.h"

#include "core/memory.h"

#include <assert.h>
#include <string.h>

/* Bytes that are worth the evaluations they save: a third of what a run costs. */
static const size_t WORTH = (size_t)1 << 28;

static bool grow(CrdKept *kept) {
    size_t room = kept->room > 0 ? 2 * (size_t)kept->room : 64, bytes = kept->size * sizeof(double);
    double *slope = room * bytes <= WORTH ? crd_new(room * kept->size, sizeof *slope) : NULL;
    if (slope == NULL) return false;
    if (kept->steps > 0) memcpy(slope, kept->slope, (size_t)kept->steps * bytes);
    crd_delete(kept->slope);
    kept->slope = slope;
    kept->room = (long)room;
    return true;
}

void crd_kept_add(CrdKept *kept, const double *slope) {
    assert(kept->size > 0 && kept->steps <= kept->room);
    kept->full |= slope == NULL;
    if (!kept->full && kept->steps == kept->room) kept->full = !grow(kept);
    if (kept->full) return;
    memcpy(kept->slope + (size_t)kept->steps * kept->size, slope, kept->size * sizeof *slope);
    kept->steps++;
}

const double *crd_kept_of(const CrdKept *kept, long i) {
    assert(i >= 0);
    return i < kept->steps ? kept->slope + (size_t)i * kept->size : NULL;
}
