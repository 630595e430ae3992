/* Frames of a run. Between two frames the page draws straight lines (and turns about fixed axes). With an acceleration
 * a over a frame of length h such a line is off by a h^2 / 8 in its middle, so h = sqrt(8 SEEN size / a) with a taken
 * from the change of velocities over the last frame, angular ones times the mechanism's size. */
#include "view/movie.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"

/* Share of the mechanism's size that is not seen: a fifth of a pixel of a picture 1000 pixels wide. */
static const double SEEN = 2e-4;

/* Share of h that is taken: movie_thin then leaves out what was too much. Fewest frames of a run. */
static const double CAUTION = 0.5;
enum { FRAMES_LEAST = 240, FRAMES_MOST = 6000, PAGE_BYTES = 24 << 20 };

/* More elements than that have no arrows: nobody could tell them apart. */
enum { ARROWS_MOST = 240, MOMENTS_MOST = 24 };

/* ---- what is there ---- */

int movie_body(const Movie *movie, CardanBody body) {
    if (body.index <= 0) return -1;
    for (int i = 0; i < movie->body_count; i++)
        if (movie->bodies[i].index == body.index) return i;
    return -1;
}

static void take_body(Movie *movie, CardanBody body) {
    if (body.index > 0 && movie_body(movie, body) < 0) movie->bodies[movie->body_count++] = body;
}

/* Every body, and what else joints and forces are attached to. */
static bool list_bodies(Movie *movie) {
    CardanSizes sizes = cardan_model_sizes(movie->model);
    size_t points = 0;
    for (int i = 1; i <= sizes.forces; i++)
        points += (size_t)cardan_model_force_scene(movie->model, (CardanForce){i}).points;
    movie->bodies = calloc((size_t)sizes.bodies + 2 * (size_t)sizes.joints + points + 1, sizeof *movie->bodies);
    if (movie->bodies == NULL) return false;
    for (int i = 0; i < sizes.bodies; i++) movie->bodies[movie->body_count++] = cardan_model_body(movie->model, i);
    if (sizes.blocks == 0) return true;
    for (int i = 1; i <= sizes.joints; i++) {
        CardanJointScene joint = cardan_model_joint_scene(movie->model, (CardanJoint){i});
        take_body(movie, joint.a);
        take_body(movie, joint.b);
    }
    for (int i = 1; i <= sizes.forces; i++)
        for (int k = 0; k < cardan_model_force_scene(movie->model, (CardanForce){i}).points; k++)
            take_body(movie, cardan_model_force_point(movie->model, (CardanForce){i}, k).body);
    return true;
}

static void add_arrow(Movie *movie, CardanBodyPoint at, int joint, int force, bool moment) {
    movie->arrows[movie->arrow_count++] = (Arrow){.body = movie_body(movie, at.body),
                                                  .handle = at.body,
                                                  .point = at.point,
                                                  .joint = joint,
                                                  .force = force,
                                                  .moment = moment};
}

/* Of what acts along a coordinate one arrow, on b; of others one for each body. */
static void add_force_arrows(Movie *movie, int force) {
    CardanForceScene scene = cardan_model_force_scene(movie->model, (CardanForce){force});
    bool turns = scene.joint.index > 0 && scene.coordinate == CARDAN_COORDINATE_ANGLE;
    bool moment = turns || (scene.type == CARDAN_FORCE_TORQUE && scene.joint.index == 0);
    for (int k = scene.joint.index > 0 ? 1 : 0; k < scene.points; k++) {
        CardanBodyPoint at = cardan_model_force_point(movie->model, (CardanForce){force}, k);
        bool again = at.body.index == 0;
        for (int i = 0; i < k && !again; i++)
            again = cardan_model_force_point(movie->model, (CardanForce){force}, i).body.index == at.body.index;
        if (!again) add_arrow(movie, at, 0, force, moment);
    }
}

static void add_joint_arrows(Movie *movie, int joint, bool moments) {
    CardanJointScene scene = cardan_model_joint_scene(movie->model, (CardanJoint){joint});
    bool shown = scene.type != CARDAN_JOINT_NONE && cardan_model_joint_rows(movie->model, (CardanJoint){joint}) > 0;
    if (!shown) return;
    bool leads = scene.joint.index > 0;
    bool turns = leads && cardan_model_joint_coordinate(movie->model, scene.joint) == CARDAN_COORDINATE_ANGLE;
    bool pins = scene.type == CARDAN_JOINT_SPHERICAL || scene.type == CARDAN_JOINT_DISTANCE ||
                scene.type == CARDAN_JOINT_ROLLING ||
                (scene.type == CARDAN_JOINT_REVOLUTE && cardan_model_space(movie->model) == CARDAN_SPACE_PLANAR);
    CardanBodyPoint at = {scene.b, scene.point_b};
    if (scene.b.index == 0) at = (CardanBodyPoint){scene.a, scene.point_a};
    if (!turns) add_arrow(movie, at, joint, 0, false);
    if (turns || (moments && !pins && !leads)) add_arrow(movie, at, joint, 0, true);
    for (int i = movie->arrow_count; i > 0 && movie->arrows[i - 1].joint == joint; i--)
        movie->arrows[i - 1].reversed = scene.b.index == 0;
}

static bool list_arrows(Movie *movie, bool ghost) {
    CardanSizes sizes = cardan_model_sizes(movie->model);
    size_t most = 2 * (size_t)sizes.joints;
    for (int i = 1; i <= sizes.forces; i++)
        most += (size_t)cardan_model_force_scene(movie->model, (CardanForce){i}).points;
    movie->arrows = calloc(most + 1, sizeof *movie->arrows);
    if (movie->arrows == NULL) return false;
    if (ghost || sizes.joints + sizes.forces > ARROWS_MOST) return true;
    for (int i = 1; i <= sizes.joints; i++) add_joint_arrows(movie, i, sizes.joints <= MOMENTS_MOST);
    for (int i = 1; i <= sizes.forces; i++) add_force_arrows(movie, i);
    return true;
}

/* Diagonal of the box about all centres of mass and joints in the pose as written. */
static double size_of(const Movie *movie) {
    const double far = (double)INFINITY;
    double lo[3] = {far, far, far}, hi[3] = {-far, -far, -far}, sum = 0.0;
    for (int i = 0; i < movie->body_count; i++) {
        CardanVec3 p = cardan_model_body_pose(movie->model, movie->bodies[i]).p;
        double x[3] = {p.x, p.y, p.z}, reach = 0.0;
        for (int j = 1; j <= cardan_model_sizes(movie->model).joints; j++) {
            CardanJointScene scene = cardan_model_joint_scene(movie->model, (CardanJoint){j});
            CardanVec3 l = scene.a.index == movie->bodies[i].index ? scene.point_a : scene.point_b;
            if (scene.a.index == movie->bodies[i].index || scene.b.index == movie->bodies[i].index)
                reach = fmax(reach, sqrt(l.x * l.x + l.y * l.y + l.z * l.z));
        }
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(lo[k], x[k] - reach);
            hi[k] = fmax(hi[k], x[k] + reach);
        }
    }
    for (int k = 0; k < 3 && hi[k] > lo[k]; k++) sum += (hi[k] - lo[k]) * (hi[k] - lo[k]);
    return sum > 0.0 ? sqrt(sum) : 1.0;
}

static void examine(Movie *movie) {
    char sentence[REASON_SIZE] = "";
    CardanStatus st =
        cardan_model_check(movie->model, &movie->check, movie->redundant, movie->residual, sentence, sizeof sentence);
    movie->examined = st >= 0;
    if (st < 0) remarks_add(&movie->remarks, sentence);
    if (movie->examined && !movie->check.assembled)
        remarks_add(&movie->remarks, "the joints cannot be closed from the given pose");
    if (movie->examined && movie->check.singular)
        remarks_add(&movie->remarks, "the given pose is singular: fewer independent rows than in its neighbours");
    remarks_on_model(&movie->remarks, movie->model);
}

/* ---- frames ---- */

static bool grow(Movie *movie) {
    if (movie->frames < movie->room) return true;
    int room = movie->room > 0 ? 2 * movie->room : 256;
    size_t n = (size_t)room, bodies = (size_t)movie->body_count, arrows = (size_t)movie->arrow_count;
    double *t = realloc(movie->t, n * sizeof *t);
    if (t != NULL) movie->t = t;
    float *poses = realloc(movie->poses, (n * bodies * POSE_NUMBERS + 1) * sizeof *poses);
    if (poses != NULL) movie->poses = poses;
    float *forces = realloc(movie->forces, (n * arrows * ARROW_NUMBERS + 1) * sizeof *forces);
    if (forces != NULL) movie->forces = forces;
    float *values = realloc(movie->values, (n * (size_t)movie->channels.columns + 1) * sizeof *values);
    if (values != NULL) movie->values = values;
    if (t == NULL || poses == NULL || forces == NULL || values == NULL) return false;
    movie->room = room;
    return true;
}

static void put_pose(float *out, CardanVec3 p, CardanQuat q) {
    const double numbers[POSE_NUMBERS] = {p.x, p.y, p.z, q.w, q.x, q.y, q.z};
    for (int k = 0; k < POSE_NUMBERS; k++) out[k] = (float)numbers[k];
}

static void put_force(Movie *movie, CardanSim *sim, int i, float *out) {
    const Arrow *arrow = &movie->arrows[i];
    CardanWrench w = {0};
    CardanStatus st = arrow->joint > 0 ? cardan_sim_reaction(sim, (CardanJoint){arrow->joint}, &w)
                                       : cardan_sim_load(sim, (CardanForce){arrow->force}, arrow->handle, &w);
    CardanVec3 v = arrow->moment ? w.moment : w.force;
    const double numbers[ARROW_NUMBERS] = {v.x, v.y, v.z};
    for (int k = 0; k < ARROW_NUMBERS; k++)
        out[k] = st >= 0 ? (float)(arrow->reversed ? -numbers[k] : numbers[k]) : 0.0f;
}

/* The present state of sim, or without one the pose as written. */
static int keep_frame(Movie *movie, CardanSim *sim) {
    if (!grow(movie)) {
        complain("out of memory");
        return STATUS_FAULT;
    }
    size_t f = (size_t)movie->frames, columns = (size_t)movie->channels.columns;
    movie->t[f] = sim != NULL ? cardan_sim_time(sim) : 0.0;
    for (int i = 0; i < movie->body_count; i++) {
        float *pose = movie->poses + (f * (size_t)movie->body_count + (size_t)i) * POSE_NUMBERS;
        CardanPose given = cardan_model_body_pose(movie->model, movie->bodies[i]);
        CardanBodyState state = {.position = given.p, .quaternion = given.q};
        if (sim != NULL && cardan_sim_body(sim, movie->bodies[i], &state) < 0) state.position = given.p;
        put_pose(pose, state.position, state.quaternion);
    }
    for (int i = 0; i < movie->arrow_count; i++) {
        float *force = movie->forces + (f * (size_t)movie->arrow_count + (size_t)i) * ARROW_NUMBERS;
        memset(force, 0, ARROW_NUMBERS * sizeof *force);
        if (sim != NULL) put_force(movie, sim, i, force);
    }
    Record *channels = &movie->channels;
    bool known = sim != NULL && cardan_sim_sample(sim, cardan_sim_time(sim), channels->channel_count,
                                                  channels->channels, channels->values) >= 0;
    for (size_t k = 0; k < columns; k++) movie->values[f * columns + k] = known ? (float)channels->values[k] : NAN;
    movie->frames++;
    return STATUS_DONE;
}

/* ---- times ---- */

/* Velocities of the last frame, to see how they change. */
typedef struct Pace {
    double *old; /* 6 by body */
    double t;
    double shortest, longest; /* s; of a frame */
} Pace;

/* Largest change of velocities per second since the last call, in m/s^2. */
static double acceleration(const Movie *movie, CardanSim *sim, Pace *pace) {
    double largest = 0.0, dt = cardan_sim_time(sim) - pace->t;
    for (int i = 0; i < movie->body_count; i++) {
        CardanBodyState s;
        if (cardan_sim_body(sim, movie->bodies[i], &s) < 0) continue;
        const double now[6] = {s.velocity.x,         s.velocity.y,         s.velocity.z,
                               s.angular_velocity.x, s.angular_velocity.y, s.angular_velocity.z};
        for (int k = 0; k < 6; k++) {
            double change = fabs(now[k] - pace->old[6 * i + k]) * (k < 3 ? 1.0 : 0.5 * movie->size);
            if (dt > 0.0) largest = fmax(largest, change / dt);
            pace->old[6 * i + k] = now[k];
        }
    }
    pace->t = cardan_sim_time(sim);
    return largest;
}

static double next_frame(const Movie *movie, double a, const Pace *pace) {
    double h = a > 0.0 ? CAUTION * sqrt(8.0 * SEEN * movie->size / a) : pace->longest;
    return fmin(fmax(h, pace->shortest), pace->longest);
}

/* As many frames as the page can bear. */
static int most_frames(const Movie *movie, int asked) {
    double bytes = 5.4 * (POSE_NUMBERS * (double)movie->body_count + ARROW_NUMBERS * (double)movie->arrow_count +
                          movie->channels.columns + 1.0);
    double most = asked > 0 ? asked : fmin(FRAMES_MOST, PAGE_BYTES / bytes);
    return (int)fmax(most, asked > 0 ? 2 : FRAMES_LEAST);
}

static int run_through(Movie *movie, CardanSim *sim, double end, int most) {
    Progress progress;
    Pace pace = {.old = calloc(6 * (size_t)movie->body_count + 1, sizeof *pace.old),
                 .shortest = end / (most - 1),
                 .longest = end / fmin(most - 1, FRAMES_LEAST)};
    int status = pace.old != NULL ? keep_frame(movie, sim) : STATUS_FAULT;
    double h = pace.shortest, t = 0.0;
    acceleration(movie, sim, &pace);
    progress_start(&progress);
    while (status == STATUS_DONE && t < end) {
        double target = t + h < end - 0.01 * h ? t + h : end;
        CardanStatus st = cardan_sim_advance(sim, target);
        t = cardan_sim_time(sim);
        if (st > 0) remarks_add(&movie->remarks, cardan_sim_message(sim));
        if (st < 0) {
            movie->status = exit_status(st);
            snprintf(movie->reason, sizeof movie->reason, "%s", cardan_sim_message(sim));
        }
        if (t > movie->t[movie->frames - 1]) status = keep_frame(movie, sim);
        if (st < 0 || st == CARDAN_STOPPED) break;
        h = next_frame(movie, acceleration(movie, sim, &pace), &pace);
        progress_show(&progress, t, end, movie->frames);
    }
    progress_erase(&progress);
    free(pace.old);
    return status;
}

/* The rows of a run file, as many as the page can bear, the last among them. */
static int show_rows(Movie *movie, CardanSim *sim, const RunFile *run, int most) {
    long rows = run->info.states, stride = rows > most ? (rows + most - 1) / most : 1;
    size_t columns = (size_t)movie->channels.columns;
    int status = STATUS_DONE;
    for (long i = 0; i < rows && status == STATUS_DONE;
         i = i + stride < rows || i == rows - 1 ? i + stride : rows - 1) {
        if (cardan_result_show(run->result, i, sim) < 0) {
            movie->status = STATUS_IO;
            snprintf(movie->reason, sizeof movie->reason, "%s", cardan_sim_message(sim));
            return movie->frames > 0 ? STATUS_DONE : keep_frame(movie, NULL);
        }
        status = keep_frame(movie, sim);
        const double *row = cardan_result_row(run->result, i);
        float *values = movie->values + (size_t)(movie->frames - 1) * columns;
        for (size_t k = 0; k < columns && k < (size_t)run->info.columns; k++) values[k] = (float)row[k];
    }
    movie->events = calloc((size_t)run->info.events + 1, sizeof *movie->events);
    if (movie->events == NULL) return STATUS_FAULT;
    for (int i = 0; i < run->info.events; i++)
        movie->events[movie->event_count++] = *cardan_result_event(run->result, i);
    return status;
}

static int keep_events(Movie *movie, const CardanSim *sim) {
    const CardanEvent *events = NULL;
    int count = cardan_sim_events(sim, &events, NULL);
    movie->events = calloc((size_t)(count > 0 ? count : 0) + 1, sizeof *movie->events);
    if (movie->events == NULL) return STATUS_FAULT;
    for (int i = 0; i < count; i++) movie->events[movie->event_count++] = events[i];
    return STATUS_DONE;
}

static int run_model(Movie *movie, const CardanOptions *options, const MovieOrder *order) {
    CardanSim *sim = NULL;
    CardanStatus st = cardan_sim_create(movie->model, options, &sim);
    const char *said = sim != NULL ? cardan_sim_message(sim) : "out of memory";
    if (st > 0) remarks_add(&movie->remarks, said);
    if (st < 0) {
        movie->status = exit_status(st);
        snprintf(movie->reason, sizeof movie->reason, "%s", said);
    }
    bool moves = st >= 0 && !order->pose, rows = moves && order->run != NULL && order->run->info.states > 0;
    int status = rows    ? show_rows(movie, sim, order->run, most_frames(movie, order->frames))
                 : moves ? run_through(movie, sim, options->end, most_frames(movie, order->frames))
                         : keep_frame(movie, NULL); /* as it was written, with its faults */
    if (moves && !rows && status == STATUS_DONE) status = keep_events(movie, sim);
    cardan_sim_destroy(sim);
    if (moves && status == STATUS_DONE) movie_thin(movie);
    return status;
}

int movie_make(Movie *movie, const char *path, const CardanModel *model, const CardanOptions *options,
               const MovieOrder *order) {
    CardanSizes sizes = cardan_model_sizes(model);
    *movie = (Movie){.model = model, .path = path};
    movie->redundant = calloc((size_t)sizes.joints + 1, sizeof *movie->redundant);
    movie->residual = calloc(2 * ((size_t)sizes.joints + 1), sizeof *movie->residual);
    if (movie->redundant == NULL || movie->residual == NULL || !list_bodies(movie) ||
        !list_arrows(movie, order->ghost)) {
        complain("out of memory");
        return STATUS_FAULT;
    }
    int status = record_choose(&movie->channels, path, model, movie->reason, sizeof movie->reason);
    if (status != STATUS_DONE) {
        complain_about(path, movie->reason);
        return status;
    }
    movie->size = size_of(movie);
    examine(movie);
    return run_model(movie, options, order);
}

void movie_free(Movie *movie) {
    record_close(&movie->channels);
    free(movie->bodies);
    free(movie->arrows);
    free(movie->t);
    free(movie->poses);
    free(movie->forces);
    free(movie->values);
    free(movie->events);
    free(movie->redundant);
    free(movie->residual);
    *movie = (Movie){0};
}
