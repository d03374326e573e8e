/* `:token`: rows and columns of the reference's matrices, and which token a word means. */
#include <math.h>

#include "terminal/text/display.h"
#include "tests/support/commands_support.h"
#include "tests/support/test.h"

/* (heads of all layers, places); NULL: the module does not look in that direction. */
static const float *direction_of(const struct report *result, const char *key)
{
    const struct value *value = bench_value(result, NULL, key);
    return value->kind == VALUE_ARRAY ? value->array->values : NULL;
}

/* One token of a module's rows (or, from `row_count` on, columns) against row and column of all
 * heads. */
static void check_token(struct bench *bench, size_t k, enum module module, int number)
{
    char line[64], name[64];
    snprintf(line, sizeof line, ":token %d %s", number, module_names[module]);
    struct report result = bench_run(bench, line);
    const struct navigation *token = &result.navigation;
    int rows = token->row_axis->count, columns = token->column_axis->count;
    int heads = token->grid->head_count;
    const float *from = direction_of(&result, "from"), *to = direction_of(&result, "to");
    bool of_columns = module == MODULE_CROSS && number > rows;
    int place = of_columns ? number - rows - 1 : number - 1;
    assert_int_equal(token->first, place);
    assert_int_equal(token->count, 1);
    assert_int_equal(from != NULL, !of_columns);
    assert_int_equal(to != NULL, module != MODULE_CROSS || of_columns);
    for (int i = 0; i < token->grid->layer_count * heads; i++) {
        snprintf(name, sizeof name, "%s.%d.weights", module_names[module], i / heads);
        const float *matrix = bench_expected(bench, k, name) + (size_t)(i % heads) * rows * columns;
        if (from)
            assert_close(from + (size_t)i * columns, matrix + (size_t)place * columns, columns,
                         1e-5, line);
        for (int row = 0; to && row < rows; row++)
            assert_close(to + (size_t)i * rows + row, matrix + (size_t)row * columns + place, 1,
                         1e-5, line);
    }
    report_free(&result);
}

static void weights_are_those_of_the_reference(void **state)
{
    static const char *const names[] = {"vanilla_post", "asymmetric", "fixed_mixed_stacks"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        struct bench bench = bench_open(names[n]);
        size_t k;
        const json_t *given;
        json_array_foreach(bench.cases, k, given)
        {
            if (!bench_force_case(&bench, given))
                continue;
            const struct sentence_pair *pair = bench.session->current;
            for (int m = 0; m < MODULE_COUNT; m++) {
                int rows = pair_rows(pair, m).count;
                int most = rows + (m == MODULE_CROSS ? pair->source.count : 0);
                for (int number = 1; number <= most; number++)
                    check_token(&bench, k, m, number);
                char line[64];
                snprintf(line, sizeof line, ":token %d %s", most + 1, module_names[m]);
                bench_refuse(&bench, line,
                             "expected a word of the sentence, or a number from 1 to");
            }
        }
        bench_close(&bench);
    }
}

/* A word of several tokens: the same as the row and the column of the matrix of words, but that the
 * other side stays tokens. */
static void words_are_means_of_rows_and_sums_of_columns(void **state)
{
    struct bench bench = bench_open("words_everywhere_bpe");
    bench_run_quietly(&bench, "roses flowing");
    const struct sentence *source = &bench.session->current->source;
    int first = 0, count = 0;
    for (int i = 0; i < source->count; i++)
        if (source->words[i] == 1) {
            first = count ? first : i;
            count++;
        }
    assert_true(first > 0 && count > 1);
    struct report token = bench_run(&bench, ":token flowing layer 2 head 3");
    struct report matrix = bench_run(&bench, ":attn layer 2 head 3");
    int n = source->count;
    const float *weights = bench_matrix(&matrix)->values;
    assert_string_equal(bench_value(&token, NULL, "token")->text, "flowing");
    assert_int_equal(token.navigation.first, first);
    assert_int_equal(token.navigation.count, count);
    char numbers[40];
    snprintf(numbers, sizeof numbers, "tokens %d-%d  ", first + 1, first + count);
    assert_non_null(strstr(token.title, numbers));
    for (int i = 0; i < n; i++) {
        double mean = 0, sum = 0;
        for (int t = first; t < first + count; t++) {
            mean += weights[t * n + i] / count;
            sum += weights[i * n + t];
        }
        assert_true(fabs(direction_of(&token, "from")[i] - mean) < 1e-6);
        assert_true(fabs(direction_of(&token, "to")[i] - sum) < 1e-6);
    }
    report_free(&token);
    report_free(&matrix);
    bench_close(&bench);
}

static void names_mean_one_token(void **state)
{
    static const struct {
        const char *line;
        int side, first; // 0-based
    } cases[] = {
        {":token 2", SIDE_SOURCE, 1},
        {":token cat", SIDE_SOURCE, 3},
        {":token do", SIDE_SOURCE, 1},   // begins so
        {":token sees", SIDE_SOURCE, 2}, // exact, though "seesaw" begins so
        {":token 1987", SIDE_SOURCE, 6}, // no such number, but such a word
        {":token </s>", SIDE_SOURCE, 9}, // as the vocabulary has it
        {":token Hund cross", SIDE_TARGET, 0},
        {":token Hund", SIDE_TARGET, 0}, // not in the encoder, which was shown last
        {":token cat cross", SIDE_SOURCE, 3},
        {":token 4 cross", SIDE_SOURCE, 1}, // the target's inputs are 2
        {":token 2 cross", SIDE_TARGET, 1},
        {":token layer 1 cat head 1", SIDE_SOURCE, 3},
        {":token '\"a,' enc", SIDE_SOURCE, 7},
        {":token a enc", SIDE_SOURCE, 7}, // without the punctuation around it
    };
    struct bench bench = bench_open("vanilla_post");
    bench_refuse(&bench, ":token 1", "no sentence yet");
    bench_run_quietly(&bench, "the dog sees cat seesaw the 1987 \"a, car");
    bench_run_quietly(&bench, ":force Hund");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!strstr(cases[i].line, "cross"))
            bench_run_quietly(&bench, ":attn enc");
        struct report result = bench_run(&bench, cases[i].line);
        if (result.navigation.side != cases[i].side || result.navigation.first != cases[i].first)
            fail_msg("%s: side %d, token %d", cases[i].line, result.navigation.side,
                     result.navigation.first);
        report_free(&result);
    }
    bench_refuse(&bench, ":token the enc", "\"the\" could be several tokens: expected 1 or 6");
    bench_refuse(&bench, ":token c enc", "expected 4 or 9");
    bench_refuse(&bench, ":token s enc", "expected 3 or 5");
    bench_refuse(&bench, ":token the cross", "expected 3 or 8");
    bench_refuse(&bench, ":token zebra enc", "or a number from 1 to 10");
    bench_refuse(&bench, ":token 0", "or a number from 1 to");
    bench_refuse(&bench, ":token", "expected a word of the sentence or its number");
    bench_refuse(&bench, ":token ''", "expected a word of the sentence or its number");
    bench_refuse(&bench, ":token cat dog", "\"dog\": unexpected argument");
    bench_refuse(&bench, ":token cat head mean", "single heads");
    bench_close(&bench);
}

/* A row that begins so, with all of the head's attention. */
static void check_row(const char *text, const char *begin)
{
    const char *row = strstr(text, begin);
    assert_non_null(row);
    row += strlen(begin);
    assert_int_equal(strncmp(row + strspn(row, " "), "1.0000", 6), 0);
}

/* The greatest weights stand first, at any width. */
static void tables_name_the_strongest_first(void **state)
{
    static const char *const widths[] = {"20", "40", "80", "132"};
    struct bench bench = bench_open("fixed_8f");
    bench_run_quietly(&bench, "one two three four five");
    bench_run_quietly(&bench, ":disable enc layer 1 head 2");
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        char *text = NULL, *rest;
        size_t size;
        struct report result = bench_run(&bench, ":token three layer 1");
        struct sink sink = {.stream = open_memstream(&text, &size), .kind = &plain_sink};
        setenv("COLUMNS", widths[w], 1);
        sink.kind->result(&sink, "token", &result);
        unsetenv("COLUMNS");
        fclose(sink.stream);
        report_free(&result);
        assert_non_null(strstr(text, "     1    2 off"));
        if (atoi(widths[w]) == 20) {                              // in blocks below each other
            assert_non_null(strstr(text, "     1    1 three\n")); // current
            assert_non_null(strstr(text, "     1    2 two\n"));   // previous
            assert_non_null(strstr(text, "     1    3 four\n"));  // next
            assert_non_null(strstr(text, "     1    1 1.0000\n"));
        } else {
            check_row(text, "     1    1     three ");
            check_row(text, "     1    2 off two ");
            check_row(text, "     1    3     four ");
        }
        if (atoi(widths[w]) == 132) {
            // (j+1)^3 over j = 0 … 5: 216, 125, 64 of 441
            assert_non_null(strstr(text, "</s>       0.4898 five 0.28  four 0.15  three 0.06"));
            assert_non_null(strstr(text, "attends to"));
            assert_non_null(strstr(text, "attended by"));
        }
        for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
            if (display_width(line) > atoi(widths[w]))
                fail_msg("wider than %s: \"%s\"", widths[w], line);
        free(text);
    }
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_those_of_the_reference),
        cmocka_unit_test(words_are_means_of_rows_and_sums_of_columns),
        cmocka_unit_test(names_mean_one_token),
        cmocka_unit_test(tables_name_the_strongest_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
