/* A model file with one fault: the complaint names the exact line and column and says what is wrong. */
#ifndef TESTS_PATHOLOGY_BAD_FILE_H
#define TESTS_PATHOLOGY_BAD_FILE_H

#include "cardan/cardan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct BadFile {
    const char *text;
    int line, column;
    const char *piece; /* of the sentence */
} BadFile;

static inline void expect_one(const BadFile *bad) {
    CardanBuilder *builder = NULL;
    CardanModel *model = NULL;
    CardanStatus status = cardan_builder_read_text(bad->text, strlen(bad->text), "bad.yaml", &builder);
    if (status >= 0) status = cardan_builder_compile(builder, &model);
    const char *message = cardan_builder_message(builder);
    char place[64];
    snprintf(place, sizeof place, "bad.yaml:%d:%d: ", bad->line, bad->column);
    bool good = status == CARDAN_ERR_MODEL && strncmp(message, place, strlen(place)) == 0 &&
                strstr(message + strlen(place), bad->piece) != NULL;
    if (!good)
        print_message("status %d, message: %s\nexpected: %s... %s\n%s\n", (int)status, message, place, bad->piece,
                      bad->text);
    cardan_model_release(model);
    cardan_builder_destroy(builder);
    if (!good) fail();
}

#define EXPECT_ALL(table)                                                                                              \
    for (size_t i = 0; i < sizeof(table) / sizeof(table)[0]; i++) expect_one(&(table)[i])

#endif
