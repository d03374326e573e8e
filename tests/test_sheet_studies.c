/* Tables of studies: scores, ablations, prunings, decisions of contrastive suites. Numbers are the results' own, and
 * Enter on a row leads to the sentences behind it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/scored_support.h"
#include "tests/sheet_support.h"

static void scores_by_length_lead_to_their_sentences(void **unused)
{
    struct scored scored;
    struct result result;
    char score[64];
    (void)unused;
    scored_open(&scored, "vanilla_post", SHEET_SOURCES, SHEET_REFERENCES);
    struct sheet sheet =
        sheet_of_line(&scored.bench, scored_line(&scored, ":bleu", " by 3"), &result);
    const struct study_result *study = &result.study;
    assert_int_equal(sheet.row_count, study->row_count + 1);
    for (int g = 0; g < study->row_count; g++) {
        sheet_check_number(&sheet, g, "group", 0, g + 1, 0);
        sheet_check_text(&sheet, g, "length", study->rows[g].name);
        sheet_check_number(&sheet, g, "sentences", 0, study->rows[g].sentences, 0);
        sheet_check_number(&sheet, g, "chrF2", 0, study->rows[g].score[0].chrf, 2);
        sheet_check_number(&sheet, g, "BLEU", 0, study->rows[g].score[0].bleu.score, 2);
    }
    sheet_check_number(&sheet, 2, "chrF2", 0, study->all.score[0].chrf, 2);
    sheet_check_text(&sheet, 2, "group", "");
    snprintf(score, sizeof score, " = %.2f", study->all.score[0].chrf);
    assert_true(sheet_has_note(&sheet, " BLEU|nrefs:1") && sheet_has_note(&sheet, score));
    struct result listed;
    struct sheet sentences = sheet_of_line(&scored.bench, sheet.commands[1], &listed);
    assert_int_equal(listed.study.request.listed, 2);
    assert_int_equal(sentences.row_count, listed.study.list_count);
    assert_int_equal(sentences.row_count, study->rows[1].sentences);
    for (int i = 0; i < sentences.row_count; i++) {
        const struct study_sentence *one = &listed.study.list[i];
        sheet_check_number(&sentences, i, "number", 0, one->number, 0);
        sheet_check_number(&sentences, i, "group", 0, 2, 0);
        sheet_check_number(&sentences, i, "BLEU", 0, one->score[0].bleu.score, 2);
        sheet_check_text(&sentences, i, "output", one->text[0]);
        sheet_check_text(&sentences, i, "reference", one->reference);
    }
    assert_true(sheet_has_note(&sentences, "<3")); // the groups
    sheet_free(&sentences);
    result_free(&listed);
    sheet_free(&sheet);
    result_free(&result);
    scored_close(&scored);
}

static void two_states_are_compared_in_a_table(void **unused)
{
    struct scored scored;
    struct result result;
    (void)unused;
    scored_open(&scored, "vanilla_post", SHEET_SOURCES, SHEET_REFERENCES);
    bench_run_quietly(&scored.bench, ":set significance.resamples 50");
    bench_run_quietly(&scored.bench, ":disable cross layer all");
    struct sheet sheet = sheet_of_line(
        &scored.bench, scored_line(&scored, ":compare vanilla_post.bin current", ""), &result);
    const struct study_result *study = &result.study;
    assert_true(study->list_count > 0);
    assert_int_equal(sheet.row_count, study->list_count);
    for (int i = 0; i < sheet.row_count; i++) {
        const struct study_sentence *one = &study->list[i];
        double a = one->score[0].chrf, b = one->score[1].chrf;
        sheet_check_number(&sheet, i, "BLEU a", 0, one->score[0].bleu.score, 2);
        sheet_check_number(&sheet, i, "chrF2 b", 0, b, 2);
        sheet_check_number(&sheet, i, "b - a", 1, b - a, 2);
        assert_non_null(strchr("+-", sheet_cell_at(&sheet, i, "b - a", 1)->text[0]));
        sheet_check_text(&sheet, i, "a", one->text[0]);
        sheet_check_text(&sheet, i, "b", one->text[1]);
        sheet_check_text(&sheet, i, "reference", one->reference);
    }
    char differ[64];
    snprintf(differ, sizeof differ, "%d of 5 sentences differ", study->differing);
    assert_true(sheet_has_note(&sheet, differ) && sheet_has_note(&sheet, "paired bootstrap"));
    sheet_free(&sheet);
    result_free(&result);
    scored_close(&scored);
}

static void groups_of_length_sort_by_number(void **unused)
{
    static const char *const rising[] = {"<3", "[3,20)", ">=20", "all"}; // not the order of bytes
    struct scored scored;
    struct result result;
    (void)unused;
    scored_open(&scored, "vanilla_post", SHEET_SOURCES, SHEET_REFERENCES);
    struct sheet sheet =
        sheet_of_line(&scored.bench, scored_line(&scored, ":bleu", " by 3,20"), &result);
    sheet_sort(&sheet, 1);
    assert_int_equal(sheet.row_count, 4);
    for (int i = 0; i < 4; i++)
        sheet_check_text(&sheet, sheet.order[i], "length", rising[i]);
    sheet_sort(&sheet, 1);
    sheet_check_text(&sheet, sheet.order[0], "length", ">=20");
    sheet_check_text(&sheet, sheet.order[3], "length", "all");
    sheet_free(&sheet);
    result_free(&result);
    scored_close(&scored);
}

/* Runs what Enter on a row runs; the caller frees the last line's result. */
static struct result enter(struct bench *bench, const struct sheet *sheet, int row)
{
    struct result result = {.kind = RESULT_NONE};
    assert_non_null(sheet->commands[row]);
    char *lines = strdup(sheet->commands[row]), *rest = lines;
    assert_non_null(lines);
    for (char *line; (line = strsep(&rest, "\n"));) {
        result_free(&result);
        result = bench_run(bench, line);
    }
    free(lines);
    return result;
}

static void check_p(const struct sheet *sheet, int row, const char *title, double p)
{
    char text[40];
    const struct sheet_cell *cell = sheet_cell_at(sheet, row, title, 0);
    snprintf(text, sizeof text, "%.4g", p);
    assert_true(cell->number == p);
    assert_string_equal(cell->text, text);
}

/* One item has two errors of different types, one a line break in its source. */
#define SUITE                                                                                      \
    "[{\"source\": \"the dog\", \"reference\": \"der Hund\", \"errors\": ["                        \
    "{\"contrastive\": \"Hund der\", \"type\": \"order\"},"                                        \
    "{\"contrastive\": \"die Katze sieht\", \"type\": \"word\", \"distance\": 2}]},"               \
    "{\"source\": \"the cat\", \"reference\": \"die Katze sieht\", \"errors\": ["                  \
    "{\"contrastive\": \"die Katze\", \"type\": \"word\"}]},"                                      \
    "{\"source\": \"the\\ncat\", \"reference\": \"der Hund\", \"errors\": ["                       \
    "{\"contrastive\": \"Hund\", \"type\": \"word\"}]}]"

/* Every state's column against its own `:bleu`, or `:contrast`. */
static void states_stand_side_by_side(void **unused)
{
    struct scored scored;
    struct result result, alone;
    char line[200], path[64];
    (void)unused;
    scored_open(&scored, "vanilla_post", SHEET_SOURCES, SHEET_REFERENCES);
    bench_run_quietly(&scored.bench, ":disable cross layer all");
    struct sheet sheet = sheet_of_line(
        &scored.bench, scored_line(&scored, ":bleu", " by 3 in vanilla_post.bin current"), &result);
    struct sheet now = sheet_of_line(&scored.bench, scored_line(&scored, ":bleu", " by 3"), &alone);
    assert_int_equal(sheet.row_count, now.row_count);
    for (int i = 0; i < sheet.row_count; i++) {
        double bleu = sheet_cell_at(&now, i, "BLEU", 0)->number;
        sheet_check_text(&sheet, i, "name", sheet_cell_at(&now, i, "length", 0)->text);
        sheet_check_number(&sheet, i, "b", 0, bleu, 2);
        sheet_check_text(&sheet, i, "sentences", sheet_cell_at(&now, i, "sentences", 0)->text);
    }
    assert_true(sheet_has_note(&sheet, " a  vanilla_post.bin") &&
                sheet_has_note(&sheet, " b  current"));
    sheet_free(&now);
    result_free(&alone);
    sheet_free(&sheet);
    result_free(&result);
    snprintf(line, sizeof line, ":contrast %s in vanilla_post.bin current",
             write_lines(SUITE, path));
    sheet = sheet_of_line(&scored.bench, line, &result);
    *strstr(line, " in ") = '\0';
    now = sheet_of_line(&scored.bench, line, &alone);
    assert_int_equal(sheet.row_count, now.row_count);
    for (int i = 0; i < sheet.row_count; i++)
        assert_true(fabs(sheet_cell_at(&sheet, i, "b", 0)->number -
                         sheet_cell_at(&now, i, "accuracy", 0)->number) < 1e-9);
    sheet_free(&now);
    result_free(&alone);
    sheet_free(&sheet);
    result_free(&result);
    unlink(path);
    scored_close(&scored);
}

/* Ablations -------------------------------------------------------------------------------------- */

static void check_ablation(const struct sheet *sheet, const struct ablate_result *ablate, int row)
{
    const struct ablation *one = &ablate->ablations.items[row];
    const struct ablation_score *score = &ablate->scores[row];
    sheet_check_number(sheet, row, "row", 0, row + 1, 0);
    sheet_check_text(sheet, row, "module", module_names[one->module]);
    sheet_check_number(sheet, row, "layer", 0, one->layers[0] + 1, 0);
    sheet_check_number(sheet, row, "head", 0, one->heads[0] + 1, 0);
    sheet_check_number(sheet, row, "BLEU", 0, score->score, 2);
    sheet_check_number(sheet, row, "delta", 0, score->delta, 2);
    assert_non_null(strchr("+-", sheet_cell_at(sheet, row, "delta", 0)->text[0]));
    sheet_check_number(sheet, row, "differing", 0, score->differing, 0);
    check_p(sheet, row, "p", score->p);
    check_p(sheet, row, "p adjusted", score->p_adjusted);
}

/* Sentences that are listed, then one of them in its test set. */
static void check_listed(struct scored *scored, const struct sheet *sentences,
                         const struct study_result *shown)
{
    assert_int_equal(sentences->row_count, shown->list_count);
    for (int i = 0; i < sentences->row_count; i++) {
        sheet_check_number(sentences, i, "number", 0, shown->list[i].number, 0);
        sheet_check_text(sentences, i, "a", shown->list[i].text[0]);
        sheet_check_text(sentences, i, "b", shown->list[i].text[1]);
        assert_string_not_equal(shown->list[i].text[0], shown->list[i].text[1]);
    }
    struct result one = enter(&scored->bench, sentences, 0);
    assert_int_equal(one.kind, RESULT_TESTSET);
    assert_int_equal(scored->bench.session->testset->current + 1, shown->list[0].number);
    result_free(&one);
}

/* The sentences of the ablation that changes most. */
static void check_sentences(struct scored *scored, const struct sheet *sheet, int row,
                            int differing)
{
    struct result result;
    struct sheet sentences = sheet_of_line(&scored->bench, sheet->commands[row], &result);
    char note[100];
    assert_int_equal(result.ablate.request.shown, row + 1);
    assert_int_equal(sentences.row_count, differing);
    snprintf(note, sizeof note, "row %d: a without, b with", row + 1);
    assert_true(sheet_has_note(&sentences, note));
    check_listed(scored, &sentences, &result.ablate.shown);
    sheet_free(&sentences);
    result_free(&result);
}

static void ablations_lead_to_the_sentences_they_change(void **unused)
{
    struct scored scored;
    struct result result;
    int most = 0;
    (void)unused;
    scored_open(&scored, "vanilla_post", SHEET_SOURCES, SHEET_REFERENCES);
    bench_run_quietly(&scored.bench, ":set significance.resamples 50");
    struct sheet sheet = sheet_of_line(
        &scored.bench, scored_line(&scored, ":ablate", " by layer,head enc or cross"), &result);
    const struct ablate_result *ablate = &result.ablate;
    assert_int_equal(sheet.row_count, ablate->ablations.count);
    for (int i = 0; i < sheet.row_count; i++) {
        check_ablation(&sheet, ablate, i);
        most = ablate->scores[i].differing > ablate->scores[most].differing ? i : most;
    }
    assert_true(sheet_has_note(&sheet, "without an ablation"));
    assert_true(ablate->scores[most].differing > 0);
    check_sentences(&scored, &sheet, most, ablate->scores[most].differing);
    sheet_free(&sheet);
    result_free(&result);
    scored_close(&scored);
}

static void what_is_off_everywhere_comes_before_lists(void **unused)
{
    struct scored scored;
    struct result result;
    (void)unused;
    scored_open(&scored, "vanilla_post", SHEET_SOURCES, SHEET_REFERENCES);
    struct sheet sheet = sheet_of_line(
        &scored.bench,
        scored_line(&scored, ":ablate", " enc layer 2 or enc head 2 or enc layer 1-2 head 1"),
        &result);
    sheet_check_text(&sheet, 0, "head", "all");
    sheet_check_text(&sheet, 1, "layer", "all");
    sheet_check_text(&sheet, 2, "layer", "1-2");
    sheet_sort(&sheet, 2); // by layer
    assert_int_equal(sheet.order[0], 1);
    assert_int_equal(sheet.order[1], 2);
    assert_int_equal(sheet.order[2], 0);
    sheet_free(&sheet);
    result_free(&result);
    scored_close(&scored);
}

/* The sentences of one of the steps. */
static void check_step(struct scored *scored, const struct sheet *sheet, int step)
{
    struct result result;
    struct sheet sentences = sheet_of_line(&scored->bench, sheet->commands[step - 1], &result);
    char note[100];
    assert_int_equal(result.prune.request.shown, step);
    assert_true(sentences.row_count > 0);
    snprintf(note, sizeof note, "step %d: a with all heads, b without those of steps 1 to %d", step,
             step);
    assert_true(sheet_has_note(&sentences, note));
    check_listed(scored, &sentences, &result.prune.shown);
    sheet_free(&sentences);
    result_free(&result);
}

static void steps_of_a_pruning_lead_to_the_sentences_they_change(void **unused)
{
    struct scored scored;
    struct result result;
    (void)unused;
    scored_open(&scored, "vanilla_post", SHEET_SOURCES, SHEET_REFERENCES);
    struct sheet sheet = sheet_of_line(
        &scored.bench, scored_line(&scored, ":prune", " until 100 enc layer 1"), &result);
    const struct prune_result *prune = &result.prune;
    assert_int_equal(sheet.row_count, prune->count);
    assert_true(prune->count > 1);
    for (int i = 0; i < prune->count; i++) {
        const struct prune_step *step = &prune->steps[i];
        sheet_check_number(&sheet, i, "step", 0, i + 1, 0);
        sheet_check_text(&sheet, i, "module", "encoder");
        sheet_check_number(&sheet, i, "layer", 0, step->layer + 1, 0);
        sheet_check_number(&sheet, i, "head", 0, step->head + 1, 0);
        sheet_check_number(&sheet, i, "left", 0, prune->heads - i - 1, 0);
        sheet_check_number(&sheet, i, "BLEU", 0, step->score, 2);
        sheet_check_number(&sheet, i, "delta", 0, step->delta, 2);
    }
    assert_true(sheet_has_note(&sheet, "with all of"));
    for (int step = 1; step <= prune->count; step++)
        check_step(&scored, &sheet, step);
    sheet_free(&sheet);
    result_free(&result);
    scored_close(&scored);
}

/* Contrastive suites ----------------------------------------------------------------------------- */

static bool has_column(const struct sheet *sheet, const char *title)
{
    for (int c = 0; c < sheet->column_count; c++)
        if (strcmp(sheet->columns[c].title, title) == 0)
            return true;
    return false;
}

/* What `:score` says of a pair. */
static double score_of(struct bench *bench, const char *source, const char *target)
{
    char line[400];
    snprintf(line, sizeof line, ":score %s ||| %s", source, target);
    struct result result = bench_run(bench, line);
    double logprob = result.score.logprob;
    result_free(&result);
    return logprob;
}

static void check_decisions(struct bench *bench, const char *command)
{
    struct result result;
    struct sheet sheet = sheet_of_line(bench, command, &result);
    assert_int_equal(sheet.row_count, result.contrast.list_count);
    assert_true(has_column(&sheet, "type") && has_column(&sheet, "distance"));
    assert_false(has_column(&sheet, "sense") || has_column(&sheet, "frequency"));
    for (int i = 0; i < sheet.row_count; i++) {
        const char *source = sheet_cell_at(&sheet, i, "source", 0)->text;
        double margin = sheet_cell_at(&sheet, i, "margin", 0)->number;
        if (strchr(source, '\n')) {
            assert_null(sheet.commands[i]);
            continue;
        }
        double reference = score_of(bench, source, sheet_cell_at(&sheet, i, "reference", 0)->text);
        double other = score_of(bench, source, sheet_cell_at(&sheet, i, "contrastive", 0)->text);
        assert_true(sheet_cell_at(&sheet, i, "of reference", 0)->number == reference);
        assert_true(sheet_cell_at(&sheet, i, "of contrastive", 0)->number == other);
        assert_true(margin == reference - other);
        sheet_check_text(&sheet, i, "", margin > 0 ? "right" : "wrong");
        struct result forced = enter(bench, &sheet, i);
        assert_string_equal(bench->session->subject->text, source);
        assert_string_equal(subject_target(bench->session->subject),
                            sheet_cell_at(&sheet, i, "reference", 0)->text);
        result_free(&forced);
    }
    sheet_free(&sheet);
    result_free(&result);
}

static void decisions_lead_to_their_sentences(void **unused)
{
    struct bench bench = bench_open("vanilla_post");
    struct result result;
    char path[64], line[100];
    (void)unused;
    bench_connect(&bench);
    snprintf(line, sizeof line, ":contrast %s", write_lines(SUITE, path));
    struct sheet sheet = sheet_of_line(&bench, line, &result);
    const struct contrast_result *contrast = &result.contrast;
    assert_int_equal(contrast->decisions, 4);
    assert_int_equal(sheet.row_count, contrast->groups.count + 1);
    for (int i = 0; i < contrast->groups.count; i++) {
        const struct contrast_group *group = &contrast->groups.groups[i];
        sheet_check_number(&sheet, i, "group", 0, i + 1, 0);
        sheet_check_text(&sheet, i, "name", group->name);
        sheet_check_number(&sheet, i, "decisions", 0, group->decisions, 0);
        sheet_check_number(&sheet, i, "correct", 0, group->correct, 0);
        sheet_check_number(&sheet, i, "accuracy", 0, 100.0 * group->correct / group->decisions, 2);
    }
    sheet_check_text(&sheet, 0, "by", "type");
    sheet_check_text(&sheet, 0, "name", "order");
    sheet_check_text(&sheet, 1, "name", "word");
    sheet_check_number(&sheet, 1, "decisions", 0, 3, 0);
    sheet_check_text(&sheet, sheet.row_count - 1, "name", "all");
    sheet_check_number(&sheet, sheet.row_count - 1, "decisions", 0, 4, 0);
    assert_true(sheet_has_note(&sheet, "of 4 correct"));
    check_decisions(&bench, sheet.commands[1]);
    check_decisions(&bench, sheet.commands[sheet.row_count - 1]);
    sheet_free(&sheet);
    result_free(&result);
    unlink(path);
    bench_close(&bench);
}

#define ITEM(reference, contrastive)                                                               \
    "{\"source\": \"he sees a dog\", \"reference\": \"" reference                                  \
    "\", \"errors\": [{\"contrastive\": \"" contrastive "\"}]}"
#define PAIRS                                                                                      \
    "[" ITEM("der Hund", "die Katze") "," ITEM("er sieht", "sie ist") "," ITEM(                    \
        "einen Hund", "eine Katze") "," ITEM("alt und klein",                                      \
                                             "der Hund sieht") "," ITEM("Fluss", "den") "]"

/* The margin after, by `:score`; a decision is won where it is above 0. */
static void check_flips(struct bench *bench, const struct sheet *sheet, int count)
{
    assert_true(count > 0);
    assert_int_equal(sheet->row_count, count);
    for (int i = 0; i < count; i++) {
        const char *source = sheet_cell_at(sheet, i, "source", 0)->text;
        double before = sheet_cell_at(sheet, i, "margin before", 0)->number;
        double after = sheet_cell_at(sheet, i, "margin after", 0)->number;
        double reference = score_of(bench, source, sheet_cell_at(sheet, i, "reference", 0)->text);
        double other = score_of(bench, source, sheet_cell_at(sheet, i, "contrastive", 0)->text);
        assert_true(after == reference - other);
        assert_true((before > 0) != (after > 0));
        sheet_check_text(sheet, i, "", after > 0 ? "won" : "lost");
    }
}

static void changed_decisions_are_a_table(void **unused)
{
    struct bench bench = bench_open("vanilla_post");
    struct result result;
    char path[64], line[100];
    (void)unused;
    bench_connect(&bench);
    snprintf(line, sizeof line, ":contrast %s", write_lines(PAIRS, path));
    bench_run_quietly(&bench, line);
    bench_run_quietly(&bench, ":disable cross layer all");
    bench_run_quietly(&bench, line);
    struct sheet sheet = sheet_of_line(&bench, ":flips", &result);
    check_flips(&bench, &sheet, result.flips.lost + result.flips.won);
    assert_false(has_column(&sheet, "type"));
    assert_true(sheet_has_note(&sheet, "(McNemar)"));
    sheet_free(&sheet);
    result_free(&result);
    unlink(path);
    bench_close(&bench);
}

static void heads_lead_to_the_decisions_they_are_behind(void **unused)
{
    struct bench bench = bench_open("vanilla_post");
    struct result result, listed;
    char path[64], line[200];
    (void)unused;
    bench_connect(&bench);
    snprintf(line, sizeof line, ":contrast %s ablate by head cross or enc layer 1 head 2",
             write_lines(PAIRS, path));
    struct sheet sheet = sheet_of_line(&bench, line, &result);
    const struct contrast_ablate_result *ablate = &result.contrast_ablate;
    int most = 0;
    assert_int_equal(sheet.row_count, ablate->ablations.count);
    for (int i = 0; i < sheet.row_count; i++) {
        const struct decider *row = &ablate->rows[i];
        sheet_check_number(&sheet, i, "row", 0, i + 1, 0);
        sheet_check_number(&sheet, i, "correct", 0, row->correct, 0);
        sheet_check_number(&sheet, i, "accuracy", 0, 100.0 * row->correct / 5, 2);
        sheet_check_number(&sheet, i, "lost", 0, row->lost, 0);
        sheet_check_number(&sheet, i, "won", 0, row->won, 0);
        check_p(&sheet, i, "p", row->p);
        check_p(&sheet, i, "p adjusted", row->p_adjusted);
        most = row->lost + row->won > ablate->rows[most].lost + ablate->rows[most].won ? i : most;
    }
    struct sheet flips = sheet_of_line(&bench, sheet.commands[most], &listed);
    assert_int_equal(listed.contrast_ablate.ablate.shown, most + 1);
    char *off = ablation_text(&ablate->ablations.items[most]);
    snprintf(line, sizeof line, ":disable %s", off);
    free(off);
    bench_run_quietly(&bench, line);
    check_flips(&bench, &flips, ablate->rows[most].lost + ablate->rows[most].won);
    snprintf(line, sizeof line, "row %d: ", most + 1);
    assert_true(sheet_has_note(&flips, line));
    sheet_free(&flips);
    result_free(&listed);
    sheet_free(&sheet);
    result_free(&result);
    unlink(path);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_by_length_lead_to_their_sentences),
        cmocka_unit_test(two_states_are_compared_in_a_table),
        cmocka_unit_test(groups_of_length_sort_by_number),
        cmocka_unit_test(states_stand_side_by_side),
        cmocka_unit_test(ablations_lead_to_the_sentences_they_change),
        cmocka_unit_test(what_is_off_everywhere_comes_before_lists),
        cmocka_unit_test(steps_of_a_pruning_lead_to_the_sentences_they_change),
        cmocka_unit_test(decisions_lead_to_their_sentences),
        cmocka_unit_test(changed_decisions_are_a_table),
        cmocka_unit_test(heads_lead_to_the_decisions_they_are_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
