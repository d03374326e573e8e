/* Tables on a canvas: order, what stands where, what a click hits, and the tables of results
 * against the results' own numbers. */
#include "tests/support/test.h"
#include "tui/screen/sheet/sheet.h"

#include <math.h>

#include "tests/tui/screen/canvas/canvas_support.h"

static const struct screen_style colourful = {.depth = DEPTH_TRUE}, plain_ascii = {.ascii = true};
static struct status status;

/* Rows for sorting: a number, NaN now and then, a text, both with repetitions. */
enum { ROWS = 200 };
struct row {
    double number;
    char text[16];
    int index;
};
static struct row rows[ROWS];

/* A number with that many decimals; NaN is "". */
static void put_number(struct sheet *sheet, int column, double number, int decimals)
{
    char text[40];
    snprintf(text, sizeof text, "%.*f", decimals, number);
    assert_true(sheet_put(sheet, column, number, isnan(number) ? "" : text, &status));
}

static struct sheet make_sheet(int row_count)
{
    static const struct sheet_column columns[] = {
        {.title = "number", .number = true}, {.title = "text"}, {.title = "last", .number = true}};
    struct sheet sheet;
    assert_true(sheet_begin(&sheet, columns, 3, &status));
    unsigned seed = 7;
    for (int r = 0; r < row_count; r++) {
        seed = seed * 1103515245u + 12345u;
        unsigned dice = seed >> 16;
        rows[r] = (struct row){.number = dice % 11 == 0 ? NAN : (int)(dice % 40) - 20, .index = r};
        snprintf(rows[r].text, sizeof rows[r].text, "%c%u 日本", "aZé"[dice % 2], dice % 7);
        assert_true(sheet_row(&sheet, &status));
        put_number(&sheet, 0, rows[r].number, 2);
        assert_true(sheet_put(&sheet, 1, NAN, rows[r].text, &status));
        put_number(&sheet, 2, r, 0);
    }
    sheet_end(&sheet);
    return sheet;
}

/* The rows' own order, written apart from the sheet's. */
static int rising(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (isnan(x->number) || isnan(y->number))
        return isnan(x->number) != isnan(y->number) ? (isnan(x->number) ? 1 : -1)
                                                    : x->index - y->index;
    return x->number < y->number ? -1 : x->number > y->number ? 1 : x->index - y->index;
}

static int falling(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (!isnan(x->number) && !isnan(y->number) && x->number != y->number)
        return x->number > y->number ? -1 : 1;
    return rising(a, b);
}

static int by_text(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int by = strcmp(x->text, y->text);
    return by ? by : x->index - y->index;
}

static int by_text_back(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int by = strcmp(y->text, x->text);
    return by ? by : x->index - y->index;
}

static int as_they_came(const void *a, const void *b)
{
    return ((const struct row *)a)->index - ((const struct row *)b)->index;
}

static void sorting_is_stable_and_goes_three_ways(void **state)
{
    static const struct {
        int column;
        int (*compare)(const void *, const void *);
    } steps[] = {
        {0, rising}, {0, falling}, {0, as_they_came}, {1, by_text},      {1, by_text_back},
        {0, rising}, {1, by_text}, {1, by_text_back}, {1, as_they_came},
    };
    struct sheet sheet = make_sheet(ROWS);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        sheet_sort(&sheet, steps[i].column);
        qsort(rows, ROWS, sizeof *rows, steps[i].compare);
        for (int r = 0; r < ROWS; r++)
            if (sheet.order[r] != rows[r].index)
                fail_msg("step %zu: row %d is %d, expected %d", i, r, sheet.order[r],
                         rows[r].index);
    }
    assert_int_equal(sheet.sorted, -1);
    sheet_sort(&sheet, 3);
    sheet_sort(&sheet, -1);
    assert_int_equal(sheet.sorted, -1);
    sheet_free(&sheet);
    assert_int_equal(sheet.row_count, 0);
}

/* A sheet of two columns and two notes. */
static struct sheet small_sheet(void)
{
    static const struct sheet_column columns[] = {
        {.title = "score", .number = true, .enter = " show score"}, {.title = "text"}};
    static const char *const texts[] = {"Haus", "猫は魚を食べた", "\x1b[31mred"};
    static const double numbers[] = {-1.5, 10.25, NAN};
    struct sheet sheet;
    assert_true(sheet_begin(&sheet, columns, 2, &status));
    assert_true(sheet_note(&sheet, "first note\nsecond\n", &status));
    for (int r = 0; r < 3; r++) {
        assert_true(sheet_row(&sheet, &status));
        put_number(&sheet, 0, numbers[r], 2);
        assert_true(sheet_put(&sheet, 1, NAN, texts[r], &status));
    }
    assert_true(sheet_put_command(&sheet, strdup(":goto 3"), &status));
    sheet_end(&sheet);
    return sheet;
}

static void check_rows(const struct canvas *canvas, struct area area, const char *const *expected)
{
    for (int row = 0; row < area.rows; row++)
        assert_string_equal(canvas_text(canvas, area.row + row, area.column, area.columns),
                            expected[row]);
}

/* On a canvas of that size. */
static void check_drawn(const struct sheet *sheet, struct sheet_cursor *cursor, int height,
                        int width, const char *const *expected)
{
    struct area area = {0, 0, height, width};
    struct canvas canvas = canvas_with_canary(height, width, area);
    sheet_draw(sheet, &colourful, &canvas, area, cursor, NULL);
    check_rows(&canvas, area, expected);
    canvas_free(&canvas);
}

static void columns_stand_under_their_titles(void **state)
{
    static const char *const expected[] = {
        "first note             ", "second                 ", "score  text            ",
        "-1.50  Haus            ", "10.25  猫は魚を食べた  ", "       ␛[31mred        ",
        "                       ",
    };
    static const char *const sorted[] = {
        "second                 ",
        "score▼ text            ",
        "10.25  猫は魚を食べた  ",
        "-1.50  Haus            ",
    };
    static const char *const at_the_end[] = {
        "score  text     ",
        "10.25  猫は魚…  ",
        "       ␛[31mred ",
    };
    struct sheet sheet = small_sheet();
    struct sheet_cursor cursor = {0};
    struct area area = {1, 1, 7, 23};
    struct canvas canvas = canvas_with_canary(9, 25, area);
    sheet_draw(&sheet, &colourful, &canvas, area, &cursor, NULL);
    check_rows(&canvas, area, expected);
    assert_true(canvas_cell(&canvas, 4, 23)->style.reverse);
    assert_false(canvas_cell(&canvas, 5, 1)->style.reverse);
    canvas_check_canary(&canvas, area);
    canvas_free(&canvas);
    sheet_sort(&sheet, 0);
    sheet_sort(&sheet, 0);
    cursor = (struct sheet_cursor){.row = 1, .top = 0};
    check_drawn(&sheet, &cursor, 4, 23, sorted);
    assert_int_equal(cursor.top, 1);
    sheet_sort(&sheet, 0);
    cursor = (struct sheet_cursor){.row = 99};
    check_drawn(&sheet, &cursor, 3, 16, at_the_end);
    assert_int_equal(cursor.row, 2);
    sheet_free(&sheet);
}

/* What names a row stays where it takes a third of the room at most, whatever is scrolled. */
static void columns_that_name_rows_stay(void **state)
{
    static const struct sheet_column columns[] = {
        {.title = "mod", .names = true},     {.title = "layer", .number = true, .names = true},
        {.title = "aaaaaa", .number = true}, {.title = "bbbbbb", .number = true},
        {.title = "cccccc", .number = true}, {.title = "dddddd", .number = true},
        {.title = "eeeeee", .number = true}};
    static const char *const first[] = {"mod  layer  aaaaaa  bbbbbb  cccccc      ",
                                        "enc      1       2       3       4      "},
                             *const last[] = {"mod  layer  cccccc  dddddd  eeeeee      ",
                                              "enc      1       4       5       6      "},
                             *const narrow[] = {"mod  dddddd  eeeeee      ",
                                                "enc       5       6      "};
    struct sheet sheet;
    struct sheet_cursor cursor = {.column = 0};
    struct area area = {0, 0, 2, 40};
    int found;
    assert_true(sheet_begin(&sheet, columns, 7, &status) && sheet_row(&sheet, &status));
    assert_true(sheet_put(&sheet, 0, NAN, "enc", &status));
    for (int c = 1; c < 7; c++)
        put_number(&sheet, c, c, 0);
    sheet_end(&sheet);
    check_drawn(&sheet, &cursor, 2, 40, first);
    cursor.column = 6;
    check_drawn(&sheet, &cursor, 2, 40, last);
    assert_int_equal(sheet_find(&sheet, area, &cursor, 1, 5, &found), 0);
    assert_int_equal(found, 1);
    sheet_find(&sheet, area, &cursor, 1, 14, &found);
    assert_int_equal(found, 4);
    check_drawn(&sheet, &cursor, 2, 25, narrow);
    sheet_free(&sheet);
}

/* What is searched, on an area of six rows: "#" where a place of the line is reversed. */
static void check_marked(const struct sheet *sheet, int cursor_row, const char *sought, int line,
                         const char *marks)
{
    struct sheet_cursor cursor = {.row = cursor_row};
    struct area area = {0, 0, 6, 23};
    struct canvas canvas = canvas_with_canary(6, 23, area);
    sheet_draw(sheet, &colourful, &canvas, area, &cursor, sought);
    for (int c = 0; c < area.columns; c++)
        assert_int_equal(canvas_cell(&canvas, line, c)->style.reverse, marks[c] == '#');
    canvas_free(&canvas);
}

/* Wherever it stands; in the cursor's row by what is not reversed. */
static void what_is_searched_is_marked(void **state)
{
    struct sheet sheet = small_sheet(); // titles in row 2
    check_marked(&sheet, 1, "魚", 3, ".......................");
    check_marked(&sheet, 1, "魚", 4, "###########..##########");
    check_marked(&sheet, 2, "5", 3, "...#...................");
    check_marked(&sheet, 2, "5", 4, "....#..................");
    check_marked(&sheet, 2, "5", 5, "#######################");
    check_marked(&sheet, 2, "haus", 3, ".......####............");
    sheet_free(&sheet);
}

static void the_cursor_tells_what_it_is_on(void **state)
{
    struct sheet sheet = small_sheet();
    assert_string_equal(sheet_text(&sheet, &(struct sheet_cursor){.row = 1, .column = 0}), "10.25");
    assert_string_equal(sheet_text(&sheet, &(struct sheet_cursor){.row = 2, .column = 0}), "");
    assert_string_equal(sheet_text(&sheet, &(struct sheet_cursor){.row = -1}), "second");
    assert_string_equal(sheet_text(&sheet, &(struct sheet_cursor){.row = -2}), "first note");
    assert_null(sheet_text(&sheet, &(struct sheet_cursor){.row = -3}));
    assert_null(sheet_text(&sheet, &(struct sheet_cursor){.row = 3}));
    assert_null(sheet_command(&sheet, &(struct sheet_cursor){.row = 1}));
    assert_null(sheet_command(&sheet, &(struct sheet_cursor){.row = -1}));
    assert_string_equal(sheet_command(&sheet, &(struct sheet_cursor){.row = 2}), ":goto 3");
    assert_string_equal(sheet_command_rest(&sheet, &(struct sheet_cursor){.column = 0}),
                        " show score");
    assert_string_equal(sheet_command_rest(&sheet, &(struct sheet_cursor){.column = 1}), "");
    assert_int_equal(sheet_search(&sheet, "haus", 0, false), 0);
    assert_int_equal(sheet_match(&sheet, "haus", 0, 0), 1); // the cursor goes to it
    assert_int_equal(sheet_match(&sheet, "haus", 0, 1), 1);
    assert_int_equal(sheet_match(&sheet, "none", 0, 0), -1);
    assert_int_equal(sheet_search(&sheet, "魚", 2, false), 1);
    assert_int_equal(sheet_search(&sheet, "HAUS", 0, false), -1);
    sheet_sort(&sheet, 0);
    sheet_sort(&sheet, 0); // 10.25, -1.50, none
    assert_int_equal(sheet_search(&sheet, "haus", 0, true), 1);
    assert_string_equal(sheet_text(&sheet, &(struct sheet_cursor){.row = 0}), "10.25");
    assert_string_equal(sheet_command(&sheet, &(struct sheet_cursor){.row = 2}), ":goto 3");
    sheet_free(&sheet);
}

/* The cursor's own column while all is seen or its text is a long one, else the widest text. */
static void the_text_that_is_described_is_one_that_may_be_cut(void **state)
{
    static const struct sheet_column columns[] = {
        {.title = "n", .number = true}, {.title = "short"}, {.title = "long"}, {.title = "longer"}};
    static const char *const texts[] = {"short", "a text of more than 24 columns",
                                        "a text that is a little longer than the other one"};
    static const struct {
        int own, columns, described;
    } cases[] = {{1, 200, 1}, {2, 200, 2}, {0, 200, -1}, {0, 40, 3},
                 {1, 40, 3},  {2, 40, 2},  {3, 40, 3}};
    struct sheet sheet;
    assert_true(sheet_begin(&sheet, columns, 4, &status));
    assert_true(sheet_row(&sheet, &status));
    put_number(&sheet, 0, 1, 0);
    for (int i = 0; i < 3; i++)
        assert_true(sheet_put(&sheet, 1 + i, NAN, texts[i], &status));
    sheet_end(&sheet);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(sheet_described(&sheet, &(struct sheet_cursor){.column = cases[i].own},
                                         cases[i].columns),
                         cases[i].described);
    sheet_free(&sheet);
}

/* Wherever it was, it is on a note or a row of the table. */
static void the_cursor_is_moved_inside(void **state)
{
    static const struct {
        int row, inside;
    } cases[] = {{-100, -2}, {-2, -2}, {0, 0}, {2, 2}, {3, 2}, {1000, 2}};
    struct sheet sheet = small_sheet();
    struct canvas canvas = {0};
    assert_true(canvas_resize(&canvas, 8, 40, &status));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sheet_cursor cursor = {.row = cases[i].row};
        sheet_draw(&sheet, &colourful, &canvas, (struct area){0, 0, 8, 40}, &cursor, NULL);
        assert_int_equal(cursor.row, cases[i].inside);
    }
    canvas_free(&canvas);
    sheet_free(&sheet);
}

/* What is read at columns from … to is `text`, or its beginning and a mark that it is cut. */
static void check_read(const struct canvas *canvas, int row, int from, int to, const char *text)
{
    char read[2000];
    snprintf(read, sizeof read, "%s", canvas_text(canvas, row, from, to - from));
    const char *begin = read + strspn(read, " ");
    size_t length = strlen(begin);
    while (length > 0 && begin[length - 1] == ' ')
        length--;
    if (length == strlen(text) && strncmp(begin, text, length) == 0)
        return;
    size_t mark = length >= 3 && strncmp(begin + length - 3, "…", 3) == 0 ? 3 : 0;
    mark = length >= 1 && begin[length - 1] == '~' ? 1 : mark;
    if (mark == 0 || strncmp(begin, text, length - mark) != 0)
        fail_msg("row %d, columns %d-%d: \"%s\", expected \"%s\"", row, from, to, read, text);
}

/* What sheet_find says of a row's places is what is read there; returns the row. */
static int check_places(const struct sheet *sheet, const struct canvas *canvas, struct area area,
                        const struct sheet_cursor *cursor, int row)
{
    int from = 0, column, next, which = sheet_find(sheet, area, cursor, row, area.column, &column);
    for (int c = 1; c <= area.columns; c++) {
        sheet_find(sheet, area, cursor, row, area.column + c, &next);
        if (next == column)
            continue;
        if (column >= 0)
            check_read(canvas, row, area.column + from, area.column + c,
                       which == -2 ? sheet->columns[column].title
                                   : sheet->cells[sheet->order[which] * 3 + column].text);
        column = next;
        from = c;
    }
    return which;
}

static void check_found(const struct sheet *sheet, const struct canvas *canvas, struct area area,
                        const struct sheet_cursor *cursor)
{
    int unused, cursors = 0;
    for (int row = area.row; row < area.row + area.rows && area.columns > 0; row++) {
        int which = check_places(sheet, canvas, area, cursor, row);
        bool reverse = canvas_cell(canvas, row, area.column)->style.reverse;
        cursors += reverse;
        if (which >= 0)
            assert_int_equal(reverse, which == cursor->row);
    }
    if (area.rows > 1 && area.columns > 0 && cursor->row >= 0)
        assert_int_equal(cursors, 1);
    else if (area.rows > 1 && area.columns > 0) // a note may have several lines
        assert_true(cursors > 0);
    assert_int_equal(sheet_find(sheet, area, cursor, area.row - 1, area.column, &unused), -1);
    assert_int_equal(sheet_find(sheet, area, cursor, area.row + area.rows, 1, &unused), -1);
    assert_int_equal(sheet_find(sheet, area, cursor, area.row, area.column - 1, &unused), -1);
    assert_int_equal(sheet_find(sheet, area, cursor, area.row, area.column + area.columns, &unused),
                     -1);
}

static void draw_at(const struct sheet *sheet, struct area area, struct sheet_cursor cursor,
                    bool ascii)
{
    struct canvas canvas = canvas_with_canary(area.rows + 2, area.columns + 2, area);
    canvas.ascii = ascii;
    sheet_draw(sheet, ascii ? &plain_ascii : &colourful, &canvas, area, &cursor, NULL);
    canvas_check_canary(&canvas, area);
    assert_in_range(cursor.row + 3, 0, ROWS + 2);
    assert_in_range(cursor.column, 0, 2);
    assert_in_range(cursor.left, 0, cursor.column);
    check_found(sheet, &canvas, area, &cursor);
    canvas_free(&canvas);
}

/* What is drawn on a row of the area, without blanks at its end. */
static const char *drawn(const struct canvas *canvas, int row)
{
    static char text[2000];
    snprintf(text, sizeof text, "%s", canvas_text(canvas, row, 0, canvas->columns));
    for (size_t length = strlen(text); length > 0 && text[length - 1] == ' ';)
        text[--length] = '\0';
    return text;
}

static void draw_plainly(const struct sheet *sheet, struct canvas *canvas, int height, int width,
                         struct sheet_cursor *cursor)
{
    assert_true(canvas_resize(canvas, height, width, &status));
    sheet_draw(sheet, &colourful, canvas, (struct area){0, 0, height, width}, cursor, NULL);
}

static void long_notes_are_wrapped(void **state)
{
    static const char *const lines[] = {
        " p = 0.0010 (paired", "   bootstrap)  p =",   "   0.0001",
        " BLEU|nrefs:1|",      "   case:mixed|eff:no", "number  text     last"};
    struct sheet sheet = make_sheet(3);
    struct sheet_cursor cursor = {0};
    struct canvas canvas = {0};
    assert_true(sheet_note(&sheet, " p = 0.0010 (paired bootstrap)  p = 0.0001", &status));
    assert_true(sheet_note(&sheet, " BLEU|nrefs:1|case:mixed|eff:no", &status));
    draw_plainly(&sheet, &canvas, 12, 22, &cursor);
    for (int i = 0; i < 5; i++)
        assert_string_equal(drawn(&canvas, i), lines[i]);
    assert_non_null(strstr(drawn(&canvas, 5), "number"));
    cursor.row = -1; // both of its lines are chosen
    draw_plainly(&sheet, &canvas, 12, 22, &cursor);
    for (int i = 0; i < 6; i++)
        assert_int_equal(canvas_cell(&canvas, i, 0)->style.reverse, i == 3 || i == 4);
    canvas_free(&canvas);
    sheet_free(&sheet);
}

/* Twenty notes in ten rows: the first of them, how many more, the titles, and rows in half of the
 * area. */
static void notes_leave_half_of_the_area_to_rows(void **state)
{
    struct sheet sheet = make_sheet(ROWS);
    struct sheet_cursor cursor = {0};
    struct canvas canvas = {0};
    char note[20];
    for (int i = 1; i <= 20; i++) {
        snprintf(note, sizeof note, "note %d.", i);
        assert_true(sheet_note(&sheet, note, &status));
    }
    draw_plainly(&sheet, &canvas, 10, 60, &cursor);
    for (int i = 0; i < 3; i++) {
        snprintf(note, sizeof note, "note %d.", i + 1);
        assert_string_equal(drawn(&canvas, i), note);
    }
    assert_string_equal(drawn(&canvas, 3), "   17 more lines: PgUp");
    assert_non_null(strstr(drawn(&canvas, 4), "number"));
    assert_true(canvas_cell(&canvas, 5, 0)->style.reverse);
    for (int i = 1; i <= 20; i++) { // upwards, all of them are seen
        cursor.row--;
        draw_plainly(&sheet, &canvas, 10, 60, &cursor);
        int line = 20 - i - cursor.top;
        snprintf(note, sizeof note, "note %d.", 21 - i);
        assert_string_equal(drawn(&canvas, line), note);
        assert_true(canvas_cell(&canvas, line, 0)->style.reverse);
    }
    cursor.row = 100; // away from them, rows have the whole area below the titles
    draw_plainly(&sheet, &canvas, 10, 60, &cursor);
    assert_non_null(strstr(drawn(&canvas, 0), "number"));
    cursor.row = 0;
    draw_plainly(&sheet, &canvas, 10, 60, &cursor);
    assert_string_equal(drawn(&canvas, 0), "note 1.");
    canvas_free(&canvas);
    sheet_free(&sheet);
}

static void sizes_of_all_kinds_are_drawn(void **state)
{
    static const int heights[] = {0, 1, 2, 3, 7, 12, 24, 70},
                     widths[] = {0, 1, 2, 5, 17, 45, 80, 250};
    struct sheet sheet = make_sheet(ROWS);
    sheet_sort(&sheet, 0);
    assert_true(sheet_note(&sheet, "one\ntwo 日本語日本語日本語\nthree", &status));
    for (size_t h = 0; h < 8; h++)
        for (size_t w = 0; w < 8; w++)
            for (int at = -5; at < 230; at += 23)
                draw_at(&sheet, (struct area){1, 1, heights[h], widths[w]},
                        (struct sheet_cursor){at, at % 4, at * 2, at % 3}, w % 2 == 0);
    sheet_free(&sheet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorting_is_stable_and_goes_three_ways),
        cmocka_unit_test(columns_stand_under_their_titles),
        cmocka_unit_test(columns_that_name_rows_stay),
        cmocka_unit_test(what_is_searched_is_marked),
        cmocka_unit_test(the_cursor_tells_what_it_is_on),
        cmocka_unit_test(the_text_that_is_described_is_one_that_may_be_cut),
        cmocka_unit_test(the_cursor_is_moved_inside),
        cmocka_unit_test(long_notes_are_wrapped),
        cmocka_unit_test(notes_leave_half_of_the_area_to_rows),
        cmocka_unit_test(sizes_of_all_kinds_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
