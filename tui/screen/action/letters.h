/* Text that somebody types while the view has the keys.
 *
 * Every letter acts at once, as a key. Those pressed without another key in between are kept; as
 * soon as they, with the next one, are clearly text, what they did is undone and they stand in the
 * prompt, where typing goes on. No time is measured: `d` is one key however long it is alone.
 *
 * Text is: a letter that is a key nowhere, or outside ASCII; a blank or a comma behind a word of
 * two letters or more that is not made of moves (h j k l n g); a word with a capital, such as "The",
 * before its e or i opens a line. A letter that opens a line (e i : /) may turn out to be text when
 * the line goes on as no line of that kind does: `e`, then a blank; or when the whole is a word that
 * the model knows: "ti", then "me ".
 */
#ifndef ATTNSCOPE_LETTERS_H
#define ATTNSCOPE_LETTERS_H

#include "tui/screen/canvas/keys.h"
#include "tui/screen/state/state.h"

/* True if these letters, `count` of them, are clearly text once `next` comes. Pure. */
bool letters_are_text(const char *letters, size_t count, int next);
/* The same when letters[opened - 1] opened the line that the others, and `next`, are typed in;
 * '\r': Enter. Pure. */
bool letters_in_line_are_text(const char *letters, size_t count, size_t opened, int next);

/* A key of EVENT_KEY that came while the view has the keys. */
void letters_press(struct screen *screen, const struct event *event);
/* Text of EVENT_TEXT that came while a line is typed; true: it was not the line's, and what was
 * before it stands in the prompt. `*used`: bytes that belong to it. */
bool letters_take_line(struct screen *screen, const struct event *event, int *used);

/* Another key, a click, a paste: what was pressed before is done with. */
void letters_end(struct screen *screen);

/* A reply of the worker to what letters asked for that turned out to be text is not shown; true: it
 * is such a one. */
bool letters_drop(struct screen *screen, const struct reply *reply);
/* After a frame was shown that the letters did not ask for: this is what they come back to. */
void letters_follow(struct screen *screen, const struct reply *reply);

#endif
