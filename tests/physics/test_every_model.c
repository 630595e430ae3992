/* Every file of models/ is in docs/MODELS.md with its degrees of freedom and redundant rows, starts, runs, and keeps
 * its joints closed and its energy accounted for, under the options it is written with. */
#include "support/check.h"
#include "support/reading.h"
#include "support/scene.h"

#include <dirent.h>

/* A row of a table of the page: "| [NAME](../models/NAME.yaml) | what | freedoms | redundant | look |". */
typedef struct Row {
    char name[64];
    int freedoms, redundant;
    bool seen;
} Row;
enum { ROOM = 200 };
typedef struct Page {
    Row rows[ROOM];
    int count;
} Page;

static const double RUN = 2.0; /* s; a whole run of the stiff ones would take long under the sanitizers */

static void read_page(Page *page) {
    FILE *file = fopen("docs/MODELS.md", "r");
    assert_non_null(file);
    char line[1024], again[64];
    while (fgets(line, sizeof line, file) != NULL) {
        Row row = {0};
        if (strncmp(line, "| [", 3) != 0) continue;
        if (sscanf(line, "| [%63[a-z0-9_]](../models/%63[a-z0-9_].yaml) | %*[^|]| %d | %d |", row.name, again,
                   &row.freedoms, &row.redundant) != 4)
            fail_msg("docs/MODELS.md: not a row of a model: %s", line);
        assert_string_equal(row.name, again);
        assert_true(page->count < ROOM);
        page->rows[page->count++] = row;
    }
    fclose(file);
}

static Row *row_of(Page *page, const char *name) {
    for (int i = 0; i < page->count; i++)
        if (strcmp(page->rows[i].name, name) == 0) return &page->rows[i];
    fail_msg("models/%s.yaml is missing in docs/MODELS.md", name);
    return NULL;
}

static void check_rows(const CardanModel *model, const Row *row) {
    CardanCheck check;
    char message[512];
    if (cardan_model_check(model, &check, NULL, NULL, message, sizeof message) < 0)
        fail_msg("%s: %s", row->name, message);
    if (check.degrees_of_freedom != row->freedoms || check.redundant_rows != row->redundant)
        fail_msg("%s: %d freedoms and %d redundant rows; docs/MODELS.md says %d and %d", row->name,
                 check.degrees_of_freedom, check.redundant_rows, row->freedoms, row->redundant);
}

/* Positions are put back to rounding; velocities to a hundredth of the step's tolerance, here 1e-6 of at most 100. */
static void check_run(const CardanModel *model, const char *name) {
    CardanOptions options = cardan_model_options(model);
    CardanSim *sim = scene_start(model, &options);
    double end = options.end > 0.0 ? fmin(options.end, RUN) : RUN;
    if (cardan_sim_advance(sim, end) < 0) fail_msg("%s: %s", name, cardan_sim_message(sim));
    CardanResidual residual = residual_of(sim);
    check_near(residual.position_max, 0.0, 1e-11, "%s: residual of positions", name);
    check_near(residual.velocity_max, 0.0, 1e-6, "%s: residual of velocities", name);
    CardanEnergy energy = scene_energy(sim);
    check_near(energy.drift_max, 0.0, 1e-4 * (1.0 + energy.kinetic + fabs(energy.potential)), "%s: energy less work",
               name);
    cardan_sim_destroy(sim);
}

static void check_outputs(const CardanModel *model, const char *name) {
    const char *const *outputs;
    int count = cardan_model_outputs(model, &outputs);
    char message[256];
    if (count == 0) fail_msg("%s has no outputs", name);
    for (int i = 0; i < count; i++)
        if (cardan_model_match_channels(model, outputs[i], 0, NULL, message, sizeof message) < 1)
            fail_msg("%s: %s", name, message);
}

static void check_head(const char *path) {
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char line[1024];
    bool look = false;
    while (!look && fgets(line, sizeof line, file) != NULL) look = line[0] == '#' && strstr(line, "Look at:") != NULL;
    fclose(file);
    if (!look) fail_msg("%s does not say what to look at", path);
}

static void every_model_is_listed_and_runs(void **state) {
    (void)state;
    static Page page;
    read_page(&page);
    DIR *folder = opendir("models");
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[512], name[64];
        size_t length = strlen(entry->d_name);
        if (length < 6 || length > sizeof name || strcmp(entry->d_name + length - 5, ".yaml") != 0) continue;
        snprintf(path, sizeof path, "models/%s", entry->d_name);
        snprintf(name, sizeof name, "%.*s", (int)length - 5, entry->d_name);
        Row *row = row_of(&page, name);
        row->seen = true;
        CardanModel *model = scene_load(path);
        assert_string_equal(cardan_model_name(model), name);
        check_head(path);
        check_outputs(model, name);
        check_rows(model, row);
        check_run(model, name);
        cardan_model_release(model);
    }
    closedir(folder);
    for (int i = 0; i < page.count; i++)
        if (!page.rows[i].seen) fail_msg("docs/MODELS.md: there is no models/%s.yaml", page.rows[i].name);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_model_is_listed_and_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
