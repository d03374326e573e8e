/* The first layers of one stack of a model as a model of its own, for lenses: what the decoder, or
 * the output layer, makes of what a lower layer has.
 *
 * The encoder cut after layer k is DecoderLens (Langedijk et al. 2023,
 * https://arxiv.org/abs/2310.03686): the decoder attends to what layer k has. The decoder cut after
 * layer k is the logit lens (nostalgebraist 2020): the output layer reads what layer k has. A norm
 * that follows the last layer follows layer k, and factors of the logits stay.
 *
 *     struct model *cut = model_first_layers(model, STACK_ENCODER, 2, status);
 *     search_run(cut, ...); force_run(cut, ...);
 *     model_close(cut); // before the whole model
 *
 * Weights are the whole model's; memory for passes is its own. Head settings of the whole model are
 * taken: those of layers that are cut off are not read. The configuration of model_checkpoint(cut)
 * has `layers` layers in that stack.
 */
#ifndef ATTNSCOPE_FIRST_LAYERS_H
#define ATTNSCOPE_FIRST_LAYERS_H

#include "model/net/model.h"

/* layers: 1 … those of the stack. NULL on failure. */
struct model *model_first_layers(const struct model *whole, enum stack stack, int layers,
                                 struct status *status);

#endif
