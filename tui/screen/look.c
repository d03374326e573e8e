#include "tui/screen/look.h"

#include <math.h>
#include <string.h>

/* The palette that all terminals with 256 colours begin with: 16 that users choose, a cube of 6 levels, greys. */
enum { OWN_COLOURS = 16, LEVELS = 6, CUBE_END = 232, PALETTE_SIZE = 256 };
static const uint8_t levels[LEVELS] = {0, 95, 135, 175, 215, 255};

struct rgb look_palette(int index)
{
    if (index >= CUBE_END) {
        uint8_t grey = (uint8_t)(8 + 10 * (index - CUBE_END));
        return (struct rgb){grey, grey, grey};
    }
    index -= OWN_COLOURS;
    return (struct rgb){levels[index / (LEVELS * LEVELS)], levels[index / LEVELS % LEVELS],
                        levels[index % LEVELS]};
}

/* CIELAB, to which the eye's distances are about Euclid's. From sRGB (IEC 61966-2-1), white D65. */
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
            palette[i] = lab_of(look_palette(i));
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

/* A screen asks for the same few hundred colours of a map again and again. */
int look_nearest(struct rgb colour)
{
    enum { REMEMBERED = 2048 };
    static struct {
        uint32_t colour;
        int nearest; // 0: nothing is here yet
    } memory[REMEMBERED];
    uint32_t key = (uint32_t)colour.red << 16 | (uint32_t)colour.green << 8 | colour.blue;
    uint32_t place = key * 2654435761u >> 21;
    if (memory[place].nearest == 0 || memory[place].colour != key) {
        memory[place].colour = key;
        memory[place].nearest = search_palette(colour);
    }
    return memory[place].nearest;
}

const char *look_text(const struct look *look, const char *text, const char *ascii)
{
    return look->ascii ? ascii : text;
}

/* Equal shares of the scale; the first one is blank. */
static const char *shade(const struct look *look, double strength)
{
    static const char *const blocks[] = {" ", "░", "▒", "▓", "█"};
    static const char *const letters[] = {" ", ".", ":", "-", "=", "+", "*", "#", "%", "@"};
    int count = look->ascii ? sizeof letters / sizeof *letters : sizeof blocks / sizeof *blocks;
    int step = strength >= 1 ? count - 1 : strength > 0 ? (int)(strength * count) : 0;
    return look->ascii ? letters[step] : blocks[step];
}

static void put_both(struct canvas *canvas, int row, int column, int columns, struct style style,
                     const char *first, const char *second)
{
    canvas_put(canvas, row, column, 1, style, first);
    canvas_repeat(canvas, row, column + 1, columns - 1, style, second);
}

/* The sign takes a column of its own, or the only one. */
static void put_difference(const struct look *look, struct canvas *canvas, int row, int column,
                           int columns, double position)
{
    struct style style = {.ink = position > 0.5 ? INK_RISE : INK_FALL};
    const char *text = shade(look, fabs(position - 0.5) * 2);
    const char *sign = *text == ' ' ? text : position > 0.5 ? "+" : "-";
    put_both(canvas, row, column, columns, style, look->depth == DEPTH_NONE ? sign : text, text);
}

static void put_cursor(struct canvas *canvas, int row, int column, int columns, struct style style)
{
    put_both(canvas, row, column, columns, style, columns > 1 ? "[" : "*", " ");
    if (columns > 1)
        canvas_put(canvas, row, column + columns - 1, 1, style, "]");
}

void look_value(const struct look *look, struct canvas *canvas, int row, int column, int columns,
                const struct colormap *map, double position, bool chosen)
{
    bool valued = !isnan(position), fills = look->depth >= DEPTH_256;
    struct style style = {.filled = valued && fills};
    if (style.filled)
        style.fill = colormap_colour(map, position);
    style.reverse = chosen && !style.filled;
    if (chosen)
        put_cursor(canvas, row, column, columns, style);
    else if (!valued || fills)
        put_both(canvas, row, column, columns, style, " ", " ");
    else if (map->diverging)
        put_difference(look, canvas, row, column, columns, position);
    else
        put_both(canvas, row, column, columns, style, shade(look, position), shade(look, position));
}
