/* An overview: many heatmaps, each shrunk to a few characters under a line that names it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/minmax.h"
#include "terminal/text/display.h"
#include "tui/screen/picture/picture_parts.h"

enum {
    GAP = 1,          // columns between panels
    LEAST_WIDTH = 7,  // columns of a panel, at least, if not all are visible,
    LEAST_HEIGHT = 2, // and rows below its header
    MARGIN_LEAST = 9, // columns of an area with room for scroll marks
    GROW_MOST = 8,    // rows of a cell of a small heatmap
    WIDE = 4,         // most columns of a cell for each of its rows,
    NARROW = 2,       // and most rows for each of its columns
    NAME_BYTES = 128
};

/* The panels of a figure's row are on one line of the screen, or wrap into several of equal
 * length. */
struct layout {
    int wraps;       // lines of a row of the figure
    int across;      // panels per line
    int lines, down; // lines in all, and those visible
    int width;       // of a panel
    int margin;      // columns at both sides
    struct area area;
};

static const struct style faint = {.ink = INK_FAINT};

/* Names ---------------------------------------------------------------------------------------- */

/* Returns the first word if it is a number, "3 local 1"; otherwise the last one, "head 3". */
static const char *naming_word(const char *const *titles, int index, int *bytes)
{
    const char *title = titles && titles[index] ? titles[index] : "";
    const char *blank = strrchr(title, ' ');
    const char *word = blank && !(*title >= '0' && *title <= '9') ? blank + 1 : title;
    *bytes = (int)strcspn(word, " ");
    return word;
}

/* Writes "1.3" for "layer 1" and "head 3". */
static void write_name(const struct figure *figure, int panel, char name[NAME_BYTES])
{
    int row_bytes, column_bytes;
    const char *row = naming_word(figure->row_titles, panel / figure->columns, &row_bytes);
    const char *column = naming_word(figure->column_titles, panel % figure->columns, &column_bytes);
    snprintf(name, NAME_BYTES, "%.*s%s%.*s", row_bytes, row, row_bytes && column_bytes ? "." : "",
             column_bytes, column);
}

static const char *title_of(const struct figure *figure, int panel)
{
    return figure->panels[panel].title ? figure->panels[panel].title : "";
}

/* Returns the least width of a panel that still shows its name and a sign that it is off. */
static int least_width(const struct figure *figure)
{
    int widest = 1;
    for (int i = 0; i < figure->rows * figure->columns; i++) {
        char name[NAME_BYTES];
        write_name(figure, i, name);
        widest = int_max(widest, display_width(name) + 1);
    }
    return int_min(widest, 2 * LEAST_WIDTH);
}

/* Layout --------------------------------------------------------------------------------------- */

static void largest_panel(const struct figure *figure, int *rows, int *columns)
{
    *rows = *columns = 1;
    for (int i = 0; i < figure->rows * figure->columns; i++) {
        *rows = int_max(*rows, figure->panels[i].matrix.rows);
        *columns = int_max(*columns, figure->panels[i].matrix.columns);
    }
}

/* Returns the first row of a line of panels, from the top of the area; lines share all its rows. */
static int line_begin(const struct layout *layout, int line)
{
    return line * layout->area.rows / layout->down;
}

/* Returns the rows of the panels on a line, without their header. */
static int height_of(const struct layout *layout, int line)
{
    return int_max(line_begin(layout, line + 1) - line_begin(layout, line) - 1, 0);
}

static struct layout layout_with(const struct figure *figure, struct area area, int wraps)
{
    struct layout layout = {.wraps = wraps, .area = area};
    layout.across = (figure->columns + wraps - 1) / wraps;
    layout.lines = layout.down = figure->rows * wraps;
    layout.width = (area.columns + GAP) / layout.across - GAP;
    return layout;
}

/* Rates a layout. The best one gives every cell of a heatmap a place of its own; next is the one
 * that shrinks it least as a square, whose cells are two columns wide. Ties are broken by how much
 * of the area is filled. */
static double worth_of(const struct figure *figure, const struct layout *layout)
{
    int rows, columns;
    largest_panel(figure, &rows, &columns);
    int height = layout->area.rows / layout->down - 1, width = layout->width;
    double shrunk = fmin(1, fmin((double)height / rows, width / 2.0 / columns));
    double filled = fmin(height, GROW_MOST * rows) * fmin(width, WIDE * GROW_MOST * columns);
    double worth = height >= rows && width >= columns ? 2 : shrunk;
    return worth + 1e-6 * filled * figure->rows * figure->columns;
}

/* If there is no room for all: as few lines as can be read, which scroll. */
static struct layout scrolling_layout(const struct figure *figure, struct area area)
{
    int margin = area.columns >= MARGIN_LEAST;
    area.column += margin;
    area.columns -= 2 * margin;
    int most = int_clamp((area.columns + GAP) / (LEAST_WIDTH + GAP), 1, figure->columns);
    struct layout layout = layout_with(figure, area, (figure->columns + most - 1) / most);
    layout.width = int_max(layout.width, 0);
    layout.down = int_clamp(area.rows / (1 + LEAST_HEIGHT), 1, layout.lines);
    layout.margin = margin;
    return layout;
}

static struct layout find_layout(const struct picture *picture, struct area area)
{
    const struct figure *figure = picture->figure;
    int rows, columns, least = least_width(figure);
    double most = 0;
    struct layout best = {0};
    largest_panel(figure, &rows, &columns);
    for (int wraps = 1; wraps <= figure->columns; wraps++) {
        struct layout layout = layout_with(figure, area, wraps);
        bool fits =
            layout.width >= least && layout.lines * (1 + int_min(LEAST_HEIGHT, rows)) <= area.rows;
        double worth = fits ? worth_of(figure, &layout) : 0;
        if (worth > most)
            best = layout;
        most = fmax(worth, most);
    }
    return most > 0 ? best : scrolling_layout(figure, area);
}

/* Finds the line of a panel, counted from the figure's first, and its place on it. */
static void place_of(const struct figure *figure, const struct layout *layout, int panel, int *line,
                     int *place)
{
    int column = panel % figure->columns;
    *line = panel / figure->columns * layout->wraps + column / layout->across;
    *place = column % layout->across;
}

/* Returns the panel there; -1: none, as the last line of a row may be shorter. */
static int panel_at(const struct figure *figure, const struct layout *layout, int line, int place)
{
    int column = line % layout->wraps * layout->across + place;
    bool there = line >= 0 && line < layout->lines && place >= 0 && place < layout->across &&
                 column < figure->columns;
    return there ? line / layout->wraps * figure->columns + column : -1;
}

static void settle_grid(const struct picture *picture, struct area area,
                        struct picture_cursor *cursor)
{
    struct layout layout = find_layout(picture, area);
    int line, place;
    place_of(picture->figure, &layout, cursor->panel, &line, &place);
    cursor->top = picture_scroll(cursor->top, line, layout.down, layout.lines);
    cursor->left = 0;
}

/* Right and left move along the figure's row, whose lines follow each other; up and down move to
 * the panel that is visible there. */
int picture_grid_move(const struct picture *picture, struct area area, int panel, int rows,
                      int columns)
{
    const struct figure *figure = picture->figure;
    struct layout layout = find_layout(picture, area);
    int line, place, first = panel - panel % figure->columns;
    panel = int_clamp(panel + columns, first, first + figure->columns - 1);
    place_of(figure, &layout, panel, &line, &place);
    line = int_clamp(line + rows, 0, layout.lines - 1);
    while (panel_at(figure, &layout, line, place) < 0)
        place--;
    return panel_at(figure, &layout, line, place);
}

/* Blocks --------------------------------------------------------------------------------------- */

/* The characters of a panel's tiles: each shows one tile or several, or several show the same
 * one. */
struct blocks {
    int rows, columns;
};

/* Small heatmaps grow with the area, but no cell becomes very flat or narrow. */
static struct blocks blocks_of(const struct picture_panel *panel, const struct layout *layout,
                               int line)
{
    int rows = panel->tile_rows, columns = panel->tile_columns;
    int height = int_min(height_of(layout, line), GROW_MOST * rows), width = layout->width;
    double tallest = fmax(1, NARROW * (double)width / columns);
    double widest = fmax(1, WIDE * (double)height / rows);
    return (struct blocks){int_min(height, (int)(rows * tallest)),
                           int_min(width, (int)(columns * widest))};
}

/* Finds the tiles that block `i` of `count` shows: *begin … *end - 1. */
static void tiles_of(int i, int count, int tiles, int *begin, int *end)
{
    *begin = (int)((long)i * tiles / count);
    *end = int_max(*begin + 1, (int)((long)(i + 1) * tiles / count));
}

/* A block shows the tile that stands out most, so that a single strong cell stays visible. */
static double block_position(const struct picture *picture, int index, struct blocks blocks,
                             int row, int column)
{
    const struct picture_panel *panel = &picture->panels[index];
    bool diverging = picture_map(picture, index)->diverging;
    double strongest = NAN, most = -1;
    int top, bottom, left, right;
    tiles_of(row, blocks.rows, panel->tile_rows, &top, &bottom);
    tiles_of(column, blocks.columns, panel->tile_columns, &left, &right);
    for (int r = top; r < bottom; r++)
        for (int c = left; c < right; c++) {
            double position = panel->tiles[(size_t)r * panel->tile_columns + c];
            double strength = diverging ? fabs(position - 0.5) : position; // NaN is never greater
            if (strength > most) {
                most = strength;
                strongest = position;
            }
        }
    return strongest;
}

/* Drawing -------------------------------------------------------------------------------------- */

/* Arguments of the drawing functions below. */
struct scene {
    const struct picture *picture;
    const struct screen_style *screen_style;
    struct canvas *canvas;
    const struct layout *layout;
    const struct picture_cursor *cursor;
    bool chosen;
};

/* Draws a panel's name, and whether the head is off or, if it fits, its greatest value. */
static void draw_header(const struct scene *scene, int index, int row, int column)
{
    const struct figure *figure = scene->picture->figure;
    const char *title = title_of(figure, index);
    bool chosen = scene->chosen && index == scene->cursor->panel;
    bool off = strcmp(title, "off") == 0;
    enum ink ink = off ? INK_WARN : chosen ? INK_ACCENT : INK_NORMAL;
    struct style style = {.ink = ink, .reverse = chosen};
    int width = scene->layout->width;
    char name[NAME_BYTES], number[32] = "";
    write_name(figure, index, name);
    if (chosen)
        canvas_repeat(scene->canvas, row, column, width, style, " ");
    int used = canvas_put(scene->canvas, row, column, width, style, name);
    if (off && used + 1 + display_width(title) > width) {
        canvas_put(scene->canvas, row, column + used, width - used, style,
                   style_text(scene->screen_style, "\xe2\x96\xa1", "o"));
        return;
    }
    used += used > 0;
    if (*title) {
        canvas_put(scene->canvas, row, column + used, width - used, style, title);
        return;
    }
    if (!isnan(scene->picture->panels[index].most))
        picture_number(scene->screen_style, picture_range(scene->picture, index),
                       scene->picture->panels[index].most, number, sizeof number);
    if (display_width(number) <= width - used)
        canvas_put(scene->canvas, row, column + used, width - used, chosen ? style : faint, number);
}

static void draw_panel(const struct scene *scene, int index, int line, int row, int column)
{
    struct blocks blocks = blocks_of(&scene->picture->panels[index], scene->layout, line);
    draw_header(scene, index, row, column);
    for (int r = 0; r < blocks.rows; r++)
        for (int c = 0; c < blocks.columns; c++)
            style_value(scene->screen_style, scene->canvas, row + 1 + r, column + c, 1,
                        picture_map(scene->picture, index),
                        block_position(scene->picture, index, blocks, r, c), false);
}

static int column_of(const struct layout *layout, int place)
{
    return layout->area.column + place * (layout->width + GAP);
}

/* Draws scroll marks at the edges, below the headers. */
static void draw_marks(const struct scene *scene)
{
    const struct layout *layout = scene->layout;
    const struct area *area = &layout->area;
    int top = scene->cursor->top;
    if (layout->margin == 0 || area->rows < 2)
        return;
    if (top > 0)
        canvas_put(scene->canvas, area->row + 1, area->column - 1, 1, faint,
                   style_text(scene->screen_style, "▴", "^"));
    if (top + layout->down < layout->lines)
        canvas_put(scene->canvas, area->row + area->rows - 1, area->column + area->columns, 1,
                   faint, style_text(scene->screen_style, "▾", "v"));
}

static void draw_grid(const struct picture *picture, const struct screen_style *screen_style,
                      struct canvas *canvas, struct area area, const struct picture_cursor *cursor,
                      bool chosen)
{
    struct layout layout = find_layout(picture, area);
    struct scene scene = {picture, screen_style, canvas, &layout, cursor, chosen};
    for (int i = 0; i < layout.down; i++)
        for (int j = 0; j < layout.across; j++) {
            int index = panel_at(picture->figure, &layout, cursor->top + i, j);
            if (index >= 0 && picture->figure->panels[index].kind == PANEL_MATRIX)
                draw_panel(&scene, index, i, layout.area.row + line_begin(&layout, i),
                           column_of(&layout, j));
        }
    draw_marks(&scene);
}

/* Finding -------------------------------------------------------------------------------------- */

/* Finds the cell that a block shows. */
static void find_strongest(const struct picture *picture, int index, struct blocks blocks, int row,
                           int column, struct picture_cursor *found)
{
    const struct figure_matrix *matrix = picture_matrix_of(picture, index);
    const struct picture_panel *panel = &picture->panels[index];
    int top, bottom, left, right;
    double strongest = NAN;
    tiles_of(row, blocks.rows, panel->tile_rows, &top, &bottom);
    tiles_of(column, blocks.columns, panel->tile_columns, &left, &right);
    found->row = top * panel->tile_height;
    found->column = left * panel->tile_width;
    for (int r = found->row, first = found->column;
         r < int_min(bottom * panel->tile_height, matrix->rows); r++)
        for (int c = first; c < int_min(right * panel->tile_width, matrix->columns); c++) {
            double position = picture_position(picture, index, r, c);
            if (!picture_stronger(picture_map(picture, index), position, strongest))
                continue;
            strongest = position;
            found->row = r;
            found->column = c;
        }
}

static int line_at(const struct layout *layout, int row)
{
    int line = 0;
    while (line + 1 < layout->down && row >= line_begin(layout, line + 1))
        line++;
    return line;
}

static bool find_grid(const struct picture *picture, struct area area,
                      const struct picture_cursor *cursor, int row, int column,
                      struct picture_cursor *found)
{
    struct layout layout = find_layout(picture, area);
    const struct figure *figure = picture->figure;
    int line = line_at(&layout, row - area.row),
        place = (column - layout.area.column) / (layout.width + GAP);
    int index = panel_at(figure, &layout, cursor->top + line, place);
    int r = row - area.row - line_begin(&layout, line) - 1, c = column - column_of(&layout, place);
    if (column < layout.area.column || index < 0 || figure->panels[index].kind != PANEL_MATRIX ||
        c >= layout.width)
        return false;
    struct blocks blocks = blocks_of(&picture->panels[index], &layout, line);
    if (r >= blocks.rows || (r >= 0 && c >= blocks.columns))
        return false;
    found->panel = index;
    found->row = found->column = 0;
    if (r >= 0)
        find_strongest(picture, index, blocks, r, c, found);
    return true;
}

const struct picture_functions picture_grid = {settle_grid, draw_grid, find_grid};
