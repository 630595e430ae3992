/* cardan convert RUN OUT: results in another format. */
#include "verbs.h"

#include <string.h>

#include "export.h"

static int run(const Arguments *arguments) {
    const char *from = arguments->operands[0], *to = arguments->operands[1];
    const char *missing = export_missing(export_find(to));
    if (missing != NULL) {
        complain("convert: '%s': %s", to, missing);
        return STATUS_USAGE;
    }
    RunFile file;
    int status = runfile_read(&file, from);
    if (status == STATUS_DONE) status = export_run(&file, to);
    if (status == STATUS_DONE && strcmp(to, "-") != 0)
        printf("%s: wrote %s (%ld rows%s)\n", file.info.model_name, to, file.info.rows,
               file.info.ended ? "" : "; the run has not come to its end");
    runfile_free(&file);
    int flushed = finish_stdout();
    return status == STATUS_DONE ? flushed : status;
}

const Verb verb_convert = {
    .name = "convert",
    .operands = "RUN OUT",
    .operands_min = 2,
    .operands_max = 2,
    .summary = "write the results of a run file in another format",
    .text =
        "Writes the results of the run file RUN to OUT, in the format that its name ends in: .csv (numbers read back "
        "as the same bits; '-' is standard output), .h5 (HDF5: one dataset a channel, pin.reaction.fx as "
        "/pin/reaction/fx, units as attributes), .glb (glTF: the bodies in motion, for any viewer), .html (the page "
        "of `cardan view`).\n\n"
        "A run file that was cut off or damaged is read as far as its records are in order.",
    .examples = "cardan run models/slider_crank.yaml -o run.cardan\ncardan convert run.cardan result.csv",
    .run = run,
};
