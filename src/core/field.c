#include "core/field.h"

#include <assert.h>
#include <string.h>

const CrdField *crd_field_find(CrdFieldTable table, const char *key, int form) {
    assert(key != NULL);
    for (int i = 0; i < table.count; i++) {
        const CrdField *field = table.fields + i;
        if ((field->form == 0 || field->form == form) && strcmp(field->key, key) == 0) return field;
    }
    return NULL;
}

const CrdField *crd_field_holding(CrdFieldTable table, CrdHolds holds, int form) {
    for (int i = 0; i < table.count; i++) {
        const CrdField *field = table.fields + i;
        if ((field->form == 0 || field->form == form) && field->holds == holds) return field;
    }
    return NULL;
}

bool crd_given(const CrdWritten *written, const char *key) {
    assert(written->table.count <= CRD_TABLE_ROOM);
    for (int i = 0; i < written->table.count; i++)
        if (strcmp(written->table.fields[i].key, key) == 0 && (written->given >> i & 1u) != 0) return true;
    return false;
}
