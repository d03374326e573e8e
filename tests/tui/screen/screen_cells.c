#include "tests/tui/screen/screen_cells.h"
#include "tests/support/test.h"

#include <math.h>

#include "base/minmax.h"
#include "render/colormap.h"
#include "terminal/text/display.h"
#include "tui/screen/canvas/palette.h"
#include "tui/screen/canvas/style.h"

enum { BLACK = 0, RED = 1, BLUE = 4, CYAN = 6, BRIGHT_BLUE = 12, BRIGHT_WHITE = 15, SHADES = 5 };

/* Appearance of values ------------------------------------------------------------------------- */

struct expected {
    int fill;
    const char *left, *right;
    int ink; // TMUX_DEFAULT: any
    bool reverse;
};

static bool has_fills(const struct stage *stage)
{
    return stage->depth == SCREEN_TRUE || stage->depth == SCREEN_256;
}

static int colour_of(const struct stage *stage, const char *map, double share)
{
    int entry = (int)fmin(255, fmax(0, floor(256 * share)));
    uint32_t colour = colormap_find(map)->colours[entry];
    return stage->depth == SCREEN_TRUE ? TMUX_RGB | (int)colour
                                       : palette_nearest(ramp_colour(colormap_find(map), share));
}

static const char *const shades[] = {" ", "░", "▒", "▓", "█"};
static const char *const letters[] = {" ", ".", ":", "-", "=", "+", "*", "#", "%", "@"};

/* With 16 colours: four shades of each of three inks, each on the previous ink as background. */
static const int inks[] = {BLACK, BLUE, CYAN, BRIGHT_WHITE};

static int steps_of(const struct stage *stage)
{
    return stage->depth == SCREEN_ASCII ? 10 : stage->depth == SCREEN_16 ? 13 : SHADES;
}

static int step_of(int steps, double share)
{
    return (int)fmin(steps - 1, fmax(0, floor(steps * share)));
}

static struct expected weight_of(const struct stage *stage, double share)
{
    int step = step_of(steps_of(stage), share);
    const char *shade = stage->depth == SCREEN_ASCII ? letters[step]
                        : stage->depth != SCREEN_16  ? shades[step]
                        : step == 0                  ? shades[0]
                                                     : shades[1 + (step - 1) % 4];
    bool coloured = stage->depth == SCREEN_16;
    return (struct expected){.fill = !coloured   ? TMUX_DEFAULT
                                     : step == 0 ? BLACK
                                                 : inks[(step - 1) / 4],
                             .left = shade,
                             .right = shade,
                             .ink = coloured && step > 0 ? inks[(step - 1) / 4 + 1] : TMUX_DEFAULT};
}

/* Without colours a sign replaces the first of two shades. */
static struct expected difference_of(const struct stage *stage, double share)
{
    bool ascii = stage->depth == SCREEN_ASCII;
    const char *shade =
        ascii ? letters[step_of(10, fabs(share))] : shades[step_of(SHADES, fabs(share))];
    bool blank = *shade == ' ', colours = stage->depth == SCREEN_16;
    return (struct expected){.fill = colours ? BLACK : TMUX_DEFAULT,
                             .left = blank || colours ? shade
                                     : share > 0      ? "+"
                                                      : "-",
                             .right = shade,
                             .ink = blank || !colours ? TMUX_DEFAULT
                                    : share > 0       ? RED
                                                      : BRIGHT_BLUE};
}

static struct expected appearance_of(const struct stage *stage, const struct matrix *matrix,
                                     double value, bool chosen)
{
    double most = matrix->most > 0 ? matrix->most : 1;
    struct expected cell = {TMUX_DEFAULT, " ", " ", TMUX_DEFAULT, false};
    if (isnan(value))
        cell.reverse = chosen;
    else if (has_fills(stage))
        cell.fill = matrix->difference ? colour_of(stage, "bluered", (value + most) / (2 * most))
                                       : colour_of(stage, "viridis", value / most);
    else if (chosen)
        cell.reverse = true;
    else if (matrix->difference)
        cell = difference_of(stage, value / most);
    else
        cell = weight_of(stage, value / most);
    if (chosen) {
        cell.left = "[";
        cell.right = "]";
    }
    return cell;
}

static bool cell_is(const struct tmux_cell *cell, const struct expected *expected, const char *text)
{
    return strcmp(cell->text, text) == 0 && cell->fill == expected->fill &&
           cell->reverse == expected->reverse &&
           (expected->ink == TMUX_DEFAULT || cell->ink == expected->ink);
}

/* Returns the first entry of the map with that colour, which neighbouring entries may share; -1 if
 * there is none. */
static int entry_of(int fill)
{
    const uint32_t *colours = colormap_find("viridis")->colours;
    for (int i = 0; i < COLORMAP_SIZE; i++)
        if (fill == (TMUX_RGB | (int)colours[i]))
            return i;
    return -1;
}

int stage_strength_of(const struct stage *stage, double share)
{
    int colour = colour_of(stage, "viridis", share);
    return !has_fills(stage)             ? step_of(steps_of(stage), share)
           : stage->depth == SCREEN_TRUE ? entry_of(colour)
                                         : colour;
}

int stage_strength(const struct stage *stage, const struct tmux_screen *screen, int row, int column)
{
    const struct tmux_cell *cell = tmux_cell(screen, row, column);
    bool ascii = stage->depth == SCREEN_ASCII;
    if (has_fills(stage))
        return stage->depth == SCREEN_TRUE ? entry_of(cell->fill) : cell->fill;
    int shade = -1;
    for (int i = 0; shade < 0 && i < (ascii ? 10 : SHADES); i++)
        if (strcmp(cell->text, ascii ? letters[i] : shades[i]) == 0)
            shade = i;
    for (int i = 1; shade > 0 && stage->depth == SCREEN_16 && i < 4; i++)
        if (cell->fill == inks[i - 1])
            return 4 * (i - 1) + shade;
    return shade;
}

/* The cursor ----------------------------------------------------------------------------------- */

/* Returns the number of columns from a bracket to the next, with nothing but blanks between them; 0
 * if there is none. */
static int bracket_columns(const struct tmux_screen *screen, int row, int column)
{
    int end = column + 1;
    if (row >= screen->rows || strcmp(tmux_cell(screen, row, column)->text, "[") != 0)
        return 0;
    while (end < screen->columns && strcmp(tmux_cell(screen, row, end)->text, " ") == 0)
        end++;
    bool closed = end < screen->columns && strcmp(tmux_cell(screen, row, end)->text, "]") == 0;
    return closed ? end - column + 1 : 0;
}

static bool find_cursor(const struct tmux_screen *screen, struct cursor *found)
{
    for (int row = 3; row < screen->rows; row++) // below the sentences
        for (int column = 0; column < screen->columns; column++) {
            *found = (struct cursor){row, column, bracket_columns(screen, row, column), 1};
            while (found->wide && bracket_columns(screen, row + found->tall, column) == found->wide)
                found->tall++;
            if (found->wide)
                return true;
        }
    return false;
}

/* What a check waits for, and where the message about missing things goes. */
struct sought {
    const struct stage *stage;
    const struct matrix *matrix;
    int row, column;             // the cursor's, in the matrix
    int first_row, first_column; // the first cell's, on the screen; -1: not known yet
    struct cursor *found;
    int *seen_rows, *seen_columns;
    char *wrong;
};
enum { WRONG_BYTES = 500 };

static double value_at(const struct matrix *matrix, int row, int column)
{
    return matrix->values[(size_t)row * matrix->columns + column];
}

static bool shows_value(const struct sought *sought, const struct tmux_screen *screen)
{
    const struct matrix *matrix = sought->matrix;
    char text[400], number[40] = "none";
    double value = value_at(matrix, sought->row, sought->column);
    if (!isnan(value))
        snprintf(number, sizeof number, "%.4f", value);
    snprintf(text, sizeof text, "%s%s → %s%s  %s", matrix->panel, matrix->row_labels[sought->row],
             matrix->column_unit, matrix->column_labels[sought->column], number);
    const char *shown = stage_text(sought->stage, text);
    snprintf(sought->wrong, WRONG_BYTES, "the line below, \"%s\"", shown);
    return strstr(screen->text, shown) != NULL;
}

/* Writes the entropy in bits of the values divided by their sum, and their maximum. */
static void write_numbers(const char *name, const double *values, int count, int step, char *text,
                          size_t size)
{
    double sum = 0, most = -INFINITY, entropy = 0;
    bool negative = false;
    for (int i = 0; i < count; i++) {
        sum += values[i * step];
        most = fmax(most, values[i * step]);
        negative = negative || values[i * step] < 0;
    }
    for (int i = 0; i < count; i++)
        if (values[i * step] > 0)
            entropy -= values[i * step] / sum * log2(values[i * step] / sum);
    if (sum > 0 && !negative)
        snprintf(text, size, "%-6s %.2f bits max %.3f", name, fabs(entropy), most);
    else
        snprintf(text, size, "%-6s max %.3f", name, most);
}

static bool shows_numbers(const struct sought *sought, const struct tmux_screen *screen)
{
    const struct matrix *matrix = sought->matrix;
    char row[80], column[80];
    // Below 100 columns the panel needs 30 columns that the heatmap leaves free.
    int left = sought->stage->columns - 30 - 2, most = left / 3 + 2 + 2 * matrix->columns;
    bool beside = sought->stage->columns >= 100 || (most <= left && !*matrix->panel);
    if (!beside || !matrix->shares)
        return true;
    write_numbers("row", matrix->values + (size_t)sought->row * matrix->columns, matrix->columns, 1,
                  row, sizeof row);
    write_numbers("column", matrix->values + sought->column, matrix->rows, matrix->columns, column,
                  sizeof column);
    snprintf(sought->wrong, WRONG_BYTES, "at the right, \"%s\" and \"%s\"", row, column);
    return strstr(screen->text, row) && strstr(screen->text, column);
}

static bool shows_cursor(const struct tmux_screen *screen, const void *context)
{
    const struct sought *sought = context;
    if (!shows_value(sought, screen) || !shows_numbers(sought, screen))
        return false;
    snprintf(sought->wrong, WRONG_BYTES, "a cursor");
    return find_cursor(screen, sought->found);
}

void stage_expect_cursor(const struct stage *stage, const struct matrix *matrix, int row,
                         int column)
{
    struct cursor found;
    char wrong[WRONG_BYTES] = "";
    struct sought sought = {stage, matrix, row, column, -1, -1, &found, NULL, NULL, wrong};
    tmux_expect_that(&stage->tmux, shows_cursor, &sought, wrong);
}

struct cursor stage_find_cursor(const struct stage *stage)
{
    struct tmux_screen screen = tmux_capture(&stage->tmux);
    struct cursor found;
    if (!find_cursor(&screen, &found))
        fail_msg("no cursor:\n%s", screen.text);
    tmux_screen_free(&screen);
    return found;
}

/* Labels --------------------------------------------------------------------------------------- */

/* A label that is too wide is cut at its end. */
static bool label_is(const char *shown, const char *label, const char *cut)
{
    size_t length = strlen(shown), mark = strlen(cut);
    if (strcmp(shown, label) == 0)
        return true;
    return length > mark && strcmp(shown + length - mark, cut) == 0 &&
           strncmp(shown, label, length - mark) == 0;
}

static bool shows_row_label(const struct sought *sought, const struct tmux_screen *screen, int line,
                            int row)
{
    char shown[1000];
    const char *label = stage_text(sought->stage, sought->matrix->row_labels[row]);
    snprintf(shown, sizeof shown, "%s", tmux_row(screen, line, 1, sought->first_column - 1));
    for (size_t end = strlen(shown); end > 0 && shown[end - 1] == ' ';)
        shown[--end] = '\0';
    snprintf(sought->wrong, WRONG_BYTES, "row label \"%.200s\" instead of \"%.200s\"", label,
             shown);
    switch (sought->matrix->row_labels_are) {
    case LABELS_LEFT:
        return label_is(shown, label, stage_text(sought->stage, "…"));
    case LABELS_BETWEEN:
        return strstr(shown, label) != NULL;
    default:
        return true;
    }
}

/* Splits a label into its visible graphemes; returns their number. */
enum { GRAPHEMES_MOST = 64, GRAPHEME_BYTES = 32 };
static int split(const char *label, char graphemes[GRAPHEMES_MOST][GRAPHEME_BYTES])
{
    int count = 0, columns;
    for (size_t bytes; (bytes = display_grapheme(label, &columns)) > 0; label += bytes)
        if (columns > 0 && count < GRAPHEMES_MOST)
            snprintf(graphemes[count++], GRAPHEME_BYTES, "%.*s", (int)bytes, label);
    return count;
}

/* True if `count` of the graphemes, starting at the first given, run downwards and end on
 * `line`. */
static bool runs_down(const struct tmux_screen *screen, int line, int column,
                      char graphemes[GRAPHEMES_MOST][GRAPHEME_BYTES], int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(tmux_cell(screen, line - count + 1 + i, column)->text, graphemes[i]) != 0)
            return false;
    return true;
}

/* True if the label is on one row, in the middle of its cells or a column before it. */
static bool stands_across(const struct sought *sought, const struct tmux_screen *screen, int line,
                          int column, const char *label)
{
    int width = display_width(label), wide = sought->found->wide;
    column += (wide - width) / 2;
    if (width >= wide || column + width > screen->columns)
        return false;
    return strcmp(tmux_row(screen, line, column, column + width), label) == 0;
}

/* True if the label is shown in full, or its beginning above a continuation sign, or just its
 * beginning if there is only one row. */
static bool shows_column_label(const struct sought *sought, const struct tmux_screen *screen,
                               int line, int column, int index)
{
    char graphemes[GRAPHEMES_MOST][GRAPHEME_BYTES];
    const char *label = stage_text(sought->stage, sought->matrix->column_labels[index]);
    const char *sign = sought->stage->depth == SCREEN_ASCII ? "~" : "⋮";
    int count = split(label, graphemes);
    if (stands_across(sought, screen, line, column - (sought->found->wide - 2) / 2, label))
        return true;
    const char *last = tmux_cell(screen, line, column)->text;
    snprintf(sought->wrong, WRONG_BYTES, "column label \"%s\" above \"%s\"", label, last);
    if (count <= line - 3 && runs_down(screen, line, column, graphemes, count))
        return true;
    for (int seen = 1; strcmp(last, sign) == 0 && seen < count && seen < line - 3; seen++)
        if (runs_down(screen, line - 1, column, graphemes, seen))
            return true;
    return false;
}

/* Cells ---------------------------------------------------------------------------------------- */

/* Checks one row of a cell. Only at the cursor do the outermost columns differ from those between
 * them. */
static bool shows_cell_row(const struct sought *sought, const struct tmux_screen *screen, int line,
                           int column, int r, int c)
{
    int wide = sought->found->wide;
    bool chosen = r == sought->row && c == sought->column;
    double value = value_at(sought->matrix, r, c);
    struct expected expected = appearance_of(sought->stage, sought->matrix, value, chosen);
    const struct tmux_cell *left = tmux_cell(screen, line, column),
                           *right = tmux_cell(screen, line, column + wide - 1);
    snprintf(sought->wrong, WRONG_BYTES,
             "row %d column %d of the matrix, %.9g of %.9g: fill %x/%x text \"%s%s\" ink %d; "
             "expected fill %x text \"%s%s\" ink %d",
             r + 1, c + 1, value, sought->matrix->most, left->fill, right->fill, left->text,
             right->text, left->ink, expected.fill, expected.left, expected.right, expected.ink);
    for (int i = 1; i + 1 < wide; i++)
        if (!cell_is(tmux_cell(screen, line, column + i), &expected, chosen ? " " : expected.right))
            return false;
    return cell_is(left, &expected, expected.left) && cell_is(right, &expected, expected.right);
}

static bool shows_cell(const struct sought *sought, const struct tmux_screen *screen, int line,
                       int column, int r, int c)
{
    for (int i = 0; i < sought->found->tall; i++)
        if (!shows_cell_row(sought, screen, line + i, column, r, c))
            return false;
    return true;
}

static bool shows_lines(const struct sought *sought, const struct tmux_screen *screen, int top,
                        int left)
{
    int rows = *sought->seen_rows, columns = *sought->seen_columns;
    int tall = sought->found->tall, wide = sought->found->wide;
    for (int r = 0; r < rows; r++)
        if (!shows_row_label(sought, screen, sought->first_row + r * tall + (tall - 1) / 2,
                             top + r))
            return false;
    for (int c = 0; c < columns; c++)
        if (!shows_column_label(sought, screen, sought->first_row - 1,
                                sought->first_column + wide * c + (wide - 2) / 2, left + c))
            return false;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            if (!shows_cell(sought, screen, sought->first_row + r * tall,
                            sought->first_column + wide * c, top + r, left + c))
                return false;
    return true;
}

/* With the cursor on the last cell, the visible part is between the first cell's place and the
 * cursor's. */
static bool shows_end(const struct tmux_screen *screen, const void *context)
{
    const struct sought *sought = context;
    const struct matrix *matrix = sought->matrix;
    if (!shows_cursor(screen, context))
        return false;
    const struct cursor *found = sought->found;
    int rows = (found->row - sought->first_row) / found->tall + 1;
    int columns = (found->column - sought->first_column) / found->wide + 1;
    snprintf(sought->wrong, WRONG_BYTES, "cells of %d by %d", found->tall, found->wide);
    if (found->wide < 2 || found->wide < found->tall)
        return false;
    snprintf(sought->wrong, WRONG_BYTES, "%d by %d cells seen of %d by %d", rows, columns,
             matrix->rows, matrix->columns);
    if (rows < 1 || columns < 1 || rows > matrix->rows || columns > matrix->columns)
        return false;
    *sought->seen_rows = rows;
    *sought->seen_columns = columns;
    return shows_lines(sought, screen, matrix->rows - rows, matrix->columns - columns);
}

static bool shows_begin(const struct tmux_screen *screen, const void *context)
{
    return shows_cursor(screen, context) && shows_lines(context, screen, 0, 0);
}

void stage_check_matrix(const struct stage *stage, const struct matrix *matrix, int rows,
                        int columns)
{
    int seen_rows = 0, seen_columns = 0;
    char wrong[WRONG_BYTES] = "";
    struct cursor found;
    struct sought sought = {stage, matrix, 0, 0, -1, -1, &found, &seen_rows, &seen_columns, wrong};
    tmux_press(&stage->tmux, "g g 0");
    tmux_expect_that(&stage->tmux, shows_cursor, &sought, wrong);
    sought.first_row = found.row;
    sought.first_column = found.column;
    sought.row = matrix->rows - 1;
    sought.column = matrix->columns - 1;
    tmux_press(&stage->tmux, "G $");
    tmux_expect_that(&stage->tmux, shows_end, &sought, wrong);
    if (seen_rows < int_min(rows, matrix->rows) || seen_columns < int_min(columns, matrix->columns))
        fail_msg("%d by %d cells are seen of %d by %d", seen_rows, seen_columns, matrix->rows,
                 matrix->columns);
    sought.row = sought.column = 0;
    tmux_press(&stage->tmux, "g g 0");
    if (seen_rows < matrix->rows ||
        seen_columns < matrix->columns) // otherwise everything was visible
        tmux_expect_that(&stage->tmux, shows_begin, &sought, wrong);
}
