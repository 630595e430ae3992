/* How a model starts and is simulated: the sections start, simulation and outputs. */
#include "read/reader.h"

#include "core/memory.h"
#include "options/options.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { KEYS_MAX = 32, KEY_SIZE = 32 }; /* of options: all there are fit, as asserts tell */

/* ---- start ---- */

static CardanStatus read_mode(CrdReader *reader, const CrdNode *node, const char *what, CardanStartMode *mode) {
    static const char *const MODES[] = {"keep", "project"};
    int choice = 0;
    if (node == NULL) return CARDAN_OK;
    CRD_TRY(crd_reader_choice(reader, node, what, MODES, 2, &choice));
    *mode = choice == 0 ? CARDAN_START_KEEP : CARDAN_START_PROJECT;
    return CARDAN_OK;
}

static CardanStatus read_rate(CrdReader *reader, const CrdNode *key) {
    CrdStartRate rate = {.place = key->place};
    CrdTarget target = {CRD_OWNER_RATE, reader->d->rate_count, offsetof(CrdStartRate, rate)};
    CRD_TRY(crd_reader_joint(reader, key, &rate.joint));
    CRD_TRY(crd_reader_number(reader, key->value, "a rate", &target, &rate.rate));
    CardanStatus status = crd_add_rate(reader->d, &rate, reader->error);
    if (status < 0) crd_reader_point_to(reader, key, &(CrdBlame){.key = ""});
    return status;
}

static CardanStatus read_coordinate(CrdReader *reader, const CrdNode *key) {
    CrdStartRate coordinate = {.place = key->place};
    CrdTarget target = {CRD_OWNER_COORDINATE, reader->d->coordinate_count, offsetof(CrdStartRate, rate)};
    CRD_TRY(crd_reader_joint(reader, key, &coordinate.joint));
    CRD_TRY(crd_reader_number(reader, key->value, "a coordinate", &target, &coordinate.rate));
    CardanStatus status = crd_add_coordinate(reader->d, &coordinate, reader->error);
    if (status < 0) crd_reader_point_to(reader, key, &(CrdBlame){.key = ""});
    return status;
}

/* Joints with a number each. */
static CardanStatus read_joints(CrdReader *reader, const CrdNode *node, const char *what,
                                CardanStatus (*read)(CrdReader *reader, const CrdNode *key)) {
    if (node == NULL) return CARDAN_OK;
    CRD_TRY(crd_reader_mapping(reader, node, what));
    for (const CrdNode *key = node->first; key != NULL; key = key->next) CRD_TRY(read(reader, key));
    return CARDAN_OK;
}

static CardanStatus read_hold(CrdReader *reader, const CrdNode *node) {
    if (node == NULL) return CARDAN_OK;
    if (node->kind != CRD_NODE_SEQUENCE) return crd_reader_fail(reader, node->place, "hold must be a list of bodies");
    for (const CrdNode *item = node->first; item != NULL; item = item->next) {
        int frame;
        CRD_TRY(crd_reader_body(reader, item, &frame));
        if (frame > 0) reader->d->bodies[frame - 1].hold = true; /* the ground is held as it is */
    }
    return CARDAN_OK;
}

/* A positive number that no parameter decides. */
static CardanStatus read_positive(CrdReader *reader, const CrdNode *node, const char *what, double *out) {
    if (node == NULL) return CARDAN_OK;
    CRD_TRY(crd_reader_number(reader, node, what, NULL, out));
    return *out > 0.0 ? CARDAN_OK : crd_reader_fail(reader, node->place, "%s must be > 0, is %g", what, *out);
}

static CardanStatus read_slow_names(CrdReader *reader, const CrdNode *node) {
    const char *name;
    if (node->kind != CRD_NODE_SEQUENCE) {
        static const char *const ALL[] = {"all"};
        int choice;
        return crd_reader_choice(reader, node, "slow", ALL, 1, &choice);
    }
    if (node->first == NULL) return crd_reader_fail(reader, node->place, "slow: the list is empty");
    for (const CrdNode *item = node->first; item != NULL; item = item->next) {
        CRD_TRY(crd_reader_word(reader, item, "a joint or bushing", &name));
        char *copy = crd_copy_string(name);
        if (copy == NULL) return crd_fail_memory(reader->error);
        CardanStatus status = crd_list_append(reader->d, CRD_LIST_SLOW, &copy, reader->error);
        if (status < 0) crd_delete(copy);
        CRD_TRY(status);
    }
    return CARDAN_OK;
}

static CardanStatus read_slow(CrdReader *reader, const CrdNode *section) {
    static const char *const METHODS[] = {"bounded", "iterated"}, *const KERNELS[] = {"smooth", "cubic"};
    static const char *const NEED_SLOW[] = {"method", "kernel", "tolerance"};
    const CrdNode *slow = crd_node_get(section, "slow"), *node;
    CrdSlowDesc *out = &reader->d->slow;
    CRD_TRY(read_positive(reader, crd_node_get(section, "slow_every"), "slow_every", &out->every));
    for (int i = 0; slow == NULL && i < CRD_LENGTH_OF(NEED_SLOW); i++)
        if ((node = crd_node_get(section, NEED_SLOW[i])) != NULL)
            return crd_reader_fail(reader, node->place, "'%s' says how to start slow: add slow: all", NEED_SLOW[i]);
    if (slow == NULL) return CARDAN_OK;
    out->given = true;
    out->place = slow->place;
    CRD_TRY(read_slow_names(reader, slow));
    if ((node = crd_node_get(section, "method")) != NULL)
        CRD_TRY(crd_reader_choice(reader, node, "method of a slow start", METHODS, 2, &out->method));
    if ((node = crd_node_get(section, "kernel")) != NULL)
        CRD_TRY(crd_reader_choice(reader, node, "kernel", KERNELS, 2, &out->kernel));
    return read_positive(reader, crd_node_get(section, "tolerance"), "tolerance", &out->tolerance);
}

CardanStatus crd_read_start(CrdReader *reader, const CrdNode *section) {
    static const char *const KEYS[] = {"positions", "velocities", "rates",  "joints",    "hold",
                                       "slow",      "method",     "kernel", "tolerance", "slow_every"};
    if (section == NULL) return CARDAN_OK;
    crd_reader_context(reader, "start", NULL);
    CRD_TRY(crd_reader_mapping(reader, section, "this section"));
    CRD_TRY(crd_reader_keys(reader, section, KEYS, CRD_LENGTH_OF(KEYS)));
    CRD_TRY(read_mode(reader, crd_node_get(section, "positions"), "way of positions", &reader->d->start_positions));
    CRD_TRY(read_mode(reader, crd_node_get(section, "velocities"), "way of velocities", &reader->d->start_velocities));
    CRD_TRY(read_joints(reader, crd_node_get(section, "rates"), "rates", read_rate));
    CRD_TRY(read_joints(reader, crd_node_get(section, "joints"), "joints", read_coordinate));
    CRD_TRY(read_hold(reader, crd_node_get(section, "hold")));
    return read_slow(reader, section);
}

/* ---- simulation ---- */

static CardanStatus set_option(CrdReader *reader, const CrdNode *node, const char *name, const char *text) {
    char message[CRD_MESSAGE_SIZE / 2];
    CardanStatus status = cardan_options_set(&reader->d->options, name, text, message, sizeof message);
    return status < 0 ? crd_reader_fail(reader, node->place, "%s", message) : CARDAN_OK;
}

/* A number goes through the option's own check as text that reads back as the same bits. */
static CardanStatus read_option(CrdReader *reader, const CrdNode *node, const char *name) {
    const CrdOption *option = crd_option_find(name);
    assert(option != NULL);
    const char *word;
    char text[40];
    double value = 0.0;
    if (option->kind == CRD_OPTION_WORD) {
        CRD_TRY(crd_reader_word(reader, node, name, &word));
        return set_option(reader, node, name, word);
    }
    CrdTarget target = {CRD_OWNER_MODEL, 0, offsetof(CrdDescription, options) + option->offset};
    CRD_TRY(crd_reader_number(reader, node, name, option->kind == CRD_OPTION_NUMBER ? &target : NULL, &value));
    snprintf(text, sizeof text, "%.17g", value);
    for (char *c = text; *c != '\0'; c++) *c = *c == ',' ? '.' : *c; /* printf follows the locale, options do not */
    return set_option(reader, node, name, text);
}

/* Keys that may stand in the section (group "") or in one of its groups, from the table of options. */
typedef struct Keys {
    int count;
    char text[KEYS_MAX][KEY_SIZE];
    const char *names[KEYS_MAX];
} Keys;

static void list_keys(const char *group, Keys *keys) {
    const CrdOption *option;
    size_t skip = strlen(group) + (group[0] != '\0');
    keys->count = 0;
    for (int i = 0; (option = crd_option(i)) != NULL; i++) {
        if (skip > 0 && (strncmp(option->name, group, skip - 1) != 0 || option->name[skip - 1] != '.')) continue;
        const char *key = option->name + skip;
        size_t length = strcspn(key, ".");
        int last = keys->count - 1;
        if (last >= 0 && strncmp(keys->text[last], key, length) == 0 && keys->text[last][length] == '\0') continue;
        assert(keys->count < KEYS_MAX && length < KEY_SIZE);
        snprintf(keys->text[keys->count], KEY_SIZE, "%.*s", (int)length, key);
        keys->names[keys->count] = keys->text[keys->count];
        keys->count++;
    }
}

/* The options of a mapping; what is no option of its own is a group of options. */
static CardanStatus read_options(CrdReader *reader, const CrdNode *node, const char *group) {
    Keys keys;
    char name[2 * KEY_SIZE];
    list_keys(group, &keys);
    CRD_TRY(crd_reader_mapping(reader, node, group[0] != '\0' ? group : "this section"));
    CRD_TRY(crd_reader_keys(reader, node, keys.names, keys.count));
    for (const CrdNode *key = node->first; key != NULL; key = key->next) {
        const CrdNode *value = key->value;
        snprintf(name, sizeof name, "%s%s%s", group, group[0] != '\0' ? "." : "", key->text);
        if (crd_option_find(name) != NULL)
            CRD_TRY(read_option(reader, value, name));
        else
            CRD_TRY(read_options(reader, value, name));
    }
    return CARDAN_OK;
}

CardanStatus crd_read_simulation(CrdReader *reader, const CrdNode *section) {
    if (section == NULL) return CARDAN_OK;
    crd_reader_context(reader, "simulation", NULL);
    return read_options(reader, section, "");
}

/* ---- outputs ---- */

CardanStatus crd_read_outputs(CrdReader *reader, const CrdNode *section) {
    const char *name;
    if (section == NULL) return CARDAN_OK;
    crd_reader_context(reader, "outputs", NULL);
    if (section->kind != CRD_NODE_SEQUENCE)
        return crd_reader_fail(reader, section->place, "must be a list [main.angle, energy, ...], found %s",
                               crd_node_word(section));
    for (const CrdNode *item = section->first; item != NULL; item = item->next) {
        CRD_TRY(crd_reader_word(reader, item, "an output", &name));
        CRD_TRY(crd_add_output(reader->d, name, item->place, reader->error));
    }
    return CARDAN_OK;
}
