#include "tui/screen/canvas/sent.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/send.h"
#include "terminal/text/display.h"
#include "tui/screen/canvas/palette.h"

// Last, as it defines "columns" and many other words.
#define NCURSES_NOMACROS
#include <ncurses.h>
#include <term.h>
#undef columns

static struct {
    char bytes[16384];
    size_t count;
} sent;

void sent_flush(void)
{
    send_bytes(STDOUT_FILENO, sent.bytes, sent.count);
    sent.count = 0;
}

/* Sends one byte for terminfo's tputs, and returns it. */
static int sent_byte(int byte)
{
    if (sent.count == sizeof sent.bytes)
        sent_flush();
    sent.bytes[sent.count++] = (char)byte;
    return byte;
}

void sent_add(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        sent_byte((unsigned char)text[i]);
}

/* The look ------------------------------------------------------------------------------------- */

enum { OWN = -1 }; // the terminal's own colour
struct look {
    bool bold, dim, reverse, underline;
    int ink, ground; // numbers of the terminal's colours, or OWN
};

static const struct look plain = {.ink = OWN, .ground = OWN};
static struct look now = {.ink = OWN, .ground = OWN}; // plain at first

static void send(const char *capability)
{
    if (capability)
        tputs(capability, 1, sent_byte);
}

static bool is_coloured(const struct look *look)
{
    return look->ink != OWN || look->ground != OWN;
}

/* Some terminals cannot show an attribute together with colours: the bits of ncv, numbered as in
 * terminfo(5). */
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
    now.ink = now.ground = OWN;
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

/* Adds what changes the look. */
static void pen_set(struct look look)
{
    look = possible(look);
    if ((now.bold && !look.bold) || (now.dim && !look.dim) || (now.reverse && !look.reverse) ||
        (now.underline && !look.underline))
        end_all();
    if ((now.ink != OWN && look.ink == OWN) || (now.ground != OWN && look.ground == OWN))
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

/* Colours -------------------------------------------------------------------------------------- */

enum { BLACK = 16, WHITE = 231, BOLD = 1, UNDERLINE = 2 };

/* Colours that are readable on light and dark backgrounds: their contrast with both is at least
 * 3.5. */
static const struct {
    int colour; // of 256; OWN: the terminal's
    int few;    // of 16
    int fewer;  // of 8
    int extra;  // attributes to add
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
    int reserved; // smaller numbers of direct colours are the user's own
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

/* The lowest numbers stand for the user's own colours. For these, green is raised by 1 of 255,
 * which is not visible. */
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

/* Returns which of the two colours contrasts more with the fill, as WCAG 2 defines it: they are
 * equal at a luminance of 0.179, in sRGB a grey of about 118 of 255. The weights are those of
 * luminance, over squares instead of powers of 2.4. */
static int number_on(struct rgb fill)
{
    double luminance = 0.2126 * fill.red * fill.red + 0.7152 * fill.green * fill.green +
                       0.0722 * fill.blue * fill.blue;
    return number_of(palette_colour(luminance > 118.0 * 118.0 ? BLACK : WHITE));
}

static struct look colours_look(const struct style *style)
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

/* Rows of a canvas ----------------------------------------------------------------------------- */

#undef columns

/* So many unchanged columns cost as much to send as a movement of the cursor. */
enum { GAP = 8 };

struct row {
    int number, columns;
    const struct cell *cells, *shown;
};

static bool same_style(const struct style *a, const struct style *b)
{
    return a->ink == b->ink && a->ground == b->ground && a->reverse == b->reverse &&
           a->underline == b->underline && a->filled == b->filled && a->fill.red == b->fill.red &&
           a->fill.green == b->fill.green && a->fill.blue == b->fill.blue;
}

static bool same_cell(const struct cell *a, const struct cell *b)
{
    return strcmp(a->text, b->text) == 0 && same_style(&a->style, &b->style);
}

/* Returns the first column from `column` on that the terminal does not have yet; at most
 * row->columns. */
static int next_change(const struct row *row, int column)
{
    while (row->shown && column < row->columns &&
           same_cell(&row->cells[column], &row->shown[column]))
        column++;
    return column;
}

static bool is_even(const struct cell *cells, int columns)
{
    for (int i = 0; i < columns; i++)
        if (!display_is_even(cells[i].text))
            return false;
    return true;
}

static int width_at(const struct row *row, int column)
{
    int end = column + 1;
    while (end < row->columns && !*row->cells[end].text)
        end++;
    return end - column;
}

void cell_row_move(int row, int column)
{
    if (!move_standout_mode)
        pen_plain();
    tputs(tparm(cursor_address, (long)row, (long)column), 1, sent_byte);
}

static bool follows_open(const struct row *row, int column)
{
    while (column > 0 && !*row->cells[--column].text)
        continue;
    const char *text = row->cells[column].text;
    return display_is_open(text, strlen(text));
}

/* If a grapheme takes fewer columns than are reserved for it, the others are blank. Returns true if
 * the cursor is after it. */
static bool send_text(const struct row *row, int column, int width)
{
    const char *text = *row->cells[column].text ? row->cells[column].text : " ";
    bool even = display_is_even(text) && !follows_open(row, column);
    if (!even) {
        for (int i = 0; i < width; i++)
            sent_byte(' ');
        cell_row_move(row->number, column);
    }
    sent_add(text, strlen(text));
    return even && column + width < row->columns;
}

void cell_row_send(int number, const struct cell *cells, const struct cell *shown, int columns)
{
    const struct row row = {number, columns, cells, shown};
    bool even = is_even(cells, columns) && (!shown || is_even(shown, columns));
    int cursor = -1, change = next_change(&row, 0);
    // tmux 3.4 and later join a flag to the letter before it, and erase both together.
    for (int at = even || change == columns ? change : 0; at < columns;) {
        while (at > 0 && !*cells[at].text)
            at--;
        if (at != cursor)
            cell_row_move(number, at);
        pen_set(colours_look(&cells[at].style));
        int width = width_at(&row, at);
        cursor = send_text(&row, at, width) ? at + width : -1;
        at += width;
        int next = even ? next_change(&row, at) : at;
        at = next - at > GAP || next == columns ? next : at;
    }
}
