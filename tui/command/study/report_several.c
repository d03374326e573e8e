#include "tui/command/study/report_several.h"

#include "tui/command/study/report_study.h"

_Static_assert((int)SEVERAL_MOST <= (int)PLOT_SERIES_MOST, "a series for each state");
_Static_assert((int)SEVERAL_MOST <= (int)ORIGINS_MOST, "an origin for each state");

void several_states_release(void *several)
{
    several_states_free(several);
}

bool report_several_origin(struct report *report, const struct session *session,
                           const struct strings *names, struct status *status)
{
    for (int s = 0; s < names->count; s++)
        if (!report_add_origin(report, session, names->text[s], status))
            return false;
    return true;
}

const char *report_in_states(struct report *report, const struct strings *names)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    if (out)
        fputs(" " STATES_IN, out);
    for (int s = 0; out && s < names->count; s++)
        fprintf(out, " %s", report_state_name(report, names->text[s]));
    return report_written(&writer);
}

/* States --------------------------------------------------------------------------------------- */

static const char *size_name(const struct several_states *several)
{
    return several->studies ? "sentences" : "decisions";
}

static const char *const letters[SEVERAL_MOST] = {"a", "b", "c", "d", "e", "f"};

/* The overall table: names may be long, so that columns below have letters. */
static void add_states(struct report *report, const struct several_states *several, bool grouped)
{
    const struct several_row all = several_row(several, several_states_groups(several));
    bool studies = several->studies != NULL;
    const unsigned sized = report_sizes_differ(report, several->done) ? FOR_PEOPLE : 0;
    const struct column columns[] = {
        {.title = ""},
        {.key = "state", .title = "state"},
        {.key = "parameters", .title = "parameters", .type = COLUMN_INT, .in = IN_JSON | sized},
        {.key = studies ? "score" : "accuracy",
         .title = studies ? "BLEU" : "accuracy",
         .type = studies ? COLUMN_REAL : COLUMN_PERCENT,
         .digits = 2},
        {.key = studies ? "chrf" : NULL,
         .title = studies ? "chrF2" : NULL,
         .type = COLUMN_REAL,
         .digits = 2},
    };
    struct table *table = report_table(report, IN_JSON | FOR_PEOPLE | (grouped ? 0 : IN_TYPESET),
                                       "states", columns, COUNT(columns));
    for (int s = 0; s < several->done; s++) {
        table_row(table);
        table_put(table, value_text(letters[s]));
        table_put(table, value_text(several->names.text[s]));
        table_put(table, report_parameters(report, s));
        table_put(table, value_real(all.values[s]));
        if (studies)
            table_put(table,
                      value_real(study_score(&several->studies[s].all.score[0], STUDY_CHRF)));
    }
    report_json(report, size_name(several), value_int(all.size));
}

/* Groups --------------------------------------------------------------------------------------- */

enum { IN_FRONT = 5 };

/* Groups of lengths have an order, those of suites stand as they have them. Returns how many
 * columns there are. */
static int choose_columns(const struct several_states *several,
                          struct column columns[IN_FRONT + SEVERAL_MOST])
{
    bool studies = several->studies != NULL;
    const char *size = size_name(several);
    columns[0] = (struct column){.name = "group", .title = "group", .type = COLUMN_INT};
    columns[1] = (struct column){.key = "by", .name = "by", .title = "by"};
    columns[2] = (struct column){
        .key = "name", .name = "name", .title = "name", .type = studies ? COLUMN_INT : COLUMN_TEXT};
    columns[3] = (struct column){.key = size, .name = size, .title = size, .type = COLUMN_INT};
    columns[4] = (struct column){.key = studies ? "scores" : "accuracies"};
    for (int s = 0; s < several->done; s++)
        columns[IN_FRONT + s] = (struct column){.name = several->names.text[s],
                                                .title = letters[s],
                                                .heading = several->names.text[s],
                                                .type = studies ? COLUMN_REAL : COLUMN_PERCENT,
                                                .digits = 2};
    return IN_FRONT + several->done;
}

static void put_row(struct table *table, const struct several_states *several, int number,
                    unsigned in)
{
    const struct several_row row = several_row(several, number);
    bool all = number == several_states_groups(several);
    struct value *values = report_new(table->report, (size_t)several->done, sizeof *values);
    table_row_in(table, in);
    table_put(table, all ? value_null() : value_int(number + 1));
    table_put(table, value_text(row.by));
    table_put_shown(table, value_text(row.name), row.name, all ? NAN : (double)(number + 1));
    table_put(table, value_int(row.size));
    for (int s = 0; values && s < several->done; s++)
        values[s] = value_real(row.values[s]);
    table_put(table, value_list(values, several->done));
    for (int s = 0; values && s < several->done; s++)
        table_put(table, values[s]);
}

/* People read one group of lengths alone as all sentences. */
static void add_groups(struct report *report, const struct several_states *several)
{
    struct column columns[IN_FRONT + SEVERAL_MOST];
    int groups = several_states_groups(several), count = choose_columns(several, columns);
    struct table *table = report_table(report, EVERYWHERE, "groups", columns, count);
    unsigned in = several->studies && groups == 1 ? FOR_PROGRAMS : FOR_PROGRAMS | FOR_PEOPLE;
    for (int i = 0; i < groups; i++)
        put_row(table, several, i, in);
    put_row(table, several, groups, FOR_PEOPLE | IN_TABLE | IN_ARRAYS);
}

void report_several_states(struct report *report, const struct several_states *several,
                           const char *measure, bool grouped)
{
    bool partial = several->done < several->names.count;
    report_json(report, "partial", value_bool(partial));
    if (partial)
        report_line(report, FOR_PEOPLE, " partial: %d of %d states", several->done,
                    several->names.count);
    if (measure)
        report_line(report, FOR_PEOPLE, " %s", measure);
    add_states(report, several, grouped);
    add_groups(report, several);
}

/* Names are the legend. */
struct plot *report_several_plot(struct report *report, const struct several_states *several,
                                 enum plot_kind kind, int first, int count)
{
    struct plot *plot = report_plot(report, IN_FIGURE, kind, several->done, count);
    for (int s = 0; s < several->done; s++)
        plot->series[s] = several->names.text[s];
    for (int i = 0; plot->values && i < count; i++) {
        const struct several_row row = several_row(several, first + i);
        for (int s = 0; s < several->done; s++)
            plot->values[s * count + i] = (float)row.values[s];
    }
    return plot;
}
