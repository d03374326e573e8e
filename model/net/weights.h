/* The weights of a model on its device. Internal to model/net.
 *
 * model_open creates everything and model_close frees it. Absent tensors (biases, modules without
 * queries) are {0} and NULL.
 */
#ifndef ATTNSCOPE_WEIGHTS_H
#define ATTNSCOPE_WEIGHTS_H

#include "model/net/model.h"

struct projection {
    struct weight *weight; // (N, K)
    struct tensor bias;    // (N), or absent
};

struct norm_weights {
    struct tensor gamma, beta; // (d); beta: absent in RMS norms
};

enum { CONTEXT_KINDS = 3 }; // global, deep, deep_global: bit 1 << kind

struct context_weights {
    struct weight *vectors[CONTEXT_KINDS]; // (L*hd, context size)
    struct tensor state, context, bias;    // the gate's
};

struct module_weights {
    int learned; // L: heads with queries and keys
    int *place;  // host (H): index of head h among them, or -1
    struct projection q, k, v, o;
    struct weight *head_w;   // DHICM: Wᵀ (hd, d_m)
    struct weight *head_u;   // U (d_m, d)
    struct weight *head_v;   // V (d_m, hd)
    struct weight *head_out; // W_s (d, d_m)
    struct context_weights context[SIDE_COUNT];
};

struct layer_weights {
    struct module_weights self, cross; // cross: of the decoder only
    struct projection input, forget;   // of a recurrence, instead of `self`
    struct norm_weights norms[3],
        output_norms[3];                         // of the sublayers, in their order; output_norms:
                                                 // of their outputs, or absent
    struct projection ffn_in, ffn_gate, ffn_out; // gate: gated layers only
    struct tensor bias; // like the stack's, if each layer has its own biases; or absent
};

struct stack_weights {
    struct layer_weights *layers;
    struct norm_weights embedding_norm; // or absent
    struct norm_weights norm;           // after the last layer, or absent
    struct tensor positions;            // (position_rows, d), from index 0 on; of rotary ones
                                        // (position_rows, head_dim); absent: none
    int position_rows;
    struct tensor bias; // (H, 2 * relative_span + 1), for self-attention in all layers; or absent
    bool deep, means;   // some layer's context needs the lower layers' inputs, or the running means
};

struct model {
    const struct checkpoint *checkpoint;
    const struct config *config;
    const struct backend *backend;
    struct device *device;
    struct head_settings *head_settings;                         // the checkpoint's own
    struct weight *source_embedding, *target_embedding, *output; // tied ones are the same pointer
    struct tensor output_bias;
    struct tensor excluded; // (V target) uint8: tokens that the search never produces
    struct tensor classes;  // (V target) uint8: CLASS_… of each piece
    struct stack_weights stacks[STACK_COUNT];
    int loaded;                // tensors loaded from the file
    int64_t loaded_elements;   // of them
    struct buffers *buffers;   // of passes, reused from one pass to the next (buffers.h)
    bool reserved;             // model_reserve
    bool integers;             // 8-bit weights are multiplied as integers
    const struct model *whole; // the model that owns the weights (first_layers.h); NULL: this one
    enum stack cut;            // the stack that is cut to its first layers
};

static inline const struct module_weights *model_module(const struct model *model,
                                                        enum module module, int layer)
{
    const struct layer_weights *weights = &model->stacks[module_stack(module)].layers[layer];
    return module == MODULE_CROSS ? &weights->cross : &weights->self;
}

/* Bytes of one relative position bias table of a stack on the device. */
size_t relative_bias_bytes(const struct config *config, enum stack stack);

/* Keys and values that heads share are put on the device for every head: of `parts` parts of a
 * tensor's rows each is repeated `times` times. Others: 1 and 1. */
struct repetition {
    int parts, times;
};
struct repetition weights_repetition(const struct config *config,
                                     const struct stored_tensor *tensor);

/* The total of weights and tensors that model_open requests from the backend. */
struct reservation weights_reservation(const struct model *model);

/* Puts model->excluded and model->classes on the device. */
bool target_tables_load(struct model *model, struct status *status);

/* Extends the position table of a stack on the device to rows 0 … rows-1, if it is shorter. */
bool positions_ensure(struct model *model, enum stack stack, int rows, struct status *status);

/* Frees what a model of first layers owns. */
void first_layers_close(struct model *model);

#endif
