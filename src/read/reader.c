/* Model files, format 1: bytes -> tree -> description. Sections may stand in any order; they are read so that what one
 * refers to is already there. */
#include "read/reader.h"

#include "build/take.h"
#include "core/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const KEYS[] = {"cardan", "name",    "description", "space",  "gravity", "parameters", "inputs",
                                   "bodies", "markers", "joints",      "forces", "start",   "simulation", "outputs"};

/* ---- the head ---- */

static CardanStatus read_version(CrdReader *reader, const CrdNode *root) {
    const CrdNode *node = crd_node_get(root, "cardan");
    double version = 0.0;
    if (node == NULL)
        return crd_reader_fail(reader, root->place,
                               "the key 'cardan' is missing: a model file says 'cardan: 1', its format");
    CRD_TRY(crd_reader_number(reader, node, "cardan", NULL, &version));
    if (version == 1.0) return CARDAN_OK;
    return crd_reader_fail(reader, node->place, "format version %s is not supported; this version reads format 1",
                           crd_shown(node->text, node->length).text);
}

static CardanStatus read_space(CrdReader *reader, const CrdNode *root) {
    static const char *const SPACES[] = {"planar", "spatial"}; /* in the order of CardanSpace */
    const CrdNode *node = crd_node_get(root, "space");
    int choice = 0;
    if (node == NULL) return crd_reader_fail(reader, root->place, "the key 'space' is missing: planar or spatial?");
    CRD_TRY(crd_reader_choice(reader, node, "space", SPACES, 2, &choice));
    reader->d->space = (CardanSpace)choice;
    return CARDAN_OK;
}

static CardanStatus read_texts(CrdReader *reader, const CrdNode *root) {
    const CrdNode *name = crd_node_get(root, "name"), *description = crd_node_get(root, "description");
    const char *text;
    if (description != NULL && description->kind != CRD_NODE_SCALAR)
        return crd_reader_fail(reader, description->place, "description must be a text, found %s",
                               crd_node_word(description));
    if (name == NULL) return CARDAN_OK;
    CRD_TRY(crd_reader_word(reader, name, "name", &text));
    char *copy = crd_copy_string(text);
    if (copy == NULL) return crd_fail_memory(reader->error);
    crd_delete(reader->d->name);
    reader->d->name = copy;
    return CARDAN_OK;
}

/* ---- named numbers ---- */

static CardanStatus read_parameter(CrdReader *reader, const CrdNode *key) {
    CrdParameterDesc parameter = {.place = key->place};
    const CrdNode *node = key->value;
    CrdError inner = {0};
    crd_reader_context(reader, "parameter", key);
    CardanStatus status = crd_check_name(reader->d, CRD_NAME_PARAMETER, key->text, reader->error);
    if (status < 0) {
        crd_reader_point_to(reader, key, &(CrdBlame){.key = ""});
        return status;
    }
    if (node->kind != CRD_NODE_SCALAR || node->length == 0)
        return crd_reader_fail(reader, node->place, "must be a number, found %s", crd_node_word(node));
    status = crd_number_of(reader->d, node->text, reader->d->parameter_count, &parameter.value, &parameter.expression,
                           &inner);
    if (status == CARDAN_ERR_MEMORY) return crd_fail_memory(reader->error);
    if (status < 0) {
        crd_reader_fail(reader, node->place, "%s", inner.text);
        return reader->error->status = status;
    }
    status = crd_take_name(&parameter.name, key->text, "parameter", reader->error);
    if (status >= 0) status = crd_add_parameter(reader->d, &parameter, reader->error);
    if (status >= 0) return status;
    crd_delete(parameter.name);
    crd_expr_free(parameter.expression);
    return status;
}

static CardanStatus read_input(CrdReader *reader, const CrdNode *key) {
    CrdInputDesc input = {.place = key->place};
    CrdTarget target = {CRD_OWNER_INPUT, reader->d->input_count, offsetof(CrdInputDesc, value)};
    crd_reader_context(reader, "input", key);
    CardanStatus status = crd_check_name(reader->d, CRD_NAME_INPUT, key->text, reader->error);
    if (status >= 0) status = crd_reader_number(reader, key->value, "its value", &target, &input.value);
    if (status >= 0) status = crd_take_name(&input.name, key->text, "input", reader->error);
    if (status >= 0) status = crd_add_input(reader->d, &input, reader->error);
    if (status >= 0) return status;
    crd_delete(input.name);
    crd_reader_point_to(reader, key, &(CrdBlame){.key = ""});
    return status;
}

/* ---- the whole ---- */

static CardanStatus read_model(CrdReader *reader, const CrdNode *root) {
    CrdPlace begin = {1, 1};
    if (root == NULL) return crd_reader_fail(reader, begin, "the file is empty; a model begins with 'cardan: 1'");
    CRD_TRY(crd_reader_mapping(reader, root, "a model"));
    CRD_TRY(read_version(reader, root));
    CRD_TRY(crd_reader_keys(reader, root, KEYS, CRD_LENGTH_OF(KEYS)));
    CRD_TRY(read_space(reader, root));
    CRD_TRY(read_texts(reader, root));
    CRD_TRY(crd_reader_section(reader, crd_node_get(root, "parameters"), "parameters", read_parameter));
    CRD_TRY(crd_reader_section(reader, crd_node_get(root, "inputs"), "inputs", read_input));
    crd_reader_context(reader, "", NULL);
    const CrdNode *gravity = crd_node_get(root, "gravity");
    const CrdField *field = crd_field_find(crd_fields_of(reader->d, CRD_OWNER_MODEL, 0), "gravity", 0);
    if (gravity != NULL) CRD_TRY(crd_reader_field(reader, gravity, field, CRD_OWNER_MODEL, 0, reader->d));
    CRD_TRY(crd_read_bodies(reader, crd_node_get(root, "bodies")));
    CRD_TRY(crd_read_markers(reader, crd_node_get(root, "markers")));
    CRD_TRY(crd_read_joints(reader, crd_node_get(root, "joints")));
    CRD_TRY(crd_read_forces(reader, crd_node_get(root, "forces")));
    CRD_TRY(crd_read_start(reader, crd_node_get(root, "start")));
    CRD_TRY(crd_read_simulation(reader, crd_node_get(root, "simulation")));
    return crd_read_outputs(reader, crd_node_get(root, "outputs"));
}

static CardanStatus read_bytes(CardanBuilder *builder, const char *text, size_t length) {
    CrdYaml tree;
    CardanStatus status = crd_yaml_read(&tree, text, length, &builder->error);
    if (status >= 0) {
        CrdReader reader = {.d = builder->description, .error = &builder->error};
        status = read_model(&reader, tree.root);
    }
    crd_yaml_free(&tree);
    return status;
}

/* A builder whose messages begin with the label; NULL when out of memory. */
static CardanBuilder *labelled_builder(const char *label) {
    CardanBuilder *builder = cardan_builder_create(CARDAN_SPACE_PLANAR); /* until `space` is read */
    if (builder == NULL) return NULL;
    builder->description->file = crd_copy_string(label);
    if (builder->description->file != NULL) return builder;
    cardan_builder_destroy(builder);
    return NULL;
}

CardanStatus cardan_builder_read_text(const char *text, size_t length, const char *label, CardanBuilder **out) {
    if (out == NULL) return CARDAN_ERR_ARGUMENT;
    *out = NULL;
    *out = labelled_builder(label != NULL ? label : "model");
    if (*out == NULL) return CARDAN_ERR_MEMORY;
    if (text == NULL && length > 0)
        crd_fail(&(*out)->error, CARDAN_ERR_ARGUMENT, "the text is NULL");
    else
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
    *out = labelled_builder(path != NULL ? path : "model");
    if (*out == NULL) return CARDAN_ERR_MEMORY;
    if (path == NULL)
        crd_fail(&(*out)->error, CARDAN_ERR_ARGUMENT, "the path is NULL");
    else
        read_path(*out, path);
    return crd_builder_report(*out);
}
