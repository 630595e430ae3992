/* From a model file and PARAM=VALUE words to a compiled model. */
#include "command.h"

#include <string.h>

#include "text.h"

enum { SENTENCE_SIZE = 2048 };

/* Where a sentence goes that says why not. */
typedef struct Reason {
    char *text;
    size_t size;
} Reason;

/* Splits "r=0.3"; name has room for size bytes. */
static int split_assignment(const char *text, char *name, size_t size, double *value, Reason reason) {
    const char *equals = strchr(text, '=');
    size_t length = equals != NULL ? (size_t)(equals - text) : 0;
    if (length == 0 || length >= size) {
        snprintf(reason.text, reason.size, "--set '%s': expected PARAM=VALUE", text);
        return STATUS_USAGE;
    }
    memcpy(name, text, length);
    name[length] = '\0';
    if (!parse_number(equals + 1, value)) {
        snprintf(reason.text, reason.size, "--set '%s': '%s' is not a number", text, equals + 1);
        return STATUS_USAGE;
    }
    return STATUS_DONE;
}

static int apply_settings(const Arguments *arguments, int set_key, CardanBuilder *builder, Reason reason) {
    char name[256];
    double value = 0.0;
    for (int i = 0; i < arguments->given_count; i++) {
        const Given *given = &arguments->given[i];
        if (given->option->key != set_key) continue;
        int status = split_assignment(given->value, name, sizeof name, &value, reason);
        if (status != STATUS_DONE) return status;
        CardanStatus st = cardan_builder_set_parameter(builder, name, value);
        if (st == CARDAN_ERR_ARGUMENT) { /* the file is in order; the word on the command line is not */
            snprintf(reason.text, reason.size, "--set '%s': %s", given->value, cardan_builder_message(builder));
            return STATUS_USAGE;
        }
        if (st < 0) {
            snprintf(reason.text, reason.size, "%s", cardan_builder_message(builder));
            return exit_status(st);
        }
    }
    return STATUS_DONE;
}

int load_model_quietly(const char *path, const Arguments *arguments, int set_key, CardanModel **out, char *text,
                       size_t size) {
    CardanBuilder *builder = NULL;
    Reason reason = {text, size};
    *out = NULL;
    CardanStatus st = cardan_builder_read_file(path, &builder);
    int status = exit_status(st);
    if (st >= 0) status = apply_settings(arguments, set_key, builder, reason);
    if (st >= 0 && status == STATUS_DONE) {
        st = cardan_builder_compile(builder, out);
        status = exit_status(st);
    }
    if (st < 0) snprintf(text, size, "%s", builder != NULL ? cardan_builder_message(builder) : "out of memory");
    cardan_builder_destroy(builder);
    return status;
}

int load_model(const char *path, const Arguments *arguments, int set_key, CardanModel **out) {
    char reason[SENTENCE_SIZE] = "";
    int status = load_model_quietly(path, arguments, set_key, out, reason, sizeof reason);
    if (status != STATUS_DONE) complain_refusal(arguments->verb, path, status, reason);
    return status;
}
