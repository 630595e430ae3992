/* MuJoCo. Modes: rhs; rk4, euler, implicit: parameter is the step; "/tuned" behind it: equality constraints as stiff as
 * the step allows, solved to 1e-14, instead of the defaults; default: Euler with its own step of 2 ms. Loops are soft
 * constraints here: a hinge in space is two connected points. Springs are tendons. */
#include "engine.h"

#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Peer {
    const Problem *problem;
    mjModel *model;
    mjData *data;
    int *body; /* MuJoCo's number of each */
    long steps;
} Peer;

static void print_body(FILE *xml, const Problem *problem, int i) {
    static const char *const kinds[] = {"hinge", "slide", "ball", "free"};
    const Body *body = &problem->body[i];
    const Joint *joint = &problem->tree[i];
    double offset[3], point[3];
    problem_arm(problem, joint->a, body->centre, offset);
    problem_arm(problem, i, joint->point, point);
    fprintf(xml, "<body name='b%d' pos='%.17g %.17g %.17g'>", i, offset[0], offset[1], offset[2]);
    fprintf(xml, "<inertial pos='0 0 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>", body->mass, body->inertia[0],
            body->inertia[1], body->inertia[2]);
    if (joint->kind == JOINT_FREE)
        fprintf(xml, "<freejoint/>");
    else
        fprintf(xml, "<joint type='%s' pos='%.17g %.17g %.17g' axis='%g %g %g'/>", kinds[joint->kind], point[0],
                point[1], point[2], joint->axis[0], joint->axis[1], joint->axis[2]);
    for (int s = 0; s < problem->springs; s++) {
        const Spring *spring = &problem->spring[s];
        for (int side = 0; side < 2; side++) {
            if ((side == 0 ? spring->a : spring->b) != i) continue;
            problem_arm(problem, i, side == 0 ? spring->from : spring->to, point);
            fprintf(xml, "<site name='s%d_%d' pos='%.17g %.17g %.17g'/>", s, side, point[0], point[1], point[2]);
        }
    }
    for (int k = i + 1; k < problem->bodies; k++)
        if (problem->tree[k].a == i) print_body(xml, problem, k);
    fprintf(xml, "</body>");
}

static void print_loop(FILE *xml, const Problem *problem, const Joint *joint, bool tuned, double step) {
    int points = joint->kind == JOINT_REVOLUTE && !problem->planar ? 2 : 1;
    for (int p = 0; p < points; p++) {
        double place[3], arm[3];
        for (int k = 0; k < 3; k++) place[k] = joint->point[k] + p * joint->axis[k];
        problem_arm(problem, joint->b, place, arm);
        fprintf(xml, "<connect body1='b%d' anchor='%.17g %.17g %.17g'", joint->b, arm[0], arm[1], arm[2]);
        if (joint->a != GROUND) fprintf(xml, " body2='b%d'", joint->a);
        if (tuned) fprintf(xml, " solref='%g 1' solimp='0.9999 0.9999 0.001 0.5 2'", 2 * step);
        fprintf(xml, "/>");
    }
}

static void print_model(FILE *xml, const Problem *problem, const char *mode, double step) {
    bool tuned = strstr(mode, "/tuned") != NULL;
    const char *integrator = strncmp(mode, "rk4", 3) == 0        ? "RK4"
                             : strncmp(mode, "implicit", 8) == 0 ? "implicit"
                                                                 : "Euler";
    fprintf(xml,
            "<mujoco><compiler angle='radian' inertiafromgeom='false'/><size nstack='%ld' njmax='%d' nconmax='1'/>",
            4000000L + 40000L * problem->bodies, 6 * problem->loops + 10);
    fprintf(xml, "<option timestep='%.17g' gravity='0 %.17g 0' integrator='%s' %s>", step, -problem->gravity,
            integrator, tuned ? "solver='Newton' tolerance='1e-14' iterations='100'" : "");
    fprintf(xml, "<flag contact='disable' limit='disable' frictionloss='disable'%s/></option><worldbody>",
            problem->loops > 0 ? "" : " constraint='disable'");
    for (int s = 0; s < problem->springs; s++) {
        const Spring *spring = &problem->spring[s];
        if (spring->a == GROUND)
            fprintf(xml, "<site name='s%d_0' pos='%.17g %.17g %.17g'/>", s, spring->from[0], spring->from[1],
                    spring->from[2]);
    }
    for (int i = 0; i < problem->bodies; i++)
        if (problem->tree[i].a == GROUND) print_body(xml, problem, i);
    fprintf(xml, "</worldbody>");
    if (problem->springs > 0) fprintf(xml, "<tendon>");
    for (int s = 0; s < problem->springs; s++)
        fprintf(
            xml,
            "<spatial stiffness='%.17g' damping='%.17g' springlength='%.17g'><site site='s%d_0'/><site site='s%d_1'/>"
            "</spatial>",
            problem->spring[s].stiffness, problem->spring[s].damping, problem->spring[s].rest, s, s);
    if (problem->springs > 0) fprintf(xml, "</tendon>");
    if (problem->loops > 0) fprintf(xml, "<equality>");
    for (int l = 0; l < problem->loops; l++) print_loop(xml, problem, &problem->loop[l], tuned, step);
    fprintf(xml, "%s</mujoco>", problem->loops > 0 ? "</equality>" : "");
}

/* By itself it warns on standard output, amid the line of JSON, and into a file of the working folder; an unstable
   motion shows in its error. */
static void say_nothing(const char *warning) {
    (void)warning;
}

static mjModel *load(const Problem *problem, const char *mode, double step) {
    char *text = NULL, message[1000] = "";
    size_t length = 0;
    FILE *xml = open_memstream(&text, &length);
    mjVFS *files = calloc(1, sizeof *files); /* too large for the stack */
    if (xml == NULL || files == NULL) exit(1);
    mju_user_warning = say_nothing;
    print_model(xml, problem, mode, step);
    fclose(xml);
    mj_defaultVFS(files);
    mj_makeEmptyFileVFS(files, "m.xml", (int)length + 1);
    memcpy(files->filedata[0], text, length + 1);
    mjModel *model = mj_loadXML("m.xml", files, message, sizeof message);
    if (model == NULL) fprintf(stderr, "MuJoCo does not load it: %s\n", message);
    mj_deleteVFS(files);
    free(files);
    free(text);
    return model;
}

static void *create(const Problem *problem, const char *mode, double parameter) {
    bool steps = strcmp(mode, "rhs") != 0 && strcmp(mode, "default") != 0;
    double step = steps ? problem->end_time / (double)engine_step_count(problem->end_time, parameter) : 0.002;
    Peer *peer = calloc(1, sizeof *peer);
    if (peer == NULL) exit(1);
    peer->problem = problem;
    peer->model = load(problem, mode, step);
    if (peer->model == NULL) return NULL;
    peer->data = mj_makeData(peer->model);
    peer->body = calloc((size_t)problem->bodies, sizeof *peer->body);
    for (int i = 0; i < problem->bodies; i++) {
        char name[32];
        snprintf(name, sizeof name, "b%d", i);
        peer->body[i] = mj_name2id(peer->model, mjOBJ_BODY, name);
        if (problem_freedoms(problem->tree[i].kind) != 1) continue;
        peer->data->qpos[peer->model->jnt_qposadr[peer->model->body_jntadr[peer->body[i]]]] = problem->tree[i].at;
        peer->data->qvel[peer->model->body_dofadr[peer->body[i]]] = problem->tree[i].rate;
    }
    return peer;
}

static void destroy(void *self) {
    Peer *peer = self;
    mj_deleteData(peer->data);
    mj_deleteModel(peer->model);
    free(peer->body);
    free(peer);
}

static void right_side(void *self) {
    Peer *peer = self;
    mj_forward(peer->model, peer->data);
}

static void accelerations(void *self, double *acceleration) {
    Peer *peer = self;
    for (int i = 0; i < peer->problem->bodies; i++)
        acceleration[i] = peer->data->qacc[peer->model->body_dofadr[peer->body[i]]];
}

static bool advance(void *self, double t) {
    Peer *peer = self;
    long steps = engine_step_count(t, peer->model->opt.timestep);
    for (peer->steps = 0; peer->steps < steps; peer->steps++) mj_step(peer->model, peer->data);
    const mjWarningStat *warning = peer->data->warning; /* numbers too large: it starts again from zero by itself */
    return warning[mjWARN_BADQPOS].number + warning[mjWARN_BADQVEL].number + warning[mjWARN_BADQACC].number == 0;
}

static void poses(void *self, Pose *pose) {
    Peer *peer = self;
    mj_kinematics(peer->model, peer->data);
    for (int i = 0; i < peer->problem->bodies; i++) {
        memcpy(pose[i].centre, peer->data->xipos + 3 * peer->body[i], sizeof pose[i].centre);
        memcpy(pose[i].axes, peer->data->xmat + 9 * peer->body[i], sizeof pose[i].axes);
    }
}

static long steps(void *self) {
    return ((Peer *)self)->steps;
}

static const char *version(void) {
    return mj_versionString();
}

const Engine peer_engine = {"mujoco", version, create, destroy, right_side, accelerations, advance, poses, steps};
