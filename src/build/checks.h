/* Checks of physical sense of single objects. Each names the field at fault, so that the caller can point to the place
 * where it was written. */
#ifndef CRD_BUILD_CHECKS_H
#define CRD_BUILD_CHECKS_H

#include "build/fields.h"
#include "joint/joint.h"

/* Which key of an object is at fault; "" for the object as a whole. Set only on failure. May be NULL. */
typedef struct CrdBlame {
    const char *key;
} CrdBlame;

CardanStatus crd_check_body(const CrdDescription *description, const CrdBodyDesc *body, CrdBlame *blame,
                            CrdError *error);
CardanStatus crd_check_joint(const CrdDescription *description, const CrdJointDesc *joint, CrdBlame *blame,
                             CrdError *error);
CardanStatus crd_check_force(const CrdDescription *description, const CrdForceDesc *force, CrdBlame *blame,
                             CrdError *error);
CardanStatus crd_check_rate(const CrdDescription *description, const CrdStartRate *rate, CrdError *error);

/* The object a number belongs to, with the place in error: that of the binding at fault, else that of the object. */
CardanStatus crd_check_object(const CrdDescription *description, CrdOwner owner, int index, CrdError *error);

/* Does the joint have an angle or a displacement, along which a torque (force) can act and whose rate can be set? */
bool crd_joint_is_driven(const CrdJointDesc *joint);

/* "a", or "an" before a type such as angle. */
const char *crd_article(const char *name);

/* "angle", "displacement", "length". */
const char *crd_coordinate_name(CardanCoordinate coordinate);
/* The coordinate of a joint that is asked for: none in `wanted` means the first it has. None when it is not there. */
CardanCoordinate crd_joint_coordinate_named(const CrdJointDesc *joint, CardanCoordinate wanted);

/* Does this type need an axis in this space? */
bool crd_joint_needs_axis(CardanJointType type, CardanSpace space);

/* Names of the types that a model of this space may use; count is returned. names has room for CARDAN_JOINT_TYPES. */
int crd_joint_type_names(CardanSpace space, const char **names);

#endif
