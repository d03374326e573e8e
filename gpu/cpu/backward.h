/* The operations of the CPU backend that compute derivatives. gpu/derivatives.h defines them and
 * their arguments. */
#ifndef ATTNSCOPE_CPU_BACKWARD_H
#define ATTNSCOPE_CPU_BACKWARD_H

#include "gpu/backend.h"
#include "gpu/derivatives.h"

void cpu_linear_backward(struct device *device, const struct linear_backward_args *args);
void cpu_norm_backward(struct device *device, const struct norm_backward_args *args);
void cpu_activation_backward(struct device *device, const struct activation_backward_args *args);
void cpu_attention_backward(struct device *device, const struct attention_backward_args *args);
void cpu_mix_backward(struct device *device, const struct mix_backward_args *args);
void cpu_gate_backward(struct device *device, const struct gate_backward_args *args);
void cpu_add(struct device *device, const struct add_args *args);
void cpu_prefix_mean_backward(struct device *device, const struct prefix_mean_backward_args *args);
void cpu_recurrence_backward(struct device *device, const struct recurrence_backward_args *args);
void cpu_logprob_backward(struct device *device, const struct logprob_backward_args *args);

#endif
