/* What the command says when something is wrong, and with which status it leaves. */
#include "command.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

void complain(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("cardan: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

void complain_about(const char *path, const char *sentence) {
    size_t n = strlen(path);
    bool placed = strncmp(sentence, path, n) == 0 && sentence[n] == ':';
    if (placed)
        fprintf(stderr, "%s\n", sentence);
    else
        fprintf(stderr, "%s: %s\n", path, sentence[0] != '\0' ? sentence : "failed without a reason given");
}

void complain_refusal(const Verb *verb, const char *path, int status, const char *reason) {
    if (status == STATUS_USAGE)
        complain("%s: %s", verb->name, reason);
    else
        complain_about(path, reason);
}

int exit_status(CardanStatus status) {
    switch (status) {
    case CARDAN_OK:
    case CARDAN_REMARK:
    case CARDAN_STOPPED:
        return STATUS_DONE;
    case CARDAN_ERR_MODEL:
        return STATUS_MODEL;
    case CARDAN_ERR_NUMERIC:
        return STATUS_STOPPED;
    case CARDAN_ERR_IO:
        return STATUS_IO;
    case CARDAN_ERR_LIMIT:
        return STATUS_LIMIT;
    case CARDAN_ERR_INTERNAL:
    case CARDAN_ERR_ARGUMENT: /* the command called the library wrongly: its own fault, not the user's */
    case CARDAN_ERR_MEMORY:
        break;
    }
    return STATUS_FAULT;
}

int finish_stdout(void) {
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return STATUS_DONE;
    complain("standard output could not be written: %s", errno != 0 ? strerror(errno) : "write error");
    return STATUS_IO;
}
