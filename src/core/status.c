#include "core/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static CardanStatus fail(CrdError *error, CardanStatus status, CrdPlace place, const char *format, va_list arguments) {
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
