/* What is drawn on a canvas, cell by cell. */
#include "tests/support/test.h"
#include "tui/screen/canvas/canvas.h"

static struct canvas make(int rows, int columns)
{
    struct canvas canvas = {0};
    struct status status;
    assert_true(canvas_resize(&canvas, rows, columns, &status));
    return canvas;
}

/* The texts of a row, with a bar after each cell. */
static const char *row_of(const struct canvas *canvas, int row)
{
    static char text[4096];
    *text = '\0';
    for (int i = 0; i < canvas->columns; i++) {
        strcat(text, canvas_cell(canvas, row, i)->text);
        strcat(text, "|");
    }
    return text;
}

static const struct style plain;

static void texts_take_their_columns(void **state)
{
    static const struct {
        const char *text;
        int column, columns;
        const char *row;
        int width;
    } cases[] = {
        {"abc", 1, 5, " |a|b|c| | |", 3},
        {"abcdef", 0, 6, "a|b|c|d|e|f|", 6},
        {"abcdefg", 0, 6, "a|b|c|d|e|…|", 6},
        {"abc", 2, 2, " | |a|…| | |", 2},
        {"abc", 2, 0, " | | | | | |", 0},
        {"abc", 2, -3, " | | | | | |", 0},
        {"日本", 0, 6, "日||本|| | |", 4},
        {"日本語", 0, 5, "日||本||…| |", 5},
        {"日本語", 0, 4, "日||…| | | |", 3}, // half of 本 is no room
        {"日", 0, 1, "…| | | | | |", 1},
        {"日本", 3, 6, " | | |日|| |", 4}, // half of 本 is outside
        {"日本", -1, 6, " |本|| | | |", 4},
        {"日本", -2, 6, "本|| | | | |", 4},
        {"abc", -2, 6, "c| | | | | |", 3},
        {"abc", 5, 6, " | | | | |a|", 3},
        {"abc", 6, 6, " | | | | | |", 3},
        {"e\u0301a", 0, 6, "e\u0301|a| | | | |", 2},
        {"\u0301a", 0, 6, "\u0301a| | | | | |", 1}, // a mark alone
        {"कितx", 0, 6, "कि||त|x| | |", 4},
        {"বাংx", 0, 6, "বাং|||x| | |", 4}, // two spacing marks
        {"বাংx", 0, 3, "…| | | | | |", 1},
        {"বাং", 4, 6, " | | | | | |", 3}, // partly outside
        {"বাং", -1, 6, " | | | | | |", 3},
        {"x\u200By\u00ADz", 0, 6, "x\u200B|y|\u00AD|z| | |", 4},
        {"\u2066x\u2069y", 0, 6, "x|y| | | | |", 2},
        {"a\tb\033[m", 0, 6, "a|␉|b|␛|[|m|", 6},
        {"a\x80z", 0, 6, "a|�|z| | | |", 3},
        {"a\u202Ez", 0, 6, "a|z| | | | |", 2}, // nothing that turns what follows around
        {"👩\u200D👧x", 0, 6, "👩\u200D👧||x| | | |", 3},
        {"", 0, 6, " | | | | | |", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct canvas canvas = make(1, 6);
        int width = canvas_put(&canvas, 0, cases[i].column, cases[i].columns, plain, cases[i].text);
        if (width != cases[i].width || strcmp(row_of(&canvas, 0), cases[i].row) != 0)
            fail_msg("\"%s\" at %d in %d: %s (%d), expected %s (%d)", cases[i].text,
                     cases[i].column, cases[i].columns, row_of(&canvas, 0), width, cases[i].row,
                     cases[i].width);
        canvas_free(&canvas);
    }
}

static void the_other_half_of_what_is_covered_is_blank(void **state)
{
    static const struct {
        int column;
        const char *text, *row;
    } cases[] = {{0, "x", "x| |本||語||"},  {1, "x", " |x|本||語||"},  {1, "xy", " |x|y| |語||"},
                 {1, "国", " |国|| |語||"}, {2, "国", "日||国||語||"}, {5, "x", "日||本|| |x|"},
                 {5, "国", "日||本|| | |"}, {-1, "国", " | |本||語||"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct canvas canvas = make(1, 6);
        canvas_put(&canvas, 0, 0, 6, plain, "日本語");
        canvas_put(&canvas, 0, cases[i].column, 2, plain, cases[i].text);
        if (strcmp(row_of(&canvas, 0), cases[i].row) != 0)
            fail_msg("%s at %d: %s, expected %s", cases[i].text, cases[i].column,
                     row_of(&canvas, 0), cases[i].row);
        canvas_free(&canvas);
    }
}

static void rows_outside_are_left_out(void **state)
{
    struct canvas canvas = make(2, 3);
    canvas_put(&canvas, -1, 0, 3, plain, "abc");
    canvas_put(&canvas, 2, 0, 3, plain, "abc");
    canvas_repeat(&canvas, 5, 0, 3, plain, "-");
    canvas_restyle(&canvas, (struct area){-5, -5, 20, 20}, (struct style){.underline = true});
    for (int i = 0; i < 2; i++)
        assert_string_equal(row_of(&canvas, i), " | | |");
    for (int i = 0; i < 6; i++)
        assert_true(canvas.cells[i].style.underline);
    assert_null(canvas_cell(&canvas, 0, 3));
    assert_null(canvas_cell(&canvas, 2, 0));
    assert_null(canvas_cell(&canvas, 0, -1));
    canvas_free(&canvas);
    assert_null(canvas.cells);
}

static void styles_are_those_of_the_last_drawing(void **state)
{
    struct canvas canvas = make(2, 4);
    struct style filled = {.filled = true, .fill = {1, 2, 3}};
    canvas_put(&canvas, 0, 0, 4, filled, "日x");
    canvas_put(&canvas, 1, 0, 4, filled, "abcd");
    canvas_restyle(&canvas, (struct area){1, 1, 1, 2}, (struct style){.ink = INK_WARN});
    for (int i = 0; i < 3; i++)
        assert_memory_equal(&canvas_cell(&canvas, 0, i)->style.fill, &filled.fill, 3);
    assert_false(canvas_cell(&canvas, 0, 3)->style.filled);
    assert_true(canvas_cell(&canvas, 1, 0)->style.filled);
    assert_int_equal(canvas_cell(&canvas, 1, 1)->style.ink, INK_WARN);
    assert_int_equal(canvas_cell(&canvas, 1, 2)->style.ink, INK_WARN);
    assert_true(canvas_cell(&canvas, 1, 3)->style.filled);
    canvas_free(&canvas);
}

static void a_resized_canvas_is_blank(void **state)
{
    static const int sizes[][2] = {{3, 4}, {3, 4}, {1, 1}, {0, 5}, {7, 2}};
    struct canvas canvas = make(2, 2);
    struct status status;
    for (int i = 0; i < 5; i++) {
        canvas_repeat(&canvas, 0, 0, canvas.columns, plain, "─");
        assert_true(canvas_resize(&canvas, sizes[i][0], sizes[i][1], &status));
        assert_int_equal(canvas.rows, sizes[i][0]);
        assert_int_equal(canvas.columns, sizes[i][1]);
        for (int j = 0; j < canvas.rows * canvas.columns; j++)
            assert_string_equal(canvas.cells[j].text, " ");
    }
    canvas_put(&canvas, 0, 0, 2, plain, "ab");
    assert_false(canvas_resize(&canvas, 2000000000, 2000000000, &status));
    assert_int_equal(status.code, STATUS_MEMORY);
    assert_string_equal(row_of(&canvas, 0), "a|b|");
    canvas_free(&canvas);
}

/* e with 40 marks of 2 bytes: whole ones are kept. */
static void long_graphemes_keep_their_beginning(void **state)
{
    char text[128] = "e";
    for (int i = 0; i < 40; i++)
        strcat(text, "\u0301");
    struct canvas canvas = make(1, 3);
    assert_int_equal(canvas_put(&canvas, 0, 0, 3, plain, text), 1);
    const char *kept = canvas_cell(&canvas, 0, 0)->text;
    assert_int_equal(strlen(kept), 63); // 64 with the NUL: e and 31 marks
    assert_memory_equal(kept, text, 63);
    assert_string_equal(canvas_cell(&canvas, 0, 1)->text, " ");
    canvas_free(&canvas);
}

static void in_ascii_what_is_cut_ends_in_ascii(void **state)
{
    struct canvas canvas = make(1, 4);
    struct status status;
    canvas.ascii = true;
    assert_true(canvas_resize(&canvas, 1, 3, &status));
    assert_int_equal(canvas_put(&canvas, 0, 0, 3, plain, "abcd"), 3);
    assert_string_equal(row_of(&canvas, 0), "a|b|~|");
    canvas_free(&canvas);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_take_their_columns),
        cmocka_unit_test(the_other_half_of_what_is_covered_is_blank),
        cmocka_unit_test(rows_outside_are_left_out),
        cmocka_unit_test(styles_are_those_of_the_last_drawing),
        cmocka_unit_test(a_resized_canvas_is_blank),
        cmocka_unit_test(long_graphemes_keep_their_beginning),
        cmocka_unit_test(in_ascii_what_is_cut_ends_in_ascii),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
