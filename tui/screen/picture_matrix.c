/* Heatmaps with labels, one or several beside each other. */
#include <string.h>

#include "tui/display.h"
#include "tui/screen/picture_layout.h"

enum { GRAPHEME_BYTES = 64 };

static bool has_text(const char *text)
{
    return text && *text;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* Scrolling -------------------------------------------------------------------------------------- */

/* Panels may differ in size: the largest says how far all can scroll, the cursor's where it is seen. */
static void settle_matrix(const struct picture *picture, struct area area, struct spot *spot)
{
    struct matrix_layout layout = matrix_layout_find(picture, area, spot->panel);
    int furthest_top = 0, furthest_left = 0;
    for (int i = 0; i < layout.count; i++) {
        const struct figure_matrix *matrix = picture_matrix_of(picture, layout.places[i].panel);
        int top = matrix->rows - layout.rows, left = matrix->columns - layout.places[i].cells;
        furthest_top = top > furthest_top ? top : furthest_top;
        furthest_left = left > furthest_left ? left : furthest_left;
    }
    spot->top = picture_clamp(spot->top, 0, furthest_top);
    spot->left = picture_clamp(spot->left, 0, furthest_left);
    for (int i = 0; i < layout.count; i++) {
        const struct panel_place *place = &layout.places[i];
        const struct figure_matrix *matrix = picture_matrix_of(picture, place->panel);
        if (place->panel != spot->panel)
            continue;
        int top = matrix_top(&layout, matrix, spot), left = matrix_left(place, matrix, spot);
        int wanted_top = picture_scroll(top, spot->row, picture_clamp(layout.rows, 1, matrix->rows),
                                        matrix->rows);
        int wanted_left = picture_scroll(
            left, spot->column, picture_clamp(place->cells, 1, matrix->columns), matrix->columns);
        spot->top = wanted_top == top ? spot->top : wanted_top;
        spot->left = wanted_left == left ? spot->left : wanted_left;
    }
}

/* Drawing ---------------------------------------------------------------------------------------- */

/* While a figure is drawn. */
struct scene {
    const struct picture *picture;
    const struct look *look;
    struct canvas *canvas;
    const struct matrix_layout *layout;
    const struct spot *spot;
    bool chosen;
};

static const struct style faint = {.ink = INK_FAINT};

/* Panels that are not seen are told by marks at the outer titles. */
static void draw_title(const struct scene *scene, int index)
{
    const struct matrix_layout *layout = scene->layout;
    const struct panel_place *place = &layout->places[index];
    const char *title = scene->picture->figure->panels[place->panel].title;
    struct style style = {.ink = INK_STRONG};
    int row = layout->row - layout->labels - layout->axes - layout->title;
    int column = place->start, width = place->end - place->start;
    if (scene->chosen && scene->picture->figure->columns > 1 && place->panel == scene->spot->panel)
        style = (struct style){.ink = INK_ACCENT, .reverse = true};
    if (index == 0 && place->panel > 0 && width > 2) {
        canvas_put(scene->canvas, row, column, 1, faint, look_text(scene->look, "‹", "<"));
        column += 2;
        width -= 2;
    }
    if (has_text(title))
        canvas_put(scene->canvas, row, column, width, style, title);
    if (index == layout->count - 1 && place->panel < scene->picture->figure->columns - 1)
        canvas_put(scene->canvas, row, column + width, layout->margin, faint,
                   look_text(scene->look, "›", ">"));
}

/* "target ↓  source →" */
static void draw_axes(const struct scene *scene, const struct panel_place *place)
{
    const struct matrix_layout *layout = scene->layout;
    const struct figure_matrix *matrix = picture_matrix_of(scene->picture, place->panel);
    int row = layout->row - layout->labels - layout->axes;
    int column = place->start, end = place->end;
    if (has_text(matrix->row_title) && place->label > 0) {
        column += canvas_put(scene->canvas, row, column, end - column, faint, matrix->row_title);
        column += canvas_put(scene->canvas, row, column, end - column, faint,
                             look_text(scene->look, " ↓  ", " v  "));
    }
    if (!has_text(matrix->column_title))
        return;
    column = column > place->column ? column : place->column;
    column += canvas_put(scene->canvas, row, column, end - column, faint, matrix->column_title);
    canvas_put(scene->canvas, row, column, end - column, faint, look_text(scene->look, " →", " >"));
}

static struct style label_style(bool chosen)
{
    return (struct style){.ink = chosen ? INK_ACCENT : INK_NORMAL};
}

static bool has_cursors_row(const struct scene *scene, const struct panel_place *place, int row)
{
    return scene->chosen && row == scene->spot->row &&
           place->labels == matrix_labels(scene->picture, scene->spot->panel);
}

/* Panels with as many columns have the same ones. */
static bool has_cursors_column(const struct scene *scene, const struct panel_place *place,
                               int column)
{
    return scene->chosen && column == scene->spot->column &&
           picture_matrix_of(scene->picture, place->panel)->columns ==
               picture_matrix_of(scene->picture, scene->spot->panel)->columns;
}

static int count_graphemes(const char *text)
{
    int count = 0, columns;
    for (size_t length; (length = display_grapheme(text, &columns)) > 0; text += length)
        count += columns > 0;
    return count;
}

/* Of a long one, marks upon marks, whole characters from its beginning. */
static void copy_grapheme(char grapheme[GRAPHEME_BYTES], const char *text, size_t bytes)
{
    if (bytes >= GRAPHEME_BYTES)
        bytes = GRAPHEME_BYTES - 1;
    while (bytes > 0 && ((unsigned char)text[bytes] & 0xC0) == 0x80)
        bytes--;
    memcpy(grapheme, text, bytes);
    grapheme[bytes] = '\0';
}

/* Downwards, to the last of the rows for labels, which stands on the cells; what is longer is cut, as far
 * as one can see that. */
static void draw_column_label(const struct scene *scene, int column, struct style style,
                              const char *text)
{
    const struct matrix_layout *layout = scene->layout;
    int count = count_graphemes(text), rows = layout->labels, columns;
    bool cut = count > rows && rows > 1;
    int line = count < rows ? rows - count : 0;
    for (size_t bytes; line < rows && (bytes = display_grapheme(text, &columns)) > 0;
         text += bytes) {
        char grapheme[GRAPHEME_BYTES];
        if (columns == 0)
            continue;
        copy_grapheme(grapheme, text, bytes);
        canvas_put(scene->canvas, layout->row - rows + line, column, layout->cell, style,
                   cut && line == rows - 1 ? look_text(scene->look, "⋮", "~") : grapheme);
        line++;
    }
}

static void draw_labels(const struct scene *scene, const struct panel_place *place)
{
    const struct matrix_layout *layout = scene->layout;
    const struct figure_matrix *matrix = picture_matrix_of(scene->picture, place->panel);
    const struct figure_matrix *labelled = picture_matrix_of(scene->picture, place->labels);
    int top = matrix_top(layout, matrix, scene->spot),
        left = matrix_left(place, matrix, scene->spot);
    for (int c = left; matrix->column_labels && c < left + place->cells; c++)
        draw_column_label(scene, place->column + (c - left) * layout->cell + layout->shift,
                          label_style(has_cursors_column(scene, place, c)),
                          matrix->column_labels[c]);
    int end = smaller(top + layout->rows, smaller(matrix->rows, labelled->rows));
    for (int r = top; place->label > 0 && r < end; r++)
        canvas_put(scene->canvas, layout->row + (r - top) * layout->tall + (layout->tall - 1) / 2,
                   place->start, place->label, label_style(has_cursors_row(scene, place, r)),
                   labelled->row_labels[r]);
}

static void draw_cell(const struct scene *scene, int panel, int r, int c, int row, int column)
{
    const struct matrix_layout *layout = scene->layout;
    const struct spot *spot = scene->spot;
    bool chosen = scene->chosen && panel == spot->panel && r == spot->row && c == spot->column;
    for (int i = 0; i < layout->tall; i++)
        look_value(scene->look, scene->canvas, row + i, column, layout->cell,
                   picture_map(scene->picture, panel),
                   picture_position(scene->picture, panel, r, c), chosen);
}

static void draw_cells(const struct scene *scene, const struct panel_place *place)
{
    const struct matrix_layout *layout = scene->layout;
    const struct figure_matrix *matrix = picture_matrix_of(scene->picture, place->panel);
    int top = matrix_top(layout, matrix, scene->spot);
    int left = matrix_left(place, matrix, scene->spot);
    for (int r = top; r < smaller(top + layout->rows, matrix->rows); r++)
        for (int c = left; c < left + place->cells; c++)
            draw_cell(scene, place->panel, r, c, layout->row + (r - top) * layout->tall,
                      place->column + (c - left) * layout->cell);
}

static void draw_mark(const struct scene *scene, bool more, int row, int column, const char *text,
                      const char *ascii)
{
    if (more)
        canvas_put(scene->canvas, row, column, scene->layout->margin, faint,
                   look_text(scene->look, text, ascii));
}

/* Where there is more than is seen. */
static void draw_marks(const struct scene *scene, const struct panel_place *place)
{
    const struct matrix_layout *layout = scene->layout;
    const struct figure_matrix *matrix = picture_matrix_of(scene->picture, place->panel);
    int top = matrix_top(layout, matrix, scene->spot),
        left = matrix_left(place, matrix, scene->spot);
    int before = place->column - layout->margin;
    int after = place->column + place->cells * layout->cell;
    if (layout->labels > 0) {
        draw_mark(scene, left > 0, layout->row - 1, before, "‹", "<");
        draw_mark(scene, left + place->cells < matrix->columns, layout->row - 1, after, "›", ">");
    }
    draw_mark(scene, top > 0, layout->row, before, "▴", "^");
    draw_mark(scene, top + layout->rows < matrix->rows, layout->row + layout->rows - 1, after, "▾",
              "v");
}

static void draw_matrix(const struct picture *picture, const struct look *look,
                        struct canvas *canvas, struct area area, const struct spot *spot,
                        bool chosen)
{
    struct matrix_layout layout = matrix_layout_find(picture, area, spot->panel);
    struct scene scene = {picture, look, canvas, &layout, spot, chosen};
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

/* Finding ---------------------------------------------------------------------------------------- */

static bool find_matrix(const struct picture *picture, struct area area, const struct spot *spot,
                        int row, int column, struct spot *found)
{
    struct matrix_layout layout = matrix_layout_find(picture, area, spot->panel);
    for (int i = 0; i < layout.count; i++) {
        const struct panel_place *place = &layout.places[i];
        const struct figure_matrix *matrix = picture_matrix_of(picture, place->panel);
        if (column < place->column || column >= place->column + place->cells * layout.cell)
            continue;
        int r = (row - layout.row) / layout.tall + matrix_top(&layout, matrix, spot);
        if (row < layout.row || row >= layout.row + layout.rows || r >= matrix->rows)
            return false;
        found->panel = place->panel;
        found->row = r;
        found->column = (column - place->column) / layout.cell + matrix_left(place, matrix, spot);
        return true;
    }
    return false;
}

const struct picture_parts picture_matrix = {settle_matrix, draw_matrix, find_matrix};
