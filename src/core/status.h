/* How functions of the library fail: a status to branch on and a sentence for the person who reads it. */
#ifndef CRD_CORE_STATUS_H
#define CRD_CORE_STATUS_H

#include "cardan/types.h"

enum { CRD_MESSAGE_SIZE = 1024 };

/* Where something stands in a model file. line 0: not from a file. */
typedef struct CrdPlace {
    int line, column; /* both from 1 */
} CrdPlace;

/* The first failure (or the last remark) of an object. text always ends with a NUL. */
typedef struct CrdError {
    CardanStatus status;
    CrdPlace place;
    char text[CRD_MESSAGE_SIZE];
} CrdError;

#if defined(__GNUC__)
#define CRD_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CRD_PRINTF(text, first)
#endif

/* The one macro with control flow: leave with the status of a call that failed. */
#define CRD_TRY(call)                                                                                                  \
    do {                                                                                                               \
        CardanStatus crd_try_status = (call);                                                                          \
        if (crd_try_status < 0) return crd_try_status;                                                                 \
    } while (0)

/* Writes the sentence unless an earlier failure is already there; returns status. error may be NULL. */
CardanStatus crd_fail(CrdError *error, CardanStatus status, const char *format, ...) CRD_PRINTF(3, 4);

/* The same with a place in the model file. */
CardanStatus crd_fail_at(CrdError *error, CardanStatus status, CrdPlace place, const char *format, ...)
    CRD_PRINTF(4, 5);

/* CARDAN_ERR_MEMORY with its standing sentence. */
CardanStatus crd_fail_memory(CrdError *error);

void crd_error_clear(CrdError *error);

/* A programmer's error in a call that hands out its sentence in a buffer (size bytes, may be NULL); returns
 * CARDAN_ERR_ARGUMENT. */
CardanStatus crd_refuse_call(char *message, size_t size, const char *format, ...) CRD_PRINTF(3, 4);

#endif
