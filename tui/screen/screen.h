/* The full-screen session: what it knows between two events, and its main loop.
 *
 * Drawing (screen_draw.c), keys (bindings.c, act_*.c) and the mouse work on `struct screen`; whatever needs the session
 * or the model becomes a command line for the worker, so that keys, prompt and scripts do the same things.
 */
#ifndef ATTNSCOPE_SCREEN_H
#define ATTNSCOPE_SCREEN_H

#include "tui/program.h"
#include "tui/screen/bindings.h"
#include "tui/screen/canvas.h"
#include "tui/screen/frame.h"
#include "tui/screen/look.h"
#include "tui/screen/surface.h"
#include "tui/screen/worker.h"

enum typing {
    TYPING_NOTHING, // keys are the view's
    TYPING_COMMAND, // a sentence or a command
    TYPING_SEARCH,  // what to look for
    TYPING_ANSWER   // y or n
};

/* Where one is in what is shown; each kind keeps its place while others are looked at. */
struct places {
    struct spot matrix, grid, token, other;
    struct sheet_spot sheet;
    struct page_spot page;
    int found; // line of a page after the one last found; 0: none since one moved
};

/* Parts of the screen as last laid out (layout.h); rows 0: not shown. */
struct layout {
    struct area header, source, target, reference, line[2], title, view, side, detail, keys, bottom;
    struct area map; // of heads, a cell each, blanks between them where they fit, in `side`
    int map_layer;   // its first layer, 0-based
};

/* Heads that were asked to be switched: what is shown may not know it yet. */
enum { SWITCHES_MOST = 64 };
struct switched {
    enum module module;
    int layer, head; // head -1: all of the layer; layer -1: all of the model
    bool off;
};
struct switches {
    struct switched last[SWITCHES_MOST]; // (count), the newest last
    int count;
};

enum { COVERED_MOST = 6 };

struct screen {
    struct program *program;
    struct worker *worker;
    struct look look;
    struct canvas canvas;
    struct layout layout;
    struct frame *frame;               // what is shown; NULL: nothing yet
    struct frame *below[COVERED_MOST]; // (covered): what it covers (show.c), the topmost last
    int covered;
    bool opening; // what was asked for last is behind a row of the table shown
    struct places places;
    enum typing typing;
    bool backward; // direction of the search that is typed
    char *search;  // last looked for; NULL: nothing yet
    bool searched_backward;
    char *message;            // NULL: nothing to say
    bool failed;              // the message is an error
    int count;                // typed before a key; 0: none
    bool pending_g;           // of gg
    struct view aim;          // what was asked for last,
    bool aimed;               // if anything was: it may not be shown yet
    struct switches switches; // since the worker had nothing to do
    int single;               // the head that mean and maximum come back to
    bool stale, retried;      // what is shown is of a state before; it was asked for again
    bool stopped;             // Ctrl-C, or Esc, was heard
    bool quit;
};

/* Runs until the user quits or the terminal is gone. False: it could not begin. */
bool screen_run(struct program *program, bool ascii, struct status *status);

/* For keys and the mouse ---------------------------------------------------------------------------- */

/* Hands lines to the worker; complains where too many wait. */
void screen_send(struct screen *screen, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same for a view that takes the place of one that waits: nobody wants to see what is passed by. */
void screen_send_view(struct screen *screen, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void screen_say(struct screen *screen, bool failed, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The kind of what is shown, and the cursor's place in a picture (NULL: it is none). */
unsigned screen_place(const struct screen *screen);
struct spot *screen_spot(struct screen *screen);

/* Typing (typing.c). screen_open_line once, line_close after it. */
bool screen_open_line(struct screen *screen, struct status *status);
/* Begins to type a command with that text, the cursor at byte `point` (-1: the end). */
void screen_type(struct screen *screen, const char *text, int point);
void screen_type_search(struct screen *screen, bool backward);
void screen_ask(struct screen *screen, const char *question); // y or n, for the worker
/* Where what is typed has ended, does what it says. */
void screen_typed(struct screen *screen);

/* Looks for screen->search from the cursor on. */
void screen_look_for(struct screen *screen, bool backward);

/* Shows a frame (taken). Tables and texts cover what was there, which comes back; a new picture is of a session that may
 * have changed, but tables of studies stay below the pictures of the sentence that was opened from them. */
void screen_show(struct screen *screen, struct frame *frame);
/* Back to what a table or text covers; false: what is shown is a picture, or covers nothing. */
bool screen_uncover(struct screen *screen);
/* From a picture back to the table of a study from which it was opened; false: it was not. */
bool screen_return(struct screen *screen);
/* Shows a page of text (taken). */
void screen_show_page(struct screen *screen, const char *title, char *text);

void screen_mouse(struct screen *screen, const struct event *event);

/* Lays out and draws all of it; *row and *column: the terminal's cursor, row -1: hidden. */
void screen_draw(struct screen *screen, int *row, int *column);

/* The prompt of a command: the model's name. */
void screen_prompt(const struct screen *screen, char *text, size_t size);

/* What stands at the cursor: "shirt → blue 0.412", or a table's text; "" where there is no cursor. Labels are cut
 * where they are wider than 40 columns; all of it is at most 800 bytes. */
void screen_describe(struct screen *screen, char *text, size_t size);

#endif
