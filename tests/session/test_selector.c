/* SELECTOR, LIST, words and numbers of the command language. */
#include <limits.h>

#include "session/selector.h"
#include "terminal/text/arguments.h"
#include "tests/support/test.h"

/* A selector of a line of words; what is left over goes to `rest`, joined by blanks. */
static bool parse(const char *line, struct selector *selector, char *left, struct status *status)
{
    struct strings words = {0};
    const char *rest[64];
    int count = 0;
    *left = '\0';
    assert_true(arguments_split(line, &words, status));
    bool ok = selector_parse(&words, HEADS_OR_MERGED, selector, rest, &count, status);
    for (int i = 0; ok && i < count; i++) {
        strcat(left, i ? " " : "");
        strcat(left, rest[i]);
    }
    strings_free(&words);
    return ok;
}

/* The 1-based numbers below 13 that a list has, as text. */
static void list_text(const struct number_list *list, char *text)
{
    *text = '\0';
    for (int n = 1; n < 13; n++)
        for (int i = 0; i < list->count; i++)
            if (list->ranges[i].first <= n && n <= list->ranges[i].last) {
                sprintf(text + strlen(text), "%s%d", *text ? " " : "", n);
                break;
            }
}

static void selectors_come_in_any_order(void **state)
{
    static const struct {
        const char *line;
        enum module module;
        bool module_given;
        enum part layer;
        const char *layers;
        enum part head;
        const char *heads, *rest;
    } cases[] = {
        {"", MODULE_ENCODER, false, PART_ABSENT, "", PART_ABSENT, "", ""},
        {"enc", MODULE_ENCODER, true, PART_ABSENT, "", PART_ABSENT, "", ""},
        {"encoder", MODULE_ENCODER, true, PART_ABSENT, "", PART_ABSENT, "", ""},
        {"dec", MODULE_DECODER, true, PART_ABSENT, "", PART_ABSENT, "", ""},
        {"in decoder", MODULE_DECODER, true, PART_ABSENT, "", PART_ABSENT, "", ""},
        {"in cross", MODULE_CROSS, true, PART_ABSENT, "", PART_ABSENT, "", ""},
        {"head 8", MODULE_ENCODER, false, PART_ABSENT, "", PART_LIST, "8", ""},
        {"head 2 layer 3 cross", MODULE_CROSS, true, PART_LIST, "3", PART_LIST, "2", ""},
        {"layer 1-4 in dec head 2,5-7", MODULE_DECODER, true, PART_LIST, "1 2 3 4", PART_LIST,
         "2 5 6 7", ""},
        {"layer all head mean", MODULE_ENCODER, false, PART_ALL, "", PART_MEAN, "", ""},
        {"dec head importance", MODULE_DECODER, true, PART_ABSENT, "", PART_IMPORTANCE, "", ""},
        {"dec 2.importance", MODULE_DECODER, true, PART_LIST, "2", PART_IMPORTANCE, "", ""},
        {"enc head all as norms word", MODULE_ENCODER, true, PART_ABSENT, "", PART_ALL, "", "word"},
        {"head max enc", MODULE_ENCODER, true, PART_ABSENT, "", PART_MAX, "", ""},
        {"head 7,7,1-2", MODULE_ENCODER, false, PART_ABSENT, "", PART_LIST, "1 2 7", ""},
        {"head 3 local 2", MODULE_ENCODER, false, PART_ABSENT, "", PART_LIST, "3", "local 2"},
        {"word dec", MODULE_DECODER, true, PART_ABSENT, "", PART_ABSENT, "", "word"},
        {"head 1 current word layer 2", MODULE_ENCODER, false, PART_LIST, "2", PART_LIST, "1",
         "current word"},
        {"cross 2.7", MODULE_CROSS, true, PART_LIST, "2", PART_LIST, "7", ""},
        {"in enc 3.7 word", MODULE_ENCODER, true, PART_LIST, "3", PART_LIST, "7", "word"},
        {"dec 1-2.2,4", MODULE_DECODER, true, PART_LIST, "1 2", PART_LIST, "2 4", ""},
        {"cross 2.mean", MODULE_CROSS, true, PART_LIST, "2", PART_MEAN, "", ""},
        {"2.7", MODULE_ENCODER, false, PART_LIST, "2", PART_LIST, "7", ""},
        {"2.7 cross", MODULE_CROSS, true, PART_LIST, "2", PART_LIST, "7", ""},
        {"2.7 3.1", MODULE_ENCODER, false, PART_LIST, "2", PART_LIST, "7", "3.1"},
        {"cross 2.txt", MODULE_CROSS, true, PART_ABSENT, "", PART_ABSENT, "", "2.txt"},
        {"heads 4", MODULE_ENCODER, false, PART_ABSENT, "", PART_LIST, "4", ""},
        {"layers 1-2 heads 3,5 dec", MODULE_DECODER, true, PART_LIST, "1 2", PART_LIST, "3 5", ""},
        {"\"head\" '1'", MODULE_ENCODER, false, PART_ABSENT, "", PART_LIST, "1", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct selector selector;
        struct status status;
        char left[200], text[200];
        if (!parse(cases[i].line, &selector, left, &status))
            fail_msg("\"%s\": %s", cases[i].line, status.message);
        assert_int_equal(selector.module, cases[i].module);
        assert_int_equal(selector.module_given, cases[i].module_given);
        assert_int_equal(selector.layer, cases[i].layer);
        assert_int_equal(selector.head, cases[i].head);
        list_text(&selector.layers, text);
        assert_string_equal(text, cases[i].layers);
        list_text(&selector.heads, text);
        assert_string_equal(text, cases[i].heads);
        assert_string_equal(left, cases[i].rest);
        selector_free(&selector);
    }
}

static void malformed_selectors_say_what_was_expected(void **state)
{
    static const struct {
        const char *line, *says;
    } cases[] = {
        {"head", "expected LIST, mean, max, importance or all"},
        {"layer", "expected LIST or all"},
        {"in", "expected enc, dec or cross"},
        {"in head 1", "expected enc, dec or cross"},
        {"enc dec", "two modules"},
        {"in enc in enc", "two modules"},
        {"head 1 head 2", "head is given twice"},
        {"cross 2.7 head 1", "head is given twice"},
        {"heads", "expected LIST, mean, max, importance or all"},
        {"cross 0.7", "numbers from 1"},
        {"cross 1.1,1.2", "1.1,1.2: expected a layer and its heads, such as 2.7 or 2.1-3"},
        {"in dec 1.2.3", "1.2.3: expected a layer and its heads"},
        {"layer 1 layer all", "layer is given twice"},
        {"head 0", "numbers from 1"},
        {"head -1", "numbers from 1"},
        {"head 1-", "numbers from 1"},
        {"head -", "numbers from 1"},
        {"head 4-1", "numbers from 1"},
        {"head 1,", "numbers from 1"},
        {"head ,1", "numbers from 1"},
        {"head 1,,2", "numbers from 1"},
        {"head 1-2-3", "numbers from 1"},
        {"head 1.5", "numbers from 1"},
        {"head one", "numbers from 1"},
        {"layer mean", "numbers from 1"},
        {"head 99999999999999999999", "numbers from 1"},
        {"head 1-99999999999999999999", "numbers from 1"},
        {"head ''", "numbers from 1"},
        {"head '1 '", "numbers from 1"},
        {"head +1", "numbers from 1"},
        {"as", "expected weights, norms"},
        {"as nothing", "as nothing: expected weights, norms"},
        {"as norms as alti", "as is given twice"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct selector selector;
        struct status status;
        char left[200];
        if (parse(cases[i].line, &selector, left, &status))
            fail_msg("\"%s\" is accepted", cases[i].line);
        if (!strstr(status.message, cases[i].says))
            fail_msg("\"%s\": \"%s\" does not say \"%s\"", cases[i].line, status.message,
                     cases[i].says);
    }
}

static void huge_ranges_cost_nothing(void **state)
{
    struct selector selector;
    struct status status;
    char left[200];
    assert_true(parse("head 2-2147483647", &selector, left, &status));
    assert_int_equal(selector.heads.count, 1);
    assert_false(selector_has_head(&selector, 0));
    assert_true(selector_has_head(&selector, 1));
    assert_true(selector_has_head(&selector, INT_MAX - 1));
    selector_free(&selector);
}

static void a_list_of_one_number_is_single(void **state)
{
    static const struct {
        const char *text;
        int single;
    } cases[] = {{"3", 3}, {"3-3", 3}, {"3,3", 3}, {"1-2", 0}, {"1,2", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct number_list list = {0};
        struct status status;
        assert_true(number_list_parse("head", cases[i].text, &list, &status));
        assert_int_equal(number_list_single(&list), cases[i].single);
        free(list.ranges);
    }
}

static void words_are_split_as_a_shell_does(void **state)
{
    static const struct {
        const char *line;
        const char *words[5];
    } cases[] = {
        {"", {NULL}},
        {" \t ", {NULL}},
        {"a b", {"a", "b"}},
        {"  a\tb  ", {"a", "b"}},
        {"'a b' c", {"a b", "c"}},
        {"\"a b\"c", {"a bc"}},
        {"a\\ b", {"a b"}},
        {"'a\\b'", {"a\\b"}},
        {"\"a\\\"b\"", {"a\"b"}},
        {"\"a\\nb\"", {"a\\nb"}},
        {"''", {""}},
        {"'' \"\"", {"", ""}},
        {"a''b", {"ab"}},
        {"\\'a", {"'a"}},
        {"ä 'ö ü'", {"ä", "ö ü"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct strings words = {0};
        struct status status;
        int count = 0;
        assert_true(arguments_split(cases[i].line, &words, &status));
        for (; cases[i].words[count]; count++)
            assert_string_equal(count < words.count ? words.text[count] : "(none)",
                                cases[i].words[count]);
        assert_int_equal(words.count, count);
        strings_free(&words);
    }
}

static void unfinished_quotes_are_errors(void **state)
{
    static const char *const lines[] = {"'", "\"", "a 'b", "\"a\\\"", "a\\", "'a' \"b'"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct strings words = {0};
        struct status status;
        if (arguments_split(lines[i], &words, &status))
            fail_msg("%s is accepted", lines[i]);
        strings_free(&words);
    }
}

static void sentences_lose_only_quotes_around_all_of_them(void **state)
{
    static const char *const cases[][2] = {
        {"  A dog .  ", "A dog ."},
        {"'A dog .'", "A dog ."},
        {"\"A dog .\"", "A dog ."},
        {"That's a dog's bone .", "That's a dog's bone ."},
        {"\"Come\" , she said , \"now\"", "\"Come\" , she said , \"now\""},
        {"'tis the dogs'", "tis the dogs"}, // a shell would say so too
        {"\"", "\""},
        {"back\\slash", "back\\slash"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct status status;
        char *text = arguments_text(cases[i][0], strlen(cases[i][0]), &status);
        assert_string_equal(text, cases[i][1]);
        free(text);
    }
}

static void numbers_are_whole_and_in_range(void **state)
{
    static const struct {
        const char *text;
        int value; // -1: refused
    } ints[] = {{"1", 1},   {"64", 64},  {"007", 7},  {"0", -1},
                {"65", -1}, {"", -1},    {" 1", -1},  {"1 ", -1},
                {"+1", -1}, {"1.0", -1}, {"1e1", -1}, {"0x1", -1},
                {"-", -1},  {"-5", -1},  {"one", -1}, {"99999999999999999999", -1}};
    static const struct {
        const char *text;
        double value; // -1: refused
    } numbers[] = {{"0.5", 0.5}, {".5", 0.5}, {"1e-1", 0.1}, {"2", 2},
                   {"inf", -1},  {"nan", -1}, {"0x1", -1},   {"1e999", -1},
                   {"", -1},     {"1,5", -1}, {"3", -1},     {"-0.5", -1}};
    struct status status;
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++) {
        int value = -1;
        assert_int_equal(parse_int("beam", ints[i].text, 1, 64, &value, &status),
                         ints[i].value >= 0);
        assert_int_equal(value, ints[i].value);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        double value = -1;
        if (parse_double("alpha", numbers[i].text, 0, 2, &value, &status) !=
                (numbers[i].value >= 0) ||
            value != numbers[i].value)
            fail_msg("\"%s\" is %g", numbers[i].text, value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selectors_come_in_any_order),
        cmocka_unit_test(malformed_selectors_say_what_was_expected),
        cmocka_unit_test(huge_ranges_cost_nothing),
        cmocka_unit_test(a_list_of_one_number_is_single),
        cmocka_unit_test(words_are_split_as_a_shell_does),
        cmocka_unit_test(unfinished_quotes_are_errors),
        cmocka_unit_test(sentences_lose_only_quotes_around_all_of_them),
        cmocka_unit_test(numbers_are_whole_and_in_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
