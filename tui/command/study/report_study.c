/* The common part of studies' reports: states, titles, and the sentences listed (`group N`, `show
 * N`). */
#include "tui/command/study/report_study.h"

#include <stdlib.h>

#include "model/study/ablate.h"
#include "model/study/prune.h"
#include "tui/text/arguments.h"
#include "tui/text/display.h"

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
    {.key = "number", .name = "number", .title = "number", .type = COLUMN_INT, .least = 5},
    {.key = "group", .name = "group", .title = "group", .type = COLUMN_INT, .in = NOT_IN_TEXT},
    {.key = "length", .name = "length", .title = "length", .type = COLUMN_INT},
    {.key = "score", .name = "bleu", .title = "BLEU", .type = COLUMN_REAL, .digits = 2},
    {.key = "chrf", .name = "chrf", .title = "chrF2", .type = COLUMN_REAL, .digits = 2},
    {.key = "text", .name = "output", .title = "output", .type = COLUMN_SENTENCE},
    {.key = "reference", .name = "reference", .title = "reference", .type = COLUMN_SENTENCE},
};

/* Scores of two systems: in JSON system by system, elsewhere metric by metric. */
static const struct column of_two[] = {
    {.key = "number", .name = "number", .title = "number", .type = COLUMN_INT, .least = 5},
    {.key = "group", .name = "group", .title = "group", .type = COLUMN_INT, .in = NOT_IN_TEXT},
    {.key = "length", .name = "length", .title = "length", .type = COLUMN_INT},
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
    {.name = "a", .title = "a", .type = COLUMN_SENTENCE},
    {.name = "b", .title = "b", .type = COLUMN_SENTENCE},
    {.key = "reference", .name = "reference", .title = "reference", .type = COLUMN_SENTENCE},
};

static void put_one(struct table *table, const struct study_sentence *sentence)
{
    for (int m = 0; m < STUDY_METRICS; m++)
        table_put(table, value_real(study_score(&sentence->score[0], m)));
    table_put(table, value_text(sentence->text[0]));
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
        table_put(table, value_real(a));
        table_put(table, value_real(b));
        table_put(table, value_real(b - a));
    }
    for (int s = 0; s < STUDY_SYSTEMS; s++)
        table_put(table, value_text(sentence->text[s]));
}

void report_listed(struct report *report, unsigned in, const struct study_result *study,
                   const struct strings *files)
{
    bool two = study->request.systems > 1;
    struct table *table = report_table(report, in, "listed", two ? of_two : of_one,
                                       two ? COUNT(of_two) : COUNT(of_one));
    const char *source = files ? report_quoted(report, files->text[0]) : NULL;
    const char *reference = files ? report_quoted(report, files->text[1]) : NULL;
    table->style = TABLE_RECORDS;
    for (int i = 0; i < study->list_count; i++) {
        const struct study_sentence *sentence = &study->list[i];
        table_row(table);
        table_put(table, value_int(sentence->number));
        table_put(table, value_int(sentence->group));
        table_put(table, value_int(sentence->length));
        (two ? put_two : put_one)(table, sentence);
        table_put(table, value_text(sentence->reference));
        if (files)
            table_enter(table, ":open %s %s\n:goto %d", source, reference, sentence->number);
    }
}
