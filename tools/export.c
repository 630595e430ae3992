/* The table of formats, and CSV. */
#include "export.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "whole_file.h"

/* ---- CSV ---- */

void csv_put_field(FILE *out, const char *text) {
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void put_number(FILE *out, double x) {
    char text[NUMBER_SIZE];
    fputs(number_text(x, text), out);
}

static const char *put_table(FILE *out, const void *user) {
    const RunFile *run = user;
    fputs("t", out);
    for (int c = 0; c < run->info.columns; c++) {
        fputc(',', out);
        csv_put_field(out, cardan_result_name(run->result, c));
    }
    fputc('\n', out);
    for (long i = 0; i < run->info.rows; i++) {
        const double *row = cardan_result_row(run->result, i);
        put_number(out, cardan_result_time(run->result, i));
        for (int c = 0; c < run->info.columns; c++) {
            fputc(',', out);
            put_number(out, row[c]);
        }
        fputc('\n', out);
    }
    return NULL;
}

int export_csv(const RunFile *run, const char *path) {
    return write_file(path, put_table, run);
}

/* ---- formats ---- */

const Export *export_find(const char *path) {
    static const Export formats[] = {{".csv", export_csv},
                                     {".h5", export_hdf5},
                                     {".hdf5", export_hdf5},
                                     {".glb", export_glb},
                                     {".html", export_html}};
    const char *extension = strcmp(path, "-") == 0 ? ".csv" : extension_of(path);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(extension, formats[i].extension) == 0) return &formats[i];
    return NULL;
}

const char *export_missing(const Export *format) {
    if (format == NULL) return "the name of a result ends in .csv, .h5, .glb or .html";
    return format->write == export_hdf5 ? export_hdf5_missing() : NULL;
}

int export_run(const RunFile *run, const char *path) {
    const Export *format = export_find(path);
    const char *missing = export_missing(format);
    if (missing == NULL) return format->write(run, path);
    complain("'%s': %s", path, missing);
    return STATUS_USAGE;
}
