/* Text on a canvas: what stands where, scrolled, searched, and nothing beside it. */
#include "tests/support/test.h"
#include "tui/screen/sheet/page.h"

#include "tests/tui/screen/canvas/canvas_support.h"
#include "tui/screen/canvas/find.h"

static const struct screen_style colourful = {.depth = DEPTH_TRUE};

static struct page make_page(const char *text)
{
    struct page page;
    struct status status;
    assert_true(page_make(&page, strdup(text), &status));
    return page;
}

static void lines_are_those_of_the_text(void **state)
{
    struct page page = make_page("one\n\nthree 日本\nlast");
    assert_int_equal(page.count, 4);
    assert_string_equal(page.lines[1], "");
    assert_string_equal(page.lines[3], "last");
    assert_int_equal(page.width, 10);
    page_free(&page);
    assert_null(page.lines);
    page = make_page("");
    assert_int_equal(page.count, 0);
    page_free(&page);
    page = make_page("a\n");
    assert_int_equal(page.count, 1);
    page_free(&page);
}

static void what_is_seen_follows_the_spot(void **state)
{
    static const struct {
        struct page_scroll cursor, kept;
        const char *seen[2]; // rows of the area, which is 2 by 6
    } cases[] = {
        {{0, 0}, {0, 0}, {"first ", "漢字… "}},
        {{1, 1}, {1, 1}, {" 字か…", "\u2409b    "}}, // half a character is none
        {{1, 2}, {1, 2}, {"字かな", "b     "}},
        {{9, 9}, {2, 2}, {"b     ", "fourth"}}, // the end, the widest line's
        {{-3, -5}, {0, 0}, {"first ", "漢字… "}},
        {{2, 1}, {2, 1}, {"\u2409b    ", " four…"}},
    };
    struct page page = make_page("first\n漢字かな\na\tb\n  fourth\n");
    struct area area = {1, 2, 2, 6};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct canvas canvas = canvas_with_canary(5, 12, area);
        struct page_scroll cursor = cases[i].cursor;
        page_draw(&page, &colourful, &canvas, area, &cursor, NULL);
        assert_int_equal(cursor.top, cases[i].kept.top);
        assert_int_equal(cursor.left, cases[i].kept.left);
        for (int row = 0; row < 2; row++)
            assert_string_equal(canvas_text(&canvas, area.row + row, area.column, area.columns),
                                cases[i].seen[row]);
        canvas_check_canary(&canvas, area);
        canvas_free(&canvas);
    }
    page_free(&page);
}

static void what_is_found_is_in_reverse(void **state)
{
    struct page page = make_page("Anna an ANNA 漢字an\nnone\n");
    struct area area = {0, 0, 2, 12};
    static const struct {
        const char *search;
        int left;
        const char *marks; // of the first row
    } cases[] = {
        {"an", 0, "xx...xx.xx.."},   {"An", 0, "xx.........."}, {"AN", 0, "........xx.."},
        {"字an", 7, "........xxxx"}, {"na", 1, ".xx......xx."}, {"", 0, "............"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct canvas canvas = canvas_with_canary(2, 12, area);
        struct page_scroll cursor = {0, cases[i].left};
        page_draw(&page, &colourful, &canvas, area, &cursor, cases[i].search);
        assert_int_equal(cursor.left, cases[i].left);
        for (int column = 0; cases[i].marks[column]; column++)
            if (canvas_cell(&canvas, 0, column)->style.reverse != (cases[i].marks[column] == 'x'))
                fail_msg("\"%s\" from column %d: wrong in column %d", cases[i].search,
                         cases[i].left, column);
        for (int column = 0; column < 12; column++)
            assert_false(canvas_cell(&canvas, 1, column)->style.reverse);
        canvas_free(&canvas);
    }
    page_free(&page);
}

static void searching_goes_round(void **state)
{
    static const struct {
        const char *search;
        int from;
        bool backward;
        int found;
    } cases[] = {
        {"dog", 0, false, 0},   {"dog", 1, false, 3},     {"dog", 4, false, 0},
        {"dog", 2, true, 0},    {"dog", 4, true, 3},      {"Dog", 0, false, 3},
        {"cat", 0, false, -1},  {"straße", 0, false, 1},  {"strasse", 0, false, 1},
        {"größe", 0, false, 2}, {"GRÖSSE", 0, false, -1}, {"σοφός", 3, true, 4},
        {"", 0, false, -1},     {"dog", -1, true, 3},     {"dog", 99, false, 0},
    };
    struct page page = make_page("a dog\nSTRASSE\nGröße\nDog\nΣΟΦΌΣ x\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int found = page_search(&page, cases[i].search, cases[i].from, cases[i].backward);
        if (found != cases[i].found)
            fail_msg("\"%s\" from %d is found in %d, expected %d", cases[i].search, cases[i].from,
                     found, cases[i].found);
    }
    page_free(&page);
    page = make_page("");
    assert_int_equal(page_search(&page, "a", 0, false), -1);
    page_free(&page);
}

static void finding_tells_the_place_in_the_text(void **state)
{
    static const char text[] = "x\xff\xffStraße";
    size_t length;
    const char *at = find_in(text, "ss", &length);
    assert_ptr_equal(at, strstr(text, "ß"));
    assert_int_equal(length, 2);
    assert_ptr_equal(find_in(text, "\xff", &length), text + 1);
    assert_int_equal(length, 1);
    assert_null(find_in(text, "strassen", &length));
    assert_null(find_in("", "a", &length));
}

/* Any size and scroll position: nothing beside the area changes, and the position is inside. */
static void sizes_of_all_kinds_are_drawn(void **state)
{
    static const int rows[] = {0, 1, 2, 7, 12, 24, 70}, columns[] = {0, 1, 2, 3, 40, 80, 250};
    struct page page = make_page(
        "a\n日本語のとても長い文がここに書いてあります\n👩‍👩‍👧e"
        "\u0301"
        " "
        "שלום\n\x1b[31m\n");
    for (size_t r = 0; r < 7; r++)
        for (size_t c = 0; c < 7; c++)
            for (int at = -1; at < 50; at += 3) {
                struct area area = {1, 1, rows[r], columns[c]};
                struct canvas canvas = canvas_with_canary(rows[r] + 2, columns[c] + 2, area);
                struct page_scroll cursor = {at / 5, at};
                page_draw(&page, &colourful, &canvas, area, &cursor, "a");
                assert_in_range(cursor.top, 0, page.count);
                assert_in_range(cursor.left, 0, page.width);
                canvas_check_canary(&canvas, area);
                canvas_free(&canvas);
            }
    page_free(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_those_of_the_text),
        cmocka_unit_test(what_is_seen_follows_the_spot),
        cmocka_unit_test(what_is_found_is_in_reverse),
        cmocka_unit_test(searching_goes_round),
        cmocka_unit_test(finding_tells_the_place_in_the_text),
        cmocka_unit_test(sizes_of_all_kinds_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
