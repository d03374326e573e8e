/* Reports `:bleu` and `:compare`: scores, groups by length, tests. */

#include "tui/command/study/report_study.h"

#define MINUS "\xe2\x88\x92" // U+2212

static const char *const sides[] = {"a", "b"};

/* Words ---------------------------------------------------------------------------------------- */

static void set_title(struct report *report, const struct study_result *study)
{
    const struct study_request *request = &study->request;
    const char *lengths = study->source_letters ? "  by length of the source in characters"
                          : request->of_source  ? "  by length of the source"
                                                : "";
    const char *states = request->systems > 1 ? report_format(report, "a: %s  b: %s  ",
                                                              request->names[0], request->names[1])
                                              : "";
    const char *group =
        request->listed > 0 ? report_format(report, "  group %d", request->listed) : "";
    report_title(report, "%s%s%s%s%s", states, request->scored ? "scores of " : "translations of ",
                 report_joined(report, &request->files, ", "), lengths, group);
}

/* Returns " by source 10,20". */
static const char *by_words(struct report *report, const struct study_request *request)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    if (out && (request->by || request->of_source))
        fputs(request->of_source ? " by source" : " by", out);
    for (int i = 0; out && request->by && i < request->groups.count; i++)
        fprintf(out, "%s%d", i ? "," : " ", request->groups.cutoffs[i]);
    return report_written(&writer);
}

/* Returns the command without its group. */
static const char *command_words(struct report *report, const struct study_request *request)
{
    const char *paths = report_paths(report, &request->files);
    const char *by = by_words(report, request);
    if (request->systems > 1)
        return report_format(report, "compare %s %s %s%s",
                             report_state_name(report, request->names[0]),
                             report_state_name(report, request->names[1]), paths, by);
    return report_format(report, "bleu %s%s%s", request->scored ? "--scored " : "", paths, by);
}

static const char *verbose(struct report *report, const struct bleu_score *score)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    if (out)
        bleu_write_verbose(out, score);
    return report_written(&writer);
}

static struct value precisions(struct report *report, const struct bleu_score *score)
{
    struct value *list = report_new(report, BLEU_ORDER, sizeof *list);
    for (int n = 0; list && n < BLEU_ORDER; n++)
        list[n] = value_real(score->precisions[n]);
    return value_list(list, list ? BLEU_ORDER : 0);
}

/* Puts the numbers of `verbose_score`, for programs. */
static void put_parts(struct report *report, const struct bleu_score *score)
{
    report_json(report, "precisions", precisions(report, score));
    report_json(report, "bp", value_real(score->brevity));
    report_json(report, "hyp_len", value_int(score->length));
    report_json(report, "ref_len", value_int(score->reference));
}

/* Returns the unit of lengths. */
static const char *length_unit(const struct study_result *study)
{
    return study->source_letters ? "character" : "token";
}

static const char *length_title(const struct study_result *study)
{
    return study->source_letters      ? "source length (characters)"
           : study->request.of_source ? "source length (tokens)"
                                      : "reference length (tokens)";
}

/* Facts ---------------------------------------------------------------------------------------- */

static void add_partial(struct report *report, const struct study_result *study)
{
    report_partial(report, FOR_PEOPLE, study->sentences, study->lines, "sentences");
    if (study->sentences == study->lines && study_partial(study))
        report_line(report, FOR_PEOPLE, " partial: %s", study_untested(study));
}

/* Adds the score, then what it consists of, in sacreBLEU's words. */
static void add_scores(struct report *report, const struct study_result *study)
{
    const struct corpus_score *score = &study->all.score[0];
    const char *words = verbose(report, &score->bleu);
    report_json(report, "name", value_text(study_metric_names[STUDY_BLEU]));
    report_json(report, "score", value_real(score->bleu.score));
    report_json(report, "signature",
                value_text(report_signature(report, study, STUDY_BLEU, false)));
    report_json(report, "verbose_score", value_text(words));
    put_parts(report, &score->bleu);
    report_group(report, IN_JSON, "chrf");
    report_json(report, "name", value_text(study_metric_names[STUDY_CHRF]));
    report_json(report, "score", value_real(score->chrf));
    report_json(report, "signature",
                value_text(report_signature(report, study, STUDY_CHRF, false)));
    report_group_end(report);
    report_line(report, FOR_PEOPLE, " %s %.2f  %s %.2f  %d sentence%s",
                study_metric_names[STUDY_BLEU], score->bleu.score, study_metric_names[STUDY_CHRF],
                score->chrf, study->sentences, study->sentences == 1 ? "" : "s");
    report_line(report, FOR_PEOPLE, " %s", words);
    report_json(report, "scored", value_bool(study->request.scored));
}

/* Tells how to reproduce the scores. These lines are the longest, so they follow everything that
 * readers look for first. */
static void tell_signatures(struct report *report, const struct study_result *study)
{
    for (int m = 0; m < STUDY_METRICS; m++) {
        bool tested = study->request.systems > 1 && study->tests[m].done;
        report_line(report, FOR_PEOPLE, " %s|%s", study_metric_names[m],
                    report_signature(report, study, m, tested));
    }
}

static void add_system(struct report *report, const struct study_result *study, int system)
{
    const struct corpus_score *score = &study->all.score[system];
    report_group(report, IN_JSON, sides[system]);
    report_json(report, "state", value_text(study->request.names[system]));
    report_json(report, "score", value_real(score->bleu.score));
    report_json(report, "verbose_score", value_text(verbose(report, &score->bleu)));
    put_parts(report, &score->bleu);
    report_json(report, "chrf", value_real(score->chrf));
    report_json(report, "parameters", report_parameters(report, system));
    report_group_end(report);
}

/* Tests ---------------------------------------------------------------------------------------- */

static const struct column test_columns[] = {
    {.key = "name", .title = "metric"},
    {.key = "signature"},
    {.key = "a.score", .title = "a", .type = COLUMN_REAL, .digits = 2},
    {.key = "a.mean"},
    {.key = "a.interval", .title = "±", .type = COLUMN_REAL},
    {.key = "b.score", .title = "b", .type = COLUMN_REAL, .digits = 2},
    {.key = "b.mean"},
    {.key = "b.interval", .title = "±", .type = COLUMN_REAL},
    {.key = "difference", .title = "b - a", .type = COLUMN_SIGNED, .digits = 2},
    {.key = "interval", .title = "95%", .type = COLUMN_SIGNED},
    {.key = "p_bootstrap", .title = "p bootstrap", .type = COLUMN_P},
    {.key = "p_randomisation",
     .title = "p random.",
     .heading = "p randomisation",
     .type = COLUMN_P},
    {.key = "differing"},
};

static struct value of_difference(struct report *report, const struct interval *interval)
{
    return report_interval(report, interval,
                           report_format(report, "[%+.2f, %+.2f]", interval->low, interval->high));
}

static struct value real_if(bool there, double value)
{
    return there ? value_real(value) : value_null();
}

static void put_test(struct table *table, const struct study_result *study, int metric)
{
    const struct study_test *test = &study->tests[metric];
    const struct bootstrap_result *bootstrap = &test->bootstrap;
    struct report *report = table->report;
    double score[STUDY_SYSTEMS];
    table_add(table, value_text(study_metric_names[metric]),
              value_text(report_signature(report, study, metric, test->done)));
    for (int s = 0; s < STUDY_SYSTEMS; s++) {
        score[s] = study_score(&study->all.score[s], metric);
        table_put(table, value_real(score[s]), real_if(test->done, bootstrap->mean[s]),
                  test->done ? report_half_interval(report, &bootstrap->interval[s], 1, 2)
                             : value_null());
    }
    table_put(table, value_real(score[1] - score[0]),
              test->done ? of_difference(report, &bootstrap->difference) : value_null(),
              real_if(test->done, bootstrap->p), real_if(test->done, test->p),
              test->done ? value_int(test->differing) : value_null());
}

/* If few sentences differ, resamples hardly differ either, and p is too small. */
static void tell_few(struct report *report, const struct study_result *study, int metric)
{
    const struct study_test *test = &study->tests[metric];
    if (test->done && test->differing && test->bootstrap.p < ldexp(1, 1 - test->differing))
        report_line(report, FOR_PEOPLE,
                    " %s: %d sentence%s differently: too few for p bootstrap, not for p random.",
                    study_metric_names[metric], test->differing,
                    test->differing == 1 ? " scores" : "s score");
}

static void add_tests(struct report *report, const struct study_result *study)
{
    for (int s = 0; s < STUDY_SYSTEMS; s++)
        add_system(report, study, s);
    if (report_sizes_differ(report, STUDY_SYSTEMS))
        report_line(report, FOR_PEOPLE, " parameters  a %lld  b %lld",
                    (long long)report_parameters(report, 0).integer,
                    (long long)report_parameters(report, 1).integer);
    struct table *table =
        report_table(report, IN_JSON | FOR_PEOPLE, "tests", test_columns, COUNT(test_columns));
    for (int m = 0; m < STUDY_METRICS; m++)
        put_test(table, study, m);
    for (int m = 0; m < STUDY_METRICS; m++)
        tell_few(report, study, m);
}

/* Groups --------------------------------------------------------------------------------------- */

#define BLEU_PARTS(of)                                                                             \
    {.key = of "verbose_score", .optional = true}, {.key = of "precisions", .optional = true},     \
        {.key = of "bp", .optional = true}, {.key = of "hyp_len", .optional = true},               \
    {                                                                                              \
        .key = of "ref_len", .optional = true                                                      \
    }

static const struct column of_one[] = {
    {.name = "group", .title = "group", .type = COLUMN_INT},
    {.key = "name", .name = "length", .title = "length", .type = COLUMN_INT},
    {.all = "sentences", .type = COLUMN_INT},
    {.key = "score", .name = "bleu", .title = "BLEU", .type = COLUMN_REAL, .digits = 2},
    BLEU_PARTS(""),
    {.all = "chrf", .title = "chrF2", .type = COLUMN_REAL, .digits = 2},
};

/* System by system in JSON, metric by metric elsewhere. */
static const struct column of_two[] = {
    {.name = "group", .title = "group", .type = COLUMN_INT},
    {.key = "name", .name = "length", .title = "length", .type = COLUMN_INT},
    {.all = "sentences", .type = COLUMN_INT},
    {.key = "a.score"},
    BLEU_PARTS("a."),
    {.key = "a.chrf"},
    {.key = "b.score"},
    BLEU_PARTS("b."),
    {.key = "b.chrf"},
    {.name = "bleu_a", .title = "BLEU a", .type = COLUMN_REAL, .digits = 2},
    {.name = "bleu_b", .title = "BLEU b", .type = COLUMN_REAL, .digits = 2},
    {.title = "b - a", .type = COLUMN_SIGNED, .digits = 2},
    {.name = "chrf_a", .title = "chrF2 a", .type = COLUMN_REAL, .digits = 2},
    {.name = "chrf_b", .title = "chrF2 b", .type = COLUMN_REAL, .digits = 2},
    {.title = "b - a", .type = COLUMN_SIGNED, .digits = 2},
    {.name = "bleu_p_bootstrap"},
    {.name = "bleu_p_randomisation"},
    {.name = "chrf_p_bootstrap"},
    {.name = "chrf_p_randomisation"},
};

static void put_system(struct table *table, const struct corpus_score *score)
{
    table_put(
        table, value_real(score->bleu.score), value_text(verbose(table->report, &score->bleu)),
        precisions(table->report, &score->bleu), value_real(score->bleu.brevity),
        value_int(score->bleu.length), value_int(score->bleu.reference), value_real(score->chrf));
}

/* `number` 0: all sentences. */
static void put_row(struct table *table, const struct study_result *study, int number,
                    const struct study_row *row)
{
    table_put(table, number ? value_int(number) : value_null(),
              value_shown(table->report, value_text(row->name),
                          report_length_words(table->report, row->name),
                          number ? (double)number : NAN),
              value_int(row->sentences));
    for (int s = 0; row->sentences && s < study->request.systems; s++)
        put_system(table, &row->score[s]);
    for (int m = 0; row->sentences && study->request.systems > 1 && m < STUDY_METRICS; m++) {
        double a = study_score(&row->score[0], m), b = study_score(&row->score[1], m);
        table_put(table, value_real(a), value_real(b), value_real(b - a));
    }
    for (int m = 0; !number && row->sentences && study->request.systems > 1 && m < STUDY_METRICS;
         m++) {
        const struct study_test *test = &study->tests[m];
        table_put(table, real_if(test->done, test->bootstrap.p), real_if(test->done, test->p));
    }
}

/* If sentences are requested, they are the table in files and on the screen. `command`: without a
 * group. */
static void add_groups(struct report *report, const struct study_result *study, const char *command)
{
    bool two = study->request.systems > 1, listed = study->request.listed != LISTED_NONE;
    unsigned in = IN_TEXT | IN_JSON | (listed ? 0 : IN_TABLE | IN_ARRAYS) |
                  (listed && study->list_count ? 0 : IN_SCREEN);
    struct table *table = report_table(report, in, "groups", two ? of_two : of_one,
                                       two ? COUNT(of_two) : COUNT(of_one));
    for (int i = 0; i < study->row_count; i++) {
        table_row(table);
        put_row(table, study, i + 1, &study->rows[i]);
        table_enter(table, ":%s group %d", command, i + 1);
    }
    // A single group is all sentences.
    table_row_in(table, IN_TABLE | IN_ARRAYS | (study->row_count > 1 ? FOR_PEOPLE : 0));
    put_row(table, study, 0, &study->all);
    table_enter(table, ":%s group all", command);
}

/* The screen shows one group's sentences, coming from the table of groups: repeats that row's
 * content. */
static void tell_group(struct report *report, const struct study_result *study)
{
    int listed = study->request.listed;
    const struct study_row *row = listed > 0 ? &study->rows[listed - 1] : NULL;
    if (!row || !row->sentences)
        return;
    const char *scores = study->request.systems == 1
                             ? report_format(report, "BLEU %.2f  chrF2 %.2f",
                                             row->score[0].bleu.score, row->score[0].chrf)
                             : report_format(report, "BLEU a %.2f  b %.2f  chrF2 a %.2f  b %.2f",
                                             row->score[0].bleu.score, row->score[1].bleu.score,
                                             row->score[0].chrf, row->score[1].chrf);
    report_line(report, IN_SCREEN, " group %d  length %s  %d sentences  %s", listed,
                report_length_words(report, row->name), row->sentences, scores);
}

/* Figures -------------------------------------------------------------------------------------- */

/* Returns "BLEU by reference length". */
static const char *figure_title(struct report *report, const char *measure,
                                const struct study_result *study)
{
    const char *by = study->row_count < 2       ? ""
                     : study->request.of_source ? " by source length"
                                                : " by reference length";
    return report_format(report, "%s%s", measure, by);
}

static void name_lengths(struct report *report, struct plot *plot, const struct study_result *study)
{
    const char **labels = report_new(report, (size_t)study->row_count, sizeof *labels);
    for (int i = 0; labels && i < study->row_count; i++)
        labels[i] = report_length_words(report, study->rows[i].name);
    plot->labels = labels;
    plot->x_title = length_title(study);
}

/* Returns the score or, with two systems, the gain of the second. */
static double plotted(const struct study_result *study, const struct study_row *row)
{
    double first = row->score[0].bleu.score;
    return study->request.systems > 1 ? row->score[1].bleu.score - first : first;
}

static void add_plot(struct report *report, const struct study_result *study)
{
    bool two = study->request.systems > 1;
    struct plot *plot = report_plot(report, IN_FIGURE, PLOT_BARS, 1, study->row_count);
    for (int i = 0; plot->values && i < study->row_count; i++)
        if (study->rows[i].sentences)
            plot->values[i] = (float)plotted(study, &study->rows[i]);
    name_lengths(report, plot, study);
    char *const *names = study->request.names;
    plot->series[0] = two ? report_format(report, "%s " MINUS " %s", names[1], names[0]) : "BLEU";
    plot->y_title = two ? "change in BLEU" : "BLEU";
    plot->title = figure_title(report, two ? "Change in BLEU" : "BLEU", study);
    plot->mean = plotted(study, &study->all);
    plot->mean_name = "all sentences";
    const struct study_test *test = &study->tests[STUDY_BLEU];
    if (two && test->done && test->p < SIGNIFICANT) {
        plot->mean_name = "all sentences *";
        plot->note = report_format(report, "* p < %g (approximate randomisation)", SIGNIFICANT);
    }
}

/* Reports -------------------------------------------------------------------------------------- */

static void add_corpus(struct report *report, const struct study_result *study)
{
    report_json(report, "files", report_files(&study->request.files));
    report_json(report, "sentences", value_int(study->sentences));
    report_json(report, "partial", value_bool(study_partial(study)));
    report_json(report, "by", value_text(study->request.of_source ? "source" : "reference"));
    report_json(report, "unit", value_text(length_unit(study)));
}

/* Warns if a language has no blanks: whole sentences would be tokens. */
static void warn_tokenizer(struct report *report, const struct study_result *study)
{
    const char *better = study->better_tokenizer;
    if (better)
        report_warn(report,
                    "%s: %s finds words by blanks, which is not enough for this language: "
                    ":set bleu.tokenize %s",
                    study->request.files.text[1], bleu_tokenizer_names[study->settings.tokenizer],
                    better);
}

void report_scores(struct report *report, const struct study_result *study)
{
    const struct study_request *request = &study->request;
    bool two = request->systems > 1, listed = request->listed != LISTED_NONE;
    const char *command = command_words(report, request);
    set_title(report, study);
    report_command(report, "%s%s", command, report_group_words(report, request->listed));
    add_partial(report, study);
    (two ? add_tests : add_scores)(report, study);
    add_corpus(report, study);
    if (two)
        report_line(report, FOR_PEOPLE, " %d of %d sentences differ", study->differing,
                    study->sentences);
    tell_group(report, study);
    add_groups(report, study, command);
    if (two)
        report_json(report, "differing", value_int(study->differing));
    unsigned in = (two || listed ? IN_JSON : 0) | (listed ? IN_TABLE | IN_ARRAYS : 0) |
                  (!study->list_count ? 0
                   : listed           ? FOR_PEOPLE
                                      : IN_TEXT);
    warn_tokenizer(report, study);
    report_listed(report, in, study, request->scored ? NULL : &request->files);
    tell_signatures(report, study);
    if (!listed)
        add_plot(report, study);
}

void report_studies(struct report *report, const struct several_states *several)
{
    const struct study_result *first = &several->studies[0];
    const char *measure = several_states_measure(several);
    const char *signature = report_signature(report, first, STUDY_BLEU, false);
    set_title(report, first);
    report_command(report, "%s%s", command_words(report, &first->request),
                   report_in_states(report, &several->names));
    report_json(report, "name", value_text(measure));
    report_json(report, "signature", value_text(signature));
    report_json(report, "by", value_text(first->request.of_source ? "source" : "reference"));
    report_json(report, "unit", value_text(length_unit(first)));
    report_json(report, "files", report_files(&first->request.files));
    bool grouped = first->request.by || first->request.of_source;
    report_several_states(report, several, measure, grouped);
    report_line(report, FOR_PEOPLE, " %s|%s", measure, signature);
    warn_tokenizer(report, first);
    enum plot_kind kind = !grouped ? PLOT_TABLE : first->row_count > 1 ? PLOT_LINES : PLOT_BARS;
    struct plot *plot = report_several_plot(report, several, kind, 0, first->row_count);
    name_lengths(report, plot, first);
    plot->y_title = measure;
    plot->title = grouped ? figure_title(report, measure, first) : measure;
    plot->without_zero = plot->kind == PLOT_LINES;
}
