/* The command works on one core: threads inside OpenBLAS only cost at the sizes of a mechanism's dense blocks. */
#ifndef TOOL_BLAS_THREADS_H
#define TOOL_BLAS_THREADS_H

/* Does nothing when the BLAS in use is not OpenBLAS. */
void blas_use_one_thread(void);

#endif
