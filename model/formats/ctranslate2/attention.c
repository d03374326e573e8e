/* Reads attention beyond its projections: the scale of energies, the size of heads, relative
 * positions. */
#include <stdio.h>
#include <string.h>

#include "model/formats/ctranslate2/reader.h"

static struct ct2_variable *find_in_layer(struct ct2_reader *reader, int stack, int layer,
                                          const char *name)
{
    char full[128];
    snprintf(full, sizeof full, "layer_%d/%s", layer, name);
    return ct2_reader_find_in(reader, stack, full);
}

/* If there is none, energies are divided by the root of the head's size. */
static bool read_scale(struct ct2_reader *reader)
{
    static const char *const modules[] = {"self_attention/queries_scale",
                                          "attention/queries_scale"};
    double *first = &reader->plain.attention_scale, own;
    if (!ct2_reader_factor(reader, find_in_layer(reader, 0, 0, modules[0]), first))
        return false;
    for (int stack = 0; stack < 2; stack++)
        for (int layer = 0; layer < reader->plain.stacks[stack].layers; layer++)
            for (int module = 0; module <= stack; module++) {
                struct ct2_variable *scale = find_in_layer(reader, stack, layer, modules[module]);
                if (!ct2_reader_factor(reader, scale, &own))
                    return false;
                if (own != *first)
                    return ct2_reader_fail(reader, modules[module],
                                           "differs between modules; expected the same in all");
            }
    return true;
}

/* The heads of a stack need not add up to the model's width. */
static bool read_head_dim(struct ct2_reader *reader, int stack)
{
    const struct ct2_variable *rows =
        find_in_layer(reader, stack, 0, "self_attention/linear_0/weight");
    int64_t heads = reader->plain.stacks[stack].heads;
    if (!rows || rows->dimensions != 2)
        return true; // refused when layers are read
    reader->plain.stacks[stack].head_dim = rows->shape[0] / 3 / heads;
    return rows->shape[0] % (3 * heads) == 0 ||
           ct2_reader_fail(reader, rows->name,
                           "rows that are not those of whole heads, expected "
                           "queries, keys, values of all heads");
}

/* Reads the distance at which the last bucket of relative positions begins. */
static bool read_distance(struct ct2_reader *reader, int stack)
{
    enum { USUAL = 128 };
    struct ct2_variable *variable =
        find_in_layer(reader, stack, 0, "self_attention/relative_attention_max_distance");
    double distance = ct2_scalar(variable, USUAL);
    if (!(distance >= 1 && distance <= INT32_MAX))
        return ct2_reader_fail(reader, variable->name, "not a distance, expected at least 1");
    reader->plain.stacks[stack].max_distance = (int64_t)distance;
    return true;
}

/* CTranslate2 computes the bias in the first layer and adds it in all layers. */
static bool read_bias(struct ct2_reader *reader, int stack)
{
    static const char name[] = "self_attention/relative_attention_bias";
    const struct ct2_variable *bias = find_in_layer(reader, stack, 0, name);
    struct stored_tensor tensor;
    char ours[64];
    for (int layer = 0; layer < reader->plain.stacks[stack].layers; layer++) {
        const struct ct2_variable *own = find_in_layer(reader, stack, layer, name);
        find_in_layer(reader, stack, layer, "self_attention/relative_attention_max_distance");
        if (own &&
            (!bias || own->bytes != bias->bytes || memcmp(own->data, bias->data, own->bytes) != 0))
            return ct2_reader_fail(reader, own->name,
                                   "differs from the first layer's; expected one bias for all");
    }
    if (!bias)
        return true;
    if (bias->dimensions != 2)
        return ct2_reader_fail(reader, bias->name, "not a matrix, expected buckets and heads");
    reader->plain.stacks[stack].positions = "none";
    reader->plain.stacks[stack].buckets = bias->shape[0];
    snprintf(ours, sizeof ours, "%s.relative_bias.weight", ct2_stack_names[stack]);
    return read_distance(reader, stack) && ct2_reader_tensor(reader, bias, &tensor) &&
           contents_add(reader->contents, ours, &tensor, reader->status);
}

bool ct2_put_attention(struct ct2_reader *reader)
{
    return read_scale(reader) && read_head_dim(reader, 0) && read_head_dim(reader, 1) &&
           read_bias(reader, 0) && read_bias(reader, 1);
}
