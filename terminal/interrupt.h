/* Ctrl-C stops the running command, not the program.
 *
 * Call interrupt_install at the start. While no device is watched, and between interrupt_idle(true)
 * and (false), Ctrl-C ends the program by the signal's default action, because nothing can be lost;
 * a shell's loop then stops, too. Otherwise it cancels the device's work and sets a flag, which the
 * caller that runs the command reads and clears. System calls are restarted, so that no
 * half-written output counts as failed; a caller in poll() must also wait for interrupt_file.
 *
 * Other signals: SIGPIPE and SIGXFSZ are ignored, because the write itself fails too. If a mapped
 * file becomes shorter, the program ends with a message.
 */
#ifndef ATTNSCOPE_INTERRUPT_H
#define ATTNSCOPE_INTERRUPT_H

#include "base/status.h"
#include "model/net/model.h"

void interrupt_install(void);
/* Watches a device; NULL: none. Call it before closing the device watched until then, which no
 * other thread cancels afterwards. Not from two threads at once. */
void interrupt_watch(const struct backend *backend, struct device *device);
/* Call around work that needs no device but must clean up: Ctrl-C then sets the flag instead of
 * ending the program. */
void interrupt_hold(bool hold);
/* Call around waiting for the next line of a script, after all output is written. */
void interrupt_idle(bool idle);
bool interrupted(void);
/* Does what Ctrl-C does while a device is watched. */
void interrupt_raise(void);
/* Ends the program as SIGINT does, with the terminal restored. */
void interrupt_die(void);
/* A descriptor for poll, readable from Ctrl-C until interrupt_clear. -1: none; poll ignores it. */
int interrupt_file(void);
/* Clears the flag for the next command. Only the prompt and the screen, with its worker, call it:
 * other input ends on Ctrl-C. */
void interrupt_clear(void);
/* Fails with STATUS_CANCELLED after Ctrl-C. Results computed by the device since then are
 * invalid. */
bool interrupt_check(struct status *status);

#endif
