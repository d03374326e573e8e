/* What a session prints, line by line, for tests. What a translation should be comes from a run of
 * its own that does nothing else. Every function fails the running test when it cannot do its work;
 * what they return is freed with free().
 */
#ifndef ATTNSCOPE_TESTS_SESSION_SUPPORT_H
#define ATTNSCOPE_TESTS_SESSION_SUPPORT_H

#include "tests/support/cli_support.h"

#define SAMPLE "samples/en-de.bin"

/* What a run prints on standard output; it must end well and complain of nothing. */
char *session_print(const char *const *arguments);

/* The translation of a sentence by itself, after the command `before` (NULL: none), with a line
 * break. */
char *session_translate(const char *model, const char *before, const char *sentence);

/* Takes a line that begins with `start` off the text; returns what follows, with its line break. */
char *session_take_line(char **text, const char *start);
/* Takes a line off the text that is to be `start` and then `rest`. */
void session_line(char **text, const char *start, const char *rest);
/* Takes two texts off that stand one above the other, each line after the text's title: without
 * marks and gaps they are to be `texts`. Then takes the line that counts the words. */
void session_comparison(char **text, const char *const titles[2], const char *const texts[2]);

#endif
