/* Inside of the reader of model files: what its parts share. */
#ifndef CRD_READ_READER_H
#define CRD_READ_READER_H

#include "build/objects.h"
#include "build/parameters.h"
#include "read/yaml_tree.h"

#define CRD_LENGTH_OF(table) ((int)(sizeof(table) / sizeof(table)[0]))

typedef struct CrdReader {
    CrdDescription *d;
    CrdError *error;
    char context[96]; /* "body 'crank'": what is being read, the beginning of every complaint */
} CrdReader;

/* ---- complaints ---- */

/* "body 'crank': sentence" at a place. */
CardanStatus crd_reader_fail(CrdReader *reader, CrdPlace place, const char *format, ...) CRD_PRINTF(3, 4);

/* The same with what went wrong inside of a value. */
CardanStatus crd_reader_refuse(CrdReader *reader, const CrdNode *node, const char *what, CardanStatus status,
                               const CrdError *inner);

/* "kind 'name'", or kind alone when name is NULL. */
void crd_reader_context(CrdReader *reader, const char *kind, const CrdNode *name);

/* After a failed check: points to the value of the key at fault ("mass", "local.a", "points[0]"), or to the key itself,
 * or to the object's own key when it was not written. */
void crd_reader_point_to(CrdReader *reader, const CrdNode *key, const CrdBlame *blame);

/* What a node is, for "must be a number, found a list". */
const char *crd_node_word(const CrdNode *node);

/* ---- structure ---- */

/* A mapping of named objects, each read by read_one; NULL: it is not there. */
CardanStatus crd_reader_section(CrdReader *reader, const CrdNode *section, const char *what,
                                CardanStatus (*read_one)(CrdReader *reader, const CrdNode *key));

/* The node is a mapping, and all its keys are in the list. */
CardanStatus crd_reader_mapping(CrdReader *reader, const CrdNode *node, const char *what);
CardanStatus crd_reader_keys(CrdReader *reader, const CrdNode *mapping, const char *const *keys, int count);

/* The value of a key that must be there; key_of_object is where its absence is reported. */
CardanStatus crd_reader_need(CrdReader *reader, const CrdNode *key_of_object, const char *key, const CrdNode **value);

/* ---- values ---- */

CardanStatus crd_reader_word(CrdReader *reader, const CrdNode *node, const char *what, const char **text);

/* The word is none of these: the nearest of them, or all. */
CardanStatus crd_reader_unknown(CrdReader *reader, const CrdNode *node, const char *what, const char *const *words,
                                int count);

/* One of a few words; *choice is its number. */
CardanStatus crd_reader_choice(CrdReader *reader, const CrdNode *node, const char *what, const char *const *words,
                               int count, int *choice);

/* A number or an expression over parameters. When it uses one, the number is bound to it: target (NULL: never) says
 * which number of the description this is. */
CardanStatus crd_reader_number(CrdReader *reader, const CrdNode *node, const char *what, const CrdTarget *target,
                               double *value);

/* A list of exactly count of them; count 1: the bare number. */
CardanStatus crd_reader_numbers(CrdReader *reader, const CrdNode *node, const char *what, int count,
                                const CrdTarget *first, double *values);

/* The numbers of a field of an object under construction, which will have this index. */
CardanStatus crd_reader_field(CrdReader *reader, const CrdNode *node, const CrdField *field, CrdOwner owner, int index,
                              void *object);

/* A body (or the ground), a joint by name. */
CardanStatus crd_reader_body(CrdReader *reader, const CrdNode *node, int *frame);
CardanStatus crd_reader_joint(CrdReader *reader, const CrdNode *node, int *joint);
CardanStatus crd_reader_marker(CrdReader *reader, const CrdNode *node, int *marker); /* from 1 */

/* What the viewer draws of a body, by its frame; frame -1: checked, and not kept. */
CardanStatus crd_reader_geometry(CrdReader *reader, const CrdNode *node, int frame);

/* ---- sections ---- */

CardanStatus crd_read_bodies(CrdReader *reader, const CrdNode *section);
CardanStatus crd_read_markers(CrdReader *reader, const CrdNode *section);
CardanStatus crd_read_joints(CrdReader *reader, const CrdNode *section);
CardanStatus crd_read_forces(CrdReader *reader, const CrdNode *section);
CardanStatus crd_read_start(CrdReader *reader, const CrdNode *section);
CardanStatus crd_read_simulation(CrdReader *reader, const CrdNode *section);
CardanStatus crd_read_outputs(CrdReader *reader, const CrdNode *section);

#endif
