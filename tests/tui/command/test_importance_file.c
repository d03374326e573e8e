/* `:importance FILE`: its averages are those of what `:importance` shows of every sentence. */
#include <math.h>
#include <unistd.h>

#include "tests/support/cli_support.h"
#include "tests/support/test.h"

#define DHICM "tests/golden/dhicm_last_layers.bin"
static const char *const sentences[] = {"today", "tree ? big today blue house sleeps",
                                        "old dog opens the house"};
enum { SENTENCES = sizeof sentences / sizeof *sentences, HEADS_MOST = 16 };

/* What the tokens of a layer come to, added up from the matrices of its sentences. */
struct expected {
    int tokens, heads;
    double importance[HEADS_MOST], first[HEADS_MOST], entropy;
};

static double bits(double share)
{
    return share > 0 ? -share * log2(share) : 0;
}

static void add_matrix(struct expected *expected, const json_t *weights)
{
    size_t row, h;
    json_t *importance, *weight;
    json_array_foreach(weights, row, importance)
    {
        size_t first = 0;
        expected->heads = (int)json_array_size(importance);
        assert_in_range(expected->heads, 1, HEADS_MOST);
        json_array_foreach(importance, h, weight)
        {
            double share = json_number_value(weight);
            expected->importance[h] += share;
            expected->entropy += bits(share);
            if (share > json_number_value(json_array_get(importance, first)))
                first = h;
        }
        expected->first[first]++;
        expected->tokens++;
    }
}

/* The object that the last of the commands is answered with. */
static json_t *answer_of(const char *first, const char *last)
{
    const char *const arguments[] = {"--json", CPU, DHICM, "-e", first, "-e", last, NULL};
    struct outcome outcome = cli_run(arguments);
    json_t *answer = cli_object(arguments, outcome.out, 1);
    assert_true(json_is_true(json_object_get(answer, "ok")));
    outcome_free(&outcome);
    return answer;
}

/* From the sentences, one after the other, in one layer. */
static struct expected expect(const char *module, int layer)
{
    struct expected expected = {0};
    for (int s = 0; s < SENTENCES; s++) {
        char view[80];
        snprintf(view, sizeof view, ":importance %s layer %d", module, layer);
        json_t *answer = answer_of(sentences[s], view);
        add_matrix(&expected, json_object_get(answer, "weights"));
        json_decref(answer);
    }
    return expected;
}

/* A blank line, which is no sentence, among them. */
static const char *write_sentences(void)
{
    char text[400] = "";
    for (int s = 0; s < SENTENCES; s++)
        strcat(strcat(text, sentences[s]), s ? "\n" : "\n\n");
    return cli_write("sentences", text);
}

static json_t *averages(const char *rest)
{
    char line[400];
    snprintf(line, sizeof line, ":importance %s%s", write_sentences(), rest);
    return answer_of(":set beam 5", line);
}

static double number_at(const json_t *row, const char *key)
{
    return json_number_value(json_object_get(row, key));
}

static const char *module_of(const json_t *row)
{
    return json_string_value(json_object_get(row, "module"));
}

static void heads_have_the_mean_of_their_sentences(void **state)
{
    json_t *answer = averages(""), *row;
    size_t i;
    assert_int_equal(json_integer_value(json_object_get(answer, "sentences")), SENTENCES + 1);
    struct expected expected = {0};
    assert_true(json_array_size(json_object_get(answer, "heads")) > 0);
    json_array_foreach(json_object_get(answer, "heads"), i, row)
    {
        int head = (int)number_at(row, "head");
        if (head == 1)
            expected = expect(module_of(row), (int)number_at(row, "layer"));
        assert_in_range(head, 1, expected.heads);
        assert_float_equal(number_at(row, "importance"),
                           expected.importance[head - 1] / expected.tokens, 1e-6);
        assert_float_equal(number_at(row, "first"), expected.first[head - 1] / expected.tokens,
                           1e-6);
    }
    json_decref(answer);
}

static void layers_have_the_entropies_of_their_tokens(void **state)
{
    json_t *answer = averages(" by layer"), *row;
    size_t i;
    assert_true(json_array_size(json_object_get(answer, "layers")) > 1);
    json_array_foreach(json_object_get(answer, "layers"), i, row)
    {
        struct expected expected = expect(module_of(row), (int)number_at(row, "layer"));
        double average = 0, entropy = expected.entropy / expected.tokens;
        for (int h = 0; h < expected.heads; h++)
            average += bits(expected.importance[h] / expected.tokens);
        assert_int_equal((int)number_at(row, "tokens"), expected.tokens);
        assert_float_equal(number_at(row, "entropy"), entropy, 1e-5);
        assert_float_equal(number_at(row, "uniform"), log2(expected.heads) - entropy, 1e-5);
        assert_float_equal(number_at(row, "average"), average - entropy, 1e-5);
    }
    json_decref(answer);
}

/* One layer is asked for, and there are no others. */
static void a_selector_says_which_layers(void **state)
{
    json_t *all = averages(" by layer"), *row = json_array_get(json_object_get(all, "layers"), 0);
    char line[500];
    snprintf(line, sizeof line, ":importance %s layer %d %s by layer", module_of(row),
             (int)number_at(row, "layer"), write_sentences());
    json_t *one = answer_of(":set beam 5", line);
    assert_int_equal(json_array_size(json_object_get(one, "layers")), 1);
    assert_true(json_equal(json_array_get(json_object_get(one, "layers"), 0), row));
    json_decref(all);
    json_decref(one);
}

static void every_form_of_export_has_it(void **state)
{
    static const char *const names[] = {"i.csv", "i.npz", "i.png", "i.pdf", "i.svg", "i.json"};
    char line[500];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(line, sizeof line, ":export %s importance %s", cli_path(names[i]),
                 write_sentences());
        json_decref(answer_of(":set beam 5", line));
    }
    char *csv = cli_read(cli_path("i.csv"), NULL);
    assert_memory_equal(csv, "module,layer,head,importance,first\n", 35);
    free(csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_have_the_mean_of_their_sentences),
        cmocka_unit_test(layers_have_the_entropies_of_their_tokens),
        cmocka_unit_test(a_selector_says_which_layers),
        cmocka_unit_test(every_form_of_export_has_it),
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
