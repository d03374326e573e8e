/* The state of the full-screen session between two events, and what always holds of it.
 *
 * The loop (screen.h) owns the one `struct screen`. Actions (tui/screen/action) change it, drawing
 * (tui/screen/draw) reads it; what needs the session or the model becomes a command line for the
 * worker, so that keys, the prompt and scripts do the same things.
 */
#ifndef ATTNSCOPE_SCREEN_STATE_H
#define ATTNSCOPE_SCREEN_STATE_H

#include "report/comparison.h"
#include "report/view.h"
#include "tui/screen/canvas/canvas.h"
#include "tui/screen/canvas/style.h"
#include "tui/screen/frame/frame.h"
#include "tui/screen/frame/worker.h"

/* The places of the screen's parts: computed from its size and from what is shown. */

/* Parts of the screen; a part with 0 rows is not shown. */
struct layout {
    struct area header, source, target, tokens, reference, line[2], title, view, side, detail, keys,
        bottom;
    int compared; // of how many translations `target` has rows in turns: 2, 1 (the second); 0: no comparison
    struct area map; // the cells of the map of heads, inside `side`; set when the map is drawn
    int map_layer;   // the first layer in the map, 0-based
};

/* Column where the sentences' texts begin, after "source". */
enum { LAYOUT_TEXT_COLUMN = 9 };

/* Columns kept at the right of the texts for the score and the position in a test set, on screens
 * that are wide enough. */
enum { LAYOUT_ASIDE = 17, LAYOUT_LEAST_WITH_ASIDE = 60 };

/* The panel at the right of pictures. */
enum side_wish {
    SIDE_AUTO, // on wide screens; on others only beside a picture that is whole without its columns
    SIDE_SHOWN,
    SIDE_HIDDEN
};
enum { LAYOUT_LEAST_WITH_SIDE = 68 }; // columns of the screen

struct layout_wishes {
    int bottom_rows, detail_rows; // at least 1
    enum side_wish side;
    bool whole; // the matrix is to be seen as a whole: it gets all the room there is
};

/* Divides the canvas among the parts. Keeps map_layer; the map is empty until it is drawn. */
void layout_make(const struct frame *frame, const struct canvas *canvas,
                 const struct layout_wishes *wishes, struct layout *layout);

/* Lines of two translations one above the other, in that many columns. */
int layout_comparison_lines(const struct comparison *comparison, int columns);

/* Columns from one head to the next in a map of that width. */
int layout_head_columns(const struct area *area, const struct head_map *map);

/* The head of the map at (row, column) of the screen; false: there is none. */
bool layout_find_head(const struct layout *layout, const struct head_map *map, int row, int column,
                      int *layer, int *head);

/* Requests to the worker whose results may not be shown yet: keys that follow quickly build on them
 * instead of on what is shown.
 *
 * Zero-initialise; pending_answered for each reply, pending_clear when the worker has nothing left
 * to do. Owns no memory.
 */

enum { SWITCHES_MOST = 64 };

/* Heads that were asked to be switched on or off. */
struct head_switch {
    enum module module;
    int layer, head; // head -1: all of the layer; layer -1: all of the model
    bool off;
};

struct pending {
    unsigned last;    // request: the worker's number of it
    struct view view; // the view asked for last, if has_view
    bool has_view;
    unsigned view_from;                         // request; 0: the next one
    bool from_table;                            // it is shown on the table that is there
    bool opens;                                 // a row of that table
    unsigned table_from;                        // request; 0: the next one
    bool words, has_words;                      // the last choice of words or tokens, if has_words
    unsigned words_from;                        // request
    struct head_switch switches[SWITCHES_MOST]; // (switch_count), oldest first
    int switch_count;
    unsigned switches_from; // the last one's request; 0: the next one
};

void pending_clear(struct pending *pending);
/* A request was made; its reply was taken, and shown. */
void pending_asked(struct pending *pending, unsigned request);
void pending_answered(struct pending *pending, unsigned request);

void pending_set_view(struct pending *pending, const struct view *view);
void pending_set_words(struct pending *pending, bool words);

/* Beyond SWITCHES_MOST the oldest is forgotten: it has been carried out by then. */
void pending_add_switch(struct pending *pending, struct head_switch added);
/* After an undo or redo the outcome of the switches is not known here. */
void pending_forget_switches(struct pending *pending);

/* True if the head will be off once all pending switches are carried out; `now`: whether it is off
 * as shown. */
bool pending_off(const struct pending *pending, enum module module, int layer, int head, bool now);

/* The focus: the reader of keys. Whatever line is entered, the prompt has it then; after a search
 * the view. */
enum typing {
    TYPING_NOTHING, // the view: keys are actions
    TYPING_PROMPT,  // sentences and commands
    TYPING_COMMAND, // a command that was begun in the view
    TYPING_SEARCH,  // likewise a text to search for
    TYPING_DOUBT,   // y, t or n: what the line in `doubt` is
    TYPING_ANSWER   // y or n; then what `asked` says
};

/* The line whose place a question took. */
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

/* Frames that the one shown lies on, the topmost last. */
struct covered {
    struct frame *frames[COVERED_MOST]; // (count), owned
    int count;
};

/* What is shown, to come back to: its frames are held. Zero-initialise. */
struct shown_mark {
    struct frame *frame; // NULL: none
    enum frame_kind kind;
    struct covered covered;
    struct cursors cursors;
    enum side_wish side;
    int single_head;
};

enum { LETTERS_MOST = 200 };

/* Keys with characters, pressed in the view one after the other (action/letters.h). */
struct letters {
    char text[LETTERS_MOST]; // (count)
    size_t count;
    size_t opened;          // the one before this opened the line that is typed; 0: none did
    unsigned id;            // of their requests (worker.h)
    bool asked;             // there were some
    unsigned dropped;       // those whose replies are not shown; 0: none
    struct shown_mark mark; // before the first one
};

/* A line that was entered and may not be the sentence that it says. */
struct doubt {
    char *line;    // owned; NULL: none
    char *command; // in it, owned; NULL: the line is keys
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
    char *given; // keys to press in the view once the line is done with, owned; NULL: none
    struct letters letters;
    struct search search;
    struct message message;
    struct key_prefix prefix;
    int key, count; // the key pressed in the view, and the number typed before it; 0: none
    struct pending pending;
    bool from_table; // the frame to be shown now lies on the table shown
    bool opens;      // likewise, and is what a row of it opened
    int single_head; // the head shown after mean and maximum
    enum side_wish side;
    bool stopping;    // an interrupt was handled; its command has not ended yet
    struct work work; // of the worker, as last looked at
    char *dropped;    // lines that waited when their command was stopped, owned; NULL: none
    bool leaving;     // `:quit` waits
    bool quit;
};

/* Frees all but the worker. */
void screen_free(struct screen *screen);

/* Replaces the message; an empty text removes it. Short of memory nothing is said. */
void screen_say(struct screen *screen, bool failed, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The kind of what is shown: one of enum key_context (key_table.h). */
unsigned screen_context(const struct screen *screen);
/* The flags of keys that wait now for the command that runs (key_table.h). */
unsigned screen_waiting(const struct screen *screen);
/* The cursor of the picture shown; NULL: no picture is shown. */
struct picture_cursor *screen_cursor(struct screen *screen);

/* Command lines for the worker (worker.h), which runs them one after the other. Where none waits,
 * what is on the screen is their current view; otherwise it is what the lines before them show.
 *
 * Where too many wait already, a request is dropped and a message says so.
 */

void request_command(struct screen *screen, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same for a row of the table that is shown. */
void request_row(struct screen *screen, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same for a line that was typed; false: it was dropped. */
bool request_line(struct screen *screen, const char *line);
/* The same for a command that only shows something: it replaces such a request that has not begun,
 * since views that are passed by quickly need not be computed. */
void request_view(struct screen *screen, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Ends the session: `now`, or where it is asked for the second time, at once; otherwise after what
 * runs and waits, and says so. */
void request_quit(struct screen *screen, bool now);
/* Drops what waits, and says so; false: nothing waits. */
bool request_drop(struct screen *screen);
/* Stops what runs and drops what waits; where that is `:quit`, the session ends. False: nothing
 * runs. */
bool request_stop(struct screen *screen);

/* The view asked for last while the worker is busy, else `shown`. */
struct view requested_view(const struct screen *screen, struct view shown);
/* Likewise whether it is of words. */
bool requested_words(const struct screen *screen);

/* The frame that is shown, and those it covers.
 *
 * Tables and texts cover what was shown, which comes back when they are left. A new picture
 * replaces everything: the session may have changed. Tables of studies, however, stay covered by
 * the pictures of a sentence that was opened from one of their rows; and what the list of changed
 * heads lies on stays below it while those heads are looked at.
 */

/* Shows a frame (taken). */
void shown_show(struct screen *screen, struct frame *frame);
/* Shows a page of text (taken). */
void shown_show_text(struct screen *screen, const char *title, char *text);

/* From a table or text back to what it covers; false: a picture is shown, or nothing is covered. */
bool shown_uncover(struct screen *screen);
/* From a picture back to the table of a study, or the list of changed heads, that it was opened
 * from; false: it was opened from none. */
bool shown_return(struct screen *screen);

/* True if the picture below everything is of a sentence that was opened from a table. */
bool shown_is_away(const struct screen *screen);
/* True if that picture alone is below the table or text that is shown. */
bool shown_comes_home(const struct screen *screen);

/* Marks what is shown, in place of what was marked before. */
void shown_mark_set(struct screen *screen, struct shown_mark *mark);
/* Shows what was marked; the mark is empty then. */
void shown_mark_return(struct screen *screen, struct shown_mark *mark);
void shown_mark_free(struct shown_mark *mark); // leaves it empty

/* The command, without its colon, that shows what is on the screen again; under a text, what the
 * text covers. NULL: there is none. */
const char *shown_command(const struct screen *screen);

#endif
