#include "linear_files.h"

#include <string.h>

#include "about.h"
#include "text.h"
#include "whole_file.h"

enum { NAME_SIZE = 160 };

typedef struct Written {
    const CardanLinear *linear;
    const char *model;
    CardanStateSpace space;  /* states 0: it is a descriptor */
    CardanDescriptor sparse; /* size 0: it is minimal */
} Written;

/* One of the matrices, in whichever form. */
typedef struct Matrix {
    const char *name;
    int rows, columns;
    const double *dense; /* row-major */
    CardanSparse sparse;
    CardanLinearName row_names, column_names;
} Matrix;

enum { MATRICES = 5 };

/* The matrices there are; their number. */
static int matrices_of(const Written *written, Matrix out[MATRICES]) {
    const CardanStateSpace *s = &written->space;
    const CardanDescriptor *d = &written->sparse;
    const CardanLinearName state = CARDAN_LINEAR_STATE, in = CARDAN_LINEAR_INPUT, y = CARDAN_LINEAR_OUTPUT;
    const CardanLinearName row = CARDAN_LINEAR_EQUATION, column = CARDAN_LINEAR_UNKNOWN;
    if (d->size == 0) {
        out[0] = (Matrix){"A", s->states, s->states, s->a, {0}, state, state};
        out[1] = (Matrix){"B", s->states, s->inputs, s->b, {0}, state, in};
        out[2] = (Matrix){"C", s->outputs, s->states, s->c, {0}, y, state};
        out[3] = (Matrix){"D", s->outputs, s->inputs, s->d, {0}, y, in};
        return 4;
    }
    out[0] = (Matrix){"E", d->size, d->size, NULL, d->e, row, column};
    out[1] = (Matrix){"A", d->size, d->size, NULL, d->a, row, column};
    out[2] = (Matrix){"B", d->size, d->inputs, NULL, d->b, row, in};
    out[3] = (Matrix){"C", d->outputs, d->size, NULL, d->c, y, column};
    out[4] = (Matrix){"D", d->outputs, d->inputs, NULL, d->d, y, in};
    return MATRICES;
}

static Written written_of(const CardanLinear *linear, const char *model) {
    return (Written){linear, model, cardan_linear_state_space(linear), cardan_linear_descriptor(linear)};
}

/* ---- CSV: an entry a line ---- */

static void csv_entry(FILE *out, const CardanLinear *linear, const Matrix *m, int row, int column, double value) {
    char a[NAME_SIZE], b[NAME_SIZE], number[NUMBER_SIZE];
    fprintf(out, "%s,%d,%d,%s,%s,%s\n", m->name, row + 1, column + 1,
            cardan_linear_name(linear, m->row_names, row, a, sizeof a),
            cardan_linear_name(linear, m->column_names, column, b, sizeof b), number_text(value, number));
}

static const char *put_csv(FILE *out, const void *user) {
    const Written *written = user;
    Matrix matrices[MATRICES];
    int count = matrices_of(written, matrices);
    fprintf(out, "matrix,row,column,row_name,column_name,value\n");
    for (int i = 0; i < count; i++) {
        const Matrix *m = &matrices[i];
        for (int r = 0; m->dense != NULL && r < m->rows; r++)
            for (int c = 0; c < m->columns; c++)
                csv_entry(out, written->linear, m, r, c, m->dense[(size_t)r * (size_t)m->columns + (size_t)c]);
        for (int c = 0; m->dense == NULL && c < m->columns; c++)
            for (int k = m->sparse.start[c]; k < m->sparse.start[c + 1]; k++)
                csv_entry(out, written->linear, m, m->sparse.row[k], c, m->sparse.value[k]);
    }
    return NULL;
}

/* ---- JSON ---- */

static void json_names(Json *json, const CardanLinear *linear, const char *key, CardanLinearName kind, int count) {
    char name[NAME_SIZE];
    json_open_array(json, key, false);
    for (int i = 0; i < count; i++) json_string(json, NULL, cardan_linear_name(linear, kind, i, name, sizeof name));
    json_close(json);
}

static void json_integers(Json *json, const char *key, const int *x, int n) {
    json_open_array(json, key, false);
    for (int i = 0; i < n; i++) json_integer(json, NULL, x[i]);
    json_close(json);
}

static void json_matrix(Json *json, const Matrix *m) {
    if (m->dense != NULL) {
        json_open_array(json, m->name, true);
        for (int r = 0; r < m->rows; r++)
            json_vector(json, NULL, m->dense + (size_t)r * (size_t)m->columns, m->columns);
        json_close(json);
        return;
    }
    json_open_object(json, m->name, false);
    json_integer(json, "rows", m->rows);
    json_integer(json, "columns", m->columns);
    json_integers(json, "start", m->sparse.start, m->columns + 1);
    json_integers(json, "row", m->sparse.row, m->sparse.start[m->columns]);
    json_vector(json, "value", m->sparse.value, m->sparse.start[m->columns]);
    json_close(json);
}

void linear_json(Json *json, const CardanLinear *linear) {
    const Written written = written_of(linear, NULL);
    Matrix matrices[MATRICES];
    int count = matrices_of(&written, matrices);
    bool sparse = written.sparse.size > 0;
    int outputs = sparse ? written.sparse.outputs : written.space.outputs;
    json_string(json, "form", sparse ? "descriptor" : "minimal");
    if (!sparse) json_names(json, linear, "states", CARDAN_LINEAR_STATE, written.space.states);
    if (sparse) json_names(json, linear, "unknowns", CARDAN_LINEAR_UNKNOWN, written.sparse.size);
    if (sparse) json_names(json, linear, "equations", CARDAN_LINEAR_EQUATION, written.sparse.size);
    json_names(json, linear, "inputs", CARDAN_LINEAR_INPUT, sparse ? written.sparse.inputs : written.space.inputs);
    json_names(json, linear, "outputs", CARDAN_LINEAR_OUTPUT, outputs);
    json_open_array(json, "exact", false);
    for (int i = 0; i < outputs; i++) json_boolean(json, NULL, cardan_linear_is_exact(linear, i));
    json_close(json);
    for (int i = 0; i < count; i++) json_matrix(json, &matrices[i]);
}

static const char *put_json(FILE *out, const void *user) {
    const Written *written = user;
    Json json = {.out = out};
    json_open_object(&json, NULL, true);
    json_string(&json, "model", written->model);
    linear_json(&json, written->linear);
    json_close(&json);
    return NULL;
}

/* ---- programs ---- */

static void put_numbers(FILE *out, const double *x, int n, const char *between) {
    char number[NUMBER_SIZE];
    for (int i = 0; i < n; i++) fprintf(out, "%s%s", i > 0 ? between : "", number_text(x[i], number));
}

static void put_integers(FILE *out, const int *x, int n, int add, const char *between) {
    for (int i = 0; i < n; i++) fprintf(out, "%s%d", i > 0 ? between : "", x[i] + add);
}

static void put_names(FILE *out, const Written *written, const char *name, CardanLinearName kind, int count,
                      const char *brackets) {
    char text[NAME_SIZE];
    fprintf(out, "%s = %c", name, brackets[0]);
    for (int i = 0; i < count; i++)
        fprintf(out, "%s'%s'", i > 0 ? ", " : "", cardan_linear_name(written->linear, kind, i, text, sizeof text));
    fprintf(out, "%c%s\n", brackets[1], brackets[0] == '{' ? ";" : "");
}

static void put_all_names(FILE *out, const Written *written, const char *brackets) {
    const CardanStateSpace *s = &written->space;
    const CardanDescriptor *d = &written->sparse;
    bool sparse = d->size > 0;
    put_names(out, written, sparse ? "unknowns" : "states", sparse ? CARDAN_LINEAR_UNKNOWN : CARDAN_LINEAR_STATE,
              sparse ? d->size : s->states, brackets);
    put_names(out, written, "inputs", CARDAN_LINEAR_INPUT, sparse ? d->inputs : s->inputs, brackets);
    put_names(out, written, "outputs", CARDAN_LINEAR_OUTPUT, sparse ? d->outputs : s->outputs, brackets);
}

static void python_matrix(FILE *out, const Matrix *m) {
    if (m->dense != NULL) {
        fprintf(out, "%s = np.array([", m->name);
        for (int r = 0; r < m->rows; r++) {
            fprintf(out, "%s\n    [", r > 0 ? "," : "");
            put_numbers(out, m->dense + (size_t)r * (size_t)m->columns, m->columns, ", ");
            fprintf(out, "]");
        }
        fprintf(out, "]).reshape(%d, %d)\n", m->rows, m->columns);
        return;
    }
    int entries = m->sparse.start[m->columns];
    fprintf(out, "%s = csc_matrix((np.array([", m->name);
    put_numbers(out, m->sparse.value, entries, ",");
    fprintf(out, "], float),\n    [");
    put_integers(out, m->sparse.row, entries, 0, ",");
    fprintf(out, "],\n    [");
    put_integers(out, m->sparse.start, m->columns + 1, 0, ",");
    fprintf(out, "]), (%d, %d))\n", m->rows, m->columns);
}

static const char *put_python(FILE *out, const void *user) {
    const Written *written = user;
    Matrix matrices[MATRICES];
    int count = matrices_of(written, matrices);
    bool sparse = written->sparse.size > 0;
    fprintf(out, "\"\"\"%s linearised by Cardan: %s.\"\"\"\nimport numpy as np\n", written->model,
            sparse ? "E X' = A X + B u, y = C X + D u" : "x' = A x + B u, y = C x + D u");
    if (sparse) fprintf(out, "from scipy.sparse import csc_matrix\n");
    fprintf(out, "\n");
    put_all_names(out, written, "[]");
    for (int i = 0; i < count; i++) python_matrix(out, &matrices[i]);
    if (sparse) return NULL;
    if (written->space.outputs == 0)
        fprintf(out, "C, D, outputs = np.eye(len(A)), np.zeros((len(A), len(inputs))), states  # y = x\n");
    fprintf(out, "\n\ndef system():\n    \"\"\"The same as a system of python-control.\"\"\"\n    import control\n"
                 "    return control.ss(A, B, C, D, states=states, inputs=inputs, outputs=outputs)\n\n\n"
                 "if __name__ == '__main__':\n    print(np.linalg.eigvals(A))\n");
    return NULL;
}

static void octave_matrix(FILE *out, const Matrix *m) {
    if (m->dense != NULL) {
        fprintf(out, "%s = reshape([", m->name);
        for (int r = 0; r < m->rows; r++) {
            fprintf(out, "%s", r > 0 ? " ...\n  " : ""); /* what stands after ... is a comment */
            put_numbers(out, m->dense + (size_t)r * (size_t)m->columns, m->columns, " ");
        }
        fprintf(out, "], %d, %d).';\n", m->columns, m->rows);
        return;
    }
    int entries = m->sparse.start[m->columns];
    fprintf(out, "%s = sparse([", m->name);
    put_integers(out, m->sparse.row, entries, 1, " ");
    fprintf(out, "], [");
    for (int c = 0, first = 1; c < m->columns; c++)
        for (int k = m->sparse.start[c]; k < m->sparse.start[c + 1]; k++, first = 0)
            fprintf(out, "%s%d", first ? "" : " ", c + 1);
    fprintf(out, "], [");
    put_numbers(out, m->sparse.value, entries, " ");
    fprintf(out, "], %d, %d);\n", m->rows, m->columns);
}

static const char *put_octave(FILE *out, const void *user) {
    const Written *written = user;
    Matrix matrices[MATRICES];
    int count = matrices_of(written, matrices);
    bool sparse = written->sparse.size > 0;
    fprintf(out, "%% %s linearised by Cardan: %s\n1; %% a script, not a function\n", written->model,
            sparse ? "E X' = A X + B u, y = C X + D u" : "x' = A x + B u, y = C x + D u");
    put_all_names(out, written, "{}");
    for (int i = 0; i < count; i++) octave_matrix(out, &matrices[i]);
    if (sparse) return NULL;
    if (written->space.outputs == 0)
        fprintf(out, "C = eye(rows(A)); D = zeros(rows(A), columns(B)); outputs = states; %% y = x\n");
    fprintf(out, "if exist('ss') && columns(B) > 0\n"
                 "  sys = ss(A, B, C, D, 'stname', states, 'inname', inputs, 'outname', outputs);\nend\n");
    return NULL;
}

/* ---- the table ---- */

static const struct {
    const char *extension;
    PutFile put;
} FILES[] = {{".csv", put_csv}, {".json", put_json}, {".py", put_python}, {".m", put_octave}};

enum { KINDS = sizeof FILES / sizeof *FILES };

static int kind_of(const char *path) {
    for (int i = 0; i < KINDS; i++)
        if (strcmp(extension_of(path), FILES[i].extension) == 0) return i;
    return -1;
}

bool linear_file_is_known(const char *path) {
    return kind_of(path) >= 0;
}

int linear_file_write(const char *path, const CardanLinear *linear, const char *model) {
    const Written written = written_of(linear, model);
    return write_file(path, FILES[kind_of(path)].put, &written);
}
