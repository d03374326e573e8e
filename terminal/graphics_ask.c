/* Asks a terminal what graphics it has. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/send.h"
#include "base/strings.h"
#include "terminal/graphics.h"
#include "terminal/graphics_sequences.h"
#include "terminal/interrupt.h"
#include "terminal/progress.h"
#include "terminal/terminal.h"

enum { BYTES = 4096, USUAL_ROWS = 24, USUAL_COLUMNS = 80, USUAL_WIDTH = 8, USUAL_HEIGHT = 16 };

static const double PATIENCE = 1; // seconds

#define VERSION "\033[>q"
#define CELL_SIZE "\033[16t"
#define KITTY "\033_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\033\\"
#define ITERM "\033[1337n"
#define ATTRIBUTES "\033[c"
#define REGISTERS "\033[?1;1;0S"
#define STATUS "\033[5n"

const char *const graphics_names[] = {"auto", "kitty", "iterm", "sixel", "blocks", "off", NULL};

/* Reads answers until the status (asked last) arrives, time runs out, the input ends, or Ctrl-C. */
static void collect(struct graphics_replies *replies)
{
    unsigned char bytes[BYTES];
    size_t kept = 0, typed;
    double end = seconds_now() + PATIENCE;
    replies->status = false;
    while (!replies->status && !interrupted() && kept < BYTES) {
        struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
        double left = end - seconds_now();
        int ready = left > 0 ? poll(&input, 1, (int)ceil(left * 1000)) : 0;
        if (ready < 0 && errno == EINTR)
            continue;
        ssize_t count = ready == 1 ? read(STDIN_FILENO, bytes + kept, BYTES - kept) : 0;
        if (count <= 0)
            break;
        kept = graphics_reply_take(replies, bytes, kept + (size_t)count, &typed);
        typed_ahead_add(bytes, typed);
        memmove(bytes, bytes + typed, kept);
    }
    typed_ahead_add(bytes, kept);
}

static void ask(const char *const *questions, bool tmux, struct graphics_replies *replies)
{
    struct written written;
    FILE *out = written_open(&written);
    if (!out)
        return;
    for (; *questions; questions++)
        graphics_send(out, tmux, *questions, strlen(*questions));
    char *text = written_close(&written);
    if (text)
        send_bytes(STDOUT_FILENO, text, written.size);
    free(text);
    collect(replies);
}

/* Characters must arrive at once and without echo; line mode is for shells. */
static bool make_raw(struct termios *found)
{
    struct termios raw;
    if (tcgetattr(STDIN_FILENO, found) != 0 || !(found->c_lflag & (ICANON | ECHO)))
        return false;
    raw = *found;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    return tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
}

static enum graphics best_of(const struct graphics_replies *replies)
{
    return replies->kitty   ? GRAPHICS_KITTY
           : replies->iterm ? GRAPHICS_ITERM
           : replies->sixel ? GRAPHICS_SIXEL
                            : GRAPHICS_BLOCKS;
}

/* tmux takes kitty's query for a window title, so tmux must be recognised before that is asked.
 * tmux mistakes the beginning of iTerm2's own answer for a key, but lets the version through; it
 * keeps the attributes for itself. */
static void ask_both(enum graphics wanted, struct graphics_terminal *terminal,
                     struct graphics_replies *replies)
{
    static const char *const first[] = {VERSION, CELL_SIZE, STATUS, NULL};
    static const char *const second[] = {KITTY, ITERM, ATTRIBUTES, STATUS, NULL};
    static const char *const around[] = {KITTY, VERSION, REGISTERS, STATUS, NULL};
    ask(first, false, replies);
    terminal->tmux = replies->tmux;
    if (wanted != GRAPHICS_AUTO)
        return;
    if (replies->status)
        ask(replies->tmux ? around : second, replies->tmux, replies);
    terminal->kind = best_of(replies);
}

static void measure(struct graphics_terminal *terminal, const struct graphics_replies *replies)
{
    struct winsize window = {0};
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0;
    terminal->columns = known && window.ws_col > 0 ? window.ws_col : USUAL_COLUMNS;
    terminal->rows = known && window.ws_row > 0 ? window.ws_row : USUAL_ROWS;
    int width = known ? window.ws_xpixel / terminal->columns : 0;
    int height = known ? window.ws_ypixel / terminal->rows : 0;
    terminal->cell_width = width > 0             ? width
                           : replies->cell_width ? replies->cell_width
                                                 : USUAL_WIDTH;
    terminal->cell_height = height > 0             ? height
                            : replies->cell_height ? replies->cell_height
                                                   : USUAL_HEIGHT;
}

void graphics_ask(enum graphics wanted, struct graphics_terminal *terminal)
{
    struct graphics_replies replies = {0};
    struct termios found;
    *terminal =
        (struct graphics_terminal){.kind = wanted == GRAPHICS_AUTO ? GRAPHICS_BLOCKS : wanted};
    if (isatty(STDIN_FILENO) && wanted != GRAPHICS_BLOCKS && wanted != GRAPHICS_OFF) {
        bool changed = make_raw(&found);
        ask_both(wanted, terminal, &replies);
        if (changed)
            tcsetattr(STDIN_FILENO, TCSANOW, &found);
    }
    measure(terminal, &replies);
}
