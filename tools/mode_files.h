/* Modes as JSON, and one of them as straight displacements of bodies over time: rows that `cardan plot` reads. */
#ifndef TOOL_MODE_FILES_H
#define TOOL_MODE_FILES_H

#include "command.h"

typedef struct ModeFile {
    const CardanModel *model;
    CardanSim *sim;
    const CardanModes *modes;
    int mode;         /* damped, from 0: shown in rows over time */
    double amplitude; /* lengths of the mechanism or rad */
} ModeFile;

bool mode_file_is_known(const char *path);

/* Complains and gives the exit status. */
int mode_file_write(const char *path, const ModeFile *file);

void mode_json(FILE *out, const ModeFile *file);

#endif
