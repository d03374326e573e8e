/* One client of tmux that runs many commands (CONTROL MODE in tmux(1)): a process for each would
 * cost more than the programs under test.
 *
 * A command is a list of words that ends with NULL. The word ";" separates commands of one list, of
 * which the first that fails is the last to run; "\;" is a semicolon, as in tmux. Every function
 * fails the running test if the client ends before it has answered.
 */
#ifndef ATTNSCOPE_TESTS_TMUX_CONTROL_H
#define ATTNSCOPE_TESTS_TMUX_CONTROL_H

#include <stdbool.h>
#include <sys/types.h>

struct tmux_control;

/* Starts tmux as our child, with these arguments (NULL at the end) and with `stream` in place of
 * all standard streams. It gets the signal when we end, however that is. */
pid_t tmux_start(const char *const *arguments, int stream, int signal);

/* Starts the client at the server with that socket; one of the commands must attach it to a
 * session. */
struct tmux_control *tmux_control_open(const char *socket, const char *const *words);
/* Waits for the end of the client, which ends with its server. */
void tmux_control_close(struct tmux_control *control);

/* Runs commands and returns whether all succeeded; *says becomes what they printed, to be freed. */
bool tmux_control_run(struct tmux_control *control, const char *const *words, char **says);
/* Gives commands to the server without waiting for an answer. */
void tmux_control_send(struct tmux_control *control, const char *const *words);

#endif
