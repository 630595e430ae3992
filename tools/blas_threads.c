/* OpenBLAS is a library of the library, so its switch is looked up by name at run time. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "blas_threads.h"

#include <dlfcn.h>
#include <string.h>

void blas_use_one_thread(void) {
    void (*set_threads)(int) = 0;
    void *symbol = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
    if (!symbol) return;
    memcpy(&set_threads, &symbol, sizeof set_threads); /* ISO C has no cast between data and function pointers */
    set_threads(1);
}
