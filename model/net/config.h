/* What a checkpoint says about its model: the configuration language of `attnscope.config`.
 *
 * Plain data, made by config_parse, freed by config_free. Everything in it has been checked: ranges,
 * heads against counts, unknown keys; ids against the vocabularies' sizes by config_check_ids. Beside
 * the language's own ranges there are limits (1024 layers and heads, widths of 65536, 2^20 positions,
 * beam 1000), so that heads * head_dim and layers * d_model fit int and every shape 64 bits.
 */
#ifndef ATTNSCOPE_CONFIG_H
#define ATTNSCOPE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "gpu/backend.h"
#include "gpu/status.h"
#include "model/text/text.h"

/* Limits of the loader that others rely on. */
enum { CONFIG_MAX_HEADS = 1024, CONFIG_MAX_BEAM = 1000 };

enum stack { STACK_ENCODER, STACK_DECODER, STACK_COUNT };

/* The three kinds of attention module. MODULE_ENCODER is encoder self-attention. */
enum module { MODULE_ENCODER, MODULE_DECODER, MODULE_CROSS, MODULE_COUNT };

enum positions_kind { POSITIONS_SINUSOIDAL, POSITIONS_LEARNED, POSITIONS_NONE };
enum positions_layout { LAYOUT_HALVES, LAYOUT_HALVES_FAIRSEQ, LAYOUT_INTERLEAVED };
enum length_penalty { PENALTY_NONE, PENALTY_AVERAGE, PENALTY_WU };

/* Context vectors of queries and keys (Yang et al. 2019), as bits. */
enum { CONTEXT_GLOBAL = 1, CONTEXT_DEEP = 2, CONTEXT_DEEP_GLOBAL = 4 };
enum { SIDE_Q, SIDE_K, SIDE_COUNT };

struct attention_config {
    struct head *heads; // (H)
    bool dhicm;         // else W_O
    int d_m;            // of dhicm
    unsigned context;   // CONTEXT_… bits that have tensors in this layer; 0: none
    enum gate_scope gate;
    bool sides[SIDE_COUNT]; // which of queries and keys are mixed with context
};

struct stack_config {
    int layers, heads, head_dim;
    enum positions_kind positions;
    enum positions_layout layout;
    int offset;
};

enum { SPECIAL_PAD, SPECIAL_EOS, SPECIAL_UNK, SPECIAL_COUNT };
enum { SIDE_SOURCE, SIDE_TARGET };

struct id_list {
    int *ids; // (count)
    int count;
};

enum tied { TIED_NOT, TIED_SOURCE_EMBEDDING, TIED_TARGET_EMBEDDING };

struct config {
    char *name, *source_language, *target_language;
    int d_model, d_ff;
    enum activation activation;
    bool pre_norm;
    float norm_eps;
    float embedding_scale;
    struct stack_config stacks[STACK_COUNT];
    struct attention_config *attention[MODULE_COUNT]; // (layers of the module's stack)
    enum tied tied_target;                            // TIED_NOT or TIED_SOURCE_EMBEDDING
    enum tied tied_output;
    int special[SPECIAL_COUNT][2]; // [SIDE_SOURCE], [SIDE_TARGET]
    struct id_list prefix, suffix; // around the source's tokens
    struct id_list start;          // of every target
    enum tokenizer_kind tokenizer;
    bool moses, lowercase;
    int max_positions;
    struct {
        int beam;
        enum length_penalty penalty;
        double alpha;
        double factor; // maximum length = factor * source length + plus
        int plus;
    } search;
    char *json; // the text it was parsed from, for `:info`
};

/* Parses and checks the JSON text. NULL on failure; messages name the field:
 * "attention[2].heads: 7 entries, expected 8 (encoder.heads)". */
struct config *config_parse(const char *json, size_t bytes, struct status *status);
void config_free(struct config *config); // NULL: nothing

/* Whether every id is one of its vocabulary's, and tied embeddings have equally many rows. */
bool config_check_ids(const struct config *config, int source_size, int target_size,
                      struct status *status);

/* Names in the configuration language, for messages, commands and JSON. */
extern const char *const module_names[MODULE_COUNT];   // encoder, decoder, cross
extern const char *const pattern_names[PATTERN_COUNT]; // current, previous, …
extern const char *const mask_names[4];                // global, local, forward, backward
extern const char *const penalty_names[];              // none, average, wu; NULL at the end
extern const char *const gate_side_names[SIDE_COUNT];  // q, k

/* The stack that a module belongs to, and its layers and heads. */
enum stack module_stack(enum module module);
int module_layers(const struct config *config, enum module module);
int module_heads(const struct config *config, enum module module);
int module_head_dim(const struct config *config, enum module module);
/* Heads of a layer's module that the checkpoint gave queries and keys. */
int learned_heads(const struct config *config, enum module module, int layer);
/* Columns of the context tensor of one kind in a 0-based layer: d, layer*d, (layer+1)*d. */
int context_size(const struct config *config, unsigned kind, int layer);

#endif
