#include "whole_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

char *read_whole(const char *path, size_t *length) {
    size_t room = 1 << 16, used = 0;
    char *bytes = malloc(room);
    FILE *file = fopen(path, "rb");
    while (file != NULL && bytes != NULL && !feof(file) && !ferror(file)) {
        used += fread(bytes + used, 1, room - used, file);
        if (used < room) continue;
        char *more = realloc(bytes, room *= 2);
        if (more == NULL) free(bytes);
        bytes = more;
    }
    bool read = file != NULL && bytes != NULL && !ferror(file);
    if (!read) complain("%s: %s", path, bytes == NULL ? "out of memory" : strerror(errno));
    if (file != NULL) fclose(file);
    if (!read) free(bytes);
    *length = used;
    return read ? bytes : NULL;
}

int write_whole(const char *path, const char *bytes, size_t length) {
    size_t size = strlen(path) + sizeof ".part";
    char *beside = malloc(size);
    if (beside == NULL) return STATUS_IO;
    snprintf(beside, size, "%s.part", path);
    FILE *file = fopen(beside, "wbx"); /* never over a file that is there */
    bool written = file != NULL && fwrite(bytes, 1, length, file) == length;
    if (file != NULL && fclose(file) != 0) written = false;
    if (written) written = rename(beside, path) == 0;
    if (!written) {
        complain("%s: %s", file == NULL ? beside : path, strerror(errno));
        if (file != NULL) remove(beside);
    }
    free(beside);
    return written ? STATUS_DONE : STATUS_IO;
}
