/* Teacher-forced passes: a given target is decoded at once. Intermediate results can be captured.
 * On the CPU the results are the same to the bit as in a search that produces this target; not the
 * log-probabilities of its first tokens where search.renormalize (config.h) changes them. On a GPU
 * they are computed from the same factors in fp32 and bf16, and differ from those of the search by
 * the rounding of float32 sums; in tf32 a search over up to 8 rows has exact factors, and the
 * forced pass has not (gpu/backend.h). The same pass gives the same bits again.
 */
#ifndef ATTNSCOPE_FORCE_H
#define ATTNSCOPE_FORCE_H

#include "model/net/model.h"

/* Outputs of a head (head_dim values a row, as attention gives them, gain included) that take the
 * place of those that a pass computes. Rows that are not listed keep theirs. */
struct head_patch {
    enum module module;
    int layer, head;      // 0-based
    const float *outputs; // (count, head_dim)
    const int *rows;      // (count) of the pass
    int count;
};

/* The value of one key in all heads of a module's layer, which becomes zeros. */
struct zeroed_value {
    enum module module;
    int layer, key; // 0-based
};

/* The results to capture. Zero-initialised: token log-probabilities only. */
struct capture_request {
    const struct head_patch *patch; // NULL: none
    /* (rows, d) of a side: what stands in the place of its embeddings with their positions, before
     * a norm of embeddings; NULL: these themselves. */
    const float *inputs[STACK_COUNT];
    const struct zeroed_value *zeroed;      // NULL: none
    const bool *head_outputs[MODULE_COUNT]; // (layers); NULL: none of the module
    const bool *weights[MODULE_COUNT]; // (layers, H) matrices to capture; NULL: none of the module
    const bool
        *sublayers[MODULE_COUNT];    // (layers) sublayers to take apart; NULL: none of the module
    const bool *states[STACK_COUNT]; // (layers) outputs of layers to capture; NULL: none
    bool importance, gates;          // of every module that has them
    bool embeddings, encoder_output, logits, logprobs;
};
/* True if a request is of the pass as it is, and of nothing but weights, importance and gates. */
bool capture_is_plain(const struct capture_request *request, const struct config *config);

/* An attention sublayer taken apart. Its output is o = Σ_j Σ_h a_hij f_h(j) + bias, where a is the
 * head's weight times its gain, or with DHICM times its importance; x + o is what the layers above
 * read, normed under post-norm. All NULL unless captured. keys: columns of the weights. */
struct sublayer {
    float *residual; // (rows, d) x: what the output is added to
    float *output;   // (rows, d) o
    float
        *parts; // (keys, H, d) f_h(j): what head h adds for the value of key j, whose bias is in it
    float *gamma, *beta; // (d) of the norm of x + o; NULL under pre-norm, beta also of an RMS norm
};

/* The results that were captured; float, row-major. m: decoder inputs (start tokens + target - 1),
 * n: source tokens. Rows and columns of the weights: encoder (n, n), decoder (m, m), cross (m,
 * n). */
struct capture {
    int source_count, target_rows;           // n, m
    float **weights[MODULE_COUNT];           // (layers*H) matrices, NULL where not captured
    float **layer_weights[MODULE_COUNT];     // (layers): the memory that a layer's matrices are in
    float **importance[MODULE_COUNT];        // (layers) of (rows, H), NULL where the layer has none
    float **gates[MODULE_COUNT][SIDE_COUNT]; // (layers) of (rows, 1) or (rows, L), NULL likewise
    struct sublayer *sublayers[MODULE_COUNT]; // (layers)
    float **head_outputs[MODULE_COUNT]; // (layers) of (rows, H, head_dim), NULL where not captured
    /* (rows, d) of each side, NULL unless asked for: the tokens' embeddings as the model reads
     * them, times embedding_scale; and what the first layer, or a norm of embeddings, reads: with
     * their positions, or what the request put there. */
    float *embeddings[STACK_COUNT], *inputs[STACK_COUNT];
    /* (layers) of (rows, d), NULL where not captured: the output of a layer, before a norm that
     * follows the last layer. */
    float **states[STACK_COUNT];
    float *encoder_output;    // (n, d), NULL unless asked for
    float *logits, *logprobs; // (m, V), likewise
    float *token_logprobs;    // (target count): log p of each target token
    int layers[MODULE_COUNT], heads[MODULE_COUNT], stack_layers[STACK_COUNT];
    bool borrowed; // all of it is another capture's
};
void capture_free(struct capture *capture); // leaves it empty

/* The heads of a layer as one matrix, in the place of a head's number. */
enum {
    HEADS_MEAN = -1,
    HEADS_MAX = -2,
    HEADS_WEIGHTED = -3 // Σ_h G_h A_h: as a layer with DHICM weights its heads for each row
};
/* Writes the weights of a head (0-based), or merged ones, as (rows, columns). They were captured,
 * merged ones those of every head of the layer; HEADS_WEIGHTED: importance as well. */
void capture_weights(const struct capture *capture, enum module module, int layer, int head,
                     float *out);

/* One sentence and its target (ids with end-of-sentence, count >= 1). `out` need not be
 * initialised; on failure it is empty. head_settings NULL: the checkpoint's own. Log-probabilities
 * that are not finite are a failure (STATUS_INVALID), here as in score_run. */
bool force_run(struct model *model, const struct sentence *source, const int *target, int count,
               const struct head_settings *head_settings, const struct capture_request *request,
               struct capture *out, struct status *status);

/* Scores many pairs in batches, without capture. Adjacent jobs with the same source and head
 * settings share the encoding of the source and the decoding of their targets' common prefix; those
 * with the same source and other head settings share the encoder layers below the first in which
 * the settings differ. `batch`: sentences at once, >= 1. */
struct score_job {
    const struct sentence *source; // the same one where it has the same address
    const int *target;             // (count) ids with end-of-sentence
    int count;
    const struct head_settings *head_settings; // NULL: the checkpoint's own
    float *logprobs;                           // (count), caller's, written
};
bool score_run(struct model *model, struct score_job *jobs, int count, int batch,
               struct status *status);

#endif
