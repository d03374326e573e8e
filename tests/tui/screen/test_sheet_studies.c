/* Tables of studies: scores, ablations, prunings. Numbers are the results' own, and Enter on a row
 * leads to the sentences behind it. */
#include <math.h>
#include <unistd.h>

#include "terminal/text/arguments.h"
#include "tests/support/held_support.h"
#include "tests/support/report_support.h"
#include "tests/support/scored_support.h"
#include "tests/support/test.h"
#include "tests/tui/screen/sheet_support.h"

static void scores_by_length_lead_to_their_sentences(void **state)
{
    struct scored scored;
    struct report result;
    char score[64];
    scored_open(&scored, "vanilla_post", SHEET_SOURCES, SHEET_REFERENCES);
    struct sheet sheet =
        sheet_of_line(&scored.bench, scored_line(&scored, ":bleu", " by 3"), &result);
    const struct study_result *study = held_study(&result);
    assert_int_equal(sheet.row_count, study->row_count + 1);
    for (int g = 0; g < study->row_count; g++) {
        sheet_check_number(&sheet, g, "group", 0, g + 1, 0);
        sheet_check_text(&sheet, g, "length", g ? "3 or more" : "up to 2");
        sheet_check_number(&sheet, g, "sentences", 0, study->rows[g].sentences, 0);
        sheet_check_number(&sheet, g, "chrF2", 0, study->rows[g].score[0].chrf, 2);
        sheet_check_number(&sheet, g, "BLEU", 0, study->rows[g].score[0].bleu.score, 2);
    }
    sheet_check_number(&sheet, 2, "chrF2", 0, study->all.score[0].chrf, 2);
    sheet_check_text(&sheet, 2, "group", "");
    snprintf(score, sizeof score, " BLEU %.2f  chrF2 %.2f  5 sentences",
             study->all.score[0].bleu.score, study->all.score[0].chrf);
    assert_string_equal(sheet.notes[0], score);        // the answer comes first,
    assert_non_null(strstr(sheet.notes[1], "(BP = ")); // then what makes it up,
    assert_true(
        begins_with(sheet.notes[sheet.note_count - 2], " BLEU|nrefs:1")); // the signatures last
    assert_true(begins_with(sheet.notes[sheet.note_count - 1], " chrF2|nrefs:1"));
    struct report listed;
    struct sheet sentences = sheet_of_line(&scored.bench, sheet.commands[1], &listed);
    assert_int_equal(held_study(&listed)->request.listed, 2);
    assert_int_equal(sentences.row_count, held_study(&listed)->list_count);
    assert_int_equal(sentences.row_count, study->rows[1].sentences);
    for (int i = 0; i < sentences.row_count; i++) {
        const struct study_sentence *one = &held_study(&listed)->list[i];
        sheet_check_number(&sentences, i, "number", 0, one->number, 0);
        sheet_check_number(&sentences, i, "group", 0, 2, 0);
        sheet_check_number(&sentences, i, "BLEU", 0, one->score[0].bleu.score, 2);
        sheet_check_text(&sentences, i, "output", one->text[0]);
        sheet_check_text(&sentences, i, "reference", one->reference);
    }
    assert_true(sheet_has_note(&sentences, " group 2  length 3 or more  "));
    sheet_free(&sentences);
    report_free(&listed);
    sheet_free(&sheet);
    report_free(&result);
    scored_close(&scored);
}

/* The sentences behind all groups: they have their sources, and what is compared stands together.
 * Enter on one shows both translations. */
static void check_compared(struct scored *scored, const struct sheet *groups)
{
    static const char *const sources[] = {"the dog", "a small old cat sees the river .", "",
                                          "he sees a dog", "the cat"};
    struct report result;
    struct sheet sheet =
        sheet_of_line(&scored->bench, groups->commands[groups->row_count - 1], &result);
    const struct study_result *study = held_study(&result);
    assert_int_equal(sheet.row_count, 5);
    for (int i = 0; i < sheet.row_count; i++) {
        const struct study_sentence *one = &study->list[i];
        double a = one->score[0].chrf, b = one->score[1].chrf;
        sheet_check_number(&sheet, i, "BLEU a", 0, one->score[0].bleu.score, 2);
        sheet_check_number(&sheet, i, "chrF2 b", 0, b, 2);
        sheet_check_number(&sheet, i, "b - a", 1, b - a, 2);
        assert_non_null(strchr("+-", sheet_cell_at(&sheet, i, "b - a", 1)->text[0]));
        sheet_check_text(&sheet, i, "source", sources[one->number - 1]);
        sheet_check_text(&sheet, i, "a", one->text[0]);
        sheet_check_text(&sheet, i, "b", one->text[1]);
        sheet_check_text(&sheet, i, "reference", one->reference);
    }
    for (int c = 0; c < sheet.column_count; c++) {
        const char *title = sheet.columns[c].title;
        assert_int_equal(sheet.columns[c].compared, !strcmp(title, "a") || !strcmp(title, "b"));
    }
    assert_true(sheet_stacks(&sheet, 1000));
    struct report both = sheet_enter(&scored->bench, &sheet, 0);
    assert_reports(&both, "beside");
    assert_non_null(report_find(&both, BLOCK_COMPARISON, IN_SCREEN));
    report_free(&both);
    sheet_free(&sheet);
    report_free(&result);
}

static void two_states_are_compared_in_a_table(void **state)
{
    struct scored scored;
    struct report result;
    scored_open(&scored, "vanilla_post", SHEET_SOURCES, SHEET_REFERENCES);
    bench_run_quietly(&scored.bench, ":set significance.resamples 50");
    bench_run_quietly(&scored.bench, ":disable cross layer all");
    struct sheet sheet = sheet_of_line(
        &scored.bench, scored_line(&scored, ":compare vanilla_post.bin current", ""), &result);
    const struct study_result *study = held_study(&result);
    assert_int_equal(sheet.row_count, study->row_count + 1);
    check_compared(&scored, &sheet);
    char differ[64];
    snprintf(differ, sizeof differ, "%d of 5 sentences differ", study->differing);
    assert_true(sheet_has_note(&sheet, differ) && sheet_has_note(&sheet, "p bootstrap"));
    sheet_free(&sheet);
    report_free(&result);
    scored_close(&scored);
}

static void groups_of_length_sort_by_number(void **state)
{
    static const char *const rising[] = {"up to 2", "3-19", "20 or more",
                                         "all"}; // not the order of bytes
    struct scored scored;
    struct report result;
    scored_open(&scored, "vanilla_post", SHEET_SOURCES, SHEET_REFERENCES);
    struct sheet sheet =
        sheet_of_line(&scored.bench, scored_line(&scored, ":bleu", " by 3,20"), &result);
    sheet_sort(&sheet, 1);
    assert_int_equal(sheet.row_count, 4);
    for (int i = 0; i < 4; i++)
        sheet_check_text(&sheet, sheet.order[i], "length", rising[i]);
    sheet_sort(&sheet, 1);
    sheet_check_text(&sheet, sheet.order[0], "length", "20 or more");
    sheet_check_text(&sheet, sheet.order[3], "length", "all");
    sheet_free(&sheet);
    report_free(&result);
    scored_close(&scored);
}

/* Every state's column against its own `:bleu`, or `:contrast`. */
static void states_stand_side_by_side(void **state)
{
    struct scored scored;
    struct report result, alone;
    char line[200], path[64];
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
    assert_true(sheet_has_note(&sheet, " a vanilla_post.bin ") &&
                sheet_has_note(&sheet, " b current "));
    sheet_free(&now);
    report_free(&alone);
    sheet_free(&sheet);
    report_free(&result);
    snprintf(line, sizeof line, ":contrast %s in vanilla_post.bin current",
             write_lines(SHEET_SUITE, path));
    sheet = sheet_of_line(&scored.bench, line, &result);
    *strstr(line, " in ") = '\0';
    now = sheet_of_line(&scored.bench, line, &alone);
    assert_int_equal(sheet.row_count, now.row_count);
    for (int i = 0; i < sheet.row_count; i++)
        assert_true(fabs(sheet_cell_at(&sheet, i, "b", 0)->number -
                         sheet_cell_at(&now, i, "accuracy %", 0)->number) < 1e-9);
    sheet_free(&now);
    report_free(&alone);
    sheet_free(&sheet);
    report_free(&result);
    unlink(path);
    scored_close(&scored);
}

/* Ablations ------------------------------------------------------------------------------------ */

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
    sheet_check_p(sheet, row, "p", score->p);
    sheet_check_p(sheet, row, "p adjusted", score->p_adjusted);
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
    struct report one = sheet_enter(&scored->bench, sentences, 0);
    assert_reports(&one, "goto");
    assert_int_equal(scored->bench.session->testset->current + 1, shown->list[0].number);
    report_free(&one);
}

/* The sentences of the ablation that changes most. */
static void check_sentences(struct scored *scored, const struct sheet *sheet, int row,
                            int differing)
{
    struct report result;
    struct sheet sentences = sheet_of_line(&scored->bench, sheet->commands[row], &result);
    char note[100];
    assert_int_equal(held_ablate(&result)->request.shown, row + 1);
    assert_int_equal(sentences.row_count, differing);
    snprintf(note, sizeof note, "row %d: a without, b with", row + 1);
    assert_true(sheet_has_note(&sentences, note));
    check_listed(scored, &sentences, &held_ablate(&result)->shown);
    sheet_free(&sentences);
    report_free(&result);
}

static void ablations_lead_to_the_sentences_they_change(void **state)
{
    struct scored scored;
    struct report result;
    int most = 0;
    scored_open(&scored, "vanilla_post", SHEET_SOURCES, SHEET_REFERENCES);
    bench_run_quietly(&scored.bench, ":set significance.resamples 50");
    struct sheet sheet = sheet_of_line(
        &scored.bench, scored_line(&scored, ":ablate", " by layer,head enc or cross"), &result);
    const struct ablate_result *ablate = held_ablate(&result);
    assert_int_equal(sheet.row_count, ablate->ablations.count);
    for (int i = 0; i < sheet.row_count; i++) {
        check_ablation(&sheet, ablate, i);
        most = ablate->scores[i].differing > ablate->scores[most].differing ? i : most;
    }
    assert_true(begins_with(sheet.notes[0], " baseline BLEU "));
    assert_true(ablate->scores[most].differing > 0);
    check_sentences(&scored, &sheet, most, ablate->scores[most].differing);
    sheet_free(&sheet);
    report_free(&result);
    scored_close(&scored);
}

static void what_is_off_everywhere_comes_before_lists(void **state)
{
    struct scored scored;
    struct report result;
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
    report_free(&result);
    scored_close(&scored);
}

/* The sentences of one of the steps. */
static void check_step(struct scored *scored, const struct sheet *sheet, int step)
{
    struct report result;
    struct sheet sentences = sheet_of_line(&scored->bench, sheet->commands[step - 1], &result);
    char note[100];
    assert_int_equal(held_prune(&result)->request.shown, step);
    assert_true(sentences.row_count > 0);
    snprintf(note, sizeof note, "step %d: a with all heads, b without those of steps 1 to %d", step,
             step);
    assert_true(sheet_has_note(&sentences, note));
    check_listed(scored, &sentences, &held_prune(&result)->shown);
    sheet_free(&sentences);
    report_free(&result);
}

static void steps_of_a_pruning_lead_to_the_sentences_they_change(void **state)
{
    struct scored scored;
    struct report result;
    scored_open(&scored, "vanilla_post", SHEET_SOURCES, SHEET_REFERENCES);
    struct sheet sheet = sheet_of_line(
        &scored.bench, scored_line(&scored, ":prune", " until 100 enc layer 1"), &result);
    const struct prune_result *prune = held_prune(&result);
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
    assert_true(begins_with(sheet.notes[0], " baseline BLEU "));
    for (int step = 1; step <= prune->count; step++)
        check_step(&scored, &sheet, step);
    sheet_free(&sheet);
    report_free(&result);
    scored_close(&scored);
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
