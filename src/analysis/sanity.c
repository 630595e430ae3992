/* A look at numbers that can be computed with and are most likely not what was meant: millimetres for metres, degrees
 * for radians, a body that was forgotten. Remarks, never errors: a tether or a top in free flight is in order. */
#include "build/fields.h"
#include "cardan/scene.h"
#include "core/memory.h"
#include "model/model.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A joint's point that lies so many times the usual length of the mechanism's bodies from its body's centre of mass is
 * taken for another unit: millimetres for metres are 1000, feet and inches less than 40. */
static const double FAR = 100.0;

/* Radius of gyration against the body's reach (the farthest of its points), and against the whole mechanism: a uniform
 * body that ends at its points has 0.3 to 1, a flywheel on its shaft may have 10 times its reach. kg mm^2 for kg m^2 is
 * 1000. Points on the axis of a shaft have no reach: those bodies are compared with the mechanism alone. */
static const double LARGE_GYRATION = 30.0, SMALL_GYRATION = 1e-4;

/* rad; a full turn and a little for numbers written with few digits. */
static const double TURN = 6.2840;

typedef struct Look {
    const CardanModel *model;
    int wanted, found; /* number of the remark asked for; how many so far */
    char *text;
    size_t size;
    double *reach; /* by frame: m; farthest joint's or force's point from the centre of mass */
    int *part;     /* by frame: the lowest frame it is connected with */
    int *joints;   /* by frame: joints and forces that hold it */
    double usual;  /* m; median of the lengths that bodies have */
} Look;

static void remark(Look *look, const char *format, ...) CRD_PRINTF(2, 3);
static void remark(Look *look, const char *format, ...) {
    if (look->found++ != look->wanted || look->text == NULL || look->size == 0) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(look->text, look->size, format, arguments);
    va_end(arguments);
}

static const char *name_of(const Look *look, int frame) {
    return cardan_model_body_name(look->model, (CardanBody){frame});
}

static bool is_body(const Look *look, int frame) {
    return look->model->structure->frames[frame].kind == CRD_FRAME_BODY;
}

/* ---- what holds what ---- */

static int root_of(const Look *look, int frame) {
    while (look->part[frame] != frame) frame = look->part[frame];
    return frame;
}

static void connect(Look *look, int a, int b) {
    int ra = root_of(look, a), rb = root_of(look, b);
    look->part[ra > rb ? ra : rb] = ra > rb ? rb : ra;
}

static void see_point(Look *look, int frame, CrdVec point) {
    look->reach[frame] = fmax(look->reach[frame], crd_norm(point));
    look->joints[frame]++;
}

static void see_elements(Look *look) {
    const CrdStructure *structure = look->model->structure;
    for (int e = 0; e < structure->element_count; e++) {
        const CrdElement *element = &structure->elements[e];
        const CrdAttachment *attached = structure->attachments + element->attachment;
        for (int i = 0; i < element->attachments; i++) {
            bool placed = element->type == CRD_ELEMENT_JOINT && i < 2;
            const CrdJointData *joint = &look->model->values.joints[e];
            connect(look, attached[0].frame, attached[i].frame);
            see_point(look, attached[i].frame, !placed ? crd_vec(0, 0, 0) : i == 0 ? joint->la : joint->lb);
        }
    }
}

/* Forces hold too; a contact and a tyre hold on to the ground, and so does what acts on a body alone. */
static void see_forces(Look *look) {
    const CrdStructure *structure = look->model->structure;
    for (int i = 0; i < structure->force_count; i++) {
        const CrdForceStructure *force = &structure->force_structures[i];
        CardanForceScene scene = cardan_model_force_scene(look->model, (CardanForce){i + 1});
        const int *frames = structure->force_frames + force->frame;
        for (int k = 0; k < force->frames; k++) {
            connect(look, scene.points < 2 && force->frames < 2 ? 0 : frames[0], frames[k]);
            look->joints[frames[k]]++;
        }
        for (int k = 0; k < scene.points; k++) {
            CardanBodyPoint end = cardan_model_force_point(look->model, (CardanForce){i + 1}, k);
            see_point(look, end.body.index, end.point);
            connect(look, cardan_model_force_point(look->model, (CardanForce){i + 1}, 0).body.index, end.body.index);
        }
    }
}

/* Frames of one custom block belong together. */
static void see_blocks(Look *look) {
    const CrdStructure *structure = look->model->structure;
    for (int i = 1; i < structure->frame_count; i++)
        if (structure->frames[i].kind == CRD_FRAME_OF_BLOCK)
            connect(look, structure->blocks[structure->frames[i].block].frame, i);
}

/* ---- lengths ---- */

static double largest_moment(const CardanInertia *inertia) {
    return fmax(inertia->xx, fmax(inertia->yy, inertia->zz));
}

static double gyration_of(const Look *look, int frame) {
    CardanBodyMass body = cardan_model_body_mass(look->model, (CardanBody){frame});
    return body.mass > 0.0 ? sqrt(largest_moment(&body.inertia) / body.mass) : 0.0;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Lengths a body has: from its centre of mass to the points of its joints, and its radius of gyration. */
static CardanStatus find_usual(Look *look) {
    const CrdStructure *structure = look->model->structure;
    int count = 0;
    double *lengths = crd_new((size_t)structure->frame_count + 2 * (size_t)structure->element_count, sizeof *lengths);
    if (lengths == NULL) return CARDAN_ERR_MEMORY;
    for (int i = 1; i < structure->frame_count; i++)
        if (is_body(look, i)) lengths[count++] = gyration_of(look, i);
    for (int e = 0; e < structure->element_count; e++) {
        const CrdJointData *joint = &look->model->values.joints[e];
        for (int side = 0; structure->elements[e].type == CRD_ELEMENT_JOINT && side < 2; side++)
            if (is_body(look, crd_element_frame(structure, e, side)))
                lengths[count++] = crd_norm(side == 0 ? joint->la : joint->lb);
    }
    qsort(lengths, (size_t)count, sizeof *lengths, by_size);
    int first = 0; /* points at a centre of mass and particles say nothing */
    while (first < count && !(lengths[first] > 0.0)) first++;
    look->usual = first < count ? lengths[first + (count - first - 1) / 2] : 0.0;
    crd_delete(lengths);
    return CARDAN_OK;
}

static void look_at_points(Look *look) {
    const CrdStructure *structure = look->model->structure;
    for (int i = 0; i < structure->joint_count; i++) {
        int e = structure->element_of_joint[i];
        const CrdElement *element = &structure->elements[e];
        const CrdJointData *joint = &look->model->values.joints[e];
        for (int side = 0; element->type == CRD_ELEMENT_JOINT && side < 2; side++) {
            int frame = crd_element_frame(structure, e, side);
            double far = crd_norm(side == 0 ? joint->la : joint->lb);
            if (!is_body(look, frame) || !(far > FAR * look->usual)) continue;
            remark(
                look,
                "joint '%s' sits %.3g m from the centre of mass of '%s', where bodies usually reach %.3g m: is it in "
                "metres?",
                look->model->description->joints[i].name, far, name_of(look, frame), look->usual);
        }
    }
}

static void look_at_inertia(Look *look, int frame) {
    double gyration = gyration_of(look, frame), reach = look->reach[frame];
    double most = fmax(look->model->values.size, reach);
    if (!(gyration > 0.0) || look->joints[frame] == 0) return;
    if (gyration > LARGE_GYRATION * most)
        remark(look,
               "body '%s': its inertia belongs to mass %.3g m from its centre, and the whole mechanism is %.3g m "
               "large: is "
               "it in kg m^2?",
               name_of(look, frame), gyration, most);
    else if (gyration < SMALL_GYRATION * reach)
        remark(look,
               "body '%s': its inertia belongs to mass %.3g m from its centre, and it reaches %.3g m: is it in kg m^2?",
               name_of(look, frame), gyration, reach);
}

/* ---- angles ---- */

static void look_at_orientation(Look *look, const CrdBodyDesc *body) {
    static const struct {
        int first, count; /* of the numbers of the orientation, those that are angles */
        const char *key;
    } forms[] = {[CRD_ORIENTATION_NONE] = {0, 0, ""},
                 [CRD_ORIENTATION_ANGLE] = {0, 1, "angle"},
                 [CRD_ORIENTATION_QUATERNION] = {0, 0, ""},
                 [CRD_ORIENTATION_RPY] = {0, 3, "rpy"},
                 [CRD_ORIENTATION_AXIS_ANGLE] = {3, 1, "axis_angle"}};
    int form = (int)body->orientation_form;
    for (int i = forms[form].first; i < forms[form].first + forms[form].count; i++) {
        if (!(fabs(body->orientation[i]) > TURN)) continue;
        remark(look, "body '%s': %s has %.9g rad, more than a turn: is it in degrees?", body->name, forms[form].key,
               body->orientation[i]);
        return;
    }
}

static void look_at_force_angles(Look *look) {
    static const struct {
        CardanForceType type;
        const char *key;
        int count;
    } angles[] = {{CARDAN_FORCE_TORSION, "angle", 1}, {CARDAN_FORCE_LIMIT, "range", 2}};
    const CrdDescription *description = look->model->description;
    for (int i = 0; i < description->force_count; i++) {
        const CrdForceDesc *force = &description->forces[i];
        CardanForceScene scene = cardan_model_force_scene(look->model, (CardanForce){i + 1});
        for (size_t k = 0; k < sizeof angles / sizeof *angles; k++) {
            if (scene.type != angles[k].type || scene.coordinate != CARDAN_COORDINATE_ANGLE) continue;
            CrdWritten written = crd_written(description, CRD_OWNER_FORCE, force);
            const double *x =
                crd_field_numbers(crd_field_find(written.table, angles[k].key, force->form), written.numbers);
            double most = angles[k].count == 2 ? fmax(fabs(x[0]), fabs(x[1])) : fabs(x[0]);
            if (most > TURN)
                remark(look, "force '%s': %s has %.9g rad, more than a turn: is it in degrees?", force->name,
                       angles[k].key, most);
        }
    }
}

/* ---- what nothing holds ---- */

static int count_in_part(const Look *look, int root) {
    int count = 0;
    for (int i = 1; i < look->model->structure->frame_count; i++) count += root_of(look, i) == root;
    return count;
}

/* A mechanism in free flight is one part; a second one that nothing connects with it is a mistake, most likely, unless
 * nothing holds anything. */
static void look_at_parts(Look *look) {
    if (look->model->structure->element_count + look->model->structure->force_count == 0) return;
    int frames = look->model->structure->frame_count, first = 0;
    for (int i = 1; i < frames && first == 0; i++)
        if (root_of(look, i) == 0) first = i;
    for (int i = 1; i < frames; i++) {
        if (first == 0) first = i; /* nothing is held by the ground: the first part is the mechanism */
        int root = root_of(look, i), many = count_in_part(look, root);
        if (root != i || root == 0 || root == root_of(look, first)) continue;
        if (look->joints[i] == 0)
            remark(look, "body '%s' has no joint, and no force acts on it: nothing holds it", name_of(look, i));
        else
            remark(look, "body '%s'%s not connected with the rest of the mechanism", name_of(look, i),
                   many > 1 ? " and what hangs on it are" : " is");
    }
}

/* ---- the whole ---- */

static CardanStatus examine(Look *look) {
    const CrdDescription *description = look->model->description;
    int frames = look->model->structure->frame_count;
    for (int i = 0; i < frames; i++) look->part[i] = i;
    see_elements(look);
    see_forces(look);
    see_blocks(look);
    CRD_TRY(find_usual(look));
    look_at_points(look);
    for (int i = 1; i < frames; i++)
        if (is_body(look, i)) look_at_inertia(look, i);
    for (int i = 0; i < description->body_count; i++) look_at_orientation(look, &description->bodies[i]);
    look_at_force_angles(look);
    look_at_parts(look);
    return CARDAN_OK;
}

int cardan_model_remarks(const CardanModel *model, int k, char *text, size_t size) {
    if (text != NULL && size > 0) text[0] = '\0';
    if (model == NULL) return -1;
    size_t frames = (size_t)model->structure->frame_count;
    Look look = {.model = model, .wanted = k, .text = text, .size = size};
    look.reach = crd_new(frames, sizeof *look.reach);
    look.part = crd_new(frames, sizeof *look.part);
    look.joints = crd_new(frames, sizeof *look.joints);
    bool room = look.reach != NULL && look.part != NULL && look.joints != NULL;
    CardanStatus status = room ? examine(&look) : CARDAN_ERR_MEMORY;
    CRD_DELETE_ALL(look.reach, look.part, look.joints);
    return status < 0 ? -1 : look.found;
}
