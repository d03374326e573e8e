/* Reads the notes of a figure's file back (figure.h, "Output"). Files are untrusted input. */
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

/* Reads the text chunks before a PNG's pixels, where figure_write puts them. STATUS_INVALID: not a
 * PNG, or corrupt. On failure nothing needs to be freed. */
bool figure_read_png_notes(FILE *file, struct figure_notes *notes, struct status *status);
/* Read the keywords of a PDF and the metadata of an SVG made by figure_write; other files have no
 * notes. Errors as above. */
bool figure_read_pdf_notes(FILE *file, struct figure_notes *notes, struct status *status);
bool figure_read_svg_notes(FILE *file, struct figure_notes *notes, struct status *status);

void figure_notes_free(struct figure_notes *notes); // leaves them empty

#endif
