#include "tui/screen/canvas/pen.h"

#include "tui/screen/canvas/sent.h"

// Last, as it defines many common words.
#define NCURSES_NOMACROS
#include <ncurses.h>
#include <term.h>

static const struct look plain = {.ink = PEN_OWN, .ground = PEN_OWN};
static struct look now = {.ink = PEN_OWN, .ground = PEN_OWN};

static void send(const char *capability)
{
    if (capability)
        tputs(capability, 1, sent_byte);
}

static bool is_coloured(const struct look *look)
{
    return look->ink != PEN_OWN || look->ground != PEN_OWN;
}

/* Some terminals cannot show an attribute together with colours: bits of ncv, as terminfo(5)
 * numbers them. */
static struct look possible(struct look look)
{
    enum { UNDERLINE = 1 << 1, REVERSE = 1 << 2, DIM = 1 << 4, BOLD = 1 << 5 };
    int never = is_coloured(&look) && no_color_video > 0 ? no_color_video : 0;
    look.underline &= !(never & UNDERLINE);
    look.reverse &= !(never & REVERSE);
    look.dim &= !(never & DIM);
    look.bold &= !(never & BOLD);
    return look;
}

static void end_colours(void)
{
    if (is_coloured(&now))
        send(orig_pair ? orig_pair : exit_attribute_mode);
    now.ink = now.ground = PEN_OWN;
}

static void end_all(void)
{
    end_colours();
    send(exit_attribute_mode);
    now = plain;
}

static void begin_attribute(bool wanted, bool *is, const char *capability)
{
    if (wanted && !*is)
        send(capability);
    *is = wanted;
}

/* The older capabilities number red and blue the other way round. */
static void set_colour(int colour, int *is, const char *ansi, const char *older)
{
    int turned = (colour & ~5) | (colour & 1) << 2 | (colour & 4) >> 2;
    if (colour != *is && ansi)
        send(tparm(ansi, (long)colour));
    else if (colour != *is && older)
        send(tparm(older, (long)turned));
    *is = colour;
}

void pen_set(struct look look)
{
    look = possible(look);
    if ((now.bold && !look.bold) || (now.dim && !look.dim) || (now.reverse && !look.reverse) ||
        (now.underline && !look.underline))
        end_all();
    if ((now.ink != PEN_OWN && look.ink == PEN_OWN) ||
        (now.ground != PEN_OWN && look.ground == PEN_OWN))
        end_colours();
    begin_attribute(look.bold, &now.bold, enter_bold_mode);
    begin_attribute(look.dim, &now.dim, enter_dim_mode);
    begin_attribute(look.reverse, &now.reverse, enter_reverse_mode);
    begin_attribute(look.underline, &now.underline, enter_underline_mode);
    set_colour(look.ink, &now.ink, set_a_foreground, set_foreground);
    set_colour(look.ground, &now.ground, set_a_background, set_background);
}

void pen_plain(void)
{
    pen_set(plain);
}
