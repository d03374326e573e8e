/* Scores in several states as a table: groups by states. */
#include <math.h>

#include "tui/plain.h"
#include "tui/screen/sheet_results.h"

enum { IN_FRONT = 4 };

/* The last row is of all. Groups stand in the order of their lengths, or as the suite has them. */
static bool put_row(struct sheet *sheet, const struct across_result *across, int number,
                    struct status *status)
{
    struct across_row row = across_row(across, number);
    double place = number < across_groups(across) ? number + 1 : NAN;
    if (!sheet_row(sheet, status) || !sheet_put_number(sheet, 0, place, 0, status) ||
        !sheet_put_text(sheet, 1, row.by, status) ||
        !sheet_put_named(sheet, 2, place, row.name, status) ||
        !sheet_put_number(sheet, 3, row.size, 0, status))
        return false;
    for (int s = 0; s < across->done; s++)
        if (!sheet_put_number(sheet, IN_FRONT + s,
                              across->studies ? row.values[s] : 100 * row.values[s], 2, status))
            return false;
    return true;
}

/* Names may be long: the columns have letters. */
bool sheet_of_across(struct sheet *sheet, const struct session *session,
                     const struct result *result, struct status *status)
{
    static const char *const letters[ACROSS_MOST] = {"a", "b", "c", "d", "e", "f"};
    const struct across_result *across = &result->across;
    struct sheet_column columns[IN_FRONT + ACROSS_MOST] = {
        {"group", true, 0},
        {"by", false, 0},
        {"name", across->studies != NULL, 0},
        {across->studies ? "sentences" : "decisions", true, 0}};
    int groups = across_groups(across);
    struct text_stream stream;
    (void)session;
    for (int s = 0; s < across->done; s++)
        columns[IN_FRONT + s] = (struct sheet_column){letters[s], true, 0};
    if (!sheet_begin(sheet, columns, IN_FRONT + across->done, status))
        return false;
    // One group alone is all.
    for (int i = across->studies && groups == 1 ? 1 : 0; i <= groups; i++)
        if (!put_row(sheet, across, i, status))
            return false;
    if (!text_begin(&stream, status))
        return false;
    plain_across_facts(stream.out, across);
    return text_note(&stream, sheet, status);
}
