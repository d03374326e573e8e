#include "tui/screen/picture/picture_parts.h"

#include "base/minmax.h"

enum {
    MARGIN = 1,       // columns before and after the cells, for scroll marks
    FEW = 8,          // least cells of a panel beside another
    TITLE_LEAST = 5,  // rows of an area that has room for titles of panels,
    AXES_LEAST = 12,  // and for titles of rows and columns
    LABELS_LEAST = 3, // rows that column labels keep when cut so that all cells are visible
    LABEL_SHORT = 10, // columns of row labels when the whole is shown
    /* The columns of an area in which few cells grow; the most rows of such a cell; and how many
     * times as wide as high they may be, where 2 is a square. */
    GROW_COLUMNS = 40,
    GROW_MOST = 8,
    WIDE = 4
};

static bool has_text(const char *text)
{
    return text && *text;
}

static int blocks(int cells, int of)
{
    return (cells + of - 1) / of;
}

int matrix_rows(const struct matrix_layout *layout, const struct figure_matrix *matrix)
{
    return blocks(matrix->rows, layout->block_rows);
}

int matrix_columns(const struct matrix_layout *layout, const struct figure_matrix *matrix)
{
    return blocks(matrix->columns, layout->block_columns);
}

/* Across --------------------------------------------------------------------------------------- */

/* Panels without row labels share those of the panel to their left. */
int matrix_labels(const struct picture *picture, int panel)
{
    for (int i = panel; i >= 0; i--)
        if (picture_matrix_of(picture, i)->row_labels)
            return i;
    return panel;
}

/* The labels of all panels together take at most a third of the width. */
static void divide_labels(const struct picture *picture, struct matrix_layout *layout, int columns)
{
    int labelled = 0;
    for (int i = 0; i < layout->count; i++) {
        struct panel_place *place = &layout->places[i];
        place->labels = matrix_labels(picture, place->panel);
        bool drawn = i == 0 || place->labels == place->panel;
        place->label = drawn ? picture->panels[place->labels].label_width : 0;
        labelled += place->label > 0;
    }
    int most = columns / 3 / (labelled + !labelled);
    if (layout->cell < PICTURE_CELL)
        most = int_min(most, LABEL_SHORT);
    for (int i = 0; i < layout->count; i++)
        layout->places[i].label = int_min(layout->places[i].label, most);
}

/* Gives every panel as many cells as fit; what small panels do not need goes to the others. Panels
 * with the same number of columns show the same number, so that they can scroll together. */
static void divide_cells(const struct picture *picture, struct matrix_layout *layout, int room)
{
    int total = room + 1;
    for (int most = room; total > room && most >= 0; most--) {
        total = 0;
        for (int i = 0; i < layout->count; i++) {
            struct panel_place *place = &layout->places[i];
            place->cells =
                int_min(matrix_columns(layout, picture_matrix_of(picture, place->panel)), most);
            total += place->cells;
        }
    }
}

/* Lays out `count` panels from `first` on, with the cells of `layout`. Returns false if one of them
 * would show too few. */
static bool try_panels(const struct picture *picture, struct area area, int first, int count,
                       struct matrix_layout *layout)
{
    *layout = (struct matrix_layout){.count = count,
                                     .cell = layout->cell,
                                     .block_rows = 1,
                                     .block_columns = layout->block_columns,
                                     .margin = MARGIN};
    for (int i = 0; i < count; i++)
        layout->places[i].panel = first + i;
    divide_labels(picture, layout, area.columns);
    int taken = 0;
    for (int i = 0; i < count; i++)
        taken += layout->places[i].label + 2 * MARGIN;
    divide_cells(picture, layout,
                 int_clamp((area.columns - taken) / layout->cell, 0, area.columns));
    for (int i = 0; i < count; i++)
        if (layout->places[i].cells <
            int_min(picture_matrix_of(picture, layout->places[i].panel)->columns, FEW))
            return false;
    return true;
}

/* If not even one cell fits, cells replace labels and margins. */
static void drop_margins(const struct picture *picture, struct area area,
                         struct matrix_layout *layout)
{
    struct panel_place *place = &layout->places[0];
    if (place->cells > 0)
        return;
    layout->margin = 0;
    layout->cell = int_min(PICTURE_CELL, area.columns);
    place->label = 0;
    place->cells = int_min(picture_matrix_of(picture, place->panel)->columns,
                           area.columns / int_clamp(layout->cell, 1, PICTURE_CELL));
}

static bool goes_on(const struct matrix_layout *layout, const struct picture *picture,
                    const struct panel_place *place)
{
    return place->cells < matrix_columns(layout, picture_matrix_of(picture, place->panel));
}

static bool all_seen(const struct picture *picture, const struct matrix_layout *layout)
{
    for (int i = 0; i < layout->count; i++)
        if (goes_on(layout, picture, &layout->places[i]))
            return false;
    return layout->count == picture->figure->columns;
}

/* Shows all panels with all their columns: cells of one column, each a block of as many cells as
 * necessary. Returns false if even that does not fit. */
static bool divide_whole(const struct picture *picture, struct area area,
                         struct matrix_layout *layout)
{
    enum { BLOCKS_MOST = 4096 };
    int panels = picture->figure->columns;
    if (panels > MATRIX_PLACES_MOST)
        return false;
    *layout = (struct matrix_layout){.cell = PICTURE_CELL, .block_columns = 1};
    for (bool fits = false; layout->block_columns < BLOCKS_MOST;) {
        fits = try_panels(picture, area, 0, panels, layout) || layout->block_columns > 1;
        if (fits && all_seen(picture, layout))
            return true;
        layout->block_columns += layout->cell == 1;
        layout->cell = 1;
    }
    return false;
}

/* Shows the cursor's panel and as many others as fit, preferring those to its left. */
static void divide_columns(const struct picture *picture, struct area area, int panel,
                           struct matrix_layout *layout)
{
    int panels = picture->figure->columns;
    int count = int_min(panels, MATRIX_PLACES_MOST);
    *layout = (struct matrix_layout){.cell = PICTURE_CELL, .block_columns = 1};
    while (!try_panels(picture, area, int_clamp(panel - count + 1, 0, panels - count), count,
                       layout) &&
           count > 1)
        count--;
    drop_margins(picture, area, layout);
}

static void place_columns(struct area area, struct matrix_layout *layout)
{
    int column = area.column;
    for (int i = 0; i < layout->count; i++) {
        struct panel_place *place = &layout->places[i];
        place->start = column;
        place->column = column + place->label + layout->margin;
        place->end = place->column + place->cells * layout->cell;
        column = place->end + layout->margin;
    }
    // The columns left over go to the last one's titles.
    layout->places[layout->count - 1].end = area.column + area.columns - layout->margin;
}

/* Down ----------------------------------------------------------------------------------------- */

static int most_rows(const struct picture *picture, const struct matrix_layout *layout)
{
    int rows = 1;
    for (int i = 0; i < layout->count; i++)
        rows = int_max(rows, picture_matrix_of(picture, layout->places[i].panel)->rows);
    return rows;
}

/* Returns the rows for column labels of `height`: what all rows of cells leave over, or a third if
 * cells have to scroll anyway. */
static int label_rows(struct area area, int height, int room, int cells)
{
    if (cells + int_min(height, LABELS_LEAST) > room)
        return int_min(height, area.rows / 3);
    return int_min(height, room - cells);
}

static void divide_rows(const struct picture *picture, struct area area, bool whole,
                        struct matrix_layout *layout)
{
    bool titled = layout->count < picture->figure->columns, named = false, scrolled = false;
    int height = 0;
    for (int i = 0; i < layout->count; i++) {
        const struct panel_place *place = &layout->places[i];
        const struct figure_panel *panel = &picture->figure->panels[place->panel];
        const struct picture_panel *made = &picture->panels[place->panel];
        titled = titled || has_text(panel->title);
        named = named || has_text(panel->matrix.row_title) || has_text(panel->matrix.column_title);
        scrolled = scrolled || goes_on(layout, picture, place);
        height = made->label_height > height ? made->label_height : height;
    }
    layout->title = titled && area.rows >= TITLE_LEAST;
    layout->axes = named && area.rows >= AXES_LEAST;
    int taken = layout->title + layout->axes;
    if (whole && most_rows(picture, layout) + height > area.rows - taken)
        height = int_min(height, LABELS_LEAST);
    layout->labels = label_rows(area, scrolled && height == 0 ? 1 : height, area.rows - taken,
                                most_rows(picture, layout));
    taken += layout->labels;
    layout->row = area.row + taken;
    layout->rows = area.rows - taken;
    if (whole)
        layout->block_rows = blocks(most_rows(picture, layout), int_max(layout->rows, 1));
}

/* Returns the columns that each cell may have if all share the width. */
static int widest_cell(struct area area, const struct matrix_layout *layout)
{
    int room = area.columns, cells = 0;
    for (int i = 0; i < layout->count; i++) {
        room -= layout->places[i].label + 2 * layout->margin;
        cells += layout->places[i].cells;
    }
    return cells > 0 ? room / cells : 0;
}

/* Returns the columns of a cell with which every column label fits on one row, with a blank after
 * it. */
static int labels_across(const struct picture *picture, const struct matrix_layout *layout)
{
    int columns = 0;
    for (int i = 0; i < layout->count; i++)
        columns = int_max(columns, picture->panels[layout->places[i].panel].label_across);
    return columns + 1;
}

/* Enlarges the cells of heatmaps that are shown completely, as far as the area allows: width and
 * height together, so that no cell is very flat or narrow. Column labels that fit above their cells
 * take one row. */
static void grow_cells(const struct picture *picture, struct area area,
                       struct matrix_layout *layout)
{
    int wide = widest_cell(area, layout), across = labels_across(picture, layout);
    if (area.columns < GROW_COLUMNS || !all_seen(picture, layout) || wide < PICTURE_CELL)
        return;
    layout->across = layout->labels > 1 && wide >= across;
    if (layout->across) {
        layout->row -= layout->labels - 1;
        layout->rows += layout->labels - 1;
        layout->labels = 1;
    }
    int rows = most_rows(picture, layout), tall = layout->rows / rows;
    layout->tall = int_clamp(tall, 1, int_min(GROW_MOST, wide));
    int most = layout->tall * WIDE;
    layout->cell = int_min(wide, layout->across ? int_max(most, across) : most);
}

struct matrix_layout matrix_layout_find(const struct picture *picture, struct area area,
                                        const struct picture_cursor *cursor)
{
    struct matrix_layout layout;
    bool whole = cursor->whole && divide_whole(picture, area, &layout);
    if (!whole)
        divide_columns(picture, area, cursor->panel, &layout);
    divide_rows(picture, area, whole, &layout);
    layout.tall = 1;
    if (layout.cell >= PICTURE_CELL && layout.block_rows == 1)
        grow_cells(picture, area, &layout);
    place_columns(area, &layout);
    layout.shift = (layout.cell - PICTURE_CELL) / 2;
    return layout;
}

bool matrix_layout_whole(const struct picture *picture, struct area area)
{
    struct matrix_layout layout;
    divide_columns(picture, area, 0, &layout);
    return all_seen(picture, &layout);
}

/* Scrolling ------------------------------------------------------------------------------------ */

int matrix_top(const struct matrix_layout *layout, const struct figure_matrix *matrix,
               const struct picture_cursor *cursor)
{
    return int_clamp(cursor->top, 0, int_max(matrix_rows(layout, matrix) - layout->rows, 0));
}

int matrix_left(const struct matrix_layout *layout, const struct panel_place *place,
                const struct figure_matrix *matrix, const struct picture_cursor *cursor)
{
    return int_clamp(cursor->left, 0, int_max(matrix_columns(layout, matrix) - place->cells, 0));
}
