/* Model files, format 1: bytes -> tree -> description. Sections may stand in any order; they are read so that what one
 * refers to is already there. */
#include "build/reader.h"

#include "core/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

static const char *const KEYS[] = {"cardan", "name",   "description", "space", "gravity",    "parameters", "inputs",
                                   "bodies", "joints", "forces",      "start", "simulation", "outputs"};

/* ---- the head ---- */

static CardanStatus read_version(CrdReader *r, const CrdNode *root) {
    const CrdNode *node = crd_reader_get(r, root, "cardan");
    double version = 0.0;
    if (node == NULL)
        return crd_reader_fail(r, root->place,
                               "the key 'cardan' is missing: a model file says 'cardan: 1', its format");
    CRD_TRY(crd_reader_number(r, node, "cardan", NULL, &version));
    if (version == 1.0) return CARDAN_OK;
    return crd_reader_fail(r, node->place, "format version %s is not supported; this version reads format 1",
                           crd_shown(node->text, node->length).text);
}

static CardanStatus read_space(CrdReader *r, const CrdNode *root) {
    static const char *const SPACES[] = {"planar", "spatial"}; /* in the order of CardanSpace */
    const CrdNode *node = crd_reader_get(r, root, "space");
    int choice = 0;
    if (node == NULL) return crd_reader_fail(r, root->place, "the key 'space' is missing: planar or spatial?");
    CRD_TRY(crd_reader_choice(r, node, "space", SPACES, 2, &choice));
    r->d->space = (CardanSpace)choice;
    return CARDAN_OK;
}

static CardanStatus read_texts(CrdReader *r, const CrdNode *root) {
    const CrdNode *name = crd_reader_get(r, root, "name"), *description = crd_reader_get(r, root, "description");
    const char *text;
    if (description != NULL && description->kind != CRD_NODE_SCALAR)
        return crd_reader_fail(r, description->place, "description must be a text, found %s",
                               crd_node_word(description));
    if (name == NULL) return CARDAN_OK;
    CRD_TRY(crd_reader_word(r, name, "name", &text));
    char *copy = crd_copy_string(text);
    if (copy == NULL) return crd_fail_memory(r->error);
    crd_delete(r->d->name);
    r->d->name = copy;
    return CARDAN_OK;
}

/* ---- named numbers ---- */

static CardanStatus read_parameter(CrdReader *r, const CrdNode *key) {
    CrdParameterDesc parameter = {.place = key->place};
    const CrdNode *node = crd_reader_value(r, key);
    CrdError inner;
    crd_reader_context(r, "parameter", key);
    CardanStatus status = crd_check_name(r->d, CRD_NAME_PARAMETER, key->text, r->error);
    if (status < 0) {
        crd_reader_point_to(r, key, "");
        return status;
    }
    if (node->kind != CRD_NODE_SCALAR || node->length == 0)
        return crd_reader_fail(r, node->place, "must be a number, found %s", crd_node_word(node));
    crd_error_clear(&inner);
    status = crd_number_of(r->d, node->text, r->d->parameter_count, &parameter.value, &parameter.expression, &inner);
    if (status == CARDAN_ERR_MEMORY) return crd_fail_memory(r->error);
    if (status < 0) {
        crd_reader_fail(r, node->place, "%s", inner.text);
        return r->error->status = status;
    }
    parameter.name = crd_copy_string(key->text);
    status = parameter.name != NULL ? crd_add_parameter(r->d, &parameter, r->error) : crd_fail_memory(r->error);
    if (status >= 0) return status;
    crd_delete(parameter.name);
    crd_expr_free(parameter.expression);
    return status;
}

static CardanStatus read_input(CrdReader *r, const CrdNode *key) {
    CrdInputDesc input = {.place = key->place};
    CrdTarget target = {CRD_OWNER_INPUT, r->d->input_count, offsetof(CrdInputDesc, value)};
    crd_reader_context(r, "input", key);
    CardanStatus status = crd_check_name(r->d, CRD_NAME_INPUT, key->text, r->error);
    if (status >= 0) status = crd_reader_number(r, crd_reader_value(r, key), "its value", &target, &input.value);
    if (status >= 0) {
        input.name = crd_copy_string(key->text);
        status = input.name != NULL ? crd_add_input(r->d, &input, r->error) : crd_fail_memory(r->error);
    }
    if (status >= 0) return status;
    crd_delete(input.name);
    crd_reader_point_to(r, key, "");
    return status;
}

static CardanStatus read_named_numbers(CrdReader *r, const CrdNode *section, const char *what,
                                       CardanStatus (*read_one)(CrdReader *r, const CrdNode *key)) {
    if (section == NULL) return CARDAN_OK;
    crd_reader_context(r, what, NULL);
    CRD_TRY(crd_reader_mapping(r, section, "this section"));
    for (const CrdNode *key = crd_reader_item(r, section->first); key != NULL; key = crd_reader_item(r, key->next))
        CRD_TRY(read_one(r, key));
    return CARDAN_OK;
}

/* ---- the whole ---- */

static CardanStatus read_model(CrdReader *r) {
    const CrdNode *root = crd_reader_item(r, r->yaml->root);
    CrdPlace begin = {1, 1};
    if (root == NULL) return crd_reader_fail(r, begin, "the file is empty; a model begins with 'cardan: 1'");
    CRD_TRY(crd_reader_mapping(r, root, "a model"));
    CRD_TRY(read_version(r, root));
    CRD_TRY(crd_reader_keys(r, root, KEYS, COUNT(KEYS)));
    CRD_TRY(read_space(r, root));
    CRD_TRY(read_texts(r, root));
    CRD_TRY(read_named_numbers(r, crd_reader_get(r, root, "parameters"), "parameters", read_parameter));
    CRD_TRY(read_named_numbers(r, crd_reader_get(r, root, "inputs"), "inputs", read_input));
    crd_reader_context(r, "", NULL);
    const CrdNode *gravity = crd_reader_get(r, root, "gravity");
    const CrdField *field = crd_field_find(crd_fields_of(r->d, CRD_OWNER_MODEL, 0), "gravity");
    if (gravity != NULL) CRD_TRY(crd_reader_field(r, gravity, field, CRD_OWNER_MODEL, 0, r->d));
    CRD_TRY(crd_read_bodies(r, crd_reader_get(r, root, "bodies")));
    CRD_TRY(crd_read_joints(r, crd_reader_get(r, root, "joints")));
    CRD_TRY(crd_read_forces(r, crd_reader_get(r, root, "forces")));
    CRD_TRY(crd_read_start(r, crd_reader_get(r, root, "start")));
    CRD_TRY(crd_read_simulation(r, crd_reader_get(r, root, "simulation")));
    return crd_read_outputs(r, crd_reader_get(r, root, "outputs"));
}

static CardanStatus read_bytes(CardanBuilder *builder, const char *text, size_t length) {
    CrdYaml tree;
    CardanStatus status = crd_yaml_read(&tree, text, length, &builder->error);
    if (status >= 0) {
        CrdReader reader = {.yaml = &tree, .d = builder->description, .error = &builder->error};
        status = read_model(&reader);
    }
    crd_yaml_free(&tree);
    return status;
}

/* A builder whose messages begin with the label; NULL when out of memory. */
static CardanBuilder *labelled_builder(const char *label) {
    CardanBuilder *builder = cardan_builder_create(CARDAN_PLANAR); /* until `space` is read */
    if (builder == NULL) return NULL;
    builder->description->file = crd_copy_string(label);
    if (builder->description->file != NULL) return builder;
    cardan_builder_destroy(builder);
    return NULL;
}

CardanStatus cardan_builder_read_text(const char *text, size_t length, const char *label, CardanBuilder **out) {
    if (out == NULL) return CARDAN_ERR_ARGUMENT;
    *out = NULL;
    if (text == NULL && length > 0) return CARDAN_ERR_ARGUMENT;
    *out = labelled_builder(label != NULL ? label : "model");
    if (*out == NULL) return CARDAN_ERR_MEMORY;
    read_bytes(*out, text != NULL ? text : "", length);
    return crd_builder_report(*out);
}

/* ---- files ---- */

typedef struct Bytes {
    char *data;
    int length, capacity;
} Bytes;

static CardanStatus read_stream(FILE *file, const char *path, Bytes *bytes, CrdError *error) {
    enum { CHUNK = 1 << 16 };
    size_t got;
    do {
        if (bytes->length > CRD_YAML_MAX_BYTES)
            return crd_fail(error, CARDAN_ERR_LIMIT, "%s: the file is larger than %d MiB", path,
                            CRD_YAML_MAX_BYTES >> 20);
        if (!crd_grow(&bytes->data, &bytes->capacity, bytes->length + CHUNK, 1)) return crd_fail_memory(error);
        got = fread(bytes->data + bytes->length, 1, CHUNK, file);
        bytes->length += (int)got;
    } while (got > 0);
    if (ferror(file)) return crd_fail(error, CARDAN_ERR_IO, "%s: %s", path, strerror(errno));
    return CARDAN_OK;
}

static CardanStatus read_path(CardanBuilder *builder, const char *path) {
    Bytes bytes = {.length = 0};
    errno = 0;
    FILE *file = fopen(path, "rb");
    if (file == NULL && errno == ENOMEM) return crd_fail_memory(&builder->error);
    if (file == NULL) return crd_fail(&builder->error, CARDAN_ERR_IO, "%s: %s", path, strerror(errno));
    CardanStatus status = read_stream(file, path, &bytes, &builder->error);
    fclose(file);
    if (status >= 0) status = read_bytes(builder, bytes.data, (size_t)bytes.length);
    crd_delete(bytes.data);
    return status;
}

CardanStatus cardan_builder_read_file(const char *path, CardanBuilder **out) {
    if (out == NULL) return CARDAN_ERR_ARGUMENT;
    *out = NULL;
    if (path == NULL) return CARDAN_ERR_ARGUMENT;
    *out = labelled_builder(path);
    if (*out == NULL) return CARDAN_ERR_MEMORY;
    read_path(*out, path);
    return crd_builder_report(*out);
}
