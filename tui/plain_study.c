/* Scores of translations as plain text. */
#include <stdlib.h>

#include "tui/display.h"
#include "tui/plain.h"
#include "tui/titles.h"

/* As sacreBLEU prints a score: "BLEU|SIGNATURE = 37.52 VERBOSE". */
static void print_score(FILE *stream, const struct study_result *study, int metric)
{
    const struct corpus_score *score = &study->all.score[0];
    fprintf(stream, " %s|", study_metric_names[metric]);
    study_write_signature(stream, study, metric, false);
    fprintf(stream, " = %.2f", study_score(score, metric));
    if (metric == STUDY_BLEU) {
        fputc(' ', stream);
        bleu_write_verbose(stream, &score->bleu);
    }
    fputc('\n', stream);
}

static void print_change(FILE *stream, const struct corpus_score score[2], int metric)
{
    fprintf(stream, " %8.2f %8.2f %+8.2f", study_score(&score[0], metric),
            study_score(&score[1], metric),
            study_score(&score[1], metric) - study_score(&score[0], metric));
}

static void print_row(FILE *stream, const struct study_result *study, int number,
                      const struct study_row *row)
{
    if (number)
        fprintf(stream, " %5d", number);
    else
        fprintf(stream, " %5s", "");
    fprintf(stream, " %-12s %9d", row->name, row->sentences);
    for (int m = 0; row->sentences && m < STUDY_METRICS; m++) {
        if (study->request.systems > 1)
            print_change(stream, row->score, m);
        else
            fprintf(stream, " %8.2f", study_score(&row->score[0], m));
    }
    fputc('\n', stream);
}

void plain_study_groups(FILE *stream, const struct study_result *study)
{
    fprintf(stream, " %5s %-12s %9s", "group", "length", "sentences");
    for (int m = 0; m < STUDY_METRICS; m++) {
        if (study->request.systems > 1)
            fprintf(stream, " %6s a %6s b %8s", study_metric_names[m], study_metric_names[m],
                    "b - a");
        else
            fprintf(stream, " %8s", study_metric_names[m]);
    }
    fputc('\n', stream);
    for (int i = 0; i < study->row_count; i++)
        print_row(stream, study, i + 1, &study->rows[i]);
    if (study->row_count > 1)
        print_row(stream, study, 0, &study->all);
}

static void print_line(FILE *stream, const char *title, const char *text)
{
    fprintf(stream, "       %-9s  ", title);
    plain_text(stream, text);
}

static void print_sentence(FILE *stream, const struct study_result *study,
                           const struct study_sentence *sentence)
{
    bool two = study->request.systems > 1;
    fprintf(stream, " %5d  length %d", sentence->number, sentence->length);
    for (int m = 0; m < STUDY_METRICS; m++) {
        fprintf(stream, "  %s %.2f", study_metric_names[m], study_score(&sentence->score[0], m));
        if (two)
            fprintf(stream, " → %.2f", study_score(&sentence->score[1], m));
    }
    fputc('\n', stream);
    print_line(stream, two ? "a" : "output", sentence->text[0]);
    if (two)
        print_line(stream, "b", sentence->text[1]);
    print_line(stream, "reference", sentence->reference);
}

void plain_listed(FILE *stream, const struct study_result *study)
{
    for (int i = 0; i < study->list_count; i++)
        print_sentence(stream, study, &study->list[i]);
}

void plain_study_title(FILE *stream, const struct session *session, const struct result *view)
{
    char *title = view_title(session, view, NULL);
    fputc(' ', stream);
    plain_text(stream, title ? title : "");
    free(title);
}

static void print_partial(FILE *stream, const struct study_result *study)
{
    if (study->sentences < study->lines)
        fprintf(stream, " partial: the first %d of %d sentences\n", study->sentences, study->lines);
    else if (study_partial(study))
        fprintf(stream, " partial: %s\n", study_untested(study));
}

/* The mean over resamples of a system, and how far 95% of them are from it to either side. */
static void print_resampled(FILE *stream, const struct bootstrap_result *bootstrap, int system)
{
    const struct interval *interval = &bootstrap->interval[system];
    fprintf(stream, "  %s %.2f ± %.2f", system ? "b" : "a", bootstrap->mean[system],
            (interval->high - interval->low) / 2);
}

/* sacreBLEU's p is of trials that are above the true difference, without those that tie: of few sentences most do,
 * and it says that what is chance is none. */
static void print_ties(FILE *stream, const struct study_test *test)
{
    double least = paired_least(test->differing);
    if (test->differing == 0)
        fputs("   no sentence scores differently: p means nothing\n", stream);
    else if (test->p < least)
        fprintf(stream,
                "   %d sentence%s differently: counting ties, which sacreBLEU does not, p of the "
                "randomisation is %.4g at least\n",
                test->differing, test->differing == 1 ? " scores" : "s score", least);
}

static void print_test(FILE *stream, const struct study_result *study, int metric)
{
    const struct study_test *test = &study->tests[metric];
    double a = study_score(&study->all.score[0], metric);
    double b = study_score(&study->all.score[1], metric);
    fprintf(stream, " %s|", study_metric_names[metric]);
    study_write_signature(stream, study, metric, test->done);
    fprintf(stream, "\n   a %.2f  b %.2f  b - a %+.2f\n", a, b, b - a);
    if (!test->done)
        return;
    fprintf(stream, "   resampled");
    print_resampled(stream, &test->bootstrap, 0);
    print_resampled(stream, &test->bootstrap, 1);
    fprintf(stream, "  b - a [%+.2f, %+.2f]\n", test->bootstrap.difference.low,
            test->bootstrap.difference.high);
    fprintf(stream, "   p = %.4f (paired bootstrap)  p = %.4f (approximate randomisation)\n",
            test->bootstrap.p, test->p);
    print_ties(stream, test);
}

void plain_study_facts(FILE *stream, const struct study_result *study)
{
    print_partial(stream, study);
    for (int m = 0; m < STUDY_METRICS; m++) {
        if (study->request.systems > 1)
            print_test(stream, study, m);
        else
            print_score(stream, study, m);
    }
}

void plain_study_differing(FILE *stream, const struct study_result *study)
{
    if (study->request.systems > 1)
        fprintf(stream, " %d of %d sentences differ\n", study->differing, study->sentences);
}

void plain_study(struct sink *sink, const struct session *session, const struct result *result)
{
    const struct study_result *study = &result->study;
    plain_study_title(sink->stream, session, result);
    plain_study_facts(sink->stream, study);
    plain_study_groups(sink->stream, study);
    plain_study_differing(sink->stream, study);
    plain_listed(sink->stream, study);
}
