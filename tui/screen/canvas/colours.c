#include "tui/screen/canvas/colours.h"
#include "tui/screen/canvas/palette.h"

#include <stdlib.h>

#define NCURSES_NOMACROS
#include <ncurses.h>
#include <term.h>

enum { OWN = PEN_OWN, BLACK = 16, WHITE = 231, BOLD = 1, UNDERLINE = 2 };

/* Colours that are readable on light and dark backgrounds: their contrast with both is at least
 * 3.5. */
static const struct {
    int colour; // of the 256; OWN: the terminal's
    int few;    // of 16
    int fewer;  // of 8
    int extra;  // attributes besides
} inks[INK_COUNT] = {
    [INK_NORMAL] = {OWN, OWN, OWN, 0},    [INK_FAINT] = {244, 8, OWN, 0},
    [INK_STRONG] = {OWN, OWN, OWN, BOLD}, [INK_ACCENT] = {30, 5, 5, BOLD},
    [INK_WARN] = {160, 1, 1, BOLD},       [INK_MARK] = {130, OWN, OWN, BOLD | UNDERLINE},
    [INK_RISE] = {167, 1, 1, 0},          [INK_FALL] = {68, 12, 4, 0},
    [INK_BLACK] = {16, 0, 0, 0},          [INK_BLUE] = {21, 4, 4, 0},
    [INK_CYAN] = {44, 6, 6, 0},           [INK_WHITE] = {231, 15, 7, 0},
};

static struct {
    enum depth depth;
    int count;
    int reserved; // direct colours below it are those of the terminal's user
} colours;

static bool wants_none(void)
{
    const char *none = getenv("NO_COLOR");
    return none && *none;
}

static bool can_colour(void)
{
    return (set_a_foreground && set_a_background) || (set_foreground && set_background);
}

enum depth colours_open(bool direct)
{
    int reserved = direct ? tigetnum("CO") : 0;
    colours.reserved = reserved > 0 ? reserved : 8;
    colours.count = tigetnum("colors");
    colours.depth = wants_none() || !can_colour() || colours.count < 8 ? DEPTH_NONE
                    : direct                                           ? DEPTH_TRUE
                    : colours.count >= 256                             ? DEPTH_256
                                                                       : DEPTH_16;
    return colours.depth;
}

/* The lowest numbers stand for the user's own colours: there green is raised by 1 of 255, which is
 * not visible. */
static int number_of(struct rgb colour)
{
    if (colours.depth != DEPTH_TRUE)
        return palette_nearest(colour);
    int number = colour.red << 16 | colour.green << 8 | colour.blue;
    return number < colours.reserved ? number | 0x100 : number;
}

static int number_of_ink(enum ink ink)
{
    if (colours.depth == DEPTH_16)
        return colours.count >= 16 ? inks[ink].few : inks[ink].fewer;
    return inks[ink].colour == OWN ? OWN : number_of(palette_colour(inks[ink].colour));
}

/* Returns that of the two colours whose contrast with the fill is larger, as WCAG 2 defines it:
 * equal at a luminance of 0.179, in sRGB a grey of about 118 of 255; the weights are those of
 * luminance, over squares, not powers of 2.4. */
static int number_on(struct rgb fill)
{
    double luminance = 0.2126 * fill.red * fill.red + 0.7152 * fill.green * fill.green +
                       0.0722 * fill.blue * fill.blue;
    return number_of(palette_colour(luminance > 118.0 * 118.0 ? BLACK : WHITE));
}

struct look colours_look(const struct style *style)
{
    bool filled = style->filled && colours.depth >= DEPTH_256;
    int extra = filled ? 0 : inks[style->ink].extra;
    struct look look = {.bold = extra & BOLD,
                        .underline = style->underline || (extra & UNDERLINE),
                        .reverse = style->reverse,
                        .ink = OWN,
                        .ground = OWN};
    look.dim =
        !filled && style->ink == INK_FAINT && (colours.depth == DEPTH_NONE || colours.count < 16);
    if (colours.depth == DEPTH_NONE)
        return look;
    look.ink = filled ? number_on(style->fill) : number_of_ink(style->ink);
    if (filled)
        look.ground = number_of(style->fill);
    else if (style->ground != INK_NORMAL)
        look.ground = number_of_ink(style->ground);
    return look;
}
