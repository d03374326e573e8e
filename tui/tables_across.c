/* Scores in several states as a table: a column a state. */
#include "tui/table_cells.h"

/* All sentences or decisions are the last row, without a number. */
static void put_row(struct table *table, const struct across_result *across, int number)
{
    struct across_row row = across_row(across, number);
    separate(table);
    if (number < across_groups(across))
        fprintf(table->stream, "%d", number + 1);
    put_text(table, row.by);
    put_text(table, row.name);
    put_count(table, row.size);
    for (int s = 0; s < across->done; s++)
        put_value(table, row.values[s]);
    end_line(table);
}

bool table_across(struct table *table, const struct result *view, struct status *status)
{
    const struct across_result *across = &view->across;
    (void)status;
    put_text(table, "group");
    put_text(table, "by");
    put_text(table, "name");
    put_text(table, across->studies ? "sentences" : "decisions");
    for (int s = 0; s < across->done; s++)
        put_text(table, across->names.text[s]);
    end_line(table);
    for (int i = 0; i <= across_groups(across); i++) {
        if (!pace_step(table->pace, (size_t)across->done))
            return false;
        put_row(table, across, i);
    }
    return true;
}
