/* Teacher-forced passes: all positions of a given target are decoded at once. Intermediate results
 * can be captured. On the CPU the results are bit-identical to a search that produces this target,
 * except the log-probabilities of its first tokens if search.renormalize (config.h) changes them.
 * On a GPU, fp32 and bf16 passes use the same factors as the search and differ from it by the
 * rounding of float32 sums; in tf32 a search over up to 8 rows does not round factors, while the
 * forced pass does (gpu/backend.h). The same pass always gives the same bits.
 */
#ifndef ATTNSCOPE_FORCE_H
#define ATTNSCOPE_FORCE_H

#include "model/net/model.h"

/* Outputs of a head (head_dim values per row, as attention writes them, gain included) that replace
 * those computed by a pass. Rows that are not listed are unchanged. */
struct head_patch {
    enum module module;
    int layer, head;      // 0-based
    const float *outputs; // (count, head_dim)
    const int *rows;      // (count) of the pass
    int count;
};

/* One key whose value is set to zeros in all heads of a module's layer. */
struct zeroed_value {
    enum module module;
    int layer, key; // 0-based
};

/* The results to capture. Zero-initialised: token log-probabilities only. */
struct capture_request {
    const struct head_patch *patch; // NULL: none
    /* (rows, d) for each side: replaces its embeddings with positions, before any norm of
     * embeddings; NULL: not replaced. */
    const float *inputs[STACK_COUNT];
    const struct zeroed_value *zeroed;      // NULL: none
    const bool *head_outputs[MODULE_COUNT]; // (layers); NULL: none of the module
    const bool *weights[MODULE_COUNT]; // (layers, H) matrices to capture; NULL: none of the module
    const bool
        *sublayers[MODULE_COUNT];    // (layers) sublayers to decompose; NULL: none of the module
    const bool *states[STACK_COUNT]; // (layers) outputs of layers to capture; NULL: none
    bool importance, gates;          // of every module that has them
    bool embeddings, encoder_output, logits, logprobs;
};
/* True if a request leaves the pass unmodified and asks only for weights, importance and gates. */
bool capture_is_plain(const struct capture_request *request, const struct config *config);

/* An attention sublayer, decomposed. Its output is o = Σ_j Σ_h a_hij f_h(j) + bias, where a is the
 * head's weight times its gain, or with DHICM times its importance. The layers above read x + o,
 * normed under post-norm; with norms of outputs (`plain` is present) o is the norm of that sum
 * first. All NULL unless captured. keys: columns of the weights. */
struct sublayer {
    float *residual;     // (rows, d) x: what the output is added to
    float *output;       // (rows, d) o
    float *plain;        // (rows, d) o before its norm; NULL: it has none
    float *output_gamma; // (d) of that norm
    float *parts; // (keys, H, d) f_h(j): what head h adds for the value of key j, including the
                  // value's bias
    float *gamma, *beta; // (d) of the norm of x + o; NULL under pre-norm, beta also of an RMS norm
};

/* The captured results; float, row-major. m: decoder inputs (start tokens + target - 1), n: source
 * tokens. Rows and columns of the weights: encoder (n, n), decoder (m, m), cross (m, n). */
struct capture {
    int source_count, target_rows;            // n, m
    float **weights[MODULE_COUNT];            // (layers*H) matrices, NULL if not captured
    float **layer_weights[MODULE_COUNT];      // (layers): the memory that holds a layer's matrices
    float **importance[MODULE_COUNT];         // (layers) of (rows, H), NULL if the layer has none
    float **gates[MODULE_COUNT][SIDE_COUNT];  // (layers) of (rows, 1) or (rows, L), NULL if not
                                              // captured
    struct sublayer *sublayers[MODULE_COUNT]; // (layers)
    float **head_outputs[MODULE_COUNT]; // (layers) of (rows, H, head_dim), NULL if not captured
    /* (rows, d) for each side, NULL unless requested. `embeddings`: the tokens' embeddings times
     * embedding_scale. `inputs`: the input of the first layer or of a norm of embeddings: those
     * embeddings with positions, or the request's `inputs`. */
    float *embeddings[STACK_COUNT], *inputs[STACK_COUNT];
    /* (layers) of (rows, d), NULL if not captured: the output of a layer, before any norm that
     * follows the last layer. */
    float **states[STACK_COUNT];
    float *encoder_output;    // (n, d), NULL unless requested
    float *logits, *logprobs; // (m, V), NULL unless requested
    float *token_logprobs;    // (target count): log p of each target token
    int layers[MODULE_COUNT], heads[MODULE_COUNT], stack_layers[STACK_COUNT];
    bool borrowed; // all of it belongs to another capture
};
void capture_free(struct capture *capture); // leaves it empty

/* Merged heads of a layer, passed instead of a head's number. */
enum {
    HEADS_MEAN = -1,
    HEADS_MAX = -2,
    HEADS_WEIGHTED = -3 // Σ_h G_h A_h: the weighting of heads in a layer with DHICM, for each row
};
/* Writes the weights of one head (0-based), or of merged heads, as (rows, columns). They must have
 * been captured, for merged heads those of every head of the layer; HEADS_WEIGHTED also needs
 * importance. */
void capture_weights(const struct capture *capture, enum module module, int layer, int head,
                     float *out);

/* One sentence and its target (ids with end-of-sentence, count >= 1). `out` need not be
 * initialised; on failure it is empty. head_settings NULL: the checkpoint's own. Like score_run,
 * fails with STATUS_INVALID if a log-probability is not finite. */
bool force_run(struct model *model, const struct sentence *source, const int *target, int count,
               const struct head_settings *head_settings, const struct capture_request *request,
               struct capture *out, struct status *status);

/* Scores many pairs in batches, without capture. Adjacent jobs with the same source and head
 * settings share the encoding of the source and the decoding of their targets' common prefix. If
 * only the source is the same, they share the encoder layers below the first in which the settings
 * differ. `batch`: sentences at once, >= 1. */
struct score_job {
    const struct sentence *source; // sources are the same if their addresses are
    const int *target;             // (count) ids with end-of-sentence
    int count;
    const struct head_settings *head_settings; // NULL: the checkpoint's own
    float *logprobs;                           // (count), output, owned by the caller
};
bool score_run(struct model *model, struct score_job *jobs, int count, int batch,
               struct status *status);

#endif
