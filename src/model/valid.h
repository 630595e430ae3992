/* Whole-structure checks behind single asserts: there only in builds with asserts. */
#ifndef CRD_MODEL_VALID_H
#define CRD_MODEL_VALID_H

#include "model/model.h"

/* Upper triangle by columns: starts rise from 0, the rows of a column are sorted and end with the diagonal. */
bool crd_pattern_is_valid(int n, const int *start, const int *row);

/* Panels cover every row once, branches and trunk every panel; blocks, spans, sources, updates and runs stay inside
 * what they point to. size_s: entries of the pattern. */
bool crd_elimination_is_valid(const CrdElimination *elimination, int size_s);

/* Numbering of blocks, frames, elements, attachments and incidences is gapless; products stay inside G, T and S. */
bool crd_structure_is_valid(const CrdStructure *structure);

#endif
