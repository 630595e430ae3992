/* Elements, joints, couplers and rows of the user's, as rows on frames; laws of time subtracted. Constraints spread
 * them over coordinates, compliant joints make loads of them, reactions are read from them.
 *
 * A law f(t) of row r, with its derivatives from the expression itself:
 *     g - f(t)      g_t = -f'(t)      gamma + f''(t) */
#ifndef CRD_EQUATIONS_ELEMENT_H
#define CRD_EQUATIONS_ELEMENT_H

#include "equations/system.h"

#include <assert.h>

/* What rows are evaluated from, beside the frames. */
typedef struct CrdScene {
    const CardanModel *model;
    const double *q, *v;
} CrdScene;

/* Where an element's numbers go: one entry per row. */
typedef struct CrdSlots {
    double *g, *rate_t, *gamma;
} CrdSlots;

/* The sides on which the laws of an element are held; NULL: none is. */
const CrdSide *crd_element_sides(const CrdSystem *system, const CrdElement *element);

/* Takes tracked coordinates and the variables of drives; to be called before any row is evaluated. */
void crd_begin_rows(const CardanModel *model, const CrdActions *actions, CrdSystem *system);

/* The laws of a joint or coupler at the time, from rows that are there without them. */
CardanStatus crd_subtract_laws(const CardanModel *model, const CrdElement *element, const CrdSystem *system,
                               CrdSlots out, CrdError *error);

/* Feet of all curves. */
CardanStatus crd_find_feet(const CardanModel *model, CrdSystem *system, CrdError *error);

/* Its rows into the places they have among all: g, rate_t, gamma and pieces of G. After crd_begin_rows; feet of curves
 * stay where they are. */
CardanStatus crd_element_rows(const CardanModel *model, int index, const double *q, const double *v, CrdSystem *system,
                              CrdError *error);

/* twist_row, b: twist rows of the two sides. */
CardanStatus crd_evaluate_joint(const CardanModel *model, int index, CrdSystem *system, CardanTwistRow *twist_row,
                                CardanTwistRow *b, CrdSlots out, CrdError *error);

/* Its rows and their rates alone; those of laws go to the slots. */
CardanStatus crd_evaluate_joint_residuals(const CardanModel *model, int index, CrdSystem *system, double *rate,
                                          CrdSlots out, CrdError *error);

/* twist: one twist row per attachment. */
CardanStatus crd_evaluate_coupler(const CardanModel *model, int index, CrdSystem *system, CardanTwistRow *twist,
                                  CrdSlots out, CrdError *error);

/* twist: rows x attachments twist rows, those of one row side by side. */
CardanStatus crd_evaluate_user(const CardanModel *model, int index, CrdSystem *system, CardanTwistRow *twist,
                               CrdSlots out, CrdError *error);

/* The same of the derivative of G v. Not into system->gradient_rows. */
CardanStatus crd_user_gradient(const CardanModel *model, int index, CrdSystem *system, CardanTwistRow *twist,
                               CrdError *error);

/* The derivative of G^T lambda, 6 attachments x 6 attachments. */
CardanStatus crd_user_reactions(const CardanModel *model, int index, CrdSystem *system, const double *lambda,
                                double *out, CrdError *error);

/* Twist rows of the derivative of G v of a joint or coupler, attachment after attachment, each as long as the element
 * has rows. */
void crd_element_gradient(const CardanModel *model, int index, const CrdSystem *system, CardanTwistRow *twist);

/* The coefficient and the coordinate of term i of a coupler. */
double crd_coupler_term(const CardanModel *model, const CrdElement *element, int i, const CrdSystem *system,
                        CrdCoordinate *coordinate);

/* Component of a frame's twist that velocity k of a body is. */
static inline int crd_twist_component(const CrdBlock *block, int k) {
    assert(k >= 0 && k < block->nv);
    return block->kind == CRD_PLANAR_BODY && k == 2 ? 5 : k;
}

/* Unit of row r of a joint or coupler. */
CrdUnit crd_element_unit(const CrdStructure *structure, const CrdElement *element, int r);

/* Twist rows of a compliant joint, in system->twist_rows attachment after attachment, and h = stiffness g + damping g'.
 */
CardanStatus crd_compliant_rows(const CardanModel *model, int index, CrdSystem *system, double *h, CrdError *error);

#endif
