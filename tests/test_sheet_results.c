/* Tables of results have the results' own numbers and texts, and what Enter runs works. */
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

#include "tests/bleu_support.h"
#include "tests/commands_support.h"
#include "tui/screen/sheet.h"

#define SOURCES "the dog\na small old cat sees the river .\n\nhe sees a dog\nthe cat\n"
#define REFERENCES "der Hund\neine kleine Katze sieht den Fluss .\n\ner sieht einen Hund\nKatze\n"

/* Runs a line, and makes a table of what it gives. */
static struct sheet sheet_of(struct bench *bench, const char *line, struct result *result)
{
    struct sheet sheet;
    struct status status;
    *result = bench_run(bench, line);
    assert_true(sheet_can(result));
    if (!sheet_make(&sheet, bench->session, result, &status))
        fail_msg("\"%s\": %s", line, status.message);
    return sheet;
}

static const struct sheet_cell *cell_at(const struct sheet *sheet, int row, const char *title,
                                        int which)
{
    for (int c = 0; c < sheet->column_count; c++)
        if (strcmp(sheet->columns[c].title, title) == 0 && which-- == 0)
            return &sheet->cells[row * sheet->column_count + c];
    fail_msg("no column \"%s\"", title);
    return NULL;
}

static void check_text(const struct sheet *sheet, int row, const char *title, const char *text)
{
    assert_string_equal(cell_at(sheet, row, title, 0)->text, text);
}

/* The number itself, and as it reads with that many decimals. */
static void check_number(const struct sheet *sheet, int row, const char *title, int which,
                         double number, int decimals)
{
    const struct sheet_cell *cell = cell_at(sheet, row, title, which);
    assert_true(cell->number == number);
    assert_true(fabs(strtod(cell->text, NULL) - number) <= 0.5000001 * pow(10, -decimals));
    const char *point = strchr(cell->text, '.');
    assert_int_equal(point ? strlen(point + 1) : 0, decimals);
}

static bool has_note(const struct sheet *sheet, const char *part)
{
    for (int i = 0; i < sheet->note_count; i++)
        if (strstr(sheet->notes[i], part))
            return true;
    return false;
}

static void hypotheses_are_a_table(void **unused)
{
    struct bench bench = bench_open("vanilla_post");
    struct result result;
    (void)unused;
    bench_connect(&bench);
    bench_run_quietly(&bench, ":set beam 4");
    bench_run_quietly(&bench, "the dog sees zzz");
    struct sheet sheet = sheet_of(&bench, ":hypothesis", &result);
    const struct subject *subject = bench.session->subject;
    assert_int_equal(sheet.row_count, subject->translation.count);
    assert_true(sheet.row_count > 1);
    for (int h = 0; h < sheet.row_count; h++) {
        const struct hypothesis *hypothesis = &subject->translation.hypotheses[h];
        check_number(&sheet, h, "score", 0, hypothesis->score, 4);
        check_number(&sheet, h, "log-probability", 0, hypothesis->logprob, 4);
        check_number(&sheet, h, "tokens", 0, hypothesis->count, 0);
        check_text(&sheet, h, "text", subject->texts[h]);
        check_text(&sheet, h, "", h == 0 ? "*" : "");
    }
    assert_true(has_note(&sheet, "not in the vocabulary: zzz"));
    bench_run_quietly(&bench, sheet.commands[1]);
    assert_int_equal(subject->chosen, 1);
    sheet_free(&sheet);
    result_free(&result);
    sheet = sheet_of(&bench, ":hypothesis", &result);
    check_text(&sheet, 1, "", "*");
    sheet_free(&sheet);
    result_free(&result);
    bench_close(&bench);
}

static void scores_of_tokens_are_a_table(void **unused)
{
    struct bench bench = bench_open("vanilla_post");
    struct result result;
    (void)unused;
    bench_connect(&bench);
    struct sheet sheet = sheet_of(&bench, ":score the dog ||| der Hund", &result);
    const struct score_result *score = &result.score;
    assert_int_equal(sheet.row_count, score->count);
    for (int i = 0; i < score->count; i++) {
        check_number(&sheet, i, "log-probability", 0, score->logprobs[i], 4);
        check_number(&sheet, i, "number", 0, i + 1, 0);
        check_text(&sheet, i, "token", score->tokens[i]);
        assert_null(sheet.commands[i]);
    }
    char total[64];
    snprintf(total, sizeof total, "log-probability %.4f", score->logprob);
    assert_true(has_note(&sheet, total));
    sheet_free(&sheet);
    result_free(&result);
    bench_close(&bench);
}

static void states_are_gone_to_from_their_table(void **unused)
{
    struct bench bench = bench_open("vanilla_post");
    struct result result;
    (void)unused;
    bench_connect(&bench);
    bench_run_quietly(&bench, ":disable head 2");
    bench_run_quietly(&bench, ":set beam 3");
    bench_run_quietly(&bench, ":state \"my own\"");
    bench_run_quietly(&bench, ":enable");
    struct sheet sheet = sheet_of(&bench, ":state", &result);
    int own = -1;
    for (int r = 0; r < sheet.row_count; r++)
        if (strcmp(cell_at(&sheet, r, "state", 0)->text, "my own") == 0)
            own = r;
    assert_true(own > 0);
    assert_non_null(strstr(cell_at(&sheet, own, "off", 0)->text, "head 2"));
    check_text(&sheet, own, "search", "beam 3");
    check_text(&sheet, own, "", "");
    check_text(&sheet, 0, "state", "vanilla_post.bin");
    check_text(&sheet, 0, "model", "tests/golden/vanilla_post.bin");
    check_text(&sheet, sheet.row_count - 1, "", "*"); // it has no name yet
    check_text(&sheet, sheet.row_count - 1, "state", "current");
    assert_null(sheet.commands[sheet.row_count - 1]);
    bench_run_quietly(&bench, sheet.commands[own]);
    sheet_free(&sheet);
    result_free(&result);
    sheet = sheet_of(&bench, ":state", &result);
    check_text(&sheet, own, "", "*");
    sheet_free(&sheet);
    result_free(&result);
    bench_close(&bench);
}

static void settings_are_a_table(void **unused)
{
    struct bench bench = bench_open("vanilla_post");
    struct result result;
    (void)unused;
    bench_connect(&bench);
    bench_run_quietly(&bench, ":set beam 3");
    struct sheet sheet = sheet_of(&bench, ":set", &result);
    assert_int_equal(sheet.row_count, setting_count);
    for (int i = 0; i < setting_count; i++) {
        check_text(&sheet, i, "setting", setting_table[i].name);
        check_text(&sheet, i, "meaning", setting_table[i].help);
        if (strcmp(setting_table[i].name, "beam") == 0)
            check_text(&sheet, i, "value", "3");
    }
    sheet_free(&sheet);
    result_free(&result);
    bench_close(&bench);
}

static int strongest_of(const float *weights, int count)
{
    int best = 0;
    for (int i = 1; i < count; i++)
        best = weights[i] > weights[best] ? i : best;
    return best;
}

static void a_token_s_heads_open_from_their_table(void **unused)
{
    struct bench bench = bench_open("vanilla_post");
    struct result result;
    (void)unused;
    bench_connect(&bench);
    bench_run_quietly(&bench, ":disable layer 1 head 1");
    bench_run_quietly(&bench, "the dog sees a cat");
    struct sheet sheet = sheet_of(&bench, ":token 2 encoder", &result);
    const struct token_result *token = &result.token;
    assert_int_equal(sheet.row_count, token->grid.layer_count * token->grid.head_count);
    for (int r = 0; r < sheet.row_count; r++) {
        int columns = token->columns.texts.count, row_tokens = token->rows.texts.count;
        const float *from = token->from + r * columns, *to = token->to + r * row_tokens;
        check_number(&sheet, r, "layer", 0, r / token->grid.head_count + 1, 0);
        check_number(&sheet, r, "head", 0, r % token->grid.head_count + 1, 0);
        check_number(&sheet, r, "weight", 0, from[strongest_of(from, columns)], 4);
        check_number(&sheet, r, "weight", 1, to[strongest_of(to, row_tokens)], 4);
        check_text(&sheet, r, "", r == 0 ? "off" : "");
    }
    struct result head = bench_run(&bench, sheet.commands[sheet.row_count - 1]);
    assert_int_equal(head.kind, RESULT_ATTENTION);
    assert_int_equal(head.attention.view.module, MODULE_ENCODER);
    assert_int_equal(head.attention.view.layer, token->grid.layer_count - 1);
    assert_int_equal(head.attention.view.head, token->grid.head_count - 1);
    result_free(&head);
    sheet_free(&sheet);
    result_free(&result);
    bench_close(&bench);
}

/* Test set and session of the tables of scores. */
struct scene {
    struct bench bench;
    char source[64], reference[64], line[400];
};

static const char *line_of(struct scene *scene, const char *command, const char *rest)
{
    snprintf(scene->line, sizeof scene->line, "%s %s %s%s", command, scene->source,
             scene->reference, rest);
    return scene->line;
}

static void scene_open(struct scene *scene)
{
    scene->bench = bench_open("vanilla_post");
    bench_connect(&scene->bench);
    write_lines(SOURCES, scene->source);
    write_lines(REFERENCES, scene->reference);
}

static void scene_close(struct scene *scene)
{
    unlink(scene->source);
    unlink(scene->reference);
    bench_close(&scene->bench);
}

static void scores_by_length_lead_to_their_sentences(void **unused)
{
    struct scene scene;
    struct result result;
    char score[64];
    (void)unused;
    scene_open(&scene);
    struct sheet sheet = sheet_of(&scene.bench, line_of(&scene, ":bleu", " by 3"), &result);
    const struct study_result *study = &result.study;
    assert_int_equal(sheet.row_count, study->row_count + 1);
    for (int g = 0; g < study->row_count; g++) {
        check_number(&sheet, g, "group", 0, g + 1, 0);
        check_text(&sheet, g, "length", study->rows[g].name);
        check_number(&sheet, g, "sentences", 0, study->rows[g].sentences, 0);
        check_number(&sheet, g, "chrF2", 0, study->rows[g].score[0].chrf, 2);
        check_number(&sheet, g, "BLEU", 0, study->rows[g].score[0].bleu.score, 2);
    }
    check_number(&sheet, 2, "chrF2", 0, study->all.score[0].chrf, 2);
    check_text(&sheet, 2, "group", "");
    snprintf(score, sizeof score, " = %.2f", study->all.score[0].chrf);
    assert_true(has_note(&sheet, " BLEU|nrefs:1") && has_note(&sheet, score));
    struct result listed;
    struct sheet sentences = sheet_of(&scene.bench, sheet.commands[1], &listed);
    assert_int_equal(listed.study.request.listed, 2);
    assert_int_equal(sentences.row_count, listed.study.list_count);
    assert_int_equal(sentences.row_count, study->rows[1].sentences);
    for (int i = 0; i < sentences.row_count; i++) {
        const struct study_sentence *one = &listed.study.list[i];
        check_number(&sentences, i, "number", 0, one->number, 0);
        check_number(&sentences, i, "group", 0, 2, 0);
        check_number(&sentences, i, "BLEU", 0, one->score[0].bleu.score, 2);
        check_text(&sentences, i, "output", one->text[0]);
        check_text(&sentences, i, "reference", one->reference);
    }
    assert_true(has_note(&sentences, "<3")); // the groups
    sheet_free(&sentences);
    result_free(&listed);
    sheet_free(&sheet);
    result_free(&result);
    scene_close(&scene);
}

static void two_states_are_compared_in_a_table(void **unused)
{
    struct scene scene;
    struct result result;
    (void)unused;
    scene_open(&scene);
    bench_run_quietly(&scene.bench, ":set significance.resamples 50");
    bench_run_quietly(&scene.bench, ":disable cross layer all");
    struct sheet sheet =
        sheet_of(&scene.bench, line_of(&scene, ":compare vanilla_post.bin current", ""), &result);
    const struct study_result *study = &result.study;
    assert_true(study->list_count > 0);
    assert_int_equal(sheet.row_count, study->list_count);
    for (int i = 0; i < sheet.row_count; i++) {
        const struct study_sentence *one = &study->list[i];
        double a = one->score[0].chrf, b = one->score[1].chrf;
        check_number(&sheet, i, "BLEU a", 0, one->score[0].bleu.score, 2);
        check_number(&sheet, i, "chrF2 b", 0, b, 2);
        check_number(&sheet, i, "b - a", 1, b - a, 2);
        assert_non_null(strchr("+-", cell_at(&sheet, i, "b - a", 1)->text[0]));
        check_text(&sheet, i, "a", one->text[0]);
        check_text(&sheet, i, "b", one->text[1]);
        check_text(&sheet, i, "reference", one->reference);
    }
    char differ[64];
    snprintf(differ, sizeof differ, "%d of 5 sentences differ", study->differing);
    assert_true(has_note(&sheet, differ) && has_note(&sheet, "paired bootstrap"));
    sheet_free(&sheet);
    result_free(&result);
    scene_close(&scene);
}

static void translations_of_a_file_are_a_table(void **unused)
{
    struct scene scene;
    struct result result;
    char line[100];
    (void)unused;
    scene_open(&scene);
    snprintf(line, sizeof line, ":translate %s", scene.source);
    struct sheet sheet = sheet_of(&scene.bench, line, &result);
    assert_int_equal(sheet.row_count, 5);
    for (int i = 0; i < 5; i++) {
        check_number(&sheet, i, "line", 0, i + 1, 0);
        check_text(&sheet, i, "translation", result.file.translations[i]);
    }
    assert_true(has_note(&sheet, "5 lines, "));
    sheet_free(&sheet);
    result_free(&result);
    scene_close(&scene);
}

static void gates_of_a_corpus_are_a_table(void **unused)
{
    struct bench bench = bench_open("mixture_decoder");
    struct result result;
    char source[64], line[100];
    (void)unused;
    bench_connect(&bench);
    write_lines(SOURCES, source);
    snprintf(line, sizeof line, ":gates dec q %s by pos", source);
    struct sheet sheet = sheet_of(&bench, line, &result);
    const struct gate_groups_result *groups = &result.gate_groups;
    assert_int_equal(sheet.row_count, groups->count);
    for (int i = 0; i < groups->count; i++) {
        check_text(&sheet, i, "position", groups->groups[i].name);
        check_number(&sheet, i, "gates", 0, (double)groups->groups[i].count, 0);
        check_number(&sheet, i, "mean", 0, groups->groups[i].sum / (double)groups->groups[i].count,
                     4);
    }
    sheet_free(&sheet);
    result_free(&result);
    unlink(source);
    bench_close(&bench);
}

/* A pattern's weights are known: a token looks at the one in its own place, where there is one. */
static void an_alignment_is_a_table_that_leads_to_its_matrix(void **unused)
{
    static const char *const rows[] = {"die", "Katze", "sieht", "⏎"};
    static const char *const columns[] = {"the", "cat", "⏎", "-"};
    struct bench bench = bench_open("vanilla_post");
    struct result result;
    (void)unused;
    bench_connect(&bench);
    bench_run_quietly(&bench, "the cat");
    bench_run_quietly(&bench, ":force die Katze sieht");
    bench_run_quietly(&bench, ":pattern cross layer 2 head 3 current");
    struct sheet sheet = sheet_of(&bench, ":align layer 2 head 3", &result);
    assert_int_equal(sheet.row_count, 4);
    for (int r = 0; r < 4; r++) {
        check_number(&sheet, r, "place", 0, r + 1, 0);
        check_text(&sheet, r, "target", rows[r]);
        check_text(&sheet, r, "source", columns[r]);
        check_text(&sheet, r, "also", "");
        if (r < 3)
            check_number(&sheet, r, "weight", 0, 1, 4);
        assert_string_equal(sheet.commands[r], ":attn cross layer 2 head 3");
    }
    sheet_free(&sheet);
    result_free(&result);
    bench_run_quietly(&bench, ":pattern cross layer 2 head 1-2 next"); // two of four, half as much
    bench_run_quietly(&bench, ":pattern cross layer 2 head 3-4 current");
    sheet = sheet_of(&bench, ":align layer 2 head mean", &result);
    check_text(&sheet, 0, "source", "the");
    check_text(&sheet, 0, "also", "cat 0.5000");
    sheet_free(&sheet);
    result_free(&result);
    bench_close(&bench);
}

static void pictures_and_words_are_no_tables(void **unused)
{
    static const char *const lines[] = {"the dog",       ":attn",     ":heads",
                                        ":hypothesis 1", ":info",     ":help",
                                        ":disabled",     ":set beam", ":set beam 2"};
    struct bench bench = bench_open("vanilla_post");
    (void)unused;
    bench_connect(&bench);
    bench_run_quietly(&bench, "the dog");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct result result = bench_run(&bench, lines[i]);
        assert_false(sheet_can(&result));
        result_free(&result);
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
        cmocka_unit_test(scores_by_length_lead_to_their_sentences),
        cmocka_unit_test(two_states_are_compared_in_a_table),
        cmocka_unit_test(translations_of_a_file_are_a_table),
        cmocka_unit_test(gates_of_a_corpus_are_a_table),
        cmocka_unit_test(an_alignment_is_a_table_that_leads_to_its_matrix),
        cmocka_unit_test(pictures_and_words_are_no_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
