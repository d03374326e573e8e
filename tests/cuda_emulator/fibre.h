/* Stacks that take turns: every thread of a block that has to wait has one of its own.
 *
 * The host enters a fibre, fibres switch among each other, one of them leaves, and the host goes on
 * where it entered. Fibres are kept in a pool and never freed.
 */
#ifndef CUDA_EMULATOR_FIBRE_H
#define CUDA_EMULATOR_FIBRE_H

#include <stddef.h>

namespace cudaemu
{

struct fibre;

/* What every fibre does; it never returns. Before the first fibre is entered. */
void fibre_work(void (*work)(void));

void fibre_enter(void);          // from the host: into one of the pool
void fibre_leave(void);          // to the host; the calling fibre stays where it is
void fibre_switch(fibre *to);    // null: into one of the pool
fibre *fibre_self(void);         // the running one
void fibre_retire(fibre *fibre); // it will switch away now, and may be taken from the pool then

/* From the host: whatever the fibres were about is forgotten, and all are in the pool. */
void fibre_abandon(void);

/* True if the address is in the guard below a stack: what ran there needs more than it has. */
bool fibre_overflowed(const void *address);

} // namespace cudaemu

#endif
