/* Small builders and expectations shared by the tests of src/build. */
#ifndef TESTS_UNIT_BUILDER_FIXTURE_H
#define TESTS_UNIT_BUILDER_FIXTURE_H

#include "build/description.h"
#include "cardan/cardan.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static inline CardanBuilder *planar(void) {
    return cardan_builder_create(CARDAN_PLANAR);
}

static inline CardanBuilder *spatial(void) {
    return cardan_builder_create(CARDAN_SPATIAL);
}

static inline CardanBody rod(CardanBuilder *b, const char *name) {
    return cardan_builder_add_body(b, &(CardanBodyDef){.name = name, .mass = 1.0, .inertia.zz = 0.1});
}

static inline CardanBody brick(CardanBuilder *b, const char *name) {
    CardanBodyDef def = {.name = name, .mass = 1.0, .inertia = {.xx = 1.0, .yy = 1.0, .zz = 1.0}};
    return cardan_builder_add_body(b, &def);
}

static inline void refuses(CardanBuilder *b, CardanStatus status, const char *piece) {
    if (cardan_builder_status(b) != status || strstr(cardan_builder_message(b), piece) == NULL)
        print_message("status %d: %s\nexpected %d: %s\n", (int)cardan_builder_status(b), cardan_builder_message(b),
                      (int)status, piece);
    assert_int_equal(cardan_builder_status(b), status);
    assert_non_null(strstr(cardan_builder_message(b), piece));
    cardan_builder_destroy(b);
}

static inline void accepts(CardanBuilder *b) {
    assert_string_equal(cardan_builder_message(b), "");
    assert_int_equal(cardan_builder_status(b), CARDAN_OK);
    cardan_builder_destroy(b);
}

#endif
