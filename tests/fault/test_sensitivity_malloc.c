/* Derivatives along a run across an event survive the k-th allocation failing, for every k: the failure is told,
 * nothing is written, no block is left behind. */
#include "fault/own_malloc.h"
#include "support/check.h"
#include "support/defaulted.h"
#include "support/scene.h"

static const char TEXT[] =
    "cardan: 1\nspace: planar\ngravity: [0, -9.81]\nparameters: {L: 1, lo: -0.1, m: 2}\nbodies:\n"
    "  rod: {mass: m, inertia: 0.2, position: [L/2, 0]}\njoints:\n"
    "  pin: {type: revolute, bodies: [ground, rod], point: [0, 0]}\nforces:\n"
    "  stop: {type: limit, joint: pin, range: [lo, 3], stiffness: 200, damping: 3}\n"
    "simulation: {end: 0.25}\n";

static void every_allocation_of_a_sensitivity_may_fail(void **state) {
    (void)state;
    if (!OWN_MALLOC) skip();
    const char *const names[] = {"L", "lo", "m", "start.rod.spin"};
    CardanModel *model = scene_read(TEXT);
    for (int method = 0; method < 2; method++) {
        CardanSensitivityDef def = {DEFAULTED,
                                    .method = (CardanSensitivityMethod)method,
                                    .channel = "pin.reaction",
                                    .target = CARDAN_TARGET_INTEGRAL,
                                    .count = 4,
                                    .names = names};
        double right[12], derivative[12];
        char message[1024];
        for (int i = 0; i < 2; i++) /* what libraries keep for themselves is taken now */
            if (cardan_model_sensitivity(model, NULL, &def, NULL, NULL, right, message, sizeof message) < 0)
                fail_msg("%s", message);
        bool finished = false;
        for (long k = 1; !finished; k++) {
            long before = own_malloc_live();
            derivative[0] = 7.0;
            own_malloc_arm(k, k % 2 == 0);
            CardanStatus status =
                cardan_model_sensitivity(model, NULL, &def, NULL, NULL, derivative, message, sizeof message);
            finished = own_malloc_disarm() == 0;
            if (status < 0 && status != CARDAN_ERR_MEMORY) fail_msg("allocation %ld: %d, %s", k, (int)status, message);
            if (status < 0 && strstr(message, "memory") == NULL) fail_msg("allocation %ld: '%s'", k, message);
            /* stages that could not be kept are made again */
            check_near(derivative[0], status < 0 ? 7.0 : right[0], status < 0 ? 0.0 : 1e-9, "allocation %ld", k);
            if (own_malloc_live() != before) fail_msg("allocation %ld: %ld blocks left", k, own_malloc_live() - before);
        }
    }
    cardan_model_release(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_of_a_sensitivity_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
