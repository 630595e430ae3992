/* Measures: what laws may read and outputs may list. */
#include "fields.h"
#include "format.h"

#include "force/force.h"
#include "joint/joint.h"
#include "measure/measure.h"

#include <stdio.h>
#include <string.h>

/* Kinds of joints that have the measure. */
static void list_joints(const CrdMeasureRecord *measure, char *text) {
    text[0] = '\0';
    if (measure->effort) append(text, "", "drivers of a coordinate, couplers, distances with a law");
    if (measure->power) append(text, "", "the same and drivers along a path, unless compliant");
    if (measure->coordinate == CARDAN_COORDINATE_NONE && text[0] == '\0') append(text, "", "all");
    for (int i = 0; i < CARDAN_JOINT_TYPES && measure->coordinate != CARDAN_COORDINATE_NONE; i++)
        if (crd_joint_kind(i) != NULL && crd_joint_has(crd_joint_kind(i), measure->coordinate))
            append(text, text[0] == '\0' ? "" : ", ", crd_joint_kind(i)->name);
}

static void list_forces(char *text) {
    text[0] = '\0';
    for (int i = 0; i < CARDAN_FORCE_TYPES; i++)
        if (crd_force_kind(i) != NULL && crd_force_kind(i)->length != NULL)
            append(text, text[0] == '\0' ? "" : ", ", crd_force_kind(i)->name);
}

static void list_bodies(const CrdMeasureRecord *measure, char *text) {
    text[0] = '\0';
    append(text, "", measure->space[0] && measure->space[1] ? "all" : measure->space[0] ? "planar" : "spatial");
    if (measure->orientation) append(text, "", ", no particles");
}

/* Columns a measure of several numbers makes. */
static void list_parts(const CrdMeasureRecord *measure, char *text) {
    text[0] = '\0';
    if (measure->part[0][0] == NULL) return;
    bool same = measure->width[0] == measure->width[1];
    for (int space = 0; space < (same ? 1 : 2); space++) {
        append(text, space == 0 ? "" : "; spatial ", same || space == 1 ? "" : "planar ");
        for (int k = 0; k < measure->width[space]; k++) {
            append(text, k == 0 ? "`." : " `.", measure->part[space][k]);
            append(text, "", "`");
        }
    }
}

static void print_measures(CrdMeasureOf of, const char *object) {
    static const char *const HEAD[] = {"measure", "unit", "of", "in laws", "meaning"};
    print_head(HEAD, 5);
    for (int i = 0; i < CRD_MEASURES; i++) {
        const CrdMeasureRecord *measure = &crd_measures[i];
        char name[64], owners[CELL] = "", parts[CELL], meaning[2 * CELL];
        if (measure->of != of) continue;
        snprintf(name, sizeof name, "`%s%s`", object, measure->name);
        if (of == CRD_OF_JOINT) list_joints(measure, owners);
        if (of == CRD_OF_BODY) list_bodies(measure, owners);
        if (of == CRD_OF_SPRING) list_forces(owners);
        list_parts(measure, parts);
        snprintf(meaning, sizeof meaning, "%s%s%s", measure->summary, parts[0] != '\0' ? ": columns " : "", parts);
        print_row((const char *const[]){name, measure->unit, owners, measure->in_laws ? "yes" : "no", meaning}, 5);
    }
}

void print_body_measures(void) {
    print_measures(CRD_OF_BODY, "BODY.");
}

void print_joint_measures(void) {
    print_measures(CRD_OF_JOINT, "JOINT.");
}

void print_force_measures(void) {
    print_measures(CRD_OF_SPRING, "FORCE.");
}

void print_model_measures(void) {
    print_measures(CRD_OF_MODEL, "");
}
