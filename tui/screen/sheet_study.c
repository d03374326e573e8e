/* Tables of scores: groups of sentences by length, or, where they are listed, the sentences. */
#include <math.h>
#include <stdlib.h>

#include "tui/arguments.h"
#include "tui/plain.h"
#include "tui/screen/sheet_results.h"

enum {
    IN_FRONT = 3,                    // columns before the scores
    SCORES_MOST = STUDY_METRICS * 3, // of two systems: a, b and b - a
    BEHIND = 3,                      // two outputs and a reference
    COLUMNS_MOST = IN_FRONT + SCORES_MOST + BEHIND
};

/* Titles of the scores' columns; returns how many there are. */
static int score_columns(const struct study_result *study, struct sheet_column *columns)
{
    static const char *const titles[STUDY_METRICS][STUDY_SYSTEMS] = {
        [STUDY_BLEU] = {"BLEU a", "BLEU b"},
        [STUDY_CHRF] = {"chrF2 a", "chrF2 b"},
    };
    int count = 0;
    for (int m = 0; m < STUDY_METRICS; m++) {
        if (study->request.systems == 1) {
            columns[count++] = (struct sheet_column){study_metric_names[m], true, 0};
            continue;
        }
        for (int s = 0; s < STUDY_SYSTEMS; s++)
            columns[count++] = (struct sheet_column){titles[m][s], true, 0};
        columns[count++] = (struct sheet_column){"b - a", true, 0};
    }
    return count;
}

/* Scores of the last row; `there` false: it has none. */
static bool put_scores(struct sheet *sheet, const struct study_result *study,
                       const struct corpus_score *score, bool there, struct status *status)
{
    int column = IN_FRONT;
    for (int m = 0; there && m < STUDY_METRICS; m++) {
        double a = study_score(&score[0], m), b;
        if (!sheet_put_number(sheet, column++, a, 2, status))
            return false;
        if (study->request.systems == 1)
            continue;
        b = study_score(&score[1], m);
        if (!sheet_put_number(sheet, column++, b, 2, status) ||
            !sheet_put_difference(sheet, column++, b - a, 2, status))
            return false;
    }
    return true;
}

/* What is not in the table; `groups`: scores by length, too. */
static bool note_facts(struct sheet *sheet, const struct study_result *study, bool groups,
                       struct status *status)
{
    struct text_stream stream;
    if (!text_begin(&stream, status))
        return false;
    plain_study_facts(stream.out, study);
    if (groups)
        plain_study_groups(stream.out, study);
    plain_study_differing(stream.out, study);
    return text_note(&stream, sheet, status);
}

/* Groups ----------------------------------------------------------------------------------------- */

/* Enter on the last row lists the sentences of a group. */
static bool put_listing(struct sheet *sheet, const struct result *result, int group,
                        struct status *status)
{
    struct result listed = *result; // borrows all
    listed.study.request.listed = group;
    return sheet_put_view(sheet, &listed, status);
}

/* Groups are in the order of their lengths; number 0: all sentences. */
static bool put_group(struct sheet *sheet, const struct study_result *study, int number,
                      const struct study_row *row, struct status *status)
{
    double place = number > 0 ? number : NAN;
    return sheet_row(sheet, status) && sheet_put_number(sheet, 0, place, 0, status) &&
           sheet_put_named(sheet, 1, place, row->name, status) &&
           sheet_put_number(sheet, 2, row->sentences, 0, status) &&
           put_scores(sheet, study, row->score, row->sentences > 0, status);
}

static bool of_groups(struct sheet *sheet, const struct result *result, struct status *status)
{
    const struct study_result *study = &result->study;
    struct sheet_column columns[COLUMNS_MOST] = {
        {"group", true, 0}, {"length", true, 0}, {"sentences", true, 0}};
    int count = IN_FRONT + score_columns(study, columns + IN_FRONT);
    if (!sheet_begin(sheet, columns, count, status) || !note_facts(sheet, study, false, status))
        return false;
    for (int i = 0; i < study->row_count; i++)
        if (!put_group(sheet, study, i + 1, &study->rows[i], status) ||
            !put_listing(sheet, result, i + 1, status))
            return false;
    return study->row_count == 1 || (put_group(sheet, study, 0, &study->all, status) &&
                                     put_listing(sheet, result, LISTED_ALL, status));
}

/* Sentences -------------------------------------------------------------------------------------- */

/* Goes to the sentence in its file, beside its reference. */
static bool put_place(struct sheet *sheet, const struct pieces *files, int number,
                      struct status *status)
{
    struct text_stream stream;
    if (!text_begin(&stream, status))
        return false;
    fputs(":open ", stream.out);
    arguments_quote(stream.out, files->text[0]);
    fputc(' ', stream.out);
    arguments_quote(stream.out, files->text[1]);
    fprintf(stream.out, "\n:goto %d", number);
    return text_command(&stream, sheet, status);
}

static bool put_sentence(struct sheet *sheet, const struct study_result *study,
                         const struct study_sentence *sentence, int column, struct status *status)
{
    if (!sheet_row(sheet, status) || !sheet_put_number(sheet, 0, sentence->number, 0, status) ||
        !sheet_put_number(sheet, 1, sentence->group, 0, status) ||
        !sheet_put_number(sheet, 2, sentence->length, 0, status) ||
        !put_scores(sheet, study, sentence->score, true, status))
        return false;
    for (int s = 0; s < study->request.systems; s++)
        if (!sheet_put_text(sheet, column++, sentence->text[s], status))
            return false;
    return sheet_put_text(sheet, column, sentence->reference, status);
}

bool sheet_of_sentences(struct sheet *sheet, const struct study_result *study,
                        const struct pieces *files, struct status *status)
{
    struct sheet_column columns[COLUMNS_MOST] = {
        {"number", true, 0}, {"group", true, 0}, {"length", true, 0}};
    int texts = IN_FRONT + score_columns(study, columns + IN_FRONT), count = texts;
    bool two = study->request.systems > 1;
    columns[count++] = (struct sheet_column){two ? "a" : "output", false, 0};
    if (two)
        columns[count++] = (struct sheet_column){"b", false, 0};
    columns[count++] = (struct sheet_column){"reference", false, 0};
    if (!sheet_begin(sheet, columns, count, status))
        return false;
    for (int i = 0; i < study->list_count; i++)
        if (!put_sentence(sheet, study, &study->list[i], texts, status) ||
            (files && !put_place(sheet, files, study->list[i].number, status)))
            return false;
    return true;
}

bool sheet_of_study(struct sheet *sheet, const struct session *session, const struct result *result,
                    struct status *status)
{
    const struct study_result *study = &result->study;
    const struct pieces *files = study->request.scored ? NULL : &study->request.files;
    (void)session;
    return study->list_count > 0 ? sheet_of_sentences(sheet, study, files, status) &&
                                       note_facts(sheet, study, true, status)
                                 : of_groups(sheet, result, status);
}
