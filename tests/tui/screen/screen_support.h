/* The full-screen session in tmux, for tests, and what the same program prints with --json in a
 * separate run.
 *
 * Between cli_enter and cli_close: stage_open, which leaves the prompt; keys (tmux_press of its
 * tmux), lines, screen_cells.h for the expected cells; stage_close. Every function fails the
 * running test if it cannot do its work.
 */
#ifndef ATTNSCOPE_TESTS_SCREEN_SUPPORT_H
#define ATTNSCOPE_TESTS_SCREEN_SUPPORT_H

#include <stdbool.h>

#include <jansson.h>

#include "tests/support/cli_support.h"
#include "tests/support/tmux_support.h"

/* How the terminal shows values. ASCII: --ascii and NO_COLOR. */
enum screen_depth { SCREEN_TRUE, SCREEN_256, SCREEN_16, SCREEN_ASCII, SCREEN_DEPTHS };

struct stage {
    struct tmux tmux;
    int columns, rows;
    enum screen_depth depth;
};

struct stage_spec {
    const char *model;
    int columns, rows;
    enum screen_depth depth;
};

struct stage stage_open(const struct stage_spec *spec);
/* Ends the session with Ctrl-D; it must end without an error. */
void stage_close(struct stage *stage);

/* True if there is room for the panel at the right of any picture: the scale, numbers, the map of
 * heads. */
bool stage_has_side(const struct stage *stage);

/* Types a line at the prompt, starting in the view, and returns to the view. */
void stage_run(const struct stage *stage, const char *line);

/* Goes from the prompt to the view, and waits until the view has the keys. */
void stage_leave_prompt(const struct stage *stage);

/* Returns `text` as the program writes it there: signs of its own, such as → and ·, in ASCII if
 * necessary. Valid until the next four calls. */
const char *stage_text(const struct stage *stage, const char *text);
/* Waits until the text is on the screen. */
void stage_expect(const struct stage *stage, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns the output of these commands (NULL at the end) with --json: an array with one object for
 * each; freed with json_decref. */
json_t *stage_ask(const char *model, const char *const *commands);

/* Returns one of those objects; it must be ok. */
const json_t *stage_answer(const json_t *answers, int index);
double json_double(const json_t *value);
const char *json_text(const json_t *object, const char *key);

#endif
