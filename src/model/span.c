/* Where the joints of a mechanism are, whatever its masses: the lengths that kinematic questions are asked in. */
#include "model/model.h"

#include "core/memory.h"

#include <assert.h>
#include <math.h>

/* Places of joints on a frame: their sum, then their middle. */
typedef struct Places {
    CrdVec middle;
    int count;
} Places;

/* The next place after number *k, counted over both sides of all joints; false: there is none. */
static bool next_place(const CrdStructure *structure, const CrdValues *values, int *k, int *frame, CrdVec *place) {
    while (++*k < 2 * structure->element_count) {
        const CrdElement *element = &structure->elements[*k / 2];
        int side = *k % 2;
        if (element->type != CRD_ELEMENT_JOINT || side >= element->attachments) continue;
        *frame = structure->attachments[element->attachment + side].frame;
        *place = side == 0 ? values->joints[*k / 2].la : values->joints[*k / 2].lb;
        return true;
    }
    return false;
}

CardanStatus crd_resolve_span(const CrdStructure *structure, CrdValues *values, CrdError *error) {
    Places *places = crd_new((size_t)structure->frame_count, sizeof *places);
    CrdVec place;
    int frame;
    if (places == NULL) return crd_fail_memory(error);
    for (int k = -1; next_place(structure, values, &k, &frame, &place);) {
        places[frame].middle = crd_add(places[frame].middle, place);
        places[frame].count++;
    }
    for (int i = 0; i < structure->frame_count; i++) {
        if (places[i].count > 0) places[i].middle = crd_scale(1.0 / places[i].count, places[i].middle);
        if (structure->frames[i].kind == CRD_FRAME_BODY)
            values->blocks[structure->frames[i].block].middle = places[i].middle;
    }
    values->span = 0.0;
    for (int k = -1; next_place(structure, values, &k, &frame, &place);)
        values->span = fmax(values->span, crd_norm(crd_sub(place, places[frame].middle)));
    if (!(values->span > 0.0)) values->span = values->size;
    assert(values->span > 0.0 && isfinite(values->span));
    crd_delete(places);
    return CARDAN_OK;
}
