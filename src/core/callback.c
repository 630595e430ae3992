#include "core/callback.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

bool crd_are_finite(const void *numbers, size_t count) {
    const double *x = numbers;
    assert(count == 0 || x != NULL);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

CardanStatus crd_callback_ended(CrdError *error, CardanStatus status, bool finite, double t, const char *format, ...) {
    if (status >= 0 && finite) return CARDAN_OK;
    char who[CRD_MESSAGE_SIZE / 2];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(who, sizeof who, format, arguments);
    va_end(arguments);
    if (status < 0) return crd_fail(error, status, "%s failed at t = %.9g", who, t);
    return crd_fail(error, CARDAN_ERR_NUMERIC, "%s gave a number that is not finite at t = %.9g", who, t);
}
