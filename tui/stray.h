/* Standard error while a screen is up: what libraries write there would stand across the picture.
 *
 * stray_hold when the screen comes up, stray_take while it is, stray_release when it is gone. Where standard error is
 * no terminal all of it goes its own way.
 */
#ifndef ATTNSCOPE_STRAY_H
#define ATTNSCOPE_STRAY_H

#include <stdbool.h>
#include <stddef.h>

/* From now on standard error is kept; what there is no room for is lost. Again: nothing. May be called in a signal's
 * handler, where it was called before. */
void stray_hold(void);
/* Standard error is again what it was, and gets what was not taken. May be called in a signal's handler. */
void stray_release(void);

/* The next line that was written, cut where it is too long; false: there is none yet. */
bool stray_take(char *line, size_t size);
/* For poll: readable when stray_take may have something; -1: there is nothing to wait for. */
int stray_file(void);

#endif
