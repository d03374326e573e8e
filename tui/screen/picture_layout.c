#include "tui/screen/picture_layout.h"

enum {
    CELL = 2,        // columns of a cell
    MARGIN = 1,      // columns before and after the cells, for marks that there is more
    FEW = 8,         // cells of a panel beside another, at least
    TITLE_LEAST = 5, // rows of the area that leave room for titles of panels,
    AXES_LEAST = 12, // and for what rows and columns are
    /* The area in which cells of few rows and columns grow, to how many times their size. */
    GROW_ROWS = 24,
    GROW_COLUMNS = 60,
    GROW_MOST = 4
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
int matrix_labels(const struct picture *picture, int panel)
{
    for (int i = panel; i >= 0; i--)
        if (picture_matrix_of(picture, i)->row_labels)
            return i;
    return panel;
}

/* Labels of all panels together take a third of the width at most. */
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
    for (int i = 0; i < layout->count; i++)
        layout->places[i].label =
            smaller(layout->places[i].label, columns / 3 / (labelled + !labelled));
}

/* As many to each as fit: what small panels do not need is for the others. Panels with as many columns see
 * as many, or they could not scroll in step. */
static void divide_cells(const struct picture *picture, struct matrix_layout *layout, int room)
{
    int total = room + 1;
    for (int most = room; total > room && most >= 0; most--) {
        total = 0;
        for (int i = 0; i < layout->count; i++) {
            struct panel_place *place = &layout->places[i];
            place->cells = smaller(picture_matrix_of(picture, place->panel)->columns, most);
            total += place->cells;
        }
    }
}

/* Whether there are enough cells of each panel. */
static bool try_panels(const struct picture *picture, struct area area, int first, int count,
                       struct matrix_layout *layout)
{
    *layout = (struct matrix_layout){.count = count, .cell = CELL, .margin = MARGIN};
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
static void drop_margins(const struct picture *picture, struct area area,
                         struct matrix_layout *layout)
{
    struct panel_place *place = &layout->places[0];
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
                           struct matrix_layout *layout)
{
    int panels = picture->figure->columns;
    int count = smaller(panels, MATRIX_PLACES_MOST);
    while (!try_panels(picture, area, picture_clamp(panel - count + 1, 0, panels - count), count,
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
    // What is left over is for the last one's titles.
    layout->places[layout->count - 1].end = area.column + area.columns - layout->margin;
}

/* Down ------------------------------------------------------------------------------------------- */

static bool goes_on(const struct picture *picture, const struct panel_place *place)
{
    return place->cells < picture_matrix_of(picture, place->panel)->columns;
}

/* Whether all is seen with cells so many times as large. */
static bool fits_grown(const struct picture *picture, struct area area,
                       const struct matrix_layout *layout, int times)
{
    int columns = 0;
    for (int i = 0; i < layout->count; i++) {
        const struct panel_place *place = &layout->places[i];
        columns += place->label + 2 * layout->margin + place->cells * CELL * times;
        if (goes_on(picture, place) ||
            picture_matrix_of(picture, place->panel)->rows * times > layout->rows)
            return false;
    }
    return layout->count == picture->figure->columns && columns <= area.columns;
}

/* Small heatmaps in large windows: as wide as tall, as far as rows and columns are alike. */
static void grow_cells(const struct picture *picture, struct area area,
                       struct matrix_layout *layout)
{
    int times = area.rows >= GROW_ROWS && area.columns >= GROW_COLUMNS ? GROW_MOST : 1;
    while (times > 1 && !fits_grown(picture, area, layout, times))
        times--;
    layout->tall = times;
    layout->cell *= times;
}

static void divide_rows(const struct picture *picture, struct area area,
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

struct matrix_layout matrix_layout_find(const struct picture *picture, struct area area, int panel)
{
    struct matrix_layout layout;
    divide_columns(picture, area, panel, &layout);
    divide_rows(picture, area, &layout);
    grow_cells(picture, area, &layout);
    place_columns(area, &layout);
    layout.shift = (layout.cell - CELL) / 2;
    return layout;
}

/* Scrolling -------------------------------------------------------------------------------------- */

int matrix_top(const struct matrix_layout *layout, const struct figure_matrix *matrix,
               const struct spot *spot)
{
    return picture_clamp(spot->top, 0, matrix->rows - layout->rows);
}

int matrix_left(const struct panel_place *place, const struct figure_matrix *matrix,
                const struct spot *spot)
{
    return picture_clamp(spot->left, 0, matrix->columns - place->cells);
}
