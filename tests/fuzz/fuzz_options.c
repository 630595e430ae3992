/* Options by name and text, and the `simulation` section of a file: any bytes are refused with a sentence, leaving the
 * options as they were, or taken; what the check of the whole lets pass can be simulated with, or is refused when the
 * simulation is made; and a step with it leaves numbers. */
#include "bytes.h"
#include "cardan/cardan.h"

enum { LINE_MAX_BYTES = 256, FILE_MAX = 4096, STEPS = 2 };

static const char *const NAMES[] = {"end",
                                    "step",
                                    "tolerance.relative",
                                    "tolerance.absolute",
                                    "output_step",
                                    "max_step",
                                    "max_steps",
                                    "stepper",
                                    "formulation",
                                    "stabilise.method",
                                    "stabilise.passes",
                                    "stabilise.form",
                                    "stabilise.metric",
                                    "stabilise.levels",
                                    "stabilise.alpha",
                                    "stabilise.beta",
                                    "stabilise.freeze",
                                    "regularise.method",
                                    "regularise.epsilon",
                                    "regularise.radius",
                                    "solver"};
enum { NAMES_COUNT = sizeof NAMES / sizeof NAMES[0] };

static const char MODEL[] =
    "cardan: 1\nspace: planar\ngravity: [0, -9.81]\nparameters: {r: 0.2, l: 0.4}\nbodies:\n"
    "  crank: {mass: 1, inertia: 0.01, position: [\"r/2\", 0]}\n"
    "  rod: {mass: 2, inertia: {rod: l}, position: [\"r + l/2\", 0]}\n"
    "  slider: {mass: 0.5, inertia: 1e-3, position: [\"r + l\", 0]}\njoints:\n"
    "  main: {type: revolute, bodies: [ground, crank], point: [0, 0]}\n"
    "  pin: {type: revolute, bodies: [crank, rod], point: [r, 0]}\n"
    "  wrist: {type: revolute, bodies: [rod, slider], point: [\"r + l\", 0]}\n"
    "  guide: {type: prismatic, bodies: [ground, slider], axis: [1, 0]}\n"
    "forces: {damper: {type: torque, joint: main, value: \"0.1 - 0.02*main.rate\"}}\nstart: {rates: {main: 5}}\n";

static CardanModel *compiled(const char *text, size_t length) {
    CardanBuilder *builder = NULL;
    CardanModel *model = NULL;
    CardanStatus status = cardan_builder_read_text(text, length, "fuzz", &builder);
    MUST(builder != NULL, "no builder");
    if (status >= 0) status = cardan_builder_compile(builder, &model);
    MUST((status >= 0) == (model != NULL), "status %d", (int)status);
    MUST(status >= 0 || cardan_builder_message(builder)[0] != '\0', "a refusal without a sentence");
    cardan_builder_destroy(builder);
    return model;
}

static void check_numbers(CardanSim *sim, const CardanModel *model) {
    CardanSizes sizes = cardan_model_sizes(model);
    for (int i = 0; i < sizes.coordinates; i++) MUST(isfinite(cardan_sim_positions(sim)[i]), "q[%d]", i);
    for (int i = 0; i < sizes.velocities; i++) MUST(isfinite(cardan_sim_velocities(sim)[i]), "v[%d]", i);
}

/* A few steps with options that were let pass. */
static void simulate(const CardanModel *model, const CardanOptions *options) {
    CardanSim *sim = NULL;
    CardanStatus status = cardan_sim_create(model, options, &sim);
    MUST(sim != NULL, "no simulation");
    MUST(status >= 0 || cardan_sim_message(sim)[0] != '\0', "a refusal without a sentence");
    for (int i = 0; i < STEPS && status >= 0; i++) {
        check_numbers(sim, model);
        status = cardan_sim_step(sim, 1.0);
        MUST(status >= 0 || cardan_sim_message(sim)[0] != '\0', "a failed step without a sentence");
        check_numbers(sim, model);
    }
    cardan_sim_destroy(sim);
}

static void check_and_simulate(const CardanModel *model, const CardanOptions *options) {
    char message[512] = "";
    CardanStatus status = cardan_options_check(options, message, sizeof message);
    MUST((status >= 0) == (message[0] == '\0'), "status %d with '%s'", (int)status, message);
    if (status >= 0) simulate(model, options);
}

/* One line 'NAME=TEXT'; a digit from 128 on stands for the name of that number. */
static void set_line(CardanOptions *options, char *line) {
    char *name = line, *text = strchr(line, '='), message[512] = "";
    const char *called = name;
    if (text == NULL) return;
    *text++ = '\0';
    if ((unsigned char)name[0] >= 128) called = NAMES[((unsigned char)name[0] - 128) % NAMES_COUNT];
    if (text[0] != '\0' && (unsigned char)text[0] >= 128) {
        const char *word = cardan_options_word(called, (unsigned char)text[0] - 128);
        if (word != NULL) snprintf(text, LINE_MAX_BYTES - (size_t)(text - line), "%s", word);
    }
    CardanOptions before = *options;
    CardanStatus status = cardan_options_set(options, called, text, message, sizeof message);
    MUST((status >= 0) == (message[0] == '\0'), "%s = '%s': status %d with '%s'", called, text, (int)status, message);
    MUST(status >= 0 || memcmp(&before, options, sizeof before) == 0, "a refusal changed the options");
    char small[8] = "";
    CardanOptions again = before;
    MUST(cardan_options_set(&again, called, text, small, sizeof small) == status, "short message, other status");
    MUST(small[sizeof small - 1] == '\0' && strlen(small) < sizeof small, "a message too long");
}

static void by_name(const CardanModel *model, Bytes *bytes) {
    CardanOptions options = cardan_model_options(model);
    while (bytes->at < bytes->end) {
        char line[LINE_MAX_BYTES];
        size_t n = 0;
        while (bytes->at < bytes->end && n + 32 < sizeof line) {
            char c = (char)bytes_one(bytes);
            if (c == '\n') break;
            if (c != '\0') line[n++] = c;
        }
        line[n] = '\0';
        set_line(&options, line);
    }
    check_and_simulate(model, &options);
}

static void by_section(Bytes *bytes) {
    static char file[FILE_MAX];
    size_t n = (size_t)snprintf(file, sizeof file, "%ssimulation: ", MODEL);
    while (bytes->at < bytes->end && n + 1 < sizeof file) file[n++] = (char)bytes_one(bytes);
    CardanModel *model = compiled(file, n);
    if (model == NULL) return;
    CardanOptions options = cardan_model_options(model);
    /* A file may leave to the caller what its stepper still needs (a fixed step), so the check may refuse. */
    check_and_simulate(model, &options);
    cardan_model_release(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static CardanModel *model = NULL;
    if (model == NULL) model = compiled(MODEL, sizeof MODEL - 1);
    Bytes bytes = bytes_of(data, size);
    if (bytes_one(&bytes) % 2 == 0)
        by_name(model, &bytes);
    else
        by_section(&bytes);
    return 0;
}
