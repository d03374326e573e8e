#include "tui/screen/canvas/palette.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "tui/screen/canvas/style.h"

/* The palette of terminals with 256 colours: 16 that users choose, a cube of 6 levels, and
 * greys. */
enum { OWN_COLOURS = 16, LEVELS = 6, CUBE_END = 232, PALETTE_SIZE = 256 };
static const uint8_t levels[LEVELS] = {0, 95, 135, 175, 215, 255};

struct rgb palette_colour(int index)
{
    if (index >= CUBE_END) {
        uint8_t grey = (uint8_t)(8 + 10 * (index - CUBE_END));
        return (struct rgb){grey, grey, grey};
    }
    index -= OWN_COLOURS;
    return (struct rgb){levels[index / (LEVELS * LEVELS)], levels[index / LEVELS % LEVELS],
                        levels[index % LEVELS]};
}

/* CIELAB, in which Euclidean distance is close to perceived distance. From sRGB (IEC 61966-2-1),
 * white D65. */
struct lab {
    double l, a, b;
};

static double linear_of(uint8_t value)
{
    double v = value / 255.0;
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static double lab_curve(double t)
{
    const double delta = 6.0 / 29;
    return t > delta * delta * delta ? cbrt(t) : t / (3 * delta * delta) + 4.0 / 29;
}

static struct lab lab_of(struct rgb colour)
{
    double red = linear_of(colour.red), green = linear_of(colour.green),
           blue = linear_of(colour.blue);
    double x = lab_curve((0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047);
    double y = lab_curve(0.2126729 * red + 0.7151522 * green + 0.0721750 * blue);
    double z = lab_curve((0.0193339 * red + 0.1191920 * green + 0.9503041 * blue) / 1.08883);
    return (struct lab){116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

static int search_palette(struct rgb colour)
{
    static struct lab palette[PALETTE_SIZE];
    static bool known;
    int best = OWN_COLOURS;
    double least = INFINITY;
    struct lab lab = lab_of(colour);
    for (int i = OWN_COLOURS; i < PALETTE_SIZE; i++) {
        if (!known)
            palette[i] = lab_of(palette_colour(i));
        double l = palette[i].l - lab.l, a = palette[i].a - lab.a, b = palette[i].b - lab.b;
        double distance = l * l + a * a + b * b;
        if (distance < least) {
            least = distance;
            best = i;
        }
    }
    known = true;
    return best;
}

/* Cached, as screens ask for the same few hundred colours of a map again and again. */
int palette_nearest(struct rgb colour)
{
    enum { REMEMBERED = 2048 };
    static struct {
        uint32_t colour;
        int nearest; // 0: empty
    } memory[REMEMBERED];
    uint32_t key = (uint32_t)colour.red << 16 | (uint32_t)colour.green << 8 | colour.blue;
    uint32_t place = key * 2654435761u >> 21;
    if (memory[place].nearest == 0 || memory[place].colour != key) {
        memory[place].colour = key;
        memory[place].nearest = search_palette(colour);
    }
    return memory[place].nearest;
}

/* Ramps of values ------------------------------------------------------------------------------ */

enum { STEPS = 16, SIDE_STEPS = 6, ZERO = 255 };

/* Indices into the palette of 256 colours, from the least value to the greatest. */
static const struct {
    const char *map;
    uint8_t colours[STEPS];
} ramps[] = {
    {"viridis", {53, 54, 55, 24, 25, 61, 30, 31, 66, 36, 72, 42, 113, 148, 184, 220}},
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

/* Rounded, so that both sides are equally many steps from zero. */
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
