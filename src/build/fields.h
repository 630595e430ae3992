/* The tables of fields of a model: what there is to be walked, and the numbers they name.
 *
 * Joints and forces have theirs in the record of their type (joint/joint.h, force/force.h: name, doc, fields); those of
 * bodies, of the section `start` and of what has no type are here. */
#ifndef CRD_BUILD_FIELDS_H
#define CRD_BUILD_FIELDS_H

#include "build/description.h"

/* The table of a type of joints or forces. Of user rows and of a type that does not exist: empty. */
CrdFieldTable crd_element_fields(CrdOwner owner, int type);

CrdFieldTable crd_body_fields(void);
CrdFieldTable crd_start_fields(void);

/* The table of an object (index from 0; not read for the model). */
CrdFieldTable crd_fields_of(const CrdDescription *description, CrdOwner owner, int index);

/* Forms that fields of a body have: its orientation and its inertia may be given in several. */
enum { CRD_FORM_ORIENTATION = 0, CRD_FORM_INERTIA = 10 }; /* plus CrdOrientationForm, CrdInertiaForm */

/* Joints and forces. */
bool crd_is_element(CrdOwner owner);

/* Does the object have this field, in this space and in its form? */
bool crd_field_active(const CrdField *field, CardanSpace space, CrdOwner owner, const void *object);

/* Bytes from the start of an object's description to what its fields count from. */
size_t crd_field_base(CrdOwner owner);

/* A joint or force as it stands. */
CrdWritten crd_written(const CrdDescription *description, CrdOwner owner, const CrdElementDesc *element);

/* The type of a joint or force that is being made, with the numbers its fields have when they are absent. */
void crd_set_type(CrdElementDesc *element, CrdFieldTable table, int type);

/* Marks a row of its table as given. */
void crd_mark(CrdElementDesc *element, CrdFieldTable table, const CrdField *field);

/* Where a joint gets its point (axis) in a body: the row that gives it for this side (CRD_SIDE_A, CRD_SIDE_B), the
 * local one before the others, and axis2 before axis. NULL: none does. */
const CrdField *crd_side_field(const CrdWritten *written, CrdHolds holds, int form, int side);

/* What the laws of a force may use, and their key. */
CrdLawScope crd_law_scope(const CrdForceDesc *force);
const char *crd_law_key(const CrdForceDesc *force);

/* The joint a force acts on, from 1; 0: on none. Its coordinate as asked for. */
int crd_force_joint(const CrdForceDesc *force, CardanCoordinate *coordinate);

static inline bool crd_is_compliant(const CrdJointDesc *joint) {
    CrdWritten written = {.table = crd_element_fields(CRD_OWNER_JOINT, joint->type), .given = joint->given};
    return crd_given(&written, "compliant.stiffness");
}

/* Start of the description of an object: what offsets count from. */
const void *crd_object_of(const CrdDescription *description, CrdOwner owner, int index);

/* One number of an object. */
typedef struct CrdTarget {
    CrdOwner owner;
    int index;     /* object, from 0 */
    size_t offset; /* bytes */
} CrdTarget;

double *crd_target_number(CrdDescription *description, CrdTarget target);

/* Finds the number called "crank.mass", "rod.position[0]", "gravity[1]", "inputs.u", "start.rates.main". A number that
 * was a default until now (a length, an orientation) counts as given from then on. */
CardanStatus crd_target_find(CrdDescription *description, const char *number, CrdTarget *out, CrdError *error);

#endif
