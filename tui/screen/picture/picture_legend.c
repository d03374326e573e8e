/* The scale of a panel as a bar. */
#include "tui/screen/picture/picture_values.h"
#include "tui/text/display.h"

enum { STEP = 2, STEPS_LEAST = 2, STEPS_MOST = 8, NUMBER_BYTES = 32 };

/* A scale with zero in its middle has an odd number of steps, so that one of them is zero's. */
static int steps_within(int room, bool diverging)
{
    int steps = room < STEPS_MOST ? room : STEPS_MOST;
    return diverging && steps % 2 == 0 ? steps - 1 : steps;
}

void picture_legend(const struct picture *picture, const struct screen_style *screen_style,
                    struct canvas *canvas, int row, int column, int columns,
                    const struct picture_cursor *cursor)
{
    if (picture_kind(picture->figure) == PICTURE_PLOT)
        return;
    struct scale_range range = picture_range(picture, cursor->panel);
    char least[NUMBER_BYTES], most[NUMBER_BYTES];
    picture_number(screen_style, range, range.least, least, sizeof least);
    picture_number(screen_style, range, range.most, most, sizeof most);
    int room = (columns - display_width(least) - display_width(most) - 2) / STEP;
    const struct colormap *map = picture_map(picture, cursor->panel);
    int steps = steps_within(room, map->diverging);
    if (steps < STEPS_LEAST)
        return;
    column += canvas_put(canvas, row, column, columns, (struct style){0}, least) + 1;
    for (int i = 0; i < steps; i++)
        style_value(screen_style, canvas, row, column + i * STEP, STEP, map, (i + 0.5) / steps,
                    false);
    column += steps * STEP + 1;
    canvas_put(canvas, row, column, display_width(most), (struct style){0}, most);
}
