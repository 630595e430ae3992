/* Values and laws of forces in a model file. */
#ifndef CRD_BUILD_READER_LAW_H
#define CRD_BUILD_READER_LAW_H

#include "build/reader.h"

/* The value of a force or torque whose body or joint is known. */
CardanStatus crd_read_value(CrdReader *reader, const CrdNode *node, CrdForceDesc *force);

/* The law of a spring or torsion, the target of a motor. */
CardanStatus crd_read_law(CrdReader *reader, const CrdNode *node, CrdForceDesc *force);

/* When all objects are known: the names in the laws. */
CardanStatus crd_read_law_names(CrdReader *reader);

#endif
