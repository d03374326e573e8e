/* Tables of results that fill files of their own. */
#ifndef ATTNSCOPE_SHEET_RESULTS_H
#define ATTNSCOPE_SHEET_RESULTS_H

#include <stdio.h>

#include "tui/screen/sheet_build.h"

/* Fills a sheet that is all zero. */
typedef bool sheet_maker(struct sheet *sheet, const struct session *session,
                         const struct result *result, struct status *status);
sheet_maker sheet_of_states, sheet_of_settings, sheet_of_study, sheet_of_token,
    sheet_of_alignment;

/* Text that a stream collects: text_begin, write to `out`, text_end, free `text`. */
struct text_stream {
    FILE *out;
    char *text;
    size_t size;
};
bool text_begin(struct text_stream *stream, struct status *status);
/* Without a line break at its end. */
bool text_end(struct text_stream *stream, struct status *status);

#endif
