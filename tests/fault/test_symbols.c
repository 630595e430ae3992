/* The shared library shows the world nothing but cardan_... */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <cardan/cardan.h>

enum { NAMES_MOST = 400, NAME_LENGTH = 128 };

static char names[NAMES_MOST][NAME_LENGTH];

/* src/libcardan.so beside tools/cardan in the build directory. */
static bool find_library(char *path, size_t size) {
    const char *command = getenv("CARDAN_COMMAND");
    if (command == NULL || command[0] == '\0') return false;
    const char *slash = strrchr(command, '/');
    if (slash == NULL) return false;
    snprintf(path, size, "%.*s/../src/libcardan.so", (int)(slash - command), command);
    return access(path, R_OK) == 0 && strchr(path, '\'') == NULL;
}

/* Names that are defined and visible; how many, -1 when nm is not there. */
static int read_names(const char *library) {
    char command[4200], type;
    int count = 0;
    snprintf(command, sizeof command, "nm -D --defined-only '%s' 2>/dev/null", library);
    FILE *pipe = popen(command, "r");
    if (pipe == NULL) return -1;
    while (count < NAMES_MOST && fscanf(pipe, "%*s %c %127s", &type, names[count]) == 2) count++;
    return pclose(pipe) == 0 ? count : -1;
}

static bool is_exported(int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

static void the_shared_library_exports_only_names_of_cardan(void **state) {
    (void)state;
    char library[4096];
    if (!find_library(library, sizeof library)) skip();
    int count = read_names(library);
    if (count < 0) skip();
    assert_in_range(count, 50, NAMES_MOST - 1); /* the headers declare more than 50 functions */
    assert_true(is_exported(count, "cardan_version"));
    assert_true(is_exported(count, "cardan_sim_advance"));
    for (int i = 0; i < count; i++)
        if (strncmp(names[i], "cardan_", 7) != 0) fail_msg("'%s' is exported", names[i]);
}

/* Functions that a public header declares, found by their CARDAN_API; each must be among the names. */
static int count_declared(const char *path, int count) {
    char line[512];
    int declared = 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        char *name = strncmp(line, "CARDAN_API", 10) == 0 ? strstr(line, "cardan_") : NULL;
        if (name == NULL) continue;
        name[strcspn(name, "(")] = '\0';
        declared++;
        if (!is_exported(count, name)) fail_msg("%s declares '%s', which is not exported", path, name);
    }
    fclose(file);
    return declared;
}

static void the_shared_library_exports_what_the_headers_declare_and_no_more(void **state) {
    (void)state;
    char library[4096], path[512];
    if (!find_library(library, sizeof library)) skip();
    int count = read_names(library), declared = 0;
    if (count < 0) skip();
    DIR *folder = opendir("include/cardan");
    assert_non_null(folder);
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot == NULL || strcmp(dot, ".h") != 0) continue;
        snprintf(path, sizeof path, "include/cardan/%s", entry->d_name);
        declared += count_declared(path, count);
    }
    closedir(folder);
    assert_int_equal(declared, count);
}

static void the_version_is_one_number_in_headers_library_and_build(void **state) {
    (void)state;
    char line[512];
    int major = -1, minor = -1, patch = -1;
    FILE *file = fopen("meson.build", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, " version : '%d.%d.%d'", &major, &minor, &patch) == 3) break;
    fclose(file);
    assert_int_equal(major * 10000 + minor * 100 + patch, CARDAN_VERSION);
    assert_int_equal(cardan_version(), CARDAN_VERSION);
    snprintf(line, sizeof line, "%d.%d.%d", major, minor, patch);
    assert_string_equal(cardan_version_text(), line);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_version_is_one_number_in_headers_library_and_build),
        cmocka_unit_test(the_shared_library_exports_only_names_of_cardan),
        cmocka_unit_test(the_shared_library_exports_what_the_headers_declare_and_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
