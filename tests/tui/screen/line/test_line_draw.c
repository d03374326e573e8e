/* The screen's line on the canvas: wherever the cursor is and whatever is typed. */
#include "tests/support/test.h"
#include "tests/tui/screen/line/line_support.h"

static const char *offers_drawn(int rows, int columns, int *used)
{
    static char text[4000];
    struct status status;
    size_t at = 0;
    assert_true(canvas_resize(&line_canvas, rows, columns, &status));
    *used = line_draw_offers(&line_canvas, (struct area){0, 0, rows, columns});
    for (int i = rows - *used; i < rows; i++) {
        for (int j = 0; j < columns; j++)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s",
                                   canvas_cell(&line_canvas, i, j)->text);
        at += (size_t)snprintf(text + at, sizeof text - at, "|");
    }
    return text;
}

static void offers_stand_in_columns(void **state)
{
    int used;
    begin_line();
    feed("\t\t");
    assert_int_equal(line_offers()->count, 4);
    // 10 columns and 2 between
    assert_string_equal(offers_drawn(5, 25, &used), "decoder     dedicated    |"
                                                    "decoration  encoder      |");
    assert_int_equal(used, 2);
    assert_string_equal(offers_drawn(3, 14, &used), "decoder       |"
                                                    "decoration    |"
                                                    "and 2 more    |");
    assert_string_equal(offers_drawn(1, 14, &used), "4 words       |");
    assert_string_equal(offers_drawn(1, 60, &used),
                        "decoder     decoration  dedicated   encoder                 |");
    assert_int_equal(line_draw_offers(&line_canvas, (struct area){0, 0, 0, 14}), 0);
    feed("\025");
    offers_drawn(5, 25, &used);
    assert_int_equal(used, 0);
    assert_entered("");
}

static void wide_and_combined_characters_keep_their_places(void **state)
{
    begin_line();
    feed("犬が猫");
    assert_drawn(1, 20, ": 犬が猫", 0, 8);
    feed("\033[D");
    assert_drawn(1, 20, ": 犬が猫", 0, 6);
    feed("\177を"); // takes a whole character
    assert_drawn(1, 20, ": 犬を猫", 0, 6);
    feed("\001e\314\201x"); // e and an acute accent: one column
    assert_drawn(1, 20, ": e\314\201x犬を猫", 0, 4);
    // 2 + 2 + 6 columns on rows of 7: a wide character is never halved
    assert_drawn(2, 7, ": e\314\201x犬|を猫", 0, 4);
    assert_entered("e\314\201x犬を猫");
    begin_line();
    assert_int_equal(feed("\347\212"), 2); // the first bytes of 犬
    assert_drawn(1, 20, ":", 0, 2);
    feed("\254");
    assert_drawn(1, 20, ": 犬", 0, 4);
    feed("\377!"); // no UTF-8
    assert_drawn(1, 20, ": 犬?!", 0, 6);
    assert_entered("犬?!");
}

static void control_characters_are_shown_as_pictures(void **state)
{
    begin_line();
    feed("\302\205\026\033b\026\001\033[200~\r\t\033[201~");
    assert_drawn(1, 20, ": \357\277\275␛b␁␊␉", 0, 8);
    feed("\002\002\002");
    assert_drawn(1, 20, ": \357\277\275␛b␁␊␉", 0, 5);
    assert_true(line_drop());
    feed("\033");
}

static void long_lines_wrap_and_scroll_with_the_cursor(void **state)
{
    begin_line();
    feed("0123456789abcdefghij");
    assert_int_equal(line_rows(40, 5), 1);
    assert_int_equal(line_rows(23, 5), 1); // 2 + 20, and the cursor
    assert_int_equal(line_rows(22, 5), 2);
    assert_int_equal(line_rows(10, 5), 3);
    assert_int_equal(line_rows(10, 2), 2);
    assert_int_equal(line_rows(0, 2), 1);
    assert_drawn(2, 22, ": 0123456789abcdefghij|", 1, 0);
    assert_drawn(3, 10, ": 01234567|89abcdefgh|ij", 2, 2);
    assert_drawn(2, 10, "89abcdefgh|ij", 1, 2);
    // On one row by halves of its width.
    assert_drawn(1, 10, "defghij", 0, 7);
    feed("\001");
    assert_drawn(1, 10, ": 01234567", 0, 2);
    assert_drawn(2, 10, ": 01234567|89abcdefgh", 0, 2);
    feed("\033[C\033[C\033[C\033[C\033[C\033[C\033[C\033[C");
    assert_drawn(1, 10, "3456789abc", 0, 5);
    assert_entered("0123456789abcdefghij");
}

/* Wherever the cursor is, at every size it is on the area. */
static void the_cursor_is_always_seen(void **state)
{
    begin_line();
    feed("ein 犬 e\314\201 und 日本語の長い文 und noch "
         "\360\237\221\251\342\200\215\360\237\221\247 mehr Text");
    for (int moved = 0; moved < 50; moved += 3) {
        for (int columns = 1; columns < 60; columns++)
            for (int rows = 1; rows < 5; rows++) {
                int row, column;
                drawn(rows, columns, &row, &column);
                assert_true(row >= 0 && row < rows && column >= 0 && column < columns);
            }
        feed("\002\002\002");
    }
    assert_true(line_drop());
    feed("\033");
}

static int run_group(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offers_stand_in_columns),
        cmocka_unit_test(wide_and_combined_characters_keep_their_places),
        cmocka_unit_test(control_characters_are_shown_as_pictures),
        cmocka_unit_test(long_lines_wrap_and_scroll_with_the_cursor),
        cmocka_unit_test(the_cursor_is_always_seen),
    };
    return cmocka_run_group_tests(tests, open_lines, close_lines);
}

int main(void)
{
    if (line_tests_begin() != 0)
        return 1;
    int failed = line_tests_with("set editing-mode emacs\n", run_group);
    return line_tests_end() || failed;
}
