/* The program around an engine: peer-NAME PROBLEM SIZE MODE PARAMETER REFERENCES
 * One line of JSON: with MODE rhs the shortest time of a right-hand side and how far its accelerations are from those
 * of the reference; else the time of the whole integration (building it apart) and the largest error over all link
 * ends. Times are processor time of this process. REFERENCES is the folder that peer-reference has written. */
#include "engine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_REPEATS = 20 };
static const double batch_seconds = 2e-3, measured_seconds = 0.15, repeated_seconds = 0.05;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

long engine_step_count(double t, double step) {
    long n = lround(t / step);
    return n > 0 ? n : 1;
}

static FILE *open_reference(const Problem *problem, const char *folder, const char *what) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s_%d_%s.txt", folder, problem->name, problem->size, what);
    return fopen(path, "r");
}

/* Largest distance of a link end from its reference; NAN without one. */
static double error_of_ends(const Problem *problem, const Pose *pose, const char *folder) {
    FILE *file = open_reference(problem, folder, "ends");
    double largest = 0;
    if (file == NULL) return NAN;
    for (int i = 0; i < problem->bodies; i++) {
        double is[3], should[3], distance = 0;
        if (fscanf(file, "%lf %lf %lf", &should[0], &should[1], &should[2]) != 3) {
            largest = NAN;
            break;
        }
        problem_end(problem, i, &pose[i], is);
        for (int k = 0; k < 3; k++) distance += (is[k] - should[k]) * (is[k] - should[k]);
        if (!(sqrt(distance) <= largest)) largest = sqrt(distance); /* a NAN is the largest */
    }
    fclose(file);
    return largest;
}

/* Largest difference of an acceleration from its reference, as a share of the largest one (of 1 rad/s^2 at least). */
static double error_of_accelerations(const Problem *problem, const double *acceleration, const char *folder) {
    FILE *file = open_reference(problem, folder, "accelerations");
    double largest = 0, scale = 1, should;
    bool any = false;
    if (file == NULL) return NAN;
    for (int i = 0; i < problem->bodies; i++) {
        if (fscanf(file, "%lf", &should) != 1) {
            largest = NAN;
            break;
        }
        if (problem_freedoms(problem->tree[i].kind) != 1) continue;
        any = true;
        if (!(fabs(acceleration[i] - should) <= largest)) largest = fabs(acceleration[i] - should);
        scale = fmax(scale, fabs(should));
    }
    fclose(file);
    return any ? largest / scale : (double)NAN;
}

static void print_number(const char *name, double x) {
    if (isfinite(x))
        printf(", \"%s\": %.6g", name, x);
    else
        printf(", \"%s\": null", name);
}

static double shortest_call(void *self) {
    double best = HUGE_VAL, begin = now();
    long batch = 1;
    while (now() - begin < measured_seconds || !isfinite(best)) {
        double start = now();
        for (long i = 0; i < batch; i++) peer_engine.right_side(self);
        double seconds = now() - start;
        if (seconds < batch_seconds && batch < 1L << 22)
            batch *= 2;
        else if (seconds / (double)batch < best)
            best = seconds / (double)batch;
    }
    return best;
}

static void measure_right_side(const Problem *problem, void *self, const char *folder) {
    double *acceleration = calloc((size_t)problem->bodies, sizeof *acceleration);
    if (acceleration == NULL) exit(1);
    peer_engine.right_side(self);
    peer_engine.accelerations(self, acceleration);
    double error = error_of_accelerations(problem, acceleration, folder);
    print_number("seconds", shortest_call(self));
    print_number("error", error);
    free(acceleration);
}

/* Short runs are repeated from the start, and the shortest counts. */
static void measure_run(const Problem *problem, void **self, const char *mode, double parameter, const char *folder) {
    Pose *pose = calloc((size_t)problem->bodies, sizeof *pose);
    double shortest = HUGE_VAL, all = 0;
    bool arrived = true;
    if (pose == NULL) exit(1);
    for (int i = 0; arrived && (i == 0 || (all < repeated_seconds && i < MOST_REPEATS)); i++) {
        if (i > 0) {
            peer_engine.destroy(*self);
            *self = peer_engine.create(problem, mode, parameter);
        }
        double start = now();
        arrived = peer_engine.advance(*self, problem->end_time);
        double seconds = now() - start;
        shortest = fmin(shortest, seconds);
        all += seconds;
    }
    peer_engine.poses(*self, pose);
    print_number("seconds", shortest);
    print_number("error", arrived ? error_of_ends(problem, pose, folder) : (double)NAN);
    printf(", \"steps\": %ld", peer_engine.steps(*self));
    free(pose);
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--version") == 0) return printf("%s\n", peer_engine.version()) < 0;
    if (argc != 6) {
        fprintf(stderr, "usage: peer-%s PROBLEM SIZE MODE PARAMETER REFERENCES\n", peer_engine.name);
        return 2;
    }
    const char *mode = argv[3];
    Problem *problem = problem_create(argv[1], atoi(argv[2]));
    if (problem == NULL) {
        fprintf(stderr, "there is no problem '%s' of size %s\n", argv[1], argv[2]);
        return 2;
    }
    bool rhs = strcmp(mode, "rhs") == 0 || strncmp(mode, "rhs/", 4) == 0;
    if (rhs) problem_bend(problem);
    double parameter = strtod(argv[4], NULL);
    void *self = peer_engine.create(problem, mode, parameter);
    if (self == NULL) {
        problem_destroy(problem);
        return 3;
    }
    printf("{\"engine\": \"%s\", \"problem\": \"%s\", \"size\": %d, \"mode\": \"%s\", \"parameter\": \"%s\"",
           peer_engine.name, problem->name, problem->size, mode, argv[4]);
    if (rhs)
        measure_right_side(problem, self, argv[5]);
    else
        measure_run(problem, &self, mode, parameter, argv[5]);
    printf("}\n");
    peer_engine.destroy(self);
    problem_destroy(problem);
    return 0;
}
