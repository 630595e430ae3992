/* A relative structure is a copy of the absolute one with other coordinate blocks and fewer rows: frames, elements,
 * forces, laws, tracked coordinates, switches and first-order states keep their numbers, joints of the tree lose their
 * rows. What the two have in common belongs to the absolute one, which is kept. */
#include "model/relative.h"

#include "core/memory.h"
#include "model/tree.h"
#include "model/valid.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

static int quaternion_numbers(CrdBlockKind kind) {
    return kind == CRD_SPATIAL_BODY || kind == CRD_LINK_SPHERICAL ? 1 : 0;
}

static int freedoms(CrdBlockKind kind) {
    static const int FREEDOMS[] = {
        [CRD_PLANAR_BODY] = 3,    [CRD_PLANAR_PARTICLE] = 2, [CRD_SPATIAL_BODY] = 6,  [CRD_SPATIAL_PARTICLE] = 3,
        [CRD_CUSTOM_BLOCK] = 0,   [CRD_LINK_WELD] = 0,       [CRD_LINK_REVOLUTE] = 1, [CRD_LINK_PRISMATIC] = 1,
        [CRD_LINK_SPHERICAL] = 3, [CRD_LINK_SCREW] = 1};
    assert((size_t)kind < sizeof FREEDOMS / sizeof *FREEDOMS);
    return FREEDOMS[kind];
}

/* The description's body that a link carries, or the one after a massless link. */
static int object_of(const CrdStructure *absolute, const CrdTree *tree, int k) {
    while (tree->origins[k].body < 0) k++;
    return absolute->blocks[tree->origins[k].body].object;
}

static void number_blocks(const CrdStructure *absolute, CrdStructure *structure) {
    CrdTree *tree = structure->tree;
    structure->block_count = tree->count;
    structure->nq = structure->nv = 0;
    for (int k = 0; k < tree->count; k++) {
        CrdLink *link = &tree->links[k];
        int nv = freedoms(link->kind), nq = nv + quaternion_numbers(link->kind);
        link->q = structure->nq;
        link->v = structure->nv;
        link->nv = nv;
        structure->blocks[k] =
            (CrdBlock){link->kind, object_of(absolute, tree, k), link->pose, nq, nv, link->q, link->v, -1};
        structure->nq += nq;
        structure->nv += nv;
        if (tree->origins[k].body >= 0) structure->frames[link->pose].block = k;
    }
}

static void copy_elements(const CrdStructure *absolute, CrdStructure *structure) {
    const CrdTree *tree = structure->tree;
    size_t attachments = (size_t)absolute->attachment_count, elements = (size_t)absolute->element_count;
    memcpy(structure->elements, absolute->elements, elements * sizeof *structure->elements);
    memcpy(structure->attachments, absolute->attachments, attachments * sizeof *structure->attachments);
    for (int i = 0; i < structure->attachment_count; i++) structure->attachments[i].incidence = -1; /* see walks */
    structure->rows = structure->holonomic_rows = 0;
    for (int e = 0; e < structure->element_count; e++) {
        CrdElement *element = &structure->elements[e];
        element->incidence = element->incidences = element->first = 0;
        if (tree->is_joint[e]) element->rows = element->holonomic = 0;
        structure->rows += element->rows;
        if (element->rows > 0) structure->holonomic_rows += element->holonomic;
    }
}

static bool counts_itself(const CrdStructure *structure, int k) {
    CrdBlockKind kind = structure->tree->links[k].kind;
    bool turns = kind == CRD_LINK_REVOLUTE || kind == CRD_LINK_SCREW;
    return turns && structure->elements[structure->tree->origins[k].element].tracked >= 0;
}

/* Angles that are tracked in absolute coordinates and count themselves here. */
static void list_tracked(CrdStructure *structure) {
    CrdTree *tree = structure->tree;
    for (int k = 0; k < tree->count; k++) {
        const CrdLink *link = &tree->links[k];
        if (!counts_itself(structure, k)) continue;
        assert(link->part == link->parts - 1);
        tree->counted[tree->counted_count++] = (CrdCounted){structure->elements[tree->origins[k].element].tracked,
                                                            link->q, link->v, link->reversed ? -1.0 : 1.0};
    }
    for (int e = 0; e < structure->element_count; e++)
        if (structure->elements[e].tracked >= 0 && !tree->is_joint[e]) tree->tracking[tree->tracking_count++] = e;
}

/* Where all that is tracked counts itself, the state does not hold it a second time: a third of the state of a spatial
 * chain. An element's number is then its place in the list of those. */
static void drop_counted(CrdStructure *structure) {
    CrdTree *tree = structure->tree;
    if (tree->counted_count < structure->tracked_count) return;
    assert(tree->counted_count == structure->tracked_count && tree->tracking_count == 0);
    for (int k = 0, i = 0; k < tree->count; k++)
        if (counts_itself(structure, k)) structure->elements[tree->origins[k].element].tracked = i++;
    structure->tracked_count = 0;
}

/* Elements that close loops and were watched: joints of the tree depend on nothing. */
static void list_watched(const CrdStructure *absolute, CrdStructure *structure) {
    structure->watched_count = 0;
    for (int i = 0; i < absolute->watched_count; i++)
        if (structure->elements[absolute->watched[i]].rows > 0)
            structure->watched[structure->watched_count++] = absolute->watched[i];
}

static CardanStatus allocate(const CrdStructure *absolute, CrdStructure *structure, CrdError *error) {
    structure->blocks = crd_new((size_t)structure->tree->count, sizeof *structure->blocks);
    structure->frames = crd_new((size_t)absolute->frame_count, sizeof *structure->frames);
    structure->elements = crd_new((size_t)absolute->element_count, sizeof *structure->elements);
    structure->attachments = crd_new((size_t)absolute->attachment_count, sizeof *structure->attachments);
    structure->watched = crd_new((size_t)absolute->watched_count, sizeof *structure->watched);
    if (structure->blocks == NULL || structure->frames == NULL || structure->elements == NULL ||
        structure->attachments == NULL || structure->watched == NULL)
        return crd_fail_memory(error);
    return CARDAN_OK;
}

static CardanStatus fill(CrdStructure *absolute, const CrdDescription *description, CrdStructure *structure,
                         CrdError *error) {
    CRD_TRY(crd_tree_create(absolute, description, &structure->tree, error));
    structure->tree->absolute = absolute;
    atomic_fetch_add(&absolute->references, 1);
    CRD_TRY(allocate(absolute, structure, error));
    memcpy(structure->frames, absolute->frames, (size_t)absolute->frame_count * sizeof *structure->frames);
    number_blocks(absolute, structure);
    copy_elements(absolute, structure);
    list_tracked(structure);
    drop_counted(structure);
    list_watched(absolute, structure);
    return crd_relative_rows(structure, error);
}

/* All but the counter, which others may be changing; nothing of what is the absolute structure's own. */
static void copy_common(const CrdStructure *absolute, CrdStructure *structure) {
    const size_t first = offsetof(CrdStructure, space);
    memcpy((char *)structure + first, (const char *)absolute + first, sizeof *structure - first);
    structure->blocks = NULL;
    structure->frames = NULL;
    structure->elements = NULL;
    structure->attachments = NULL;
    structure->incidences = NULL;
    structure->of_block_start = structure->of_block = NULL;
    structure->products = NULL;
    structure->s_start = structure->s_row = structure->row_element = NULL;
    structure->elimination = NULL;
    structure->watched = NULL;
    structure->watched_count = 0;
    structure->incidence_count = structure->product_count = structure->size_g = structure->size_s = 0;
}

static CardanStatus make_structure(CrdStructure *absolute, const CrdDescription *description, CrdStructure **out,
                                   CrdError *error) {
    CrdStructure *structure = crd_new(1, sizeof *structure);
    if (structure == NULL) return crd_fail_memory(error);
    atomic_init(&structure->references, 1);
    copy_common(absolute, structure);
    CardanStatus status = fill(absolute, description, structure, error);

    if (status < 0) {
        if (structure->tree != NULL)
            crd_structure_release(structure);
        else
            crd_delete(structure); /* nothing in it is its own yet */
        return status;
    }
    assert(crd_structure_is_valid(structure));
    *out = structure;
    return CARDAN_OK;
}

static CardanStatus make_model(CrdStructure *structure, const CardanModel *absolute, CardanModel **out,
                               CrdError *error) {
    CardanModel *model = crd_new(1, sizeof *model);
    if (model == NULL) return crd_fail_memory(error);
    CardanStatus status = crd_relative_values(structure, absolute, &model->values, error);
    if (status < 0) {
        crd_delete(model);
        return status;
    }
    atomic_init(&model->references, 1);
    atomic_fetch_add(&structure->references, 1);
    model->structure = structure;
    model->absolute = cardan_model_retain(absolute);
    model->description = absolute->description;
    *out = model;
    return CARDAN_OK;
}

/* The body or marker whose quaternion a law reads: that of the coordinates, whose sign no frame tells; NULL: none. */
static const char *quaternion_reader(const CardanModel *absolute) {
    const CrdStructure *structure = absolute->structure;
    for (int i = 0; i < structure->law_measure_count; i++) {
        const CrdLawMeasure *it = &structure->law_measures[i];
        if (it->measure < CRD_QW || it->measure > CRD_QZ) continue;
        int marker = it->object - structure->frame_count;
        return marker < 0 ? cardan_model_body_name(absolute, (CardanBody){it->object})
                          : absolute->description->markers[marker].name;
    }
    return NULL;
}

CardanStatus crd_relative_create(const CardanModel *absolute, CardanModel **out, CrdError *error) {
    *out = NULL;
    assert(!crd_is_relative(absolute->structure));
    if (absolute->description->block_count > 0) {
        crd_fail(error, CARDAN_ERR_MODEL, "custom block '%s' is no body: its coordinates are not relative to another's",
                 absolute->description->blocks[0].name);
        return CARDAN_OK;
    }
    const char *turned = quaternion_reader(absolute);
    if (turned != NULL) {
        crd_fail(error, CARDAN_ERR_MODEL, "a law reads the quaternion of '%s', which relative coordinates do not have",
                 turned);
        return CARDAN_OK;
    }
    CrdStructure *structure = NULL;
    CardanStatus made = make_structure(absolute->structure, absolute->description, &structure, error);
    if (made < 0) return made == CARDAN_ERR_LIMIT ? CARDAN_OK : made;
    CardanStatus status = make_model(structure, absolute, out, error);
    crd_structure_release(structure);
    return status;
}
