/* How a model starts and is simulated: the sections start, simulation and outputs. */
#include "build/reader.h"

#include "build/options.h"

#include <stdio.h>
#include <string.h>

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

/* ---- start ---- */

static CardanStatus read_mode(CrdReader *r, const CrdNode *node, const char *what, CardanStartMode *mode) {
    static const char *const MODES[] = {"keep", "project"};
    int choice = 0;
    if (node == NULL) return CARDAN_OK;
    CRD_TRY(crd_reader_choice(r, node, what, MODES, 2, &choice));
    *mode = choice == 0 ? CARDAN_START_KEEP : CARDAN_START_PROJECT;
    return CARDAN_OK;
}

static CardanStatus read_rate(CrdReader *r, const CrdNode *key) {
    CrdStartRate rate = {.place = key->place};
    CrdTarget target = {CRD_OWNER_RATE, r->d->rate_count, offsetof(CrdStartRate, rate)};
    CRD_TRY(crd_reader_joint(r, key, &rate.joint));
    CRD_TRY(crd_reader_number(r, crd_reader_value(r, key), "a rate", &target, &rate.rate));
    CardanStatus status = crd_add_rate(r->d, &rate, r->error);
    if (status < 0) crd_reader_point_to(r, key, "");
    return status;
}

static CardanStatus read_hold(CrdReader *r, const CrdNode *node) {
    if (node == NULL) return CARDAN_OK;
    if (node->kind != CRD_NODE_SEQUENCE) return crd_reader_fail(r, node->place, "hold must be a list of bodies");
    for (const CrdNode *item = crd_reader_item(r, node->first); item != NULL; item = crd_reader_item(r, item->next)) {
        int carrier;
        CRD_TRY(crd_reader_body(r, item, &carrier));
        if (carrier > 0) r->d->bodies[carrier - 1].hold = true; /* the ground is held as it is */
    }
    return CARDAN_OK;
}

CardanStatus crd_read_start(CrdReader *r, const CrdNode *section) {
    static const char *const KEYS[] = {"positions", "velocities", "rates", "hold"};
    if (section == NULL) return CARDAN_OK;
    crd_reader_context(r, "start", NULL);
    CRD_TRY(crd_reader_mapping(r, section, "this section"));
    CRD_TRY(crd_reader_keys(r, section, KEYS, COUNT(KEYS)));
    CRD_TRY(read_mode(r, crd_reader_get(r, section, "positions"), "way of positions", &r->d->start_positions));
    CRD_TRY(read_mode(r, crd_reader_get(r, section, "velocities"), "way of velocities", &r->d->start_velocities));
    const CrdNode *rates = crd_reader_get(r, section, "rates");
    if (rates != NULL) {
        CRD_TRY(crd_reader_mapping(r, rates, "rates"));
        for (const CrdNode *key = crd_reader_item(r, rates->first); key != NULL; key = crd_reader_item(r, key->next))
            CRD_TRY(read_rate(r, key));
    }
    return read_hold(r, crd_reader_get(r, section, "hold"));
}

/* ---- simulation ---- */

static CardanStatus set_option(CrdReader *r, const CrdNode *node, const char *name, const char *text) {
    char message[CRD_MESSAGE_SIZE / 2];
    CardanStatus status = cardan_options_set(&r->d->options, name, text, message, sizeof message);
    return status < 0 ? crd_reader_fail(r, node->place, "%s", message) : CARDAN_OK;
}

/* A number goes through the option's own check as text that reads back as the same bits. */
static CardanStatus read_option(CrdReader *r, const CrdNode *node, const char *name) {
    CrdOptionInfo info;
    const char *word;
    char text[40];
    double value = 0.0;
    if (!crd_option_info(name, &info)) return crd_reader_fail(r, node->place, "'%s' is not in this version", name);
    if (info.kind == CRD_OPTION_WORD) {
        CRD_TRY(crd_reader_word(r, node, name, &word));
        return set_option(r, node, name, word);
    }
    CrdTarget target = {CRD_OWNER_MODEL, 0, offsetof(CrdDescription, options) + info.offset};
    CRD_TRY(crd_reader_number(r, node, name, info.kind == CRD_OPTION_NUMBER ? &target : NULL, &value));
    snprintf(text, sizeof text, "%.17g", value);
    for (char *c = text; *c != '\0'; c++) *c = *c == ',' ? '.' : *c; /* printf follows the locale, options do not */
    return set_option(r, node, name, text);
}

static CardanStatus read_group(CrdReader *r, const CrdNode *node, const char *group, const char *const *keys,
                               int count) {
    char name[64];
    CRD_TRY(crd_reader_mapping(r, node, group));
    CRD_TRY(crd_reader_keys(r, node, keys, count));
    for (const CrdNode *key = crd_reader_item(r, node->first); key != NULL; key = crd_reader_item(r, key->next)) {
        snprintf(name, sizeof name, "%s.%s", group, key->text);
        CRD_TRY(read_option(r, crd_reader_value(r, key), name));
    }
    return CARDAN_OK;
}

CardanStatus crd_read_simulation(CrdReader *r, const CrdNode *section) {
    static const char *const KEYS[] = {"end",     "step",        "tolerance", "output_step", "max_step", "max_steps",
                                       "stepper", "formulation", "stabilise", "regularise",  "solver"};
    static const char *const TOLERANCE[] = {"relative", "absolute"};
    static const char *const STABILISE[] = {"method", "passes", "form", "metric", "levels", "alpha", "beta", "freeze"};
    static const char *const REGULARISE[] = {"method", "epsilon", "radius"};
    if (section == NULL) return CARDAN_OK;
    crd_reader_context(r, "simulation", NULL);
    CRD_TRY(crd_reader_mapping(r, section, "this section"));
    CRD_TRY(crd_reader_keys(r, section, KEYS, COUNT(KEYS)));
    for (const CrdNode *key = crd_reader_item(r, section->first); key != NULL; key = crd_reader_item(r, key->next)) {
        const CrdNode *value = crd_reader_value(r, key);
        if (strcmp(key->text, "tolerance") == 0) {
            CRD_TRY(read_group(r, value, "tolerance", TOLERANCE, COUNT(TOLERANCE)));
        } else if (strcmp(key->text, "stabilise") == 0) {
            CRD_TRY(read_group(r, value, "stabilise", STABILISE, COUNT(STABILISE)));
        } else if (strcmp(key->text, "regularise") == 0) {
            CRD_TRY(read_group(r, value, "regularise", REGULARISE, COUNT(REGULARISE)));
        } else {
            CRD_TRY(read_option(r, value, key->text));
        }
    }
    return CARDAN_OK;
}

/* ---- outputs ---- */

CardanStatus crd_read_outputs(CrdReader *r, const CrdNode *section) {
    const char *name;
    if (section == NULL) return CARDAN_OK;
    crd_reader_context(r, "outputs", NULL);
    if (section->kind != CRD_NODE_SEQUENCE)
        return crd_reader_fail(r, section->place, "must be a list [main.angle, energy, ...], found %s",
                               crd_node_word(section));
    for (const CrdNode *item = crd_reader_item(r, section->first); item != NULL;
         item = crd_reader_item(r, item->next)) {
        CRD_TRY(crd_reader_word(r, item, "an output", &name));
        CRD_TRY(crd_add_output(r->d, name, item->place, r->error));
    }
    return CARDAN_OK;
}
