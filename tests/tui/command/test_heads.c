/* `:heads`: every head of the reference, in the order asked for, drawn within the terminal. */
#include <math.h>

#include "terminal/text/display.h"
#include "tests/support/commands_support.h"
#include "tests/support/test.h"

/* Every module of a case. */
static void check_case(struct bench *bench, size_t k)
{
    for (int m = 0; m < MODULE_COUNT; m++) {
        char line[64], name[64];
        snprintf(line, sizeof line, ":heads %s", module_names[m]);
        struct report result = bench_run(bench, line);
        const struct matrix *heads = bench_matrix(&result);
        size_t cells = (size_t)heads->rows.count * heads->columns.count;
        assert_int_equal(result.navigation.kind, VIEW_HEADS);
        assert_int_equal(heads->grid->layer_count,
                         module_layers(session_config(bench->session), m));
        assert_int_equal(heads->grid->head_count, module_heads(session_config(bench->session), m));
        for (int layer = 0; layer < heads->grid->layer_count; layer++) {
            snprintf(name, sizeof name, "%s.%d.weights", module_names[m], layer);
            const float *wanted = bench_expected(bench, k, name);
            assert_non_null(wanted);
            assert_close(heads->values + layer * heads->grid->head_count * cells, wanted,
                         heads->grid->head_count * cells, 1e-5, name);
        }
        report_free(&result);
    }
}

static void all_heads_are_those_of_the_reference(void **state)
{
    static const char *const names[] = {"vanilla_post", "mma_everywhere", "fixed_mixed_stacks",
                                        "asymmetric", "dhicm_last_layers"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        struct bench bench = bench_open(names[n]);
        size_t k;
        const json_t *given;
        json_array_foreach(bench.cases, k, given)
        {
            if (bench_force_case(&bench, given))
                check_case(&bench, k);
        }
        bench_close(&bench);
    }
}

static void a_selector_picks_layers_and_heads(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, bench_source(&bench, 8));
    bench_run_quietly(&bench, ":disable cross layer 2 head 3");
    struct report some = bench_run(&bench, ":heads head 3,1 layer 2 in cross");
    const struct head_grid *grid = bench_matrix(&some)->grid;
    size_t cells = (size_t)bench_matrix(&some)->rows.count * bench_matrix(&some)->columns.count;
    assert_int_equal(grid->module, MODULE_CROSS);
    assert_int_equal(grid->layer_count, 1);
    assert_int_equal(grid->layers[0], 1);
    assert_int_equal(grid->head_count, 2);
    assert_int_equal(grid->heads[0], 0);
    assert_int_equal(grid->heads[1], 2);
    assert_false(grid->off[0]);
    assert_true(grid->off[1]);
    for (int i = 0; i < 2; i++) {
        struct report one = bench_run(&bench, i ? ":attn layer 2 head 3" : ":attn layer 2 head 1");
        assert_close(bench_matrix(&some)->values + i * cells, bench_matrix(&one)->values, cells, 0,
                     "head");
        report_free(&one);
    }
    report_free(&some);
    bench_close(&bench);
}

/* Word by word every head is what `:attn` shows of it, and rows still sum to 1. */
static void words_are_merged_in_every_head(void **state)
{
    struct bench bench = bench_open("words_everywhere_sentencepiece");
    bench_run_quietly(&bench, bench_source(&bench, 8));
    struct report words = bench_run(&bench, ":heads enc word");
    const struct matrix *heads = bench_matrix(&words);
    int rows = heads->rows.count, columns = heads->columns.count;
    size_t cells = (size_t)rows * columns;
    assert_string_equal(bench_value(&words, NULL, "unit")->text, "word");
    for (int i = 0; i < heads->grid->layer_count * heads->grid->head_count; i++) {
        char line[64];
        snprintf(line, sizeof line, ":attn enc layer %d head %d word",
                 i / heads->grid->head_count + 1, i % heads->grid->head_count + 1);
        struct report tokens = bench_run(&bench, line);
        assert_int_equal(bench_matrix(&tokens)->rows.count, rows);
        assert_close(heads->values + i * cells, bench_matrix(&tokens)->values, cells, 1e-6, line);
        bool learned = head_settings_head(bench.session->state.head_settings, MODULE_ENCODER,
                                          i / heads->grid->head_count, i % heads->grid->head_count)
                           ->energy == ENERGY_LEARNED;
        for (int r = 0; learned && r < rows; r++) {
            double sum = 0;
            for (int c = 0; c < columns; c++)
                sum += heads->values[i * cells + (size_t)r * columns + c];
            assert_true(fabs(sum - 1) < 1e-5);
        }
        report_free(&tokens);
    }
    report_free(&words);
    bench_close(&bench);
}

static void the_module_is_the_one_last_shown(void **state)
{
    struct bench bench = bench_open("fixed_7f1l");
    bench_refuse(&bench, ":heads", "no sentence yet");
    bench_run_quietly(&bench, bench_source(&bench, 3));
    static const struct {
        const char *line;
        enum module module;
    } steps[] = {{":heads", MODULE_ENCODER},
                 {":heads cross", MODULE_CROSS},
                 {":heads layer 1", MODULE_CROSS},
                 {":heads dec", MODULE_DECODER},
                 {":heads head 1-4", MODULE_DECODER}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct report result = bench_run(&bench, steps[i].line);
        assert_int_equal(result.navigation.grid->module, steps[i].module);
        report_free(&result);
        bench_refuse(&bench, ":heads enc head 9", "head 9");
    }
    struct report next = bench_run(&bench, ":attn");
    assert_int_equal(next.navigation.view.module, MODULE_DECODER);
    report_free(&next);
    bench_close(&bench);
}

/* Drawing -------------------------------------------------------------------------------------- */

static char *draw(struct bench *bench, const char *line, const char *columns)
{
    char *text = NULL;
    size_t size;
    struct report result = bench_run(bench, line);
    struct sink sink = {.stream = open_memstream(&text, &size), .kind = &plain_sink};
    setenv("COLUMNS", columns, 1);
    sink.kind->result(&sink, "heads", &result);
    unsetenv("COLUMNS");
    fclose(sink.stream);
    report_free(&result);
    return text;
}

static bool has_line_with(const char *text, const char *a, const char *b)
{
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line != '\0') {
        const char *end = line + strcspn(line, "\n"), *found = strstr(line, a);
        if (found && found < end && (found = strstr(found, b)) && found < end)
            return true;
    }
    return false;
}

static void drawings_fit_any_width(void **state)
{
    static const char *const widths[] = {"20", "40", "80", "81", "132", "500"};
    struct bench bench = bench_open("fixed_7f1l");
    bench_run_quietly(&bench, bench_source(&bench, 12));
    bench_run_quietly(&bench, ":disable enc layer 2 head 8");
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        char *text = draw(&bench, ":heads enc", widths[w]), *rest, *copy = strdup(text);
        for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
            if (display_width(line) > atoi(widths[w]))
                fail_msg("wider than %s: \"%s\"", widths[w], line);
        assert_non_null(strstr(text, "layer 1"));
        assert_non_null(strstr(text, "layer 2"));
        assert_non_null(strstr(text, "8 off"));
        free(copy);
        free(text);
    }
    // All heads of a layer stand side by side on a usual terminal.
    char *text = draw(&bench, ":heads enc", "80");
    assert_non_null(strstr(text, "\n 0 ░▒▓█ ")); // a blank before it, as before all lines
    assert_true(has_line_with(text, "layer 1", " 8 0."));
    assert_true(has_line_with(text, "layer 2", " 8 off"));
    free(text);
    bench_close(&bench);
}

/* An empty target has end-of-sentence alone, which is one character. */
static void the_legend_says_what_characters_stand_for(void **state)
{
    static const char shared[] = "greatest of up to";
    struct bench bench = bench_open("fixed_7f1l");
    bench_run_quietly(&bench, bench_source(&bench, 12));
    char *text = draw(&bench, ":heads enc", "80");
    assert_non_null(strstr(text, shared));
    free(text);
    bench_run_quietly(&bench, ":force ''");
    text = draw(&bench, ":heads dec", "80");
    assert_null(strstr(text, shared));
    free(text);
    bench_close(&bench);
}

/* Line `number` of a text, without its line break. */
static const char *line_at(const char *text, int number, int *bytes)
{
    for (; number > 0; number--)
        text += strcspn(text, "\n") + 1;
    *bytes = (int)strcspn(text, "\n");
    return text;
}

/* Head 1 looks at the current token, head 3 at the next one, head 8 of `fixed_8f` at the last. */
static void patterns_are_seen(void **state)
{
    struct bench bench = bench_open("fixed_8f");
    bench_run_quietly(&bench, "one two three four five six seven eight nine ten eleven");
    int n = bench.session->current->source.count;
    assert_int_equal(n, 12); // and the end of the sentence
    for (int k = 0; k < 3; k++) {
        static const int heads[] = {1, 3, 8};
        char line[64];
        snprintf(line, sizeof line, ":heads enc layer 1 head %d", heads[k]);
        char *text = draw(&bench, line, "200");
        for (int row = 0; row < n / 2; row++) {
            char wanted[400] = "         "; // under " layer 1 "
            for (int column = 0; column < n; column++) {
                int from = 2 * row, to = 2 * row + 1; // a line is of two rows
                bool dark = k == 0   ? column == from || column == to
                            : k == 1 ? column == from + 1 || column == to + 1
                                     : column == n - 1;
                strcat(wanted, dark ? "█" : " ");
            }
            int bytes;
            const char *drawn = line_at(text, 2 + row, &bytes);
            if (bytes != (int)strlen(wanted) || strncmp(drawn, wanted, bytes) != 0)
                fail_msg("%s: \"%.*s\", expected \"%s\"", line, bytes, drawn, wanted);
        }
        free(text);
    }
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_heads_are_those_of_the_reference),
        cmocka_unit_test(a_selector_picks_layers_and_heads),
        cmocka_unit_test(words_are_merged_in_every_head),
        cmocka_unit_test(the_module_is_the_one_last_shown),
        cmocka_unit_test(drawings_fit_any_width),
        cmocka_unit_test(the_legend_says_what_characters_stand_for),
        cmocka_unit_test(patterns_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
