/* The compiled model: structure (numbering, patterns, slot maps, elimination order) apart from numbers (masses,
 * lengths, parameters), so that other parameter values share the structure.
 *
 * Rows are numbered in elimination order throughout: the rows of one element stand together, S needs no permutation,
 * and only what a user sees is put back in the order of the description. */
#ifndef CRD_MODEL_MODEL_H
#define CRD_MODEL_MODEL_H

#include "build/description.h"
#include "cardan/model.h"
#include "force/force.h"
#include "joint/joint.h"
#include "measure/measure.h"
#include "model/elimination.h"

#include <stdatomic.h>

/* ---- coordinates ---- */

typedef enum CrdBlockKind {
    CRD_PLANAR_BODY = 0,  /* q: x y angle          v: vx vy spin */
    CRD_PLANAR_PARTICLE,  /* q: x y                v: vx vy */
    CRD_SPATIAL_BODY,     /* q: x y z, w x y z     v: v (ground axes), w (own axes) */
    CRD_SPATIAL_PARTICLE, /* q: x y z              v: v */
    CRD_CUSTOM_BLOCK,     /* q: n                  v: n, q' = v */
    /* joints of a tree (tree.h), link against parent; free links have the coordinates of bodies above */
    CRD_LINK_REVOLUTE,  /* q: angle              v: its rate */
    CRD_LINK_PRISMATIC, /* q: displacement       v: its rate */
    CRD_LINK_SCREW,     /* q: angle              v: its rate */
    CRD_LINK_SPHERICAL, /* q: w x y z            v: w (own axes) */
    CRD_LINK_WELD       /* none */
} CrdBlockKind;

typedef struct CrdTree CrdTree;
typedef struct CrdLinkValues CrdLinkValues;
typedef struct CrdLinkMass CrdLinkMass;
typedef struct CrdPlaneArms CrdPlaneArms;
typedef struct CrdPlaneMass CrdPlaneMass;

/* A coordinate block: the numbers of one body or custom block; M is block diagonal in them. */
typedef struct CrdBlock {
    CrdBlockKind kind;
    int object; /* index of the body or custom block in the description */
    int frame;  /* of a body; first frame of a custom block */
    int nq, nv;
    int q, v; /* where they start in the flat vectors */
    int mass; /* custom: where its n x n mass matrix starts in CrdSystem.custom_mass */
} CrdBlock;

/* What joints attach to. */
typedef struct CrdFrame {
    CrdFrameKind kind;
    int block;    /* coordinate block; -1: the ground */
    int frame;    /* frame of the custom block */
    int jacobian; /* frame: where its 6 x n Jacobian starts in CrdSystem.frame_jacobian */
    int bias;     /* frame: where its 6 bias numbers start */
} CrdFrame;

/* ---- constraint rows ---- */

/* How an element is evaluated: equations/element.h has a record for each. */
typedef enum CrdElementType {
    CRD_ELEMENT_JOINT = 0, /* rows between two frames */
    CRD_ELEMENT_COUPLER,   /* a sum of coordinates of other joints: two attachments for each */
    CRD_ELEMENT_USER,      /* rows of the user's */
    CRD_ELEMENT_BLOCK,     /* rows of a custom block */
    CRD_ELEMENT_TYPES
} CrdElementType;

/* An element is a group of rows evaluated together. A compliant joint is one that has no rows in the system. */
typedef struct CrdElement {
    CrdElementType type;
    const CrdJointKind *kind; /* NULL: rows of the user's or of a block */
    int joint;                /* index in the description's joints; -1: rows of a block */
    int block;                /* rows of this coordinate block; -1: joint or user rows */
    int rows;
    int holonomic;  /* how many of its rows, the first, are holonomic */
    int compliant;  /* how many rows its kernel has when they act by a potential, and rows is 0; else 0 */
    int elastic;    /* compliant: first of them in CrdSystem.elastic */
    int first;      /* first row, in elimination order */
    int attachment; /* first of its attachments */
    int attachments;
    int incidence; /* first of its incidences */
    int incidences;
    int law;     /* first of its laws in CrdStructure.drives */
    int laws;    /* law k is subtracted from row k; of a curve: the path */
    int tracked; /* first of its numbers with memory: a counted angle, the parameter of a curve, the three of a rotation
                  * vector; -1: none */
    bool turns;  /* compliant, with a rotation vector */
    int term;    /* coupler: first of its terms */
    int terms;
    int first_switch;     /* of its laws */
    CrdWholeKernel whole; /* of a joint between bodies or a body and the ground: it writes pieces of G itself, of a tree
                           * twist rows; NULL: its rows are evaluated part by part */
} CrdElement;

/* A coordinate in a coupler. */
typedef struct CrdTerm {
    int element; /* of the joint */
    CardanCoordinate coordinate;
} CrdTerm;

/* A frame that an element reads, in the order of its kernel's arguments. */
typedef struct CrdAttachment {
    int frame;
    int incidence; /* columns its twist rows go to; -1: the ground, no columns */
} CrdAttachment;

/* The columns an element has in one coordinate block: a dense rows x width piece of G, row-major. */
typedef struct CrdIncidence {
    int element, block;
    int rows, width;
    int g;       /* where it starts in CrdSystem.G (and T) */
    int v;       /* first column: where the block's velocities start */
    bool direct; /* one spatial body: twist rows are the piece itself */
    bool
        point; /* the same, and its first three rows move the body along one ground axis each, the others only turn it:
                * what else there is in the first three columns is zero, in G, in G M^-1 and in the derivative of G v */
} CrdIncidence;

/* Rows of a hinge in the plane, the commonest loop there: code for them has no loop over rows. Five of a hinge in space
 * gain nothing by it. */
enum { CRD_PIN_ROWS = 2 };

/* Which code adds a product: of the width of its pieces, and where they are common of their rows. */
typedef enum CrdProductKind {
    CRD_PRODUCT_ANY = 0,
    CRD_PRODUCT_ONE,     /* width 1 */
    CRD_PRODUCT_TWO,     /* width 2 */
    CRD_PRODUCT_PLANE,   /* width 3 */
    CRD_PRODUCT_HINGES,  /* width 3, 2 x 2 */
    CRD_PRODUCT_SPACE,   /* width 6 */
    CRD_PRODUCT_POINTS,  /* width 6, both pieces of points */
    CRD_PRODUCT_POINTS3, /* the same, 3 x 3: spherical joints */
    CRD_PRODUCT_POINTS5  /* the same, 5 x 5: hinges */
} CrdProductKind;

/* One product G_r (M^-1 G_c^T) over a shared block, added into S. Entry (r, c) of the product goes to slot
 *     base + c above + c (c + 1) / 2 + offset + r       (r <= c when diagonal) */
typedef struct CrdProduct {
    int g, t; /* where the pieces start: G of the row element, T of the column element */
    int rows, columns, width;
    int base, above, offset;
    bool diagonal;
    CrdProductKind kind;
} CrdProduct;

/* ---- laws ---- */

/* Variables of laws: t, x, v (of the force's own, see force.h), parameters, inputs, first-order states, measures, in
 * this order. */
typedef struct CrdLawMeasure {
    CrdMeasure measure;
    int object; /* place (of a body its frame, of marker i frame_count + i), element of the joint, or force */
    int other; /* of a pair its second place; of what a force offers the row of its table; of its wrench the frame; of a
                * reaction the frame, where it is not that of b */
    int column; /* of a measure with several columns: which, from 1; 0: all, which laws cannot read */
} CrdLawMeasure;

/* ---- switches ---- */

/* A function whose sign decides which piece of a law holds, or that a user watches. */
typedef struct CrdSwitch {
    CardanEventKind kind; /* in the log */
    int object;           /* in the description: force; drive: joint; user: event */
    bool time_event;      /* depends on the time, parameters and inputs alone */
} CrdSwitch;

/* ---- forces ---- */

/* What a force touches, for its derivatives, and what it has besides its loads. */
typedef struct CrdForceStructure {
    int frame, frames;          /* in CrdStructure.force_frames: those it reads or loads, without the ground */
    int own_frames;             /* of them, the first: those it loads */
    int last;                   /* the frame of its last body */
    int measure, measures;      /* in CrdStructure.force_measures: law measures that its laws read */
    int read, reads;            /* in CrdStructure.force_states: first-order states that it reads, its own included */
    int state, states;          /* its own in z */
    int first_switch, switches; /* among all switches: of its record, then of its laws */
    int tracked;                /* first of the three numbers of its rotation vector; -1: it has none */
} CrdForceStructure;

typedef struct CrdStructure {
    atomic_int references;
    CardanSpace space;
    int block_count, frame_count, element_count, attachment_count, incidence_count, product_count;
    int marker_count, joint_count, force_count, states_count, tracked_count, parameter_count, input_count;
    int nq, nv, rows, holonomic_rows;
    int size_g;                                     /* numbers in G */
    int size_s;                                     /* numbers in S: upper triangle */
    int size_custom;                                /* numbers in all custom mass matrices */
    int size_jacobian, size_bias;                   /* of all block frames */
    int max_rows, max_attachments, max_coordinates; /* of one element; of one custom block */
    int invariant_count;                            /* of the user's own */
    int max_gathered;                               /* points of one force, bodies of one callback */
    CrdBlock *blocks;
    CrdFrame *frames;
    CrdElement *elements;  /* in elimination order */
    int *element_of_joint; /* joint_count */
    CrdAttachment *attachments;
    CrdIncidence *incidences;       /* by element */
    int *of_block_start, *of_block; /* incidences by coordinate block, rising; block_count + 1 */
    CrdProduct *products;           /* by column element */
    int *s_start, *s_row;           /* upper triangle of S by columns */
    int *row_element;               /* rows: the element of each row */
    int watched_count;              /* elements whose rows can become dependent in a pose (watched.h) */
    int *watched;                   /* watched_count, rising */
    CrdElimination *elimination;    /* of S, by the rows of elements */
    int law_measure_count;
    CrdLawMeasure *law_measures;
    bool has_dynamic; /* one of them is what a force does by laws of its own (crd_is_dynamic) */
    CrdExpr **laws;   /* 3 per force; NULL: the number stands */
    int drive_count;  /* laws of drives and paths; their variables: t or s, parameters, inputs */
    CrdExpr **drives;
    int term_count;
    CrdTerm *terms;      /* as in the description */
    int compliant_count; /* elements that act by a potential */
    int elastic_rows;    /* their rows */
    int curve_count;
    int turn_count;       /* rotation vectors that are tracked: of compliant joints and of forces */
    int first_order;      /* length of z: states of the user's, then of forces */
    int *state_of_states; /* by states of the user's: where they start in z */
    int switch_count;     /* numbers crd_switches gives: of forces, of laws of drives, of user events */
    CrdSwitch *switches;
    int time_event_count;                /* of them */
    int first_drive_switch;              /* the first of a law of a drive or path */
    int first_event;                     /* the first that is a user event */
    CrdForceStructure *force_structures; /* force_count */
    int *force_frames, *force_measures, *force_states;
    int max_touched; /* frames of one force */
    int max_read;    /* first-order states that one force reads */
    CrdTree *tree;   /* of a relative structure; NULL: coordinates are those of bodies */
} CrdStructure;

/* How many of a block's velocities, the first, are lengths a second. */
static inline int crd_block_lengths(const CrdStructure *structure, const CrdBlock *block) {
    if (block->kind >= CRD_CUSTOM_BLOCK) return block->kind == CRD_LINK_PRISMATIC;
    return structure->space == CARDAN_SPACE_PLANAR ? 2 : 3;
}

/* Where the quaternion of a block starts in its coordinates and its spin in its velocities; -1: it has none. */
static inline int crd_block_quaternion(const CrdBlock *block) {
    return block->kind == CRD_SPATIAL_BODY ? 3 : block->kind == CRD_LINK_SPHERICAL ? 0 : -1;
}

/* Of couplers, drivers and driven distances: a force along their coordinate. */
static inline bool crd_element_has_effort(const CrdElement *element) {
    bool distance = element->type == CRD_ELEMENT_JOINT && crd_joint_has(element->kind, CARDAN_COORDINATE_LENGTH) &&
                    element->laws > 0;
    return element->type == CRD_ELEMENT_COUPLER || distance;
}

/* Of the same and of points led along a path, when they are rows: what they feed in. */
static inline bool crd_element_has_power(const CrdElement *element) {
    bool led = element->type == CRD_ELEMENT_JOINT && !element->kind->curve && element->laws > 0;
    return (crd_element_has_effort(element) || led) && element->compliant == 0;
}

/* Of what is led by a law of the time. */
static inline bool crd_element_is_driven(const CrdElement *element) {
    return element->laws > 0 && element->compliant == 0 && !(element->kind != NULL && element->kind->curve);
}

/* Of places, not of velocities alone. */
static inline bool crd_row_is_holonomic(const CrdStructure *structure, int row) {
    const CrdElement *element = &structure->elements[structure->row_element[row]];
    return row - element->first < element->holonomic;
}

/* ---- numbers ---- */

typedef struct CrdBlockValues {
    double mass, inverse_mass;
    double inertia[9], inverse_inertia[9]; /* spatial bodies: own axes; planar: [8] alone */
    CrdVec middle;                         /* m; bodies: of its joints' places, own axes */
} CrdBlockValues;

/* What a row is measured in: parts of metres and of radians. (1, 0): a row in metres; (0, 1): in radians; of a coupler
 * the sums of its coefficients. A size l of lengths and p of angles makes l length + p angle of the row. */
typedef struct CrdRowUnit {
    double length, angle;
} CrdRowUnit;

typedef struct CrdValues {
    CrdVec gravity;
    CrdBlockValues *blocks;   /* by coordinate block; of a relative model those of the absolute one (tree.h) */
    CrdLinkValues *links;     /* by link; NULL where coordinates are absolute */
    CrdLinkMass *masses;      /* by link */
    CrdPlaneArms *plane_arms; /* of links in the plane; empty in space */
    CrdPlaneMass *plane_masses;
    CrdJointData *joints; /* by element */
    double *coefficients; /* by term */
    double *tracked;      /* tracked_count: where numbers with memory start */
    CrdForceData *forces;
    CrdMarker *markers;
    double *q0, *v0; /* start as written */
    double *z0;      /* first_order */
    double *parameters;
    CrdRowUnit *row_units; /* rows; of joints and couplers: what others are in, their derivatives tell
                            * (equations/row_units.h) */
    bool has_units;        /* all rows are those of joints and couplers */
    double size;           /* m; the mechanism's own, wherever it stands: the scale of residuals */
    double far;            /* m; longest vector in its rows: the scale of rounding (size.h) */
    double span;           /* m; largest distance of a joint's place from the middle of those of its body */
} CrdValues;

struct CardanModel {
    atomic_int references;
    CrdStructure *structure;
    CrdValues values;
    CrdDescription *description;
    CardanModel *absolute; /* of a relative model: whose description and numbers of elements it uses; NULL: its own */
};

/* A model of a structure, which it shares, and a description, which it takes over in any case. */
CardanStatus crd_model_create(CrdStructure *structure, CrdDescription *description, CardanModel **out, CrdError *error);

/* Structure of a checked description. */
CardanStatus crd_structure_create(const CrdDescription *description, CrdStructure **out, CrdError *error);
void crd_structure_release(CrdStructure *structure);

/* Elimination order, S pattern and products; elements must be numbered as in the description before. */
CardanStatus crd_structure_order(CrdStructure *structure, CrdError *error);

/* Compiles the laws of drives; elements must know theirs. */
CardanStatus crd_structure_drives(CrdStructure *structure, const CrdDescription *description, CrdError *error);

/* Compiles the laws of forces. */
CardanStatus crd_structure_laws(CrdStructure *structure, const CrdDescription *description, CrdError *error);

/* Numbers the first-order states: before the laws, which may use them. */
CardanStatus crd_structure_states(CrdStructure *structure, const CrdDescription *description, CrdError *error);

/* Numbers the switches of forces and lists what each force touches: after the laws. */
CardanStatus crd_structure_forces(CrdStructure *structure, const CrdDescription *description, CrdError *error);

/* Numbers the switches of drives and user events after those of forces and says of all what they are. */
CardanStatus crd_structure_switches(CrdStructure *structure, const CrdDescription *description, CrdError *error);

/* Where the parts of the variables of laws start, and how many there are. */
int crd_law_states(const CrdStructure *structure);
int crd_law_measures(const CrdStructure *structure);
int crd_law_variables(const CrdStructure *structure);

/* Middle of the joints' places of each body, and the span: the numbers of joints must be there. */
CardanStatus crd_resolve_span(const CrdStructure *structure, CrdValues *values, CrdError *error);

/* The numbers of one force, given the frames of the pose as written. */
CrdForceData crd_resolve_force(const CrdDescription *description, const CrdForceDesc *force, const CardanFrame *frames);

/* Resolves every number of the description. */
CardanStatus crd_values_create(const CrdStructure *structure, const CrdDescription *description, CrdValues *out,
                               CrdError *error);
void crd_values_free(CrdValues *values);

/* Frames of the ground and of bodies in the pose as written; custom frames by their callback. */
CardanStatus crd_start_frames(const CrdStructure *structure, const CrdDescription *description, const CrdValues *values,
                              CardanFrame *frames, CrdError *error);

/* Has a joint's element this measure? */
bool crd_element_has(const CrdElement *element, const CrdMeasureRecord *measure);

/* The measure a name stands for, and of what; false: there is none. */
bool crd_find_measure(const CrdDescription *description, const CrdStructure *structure, const char *name, size_t length,
                      CrdLawMeasure *out);

/* What a force does, which depends on its own laws if it has any: known after all else that laws read. */
bool crd_is_dynamic(const CrdDescription *description, const CrdLawMeasure *law_measure);

/* Does a force load this frame? Known before its lists are. */
bool crd_force_loads(const CrdStructure *structure, const CrdDescription *description, int force, int frame);

/* Frame number i of those that a measure laws may read depends on; -1: there are no more. */
int crd_measured_frame(const CardanModel *model, const CrdLawMeasure *it, int i);

/* The last body of a force, whose wrench is told when no other is asked for; 0: it loads the ground alone. */
int crd_last_frame(const CrdStructure *structure, int force);

/* The name of an element: its joint's, or its block's. */
const char *crd_element_name(const CardanModel *model, int element);

/* The joint's element of the description (index from 0), and the frames of its sides a and b. */
int crd_element_frame(const CrdStructure *structure, int element, int side);

/* Writes sentence of error, with its place, to message; returns its status. */
CardanStatus crd_tell(const CrdError *error, const char *file, char *message, size_t size);

#endif
