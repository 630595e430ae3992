/* Do two models of one structure say the same? Asked in poses and velocities that the rows of the first allow, beside
 * its state: the rows of the other must hold there too, and the forces be the same. */
#ifndef CRD_STUDY_SAME_H
#define CRD_STUDY_SAME_H

#include "study/study.h"

/* Refused by the name of the joint or force at which they part; the sentences go to study->error. */
CardanStatus crd_study_same(CardanStudy *study, CardanStudy *other);

#endif
