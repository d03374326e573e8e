/* Scores in several states as plain text. */
#include <math.h>
#include <stdlib.h>

#include "tui/display.h"
#include "tui/plain.h"

enum { NAME_LEAST = 6, NAME_MOST = 40 };

static void print_partial(FILE *stream, const struct across_result *across)
{
    if (across->done < across->names.count)
        fprintf(stream, " partial: %d of %d states\n", across->done, across->names.count);
    if (!across->studies)
        return;
    fprintf(stream, " %s|", across_measure(across));
    study_write_signature(stream, &across->studies[0], STUDY_BLEU, false);
    fputc('\n', stream);
}

/* Names may be long: the columns have letters. */
static void print_states(FILE *stream, const struct across_result *across)
{
    for (int s = 0; s < across->done; s++) {
        fprintf(stream, " %c  ", 'a' + s);
        plain_text(stream, across->names.text[s]);
    }
}

void plain_across_facts(FILE *stream, const struct across_result *across)
{
    print_partial(stream, across);
    print_states(stream, across);
}

static int name_columns(const struct across_result *across)
{
    int columns = NAME_LEAST;
    for (int i = 0; i < across_groups(across); i++) {
        int own = display_width(across_row(across, i).name);
        columns = own > columns ? own : columns;
    }
    return columns < NAME_MOST ? columns : NAME_MOST;
}

static void print_row(FILE *stream, const struct across_result *across, int number, int columns)
{
    struct across_row row = across_row(across, number);
    char *name = display_clean(row.name);
    if (number < across_groups(across))
        fprintf(stream, " %5d %-9s ", number + 1, row.by);
    else
        fprintf(stream, " %5s %-9s ", "", "");
    display_field(stream, name ? name : "", columns);
    free(name);
    fprintf(stream, " %9d", row.size);
    for (int s = 0; s < across->done; s++) {
        if (isnan(row.values[s]))
            fprintf(stream, " %8s", "");
        else
            fprintf(stream, " %8.2f", across->studies ? row.values[s] : 100 * row.values[s]);
    }
    fputc('\n', stream);
}

void plain_across(struct sink *sink, const struct session *session, const struct result *result)
{
    const struct across_result *across = &result->across;
    FILE *stream = sink->stream;
    int columns = name_columns(across), groups = across_groups(across);
    plain_study_title(stream, session, result);
    plain_across_facts(stream, across);
    fprintf(stream, " %5s %-9s ", "group", "by");
    display_field(stream, "name", columns);
    fprintf(stream, " %9s", across->studies ? "sentences" : "decisions");
    for (int s = 0; s < across->done; s++)
        fprintf(stream, " %8c", 'a' + s);
    fputc('\n', stream);
    // One group alone is all.
    for (int i = across->studies && groups == 1 ? 1 : 0; i <= groups; i++)
        print_row(stream, across, i, columns);
}
