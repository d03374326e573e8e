/* Text typed while the view has the focus.
 *
 * Every letter acts at once, as a key. Letters pressed without another key in between are kept; as
 * soon as they and the next one are clearly text, their effects are undone and they move to the
 * prompt, where typing continues. There are no timeouts: a lone `d` stays a key, also where "The"
 * or a word of another script follows, as no word begins so.
 *
 * Text is: a letter that is not a key in any view, or outside ASCII; a blank after a word of at
 * least two letters that are not all moves (h j k l n g), or a comma after one of at least one; a
 * word with a capital, such as "The", before its e or i opens a line. A letter that opens a line
 * (e i : /) turns out to be text if the line continues as no such line does (`e`, then a blank), or
 * if the whole is a word that the model knows ("ti", then "me ").
 */
#ifndef ATTNSCOPE_LETTERS_H
#define ATTNSCOPE_LETTERS_H

#include "tui/screen/canvas/keys.h"
#include "tui/screen/state/state.h"

/* True if `next` does not continue the word of these `count` letters, which stay keys: it is a
 * capital after a small letter, or of another script than Latin. Pure. */
bool letters_are_other_word(const char *letters, size_t count, int next);
/* True if these `count` letters followed by `next`, a character, are clearly text. Pure. */
bool letters_are_text(const char *letters, size_t count, int next);
/* The same if letters[opened - 1] opened the line into which the others and `next`, a byte, are
 * typed; '\r': Enter. Pure. */
bool letters_in_line_are_text(const char *letters, size_t count, size_t opened, int next);

/* Handles a key of EVENT_KEY received while the view has the focus. */
void letters_press(struct screen *screen, const struct event *event);
/* Handles text of EVENT_TEXT received while a line is typed. True: it does not belong to that line;
 * the earlier letters moved to the prompt. `*used`: the bytes that belong to it. */
bool letters_take_line(struct screen *screen, const struct event *event, int *used);

/* Forgets the letters pressed before: call at another key, a click or a paste. */
void letters_end(struct screen *screen);

/* True if a reply of the worker answers letters that turned out to be text; it must not be
 * shown. */
bool letters_drop(struct screen *screen, const struct reply *reply);
/* Call after showing a frame that the letters did not request: they return to this one. */
void letters_follow(struct screen *screen, const struct reply *reply);

#endif
