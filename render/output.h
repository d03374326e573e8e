/* A figure that is laid out, on its way into a file. Private to figure.c, output_*.c and what they share. */
#ifndef ATTNSCOPE_OUTPUT_H
#define ATTNSCOPE_OUTPUT_H

#include "render/layout.h"
#include "render/text.h"

struct output {
    const struct figure *figure;
    const struct figure_style *style;
    const struct layout *layout;
    struct text *text;
    const struct figure_note *notes; // (note_count)
    int note_count;
    FILE *file;
};

/* Each writes one format and flushes the file. Errors as figure_write's. */
bool output_png(const struct output *output, struct status *status);
bool output_pdf(const struct output *output, struct status *status);
bool output_svg(const struct output *output, struct status *status);

/* Asks who watches; false and a status where the work is to stop. */
bool output_proceed(const struct figure_watch *watch, double share, struct status *status);

/* The errno of a failed write as a status; false. */
bool output_fail_write(int code, struct status *status);

#endif
