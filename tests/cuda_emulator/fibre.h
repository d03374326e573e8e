/* Stacks that take turns: every thread of a block that has to wait has its own.
 *
 * The host enters a fibre, fibres switch among each other, one of them leaves, and the host
 * continues where it entered. Fibres are kept in a pool and never freed.
 */
#ifndef CUDA_EMULATOR_FIBRE_H
#define CUDA_EMULATOR_FIBRE_H

#include <stddef.h>

namespace cudaemu
{

struct fibre;

/* Sets what every fibre does; `work` never returns. Call before the first fibre is entered. */
void fibre_work(void (*work)(void));

void fibre_enter(void);          // from the host, to one of the pool
void fibre_leave(void);          // to the host; the calling fibre keeps its state
void fibre_switch(fibre *to);    // null: to one of the pool
fibre *fibre_self(void);         // returns the running one
void fibre_retire(fibre *fibre); // call before it switches away; it may then be taken from the pool

/* From the host: drops the state of all fibres and returns them to the pool. */
void fibre_abandon(void);

/* True if the address is in the guard below a stack: the code that ran there overflowed it. */
bool fibre_overflowed(const void *address);

} // namespace cudaemu

#endif
