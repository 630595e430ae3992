/* Adding to a description: names, checks and room first, so that an object is there completely or not at all. */
#ifndef CRD_BUILD_OBJECTS_H
#define CRD_BUILD_OBJECTS_H

#include "build/checks.h"

/* Each checks the object and takes over its strings, expressions and arrays when it succeeds; on failure they are still
 * the caller's. blame (may be NULL) says which key is at fault. */
CardanStatus crd_add_parameter(CrdDescription *description, const CrdParameterDesc *parameter, CrdError *error);
CardanStatus crd_add_input(CrdDescription *description, const CrdInputDesc *input, CrdError *error);
CardanStatus crd_add_body(CrdDescription *description, const CrdBodyDesc *body, CrdBlame *blame, CrdError *error);
CardanStatus crd_add_block(CrdDescription *description, const CrdBlockDesc *block, CrdError *error);
CardanStatus crd_add_element(CrdDescription *description, CrdOwner owner, const CrdElementDesc *element,
                             CrdBlame *blame, CrdError *error);
CardanStatus crd_add_states(CrdDescription *description, const CrdStatesDesc *states, CrdError *error);
CardanStatus crd_add_event(CrdDescription *description, const CrdEventDesc *event, CrdError *error);
CardanStatus crd_add_invariant(CrdDescription *description, const CrdInvariantDesc *invariant, CrdError *error);

/* Adds a term of a joint that is being made; its coordinate, when none is said, is that joint's first. The bodies of
 * the first are those of the joint. */
CardanStatus crd_add_term(CrdDescription *description, CrdJointDesc *joint, const CrdTermDesc *term, CrdError *error);

/* Adds a point of a force that is being made. */
CardanStatus crd_add_point(CrdDescription *description, CrdForceDesc *force, const CrdForcePoint *point,
                           CrdError *error);

/* Sets the start rate of a joint; a second one replaces the first. */
CardanStatus crd_add_rate(CrdDescription *description, const CrdStartRate *rate, CrdError *error);

/* The same of a coordinate that it shall be assembled at. */
CardanStatus crd_add_coordinate(CrdDescription *description, const CrdStartRate *coordinate, CrdError *error);

/* Copies the name. */
CardanStatus crd_add_output(CrdDescription *description, const char *name, CrdPlace place, CrdError *error);

/* The name space rules alone: one for bodies, blocks, joints, forces, states and events, one for parameters and inputs.
 */
CardanStatus crd_check_name(const CrdDescription *description, CrdNameKind kind, const char *name, CrdError *error);

#endif
