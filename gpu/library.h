/* Opens a shared library that needs libraries of CUDA. The system's loader looks for them where it always does. Those
 * that it does not find may be in a Python environment, where pip puts them, or in the folder of a CUDA toolkit. */
#ifndef ATTNSCOPE_LIBRARY_H
#define ATTNSCOPE_LIBRARY_H

/* As dlopen with RTLD_NOW | RTLD_LOCAL. A missing library whose name begins with "libcu" is then looked for, in this
 * order, in
 *     $VIRTUAL_ENV and $CONDA_PREFIX: lib, and lib/python3.N/site-packages/nvidia/NAME/lib;
 *     $HOME/.local and /usr/local: lib/python3.N/site-packages/nvidia/NAME/lib, the same in dist-packages;
 *     /usr/local/cuda and /usr/local/cuda-VERSION: lib64.
 * NULL: *error is one line that says why, valid until the next call of a function of dlfcn.h. */
void *library_open(const char *path, const char **error);

#endif
