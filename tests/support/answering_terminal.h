/* The program on a pseudo-terminal whose other end answers questions as a terminal does that can
 * draw pictures.
 *
 * Waits are for what comes, never for a time. Every function fails the running test when it cannot
 * do its work.
 */
#ifndef ATTNSCOPE_TESTS_ANSWERING_TERMINAL_H
#define ATTNSCOPE_TESTS_ANSWERING_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* What it answers; NULL: nothing. */
struct answering_spec {
    const char *version;         // to XTVERSION: "xterm(390)"
    const char *attributes;      // to DA1: "62;4;22"; NULL: nor to DSR
    bool kitty, iterm;           // to kitty's query; to CSI 1337 n
    const char *typed;           // is typed between the first question and its answer
    int columns, rows;           // of the window
    int cell_width, cell_height; // pixels, which the window knows as well
    const char *const *argv;     // the command; NULL at the end
};

struct answering {
    struct answering_spec spec;
    int master;
    pid_t child;
    char *text; // all that it got
    size_t bytes, capacity;
    size_t seen;     // up to the last marker
    size_t answered; // up to the last question
    bool has_typed;
};

struct answering answering_open(const struct answering_spec *spec);
void answering_type(struct answering *terminal, const char *keys);
/* Waits for `marker` behind the last one; returns where it begins in `text`. */
size_t answering_expect(struct answering *terminal, const char *marker);
/* Waits for the end of the program, whose exit code it returns (256 + signal). */
int answering_close(struct answering *terminal);
/* Ends it, whatever it does. */
void answering_kill(struct answering *terminal);

#endif
