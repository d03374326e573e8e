/* The table of an alignment: each token of the translation, and what it goes back to. */
#include <math.h>

#include "tui/eye.h"
#include "tui/plain.h"
#include "tui/screen/sheet_results.h"

/* What stands beside the first. */
static bool put_more(struct sheet *sheet, const float *weights, char *const *columns,
                     const int *places, int named, struct status *status)
{
    struct text_stream stream;
    if (!text_begin(&stream, status))
        return false;
    for (int p = 1; p < named; p++)
        fprintf(stream.out, "%s%s %.4f", p > 1 ? "  " : "", columns[places[p]], weights[places[p]]);
    return text_cell(&stream, sheet, 4, NAN, status);
}

/* Enter leads to the matrix that the row is of. */
static bool put_matrix(struct sheet *sheet, const struct attention_result *attention,
                       struct status *status)
{
    const struct result matrix = {.kind = RESULT_ATTENTION, .attention = *attention};
    return sheet_put_view(sheet, &matrix, status);
}

static bool put_token(struct sheet *sheet, const struct attention_result *attention,
                      char *const *rows, char *const *columns, int r, struct status *status)
{
    int count = attention->columns.texts.count, places[ALIGNMENT_PLACES];
    const float *weights = attention->weights + (size_t)r * count;
    int named = plain_aligned(weights, count, places);
    if (!sheet_row(sheet, status) || !sheet_put_number(sheet, 0, r + 1, 0, status) ||
        !sheet_put_text(sheet, 1, rows[r], status) || !put_matrix(sheet, attention, status))
        return false;
    if (named == 0)
        return sheet_put_text(sheet, 2, "-", status);
    return sheet_put_text(sheet, 2, columns[places[0]], status) &&
           sheet_put_number(sheet, 3, weights[places[0]], 4, status) &&
           put_more(sheet, weights, columns, places, named, status);
}

bool sheet_of_alignment(struct sheet *sheet, const struct session *session,
                        const struct result *result, struct status *status)
{
    static const struct sheet_column titles[] = {{.title = "place", .number = true},
                                                 {.title = "target"},
                                                 {.title = "source"},
                                                 {.title = "weight", .number = true},
                                                 {.title = "also"}};
    const struct attention_result *attention = &result->attention;
    int row_count = attention->rows.texts.count;
    char **rows = eye_labels(session, &attention->rows, attention->words);
    char **columns = eye_labels(session, &attention->columns, attention->words);
    bool ok = rows && columns
                  ? sheet_begin(sheet, titles, (int)(sizeof titles / sizeof *titles), status)
                  : status_fail(status, STATUS_MEMORY, "out of memory");
    for (int r = 0; ok && r < row_count; r++)
        ok = put_token(sheet, attention, rows, columns, r, status);
    eye_free(rows, row_count);
    eye_free(columns, attention->columns.texts.count);
    return ok;
}
