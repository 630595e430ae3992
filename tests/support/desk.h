/* Room for the laboratory in a test program, given back at its end. */
#ifndef TESTS_SUPPORT_DESK_H
#define TESTS_SUPPORT_DESK_H

#include "lab/workspace.h"

static CrdError error; /* the first sentence since it was cleared */
static CrdLabWorkspace workspace = {.error = &error};

static inline int clear_desk(void **state) {
    (void)state;
    crd_lab_clear(&workspace);
    return 0;
}

#endif
