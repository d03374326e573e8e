#include "model/net/backward/gradient.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "gpu/derivatives.h"
#include "model/net/backward/backward.h"
#include "model/net/group.h"
#include "model/net/stems.h"
#include "model/net/transformer.h"

/* Results -------------------------------------------------------------------------------------- */

static void free_all(float **matrices, size_t count)
{
    for (size_t i = 0; matrices && i < count; i++)
        free(matrices[i]);
    free(matrices);
}

void gradients_free(struct gradients *gradients)
{
    for (int stack = 0; stack < STACK_COUNT; stack++) {
        free(gradients->embeddings[stack]);
        free_all(gradients->states[stack], (size_t)gradients->layers[stack] + 1);
    }
    for (enum module module = 0; module < MODULE_COUNT; module++) {
        const size_t layers = (size_t)gradients->module_layers[module];
        free(gradients->weights[module]);
        free_all(gradients->layer_weights[module], layers);
        free_all(gradients->head_outputs[module], layers);
        free(gradients->gains[module]);
    }
    *gradients = (struct gradients){0};
}

static bool open_module(const struct config *config, enum module module, struct gradients *out,
                        struct status *status)
{
    const size_t layers = (size_t)module_layers(config, module);
    const size_t heads = layers * (size_t)module_heads(config, module);
    out->module_layers[module] = module_layers(config, module);
    out->heads[module] = module_heads(config, module);
    out->weights[module] = memory_new(heads, sizeof(float *), status);
    out->layer_weights[module] = memory_new(layers, sizeof(float *), status);
    out->head_outputs[module] = memory_new(layers, sizeof(float *), status);
    if (!out->weights[module] || !out->layer_weights[module] || !out->head_outputs[module])
        return false;
    return !layers || (out->gains[module] = memory_new(heads, sizeof(double), status)) != NULL;
}

static bool gradients_open(const struct config *config, struct gradients *out,
                           struct status *status)
{
    for (int stack = 0; stack < STACK_COUNT; stack++) {
        out->layers[stack] = config->stacks[stack].layers;
        out->states[stack] = memory_new((size_t)out->layers[stack] + 1, sizeof(float *), status);
        if (!out->states[stack])
            return false;
    }
    for (enum module module = 0; module < MODULE_COUNT; module++)
        if (!open_module(config, module, out, status))
            return false;
    return true;
}

/* Terms ---------------------------------------------------------------------------------------- */

/* Terms of the rows of one piece, as the device reads them. */
struct piece {
    int first, rows;      // decoder rows
    float *total;         // (rows)
    int32_t *row, *token; // (count), rows from the piece's first on
    float *weight;        // (count)
    int count;
};

static int row_of(const struct backward *back, const struct gradient_term *term)
{
    return back->model->config->start.count - 1 + term->position;
}

static bool check_terms(const struct model *model, const struct gradient_request *request,
                        int count, struct status *status)
{
    const int vocabulary = vocabulary_size(model->checkpoint->vocabulary[SIDE_TARGET]);
    for (int t = 0; t < request->count; t++) {
        const struct gradient_term *term = &request->terms[t];
        if (term->position < 0 || term->position >= count)
            return status_fail(status, STATUS_INVALID, "target position %d, expected 0 to %d",
                               term->position, count - 1);
        if (term->token < 0 || term->token >= vocabulary)
            return status_fail(status, STATUS_INVALID, "token %d, expected 0 to %d", term->token,
                               vocabulary - 1);
    }
    return true;
}

static void piece_close(struct piece *piece)
{
    free(piece->total);
    free(piece->row);
    free(piece->token);
    free(piece->weight);
}

static bool piece_open(const struct backward *back, int rows, struct piece *piece,
                       struct status *status)
{
    const size_t terms = (size_t)back->request->count;
    *piece = (struct piece){.total = memory_new((size_t)rows, sizeof *piece->total, status),
                            .row = memory_new(terms, sizeof *piece->row, status),
                            .token = memory_new(terms, sizeof *piece->token, status),
                            .weight = memory_new(terms, sizeof *piece->weight, status)};
    if (piece->total && piece->row && piece->token && piece->weight)
        return true;
    piece_close(piece);
    return false;
}

/* Describes rows first … first+rows-1. */
static void piece_fill(const struct backward *back, int first, int rows, struct piece *piece)
{
    piece->first = first;
    piece->rows = rows;
    piece->count = 0;
    memset(piece->total, 0, (size_t)rows * sizeof *piece->total);
    for (int t = 0; t < back->request->count; t++) {
        const struct gradient_term *term = &back->request->terms[t];
        const int row = row_of(back, term) - first;
        if (row < 0 || row >= rows)
            continue;
        if (!back->request->relevance)
            piece->total[row] += term->weight;
        piece->row[piece->count] = row;
        piece->token[piece->count] = term->token;
        piece->weight[piece->count++] = term->weight;
    }
}

static double element(const struct backward *back, struct tensor tensor, size_t at)
{
    const struct model *model = back->model;
    float value;
    model->backend->get(model->device, &value, tensor_at(tensor, at * sizeof value), sizeof value);
    return (double)value;
}

/* Adds the terms' part of L, of log-probabilities or logits in buffers->logits, and what the output
 * layer's bias takes of the latter, unless a cap follows it (cap_back). */
static void add_values(struct backward *back, const struct piece *piece, size_t vocabulary)
{
    const struct tensor bias = back->model->output_bias;
    for (int t = 0; t < piece->count; t++) {
        const size_t token = (size_t)piece->token[t];
        const double weight = (double)piece->weight[t];
        back->out->value += weight * element(back, back->model->buffers->logits,
                                             (size_t)piece->row[t] * vocabulary + token);
        if (back->request->relevance && tensor_present(bias) &&
            !(back->model->config->output_cap > 0))
            back->out->absorbed += weight * element(back, bias, token);
    }
}

/* The product that computes the piece's logits. */
static struct linear_args piece_product(const struct backward *back, const struct piece *piece)
{
    const struct model *model = back->model;
    const size_t row = (size_t)model->config->d_model * sizeof(float);
    return logits_product(model, tensor_at(model->buffers->normed, (size_t)piece->first * row),
                          piece->rows);
}

/* Log-probabilities of the piece's rows, in buffers->logits, and their part of L. */
static void piece_logprobs(struct backward *back, const struct piece *piece)
{
    struct model *model = back->model;
    const struct buffers *b = model->buffers;
    const size_t vocabulary = (size_t)vocabulary_size(model->checkpoint->vocabulary[SIDE_TARGET]);
    const struct linear_args product = piece_product(back, piece);
    const struct logprob_args logprobs = {
        .logits = b->logits, .all = b->logits, .rows = piece->rows, .vocabulary = (int)vocabulary};
    model->backend->linear(model->device, &product, 1);
    if (back->request->relevance)
        add_values(back, piece, vocabulary);
    model->backend->logprob(model->device, &logprobs);
    if (!back->request->relevance)
        add_values(back, piece, vocabulary);
}

/* The terms' tensors, which hold those of one piece. */
struct device_terms {
    struct tensor arena, total, row, token, weight;
    struct tensor uncapped; // (rows, V), if logits have a cap
};

static bool terms_open(const struct backward *back, int rows, struct device_terms *terms,
                       struct status *status)
{
    const struct model *model = back->model;
    const size_t vocabulary = (size_t)vocabulary_size(model->checkpoint->vocabulary[SIDE_TARGET]);
    const size_t capped = model->config->output_cap > 0 ? (size_t)rows : 0;
    struct layout layout = {0};
    *terms = (struct device_terms){0};
    for (int pass = 0; pass < 2; pass++) {
        const size_t count = (size_t)back->request->count;
        layout_take(&layout, &terms->total, (size_t)rows, 1);
        layout_take(&layout, &terms->row, count, 1);
        layout_take(&layout, &terms->token, count, 1);
        layout_take(&layout, &terms->weight, count, 1);
        layout_take(&layout, &terms->uncapped, capped, vocabulary);
        if (layout.overflow)
            return status_fail(status, STATUS_MEMORY, "the vocabulary is too large");
        if (pass == 0 &&
            !model->backend->allocate(model->device, layout.used, &terms->arena, status))
            return false;
        layout = (struct layout){.buffer = terms->arena.buffer};
    }
    return true;
}

/* From the derivatives by logits, in buffers->logits, those by logits before their cap. */
static void cap_back(struct backward *back, const struct piece *piece,
                     const struct device_terms *terms)
{
    const struct model *model = back->model;
    struct linear_args product = piece_product(back, piece);
    const struct activation_backward_args args = {.dy = product.y,
                                                  .x = terms->uncapped,
                                                  .cap = product.cap,
                                                  .relevance = back->request->relevance,
                                                  .rows = piece->rows,
                                                  .columns = product.ldy};
    if (!(product.cap > 0))
        return;
    product.y = terms->uncapped;
    product.cap = 0;
    model->backend->linear(model->device, &product, 1);
    model->backend->activation_backward(model->device, &args);
    backward_absorb(back, (struct row_matrix){args.dy, args.columns}, model->output_bias,
                    piece->rows, args.columns);
}

/* The derivatives of L by the piece's final states, in its rows of `state`. */
static void piece_back(struct backward *back, const struct piece *piece,
                       const struct device_terms *terms)
{
    struct model *model = back->model;
    const struct backend *backend = model->backend;
    const int d = model->config->d_model;
    const int vocabulary = vocabulary_size(model->checkpoint->vocabulary[SIDE_TARGET]);
    const size_t bytes = (size_t)piece->count * sizeof(int32_t);
    const struct logprob_backward_args args = {.logprobs = model->buffers->logits,
                                               .total = terms->total,
                                               .row = terms->row,
                                               .token = terms->token,
                                               .weight = terms->weight,
                                               .rows = piece->rows,
                                               .vocabulary = vocabulary,
                                               .terms = piece->count};
    const struct row_matrix state = {
        tensor_at(back->slopes.state, (size_t)piece->first * (size_t)d * sizeof(float)), d};
    piece_logprobs(back, piece);
    backend->put(model->device, terms->total, piece->total,
                 (size_t)piece->rows * sizeof *piece->total);
    backend->put(model->device, terms->row, piece->row, bytes);
    backend->put(model->device, terms->token, piece->token, bytes);
    backend->put(model->device, terms->weight, piece->weight, bytes);
    backend->logprob_backward(model->device, &args);
    cap_back(back, piece, terms);
    backward_product(back, state, (struct row_matrix){model->buffers->logits, vocabulary},
                     model->output, piece->rows, false);
}

/* Begins with the derivatives by the final states, piece by piece of the rows. */
static bool terms_back(struct backward *back, int rows, struct status *status)
{
    const int most = back->model->buffers->shape.logit_rows, d = back->model->config->d_model;
    struct piece piece;
    struct device_terms terms;
    if (!piece_open(back, most, &piece, status))
        return false;
    const bool ok = terms_open(back, most, &terms, status);
    int first = rows, last = 0;
    for (int t = 0; t < back->request->count; t++) {
        first = int_min(first, row_of(back, &back->request->terms[t]));
        last = int_max(last, row_of(back, &back->request->terms[t]) + 1);
    }
    if (ok)
        backward_clear(back, (struct row_matrix){back->slopes.state, d}, rows, d);
    for (int row = first; ok && row < last; row += most) {
        piece_fill(back, row, int_min(most, last - row), &piece);
        if (piece.count)
            piece_back(back, &piece, &terms);
    }
    if (ok)
        back->model->backend->release(back->model->device, terms.arena);
    piece_close(&piece);
    return ok;
}

/* The pass ------------------------------------------------------------------------------------- */

/* Both stacks, from the terms to the embeddings. */
static bool stacks_back(struct backward *back, struct status *status)
{
    struct model *model = back->model;
    const int n = back->out->source_count, m = back->out->target_rows, d = model->config->d_model;
    const struct stage stage = {.rows = n, .sentences = 1};
    const struct pass decoder = decoder_pass(model, m, NULL);
    const struct pass encoder = encoder_pass(model, 1, n, &stage, NULL);
    if (!terms_back(back, m, status))
        return false;
    backward_clear(back, (struct row_matrix){back->slopes.encoded, d}, n, d);
    backward_stack(back, &decoder, STACK_DECODER);
    backward_encoder_output(back, &encoder);
    backward_stack(back, &encoder, STACK_ENCODER);
    if (!model->backend->check(model->device, status) || back->failed)
        return false;
    return isfinite(back->out->value) ||
           status_fail(status, STATUS_INVALID,
                       "no derivatives: the model's log-probabilities are not finite");
}

struct gradient_pass {
    struct model *model;
    struct score_job job;
    struct job_group group;
    struct tape tape;
    int source_count, target_rows;
};

bool gradient_check(const struct model *model, struct status *status)
{
    return model_check_floats(model, "derivatives", status);
}

/* The forced pass, which fills the tape. */
static bool run_forward(struct gradient_pass *pass, const float *const inputs[STACK_COUNT],
                        struct status *status)
{
    struct capture_request request = {.patch = NULL};
    struct capture capture = {.source_count = pass->source_count, .target_rows = pass->target_rows};
    struct observer observer = {
        .request = &request, .capture = &capture, .status = status, .tape = &pass->tape};
    for (int stack = 0; inputs && stack < STACK_COUNT; stack++)
        request.inputs[stack] = inputs[stack];
    pass->group.count = 1;
    return tape_open(pass->model, pass->source_count, pass->target_rows, &pass->tape, status) &&
           group_run(&pass->group, &observer, 0, NULL, status);
}

struct gradient_pass *gradient_open(struct model *model, const struct sentence *source,
                                    const int *target, int count,
                                    const struct head_settings *head_settings,
                                    const float *const inputs[STACK_COUNT], struct status *status)
{
    if (!gradient_check(model, status) || !group_check(model, source, count, status))
        return NULL;
    struct gradient_pass *pass = memory_new(1, sizeof *pass, status);
    if (!pass)
        return NULL;
    pass->model = model;
    pass->job = (struct score_job){
        .source = source, .target = target, .count = count, .head_settings = head_settings};
    pass->source_count = source->count;
    pass->target_rows = decoder_inputs(model, count);
    if (group_open(&pass->group, model, &pass->job, 1, status) &&
        group_add(&pass->group, 0, status) && run_forward(pass, inputs, status))
        return pass;
    gradient_close(pass);
    return NULL;
}

void gradient_close(struct gradient_pass *pass)
{
    if (!pass)
        return;
    tape_close(pass->model, &pass->tape);
    group_close(&pass->group);
    free(pass);
}

bool gradient_back(struct gradient_pass *pass, const struct gradient_request *request,
                   struct gradients *out, struct status *status)
{
    struct backward back = {.model = pass->model,
                            .tape = &pass->tape,
                            .request = request,
                            .head_settings = pass->job.head_settings ? pass->job.head_settings
                                                                     : pass->model->head_settings,
                            .out = out,
                            .status = status};
    *out = (struct gradients){.source_count = pass->source_count, .target_rows = pass->target_rows};
    if (!check_terms(pass->model, request, pass->job.count, status))
        return false;
    bool ok = gradients_open(pass->model->config, out, status) && backward_open(&back, status);
    if (ok) {
        ok = stacks_back(&back, status);
        backward_close(&back);
    }
    if (!ok)
        gradients_free(out);
    return ok;
}

bool gradient_run(struct model *model, const struct sentence *source, const int *target, int count,
                  const struct head_settings *head_settings, const struct gradient_request *request,
                  struct gradients *out, struct status *status)
{
    struct gradient_pass *pass =
        gradient_open(model, source, target, count, head_settings, NULL, status);
    *out = (struct gradients){0};
    const bool ok = pass && gradient_back(pass, request, out, status);
    gradient_close(pass);
    return ok;
}
