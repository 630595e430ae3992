/* Joints, forces, bodies and the section start: their types and keys. Keys of joints are mostly shared, so they stand
 * in one table with the types that have them; each force has a table of its own. */
#include "build/fields.h"
#include "build/marker.h"
#include "fields.h"
#include "force/force.h"
#include "format.h"
#include "joint/joint.h"

#include <stdio.h>
#include <string.h>

void print_body_keys(void) {
    print_fields(crd_body_fields());
}

void print_marker_keys(void) {
    print_fields(crd_marker_fields());
}

void print_start_keys(void) {
    print_fields(crd_start_fields());
}

/* ---- joints ---- */

static bool holds(const CrdJointKind *kind, CrdHolds what) {
    for (int i = 0; i < kind->fields.count; i++)
        if (kind->fields.fields[i].holds == what) return true;
    return false;
}

/* How many rows, and how many of them are nonholonomic; of drivers and couplers one for the coordinates. */
static void rows_cell(const CrdJointKind *kind, CardanSpace space, char *cell) {
    int rows = crd_joint_rows(kind, space), holonomic = crd_joint_holonomic_rows(kind, space);
    cell[0] = '\0';
    if (!kind->space[space])
        append(cell, "", "-");
    else if (holds(kind, CRD_HOLDS_TERMS))
        append(cell, "", "1");
    else if (holds(kind, CRD_HOLDS_JOINT))
        snprintf(cell, CELL, "1; path %d", rows);
    else if (holonomic < rows)
        snprintf(cell, CELL, "%d (%d nonholonomic)", rows, rows - holonomic);
    else
        snprintf(cell, CELL, "%d", rows);
}

static void coordinates_cell(const CrdJointKind *kind, char *cell) {
    static const char *const WORDS[] = {"", "`angle`", "`displacement`", "`length`"};
    cell[0] = '\0';
    for (int k = 0; k < CRD_JOINT_COORDINATES && kind->coordinates[k] != CARDAN_COORDINATE_NONE; k++)
        append(cell, k == 0 ? "" : ", ", WORDS[kind->coordinates[k]]);
}

static const char *particles_word(const CrdJointKind *kind) {
    bool planar = kind->particles[CARDAN_SPACE_PLANAR], spatial = kind->particles[CARDAN_SPACE_SPATIAL];
    if (planar != spatial && kind->space[CARDAN_SPACE_PLANAR] && kind->space[CARDAN_SPACE_SPATIAL])
        return planar ? "planar" : "spatial";
    return planar || spatial ? "yes" : "no";
}

void print_joints(void) {
    static const char *const HEAD[] = {"type", "", "rows, planar", "rows, spatial", "coordinates", "of particles"};
    print_head(HEAD, 6);
    for (int i = 0; i < CARDAN_JOINT_TYPES; i++) {
        const CrdJointKind *kind = crd_joint_kind(i);
        char name[64], planar[CELL], spatial[CELL], coordinates[CELL];
        if (kind == NULL) continue;
        snprintf(name, sizeof name, "`%s`", kind->name);
        rows_cell(kind, CARDAN_SPACE_PLANAR, planar);
        rows_cell(kind, CARDAN_SPACE_SPATIAL, spatial);
        coordinates_cell(kind, coordinates);
        print_row((const char *const[]){name, kind->doc, planar, spatial, coordinates, particles_word(kind)}, 6);
    }
}

/* ---- keys of joints ---- */

static bool same_text(const char *a, const char *b) {
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* A field of a kind of joints. */
typedef struct Row {
    const CrdJointKind *kind;
    const CrdField *field;
} Row;

/* Do two of them say the same? */
static bool same_row(Row a, Row b) {
    char value_a[CELL], value_b[CELL], default_a[CELL], default_b[CELL];
    if (strcmp(a.field->key, b.field->key) != 0 || !same_text(a.field->unit, b.field->unit) ||
        !same_text(a.field->doc, b.field->doc))
        return false;
    value_cell(a.field, value_a);
    value_cell(b.field, value_b);
    default_cell(a.kind->fields, a.field, default_a);
    default_cell(b.kind->fields, b.field, default_b);
    return strcmp(value_a, value_b) == 0 && strcmp(default_a, default_b) == 0;
}

static bool has_same(const CrdJointKind *kind, Row row) {
    for (int i = 0; i < kind->fields.count; i++)
        if (same_row((Row){kind, &kind->fields.fields[i]}, row)) return true;
    return false;
}

/* The types that have it, or the others when they are fewer. */
static void owners_cell(Row row, char *cell) {
    char with[CELL] = "", without[CELL] = "";
    int owners = 0, others = 0;
    for (int i = 0; i < CARDAN_JOINT_TYPES; i++) {
        const CrdJointKind *kind = crd_joint_kind(i);
        if (kind == NULL) continue;
        if (has_same(kind, row))
            append(with, owners++ > 0 ? ", " : "", kind->name);
        else
            append(without, others++ > 0 ? ", " : "", kind->name);
    }
    cell[0] = '\0';
    if (owners < others)
        append(cell, "", with);
    else
        append(cell, others > 0 ? "all but " : "all", without);
}

static void print_joint_row(Row row) {
    char key[64], owners[CELL], value[CELL], otherwise[CELL];
    snprintf(key, sizeof key, "`%s`", row.field->key);
    owners_cell(row, owners);
    value_cell(row.field, value);
    default_cell(row.kind->fields, row.field, otherwise);
    print_row((const char *const[]){key, owners, value, row.field->unit, otherwise, row.field->doc}, 6);
}

enum { ROWS = 400 };

/* Each different row once, in the order of the types. */
static int collect_rows(Row *rows) {
    int count = 0;
    for (int i = 0; i < CARDAN_JOINT_TYPES; i++) {
        const CrdJointKind *kind = crd_joint_kind(i);
        for (int k = 0; kind != NULL && k < kind->fields.count; k++) {
            Row row = {kind, &kind->fields.fields[k]};
            bool fresh = in_files(row.field);
            for (int r = 0; r < count && fresh; r++) fresh = !same_row(rows[r], row);
            if (fresh && count < ROWS) rows[count++] = row;
        }
    }
    return count;
}

/* Rows of one key stand together. */
void print_joint_keys(void) {
    static const char *const HEAD[] = {"key", "of", "value", "unit", "default", "meaning"};
    Row rows[ROWS];
    int count = collect_rows(rows);
    print_head(HEAD, 6);
    for (int i = 0; i < count; i++) {
        const char *key = rows[i].field->key;
        bool before = false;
        for (int r = 0; r < i && !before; r++) before = strcmp(rows[r].field->key, key) == 0;
        for (int r = i; r < count && !before; r++)
            if (strcmp(rows[r].field->key, key) == 0) print_joint_row(rows[r]);
    }
}

/* ---- forces ---- */

void print_forces(void) {
    static const char *const HEAD[] = {"type", ""};
    print_head(HEAD, 2);
    for (int i = 0; i < CARDAN_FORCE_TYPES; i++) {
        const CrdForceKind *kind = crd_force_kind(i);
        char name[64];
        if (kind == NULL || kind->name == NULL) continue;
        snprintf(name, sizeof name, "`%s`", kind->name);
        print_row((const char *const[]){name, kind->doc}, 2);
    }
}

void print_force_keys(void) {
    bool first = true;
    for (int i = 0; i < CARDAN_FORCE_TYPES; i++) {
        const CrdForceKind *kind = crd_force_kind(i);
        if (kind == NULL || kind->name == NULL) continue;
        printf("%s**`%s`**\n\n", first ? "" : "\n", kind->name);
        print_fields(kind->fields);
        first = false;
    }
}
