/* Reads the header of a .npy file, versions 1 to 3, as numpy/lib/format.py of NumPy describes it.
 * report/output/npy.h writes such files. */
#ifndef ATTNSCOPE_NPY_HEADER_H
#define ATTNSCOPE_NPY_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { NPY_RANK_MOST = 8 };

struct npy_header {
    char type[8]; // of an element, as NumPy writes it: "<f4"
    size_t bytes; // of an element
    bool fortran; // in column-major order
    int dimensions;
    int64_t shape[NPY_RANK_MOST]; // each at least 0
    size_t length;                // of the header: the elements begin there
};

/* `data`: the whole file. The elements are not read. */
bool npy_header_read(struct npy_header *header, const unsigned char *data, size_t bytes,
                     struct status *status);

#endif
