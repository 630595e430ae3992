/* Kinematics of a driven mechanism: g(q, s) = 0 with as many independent rows as velocities, s the time or a joint's
 * coordinate that is swept.
 *
 *     prediction q + N (v ds + a ds^2 / 2), then Newton's steps (analysis/close.h); a step that the correction does not
 *     agree with is halved, so that the branch is kept.
 * Where no step goes on there is a dead point: dead.c finds it. */
#ifndef CRD_STUDY_DRIVE_H
#define CRD_STUDY_DRIVE_H

#include "study/study.h"

typedef struct CrdDrive {
    CardanStudy *study;
    CrdClosing closing;
    CrdCoordinateRow *extra; /* the swept coordinate; NULL: s is the time */
    double s;                /* where the state is */
    double rate;             /* ds/dt: of the time 1 */
    double *y;               /* (n) a trial */
    double *dx;              /* (nv) */
} CrdDrive;

CardanStatus crd_drive_open(CrdDrive *drive, CardanStudy *study, CrdCoordinateRow *extra, double rate);
void crd_drive_close(CrdDrive *drive);

/* Moves the state to s; CARDAN_ERR_NUMERIC with a sentence at a dead point on the way, which is then known to the
 * study. */
CardanStatus crd_drive_to(CrdDrive *drive, double s);

/* Velocities, accelerations, multipliers of the state, and the effort of the swept coordinate. */
CardanStatus crd_drive_motion(CrdDrive *drive, double *effort);

/* Refuses a mechanism that the rows and the swept coordinate leave free to move, by the joints that still do. */
CardanStatus crd_drive_judge(CrdDrive *drive);

/* dead.c: from the state at s, towards the side of `direction`, to the pose in which s turns back. */
CardanStatus crd_drive_dead(CrdDrive *drive, double direction);

/* Is the state itself a dead point, in which rows that hold it elsewhere leave it a motion? The sentence then says so.
 */
bool crd_drive_stands_dead(CrdDrive *drive);

#endif
