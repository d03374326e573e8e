/* `:align SRC TGT [GOLD]` against NumPy (scripts/golden/make_alignment_golden.py). */
#include <math.h>
#include <unistd.h>

#include "tests/support/cli_support.h"
#include "tests/support/test.h"
#include "tests/tui/command/study/align_support.h"

enum { SENTENCES = 24 };

/* Against NumPy -------------------------------------------------------------------------------- */

/* The entry of the same layer, head and shift. */
static const json_t *find_head(const json_t *answer, const json_t *wanted)
{
    static const char *const keys[] = {"layer", "head", "shift"};
    bool single = json_is_integer(json_object_get(wanted, "head"));
    const json_t *list = json_object_get(answer, single ? "heads" : "layers"), *entry;
    size_t i;
    json_array_foreach(list, i, entry)
    {
        bool same = true;
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            same &= json_equal(json_object_get(entry, keys[k]), json_object_get(wanted, keys[k]));
        if (same)
            return entry;
    }
    fail_msg("no such head: %s", json_dumps(wanted, 0));
    return NULL;
}

static void check_rates(const json_t *is, const json_t *wanted)
{
    static const char *const keys[] = {"aer", "precision", "recall"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        double number = json_number_value(json_object_get(is, keys[k]));
        double expected = json_number_value(json_object_get(wanted, keys[k]));
        assert_true(json_is_number(json_object_get(is, keys[k])));
        if (!(fabs(number - expected) < 2e-9))
            fail_msg("%s: %.10g, expected %.10g", keys[k], number, expected);
    }
}

/* Every head, in the order of its rate; the best of all aligns. */
static void check_heads(const json_t *answer, const json_t *golden)
{
    const json_t *wanted, *heads = json_object_get(golden, "heads"), *entry;
    size_t i, count = json_array_size(json_object_get(answer, "heads")) +
                      json_array_size(json_object_get(answer, "layers"));
    double last = 0;
    assert_int_equal(count, json_array_size(heads));
    json_array_foreach(heads, i, wanted) check_rates(find_head(answer, wanted), wanted);
    json_array_foreach(json_object_get(answer, "heads"), i, entry)
    {
        double rate = json_number_value(json_object_get(entry, "aer"));
        assert_true(rate >= last);
        last = rate;
    }
    const json_t *best = json_array_get(heads, 0);
    check_rates(answer, best);
    assert_true(json_equal(json_object_get(answer, "head"), json_object_get(best, "head")));
    assert_true(
        json_equal(json_object_get(answer, "alignments"), json_object_get(best, "alignments")));
}

/* One head after the other; `head` is a number or a name. */
static void check_links(const char *model, const json_t *golden)
{
    const json_t *files = json_object_get(golden, "files"), *wanted;
    size_t i;
    json_array_foreach(json_object_get(golden, "heads"), i, wanted)
    {
        char line[300], head[20];
        const json_t *of = json_object_get(wanted, "head");
        snprintf(head, sizeof head, "%d", (int)json_integer_value(of));
        snprintf(line, sizeof line, ":align samples/%s samples/%s layer %d head %s%s",
                 json_string_value(json_array_get(files, 0)),
                 json_string_value(json_array_get(files, 1)),
                 (int)json_integer_value(json_object_get(wanted, "layer")),
                 json_is_string(of) ? json_string_value(of) : head,
                 json_is_true(json_object_get(wanted, "shift")) ? " shifted" : "");
        json_t *answer = cli_answer(model, line);
        json_t *links = json_object_get(answer, "alignments"), *link;
        size_t s;
        assert_true(json_array_size(links) > SENTENCES);
        json_array_foreach(json_object_get(wanted, "alignments"), s,
                           link) if (!json_equal(link, json_array_get(links, s)))
            fail_msg("%s, sentence %zu: %s, expected %s", line, s + 1,
                     json_string_value(json_array_get(links, s)), json_string_value(link));
        json_decref(answer);
    }
}

static void every_sample_aligns_as_numpy_has_it(void **state)
{
    json_t *golden = json_load_file("tests/golden/alignment.json", 0, NULL), *one;
    size_t i, checked = 0;
    json_array_foreach(golden, i, one)
    {
        char model[100];
        const char *name = json_string_value(json_object_get(one, "model"));
        snprintf(model, sizeof model, "samples/%s.bin", name);
        if (strncmp(name, "ja-", 3) == 0) {
            check_links(model, one);
        } else {
            json_t *answer = cli_answer(model, ":align " GOLD " by layer,head");
            check_heads(answer, one);
            json_decref(answer);
        }
        checked++;
    }
    assert_int_equal(checked, 10);
    json_decref(golden);
}

/* What is chosen ------------------------------------------------------------------------------- */

/* Without alignments to measure against it is what `:align` shows of a sentence; with them the
 * best. */
static void the_default_is_measured_where_it_can_be(void **state)
{
    align_check_choice(FILES, 2, "mean", false);
    align_check_choice(FILES " layer 1", 1, "mean", false);
    align_check_choice(FILES " shifted", 2, "mean", true);
    align_check_choice(GOLD, 2, "mean", false);
    align_check_choice(GOLD " head 1-8", 2, "1", false); // NumPy's best single head
    align_check_choice(GOLD " layer 1 head 3", 1, "3", false);
    align_check_choice(GOLD " layer 1 head 3 shifted", 1, "3", true);
    align_check_choice(GOLD " cross 2.max", 2, "max", false);
}

/* Then no others are measured. */
static void one_mean_is_nothing_to_choose_from(void **state)
{
    json_t *answer = cli_answer(SAMPLE, ":align " GOLD " layer 2 head mean");
    assert_null(json_object_get(answer, "heads"));
    assert_null(json_object_get(answer, "layers"));
    json_decref(answer);
}

static void both_layouts_say_the_same(void **state)
{
    char *pharaoh = cli_read("samples/aligned.pharaoh", NULL), line[300], naacl[8000];
    size_t used = 0;
    int sentence = 0;
    for (char *rest = pharaoh, *text; (text = strsep(&rest, "\n")) && *text;) {
        sentence++;
        for (char *word; (word = strsep(&text, " "));) {
            int source, target;
            char mark;
            assert_int_equal(sscanf(word, "%d%c%d", &source, &mark, &target), 3);
            used += (size_t)snprintf(naacl + used, sizeof naacl - used, "%04d %d %d %c\n", sentence,
                                     source + 1, target + 1, mark == '-' ? 'S' : 'P');
        }
    }
    assert_true(used < sizeof naacl);
    free(pharaoh);
    json_t *one = cli_answer(SAMPLE, ":align " GOLD " layer 2 head 7");
    snprintf(line, sizeof line, ":align " FILES " %s layer 2 head 7", cli_write("naacl", naacl));
    json_t *other = cli_answer(SAMPLE, line);
    check_rates(one, other);
    json_decref(one);
    json_decref(other);
}

static void the_rates_stand_above_the_heads(void **state)
{
    static const char line[] = ":align " GOLD " by layer,head";
    static const char *const arguments[] = {CPU, SAMPLE, "-e", line, NULL};
    char says[100];
    json_t *answer = cli_answer(SAMPLE, line);
    snprintf(says, sizeof says,
             "\n AER %.1f %%  precision %.1f %%  recall %.1f %%  layer 2 head mean, ",
             100 * json_number_value(json_object_get(answer, "aer")),
             100 * json_number_value(json_object_get(answer, "precision")),
             100 * json_number_value(json_object_get(answer, "recall")));
    json_decref(answer);
    struct outcome outcome = cli_run(arguments);
    if (!strstr(outcome.out, says))
        fail_msg("no \"%s\" in %s", says, outcome.out);
    outcome_free(&outcome);
}

/* The head's links are 0-0 1-1 2-2 3-3 8-4 6-5 5-6 6-7 7-8 8-9, GOLD's first line is 0-0 1-1 2-2
 * 3?3 8-4 4-5 5-6 6-7 7-8 3-9. */
static void a_sentence_shows_what_is_wrong(void **state)
{
    static const char line[] = ":align " GOLD " cross layer 2 head mean show 1";
    static const char expected[] =
        "Der-The right sure, alte-old right sure, Bauer-farmer right sure, hat-sold right "
        "possible, "
        "gestern-yesterday. right sure, seine-his missed sure, seine-brown wrong , "
        "zwei-two right sure, braunen-brown right sure, Pferde-horses right sure, "
        "verkauft.-sold missed sure, verkauft.-yesterday. wrong , ";
    json_t *answer = cli_answer(SAMPLE, line);
    const json_t *links = json_object_get(answer, "links"), *link;
    char is[1000] = "";
    size_t i, used = 0;
    json_array_foreach(links, i, link)
    {
        used += (size_t)snprintf(is + used, sizeof is - used, "%s-%s %s %s, ",
                                 json_string_value(json_object_get(link, "target")),
                                 json_string_value(json_object_get(link, "source")),
                                 json_string_value(json_object_get(link, "link")),
                                 json_string_value(json_object_get(link, "gold")));
    }
    assert_string_equal(is, expected);
    json_decref(answer);
}

/* Curves of three colours in the figure: 8 right, 2 wrong, 2 missed. */
static void figures_colour_what_is_wrong(void **state)
{
    static const char *const colours[] = {"#2166ac", "#b2182b", "#4d4d4d"}; // blue, red, grey
    static const int counts[] = {8, 2, 2};
    char export[600];
    snprintf(export, sizeof export, ":export %s align " GOLD " cross layer 2 head mean show 1",
             cli_path("judged.svg"));
    const char *const arguments[] = {CPU, SAMPLE, "-e", export, NULL};
    struct outcome outcome = cli_run(arguments);
    assert_int_equal(outcome.code, 0);
    char *svg = cli_read(cli_path("judged.svg"), NULL);
    for (int c = 0; c < 3; c++) {
        int count = 0;
        for (const char *at = svg; (at = strstr(at, "stroke=\"")); at++)
            count += strncmp(at + strlen("stroke=\""), colours[c], strlen(colours[c])) == 0;
        if (count != counts[c])
            fail_msg("%d curves of %s, expected %d: %s", count, colours[c], counts[c], svg);
    }
    free(svg);
    outcome_free(&outcome);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sample_aligns_as_numpy_has_it),
        cmocka_unit_test(the_default_is_measured_where_it_can_be),
        cmocka_unit_test(one_mean_is_nothing_to_choose_from),
        cmocka_unit_test(both_layouts_say_the_same),
        cmocka_unit_test(the_rates_stand_above_the_heads),
        cmocka_unit_test(a_sentence_shows_what_is_wrong),
        cmocka_unit_test(figures_colour_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
