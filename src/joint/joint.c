/* Walks the parts of a joint's record; coordinates are in coordinate.c. */
#include "joint/joint.h"

#include "joint/direction.h"
#include "joint/part.h"
#include "joint/records.h"

#include <string.h>

#define LISTED(type, record) [CARDAN_JOINT_##type] = &(record),
const CrdJointKind *const crd_joint_kinds[CARDAN_JOINT_TYPES] = {CRD_JOINTS(LISTED)};

const CrdJointKind *crd_joint_kind(int type) {
    return type > 0 && type < CARDAN_JOINT_TYPES ? crd_joint_kinds[type] : NULL;
}

int crd_joint_rows(const CrdJointKind *kind, CardanSpace space) {
    int rows = 0;
    for (int i = 0; i < CRD_JOINT_PARTS && kind->parts[i] != NULL; i++) rows += kind->parts[i]->rows[space];
    return rows;
}

int crd_joint_holonomic_rows(const CrdJointKind *kind, CardanSpace space) {
    int rows = 0;
    for (int i = 0; i < CRD_JOINT_PARTS && kind->parts[i] != NULL; i++)
        if (!kind->parts[i]->nonholonomic) rows += kind->parts[i]->rows[space];
    return rows;
}

bool crd_joint_holds_point(const CrdJointKind *kind) {
    if (kind->parts[0] == NULL || kind->parts[0]->moves != CRD_MOVES_BY_AXIS) return false;
    for (int i = 1; i < CRD_JOINT_PARTS && kind->parts[i] != NULL; i++)
        if (kind->parts[i]->moves != CRD_MOVES_NOT) return false;
    return true;
}

CrdUnit crd_joint_unit(const CrdJointKind *kind, CardanSpace space, int r) {
    assert(r >= 0 && r < crd_joint_rows(kind, space));
    for (int i = 0; i < CRD_JOINT_PARTS && kind->parts[i] != NULL; i++) {
        r -= kind->parts[i]->rows[space];
        if (r < 0) return kind->parts[i]->unit;
    }
    return CRD_METRES;
}

static CardanSpace space_of(const CrdJointData *joint) {
    return joint->planar ? CARDAN_SPACE_PLANAR : CARDAN_SPACE_SPATIAL;
}

void crd_joint_evaluate(const CrdJointKind *kind, const CrdJointData *joint, const CrdPair *pair, CrdRows out) {
    for (int i = 0; i < CRD_JOINT_PARTS && kind->parts[i] != NULL; i++) {
        int rows = kind->parts[i]->rows[space_of(joint)];
        if (rows == 0) continue;
        assert(!kind->curve || pair->foot != NULL); /* found before */
        kind->parts[i]->rows_of(joint, pair, out);
        out = (CrdRows){out.g + rows, out.gamma + rows, out.a + rows, out.b + rows};
    }
}

static void residuals_from_rows(const CrdPart *part, int rows, const CrdJointData *joint, const CrdPair *pair,
                                double *g, double *rate) {
    CardanTwistRow a[CRD_JOINT_ROWS], b[CRD_JOINT_ROWS];
    double gamma[CRD_JOINT_ROWS];
    part->rows_of(joint, pair, (CrdRows){g, gamma, a, b});
    for (int k = 0; k < rows; k++) rate[k] = crd_row_rate(a[k], pair->a) + crd_row_rate(b[k], pair->b);
}

void crd_joint_residuals(const CrdJointKind *kind, const CrdJointData *joint, const CrdPair *pair, double *g,
                         double *rate) {
    for (int i = 0; i < CRD_JOINT_PARTS && kind->parts[i] != NULL; i++) {
        const CrdPart *part = kind->parts[i];
        int rows = part->rows[space_of(joint)];
        if (rows == 0) continue;
        assert(!kind->curve || pair->foot != NULL); /* found before */
        if (part->residuals_of != NULL)
            part->residuals_of(joint, pair, g, rate);
        else
            residuals_from_rows(part, rows, joint, pair, g, rate);
        g += rows;
        rate += rows;
    }
}

void crd_joint_gradient(const CrdJointKind *kind, const CrdJointData *joint, const CrdPair *pair, CrdRows out) {
    for (int i = 0; i < CRD_JOINT_PARTS && kind->parts[i] != NULL; i++) {
        int rows = kind->parts[i]->rows[space_of(joint)];
        if (rows == 0) continue;
        assert(!kind->curve || pair->foot != NULL);
        kind->parts[i]->gradient_of(joint, pair, out);
        out.a += rows;
        out.b += rows;
    }
}

/* ---- derivatives of G^T lambda ---- */

/* The same places, moving with a unit twist: number i of a's six, then of b's. */
typedef struct Moving {
    CardanFrame a, b;
} Moving;

static CrdPair unit_twist(const CrdPair *pair, int i, Moving *moving) {
    assert(i >= 0 && i < CRD_PAIR_TWISTS);
    double twist[CRD_PAIR_TWISTS] = {0};
    twist[i] = 1.0;
    moving->a = *pair->a;
    moving->b = *pair->b;
    moving->a.v = crd_vec_of(twist);
    moving->a.w = crd_vec_of(twist + 3);
    moving->b.v = crd_vec_of(twist + 6);
    moving->b.w = crd_vec_of(twist + 9);
    return (CrdPair){&moving->a, &moving->b, pair->near, pair->foot, pair->turn};
}

static bool moves(const CrdJointData *joint, int i) {
    return !joint->planar || i % 6 < 2 || i % 6 == 5;
}

void crd_joint_hessian(const CrdJointKind *kind, const CrdJointData *joint, const CrdPair *pair, const double *lambda,
                       double out[CRD_PAIR_TWISTS][CRD_PAIR_TWISTS]) {
    int rows = crd_joint_rows(kind, space_of(joint));
    assert(rows <= CRD_JOINT_ROWS);
    memset(out, 0, CRD_PAIR_TWISTS * sizeof out[0]);
    for (int i = 0; i < CRD_PAIR_TWISTS; i++) {
        if (!moves(joint, i)) continue;
        Moving moving;
        CardanTwistRow a[CRD_JOINT_ROWS], b[CRD_JOINT_ROWS];
        CrdPair along = unit_twist(pair, i, &moving);
        crd_joint_gradient(kind, joint, &along, (CrdRows){.a = a, .b = b});
        for (int r = 0; r < rows; r++)
            for (int k = 0; k < 6; k++) {
                out[i][k] += lambda[r] * a[r][k];
                out[i][6 + k] += lambda[r] * b[r][k];
            }
    }
}

void crd_joint_coordinate_hessian(CardanCoordinate which, const CrdJointData *joint, const CrdPair *pair,
                                  double out[CRD_PAIR_TWISTS][CRD_PAIR_TWISTS]) {
    memset(out, 0, CRD_PAIR_TWISTS * sizeof out[0]);
    for (int i = 0; i < CRD_PAIR_TWISTS; i++) {
        if (!moves(joint, i)) continue;
        Moving moving;
        CrdPair along = unit_twist(pair, i, &moving);
        crd_joint_coordinate_gradient(which, joint, &along, out[i], out[i] + 6);
    }
}

/* ---- where, and what has memory ---- */

CrdMat crd_joint_axes(const CrdJointData *joint) {
    if (crd_norm(joint->axis_a) == 0.0) return (CrdMat){{1, 0, 0, 0, 1, 0, 0, 0, 1}};
    CrdVec x = joint->planar ? joint->axis_a : joint->ea[0], y = joint->planar ? joint->ea[0] : joint->ea[1];
    CrdVec z = joint->planar ? crd_vec(0, 0, 1) : joint->axis_a;
    return (CrdMat){{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}};
}

CrdVec crd_joint_place(const CrdJointKind *kind, const CrdJointData *joint, const CrdPair *pair) {
    if (kind->place != NULL) return kind->place(joint, pair);
    return crd_add(pair->b->x, crd_apply(pair->b->rotation, joint->lb));
}

bool crd_joint_turns(const CrdJointKind *kind, CardanSpace space) {
    for (int i = 0; i < CRD_JOINT_PARTS && kind->parts[i] != NULL; i++)
        if (kind->parts[i] == &crd_part_turn) return space == CARDAN_SPACE_SPATIAL;
    return false;
}

int crd_joint_tracks(const CrdJointKind *kind, CardanSpace space, bool compliant) {
    bool angle = space == CARDAN_SPACE_SPATIAL && crd_joint_has(kind, CARDAN_COORDINATE_ANGLE);
    bool turns = compliant && crd_joint_turns(kind, space);
    assert(!turns || !(angle || kind->curve));
    return turns ? 3 : angle || kind->curve ? 1 : 0;
}

void crd_joint_tracked(const CrdJointKind *kind, const CrdJointData *joint, const CrdPair *pair, double *out) {
    if (pair->turn != NULL) {
        CrdVec phi, rate;
        crd_turn_of_joint(joint, pair, &phi, &rate);
        crd_put(out, phi);
        return;
    }
    if (kind->curve) {
        *out = pair->foot->s;
        return;
    }
    double rate;
    assert(crd_joint_has(kind, CARDAN_COORDINATE_ANGLE));
    crd_joint_read(CARDAN_COORDINATE_ANGLE, joint, pair, out, &rate);
}

/* Of an angle: with the axes aligned. Of a foot: so that it stays beside the point. */
void crd_joint_track_rate(const CrdJointKind *kind, const CrdJointData *joint, const CrdPair *pair, double *out) {
    if (pair->turn != NULL) {
        CrdVec phi, rate;
        crd_turn_of_joint(joint, pair, &phi, &rate);
        crd_put(out, rate);
        return;
    }
    if (kind->curve) {
        CrdGap gap = crd_gap_of(joint, pair);
        CrdVec t = pair->foot->tangent, turning = crd_cross(pair->a->w, t);
        double rate =
            crd_dot(crd_apply(pair->a->rotation, t), gap.rate) + crd_dot(crd_apply(pair->a->rotation, turning), gap.d);
        *out = rate / crd_dot(t, pair->foot->c1);
        return;
    }
    CrdVec u = crd_apply(pair->a->rotation, joint->axis_a);
    *out = crd_dot(u, crd_apply(pair->b->rotation, pair->b->w)) - crd_dot(joint->axis_a, pair->a->w);
}
