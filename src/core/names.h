/* Names of objects: the rule for names, and an index from name to object that stays quick for large models. */
#ifndef CRD_CORE_NAMES_H
#define CRD_CORE_NAMES_H

#include "core/status.h"

typedef enum CrdNameKind {
    CRD_NAME_NONE = 0,
    CRD_NAME_BODY,
    CRD_NAME_BLOCK,
    CRD_NAME_JOINT,
    CRD_NAME_FORCE,
    CRD_NAME_STATES,
    CRD_NAME_EVENT,
    CRD_NAME_INVARIANT,
    CRD_NAME_MARKER,
    CRD_NAME_PARAMETER,
    CRD_NAME_INPUT
} CrdNameKind;

typedef struct CrdNamed {
    const char *name; /* owned by the object; NULL: an empty slot */
    CrdNameKind kind;
    int index; /* of the object, from 0 */
} CrdNamed;

/* A hash table with open addressing. */
typedef struct CrdNames {
    CrdNamed *slots;
    int capacity; /* 0 or a power of two, at least twice count */
    int count;
} CrdNames;

/* Room for one more name, so that crd_names_put cannot fail. false: out of memory. */
bool crd_names_reserve(CrdNames *names);
void crd_names_put(CrdNames *names, const char *name, CrdNameKind kind, int index);

/* kind CRD_NAME_NONE when there is none of that name. */
CrdNamed crd_names_find(const CrdNames *names, const char *name, size_t length);
void crd_names_free(CrdNames *names);

/* A letter or _, then letters, digits and _. */
bool crd_is_name(const char *name, size_t length);

/* "a body", "an input", ... for messages. */
const char *crd_name_kind_word(CrdNameKind kind);

/* A word that an option takes, and in one sentence what it stands for: what registries say of their records. */
typedef struct CrdWord {
    const char *name, *summary;
} CrdWord;

/* Text of a user, safe to stand in a message: control characters replaced, long text cut. */
typedef struct CrdShown {
    char text[72];
} CrdShown;
CrdShown crd_shown(const char *text, size_t length);
CrdShown crd_shown_text(const char *text);

/* "; did you mean 'crank'?", to stand at the end of a sentence. near NULL: nothing. */
typedef struct CrdHint {
    char text[96];
} CrdHint;
CrdHint crd_did_you_mean(const char *near);

/* Words as "a, b, c", cut when the list is too long. Returns buffer. */
const char *crd_word_list(const char *const *words, int count, char *buffer, size_t size);

#endif
