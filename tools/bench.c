/* cardan bench NAME: hands over to cardan-bench, a program of its own because it may look inside the library. It is
 * looked for beside this program, as in a build directory, then where `meson install` puts it. */
#include "verbs.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

enum { KEY_JSON = 1, KEY_QUICK, KEY_SIZE };
enum { WORDS = 8, PATH_SIZE = PATH_MAX + 256 };

/* From the folder of this program, or absolute. */
static const char *const places[] = {"../bench/cardan-bench", CARDAN_BENCH_FROM_COMMAND};

/* clang-format off */
static const Option options[] = {
    {.name = "json", .key = KEY_JSON, .help = "print one JSON object"},
    {.name = "quick", .key = KEY_QUICK, .help = "smallest size, each call timed once: does it still run?"},
    {.name = "size", .key = KEY_SIZE, .value = "N", .help = "how large: links, steps or bodies, as the bench says"},
    {.name = NULL},
};
/* clang-format on */

/* The folder of this program with a slash at its end; false: the system does not say. */
static bool own_folder(char *folder, size_t size) {
    ssize_t length = readlink("/proc/self/exe", folder, size - 1);
    if (length <= 0 || (size_t)length >= size - 1) return false;
    folder[length] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash == NULL) return false;
    slash[1] = '\0';
    return true;
}

static bool find_bench(char *path, size_t size) {
    char folder[PATH_MAX];
    if (!own_folder(folder, sizeof folder)) return false;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int length = snprintf(path, size, "%s%s", places[i][0] == '/' ? "" : folder, places[i]);
        if (length > 0 && (size_t)length < size && access(path, X_OK) == 0) return true;
    }
    return false;
}

static int run(const Arguments *arguments) {
    char path[PATH_SIZE];
    if (!find_bench(path, sizeof path)) {
        complain("bench: the program cardan-bench is neither at %s nor at %s from the folder of this one", places[0],
                 places[1]);
        return STATUS_IO;
    }
    char json[] = "--json", quick[] = "--quick", size[] = "--size", name[64], number[64];
    char *words[WORDS] = {path};
    int count = 1;
    const char *asked = arguments_value(arguments, KEY_SIZE);
    if (strlen(arguments->operands[0]) >= sizeof name || (asked != NULL && strlen(asked) >= sizeof number)) {
        complain("bench: no name and no number is that long");
        return STATUS_USAGE;
    }
    strcpy(name, arguments->operands[0]);
    words[count++] = name;
    if (arguments_has(arguments, KEY_JSON)) words[count++] = json;
    if (arguments_has(arguments, KEY_QUICK)) words[count++] = quick;
    if (asked != NULL) {
        words[count++] = size;
        words[count++] = strcpy(number, asked);
    }
    execv(path, words); /* returns only when it failed; the exit status is that of the bench */
    complain("bench: %s: %s", path, strerror(errno));
    return STATUS_IO;
}

/* As in bench/main.c. */
static const char *bench_word(int i) {
    static const char *const words[] = {"rhs",         "chain",     "long",   "solve",   "passages",
                                        "joints",      "stabilise", "output", "stiff",   "linear",
                                        "sensitivity", "analyses",  "large",  "threads", NULL};
    return words[i];
}

const Verb verb_bench = {
    .name = "bench",
    .operands = "NAME",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "time the engine beside the libraries it stands on",
    .text =
        "rhs: one right-hand side of an N-link spatial chain (1000) against CHOLMOD's own factor and solve of the same "
        "matrix. chain: an N-link planar chain (64) against one written by hand. long: N RK4 steps (10 "
        "million) of the slider-crank, with residuals, allocations, memory and energy. "
        "solve: factor and solve of every back end, predicted and measured, on chains, ladders and nets, of at most "
        "N x N bodies, and what auto takes. passages: "
        "N planar four-bars (1000) through ten flat poses. joints: the rows of N joints (1000) of each kind, and of "
        "all "
        "kinds mixed, against those of N revolutes. linear: the linearised equations and 20 modes of hanging "
        "chains. sensitivity: derivatives along a run over 100 parameters of two kinds, in runs. stabilise: "
        "stabilising twice in "
        "right-hand sides, and as a part of "
        "a "
        "step, of chains of N links (64) and of four-bars. output: N rows (10,000) of Bricard's linkage without "
        "reactions, and a tenth as many of a planar chain of 64 links, sampled and written, against the same runs "
        "without output. stiff: an accepted step of bdf and radau5 on chains of 10 to N links (10,000) with hinges and "
        "bushings, and by what power of the length it grows. analyses: equilibrium, assemble from rough poses, "
        "kinematics, inverse, operators as products, the 20 lowest modes and the descriptor form of chains of up to N "
        "links (10,000), likewise, and how far the hanging one is from its catenary. large: making, memory and steps "
        "of chains and ladders of 1000 to N bodies (100,000), and how they grow. threads: steps of trees, a chain, a "
        "ladder and a net of N bodies (10,000) with two threads against one, by the clock and by the caller's "
        "processor time.",
    .examples = "cardan bench rhs\ncardan bench rhs --json --size 100",
    .options = options,
    .word = bench_word,
    .run = run,
};
