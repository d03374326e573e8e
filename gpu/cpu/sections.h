/* `linear` for an operation that looks at y piece by piece, while it is in a near cache, and then needs it no more:
 * y is cut into chunks of rows and sections of columns, and exists only as one of these pieces per thread.
 *
 * Call order: sections_of; memory of sections_scratch bytes; sections_run.
 */
#ifndef ATTNSCOPE_CPU_SECTIONS_H
#define ATTNSCOPE_CPU_SECTIONS_H

#include "gpu/backend.h"

/* Whole strips of every instruction set, so that a section has the same columns whatever computes it. */
enum { SECTION_MOST = 768 };

struct sections {
    int count;
    int columns; // of a section; the last may have fewer. Both depend on N alone
    int ranges;  // of sections, about as many in each
    int chunks;  // of rows, of `rows` each; the last may have fewer
    int rows;
};

/* One piece of y: all columns of the section `index`, from index * sections.columns on. */
struct section {
    const float *y; // (rows, columns), ld SECTION_MOST
    int row, rows;
    int index, columns;
    int range, begin; // the range, and its first section
};

/* Called once for every chunk and section: for the sections of a range in ascending order on one thread, for
 * different chunks and ranges at the same time. */
typedef void section_take(void *context, const struct section *section);

/* One range and one chunk: what there is of `n` columns that lie in memory. */
struct sections sections_in_memory(int n);

struct sections sections_of(const struct device *device, const struct linear_args *args);

/* Bytes of scratch memory for sections_run; SIZE_MAX: more than there is. */
size_t sections_scratch(const struct device *device, const struct linear_args *args);

/* What backend.h says of `linear`, without activation, cache and accumulation; y itself is neither read nor written.
 * scratch: aligned to 64 bytes. Sections are left out when the device is cancelled. */
void sections_run(struct device *device, const struct linear_args *args,
                  const struct sections *sections, void *scratch, section_take *take,
                  void *context);

#endif
