/* Lines and bars over points, with axes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/display.h"
#include "tui/screen/picture_parts.h"

enum {
    AXIS = 1,         // columns of the line left of the values,
    MARGIN = 1,       // and right of them, for the mark that there is more
    LABELS_LEAST = 3, // rows of the area that leave room for labels,
    TITLES_LEAST = 7, // and for titles
    SLOT_LEAST = 3,   // columns of a point, where there is room
    EIGHTHS = 8       // that a character can show of its height
};

struct layout {
    struct scale_range range;
    struct tick ticks[TICKS_MOST];
    int tick_count;
    int numbers;           // columns of the ticks' numbers
    int row, rows;         // of the values
    int column;            // of the first point
    int slot, seen, first; // columns of a point, points seen, the first of them
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

/* Layout ----------------------------------------------------------------------------------------- */

static int widest_label(const struct figure_plot *plot)
{
    int widest = 0;
    for (int i = 0; plot->labels && i < plot->points; i++) {
        int width = plot->labels[i] ? display_width(plot->labels[i]) : 0;
        widest = width > widest ? width : widest;
    }
    return widest;
}

/* Numbers take a quarter of the width at most: else there are none. */
static void find_ticks(struct layout *layout, int columns)
{
    layout->tick_count =
        scale_ticks(layout->range, picture_clamp(layout->rows / 2, 2, 7), layout->ticks);
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
    layout.slot = picture_clamp(room / plot->points, least, most > least ? most : least);
    layout.seen = picture_clamp(room / layout.slot, 1, plot->points);
    layout.first = picture_clamp(first, 0, plot->points - layout.seen);
    return layout;
}

static void settle_plot(const struct picture *picture, struct area area, struct spot *spot)
{
    struct layout layout = find_layout(picture, area, 0);
    spot->top = 0;
    spot->left = picture_scroll(spot->left, spot->column, layout.seen, plot_of(picture)->points);
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
    int end; // column after the area
};

/* Rows from the bottom, as a number with a fraction. */
static double height_of(const struct layout *layout, double value)
{
    double share = scale_position(layout->range, value);
    return fmin(fmax(share, 0), 1) * layout->rows;
}

/* Row of the canvas that a height lies in. */
static int row_of(const struct layout *layout, double height)
{
    int up = picture_clamp((int)floor(height), 0, layout->rows - 1);
    return layout->row + layout->rows - 1 - up;
}

static int column_of(const struct layout *layout, int point)
{
    return layout->column + (point - layout->first) * layout->slot;
}

static bool is_cursor(const struct scene *scene, int series, int point)
{
    return scene->chosen && series == scene->spot->row && point == scene->spot->column;
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
        put(scene, layout->row + r, axis, faint, look_text(scene->look, "│", "|"));
    for (int i = layout->tick_count - 1; i >= 0; i--) {
        char text[sizeof layout->ticks[i].text];
        int row = row_of(layout, height_of(layout, layout->ticks[i].value));
        snprintf(text, sizeof text, "%s", layout->ticks[i].text);
        picture_plain(scene->look, text);
        put(scene, row, axis - display_width(text), faint, text);
        put(scene, row, axis, faint, look_text(scene->look, "┤", "+"));
    }
}

static void draw_mean(const struct scene *scene)
{
    const struct layout *layout = scene->layout;
    const struct figure_plot *plot = plot_of(scene->picture);
    int columns = layout->seen * layout->slot, room = scene->end - layout->column;
    if (plot->has_mean && isfinite(plot->mean))
        canvas_repeat(scene->canvas, row_of(layout, height_of(layout, plot->mean)), layout->column,
                      columns < room ? columns : room, faint, look_text(scene->look, "─", "-"));
}

/* The part from `low` to `high` of a character's height, in eighths: what stands on its lower edge, or hangs
 * from its upper one. */
static void draw_block(const struct scene *scene, int row, int column, int width,
                       struct style style, int low, int high)
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const letters[] = {" ", ".", ".", ":", ":", ":", "#", "#", "#"};
    int part = low > 0 ? low : high;
    if (scene->look->ascii) {
        part = high - low;
    } else if (low > 0) {
        style.reverse = true;
    }
    if (high > low)
        canvas_repeat(scene->canvas, row, column, width, style,
                      scene->look->ascii ? letters[part] : blocks[part]);
}

/* From 0, or the end of the axis that is nearer to it. */
static void draw_bar(const struct scene *scene, int column, int width, struct style style,
                     double value)
{
    const struct layout *layout = scene->layout;
    double zero = height_of(layout, 0), height = height_of(layout, value);
    int low = (int)lround(EIGHTHS * fmin(zero, height));
    int high = (int)lround(EIGHTHS * fmax(zero, height));
    for (int r = low / EIGHTHS; r < layout->rows && r * EIGHTHS < high; r++)
        draw_block(scene, layout->row + layout->rows - 1 - r, column, width, style,
                   picture_clamp(low - r * EIGHTHS, 0, EIGHTHS),
                   picture_clamp(high - r * EIGHTHS, 0, EIGHTHS));
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
    int width = picture_clamp((layout->slot - 1) / plot->series_count, 1, layout->slot);
    for (int i = layout->first; i < layout->first + layout->seen; i++)
        for (int s = 0; s < plot->series_count; s++) {
            int column = column_of(layout, i) + s * width;
            int room = scene->end - column < width ? scene->end - column : width;
            if (isfinite(plot->series[s].values[i]))
                draw_bar(scene, column, room, series_style(scene, s, i), plot->series[s].values[i]);
        }
}

static const char *marker(const struct look *look, int series)
{
    static const char *const markers[] = {"●", "○", "■", "□", "▲", "△"};
    static const char *const letters[] = {"*", "o", "#", "=", "+", "x"};
    return look_text(look, markers[series % FIGURE_COLOURS], letters[series % FIGURE_COLOURS]);
}

/* A marker at each point, and dots on the way to the next one. */
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
            marker(scene->look, series));
        if (i == last || !isfinite(values[i + 1]))
            continue;
        double rise = height_of(layout, values[i + 1]) - height;
        for (int x = 1; x < layout->slot; x++)
            put(scene, row_of(layout, height + rise * x / layout->slot), column_of(layout, i) + x,
                faint, look_text(scene->look, "·", "."));
    }
}

/* As many as there is room for, the cursor's among them; without labels a mark is below it. */
static void draw_labels(const struct scene *scene)
{
    const struct layout *layout = scene->layout;
    const struct figure_plot *plot = plot_of(scene->picture);
    int row = layout->row + layout->rows, cursor = scene->spot->column;
    int step = layout->widest / layout->slot + 1;
    for (int i = layout->first; plot->labels && i < layout->first + layout->seen; i++) {
        bool chosen = scene->chosen && i == cursor;
        bool covered = scene->chosen && abs(i - cursor) < step;
        bool whole = column_of(layout, i) + layout->widest <= scene->end - MARGIN;
        if (plot->labels[i] && (chosen || (i % step == 0 && !covered && whole)))
            put(scene, row, column_of(layout, i),
                (struct style){.ink = chosen ? INK_ACCENT : INK_NORMAL}, plot->labels[i]);
    }
    if (scene->chosen && !plot->labels)
        put(scene, row, column_of(layout, cursor), (struct style){.ink = INK_ACCENT},
            look_text(scene->look, "▴", "^"));
}

static void draw_marks(const struct scene *scene)
{
    const struct layout *layout = scene->layout;
    int row = layout->row + layout->rows;
    if (layout->numbers == 0)
        return;
    if (layout->first > 0)
        put(scene, row, layout->column - AXIS, faint, look_text(scene->look, "‹", "<"));
    if (layout->first + layout->seen < plot_of(scene->picture)->points)
        put(scene, row, scene->end - MARGIN, faint, look_text(scene->look, "›", ">"));
}

/* Above what is measured, the mean, and which series is which; below what the points are. */
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
        const char *sign =
            is_bars(scene->picture) ? look_text(scene->look, "█", "#") : marker(scene->look, s);
        column += 1 + canvas_put(scene->canvas, row, column, scene->end - column, style, sign);
        if (plot->series[s].name)
            column += 2 + canvas_put(scene->canvas, row, column, scene->end - column, style,
                                     plot->series[s].name);
    }
    if (plot->has_mean && isfinite(plot->mean)) {
        picture_number(scene->look, layout->range, plot->mean, number, sizeof number);
        snprintf(mean, sizeof mean, "%s %s %s", look_text(scene->look, "─", "-"),
                 plot->mean_name ? plot->mean_name : "mean", number);
        put(scene, row, column, faint, mean);
    }
    if (plot->x_title)
        put(scene, layout->row + layout->rows + layout->labels, layout->column, faint,
            plot->x_title);
}

static void draw_plot(const struct picture *picture, const struct look *look, struct canvas *canvas,
                      struct area area, const struct spot *spot, bool chosen)
{
    struct layout layout = find_layout(picture, area, spot->left);
    struct scene scene = {picture, look, canvas, &layout, spot, chosen, area.column + area.columns};
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

/* Finding ---------------------------------------------------------------------------------------- */

/* A place of a point, whatever its value; the series stays. */
static bool find_plot(const struct picture *picture, struct area area, const struct spot *spot,
                      int row, int column, struct spot *found)
{
    struct layout layout = find_layout(picture, area, spot->left);
    int point = (column - layout.column) / layout.slot;
    if (column < layout.column || point >= layout.seen || row < layout.row ||
        row >= layout.row + layout.rows)
        return false;
    found->panel = 0;
    found->row = spot->row;
    found->column = layout.first + point;
    return true;
}

const struct picture_parts picture_plot = {settle_plot, draw_plot, find_plot};
