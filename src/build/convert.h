/* Definitions of a program into descriptions: handles checked, strings and arrays copied. */
#ifndef CRD_BUILD_CONVERT_H
#define CRD_BUILD_CONVERT_H

#include "build/description.h"

/* On failure, too, the description is fit to be freed. */
CardanStatus crd_convert_body(const CrdDescription *description, const CardanBodyDef *def, CrdBodyDesc *body,
                              CrdError *error);
CardanStatus crd_convert_block(const CardanBlockDef *def, CrdBlockDesc *block, CrdError *error);
/* Terms of a joint and points of a force are added to the description; if it is then refused, nobody refers to them. */
CardanStatus crd_convert_joint(CrdDescription *description, const CardanJointDef *def, CrdJointDesc *joint,
                               CrdError *error);
CardanStatus crd_convert_force(CrdDescription *description, const CardanForceDef *def, CrdForceDesc *force,
                               CrdError *error);
CardanStatus crd_convert_rows(const CrdDescription *description, const CardanRowsDef *def, CrdJointDesc *joint,
                              CrdError *error);
CardanStatus crd_convert_states(const CrdDescription *description, const CardanFirstOrderDef *def,
                                CrdStatesDesc *states, CrdError *error);
CardanStatus crd_convert_event(const CrdDescription *description, const CardanEventDef *def, CrdEventDesc *event,
                               CrdError *error);
CardanStatus crd_convert_invariant(const CrdDescription *description, const CardanInvariantDef *def,
                                   CrdInvariantDesc *invariant, CrdError *error);

#endif
