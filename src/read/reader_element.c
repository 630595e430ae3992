/* Joints and forces of a model file: the rows of a type's table are its keys. */
#include "build/take.h"
#include "read/reader_fields.h"

#include <string.h>

/* ---- types ---- */

static const char *type_name(CrdOwner owner, int type) {
    if (owner == CRD_OWNER_JOINT) return crd_joint_kind(type) != NULL ? crd_joint_kind(type)->name : NULL;
    return crd_force_kind(type) != NULL ? crd_force_kind(type)->name : NULL;
}

static int type_count(CrdOwner owner) {
    return owner == CRD_OWNER_JOINT ? (int)CARDAN_JOINT_TYPES : (int)CARDAN_FORCE_TYPES;
}

/* 0: there is none of that name. */
static int type_named(CrdOwner owner, const char *text) {
    for (int i = 1; i < type_count(owner); i++) {
        const char *name = type_name(owner, i);
        if (name != NULL && strcmp(name, text) == 0) return i;
    }
    return 0;
}

static bool in_space(CrdOwner owner, int type, CardanSpace space) {
    return owner != CRD_OWNER_JOINT || crd_joint_kinds[type]->space[space];
}

static CardanStatus read_type(CrdReader *reader, const CrdNode *node, CrdOwner owner, int *type) {
    const char *names[CRD_TABLE_ROOM], *text;
    const char *noun = owner == CRD_OWNER_JOINT ? "joint" : "force";
    CardanSpace space = reader->d->space;
    int count = 0;
    assert(type_count(owner) <= CRD_TABLE_ROOM);
    CRD_TRY(crd_reader_word(reader, node, "type", &text));
    *type = type_named(owner, text);
    if (*type > 0 && in_space(owner, *type, space)) return CARDAN_OK;
    if (*type > 0)
        return crd_reader_fail(reader, node->place, "%s %s %s needs a %s model", crd_article(text), text, noun,
                               space == CARDAN_SPACE_PLANAR ? "spatial" : "planar");
    for (int i = 1; i < type_count(owner); i++)
        if (type_name(owner, i) != NULL && in_space(owner, i, space)) names[count++] = type_name(owner, i);
    return crd_reader_unknown(reader, node, owner == CRD_OWNER_JOINT ? "joint type" : "force type", names, count);
}

/* ---- keys ---- */

/* The word before the dot or bracket of a key. */
typedef struct Word {
    char text[24];
} Word;

static Word first_word(const char *key) {
    Word word = {""};
    size_t n = strcspn(key, ".[");
    assert(n < sizeof word.text);
    memcpy(word.text, key, n);
    return word;
}

static bool is_there(const CrdReading *reading, const CrdField *field, bool any_form) {
    int form = any_form ? field->form : reading->element->form;
    return crd_field_there(field, reading->reader->d->space, form);
}

static CardanStatus check_keys(const CrdReading *reading, bool any_form) {
    Word words[CRD_TABLE_ROOM];
    const char *keys[CRD_TABLE_ROOM + 2] = {"type", "at"};
    int count = crd_may_be_at(reading) ? 2 : 1;
    for (int i = 0; i < reading->table.count; i++) {
        int k = 0;
        words[i] = first_word(reading->table.fields[i].key);
        while (k < count && strcmp(keys[k], words[i].text) != 0) k++;
        if (k == count && is_there(reading, &reading->table.fields[i], any_form)) keys[count++] = words[i].text;
    }
    return crd_reader_keys(reading->reader, reading->mapping, keys, count);
}

/* Of a kind with forms the first key of a form that is there decides; one must be. */
static CardanStatus choose_form(CrdReading *reading, const CrdNode *key) {
    const char *deciding[2] = {NULL, NULL};
    for (int i = 0; i < reading->table.count; i++) {
        const CrdField *field = &reading->table.fields[i];
        assert(field->form >= 0 && field->form <= 2);
        if (field->form == 0 || deciding[field->form - 1] != NULL) continue;
        deciding[field->form - 1] = field->key;
        if (reading->element->form == 0 && crd_node_get(reading->mapping, field->key) != NULL)
            reading->element->form = field->form;
    }
    if (deciding[0] == NULL || reading->element->form != 0) return CARDAN_OK;
    CRD_TRY(check_keys(reading, true));
    return crd_reader_fail(reading->reader, key->place, "the key '%s' or '%s' is missing", deciding[0], deciding[1]);
}

/* ---- mappings and lists of fields ---- */

static const char *inner_key(const CrdField *field) {
    assert(strchr(field->key, '.') != NULL);
    return strchr(field->key, '.') + 1;
}

static CardanStatus missing(const CrdReading *reading, CrdPlace place, const char *key, const CrdField *field) {
    return crd_reader_fail(reading->reader, place, "the key '%s' is missing%s", key,
                           field->missing != NULL ? field->missing : "");
}

/* {point: [..], normal: [..]}: rows "plane.point", "plane.normal". */
static CardanStatus read_mapping(CrdReading *reading, const CrdField *fields, int count, const CrdNode *key) {
    CrdReader *reader = reading->reader;
    const CrdNode *node = key->value;
    const char *keys[CRD_TABLE_ROOM];
    for (int i = 0; i < count; i++) keys[i] = inner_key(&fields[i]);
    CRD_TRY(crd_reader_mapping(reader, node, first_word(fields[0].key).text));
    CRD_TRY(crd_reader_keys(reader, node, keys, count));
    if (node->count == 0 && fields[0].sides != 0)
        return crd_reader_fail(reader, node->place, "%s must name %s, %s or both", first_word(fields[0].key).text,
                               keys[0], keys[count - 1]);
    for (int i = 0; i < count; i++) {
        const CrdNode *value = crd_node_get(node, keys[i]);
        bool needed = fields[i].sides == 0 && fields[i].need == CRD_REQUIRED;
        if (value == NULL && needed) return missing(reading, node->place, fields[i].key, &fields[i]);
        if (value == NULL && fields[i].need == CRD_REQUIRED_INSIDE)
            return missing(reading, key->place, keys[i], &fields[i]);
        if (value != NULL) CRD_TRY(crd_read_field(reading, &fields[i], value));
    }
    return CARDAN_OK;
}

/* [[..], [..]]: rows "points[0]", "points[1]". */
static CardanStatus read_list(CrdReading *reading, const CrdField *fields, int count, const CrdNode *key) {
    CrdReader *reader = reading->reader;
    const CrdNode *node = key->value;
    if (node->kind != CRD_NODE_SEQUENCE || node->count != count)
        return crd_reader_fail(reader, node->place, "%s must be a list of %d points", first_word(fields[0].key).text,
                               count);
    const CrdNode *item = node->first;
    for (int i = 0; i < count; i++, item = item->next)
        if (!crd_is_placed(reading, &fields[i])) CRD_TRY(crd_read_field(reading, &fields[i], item));
    return CARDAN_OK;
}

/* The rows from `field` on that stand behind one key of the file: how many. Some may not be there in this space. */
static int group_size(const CrdReading *reading, const CrdField *field) {
    const CrdField *end = reading->table.fields + reading->table.count;
    Word word = first_word(field->key);
    int count = 1;
    if (strpbrk(field->key, ".[") == NULL) return 1;
    while (field + count < end && strcmp(first_word(field[count].key).text, word.text) == 0 &&
           is_there(reading, &field[count], false))
        count++;
    return count;
}

static CardanStatus read_group(CrdReading *reading, const CrdField *field, int count, const CrdNode *of) {
    Word word = first_word(field->key);
    const CrdNode *key = crd_node_key(reading->mapping, word.text);
    bool whole = strcmp(word.text, field->key) == 0;
    if (key == NULL) {
        bool sides = whole && field->sides != 0; /* told by the checks, which see all of them */
        if ((reading->element->given >> (field - reading->table.fields) & 1u) != 0)
            return CARDAN_OK; /* a marker's body */
        return field->need == CRD_REQUIRED && !sides ? missing(reading, of->place, word.text, field) : CARDAN_OK;
    }
    if (whole) return crd_read_field(reading, field, key->value);
    return field->key[strlen(word.text)] == '.' ? read_mapping(reading, field, count, key)
                                                : read_list(reading, field, count, key);
}

/* ---- the whole ---- */

static CardanStatus fill_element(CrdReading *reading, const CrdNode *key) {
    CrdReader *reader = reading->reader;
    bool joint = reading->owner == CRD_OWNER_JOINT;
    const CrdNode *node;
    int type = 0;
    CRD_TRY(crd_check_name(reader->d, joint ? CRD_NAME_JOINT : CRD_NAME_FORCE, key->text, reader->error));
    CRD_TRY(crd_reader_mapping(reader, reading->mapping, joint ? "a joint" : "a force"));
    CRD_TRY(crd_reader_need(reader, key, "type", &node));
    CRD_TRY(read_type(reader, node, reading->owner, &type));
    reading->table = crd_element_fields(reading->owner, type);
    crd_set_type(reading->element, reading->table, type);
    CRD_TRY(choose_form(reading, key));
    CRD_TRY(check_keys(reading, false));
    CRD_TRY(crd_read_places(reading));
    for (int i = 0, n = 1; i < reading->table.count; i += n) {
        const CrdField *field = &reading->table.fields[i];
        n = group_size(reading, field);
        if (is_there(reading, field, false)) CRD_TRY(read_group(reading, field, n, key));
    }
    return CARDAN_OK;
}

static CardanStatus read_element(CrdReader *reader, const CrdNode *key, CrdOwner owner) {
    bool joint = owner == CRD_OWNER_JOINT;
    CrdElementDesc element = {.place = key->place};
    CrdReading reading = {.reader = reader,
                          .owner = owner,
                          .index = joint ? reader->d->joint_count : reader->d->force_count,
                          .mapping = key->value,
                          .element = &element};
    CrdBlame blame = {.key = ""};
    crd_reader_context(reader, joint ? "joint" : "force", key);
    CardanStatus status = fill_element(&reading, key);
    if (status >= 0) status = crd_take_name(&element.name, key->text, "element", reader->error);
    if (status >= 0) status = crd_add_element(reader->d, owner, &element, &blame, reader->error);
    if (status >= 0) return status;
    crd_element_free(&element);
    crd_reader_point_to(reader, key, &blame);
    return status;
}

/* Drivers and couplers name other joints, wherever those stand in the file. */
static bool names_joints(const CrdNode *key) {
    const CrdNode *value = key->value;
    const CrdNode *type = value->kind == CRD_NODE_MAPPING ? crd_node_get(value, "type") : NULL;
    if (type == NULL || type->kind != CRD_NODE_SCALAR) return false;
    CrdFieldTable table = crd_element_fields(CRD_OWNER_JOINT, type_named(CRD_OWNER_JOINT, type->text));
    return crd_field_holding(table, CRD_HOLDS_JOINT, 1) != NULL || crd_field_holding(table, CRD_HOLDS_TERMS, 0) != NULL;
}

static CardanStatus read_section(CrdReader *reader, const CrdNode *section, CrdOwner owner) {
    bool joint = owner == CRD_OWNER_JOINT;
    if (section == NULL) return CARDAN_OK;
    crd_reader_context(reader, joint ? "joints" : "forces", NULL);
    CRD_TRY(crd_reader_mapping(reader, section, "this section"));
    for (int later = 0; later < 2; later++)
        for (const CrdNode *key = section->first; key != NULL; key = key->next)
            if ((joint && names_joints(key)) == (later == 1)) CRD_TRY(read_element(reader, key, owner));
    return CARDAN_OK;
}

CardanStatus crd_read_joints(CrdReader *reader, const CrdNode *section) {
    return read_section(reader, section, CRD_OWNER_JOINT);
}

CardanStatus crd_read_forces(CrdReader *reader, const CrdNode *section) {
    CRD_TRY(read_section(reader, section, CRD_OWNER_FORCE));
    return crd_read_law_names(reader);
}
