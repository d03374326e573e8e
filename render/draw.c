#include "render/draw.h"

#include <math.h>

#include <glib.h>

#define UNDERLAP 15       // of cells drawn without pixels, below their neighbours: 1.5 pt
#define EMPTY_STROKE 0.75 // grey of the stroke through a cell without a value

static const struct rgb white = {255, 255, 255};

static void set_colour(cairo_t *cairo, struct rgb colour)
{
    cairo_set_source_rgb(cairo, colour.red / 255.0, colour.green / 255.0, colour.blue / 255.0);
}

/* True if anything between these y may be seen; letters reach a little beyond their boxes. */
static bool is_seen(cairo_t *cairo, double top, double bottom)
{
    const double blur = 2;
    double left, first, right, last;
    cairo_clip_extents(cairo, &left, &first, &right, &last);
    return bottom + blur > first && top - blur < last;
}

/* The line goes around the rectangle, so that it covers none of it. */
static void draw_frame(cairo_t *cairo, double x, double y, double width, double height, double line)
{
    cairo_set_source_rgb(cairo, 0, 0, 0);
    cairo_rectangle(cairo, x - line, y - line, width + 2 * line, line);
    cairo_rectangle(cairo, x - line, y + height, width + 2 * line, line);
    cairo_rectangle(cairo, x - line, y, line, height);
    cairo_rectangle(cairo, x + width, y, line, height);
    cairo_fill(cairo);
}

static bool has_pixels(cairo_t *cairo)
{
    return cairo_surface_get_type(cairo_get_target(cairo)) == CAIRO_SURFACE_TYPE_IMAGE;
}

/* A viewer blends the edges of a shape with what is below, so the paper would shine through between
 * two cells that only touch. Each cell therefore extends below the cells drawn after it, by more
 * than a pixel. */
static struct box underlap(struct box cell, struct box end)
{
    cell.width = fmin(cell.width + fmin(cell.width, UNDERLAP), end.x - cell.x);
    cell.height = fmin(cell.height + fmin(cell.height, UNDERLAP), end.y - cell.y);
    return cell;
}

/* Matrices ------------------------------------------------------------------------------------- */

/* An empty cell gets a stroke from corner to corner: white is a colour of some maps, a stroke is
 * not. */
static void draw_empty_cell(cairo_t *cairo, struct box cell, double line)
{
    struct stroke stroke = layout_stroke(cell, line);
    cairo_save(cairo);
    cairo_set_antialias(cairo, CAIRO_ANTIALIAS_DEFAULT);
    cairo_set_source_rgb(cairo, EMPTY_STROKE, EMPTY_STROKE, EMPTY_STROKE);
    cairo_set_line_width(cairo, line);
    cairo_move_to(cairo, stroke.x1, stroke.y1);
    cairo_line_to(cairo, stroke.x2, stroke.y2);
    cairo_stroke(cairo);
    cairo_restore(cairo);
}

static void draw_cells(cairo_t *cairo, const struct placed_matrix *placed, int row,
                       const struct row_colours *colours, double line)
{
    const struct figure_matrix *matrix = placed->matrix;
    struct box end = layout_cell(placed, matrix->rows, matrix->columns);
    bool pixels = has_pixels(cairo);
    for (int c = 0; c < matrix->columns; c++) {
        double value = matrix->values[(size_t)row * matrix->columns + c];
        struct box cell = layout_cell(placed, row, c);
        struct box filled = pixels ? cell : underlap(cell, end);
        set_colour(cairo, isnan(value) ? white : row_colour(colours, value));
        cairo_rectangle(cairo, filled.x, filled.y, filled.width, filled.height);
        cairo_fill(cairo);
        if (isnan(value))
            draw_empty_cell(cairo, cell, line);
    }
}

static bool may_go_on(const struct watch *watch)
{
    struct status status;
    return watch_ask(watch, &status);
}

static bool draw_matrix(cairo_t *cairo, const struct figure *figure,
                        const struct figure_layout *layout, const struct placed_matrix *placed,
                        const struct watch *watch)
{
    const struct figure_matrix *matrix = placed->matrix;
    for (int r = 0; r < matrix->rows; r++) {
        struct box first = layout_cell(placed, r, 0);
        if (!is_seen(cairo, first.y, first.y + first.height))
            continue;
        if (!may_go_on(watch))
            return false;
        struct row_colours colours = layout_row_colours(figure, layout, placed, r);
        draw_cells(cairo, placed, r, &colours, layout->line);
    }
    struct box end = layout_cell(placed, matrix->rows, matrix->columns);
    draw_frame(cairo, placed->x, placed->y, end.x - placed->x, end.y - placed->y, layout->line);
    return true;
}

/* Bars ----------------------------------------------------------------------------------------- */

static void draw_bar(cairo_t *cairo, const struct placed_bar *bar, const struct colormap *map,
                     const struct figure_layout *layout)
{
    for (int i = 0; i < COLORMAP_SIZE; i++) {
        double top = bar->y + floor((double)bar->height * i / COLORMAP_SIZE);
        double end = bar->y + floor((double)bar->height * (i + 1) / COLORMAP_SIZE);
        if (!is_seen(cairo, top, end))
            continue;
        if (!has_pixels(cairo))
            end = fmin(end + UNDERLAP, bar->y + bar->height);
        int entry = COLORMAP_SIZE - 1 - i;
        set_colour(cairo, colormap_colour(map, (entry + 0.5) / COLORMAP_SIZE));
        cairo_rectangle(cairo, bar->x, top, bar->width, end - top);
        cairo_fill(cairo);
    }
    draw_frame(cairo, bar->x, bar->y, bar->width, bar->height, layout->line);
    for (int i = 0; i < bar->tick_count; i++)
        cairo_rectangle(cairo, bar->x + bar->width + layout->line,
                        round(bar->ticks[i] - layout->line / 2.0), layout->tick_length,
                        layout->line);
    cairo_fill(cairo);
}

/* Shapes --------------------------------------------------------------------------------------- */

static void trace_shape(cairo_t *cairo, const struct placed_shape *shape)
{
    const double *x = shape->x, *y = shape->y;
    switch (shape->kind) {
    case SHAPE_BOX:
        cairo_rectangle(cairo, x[0], y[0], x[1] - x[0], y[1] - y[0]);
        break;
    case SHAPE_DOT:
        cairo_arc(cairo, x[0], y[0], shape->width / 2, 0, 2 * G_PI);
        break;
    case SHAPE_LINE:
        cairo_move_to(cairo, x[0], y[0]);
        cairo_line_to(cairo, x[1], y[1]);
        break;
    case SHAPE_CORNERS:
        cairo_move_to(cairo, x[0], y[0]);
        for (int i = 1; i < 4; i++)
            cairo_line_to(cairo, x[i], y[i]);
        break;
    case SHAPE_CURVE:
        cairo_move_to(cairo, x[0], y[0]);
        cairo_curve_to(cairo, x[1], y[1], x[2], y[2], x[3], y[3]);
    }
}

static bool shape_is_seen(cairo_t *cairo, const struct placed_shape *shape)
{
    double top = shape->y[0], bottom = top;
    static const int points[] = {
        [SHAPE_BOX] = 2, [SHAPE_LINE] = 2, [SHAPE_CURVE] = 4, [SHAPE_DOT] = 1, [SHAPE_CORNERS] = 4};
    for (int i = 1; i < points[shape->kind]; i++) {
        top = fmin(top, shape->y[i]);
        bottom = fmax(bottom, shape->y[i]);
    }
    return is_seen(cairo, top - shape->width, bottom + shape->width);
}

static bool draw_shapes(cairo_t *cairo, const struct figure_layout *layout,
                        const struct watch *watch)
{
    cairo_set_line_cap(cairo, CAIRO_LINE_CAP_ROUND);
    for (size_t i = 0; i < layout->shape_count; i++) {
        const struct placed_shape *shape = &layout->shapes[i];
        bool filled = shape->kind != SHAPE_LINE && shape->kind != SHAPE_CURVE;
        if (!shape_is_seen(cairo, shape))
            continue;
        if (!may_go_on(watch))
            return false;
        set_colour(cairo, shape->colour);
        cairo_set_line_width(cairo, shape->width);
        cairo_set_dash(cairo, shape->dashes, shape->dash_count, shape->phase);
        trace_shape(cairo, shape);
        (filled ? cairo_fill : cairo_stroke)(cairo);
    }
    return true;
}

/* The figure ----------------------------------------------------------------------------------- */

/* Sets the colour of a text, black or white. cairo writes neighbours on one baseline into a PDF as
 * one run, where rounded widths add up and move the last ones by a point; another colour, though
 * nobody could see it, begins a new run. */
static void set_text_colour(cairo_t *cairo, const struct figure_layout *layout, size_t index)
{
    double level = layout->texts[index].light, other = index % 2 ? 1e-9 : 0;
    cairo_set_source_rgb(cairo, level, level, level > 0 ? level - other : other);
}

static bool draw_texts(cairo_t *cairo, const struct figure_layout *layout, struct text *text,
                       const struct watch *watch)
{
    for (size_t i = 0; i < layout->text_count; i++) {
        const struct box *box = &layout->texts[i].box;
        if (!is_seen(cairo, box->y, box->y + box->height))
            continue;
        if (!may_go_on(watch))
            return false;
        set_text_colour(cairo, layout, i);
        text_draw(text, cairo, &layout->texts[i]);
    }
    return true;
}

bool draw_figure(cairo_t *cairo, const struct figure *figure, const struct figure_layout *layout,
                 struct text *text, const struct watch *watch)
{
    cairo_set_source_rgb(cairo, 1, 1, 1);
    cairo_paint(cairo);
    cairo_set_antialias(cairo, CAIRO_ANTIALIAS_NONE);
    for (int i = 0; i < layout->matrix_count; i++)
        if (!draw_matrix(cairo, figure, layout, &layout->matrices[i], watch))
            return false;
    for (int i = 0; i < layout->bar_count; i++)
        draw_bar(cairo, &layout->bars[i], figure->scales[layout->bars[i].scale].map, layout);
    cairo_set_antialias(cairo, CAIRO_ANTIALIAS_DEFAULT);
    return draw_shapes(cairo, layout, watch) && draw_texts(cairo, layout, text, watch);
}
