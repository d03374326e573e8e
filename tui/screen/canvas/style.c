#include "tui/screen/canvas/style.h"

#include <math.h>
#include <string.h>

#include "tui/screen/canvas/palette.h"

const char *style_text(const struct screen_style *screen_style, const char *text, const char *ascii)
{
    return screen_style->ascii ? ascii : text;
}

/* Shades divide the scale into equal parts; the first one is blank. */
static const char *shade(const struct screen_style *screen_style, double strength)
{
    static const char *const blocks[] = {" ", "░", "▒", "▓", "█"};
    static const char *const letters[] = {" ", ".", ":", "-", "=", "+", "*", "#", "%", "@"};
    int count =
        screen_style->ascii ? sizeof letters / sizeof *letters : sizeof blocks / sizeof *blocks;
    int step = strength >= 1 ? count - 1 : strength > 0 ? (int)(strength * count) : 0;
    return screen_style->ascii ? letters[step] : blocks[step];
}

static void put_both(struct canvas *canvas, int row, int column, int columns, struct style style,
                     const char *first, const char *second)
{
    canvas_put(canvas, row, column, 1, style, first);
    canvas_repeat(canvas, row, column + 1, columns - 1, style, second);
}

/* Shades mean lightness, so they are drawn from black upwards on every background. */
static struct style shade_style(const struct screen_style *screen_style, enum ink ink)
{
    bool coloured = screen_style->depth == DEPTH_16;
    return (struct style){.ink = coloured || ink != INK_WHITE ? ink : INK_NORMAL,
                          .ground = coloured ? INK_BLACK : INK_NORMAL};
}

/* The sign takes a column of its own, or the only one. */
static void put_difference(const struct screen_style *screen_style, struct canvas *canvas, int row,
                           int column, int columns, double position)
{
    struct style style = shade_style(screen_style, position > 0.5 ? INK_RISE : INK_FALL);
    const char *text = shade(screen_style, fabs(position - 0.5) * 2);
    const char *sign = *text == ' ' ? text : position > 0.5 ? "+" : "-";
    put_both(canvas, row, column, columns, style, screen_style->depth == DEPTH_NONE ? sign : text,
             text);
}

static void put_shade(const struct screen_style *screen_style, struct canvas *canvas, int row,
                      int column, int columns, double position)
{
    struct style style = shade_style(screen_style, INK_WHITE);
    const char *text = screen_style->depth == DEPTH_16 && !screen_style->ascii
                           ? ramp_shade(position, &style)
                           : shade(screen_style, position);
    put_both(canvas, row, column, columns, style, text, text);
}

static void put_cursor(struct canvas *canvas, int row, int column, int columns, struct style style)
{
    put_both(canvas, row, column, columns, style, columns > 1 ? "[" : "*", " ");
    if (columns > 1)
        canvas_put(canvas, row, column + columns - 1, 1, style, "]");
}

void style_value(const struct screen_style *screen_style, struct canvas *canvas, int row,
                 int column, int columns, const struct colormap *map, double position, bool chosen)
{
    bool valued = !isnan(position), fills = screen_style->depth >= DEPTH_256;
    struct style style = {.filled = valued && fills};
    if (style.filled)
        style.fill = screen_style->depth == DEPTH_256 ? ramp_colour(map, position)
                                                      : colormap_colour(map, position);
    style.reverse = chosen && !style.filled;
    if (chosen)
        put_cursor(canvas, row, column, columns, style);
    else if (!valued || fills)
        put_both(canvas, row, column, columns, style, " ", " ");
    else if (map->diverging)
        put_difference(screen_style, canvas, row, column, columns, position);
    else
        put_shade(screen_style, canvas, row, column, columns, position);
}
