/* Which numbers objects have: one table per kind of object, from the key of the model file to the place in the
 * description. The reader, cardan_builder_bind, the checks and the messages all use it. */
#ifndef CRD_BUILD_FIELDS_H
#define CRD_BUILD_FIELDS_H

#include "build/description.h"

/* Numbers that stand in the same place, told apart by a form of the object. */
typedef enum CrdFieldGroup { CRD_GROUP_NONE = 0, CRD_GROUP_ORIENTATION, CRD_GROUP_INERTIA } CrdFieldGroup;

typedef struct CrdField {
    const char *key;  /* of the model file; "local.a" is a of the mapping local */
    int count[2];     /* how many numbers in planar, spatial models; 0: not there */
    size_t offset[2]; /* bytes to the first, from the start of the object's description */
    CrdFieldGroup group;
    int form; /* of the group */
} CrdField;

typedef struct CrdFieldTable {
    const CrdField *fields;
    int count;
} CrdFieldTable;

/* The table of an object (index from 0; not read for the model). */
CrdFieldTable crd_fields_of(const CrdDescription *description, CrdOwner owner, int index);
CrdFieldTable crd_body_fields(void);
CrdFieldTable crd_joint_fields(void);
CrdFieldTable crd_force_fields(const CrdForceDesc *force);

/* The flag that says whether the number of that key was given; NULL: it has no default to fall back on. */
bool *crd_force_given(CrdForceDesc *force, const char *key);

/* The field of that key; NULL: none. */
const CrdField *crd_field_find(CrdFieldTable table, const char *key);

/* Does the object hold numbers in this form? Fields without a group are always there. */
bool crd_field_active(const CrdField *field, CrdOwner owner, const void *object);

/* Start of the description of an object: what offsets count from. */
void *crd_owner_object(CrdDescription *description, CrdOwner owner, int index);

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
