/* Reading CSV (RFC 4180): quoted headings, CRLF or LF, a byte order mark, empty cells. */
#include "table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

static int out_of_memory(void) {
    complain("out of memory");
    return STATUS_FAULT;
}

static int bad_line(const Table *table, const char *what) {
    fprintf(stderr, "%s:%ld: %s\n", table->path, table->number, what);
    return STATUS_IO;
}

/* The next line without its end; *got is false after the last. */
static int next_line(Table *table, bool *got) {
    errno = 0;
    ssize_t n = getline(&table->line, &table->capacity, table->stream);
    *got = n >= 0;
    if (n < 0) {
        if (!ferror(table->stream) && errno != ENOMEM) return STATUS_DONE;
        complain("'%s' could not be read: %s", table->path, strerror(errno));
        return STATUS_IO;
    }
    table->number++;
    if (memchr(table->line, '\0', (size_t)n) != NULL) return bad_line(table, "not a text file");
    while (n > 0 && (table->line[n - 1] == '\n' || table->line[n - 1] == '\r')) table->line[--n] = '\0';
    return STATUS_DONE;
}

/* Takes one field off *rest and unquotes it in place; *rest becomes NULL after the last. false: quotes do not match. */
static bool next_field(char **rest, char **field) {
    char *from = *rest, *to = from;
    *field = from;
    if (*from != '"') {
        char *comma = strchr(from, ',');
        *rest = comma != NULL ? comma + 1 : NULL;
        if (comma != NULL) *comma = '\0';
        return true;
    }
    for (from++; *from != '\0'; from++) {
        if (*from == '"' && from[1] == '"')
            from++;
        else if (*from == '"')
            break;
        *to++ = *from;
    }
    if (*from != '"' || (from[1] != ',' && from[1] != '\0')) return false;
    *rest = from[1] == ',' ? from + 2 : NULL;
    *to = '\0';
    return true;
}

static int count_fields(const char *line) {
    int n = 1;
    bool quoted = false;
    for (; *line != '\0'; line++) {
        if (*line == '"') quoted = !quoted;
        n += *line == ',' && !quoted;
    }
    return n;
}

static int read_headings(Table *table) {
    bool got = false;
    int status = next_line(table, &got);
    if (status != STATUS_DONE) return status;
    if (!got || table->line[0] == '\0') {
        table->number = 1;
        return bad_line(table, "no headings; expected a result file that starts with 't,...'");
    }
    char *rest = table->line;
    if (strncmp(rest, "\xef\xbb\xbf", 3) == 0) rest += 3;
    int expected = count_fields(rest);
    table->names = calloc((size_t)expected, sizeof *table->names);
    table->units = calloc((size_t)expected, sizeof *table->units);
    table->data = calloc((size_t)expected, sizeof *table->data);
    if (table->names == NULL || table->units == NULL || table->data == NULL) return out_of_memory();
    while (rest != NULL && table->columns < expected) {
        char *field = NULL;
        if (!next_field(&rest, &field)) return bad_line(table, "quotes of a heading do not match");
        table->names[table->columns] = strdup(field);
        table->units[table->columns] = strdup("");
        if (table->names[table->columns] == NULL || table->units[table->columns] == NULL) return out_of_memory();
        table->columns++;
    }
    if (strcmp(table->names[0], "t") != 0) return bad_line(table, "the first heading of a result file is 't'");
    return STATUS_DONE;
}

/* ---- run files ---- */

static int open_run(Table *table) {
    int status = runfile_read(&table->run, table->path);
    if (status != STATUS_DONE) return status;
    int columns = table->run.info.columns + 1;
    table->names = calloc((size_t)columns, sizeof *table->names);
    table->units = calloc((size_t)columns, sizeof *table->units);
    table->data = calloc((size_t)columns, sizeof *table->data);
    if (table->names == NULL || table->units == NULL || table->data == NULL) return out_of_memory();
    for (int c = 0; c < columns; c++) {
        table->names[c] = strdup(c == 0 ? "t" : cardan_result_name(table->run.result, c - 1));
        table->units[c] = strdup(c == 0 ? "s" : cardan_result_unit(table->run.result, c - 1));
        if (table->names[c] == NULL || table->units[c] == NULL) return out_of_memory();
        table->columns++;
    }
    return STATUS_DONE;
}

static int read_run(Table *table, const bool *wanted) {
    const CardanResult *result = table->run.result;
    size_t rows = (size_t)table->run.info.rows;
    for (int c = 0; c < table->columns; c++) {
        if (!wanted[c]) continue;
        table->data[c] = calloc(rows + 1, sizeof **table->data);
        if (table->data[c] == NULL) return out_of_memory();
        for (size_t i = 0; i < rows; i++)
            table->data[c][i] =
                c == 0 ? cardan_result_time(result, (long)i) : cardan_result_row(result, (long)i)[c - 1];
    }
    table->rows = rows;
    return STATUS_DONE;
}

/* ---- */

int table_open(Table *table, const char *path) {
    *table = (Table){.path = path};
    if (runfile_is(path)) return open_run(table);
    errno = 0;
    table->stream = fopen(path, "r");
    if (table->stream == NULL) {
        complain("'%s' could not be opened: %s", path, strerror(errno));
        return STATUS_IO;
    }
    return read_headings(table);
}

/* A number, or NaN for an empty cell. */
static bool read_cell(const char *text, double *out) {
    char *end = NULL;
    *out = (double)NAN;
    if (text[strspn(text, " \t")] == '\0') return true;
    *out = strtod(text, &end);
    return end != text && end[strspn(end, " \t")] == '\0';
}

static int read_row(Table *table, const bool *wanted) {
    char *rest = table->line, what[256];
    int column = 0;
    for (; rest != NULL && column < table->columns; column++) {
        char *field = NULL;
        double x = 0.0;
        if (!next_field(&rest, &field)) return bad_line(table, "quotes of a cell do not match");
        if (!wanted[column]) continue;
        if (!read_cell(field, &x)) {
            snprintf(what, sizeof what, "'%.40s' in column '%.80s' is not a number", field, table->names[column]);
            return bad_line(table, what);
        }
        table->data[column][table->rows] = x;
    }
    if (rest == NULL && column == table->columns) return STATUS_DONE;
    snprintf(what, sizeof what, "%s cells than the %d headings", rest != NULL ? "more" : "fewer", table->columns);
    return bad_line(table, what);
}

/* Room for twice as many rows. */
static int grow(Table *table, const bool *wanted, size_t *room) {
    size_t more = *room > 0 ? 2 * *room : 1024;
    if (more > (size_t)-1 / 2 / sizeof(double)) return out_of_memory();
    for (int c = 0; c < table->columns; c++) {
        if (!wanted[c]) continue;
        double *bigger = realloc(table->data[c], more * sizeof *bigger);
        if (bigger == NULL) return out_of_memory();
        table->data[c] = bigger;
    }
    *room = more;
    return STATUS_DONE;
}

int table_read(Table *table, const bool *wanted) {
    size_t room = 0;
    if (table->run.result != NULL) return read_run(table, wanted);
    for (;;) {
        bool got = false;
        int status = next_line(table, &got);
        if (status != STATUS_DONE || !got) return status;
        if (table->line[0] == '\0') continue;
        if (table->rows == room) status = grow(table, wanted, &room);
        if (status == STATUS_DONE) status = read_row(table, wanted);
        if (status != STATUS_DONE) return status;
        table->rows++;
    }
}

void table_close(Table *table) {
    for (int c = 0; c < table->columns; c++) {
        free(table->names[c]);
        if (table->units != NULL) free(table->units[c]);
        free(table->data[c]);
    }
    free(table->names);
    free(table->units);
    runfile_free(&table->run);
    free(table->data);
    free(table->line);
    if (table->stream != NULL) fclose(table->stream);
    *table = (Table){0};
}
