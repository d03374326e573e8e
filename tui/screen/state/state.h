/* The state of the full-screen session between two events, and its invariants.
 *
 * The loop (screen.h) owns the only `struct screen`. Actions (tui/screen/action) change it, drawing
 * (tui/screen/draw) reads it. Anything that needs the session or the model becomes a command line
 * for the worker, so that keys, the prompt and scripts behave alike.
 */
#ifndef ATTNSCOPE_SCREEN_STATE_H
#define ATTNSCOPE_SCREEN_STATE_H

#include "report/comparison.h"
#include "report/view.h"
#include "tui/screen/canvas/canvas.h"
#include "tui/screen/canvas/style.h"
#include "tui/screen/frame/frame.h"
#include "tui/screen/frame/worker.h"

/* The layout of the screen's parts, computed from its size and from what is shown. */

/* Parts of the screen; a part with 0 rows is not shown. */
struct layout {
    struct area header, source, target, tokens, reference, line[2], title, view, side, detail, keys,
        bottom;
    int compared; // how many translations `target` shows in alternating rows: 2, or 1 (the second);
                  // 0: no comparison
    struct area map; // the cells of the map of heads, inside `side`; set when the map is drawn
    int map_layer;   // the first layer in the map, 0-based
};

/* Column where the sentences' texts begin, after "source". */
enum { LAYOUT_TEXT_COLUMN = 9 };

/* Columns reserved at the right of the texts for the score and the position in a test set, on wide
 * screens. */
enum { LAYOUT_ASIDE = 17, LAYOUT_LEAST_WITH_ASIDE = 60 };

/* The panel at the right of pictures. */
enum side_wish {
    SIDE_AUTO, // on wide screens; on others only beside a picture that fits without these columns
    SIDE_SHOWN,
    SIDE_HIDDEN
};
enum { LAYOUT_LEAST_WITH_SIDE = 68 }; // columns of the screen

struct layout_wishes {
    int bottom_rows, detail_rows; // at least 1
    enum side_wish side;
    bool whole; // show the whole matrix, in all the room available
};

/* Divides the canvas among the parts. Keeps map_layer; the map is empty until it is drawn. */
void layout_make(const struct frame *frame, const struct canvas *canvas,
                 const struct layout_wishes *wishes, struct layout *layout);

/* The number of lines of two translations one above the other, in that many columns. */
int layout_comparison_lines(const struct comparison *comparison, int columns);

/* The columns from one head to the next in a map of that width. */
int layout_head_columns(const struct area *area, const struct head_map *map);

/* The head of the map at (row, column) of the screen; false: none. */
bool layout_find_head(const struct layout *layout, const struct head_map *map, int row, int column,
                      int *layer, int *head);

/* Requests to the worker whose results may not be shown yet. Keys typed quickly build on these
 * instead of on what is shown.
 *
 * Zero-initialise; pending_answered for each reply, pending_clear when the worker is idle. Owns no
 * memory.
 */

enum { SWITCHES_MOST = 64 };

/* A request to switch heads on or off. */
struct head_switch {
    enum module module;
    int layer, head; // head -1: all of the layer; layer -1: all of the model
    bool off;
};

struct pending {
    unsigned last;    // the request's number from the worker
    struct view view; // the view asked for last, if has_view
    bool has_view;
    unsigned view_from;                         // request; 0: the next one
    bool from_table;                            // it will cover the current table
    bool opens;                                 // it was opened from a row of that table
    unsigned table_from;                        // request; 0: the next one
    bool words, has_words;                      // the last choice of words or tokens, if has_words
    unsigned words_from;                        // request
    struct head_switch switches[SWITCHES_MOST]; // (switch_count), oldest first
    int switch_count;
    unsigned switches_from; // the last one's request; 0: the next one
};

void pending_clear(struct pending *pending);
/* pending_asked: a request was made. pending_answered: its reply was taken and shown. */
void pending_asked(struct pending *pending, unsigned request);
void pending_answered(struct pending *pending, unsigned request);

void pending_set_view(struct pending *pending, const struct view *view);
void pending_set_words(struct pending *pending, bool words);

/* Beyond SWITCHES_MOST the oldest is dropped: it has been carried out by then. */
void pending_add_switch(struct pending *pending, struct head_switch added);
/* Call after an undo or redo, which makes the outcome of the switches unknown. */
void pending_forget_switches(struct pending *pending);

/* True if the head will be off once all pending switches are carried out; `now`: true if it is
 * shown as off. */
bool pending_off(const struct pending *pending, enum module module, int layer, int head, bool now);

/* The focus: what reads keys. After an entered line the prompt has it; after a search, the view. */
enum typing {
    TYPING_NOTHING, // the view: keys are actions
    TYPING_PROMPT,  // sentences and commands
    TYPING_COMMAND, // a command begun in the view
    TYPING_SEARCH,  // a search begun in the view
    TYPING_DOUBT,   // y, t or n: what the line in `doubt` means
    TYPING_ANSWER   // y or n; then `asked` again
};

/* The line that a question replaced. */
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
    int found; // the page's line found last, plus 1; 0: none since scrolling
};

enum { COVERED_MOST = 6 };

/* Frames covered by the one shown, the topmost last. */
struct covered {
    struct frame *frames[COVERED_MOST]; // (count), owned
    int count;
};

/* What is shown, to return to; holds its frames. Zero-initialise. */
struct shown_mark {
    struct frame *frame; // NULL: none
    enum frame_kind kind;
    struct covered covered;
    struct cursors cursors;
    enum side_wish side;
    int single_head;
};

enum { LETTERS_MOST = 200 };

/* Character keys pressed one after the other in the view (action/letters.h). */
struct letters {
    char text[LETTERS_MOST]; // (count)
    size_t count;
    size_t opened;          // letters[opened - 1] opened the line being typed; 0: none did
    unsigned id;            // of their requests (worker.h)
    bool asked;             // there were requests
    unsigned dropped;       // id of those whose replies are not shown; 0: none
    struct shown_mark mark; // before the first one
};

/* An entered line that may not be meant as a sentence. */
struct doubt {
    char *line;    // owned; NULL: none
    char *command; // in the line, owned; NULL: the line is keys
};

struct message {
    char *text; // owned; NULL: none
    bool failed;
};

struct search {
    char *text;          // last search, owned; NULL: none yet
    bool backward;       // its direction
    bool typed_backward; // direction of the search being typed
};

/* Keys typed in front of a key. */
struct key_prefix {
    int count; // 0: none
    bool g;    // the first key of gg
    bool z;    // the first key of ZZ
};

struct screen {
    struct worker *worker;
    struct screen_style style;
    struct canvas canvas;
    struct layout layout; // as last drawn
    struct frame *frame;  // the one shown, owned; never NULL while the loop runs
    struct covered covered;
    struct cursors cursors;
    enum typing typing;
    struct asked asked;
    struct doubt doubt;
    char *given; // keys to press in the view after the line, owned; NULL: none
    struct letters letters;
    struct search search;
    struct message message;
    struct key_prefix prefix;
    int key, count; // the key pressed in the view, and the number typed before it; 0: none
    struct pending pending;
    bool from_table; // the next frame covers the current table
    bool opens;      // the same, and a row of it opened the frame
    int single_head; // the head shown after mean and maximum
    enum side_wish side;
    struct work work; // of the worker, as last looked at
    char *dropped;    // lines that waited when the command was stopped, owned; NULL: none
    bool leaving;     // `:quit` waits
    bool quit;
};

/* Frees everything but the worker. */
void screen_free(struct screen *screen);

/* Replaces the message; an empty text removes it. Out of memory: no message. */
void screen_say(struct screen *screen, bool failed, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The kind of view shown: one of enum key_context (key_table.h). */
unsigned screen_context(const struct screen *screen);
/* The flags of keys that now wait for the running command (key_table.h). */
unsigned screen_waiting(const struct screen *screen);
/* The cursor of the picture shown; NULL: no picture. */
struct picture_cursor *screen_cursor(struct screen *screen);

/* Command lines for the worker (worker.h), which runs them one after the other. If none waits,
 * their current view is what is on the screen; otherwise it is what the lines before them show.
 *
 * If too many wait already, a request is dropped with a message.
 */

void request_command(struct screen *screen, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same for a row of the table shown. */
void request_row(struct screen *screen, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same for a typed line; false: dropped. */
bool request_line(struct screen *screen, const char *line);
/* The same for a command that only shows something. It replaces an earlier such request that has
 * not begun, because views passed quickly need not be computed. */
void request_view(struct screen *screen, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Ends the session: at once if `now` or if asked a second time; otherwise after all running and
 * waiting lines, with a message. */
void request_quit(struct screen *screen, bool now);
/* Drops waiting lines with a message; false: nothing waits. */
bool request_drop(struct screen *screen);
/* Stops the running line and drops waiting ones; if `:quit` is among these, the session ends.
 * False: nothing runs. */
bool request_stop(struct screen *screen);
/* The same after the worker has done it: takes the lines that it dropped. */
void request_stopped(struct screen *screen, struct reply *reply);

/* The view asked for last while the worker is busy, else `shown`. */
struct view requested_view(const struct screen *screen, struct view shown);
/* The same for the choice of words. */
bool requested_words(const struct screen *screen);

/* The frame shown, and those it covers.
 *
 * Tables and texts cover what was shown, which returns when they are left. A new picture replaces
 * everything, because the session may have changed. However, a table of a study stays below the
 * pictures of a sentence opened from one of its rows, and so does what the list of changed heads
 * covers while those heads are shown. A table or text that was asked for after the picture, such
 * as help while a sentence is translated, stays above it.
 */

/* Shows a frame (taken). */
void shown_show(struct screen *screen, struct frame *frame);
/* Shows a page of text (taken). */
void shown_show_text(struct screen *screen, const char *title, char *text);

/* Returns from a table or text to what it covers; false: a picture is shown, or nothing is
 * covered. */
bool shown_uncover(struct screen *screen);
/* Returns from a picture to the study's table or list of changed heads that it was opened from;
 * false: none. */
bool shown_return(struct screen *screen);

/* True if the bottommost picture is of a sentence opened from a table. */
bool shown_is_away(const struct screen *screen);
/* True if only that picture is below the table or text shown. */
bool shown_comes_home(const struct screen *screen);

/* Marks what is shown, replacing the previous mark. */
void shown_mark_set(struct screen *screen, struct shown_mark *mark);
/* Shows what was marked and empties the mark. */
void shown_mark_return(struct screen *screen, struct shown_mark *mark);
void shown_mark_free(struct shown_mark *mark); // leaves it empty

/* The frame that is on the screen or, for a text, that the text covers, whose command shows it
 * again. NULL: none. */
const struct frame *shown_view(const struct screen *screen);

#endif
