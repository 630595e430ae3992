/* A YAML document as a tree of plain nodes, each with its place in the file. Only what model files need: one document,
 * no anchors, aliases or tags, no duplicate keys, keys that are words. */
#ifndef CRD_READ_YAML_TREE_H
#define CRD_READ_YAML_TREE_H

#include "core/status.h"

/* Documented limits of model files: far beyond any mechanism, near enough to stop a malicious file. */
enum {
    CRD_YAML_MAX_BYTES = 64 * 1024 * 1024,
    CRD_YAML_MAX_DEPTH = 64, /* mappings and sequences inside each other */
    CRD_YAML_MAX_NODES = 1 << 22
};

typedef enum CrdNodeKind { CRD_NODE_SCALAR = 0, CRD_NODE_SEQUENCE, CRD_NODE_MAPPING } CrdNodeKind;

typedef struct CrdNode {
    CrdNodeKind kind;
    CrdPlace place;
    const char *text; /* of a scalar; ends with a NUL and holds no other */
    size_t length;
    size_t begin, end;           /* of a scalar, quotes included: characters from the start of the text */
    bool plain;                  /* a scalar without quotes */
    bool flow;                   /* a mapping in braces */
    int count;                   /* items, or keys */
    const struct CrdNode *first; /* item, or key of a mapping */
    const struct CrdNode *next;  /* item or key */
    const struct CrdNode *value; /* of a key */
} CrdNode;

typedef struct CrdYaml {
    CrdNode *nodes;
    int count, capacity;
    char *text; /* all scalars, one after the other */
    int used, text_capacity;
    const CrdNode *root; /* NULL: the document is empty */
} CrdYaml;

/* Reads a whole document. On failure, too, the tree must be freed. */
CardanStatus crd_yaml_read(CrdYaml *tree, const char *text, size_t length, CrdError *error);
void crd_yaml_free(CrdYaml *tree);

/* The node of a key of a mapping, or its value; NULL: there is none. */
const CrdNode *crd_node_key(const CrdNode *mapping, const char *key);
const CrdNode *crd_node_get(const CrdNode *mapping, const char *key);

#endif
