/* What an object of a model has: one table of fields for each kind of joint, force and body, in the file that owns it.
 * The reader, the checks, cardan_builder_bind, the conversion of definitions and the format reference walk these
 * tables; nothing else knows the keys of a model file.
 *
 * A key with a dot ("plane.normal") is one of a mapping, one with a bracket ("points[0]") one of a list; the rows of a
 * mapping or list stand together. Rows stand in the order in which a model file is read. */
#ifndef CRD_CORE_FIELD_H
#define CRD_CORE_FIELD_H

#include "cardan/types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What stands behind a key. */
typedef enum CrdHolds {
    CRD_HOLDS_NUMBERS = 0, /* count numbers */
    CRD_HOLDS_PAIR,        /* two numbers, or one for both */
    CRD_HOLDS_POINT,       /* a vector that says where a joint sits in the bodies of `sides` */
    CRD_HOLDS_AXIS,        /* a direction that a joint has in the bodies of `sides` */
    CRD_HOLDS_DRIVEN,      /* a number, or a law in `variable` */
    CRD_HOLDS_VALUE,       /* numbers, each of which may be a law in the state */
    CRD_HOLDS_LAW,         /* a law in x, v and the state */
    CRD_HOLDS_TARGET,      /* a law in the time */
    CRD_HOLDS_PATH,        /* count laws in `variable` */
    CRD_HOLDS_BODY,        /* a body; int */
    CRD_HOLDS_BODIES,      /* two bodies; int[2] */
    CRD_HOLDS_POINTS,      /* any number of [body, point] */
    CRD_HOLDS_BODY_LIST,   /* any number of bodies */
    CRD_HOLDS_JOINT,       /* a joint; int, from 1 */
    CRD_HOLDS_COORDINATE,  /* angle, displacement or length of that joint; int */
    CRD_HOLDS_TERMS,       /* {joint: coefficient, ...} */
    CRD_HOLDS_FRAME,       /* ground or body; bool */
    CRD_HOLDS_FLAG,        /* true or false; bool */
    CRD_HOLDS_SHAPE,       /* inertia: a number, a list or a shape, by the rows that follow */
    CRD_HOLDS_WORD,        /* one of a few words */
    CRD_HOLDS_GEOMETRY,    /* what the viewer draws */
    CRD_HOLDS_POINTER      /* of a program's definition only: a callback or what it is handed */
} CrdHolds;

typedef enum CrdNeed {
    CRD_OPTIONAL = 0,   /* absent: zeros, or what `fallback` says */
    CRD_MAYBE,          /* absence is told apart from zero, and the rule holds only for what is given */
    CRD_REQUIRED,       /* also of the mapping it stands in */
    CRD_REQUIRED_INSIDE /* when its mapping is there */
} CrdNeed;

/* All numbers are finite besides. */
typedef enum CrdRule {
    CRD_ANY = 0,
    CRD_NOT_NEGATIVE,
    CRD_POSITIVE,
    CRD_AT_LEAST_ONE,
    CRD_UPWARDS,   /* the second number is larger than the first */
    CRD_DIRECTION, /* any length but 0 */
    CRD_MOVES,     /* a body: not the ground */
    CRD_TURNS      /* a body: not a particle; a single one not the ground either */
} CrdRule;

enum { CRD_SIDE_A = 1, CRD_SIDE_B = 2, CRD_BOTH_SIDES = 3 };

typedef struct CrdField {
    const char *key;
    CrdHolds holds;
    int count[2]; /* numbers (laws) in planar, spatial models; 0: not there. Of what holds none: 1 */
    CrdNeed need;
    CrdRule rule;
    const char *unit;     /* NULL: none */
    const char *fallback; /* what absence means, for the reader of the manual; NULL: it must be there, or 0 */
    const char *doc;      /* one sentence */
    size_t own;           /* where it is kept: bytes from the start of the object's numbers */
    size_t def;           /* where a program's definition has it */
    size_t flag;          /* where that says whether it is given; 0: when it is not 0 */
    size_t law;           /* where that has the text of the law; 0: nowhere */
    double otherwise;     /* the number when it is absent */
    int form;             /* only objects of this form have it; 0: all */
    int component;        /* VALUE: number of the first component */
    int sides;            /* POINT, AXIS: CRD_SIDE_... */
    int unread;           /* AXIS: of these, those whose direction no row of the joint reads: it may be missing there */
    bool local;           /* POINT, AXIS: in the body's own axes */
    char variable;        /* DRIVEN, PATH: t or s */
    const char *missing;  /* what to ask when it is not there, after "the key 'x' is missing"; NULL: nothing */
} CrdField;

typedef struct CrdFieldTable {
    const CrdField *fields;
    int count;
} CrdFieldTable;

#define CRD_FIELDS(rows)                                                                                               \
    { rows, (int)(sizeof(rows) / sizeof(rows)[0]) }

/* Numbers in planar and in spatial models. */
#define CRD_COUNT(planar, spatial)                                                                                     \
    { planar, spatial }
/* A row that stands in a macro. */
#define CRD_ROW(...)                                                                                                   \
    { __VA_ARGS__ }
#define CRD_ONE CRD_COUNT(1, 1)
#define CRD_VECTOR CRD_COUNT(2, 3)
#define CRD_IN_SPACE CRD_COUNT(0, 3)

enum { CRD_NUMBERS_ROOM = 64, CRD_WRITTEN_ROOM = 34, CRD_TABLE_ROOM = 40 };

/* Room for the numbers of any one joint or force, laid out by the file that owns it. */
typedef union CrdNumbers {
    double number[CRD_NUMBERS_ROOM];
    void *aligned;
} CrdNumbers;

/* The first of them: what is written stands before what is made of it. Large models have one of these a joint. */
typedef union CrdWrittenNumbers {
    double number[CRD_WRITTEN_ROOM];
    void *aligned;
} CrdWrittenNumbers;

#define CRD_FITS(type) _Static_assert(sizeof(type) <= sizeof(CrdWrittenNumbers), "CRD_WRITTEN_ROOM is too small")
/* Of numbers whose member `made` and those after it are made when a model is compiled. */
#define CRD_FITS_WHEN_MADE(type, made)                                                                                 \
    _Static_assert(offsetof(type, made) <= sizeof(CrdWrittenNumbers), "CRD_WRITTEN_ROOM is too small");                \
    _Static_assert(sizeof(type) <= sizeof(CrdNumbers), "CRD_NUMBERS_ROOM is too small")

/* An object as it was written. */
typedef struct CrdWritten {
    CardanSpace space;
    CrdFieldTable table;
    uint64_t given; /* bit i: row i of the table */
    const void *numbers;
} CrdWritten;

/* What a record has against the numbers written. */
typedef struct CrdObjection {
    const char *key; /* "": the object as a whole */
    char text[160];
} CrdObjection;

/* The row of that key, for objects of this form; NULL: none. */
const CrdField *crd_field_find(CrdFieldTable table, const char *key, int form);

/* The first row that holds this, likewise. */
const CrdField *crd_field_holding(CrdFieldTable table, CrdHolds holds, int form);

/* Was it given? false too when there is no such row. */
bool crd_given(const CrdWritten *written, const char *key);

/* Is the field there in this space and for objects of this form? */
static inline bool crd_field_there(const CrdField *field, CardanSpace space, int form) {
    return field->count[space] > 0 && (field->form == 0 || field->form == form);
}

/* Does it hold numbers that may be bound to expressions? */
static inline bool crd_field_has_numbers(const CrdField *field) {
    return field->holds <= CRD_HOLDS_VALUE || field->holds == CRD_HOLDS_SHAPE;
}

static inline const double *crd_field_numbers(const CrdField *field, const void *numbers) {
    return (const double *)(const void *)((const unsigned char *)numbers + field->own);
}

#endif
