/* Files of alignments made by hand: both layouts, and what is refused in them. */
#include <unistd.h>

#include "model/score/gold_alignment.h"
#include "tests/support/test.h"

static char path[] = "/tmp/attnscope_gold_XXXXXX";

static void write_gold(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

static struct gold_alignments read_gold(const char *text, int sentences)
{
    struct gold_alignments gold;
    struct status status;
    write_gold(text);
    if (!gold_read(path, sentences, GOLD_FROM_USUAL, NULL, &gold, &status))
        fail_msg("%s", status.message);
    return gold;
}

/* "0-0 1?2", as Pharaoh writes them; until the next call. */
static const char *written(const struct gold_alignments *gold, int sentence)
{
    static char text[200];
    size_t used = 0;
    int count;
    const struct word_link *links = gold_links(gold, sentence, &count);
    *text = '\0';
    for (int i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%d%c%d", i ? " " : "",
                                 links[i].source, links[i].sure ? '-' : '?', links[i].target);
    return text;
}

static void check_counted(const char *text, int from, const char *const *wanted, int sentences,
                          bool without_zero)
{
    struct gold_alignments gold;
    struct status status;
    write_gold(text);
    if (!gold_read(path, sentences, from, NULL, &gold, &status))
        fail_msg("%s", status.message);
    for (int i = 0; i < sentences; i++)
        assert_string_equal(written(&gold, i), wanted[i]);
    assert_int_equal(gold.without_zero, without_zero);
    gold_free(&gold);
}

static void words_count_from_where_the_caller_says(void **state)
{
    static const char *const wanted[] = {"0-0 1?2", "3-4"}, *const as_read[] = {"1-1 2?3", "4-5"};
    static const char from_1[] = "1-1 2?3\n4-5\n";
    struct gold_alignments gold;
    struct status status;
    check_counted(from_1, 1, wanted, 2, true);
    check_counted(from_1, 0, as_read, 2, true);
    check_counted(from_1, GOLD_FROM_USUAL, as_read, 2, true);
    check_counted("0-0 1?2\n3-4\n", GOLD_FROM_USUAL, wanted, 2, false);
    check_counted("1 1 1 S\n1 2 3 P\n2 4 5\n", GOLD_FROM_USUAL, wanted, 2, false);
    check_counted("1 1 1 S\n1 2 3 P\n2 4 5\n", 1, wanted, 2, false);
    write_gold("1-1\n2-0\n");
    assert_false(gold_read(path, 2, 1, NULL, &gold, &status));
    assert_non_null(strstr(status.message, ":2: \"2-0\": expected words counted from 1"));
    write_gold("1 1 1\n");
    assert_false(gold_read(path, 1, 0, NULL, &gold, &status));
    assert_non_null(strstr(status.message, "counted from 1"));
}

static void check_sentences(const char *text, const char *const *wanted, int sentences)
{
    struct gold_alignments gold = read_gold(text, sentences);
    for (int i = 0; i < sentences; i++)
        assert_string_equal(written(&gold, i), wanted[i]);
    gold_free(&gold);
}

static void pharaoh_has_a_line_for_each_sentence(void **state)
{
    static const char *const wanted[] = {"0-0 1-1 1?2", "", "3-0 10-2"};
    check_sentences("1p2 0-0  1-1\n\n\t10-2 3-0\r\n", wanted, 3);
}

static void naacl_has_a_line_for_each_link(void **state)
{
    static const char *const wanted[] = {"0-0 1-1 1?2", "", "3-0 10-2"};
    check_sentences("0001 1 1 S\n0001 2 2\n0001 2 3 P 0.7\n3 11 3 S\n0003 4 1 0.5\n\n", wanted, 3);
}

static void links_to_the_empty_word_are_left_out(void **state)
{
    static const char *const wanted[] = {"1-0"};
    check_sentences("1 0 1 S\n1 2 1 S\n1 3 0 P\n", wanted, 1);
}

static void a_link_twice_counts_once_and_is_sure_if_one_is(void **state)
{
    static const char *const wanted[] = {"0-0 1?1"};
    check_sentences("0?0 1?1 0-0 1?1\n", wanted, 1);
}

static void refuse(const char *text, int sentences, const char *says)
{
    struct gold_alignments gold;
    struct status status;
    write_gold(text);
    if (gold_read(path, sentences, GOLD_FROM_USUAL, NULL, &gold, &status))
        fail_msg("\"%s\" is read, expected \"%s\"", text, says);
    if (!strstr(status.message, says) || strncmp(status.message, path, strlen(path)) != 0)
        fail_msg("%s, expected \"%s\"", status.message, says);
    assert_null(gold.links);
}

static void what_is_no_alignment_is_refused_with_its_line(void **state)
{
    static const struct {
        const char *text;
        int sentences;
        const char *says;
    } cases[] = {
        {"0-0\n1_2 3-3\n", 2, ":2: \"1_2\": expected a link such as 3-4"},
        {"0-0 1-\n", 1, ":1: \"1-\": expected a link"},
        {"0-0 -1-2\n", 1, ":1: \"-1-2\": expected a link"},
        {"0-0 1-2x\n", 1, ":1: \"1-2x\": expected a link"},
        {"0-0 99999999999999999999-2\n", 1, "expected a link"},
        {"0-0\n", 2, "1 lines, expected 2"},
        {"0-0\n1-1\n", 1, "2 lines, expected 1"},
        {"\n\n", 2, "no links"},
        {"", 2, ""},
        {"1 1 1\n1 x 1\n", 2, ":2: \"x\": expected the number of a source word"},
        {"1 1 1\n1 1\n", 2, ":2: \"\": expected the number of a target word"},
        {"1 1 1\n1 1 1 Q\n", 2, ":2: \"Q\": expected S or P"},
        {"1 1 1\n1 1 1 S 0.5 7\n", 2, ":2: \"7\": expected nothing more"},
        {"1 1 1\n3 1 1\n", 2, ":2: sentence 3, expected 1 to 2"},
        {"0 1 1\n", 2, ":1: sentence 0, expected 1 to 2"},
        {"1 1 1\n0-0\n", 2, ":2: \"0-0\": expected the number of a sentence"},
        {"\xff\n", 1, ":1: invalid UTF-8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refuse(cases[i].text, cases[i].sentences, cases[i].says);
}

static void links_of_words_that_are_not_there_are_found(void **state)
{
    struct gold_alignments gold = read_gold("0-0\n2-1 4-0\n", 2);
    struct status status;
    assert_true(gold_check(&gold, path, 0, 1, 1, &status));
    assert_true(gold_check(&gold, path, 1, 5, 2, &status));
    assert_false(gold_check(&gold, path, 1, 4, 2, &status));
    assert_non_null(strstr(status.message,
                           ":2: link to source word 4: sentence 2 has 4 words, counted from 0"));
    assert_false(gold_check(&gold, path, 1, 5, 1, &status));
    assert_non_null(strstr(status.message, ":2: link to target word 1: sentence 2 has 1 words"));
    gold_free(&gold);

    gold = read_gold("1 1 1\n2 5 1\n", 2);
    assert_false(gold_check(&gold, path, 1, 4, 2, &status));
    assert_non_null(strstr(status.message,
                           ":2: link to source word 5: sentence 2 has 4 words, counted from 1"));
    gold_free(&gold);
}

static int make_file(void **state)
{
    int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int remove_file(void **state)
{
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_count_from_where_the_caller_says),
        cmocka_unit_test(pharaoh_has_a_line_for_each_sentence),
        cmocka_unit_test(naacl_has_a_line_for_each_link),
        cmocka_unit_test(links_to_the_empty_word_are_left_out),
        cmocka_unit_test(a_link_twice_counts_once_and_is_sure_if_one_is),
        cmocka_unit_test(what_is_no_alignment_is_refused_with_its_line),
        cmocka_unit_test(links_of_words_that_are_not_there_are_found),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
