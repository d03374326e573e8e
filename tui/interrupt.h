/* Ctrl-C: stops the work at hand, not the program.
 *
 * interrupt_install at the start. Until a device is watched, after it is forgotten, and between
 * interrupt_idle(true) and (false), Ctrl-C ends the program with 1: nothing is lost. Otherwise it cancels
 * the device's work and sets a flag, which whoever runs the command asks for and clears. System calls go
 * on, so that nothing half written counts as failed; who waits with poll() asks for interrupt_file too.
 *
 * Of other signals: those that mean a failed write are ignored, since the write fails too; a mapped file that
 * became shorter ends the program with a line that says so.
 */
#ifndef ATTNSCOPE_INTERRUPT_H
#define ATTNSCOPE_INTERRUPT_H

#include "gpu/status.h"
#include "model/net/model.h"

void interrupt_install(void);
/* device NULL: none. */
void interrupt_watch(const struct backend *backend, struct device *device);
/* Waiting for a script's next line, with all output written. */
void interrupt_idle(bool idle);
bool interrupted(void);
/* As Ctrl-C does, where a device is watched. */
void interrupt_raise(void);
/* For poll: readable from Ctrl-C until it is cleared; -1: there is none, poll passes over it. */
int interrupt_file(void);
/* Ready for the next command; for the prompt alone: what is not typed ends at Ctrl-C. */
void interrupt_clear(void);
/* Fails with STATUS_CANCELLED after Ctrl-C. What the device computed since means nothing. */
bool interrupt_check(struct status *status);

#endif
