/* Heatmaps with labels, one or several beside each other. */
#include <string.h>

#include "tui/display.h"
#include "tui/screen/picture_parts.h"

enum {
    CELL = 2,         // columns of a cell
    MARGIN = 1,       // columns before and after the cells, for marks that there is more
    FEW = 8,          // cells of a panel beside another, at least
    PLACES_MOST = 16, // panels seen at once
    TITLE_LEAST = 5,  // rows of the area that leave room for titles of panels,
    AXES_LEAST = 12,  // and for what rows and columns are
    GRAPHEME_BYTES = 64
};

/* Where a panel is drawn. */
struct place {
    int panel;
    int labels; // panel whose row labels it has
    int label;  // columns of them; 0: they are not drawn
    int start;  // first column of the canvas,
    int column; // and of the cells
    int cells;  // seen across
    int end;    // column after all that is its
};

struct layout {
    struct place places[PLACES_MOST];
    int count;
    int cell, margin;        // columns
    int title, axes, labels; // rows: 0 or 1, 0 or 1, and of the column labels
    int row, rows;           // of the cells
};

static bool has_text(const char *text)
{
    return text && *text;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* Across ----------------------------------------------------------------------------------------- */

/* Row labels hold for the panels right of them too. */
static int labels_of(const struct picture *picture, int panel)
{
    for (int i = panel; i >= 0; i--)
        if (picture_matrix_of(picture, i)->row_labels)
            return i;
    return panel;
}

/* Labels of all panels together take a third of the width at most. */
static void divide_labels(const struct picture *picture, struct layout *layout, int columns)
{
    int labelled = 0;
    for (int i = 0; i < layout->count; i++) {
        struct place *place = &layout->places[i];
        place->labels = labels_of(picture, place->panel);
        bool drawn = i == 0 || place->labels == place->panel;
        place->label = drawn ? picture->panels[place->labels].label_width : 0;
        labelled += place->label > 0;
    }
    for (int i = 0; i < layout->count; i++)
        layout->places[i].label =
            smaller(layout->places[i].label, columns / 3 / (labelled + !labelled));
}

/* As many to each as fit: what small panels do not need is for the others. Panels with as many columns see
 * as many, or they could not scroll in step. */
static void divide_cells(const struct picture *picture, struct layout *layout, int room)
{
    int total = room + 1;
    for (int most = room; total > room && most >= 0; most--) {
        total = 0;
        for (int i = 0; i < layout->count; i++) {
            struct place *place = &layout->places[i];
            place->cells = smaller(picture_matrix_of(picture, place->panel)->columns, most);
            total += place->cells;
        }
    }
}

/* Whether there are enough cells of each panel. */
static bool try_panels(const struct picture *picture, struct area area, int first, int count,
                       struct layout *layout)
{
    *layout = (struct layout){.count = count, .cell = CELL, .margin = MARGIN};
    for (int i = 0; i < count; i++)
        layout->places[i].panel = first + i;
    divide_labels(picture, layout, area.columns);
    int taken = 0;
    for (int i = 0; i < count; i++)
        taken += layout->places[i].label + 2 * MARGIN;
    divide_cells(picture, layout, picture_clamp((area.columns - taken) / CELL, 0, area.columns));
    for (int i = 0; i < count; i++)
        if (layout->places[i].cells <
            smaller(picture_matrix_of(picture, layout->places[i].panel)->columns, FEW))
            return false;
    return true;
}

/* Cells come first where there is hardly any room. */
static void drop_margins(const struct picture *picture, struct area area, struct layout *layout)
{
    struct place *place = &layout->places[0];
    if (place->cells > 0)
        return;
    layout->margin = 0;
    layout->cell = smaller(CELL, area.columns);
    place->label = 0;
    place->cells = smaller(picture_matrix_of(picture, place->panel)->columns,
                           area.columns / picture_clamp(layout->cell, 1, CELL));
}

/* The cursor's panel and as many others as there is room for, rather those left of it. */
static void divide_columns(const struct picture *picture, struct area area, int panel,
                           struct layout *layout)
{
    int panels = picture->figure->columns;
    int count = smaller(panels, PLACES_MOST);
    while (!try_panels(picture, area, picture_clamp(panel - count + 1, 0, panels - count), count,
                       layout) &&
           count > 1)
        count--;
    drop_margins(picture, area, layout);
    int column = area.column;
    for (int i = 0; i < layout->count; i++) {
        struct place *place = &layout->places[i];
        place->start = column;
        place->column = column + place->label + layout->margin;
        place->end = place->column + place->cells * layout->cell;
        column = place->end + layout->margin;
    }
    // What is left over is for the last one's titles.
    layout->places[layout->count - 1].end = area.column + area.columns - layout->margin;
}

/* Down ------------------------------------------------------------------------------------------- */

static bool goes_on(const struct picture *picture, const struct place *place)
{
    return place->cells < picture_matrix_of(picture, place->panel)->columns;
}

static void divide_rows(const struct picture *picture, struct area area, struct layout *layout)
{
    bool titled = layout->count < picture->figure->columns, named = false, scrolled = false;
    int height = 0;
    for (int i = 0; i < layout->count; i++) {
        const struct place *place = &layout->places[i];
        const struct figure_panel *panel = &picture->figure->panels[place->panel];
        const struct picture_panel *made = &picture->panels[place->panel];
        titled = titled || has_text(panel->title);
        named = named || has_text(panel->matrix.row_title) || has_text(panel->matrix.column_title);
        scrolled = scrolled || goes_on(picture, place);
        height = made->label_height > height ? made->label_height : height;
    }
    layout->title = titled && area.rows >= TITLE_LEAST;
    layout->axes = named && area.rows >= AXES_LEAST;
    layout->labels = smaller(scrolled && height == 0 ? 1 : height, area.rows / 3);
    int taken = layout->title + layout->axes + layout->labels;
    layout->row = area.row + taken;
    layout->rows = area.rows - taken;
}

static struct layout find_layout(const struct picture *picture, struct area area, int panel)
{
    struct layout layout;
    divide_columns(picture, area, panel, &layout);
    divide_rows(picture, area, &layout);
    return layout;
}

/* Scrolling -------------------------------------------------------------------------------------- */

/* In step, but none beyond its end. */
static int top_of(const struct layout *layout, const struct figure_matrix *matrix,
                  const struct spot *spot)
{
    return picture_clamp(spot->top, 0, matrix->rows - layout->rows);
}

static int left_of(const struct place *place, const struct figure_matrix *matrix,
                   const struct spot *spot)
{
    return picture_clamp(spot->left, 0, matrix->columns - place->cells);
}

/* Panels may differ in size: the largest says how far all can scroll, the cursor's where it is seen. */
static void settle_matrix(const struct picture *picture, struct area area, struct spot *spot)
{
    struct layout layout = find_layout(picture, area, spot->panel);
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
        const struct place *place = &layout.places[i];
        const struct figure_matrix *matrix = picture_matrix_of(picture, place->panel);
        if (place->panel != spot->panel)
            continue;
        int top = top_of(&layout, matrix, spot), left = left_of(place, matrix, spot);
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
    const struct layout *layout;
    const struct spot *spot;
    bool chosen;
};

static const struct style faint = {.ink = INK_FAINT};

/* Panels that are not seen are told by marks at the outer titles. */
static void draw_title(const struct scene *scene, int index)
{
    const struct layout *layout = scene->layout;
    const struct place *place = &layout->places[index];
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
static void draw_axes(const struct scene *scene, const struct place *place)
{
    const struct layout *layout = scene->layout;
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

static bool has_cursors_row(const struct scene *scene, const struct place *place, int row)
{
    return scene->chosen && row == scene->spot->row &&
           place->labels == labels_of(scene->picture, scene->spot->panel);
}

/* Panels with as many columns have the same ones. */
static bool has_cursors_column(const struct scene *scene, const struct place *place, int column)
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
    const struct layout *layout = scene->layout;
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

static void draw_labels(const struct scene *scene, const struct place *place)
{
    const struct layout *layout = scene->layout;
    const struct figure_matrix *matrix = picture_matrix_of(scene->picture, place->panel);
    const struct figure_matrix *labelled = picture_matrix_of(scene->picture, place->labels);
    int top = top_of(layout, matrix, scene->spot), left = left_of(place, matrix, scene->spot);
    for (int c = left; matrix->column_labels && c < left + place->cells; c++)
        draw_column_label(scene, place->column + (c - left) * layout->cell,
                          label_style(has_cursors_column(scene, place, c)),
                          matrix->column_labels[c]);
    int end = smaller(top + layout->rows, smaller(matrix->rows, labelled->rows));
    for (int r = top; place->label > 0 && r < end; r++)
        canvas_put(scene->canvas, layout->row + r - top, place->start, place->label,
                   label_style(has_cursors_row(scene, place, r)), labelled->row_labels[r]);
}

static void draw_cells(const struct scene *scene, const struct place *place)
{
    const struct layout *layout = scene->layout;
    const struct picture *picture = scene->picture;
    const struct figure_matrix *matrix = picture_matrix_of(picture, place->panel);
    const struct spot *spot = scene->spot;
    int top = top_of(layout, matrix, spot), left = left_of(place, matrix, spot);
    for (int r = top; r < smaller(top + layout->rows, matrix->rows); r++)
        for (int c = left; c < left + place->cells; c++)
            look_value(scene->look, scene->canvas, layout->row + r - top,
                       place->column + (c - left) * layout->cell, layout->cell,
                       picture_map(picture, place->panel),
                       picture_position(picture, place->panel, r, c),
                       scene->chosen && place->panel == spot->panel && r == spot->row &&
                           c == spot->column);
}

static void draw_mark(const struct scene *scene, bool more, int row, int column, const char *text,
                      const char *ascii)
{
    if (more)
        canvas_put(scene->canvas, row, column, scene->layout->margin, faint,
                   look_text(scene->look, text, ascii));
}

/* Where there is more than is seen. */
static void draw_marks(const struct scene *scene, const struct place *place)
{
    const struct layout *layout = scene->layout;
    const struct figure_matrix *matrix = picture_matrix_of(scene->picture, place->panel);
    int top = top_of(layout, matrix, scene->spot), left = left_of(place, matrix, scene->spot);
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
    struct layout layout = find_layout(picture, area, spot->panel);
    struct scene scene = {picture, look, canvas, &layout, spot, chosen};
    for (int i = 0; i < layout.count; i++) {
        const struct place *place = &layout.places[i];
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
    struct layout layout = find_layout(picture, area, spot->panel);
    for (int i = 0; i < layout.count; i++) {
        const struct place *place = &layout.places[i];
        const struct figure_matrix *matrix = picture_matrix_of(picture, place->panel);
        if (column < place->column || column >= place->column + place->cells * layout.cell)
            continue;
        int r = row - layout.row + top_of(&layout, matrix, spot);
        if (row < layout.row || row >= layout.row + layout.rows || r >= matrix->rows)
            return false;
        found->panel = place->panel;
        found->row = r;
        found->column = (column - place->column) / layout.cell + left_of(place, matrix, spot);
        return true;
    }
    return false;
}

const struct picture_parts picture_matrix = {settle_matrix, draw_matrix, find_matrix};
