/* The samples' contrastive suites: the layout, and what samples/TEXTS.md says of the items. */
#include <ctype.h>

#include "tests/samples/texts_support.h"
#include "tests/support/test.h"

enum { DISTANCES = 12 };

/* Subjects have no nouns before them: the first capital after the first word is theirs. */
static int pair_place(const struct words *words)
{
    for (int i = 1; i < words->count; i++) {
        const char *word = words->word[i];
        static const char *const umlauts[] = {"\u00C4", "\u00D6", "\u00DC"};
        if (isupper((unsigned char)word[0]))
            return i;
        for (int k = 0; k < 3; k++)
            if (strncmp(word, umlauts[k], strlen(umlauts[k])) == 0)
                return i;
    }
    fail_msg("no noun");
    return -1;
}

/* True of every German verb in the third person plural, of none in the singular. */
static bool is_plural(const char *verb)
{
    size_t length = strlen(verb);
    return strcmp(verb, "sind") == 0 || (length > 2 && strcmp(verb + length - 2, "en") == 0);
}

/* The one word that differs: a verb, once in the singular and once in the plural. */
static int verb_place(const struct words *right, const struct words *wrong)
{
    int place = -1;
    assert_int_equal(right->count, wrong->count);
    for (int i = 0; i < right->count; i++)
        if (strcmp(right->word[i], wrong->word[i]) != 0) {
            assert_int_equal(place, -1);
            place = i;
        }
    assert_true(place >= 0);
    if (is_plural(right->word[place]) == is_plural(wrong->word[place]))
        fail_msg("%s, %s: not one number each", right->word[place], wrong->word[place]);
    return place;
}

static void agreement_differs_in_the_verb_at_the_stated_distance(void **state)
{
    json_t *suite = suite_open("samples/agreement-en-de.json");
    int count[2][DISTANCES + 1] = {{0}}, decisions = (int)json_array_size(suite);
    const char **references = calloc((size_t)decisions, sizeof *references);
    for (int i = 0; i < decisions; i++) {
        const json_t *item = json_array_get(suite, (size_t)i),
                     *errors = json_object_get(item, "errors");
        assert_int_equal(json_array_size(errors), 1);
        const json_t *error = json_array_get(errors, 0);
        assert_string_equal(text_in(error, "type"), "subj_verb_agreement");
        text_in(item, "source");
        text_in(item, "origin");
        struct words right, wrong;
        words_cut(references[i] = text_in(item, "reference"), &right);
        words_cut(text_in(error, "contrastive"), &wrong);
        int verb = verb_place(&right, &wrong), distance = verb - pair_place(&right);
        if (json_integer_value(json_object_get(error, "distance")) != distance)
            fail_msg("%s: distance %d", references[i], distance);
        assert_in_range(distance, 1, DISTANCES);
        count[is_plural(right.word[verb])][distance]++;
    }
    assert_true(decisions >= 400);
    for (int distance = 1; distance <= DISTANCES; distance++) {
        assert_true(count[0][distance] + count[1][distance] >= 25);
        assert_int_equal(count[0][distance], count[1][distance]);
    }
    check_distinct("agreement-en-de.json", references, decisions);
    free(references);
    json_decref(suite);
}

/* The items of an ambiguous word are adjacent in the file, each with a different sense. */
static void senses_come_in_pairs_that_differ_in_the_word(void **state)
{
    json_t *suite = suite_open("samples/senses-en-de.json"), *item, *error;
    assert_int_equal(json_array_size(suite), 40);
    size_t i, k;
    json_array_foreach(suite, i, item)
    {
        const char *reference = text_in(item, "reference"), *word = text_in(item, "ambig word");
        const json_t *partner = json_array_get(suite, i ^ 1),
                     *errors = json_object_get(item, "errors");
        text_in(item, "origin");
        assert_non_null(strstr(text_in(item, "source"), word));
        assert_non_null(strstr(reference, text_in(item, "original translation")));
        assert_string_equal(text_in(partner, "ambig word"), word);
        assert_string_not_equal(text_in(partner, "sense"), text_in(item, "sense"));
        assert_true(json_array_size(errors) >= 1);
        json_array_foreach(errors, k, error)
        {
            const char *contrastive = text_in(error, "contrastive");
            assert_string_equal(text_in(error, "type"), "word_sense");
            assert_string_not_equal(contrastive, reference);
            assert_non_null(strstr(contrastive, text_in(error, "replacement")));
            assert_null(strstr(reference, text_in(error, "replacement")));
        }
    }
    json_decref(suite);
}

/* Frequencies in the training data: "12/345", the first not above the second. */
static void check_frequency(const json_t *item)
{
    int sense, word, end = 0;
    const char *text = text_in(item, "frequency of sense/ambig word in the training data");
    assert_int_equal(sscanf(text, "%d/%d%n", &sense, &word, &end), 2);
    assert_int_equal(text[end], '\0');
    assert_true(sense >= 0 && sense <= word);
}

/* Like MuCoW: the contrastive translations are all other senses of a word; none of its words is in
 * the first suite. */
static void other_senses_are_other_words(void **state)
{
    json_t *suite = suite_open("samples/senses-mucow-en-de.json"), *item, *error, *other;
    json_t *first = suite_open("samples/senses-en-de.json");
    size_t i, k;
    assert_int_equal(json_array_size(suite), 30);
    json_array_foreach(first, i, item) check_frequency(item);
    json_array_foreach(suite, i, item)
    {
        const char *word = text_in(item, "ambig word"), *reference = text_in(item, "reference");
        check_frequency(item);
        assert_non_null(strstr(text_in(item, "source"), word));
        assert_non_null(strstr(reference, text_in(item, "original translation")));
        assert_string_equal(text_in(json_array_get(suite, i ^ 1), "ambig word"), word);
        json_array_foreach(first, k, other)
            assert_string_not_equal(text_in(other, "ambig word"), word);
        json_array_foreach(json_object_get(item, "errors"), k, error)
        {
            assert_string_equal(text_in(error, "type"), "word_sense");
            assert_non_null(strstr(text_in(error, "contrastive"), text_in(error, "replacement")));
            assert_string_not_equal(text_in(error, "contrastive"), reference);
        }
    }
    json_decref(first);
    json_decref(suite);
}

static void check_suite_known(struct checkpoint *checkpoint, const char *path)
{
    json_t *suite = suite_open(path), *item, *error;
    size_t i, k;
    json_array_foreach(suite, i, item)
    {
        check_known(checkpoint, SIDE_SOURCE, text_in(item, "source"));
        check_known(checkpoint, SIDE_TARGET, text_in(item, "reference"));
        json_array_foreach(json_object_get(item, "errors"), k, error)
            check_known(checkpoint, SIDE_TARGET, text_in(error, "contrastive"));
    }
    json_decref(suite);
}

static void the_sample_knows_every_piece(void **state)
{
    struct status status;
    struct checkpoint *checkpoint = checkpoint_open("samples/en-de.bin", &status);
    if (!checkpoint)
        fail_msg("%s", status.message);
    check_suite_known(checkpoint, "samples/agreement-en-de.json");
    check_suite_known(checkpoint, "samples/senses-en-de.json");
    check_suite_known(checkpoint, "samples/senses-mucow-en-de.json");
    checkpoint_close(checkpoint);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agreement_differs_in_the_verb_at_the_stated_distance),
        cmocka_unit_test(senses_come_in_pairs_that_differ_in_the_word),
        cmocka_unit_test(other_senses_are_other_words),
        cmocka_unit_test(the_sample_knows_every_piece),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
