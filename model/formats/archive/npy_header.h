/* Reads the header of a .npy file, versions 1 to 3, as described in NumPy's numpy/lib/format.py.
 * report/output/npy.h writes such files. */
#ifndef ATTNSCOPE_NPY_HEADER_H
#define ATTNSCOPE_NPY_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { NPY_RANK_MOST = 8 };

struct npy_header {
    char type[8]; // of an element, in NumPy's notation: "<f4"
    size_t bytes; // of an element
    bool fortran; // in column-major order
    int dimensions;
    int64_t shape[NPY_RANK_MOST]; // each at least 0
    size_t length;                // of the header; the elements follow
};

/* `data`: the whole file. Does not read the elements. */
bool npy_header_read(struct npy_header *header, const unsigned char *data, size_t bytes,
                     struct status *status);

#endif
