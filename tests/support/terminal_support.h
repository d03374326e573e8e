/* The program on its own terminal, for tests: keys in, output out. All waits are for a marker,
 * never for a time. Every function fails the running test if it cannot do its work. */
#ifndef ATTNSCOPE_TESTS_TERMINAL_SUPPORT_H
#define ATTNSCOPE_TESTS_TERMINAL_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct terminal {
    int master;
    pid_t child;
    char *text; // received since the last look
    size_t bytes, capacity;
};

/* Starts the program argv[0]. Its three streams are the terminal, which is its controlling
 * terminal: Ctrl-C typed there is a signal. A size of 0 by 0 is a terminal that does not say its
 * size. */
struct terminal terminal_run(const char *const *argv, int columns, int rows);
/* Starts this program (cli_support.h) at its prompt (`--line`) in the same way. */
struct terminal terminal_open(const char *const *arguments, int columns, int rows);
/* Types keys as they are. */
void terminal_type(struct terminal *terminal, const char *keys);
/* Types keys and waits until the program has read as many bytes: Ctrl-C discards what it has not
 * read. */
void terminal_type_in(struct terminal *terminal, const char *keys);
/* Waits for `marker` and discards everything up to its end. */
void terminal_expect(struct terminal *terminal, const char *marker);
/* Waits for `marker`, or for `other` if that comes first: the prompt, if work that was to be
 * interrupted ended too early on a fast machine. Discards everything up to the end of what came.
 * Returns the text before `marker`, for the caller to free; NULL if `other` came. `other` may be
 * NULL. */
char *terminal_read_before(struct terminal *terminal, const char *marker, const char *other);
/* Reads available output; returns false at the end of the program. */
bool terminal_read(struct terminal *terminal);
/* True if the terminal echoes and waits for whole lines, as at the start. */
bool terminal_is_plain(const struct terminal *terminal);
/* Waits for the end of the program; `text` holds the rest of its output, for the caller to free.
 * Returns its exit code, or 256 + signal. */
int terminal_close(struct terminal *terminal);

#endif
