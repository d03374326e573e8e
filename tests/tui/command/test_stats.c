/* `:stats`: its numbers are those that NumPy computes from exported weights
 * (scripts/golden/make_head_stats_golden.py); heads with fixed patterns are found; examples are the
 * sentences that show a measure most and least. */
#include <math.h>
#include <unistd.h>

#include "tests/support/cli_support.h"
#include "tests/support/packed.h"
#include "tests/support/test.h"

#define GOLDEN "tests/golden/head_stats.json.gz"

static const char *const measures[] = {
    "entropy", "confidence",  "confidence_no_eos", "distance", "offset", "offset_share", "eos",
    "self",    "punctuation", "within_word",       "rare",     "rows",   "near"};

/* Every `step`-th line of a file of samples/, in a file of its own. */
static void write_every(const char *from, int step, char *to, size_t size)
{
    char path[200];
    snprintf(path, sizeof path, "samples/%s", from);
    char *text = cli_read(path, NULL), *rest = text, *kept = calloc(strlen(text) + 2, 1);
    for (int line = 0; rest && *rest; line++) {
        size_t bytes = strcspn(rest, "\n");
        if (line % step == 0)
            strcat(strncat(kept, rest, bytes), "\n");
        rest += bytes + (rest[bytes] == '\n');
    }
    snprintf(to, size, "%s", cli_write(from, kept));
    free(kept);
    free(text);
}

static const char *text_at(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static double number_at(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/* Numbers -------------------------------------------------------------------------------------- */

static void check_head(const char *sample, const json_t *head, const json_t *golden)
{
    assert_string_equal(text_at(head, "module"), text_at(golden, "module"));
    assert_int_equal((int)number_at(head, "layer"), (int)number_at(golden, "layer"));
    assert_int_equal((int)number_at(head, "head"), (int)number_at(golden, "head"));
    assert_string_equal(text_at(head, "nearest"), text_at(golden, "nearest"));
    for (size_t m = 0; m < sizeof measures / sizeof *measures; m++) {
        const json_t *is = json_object_get(head, measures[m]);
        const json_t *wanted = json_object_get(golden, measures[m]);
        bool same = json_is_null(is) ? json_is_null(wanted)
                                     : fabs(json_number_value(is) - json_number_value(wanted)) <
                                           1e-6 * fmax(1, fabs(json_number_value(wanted)));
        if (!same || !is || !wanted)
            fail_msg("%s %s %g.%g %s: %.9g, expected %.9g", sample, text_at(head, "module"),
                     number_at(head, "layer"), number_at(head, "head"), measures[m],
                     json_number_value(is), json_number_value(wanted));
    }
}

/* The place in a module of the head that an axis names "module layer.head" or "layer.head". */
static int named(const char *name, int heads_in_layer)
{
    int layer, head;
    const char *place = strrchr(name, ' ');
    assert_int_equal(sscanf(place ? place + 1 : name, "%d.%d", &layer, &head), 2);
    return (layer - 1) * heads_in_layer + head - 1;
}

/* golden: above the diagonal, row after row. */
static void check_distances(const char *sample, const json_t *distances, const char *module,
                            int heads_in_layer, const json_t *golden)
{
    const json_t *names = json_object_get(distances, "heads");
    const json_t *values = json_object_get(distances, "values");
    const int count = (int)json_array_size(names);
    assert_int_equal(json_array_size(golden), count * (count - 1) / 2);
    bool *seen = calloc((size_t)count, sizeof *seen);
    for (int i = 0; i < count; i++) {
        int a = named(json_string_value(json_array_get(names, (size_t)i)), heads_in_layer);
        assert_in_range(a, 0, count - 1);
        assert_false(seen[a]);
        seen[a] = true;
        for (int j = 0; j < count; j++) {
            int b = named(json_string_value(json_array_get(names, (size_t)j)), heads_in_layer);
            int low = a < b ? a : b, high = a < b ? b : a;
            int at = low * count - low * (low + 1) / 2 + high - low - 1;
            double wanted = a == b ? 0 : json_number_value(json_array_get(golden, (size_t)at));
            const json_t *is = json_array_get(json_array_get(values, (size_t)i), (size_t)j);
            if (!json_is_number(is) || !(fabs(json_number_value(is) - wanted) < 1e-5))
                fail_msg("%s %s distance %d %d: %.9g, expected %.9g", sample, module, a, b,
                         json_number_value(is), wanted);
        }
    }
    free(seen);
}

/* One side of the pairs that a golden model is given, in a file. */
static void write_pairs(const json_t *pairs, size_t side, char *to, size_t size)
{
    char text[4000] = "";
    size_t i;
    json_t *pair;
    json_array_foreach(pairs, i, pair)
    {
        const char *sentence = json_string_value(json_array_get(pair, side));
        assert_true(strlen(text) + strlen(sentence) + 2 < sizeof text);
        strcat(strcat(text, sentence), "\n");
    }
    snprintf(to, size, "%s", cli_write(side ? "pairs.target" : "pairs.source", text));
}

/* A sample with lines of its test set, or a golden model with its pairs. */
static void check_model(const json_t *golden)
{
    static const char *const modules[] = {"encoder", "decoder", "cross"};
    const char *sample = text_at(golden, "sample");
    const json_t *pairs = json_object_get(golden, "pairs");
    char model[80], source[200], target[200], line[600];
    size_t at = 0, i;
    json_t *head;
    if (pairs) {
        sample = text_at(golden, "model");
        snprintf(model, sizeof model, "%s.bin", sample);
        write_pairs(pairs, 0, source, sizeof source);
        write_pairs(pairs, 1, target, sizeof target);
    } else {
        int step = (int)number_at(golden, "step");
        snprintf(model, sizeof model, "samples/%s.bin", sample);
        write_every(text_at(golden, "source"), step, source, sizeof source);
        write_every(text_at(golden, "target"), step, target, sizeof target);
    }
    assert_true(number_at(golden, "sentences") >= 20);
    for (int m = 0; m < 3; m++) {
        snprintf(line, sizeof line, ":stats %s %s %s", source, target, modules[m]);
        json_t *answer = cli_answer(model, line);
        assert_int_equal((int)number_at(answer, "sentences"), (int)number_at(golden, "sentences"));
        int heads_in_layer = 0;
        json_array_foreach(json_object_get(answer, "heads"), i, head)
        {
            check_head(sample, head, json_array_get(json_object_get(golden, "heads"), at++));
            heads_in_layer = (int)fmax(heads_in_layer, number_at(head, "head"));
        }
        check_distances(sample, json_object_get(answer, "distances"), modules[m], heads_in_layer,
                        json_object_get(json_object_get(golden, "distances"), modules[m]));
        json_decref(answer);
    }
    assert_int_equal(at, json_array_size(json_object_get(golden, "heads")));
}

static void every_number_is_that_of_numpy_in_every_kind_of_model(void **state)
{
    json_t *golden = packed_json_load(GOLDEN), *sample;
    size_t i;
    assert_true(json_array_size(golden) >= 12);
    json_array_foreach(golden, i, sample) check_model(sample);
    json_decref(golden);
}

/* One call has all modules, and no distance between heads of different ones. */
static void all_modules_come_together(void **state)
{
    char source[200], line[300];
    write_every("sentences.en", 40, source, sizeof source);
    snprintf(line, sizeof line, ":stats %s", source);
    json_t *all = cli_answer("samples/en-de.bin", line), *row;
    const json_t *distances = json_object_get(all, "distances");
    const json_t *names = json_object_get(distances, "heads");
    size_t i;
    assert_int_equal(json_array_size(json_object_get(all, "heads")), 64);
    assert_int_equal(json_array_size(names), 64);
    json_array_foreach(json_object_get(distances, "values"), i, row) for (size_t j = 0; j < 64; j++)
    {
        const char *a = json_string_value(json_array_get(names, i));
        const char *b = json_string_value(json_array_get(names, j));
        bool same = strncmp(a, b, 5) == 0;
        assert_int_equal(json_is_number(json_array_get(row, j)), same);
    }
    json_decref(all);
}

/* Names ---------------------------------------------------------------------------------------- */

static void heads_with_fixed_patterns_are_named_so(void **state)
{
    static const char *const names[] = {"current",       "previous",      "next",
                                        "left context",  "right context", "sentence end",
                                        "sentence start"};
    static const char *const patterns[] = {"current",       "previous",      "next",
                                           "left_context",  "right_context", "sentence_end",
                                           "sentence_start"};
    static const char *const samples[] = {"samples/en-de-fixed.bin", "samples/en-de-fixed8.bin",
                                          "samples/en-de-fixed-word.bin"};
    for (int s = 0; s < 3; s++) {
        json_t *answer = cli_answer(
                   samples[s], ":stats samples/sentences.en samples/sentences.de enc head 1-7"),
               *head;
        size_t i;
        assert_int_equal(json_array_size(json_object_get(answer, "heads")), 28);
        json_array_foreach(json_object_get(answer, "heads"), i, head)
        {
            char nearest[40];
            snprintf(nearest, sizeof nearest, "%s%s", patterns[i % 7], s == 2 ? " word" : "");
            assert_string_equal(text_at(head, "name"), names[i % 7]);
            assert_string_equal(text_at(head, "nearest"), nearest);
            assert_float_equal(number_at(head, "near"), 1, 1e-6);
        }
        json_decref(answer);
    }
}

/* `last` looks at the end-of-sentence token; a pattern of the session counts as well as one of the
 * file. */
static void a_pattern_of_the_session_is_named(void **state)
{
    const char *const arguments[] = {"--json",
                                     CPU,
                                     "samples/en-de.bin",
                                     "-e",
                                     ":pattern enc 1.1 last",
                                     "-e",
                                     ":stats samples/sentences.en samples/sentences.de enc 1.1",
                                     NULL};
    struct outcome outcome = cli_run(arguments);
    json_t *answer = cli_object(arguments, outcome.out, 1);
    const json_t *head = json_array_get(json_object_get(answer, "heads"), 0);
    assert_string_equal(text_at(head, "name"), "end-of-sentence");
    assert_float_equal(number_at(head, "eos"), 1, 1e-9);
    assert_float_equal(number_at(head, "confidence_no_eos"), 0, 1e-9);
    assert_string_equal(text_at(head, "nearest"), "last");
    json_decref(answer);
    outcome_free(&outcome);
}

/* Also where it is a little wider than the Gaussians that heads are compared with. */
static void a_planted_gaussian_is_named(void **state)
{
    static const char *const planted[] = {"gaussian -1", "gaussian", "gaussian 1 1.2"};
    static const char *const named[] = {"gaussian -1", "gaussian", "gaussian 1"};
    for (int p = 0; p < 3; p++) {
        char line[80];
        snprintf(line, sizeof line, ":pattern enc 2.3 %s", planted[p]);
        const char *const arguments[] = {"--json",
                                         CPU,
                                         "samples/en-de.bin",
                                         "-e",
                                         line,
                                         "-e",
                                         ":stats samples/sentences.en samples/sentences.de enc 2.3",
                                         NULL};
        struct outcome outcome = cli_run(arguments);
        json_t *answer = cli_object(arguments, outcome.out, 1);
        const json_t *head = json_array_get(json_object_get(answer, "heads"), 0);
        assert_string_equal(text_at(head, "nearest"), named[p]);
        if (p == 2)
            assert_in_range((int)(100 * number_at(head, "near")), 85, 95);
        else
            assert_float_equal(number_at(head, "near"), 1, 1e-6);
        json_decref(answer);
        outcome_free(&outcome);
    }
}

/* Files ---------------------------------------------------------------------------------------- */

/* The model's own translations give the same as when they are forced. */
static void without_targets_the_models_own_are_taken(void **state)
{
    char source[200], line[600];
    write_every("sentences.en", 20, source, sizeof source);
    snprintf(line, sizeof line, ":translate %s", source);
    const char *const arguments[] = {CPU, "samples/en-de.bin", "-e", line, NULL};
    struct outcome outcome = cli_run(arguments);
    const char *target = cli_write("own", outcome.out);
    snprintf(line, sizeof line, ":stats %s %s", source, target);
    json_t *forced = cli_answer("samples/en-de.bin", line);
    snprintf(line, sizeof line, ":stats %s", source);
    json_t *own = cli_answer("samples/en-de.bin", line);
    assert_true(json_equal(json_object_get(forced, "heads"), json_object_get(own, "heads")));
    assert_true(
        json_equal(json_object_get(forced, "distances"), json_object_get(own, "distances")));
    assert_true(json_is_null(json_object_get(own, "target")));
    json_decref(forced);
    json_decref(own);
    outcome_free(&outcome);
}

/* Of a sentence by itself. */
static double mean_of_one(const json_t *example, const char *selector, const char *measure)
{
    char source[200], target[200], line[600];
    snprintf(source, sizeof source, "%s", cli_write("one.en", text_at(example, "source")));
    snprintf(target, sizeof target, "%s", cli_write("one.de", text_at(example, "target")));
    snprintf(line, sizeof line, ":stats %s %s %s", source, target, selector);
    json_t *answer = cli_answer("samples/en-de.bin", line);
    double mean = number_at(json_array_get(json_object_get(answer, "heads"), 0), measure);
    json_decref(answer);
    return mean;
}

static void check_examples(const char *selector, const char *measure)
{
    char line[300];
    size_t i;
    json_t *example;
    snprintf(line, sizeof line, ":stats samples/sentences.en samples/sentences.de %s show %s",
             selector, measure);
    json_t *answer = cli_answer("samples/en-de.bin", line);
    json_t *examples = json_object_get(answer, "examples");
    assert_int_equal(json_array_size(examples), 20);
    json_array_foreach(examples, i, example)
    {
        double mean = number_at(example, "mean");
        assert_string_equal(text_at(example, "shows"), i < 10 ? "most" : "least");
        if (i % 10)
            assert_true(i < 10 ? mean <= number_at(json_array_get(examples, i - 1), "mean")
                               : mean >= number_at(json_array_get(examples, i - 1), "mean"));
        if (i % 10 == 0 || i == 9)
            assert_float_equal(mean, mean_of_one(example, selector, measure), 1e-5);
    }
    assert_true(number_at(json_array_get(examples, 9), "mean") >=
                number_at(json_array_get(examples, 19), "mean"));
    json_decref(answer);
}

static void examples_show_a_measure_most_and_least(void **state)
{
    check_examples("cross 2.7", "confidence");
    check_examples("enc 3.2", "entropy");
    check_examples("dec 2.2", "offset_share");
    check_examples("enc 1.5", "within_word");
}

static void examples_have_a_column_of_translations_where_there_are_some(void **state)
{
    char source[200], alone[300], both[600];
    const char *const arguments[] = {CPU, "samples/en-de.bin", "-e", alone, "-e", both, NULL};
    snprintf(source, sizeof source, "%s",
             cli_write("few.en", "Two dogs are running.\nA man sleeps.\n"));
    snprintf(alone, sizeof alone, ":stats %s enc 1.1 show entropy", source);
    snprintf(both, sizeof both, ":stats %s %s enc 1.1 show entropy", source,
             cli_write("few.de", "Zwei Hunde laufen.\nEin Mann schläft.\n"));
    struct outcome outcome = cli_run(arguments);
    assert_int_equal(outcome.code, 0);
    const char *header = strstr(outcome.out, " mean source\n");
    assert_non_null(header);
    header = strstr(header, " mean source ");
    assert_non_null(header);
    const char *end = header + strcspn(header, "\n");
    assert_memory_equal(end - strlen("target"), "target", strlen("target"));
    outcome_free(&outcome);
}

static void every_form_of_export_has_it(void **state)
{
    static const char *const names[] = {"s.csv", "s.npz", "s.png", "s.pdf", "s.svg", "s.json"};
    static const char *const views[] = {"", " distances", " layer 1 head 1 show eos"};
    char source[200], line[600];
    write_every("sentences.en", 60, source, sizeof source);
    for (size_t v = 0; v < 3; v++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            if (v == 2 && i > 1 && i < 5)
                continue;
            snprintf(line, sizeof line, ":export %s stats %s enc%s", cli_path(names[i]), source,
                     views[v]);
            json_decref(cli_answer("samples/en-de.bin", line));
        }
}

/* The token of a pattern is known: big looks at dog and dog at sleeps, not the at dog. */
static void relations_of_conllu_files_are_counted(void **state)
{
    static const char conllu[] = "# text = The big dog sleeps.\n"
                                 "1\tThe\t_\tDET\t_\t_\t3\tdet\t_\t_\n"
                                 "2\tbig\t_\tADJ\t_\t_\t3\tamod\t_\t_\n"
                                 "3\tdog\t_\tNOUN\t_\t_\t4\tnsubj\t_\t_\n"
                                 "4\tsleeps\t_\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No\n"
                                 "5\t.\t_\tPUNCT\t_\t_\t4\tpunct\t_\t_\n\n";
    static const struct {
        const char *relation, *direction;
        double accuracy;
    } wanted[] = {{"det", "head", 0},       {"det", "dependent", 0}, {"amod", "head", 1},
                  {"amod", "dependent", 0}, {"nsubj", "head", 1},    {"nsubj", "dependent", 0}};
    char line[400];
    size_t i;
    json_t *relation;
    snprintf(line, sizeof line, ":stats %s enc 1.1", cli_write("one.conllu", conllu));
    const char *const arguments[] = {
        "--json", CPU, "samples/en-de.bin", "-e", ":pattern enc 1.1 next", "-e", line, NULL};
    struct outcome outcome = cli_run(arguments);
    json_t *answer = cli_object(arguments, outcome.out, 1);
    const json_t *head = json_array_get(json_object_get(answer, "heads"), 0);
    const json_t *relations = json_object_get(head, "relations");
    assert_int_equal((int)number_at(answer, "sentences"), 1);
    assert_int_equal(json_array_size(relations), 8); // root has no head; punct is the last
    for (i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        relation = json_array_get(relations, i);
        assert_string_equal(text_at(relation, "relation"), wanted[i].relation);
        assert_string_equal(text_at(relation, "direction"), wanted[i].direction);
        assert_float_equal(number_at(relation, "accuracy"), wanted[i].accuracy, 1e-9);
    }
    assert_float_equal(number_at(json_array_get(relations, 0), "baseline"), 1, 1e-9);
    json_decref(answer);
    outcome_free(&outcome);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_is_that_of_numpy_in_every_kind_of_model),
        cmocka_unit_test(all_modules_come_together),
        cmocka_unit_test(heads_with_fixed_patterns_are_named_so),
        cmocka_unit_test(a_pattern_of_the_session_is_named),
        cmocka_unit_test(a_planted_gaussian_is_named),
        cmocka_unit_test(without_targets_the_models_own_are_taken),
        cmocka_unit_test(examples_show_a_measure_most_and_least),
        cmocka_unit_test(examples_have_a_column_of_translations_where_there_are_some),
        cmocka_unit_test(every_form_of_export_has_it),
        cmocka_unit_test(relations_of_conllu_files_are_counted),
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
