/* Predictions of a model from before its last layer.
 *
 * For the encoder: the translation if the decoder attends to layer k instead of the last one
 * (DecoderLens, Langedijk et al. 2023). For the decoder: the token that the output layer predicts
 * from layer k (the logit lens, nostalgebraist 2020). Both run the model without the layers above k
 * (model/net/first_layers.h); any norm after the last layer is applied after layer k.
 *
 *     lens_open(&lens, &state, STACK_DECODER, status);
 *     lens_predict(&lens, source, target, count, tokens, status); // encoder: lens_translate
 *     lens_close(&lens);
 */
#ifndef ATTNSCOPE_LENS_H
#define ATTNSCOPE_LENS_H

#include "model/net/force.h"
#include "model/score/bleu.h"
#include "model/search/state.h"
#include "model/study/walk.h"

struct lens {
    enum stack stack;
    int layers;
    struct state *states; // (layers) cut after layer 1, 2, …; the last is the whole model
};

/* The state must outlive the lens. On failure nothing needs to be closed. */
bool lens_open(struct lens *lens, const struct state *state, enum stack stack,
               struct status *status);
void lens_close(struct lens *lens);

/* The prediction for one token of a target. */
struct lens_token {
    int best;           // the most probable id
    float best_logprob; // its log-probability
    float logprob;      // that of the target's token
};

/* tokens: (layers, count), output. */
bool lens_predict(const struct lens *lens, const struct sentence *source, const int *target,
                  int count, struct lens_token *tokens, struct status *status);

/* The first layer (from 1) from which on all layers predict the same as the last for a token. */
int lens_decided(const struct lens_token *tokens, int layers, int count, int token);

/* translations: (layers), best hypotheses first; the caller frees each with translation_free.
 * logprobs: (layers), output: the log-probability of a given target. */
bool lens_translate(const struct lens *lens, const struct sentence *source,
                    struct translation *translations, struct status *status);
bool lens_score(const struct lens *lens, const struct sentence *source, const int *target,
                int count, double *logprobs, struct status *status);

/* Over a file ---------------------------------------------------------------------------------- */

/* A file and its translations: given ones, or the model's own. Fill in lens, bleu, walk.path and
 * walk.targets; lens_study_run; lens_study_free.
 *
 * A target token is decided at the first decoder layer from which on every layer predicts the same
 * as the last. BLEU compares the translations from each layer of the encoder with the targets. */

/* Sums over the sentences. */
struct lens_layer {
    double logprob;            // of the targets after this layer
    int64_t decided, agreed;   // decoder: tokens decided here; predicted as by the last layer
    int64_t same;              // encoder: sentences translated as from the last layer
    int64_t bleu[BLEU_COUNTS]; // encoder
};

struct lens_study {
    const struct lens *lens;
    struct bleu_options bleu;
    struct study_walk walk;

    struct lens_layer *layers; // (lens->layers)
    int64_t tokens;            // of the targets
};

/* Like study_walk. Call lens_study_free in either case. */
bool lens_study_run(const struct study_context *context, struct lens_study *study,
                    struct status *status);
void lens_study_free(struct lens_study *study);

#endif
