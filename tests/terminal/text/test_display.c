/* Widths and cutting of text on a terminal, and the pictures made of it. */
#include <math.h>

#include "report/output/heat.h"
#include "terminal/text/display.h"
#include "tests/support/test.h"

static void widths_follow_unicode(void **state)
{
    static const struct {
        const char *text;
        int width;
    } cases[] = {
        {"", 0},
        {"abc", 3},
        {"schläft", 7},
        {"schla\xCC\x88"
         "ft",
         7}, // a with a combining diaeresis
        {"日本語", 6},
        {"ｶﾞ", 2}, // half-width katakana with its voicing mark
        {"한국", 4},
        {"🙂", 2},
        {"👨‍👩‍👧", 2}, // joined by U+200D
        {"कि", 2},                 // a vowel sign that takes a column
        {"किताब", 5},
        {"हिन्दी", 5}, // ha, i, na with virama, da, ii
        {"বাংলা", 5},
        {"தமிழ்", 4},
        {"မြန်မာ", 5},
        {"ខ្មែរ", 4},
        {"ที่น้ำ", 3},
        {"\u1112\u1161\u11ab", 2}, // Hangul in three letters
        {"שָׁלוֹם", 4},
        {"مَرْحَبًا", 5},
        {"❤️", 2},
        {"❤", 1},
        {"x\uFE0F", 1}, // no emoji
        {"😀\uFE0F", 2}, // wide already
        {"1️⃣", 2},
        {"👍🏽", 4},
        {"👩🏽‍🚀", 4},
        {"🏳️‍🌈", 2},
        {"🇩🇪", 2},
        {"x\u200By\u00ADz", 4},
        {"\u0301", 0},
        {"\u0301x", 1},
        {"⏎", 1},
        {"▁", 1},
        {"\t\n", 2},
        {"\x1b[31m", 5},
        {"\xC2\x9B", 1}, // C1: control sequence introducer
        {"\xFF\xFE", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (display_width(cases[i].text) != cases[i].width)
            fail_msg("\"%s\" takes %d columns, expected %d", cases[i].text,
                     display_width(cases[i].text), cases[i].width);
}

static void cuts_fall_between_graphemes(void **state)
{
    static const struct {
        const char *text;
        int columns;
        const char *cut;
    } cases[] = {
        {"abc", 3, "abc"},
        {"abcd", 3, "ab…"},
        {"日本語", 6, "日本語"},
        {"日本語", 5, "日本…"},
        {"日本語", 4, "日…"},
        {"a\xCC\x88"
         "bc",
         2, "a\xCC\x88…"},
        {"abc", 1, "…"},
        {"abc", 0, ""},
        {"किताब", 5, "किताब"},
        {"किताब", 4, "कि…"},
        {"किताब", 2, "…"},
        {"বাংলা", 4, "বাং…"},
        {"x👨‍👩‍👧yz", 4, "x👨‍👩‍👧…"},
        {"x👨‍👩‍👧yz", 3, "x…"},
        {"x\u200Byz", 2, "x\u200B…"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *cut = display_cut(cases[i].text, cases[i].columns);
        assert_string_equal(cut, cases[i].cut);
        free(cut);
    }
}

static void words_are_filled_and_never_cut(void **state)
{
    static const struct {
        const char *text;
        int indent, columns;
        const char *filled;
    } cases[] = {
        {"", 0, 10, "\n"},
        {"one two three", 0, 13, "one two three\n"},
        {"one two three", 0, 12, "one two\nthree\n"},
        {"one two three", 2, 8, "one\n  two\n  three\n"},
        {"日本 → 語", 0, 9, "日本 → 語\n"},
        {"日本 → 語", 0, 8, "日本 →\n語\n"},
        {"a muchlonger b", 1, 5, "a\n muchlonger\n b\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = NULL;
        size_t size;
        FILE *stream = open_memstream(&text, &size);
        display_filled(stream, cases[i].text, cases[i].indent, cases[i].columns);
        fclose(stream);
        assert_string_equal(text, cases[i].filled);
        free(text);
    }
}

/* What a line of `columns` columns ends with is not the middle of a word. */
static void lines_end_at_blanks_or_behind_wide_characters(void **state)
{
    static const struct {
        const char *text;
        int columns;
        const char *first;
    } cases[] = {
        {"किताब किताब किताब", 12, "किताब किताब"},
        {"xx कि किताब", 8, "xx कि"},
        {"日本語日本語", 5, "日本"},
        {"কিতাব কিতাব", 7, "কিতাব"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t next, bytes = display_line(cases[i].text, cases[i].columns, &next);
        if (bytes != strlen(cases[i].first) || memcmp(cases[i].text, cases[i].first, bytes) != 0)
            fail_msg("\"%s\" begins with \"%.*s\", expected \"%s\"", cases[i].text, (int)bytes,
                     cases[i].text, cases[i].first);
    }
    assert_int_equal(display_lines("a b c d", 1, 10), 4);
    assert_int_equal(display_lines("a b c d", 1, 2), 2);
}

static void control_characters_become_visible(void **state)
{
    static const char *const cases[][2] = {
        {"plain ä 日", "plain ä 日"},
        {"a\x1b[2Jb\n\t\r", "a␛[2Jb␊␉␍"},
        {"\x01\x7f", "␁␡"},
        {"\xC2\x9B"
         "31m",
         "\xEF\xBF\xBD"
         "31m"},
        {"\xE2\x80\xA8", "\xEF\xBF\xBD"},
        {"a\xFF\xC3", "a\xEF\xBF\xBD\xEF\xBF\xBD"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *clean = display_clean(cases[i][0]);
        assert_string_equal(clean, cases[i][1]);
        free(clean);
    }
}

/* What `draw` draws in so many columns. The caller frees it. */
static char *drawn(void (*draw)(FILE *, const struct heat *, int), const struct heat *heat,
                   int width)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    draw(stream, heat, width);
    fclose(stream);
    return text;
}

static void a_matrix_is_shaded_by_its_greatest_value(void **state)
{
    static const char *const rows[] = {"ab", "日本"}, *const columns[] = {"xy", "語", "⏎"};
    static const float values[] = {0.5f, 0.25f, 0, 0.1f, 0.36f, 0.05f};
    struct heat heat = {rows, columns, 2, 3, values};
    char *text = drawn(heat_draw, &heat, 80);
    assert_string_equal(text, "       x 語⏎ \n"
                              "       y     \n"
                              " ab    ██▒▒  \n"
                              " 日本  ░░▓▓  \n");
    free(text);
}

static void wide_matrices_go_on_in_blocks_that_fit(void **state)
{
    const char *columns[40];
    float values[40] = {0};
    static const char *const rows[] = {"row"};
    for (int i = 0; i < 40; i++)
        columns[i] = "c";
    struct heat heat = {rows, columns, 1, 40, values};
    for (int width = 20; width < 100; width += 7) {
        char *text = drawn(heat_draw, &heat, width);
        char *rest;
        int cells = 0;
        for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
            if (display_width(line) > width)
                fail_msg("%d columns in %d: \"%s\"", display_width(line), width, line);
            for (char *c = strchr(line, 'c'); c; c = strchr(c + 1, 'c'))
                cells++;
        }
        assert_int_equal(cells, 40);
        free(text);
    }
}

static void tables_show_three_decimals(void **state)
{
    static const char *const rows[] = {"a"}, *const columns[] = {"1", "2.1"};
    static const float values[] = {0.12345f, NAN};
    struct heat heat = {rows, columns, 1, 2, values};
    char *text = drawn(table_draw, &heat, 80);
    assert_string_equal(text, "         1    2.1\n a   0.123      -\n");
    free(text);
}

static void entropy_is_the_mean_over_rows_in_bits(void **state)
{
    static const float values[] = {0.5f, 0.5f, 1, 0, 0, 0};
    struct heat heat = {NULL, NULL, 3, 2, values};
    assert_true(fabs(heat_entropy(&heat) - 0.5) <
                1e-9); // 1 and 0 bits; the empty row does not count
    static const float distances[] = {0.5f, 0.5f, 0.2f, 0.3f};
    assert_true(isnan(heat_entropy(&(struct heat){NULL, NULL, 2, 2, distances})));
}

/* Cells are two columns wide: a letter with two vowel signs goes on in the next row. */
static void labels_run_down_by_graphemes(void **state)
{
    static const char *const rows[] = {"a"}, *const columns[] = {"कि", "বাং", "xy"};
    static const float values[] = {0, 0, 0};
    const struct heat heat = {
        .rows = rows, .columns = columns, .values = values, .row_count = 1, .column_count = 3};
    char *text = drawn(heat_draw, &heat, 40);
    assert_string_equal(text, "    किবাx \n"
                              "      ং y \n"
                              " a        \n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(widths_follow_unicode),
        cmocka_unit_test(cuts_fall_between_graphemes),
        cmocka_unit_test(words_are_filled_and_never_cut),
        cmocka_unit_test(lines_end_at_blanks_or_behind_wide_characters),
        cmocka_unit_test(control_characters_become_visible),
        cmocka_unit_test(a_matrix_is_shaded_by_its_greatest_value),
        cmocka_unit_test(labels_run_down_by_graphemes),
        cmocka_unit_test(wide_matrices_go_on_in_blocks_that_fit),
        cmocka_unit_test(tables_show_three_decimals),
        cmocka_unit_test(entropy_is_the_mean_over_rows_in_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
