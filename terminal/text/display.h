/* Text as a terminal shows it: its width, cut to a width, and without control characters.
 *
 * Pure functions over UTF-8. Every invalid byte counts and shows as U+FFFD. The caller frees
 * results; NULL means out of memory.
 */
#ifndef ATTNSCOPE_DISPLAY_H
#define ATTNSCOPE_DISPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/outlet.h"

/* Output that lacks a text because memory ran out must not look complete. Pass every allocated text
 * through display_have, which returns its argument and records NULL as missing. After output, call
 * display_lacks in the same thread: true if anything was missing since the last call. Functions
 * below that return a text record it themselves. */
void *display_have(void *text);
bool display_lacks(void);

/* A copy with stand-ins for characters not allowed on a terminal (OUTLET_SHOWN) or another
 * outlet. */
char *display_clean(const char *text);
char *display_clean_for(enum outlet outlet, const char *text);

/* True if display_clean would change nothing. */
bool display_is_clean(const char *text);

/* Write what display_clean returns, for all of a text or for its first bytes, which end with a
 * whole character. */
void display_write(FILE *stream, const char *text);
void display_write_part(FILE *stream, const char *text, size_t bytes);
/* Writes the first character of a text, or its stand-in; returns its bytes in the text. */
size_t display_write_character(FILE *stream, enum outlet outlet, const char *text);

/* The number of bytes of the first grapheme of `text` (0 at its end): an extended grapheme cluster
 * of UAX #29, with the zero-width characters before and after it. *columns: its width, the sum of
 * its characters' (spacing vowel signs have one column). Where terminals differ, it is the largest
 * width in use: skin tones have their own columns, and U+FE0F makes an emoji two columns wide; but
 * emoji joined by U+200D have the width of the first. Only a text without visible characters has
 * width 0. */
size_t display_grapheme(const char *text, int *columns);
/* The same, within `most` columns: as many characters of a wider grapheme as fit, at least one. */
size_t display_grapheme_within(const char *text, int most, int *columns);

/* Rows that a vertical label takes: one grapheme per row; one wider than `most` columns continues
 * in the next row. */
int display_rows(const char *text, int most);

/* True if all terminals agree about the width of `text`, a grapheme: it is one character whose
 * width has not changed in Unicode and does not depend on what precedes it. */
bool display_is_even(const char *text);
/* True if the grapheme ends with U+200D: some terminals draw what follows over it. */
bool display_is_open(const char *text, size_t bytes);

/* The width of `text` in columns. */
int display_width(const char *text);

/* The same, or any number above `most`. Reads no more of a long text than needed. */
int display_width_within(const char *text, int most);

/* A copy of at most `columns` columns; "…" replaces what does not fit. */
char *display_cut(const char *text, int columns);

/* Writes `text`, cut or padded with blanks on the right to exactly `columns`. */
void display_field(FILE *stream, const char *text, int columns);

/* Writes `text`, which does not begin with a gap, and a line break. A text wider than `columns` is
 * broken at gaps, such as two blanks, and continues after `indent` blanks; parts without a gap are
 * cut. */
void display_wrapped(FILE *stream, const char *text, const char *gap, int indent, int columns);

/* Writes the words of `text`, and a line break. `text` has no line breaks; the stream is already at
 * column `indent`. A word that would exceed `columns` begins a new line, after `indent` blanks. No
 * word is cut. */
void display_filled(FILE *stream, const char *text, int indent, int columns);

/* Returns the bytes of the first line of `text` when broken at `columns` columns; *next: where the
 * next line begins. Lines end at blanks, after wide characters and after the bars of signatures;
 * other text is broken anywhere. */
size_t display_line(const char *text, int columns, size_t *next);
/* Returns the number of such lines, or `most`. */
int display_lines(const char *text, int columns, int most);

/* True if the reader of `stream` is a terminal that obeys escape sequences. For a stream in memory
 * see display_follow. */
bool display_obeys(FILE *stream);

/* The width to draw in: that of the terminal on `stream`, else the variable COLUMNS, else 80. For a
 * stream in memory, the terminal is on the stream given to display_follow. */
int display_columns(FILE *stream);
/* Declares that streams in memory will be shown on `stream`. NULL: unknown. */
void display_follow(FILE *stream);
/* Declares that this thread's output will be shown at this width, by a reader that obeys no escape
 * sequences. 0: ends that. Returns the previous declaration. */
int display_assume(int columns);

/* Text is always UTF-8, whatever the locale says. Tells readline, ncurses and the pager through the
 * environment. */

/* Call before opening readline or ncurses and before starting threads. A second call is
 * harmless. */
void encoding_choose(void);

#endif
