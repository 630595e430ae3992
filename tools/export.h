/* Results in other formats, from a run file or what a run left in memory. */
#ifndef TOOL_EXPORT_H
#define TOOL_EXPORT_H

#include "runfile.h"

/* The formats there are: what a file's name ends in, and who writes it. Each complains and gives the exit status. */
typedef struct Export {
    const char *extension;
    int (*write)(const RunFile *run, const char *path);
} Export;

/* The one for this name; NULL: there is none. */
const Export *export_find(const char *path);

/* Why this one (NULL: none was found) cannot be written; NULL: it can. */
const char *export_missing(const Export *format);

/* Writes the run in the format of the name. */
int export_run(const RunFile *run, const char *path);

/* ---- one file each ---- */

int export_csv(const RunFile *run, const char *path);
int export_hdf5(const RunFile *run, const char *path);
const char *export_hdf5_missing(void); /* NULL: HDF5 was there when the program was built */
int export_glb(const RunFile *run, const char *path);
int export_html(const RunFile *run, const char *path);

/* CSV fields, as RFC 4180 quotes them. */
void csv_put_field(FILE *out, const char *text);

#endif
