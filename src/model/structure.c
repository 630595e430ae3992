/* Numbering: coordinate blocks, frames, elements with their attachments and incidences. */
#include "model/model.h"

#include "build/fields.h"
#include "core/memory.h"
#include "model/tree.h"
#include "model/valid.h"
#include "model/watched.h"

#include <assert.h>
#include <limits.h>

static CardanStatus too_large(CrdError *error) {
    return crd_fail(error, CARDAN_ERR_LIMIT, "the model is too large: a size does not fit 32 bits");
}

/* Adds up sizes and remembers an overflow as a negative number. */
static int add(int sum, long long more) {
    assert(more >= 0);
    return sum < 0 || more > INT_MAX - sum ? -1 : sum + (int)more;
}

static CrdBlock body_block(const CrdBodyDesc *body, CardanSpace space) {
    CrdBlock block = {.object = 0, .mass = -1};
    if (space == CARDAN_SPACE_PLANAR) {
        block.kind = body->particle ? CRD_PLANAR_PARTICLE : CRD_PLANAR_BODY;
        block.nq = block.nv = body->particle ? 2 : 3;
    } else {
        block.kind = body->particle ? CRD_SPATIAL_PARTICLE : CRD_SPATIAL_BODY;
        block.nq = body->particle ? 3 : 7;
        block.nv = body->particle ? 3 : 6;
    }
    return block;
}

static void place_block(CrdStructure *structure, int index, CrdBlock block) {
    block.q = structure->nq;
    block.v = structure->nv;
    structure->blocks[index] = block;
    structure->nq = add(structure->nq, block.nq);
    structure->nv = add(structure->nv, block.nv);
}

/* Blocks follow the frames, so bodies keep the order in which they were added. */
static CardanStatus number_blocks(CrdStructure *structure, const CrdDescription *description, CrdError *error) {
    structure->frame_count = description->frame_count;
    structure->block_count = description->body_count + description->block_count;
    structure->blocks = crd_new((size_t)structure->block_count, sizeof *structure->blocks);
    structure->frames = crd_new((size_t)structure->frame_count, sizeof *structure->frames);
    if (structure->blocks == NULL || structure->frames == NULL) return crd_fail_memory(error);
    for (int i = 0; i < description->body_count; i++) {
        CrdBlock block = body_block(&description->bodies[i], description->space);
        block.object = i;
        place_block(structure, i, block);
    }
    for (int i = 0; i < description->block_count; i++) {
        int n = description->blocks[i].def.coordinates;
        CrdBlock block = {CRD_CUSTOM_BLOCK, i, description->blocks[i].first_frame, n, n, 0, 0, structure->size_custom};
        place_block(structure, description->body_count + i, block);
        structure->size_custom = add(structure->size_custom, (long long)n * n);
        if (n > structure->max_coordinates) structure->max_coordinates = n;
    }
    return structure->nq < 0 || structure->nv < 0 || structure->size_custom < 0 ? too_large(error) : CARDAN_OK;
}

static CardanStatus number_frames(CrdStructure *structure, const CrdDescription *description, CrdError *error) {
    assert(description->frame_count > 0 && description->frames[0].kind == CRD_FRAME_GROUND);
    for (int i = 0; i < description->frame_count; i++) {
        const CrdFrameDesc *given = &description->frames[i];
        CrdFrame frame = {.kind = given->kind, .block = -1};
        if (given->kind == CRD_FRAME_BODY) {
            frame.block = given->object;
            structure->blocks[frame.block].frame = i;
        }
        if (given->kind == CRD_FRAME_OF_BLOCK) {
            frame.block = description->body_count + given->object;
            frame.frame = given->frame;
            frame.jacobian = structure->size_jacobian;
            frame.bias = structure->size_bias;
            structure->size_jacobian = add(structure->size_jacobian, 6LL * structure->blocks[frame.block].nv);
            structure->size_bias = add(structure->size_bias, 6);
        }
        structure->frames[i] = frame;
    }
    return structure->size_jacobian < 0 ? too_large(error) : CARDAN_OK;
}

static int joint_attachments(const CrdJointDesc *joint) {
    if (joint->rows != NULL) return joint->rows->def.bodies;
    return joint->items > 0 ? 2 * joint->items : 2;
}

/* Counts first, so that every array is made once. */
static CardanStatus make_elements(CrdStructure *structure, const CrdDescription *description, CrdError *error) {
    int attachments = 0;
    structure->joint_count = description->joint_count;
    structure->element_count = description->joint_count;
    for (int i = 0; i < description->joint_count; i++)
        attachments = add(attachments, joint_attachments(&description->joints[i]));
    for (int i = 0; i < description->block_count; i++) structure->element_count += description->blocks[i].def.rows > 0;
    if (attachments < 0) return too_large(error);
    structure->elements = crd_new((size_t)structure->element_count, sizeof *structure->elements);
    structure->element_of_joint = crd_new((size_t)structure->joint_count, sizeof *structure->element_of_joint);
    structure->attachments = crd_new((size_t)attachments, sizeof *structure->attachments);
    structure->incidences =
        crd_new((size_t)attachments + (size_t)description->block_count, sizeof *structure->incidences);
    structure->terms = crd_new((size_t)description->term_count, sizeof *structure->terms);
    bool all = structure->elements != NULL && structure->element_of_joint != NULL && structure->attachments != NULL &&
               structure->incidences != NULL && structure->terms != NULL;
    return all ? CARDAN_OK : crd_fail_memory(error);
}

/* The incidence of the element (the last one made) with a block: found, or added. */
static int incidence_of(CrdStructure *structure, CrdElement *element, int index, int block) {
    assert(element->incidence + element->incidences == structure->incidence_count); /* no other was begun */
    assert(block >= 0 && block < structure->block_count);
    for (int i = element->incidence; i < structure->incidence_count; i++)
        if (structure->incidences[i].block == block) {
            structure->incidences[i].direct = false;
            return i;
        }
    const CrdBlock *b = &structure->blocks[block];
    bool direct = b->kind == CRD_SPATIAL_BODY;
    structure->incidences[structure->incidence_count] =
        (CrdIncidence){index, block, element->rows, b->nv, structure->size_g, b->v, direct, false};
    structure->size_g = add(structure->size_g, (long long)element->rows * b->nv);
    element->incidences++;
    return structure->incidence_count++;
}

/* A compliant joint acts as a force: it reads frames and has no columns. */
static void attach(CrdStructure *structure, CrdElement *element, int index, int frame) {
    assert(frame >= 0 && frame < structure->frame_count);
    int block = structure->frames[frame].block;
    bool columns = block >= 0 && element->compliant == 0;
    CrdAttachment attachment = {frame, columns ? incidence_of(structure, element, index, block) : -1};
    structure->attachments[structure->attachment_count++] = attachment;
    element->attachments++;
}

static CrdElement begin_element(const CrdStructure *structure, CrdElementType type, int rows) {
    return (CrdElement){.type = type,
                        .joint = -1,
                        .block = -1,
                        .rows = rows,
                        .holonomic = rows,
                        .law = structure->drive_count,
                        .attachment = structure->attachment_count,
                        .incidence = structure->incidence_count,
                        .tracked = -1};
}

static int max(int a, int b) {
    return a > b ? a : b;
}

static void end_element(CrdStructure *structure, int index, CrdElement element) {
    assert(index < structure->element_count && element.holonomic <= element.rows);
    assert(element.attachment + element.attachments == structure->attachment_count);
    assert(element.compliant == 0 || (element.rows == 0 && element.incidences == 0));
    structure->elements[index] = element;
    structure->rows = add(structure->rows, element.rows);
    structure->holonomic_rows += element.holonomic;
    structure->compliant_count += element.compliant > 0;
    structure->elastic_rows += element.compliant;
    structure->drive_count += element.laws;
    structure->max_rows = max(structure->max_rows, max(element.rows, element.compliant));
    structure->max_attachments = max(structure->max_attachments, element.attachments);
}

static void number_user_rows(CrdStructure *structure, const CrdJointDesc *joint, int index) {
    CrdElement element = begin_element(structure, CRD_ELEMENT_USER, joint->rows->def.rows);
    element.joint = index;
    if (joint->rows->def.nonholonomic) element.holonomic = 0;
    for (int i = 0; i < joint->rows->def.bodies; i++) attach(structure, &element, index, joint->rows->frames[i]);
    end_element(structure, index, element);
}

/* Do its sides stand on the ground or on bodies, not both on one? */
static bool holds_bodies(const CrdStructure *structure, const CrdElement *element) {
    CrdBlockKind body = structure->space == CARDAN_SPACE_PLANAR ? CRD_PLANAR_BODY : CRD_SPATIAL_BODY;
    int bodies = 0;
    for (int i = element->attachment; i < element->attachment + element->attachments; i++) {
        int block = structure->frames[structure->attachments[i].frame].block;
        if (block >= 0 && structure->blocks[block].kind != body) return false;
        bodies += block >= 0;
    }
    return bodies == element->incidences;
}

static void number_joint(CrdStructure *structure, const CrdDescription *description, int index) {
    const CrdJointDesc *joint = &description->joints[index];
    const CrdJointKind *kind = crd_joint_kinds[joint->type];
    bool coupler = joint->items > 0, compliant = crd_is_compliant(joint);
    int rows = coupler ? 1 : crd_joint_rows(kind, description->space);
    CrdElement element =
        begin_element(structure, coupler ? CRD_ELEMENT_COUPLER : CRD_ELEMENT_JOINT, compliant ? 0 : rows);
    element.kind = kind;
    element.joint = index;
    element.compliant = compliant ? rows : 0;
    element.elastic = structure->elastic_rows;
    structure->curve_count += kind->curve;
    if (!coupler && !compliant) element.holonomic = crd_joint_holonomic_rows(kind, description->space);
    while (element.laws < 3 && joint->law[element.laws] != NULL) element.laws++;
    if (coupler) {
        element.term = joint->item;
        element.terms = joint->items;
        for (int i = joint->item; i < joint->item + joint->items; i++) {
            const CrdJointDesc *of = &description->joints[description->terms[i].joint - 1];
            structure->terms[i] = (CrdTerm){description->terms[i].joint - 1, description->terms[i].coordinate};
            attach(structure, &element, index, crd_joint_numbers(of)->a);
            attach(structure, &element, index, crd_joint_numbers(of)->b);
        }
    } else {
        attach(structure, &element, index, crd_joint_numbers(joint)->a);
        attach(structure, &element, index, crd_joint_numbers(joint)->b);
        int tracks = crd_joint_tracks(kind, description->space, compliant);
        if (tracks > 0) element.tracked = structure->tracked_count;
        element.turns = compliant && crd_joint_turns(kind, description->space);
        structure->tracked_count = add(structure->tracked_count, tracks);
        structure->turn_count += element.turns;
        if (!compliant && holds_bodies(structure, &element)) element.whole = kind->whole[description->space];
        for (int i = element.incidence; i < structure->incidence_count; i++)
            structure->incidences[i].point = structure->incidences[i].direct && crd_joint_holds_point(kind);
    }
    end_element(structure, index, element);
}

static CardanStatus number_elements(CrdStructure *structure, const CrdDescription *description, CrdError *error) {
    CRD_TRY(make_elements(structure, description, error));
    structure->term_count = description->term_count;
    for (int i = 0; i < description->joint_count; i++) {
        if (description->joints[i].rows != NULL)
            number_user_rows(structure, &description->joints[i], i);
        else
            number_joint(structure, description, i);
    }
    int index = description->joint_count;
    for (int i = 0; i < description->block_count; i++) {
        if (description->blocks[i].def.rows == 0) continue;
        CrdElement element = begin_element(structure, CRD_ELEMENT_BLOCK, description->blocks[i].def.rows);
        element.block = description->body_count + i;
        incidence_of(structure, &element, index, element.block);
        structure->incidences[element.incidence].direct = false;
        end_element(structure, index++, element);
    }
    assert(index == structure->element_count);
    bool fits = structure->rows >= 0 && structure->size_g >= 0 && structure->tracked_count >= 0;
    return fits ? CARDAN_OK : too_large(error);
}

static CardanStatus fill(CrdStructure *structure, const CrdDescription *description, CrdError *error) {
    CRD_TRY(number_blocks(structure, description, error));
    CRD_TRY(number_frames(structure, description, error));
    CRD_TRY(number_elements(structure, description, error));
    CRD_TRY(crd_structure_drives(structure, description, error));
    CRD_TRY(crd_structure_order(structure, error));
    CRD_TRY(crd_structure_watch(structure, error));
    CRD_TRY(crd_structure_states(structure, description, error));
    CRD_TRY(crd_structure_laws(structure, description, error));
    CRD_TRY(crd_structure_forces(structure, description, error));
    return crd_structure_switches(structure, description, error);
}

CardanStatus crd_structure_create(const CrdDescription *description, CrdStructure **out, CrdError *error) {
    *out = NULL;
    CrdStructure *structure = crd_new(1, sizeof *structure);
    if (structure == NULL) return crd_fail_memory(error);
    atomic_init(&structure->references, 1);
    structure->space = description->space;
    structure->force_count = description->force_count;
    structure->marker_count = description->marker_count;
    structure->parameter_count = description->parameter_count;
    structure->input_count = description->input_count;
    for (int i = 0; i < description->force_count; i++)
        structure->max_gathered = max(structure->max_gathered, description->forces[i].items);
    for (int i = 0; i < description->event_count; i++)
        structure->max_gathered = max(structure->max_gathered, description->events[i].def.bodies);
    structure->invariant_count = description->invariant_count;
    for (int i = 0; i < description->invariant_count; i++)
        structure->max_gathered = max(structure->max_gathered, description->invariants[i].def.bodies);
    CardanStatus status = fill(structure, description, error);
    if (status < 0) {
        crd_structure_release(structure);
        return status;
    }
    assert(crd_structure_is_valid(structure));
    *out = structure;
    return CARDAN_OK;
}

/* What a relative structure has in common with the absolute one it came from. */
static void release_common(CrdStructure *structure) {
    if (structure->laws != NULL)
        for (int i = 0; i < CRD_FORCE_LAWS * structure->force_count; i++) crd_expr_free(structure->laws[i]);
    if (structure->drives != NULL)
        for (int i = 0; i < structure->drive_count; i++) crd_expr_free(structure->drives[i]);
    CRD_DELETE_ALL(structure->element_of_joint, structure->laws, structure->law_measures, structure->force_structures,
                   structure->state_of_states, structure->force_frames, structure->force_measures,
                   structure->force_states, structure->drives, structure->terms, structure->switches);
}

void crd_structure_release(CrdStructure *structure) {
    if (structure == NULL) return;
    int references = atomic_fetch_sub(&structure->references, 1);
    assert(references >= 1);
    if (references > 1) return;
    CRD_DELETE_ALL(structure->blocks, structure->frames, structure->elements, structure->attachments,
                   structure->incidences, structure->of_block_start, structure->of_block, structure->products,
                   structure->s_start, structure->s_row, structure->row_element, structure->watched);
    crd_elimination_free(structure->elimination);
    if (structure->tree != NULL)
        crd_structure_release(structure->tree->absolute); /* to which the rest belongs */
    else
        release_common(structure);
    crd_tree_free(structure->tree);
    crd_delete(structure);
}

int crd_element_frame(const CrdStructure *structure, int element, int side) {
    assert(element >= 0 && element < structure->element_count);
    assert(side >= 0 && side < structure->elements[element].attachments);
    return structure->attachments[structure->elements[element].attachment + side].frame;
}
