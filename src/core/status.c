#include "core/status.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *cardan_status_name(CardanStatus status) {
    static const char *const NAMES[] = {"out of memory", "limit reached", "file error",     "numerical failure",
                                        "bad model",     "bad argument",  "internal error", "done",
                                        "remark",        "stopped"};
    bool known = status >= CARDAN_ERR_MEMORY && status <= CARDAN_STOPPED;
    return known ? NAMES[status - CARDAN_ERR_MEMORY] : "unknown status";
}

static CardanStatus fail(CrdError *error, CardanStatus status, CrdPlace place, const char *format, va_list arguments) {
    assert(status != CARDAN_OK);
    assert(format != NULL && format[0] != '\0'); /* every failure has a sentence */
    if (error == NULL || error->status < 0) return status;
    error->status = status;
    error->place = place;
    vsnprintf(error->text, sizeof error->text, format, arguments);
    return status;
}

CardanStatus crd_fail(CrdError *error, CardanStatus status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    CardanStatus result = fail(error, status, (CrdPlace){0, 0}, format, arguments);
    va_end(arguments);
    return result;
}

CardanStatus crd_fail_at(CrdError *error, CardanStatus status, CrdPlace place, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    CardanStatus result = fail(error, status, place, format, arguments);
    va_end(arguments);
    return result;
}

CardanStatus crd_fail_memory(CrdError *error) {
    return crd_fail(error, CARDAN_ERR_MEMORY, "out of memory");
}

void crd_error_clear(CrdError *error) {
    memset(error, 0, sizeof *error);
}

CardanStatus crd_refuse_call(char *message, size_t size, const char *format, ...) {
    if (message == NULL || size == 0) return CARDAN_ERR_ARGUMENT;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, size, format, arguments);
    va_end(arguments);
    return CARDAN_ERR_ARGUMENT;
}
