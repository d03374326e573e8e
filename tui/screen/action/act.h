/* What keys, clicks and the wheel do. An action is a function of the screen: screen->key is the key
 * pressed, if several run one action, and screen->count the number typed before it.
 */
#ifndef ATTNSCOPE_ACT_H
#define ATTNSCOPE_ACT_H

#include "tui/manual/key_table.h"
#include "tui/screen/canvas/keys.h"
#include "tui/screen/state/state.h"

typedef void act(struct screen *screen);

/* How often to repeat a key: its count, or once. */
int act_times(const struct screen *screen);

/* Move the cursor, or the scroll position of a text, within what is shown. */

act act_cell; // h j k l, and the arrows that do the same
act act_page, act_first, act_last, act_line_end;

/* Moves by up to that many rows and columns; in an overview by panels. */
void act_move(struct screen *screen, int rows, int columns);

/* Moves the cursor to the next match of screen->search.text, which must be set: a token among a
 * picture's labels, a text in a table or page. Says so if there is none. */
void act_find(struct screen *screen, bool backward);

/* Go to another head, layer or module in the same kind of view. */

act act_head, act_layer, act_module;
/* Arrows in views without single heads: layers of importance, the two sides of gates; for two
 * states side by side, the head or layer. */
act act_other;

/* Asks for that head, alone or, if two states are shown, in both. */
void act_show(struct screen *screen, const struct view *view);

/* Go to other views: each action asks the worker for one, or changes the presentation of the
 * current one. */

act act_open, act_overview, act_words, act_merged, act_method, act_token, act_token_step,
    act_hypothesis, act_sentence, act_beside, act_sort, act_table, act_side, act_whole;

/* act_has_words: true if there are words besides tokens (w). act_has_table: true if something can
 * replace what is shown (v). */
bool act_has_words(const struct frame *frame);
bool act_has_table(const struct frame *frame);

/* False for keys that would only report that they do nothing here. */
bool act_works(const struct screen *screen, const struct key_entry *key);

/* Sets *view to the head at the cursor in an overview, or among the heads of a token; false:
 * another kind of view. */
bool act_head_at_cursor(struct screen *screen, struct view *view);

/* Handles a key pressed in the view: runs its action (key_table.h), or keeps it if it begins a
 * count or gg. */
void act_press(struct screen *screen, int key);

/* Keys and clicks that move the focus between prompt and view, or that work in both.
 *
 * The first key at an empty prompt decides: text is text; ← → and Tab enter the view and act there.
 * Esc and a click enter it from any line. Page Up, Page Down and the wheel scroll the view without
 * moving the focus. A paste always goes to a line.
 */

/* Handles a key of EVENT_KEY received while a line is typed. */
void focus_line_key(struct screen *screen, const struct event *event);
void focus_mouse(struct screen *screen, const struct event *event);

/* Returns the bytes that a terminal sends for the key shown at a column: the word there; in a word
 * of several keys ("hjkl", "←→") the character; in a description the last key before it. A static
 * string, or owned by the canvas; NULL: no key. */
const char *key_line_find(const struct canvas *canvas, int row, int column);

#endif
