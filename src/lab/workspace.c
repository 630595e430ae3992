#include "lab/workspace.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "core/memory.h"

enum { FIRST_BLOCK = 1 << 15, ALIGNED = 16 }; /* bytes: small problems stay in one block */

void *crd_lab_take(CrdLabWorkspace *workspace, size_t count, size_t size) {
    assert(size > 0 && workspace->block < CRD_LAB_WORKSPACE_BLOCKS);
    if (workspace->empty || count > (SIZE_MAX / 4 - ALIGNED) / size) {
        workspace->empty = true;
        return NULL;
    }
    size_t bytes = (count * size + ALIGNED - 1) / ALIGNED * ALIGNED;
    assert(workspace->used <= workspace->blocks[workspace->block].size);
    while (workspace->used + bytes > workspace->blocks[workspace->block].size) {
        size_t larger = workspace->blocks[workspace->block].size * 2;
        if (workspace->blocks[workspace->block].base != NULL) {
            if (workspace->block + 1 == CRD_LAB_WORKSPACE_BLOCKS) workspace->empty = true;
            if (workspace->empty) return NULL;
            workspace->block++;
            workspace->used = 0;
        }
        if (workspace->blocks[workspace->block].base != NULL) continue;
        if (larger < FIRST_BLOCK) larger = FIRST_BLOCK;
        if (larger < bytes) larger = bytes;
        workspace->blocks[workspace->block].base = crd_new(1, larger);
        workspace->empty = workspace->blocks[workspace->block].base == NULL;
        if (workspace->empty) return NULL;
        workspace->blocks[workspace->block].size = larger;
    }
    void *room = workspace->blocks[workspace->block].base + workspace->used;
    workspace->used += bytes;
    return memset(room, 0, bytes);
}

void crd_lab_clear(CrdLabWorkspace *workspace) {
    for (int i = 0; i < CRD_LAB_WORKSPACE_BLOCKS; i++) {
        crd_delete(workspace->blocks[i].base);
        workspace->blocks[i].base = NULL;
        workspace->blocks[i].size = 0;
    }
    workspace->block = 0;
    workspace->used = 0;
    workspace->empty = false;
}
