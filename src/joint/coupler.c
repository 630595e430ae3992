/* Coupler: gears, belts, rack and pinion.
 *     sum c_i coordinate_i - value = 0             1 / 1 row, made of the coordinates of other joints by
 * equations/element.c. The value is a number or a law in t. */
#include "joint/records.h"

static const CrdField FIELDS[] = {
    {"joints", CRD_HOLDS_TERMS, CRD_ONE, CRD_REQUIRED, .def = offsetof(CardanJointDef, term),
     .flag = offsetof(CardanJointDef, terms),
     .doc = "{J1: c1, J2: c2, ...}: whose coordinates are added up; J.angle, J.displacement of a joint with both."},
    {"value", CRD_HOLDS_DRIVEN, CRD_ONE, .fallback = "0", CRD_AT(value, value), .law = offsetof(CardanJointDef, law),
     .variable = 't', .doc = "What the sum is kept at: a number or an expression in t."},
    CRD_ROWS_LAST,
};

const CrdJointKind crd_coupler = {
    .name = "coupler",
    .doc = "Gears, belts, rack and pinion: the sum of c times coordinate over joints equals a value.",
    .fields = CRD_FIELDS(FIELDS),
    .space = {true, true},
};
