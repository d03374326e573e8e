/* What the full-screen session knows between two events, and what always holds of it.
 *
 * The loop (screen.h) owns the one `struct screen`. Actions (tui/screen/action) change it, drawing (tui/screen/draw)
 * reads it; what needs the session or the model becomes a command line for the worker (requests.h), so that keys, the
 * prompt and scripts do the same things.
 */
#ifndef ATTNSCOPE_SCREEN_STATE_H
#define ATTNSCOPE_SCREEN_STATE_H

#include "tui/screen/canvas/canvas.h"
#include "tui/screen/canvas/style.h"
#include "tui/screen/frame/frame.h"
#include "tui/screen/frame/worker.h"
#include "tui/screen/state/layout.h"
#include "tui/screen/state/pending.h"

/* What has the focus: what keys are read for. The prompt keeps it from line to line; a line that was begun in the view
 * gives it back to the view. */
enum typing {
    TYPING_NOTHING, // the view: keys are actions
    TYPING_PROMPT,  // sentences and commands
    TYPING_COMMAND, // a command that was begun in the view
    TYPING_SEARCH,  // likewise a text to search for
    TYPING_ANSWER   // y or n; then what `asked` says
};

/* What a question took the place of. */
struct asked {
    enum typing typing;
    char *text; // of the line, owned; NULL: none
    int point;  // the cursor's byte in it
};

/* Cursors and scroll positions; each kind of view keeps its own while others are shown. */
struct cursors {
    struct picture_cursor matrix, grid, token, other;
    struct sheet_cursor sheet;
    struct page_scroll page;
    int found; // line of the page found last, plus 1; 0: none since the page was scrolled
};

enum { COVERED_MOST = 6 };

/* Frames that the one shown lies on, the topmost last (shown.h). */
struct covered {
    struct frame *frames[COVERED_MOST]; // (count), owned
    int count;
};

struct message {
    char *text; // owned; NULL: nothing to say
    bool failed;
};

struct search {
    char *text;          // searched for last, owned; NULL: nothing yet
    bool backward;       // its direction
    bool typed_backward; // direction of the search that is being typed
};

/* What was typed in front of a key. */
struct key_prefix {
    int count; // 0: none
    bool g;    // the first key of gg
};

struct screen {
    struct worker *worker;
    struct screen_style style;
    struct canvas canvas;
    struct layout layout; // as last drawn
    struct frame *frame;  // what is shown, owned; never NULL while the loop runs
    struct covered covered;
    struct cursors cursors;
    enum typing typing;
    struct asked asked;
    struct search search;
    struct message message;
    struct key_prefix prefix;
    struct pending pending;
    int single_head; // the head shown after mean and maximum
    enum side_wish side;
    bool stopping; // an interrupt was handled; its command has not ended yet
    bool quit;
};

/* Frees all but the worker. */
void screen_free(struct screen *screen);

/* Replaces the message; an empty text removes it. Short of memory nothing is said. */
void screen_say(struct screen *screen, bool failed, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The kind of what is shown: one of enum key_context (key_table.h). */
unsigned screen_context(const struct screen *screen);
/* The cursor of the picture shown; NULL: no picture is shown. */
struct picture_cursor *screen_cursor(struct screen *screen);

#endif
