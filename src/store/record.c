#include "store/record.h"

#include "cardan/run.h"
#include "core/memory.h"
#include "store/checksum.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(double) == 8 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "numbers are written as they stand in memory: IEEE, little-endian");

static const unsigned char MAGIC[8] = {0x89, 'C', 'A', 'R', 'D', 'A', 'N', '\n'};

const char *crd_record_name(uint32_t kind) {
    static const char *const NAMES[] = {"record", "model", "setup", "channels", "sample", "state", "event", "end"};
    if (kind < sizeof NAMES / sizeof *NAMES) return NAMES[kind];
    return kind == CRD_RECORD_CHECKPOINT ? "checkpoint" : kind == CRD_RECORD_WORK ? "work" : "unknown record";
}

/* ---- bytes ---- */

static bool make_room(CrdBytes *bytes, size_t more) {
    size_t need = bytes->count + more;
    if (bytes->failed) return false;
    if (need <= bytes->room) return true;
    size_t room = bytes->room > 0 ? bytes->room : 4096;
    while (room < need) room *= 2;
    unsigned char *bigger = crd_new(room, 1);
    if (bigger == NULL) {
        bytes->failed = true;
        return false;
    }
    if (bytes->count > 0) memcpy(bigger, bytes->at, bytes->count);
    crd_delete(bytes->at);
    bytes->at = bigger;
    bytes->room = room;
    return true;
}

void crd_bytes_put(CrdBytes *bytes, const void *from, size_t size) {
    assert(size == 0 || from != NULL);
    if (size == 0 || !make_room(bytes, size)) return;
    memcpy(bytes->at + bytes->count, from, size);
    bytes->count += size;
}

void crd_bytes_put_u32(CrdBytes *bytes, uint32_t number) {
    crd_bytes_put(bytes, &number, sizeof number);
}

void crd_bytes_put_numbers(CrdBytes *bytes, const double *numbers, size_t count) {
    assert(count == 0 || numbers != NULL);
    crd_bytes_put(bytes, numbers, count * sizeof *numbers);
}

static void fill_up(CrdBytes *bytes) {
    static const unsigned char zeros[8];
    crd_bytes_put(bytes, zeros, (8 - bytes->count % 8) % 8);
}

void crd_bytes_put_text(CrdBytes *bytes, const char *text, size_t length) {
    crd_bytes_put_u32(bytes, (uint32_t)length);
    crd_bytes_put(bytes, text, length);
    crd_bytes_put(bytes, "", 1);
    fill_up(bytes);
}

/* ---- records ---- */

void crd_file_head(CrdBytes *bytes) {
    crd_bytes_put(bytes, MAGIC, sizeof MAGIC);
    crd_bytes_put_u32(bytes, CARDAN_RUN_VERSION);
    if (!bytes->failed) crd_bytes_put_u32(bytes, crd_checksum(0, bytes->at + bytes->count - 12, 12));
}

size_t crd_record_begin(CrdBytes *bytes, CrdRecordKind kind) {
    size_t begin = bytes->count;
    crd_bytes_put_u32(bytes, (uint32_t)kind);
    crd_bytes_put(bytes, (const uint32_t[3]){0}, 3 * sizeof(uint32_t));
    return begin;
}

void crd_record_end(CrdBytes *bytes, size_t begin) {
    size_t content = begin + CRD_RECORD_HEAD;
    if (bytes->failed) return;
    uint32_t length = (uint32_t)(bytes->count - content);
    fill_up(bytes);
    if (bytes->failed) return;
    unsigned char *head = bytes->at + begin;
    memcpy(head + 4, &length, sizeof length);
    uint32_t sums[2] = {crd_checksum(0, head, 8), crd_checksum(0, bytes->at + content, bytes->count - content)};
    memcpy(head + 8, sums, sizeof sums);
}

/* ---- reading ---- */

CrdReading crd_record_read(const unsigned char *bytes, size_t size, size_t at, CrdRecord *out) {
    uint32_t head[4];
    *out = (CrdRecord){.begin = at, .end = at};
    if (at == size) return CRD_READ_END;
    if (size - at < sizeof head) return CRD_READ_CUT;
    memcpy(head, bytes + at, sizeof head);
    if (crd_checksum(0, bytes + at, 8) != head[2]) return CRD_READ_DAMAGED;
    size_t whole = ((size_t)head[1] + 7) / 8 * 8;
    out->kind = head[0];
    out->length = head[1];
    out->content = bytes + at + sizeof head;
    out->end = at + sizeof head + whole;
    if (size - at - sizeof head < whole) return CRD_READ_CUT;
    return crd_checksum(0, out->content, whole) == head[3] ? CRD_READ : CRD_READ_DAMAGED;
}

CrdCursor crd_cursor(const CrdRecord *record) {
    assert(record != NULL);
    return (CrdCursor){record->content, record->length, false};
}

static const unsigned char *take(CrdCursor *cursor, size_t size) {
    if (cursor->failed || cursor->left < size) {
        cursor->failed = true;
        return NULL;
    }
    const unsigned char *at = cursor->at;
    cursor->at += size;
    cursor->left -= size;
    return at;
}

uint32_t crd_take_u32(CrdCursor *cursor) {
    uint32_t number = 0;
    const unsigned char *at = take(cursor, sizeof number);
    if (at != NULL) memcpy(&number, at, sizeof number);
    return number;
}

double crd_take_number(CrdCursor *cursor) {
    double number = 0.0;
    const unsigned char *at = take(cursor, sizeof number);
    if (at != NULL) memcpy(&number, at, sizeof number);
    return number;
}

const double *crd_take_numbers(CrdCursor *cursor, size_t count) {
    if (count > cursor->left / sizeof(double)) cursor->failed = true;
    return (const double *)(const void *)take(cursor, count * sizeof(double));
}

const char *crd_take_text(CrdCursor *cursor, size_t *length) {
    assert(cursor != NULL);
    size_t n = crd_take_u32(cursor), whole = (n + 1 + sizeof(uint32_t) + 7) / 8 * 8 - sizeof(uint32_t);
    if (whole > cursor->left && n + 1 <= cursor->left) whole = cursor->left; /* the last one of a record */
    const unsigned char *at = take(cursor, whole);
    bool good = at != NULL && n < whole && at[n] == '\0';
    if (!good) cursor->failed = true;
    if (length != NULL) *length = good ? n : 0;
    return good ? (const char *)at : "";
}
