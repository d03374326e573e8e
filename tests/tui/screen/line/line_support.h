/* The screen's line for tests: keys in, text, cursor and canvas out; nothing goes to a terminal.
 *
 * line_tests_begin; line_tests_with, which runs groups of tests between open_lines and close_lines;
 * line_tests_end. Functions fail the running test if something is wrong.
 */
#ifndef ATTNSCOPE_TESTS_LINE_SUPPORT_H
#define ATTNSCOPE_TESTS_LINE_SUPPORT_H

#include "tui/screen/line/line.h"

extern char line_folder[]; // a folder for the history
extern struct canvas line_canvas;

/* Return 0 or -1. */
int line_tests_begin(void);
int line_tests_end(void);
/* Runs tests in a separate process, because readline reads inputrc only once. Returns 0 if all
 * pass. */
int line_tests_with(const char *inputrc, int (*run)(void));

/* Tab completes words after a blank: decoder, decoration, dedicated, encoder; nothing in lines that
 * begin with "off". */
int open_lines(void **state);
int close_lines(void **state);

/* Begins a line after ": ". */
void begin_line(void);
int feed(const char *bytes);
enum line_end line_ended(void);
/* Ends the line with Enter and checks what was entered. */
void assert_entered(const char *wanted);

/* Returns the canvas's rows without trailing blanks, joined by "|"; sets the cursor's place in *row
 * and *column. */
const char *drawn(int rows, int columns, int *row, int *column);
void assert_drawn(int rows, int columns, const char *wanted, int wanted_row, int wanted_column);

#endif
