/* Writes a laid-out figure in a file format. Private to render/: figure_write.c calls output_png,
 * output_pdf or output_svg (output_*.c), which use the functions of output.c. */
#ifndef ATTNSCOPE_OUTPUT_H
#define ATTNSCOPE_OUTPUT_H

#include "render/layout.h"
#include "render/text.h"

struct figure_output {
    const struct figure *figure;
    const struct figure_style *style;
    const struct figure_layout *layout;
    struct text *text;
    const struct figure_note *notes; // (note_count)
    int note_count;
    FILE *file;
};

/* Write the format and flush the file. Errors as figure_write's. */
bool output_png(const struct figure_output *output, struct status *status);
bool output_pdf(const struct figure_output *output, struct status *status);
bool output_svg(const struct figure_output *output, struct status *status);

/* Reports progress: share is 0 … 1. watch NULL: none. Fails with STATUS_CANCELLED if the watch
 * stops the work. */
bool output_proceed(const struct watch *watch, double share, struct status *status);

/* Fails with the errno `code` of a failed write. Returns false. */
bool output_fail_write(int code, struct status *status);

#endif
