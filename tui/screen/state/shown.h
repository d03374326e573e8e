/* The frame that is shown, and those it covers.
 *
 * Tables and texts cover what was shown, which comes back when they are left. A new picture
 * replaces everything: the session may have changed. Tables of studies, however, stay covered by
 * the pictures of a sentence that was opened from one of their rows; and what the list of changed
 * heads lies on stays below it while those heads are looked at.
 */
#ifndef ATTNSCOPE_SHOWN_H
#define ATTNSCOPE_SHOWN_H

#include "tui/screen/state/state.h"

/* Shows a frame (taken). */
void shown_show(struct screen *screen, struct frame *frame);
/* Shows a page of text (taken). */
void shown_show_text(struct screen *screen, const char *title, char *text);

/* From a table or text back to what it covers; false: a picture is shown, or nothing is covered. */
bool shown_uncover(struct screen *screen);
/* From a picture back to the table of a study, or the list of changed heads, that it was opened
 * from; false: it was opened from none. */
bool shown_return(struct screen *screen);

/* The command, without its colon, that shows what is on the screen again; under a text, what the
 * text covers. NULL: there is none. */
const char *shown_command(const struct screen *screen);

#endif
