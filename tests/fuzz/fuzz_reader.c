/* Any bytes at all given to the reader of model files: it may refuse them, and does nothing else wrong. Build with
 * -Dfuzz=true; start it with models/ as its first inputs. */
#include "cardan/builder.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    CardanBuilder *builder = NULL;
    CardanStatus status = cardan_builder_read_text((const char *)data, size, "fuzz", &builder);
    if (builder == NULL || status != cardan_builder_status(builder)) abort();
    bool silent = cardan_builder_message(builder)[0] == '\0';
    if (silent != (status >= 0)) abort(); /* every refusal says why */
    cardan_builder_destroy(builder);
    return 0;
}
