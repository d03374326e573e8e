/* Text as a terminal shows it: widths, cutting, and nothing that a terminal would obey.
 *
 * Pure functions over UTF-8. Invalid bytes count, and are shown, as U+FFFD each. Results are the
 * caller's to free; NULL only when memory is short.
 */
#ifndef ATTNSCOPE_DISPLAY_H
#define ATTNSCOPE_DISPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What is shown may lack something for want of memory, and must not pass for whole: whoever could not have a text
 * for it (NULL) says so with display_have, which returns what it was given, and whoever shows asks afterwards, in
 * the same thread, whether anything was lacking since it last asked. The functions below say so themselves. */
void *display_have(void *text);
bool display_lacks(void);

/* A copy without control characters: U+0000-1F and U+007F become their pictures (␀ … ␡), U+0080-9F and the
 * line and paragraph separators U+FFFD. */
char *display_clean(const char *text);

/* Whether there is nothing to clean: valid, and without control characters. */
bool display_is_clean(const char *text);

/* The same as display_clean, written to a stream. */
void display_write(FILE *stream, const char *text);

/* The bytes of the first grapheme of `text` (0 at its end); *columns: what it takes, 0 to 2. */
size_t display_grapheme(const char *text, int *columns);

/* Columns that `text` takes. */
int display_width(const char *text);

/* The same, or some number above `most`: of a long text no more is looked at than that takes. */
int display_width_within(const char *text, int most);

/* A copy of at most `columns` columns; what does not fit is replaced by "…". */
char *display_cut(const char *text, int columns);

/* Writes `text`, cut or padded with blanks on the right to exactly `columns`. */
void display_field(FILE *stream, const char *text, int columns);

/* Writes `text`, which does not begin with a gap, and a line break. What is wider than `columns` breaks
 * at gaps, such as "  ", and goes on after `indent` blanks; what has no gap is cut. */
void display_wrapped(FILE *stream, const char *text, const char *gap, int indent, int columns);

/* Writes the words of `text`, which has no line breaks and nothing to clean, from column `indent` on, where
 * the stream is, to a line break. Words that would go beyond `columns` begin a line, after `indent` blanks;
 * none is cut. */
void display_filled(FILE *stream, const char *text, int indent, int columns);

/* Whether what reads `stream` (of a stream in memory, as below) is a terminal that obeys escape sequences. */
bool display_obeys(FILE *stream);

/* The width to draw in: the terminal's on `stream` (of a stream in memory: on the one that
 * display_follow named), else what COLUMNS says, else 80. */
int display_columns(FILE *stream);
/* What is drawn in memory will be shown on `stream`; NULL: who knows where. */
void display_follow(FILE *stream);
/* What is drawn will be shown that wide, by someone who obeys no escape sequences; 0: ask as above. */
void display_assume(int columns);

#endif
