#include "tui/screen/canvas/colours.h"
#include "tui/screen/canvas/palette.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NCURSES_NOMACROS
#include <ncurses.h>
#include <term.h>

enum { OWN = -1, MOST_PAIRS = 8192, SLOTS = 2 * MOST_PAIRS, BLACK = 16, WHITE = 231 };

/* Colours that are readable on light and dark backgrounds: their contrast with both is at least 3.5. */
static const struct {
    int colour;   // of the 256; OWN: the terminal's
    int few;      // of 16
    int fewer;    // of 8
    attr_t extra; // besides
} inks[INK_COUNT] = {
    [INK_NORMAL] = {OWN, OWN, OWN, A_NORMAL}, [INK_FAINT] = {244, 8, OWN, A_NORMAL},
    [INK_STRONG] = {OWN, OWN, OWN, A_BOLD},   [INK_ACCENT] = {30, 5, 5, A_BOLD},
    [INK_WARN] = {160, 1, 1, A_BOLD},         [INK_MARK] = {130, OWN, OWN, A_BOLD | A_UNDERLINE},
    [INK_RISE] = {167, 1, 1, A_NORMAL},       [INK_FALL] = {68, 12, 4, A_NORMAL},
    [INK_BLACK] = {16, 0, 0, A_NORMAL},       [INK_BLUE] = {21, 4, 4, A_NORMAL},
    [INK_CYAN] = {44, 6, 6, A_NORMAL},        [INK_WHITE] = {231, 15, 7, A_NORMAL},
};

static struct {
    enum depth depth;
    bool direct;
    int reserved; // direct colours below it are those of the terminal's user
    int limit;    // pairs are 1 … limit - 1
    int used;
    bool anew; // this screen has all pairs for itself
    struct {
        int ink, ground, pair; // pair 0: free
    } slots[SLOTS];
} colours;

static bool wants_none(void)
{
    const char *none = getenv("NO_COLOR");
    return none && *none;
}

static enum depth count_colours(bool direct)
{
    if (wants_none() || !has_colors() || start_color() != OK || COLORS < 8)
        return DEPTH_NONE;
    use_default_colors();
    return direct ? DEPTH_TRUE : COLORS >= 256 ? DEPTH_256 : DEPTH_16;
}

enum depth colours_open(bool direct)
{
    int reserved = direct ? tigetnum("CO") : 0;
    colours.depth = count_colours(direct);
    colours.direct = colours.depth == DEPTH_TRUE;
    colours.reserved = reserved > 0 ? reserved : 8;
    colours.limit = COLOR_PAIRS < MOST_PAIRS ? COLOR_PAIRS : MOST_PAIRS;
    colours_forget();
    return colours.depth;
}

void colours_begin(void)
{
    colours.anew = false;
}

void colours_forget(void)
{
    memset(colours.slots, 0, sizeof colours.slots);
    colours.used = 0;
    colours.anew = true;
}

/* The lowest numbers stand for the user's own colours: there green is raised by 1 of 255, which is not visible. */
static int number_of(struct rgb colour)
{
    if (!colours.direct)
        return palette_nearest(colour);
    int number = colour.red << 16 | colour.green << 8 | colour.blue;
    return number < colours.reserved ? number | 0x100 : number;
}

static int number_of_ink(enum ink ink)
{
    if (colours.depth == DEPTH_16)
        return COLORS >= 16 ? inks[ink].few : inks[ink].fewer;
    return inks[ink].colour == OWN ? OWN : number_of(palette_colour(inks[ink].colour));
}

/* Which of the two has the larger contrast with the fill, as WCAG 2 defines it: equal at a luminance of 0.179,
 * in sRGB about 118 of 255 for a grey; the weights are those of luminance, over squares instead of powers of 2.4. */
static int number_on(struct rgb fill)
{
    double luminance = 0.2126 * fill.red * fill.red + 0.7152 * fill.green * fill.green +
                       0.0722 * fill.blue * fill.blue;
    return number_of(palette_colour(luminance > 118.0 * 118.0 ? BLACK : WHITE));
}

/* The distance of two colours: direct colours by their components, numbers of the palette by the colours that they
 * stand for. */
static long apart(int a, int b)
{
    if (a == b)
        return 0;
    if (a == OWN || b == OWN || colours.depth == DEPTH_16)
        return 1L << 20;
    struct rgb x = palette_colour(a & 0xFF), y = palette_colour(b & 0xFF);
    if (colours.direct) {
        x = (struct rgb){(uint8_t)(a >> 16), (uint8_t)(a >> 8), (uint8_t)a};
        y = (struct rgb){(uint8_t)(b >> 16), (uint8_t)(b >> 8), (uint8_t)b};
    }
    long red = x.red - y.red, green = x.green - y.green, blue = x.blue - y.blue;
    return red * red + green * green + blue * blue;
}

static int nearest_pair(int ink, int ground)
{
    long least = LONG_MAX;
    int best = 0;
    for (int i = 0; i < SLOTS; i++) {
        if (colours.slots[i].pair == 0)
            continue;
        long distance =
            apart(colours.slots[i].ink, ink) + 4 * apart(colours.slots[i].ground, ground);
        if (distance < least) {
            least = distance;
            best = colours.slots[i].pair;
        }
    }
    return best;
}

/* 0: all are taken. */
static int pair_of(int ink, int ground)
{
    uint32_t hash = ((uint32_t)ink * 2654435761u) ^ ((uint32_t)ground * 2246822519u);
    uint32_t at = (hash ^ hash >> 15) % SLOTS;
    while (colours.slots[at].pair &&
           (colours.slots[at].ink != ink || colours.slots[at].ground != ground))
        at = (at + 1) % SLOTS;
    if (colours.slots[at].pair)
        return colours.slots[at].pair;
    if (colours.used + 1 >= colours.limit ||
        init_extended_pair(colours.used + 1, ink, ground) == ERR)
        return 0;
    colours.slots[at].ink = ink;
    colours.slots[at].ground = ground;
    return colours.slots[at].pair = ++colours.used;
}

static attr_t attributes_of(const struct style *style, bool filled)
{
    attr_t attributes = filled ? A_NORMAL : inks[style->ink].extra;
    if (!filled && style->ink == INK_FAINT && (colours.depth == DEPTH_NONE || COLORS < 16))
        attributes |= A_DIM;
    return attributes | (style->reverse ? A_REVERSE : 0) | (style->underline ? A_UNDERLINE : 0);
}

bool colours_find(const struct style *style, unsigned *attributes, int *pair)
{
    bool filled = style->filled && colours.depth >= DEPTH_256;
    *attributes = attributes_of(style, filled);
    *pair = 0;
    if (colours.depth == DEPTH_NONE)
        return true;
    int ink = filled ? number_on(style->fill) : number_of_ink(style->ink);
    int ground = filled                        ? number_of(style->fill)
                 : style->ground != INK_NORMAL ? number_of_ink(style->ground)
                                               : OWN;
    if (ink == OWN && ground == OWN)
        return true;
    *pair = pair_of(ink, ground);
    if (*pair == 0 && colours.anew)
        *pair = nearest_pair(ink, ground);
    return *pair != 0 || colours.anew;
}
