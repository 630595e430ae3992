/* Walks the parts of a joint's record; coordinates are in coordinate.c. */
#include "joint/joint.h"

#include "joint/records.h"

const CrdJointKind *const crd_joint_kinds[CARDAN_JOINT_TYPES] = {
    [CARDAN_REVOLUTE] = &crd_revolute, [CARDAN_PRISMATIC] = &crd_prismatic, [CARDAN_WELD] = &crd_weld,
    [CARDAN_DISTANCE] = &crd_distance, [CARDAN_SPHERICAL] = &crd_spherical, [CARDAN_UNIVERSAL] = &crd_universal,
};

int crd_joint_rows(const CrdJointKind *kind, CardanSpace space) {
    int rows = 0;
    for (int i = 0; i < CRD_JOINT_PARTS && kind->parts[i] != NULL; i++) rows += kind->parts[i]->rows[space];
    return rows;
}

static CrdRows after(CrdRows out, int rows) {
    return (CrdRows){out.g + rows, out.rate_t + rows, out.gamma + rows, out.a + rows, out.b + rows};
}

void crd_joint_evaluate(const CrdJointKind *kind, const CrdJointData *joint, const CrdPair *pair, CrdRows out) {
    for (int i = 0; i < CRD_JOINT_PARTS && kind->parts[i] != NULL; i++) {
        int rows = kind->parts[i]->rows[joint->planar ? CARDAN_PLANAR : CARDAN_SPATIAL];
        if (rows == 0) continue;
        kind->parts[i]->rows_of(joint, pair, out);
        out = after(out, rows);
    }
}

void crd_joint_gradient(const CrdJointKind *kind, const CrdJointData *joint, const CrdPair *pair, CrdRows out) {
    for (int i = 0; i < CRD_JOINT_PARTS && kind->parts[i] != NULL; i++) {
        int rows = kind->parts[i]->rows[joint->planar ? CARDAN_PLANAR : CARDAN_SPATIAL];
        if (rows == 0) continue;
        kind->parts[i]->gradient_of(joint, pair, out);
        out.a += rows;
        out.b += rows;
    }
}
