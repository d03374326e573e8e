/* Counts what a step asks of a GPU, on the emulated one. */
#ifndef ATTNSCOPE_GPU_COUNT_H
#define ATTNSCOPE_GPU_COUNT_H

#include <stdbool.h>

/* Prints nodes, copies, bytes and waits of a decoding step, and of a forced pass with all
 * attention, for a model of 6 layers, in fp32 and in bf16: with the usual shortcuts, with none and,
 * unless `brief`, with each one turned the other way. If the plug-in's loads are watched
 * (attnscope-cudaraces.so), it also prints what attention loads. Returns the exit status: 1 if a
 * step with the usual shortcuts has too many nodes, or loads no less than with none. */
int gpu_count(const char *plugin, bool brief);

#endif
