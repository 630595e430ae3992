/* HDF5: /t, and one dataset a channel in groups of the parts of its name (pin.reaction.fx is /pin/reaction/fx), units
 * as attributes. A part that is a dataset already (angle and angle.rate) gets its members beside it, as angle_rate. */
#include "export.h"

#include <errno.h>
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 1024 };

const char *export_hdf5_missing(void) {
    return NULL;
}

static bool put_text(hid_t object, const char *key, const char *text) {
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(text) + 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    hid_t attribute = H5Acreate2(object, key, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, type, text) >= 0;
    if (attribute >= 0) H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

static bool exists(hid_t file, const char *path, bool *is_group) {
    H5O_info_t about;
    if (H5Lexists(file, path, H5P_DEFAULT) <= 0) return false;
    if (H5Oget_info_by_name(file, path, &about, H5P_DEFAULT) < 0) return false;
    *is_group = about.type == H5O_TYPE_GROUP;
    return true;
}

/* Path of a channel, its groups made. */
static bool make_path(hid_t file, const char *name, char *path, size_t size) {
    char copy[PATH_SIZE];
    size_t length = 0;
    snprintf(copy, sizeof copy, "%s", name);
    path[0] = '\0';
    for (char *part = copy, *next = NULL; part != NULL; part = next) {
        next = strchr(part, '.');
        if (next != NULL) *next++ = '\0';
        for (char *c = part; *c != '\0'; c++)
            if (*c == '/') *c = '_';
        bool group = true, there = length > 0 && exists(file, path, &group);
        length += (size_t)snprintf(path + length, size - length, "%s%s", there && !group ? "_" : "/",
                                   part[0] != '\0' ? part : "_");
        if (length >= size) return false;
        if (next == NULL || exists(file, path, &group)) continue;
        hid_t made = H5Gcreate2(file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        if (made < 0) return false;
        H5Gclose(made);
    }
    bool group = false;
    if (exists(file, path, &group)) snprintf(path + length, size - length, "_");
    return true;
}

static bool put_column(hid_t file, const char *path, const char *name, const char *unit, const double *numbers,
                       long rows) {
    const hsize_t size = (hsize_t)rows;
    hid_t space = H5Screate_simple(1, &size, NULL);
    hid_t set = H5Dcreate2(file, path, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good =
        set >= 0 && (rows == 0 || H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
    good = good && put_text(set, "unit", unit) && put_text(set, "channel", name);
    if (set >= 0) H5Dclose(set);
    H5Sclose(space);
    return good;
}

static bool put_columns(hid_t file, const RunFile *run, double *numbers) {
    char path[PATH_SIZE];
    for (long i = 0; i < run->info.rows; i++) numbers[i] = cardan_result_time(run->result, i);
    bool good = put_column(file, "/t", "t", "s", numbers, run->info.rows);
    for (int c = 0; c < run->info.columns && good; c++) {
        const char *name = cardan_result_name(run->result, c);
        for (long i = 0; i < run->info.rows; i++) numbers[i] = cardan_result_row(run->result, i)[c];
        good = make_path(file, name, path, sizeof path) &&
               put_column(file, path, name, cardan_result_unit(run->result, c), numbers, run->info.rows);
    }
    return good;
}

int export_hdf5(const RunFile *run, const char *path) {
    double *numbers = calloc((size_t)run->info.rows + 1, sizeof *numbers);
    if (numbers == NULL) {
        complain("out of memory");
        return STATUS_FAULT;
    }
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* what is wrong is said below */
    errno = 0;
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    bool good = file >= 0 && put_text(file, "model", run->info.model_name) &&
                put_text(file, "program", run->info.program) && put_columns(file, run, numbers);
    if (file >= 0) good = H5Fclose(file) >= 0 && good;
    free(numbers);
    if (good) return STATUS_DONE;
    complain("'%s' could not be written: %s", path, errno != 0 ? strerror(errno) : "HDF5 gave no reason");
    return STATUS_IO;
}
