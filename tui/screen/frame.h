/* What the screen shows between two commands: all of it, so that drawing asks neither session nor model.
 *
 * Made by the thread that runs commands (worker.h), read by the one that draws; only `kind` and `place` change.
 */
#ifndef ATTNSCOPE_FRAME_H
#define ATTNSCOPE_FRAME_H

#include "tui/changed.h"
#include "tui/figures.h"
#include "tui/result.h"
#include "tui/screen/page.h"
#include "tui/screen/picture.h"
#include "tui/screen/sheet.h"

/* What a head does, as the map of heads marks it. */
enum head_mark { MARK_OFF = 1, MARK_FIXED = 2, MARK_MASKED = 4, MARK_CHANGED = 8 };

struct head_map {
    int layers, heads;
    unsigned char *marks; // (layers, heads): bits of enum head_mark
};

enum frame_kind { FRAME_EMPTY, FRAME_PICTURE, FRAME_SHEET, FRAME_PAGE };

struct frame {
    /* The session. */
    char *model;  // "en-de-fixed  en→de  7 fixed + 1 learned  4+4 layers × 8 heads  cpu"
    char *name;   // of the model alone, for the prompt
    char *off;    // "encoder head 8"; "": none
    char *source; // NULL: there is no sentence yet
    char *target;
    char *reference; // of the test set; NULL: none
    double score;
    int hypothesis, hypotheses; // 0-based, count
    int position, sentences;    // in the test set, 1-based; 0: none
    struct changed changed;     // words of target that the last change changed
    bool states;                // there is a state before the last change
    struct view view;
    struct head_map maps[MODULE_COUNT];
    /* The view. */
    enum frame_kind kind;    // as which it is shown
    bool drawn, listed;      // there are a picture and a sheet; of both the picture is shown first
    struct result result;    // what a picture or sheet is of
    struct drawing drawing;  // drawn
    struct picture picture;  // likewise
    struct sheet sheet;      // listed
    struct sheet_spot place; // in it, while it is covered
    struct page page;        // FRAME_PAGE
    char *title;             // "encoder  layer 3/4  head 8/8  learned, global"
    char *command;           // that shows it again, without its colon; NULL: nothing does
    bool words;              // over words
};

/* Whether results of that kind are pictures or tables. */
bool frame_can(const struct result *result);

/* From the session and a result (taken, also on failure): a picture where it can be drawn, else a table
 * where it is one, else `text` (NULL: none) as a page. `before`: the subject until now, or NULL; it may be part
 * of no result. */
struct frame *frame_make(const struct session *session, struct result *result, const char *text,
                         const struct subject *before, struct status *status);
/* Marks the words that `before` marks, where the translation is the same. Short of memory it marks none. */
void frame_mark_as(struct frame *frame, const struct frame *before);

/* Rewrites labels that are ours, such as the sign for the end of a sentence, in ASCII. After a failure the frame
 * is to be freed. */
bool frame_in_ascii(struct frame *frame, struct status *status);
/* A page of text (taken, also on failure) over what another frame says of the session. */
struct frame *frame_of_text(const struct frame *frame, const char *title, char *text,
                            struct status *status);
/* What it says of the session, but the map of heads, is from now on what `now` says. On failure it stays. */
bool frame_follow(struct frame *frame, const struct frame *now, struct status *status);
void frame_free(struct frame *frame); // NULL: nothing

#endif
