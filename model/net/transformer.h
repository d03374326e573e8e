/* The layers of both stacks, the decoder's pass and the output layer, built on the backend
 * interface. Internal to model/net and model/search.
 *
 * Call order of a run: buffers_prepare and buffers_put_head_settings; encode (encoder.h) any number
 * of times; then decode and logits_product for rows that the host has written (row tables in
 * buffers.h) or the device has selected. Every function only enqueues work; backend->check reports
 * failures.
 */
#ifndef ATTNSCOPE_TRANSFORMER_H
#define ATTNSCOPE_TRANSFORMER_H

#include "model/net/pass.h"

/* Computes the input of the first layer from ids (M) and positions (M). */
void embed_rows(const struct pass *pass, enum stack stack, struct tensor ids, struct tensor pos);
/* Runs all layers; the final states are in buffers->normed (M, d). */
void run_stack(struct pass *pass, enum stack stack);

/* The rows of the decoder's current pass, as written by the host or selected by the device. */
struct pass decoder_pass(struct model *model, int rows, struct observer *observer);
/* Decodes `rows` rows; the final states are in buffers->normed (M, d). */
void decode(struct model *model, int rows, struct observer *observer);

/* Arguments of the product that computes the logits of `rows` rows of x (M, d) into
 * buffers->logits. */
struct linear_args logits_product(const struct model *model, struct tensor x, int rows);

#endif
