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
    int placed; /* how many of its points[k] are markers */
} CrdReading;

/* The value of a field's key; the row counts as given then. */
CardanStatus crd_read_field(CrdReading *reading, const CrdField *field, const CrdNode *node);

/* May a marker stand for its point (`at`)? */
bool crd_may_be_at(const CrdReading *reading);

/* Points that are given as markers, and bodies that follow from them: before the other fields. */
CardanStatus crd_read_places(CrdReading *reading);

/* Did a marker give this row? */
bool crd_is_placed(const CrdReading *reading, const CrdField *field);

/* When all objects are known: the names in the laws of forces. */
CardanStatus crd_read_law_names(CrdReader *reader);

#endif
