/* The first layers of one stack of a model as a separate model, for lenses: what the decoder or the
 * output layer makes of a lower layer's output.
 *
 * The encoder cut after layer k is DecoderLens (Langedijk et al. 2023,
 * https://arxiv.org/abs/2310.03686): the decoder attends to the output of layer k. The decoder cut
 * after layer k is the logit lens (nostalgebraist 2020): the output layer reads the output of layer
 * k. A norm after the last layer is applied after layer k, and factors of the logits are kept.
 *
 *     struct model *cut = model_first_layers(model, STACK_ENCODER, 2, status);
 *     search_run(cut, ...); force_run(cut, ...);
 *     model_close(cut); // before the whole model
 *
 * The cut model shares the whole model's weights but has its own memory for passes. It accepts head
 * settings of the whole model and ignores the layers that are cut off. The configuration of
 * model_checkpoint(cut) has `layers` layers in that stack.
 */
#ifndef ATTNSCOPE_FIRST_LAYERS_H
#define ATTNSCOPE_FIRST_LAYERS_H

#include "model/net/model.h"

/* layers: 1 … the number in the stack. NULL on failure. */
struct model *model_first_layers(const struct model *whole, enum stack stack, int layers,
                                 struct status *status);

#endif
