/* libyaml's events into the tree. The nodes lie in one array, the text in one buffer, so that a tree of any shape is
 * two allocations and freeing it cannot recurse. Both move while they grow: until the end nodes are known by number. */
#include "read/yaml_tree.h"

#include "core/memory.h"
#include "core/names.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* An open mapping or sequence while reading. */
typedef struct Level {
    int node;
    int last;       /* its latest item or key; -1: none yet */
    bool key_waits; /* a mapping whose latest key has no value yet */
} Level;

/* What pointers of a node will point to: nodes by number, -1: none; where its text starts. */
typedef struct Link {
    int first, next, value;
    size_t start;
} Link;

typedef struct Reading {
    CrdYaml *tree;
    CrdError *error;
    Link *links; /* as the nodes of the tree */
    int link_capacity;
    int root;
    Level levels[CRD_YAML_MAX_DEPTH];
    int depth;
} Reading;

static CrdPlace place_of(yaml_mark_t mark) {
    const size_t max = INT_MAX - 1;
    return (CrdPlace){(int)(mark.line < max ? mark.line : max) + 1, (int)(mark.column < max ? mark.column : max) + 1};
}

/* ---- what libyaml complains about ---- */

/* The reader of bytes knows only an offset. Columns count characters, as libyaml does. */
static CrdPlace place_of_offset(const char *text, size_t length, size_t offset) {
    CrdPlace place = {1, 1};
    for (size_t i = 0; i < offset && i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        bool inside_break = c == '\r' && i + 1 < length && text[i + 1] == '\n';
        if ((c == '\n' || c == '\r') && !inside_break) {
            place.line++;
            place.column = 1;
        } else if ((c & 0xC0u) != 0x80u && !inside_break) {
            place.column++;
        }
    }
    return place;
}

/* At the end of a text without a last line break libyaml counts one line more than there is. */
static CrdPlace place_within(yaml_mark_t mark, CrdPlace end) {
    CrdPlace place = place_of(mark);
    return place.line > end.line ? end : place;
}

static CardanStatus complain(const yaml_parser_t *parser, const char *text, size_t length, CrdError *error) {
    const char *problem = parser->problem != NULL ? parser->problem : "cannot be read";
    if (parser->error == YAML_MEMORY_ERROR) return crd_fail_memory(error);
    if (parser->error == YAML_READER_ERROR) {
        CrdPlace place = place_of_offset(text, length, parser->problem_offset);
        if (parser->problem_value < 0) return crd_fail_at(error, CARDAN_ERR_MODEL, place, "not a text: %s", problem);
        return crd_fail_at(error, CARDAN_ERR_MODEL, place, "not a text: %s (0x%02X)", problem,
                           (unsigned)parser->problem_value);
    }
    CrdPlace end = place_of_offset(text, length, length), place = place_within(parser->problem_mark, end);
    if (parser->context == NULL) return crd_fail_at(error, CARDAN_ERR_MODEL, place, "not YAML: %s", problem);
    CrdPlace begin = place_within(parser->context_mark, end);
    return crd_fail_at(error, CARDAN_ERR_MODEL, place, "not YAML: %s (%s that begins at line %d, column %d)", problem,
                       parser->context, begin.line, begin.column);
}

/* ---- nodes ---- */

static CardanStatus new_node(Reading *reading, CrdNodeKind kind, CrdPlace place, int *number) {
    CrdYaml *tree = reading->tree;
    if (tree->count >= CRD_YAML_MAX_NODES)
        return crd_fail_at(reading->error, CARDAN_ERR_LIMIT, place, "more than %d values in one file",
                           CRD_YAML_MAX_NODES);
    if (!crd_grow(&tree->nodes, &tree->capacity, tree->count + 1, sizeof *tree->nodes) ||
        !crd_grow(&reading->links, &reading->link_capacity, tree->count + 1, sizeof *reading->links))
        return crd_fail_memory(reading->error);
    *number = tree->count++;
    tree->nodes[*number] = (CrdNode){.kind = kind, .place = place, .text = ""};
    reading->links[*number] = (Link){-1, -1, -1, 0};
    return CARDAN_OK;
}

/* Hangs a node where the reading stands: as the root, an item, a key, or the value of the waiting key. */
static CardanStatus attach(Reading *reading, int number) {
    CrdNode *nodes = reading->tree->nodes;
    Link *links = reading->links;
    if (reading->depth == 0) {
        reading->root = number;
        return CARDAN_OK;
    }
    Level *level = &reading->levels[reading->depth - 1];
    CrdNode *parent = &nodes[level->node];
    if (level->key_waits) {
        links[level->last].value = number;
        level->key_waits = false;
        return CARDAN_OK;
    }
    if (parent->kind == CRD_NODE_MAPPING) {
        if (nodes[number].kind != CRD_NODE_SCALAR)
            return crd_fail_at(reading->error, CARDAN_ERR_MODEL, nodes[number].place, "a key must be a word");
        level->key_waits = true;
    }
    if (level->last < 0) links[level->node].first = number;
    if (level->last >= 0) links[level->last].next = number;
    level->last = number;
    parent->count++;
    return CARDAN_OK;
}

static CardanStatus add_scalar(Reading *reading, const yaml_event_t *event) {
    CrdYaml *tree = reading->tree;
    CrdPlace place = place_of(event->start_mark);
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    int number = 0;
    if (memchr(text, '\0', length) != NULL)
        return crd_fail_at(reading->error, CARDAN_ERR_MODEL, place, "a NUL character inside a text");
    CRD_TRY(new_node(reading, CRD_NODE_SCALAR, place, &number));
    if (length >= (size_t)(INT_MAX / 4 - tree->used)) return crd_fail_memory(reading->error);
    if (!crd_grow(&tree->text, &tree->text_capacity, tree->used + (int)length + 1, 1))
        return crd_fail_memory(reading->error);
    memcpy(tree->text + tree->used, text, length);
    tree->text[tree->used + (int)length] = '\0';
    CrdNode *node = &tree->nodes[number];
    reading->links[number].start = (size_t)tree->used;
    node->length = length;
    node->begin = event->start_mark.index;
    node->end = event->end_mark.index;
    node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    tree->used += (int)length + 1;
    return attach(reading, number);
}

static CardanStatus open_level(Reading *reading, CrdNodeKind kind, const yaml_event_t *event) {
    CrdPlace place = place_of(event->start_mark);
    int number = 0;
    if (reading->depth == CRD_YAML_MAX_DEPTH)
        return crd_fail_at(reading->error, CARDAN_ERR_LIMIT, place, "nested deeper than %d levels", CRD_YAML_MAX_DEPTH);
    CRD_TRY(new_node(reading, kind, place, &number));
    reading->tree->nodes[number].flow =
        kind == CRD_NODE_MAPPING && event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
    CRD_TRY(attach(reading, number));
    reading->levels[reading->depth++] = (Level){.node = number, .last = -1};
    return CARDAN_OK;
}

/* ---- duplicate keys ---- */

typedef struct Key {
    const char *text;
    int number; /* of the node: rises with the place */
} Key;

static int compare_keys(const void *a, const void *b) {
    const Key *key = a, *y = b;
    int order = strcmp(key->text, y->text);
    return order != 0 ? order : (key->number > y->number) - (key->number < y->number);
}

static CardanStatus refuse_duplicates(Reading *reading, int mapping) {
    const CrdYaml *tree = reading->tree;
    assert(tree->nodes != NULL && reading->links != NULL); /* the mapping is one of them */
    Key *keys = crd_new((size_t)tree->nodes[mapping].count, sizeof *keys);
    if (keys == NULL) return crd_fail_memory(reading->error);
    int n = 0, duplicate = -1;
    for (int k = reading->links[mapping].first; k >= 0; k = reading->links[k].next)
        keys[n++] = (Key){tree->text + reading->links[k].start, k};
    qsort(keys, (size_t)n, sizeof *keys, compare_keys);
    for (int i = 1; i < n; i++) {
        bool same = strcmp(keys[i].text, keys[i - 1].text) == 0;
        if (same && (duplicate < 0 || keys[i].number < keys[duplicate].number)) duplicate = i;
    }
    CardanStatus status = CARDAN_OK;
    if (duplicate > 0) {
        const Key *second = &keys[duplicate];
        status = crd_fail_at(reading->error, CARDAN_ERR_MODEL, tree->nodes[second->number].place,
                             "the key '%s' stands here a second time; the first is in line %d",
                             crd_shown_text(second->text).text, tree->nodes[keys[duplicate - 1].number].place.line);
    }
    crd_delete(keys);
    return status;
}

static CardanStatus close_level(Reading *reading) {
    int number = reading->levels[--reading->depth].node;
    const CrdNode *node = &reading->tree->nodes[number];
    return node->kind == CRD_NODE_MAPPING && node->count > 1 ? refuse_duplicates(reading, number) : CARDAN_OK;
}

/* ---- events ---- */

static CardanStatus refuse_extras(Reading *reading, const yaml_event_t *event) {
    const yaml_char_t *anchor = NULL, *tag = NULL;
    if (event->type == YAML_SCALAR_EVENT) {
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
    } else if (event->type == YAML_MAPPING_START_EVENT) {
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
    }
    if (anchor == NULL && tag == NULL) return CARDAN_OK;
    return crd_fail_at(reading->error, CARDAN_ERR_MODEL, place_of(event->start_mark),
                       "YAML %s are refused in model files", anchor != NULL ? "anchors" : "tags");
}

/* ends: the first document is over. */
static CardanStatus take(Reading *reading, const yaml_event_t *event, bool *ends) {
    CrdPlace place = place_of(event->start_mark);
    CRD_TRY(refuse_extras(reading, event));
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return add_scalar(reading, event);
    case YAML_SEQUENCE_START_EVENT:
        return open_level(reading, CRD_NODE_SEQUENCE, event);
    case YAML_MAPPING_START_EVENT:
        return open_level(reading, CRD_NODE_MAPPING, event);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return close_level(reading);
    case YAML_ALIAS_EVENT:
        return crd_fail_at(reading->error, CARDAN_ERR_MODEL, place, "YAML aliases are refused in model files");
    case YAML_DOCUMENT_START_EVENT:
        if (reading->root < 0) return CARDAN_OK;
        return crd_fail_at(reading->error, CARDAN_ERR_MODEL, place,
                           "a second document begins here; a model file has one");
    case YAML_STREAM_END_EVENT:
        *ends = true;
        return CARDAN_OK;
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_DOCUMENT_END_EVENT:
        break;
    }
    return CARDAN_OK;
}

static CardanStatus read_events(yaml_parser_t *parser, const char *text, size_t length, Reading *reading) {
    bool ends = false;
    while (!ends) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event)) return complain(parser, text, length, reading->error);
        CardanStatus status = take(reading, &event, &ends);
        yaml_event_delete(&event);
        CRD_TRY(status);
    }
    return CARDAN_OK;
}

static const CrdNode *node_numbered(const CrdYaml *tree, int number) {
    return number >= 0 ? &tree->nodes[number] : NULL;
}

static void link_nodes(CrdYaml *tree, const Reading *reading) {
    for (int i = 0; i < tree->count; i++) {
        CrdNode *node = &tree->nodes[i];
        const Link *link = &reading->links[i];
        if (node->kind == CRD_NODE_SCALAR && tree->text != NULL) node->text = tree->text + link->start;
        node->first = node_numbered(tree, link->first);
        node->next = node_numbered(tree, link->next);
        node->value = node_numbered(tree, link->value);
    }
    tree->root = node_numbered(tree, reading->root);
}

CardanStatus crd_yaml_read(CrdYaml *tree, const char *text, size_t length, CrdError *error) {
    *tree = (CrdYaml){.root = NULL};
    if (length > CRD_YAML_MAX_BYTES)
        return crd_fail(error, CARDAN_ERR_LIMIT, "the file is larger than %d MiB", CRD_YAML_MAX_BYTES >> 20);
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) return crd_fail_memory(error);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    Reading reading = {.tree = tree, .error = error, .root = -1};
    CardanStatus status = read_events(&parser, text, length, &reading);
    yaml_parser_delete(&parser);
    link_nodes(tree, &reading);
    crd_delete(reading.links);
    return status;
}

void crd_yaml_free(CrdYaml *tree) {
    crd_delete(tree->nodes);
    crd_delete(tree->text);
    *tree = (CrdYaml){.root = NULL};
}

const CrdNode *crd_node_key(const CrdNode *mapping, const char *key) {
    if (mapping == NULL || mapping->kind != CRD_NODE_MAPPING) return NULL;
    const CrdNode *node = mapping->first;
    while (node != NULL && strcmp(node->text, key) != 0) node = node->next;
    return node;
}

const CrdNode *crd_node_get(const CrdNode *mapping, const char *key) {
    const CrdNode *node = crd_node_key(mapping, key);
    return node != NULL ? node->value : NULL;
}
