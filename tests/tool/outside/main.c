/* A program outside of Cardan: simulates the model of its argument for a second and prints what it has become. The
 * back end is CHOLMOD's, so that a library that is missing is missed. */
#include <cardan/cardan.h>

#include <stdio.h>

static CardanStatus simulate(CardanSim *sim) {
    CardanEnergy energy;
    CardanStatus status = cardan_sim_advance(sim, 1.0);
    if (status >= 0) status = cardan_sim_energy(sim, &energy);
    if (status >= 0)
        printf("cardan %s: t = %.17g s, E = %.9g J\n", cardan_version_text(), cardan_sim_time(sim), energy.total);
    return status;
}

int main(int count, char **words) {
    CardanBuilder *builder = NULL;
    CardanModel *model = NULL;
    CardanSim *sim = NULL;
    if (count != 2 || CARDAN_VERSION != cardan_version()) return 2;
    CardanStatus status = cardan_builder_read_file(words[1], &builder);
    if (status >= 0) status = cardan_builder_compile(builder, &model);
    if (status < 0) fprintf(stderr, "%s\n", cardan_builder_message(builder));
    if (status >= 0) {
        CardanOptions options = cardan_model_options(model);
        options.solver = CARDAN_SOLVER_CHOLMOD;
        status = cardan_sim_create(model, &options, &sim);
        if (status >= 0) status = simulate(sim);
        if (status < 0) fprintf(stderr, "%s\n", cardan_sim_message(sim));
    }
    cardan_sim_destroy(sim);
    cardan_model_release(model);
    cardan_builder_destroy(builder);
    return status < 0;
}
