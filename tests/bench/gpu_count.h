/* What a step asks of a GPU, counted on the emulated one. */
#ifndef ATTNSCOPE_GPU_COUNT_H
#define ATTNSCOPE_GPU_COUNT_H

#include <stdbool.h>

/* Prints nodes, copies, bytes and waits of a decoding step, and of a forced pass with all
 * attention, for a model of 6 layers, in fp32 and in bf16: with the usual shortcuts, with none, and
 * unless it is to be brief, with each the other way than usual. With a plug-in whose loads are watched
 * (attnscope-cudaraces.so), also what attention loads. Returns the exit status: 1 where a step with
 * the usual ones has more nodes than it may, or loads no less than with none. */
int gpu_count(const char *plugin, bool brief);

#endif
