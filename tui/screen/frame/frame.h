/* Everything that the screen shows between two commands, so that drawing needs neither session nor
 * model.
 *
 * Made by the thread that runs commands (worker.h) and read by the thread that draws. Afterwards
 * only `kind` and `sheet_cursor` change, and what frame_mark_as, frame_in_ascii and frame_follow
 * change.
 */
#ifndef ATTNSCOPE_FRAME_H
#define ATTNSCOPE_FRAME_H

#include "report/output/figures.h"
#include "report/report.h"
#include "tui/screen/picture/picture.h"
#include "tui/screen/sheet/page.h"
#include "tui/screen/sheet/sheet.h"

/* Marks of a head in the map of heads. */
enum head_mark { MARK_OFF = 1, MARK_FIXED = 2, MARK_MASKED = 4, MARK_CHANGED = 8 };

struct head_map {
    int layers, heads;
    unsigned char *marks; // (layers, heads): bits of enum head_mark
};

enum frame_kind { FRAME_EMPTY, FRAME_PICTURE, FRAME_SHEET, FRAME_PAGE };

struct frame {
    /* The header: the session. */
    char *model; // "en-de-fixed  en→de  7 fixed + 1 learned  4+4 layers × 8 heads  cpu"
    char *name;  // only of the model, for the prompt
    const struct checkpoint *checkpoint; // of the model, which stays loaded
    char *off;                           // "encoder head 8"; "": none
    char *source;                        // NULL: no sentence yet
    const char *example;                 // a first sentence to suggest; a constant; NULL: none
    char *target;
    bool forced;     // target was given, not found by the search
    char *reference; // of the test set's sentence; NULL: none, or another sentence is shown
    double score;
    int hypothesis, hypotheses; // 0-based, count
    int position, sentences;    // in the test set, 1-based; 0: none, as above
    struct comparison changed;  // target compared with that before the last change; empty: the same
    bool states;                // there is a state before the last change
    bool held;                  // other heads of the sentence need no pass
    struct view view;
    struct head_map maps[MODULE_COUNT];
    /* The view. */
    enum frame_kind kind;   // how it is shown
    bool drawn, listed;     // there is a picture, a sheet; with both the picture is shown first
    struct report report;   // of a picture or sheet
    struct drawing drawing; // drawn
    struct picture picture; // drawn
    struct sheet sheet;     // listed
    struct sheet_cursor sheet_cursor; // while the frame is covered
    bool away;                        // of a sentence opened from a table of a test set
    struct page page;                 // FRAME_PAGE
    char *title;                      // "encoder  layer 3/4  head 8/8  current"
    char *command;                    // that shows it again, without its colon; NULL: none
    bool words;                       // over words
    bool stands_in; // for the last view of the sentence, which does not exist here
    unsigned asked; // the id of the request it answers (worker_run), or, of a page
                    // that the screen makes, of the last request before it
    int holders;    // besides the first: frame_hold
};

/* Returns the views that keys walk through while this frame is shown. */
static inline const struct navigation *frame_navigation(const struct frame *frame)
{
    return &frame->report.navigation;
}

/* True for a view of the current sentence that is to be shown again for the next one. */
static inline bool frame_stays(const struct frame *frame)
{
    return navigation_is_of_sentence(&frame->report.navigation) && !frame->stands_in;
}

/* True if results of that kind are shown as pictures or tables. */
bool frame_can(const struct report *result);

/* Bytes of a frame's command without a final " word". */
int frame_command_length(const struct frame *frame);

/* Makes a frame of the session and a result (taken, also on failure): a picture if the result can
 * be drawn, else a table, else `text` (NULL: none) as a page. `before`: the sentence pair before
 * the last change, whose words are compared; NULL: none. It must not belong to the result. */
struct frame *frame_make(const struct session *session, struct report *result, const char *text,
                         const struct sentence_pair *before, struct status *status);
/* The module shown by the map of heads beside this frame. */
enum module frame_module(const struct frame *frame);

/* The two translations that the frame shows instead of one: those of two states, or from before and
 * after the last change. NULL: one. Borrowed. */
const struct comparison *frame_comparison(const struct frame *frame);

/* The same, also if both texts are equal: what became of their tokens. NULL: nothing was
 * compared. */
const struct comparison *frame_change(const struct frame *frame);

/* Copies the comparison with the last change from `before` if both show the same translation. Out
 * of memory: no comparison. */
void frame_mark_as(struct frame *frame, const struct frame *before);

/* Rewrites the program's own labels, such as the sign for the end of a sentence, in ASCII. After a
 * failure the frame can only be freed. */
bool frame_in_ascii(struct frame *frame, struct status *status);
/* Makes a page of text (taken, also on failure) with the header of another frame. */
struct frame *frame_of_text(const struct frame *frame, const char *title, char *text,
                            struct status *status);
/* Replaces the header of `frame`, except its map of heads, by that of `now`. On failure nothing
 * changes. */
bool frame_follow(struct frame *frame, const struct frame *now, struct status *status);
/* Adds a holder, who calls frame_free too. */
struct frame *frame_hold(struct frame *frame);
void frame_free(struct frame *frame); // NULL: nothing

#endif
