/* Records of a run file: a head of 16 bytes, then the content, filled up with zeros to a multiple of 8, so that numbers
 * can be read where they stand.
 *
 *     kind u32, length u32, checksum of these 8 bytes u32, checksum of the content with its filling u32
 *
 * All little-endian. docs/RUNFILE.md has the contents. */
#ifndef CRD_STORE_RECORD_H
#define CRD_STORE_RECORD_H

#include "core/status.h"

#include <stddef.h>
#include <stdint.h>

typedef enum CrdRecordKind {
    CRD_RECORD_MODEL = 1,
    CRD_RECORD_SETUP,
    CRD_RECORD_CHANNELS,
    CRD_RECORD_SAMPLE,
    CRD_RECORD_STATE,
    CRD_RECORD_EVENT,
    CRD_RECORD_END,
    CRD_RECORD_REPEATABLE, /* those below are the same in every run of the same model; those above are not */
    CRD_RECORD_CHECKPOINT = 64,
    CRD_RECORD_WORK
} CrdRecordKind;

enum { CRD_FILE_HEAD = 16, CRD_RECORD_HEAD = 16 };

/* "samples", as messages name them. */
const char *crd_record_name(uint32_t kind);

/* Bytes that grow. A failed allocation is kept and told at the end. */
typedef struct CrdBytes {
    unsigned char *at;
    size_t count, room;
    bool failed;
} CrdBytes;

void crd_bytes_put(CrdBytes *bytes, const void *from, size_t size);
void crd_bytes_put_u32(CrdBytes *bytes, uint32_t number);
void crd_bytes_put_numbers(CrdBytes *bytes, const double *numbers, size_t count);
void crd_bytes_put_text(CrdBytes *bytes, const char *text, size_t length); /* u32 length, text, NUL */

/* The head of a file. */
void crd_file_head(CrdBytes *bytes);

/* A record: begin, put its content, end. The place where it begins is handed on. */
size_t crd_record_begin(CrdBytes *bytes, CrdRecordKind kind);
void crd_record_end(CrdBytes *bytes, size_t begin);

/* ---- reading ---- */

/* A record where it stands. */
typedef struct CrdRecord {
    uint32_t kind;
    size_t length;                /* of the content, without its filling */
    const unsigned char *content; /* aligned to 8 when the bytes are */
    size_t begin, end;            /* in the file */
} CrdRecord;

typedef enum CrdReading { CRD_READ = 0, CRD_READ_END, CRD_READ_CUT, CRD_READ_DAMAGED } CrdReading;

/* The record at `at`. */
CrdReading crd_record_read(const unsigned char *bytes, size_t size, size_t at, CrdRecord *out);

/* What stands in a record, taken from its front; anything beyond its end is 0 or empty, and fails it. */
typedef struct CrdCursor {
    const unsigned char *at;
    size_t left;
    bool failed;
} CrdCursor;

CrdCursor crd_cursor(const CrdRecord *record);
uint32_t crd_take_u32(CrdCursor *cursor);
double crd_take_number(CrdCursor *cursor);
const double *crd_take_numbers(CrdCursor *cursor, size_t count);
const char *crd_take_text(CrdCursor *cursor, size_t *length); /* length may be NULL */

#endif
