/* An overview: many heatmaps, each shrunk to a few characters under a line that names it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tui/display.h"
#include "tui/screen/picture_parts.h"

enum {
    GAP = 1,          // columns between panels
    LEAST_WIDTH = 7,  // columns of a panel, at least,
    LEAST_HEIGHT = 2, // and rows below its header
    MARGIN_LEAST = 9, // columns of an area that has room for marks that there is more
    NAME_BYTES = 128,
    NUMBER_WIDTH = 5 // " 0.62"
};

struct layout {
    int across, down;  // panels seen
    int width, height; // of one, without its header
    int margin;        // columns at both sides
    int row, column;   // of the first panel's header
};

static const struct style faint = {.ink = INK_FAINT};

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int greater(int a, int b)
{
    return a > b ? a : b;
}

/* Names ------------------------------------------------------------------------------------------ */

static const char *last_word(const char *const *titles, int index)
{
    const char *title = titles && titles[index] ? titles[index] : "";
    const char *blank = strrchr(title, ' ');
    return blank ? blank + 1 : title;
}

/* "1.3", of "layer 1" and "head 3". */
static void write_name(const struct figure *figure, int panel, char name[NAME_BYTES])
{
    const char *row = last_word(figure->row_titles, panel / figure->columns);
    const char *column = last_word(figure->column_titles, panel % figure->columns);
    snprintf(name, NAME_BYTES, "%s%s%s", row, *row && *column ? "." : "", column);
}

static const char *title_of(const struct figure *figure, int panel)
{
    return figure->panels[panel].title ? figure->panels[panel].title : "";
}

/* How many of `count` there are along `room` where each takes at least `least`; a gap more than fits is none. */
static int fitting(int room, int least, int count)
{
    return picture_clamp(room / least, 1, count);
}

/* Columns that every panel must have in so many, so that one can tell which it is and that it is off: by a sign alone
 * where all of them are seen then. */
static int least_width(const struct figure *figure, int columns)
{
    int widest = LEAST_WIDTH, tight = 0;
    for (int i = 0; i < figure->rows * figure->columns; i++) {
        char name[NAME_BYTES];
        write_name(figure, i, name);
        tight = greater(tight, display_width(name) + 1);
        widest = greater(widest, display_width(name) + 1 + display_width(title_of(figure, i)));
    }
    widest = smaller(widest, 2 * LEAST_WIDTH);
    bool all = fitting(columns + GAP, tight + GAP, figure->columns) == figure->columns;
    return all && fitting(columns + GAP, widest + GAP, figure->columns) < figure->columns
               ? smaller(tight, widest)
               : widest;
}

/* Layout ----------------------------------------------------------------------------------------- */

static void largest_panel(const struct figure *figure, int *rows, int *columns)
{
    *rows = *columns = 1;
    for (int i = 0; i < figure->rows * figure->columns; i++) {
        *rows = greater(*rows, figure->panels[i].matrix.rows);
        *columns = greater(*columns, figure->panels[i].matrix.columns);
    }
}

static struct layout find_layout(const struct picture *picture, struct area area)
{
    const struct figure *figure = picture->figure;
    int rows, columns, least = least_width(figure, area.columns);
    largest_panel(figure, &rows, &columns);
    struct layout layout = {.row = area.row};
    layout.across = fitting(area.columns + GAP, least + GAP, figure->columns);
    layout.down = fitting(area.rows, 1 + smaller(LEAST_HEIGHT, rows), figure->rows);
    bool whole = layout.across == figure->columns && layout.down == figure->rows;
    layout.margin = !whole && area.columns >= MARGIN_LEAST;
    layout.column = area.column + layout.margin;
    int room = area.columns - 2 * layout.margin + GAP;
    layout.across = fitting(room, least + GAP, figure->columns);
    layout.width =
        picture_clamp(room / layout.across - GAP, 0, greater(least, smaller(columns, room) * 2));
    layout.height = picture_clamp(area.rows / layout.down - 1, 0, rows);
    return layout;
}

static void settle_grid(const struct picture *picture, struct area area, struct spot *spot)
{
    const struct figure *figure = picture->figure;
    struct layout layout = find_layout(picture, area);
    spot->top = picture_scroll(spot->top, spot->panel / figure->columns, layout.down, figure->rows);
    spot->left =
        picture_scroll(spot->left, spot->panel % figure->columns, layout.across, figure->columns);
}

/* Blocks ----------------------------------------------------------------------------------------- */

/* How a panel's tiles become characters. */
struct blocks {
    int rows, columns;
    int width; // characters of one: 2, nearly a square, where all fit
};

static struct blocks blocks_of(const struct picture_panel *panel, const struct layout *layout)
{
    struct blocks blocks = {smaller(panel->tile_rows, layout->height),
                            smaller(panel->tile_columns, layout->width), 1};
    if (panel->tile_columns <= layout->width / 2)
        blocks.width = 2;
    return blocks;
}

/* Where block `i` of `count` begins along `tiles`. */
static int block_begin(int i, int count, int tiles)
{
    return (int)((long)i * tiles / count);
}

/* What stands out most: a lone strong cell is still seen. */
static double block_position(const struct picture *picture, int index, struct blocks blocks,
                             int row, int column)
{
    const struct picture_panel *panel = &picture->panels[index];
    bool diverging = picture_map(picture, index)->diverging;
    double strongest = NAN, most = -1;
    int row_end = block_begin(row + 1, blocks.rows, panel->tile_rows);
    int column_end = block_begin(column + 1, blocks.columns, panel->tile_columns);
    for (int r = block_begin(row, blocks.rows, panel->tile_rows); r < row_end; r++)
        for (int c = block_begin(column, blocks.columns, panel->tile_columns); c < column_end;
             c++) {
            double position = panel->tiles[(size_t)r * panel->tile_columns + c];
            double strength = diverging ? fabs(position - 0.5) : position; // NaN is not above any
            if (strength > most) {
                most = strength;
                strongest = position;
            }
        }
    return strongest;
}

/* Drawing ---------------------------------------------------------------------------------------- */

/* While a figure is drawn. */
struct scene {
    const struct picture *picture;
    const struct look *look;
    struct canvas *canvas;
    const struct layout *layout;
    const struct spot *spot;
    bool chosen;
};

/* Its name, and that it is off, or its greatest value where there is room. */
static void draw_header(const struct scene *scene, int index, int row, int column)
{
    const struct figure *figure = scene->picture->figure;
    const char *title = title_of(figure, index);
    bool cursor = scene->chosen && index == scene->spot->panel;
    bool off = strcmp(title, "off") == 0;
    enum ink ink = off ? INK_WARN : cursor ? INK_ACCENT : INK_NORMAL;
    struct style style = {.ink = ink, .reverse = cursor};
    int width = scene->layout->width;
    char name[NAME_BYTES], number[32] = "";
    write_name(figure, index, name);
    if (cursor)
        canvas_repeat(scene->canvas, row, column, width, style, " ");
    int used = canvas_put(scene->canvas, row, column, width, style, name);
    if (off && used + 1 + display_width(title) > width) {
        canvas_put(scene->canvas, row, column + used, width - used, style,
                   look_text(scene->look, "\xe2\x96\xa1", "o"));
        return;
    }
    used += used > 0;
    if (*title) {
        canvas_put(scene->canvas, row, column + used, width - used, style, title);
        return;
    }
    if (!isnan(scene->picture->panels[index].most))
        picture_number(scene->look, picture_range(scene->picture, index),
                       scene->picture->panels[index].most, number, sizeof number);
    if (display_width(number) <= width - used)
        canvas_put(scene->canvas, row, column + used, width - used, cursor ? style : faint, number);
}

static void draw_panel(const struct scene *scene, int index, int row, int column)
{
    struct blocks blocks = blocks_of(&scene->picture->panels[index], scene->layout);
    draw_header(scene, index, row, column);
    for (int r = 0; r < blocks.rows; r++)
        for (int c = 0; c < blocks.columns; c++)
            look_value(scene->look, scene->canvas, row + 1 + r, column + c * blocks.width,
                       blocks.width, picture_map(scene->picture, index),
                       block_position(scene->picture, index, blocks, r, c), false);
}

static int row_of(const struct layout *layout, int line)
{
    return layout->row + line * (layout->height + 1);
}

static int column_of(const struct layout *layout, int place)
{
    return layout->column + place * (layout->width + GAP);
}

static void put_mark(const struct scene *scene, bool more, int row, int column, const char *text,
                     const char *ascii)
{
    if (more && scene->layout->margin > 0)
        canvas_put(scene->canvas, row, column, 1, faint, look_text(scene->look, text, ascii));
}

/* Back at the left, on at the right: beside the headers where there is more across, below them down. */
static void draw_marks(const struct scene *scene, struct area area)
{
    const struct figure *figure = scene->picture->figure;
    const struct layout *layout = scene->layout;
    const struct spot *spot = scene->spot;
    int left = area.column, right = area.column + area.columns - 1;
    int last = row_of(layout, layout->down) - 1;
    for (int i = 0; i < layout->down; i++) {
        put_mark(scene, spot->left > 0, row_of(layout, i), left, "‹", "<");
        put_mark(scene, spot->left + layout->across < figure->columns, row_of(layout, i), right,
                 "›", ">");
    }
    put_mark(scene, spot->top > 0 && layout->height > 0, layout->row + 1, left, "▴", "^");
    put_mark(scene, spot->top + layout->down < figure->rows && layout->height > 0, last, right, "▾",
             "v");
}

static void draw_grid(const struct picture *picture, const struct look *look, struct canvas *canvas,
                      struct area area, const struct spot *spot, bool chosen)
{
    struct layout layout = find_layout(picture, area);
    struct scene scene = {picture, look, canvas, &layout, spot, chosen};
    const struct figure *figure = picture->figure;
    for (int i = 0; i < layout.down; i++)
        for (int j = 0; j < layout.across; j++) {
            int index = (spot->top + i) * figure->columns + spot->left + j;
            if (figure->panels[index].kind == PANEL_MATRIX)
                draw_panel(&scene, index, row_of(&layout, i), column_of(&layout, j));
        }
    draw_marks(&scene, area);
}

/* Finding ---------------------------------------------------------------------------------------- */

/* The cell that a block shows. */
static void find_strongest(const struct picture *picture, int index, struct blocks blocks, int row,
                           int column, struct spot *found)
{
    const struct figure_matrix *matrix = picture_matrix_of(picture, index);
    const struct picture_panel *panel = &picture->panels[index];
    int top = block_begin(row, blocks.rows, panel->tile_rows) * panel->tile_height;
    int end = block_begin(row + 1, blocks.rows, panel->tile_rows) * panel->tile_height;
    int left = block_begin(column, blocks.columns, panel->tile_columns) * panel->tile_width;
    int right = block_begin(column + 1, blocks.columns, panel->tile_columns) * panel->tile_width;
    double strongest = NAN;
    found->row = top;
    found->column = left;
    for (int r = top; r < smaller(end, matrix->rows); r++)
        for (int c = left; c < smaller(right, matrix->columns); c++) {
            double position = picture_position(picture, index, r, c);
            if (!picture_stronger(picture_map(picture, index), position, strongest))
                continue;
            strongest = position;
            found->row = r;
            found->column = c;
        }
}

static bool find_grid(const struct picture *picture, struct area area, const struct spot *spot,
                      int row, int column, struct spot *found)
{
    struct layout layout = find_layout(picture, area);
    const struct figure *figure = picture->figure;
    int line = (row - layout.row) / (layout.height + 1);
    int place = (column - layout.column) / (layout.width + GAP);
    if (column < layout.column || line >= layout.down || place >= layout.across)
        return false;
    int index = (spot->top + line) * figure->columns + spot->left + place;
    int r = row - row_of(&layout, line) - 1, c = column - column_of(&layout, place);
    if (figure->panels[index].kind != PANEL_MATRIX || c >= layout.width)
        return false;
    struct blocks blocks = blocks_of(&picture->panels[index], &layout);
    if (r >= blocks.rows || (r >= 0 && c >= blocks.columns * blocks.width))
        return false;
    found->panel = index;
    found->row = found->column = 0;
    if (r >= 0)
        find_strongest(picture, index, blocks, r, c / blocks.width, found);
    return true;
}

const struct picture_parts picture_grid = {settle_grid, draw_grid, find_grid};
