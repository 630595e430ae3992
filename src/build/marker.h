/* Markers: points of frames with axes of their own. Nothing moves by them; measures are taken there, and joints and
 * forces may sit there. */
#ifndef CRD_BUILD_MARKER_H
#define CRD_BUILD_MARKER_H

#include "build/checks.h"

CrdFieldTable crd_marker_fields(void);

CardanStatus crd_check_marker(const CrdDescription *description, const CrdMarkerDesc *marker, CrdBlame *blame,
                              CrdError *error);
CardanStatus crd_add_marker(CrdDescription *description, const CrdMarkerDesc *marker, CrdBlame *blame, CrdError *error);
CardanStatus crd_convert_marker(const CrdDescription *description, const CardanMarkerDef *def, CrdMarkerDesc *marker,
                                CrdError *error);

/* Lets a marker (from 1) stand for a row of three numbers of a joint or force that is being made. A force that says
 * points in own axes sits on the marker's body then: `frame` is the number that names it, 0: not said yet; NULL: the
 * row is in ground axes, in the pose as written. */
CardanStatus crd_place(const CrdDescription *description, CrdOwner owner, CrdElementDesc *element,
                       const CrdField *field, int *frame, int marker, CrdError *error);

/* The same for the row "point", as the key `at` of a file says it. */
CardanStatus crd_place_at(const CrdDescription *description, CrdOwner owner, CrdElementDesc *element, int marker,
                          CrdError *error);

/* Brings the numbers of joints and forces that are a marker's up to date, after one of a marker or body changed. */
void crd_follow_markers(CrdDescription *description);

#endif
