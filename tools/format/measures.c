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
    static const char *const SOME[] = {[CRD_HAS_COORDINATE] = "those with a coordinate",
                                       [CRD_HAS_COORDINATE2] = "those with two",
                                       [CRD_HAS_EFFORT] = "drivers of a coordinate, couplers, distances with a law",
                                       [CRD_HAS_POWER] = "the same and drivers along a path",
                                       [CRD_HAS_COMPLIANCE] = "compliant ones"};
    bool by_kind = measure->coordinate != CARDAN_COORDINATE_NONE ||
                   (measure->has >= CRD_HAS_TURN && measure->has <= CRD_HAS_CURVE);
    text[0] = '\0';
    if (!by_kind) append(text, "", measure->has == CRD_ANY_JOINT ? "all" : SOME[measure->has]);
    for (int i = 0; i < CARDAN_JOINT_TYPES && by_kind; i++)
        if (crd_joint_kind(i) != NULL && crd_kind_has(crd_joint_kind(i), measure) &&
            ((measure->space[0] && crd_joint_kind(i)->space[0]) || (measure->space[1] && crd_joint_kind(i)->space[1])))
            append(text, text[0] == '\0' ? "" : ", ", crd_joint_kind(i)->name);
}

static void list_bodies(const CrdMeasureRecord *measure, char *text) {
    text[0] = '\0';
    append(text, "", measure->space[0] && measure->space[1] ? "all" : measure->space[0] ? "planar" : "spatial");
    if (measure->orientation) append(text, "", ", no particles");
    if (measure->of == CRD_OF_BODY) append(text, "", ", no markers");
}

/* Columns a measure of several numbers makes. */
static void list_parts(const CrdMeasureRecord *measure, char *text) {
    text[0] = '\0';
    if (measure->part[1][0] == NULL) return;
    bool same = measure->width[0] == measure->width[1];
    for (int space = same ? 1 : 0; space < 2; space++) {
        if (measure->part[space][0] == NULL) continue; /* one number */
        append(text, text[0] == '\0' ? "" : "; ", same ? "" : space == 0 ? "planar " : "spatial ");
        for (int k = 0; k < measure->width[space]; k++) {
            append(text, k == 0 ? "`." : " `.", measure->part[space][k]);
            append(text, "", "`");
        }
    }
}

static void print_measures(CrdMeasureOf of, const char *before, const char *after) {
    for (int i = 0; i < CRD_MEASURES; i++) {
        const CrdMeasureRecord *measure = &crd_measures[i];
        char name[64], owners[CELL] = "", parts[CELL], meaning[2 * CELL], unit[64];
        if ((measure->of & of) == 0 || measure->name == NULL) continue;
        snprintf(name, sizeof name, "`%s%s%s`", before, measure->name, after);
        const char *second = measure->moment != NULL ? measure->moment : measure->angular;
        snprintf(unit, sizeof unit, "%s%s%s", measure->unit != NULL ? measure->unit : "1",
                 second == NULL            ? ""
                 : measure->moment != NULL ? ", "
                                           : " or ",
                 second != NULL ? second : "");
        if (of == CRD_OF_JOINT) list_joints(measure, owners);
        if (of == CRD_OF_BODY || of == CRD_OF_PAIR) list_bodies(measure, owners);
        if (of == CRD_OF_FORCE) snprintf(owners, sizeof owners, "all");
        list_parts(measure, parts);
        snprintf(meaning, sizeof meaning, "%s%s%s", measure->summary, parts[0] != '\0' ? ": columns " : "", parts);
        print_row((const char *const[]){name, unit, owners, measure->in_laws ? "yes" : "no", meaning}, 5);
    }
}

static const char *const HEAD[] = {"measure", "unit", "of", "in laws", "meaning"};

void print_body_measures(void) {
    print_head(HEAD, 5);
    print_measures(CRD_OF_BODY, "BODY.", "");
    print_measures(CRD_OF_PAIR, "", "(PLACE, PLACE)");
}

void print_joint_measures(void) {
    print_head(HEAD, 5);
    print_measures(CRD_OF_JOINT, "JOINT.", "");
}

/* What the record of each force offers. */
void print_force_measures(void) {
    print_head(HEAD, 5);
    for (int i = 0; i < CARDAN_FORCE_TYPES; i++) {
        const CrdForceKind *kind = crd_force_kind(i);
        for (int k = 0; kind != NULL && k < kind->offers.count; k++) {
            const CrdOffer *offer = &kind->offers.rows[k];
            char name[64], unit[64], owner[64];
            snprintf(name, sizeof name, "`FORCE.%s`", offer->name);
            snprintf(unit, sizeof unit, "%s%s%s", offer->unit, offer->angular != NULL ? " or " : "",
                     offer->angular != NULL ? offer->angular : "");
            snprintf(owner, sizeof owner, "%s%s", kind->name, offer->spatial ? ", spatial" : "");
            print_row((const char *const[]){name, unit, owner, "yes", offer->summary}, 5);
        }
    }
    print_measures(CRD_OF_FORCE, "FORCE.", "");
}

void print_model_measures(void) {
    print_head(HEAD, 5);
    print_measures(CRD_OF_MODEL, "", "");
}
