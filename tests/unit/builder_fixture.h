/* Small builders and expectations shared by the tests of src/build. */
#ifndef TESTS_UNIT_BUILDER_FIXTURE_H
#define TESTS_UNIT_BUILDER_FIXTURE_H

#include "build/fields.h"
#include "cardan/cardan.h"
#include "support/defaulted.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* The numbers that a key of a joint or force holds. */
static inline const double *numbers_of(const CrdDescription *d, CrdOwner owner, int index, const char *key) {
    const CrdElementDesc *element = owner == CRD_OWNER_JOINT ? &d->joints[index] : &d->forces[index];
    CrdFieldTable table = crd_fields_of(d, owner, index);
    for (int i = 0; i < table.count; i++)
        if (strcmp(table.fields[i].key, key) == 0 && crd_field_there(&table.fields[i], d->space, element->form))
            return crd_field_numbers(&table.fields[i], &element->numbers);
    fail_msg("there is no field '%s'", key);
    return NULL;
}

/* Are of a joint's (force's) keys just these given? NULL ends the list; bodies and type need not be named. */
static inline void expect_given(const CrdDescription *d, CrdOwner owner, int index, const char *const *keys) {
    const CrdElementDesc *element = owner == CRD_OWNER_JOINT ? &d->joints[index] : &d->forces[index];
    CrdFieldTable table = crd_fields_of(d, owner, index);
    for (int i = 0; i < table.count; i++) {
        bool expected = strcmp(table.fields[i].key, "bodies") == 0;
        for (int k = 0; keys[k] != NULL; k++) expected = expected || strcmp(keys[k], table.fields[i].key) == 0;
        if (((element->given >> i & 1u) != 0) != expected)
            fail_msg("'%s' of '%s' is %sgiven", table.fields[i].key, element->name, expected ? "not " : "");
    }
}
#define EXPECT_GIVEN(d, owner, index, ...) expect_given(d, owner, index, (const char *const[]){__VA_ARGS__, NULL})

static inline CardanBuilder *planar(void) {
    return cardan_builder_create(CARDAN_SPACE_PLANAR);
}

static inline CardanBuilder *spatial(void) {
    return cardan_builder_create(CARDAN_SPACE_SPATIAL);
}

static inline CardanBody rod(CardanBuilder *b, const char *name) {
    return cardan_builder_add_body(b, &(CardanBodyDef){DEFAULTED, .name = name, .mass = 1.0, .inertia.zz = 0.1});
}

static inline CardanBody brick(CardanBuilder *b, const char *name) {
    CardanBodyDef def = {DEFAULTED, .name = name, .mass = 1.0, .inertia = {.xx = 1.0, .yy = 1.0, .zz = 1.0}};
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
