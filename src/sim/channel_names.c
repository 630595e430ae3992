/* Names of channels: one by one, in groups with stars, and what was meant when there is none. */
#include "core/text.h"
#include "sim/channel.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 256 };

/* ---- what channels are called ---- */

static const CrdOffer *offer_of(const CardanModel *model, CardanChannel channel) {
    return &crd_force_kinds[model->description->forces[channel.object].type]->offers.rows[channel.other];
}

static const char *place_name(const CardanModel *model, int place) {
    int marker = place - model->structure->frame_count;
    return marker < 0 ? cardan_model_body_name(model, (CardanBody){place}) : model->description->markers[marker].name;
}

static const char *object_name(const CardanModel *model, CardanChannel channel) {
    switch (crd_measures[channel.measure].of) {
    case CRD_OF_MODEL:
    case CRD_OF_PAIR:
        return NULL;
    case CRD_OF_JOINT:
        return crd_element_name(model, channel.object);
    case CRD_OF_FORCE:
        return model->description->forces[channel.object].name;
    default:
        return place_name(model, channel.object);
    }
}

static bool is_place(const CardanModel *model, int place, CrdMeasureOf of) {
    const CrdStructure *structure = model->structure;
    if (place < 0 || place >= structure->frame_count + structure->marker_count) return false;
    if (place >= structure->frame_count) return of != CRD_OF_BODY;
    return structure->frames[place].kind == CRD_FRAME_BODY;
}

static bool is_of_force(const CardanModel *model, CardanChannel channel) {
    if (channel.object >= model->structure->force_count) return false;
    const CrdForceKind *kind = crd_force_kinds[model->description->forces[channel.object].type];
    if (channel.measure == CRD_OFFERED) return channel.other >= 0 && channel.other < kind->offers.count;
    if (channel.measure != CRD_FORCE_WRENCH) return channel.other == 0;
    const CrdForceStructure *force = &model->structure->force_structures[channel.object];
    bool found = channel.other == force->last;
    for (int i = 0; i < force->own_frames; i++)
        found = found || model->structure->force_frames[force->frame + i] == channel.other;
    return found;
}

/* The frame that a reaction is on; 0: as always. */
static bool is_side(const CrdStructure *structure, CardanChannel channel, const CrdMeasureRecord *measure) {
    const CrdElement *element = &structure->elements[channel.object];
    bool found = channel.other == 0;
    for (int i = 0; measure->on_bodies && i < element->attachments; i++)
        found = found || structure->attachments[element->attachment + i].frame == channel.other;
    return found;
}

bool crd_is_channel(const CardanModel *model, CardanChannel channel) {
    const CrdStructure *structure = model->structure;
    if (channel.measure < 0 || channel.measure >= CRD_MEASURES || channel.object < 0) return false;
    const CrdMeasureRecord *measure = &crd_measures[channel.measure];
    int width = measure->width[structure->space];
    if (!measure->space[structure->space] || channel.column < 0 || channel.column > width) return false;
    if (channel.width != (channel.column > 0 ? 1 : width) || (channel.column > 0 && width == 1)) return false;
    switch (measure->of) {
    case CRD_OF_MODEL:
        return channel.object == 0;
    case CRD_OF_JOINT:
        return channel.object < structure->element_count &&
               crd_element_has(&structure->elements[channel.object], measure) && is_side(structure, channel, measure);
    case CRD_OF_FORCE:
        return is_of_force(model, channel);
    case CRD_OF_PAIR:
        return is_place(model, channel.object, CRD_OF_PAIR) && is_place(model, channel.other, CRD_OF_PAIR);
    default:
        return is_place(model, channel.object, measure->of);
    }
}

/* Writes text at name + at, cut to what fits; returns where it ends, or would. Hundreds of names begin a run file:
 * snprintf took most of that time. */
static size_t append(char *name, size_t size, size_t at, const char *text) {
    size_t length = strlen(text), from = at < size ? at : size - 1, left = size - 1 - from;
    assert(size > 0);
    memcpy(name + from, text, length < left ? length : left);
    name[from + (length < left ? length : left)] = '\0';
    return at + length;
}

/* "spring.wrench.crank", without the column; returns its length. */
static int name_of(const CardanModel *model, CardanChannel channel, char *name, size_t size) {
    const char *what = crd_measures[channel.measure].name, *object = object_name(model, channel);
    if (crd_measures[channel.measure].of == CRD_OF_PAIR)
        return snprintf(name, size, "%s(%s, %s)", what, place_name(model, channel.object),
                        place_name(model, channel.other));
    if (channel.measure == CRD_OFFERED) what = offer_of(model, channel)->name;
    bool other =
        (channel.measure == CRD_FORCE_WRENCH && channel.other != crd_last_frame(model->structure, channel.object)) ||
        (channel.measure == CRD_REACTION && channel.other > 0);
    size_t at = 0;
    if (object != NULL) at = append(name, size, append(name, size, at, object), ".");
    at = append(name, size, at, what);
    if (other) at = append(name, size, append(name, size, at, "."), place_name(model, channel.other));
    return (int)at;
}

static const char *part_of(const CardanModel *model, CardanChannel channel, int k) {
    int column = channel.column > 0 ? channel.column - 1 : k;
    return crd_measures[channel.measure].part[model->structure->space][column];
}

const char *cardan_model_channel_label(const CardanModel *model, CardanChannel channel, int k, char *label,
                                       size_t size) {
    if (label == NULL || size == 0) return "";
    label[0] = '\0';
    if (model == NULL || !crd_is_channel(model, channel) || k < 0 || k >= channel.width) return label;
    const char *part = part_of(model, channel, k);
    int n = name_of(model, channel, label, size);
    if (part != NULL && n >= 0 && (size_t)n < size) snprintf(label + n, size - (size_t)n, ".%s", part);
    return label;
}

/* Is the coordinate that the channel is of an angle? A torque on a body is one, too. */
static bool is_angular(const CardanModel *model, CardanChannel channel) {
    const CrdStructure *structure = model->structure;
    if (crd_measures[channel.measure].of == CRD_OF_FORCE) {
        const CrdForceData *force = &model->values.forces[channel.object];
        if (force->joint == 0) return true;
        CardanCoordinate own = cardan_model_joint_coordinate(model, (CardanJoint){force->joint});
        return (force->coordinate != CARDAN_COORDINATE_NONE ? force->coordinate : own) == CARDAN_COORDINATE_ANGLE;
    }
    const CrdElement *element = &structure->elements[channel.object];
    if (element->terms > 0) return structure->terms[element->term].coordinate == CARDAN_COORDINATE_ANGLE;
    return element->kind != NULL && element->kind->coordinates[0] == CARDAN_COORDINATE_ANGLE;
}

const char *cardan_model_channel_unit(const CardanModel *model, CardanChannel channel, int k) {
    if (model == NULL || !crd_is_channel(model, channel) || k < 0 || k >= channel.width) return "";
    const CrdMeasureRecord *measure = &crd_measures[channel.measure];
    const char *unit = measure->unit, *angular = measure->angular;
    if (channel.measure == CRD_OFFERED) {
        unit = offer_of(model, channel)->unit;
        angular = offer_of(model, channel)->angular;
    }
    int force = model->structure->space == CARDAN_SPACE_PLANAR ? 2 : 3;
    if (channel.column > 0) k = channel.column - 1;
    if (measure->moment != NULL && k >= force) return measure->moment;
    if (channel.measure == CRD_RESIDUAL) return k == 0 ? "m or rad" : "m/s or rad/s";
    if (angular != NULL && is_angular(model, channel)) return angular;
    return unit != NULL ? unit : "1";
}

/* ---- all channels ---- */

/* Called for each; false ends the walk. */
typedef bool (*Visit)(void *user, CardanChannel channel);

typedef struct Walk {
    const CardanModel *model;
    Visit visit;
    void *user;
} Walk;

static bool name_is_this(const Walk *walk, CardanChannel channel) {
    CrdLawMeasure found;
    char name[NAME_SIZE];
    int n = name_of(walk->model, channel, name, sizeof name);
    if (n < 0 || (size_t)n >= sizeof name) return false;
    const CardanModel *model = walk->model;
    return crd_find_measure(model->description, model->structure, name, (size_t)n, &found) &&
           (int)found.measure == channel.measure;
}

/* All that an object has, in the order of the table. */
static bool walk_object(const Walk *walk, CrdMeasureOf of, int object) {
    const CrdStructure *structure = walk->model->structure;
    CardanChannel channel = {.object = object};
    CrdOffers offers = {NULL, 0};
    if (of == CRD_OF_FORCE) offers = crd_force_kinds[walk->model->description->forces[object].type]->offers;
    for (int k = 0; k < offers.count; k++) {
        if (offers.rows[k].spatial && structure->space == CARDAN_SPACE_PLANAR) continue;
        channel = (CardanChannel){.measure = CRD_OFFERED, .object = object, .width = 1, .other = k};
        if (!walk->visit(walk->user, channel)) return false;
    }
    for (int i = 0; i < CRD_MEASURES; i++) {
        const CrdMeasureRecord *measure = &crd_measures[i];
        if ((measure->of & of) == 0 || measure->name == NULL || !measure->space[structure->space]) continue;
        channel = (CardanChannel){.measure = i, .object = object, .width = measure->width[structure->space]};
        if (i == CRD_FORCE_WRENCH) channel.other = crd_last_frame(structure, object);
        if (crd_is_channel(walk->model, channel) && name_is_this(walk, channel) && !walk->visit(walk->user, channel))
            return false;
    }
    return true;
}

static void walk_all(const Walk *walk) {
    const CardanModel *model = walk->model;
    const CrdStructure *structure = model->structure;
    bool on = true;
    for (int i = 1; i < structure->frame_count && on; i++)
        if (structure->frames[i].kind == CRD_FRAME_BODY) on = walk_object(walk, CRD_OF_BODY, i);
    for (int i = 0; i < structure->marker_count && on; i++)
        on = walk_object(walk, CRD_OF_MARKER, structure->frame_count + i);
    for (int i = 0; i < structure->joint_count && on; i++)
        on = walk_object(walk, CRD_OF_JOINT, structure->element_of_joint[i]);
    for (int i = 0; i < structure->force_count && on; i++) on = walk_object(walk, CRD_OF_FORCE, i);
    if (on) walk_object(walk, CRD_OF_MODEL, 0);
}

/* ---- what was meant ---- */

typedef struct Nearest {
    const CardanModel *model;
    const char *name;
    int distance;
    char near[NAME_SIZE];
} Nearest;

static bool compare(void *user, CardanChannel channel) {
    Nearest *nearest = user;
    char name[NAME_SIZE];
    int n = name_of(nearest->model, channel, name, sizeof name);
    if (n < 0 || (size_t)n >= sizeof name) return true;
    int distance = crd_edit_distance(nearest->name, strlen(nearest->name), name, (size_t)n);
    if (distance >= nearest->distance) return true;
    nearest->distance = distance;
    memcpy(nearest->near, name, (size_t)n + 1);
    return true;
}

typedef struct Words {
    const CardanModel *model;
    const char *object; /* whose measures are listed */
    size_t length;
    char *text;
    size_t size, used;
} Words;

static bool list_word(void *user, CardanChannel channel) {
    Words *words = user;
    char name[NAME_SIZE];
    name_of(words->model, channel, name, sizeof name);
    if (strncmp(name, words->object, words->length) != 0 || name[words->length] != '.') return true;
    int n = snprintf(words->text + words->used, words->size - words->used, "%s%s", words->used > 0 ? ", " : "",
                     name + words->length + 1);
    if (n > 0 && (size_t)n < words->size - words->used) words->used += (size_t)n;
    return true;
}

/* How many letters may be wrong: a third of the part that is not known, the object or what is asked of it. */
static int allowed(const CardanModel *model, const char *name, const char *dot) {
    size_t length = strlen(name);
    if (dot != NULL) {
        size_t before = (size_t)(dot - name);
        bool known = crd_names_find(&model->description->names, name, before).kind != CRD_NAME_NONE;
        length = known ? length - before - 1 : before;
    }
    return length / 3 > 1 ? (int)(length / 3) : 1;
}

static CardanStatus unknown(const CardanModel *model, const char *name, char *message, size_t size) {
    if (message == NULL || size == 0) return CARDAN_ERR_MODEL;
    size_t length = strlen(name);
    const char *dot = strchr(name, '.');
    Nearest nearest = {.model = model, .name = name, .distance = allowed(model, name, dot) + 1};
    if (length <= 64) walk_all(&(Walk){model, compare, &nearest});
    CrdShown shown = crd_shown(name, length);
    char list[384] = "";
    Words words = {.model = model,
                   .object = name,
                   .length = dot != NULL ? (size_t)(dot - name) : 0,
                   .text = list,
                   .size = sizeof list};
    if (nearest.near[0] == '\0' && dot != NULL) walk_all(&(Walk){model, list_word, &words});
    if (nearest.near[0] != '\0')
        snprintf(message, size, "there is no channel '%s'; did you mean '%s'?", shown.text, nearest.near);
    else if (list[0] != '\0')
        snprintf(message, size, "there is no channel '%s'; '%.*s' has: %s", shown.text, (int)words.length, name, list);
    else
        snprintf(message, size,
                 "there is no channel '%s': a channel is BODY.x, MARKER.vx, JOINT.angle, JOINT.reaction, FORCE.force, "
                 "distance(MARKER, MARKER), ... or energy, momentum, residual, step, condition",
                 shown.text);
    return CARDAN_ERR_MODEL;
}

static const char *missing(const CardanModel *model, const char *name) {
    return model == NULL ? "the model" : name == NULL ? "the name" : "the place for the channel";
}

CardanStatus cardan_model_find_channel(const CardanModel *model, const char *name, CardanChannel *out, char *message,
                                       size_t size) {
    if (model == NULL || name == NULL || out == NULL)
        return crd_refuse_call(message, size, "%s is NULL", missing(model, name));
    CrdLawMeasure it;
    *out = (CardanChannel){0};
    if (!crd_find_measure(model->description, model->structure, name, strlen(name), &it))
        return unknown(model, name, message, size);
    int width = it.column > 0 ? 1 : crd_measures[it.measure].width[model->structure->space];
    *out = (CardanChannel){(int)it.measure, it.object, width, it.other, it.column};
    return CARDAN_OK;
}

/* ---- groups ---- */

typedef struct Group {
    const CardanModel *model;
    const char *pattern;
    int room, count;
    CardanChannel *channels;
} Group;

/* A star stands for any part of a name between dots. */
static bool matches(const char *pattern, const char *name) {
    if (*pattern == '\0') return *name == '\0';
    if (*pattern != '*') return *pattern == *name && matches(pattern + 1, name + 1);
    for (; !matches(pattern + 1, name); name++)
        if (*name == '\0' || *name == '.') return false;
    return true;
}

static bool add_match(void *user, CardanChannel channel) {
    Group *group = user;
    char name[NAME_SIZE];
    int n = name_of(group->model, channel, name, sizeof name);
    if (n < 0 || (size_t)n >= sizeof name || !matches(group->pattern, name)) return true;
    if (group->channels != NULL && group->count < group->room) group->channels[group->count] = channel;
    group->count++;
    return true;
}

int cardan_model_match_channels(const CardanModel *model, const char *pattern, int room, CardanChannel *channels,
                                char *message, size_t size) {
    if (model == NULL || pattern == NULL) return crd_refuse_call(message, size, "%s is NULL", missing(model, pattern));
    if (strchr(pattern, '*') == NULL) {
        CardanChannel one;
        CardanStatus status = cardan_model_find_channel(model, pattern, &one, message, size);
        if (status >= 0 && channels != NULL && room > 0) channels[0] = one;
        return status < 0 ? status : 1;
    }
    enum { PATTERN_MAX = 128 }; /* stars are tried one inside the other */
    Group group = {.model = model, .pattern = pattern, .room = room, .channels = channels};
    if (strlen(pattern) <= PATTERN_MAX) walk_all(&(Walk){model, add_match, &group});
    if (group.count > 0) return group.count;
    if (message != NULL && size > 0)
        snprintf(message, size,
                 "no channel is called '%s': stars stand for parts of names, as in 'crank.*' or "
                 "'*.reaction'",
                 crd_shown_text(pattern).text);
    return CARDAN_ERR_MODEL;
}
