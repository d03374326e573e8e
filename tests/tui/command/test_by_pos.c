/* Averages over a file by part of speech, and by all else, against NumPy
 * (scripts/golden/make_pos_golden.py); and what has no parts of speech. */
#include <math.h>

#include "tests/support/cli_support.h"
#include "tests/support/test.h"

#define CONLLU "samples/pos-en.conllu"
#define CONTEXT "samples/en-de-context.bin"
#define DHICM "samples/en-de-dhicm.bin"

static json_t *golden_open(void)
{
    json_t *golden = json_load_file("tests/golden/pos.json", 0, NULL);
    assert_non_null(golden);
    return golden;
}

/* Sums over a corpus agree to 1e-5. */
static void check_group(const json_t *group, const json_t *expected, const char *where)
{
    const char *name = json_string_value(json_object_get(group, "name"));
    const json_t *of = json_object_get(expected, name);
    double mean = json_number_value(json_object_get(group, "mean"));
    if (!of)
        fail_msg("%s: %s is no group of the reference", where, name);
    assert_int_equal(json_integer_value(json_object_get(group, "count")),
                     json_integer_value(json_array_get(of, 0)));
    if (!(fabs(mean - json_number_value(json_array_get(of, 1))) < 1e-5))
        fail_msg("%s %s: %.9g, expected %.9g", where, name, mean,
                 json_number_value(json_array_get(of, 1)));
}

static void check_gates(const char *name, const json_t *expected)
{
    size_t i, counts[2] = {0};
    char model[80];
    json_t *group;
    snprintf(model, sizeof model, "samples/%s.bin", name);
    json_t *answer = cli_answer(model, ":gates enc qk " CONLLU " by pos");
    assert_string_equal(json_string_value(json_object_get(answer, "by")), "pos");
    json_array_foreach(json_object_get(answer, "groups"), i, group)
    {
        const char *side = json_string_value(json_object_get(group, "side"));
        check_group(group, json_object_get(expected, side), side);
        counts[*side == 'k']++;
    }
    assert_int_equal(counts[0], json_object_size(json_object_get(expected, "q")));
    assert_int_equal(counts[1], counts[0]);
    assert_int_equal(counts[0], 16);
    json_decref(answer);
}

static void gates_are_those_of_numpy(void **state)
{
    json_t *golden = golden_open(), *models = json_object_get(golden, "gates"), *expected;
    const char *name;
    assert_int_equal(json_object_size(models), 2);
    json_object_foreach(models, name, expected) check_gates(name, expected);
    json_decref(golden);
}

static void check_importance(const char *name, const json_t *heads)
{
    size_t i;
    char model[80];
    json_t *group;
    snprintf(model, sizeof model, "samples/%s.bin", name);
    json_t *answer = cli_answer(model, ":importance " CONLLU " by pos");
    json_t *groups = json_object_get(answer, "groups");
    json_array_foreach(groups, i, group)
    {
        char place[24];
        snprintf(place, sizeof place, "%d.%d",
                 (int)json_integer_value(json_object_get(group, "layer")),
                 (int)json_integer_value(json_object_get(group, "head")));
        check_group(group, json_object_get(heads, place), place);
    }
    assert_int_equal(json_array_size(groups), 16 * json_object_size(heads));
    assert_true(json_object_size(heads) >= 8);
    json_decref(answer);
}

static void importance_is_that_of_numpy(void **state)
{
    json_t *golden = golden_open(), *models = json_object_get(golden, "importance"), *heads;
    const char *name;
    assert_int_equal(json_object_size(models), 1);
    json_object_foreach(models, name, heads) check_importance(name, heads);
    json_decref(golden);
}

/* The row whose first members are those of the reference. */
static const json_t *find_row(const json_t *rows, const char *const *keys, int key_count,
                              const json_t *wanted)
{
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        bool same = true;
        for (int k = 0; k < key_count; k++)
            same &= json_equal(json_object_get(row, keys[k]), json_array_get(wanted, (size_t)k));
        if (same)
            return row;
    }
    fail_msg("no such row: %s", json_dumps(wanted, 0));
    return NULL;
}

/* keys: the first key_count tell which row it is, the others are its numbers. */
static void check_rows(const json_t *rows, const char *const *keys, int key_count, int count,
                       const json_t *expected)
{
    size_t i;
    json_t *wanted;
    assert_int_equal(json_array_size(rows), json_array_size(expected));
    json_array_foreach(expected, i, wanted)
    {
        const json_t *row = find_row(rows, keys, key_count, wanted);
        for (int k = key_count; k < count; k++) {
            double is = json_number_value(json_object_get(row, keys[k]));
            double number = json_number_value(json_array_get(wanted, (size_t)k));
            if (!json_is_number(json_object_get(row, keys[k])) || !(fabs(is - number) < 1e-5))
                fail_msg("%s %s: %.9g", json_dumps(wanted, 0), keys[k], is);
        }
    }
}

static void check_grouping(const char *model, bool both, const char *by, const json_t *expected)
{
    static const char *const keys[] = {"module", "side", "name", "count", "mean"};
    char line[120];
    snprintf(line, sizeof line, ":gates %s qk " CONLLU " by %s", both ? "enc,dec" : "enc", by);
    json_t *answer = cli_answer(model, line), *groups = json_object_get(answer, "groups");
    check_rows(groups, both ? keys : keys + 1, both ? 3 : 2, both ? 5 : 4, expected);
    json_decref(answer);
}

static void gates_of_layers_positions_and_lengths_are_those_of_numpy(void **state)
{
    json_t *golden = golden_open(), *models = json_object_get(golden, "gate_groups"), *groupings;
    const char *name, *by;
    assert_int_equal(json_object_size(models), 2);
    json_object_foreach(models, name, groupings)
    {
        char model[80];
        bool both = strcmp(name, "en-de-context-both") == 0;
        json_t *expected, *wanted;
        size_t i;
        snprintf(model, sizeof model, "samples/%s.bin", name);
        assert_int_equal(json_object_size(groupings), 3);
        json_object_foreach(groupings, by, expected)
        {
            if (!both) // of one stack, which has no name in the groups
                json_array_foreach(expected, i, wanted) json_array_remove(wanted, 0);
            check_grouping(model, both, by, expected);
        }
    }
    json_decref(golden);
}

static void averages_of_importance_are_those_of_numpy(void **state)
{
    static const char *const of_head[] = {"module", "layer", "head", "importance", "first"};
    static const char *const of_layer[] = {"module",  "layer",   "tokens",
                                           "entropy", "uniform", "average"};
    json_t *golden = golden_open(), *models = json_object_get(golden, "averages"), *expected;
    const char *name;
    assert_int_equal(json_object_size(models), 1);
    json_object_foreach(models, name, expected)
    {
        char model[80];
        snprintf(model, sizeof model, "samples/%s.bin", name);
        json_t *heads = cli_answer(model, ":importance " CONLLU);
        json_t *layers = cli_answer(model, ":importance " CONLLU " by layer");
        check_rows(json_object_get(heads, "heads"), of_head, 3, 5,
                   json_object_get(expected, "heads"));
        check_rows(json_object_get(layers, "layers"), of_layer, 2, 6,
                   json_object_get(expected, "layers"));
        json_decref(heads);
        json_decref(layers);
    }
    json_decref(golden);
}

/* Content words, function words, others, other tags as they come, no tag; end-of-sentence is in no
 * group. */
static void groups_are_in_the_order_of_classes(void **state)
{
    static const char *const expected[] = {"NOUN", "DET", "PUNCT", "_", "ZZ", "AA"};
    char line[400];
    snprintf(line, sizeof line, ":gates enc q %s by pos",
             cli_write("tags", "1\tthe\t_\tDET\t_\t_\t_\t_\t_\t_\n2\tdog\t_\tZZ\t_\t_\t_\t_\t_\t_\n"
                               "3\tsees\t_\t_\t_\t_\t_\t_\t_\t_\n4\tit\t_\tAA\t_\t_\t_\t_\t_\t_\n"
                               "5\ttoday\t_\tNOUN\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
                               "6\t.\t_\tPUNCT\t_\t_\t_\t_\t_\t_\n"));
    json_t *answer = cli_answer(CONTEXT, line), *groups = json_object_get(answer, "groups");
    assert_int_equal(json_array_size(groups), 6);
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(json_string_value(json_object_get(json_array_get(groups, i), "name")),
                            expected[i]);
    json_decref(answer);
}

/* Every command that takes a file of sentences takes those of a CoNLL-U file. */
static void other_commands_read_its_sentences(void **state)
{
    json_t *answer = cli_answer(CONTEXT, ":gates enc q " CONLLU " by layer");
    assert_int_equal(json_integer_value(json_object_get(answer, "sentences")), 60);
    json_decref(answer);
    answer = cli_answer(CONTEXT, ":open " CONLLU);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(answer, "source"), "text")),
        "The gardener waters his roses every evening.");
    json_decref(answer);
}

static void every_form_of_export_has_them(void **state)
{
    static const char *const names[] = {"p.csv", "p.npz", "p.png", "p.pdf", "p.svg", "p.json"};
    char line[500];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(line, sizeof line, ":export %s importance " CONLLU " by pos", cli_path(names[i]));
        json_decref(cli_answer(DHICM, line));
        snprintf(line, sizeof line, ":export %s gates enc qk " CONLLU " by pos",
                 cli_path(names[i]));
        json_decref(cli_answer(CONTEXT, line));
    }
    char *csv = cli_read(cli_path("p.csv"), NULL);
    assert_memory_equal(csv, "side,pos,count,mean\n", 20);
    free(csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gates_are_those_of_numpy),
        cmocka_unit_test(importance_is_that_of_numpy),
        cmocka_unit_test(gates_of_layers_positions_and_lengths_are_those_of_numpy),
        cmocka_unit_test(averages_of_importance_are_those_of_numpy),
        cmocka_unit_test(groups_are_in_the_order_of_classes),
        cmocka_unit_test(other_commands_read_its_sentences),
        cmocka_unit_test(every_form_of_export_has_them),
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
