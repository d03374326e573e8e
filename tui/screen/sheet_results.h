/* Tables of results that fill files of their own. */
#ifndef ATTNSCOPE_SHEET_RESULTS_H
#define ATTNSCOPE_SHEET_RESULTS_H

#include <stdio.h>

#include "tui/screen/sheet_build.h"

/* Fills a sheet that is all zero. */
typedef bool sheet_maker(struct sheet *sheet, const struct session *session,
                         const struct result *result, struct status *status);
sheet_maker sheet_of_states, sheet_of_settings, sheet_of_study, sheet_of_token, sheet_of_ablate,
    sheet_of_prune, sheet_of_contrast, sheet_of_flips, sheet_of_contrast_ablate, sheet_of_alignment,
    sheet_of_across;

/* Enter on the last row runs the command that shows `view` (titles.h). */
bool sheet_put_view(struct sheet *sheet, const struct result *view, struct status *status);

/* The sentences that a study lists, without notes. `files`: SRC REF…, in which Enter goes to them; NULL: sources are
 * not known. */
bool sheet_of_sentences(struct sheet *sheet, const struct study_result *study,
                        const struct pieces *files, struct status *status);

/* "all" or which layers and heads an ablation is of, in three columns of the last row, from `column` on; and their
 * titles. */
enum { ABLATION_COLUMNS = 3 };
void sheet_ablation_columns(struct sheet_column columns[ABLATION_COLUMNS]);
bool sheet_put_ablation(struct sheet *sheet, int column, const struct ablation *ablation,
                        struct status *status);

/* A number that may be very small; NaN: "". */
bool sheet_put_p(struct sheet *sheet, int column, double p, struct status *status);

/* Text that a stream collects, without a line break at its end: text_begin, write to `out`, then one of the others,
 * which say what it becomes: notes, a cell of the last row, or what Enter on that row runs. */
struct text_stream {
    FILE *out;
    char *text;
    size_t size;
};
bool text_begin(struct text_stream *stream, struct status *status);
bool text_note(struct text_stream *stream, struct sheet *sheet, struct status *status);
bool text_cell(struct text_stream *stream, struct sheet *sheet, int column, double number,
               struct status *status); // of no number column: NaN
bool text_command(struct text_stream *stream, struct sheet *sheet, struct status *status);

#endif
