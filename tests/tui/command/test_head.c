/* `:head`: where a head looks is what its weights say (:attn), everything else what the commands
 * say that it takes together. */
#include <math.h>

#include "tests/support/cli_support.h"
#include "tests/support/commands_support.h"
#include "tests/support/packed.h"
#include "tests/support/test.h"

#define SAMPLE "samples/en-de.bin"
#define FILES "samples/aligned.en samples/aligned.de"

enum { MOST = 200 };

static const char *text_at(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static double number_at(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/* The share of that name in a list; NaN: it is not there. */
static double share_of(const json_t *card, const char *list, const char *name)
{
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(card, list), i,
                       item) if (strcmp(text_at(item, "name"), name) ==
                                 0) return number_at(item, "share");
    return NAN;
}

/* What a new session answers to these lines; the caller frees each. */
static void ask(const char *model, const char *const *lines, int count, json_t **answers)
{
    const char *arguments[40] = {"--json", CPU, model};
    for (int i = 0; i < count; i++) {
        arguments[4 + 2 * i] = "-e";
        arguments[5 + 2 * i] = lines[i];
    }
    struct outcome outcome = cli_run(arguments);
    assert_int_equal(outcome.code, 0);
    for (int i = 0; i < count; i++)
        answers[i] = cli_object(arguments, outcome.out, i);
    outcome_free(&outcome);
}

static void forget(json_t **answers, int count)
{
    for (int i = 0; i < count; i++)
        json_decref(answers[i]);
}

/* The weights of a head ------------------------------------------------------------------------ */

struct pair {
    const char *row, *column;
    double weight;
    int count;
};

struct counted {
    double places[5]; // at i, i-1, i+1, before, behind
    int offsets[2 * MOST + 1], rows;
    struct pair pairs[MOST];
    int count;
};

static double weight_at(const json_t *view, size_t row, size_t column)
{
    return json_number_value(
        json_array_get(json_array_get(json_object_get(view, "weights"), row), column));
}

static const char *token_at(const json_t *view, const char *axis, size_t i)
{
    return json_string_value(json_array_get(json_object_get(view, axis), i));
}

static void count_pair(struct counted *counted, const char *row, const char *column, double weight)
{
    int at = 0;
    if (strcmp(row, "</s>") == 0 || strcmp(column, "</s>") == 0)
        return;
    while (at < counted->count && (strcmp(counted->pairs[at].row, row) != 0 ||
                                   strcmp(counted->pairs[at].column, column) != 0))
        at++;
    counted->count += at == counted->count;
    counted->pairs[at].row = row;
    counted->pairs[at].column = column;
    counted->pairs[at].weight += weight;
    counted->pairs[at].count++;
}

static void count_row(struct counted *counted, const json_t *view, size_t row)
{
    const size_t columns = json_array_size(json_object_get(view, "columns"));
    size_t best = 0;
    for (size_t j = 0; j < columns; j++) {
        const int offset = (int)j - (int)row;
        const int place = offset == 0 ? 0 : offset == -1 ? 1 : offset == 1 ? 2 : offset < 0 ? 3 : 4;
        best = weight_at(view, row, j) > weight_at(view, row, best) ? j : best;
        counted->places[place] += weight_at(view, row, j);
    }
    counted->rows++;
    counted->offsets[MOST + (int)best - (int)row]++;
    count_pair(counted, token_at(view, "rows", row), token_at(view, "columns", best),
               weight_at(view, row, best));
}

static int compare_pairs(const void *a, const void *b)
{
    const struct pair *one = a, *other = b;
    return (one->weight < other->weight) - (one->weight > other->weight);
}

/* Of a model with one start token, whose row counts in cross-attention alone, where it predicts the
 * first token. */
static void check_view(const json_t *view, const json_t *card)
{
    static const char *const names[2][5] = {
        {"itself", "before it", "after it", "further left", "further right"},
        {"same place", "before it", "after it", "further left", "further right"}};
    struct counted counted = {.rows = 0};
    const bool cross = strcmp(text_at(card, "module"), "cross") == 0;
    const bool encoder = strcmp(text_at(card, "module"), "encoder") == 0;
    const size_t rows = json_array_size(json_object_get(view, "rows"));
    for (size_t r = encoder || cross ? 0 : 1; r < rows; r++)
        count_row(&counted, view, r);
    assert_int_equal(number_at(card, "rows"), counted.rows);
    for (int p = 0; p < 5; p++) {
        const double share = share_of(card, "places", names[cross][p]);
        const double wanted = counted.places[p] / counted.rows;
        assert_true(wanted < 0.006 ? isnan(share) || share < 0.006 : fabs(share - wanted) < 1e-5);
    }
    const json_t *first = json_array_get(json_object_get(card, "offsets"), 0);
    int most = 0;
    for (int i = 0; i <= 2 * MOST; i++)
        most = counted.offsets[i] > most ? counted.offsets[i] : most;
    const int offset = atoi(text_at(first, "name"));
    assert_int_equal(counted.offsets[MOST + offset], most);
    assert_float_equal(number_at(first, "share"), (double)most / counted.rows, 1e-6);
    qsort(counted.pairs, (size_t)counted.count, sizeof *counted.pairs, compare_pairs);
    const json_t *pairs = json_object_get(card, "pairs");
    assert_int_equal(json_array_size(pairs), counted.count < 6 ? counted.count : 6);
    for (size_t i = 0; i < json_array_size(pairs); i++) {
        const json_t *pair = json_array_get(pairs, i);
        assert_int_equal(number_at(pair, "count"), counted.pairs[i].count);
        assert_float_equal(number_at(pair, "weight"),
                           counted.pairs[i].weight / counted.pairs[i].count, 1e-5);
        const char *label = text_at(pair, "row"); // "·s" of "s", "star" of "▁star"
        label += strncmp(label, "\xc2\xb7", 2) == 0 ? 2 : 0;
        assert_non_null(strstr(counted.pairs[i].row, label));
    }
}

static void places_offsets_and_pairs_are_those_of_the_weights(void **state)
{
    static const char *const lines[] = {"I have never seen so many stars in the sky.",
                                        ":attn cross 2.7",
                                        ":head cross 2.7",
                                        ":attn enc 1.3",
                                        ":head",
                                        ":attn dec 1.2",
                                        ":head dec 1.2"};
    json_t *answers[7];
    ask(SAMPLE, lines, 7, answers);
    for (int i = 1; i < 7; i += 2) {
        assert_true(json_is_null(json_object_get(answers[i + 1], "file")));
        check_view(answers[i], answers[i + 1]);
    }
    forget(answers, 7);
}

/* Weights on the token itself are on each part of speech as often as there are such tokens. */
static void weight_on_parts_of_speech_counts_their_tokens(void **state)
{
    static const char *const lines[] = {":pattern enc 1.1 current",
                                        ":head enc 1.1 samples/pos-en.conllu"};
    json_t *golden = packed_json_load("tests/golden/head_relations.json.gz"), *answers[2];
    const json_t *parts = json_object_get(json_array_get(golden, 0), "parts"), *card;
    size_t checked = 0;
    assert_string_equal(text_at(json_array_get(golden, 0), "sample"), "en-de");
    ask(SAMPLE, lines, 2, answers);
    card = answers[1];
    assert_string_equal(text_at(card, "name"), "current");
    assert_string_equal(text_at(card, "setting"), "current");
    assert_int_equal(json_array_size(json_object_get(card, "pos")), 5);
    for (size_t p = 0; p < json_array_size(parts); p++) {
        const json_t *part = json_array_get(parts, p);
        const double share = share_of(card, "pos", text_at(part, "name"));
        const json_t *count = json_array_get(json_object_get(part, "counts"), 0);
        if (isnan(share))
            continue;
        assert_float_equal(share, json_number_value(count) / number_at(card, "rows"), 1e-6);
        checked++;
    }
    assert_int_equal(checked, 5);
    forget(answers, 2);
    json_decref(golden);
}

/* The same elsewhere --------------------------------------------------------------------------- */

static void check_stats(const json_t *card, const json_t *stats)
{
    const json_t *head = json_array_get(json_object_get(stats, "heads"), 8 + 6);
    const json_t *distances = json_object_get(stats, "distances");
    const json_t *names = json_object_get(distances, "heads");
    const json_t *first = json_array_get(json_object_get(card, "nearest"), 0);
    assert_string_equal(text_at(card, "name"), text_at(head, "name"));
    assert_int_equal(number_at(card, "rows"), number_at(head, "rows"));
    assert_float_equal(share_of(card, "tokens", "</s>"), number_at(head, "eos"), 1e-6);
    size_t own = 0, nearest = 16;
    while (strcmp(json_string_value(json_array_get(names, own)), "2.7") != 0)
        own++;
    const json_t *row = json_array_get(json_object_get(distances, "values"), own);
    for (size_t i = 0; i < 16; i++)
        if (i != own && (nearest == 16 || json_number_value(json_array_get(row, i)) <
                                              json_number_value(json_array_get(row, nearest))))
            nearest = i;
    char name[20];
    snprintf(name, sizeof name, "%d.%d", (int)number_at(first, "layer"),
             (int)number_at(first, "head"));
    assert_string_equal(name, json_string_value(json_array_get(names, nearest)));
    assert_float_equal(number_at(first, "distance"),
                       json_number_value(json_array_get(row, nearest)), 1e-6);
}

static void check_examples(const json_t *card, const json_t *shown)
{
    assert_string_equal(text_at(card, "measure"), text_at(shown, "measure"));
    assert_int_equal(json_array_size(json_object_get(card, "examples")), 6);
    for (size_t i = 0; i < 6; i++)
        assert_true(
            json_equal(json_array_get(json_object_get(card, "examples"), i),
                       json_array_get(json_object_get(shown, "examples"), i < 3 ? i : 10 + i - 3)));
}

static void it_agrees_with_the_commands_that_it_takes_together(void **state)
{
    static const char *const lines[] = {":head cross 2.7 " FILES " samples/aligned.pharaoh",
                                        ":stats " FILES " cross",
                                        ":stats " FILES " cross 2.7 show confidence",
                                        ":align " FILES " samples/aligned.pharaoh cross 2.7",
                                        ":open " FILES,
                                        ":head cross 2.7",
                                        ":align " FILES " against contributions cross 2.7"};
    json_t *answers[7], **gold = &answers[0], **open = &answers[5];
    ask(SAMPLE, lines, 7, answers);
    check_stats(*gold, answers[1]);
    check_examples(*gold, answers[2]);
    assert_false(json_boolean_value(json_object_get(*gold, "shift")));
    assert_float_equal(number_at(*gold, "aer"), number_at(answers[3], "aer"), 1e-9);
    assert_string_equal(text_at(*open, "file"), "samples/aligned.en");
    assert_string_equal(text_at(*open, "target"), "samples/aligned.de");
    assert_true(json_equal(json_object_get(*gold, "pairs"), json_object_get(*open, "pairs")));
    assert_float_equal(number_at(*open, "agreement"), number_at(answers[6], "agreement"), 1e-9);
    assert_null(json_object_get(*open, "aer"));
    forget(answers, 7);
}

static void importance_is_that_of_the_command_and_else_offered(void **state)
{
    static const char *const lines[] = {":importance samples/aligned.en enc",
                                        ":head enc 4.2 samples/aligned.en",
                                        ":head dec 2.2 samples/aligned.en"};
    json_t *answers[3];
    ask("samples/en-de-dhicm.bin", lines, 3, answers);
    const json_t *head = json_array_get(json_object_get(answers[0], "heads"), 1);
    assert_float_equal(number_at(answers[1], "importance"), number_at(head, "importance"), 1e-6);
    assert_true(json_is_null(json_object_get(answers[2], "importance")));
    assert_true(json_array_size(json_object_get(answers[2], "pairs")) > 0);
    forget(answers, 3);
}

/* Forms and faults ----------------------------------------------------------------------------- */

static void every_form_of_export_has_it(void **state)
{
    static const char *const names[] = {"h.csv", "h.tex", "h.npz", "h.png", "h.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char line[400];
        snprintf(line, sizeof line, ":export %s head cross 2.7 " FILES, cli_path(names[i]));
        json_decref(cli_answer(SAMPLE, line));
    }
    char *csv = cli_read(cli_path("h.csv"), NULL);
    assert_non_null(strstr(csv, "\nplaces,")); // a row for each
    assert_non_null(strstr(strstr(csv, "\nplaces,") + 1, "\nplaces,"));
    assert_null(strstr(csv, " %"));
    free(csv);
}

static void what_has_no_card_says_so(void **state)
{
    static const struct {
        const char *model, *line, *says;
    } cases[] = {
        {SAMPLE, ":head cross 2.7", "no sentence yet"},
        {SAMPLE, ":head cross 3.1 " FILES, "cross-attention has layers 1 to 2"},
        {SAMPLE, ":head cross layer 1-2 " FILES, "shows one layer"},
        {SAMPLE, ":head cross 2.7 samples/none.en", "samples/none.en"},
        {"tests/golden/recurrent_post.bin", ":head dec 1.1 " FILES, "recurrence (SSRU)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const arguments[] = {CPU, cases[i].model, "-e", cases[i].line, NULL};
        struct outcome outcome = cli_run(arguments);
        assert_int_equal(outcome.code, 1);
        if (!strstr(outcome.err, cases[i].says))
            fail_msg("%s: %s, expected %s", cases[i].line, outcome.err, cases[i].says);
        outcome_free(&outcome);
    }
}

/* The head that the next view shows is the one before. */
static void a_card_that_fails_leaves_the_view(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, "the dog sees a cat");
    bench_run_quietly(&bench, ":attn enc 1.2");
    bench_refuse(&bench, ":head cross 2.1 samples/none.en", "samples/none.en");
    assert_int_equal(bench.session->view.module, MODULE_ENCODER);
    assert_int_equal(bench.session->view.layer, 0);
    assert_int_equal(bench.session->view.head, 1);
    bench_run_quietly(&bench, ":head cross 2.1");
    assert_int_equal(bench.session->view.module, MODULE_CROSS);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_offsets_and_pairs_are_those_of_the_weights),
        cmocka_unit_test(weight_on_parts_of_speech_counts_their_tokens),
        cmocka_unit_test(it_agrees_with_the_commands_that_it_takes_together),
        cmocka_unit_test(importance_is_that_of_the_command_and_else_offered),
        cmocka_unit_test(every_form_of_export_has_it),
        cmocka_unit_test(what_has_no_card_says_so),
        cmocka_unit_test(a_card_that_fails_leaves_the_view),
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
