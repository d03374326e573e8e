/* What a session prints, line by line, for tests. The expected translation comes from a separate
 * run that does nothing else. Every function fails the running test if it cannot do its work.
 * Returned texts are freed with free().
 */
#ifndef ATTNSCOPE_TESTS_SESSION_SUPPORT_H
#define ATTNSCOPE_TESTS_SESSION_SUPPORT_H

#include "tests/support/cli_support.h"

#define SAMPLE "samples/en-de.bin"

/* Returns what a run prints on standard output; it must succeed without any message. */
char *session_print(const char *const *arguments);

/* Returns the translation of a sentence by itself, after the command `before` (NULL: none), with
 * its line break. */
char *session_translate(const char *model, const char *before, const char *sentence);

/* Removes a line that begins with `start` from the text; returns its rest, with the line break. */
char *session_take_line(char **text, const char *start);
/* Removes a line that must be `start` followed by `rest`. */
void session_line(char **text, const char *start, const char *rest);
/* Removes two texts, one above the other, each line after the text's title. Without marks and gaps
 * they must equal `texts`. Also removes the line that counts the words. */
void session_comparison(char **text, const char *const titles[2], const char *const texts[2]);

#endif
