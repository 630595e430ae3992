#include "lab/desk.h"

#include <stdint.h>
#include <string.h>

#include "core/memory.h"

enum { FIRST_BLOCK = 1 << 15, ALIGNED = 16 }; /* bytes: small problems stay in one block */

void *crd_lab_take(CrdLabDesk *desk, size_t count, size_t size) {
    if (desk->empty || count > (SIZE_MAX / 4 - ALIGNED) / size) {
        desk->empty = true;
        return NULL;
    }
    size_t bytes = (count * size + ALIGNED - 1) / ALIGNED * ALIGNED;
    while (desk->used + bytes > desk->blocks[desk->block].size) {
        size_t larger = desk->blocks[desk->block].size * 2;
        if (desk->blocks[desk->block].base != NULL) {
            if (desk->block + 1 == CRD_LAB_DESK_BLOCKS) desk->empty = true;
            if (desk->empty) return NULL;
            desk->block++;
            desk->used = 0;
        }
        if (desk->blocks[desk->block].base != NULL) continue;
        if (larger < FIRST_BLOCK) larger = FIRST_BLOCK;
        if (larger < bytes) larger = bytes;
        desk->blocks[desk->block].base = crd_new(1, larger);
        desk->empty = desk->blocks[desk->block].base == NULL;
        if (desk->empty) return NULL;
        desk->blocks[desk->block].size = larger;
    }
    void *room = desk->blocks[desk->block].base + desk->used;
    desk->used += bytes;
    return memset(room, 0, bytes);
}

void crd_lab_clear(CrdLabDesk *desk) {
    for (int i = 0; i < CRD_LAB_DESK_BLOCKS; i++) {
        crd_delete(desk->blocks[i].base);
        desk->blocks[i].base = NULL;
        desk->blocks[i].size = 0;
    }
    desk->block = 0;
    desk->used = 0;
    desk->empty = false;
}
