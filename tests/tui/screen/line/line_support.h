/* The screen's line for tests: keys in, text, cursor and canvas out; nothing goes to a terminal.
 *
 * line_tests_begin; line_tests_with for what runs groups of tests between open_lines and
 * close_lines; line_tests_end. Functions fail the running test when something is not as it should
 * be.
 */
#ifndef ATTNSCOPE_TESTS_LINE_SUPPORT_H
#define ATTNSCOPE_TESTS_LINE_SUPPORT_H

#include "tui/screen/line/line.h"

extern char line_folder[]; // a folder of its own, where the history is kept
extern struct canvas line_canvas;

/* 0, or -1. */
int line_tests_begin(void);
int line_tests_end(void);
/* In a process of its own, as readline reads inputrc once; 0: all is well. */
int line_tests_with(const char *inputrc, int (*run)(void));

/* Tab completes words after a blank: decoder, decoration, dedicated, encoder; nothing in lines that
 * begin with "off". */
int open_lines(void **state);
int close_lines(void **state);

/* A line after ": ". */
void begin_line(void);
int feed(const char *bytes);
enum line_end line_ended(void);
/* Ends the line with Enter. */
void assert_entered(const char *wanted);

/* The canvas' rows without blanks at their ends, joined by "|"; the cursor is on *row, *column. */
const char *drawn(int rows, int columns, int *row, int *column);
void assert_drawn(int rows, int columns, const char *wanted, int wanted_row, int wanted_column);

#endif
