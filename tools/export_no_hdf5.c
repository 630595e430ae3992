/* HDF5 was not there when the program was built. */
#include "export.h"

const char *export_hdf5_missing(void) {
    return "this program was built without HDF5; install libhdf5-dev and build it again, or write .csv";
}

int export_hdf5(const RunFile *run, const char *path) {
    (void)run;
    complain("'%s': %s", path, export_hdf5_missing());
    return STATUS_USAGE;
}
