/* The small change of the reader: keys, words, numbers, names. */
#include "build/reader.h"

#include "core/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- complaints ---- */

CardanStatus crd_reader_fail(CrdReader *r, CrdPlace place, const char *format, ...) {
    char sentence[CRD_MESSAGE_SIZE - sizeof r->context];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    bool bare = r->context[0] == '\0';
    return crd_fail_at(r->error, CARDAN_ERR_MODEL, place, "%s%s%s", r->context, bare ? "" : ": ", sentence);
}

void crd_reader_context(CrdReader *r, const char *kind, const CrdNode *name) {
    if (name == NULL) {
        snprintf(r->context, sizeof r->context, "%s", kind);
    } else {
        snprintf(r->context, sizeof r->context, "%s '%s'", kind, crd_shown(name->text, name->length).text);
    }
}

/* The node that "local.a" or "points[0]" names, as far as it was written. */
static const CrdNode *node_at(const CrdReader *r, const CrdNode *node, const char *path) {
    char word[32];
    size_t n = strcspn(path, ".[");
    if (n == 0 || n >= sizeof word) return node;
    memcpy(word, path, n);
    word[n] = '\0';
    const CrdNode *found = crd_reader_get(r, node, word);
    if (found == NULL || path[n] == '\0') return found;
    if (path[n] == '.') {
        const CrdNode *inner = node_at(r, found, path + n + 1);
        return inner != NULL ? inner : found;
    }
    int k = path[n + 1] - '0';
    if (found->kind != CRD_NODE_SEQUENCE || k < 0 || k >= found->count) return found;
    const CrdNode *item = crd_reader_item(r, found->first);
    while (k-- > 0) item = crd_reader_item(r, item->next);
    return item;
}

void crd_reader_point_to(CrdReader *r, const CrdNode *key, const char *fault) {
    if (r->error->place.line > 0 || r->error->status == CARDAN_ERR_MEMORY) return;
    const CrdNode *node = fault[0] != '\0' ? node_at(r, crd_reader_value(r, key), fault) : NULL;
    r->error->place = node != NULL ? node->place : key->place;
}

const char *crd_node_word(const CrdNode *node) {
    if (node->kind == CRD_NODE_SEQUENCE) return "a list";
    if (node->kind == CRD_NODE_MAPPING) return "a mapping";
    return node->length == 0 ? "nothing" : "one value";
}

/* ---- structure ---- */

const CrdNode *crd_reader_item(const CrdReader *r, int number) {
    return crd_yaml_node(r->yaml, number);
}

const CrdNode *crd_reader_value(const CrdReader *r, const CrdNode *key) {
    return crd_yaml_node(r->yaml, key->value);
}

const CrdNode *crd_reader_get(const CrdReader *r, const CrdNode *mapping, const char *key) {
    const CrdNode *node = crd_yaml_key(r->yaml, mapping, key);
    return node != NULL ? crd_reader_value(r, node) : NULL;
}

CardanStatus crd_reader_mapping(CrdReader *r, const CrdNode *node, const char *what) {
    if (node->kind == CRD_NODE_MAPPING) return CARDAN_OK;
    return crd_reader_fail(r, node->place, "%s must be a mapping {key: value, ...}, found %s", what,
                           crd_node_word(node));
}

CardanStatus crd_reader_keys(CrdReader *r, const CrdNode *mapping, const char *const *keys, int count) {
    for (const CrdNode *key = crd_reader_item(r, mapping->first); key != NULL; key = crd_reader_item(r, key->next)) {
        int i = 0;
        while (i < count && strcmp(keys[i], key->text) != 0) i++;
        if (i < count) continue;
        char list[320];
        const char *near = crd_nearest_name(key->text, key->length, keys, count);
        crd_word_list(keys, count, list, sizeof list);
        return crd_reader_fail(r, key->place, "unknown key '%s'%s%s%s; there are: %s",
                               crd_shown(key->text, key->length).text, near != NULL ? "; did you mean '" : "",
                               near != NULL ? near : "", near != NULL ? "'?" : "", list);
    }
    return CARDAN_OK;
}

CardanStatus crd_reader_need(CrdReader *r, const CrdNode *key_of_object, const char *key, const CrdNode **value) {
    *value = crd_reader_get(r, crd_reader_value(r, key_of_object), key);
    if (*value != NULL) return CARDAN_OK;
    return crd_reader_fail(r, key_of_object->place, "the key '%s' is missing", key);
}

/* ---- words ---- */

CardanStatus crd_reader_word(CrdReader *r, const CrdNode *node, const char *what, const char **text) {
    *text = node->text;
    if (node->kind == CRD_NODE_SCALAR && node->length > 0) return CARDAN_OK;
    return crd_reader_fail(r, node->place, "%s must be a word, found %s", what, crd_node_word(node));
}

CardanStatus crd_reader_choice(CrdReader *r, const CrdNode *node, const char *what, const char *const *words, int count,
                               int *choice) {
    const char *text;
    char list[320];
    CRD_TRY(crd_reader_word(r, node, what, &text));
    for (*choice = 0; *choice < count; ++*choice) {
        if (strcmp(words[*choice], text) == 0) return CARDAN_OK;
    }
    const char *near = crd_nearest_name(text, node->length, words, count);
    CrdShown shown = crd_shown(text, node->length);
    if (near != NULL)
        return crd_reader_fail(r, node->place, "unknown %s '%s'; did you mean '%s'?", what, shown.text, near);
    return crd_reader_fail(r, node->place, "unknown %s '%s'; there are: %s", what, shown.text,
                           crd_word_list(words, count, list, sizeof list));
}

/* ---- numbers ---- */

CardanStatus crd_reader_number(CrdReader *r, const CrdNode *node, const char *what, const CrdTarget *target,
                               double *value) {
    if (node->kind != CRD_NODE_SCALAR || node->length == 0)
        return crd_reader_fail(r, node->place, "%s must be a number, found %s", what, crd_node_word(node));
    CrdError inner;
    CrdExpr *expression = NULL;
    crd_error_clear(&inner);
    CardanStatus status =
        crd_number_of(r->d, node->text, r->d->parameter_count, value, target != NULL ? &expression : NULL, &inner);
    if (status == CARDAN_ERR_MEMORY) return crd_fail_memory(r->error);
    if (status < 0) {
        crd_reader_fail(r, node->place, "%s: %s", what, inner.text);
        return r->error->status = status;
    }
    return expression != NULL ? crd_bind(r->d, *target, expression, node->place, r->error) : CARDAN_OK;
}

CardanStatus crd_reader_numbers(CrdReader *r, const CrdNode *node, const char *what, int count, const CrdTarget *first,
                                double *values) {
    if (count == 1) return crd_reader_number(r, node, what, first, values);
    if (node->kind != CRD_NODE_SEQUENCE)
        return crd_reader_fail(r, node->place, "%s must be a list of %d numbers, found %s", what, count,
                               crd_node_word(node));
    if (node->count != count)
        return crd_reader_fail(r, node->place, "%s must have %d numbers, has %d", what, count, node->count);
    CrdTarget target = first != NULL ? *first : (CrdTarget){CRD_OWNER_MODEL, 0, 0};
    for (const CrdNode *item = crd_reader_item(r, node->first); item != NULL; item = crd_reader_item(r, item->next)) {
        CRD_TRY(crd_reader_number(r, item, what, first != NULL ? &target : NULL, values++));
        target.offset += sizeof(double);
    }
    return CARDAN_OK;
}

CardanStatus crd_reader_field(CrdReader *r, const CrdNode *node, const CrdField *field, CrdOwner owner, int index,
                              void *object) {
    CardanSpace space = r->d->space;
    CrdTarget target = {owner, index, field->offset[space]};
    double *values = (double *)(void *)((unsigned char *)object + target.offset);
    return crd_reader_numbers(r, node, field->key, field->count[space], &target, values);
}

/* ---- names of objects ---- */

CardanStatus crd_reader_body(CrdReader *r, const CrdNode *node, int *carrier) {
    const char *name;
    *carrier = 0;
    CRD_TRY(crd_reader_word(r, node, "the name of a body", &name));
    if (strcmp(name, "ground") == 0) return CARDAN_OK;
    CrdNamed named = crd_names_find(&r->d->names, name, node->length);
    if (named.kind == CRD_NAME_BODY) {
        *carrier = named.index + 1; /* a file has no blocks, so carriers are the ground and the bodies in order */
        return CARDAN_OK;
    }
    const char *near = crd_nearest_of(r->d, 1u << CRD_NAME_BODY, name, node->length);
    return crd_reader_fail(r, node->place, "there is no body '%s'%s%s%s", crd_shown(name, node->length).text,
                           near != NULL ? "; did you mean '" : "", near != NULL ? near : "", near != NULL ? "'?" : "");
}

CardanStatus crd_reader_joint(CrdReader *r, const CrdNode *node, int *joint) {
    const char *name;
    *joint = 0;
    CRD_TRY(crd_reader_word(r, node, "the name of a joint", &name));
    CrdNamed named = crd_names_find(&r->d->names, name, node->length);
    if (named.kind == CRD_NAME_JOINT) {
        *joint = named.index + 1;
        return CARDAN_OK;
    }
    const char *near = crd_nearest_of(r->d, 1u << CRD_NAME_JOINT, name, node->length);
    return crd_reader_fail(r, node->place, "there is no joint '%s'%s%s%s", crd_shown(name, node->length).text,
                           near != NULL ? "; did you mean '" : "", near != NULL ? near : "", near != NULL ? "'?" : "");
}

CardanStatus crd_reader_two_bodies(CrdReader *r, const CrdNode *node, int *a, int *b) {
    if (node->kind != CRD_NODE_SEQUENCE || node->count != 2)
        return crd_reader_fail(r, node->place, "bodies must be a list of 2 names");
    const CrdNode *first = crd_reader_item(r, node->first);
    CRD_TRY(crd_reader_body(r, first, a));
    return crd_reader_body(r, crd_reader_item(r, first->next), b);
}
