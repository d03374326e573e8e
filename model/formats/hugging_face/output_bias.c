/* The output's bias, and tokens without probability. */
#include <string.h>

#include "model/formats/hugging_face/reader.h"

/* With renormalize_logits, tokens that are never produced have no probability during transformers'
 * search. Marian, from which converted models get their padding token, does not have that token at
 * all. */
static bool lower_excluded(struct hf_reader *reader, struct stored_tensor *bias)
{
    enum { LOWEST = -100 }; // low enough to leave no probability
    size_t index, size = bias->bytes / (size_t)bias->elements;
    json_t *id;
    char *data = contents_memory(reader->contents, bias->elements, size, reader->status);
    if (!data)
        return false;
    if (bias->data)
        memcpy(data, bias->data, bias->bytes);
    json_array_foreach(reader->excluded, index, id)
    {
        int64_t token = json_integer_value(id);
        if (token >= 0 && token < bias->elements)
            stored_put(data, bias->dtype, token, LOWEST);
    }
    bias->data = data;
    return true;
}

/* Theirs is (1, V), ours is (V). */
bool hf_put_output_bias(struct hf_reader *reader)
{
    const struct stored_tensor *theirs = hf_find(reader, "final_logits_bias");
    const json_t *renormalize = hf_generation_value(reader, "renormalize_logits");
    bool lower = json_is_true(renormalize) && json_array_size(reader->excluded) > 0;
    int64_t rows = reader->sizes[reader->separate_vocabularies];
    struct stored_tensor bias = {.dtype = STORED_F32, .dtype_name = "F32", .elements = rows};
    if (!theirs && !lower)
        return true;
    if (theirs)
        bias = *theirs;
    else
        bias.bytes = (size_t)rows * sizeof(float);
    bias.dimensions = 1;
    bias.shape[0] = bias.elements;
    return (!lower || !stored_is_float(&bias) || bias.elements == 0 ||
            lower_excluded(reader, &bias)) &&
           contents_add(reader->contents, "output.bias", &bias, reader->status);
}
