/* The functions of the backend's table. gpu/backend.h defines them and their arguments. */
#ifndef ATTNSCOPE_CUDA_OPS_CUH
#define ATTNSCOPE_CUDA_OPS_CUH

#include "gpu/cuda/device.cuh"

bool cuda_reserve(struct device *device, const struct reservation *reservation,
                  struct status *status);
bool cuda_allocate(struct device *device, size_t bytes, struct tensor *tensor,
                   struct status *status);
void cuda_release(struct device *device, struct tensor tensor);
void cuda_put(struct device *device, struct tensor tensor, const void *host, size_t bytes);
void cuda_get(struct device *device, void *host, struct tensor tensor, size_t bytes);
void cuda_ask(struct device *device, struct tensor tensor, size_t bytes);
bool cuda_answer(struct device *device, void *host, size_t bytes);
struct weight *cuda_weight(struct device *device, const struct weight_spec *spec,
                           struct status *status);
void cuda_forget(struct device *device, struct weight *weight);
void cuda_scope(struct device *device, const struct scope_args *args);

void cuda_embed(struct device *device, const struct embed_args *args);
void cuda_linear(struct device *device, const struct linear_args *args, int count);
void cuda_gather(struct device *device, const struct move_args *args);
void cuda_scatter(struct device *device, const struct move_args *args);
void cuda_norm(struct device *device, const struct norm_args *args);
void cuda_mean(struct device *device, const struct mean_args *args);
void cuda_prefix_mean(struct device *device, const struct prefix_mean_args *args);
void cuda_recurrence(struct device *device, const struct recurrence_args *args);
void cuda_rotate(struct device *device, const struct rotate_args *args);
void cuda_gate(struct device *device, const struct gate_args *args);
void cuda_words(struct device *device, const struct word_args *args);
void cuda_attention(struct device *device, const struct attention_args *args);
void cuda_mix_heads(struct device *device, const struct mix_args *args);
void cuda_logprob(struct device *device, const struct logprob_args *args);
/* For cuda_logprob: barred ends (search_bars_ends) get the logit -INFINITY. */
void cuda_bar_ends(struct device *device, const struct logprob_args *args);
void cuda_select(struct device *device, const struct select_args *args);
void cuda_advance(struct device *device, const struct advance_args *args);

void cuda_linear_backward(struct device *device, const struct linear_backward_args *args);
void cuda_norm_backward(struct device *device, const struct norm_backward_args *args);
void cuda_activation_backward(struct device *device, const struct activation_backward_args *args);
void cuda_attention_backward(struct device *device, const struct attention_backward_args *args);
void cuda_mix_backward(struct device *device, const struct mix_backward_args *args);
void cuda_gate_backward(struct device *device, const struct gate_backward_args *args);
void cuda_add(struct device *device, const struct add_args *args);
void cuda_prefix_mean_backward(struct device *device, const struct prefix_mean_backward_args *args);
void cuda_recurrence_backward(struct device *device, const struct recurrence_backward_args *args);
void cuda_logprob_backward(struct device *device, const struct logprob_backward_args *args);

#endif
