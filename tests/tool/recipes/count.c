/* The recipe of a verb. cardan count MODEL: how many bodies and joints a mechanism has. */
#include "verbs.h"

static int run(const Arguments *arguments) {
    CardanModel *model = NULL;
    int status = load_model(arguments->operands[0], arguments, 0, &model);
    if (status != STATUS_DONE) return status;
    CardanSizes sizes = cardan_model_sizes(model);
    printf("%d bodies, %d joints\n", sizes.bodies, sizes.joints);
    cardan_model_release(model);
    return finish_stdout();
}

const Verb verb_count = {
    .name = "count",
    .operands = "MODEL",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "how many bodies and joints a mechanism has",
    .text = "Prints the numbers of bodies and joints.",
    .run = run,
};
