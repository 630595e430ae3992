/* What stands behind the keys of joints and forces. */
#ifndef CRD_READ_READER_FIELDS_H
#define CRD_READ_READER_FIELDS_H

#include "read/reader.h"

/* A joint or force that is being read. */
typedef struct CrdReading {
    CrdReader *reader;
    CrdOwner owner;
    int index; /* that it will have */
    const CrdNode *mapping;
    CrdFieldTable table;
    CrdElementDesc *element;
} CrdReading;

/* The value of a field's key; the row counts as given then. */
CardanStatus crd_read_field(CrdReading *reading, const CrdField *field, const CrdNode *node);

/* When all objects are known: the names in the laws of forces. */
CardanStatus crd_read_law_names(CrdReader *reader);

#endif
