/* The program at a terminal of its own, for tests: keys in, what it shows out. Nothing waits for a
 * time, only for a marker. Every function fails the running test when it cannot do its work. */
#ifndef ATTNSCOPE_TESTS_TERMINAL_SUPPORT_H
#define ATTNSCOPE_TESTS_TERMINAL_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct terminal {
    int master;
    pid_t child;
    char *text; // that the terminal got since it was last looked at
    size_t bytes, capacity;
};

/* Starts the program (cli_support.h), at its prompt (`--line`), with a terminal as its three
 * streams, which it controls: what is typed as Ctrl-C is a signal. */
struct terminal terminal_open(const char *const *arguments, int columns, int rows);
/* Types keys as they are. */
void terminal_type(struct terminal *terminal, const char *keys);
/* Types them, and waits until the program has read as many bytes: what it has not read Ctrl-C
 * drops. */
void terminal_type_in(struct terminal *terminal, const char *keys);
/* Waits for `marker`, and forgets what came before and with it. */
void terminal_expect(struct terminal *terminal, const char *marker);
/* Waits for `marker`, or for `other` where that comes first: the prompt, at the end of work that
 * was to be stopped but was too short on a fast machine. Forgets what came before and with it.
 * Returns what came before `marker`, for the caller to free; NULL where `other` came. other NULL:
 * there is none. */
char *terminal_read_before(struct terminal *terminal, const char *marker, const char *other);
/* Takes what has come; false at the end of the program. */
bool terminal_read(struct terminal *terminal);
/* True if the terminal echoes and waits for whole lines, as it was found. */
bool terminal_is_plain(const struct terminal *terminal);
/* Waits for the end of the program; `text` keeps what else it wrote, for the caller to free.
 * Returns its exit code, or 256 + signal. */
int terminal_close(struct terminal *terminal);

#endif
