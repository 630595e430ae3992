/* The same mechanism as a tree of links with loop rows: what a relative structure has besides an absolute one.
 *
 * Link k hangs on its parent p(k) < k (or on the ground, -1) by one joint, whose coordinates are coordinate block k. A
 * joint with two or three freedoms that is no joint of the tree by itself (universal, cylindrical, planar) is a chain
 * of one-freedom joints with massless links between. Links stand in depth-first order, parents first, so that an inward
 * sweep is a loop downwards and an outward sweep a loop upwards. Elements that are no joints of the tree keep their
 * rows: loop rows. */
#ifndef CRD_MODEL_TREE_H
#define CRD_MODEL_TREE_H

#include "core/pool.h"
#include "model/model.h"

#include <assert.h>

/* Every sweep reads all of them: they are kept small. */
typedef struct CrdLink {
    CrdBlockKind kind : 8;        /* of its joint */
    unsigned nv : 8;              /* as that of its coordinate block, like q and v */
    unsigned part : 4, parts : 4; /* which of the joint's chain of one-freedom joints, and how many there are */
    bool free : 1;                /* no joint holds it */
    bool reversed : 1;            /* the joint's b is the parent's side */
    bool first : 1;               /* it stores into `out`; else it adds */
    bool forks : 1;               /* a link further on than the next hangs on it, too */
    int parent;                   /* link; -1: the ground */
    int pose;                     /* where its frame stands in CrdSystem.frames */
    int q, v;
    int factor;  /* where its record starts in CrdTreeWork.factor */
    int in, out; /* slots of sums from its children and to its parent; -1: none */
} CrdLink;

/* Where a link came from: in the absolute structure. */
typedef struct CrdOrigin {
    int body;    /* coordinate block of its body; -1: massless, between */
    int element; /* its joint; -1: free */
} CrdOrigin;

/* A step on the way of an element's rows to the root: links with a body of the element at or outward of them. */
typedef struct CrdWalk {
    int link;
    int slot, up;    /* where the wrenches stand, and where they go; up -1: the ground */
    bool fresh;      /* nothing stands in the slot yet */
    int g;           /* piece of the link's coordinate block; -1: it has none */
    int seed, seeds; /* in CrdTree.seeds: attachments to this link */
} CrdWalk;

/* A tracked angle that is a coordinate of the tree, or its negative: it counts itself. */
typedef struct CrdCounted {
    int tracked, q, v;
    double sign;
} CrdCounted;

typedef struct CrdTree {
    CrdStructure *absolute; /* the structure it came from; laws, forces and switches belong to it */
    int count;              /* links */
    int inner;              /* of them massless: their frames stand after those of the model */
    CrdLink *links;
    CrdOrigin *origins; /* by link */
    bool *is_joint;     /* by element: it is a joint of the tree */
    int *link_of;       /* by frame: its link; the ground: -1 */
    int size_factor;    /* numbers of all records of the factor */
    int slots;          /* sums that are kept at a time */
    int *walk;          /* by element, one more: where its steps start */
    CrdWalk *steps;
    int *seeds;     /* attachments, by step */
    int *wrench;    /* by element: where the wrenches of its rows start in CrdTreeWork.wrenches */
    int wrenches;   /* of all loop rows: rows x attachments */
    int walk_slots; /* wrenches of one row that are kept at a time */
    int counted_count, tracking_count;
    CrdCounted *counted;
    int *tracking;     /* elements with other tracked numbers */
    int loop_elements; /* that have rows */
    int *loops;        /* them, in elimination order */
    int branch_count;  /* groups of links that can be swept side by side (tree_branches.c); 0: it is not divided */
    int range_count, trunk_count;
    int *branches;    /* branch_count + 1: where the ranges of each start */
    CrdRange *ranges; /* rising */
    int *trunk;       /* links in no branch, rising */
} CrdTree;

/* The numbers of a link, by sweep: those of all links of a large tree are longer in coming than in use. o is the
 * joint's point on the link. First what its motion takes. */
typedef struct CrdLinkValues {
    CrdVec a;          /* from the parent's o to the joint's point there; axes of the parent */
    CrdVec e[3], f[3]; /* unit; the joint's axes in those of the parent and in its own; [2]: its axis */
    double along;      /* m; displacement where the coordinate is 0 */
    double pitch;      /* m/rad; of a screw */
    double turn;       /* rad; plane: angle against the parent where the coordinate is 0 */
} CrdLinkValues;

typedef struct CrdLinkMass {
    CrdVec c; /* from o to the centre of mass; own axes */
    double mass;
    double about[6]; /* moments of inertia about o: xx yy zz xy xz yz, own axes; plane: [2] alone */
    bool principal;  /* own axes are principal axes of these: their products are zero */
} CrdLinkMass;

/* The same in the plane. */
typedef struct CrdPlaneArms {
    double a[2], turn;
} CrdPlaneArms;

typedef struct CrdPlaneMass {
    double c[2], mass, about;
    double per_mass, per_inertia; /* 1 / mass and 1 / moment of inertia about the centre of mass; massless: 0 */
} CrdPlaneMass;

/* Is every tracked number an angle that is a coordinate? Then the state has no tracked ones. */
static inline bool crd_counts_itself(const CrdStructure *structure) {
    return structure->tree != NULL && structure->tracked_count == 0;
}

/* The numbers of a link's body, which are the absolute model's; zeros of a massless link. */
static inline const CrdBlockValues *crd_link_body(const CardanModel *model, int link) {
    static const CrdBlockValues NONE;
    int body = model->structure->tree->origins[link].body;
    assert(body < model->structure->tree->absolute->block_count);
    return body >= 0 ? &model->values.blocks[body] : &NONE;
}

/* Those of a coordinate block, whether it is a body or a link. */
static inline const CrdBlockValues *crd_block_values(const CardanModel *model, int block) {
    return model->structure->tree != NULL ? crd_link_body(model, block) : &model->values.blocks[block];
}

/* Frames of massless links stand after those of the model. */
static inline bool crd_link_has_body(const CrdStructure *structure, const CrdLink *link) {
    return link->pose < structure->frame_count;
}

/* Where the frame of its parent stands, the ground's first. */
static inline int crd_link_from(const CrdTree *tree, const CrdLink *link) {
    return link->parent >= 0 ? tree->links[link->parent].pose : 0;
}

CardanStatus crd_tree_create(const CrdStructure *absolute, const CrdDescription *description, CrdTree **out,
                             CrdError *error);
void crd_tree_free(CrdTree *tree);

/* Divides a large tree whose links are numbered; gives out the slots of its sums. */
CardanStatus crd_tree_divide(CrdTree *tree, CrdError *error);
CardanStatus crd_tree_give_slots(CrdTree *tree, CrdError *error);

/* Coordinates and velocities of joints at frames; see crd_relative_from_frames. */
void crd_coordinates_of_frames(const CrdStructure *structure, const CrdValues *values, const CardanFrame *frames,
                               const double *tracked, double *q, double *v);

/* Incidences, elimination and walks of the loop rows of a relative structure that has its tree and its blocks. */
CardanStatus crd_relative_rows(CrdStructure *structure, CrdError *error);

/* Numbers of a relative structure: its own of rows, links and the start, all others are the absolute model's.
 */
CardanStatus crd_relative_values(const CrdStructure *structure, const CardanModel *absolute, CrdValues *out,
                                 CrdError *error);
void crd_relative_values_free(CrdValues *values);

#endif
