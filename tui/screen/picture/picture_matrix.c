/* Heatmaps with labels, one or several side by side. */
#include <math.h>
#include <string.h>

#include "base/minmax.h"
#include "terminal/text/display.h"
#include "tui/screen/picture/picture_parts.h"

static bool has_text(const char *text)
{
    return text && *text;
}

/* Scrolling ------------------------------------------------------------------------------------ */

/* Panels may differ in size: the largest limits how far they scroll, and the cursor's panel must
 * show the cursor. */
static void settle_matrix(const struct picture *picture, struct area area,
                          struct picture_cursor *cursor)
{
    struct matrix_layout layout = matrix_layout_find(picture, area, cursor);
    int furthest_top = 0, furthest_left = 0;
    for (int i = 0; i < layout.count; i++) {
        const struct figure_matrix *matrix = picture_matrix_of(picture, layout.places[i].panel);
        int top = matrix_rows(&layout, matrix) - layout.rows,
            left = matrix_columns(&layout, matrix) - layout.places[i].cells;
        furthest_top = top > furthest_top ? top : furthest_top;
        furthest_left = left > furthest_left ? left : furthest_left;
    }
    cursor->top = int_clamp(cursor->top, 0, furthest_top);
    cursor->left = int_clamp(cursor->left, 0, furthest_left);
    for (int i = 0; i < layout.count; i++) {
        const struct panel_place *place = &layout.places[i];
        const struct figure_matrix *matrix = picture_matrix_of(picture, place->panel);
        if (place->panel != cursor->panel)
            continue;
        int top = matrix_top(&layout, matrix, cursor),
            left = matrix_left(&layout, place, matrix, cursor);
        int rows = matrix_rows(&layout, matrix), columns = matrix_columns(&layout, matrix);
        int wanted_top = picture_scroll(top, cursor->row / layout.block_rows,
                                        int_clamp(layout.rows, 1, rows), rows);
        int wanted_left = picture_scroll(left, cursor->column / layout.block_columns,
                                         int_clamp(place->cells, 1, columns), columns);
        cursor->top = wanted_top == top ? cursor->top : wanted_top;
        cursor->left = wanted_left == left ? cursor->left : wanted_left;
    }
}

/* Drawing -------------------------------------------------------------------------------------- */

/* Arguments of the drawing functions below. */
struct scene {
    const struct picture *picture;
    const struct screen_style *screen_style;
    struct canvas *canvas;
    const struct matrix_layout *layout;
    const struct picture_cursor *cursor;
    bool chosen;
};

static const struct style faint = {.ink = INK_FAINT};

/* Marks beside the outer titles show that there are more panels. */
static void draw_title(const struct scene *scene, int index)
{
    const struct matrix_layout *layout = scene->layout;
    const struct panel_place *place = &layout->places[index];
    const char *title = scene->picture->figure->panels[place->panel].title;
    struct style style = {.ink = INK_STRONG};
    int row = layout->row - layout->labels - layout->axes - layout->title;
    int column = place->start, width = place->end - place->start;
    if (scene->chosen && scene->picture->figure->columns > 1 &&
        place->panel == scene->cursor->panel)
        style = (struct style){.ink = INK_ACCENT, .reverse = true};
    if (index == 0 && place->panel > 0 && width > 2) {
        canvas_put(scene->canvas, row, column, 1, faint, style_text(scene->screen_style, "‹", "<"));
        column += 2;
        width -= 2;
    }
    if (has_text(title))
        canvas_put(scene->canvas, row, column, width, style, title);
    if (index == layout->count - 1 && place->panel < scene->picture->figure->columns - 1)
        canvas_put(scene->canvas, row, column + width, layout->margin, faint,
                   style_text(scene->screen_style, "›", ">"));
}

/* Draws "target ↓  source →". */
static void draw_axes(const struct scene *scene, const struct panel_place *place)
{
    const struct matrix_layout *layout = scene->layout;
    const struct figure_matrix *matrix = picture_matrix_of(scene->picture, place->panel);
    int row = layout->row - layout->labels - layout->axes;
    int column = place->start, end = place->end;
    if (has_text(matrix->row_title) && place->label > 0) {
        column += canvas_put(scene->canvas, row, column, end - column, faint, matrix->row_title);
        column += canvas_put(scene->canvas, row, column, end - column, faint,
                             style_text(scene->screen_style, " ↓  ", " v  "));
    }
    if (!has_text(matrix->column_title))
        return;
    column = column > place->column ? column : place->column;
    column += canvas_put(scene->canvas, row, column, end - column, faint, matrix->column_title);
    canvas_put(scene->canvas, row, column, end - column, faint,
               style_text(scene->screen_style, " →", " >"));
}

static struct style label_style(bool chosen)
{
    return (struct style){.ink = chosen ? INK_ACCENT : INK_NORMAL};
}

static bool has_cursors_row(const struct scene *scene, const struct panel_place *place, int row)
{
    return scene->chosen && row == scene->cursor->row / scene->layout->block_rows &&
           place->labels == matrix_labels(scene->picture, scene->cursor->panel);
}

/* Panels with equally many columns share their column labels. */
static bool has_cursors_column(const struct scene *scene, const struct panel_place *place,
                               int column)
{
    return scene->chosen && column == scene->cursor->column / scene->layout->block_columns &&
           picture_matrix_of(scene->picture, place->panel)->columns ==
               picture_matrix_of(scene->picture, scene->cursor->panel)->columns;
}

/* Copies a grapheme, or as many whole characters of a very long one as fit. */
static void copy_grapheme(char grapheme[CELL_BYTES], const char *text, size_t bytes)
{
    if (bytes >= CELL_BYTES)
        bytes = CELL_BYTES - 1;
    while (bytes > 0 && ((unsigned char)text[bytes] & 0xC0) == 0x80)
        bytes--;
    memcpy(grapheme, text, bytes);
    grapheme[bytes] = '\0';
}

/* Draws a label downwards over the middle of its cells, ending just above them. A label that is too
 * long is cut, with a mark unless there is only one row. */
static void draw_label_down(const struct scene *scene, int column, struct style style,
                            const char *text)
{
    const struct matrix_layout *layout = scene->layout;
    column += layout->shift;
    int count = display_rows(text, PICTURE_CELL), rows = layout->labels, columns;
    bool cut = count > rows && rows > 1;
    int line = count < rows ? rows - count : 0;
    for (size_t bytes;
         line < rows && (bytes = display_grapheme_within(text, PICTURE_CELL, &columns)) > 0;
         text += bytes) {
        char grapheme[CELL_BYTES];
        if (columns == 0)
            continue;
        copy_grapheme(grapheme, text, bytes);
        canvas_put(scene->canvas, layout->row - rows + line, column,
                   int_max(layout->cell, PICTURE_CELL), style,
                   cut && line == rows - 1 ? style_text(scene->screen_style, "⋮", "~") : grapheme);
        line++;
    }
}

static void draw_column_label(const struct scene *scene, int column, struct style style,
                              const char *text)
{
    const struct matrix_layout *layout = scene->layout;
    if (layout->across)
        canvas_put(scene->canvas, layout->row - 1,
                   column + int_max(layout->cell - display_width(text), 0) / 2, layout->cell, style,
                   text);
    else
        draw_label_down(scene, column, style, text);
}

/* Returns which cell's label a block has: the cursor's, or its first cell's. */
static int first_of(int block, int cells, int cursor)
{
    return cursor / cells == block ? cursor : block * cells;
}

/* Cells of one column omit every second label, or those beside the cursor's. */
static bool has_room(const struct scene *scene, const struct panel_place *place, int column)
{
    int cursor = scene->cursor->column / scene->layout->block_columns;
    if (scene->layout->cell >= PICTURE_CELL || has_cursors_column(scene, place, column))
        return true;
    return column % 2 == cursor % 2;
}

static void draw_labels(const struct scene *scene, const struct panel_place *place)
{
    const struct matrix_layout *layout = scene->layout;
    const struct figure_matrix *matrix = picture_matrix_of(scene->picture, place->panel);
    const struct figure_matrix *labelled = picture_matrix_of(scene->picture, place->labels);
    int top = matrix_top(layout, matrix, scene->cursor),
        left = matrix_left(layout, place, matrix, scene->cursor);
    for (int c = left; matrix->column_labels && c < left + place->cells; c++)
        if (has_room(scene, place, c))
            draw_column_label(
                scene, place->column + (c - left) * layout->cell,
                label_style(has_cursors_column(scene, place, c)),
                matrix->column_labels[first_of(c, layout->block_columns, scene->cursor->column)]);
    int end = int_min(top + layout->rows,
                      int_min(matrix_rows(layout, matrix), matrix_rows(layout, labelled)));
    for (int r = top; place->label > 0 && r < end; r++)
        canvas_put(scene->canvas, layout->row + (r - top) * layout->tall + (layout->tall - 1) / 2,
                   place->start, place->label, label_style(has_cursors_row(scene, place, r)),
                   labelled->row_labels[first_of(r, layout->block_rows, scene->cursor->row)]);
}

/* Returns the position of the cell of a block that stands out most. */
static double block_position(const struct scene *scene, int panel, int r, int c)
{
    const struct matrix_layout *layout = scene->layout;
    const struct figure_matrix *matrix = picture_matrix_of(scene->picture, panel);
    const int rows = int_min((r + 1) * layout->block_rows, matrix->rows),
              columns = int_min((c + 1) * layout->block_columns, matrix->columns);
    double most = NAN;
    for (int i = r * layout->block_rows; i < rows; i++)
        for (int k = c * layout->block_columns; k < columns; k++) {
            double position = picture_position(scene->picture, panel, i, k);
            if (isnan(most) || picture_stronger(picture_map(scene->picture, panel), position, most))
                most = position;
        }
    return most;
}

static void draw_cell(const struct scene *scene, int panel, int r, int c, int row, int column)
{
    const struct matrix_layout *layout = scene->layout;
    const struct picture_cursor *cursor = scene->cursor;
    bool chosen = scene->chosen && panel == cursor->panel &&
                  r == cursor->row / layout->block_rows &&
                  c == cursor->column / layout->block_columns;
    for (int i = 0; i < layout->tall; i++)
        style_value(scene->screen_style, scene->canvas, row + i, column, layout->cell,
                    picture_map(scene->picture, panel), block_position(scene, panel, r, c), chosen);
}

static void draw_cells(const struct scene *scene, const struct panel_place *place)
{
    const struct matrix_layout *layout = scene->layout;
    const struct figure_matrix *matrix = picture_matrix_of(scene->picture, place->panel);
    int top = matrix_top(layout, matrix, scene->cursor);
    int left = matrix_left(layout, place, matrix, scene->cursor);
    for (int r = top; r < int_min(top + layout->rows, matrix_rows(layout, matrix)); r++)
        for (int c = left; c < left + place->cells; c++)
            draw_cell(scene, place->panel, r, c, layout->row + (r - top) * layout->tall,
                      place->column + (c - left) * layout->cell);
}

static void draw_mark(const struct scene *scene, bool more, int row, int column, const char *text,
                      const char *ascii)
{
    if (more)
        canvas_put(scene->canvas, row, column, scene->layout->margin, faint,
                   style_text(scene->screen_style, text, ascii));
}

/* Draws scroll marks where there are more cells in that direction. */
static void draw_marks(const struct scene *scene, const struct panel_place *place)
{
    const struct matrix_layout *layout = scene->layout;
    const struct figure_matrix *matrix = picture_matrix_of(scene->picture, place->panel);
    int top = matrix_top(layout, matrix, scene->cursor),
        left = matrix_left(layout, place, matrix, scene->cursor);
    int before = place->column - layout->margin;
    int after = place->column + place->cells * layout->cell;
    if (layout->labels > 0) {
        draw_mark(scene, left > 0, layout->row - 1, before, "‹", "<");
        draw_mark(scene, left + place->cells < matrix_columns(layout, matrix), layout->row - 1,
                  after, "›", ">");
    }
    draw_mark(scene, top > 0, layout->row, before, "▴", "^");
    draw_mark(scene, top + layout->rows < matrix_rows(layout, matrix),
              layout->row + layout->rows - 1, after, "▾", "v");
}

static void draw_matrix(const struct picture *picture, const struct screen_style *screen_style,
                        struct canvas *canvas, struct area area,
                        const struct picture_cursor *cursor, bool chosen)
{
    struct matrix_layout layout = matrix_layout_find(picture, area, cursor);
    struct scene scene = {picture, screen_style, canvas, &layout, cursor, chosen};
    for (int i = 0; i < layout.count; i++) {
        const struct panel_place *place = &layout.places[i];
        if (picture->figure->panels[place->panel].kind != PANEL_MATRIX)
            continue;
        if (layout.title)
            draw_title(&scene, i);
        if (layout.axes)
            draw_axes(&scene, place);
        draw_labels(&scene, place);
        draw_cells(&scene, place);
        draw_marks(&scene, place);
    }
}

/* Finding -------------------------------------------------------------------------------------- */

static bool find_matrix(const struct picture *picture, struct area area,
                        const struct picture_cursor *cursor, int row, int column,
                        struct picture_cursor *found)
{
    struct matrix_layout layout = matrix_layout_find(picture, area, cursor);
    for (int i = 0; i < layout.count; i++) {
        const struct panel_place *place = &layout.places[i];
        const struct figure_matrix *matrix = picture_matrix_of(picture, place->panel);
        if (column < place->column || column >= place->column + place->cells * layout.cell)
            continue;
        int r = (row - layout.row) / layout.tall + matrix_top(&layout, matrix, cursor);
        if (row < layout.row || row >= layout.row + layout.rows ||
            r >= matrix_rows(&layout, matrix))
            return false;
        int c =
            (column - place->column) / layout.cell + matrix_left(&layout, place, matrix, cursor);
        found->panel = place->panel;
        found->row = r * layout.block_rows;
        found->column = c * layout.block_columns;
        return true;
    }
    return false;
}

const struct picture_functions picture_matrix = {settle_matrix, draw_matrix, find_matrix};
