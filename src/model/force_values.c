/* Numbers of one force: those written, completed by its record from the pose as written. */
#include "build/fields.h"
#include "model/model.h"

#include <string.h>

CrdForceData crd_resolve_force(const CrdDescription *description, const CrdForceDesc *force,
                               const CardanFrame *frames) {
    const CrdForceKind *kind = crd_force_kinds[force->type];
    CrdWritten written = crd_written(description, CRD_OWNER_FORCE, force);
    CrdForceData out = {.type = (CardanForceType)force->type,
                        .scope = crd_law_scope(force),
                        .points = force->items,
                        .point = force->items > 0 ? description->points + force->item : NULL};
    memcpy(&out.numbers, &force->numbers, sizeof force->numbers);
    out.joint = crd_force_joint(force, &out.coordinate);
    for (int i = 0; i < written.table.count; i++) {
        const CrdField *field = &written.table.fields[i];
        if (field->holds != CRD_HOLDS_VALUE || !crd_field_there(field, description->space, force->form)) continue;
        memcpy(out.value + field->component, crd_field_numbers(field, &force->numbers),
               (size_t)field->count[description->space] * sizeof(double));
    }
    if (kind->prepare != NULL) kind->prepare(&written, frames, &out);
    return out;
}
