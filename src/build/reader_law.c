/* Values and laws of forces. A value that depends only on parameters is a number; one that uses the time, an input or a
 * measure is a law, kept as text and compiled with the model. */
#include "build/reader_law.h"

#include "build/law_check.h"
#include "core/memory.h"

static CardanStatus fail_at_node(CrdReader *r, const CrdNode *node, const char *key, CardanStatus status,
                                 const char *sentence) {
    if (status == CARDAN_ERR_MEMORY) return crd_fail_memory(r->error);
    crd_reader_fail(r, node->place, "%s: %s", key, sentence);
    return r->error->status = status;
}

static CardanStatus keep(CrdReader *r, const CrdNode *node, int k, CrdForceDesc *force) {
    force->law[k] = crd_copy_string(node->text);
    force->law_place[k] = node->place;
    return force->law[k] != NULL ? CARDAN_OK : crd_fail_memory(r->error);
}

/* Component k of the value: a number, or a law. */
static CardanStatus read_component(CrdReader *r, const CrdNode *node, int k, CrdForceDesc *force) {
    CrdTarget target = {CRD_OWNER_FORCE, r->d->force_count, offsetof(CrdForceDesc, value) + (size_t)k * sizeof(double)};
    bool law = false;
    if (node->kind == CRD_NODE_SCALAR && node->length > 0) {
        CrdError inner;
        crd_error_clear(&inner);
        CardanStatus status = crd_law_uses_state(r->d, node->text, CRD_LAW_OF_STATE, &law, &inner);
        if (status < 0) return fail_at_node(r, node, "value", status, inner.text);
    }
    return law ? keep(r, node, k, force) : crd_reader_number(r, node, "value", &target, &force->value[k]);
}

CardanStatus crd_read_value(CrdReader *r, const CrdNode *node, CrdForceDesc *force) {
    bool planar = r->d->space == CARDAN_PLANAR, torque = force->type == CARDAN_TORQUE;
    int count = planar ? 2 : 3, first = 0;
    if (torque && (planar || force->joint > 0)) count = 1;
    if (torque && planar && force->joint == 0) first = 2;
    if (count == 1) {
        if (node->kind == CRD_NODE_SEQUENCE)
            return crd_reader_fail(r, node->place, "value must be one number, found a list");
        return read_component(r, node, first, force);
    }
    if (node->kind != CRD_NODE_SEQUENCE)
        return crd_reader_fail(r, node->place, "value must be a list of %d numbers, found %s", count,
                               crd_node_word(node));
    if (node->count != count)
        return crd_reader_fail(r, node->place, "value must have %d numbers, has %d", count, node->count);
    const CrdNode *item = crd_reader_item(r, node->first);
    for (int k = 0; k < count; k++, item = crd_reader_item(r, item->next)) CRD_TRY(read_component(r, item, k, force));
    return CARDAN_OK;
}

CardanStatus crd_read_law(CrdReader *r, const CrdNode *node, CrdForceDesc *force) {
    const char *key = crd_law_key(force->type);
    if (node->kind != CRD_NODE_SCALAR || node->length == 0)
        return crd_reader_fail(r, node->place, "%s must be an expression, found %s", key, crd_node_word(node));
    CrdError inner;
    bool uses;
    crd_error_clear(&inner);
    CardanStatus status = crd_law_uses_state(r->d, node->text, crd_law_scope(force->type), &uses, &inner);
    return status < 0 ? fail_at_node(r, node, key, status, inner.text) : keep(r, node, 0, force);
}

CardanStatus crd_read_law_names(CrdReader *r) {
    for (int i = 0; i < r->d->force_count; i++) {
        const CrdForceDesc *force = &r->d->forces[i];
        for (int k = 0; k < 3; k++) {
            if (force->law[k] == NULL) continue;
            CrdError inner;
            crd_error_clear(&inner);
            CardanStatus status = crd_law_check(r->d, force->law[k], crd_law_scope(force->type), &inner);
            if (status >= 0) continue;
            if (status == CARDAN_ERR_MEMORY) return crd_fail_memory(r->error);
            return crd_fail_at(r->error, status, force->law_place[k], "force '%s': %s: %s", force->name,
                               crd_law_key(force->type), inner.text);
        }
    }
    return CARDAN_OK;
}
