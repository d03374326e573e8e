/* Threads that go through the operations of a scope side by side, each with rows of its own, and wait for one
 * another only at its end: the groups of a scope are independent of one another (gpu/backend.h). Who has been fast
 * of late gets more of them; results do not depend on that.
 *
 * Every thread has a device of its own for that, with one thread and its own scratch memory, and the operations of
 * the backend, called with the opened device, find which rows are theirs.
 */
#ifndef ATTNSCOPE_CPU_WINDOW_H
#define ATTNSCOPE_CPU_WINDOW_H

#include "gpu/cpu/device.h"

struct windows;

/* For a device that has its pool and kernels. */
struct windows *windows_open(struct device *device, struct status *status);
void windows_close(struct windows *windows); // NULL: nothing

/* The backend's operations, for the rows of the window that the calling thread is in, for all where it is in none. */
void window_embed(struct device *device, const struct embed_args *args);
void window_linear(struct device *device, const struct linear_args *args, int count);
void window_gather(struct device *device, const struct move_args *args);
void window_scatter(struct device *device, const struct move_args *args);
void window_norm(struct device *device, const struct norm_args *args);
void window_prefix_mean(struct device *device, const struct prefix_mean_args *args);
void window_gate(struct device *device, const struct gate_args *args);
void window_words(struct device *device, const struct word_args *args);
void window_attention(struct device *device, const struct attention_args *args);
void window_mix_heads(struct device *device, const struct mix_args *args);
void window_logprob(struct device *device, const struct logprob_args *args);
void window_select(struct device *device, const struct select_args *args);
void window_advance(struct device *device, const struct advance_args *args);

/* The backend's `scope`. */
void cpu_scope(struct device *device, const struct scope_args *args);

#endif
