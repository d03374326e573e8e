/* `linear` for an operation that reads each part of y once: y is never stored as a whole.
 *
 * y is divided into chunks of rows and sections of columns. Each thread holds one section of one
 * chunk at a time, small enough for a near cache, and passes it to the operation.
 *
 * Call order: sections_of; scratch memory of sections_scratch bytes; sections_run.
 */
#ifndef ATTNSCOPE_CPU_SECTIONS_H
#define ATTNSCOPE_CPU_SECTIONS_H

#include "gpu/backend.h"

/* A multiple of the strip widths of all instruction sets, so that sections have the same columns in
 * each of them. */
enum { SECTION_MOST = 768 };

struct sections {
    int count;
    int columns; // of a section; the last may have fewer. count and columns depend only on N
    int ranges;  // of sections, about equally many in each
    int chunks;  // of rows, of `rows` each; the last may have fewer
    int rows;
};

/* One piece of y: all columns of the section `index`, from index * sections.columns on. */
struct section {
    float *y; // (rows, columns), ld SECTION_MOST; the operation's own
    int row, rows;
    int index, columns;
    int range, begin; // the range, and its first section
};

/* Called once for every chunk and section. The sections of one range of one chunk come in ascending
 * order on one thread; different chunks and ranges run concurrently. */
typedef void section_take(void *context, const struct section *section);

/* The sections of already stored logits with `n` columns: one range, one chunk. */
struct sections sections_in_memory(int n);

struct sections sections_of(const struct device *device, const struct linear_args *args);

/* Bytes of scratch memory for sections_run; SIZE_MAX on overflow. */
size_t sections_scratch(const struct device *device, const struct linear_args *args);

/* Computes `linear` (gpu/backend.h) without activation, cache and accumulation; args->y is neither
 * read nor written. scratch: aligned to 64 bytes. Once the device is cancelled, the remaining
 * sections are skipped. */
void sections_run(struct device *device, const struct linear_args *args,
                  const struct sections *sections, void *scratch, section_take *take,
                  void *context);

#endif
