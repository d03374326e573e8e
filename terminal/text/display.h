/* Text as a terminal shows it: its width, cut to a width, and without characters that a terminal
 * would obey.
 *
 * Pure functions over UTF-8. Every invalid byte counts, and is shown, as U+FFFD. The caller frees
 * results; NULL means out of memory.
 */
#ifndef ATTNSCOPE_DISPLAY_H
#define ATTNSCOPE_DISPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/outlet.h"

/* Output that lacks a text because memory ran out must not look complete. Pass every allocated text
 * through display_have: it returns its argument, and records NULL as a lack. After showing, ask
 * display_lacks in the same thread whether anything was lacking since the last call. Functions
 * below that return a text record a lack themselves. */
void *display_have(void *text);
bool display_lacks(void);

/* A copy with stand-ins for what may not pass to a terminal (OUTLET_SHOWN), or to another outlet. */
char *display_clean(const char *text);
char *display_clean_for(enum outlet outlet, const char *text);

/* True if display_clean would change nothing. */
bool display_is_clean(const char *text);

/* Writes what display_clean returns: for all of a text, or for its first bytes, which end with a
 * character. */
void display_write(FILE *stream, const char *text);
void display_write_part(FILE *stream, const char *text, size_t bytes);
/* Writes the first character of a text, or its stand-in; returns the bytes that it has in the
 * text. */
size_t display_write_character(FILE *stream, enum outlet outlet, const char *text);

/* The number of bytes of the first grapheme of `text` (0 at its end): an extended grapheme cluster
 * of UAX #29, with what has no width before and after it. *columns: its width, the sum of its
 * characters' (spacing vowel signs have one column). Where terminals differ it is the largest width
 * that is in use: skin tones have columns of their own, and U+FE0F makes an emoji two columns wide;
 * but emoji that U+200D joins take the place of the first. Only a text without any visible
 * character has width 0. */
size_t display_grapheme(const char *text, int *columns);
/* The same, of at most `most` columns: of a wider grapheme as many characters as fit, at least
 * one. */
size_t display_grapheme_within(const char *text, int most, int *columns);

/* Rows that a label takes downwards: one grapheme a row; one wider than `most` columns goes on in
 * the next row. */
int display_rows(const char *text, int most);

/* True if all terminals agree about the width of `text`, a grapheme: it is one character, and none
 * of those whose width has changed in Unicode or depends on what stands before. */
bool display_is_even(const char *text);
/* True if the grapheme ends with U+200D: some terminals draw what follows into its place. */
bool display_is_open(const char *text, size_t bytes);

/* The width of `text` in columns. */
int display_width(const char *text);

/* The same, or any number above `most`. It reads only as much of a long text as that needs. */
int display_width_within(const char *text, int most);

/* A copy of at most `columns` columns; "…" replaces what does not fit. */
char *display_cut(const char *text, int columns);

/* Writes `text`, cut or padded with blanks on the right to exactly `columns`. */
void display_field(FILE *stream, const char *text, int columns);

/* Writes `text`, which does not begin with a gap, and a line break. A text wider than `columns` is
 * broken at gaps, such as "  ", and continues after `indent` blanks; parts without a gap are
 * cut. */
void display_wrapped(FILE *stream, const char *text, const char *gap, int indent, int columns);

/* Writes the words of `text`, and a line break. `text` has no line breaks; the stream is
 * already at column `indent`. A word that would go beyond `columns` begins a new line, after
 * `indent` blanks. No word is cut. */
void display_filled(FILE *stream, const char *text, int indent, int columns);

/* The bytes of `text` that are the first of its lines of that many columns; *next: where the one
 * after begins. Lines end at blanks, after wide characters and after the bars of signatures; what
 * has none of these is broken anywhere. */
size_t display_line(const char *text, int columns, size_t *next);
/* Returns the number of such lines, or `most`. */
int display_lines(const char *text, int columns, int most);

/* True if the reader of `stream` is a terminal that obeys escape sequences. For a stream in memory:
 * see display_follow. */
bool display_obeys(FILE *stream);

/* The width to draw in: that of the terminal on `stream`, else the variable COLUMNS, else 80. For a
 * stream in memory, the terminal is on the stream that display_follow named. */
int display_columns(FILE *stream);
/* Declares that streams in memory will be shown on `stream`. NULL: it is unknown where. */
void display_follow(FILE *stream);
/* Declares that this thread's output will be shown at this width, by a reader that obeys no escape
 * sequences. 0: ends that. Returns what was declared before. */
int display_assume(int columns);

/* Text is always UTF-8, whatever the locale says. This tells readline, ncurses and the pager so,
 * through the environment. */

/* Call before readline or ncurses is opened, and before threads are started. A second call does no
 * harm. */
void encoding_choose(void);

#endif
