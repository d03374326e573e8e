/* Adds the modules of a PyTorch model under our names, for families whose layers are modules.
 * Private to model/formats.
 *
 * Order of calls: modules_embeddings; modules_positions; modules_stack for each stack;
 * modules_left.
 */
#ifndef ATTNSCOPE_MODULES_H
#define ATTNSCOPE_MODULES_H

#include "model/formats/contents.h"
#include "model/formats/model_words.h"
#include "model/formats/tensor_set.h"

struct modules {
    struct contents *contents;
    struct tensor_set from;
    struct plain_config *plain;
    /* The factor by which residual connections multiply their branch's input (DeepNet, Wang et al.
     * 2022); 1 in other models. */
    double residual[2]; // encoder, decoder
    struct status *status;
};

/* A module of a layer: THEIRS.weight and THEIRS.bias are OURS.weight and OURS.bias. A name of
 * theirs that ends in "_" gets no dot: "self_attn.in_proj_". */
struct module_name {
    const char *theirs, *ours; // "self_attn.linear_query", "self_attention.q"; NULL: not there;
                               // several of ours, with a blank between, share the rows of theirs
    bool last;                 // the last of a residual branch; scaled by its factor
    const char *gated;         // our name if feed-forward layers have a gate; NULL: the same
    bool interleaved;          // the last two of several, keys and values, alternate head by head
};

/* The names of a stack's modules, in order of computation. */
struct stack_modules {
    const char *layers;                // "encoder.transformer"
    const char *norm;                  // the last one: "encoder.layer_norm"
    const char *ffn;                   // the first of the feed-forward layers: "feed_forward.w_1"
    const struct module_name *modules; // (count)
    int count;
};

/* Sets the last two members from an array. */
#define STACK_MODULES(list) .modules = (list), .count = (int)(sizeof(list) / sizeof *(list))

/* Adds the embeddings of both sides and the output's weight; equal ones are tied. Sets d_model. */
bool modules_embeddings(struct modules *modules, const struct stored_tensor *source,
                        const struct stored_tensor *target, const struct stored_tensor *output);

/* Adds the tables of positions of both stacks, (rows, 1, d) or (1, rows, d). Sinusoidal ones also
 * become learned positions, to add exactly the toolkit's numbers. Sets max_positions. */
bool modules_positions(struct modules *modules, const struct stored_tensor *const tables[2]);

/* Counts and adds the layers of a stack, and its last norm if the configuration has one. Biases may
 * be absent. Norms may have the names a_2 and b_2 of OpenNMT-py before version 0.5. Weights are
 * scaled by a residual factor, which is exact except for the epsilon of the norms. */
bool modules_stack(struct modules *modules, int stack, const struct stack_modules *names);

/* Fails with the name of an untaken tensor, unless harmless (tensor_set.h). */
bool modules_left(const struct modules *modules, const char *const *harmless);

/* Adds pieces as one vocabulary for both sides, or one for each. */
bool modules_vocabularies(struct modules *modules, const struct piece_list pieces[2]);

#endif
