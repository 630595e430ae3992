/* Numbering: coordinate blocks, carriers, elements with their attachments and incidences. */
#include "model/model.h"

#include "core/memory.h"

#include <limits.h>
#include <string.h>

static CardanStatus too_large(CrdError *error) {
    return crd_fail(error, CARDAN_ERR_LIMIT, "the model is too large: a size does not fit 32 bits");
}

/* Adds up sizes and remembers an overflow as a negative number. */
static int add(int sum, long long more) {
    return sum < 0 || more > INT_MAX - sum ? -1 : sum + (int)more;
}

static CrdBlock body_block(const CrdBodyDesc *body, CardanSpace space) {
    CrdBlock block = {.object = 0, .mass = -1};
    if (space == CARDAN_PLANAR) {
        block.kind = body->particle ? CRD_PLANAR_PARTICLE : CRD_PLANAR_BODY;
        block.nq = block.nv = body->particle ? 2 : 3;
    } else {
        block.kind = body->particle ? CRD_SPATIAL_PARTICLE : CRD_SPATIAL_BODY;
        block.nq = body->particle ? 3 : 7;
        block.nv = body->particle ? 3 : 6;
    }
    return block;
}

static void place_block(CrdShape *s, int index, CrdBlock block) {
    block.q = s->nq;
    block.v = s->nv;
    s->blocks[index] = block;
    s->nq = add(s->nq, block.nq);
    s->nv = add(s->nv, block.nv);
}

/* Blocks follow the carriers, so bodies keep the order in which they were added. */
static CardanStatus number_blocks(CrdShape *s, const CrdDescription *d, CrdError *error) {
    s->carrier_count = d->carrier_count;
    s->block_count = d->body_count + d->block_count;
    s->blocks = crd_new((size_t)s->block_count, sizeof *s->blocks);
    s->carriers = crd_new((size_t)s->carrier_count, sizeof *s->carriers);
    if (s->blocks == NULL || s->carriers == NULL) return crd_fail_memory(error);
    for (int i = 0; i < d->body_count; i++) {
        CrdBlock block = body_block(&d->bodies[i], d->space);
        block.object = i;
        place_block(s, i, block);
    }
    for (int i = 0; i < d->block_count; i++) {
        int n = d->blocks[i].def.coordinates;
        CrdBlock block = {CRD_CUSTOM_BLOCK, i, d->blocks[i].first_carrier, n, n, 0, 0, s->size_custom};
        place_block(s, d->body_count + i, block);
        s->size_custom = add(s->size_custom, (long long)n * n);
        if (n > s->most_coordinates) s->most_coordinates = n;
    }
    return s->nq < 0 || s->nv < 0 || s->size_custom < 0 ? too_large(error) : CARDAN_OK;
}

static CardanStatus number_carriers(CrdShape *s, const CrdDescription *d, CrdError *error) {
    for (int i = 0; i < d->carrier_count; i++) {
        const CrdCarrierDesc *given = &d->carriers[i];
        CrdCarrier carrier = {.kind = given->kind, .block = -1};
        if (given->kind == CRD_CARRIER_BODY) {
            carrier.block = given->object;
            s->blocks[carrier.block].carrier = i;
        }
        if (given->kind == CRD_CARRIER_FRAME) {
            carrier.block = d->body_count + given->object;
            carrier.frame = given->frame;
            carrier.jacobian = s->size_jacobian;
            carrier.bias = s->size_bias;
            s->size_jacobian = add(s->size_jacobian, 6LL * s->blocks[carrier.block].nv);
            s->size_bias = add(s->size_bias, 6);
        }
        s->carriers[i] = carrier;
    }
    return s->size_jacobian < 0 ? too_large(error) : CARDAN_OK;
}

static int joint_attachments(const CrdJointDesc *joint) {
    if (joint->rows != NULL) return joint->rows->def.bodies;
    return joint->terms > 0 ? 2 * joint->terms : 2;
}

/* Counts first, so that every array is made once. */
static CardanStatus make_elements(CrdShape *s, const CrdDescription *d, CrdError *error) {
    int attachments = 0;
    s->joint_count = d->joint_count;
    s->element_count = d->joint_count;
    for (int i = 0; i < d->joint_count; i++) attachments = add(attachments, joint_attachments(&d->joints[i]));
    for (int i = 0; i < d->block_count; i++) s->element_count += d->blocks[i].def.rows > 0;
    if (attachments < 0) return too_large(error);
    s->elements = crd_new((size_t)s->element_count, sizeof *s->elements);
    s->element_of_joint = crd_new((size_t)s->joint_count, sizeof *s->element_of_joint);
    s->attachments = crd_new((size_t)attachments, sizeof *s->attachments);
    s->incidences = crd_new((size_t)attachments + (size_t)d->block_count, sizeof *s->incidences);
    s->terms = crd_new((size_t)d->term_count, sizeof *s->terms);
    bool all = s->elements != NULL && s->element_of_joint != NULL && s->attachments != NULL && s->incidences != NULL &&
               s->terms != NULL;
    return all ? CARDAN_OK : crd_fail_memory(error);
}

/* The incidence of the element (the last one made) with a block: found, or added. */
static int incidence_of(CrdShape *s, CrdElement *element, int index, int block) {
    for (int i = element->incidence; i < s->incidence_count; i++)
        if (s->incidences[i].block == block) {
            s->incidences[i].direct = false;
            return i;
        }
    const CrdBlock *b = &s->blocks[block];
    bool direct = b->kind == CRD_SPATIAL_BODY;
    s->incidences[s->incidence_count] =
        (CrdIncidence){index, block, element->rows, b->nv, s->size_g, b->v, direct};
    s->size_g = add(s->size_g, (long long)element->rows * b->nv);
    element->incidences++;
    return s->incidence_count++;
}

/* A compliant joint acts as a force: it reads frames and has no columns. */
static void attach(CrdShape *s, CrdElement *element, int index, int carrier) {
    int block = s->carriers[carrier].block;
    bool columns = block >= 0 && element->compliant == 0;
    CrdAttachment attachment = {carrier, columns ? incidence_of(s, element, index, block) : -1};
    s->attachments[s->attachment_count++] = attachment;
    element->attachments++;
}

static CrdElement begin_element(const CrdShape *s, CrdElementType type, int rows) {
    return (CrdElement){.type = type, .joint = -1, .block = -1, .rows = rows, .holonomic = rows, .law = s->drive_count,
                        .attachment = s->attachment_count, .incidence = s->incidence_count, .follower = -1};
}

static int most(int a, int b) {
    return a > b ? a : b;
}

static void end_element(CrdShape *s, int index, CrdElement element) {
    s->elements[index] = element;
    s->rows = add(s->rows, element.rows);
    s->holonomic_rows += element.holonomic;
    s->compliant_count += element.compliant > 0;
    s->elastic_rows += element.compliant;
    s->drive_count += element.laws;
    s->most_rows = most(s->most_rows, most(element.rows, element.compliant));
    s->most_attachments = most(s->most_attachments, element.attachments);
}

static void number_user_rows(CrdShape *s, const CrdJointDesc *joint, int index) {
    CrdElement element = begin_element(s, CRD_ELEMENT_USER, joint->rows->def.rows);
    element.joint = index;
    if (joint->rows->def.nonholonomic) element.holonomic = 0;
    for (int i = 0; i < joint->rows->def.bodies; i++) attach(s, &element, index, joint->rows->carriers[i]);
    end_element(s, index, element);
}

static void number_joint(CrdShape *s, const CrdDescription *d, int index) {
    const CrdJointDesc *joint = &d->joints[index];
    const CrdJointKind *kind = crd_joint_kinds[joint->type];
    bool coupler = joint->terms > 0;
    int rows = coupler ? 1 : crd_joint_rows(kind, d->space);
    CrdElement element = begin_element(s, coupler ? CRD_ELEMENT_COUPLER : CRD_ELEMENT_JOINT, joint->compliant ? 0 : rows);
    element.kind = kind;
    element.joint = index;
    element.compliant = joint->compliant ? rows : 0;
    element.elastic = s->elastic_rows;
    s->curve_count += (kind->needs & CRD_NEEDS_CURVE) != 0;
    if (!coupler && !joint->compliant) element.holonomic = crd_joint_holonomic_rows(kind, d->space);
    while (element.laws < 3 && joint->law[element.laws] != NULL) element.laws++;
    if (coupler) {
        element.term = joint->term;
        element.terms = joint->terms;
        for (int i = joint->term; i < joint->term + joint->terms; i++) {
            const CrdJointDesc *of = &d->joints[d->terms[i].joint - 1];
            s->terms[i] = (CrdTerm){d->terms[i].joint - 1, d->terms[i].coordinate};
            attach(s, &element, index, of->a);
            attach(s, &element, index, of->b);
        }
    } else {
        attach(s, &element, index, joint->a);
        attach(s, &element, index, joint->b);
        if (crd_joint_follows(kind, d->space)) element.follower = s->follower_count++;
    }
    end_element(s, index, element);
}

static CardanStatus number_elements(CrdShape *s, const CrdDescription *d, CrdError *error) {
    CRD_TRY(make_elements(s, d, error));
    s->term_count = d->term_count;
    for (int i = 0; i < d->joint_count; i++) {
        if (d->joints[i].rows != NULL)
            number_user_rows(s, &d->joints[i], i);
        else
            number_joint(s, d, i);
    }
    int index = d->joint_count;
    for (int i = 0; i < d->block_count; i++) {
        if (d->blocks[i].def.rows == 0) continue;
        CrdElement element = begin_element(s, CRD_ELEMENT_BLOCK, d->blocks[i].def.rows);
        element.block = d->body_count + i;
        incidence_of(s, &element, index, element.block);
        s->incidences[element.incidence].direct = false;
        end_element(s, index++, element);
    }
    return s->rows < 0 || s->size_g < 0 ? too_large(error) : CARDAN_OK;
}

static CardanStatus fill(CrdShape *s, const CrdDescription *d, CrdError *error) {
    CRD_TRY(number_blocks(s, d, error));
    CRD_TRY(number_carriers(s, d, error));
    CRD_TRY(number_elements(s, d, error));
    CRD_TRY(crd_shape_drives(s, d, error));
    CRD_TRY(crd_shape_order(s, error));
    CRD_TRY(crd_shape_states(s, d, error));
    CRD_TRY(crd_shape_laws(s, d, error));
    CRD_TRY(crd_shape_forces(s, d, error));
    return crd_shape_switches(s, d, error);
}

CardanStatus crd_shape_create(const CrdDescription *d, CrdShape **out, CrdError *error) {
    *out = NULL;
    CrdShape *s = crd_new(1, sizeof *s);
    if (s == NULL) return crd_fail_memory(error);
    atomic_init(&s->references, 1);
    s->space = d->space;
    s->force_count = d->force_count;
    s->parameter_count = d->parameter_count;
    s->input_count = d->input_count;
    for (int i = 0; i < d->force_count; i++)
        if (d->forces[i].bodies > s->most_gathered) s->most_gathered = d->forces[i].bodies;
    for (int i = 0; i < d->event_count; i++)
        if (d->events[i].def.bodies > s->most_gathered) s->most_gathered = d->events[i].def.bodies;
    CardanStatus status = fill(s, d, error);
    if (status < 0) {
        crd_shape_release(s);
        return status;
    }
    *out = s;
    return CARDAN_OK;
}

void crd_shape_release(CrdShape *s) {
    if (s == NULL || atomic_fetch_sub(&s->references, 1) > 1) return;
    if (s->laws != NULL)
        for (int i = 0; i < CRD_FORCE_LAWS * s->force_count; i++) crd_expr_free(s->laws[i]);
    if (s->drives != NULL)
        for (int i = 0; i < s->drive_count; i++) crd_expr_free(s->drives[i]);
    void *owned[] = {s->blocks,         s->carriers,       s->elements,     s->element_of_joint, s->attachments,
                     s->incidences,     s->products,       s->s_start,      s->s_row,            s->row_element,
                     s->laws,           s->law_measures,   s->force_shapes, s->state_of_states,  s->force_carriers,
                     s->force_measures, s->force_states,   s->drives,       s->terms,
                     s->switches};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) crd_delete(owned[i]);
    crd_elimination_free(s->elimination);
    crd_delete(s);
}

int crd_element_carrier(const CrdShape *shape, int element, int side) {
    return shape->attachments[shape->elements[element].attachment + side].carrier;
}
