/* Lenses (lens.h) over a file and its translations: a given one, or the model's own.
 *
 *     fill in lens, bleu, walk.path and walk.targets; lens_study_run; lens_study_free
 *
 * A token of a target is decided at the first layer of the decoder from which on every layer
 * predicts in its place what the last one does. BLEU compares the translations from each layer of
 * the encoder with the targets.
 */
#ifndef ATTNSCOPE_LENS_STUDY_H
#define ATTNSCOPE_LENS_STUDY_H

#include "model/score/bleu.h"
#include "model/study/sentences/lens.h"
#include "model/study/walk.h"

/* Sums over the sentences. */
struct lens_layer {
    double logprob;            // of the targets after this layer
    int64_t decided, agreed;   // decoder: tokens decided here; predicted as the last layer predicts
    int64_t same;              // encoder: sentences translated as after the last layer
    int64_t bleu[BLEU_COUNTS]; // encoder
};

struct lens_study {
    const struct lens *lens;
    struct bleu_options bleu;
    struct study_walk walk;

    struct lens_layer *layers; // (lens->layers)
    int64_t tokens;            // of the targets
};

/* As study_walk. lens_study_free in either case. */
bool lens_study_run(const struct study_context *context, struct lens_study *study,
                    struct status *status);
void lens_study_free(struct lens_study *study);

#endif
