/* Lines of random commands, right and wrong ones, for tests.
 *
 * Call order: random_lines_open, which makes the files that the lines read; random_seed; any lines;
 * random_lines_close, which removes those files and what the lines wrote.
 */
#ifndef ATTNSCOPE_TESTS_RANDOM_LINES_H
#define ATTNSCOPE_TESTS_RANDOM_LINES_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum { RANDOM_LINE_MOST = 400 }; // bytes, with the NUL

/* Return 0, or -1 on failure. */
int random_lines_open(void);
int random_lines_close(void);
/* Writes the files again, because lines may have overwritten them. */
int random_lines_write(void);
/* Returns the folder that the lines write to. */
const char *random_lines_folder(void);

/* The same seed gives the same numbers and lines on every machine. */
void random_seed(uint64_t seed);
size_t random_below(size_t count);
void random_line(char line[RANDOM_LINE_MOST]);

/* Sends Ctrl-C after up to so many nanoseconds, less than a second, unless random_let_go is called
 * first. */
timer_t random_press_later(size_t nanoseconds);
void random_let_go(timer_t timer);

#endif
