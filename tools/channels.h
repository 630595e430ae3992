/* Names and units of what a run records. */
#ifndef TOOL_CHANNELS_H
#define TOOL_CHANNELS_H

#include "json.h"

#include "cardan/cardan.h"

/* "units": {"t": "s", "main.angle": "rad", ...} of the columns that results of the model have. */
void channels_json(Json *json, const CardanModel *model);

#endif
