/* The small change of the reader: keys, words, numbers, names. */
#include "read/reader.h"

#include "core/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- complaints ---- */

CardanStatus crd_reader_fail(CrdReader *reader, CrdPlace place, const char *format, ...) {
    char sentence[CRD_MESSAGE_SIZE - sizeof reader->context];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    bool bare = reader->context[0] == '\0';
    return crd_fail_at(reader->error, CARDAN_ERR_MODEL, place, "%s%s%s", reader->context, bare ? "" : ": ", sentence);
}

CardanStatus crd_reader_refuse(CrdReader *reader, const CrdNode *node, const char *what, CardanStatus status,
                               const CrdError *inner) {
    if (status == CARDAN_ERR_MEMORY) return crd_fail_memory(reader->error);
    crd_reader_fail(reader, node->place, "%s: %s", what, inner->text);
    return reader->error->status = status;
}

void crd_reader_context(CrdReader *reader, const char *kind, const CrdNode *name) {
    if (name == NULL) {
        snprintf(reader->context, sizeof reader->context, "%s", kind);
    } else {
        snprintf(reader->context, sizeof reader->context, "%s '%s'", kind, crd_shown(name->text, name->length).text);
    }
}

/* The node that "local.a" or "points[0]" names, as far as it was written. */
static const CrdNode *node_at(const CrdNode *node, const char *path) {
    char word[32];
    size_t n = strcspn(path, ".[");
    if (n == 0 || n >= sizeof word) return node;
    memcpy(word, path, n);
    word[n] = '\0';
    const CrdNode *found = crd_node_get(node, word);
    if (found == NULL || path[n] == '\0') return found;
    if (path[n] == '.') {
        const CrdNode *inner = node_at(found, path + n + 1);
        return inner != NULL ? inner : found;
    }
    int k = path[n + 1] - '0';
    if (found->kind != CRD_NODE_SEQUENCE || k < 0 || k >= found->count) return found;
    const CrdNode *item = found->first;
    while (k-- > 0) item = item->next;
    return item;
}

void crd_reader_point_to(CrdReader *reader, const CrdNode *key, const CrdBlame *blame) {
    if (reader->error->place.line > 0 || reader->error->status == CARDAN_ERR_MEMORY) return;
    const CrdNode *object = key->value;
    const CrdNode *node = blame->key[0] != '\0' ? node_at(object, blame->key) : NULL;
    if (blame->at_key) node = crd_node_key(object, blame->key);
    reader->error->place = node != NULL ? node->place : key->place;
}

const char *crd_node_word(const CrdNode *node) {
    if (node->kind == CRD_NODE_SEQUENCE) return "a list";
    if (node->kind == CRD_NODE_MAPPING) return "a mapping";
    return node->length == 0 ? "nothing" : "one value";
}

/* ---- structure ---- */

CardanStatus crd_reader_mapping(CrdReader *reader, const CrdNode *node, const char *what) {
    if (node->kind == CRD_NODE_MAPPING) return CARDAN_OK;
    return crd_reader_fail(reader, node->place, "%s must be a mapping {key: value, ...}, found %s", what,
                           crd_node_word(node));
}

CardanStatus crd_reader_section(CrdReader *reader, const CrdNode *section, const char *what,
                                CardanStatus (*read_one)(CrdReader *reader, const CrdNode *key)) {
    if (section == NULL) return CARDAN_OK;
    crd_reader_context(reader, what, NULL);
    CRD_TRY(crd_reader_mapping(reader, section, "this section"));
    for (const CrdNode *key = section->first; key != NULL; key = key->next) CRD_TRY(read_one(reader, key));
    return CARDAN_OK;
}

CardanStatus crd_reader_keys(CrdReader *reader, const CrdNode *mapping, const char *const *keys, int count) {
    for (const CrdNode *key = mapping->first; key != NULL; key = key->next) {
        int i = 0;
        while (i < count && strcmp(keys[i], key->text) != 0) i++;
        if (i < count) continue;
        char list[320];
        const char *near = crd_nearest_name(key->text, key->length, keys, count);
        crd_word_list(keys, count, list, sizeof list);
        return crd_reader_fail(reader, key->place, "unknown key '%s'%s; there are: %s",
                               crd_shown(key->text, key->length).text, crd_did_you_mean(near).text, list);
    }
    return CARDAN_OK;
}

CardanStatus crd_reader_need(CrdReader *reader, const CrdNode *key_of_object, const char *key, const CrdNode **value) {
    *value = crd_node_get(key_of_object->value, key);
    if (*value != NULL) return CARDAN_OK;
    return crd_reader_fail(reader, key_of_object->place, "the key '%s' is missing", key);
}

/* ---- words ---- */

CardanStatus crd_reader_word(CrdReader *reader, const CrdNode *node, const char *what, const char **text) {
    *text = node->text;
    if (node->kind == CRD_NODE_SCALAR && node->length > 0) return CARDAN_OK;
    return crd_reader_fail(reader, node->place, "%s must be a word, found %s", what, crd_node_word(node));
}

CardanStatus crd_reader_unknown(CrdReader *reader, const CrdNode *node, const char *what, const char *const *words,
                                int count) {
    char list[320];
    const char *near = crd_nearest_name(node->text, node->length, words, count);
    CrdShown shown = crd_shown(node->text, node->length);
    if (near != NULL)
        return crd_reader_fail(reader, node->place, "unknown %s '%s'; did you mean '%s'?", what, shown.text, near);
    return crd_reader_fail(reader, node->place, "unknown %s '%s'; there are: %s", what, shown.text,
                           crd_word_list(words, count, list, sizeof list));
}

CardanStatus crd_reader_choice(CrdReader *reader, const CrdNode *node, const char *what, const char *const *words,
                               int count, int *choice) {
    const char *text;
    CRD_TRY(crd_reader_word(reader, node, what, &text));
    for (*choice = 0; *choice < count; ++*choice) {
        if (strcmp(words[*choice], text) == 0) return CARDAN_OK;
    }
    return crd_reader_unknown(reader, node, what, words, count);
}

/* ---- numbers ---- */

CardanStatus crd_reader_number(CrdReader *reader, const CrdNode *node, const char *what, const CrdTarget *target,
                               double *value) {
    if (node->kind != CRD_NODE_SCALAR || node->length == 0)
        return crd_reader_fail(reader, node->place, "%s must be a number, found %s", what, crd_node_word(node));
    CrdError inner = {0};
    CrdExpr *expression = NULL;
    CardanStatus status = crd_number_of(reader->d, node->text, reader->d->parameter_count, value,
                                        target != NULL ? &expression : NULL, &inner);
    if (status < 0) return crd_reader_refuse(reader, node, what, status, &inner);
    return expression != NULL ? crd_bind(reader->d, *target, expression, node->place, reader->error) : CARDAN_OK;
}

CardanStatus crd_reader_numbers(CrdReader *reader, const CrdNode *node, const char *what, int count,
                                const CrdTarget *first, double *values) {
    assert(count >= 1);
    if (count == 1) return crd_reader_number(reader, node, what, first, values);
    if (node->kind != CRD_NODE_SEQUENCE)
        return crd_reader_fail(reader, node->place, "%s must be a list of %d numbers, found %s", what, count,
                               crd_node_word(node));
    if (node->count != count)
        return crd_reader_fail(reader, node->place, "%s must have %d numbers, has %d", what, count, node->count);
    CrdTarget target = first != NULL ? *first : (CrdTarget){CRD_OWNER_MODEL, 0, 0};
    for (const CrdNode *item = node->first; item != NULL; item = item->next) {
        CRD_TRY(crd_reader_number(reader, item, what, first != NULL ? &target : NULL, values++));
        target.offset += sizeof(double);
    }
    return CARDAN_OK;
}

CardanStatus crd_reader_field(CrdReader *reader, const CrdNode *node, const CrdField *field, CrdOwner owner, int index,
                              void *object) {
    CrdTarget target = {owner, index, crd_field_base(owner) + field->own};
    double *values = (double *)(void *)((unsigned char *)object + target.offset);
    assert(crd_field_has_numbers(field));
    return crd_reader_numbers(reader, node, field->key, field->count[reader->d->space], &target, values);
}

/* ---- names of objects ---- */

static CardanStatus no_such(CrdReader *reader, const CrdNode *node, CrdNameKind kind, const char *word) {
    const char *near = crd_nearest_of(reader->d, 1u << kind, node->text, node->length);
    return crd_reader_fail(reader, node->place, "there is no %s '%s'%s", word, crd_shown(node->text, node->length).text,
                           crd_did_you_mean(near).text);
}

CardanStatus crd_reader_body(CrdReader *reader, const CrdNode *node, int *frame) {
    const char *name;
    *frame = 0;
    CRD_TRY(crd_reader_word(reader, node, "the name of a body", &name));
    if (strcmp(name, "ground") == 0) return CARDAN_OK;
    CrdNamed named = crd_names_find(&reader->d->names, name, node->length);
    if (named.kind != CRD_NAME_BODY) return no_such(reader, node, CRD_NAME_BODY, "body");
    *frame = named.index + 1; /* a file has no blocks, so frames are the ground and the bodies in order */
    return CARDAN_OK;
}

CardanStatus crd_reader_joint(CrdReader *reader, const CrdNode *node, int *joint) {
    const char *name;
    *joint = 0;
    CRD_TRY(crd_reader_word(reader, node, "the name of a joint", &name));
    CrdNamed named = crd_names_find(&reader->d->names, name, node->length);
    if (named.kind != CRD_NAME_JOINT) return no_such(reader, node, CRD_NAME_JOINT, "joint");
    *joint = named.index + 1;
    return CARDAN_OK;
}
