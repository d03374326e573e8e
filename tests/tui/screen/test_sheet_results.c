/* Tables of results have the results' own numbers and texts, and what Enter runs works. */
#include <math.h>
#include <unistd.h>

#include "tests/model/score/bleu_support.h"
#include "tests/support/report_support.h"
#include "tests/support/scored_support.h"
#include "tests/support/test.h"
#include "tests/tui/screen/sheet_support.h"

static void hypotheses_are_a_table(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    struct report result;
    bench_connect(&bench);
    bench_run_quietly(&bench, ":set beam 4");
    bench_run_quietly(&bench, "the dog sees zzz");
    struct sheet sheet = sheet_of_line(&bench, ":hypothesis", &result);
    const struct sentence_pair *pair = bench.session->current;
    assert_int_equal(sheet.row_count, pair->translation.count);
    assert_true(sheet.row_count > 1);
    for (int h = 0; h < sheet.row_count; h++) {
        const struct hypothesis *hypothesis = &pair->translation.hypotheses[h];
        sheet_check_number(&sheet, h, "score", 0, hypothesis->score, 4);
        sheet_check_number(&sheet, h, "log-probability", 0, hypothesis->logprob, 4);
        sheet_check_number(&sheet, h, "tokens", 0, hypothesis->count, 0);
        sheet_check_text(&sheet, h, "text", pair->texts[h]);
        sheet_check_text(&sheet, h, "", h == 0 ? "*" : "");
    }
    assert_true(sheet_has_note(&sheet, "not in the vocabulary: zzz"));
    bench_run_quietly(&bench, sheet.commands[1]);
    assert_int_equal(pair->chosen, 1);
    sheet_free(&sheet);
    report_free(&result);
    sheet = sheet_of_line(&bench, ":hypothesis", &result);
    sheet_check_text(&sheet, 1, "", "*");
    sheet_free(&sheet);
    report_free(&result);
    bench_close(&bench);
}

static void scores_of_tokens_are_a_table(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    struct report result;
    bench_connect(&bench);
    struct sheet sheet = sheet_of_line(&bench, ":score the dog ||| der Hund", &result);
    const struct value *logprobs = report_says(&result, "logprobs");
    assert_int_equal(sheet.row_count, report_count(&result, "tokens"));
    for (int i = 0; i < sheet.row_count; i++) {
        sheet_check_number(&sheet, i, "log-probability", 0, logprobs->array->values[i], 4);
        sheet_check_number(&sheet, i, "number", 0, i + 1, 0);
        sheet_check_text(&sheet, i, "token", report_text_at(&result, "tokens", i));
        assert_null(sheet.commands[i]);
    }
    char total[64];
    snprintf(total, sizeof total, "log-probability %.4f", report_real(&result, "logprob"));
    assert_true(sheet_has_note(&sheet, total));
    sheet_free(&sheet);
    report_free(&result);
    bench_close(&bench);
}

static void states_are_gone_to_from_their_table(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    struct report result;
    bench_connect(&bench);
    bench_run_quietly(&bench, ":disable enc head 2");
    bench_run_quietly(&bench, ":set beam 3");
    bench_run_quietly(&bench, ":state \"my own\"");
    bench_run_quietly(&bench, ":enable");
    struct sheet sheet = sheet_of_line(&bench, ":state", &result);
    int own = -1;
    for (int r = 0; r < sheet.row_count; r++)
        if (strcmp(sheet_cell_at(&sheet, r, "state", 0)->text, "my own") == 0)
            own = r;
    assert_true(own > 0);
    assert_non_null(strstr(sheet_cell_at(&sheet, own, "off", 0)->text, "head 2"));
    sheet_check_text(&sheet, own, "search", "beam 3");
    sheet_check_text(&sheet, own, "", "");
    sheet_check_text(&sheet, 0, "state", "vanilla_post.bin");
    sheet_check_text(&sheet, 0, "model", "tests/golden/vanilla_post.bin");
    sheet_check_text(&sheet, sheet.row_count - 1, "", "*"); // it has no name yet
    sheet_check_text(&sheet, sheet.row_count - 1, "state", "current");
    assert_null(sheet.commands[sheet.row_count - 1]);
    bench_run_quietly(&bench, sheet.commands[own]);
    sheet_free(&sheet);
    report_free(&result);
    sheet = sheet_of_line(&bench, ":state", &result);
    sheet_check_text(&sheet, own, "", "*");
    sheet_free(&sheet);
    report_free(&result);
    bench_close(&bench);
}

static void settings_are_a_table(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    struct report result;
    bench_connect(&bench);
    bench_run_quietly(&bench, ":set beam 3");
    struct sheet sheet = sheet_of_line(&bench, ":set", &result);
    assert_int_equal(sheet.row_count, setting_count);
    for (int i = 0; i < setting_count; i++) {
        sheet_check_text(&sheet, i, "setting", setting_table[i].name);
        sheet_check_text(&sheet, i, "meaning", setting_table[i].help);
        if (strcmp(setting_table[i].name, "beam") == 0)
            sheet_check_text(&sheet, i, "value", "3");
    }
    sheet_free(&sheet);
    report_free(&result);
    bench_close(&bench);
}

static int strongest_of(const float *weights, int count)
{
    int best = 0;
    for (int i = 1; i < count; i++)
        best = weights[i] > weights[best] ? i : best;
    return best;
}

static void a_token_s_heads_open_from_their_table(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    struct report result;
    bench_connect(&bench);
    bench_run_quietly(&bench, ":disable enc layer 1 head 1");
    bench_run_quietly(&bench, "the dog sees a cat");
    struct sheet sheet = sheet_of_line(&bench, ":token 2 encoder", &result);
    const struct navigation *token = &result.navigation;
    assert_int_equal(sheet.row_count, token->grid->layer_count * token->grid->head_count);
    for (int r = 0; r < sheet.row_count; r++) {
        int columns = token->column_axis->count, row_tokens = token->row_axis->count;
        const float *from = bench_value(&result, NULL, "from")->array->values + r * columns,
                    *to = bench_value(&result, NULL, "to")->array->values + r * row_tokens;
        sheet_check_number(&sheet, r, "layer", 0, r / token->grid->head_count + 1, 0);
        sheet_check_number(&sheet, r, "head", 0, r % token->grid->head_count + 1, 0);
        sheet_check_number(&sheet, r, "weight", 0, from[strongest_of(from, columns)], 4);
        sheet_check_number(&sheet, r, "weight", 1, to[strongest_of(to, row_tokens)], 4);
        sheet_check_text(&sheet, r, "", r == 0 ? "off" : "");
    }
    struct report head = bench_run(&bench, sheet.commands[sheet.row_count - 1]);
    assert_int_equal(head.navigation.kind, VIEW_HEAD);
    assert_int_equal(head.navigation.view.module, MODULE_ENCODER);
    assert_int_equal(head.navigation.view.layer, token->grid->layer_count - 1);
    assert_int_equal(head.navigation.view.head, token->grid->head_count - 1);
    report_free(&head);
    sheet_free(&sheet);
    report_free(&result);
    bench_close(&bench);
}

static void translations_of_a_file_are_a_table(void **state)
{
    struct scored scored;
    struct report result;
    char line[100];
    static const char *const sources[] = {"the dog", "a small old cat sees the river .", "",
                                          "he sees a dog", "the cat"};
    scored_open(&scored, "vanilla_post", SHEET_SOURCES, SHEET_REFERENCES);
    snprintf(line, sizeof line, ":translate %s", scored.source);
    struct sheet sheet = sheet_of_line(&scored.bench, line, &result);
    assert_int_equal(sheet.row_count, 5);
    for (int i = 0; i < 5; i++) {
        sheet_check_number(&sheet, i, "line", 0, i + 1, 0);
        sheet_check_text(&sheet, i, "source", sources[i]);
        sheet_check_text(&sheet, i, "translation", report_text_at(&result, "translations", i));
    }
    assert_true(sheet_has_note(&sheet, "5 lines, "));
    struct report fourth = sheet_enter(&scored.bench, &sheet, 3);
    assert_reports(&fourth, "goto");
    assert_string_equal(scored.bench.session->current->text, "he sees a dog");
    assert_string_equal(pair_target(scored.bench.session->current),
                        report_text_at(&result, "translations", 3));
    report_free(&fourth);
    sheet_free(&sheet);
    report_free(&result);
    scored_close(&scored);
}

static void gates_of_a_corpus_are_a_table(void **state)
{
    struct bench bench = bench_open("mixture_decoder");
    struct report result;
    char source[64], line[100];
    bench_connect(&bench);
    write_lines(SHEET_SOURCES, source);
    snprintf(line, sizeof line, ":gates dec q %s by position", source);
    struct sheet sheet = sheet_of_line(&bench, line, &result);
    assert_int_equal(sheet.row_count, bench_groups(&result));
    for (int i = 0; i < sheet.row_count; i++) {
        sheet_check_text(&sheet, i, "position", bench_group_name(&result, i));
        sheet_check_number(&sheet, i, "gates", 0, (double)bench_group_count(&result, i), 0);
        sheet_check_number(&sheet, i, "mean", 0, bench_group_mean(&result, i), 4);
    }
    sheet_free(&sheet);
    report_free(&result);
    unlink(source);
    bench_close(&bench);
}

/* A pattern's weights are known: a token looks at the one in its own place, where there is one. */
static void an_alignment_is_a_table_that_leads_to_its_matrix(void **state)
{
    static const char *const rows[] = {"die", "Katze", "sieht", "</s>"};
    static const char *const columns[] = {"the", "cat", "</s>", "-"};
    struct bench bench = bench_open("vanilla_post");
    struct report result;
    bench_connect(&bench);
    bench_run_quietly(&bench, "the cat");
    bench_run_quietly(&bench, ":force die Katze sieht");
    bench_run_quietly(&bench, ":pattern cross layer 2 head 3 current");
    struct sheet sheet = sheet_of_line(&bench, ":align layer 2 head 3", &result);
    assert_int_equal(sheet.row_count, 4);
    for (int r = 0; r < 4; r++) {
        sheet_check_number(&sheet, r, "#", 0, r + 1, 0);
        sheet_check_text(&sheet, r, "target", rows[r]);
        sheet_check_text(&sheet, r, "source", columns[r]);
        sheet_check_text(&sheet, r, "also", "");
        if (r < 3)
            sheet_check_number(&sheet, r, "weight", 0, 1, 4);
        assert_string_equal(sheet.commands[r], ":attn cross layer 2 head 3");
    }
    sheet_free(&sheet);
    report_free(&result);
    bench_run_quietly(&bench, ":pattern cross layer 2 head 1-2 next"); // two of four, half as much
    bench_run_quietly(&bench, ":pattern cross layer 2 head 3-4 current");
    sheet = sheet_of_line(&bench, ":align layer 2 head mean", &result);
    sheet_check_text(&sheet, 0, "source", "the");
    sheet_check_text(&sheet, 0, "also", "cat 0.5000");
    sheet_free(&sheet);
    report_free(&result);
    bench_close(&bench);
}

static void pictures_and_words_are_no_tables(void **state)
{
    static const char *const lines[] = {"the dog",       ":attn",     ":heads",
                                        ":hypothesis 1", ":info",     ":help attn",
                                        ":disabled",     ":set beam", ":set beam 2"};
    struct bench bench = bench_open("vanilla_post");
    bench_connect(&bench);
    bench_run_quietly(&bench, "the dog");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct report result = bench_run(&bench, lines[i]);
        assert_null(report_sheet(&result));
        report_free(&result);
    }
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hypotheses_are_a_table),
        cmocka_unit_test(scores_of_tokens_are_a_table),
        cmocka_unit_test(states_are_gone_to_from_their_table),
        cmocka_unit_test(settings_are_a_table),
        cmocka_unit_test(a_token_s_heads_open_from_their_table),
        cmocka_unit_test(translations_of_a_file_are_a_table),
        cmocka_unit_test(gates_of_a_corpus_are_a_table),
        cmocka_unit_test(an_alignment_is_a_table_that_leads_to_its_matrix),
        cmocka_unit_test(pictures_and_words_are_no_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
