/* Fields (core/field.h) as cells of tables. */
#ifndef FORMAT_FIELDS_H
#define FORMAT_FIELDS_H

#include "core/field.h"

enum { CELL = 480 };

/* Adds to the text of a cell. */
void append(char *cell, const char *before, const char *word);

/* What stands behind the key: "a number > 0", "a vector", "a body". */
void value_cell(const CrdField *field, char *cell);

/* "required", or what absence means. */
void default_cell(CrdFieldTable table, const CrdField *field, char *cell);

/* | key | value | unit | default | meaning | for each field of a table. */
void print_fields(CrdFieldTable table);

/* Is it a key of model files, or of a program's definition alone? */
bool in_files(const CrdField *field);

#endif
