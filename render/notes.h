/* Reading the notes of a figure's file back (figure.h, "Output"). Files are hostile until
 * checked. */
#ifndef ATTNSCOPE_RENDER_NOTES_H
#define ATTNSCOPE_RENDER_NOTES_H

#include <stdio.h>

#include "base/status.h"

struct figure_notes {
    struct figure_found {
        char *key, *text; // UTF-8
    } * notes;            // (count)
    int count;
    size_t capacity;
};

/* Text chunks before a PNG's pixels, where figure_write puts them. STATUS_INVALID: no PNG, or a
 * broken one. On failure nothing needs to be freed. */
bool figure_read_png_notes(FILE *file, struct figure_notes *notes, struct status *status);
/* The keywords of a PDF and the metadata of an SVG that figure_write has made; others have none.
 * Errors as above. */
bool figure_read_pdf_notes(FILE *file, struct figure_notes *notes, struct status *status);
bool figure_read_svg_notes(FILE *file, struct figure_notes *notes, struct status *status);

void figure_notes_free(struct figure_notes *notes); // leaves them empty

#endif
