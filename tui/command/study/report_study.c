/* The common part of studies' reports: states, titles, and the listed sentences (`group N`, `show
 * N`). */
#include "tui/command/study/report_study.h"

#include <stdlib.h>
#include <string.h>

#include "model/study/ablate.h"
#include "model/study/prune.h"
#include "model/study/study.h"
#include "model/text/quote.h"
#include "terminal/text/arguments.h"
#include "terminal/text/display.h"
#include "tui/command/commands.h"

/* Intervals ------------------------------------------------------------------------------------ */

struct value report_interval(struct report *report, const struct interval *interval,
                             const char *text)
{
    struct value *ends = report_new(report, 2, sizeof *ends);
    if (!ends)
        return value_null();
    ends[0] = value_real(interval->low);
    ends[1] = value_real(interval->high);
    return value_shown(report, value_list(ends, 2), text, NAN);
}

struct value report_half_interval(struct report *report, const struct interval *interval,
                                  double unit, int digits)
{
    const double half = unit * (interval->high - interval->low) / 2;
    return report_interval(report, interval, report_format(report, "%.*f", digits, half));
}

/* Origin --------------------------------------------------------------------------------------- */

void report_is_scores(struct report *report)
{
    report->of_testset = true;
    report->navigation.kind = VIEW_FILE;
    report->origin.study = true;
}

void report_is_of_current(struct report *report, const struct session *session)
{
    report_is_scores(report);
    report->origin.state = states_current(session);
}

bool report_add_origin(struct report *report, const struct session *session, const char *name,
                       struct status *status)
{
    struct origin_state *one = &report->origin.states[report->origin.count];
    *one = (struct origin_state){.name = name};
    if (!states_find(session, name, &one->state, status))
        return false;
    report->origin.count++;
    return true;
}

struct value report_parameters(const struct report *report, int state)
{
    const struct loaded *loaded = report->origin.states[state].state.loaded;
    return loaded ? value_int(loaded->checkpoint->parameters) : value_null();
}

bool report_sizes_differ(const struct report *report, int states)
{
    const struct value first = report_parameters(report, 0);
    for (int s = 1; s < states; s++) {
        const struct value other = report_parameters(report, s);
        if (!value_absent(&first) && !value_absent(&other) && first.integer != other.integer)
            return true;
    }
    return false;
}

bool study_found(bool ok, bool some, const struct status *status)
{
    return some && (ok || status->code == STATUS_CANCELLED);
}

bool study_finish(bool ok, bool found, struct report *report, struct status *status)
{
    if (ok || report->lacking)
        ok = report_end(report, status);
    if (!ok && (!found || status->code != STATUS_CANCELLED))
        report_free(report);
    return ok;
}

void study_release(void *study)
{
    study_free(study);
}

void ablate_release(void *ablate)
{
    ablate_result_free(ablate);
}

void prune_release(void *prune)
{
    prune_result_free(prune);
}

/* Words ---------------------------------------------------------------------------------------- */

const char *report_joined(struct report *report, const struct strings *texts, const char *between)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    for (int i = 0; out && i < texts->count; i++)
        fprintf(out, "%s%s", i ? between : "", texts->text[i]);
    return report_written(&writer);
}

const char *report_paths(struct report *report, const struct strings *paths)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    for (int i = 0; out && i < paths->count; i++) {
        fputs(i ? " " : "", out);
        arguments_quote(out, paths->text[i]);
    }
    return report_written(&writer);
}

struct value report_files(const struct strings *files)
{
    return value_texts((const char *const *)files->text, files->count);
}

const char *report_length_words(struct report *report, const char *name)
{
    char words[GROUP_NAME_SIZE];
    if (strlen(name) >= sizeof words) // without a length
        return name;
    length_name_words(name, words);
    return report_copy(report, words);
}

const char *report_state_name(struct report *report, const char *name)
{
    return report_quoted(report, report_take_text(report, display_clean(name)));
}

const char *report_group_words(struct report *report, int listed)
{
    return listed == LISTED_ALL ? " group all"
           : listed > 0         ? report_format(report, " group %d", listed)
                                : "";
}

const char *report_show_words(struct report *report, int shown)
{
    return shown ? report_format(report, " show %d", shown) : "";
}

const char *report_signature(struct report *report, const struct study_result *study, int metric,
                             bool tests)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    if (out)
        study_write_signature(out, study, metric, tests);
    return report_written(&writer);
}

/* Sentences ------------------------------------------------------------------------------------ */

enum { NOT_IN_TEXT = FOR_PROGRAMS | IN_SCREEN };

static const struct column of_one[] = {
    {.all = "number", .type = COLUMN_INT, .least = 5},
    {.all = "group", .type = COLUMN_INT, .in = NOT_IN_TEXT},
    {.all = "length", .type = COLUMN_INT},
    {.key = "score", .name = "bleu", .title = "BLEU", .type = COLUMN_REAL, .digits = 2},
    {.all = "chrf", .title = "chrF2", .type = COLUMN_REAL, .digits = 2},
    {.all = "source", .type = COLUMN_SENTENCE, .optional = true},
    {.key = "text", .name = "output", .title = "output", .type = COLUMN_SENTENCE, .compared = true},
    {.all = "reference", .type = COLUMN_SENTENCE, .compared = true},
};

/* Scores of two systems: system by system in JSON, metric by metric elsewhere. */
static const struct column of_two[] = {
    {.all = "number", .type = COLUMN_INT, .least = 5},
    {.all = "group", .type = COLUMN_INT, .in = NOT_IN_TEXT},
    {.all = "length", .type = COLUMN_INT},
    {.key = "a.score"},
    {.key = "a.chrf"},
    {.key = "a.text"},
    {.key = "b.score"},
    {.key = "b.chrf"},
    {.key = "b.text"},
    {.title = "BLEU", .in = IN_TEXT},
    {.title = "chrF2", .in = IN_TEXT},
    {.name = "bleu_a", .title = "BLEU a", .type = COLUMN_REAL, .digits = 2, .in = NOT_IN_TEXT},
    {.name = "bleu_b", .title = "BLEU b", .type = COLUMN_REAL, .digits = 2, .in = NOT_IN_TEXT},
    {.title = "b - a", .type = COLUMN_SIGNED, .digits = 2, .in = IN_SCREEN},
    {.name = "chrf_a", .title = "chrF2 a", .type = COLUMN_REAL, .digits = 2, .in = NOT_IN_TEXT},
    {.name = "chrf_b", .title = "chrF2 b", .type = COLUMN_REAL, .digits = 2, .in = NOT_IN_TEXT},
    {.title = "b - a", .type = COLUMN_SIGNED, .digits = 2, .in = IN_SCREEN},
    {.all = "source", .type = COLUMN_SENTENCE, .optional = true},
    {.name = "a", .title = "a", .type = COLUMN_SENTENCE, .compared = true},
    {.name = "b", .title = "b", .type = COLUMN_SENTENCE, .compared = true},
    {.all = "reference", .type = COLUMN_SENTENCE},
};

static void put_one(struct table *table, const struct study_sentence *sentence)
{
    for (int m = 0; m < STUDY_METRICS; m++)
        table_put(table, value_real(study_score(&sentence->score[0], m)));
    table_put(table, value_text(sentence->source), value_text(sentence->text[0]));
}

static void put_two(struct table *table, const struct study_sentence *sentence)
{
    const struct corpus_score *score = sentence->score;
    for (int s = 0; s < STUDY_SYSTEMS; s++) {
        for (int m = 0; m < STUDY_METRICS; m++)
            table_put(table, value_real(study_score(&score[s], m)));
        table_put(table, value_text(sentence->text[s]));
    }
    for (int m = 0; m < STUDY_METRICS; m++)
        table_put(table,
                  value_text(report_format(table->report, "%.2f → %.2f", study_score(&score[0], m),
                                           study_score(&score[1], m))));
    for (int m = 0; m < STUDY_METRICS; m++) {
        double a = study_score(&score[0], m), b = study_score(&score[1], m);
        table_put(table, value_real(a), value_real(b), value_real(b - a));
    }
    table_put(table, value_text(sentence->source));
    for (int s = 0; s < STUDY_SYSTEMS; s++)
        table_put(table, value_text(sentence->text[s]));
}

void report_listed(struct report *report, unsigned in, const struct study_result *study,
                   const struct strings *files)
{
    bool two = study->request.systems > 1;
    const int count = two ? COUNT(of_two) : COUNT(of_one);
    struct column columns[COUNT(of_two)];
    memcpy(columns, two ? of_two : of_one, (size_t)count * sizeof *columns);
    for (int c = 0; c < count; c++)
        if (study->request.scored && columns[c].all && strcmp(columns[c].all, "source") == 0)
            columns[c].all = NULL; // the source is unknown
    struct table *table = report_table(report, in, "listed", columns, count);
    const char *source = files ? report_quoted(report, files->text[0]) : NULL;
    const char *reference = files ? report_quoted(report, files->text[1]) : NULL;
    char *const *names = study->request.names;
    const char *both = two && names[0] ? report_format(report, "\n:beside %s %s",
                                                       report_state_name(report, names[0]),
                                                       report_state_name(report, names[1]))
                                       : "";
    table->style = TABLE_RECORDS;
    for (int i = 0; i < study->list_count; i++) {
        const struct study_sentence *sentence = &study->list[i];
        table_add(table, value_int(sentence->number), value_int(sentence->group),
                  value_int(sentence->length));
        (two ? put_two : put_one)(table, sentence);
        table_put(table, value_text(sentence->reference));
        if (files)
            table_enter(table, ":open %s %s\n:goto %d%s", source, reference, sentence->number,
                        command_blank(sentence->text[0]) ? "" : both);
    }
}

/* Arguments ------------------------------------------------------------------------------------ */

const char *const all_choices[] = {"all", NULL};

int study_listed(const struct argument_values *given, int group)
{
    if (!argument_given(given, group))
        return LISTED_NONE;
    return argument_integer(given, group, LISTED_ALL);
}

_Static_assert((int)SEVERAL_MOST <= (int)PLOT_SERIES_MOST, "a series for each state");
_Static_assert((int)SEVERAL_MOST <= (int)ORIGINS_MOST, "an origin for each state");

void several_states_release(void *several)
{
    several_states_free(several);
}

/* In files each state has a column. `size`: the name of that of the groups' sizes. */
static bool check_column(const struct strings *names, const char *name, const char *size,
                         struct status *status)
{
    const char *const others[] = {"group", "by", "name", size};
    for (int i = 0; i < COUNT(others); i++)
        if (strcmp(name, others[i]) == 0)
            return status_fail(status, STATUS_INVALID,
                               "state %s: the table has another column of that name, expected "
                               "another name (:state)",
                               name);
    for (int i = 0; i < names->count; i++)
        if (strcmp(name, names->text[i]) == 0)
            return status_fail(status, STATUS_INVALID, "state %s: given twice, expected once",
                               QUOTED(name));
    return true;
}

bool several_run(struct session *session, const struct argument_values *given, int in,
                 state_study *one, bool of_contrasts, struct report *report,
                 struct several_states *out, struct status *status)
{
    const struct strings states = argument_texts(given, in);
    for (int i = 0; i < states.count; i++) {
        struct saved_state state;
        if (!states_find(session, states.text[i], &state, status) ||
            !check_column(&out->names, state.name, of_contrasts ? "decisions" : "sentences",
                          status) ||
            !strings_add(&out->names, state.name, strlen(state.name), status))
            return false;
    }
    for (int i = 0; i < states.count; i++)
        if (!report_add_origin(report, session, out->names.text[i], status))
            return false;
    if (!several_states_open(of_contrasts, out, status))
        return false;
    for (; out->done < states.count; out->done++)
        if (!one(session, given, &report->origin.states[out->done].state,
                 several_states_result(out, out->done), status) ||
            (!shards_divided(session->shards) && !several_states_agree(out, out->done, status)))
            return several_states_stop(out, status);
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

/* Adds the overall table. Names may be long, so later columns have letters. */
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
         .title = studies ? "BLEU" : "accuracy %",
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
        table_add(table, value_text(letters[s]), value_text(several->names.text[s]),
                  report_parameters(report, s), value_real(all.values[s]));
        if (studies)
            table_put(table,
                      value_real(study_score(&several->studies[s].all.score[0], STUDY_CHRF)));
    }
    report_json(report, size_name(several), value_int(all.size));
}

/* Groups --------------------------------------------------------------------------------------- */

enum { IN_FRONT = 5 };

/* Groups of lengths have an order; those of suites keep theirs. Returns how many columns there
 * are. */
static int choose_columns(const struct several_states *several,
                          struct column columns[IN_FRONT + SEVERAL_MOST])
{
    bool studies = several->studies != NULL;
    const char *size = size_name(several);
    columns[0] = (struct column){.name = "group", .title = "group", .type = COLUMN_INT};
    columns[1] = (struct column){.all = "by"};
    columns[2] = (struct column){.all = "name", .type = studies ? COLUMN_INT : COLUMN_TEXT};
    columns[3] = (struct column){.all = size, .type = COLUMN_INT};
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
    table_add_in(table, in, all ? value_null() : value_int(number + 1), value_text(row.by),
                 value_shown(table->report, value_text(row.name),
                             report_length_words(table->report, row.name),
                             all ? NAN : (double)(number + 1)),
                 value_int(row.size));
    for (int s = 0; values && s < several->done; s++)
        values[s] = value_real(row.values[s]);
    table_put(table, value_list(values, several->done));
    for (int s = 0; values && s < several->done; s++)
        table_put(table, values[s]);
}

/* For people, a single group of lengths is the row of all sentences. */
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
