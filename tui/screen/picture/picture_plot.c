/* Lines and bars over points, with axes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "terminal/text/display.h"
#include "tui/screen/picture/picture_parts.h"

enum {
    AXIS = 1,         // columns of the line left of the values,
    MARGIN = 1,       // and right of them, for scroll marks
    LABELS_LEAST = 3, // rows of an area that has room for labels,
    TITLES_LEAST = 7, // and for titles
    SLOT_LEAST = 3,   // columns of a point, if there is room
    EIGHTHS = 8       // a character can show so many parts of its height
};

struct layout {
    struct scale_range range;
    struct tick ticks[TICKS_MOST];
    int tick_count;
    int numbers;           // columns of the ticks' numbers
    int row, rows;         // of the values
    int column;            // of the first point
    int slot, seen, first; // columns of a point; points visible; the first of them
    int widest;            // columns of the widest label
    bool labels, titles;
};

static const struct style faint = {.ink = INK_FAINT};

static const struct figure_plot *plot_of(const struct picture *picture)
{
    return &picture->figure->panels[0].plot;
}

static bool is_bars(const struct picture *picture)
{
    return picture->figure->panels[0].kind == PANEL_BARS;
}

/* Layout --------------------------------------------------------------------------------------- */

static int widest_label(const struct figure_plot *plot)
{
    int widest = 0;
    for (int i = 0; plot->labels && i < plot->points; i++) {
        int width = plot->labels[i] ? display_width(plot->labels[i]) : 0;
        widest = width > widest ? width : widest;
    }
    return widest;
}

/* The axis has no numbers if they would take more than a quarter of the width. */
static void find_ticks(struct layout *layout, int columns)
{
    layout->tick_count =
        scale_ticks(layout->range, int_clamp(layout->rows / 2, 2, 7), layout->ticks);
    for (int i = 0; i < layout->tick_count; i++) {
        int width = display_width(layout->ticks[i].text);
        layout->numbers = width > layout->numbers ? width : layout->numbers;
    }
    if (layout->numbers > columns / 4)
        layout->numbers = layout->tick_count = 0;
}

static struct layout find_layout(const struct picture *picture, struct area area, int first)
{
    const struct figure_plot *plot = plot_of(picture);
    struct layout layout = {.range = scale_plot_range(plot), .widest = widest_label(plot)};
    layout.labels = area.rows >= LABELS_LEAST;
    layout.titles = area.rows >= TITLES_LEAST;
    layout.row = area.row + layout.titles;
    layout.rows = area.rows - layout.labels - 2 * layout.titles;
    find_ticks(&layout, area.columns);
    int before = layout.numbers ? layout.numbers + AXIS : 0;
    int room = area.columns - before - (layout.numbers ? MARGIN : 0);
    int least = is_bars(picture) ? plot->series_count : 1;
    int most = layout.widest + 1 > SLOT_LEAST ? layout.widest + 1 : SLOT_LEAST;
    layout.column = area.column + before;
    layout.slot = int_clamp(room / plot->points, least, most > least ? most : least);
    layout.seen = int_clamp(room / layout.slot, 1, plot->points);
    layout.first = int_clamp(first, 0, plot->points - layout.seen);
    return layout;
}

static void settle_plot(const struct picture *picture, struct area area,
                        struct picture_cursor *cursor)
{
    struct layout layout = find_layout(picture, area, 0);
    cursor->top = 0;
    cursor->left =
        picture_scroll(cursor->left, cursor->column, layout.seen, plot_of(picture)->points);
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
    int end; // the column after the area
};

/* Returns rows from the bottom, with a fraction. */
static double height_of(const struct layout *layout, double value)
{
    double share = scale_position(layout->range, value);
    return fmin(fmax(share, 0), 1) * layout->rows;
}

/* Returns the canvas row that a height lies in. */
static int row_of(const struct layout *layout, double height)
{
    int up = int_clamp((int)floor(height), 0, layout->rows - 1);
    return layout->row + layout->rows - 1 - up;
}

static int column_of(const struct layout *layout, int point)
{
    return layout->column + (point - layout->first) * layout->slot;
}

static bool is_cursor(const struct scene *scene, int series, int point)
{
    return scene->chosen && series == scene->cursor->row && point == scene->cursor->column;
}

/* Nothing is drawn outside the area, however narrow it is. */
static void put(const struct scene *scene, int row, int column, struct style style,
                const char *text)
{
    canvas_put(scene->canvas, row, column, scene->end - column, style, text);
}

static void draw_axis(const struct scene *scene)
{
    const struct layout *layout = scene->layout;
    int axis = layout->column - AXIS;
    if (layout->numbers == 0)
        return;
    for (int r = 0; r < layout->rows; r++)
        put(scene, layout->row + r, axis, faint, style_text(scene->screen_style, "│", "|"));
    for (int i = layout->tick_count - 1; i >= 0; i--) {
        char text[sizeof layout->ticks[i].text];
        int row = row_of(layout, height_of(layout, layout->ticks[i].value));
        snprintf(text, sizeof text, "%s", layout->ticks[i].text);
        picture_plain(scene->screen_style, text);
        put(scene, row, axis - display_width(text), faint, text);
        put(scene, row, axis, faint, style_text(scene->screen_style, "┤", "+"));
    }
}

static void draw_mean(const struct scene *scene)
{
    const struct layout *layout = scene->layout;
    const struct figure_plot *plot = plot_of(scene->picture);
    int columns = layout->seen * layout->slot, room = scene->end - layout->column;
    if (plot->has_mean && isfinite(plot->mean))
        canvas_repeat(scene->canvas, row_of(layout, height_of(layout, plot->mean)), layout->column,
                      columns < room ? columns : room, faint,
                      style_text(scene->screen_style, "─", "-"));
}

/* Draws a character that is filled from `low` to `high`, in eighths of its height: from its lower
 * edge upwards, or from its upper edge downwards. */
static void draw_block(const struct scene *scene, int row, int column, int width,
                       struct style style, int low, int high)
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const letters[] = {" ", ".", ".", ":", ":", ":", "#", "#", "#"};
    int part = low > 0 ? low : high;
    if (scene->screen_style->ascii) {
        part = high - low;
    } else if (low > 0) {
        style.reverse = true;
    }
    if (high > low)
        canvas_repeat(scene->canvas, row, column, width, style,
                      scene->screen_style->ascii ? letters[part] : blocks[part]);
}

/* Bars begin at 0, or at the end of the axis nearest to 0. */
static void draw_bar(const struct scene *scene, int column, int width, struct style style,
                     double value)
{
    const struct layout *layout = scene->layout;
    double zero = height_of(layout, 0), height = height_of(layout, value);
    int low = (int)lround(EIGHTHS * fmin(zero, height));
    int high = (int)lround(EIGHTHS * fmax(zero, height));
    for (int r = low / EIGHTHS; r < layout->rows && r * EIGHTHS < high; r++)
        draw_block(scene, layout->row + layout->rows - 1 - r, column, width, style,
                   int_clamp(low - r * EIGHTHS, 0, EIGHTHS),
                   int_clamp(high - r * EIGHTHS, 0, EIGHTHS));
}

static const enum ink series_inks[FIGURE_COLOURS] = {INK_NORMAL, INK_RISE, INK_FALL,
                                                     INK_MARK,   INK_WARN, INK_FAINT};

static struct style series_style(const struct scene *scene, int series, int point)
{
    enum ink ink = series_inks[series % FIGURE_COLOURS];
    return (struct style){.ink = is_cursor(scene, series, point) ? INK_ACCENT : ink};
}

static void draw_bars(const struct scene *scene)
{
    const struct layout *layout = scene->layout;
    const struct figure_plot *plot = plot_of(scene->picture);
    int width = int_clamp((layout->slot - 1) / plot->series_count, 1, layout->slot);
    for (int i = layout->first; i < layout->first + layout->seen; i++)
        for (int s = 0; s < plot->series_count; s++) {
            int column = column_of(layout, i) + s * width;
            int room = scene->end - column < width ? scene->end - column : width;
            if (isfinite(plot->series[s].values[i]))
                draw_bar(scene, column, room, series_style(scene, s, i), plot->series[s].values[i]);
        }
}

static const char *marker(const struct screen_style *screen_style, int series)
{
    static const char *const markers[] = {"●", "○", "■", "□", "▲", "△"};
    static const char *const letters[] = {"*", "o", "#", "=", "+", "x"};
    return style_text(screen_style, markers[series % FIGURE_COLOURS],
                      letters[series % FIGURE_COLOURS]);
}

/* Draws a marker at each point, and dots on the way to the next one. */
static void draw_line(const struct scene *scene, int series)
{
    const struct layout *layout = scene->layout;
    const float *values = plot_of(scene->picture)->series[series].values;
    int last = layout->first + layout->seen - 1;
    for (int i = layout->first; i <= last; i++) {
        if (!isfinite(values[i]))
            continue;
        double height = height_of(layout, values[i]);
        struct style style = series_style(scene, series, i);
        style.reverse = is_cursor(scene, series, i);
        put(scene, row_of(layout, height), column_of(layout, i), style,
            marker(scene->screen_style, series));
        if (i == last || !isfinite(values[i + 1]))
            continue;
        double rise = height_of(layout, values[i + 1]) - height;
        for (int x = 1; x < layout->slot; x++)
            put(scene, row_of(layout, height + rise * x / layout->slot), column_of(layout, i) + x,
                faint, style_text(scene->screen_style, "·", "."));
    }
}

/* Draws as many labels as fit, including the cursor's; without labels, a mark below the cursor. */
static void draw_labels(const struct scene *scene)
{
    const struct layout *layout = scene->layout;
    const struct figure_plot *plot = plot_of(scene->picture);
    int row = layout->row + layout->rows, chosen_point = scene->cursor->column;
    int step = layout->widest / layout->slot + 1;
    for (int i = layout->first; plot->labels && i < layout->first + layout->seen; i++) {
        bool chosen = scene->chosen && i == chosen_point;
        bool covered = scene->chosen && abs(i - chosen_point) < step;
        bool whole = column_of(layout, i) + layout->widest <= scene->end - MARGIN;
        if (plot->labels[i] && (chosen || (i % step == 0 && !covered && whole)))
            put(scene, row, column_of(layout, i),
                (struct style){.ink = chosen ? INK_ACCENT : INK_NORMAL}, plot->labels[i]);
    }
    if (scene->chosen && !plot->labels)
        put(scene, row, column_of(layout, chosen_point), (struct style){.ink = INK_ACCENT},
            style_text(scene->screen_style, "▴", "^"));
}

static void draw_marks(const struct scene *scene)
{
    const struct layout *layout = scene->layout;
    int row = layout->row + layout->rows;
    if (layout->numbers == 0)
        return;
    if (layout->first > 0)
        put(scene, row, layout->column - AXIS, faint, style_text(scene->screen_style, "‹", "<"));
    if (layout->first + layout->seen < plot_of(scene->picture)->points)
        put(scene, row, scene->end - MARGIN, faint, style_text(scene->screen_style, "›", ">"));
}

/* Draws the measure, the mean and the names of the series above the plot, and what the points are
 * below it. */
static void draw_titles(const struct scene *scene, int column)
{
    const struct layout *layout = scene->layout;
    const struct figure_plot *plot = plot_of(scene->picture);
    int row = layout->row - 1;
    char mean[64], number[32];
    if (plot->y_title)
        column +=
            2 + canvas_put(scene->canvas, row, column, scene->end - column, faint, plot->y_title);
    for (int s = 0; s < plot->series_count && plot->series_count + plot->has_mean > 1; s++) {
        struct style style = {.ink = series_inks[s % FIGURE_COLOURS]};
        const char *sign = is_bars(scene->picture) ? style_text(scene->screen_style, "█", "#")
                                                   : marker(scene->screen_style, s);
        column += 1 + canvas_put(scene->canvas, row, column, scene->end - column, style, sign);
        if (plot->series[s].name)
            column += 2 + canvas_put(scene->canvas, row, column, scene->end - column, style,
                                     plot->series[s].name);
    }
    if (plot->has_mean && isfinite(plot->mean)) {
        picture_number(scene->screen_style, layout->range, plot->mean, number, sizeof number);
        snprintf(mean, sizeof mean, "%s %s %s", style_text(scene->screen_style, "─", "-"),
                 plot->mean_name ? plot->mean_name : "mean", number);
        put(scene, row, column, faint, mean);
    }
    if (plot->x_title)
        put(scene, layout->row + layout->rows + layout->labels, layout->column, faint,
            plot->x_title);
}

static void draw_plot(const struct picture *picture, const struct screen_style *screen_style,
                      struct canvas *canvas, struct area area, const struct picture_cursor *cursor,
                      bool chosen)
{
    struct layout layout = find_layout(picture, area, cursor->left);
    struct scene scene = {
        picture, screen_style, canvas, &layout, cursor, chosen, area.column + area.columns};
    draw_axis(&scene);
    draw_mean(&scene);
    if (is_bars(picture))
        draw_bars(&scene);
    for (int s = 0; !is_bars(picture) && s < plot_of(picture)->series_count; s++)
        draw_line(&scene, s);
    if (layout.labels) {
        draw_labels(&scene);
        draw_marks(&scene);
    }
    if (layout.titles)
        draw_titles(&scene, area.column);
}

/* Finding -------------------------------------------------------------------------------------- */

/* Any row of a point selects that point; the series stays. */
static bool find_plot(const struct picture *picture, struct area area,
                      const struct picture_cursor *cursor, int row, int column,
                      struct picture_cursor *found)
{
    struct layout layout = find_layout(picture, area, cursor->left);
    int point = (column - layout.column) / layout.slot;
    if (column < layout.column || point >= layout.seen || row < layout.row ||
        row >= layout.row + layout.rows)
        return false;
    found->panel = 0;
    found->row = cursor->row;
    found->column = layout.first + point;
    return true;
}

const struct picture_functions picture_plot = {settle_plot, draw_plot, find_plot};
