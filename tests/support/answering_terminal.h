/* The program on a pseudo-terminal whose other end answers queries like a terminal that can draw
 * pictures.
 *
 * All waits are for output, never for a time. Every function fails the running test if it cannot do
 * its work.
 */
#ifndef ATTNSCOPE_TESTS_ANSWERING_TERMINAL_H
#define ATTNSCOPE_TESTS_ANSWERING_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The answers; NULL: none. */
struct answering_spec {
    const char *version;         // to XTVERSION: "xterm(390)"
    const char *attributes;      // to DA1: "62;4;22"; NULL: DSR gets none either
    bool kitty, iterm;           // to kitty's query; to CSI 1337 n
    const char *typed;           // typed between the first query and its answer
    int columns, rows;           // of the window
    int cell_width, cell_height; // pixels; the window has this size, too
    const char *const *argv;     // the command; ends with NULL
};

struct answering {
    struct answering_spec spec;
    int master;
    pid_t child;
    char *text; // all output so far
    size_t bytes, capacity;
    size_t seen;     // up to the last marker
    size_t answered; // up to the last question
    bool has_typed;
};

struct answering answering_open(const struct answering_spec *spec);
void answering_type(struct answering *terminal, const char *keys);
/* Waits for `marker` after the previous one; returns its place in `text`. */
size_t answering_expect(struct answering *terminal, const char *marker);
/* Waits for the end of the program; returns its exit code (256 + signal if it was killed). */
int answering_close(struct answering *terminal);
/* Kills the program. */
void answering_kill(struct answering *terminal);

#endif
