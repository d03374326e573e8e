/* Puts the layers of a Marian model under our names; theirs are in src/models/transformer.h. */
#include <stdio.h>
#include <string.h>

#include "model/formats/marian/reader.h"

static const char *const stacks[] = {"encoder", "decoder"};

/* Marian stores the matrices of products as (in, out), and their biases as (1, out). */
static bool put_linear(struct marian_reader *reader, const char *weight, const char *bias,
                       const char *ours)
{
    char name[160];
    struct stored_tensor tensor;
    snprintf(name, sizeof name, "%s.weight", ours);
    if (!marian_take_matrix(reader, weight, true, &tensor) ||
        !contents_add(reader->contents, name, &tensor, reader->status))
        return false;
    snprintf(name, sizeof name, "%s.bias", ours);
    return marian_take_vector(reader, bias, &tensor) &&
           contents_add(reader->contents, name, &tensor, reader->status);
}

/* `suffix`: "_pre" if the norm comes before its part. */
static bool put_norm(struct marian_reader *reader, const char *theirs, const char *suffix,
                     const char *ours)
{
    static const char *const kinds[][2] = {{"scale", "weight"}, {"bias", "bias"}};
    for (int kind = 0; kind < 2; kind++) {
        char from[160], to[160];
        struct stored_tensor tensor;
        snprintf(from, sizeof from, "%s_ln_%s%s", theirs, kinds[kind][0], suffix);
        snprintf(to, sizeof to, "%s.%s", ours, kinds[kind][1]);
        if (!marian_take_vector(reader, from, &tensor) ||
            !contents_add(reader->contents, to, &tensor, reader->status))
            return false;
    }
    return true;
}

/* The name of a layer in Marian and here: "decoder_l2", "decoder.layers.1". */
struct place {
    char theirs[64], ours[64];
    int stack;
};

static bool put_part_norm(struct marian_reader *reader, const struct place *place, const char *part,
                          int number)
{
    char theirs[128], ours[96];
    snprintf(theirs, sizeof theirs, "%s_%s", place->theirs, part);
    snprintf(ours, sizeof ours, "%s.norm%d", place->ours, number);
    return put_norm(reader, theirs, reader->plain.stacks[place->stack].pre_norm ? "_pre" : "",
                    ours);
}

/* `part`: "self" or "context". */
static bool put_attention(struct marian_reader *reader, const struct place *place, const char *part,
                          const char *module, int norm)
{
    char wo[32];
    for (const char *which = "qkvo"; *which; which++) {
        char weight[128], bias[128], ours[128];
        snprintf(weight, sizeof weight, "%s_%s_W%c", place->theirs, part, *which);
        snprintf(bias, sizeof bias, "%s_%s_b%c", place->theirs, part, *which);
        snprintf(ours, sizeof ours, "%s.%s.%c", place->ours, module, *which);
        if (!put_linear(reader, weight, bias, ours))
            return false;
    }
    snprintf(wo, sizeof wo, "%s_Wo", part);
    return put_part_norm(reader, place, wo, norm);
}

/* Puts the recurrence of a student's decoder, SSRU of src/rnn/cells.h; its input has no bias. */
static bool put_recurrence(struct marian_reader *reader, const struct place *place)
{
    struct stored_tensor weight;
    char input[128], forget[128], bias[128], ours[128];
    snprintf(input, sizeof input, "%s_rnn_W", place->theirs);
    snprintf(forget, sizeof forget, "%s_rnn_Wf", place->theirs);
    snprintf(bias, sizeof bias, "%s_rnn_bf", place->theirs);
    snprintf(ours, sizeof ours, "%s.recurrence.input.weight", place->ours);
    if (!marian_take_matrix(reader, input, true, &weight) ||
        !contents_add(reader->contents, ours, &weight, reader->status))
        return false;
    snprintf(ours, sizeof ours, "%s.recurrence.forget", place->ours);
    const char *norm = reader->plain.stacks[place->stack].pre_norm ? "rnn" : "rnn_ffn";
    return put_linear(reader, forget, bias, ours) && put_part_norm(reader, place, norm, 1);
}

static bool put_feed_forward(struct marian_reader *reader, const struct place *place, int norm)
{
    static const char *const ours[] = {"in", "out"};
    for (int i = 0; i < 2; i++) {
        char weight[128], bias[128], name[128];
        snprintf(weight, sizeof weight, "%s_ffn_W%d", place->theirs, i + 1);
        snprintf(bias, sizeof bias, "%s_ffn_b%d", place->theirs, i + 1);
        snprintf(name, sizeof name, "%s.ffn.%s", place->ours, ours[i]);
        if (!put_linear(reader, weight, bias, name))
            return false;
    }
    return put_part_norm(reader, place, "ffn_ffn", norm);
}

/* Returns the number of the layer that shares its parameters with this one. */
static int64_t tied_layer(const struct marian_reader *reader, int stack, int layer)
{
    const json_t *tied = json_object_get(reader->options, "transformer-tied-layers");
    const json_t *number = json_array_get(tied, (size_t)layer);
    return stack == 1 && json_is_integer(number) ? json_integer_value(number) : layer + 1;
}

static bool put_layer(struct marian_reader *reader, int stack, int layer)
{
    struct place place = {.stack = stack};
    snprintf(place.theirs, sizeof place.theirs, "%s_l%lld", stacks[stack],
             (long long)tied_layer(reader, stack, layer));
    snprintf(place.ours, sizeof place.ours, "%s.layers.%d", stacks[stack], layer);
    return (reader->plain.stacks[stack].recurrent
                ? put_recurrence(reader, &place)
                : put_attention(reader, &place, "self", "self_attention", 1)) &&
           (stack == 0 || put_attention(reader, &place, "context", "cross_attention", 2)) &&
           put_feed_forward(reader, &place, stack == 0 ? 2 : 3);
}

bool marian_put_stack(struct marian_reader *reader, int stack)
{
    for (int layer = 0; layer < reader->plain.stacks[stack].layers; layer++)
        if (!put_layer(reader, stack, layer))
            return false;
    char theirs[32], ours[32];
    snprintf(theirs, sizeof theirs, "%s_emb", stacks[stack]);
    snprintf(ours, sizeof ours, "%s.embedding_norm", stacks[stack]);
    if (reader->plain.stacks[stack].embedding_norm && !put_norm(reader, theirs, "_pre", ours))
        return false;
    snprintf(theirs, sizeof theirs, "%s_top", stacks[stack]);
    snprintf(ours, sizeof ours, "%s.norm", stacks[stack]);
    return !plain_last_norm(&reader->plain, stack) || put_norm(reader, theirs, "", ours);
}
