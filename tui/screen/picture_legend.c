/* The scale of a panel as a bar. */
#include "tui/display.h"
#include "tui/screen/picture_parts.h"

enum { STEP = 2, STEPS_LEAST = 2, STEPS_MOST = 8, NUMBER_BYTES = 32 };

void picture_legend(const struct picture *picture, const struct look *look, struct canvas *canvas,
                    int row, int column, int columns, const struct spot *spot)
{
    if (picture_kind(picture->figure) == PICTURE_PLOT)
        return;
    struct scale_range range = picture_range(picture, spot->panel);
    char least[NUMBER_BYTES], most[NUMBER_BYTES];
    picture_number(look, range, range.least, least, sizeof least);
    picture_number(look, range, range.most, most, sizeof most);
    int room = (columns - display_width(least) - display_width(most) - 2) / STEP;
    int steps = room < STEPS_MOST ? room : STEPS_MOST;
    if (steps < STEPS_LEAST)
        return;
    column += canvas_put(canvas, row, column, columns, (struct style){0}, least) + 1;
    for (int i = 0; i < steps; i++)
        look_value(look, canvas, row, column + i * STEP, STEP, picture_map(picture, spot->panel),
                   (i + 0.5) / steps, false);
    column += steps * STEP + 1;
    canvas_put(canvas, row, column, display_width(most), (struct style){0}, most);
}
