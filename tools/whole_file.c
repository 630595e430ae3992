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

int write_file(const char *path, PutFile put, const void *user) {
    bool to_stdout = strcmp(path, "-") == 0;
    errno = 0;
    FILE *out = to_stdout ? stdout : fopen(path, "wb");
    if (out == NULL) {
        complain("'%s' could not be opened for writing: %s", path, strerror(errno));
        return STATUS_IO;
    }
    const char *reason = put(out, user);
    if (to_stdout && reason == NULL) return finish_stdout();
    bool failed = reason != NULL || ferror(out) != 0;
    if (!to_stdout) failed = fclose(out) != 0 || failed;
    if (!failed) return STATUS_DONE;
    const char *system = errno != 0 ? strerror(errno) : "write error";
    complain("'%s' could not be written: %s", path, reason != NULL ? reason : system);
    return STATUS_IO;
}
