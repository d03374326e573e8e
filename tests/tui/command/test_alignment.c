/* `:align`: the reference's cross-attention, each row under the token that was chosen with it. */
#include <math.h>
#include <unistd.h>

#include "tests/report/output/export_data_support.h"
#include "tests/report/output/export_support.h"
#include "tests/support/commands_support.h"
#include "tests/support/test.h"

/* One head against the reference's matrix, which has a row for every start token. */
static void check_head(struct bench *bench, size_t k, const json_t *given, int layer, int head)
{
    char line[64], name[64];
    snprintf(line, sizeof line, ":align layer %d head %d", layer + 1, head + 1);
    snprintf(name, sizeof name, "cross.%d.weights", layer);
    const struct config *config = bench->session->loaded->checkpoint->config;
    struct report result = bench_run(bench, line);
    const struct matrix *is = bench_matrix(&result);
    int rows = (int)json_array_size(json_object_get(given, "target_ids"));
    int columns = (int)json_array_size(json_object_get(given, "source_ids"));
    int inputs = rows + config->start.count - 1;
    assert_int_equal(result.navigation.kind, VIEW_ALIGNMENT);
    assert_int_equal(is->rows.count, rows);
    assert_int_equal(is->columns.count, columns);
    assert_close(is->values,
                 bench_expected(bench, k, name) + (size_t)(head * inputs + inputs - rows) * columns,
                 (size_t)rows * columns, 1e-5, line);
    report_free(&result);
}

/* The models begin to decode with one token and with two. */
static void weights_are_those_of_the_reference(void **state)
{
    static const char *const names[] = {"vanilla_post", "learned_positions_tied"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        struct bench bench = bench_open(names[n]);
        const struct config *config = bench.session->loaded->checkpoint->config;
        size_t k, checked = 0;
        const json_t *given;
        assert_int_equal(config->start.count, n + 1);
        json_array_foreach(bench.cases, k, given)
        {
            if (!bench_force_case(&bench, given))
                continue;
            checked++;
            for (int i = 0; i < module_layers(config, MODULE_CROSS) * 2; i++)
                check_head(&bench, k, given, i / 2, i % 2);
        }
        assert_true(checked > 0);
        bench_close(&bench);
    }
}

static void rows_are_the_translation(void **state)
{
    static const char *const wanted[] = {"die", "Katze", "</s>"};
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, "the cat");
    bench_run_quietly(&bench, ":force die Katze");
    struct report result = bench_run(&bench, ":align");
    assert_int_equal(bench_matrix(&result)->rows.count, 3);
    for (int i = 0; i < 3; i++)
        assert_string_equal(bench_matrix(&result)->rows.texts[i], wanted[i]);
    report_free(&result);
    bench_close(&bench);
}

/* Columns of a word are summed, its rows averaged. */
static void words_are_means_of_rows_and_sums_of_columns(void **state)
{
    struct bench bench = bench_open("words_everywhere_bpe");
    bench_run_quietly(&bench, "roses flowing");
    bench_run_quietly(&bench, ":force him fim");
    struct report tokens = bench_run(&bench, ":align layer 2 head mean");
    struct report words = bench_run(&bench, ":align layer 2 head mean word");
    const struct sentence *source = &bench.session->current->source;
    int rows = bench_matrix(&tokens)->rows.count, columns = source->count;
    int pieces = (rows - 1) / 2; // of either word
    assert_true(pieces > 1 && rows == 2 * pieces + 1);
    assert_int_equal(bench_matrix(&words)->rows.count, 3);
    assert_string_equal(bench_matrix(&words)->rows.texts[1], "fim");
    int word_columns = bench_matrix(&words)->columns.count;
    assert_true(word_columns < columns);
    double sums[3] = {0};
    for (int j = 0; j < columns; j++)
        for (int i = pieces; i < 2 * pieces; i++)
            sums[source->words[j]] += bench_matrix(&tokens)->values[i * columns + j] / pieces;
    assert_int_equal(word_columns, 3);
    for (int j = 0; j < 3; j++)
        assert_true(fabs(bench_matrix(&words)->values[word_columns + j] - sums[j]) < 1e-6);
    report_free(&tokens);
    report_free(&words);
    bench_close(&bench);
}

static void check_view(struct bench *bench, const char *line, int layer, int head)
{
    struct report result = bench_run(bench, line);
    assert_int_equal(result.navigation.view.module, MODULE_CROSS);
    assert_int_equal(result.navigation.view.layer, layer);
    assert_int_equal(result.navigation.view.head, head);
    report_free(&result);
}

static void what_is_absent_is_as_last_shown_of_cross_attention(void **state)
{
    struct bench bench = bench_open("context_deep_global_decoder"); // three layers
    bench_refuse(&bench, ":align", "no sentence");
    bench_run_quietly(&bench, "the dog");
    bench_run_quietly(&bench, ":attn enc layer 1 head 2");
    check_view(&bench, ":align", 1, VIEW_MEAN);
    bench_run_quietly(&bench, ":attn enc layer 1 head 2");
    check_view(&bench, ":align head 2", 1, 1);
    check_view(&bench, ":align layer 3", 2, 1);
    bench_run_quietly(&bench, ":attn cross layer 1 head max");
    check_view(&bench, ":align", 0, VIEW_MAX);
    check_view(&bench, ":attn", 0, VIEW_MAX);
    // Of an overview no head was chosen.
    bench_run_quietly(&bench, ":attn enc layer 1 head 2");
    bench_run_quietly(&bench, ":heads cross");
    check_view(&bench, ":align", 1, VIEW_MEAN);
    bench_run_quietly(&bench, ":attn cross layer 1 head 2");
    bench_run_quietly(&bench, ":token 1 cross");
    check_view(&bench, ":align head 1", 1, 0);
    bench_close(&bench);
}

/* The last layer but one of three, the last of two or one; not one with DHICM where there is
 * another. */
static void the_first_layer_shown_is_the_one_that_aligns_best(void **state)
{
    static const struct {
        const char *model;
        int layer; // 0-based
    } cases[] = {{"context_deep_global_decoder", 1},
                 {"vanilla_post", 1},
                 {"asymmetric", 0},
                 {"dhicm_last_layers", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench bench = bench_open(cases[i].model);
        bench_run_quietly(&bench, "the dog");
        check_view(&bench, ":align", cases[i].layer, VIEW_MEAN);
        bench_close(&bench);
    }
}

static void what_is_no_alignment_is_said(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, "the dog");
    bench_run_quietly(&bench, ":attn cross layer 2 head 3");
    bench_refuse(&bench, ":align enc", "expected cross");
    bench_refuse(&bench, ":align words", "expected TGT");
    bench_refuse(&bench, ":align word word", "word is given twice");
    bench_refuse(&bench, ":align layer 1-2", "expected layer 1 to 2");
    bench_refuse(&bench, ":align layer 3", "cross-attention has layers 1 to 2");
    check_view(&bench, ":align", 1, 2);
    bench_close(&bench);
}

/* Weights that are known: token i of the translation looks at token i of the source, then there is
 * none. */
static void open_diagonal(struct bench *bench)
{
    *bench = bench_open("vanilla_post");
    bench_connect(bench);
    bench_run_quietly(bench, "the cat");
    bench_run_quietly(bench, ":force die Katze sieht der Hund"); // six tokens to three
    bench_run_quietly(bench, ":pattern cross layer 1 current");
}

static const char *printed(struct bench *bench, const char *line)
{
    char name[64];
    struct report result = bench_run(bench, line);
    rewind(bench->sink.stream);
    command_name(line, name, sizeof name);
    bench->sink.kind->result(&bench->sink, name, &result);
    fputc('\0', bench->sink.stream);
    fflush(bench->sink.stream);
    report_free(&result);
    return bench->output;
}

static void text_names_what_is_looked_at(void **state)
{
    struct bench bench;
    open_diagonal(&bench);
    assert_string_equal(printed(&bench, ":align layer 1 head 2"),
                        " cross  layer 1/2  head 2/4  current  alignment\n"
                        " # target source weight also\n"
                        " 1 die    the    1.0000\n"
                        " 2 Katze  cat    1.0000\n"
                        " 3 sieht  </s>   1.0000\n"
                        " 4 der    -\n"
                        " 5 Hund   -\n"
                        " 6 </s>   -\n");
    // Two heads to the left, two to the right of it: a mean in halves.
    bench_run_quietly(&bench, ":pattern cross layer 1 head 1-2 next");
    assert_string_equal(printed(&bench, ":align layer 1 head mean"),
                        " cross  layer 1/2  mean of 4 heads  alignment\n"
                        " # target source weight also\n"
                        " 1 die    the    0.5000 cat 0.5000\n"
                        " 2 Katze  cat    0.5000 </s> 0.5000\n"
                        " 3 sieht  </s>   0.5000\n"
                        " 4 der    -\n"
                        " 5 Hund   -\n"
                        " 6 </s>   -\n");
    bench_close(&bench);
}

static void json_has_the_matrix_and_its_links(void **state)
{
    struct bench bench;
    open_diagonal(&bench);
    bench.sink.kind = &json_sink;
    json_t *object = json_loads(printed(&bench, ":align layer 1 head 2"),
                                JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK, NULL);
    assert_non_null(object);
    assert_string_equal(text_of(object, "module"), "cross");
    assert_int_equal(number_of(object, "layer"), 1);
    assert_int_equal(number_of(object, "head"), 2);
    assert_string_equal(text_of(object, "unit"), "token");
    const json_t *links = json_object_get(object, "links");
    assert_int_equal(json_array_size(links), 3);
    for (int i = 0; i < 3; i++) {
        const json_t *link = json_array_get(links, i);
        assert_int_equal(number_of(link, "row"), i + 1);
        assert_int_equal(number_of(link, "column"), i + 1);
        assert_true(json_number_value(json_object_get(link, "weight")) == 1);
    }
    const json_t *weights = json_object_get(object, "weights");
    assert_int_equal(json_array_size(weights), 6);
    for (int i = 0; i < 18; i++)
        assert_true(json_number_value(json_array_get(json_array_get(weights, i / 3), i % 3)) ==
                    (i / 3 == i % 3));
    assert_string_equal(json_string_value(json_array_get(json_object_get(object, "rows"), 5)),
                        "</s>");
    json_decref(object);
    bench_close(&bench);
}

static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

static void figures_have_a_curve_for_every_weight(void **state)
{
    struct bench bench;
    size_t bytes;
    open_diagonal(&bench);
    bench_run_quietly(&bench, ":pattern cross layer 1 head 1-2 next");
    export_view(&bench, "a.svg", "align layer 1 head mean");
    char *svg = export_read("a.svg", &bytes);
    assert_int_equal(count_of(svg, " C"), 5);
    assert_non_null(strstr(svg, ">Katze<"));
    assert_non_null(strstr(svg, "alignment<"));
    free(svg);

    bench_run_quietly(&bench, ":pattern cross layer 1 sentence_start");
    bench_run_quietly(&bench, ":set figure.labels off");
    export_view(&bench, "a.svg", "align layer 1 head 1");
    svg = export_read("a.svg", &bytes);
    assert_int_equal(count_of(svg, " C"), 12); // 27, 8 and 1 of 36; the last is too little
    free(svg);
    export_view(&bench, "a.npy", "align layer 1 head 1");
    struct npy_read array = read_npy("a.npy");
    assert_int_equal(array.shape[0], 6);
    assert_int_equal(array.shape[1], 3);
    assert_float_equal(array.values[0], 27. / 36, 1e-6);
    free(array.content);
    bench_close(&bench);
}

static void write_line(char path[], const char *text)
{
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    assert_true(file && fprintf(file, "%s\n", text) > 0 && fclose(file) == 0);
}

/* In text without blanks, pieces that spell something are counted. */
static void links_of_text_without_blanks_are_of_pieces(void **state)
{
    static const char *const words[] = {"兄", "は", "今朝", "から", "留守", "です", "。"};
    char paths[3][32] = {"/tmp/attnscope-ja-XXXXXX", "/tmp/attnscope-en-XXXXXX",
                         "/tmp/attnscope-gold-XXXXXX"};
    char line[200];
    struct bench bench = bench_open_model("samples/ja-en.bin");
    write_line(paths[0], "兄は今朝から留守です。");
    write_line(paths[1], "my brother has been out since this morning .");
    write_line(paths[2], "0-0 2-7");
    snprintf(line, sizeof line, ":align %s %s %s show 1", paths[0], paths[1], paths[2]);
    struct report result = bench_run(&bench, line);
    const struct table *links = bench_table(&result, "links");
    assert_true(links->row_count > 2);
    for (int row = 0; row < links->row_count; row++) {
        const int64_t word = bench_cell(links, row, "source_word")->integer;
        assert_in_range(word, 0, 6);
        assert_string_equal(bench_cell(links, row, "source")->text, words[word]);
    }
    report_free(&result);
    snprintf(line, sizeof line, ":align %s %s cross layer 2 head 1", paths[0], paths[1]);
    result = bench_run(&bench, line);
    assert_string_equal(bench_value(&result, NULL, "source_words")->texts[0],
                        "兄 は 今朝 から 留守 です 。");
    report_free(&result);
    bench_close(&bench);
    for (int i = 0; i < 3; i++)
        unlink(paths[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_those_of_the_reference),
        cmocka_unit_test(rows_are_the_translation),
        cmocka_unit_test(words_are_means_of_rows_and_sums_of_columns),
        cmocka_unit_test(what_is_absent_is_as_last_shown_of_cross_attention),
        cmocka_unit_test(the_first_layer_shown_is_the_one_that_aligns_best),
        cmocka_unit_test(links_of_text_without_blanks_are_of_pieces),
        cmocka_unit_test(what_is_no_alignment_is_said),
        cmocka_unit_test(text_names_what_is_looked_at),
        cmocka_unit_test(json_has_the_matrix_and_its_links),
        cmocka_unit_test(figures_have_a_curve_for_every_weight),
    };
    return cmocka_run_group_tests(tests, export_open, export_close);
}
