/* Channels are smooth inside a step, so where many rows of one are asked for a few nodes tell all others
 * (core/chebyshev.h), if the last coefficients of each column are small. A probe at a row of its own is what those
 * cannot deceive. States at nodes are closed to a small part of a tolerance, so that what rows by themselves may be
 * open by does not look like a rough function. */
#include "sim/series.h"

#include "core/chebyshev.h"
#include "core/two.h"
#include "equations/measures.h"
#include "sim/refuse.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Part of a tolerance that the last coefficients, and the probe, may be off by. */
#define CRD_SERIES_PART 0.25

/* Nodes, and rows from which they pay; first few, and those between them, too, where their coefficients promise that
 * these do. */
enum { LEVELS = 2 };
static const struct { int nodes, rows; } LEVEL[LEVELS] = {{9, 24}, {CRD_NODES_MOST, 64}};

/* Numbers of rows, one row after another: those of channels, or of states. */
typedef struct Table {
    int width;
    double *at;
} Table;

/* The last step as [-1, 1]. */
static double time_of(const CrdStepper *stepper, double x) {
    return stepper->t_old + 0.5 * (stepper->t - stepper->t_old) * (1.0 + x);
}

/* Of a node, or of the probe behind them. The last is the end of the step itself. */
static double time_of_node(const CrdStepper *stepper, const CrdNodes *nodes, int j) {
    if (j == nodes->count - 1) return stepper->t;
    return time_of(stepper, j < nodes->count ? nodes->x[j] : nodes->probe);
}

static double place_of(const CrdStepper *stepper, double t) {
    return (t - stepper->t_old) / (0.5 * (stepper->t - stepper->t_old)) - 1.0;
}

/* ---- rows by themselves ---- */

static CardanStatus read_row(CardanSim *sim, const CrdAsked *asked, double t, double *values, double *state) {
    const CrdStepper *stepper = &sim->integrator.stepper;
    CRD_TRY(crd_sim_sample(sim, t, asked, values));
    if (state != NULL) memcpy(state, t == stepper->t ? stepper->y : sim->scratch, (size_t)stepper->n * sizeof *state);
    return CARDAN_OK;
}

static CardanStatus read_rows(CardanSim *sim, const CrdManyRows *rows, const CrdAsked *asked, int first, int end,
                              const double *t) {
    size_t columns = (size_t)rows->columns, n = (size_t)sim->integrator.stepper.n;
    for (int i = first; i < end; i++)
        CRD_TRY(read_row(sim, asked, t[i - first], rows->values + (size_t)i * columns,
                         rows->states != NULL ? rows->states + (size_t)i * n : NULL));
    return CARDAN_OK;
}

/* Every other node stands in the first rows and the probe between them behind (core/chebyshev.h), where it is a node
 * now: they go to their places. */
static void make_room(const Table *table, const CrdNodes *half) {
    const size_t width = (size_t)table->width;
    assert(half->count % 2 == 1);
    for (int j = half->count - 1; table->at != NULL && j > 0; j--)
        memcpy(table->at + 2 * (size_t)j * width, table->at + (size_t)j * width, width * sizeof *table->at);
}

/* The first rows become those of the nodes, the one behind them that of the probe; half: of nodes that were read and
 * their probe, else NULL. */
static CardanStatus read_nodes(CardanSim *sim, const CrdManyRows *rows, const CrdNodes *nodes, const CrdNodes *half) {
    const CrdStepper *stepper = &sim->integrator.stepper;
    CrdAsked closed = *rows->asked;
    closed.closing = &crd_close_node;
    if (half != NULL) {
        make_room(&(Table){rows->columns, rows->values}, half);
        make_room(&(Table){sim->integrator.stepper.n, rows->states}, half);
    }
    for (int j = 0; j <= nodes->count; j++) {
        bool known = half != NULL && j < nodes->count && (j % 2 == 0 || j == half->count);
        double t = time_of_node(stepper, nodes, j);
        if (!known) CRD_TRY(read_rows(sim, rows, &closed, j, j + 1, &t));
    }
    return CARDAN_OK;
}

/* ---- do they tell all others? ---- */

/* Of some columns: the largest number, and in tolerances the last coefficients and what the probe is off by. */
typedef struct Look {
    double largest, last, probe;
} Look;

/* The larger, or a NaN. */
static double worse(double a, double b) {
    return isnan(a) || a >= b ? a : b;
}

static double at_node(const Table *table, int node, int column) {
    return table->at[(size_t)node * (size_t)table->width + (size_t)column];
}

static void look_at(const CrdNodes *nodes, const Table *table, int column, Look *look) {
    double value = 0.0, last[2] = {0};
    for (int j = 0; j < nodes->count; j++) {
        double f = at_node(table, j, column);
        value += nodes->share[j] * f;
        look->largest = fmax(look->largest, fabs(f));
        for (int k = 0; k < 2; k++) last[k] += nodes->last[k][j] * f;
    }
    for (int k = 0; k < 2; k++) look->last = worse(look->last, fabs(last[k]));
    look->probe = worse(look->probe, fabs(value - at_node(table, nodes->count, column)));
}

/* So many tolerances are left out; NaN where they are not known. `promise`: of more nodes, by the rate at which
 * coefficients fall. */
typedef struct Left {
    double now, promise;
} Left;

static void leave(Left *left, const Look *look, double tolerance) {
    double now = worse(look->last, look->probe) / tolerance;
    left->now = worse(left->now, now);
    left->promise = worse(left->promise, look->largest > 0.0 ? now * (look->last / look->largest) : now);
}

/* What numbers may be off by, by their unit. */
typedef struct Allowed {
    CrdAllowed places, rates;
    const CrdTolerance *tolerance;
} Allowed;

static Allowed allowed_of(const CardanSim *sim) {
    const CrdIntegrator *integrator = &sim->integrator;
    const CrdTolerance *tolerance = &integrator->stabiliser.tolerance;
    const double *v = crd_integrator_v(integrator, integrator->stepper.y);
    return (Allowed){crd_tolerated_positions(tolerance, sim->model, 1.0),
                     crd_tolerated_rates(tolerance, sim->model, v, 1.0), tolerance};
}

/* A unit without a tolerance has the relative one of its numbers alone. */
static double allowed_in(const Allowed *allowed, const char *unit, double largest) {
    double relative = allowed->tolerance->relative * largest;
    const struct {
        const char *unit;
        double size;
    } units[] = {{"m", allowed->places.length},   {"rad", allowed->places.angle},
                 {"1", allowed->places.angle},    {"m/s", allowed->rates.length},
                 {"rad/s", allowed->rates.angle}, {"J", allowed->tolerance->energy + relative}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i].unit) == 0) return units[i].size;
    return relative;
}

/* At all nodes and the probe: then there is no relative error. */
static bool is_zero(const Look *look) {
    return look->largest == 0.0 && look->last == 0.0 && look->probe == 0.0; /* false for a NaN */
}

/* Columns of a channel with the same unit are judged by the largest of them. */
static void look_at_channel(const CardanModel *model, const CrdNodes *nodes, const Allowed *allowed,
                            CardanChannel channel, const Table *table, Left *left) {
    for (int k = 0; k < channel.width;) {
        const char *unit = cardan_model_channel_unit(model, channel, k);
        Look look = {0};
        for (; k < channel.width && strcmp(cardan_model_channel_unit(model, channel, k), unit) == 0; k++)
            look_at(nodes, table, k, &look);
        if (!is_zero(&look)) leave(left, &look, allowed_in(allowed, unit, look.largest));
    }
}

static void look_at_channels(const CardanSim *sim, const CrdNodes *nodes, const CrdManyRows *rows, Left *left) {
    const Allowed allowed = allowed_of(sim);
    Table table = {rows->columns, rows->values};
    for (int i = 0; i < rows->asked->count; i++) {
        CardanChannel channel = rows->asked->channel[i];
        if (!crd_measures[channel.measure].rough) look_at_channel(sim->model, nodes, &allowed, channel, &table, left);
        table.at += channel.width;
    }
}

static void look_at_states(const CardanSim *sim, const CrdNodes *nodes, const CrdManyRows *rows, Left *left) {
    const CrdIntegrator *integrator = &sim->integrator;
    const CrdTolerance *tolerance = &integrator->stabiliser.tolerance;
    const CrdKinds *kinds = &integrator->halves.kinds;
    const Table table = {integrator->stepper.n, rows->states};
    int column = 0;
    if (rows->states == NULL) return;
    CrdKindSizes one = crd_kinds_tolerated(kinds, tolerance, sim->model, integrator->stepper.y);
    for (int i = 0; i < kinds->count; i++) {
        Look look = {0};
        for (column = kinds->ranges[i].first; column < kinds->ranges[i].end; column++)
            look_at(nodes, &table, column, &look);
        leave(left, &look, one.of[kinds->ranges[i].kind]);
    }
    for (; column < table.width; column++) { /* what is tracked, and work */
        Look look = {0};
        look_at(nodes, &table, column, &look);
        leave(left, &look, tolerance->number + tolerance->relative * look.largest);
    }
}

/* ---- reading from them ---- */

/* Of a rough measure the largest that was seen is told. */
static void flatten(const CrdNodes *nodes, const CrdManyRows *rows) {
    const Table table = {rows->columns, rows->values};
    for (int i = 0, column = 0; i < rows->asked->count; i++) {
        CardanChannel channel = rows->asked->channel[i];
        for (int k = column; k < column + channel.width && crd_measures[channel.measure].rough; k++) {
            double most = 0.0;
            for (int j = 0; j <= nodes->count; j++) most = fmax(most, at_node(&table, j, k));
            for (int j = 0; j < nodes->count; j++) table.at[(size_t)j * (size_t)table.width + (size_t)k] = most;
        }
        column += channel.width;
    }
}

/* Columns that are read together, and of those side by side in registers. */
enum { BLOCK = 64, ABREAST = 4 };

/* Their numbers at the nodes. */
typedef struct Block {
    double node[BLOCK / ABREAST][CRD_NODES_MOST][ABREAST];
} Block;

static void keep_nodes(const CrdNodes *nodes, const Table *table, int first, int count, Block *out) {
    for (int i = 0; i < (count + ABREAST - 1) / ABREAST * ABREAST; i++)
        for (int j = 0; j < nodes->count; j++)
            out->node[i / ABREAST][j][i % ABREAST] = i < count ? at_node(table, j, first + i) : 0.0;
}

static void sum_abreast(double (*restrict node)[ABREAST], const double *restrict share, int nodes,
                        double *restrict value) {
    CrdTwo low = {0}, high = {0};
    for (int j = 0; j < nodes; j++) {
        low = crd_two_plus(low, share[j], crd_two_at(node[j], 0));
        high = crd_two_plus(high, share[j], crd_two_at(node[j], 1));
    }
    crd_put_two(value, 0, low);
    crd_put_two(value, 1, high);
}

/* The rows inside the step. */
typedef struct Inside {
    const CrdNodes *nodes;
    const CrdStepper *stepper;
    const double *t; /* (rows) */
    int rows;
} Inside;

/* Some columns of all rows: nodes stand in the first rows, which are written over. */
static void read_block(const Inside *inside, const Table *table, int first, int count) {
    const CrdNodes *nodes = inside->nodes;
    Block block;
    double share[CRD_NODES_MOST], value[BLOCK];
    assert(count <= BLOCK && BLOCK % ABREAST == 0);
    keep_nodes(nodes, table, first, count, &block);
    for (int i = 0; i < inside->rows; i++) {
        crd_node_shares(nodes, place_of(inside->stepper, inside->t[i]), share);
        for (int k = 0; k < count; k += ABREAST) sum_abreast(block.node[k / ABREAST], share, nodes->count, value + k);
        memcpy(table->at + (size_t)i * (size_t)table->width + first, value, (size_t)count * sizeof *value);
    }
}

static void read_table(const Inside *inside, const Table *table) {
    for (int first = 0; first < table->width; first += BLOCK)
        read_block(inside, table, first, table->width - first < BLOCK ? table->width - first : BLOCK);
}

static void read_all(CardanSim *sim, const CrdNodes *nodes, const CrdManyRows *rows, int count) {
    const Table values = {rows->columns, rows->values}, states = {sim->integrator.stepper.n, rows->states};
    const Inside inside = {nodes, &sim->integrator.stepper, rows->t, count};
    flatten(nodes, rows);
    read_table(&inside, &values);
    if (rows->states == NULL) return;
    read_table(&inside, &states);
    for (int i = 0; i < count; i++)
        crd_normalise(sim->model->structure, rows->states + (size_t)i * (size_t)states.width);
}

/* The rows inside the step by a series; false: there is none. A node that cannot be read says nothing of rows. */
static bool by_series(CardanSim *sim, const CrdManyRows *rows, int inside) {
    CrdNodes nodes[LEVELS];
    for (int level = 0; level < LEVELS && inside >= LEVEL[level].rows; level++) {
        Left left = {0};
        nodes[level] = crd_nodes_of(LEVEL[level].nodes);
        assert(LEVEL[level].rows > nodes[level].count); /* room for them and the probe */
        assert(level == 0 || nodes[level].count == 2 * nodes[level - 1].count - 1);
        if (read_nodes(sim, rows, &nodes[level], level > 0 ? &nodes[level - 1] : NULL) < 0) return false;
        look_at_channels(sim, &nodes[level], rows, &left);
        look_at_states(sim, &nodes[level], rows, &left);
        if (left.now <= CRD_SERIES_PART) {
            read_all(sim, &nodes[level], rows, inside);
            return true;
        }
        if (!(left.promise <= CRD_SERIES_PART)) return false;
    }
    return false;
}

/* ---- the calls ---- */

int crd_columns_of(const CrdAsked *asked) {
    int columns = 0;
    for (int i = 0; i < asked->count; i++) columns += asked->channel[i].width;
    return columns;
}

static CardanStatus need_times(CardanSim *sim, int rows, const double *t) {
    const CrdStepper *stepper = &sim->integrator.stepper;
    for (int i = 0; i < rows; i++) {
        if (!(t[i] >= stepper->t_old && t[i] <= stepper->t))
            return crd_refuse(sim, "t = %.9g is outside the last step, from %.9g to %.9g", t[i], stepper->t_old,
                              stepper->t);
        if (i > 0 && t[i] < t[i - 1])
            return crd_refuse(sim, "times of rows must not fall: t = %.9g comes after %.9g", t[i], t[i - 1]);
    }
    return CARDAN_OK;
}

CardanStatus crd_sim_sample_rows(CardanSim *sim, const CrdManyRows *rows) {
    int inside = rows->count;
    CRD_TRY(crd_need_sim(sim));
    CRD_TRY(need_times(sim, rows->count, rows->t));
    while (inside > 0 && rows->t[inside - 1] == sim->integrator.stepper.t) inside--;
    if (by_series(sim, rows, inside)) return read_rows(sim, rows, rows->asked, inside, rows->count, rows->t + inside);
    return read_rows(sim, rows, rows->asked, 0, rows->count, rows->t);
}

CardanStatus cardan_sim_sample_rows(CardanSim *sim, int rows, const double *t, int channels,
                                    const CardanChannel *channel, double *values) {
    CRD_TRY(crd_check_channels(sim, channels, channel));
    if (rows < 0) return crd_refuse(sim, "there cannot be %d rows", rows);
    if (rows > 0) CRD_TRY(crd_need_given(sim, t, "the list of times"));
    if (rows > 0 && channels > 0) CRD_TRY(crd_need_given(sim, values, "the place for the values"));
    CrdAsked asked = crd_asked_of(channels, channel);
    return crd_sim_sample_rows(sim, &(CrdManyRows){rows, t, &asked, crd_columns_of(&asked), values, NULL});
}
