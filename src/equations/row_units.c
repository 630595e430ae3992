#include "equations/row_units.h"

#include "core/numbers.h"
#include "equations/element.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

CrdAllowed crd_part_of_size(const CardanModel *model, double part) {
    return (CrdAllowed){part * model->values.size, part, NULL};
}

/* How many of a block's velocities, the first, are lengths a second. */
static int lengths_of(const CrdStructure *structure, int block) {
    return crd_block_lengths(structure, &structure->blocks[block]);
}

static inline double larger(double max, double x) {
    return fabs(x) > max ? fabs(x) : max;
}

CrdAllowed crd_speeds(const CardanModel *model, const double *v) {
    const CrdStructure *structure = model->structure;
    CrdAllowed max = {0.0, 0.0, NULL};
    for (int b = 0; b < structure->block_count; b++) {
        const CrdBlock *block = &structure->blocks[b];
        bool custom = block->kind == CRD_CUSTOM_BLOCK;
        int lengths = custom ? block->nv : crd_block_lengths(structure, block);
        const double *x = v + block->v;
        for (int k = 0; k < lengths; k++) max.length = larger(max.length, x[k]);
        for (int k = custom ? 0 : lengths; k < block->nv; k++) max.angle = larger(max.angle, x[k]);
    }
    return max;
}

/* |G_ij| over lengths and over the rest: sums, and the largest. */
typedef struct Derivatives {
    CrdRowUnit sum, max;
} Derivatives;

static Derivatives derivatives_of(const CrdStructure *structure, const CrdSystem *system, const CrdElement *element,
                                  int row) {
    Derivatives out = {{0.0, 0.0}, {0.0, 0.0}};
    for (int i = element->incidence; i < element->incidence + element->incidences; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        const double *piece = system->G + in->g + (row - element->first) * in->width;
        int lengths = lengths_of(structure, in->block);
        for (int k = 0; k < in->width; k++) {
            double size = fabs(piece[k]);
            double *sum = k < lengths ? &out.sum.length : &out.sum.angle,
                   *max = k < lengths ? &out.max.length : &out.max.angle;
            *sum += size;
            *max = fmax(*max, size);
        }
    }
    return out;
}

static bool has_unit(const CrdElement *element) {
    return element->type == CRD_ELEMENT_JOINT || element->type == CRD_ELEMENT_COUPLER;
}

/* Derivatives above 1 do not make a row of users worth more: what a tolerance is given for is not known. */
static CrdRowUnit unit_of(const CardanModel *model, const CrdSystem *system, const CrdElement *element, int row) {
    if (has_unit(element)) return model->values.row_units[row];
    CrdRowUnit unit = derivatives_of(model->structure, system, element, row).max;
    double largest = fmax(1.0, fmax(unit.length, unit.angle));
    return (CrdRowUnit){unit.length / largest, unit.angle / largest};
}

double crd_allowed_row(const CardanModel *model, const CrdSystem *system, int element, int row, CrdAllowed allowed) {
    const CrdElement *e = &model->structure->elements[element];
    assert(row >= e->first && row < e->first + e->rows);
    CrdRowUnit unit = unit_of(model, system, e, row);
    double open = allowed.open != NULL ? allowed.open[element] : 0.0;
    return (allowed.length + open * model->values.size) * unit.length + (allowed.angle + open) * unit.angle;
}

/* ---- excess ---- */

/* What rounding leaves of a row; floors: what the caller keeps of an element. */
typedef double (*Floor)(const void *floors, int element, int row);

static double excess(const CardanModel *model, const CrdSystem *system, const double *rows, CrdAllowed allowed,
                     Floor floor, const void *floors, int *worst) {
    const CrdStructure *structure = model->structure;
    double max = 0.0;
    assert(allowed.length >= 0.0 && allowed.angle >= 0.0 && crd_stamp_holds_residuals(&system->stamp));
    assert(floor == NULL || crd_stamp_holds(&system->stamp, CRD_HOLDS_ROWS));
    for (int e = 0; e < structure->element_count; e++)
        for (int r = structure->elements[e].first; r < structure->elements[e].first + structure->elements[e].rows;
             r++) {
            double size = fabs(rows[r]), unit = crd_allowed_row(model, system, e, r, allowed);
            if (size <= max * unit) continue; /* not so for a NaN */
            if (floor != NULL) unit = fmax(unit, floor(floors, e, r));
            if (size <= max * unit) continue;
            max = size / unit;
            if (worst != NULL) *worst = r;
            if (isnan(max)) return max;
        }
    return max;
}

/* The same where nothing has to be looked up: this is asked in every step. */
static double known_excess(const CardanModel *model, const double *rows, CrdAllowed allowed, int *worst) {
    const CrdRowUnit *unit = model->values.row_units;
    const CrdStructure *structure = model->structure;
    double max = 0.0;
    for (int r = 0; r < structure->rows; r++) {
        double open = allowed.open != NULL ? allowed.open[structure->row_element[r]] : 0.0;
        double size = fabs(rows[r]), one = (allowed.length + open * model->values.size) * unit[r].length +
                                           (allowed.angle + open) * unit[r].angle;
        if (size <= max * one) continue; /* not so for a NaN */
        max = size / one;
        if (worst != NULL) *worst = r;
        if (isnan(max)) return max;
    }
    return max;
}

double crd_rows_excess(const CardanModel *model, const CrdSystem *system, const double *rows, CrdAllowed allowed,
                       int *worst) {
    if (model->values.has_units) return known_excess(model, rows, allowed, worst);
    return excess(model, system, rows, allowed, NULL, NULL, worst);
}

/* ---- rounding of positions ---- */

typedef struct Places {
    const CardanModel *model;
    const CrdSystem *system;
    double far;
} Places;

/* How large the terms are whose difference is a row: |c_i| (|x_i| + far or 1) of a coupler. */
static double coupler_terms(const Places *places, int index) {
    const CardanModel *model = places->model;
    const CrdElement *element = &model->structure->elements[index];
    double sum = fabs(model->values.joints[index].value);
    for (int i = 0; i < element->terms; i++) {
        CrdCoordinate x;
        double c = crd_coupler_term(model, element, i, places->system, &x);
        bool angle = model->structure->terms[element->term + i].coordinate == CARDAN_COORDINATE_ANGLE;
        sum += fabs(c) * (fabs(x.value) + (angle ? 1.0 : places->far));
    }
    return sum;
}

/* Lengths reach as far as the mechanism stands from the origin; angles of bodies count through turns, and so what they
 * turn is known to an ulp of the turns. */
static double position_floor(const void *floors, int element, int row) {
    const Places *places = floors;
    const CrdStructure *structure = places->model->structure;
    const CrdElement *e = &structure->elements[element];
    if (e->type == CRD_ELEMENT_COUPLER) return CRD_RESIDUAL_FLOOR * coupler_terms(places, element);
    double turns = 1.0;
    for (int i = 0; i < e->attachments; i++)
        turns = fmax(turns, fabs(places->system->frames[structure->attachments[e->attachment + i].frame].angle));
    double length = fmax(places->far, places->model->values.size * turns);
    CrdRowUnit unit =
        has_unit(e) ? places->model->values.row_units[row] : derivatives_of(structure, places->system, e, row).sum;
    return CRD_RESIDUAL_FLOOR * (length * unit.length + turns * unit.angle);
}

double crd_position_excess(const CardanModel *model, const CrdSystem *system, CrdAllowed allowed, int *worst) {
    Places places = {model, system, model->values.far};
    for (int i = 0; i < model->structure->frame_count; i++)
        places.far = fmax(places.far, crd_norm(system->frames[i].x));
    return excess(model, system, system->g, allowed, position_floor, &places, worst);
}

/* ---- rounding of velocities ---- */

typedef struct Speeds {
    const CardanModel *model;
    const CrdSystem *system;
    const double *v;
    CrdAllowed speed;
    double noise;
} Speeds;

/* Sum of |G_ij v_j|, or what the mechanism's speed would make of the row. */
static double velocity_floor(const void *floors, int element, int row) {
    const Speeds *speeds = floors;
    const CrdStructure *structure = speeds->model->structure;
    const CrdElement *e = &structure->elements[element];
    double general = crd_allowed_row(speeds->model, speeds->system, element, row, speeds->speed), sum = 0.0;
    for (int i = e->incidence; i < e->incidence + e->incidences; i++) {
        const CrdIncidence *in = &structure->incidences[i];
        const double *piece = speeds->system->G + in->g + (row - e->first) * in->width;
        for (int k = 0; k < in->width; k++) sum += fabs(piece[k] * speeds->v[in->v + k]);
    }
    return CRD_RESIDUAL_FLOOR * speeds->noise * fmax(sum, general);
}

double crd_velocity_excess(const CardanModel *model, const CrdSystem *system, const double *v, CrdAllowed allowed,
                           double noise, int *worst) {
    Speeds speeds = {model, system, v, crd_speeds(model, v), noise};
    return excess(model, system, system->rate, allowed, velocity_floor, &speeds, worst);
}
