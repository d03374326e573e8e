#include "tui/screen/canvas/ramp.h"
#include "tui/screen/canvas/palette.h"

#include <math.h>
#include <string.h>

#include "tui/screen/canvas/style.h"

enum { STEPS = 16, SIDE_STEPS = 6, ZERO = 255 };

/* Indices of the palette of 256 colours, from the least value to the greatest. */
static const struct {
    const char *map;
    uint8_t colours[STEPS];
} ramps[] = {
    {"viridis", {53, 54, 90, 24, 25, 60, 242, 30, 66, 36, 72, 42, 113, 148, 184, 220}},
    {"magma", {232, 233, 17, 53, 54, 90, 125, 126, 161, 167, 203, 173, 209, 216, 222, 229}},
    {"cividis", {235, 53, 238, 239, 240, 59, 242, 243, 244, 245, 137, 144, 179, 215, 185, 220}},
    {"blues", {195, 255, 254, 253, 153, 117, 250, 110, 74, 103, 67, 31, 61, 25, 24, 53}},
    {"grey", {231, 254, 188, 251, 250, 248, 246, 102, 243, 242, 240, 238, 237, 235, 233, 232}},
};

/* From the grey of zero outwards. */
static const uint8_t falls[1 + SIDE_STEPS] = {ZERO, 189, 117, 111, 68, 62, 25};
static const uint8_t rises[1 + SIDE_STEPS] = {ZERO, 224, 217, 210, 167, 160, 124};

static int step_of(double position, int steps)
{
    return position >= 1 ? steps - 1 : position > 0 ? (int)(position * steps) : 0;
}

/* Rounded, so that both sides are equally far from a step around zero. */
static struct rgb difference_colour(double position)
{
    double size = fabs(position - 0.5) * 2;
    int step = size >= 1 ? SIDE_STEPS : (int)(size * SIDE_STEPS + 0.5);
    return palette_colour(position > 0.5 ? rises[step] : falls[step]);
}

struct rgb ramp_colour(const struct colormap *map, double position)
{
    if (map->diverging)
        return difference_colour(position);
    for (size_t i = 0; i < sizeof ramps / sizeof *ramps; i++)
        if (strcmp(ramps[i].map, map->name) == 0)
            return palette_colour(ramps[i].colours[step_of(position, STEPS)]);
    return colormap_colour(map, position);
}

const char *ramp_shade(double position, struct style *style)
{
    static const enum ink inks[] = {INK_BLACK, INK_BLUE, INK_CYAN, INK_WHITE};
    static const char *const blocks[] = {"░", "▒", "▓", "█"};
    enum { BLOCKS = sizeof blocks / sizeof *blocks, STAGES = sizeof inks / sizeof *inks - 1 };
    int step = step_of(position, 1 + STAGES * BLOCKS) - 1;
    style->ground = step < 0 ? INK_BLACK : inks[step / BLOCKS];
    style->ink = step < 0 ? INK_WHITE : inks[step / BLOCKS + 1];
    return step < 0 ? " " : blocks[step % BLOCKS];
}
