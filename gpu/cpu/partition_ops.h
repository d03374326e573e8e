/* The backend's operations (gpu/backend.h), restricted to the rows that the calling thread has in the present scope;
 * outside of a partitioned scope they compute all rows. */
#ifndef ATTNSCOPE_CPU_PARTITION_OPS_H
#define ATTNSCOPE_CPU_PARTITION_OPS_H

#include "gpu/backend.h"

void partition_embed(struct device *device, const struct embed_args *args);
void partition_linear(struct device *device, const struct linear_args *args, int count);
void partition_gather(struct device *device, const struct move_args *args);
void partition_scatter(struct device *device, const struct move_args *args);
void partition_norm(struct device *device, const struct norm_args *args);
void partition_prefix_mean(struct device *device, const struct prefix_mean_args *args);
void partition_recurrence(struct device *device, const struct recurrence_args *args);
void partition_gate(struct device *device, const struct gate_args *args);
void partition_words(struct device *device, const struct word_args *args);
void partition_attention(struct device *device, const struct attention_args *args);
void partition_mix_heads(struct device *device, const struct mix_args *args);
void partition_logprob(struct device *device, const struct logprob_args *args);
void partition_select(struct device *device, const struct select_args *args);
void partition_advance(struct device *device, const struct advance_args *args);

#endif
