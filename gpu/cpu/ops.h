/* The operations of the CPU backend. gpu/backend.h defines them and their arguments. */
#ifndef ATTNSCOPE_CPU_OPS_H
#define ATTNSCOPE_CPU_OPS_H

#include "gpu/backend.h"

void cpu_embed(struct device *device, const struct embed_args *args);
void cpu_linear(struct device *device, const struct linear_args *args, int count);
void cpu_gather(struct device *device, const struct move_args *args);
void cpu_scatter(struct device *device, const struct move_args *args);
void cpu_norm(struct device *device, const struct norm_args *args);
void cpu_mean(struct device *device, const struct mean_args *args);
void cpu_prefix_mean(struct device *device, const struct prefix_mean_args *args);
void cpu_recurrence(struct device *device, const struct recurrence_args *args);
void cpu_rotate(struct device *device, const struct rotate_args *args);
void cpu_gate(struct device *device, const struct gate_args *args);
void cpu_words(struct device *device, const struct word_args *args);
void cpu_attention(struct device *device, const struct attention_args *args);
void cpu_mix_heads(struct device *device, const struct mix_args *args);
void cpu_logprob(struct device *device, const struct logprob_args *args);
/* The part of `args` for rows row … row+rows-1. */
struct logprob_args logprob_rows(const struct logprob_args *args, int row, int rows);
/* Rows begin … end-1. */
void cpu_select_rows(struct device *device, const struct select_args *args, int begin, int end);
void cpu_advance(struct device *device, const struct advance_args *args);

#endif
