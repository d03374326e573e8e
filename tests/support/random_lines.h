/* Lines of random commands, right and wrong ones, for tests.
 *
 * Order of calls: random_lines_open, which makes the files that the lines read; random_seed; any
 * lines; random_lines_close, which removes those files and what the lines wrote.
 */
#ifndef ATTNSCOPE_TESTS_RANDOM_LINES_H
#define ATTNSCOPE_TESTS_RANDOM_LINES_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum { RANDOM_LINE_MOST = 400 }; // bytes, with the NUL

/* 0, or -1 where a file cannot be made, or something else is left in the folder. */
int random_lines_open(void);
int random_lines_close(void);
/* The files anew, where lines may have written others in their place. */
int random_lines_write(void);
/* Where the lines write. */
const char *random_lines_folder(void);

/* The same seed gives the same numbers and lines everywhere. */
void random_seed(uint64_t seed);
size_t random_below(size_t count);
void random_line(char line[RANDOM_LINE_MOST]);

/* Ctrl-C after up to so many nanoseconds, less than a second, until random_let_go. */
timer_t random_press_later(size_t nanoseconds);
void random_let_go(timer_t timer);

#endif
