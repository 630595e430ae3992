#include "core/names.h"

#include "core/memory.h"

#include <assert.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* FNV-1a: spreads the short words that names are. */
static uint32_t hash(const char *name, size_t length) {
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)name[i]) * 16777619u;
    return h;
}

/* The slot that holds the name, or the empty one where it belongs. */
static CrdNamed *slot_of(const CrdNames *names, const char *name, size_t length) {
    assert(names->capacity > 0 && (names->capacity & (names->capacity - 1)) == 0);
    assert(names->count < names->capacity); /* or the search does not end */
    uint32_t mask = (uint32_t)names->capacity - 1u;
    uint32_t at = hash(name, length) & mask;
    while (names->slots[at].name != NULL) {
        const char *known = names->slots[at].name;
        if (strncmp(known, name, length) == 0 && known[length] == '\0') break;
        at = (at + 1u) & mask;
    }
    return &names->slots[at];
}

bool crd_names_reserve(CrdNames *names) {
    if (names->count < names->capacity / 2) return true;
    if (names->capacity > INT_MAX / 2) return false;
    CrdNames larger = {.capacity = names->capacity > 0 ? 2 * names->capacity : 16};
    larger.slots = crd_new((size_t)larger.capacity, sizeof *larger.slots);
    if (larger.slots == NULL) return false;
    for (int i = 0; i < names->capacity; i++) {
        const CrdNamed *old = &names->slots[i];
        if (old->name != NULL) crd_names_put(&larger, old->name, old->kind, old->index);
    }
    assert(larger.count == names->count);
    crd_delete(names->slots);
    *names = larger;
    return true;
}

void crd_names_put(CrdNames *names, const char *name, CrdNameKind kind, int index) {
    assert(names->count < names->capacity / 2); /* crd_names_reserve came before */
    assert(kind != CRD_NAME_NONE && index >= 0);
    CrdNamed *slot = slot_of(names, name, strlen(name));
    assert(slot->name == NULL); /* no name twice */
    *slot = (CrdNamed){.name = name, .kind = kind, .index = index};
    names->count++;
}

CrdNamed crd_names_find(const CrdNames *names, const char *name, size_t length) {
    assert(name != NULL || length == 0);
    CrdNamed none = {.name = NULL, .kind = CRD_NAME_NONE, .index = -1};
    if (names->capacity == 0) return none;
    const CrdNamed *slot = slot_of(names, name, length);
    return slot->name != NULL ? *slot : none;
}

void crd_names_free(CrdNames *names) {
    crd_delete(names->slots);
    *names = (CrdNames){.slots = NULL};
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool crd_is_name(const char *name, size_t length) {
    if (length == 0 || !is_letter(name[0])) return false;
    for (size_t i = 1; i < length; i++) {
        if (!is_letter(name[i]) && !(name[i] >= '0' && name[i] <= '9')) return false;
    }
    return true;
}

const char *crd_name_kind_word(CrdNameKind kind) {
    static const char *const WORDS[] = {
        [CRD_NAME_NONE] = "nothing",          [CRD_NAME_BODY] = "a body",     [CRD_NAME_BLOCK] = "a block",
        [CRD_NAME_JOINT] = "a joint",         [CRD_NAME_FORCE] = "a force",   [CRD_NAME_STATES] = "states",
        [CRD_NAME_EVENT] = "an event",        [CRD_NAME_MARKER] = "a marker", [CRD_NAME_INVARIANT] = "an invariant",
        [CRD_NAME_PARAMETER] = "a parameter", [CRD_NAME_INPUT] = "an input"};
    assert((size_t)kind < sizeof WORDS / sizeof *WORDS);
    return WORDS[kind];
}

CrdShown crd_shown(const char *text, size_t length) {
    CrdShown shown;
    size_t room = sizeof shown.text - sizeof "..."; /* keeps place for the dots */
    size_t n = length;
    if (length > room) {
        n = room;
        while (n > 0 && ((unsigned char)text[n] & 0xC0u) == 0x80u) n--; /* not inside a UTF-8 character */
    }
    assert(n <= room && n <= length);
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        shown.text[i] = text[i];
        if (c < 0x20 || c == 0x7F) shown.text[i] = '?';
    }
    memcpy(shown.text + n, n < length ? "..." : "", n < length ? 4 : 1);
    return shown;
}

CrdShown crd_shown_text(const char *text) {
    return crd_shown(text, strlen(text));
}

CrdHint crd_did_you_mean(const char *near) {
    CrdHint hint = {""};
    if (near != NULL) snprintf(hint.text, sizeof hint.text, "; did you mean '%.70s'?", near);
    return hint;
}

const char *crd_word_list(const char *const *words, int count, char *buffer, size_t size) {
    assert(size >= sizeof ", ...");
    size_t used = 0;
    buffer[0] = '\0';
    for (int i = 0; i < count; i++) {
        size_t n = strlen(words[i]);
        if (used + n + sizeof ", ..." > size) {
            memcpy(buffer + used, "...", 4);
            break;
        }
        memcpy(buffer + used, words[i], n);
        used += n;
        memcpy(buffer + used, i + 1 < count ? ", " : "", i + 1 < count ? 3 : 1);
        used += i + 1 < count ? 2 : 0;
    }
    return buffer;
}
