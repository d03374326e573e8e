/* Embeddings and the output of a CTranslate2 model. */
#include <stdio.h>

#include "model/formats/ctranslate2/reader.h"

/* Extends the output's bias, or zeros if there is none, by one value, in its own type. */
static bool add_zero_bias(struct ct2_reader *reader, const struct stored_tensor *bias, int64_t rows)
{
    enum { UNLIKELY = -1000 };
    struct stored_tensor grown = {.dtype = STORED_F32,
                                  .dtype_name = "F32",
                                  .dimensions = 1,
                                  .elements = rows,
                                  .shape = {rows},
                                  .bytes = (size_t)rows * sizeof(float)};
    if (bias && (bias->dimensions != 1 || bias->elements != rows - 1))
        return ct2_reader_fail(reader, "decoder/projection/bias",
                               "not a value for each piece, expected so with a zero start");
    if (bias && !with_zero_row(reader->contents, bias, &grown, reader->status))
        return false;
    if (!bias)
        grown.data = contents_memory(reader->contents, rows, sizeof(float), reader->status);
    if (!grown.data)
        return false;
    stored_put((void *)grown.data, grown.dtype, rows - 1, UNLIKELY);
    return contents_add(reader->contents, "output.bias", &grown, reader->status);
}

/* Marian's decoder begins with an embedding of zeros. Here it belongs to an additional piece that
 * the search cannot produce, as its logit is far below all others. */
static bool add_zero_piece(struct ct2_reader *reader, const struct stored_tensor *bias)
{
    struct stored_tensor grown;
    struct piece_list *target = ct2_pieces(reader, 1);
    reader->plain.pad = reader->plain.start[0] = target->count;
    if (!piece_list_add(target, "<zero>", 6, reader->status) ||
        !with_zero_row(reader->contents, &reader->embedding[1], &grown, reader->status))
        return false;
    if (reader->plain.tied_target)
        reader->embedding[0] = grown;
    reader->embedding[1] = grown;
    return add_zero_bias(reader, bias, target->count);
}

static bool take_embedding(struct ct2_reader *reader, int stack)
{
    const struct ct2_variable *found = ct2_reader_embedding(reader, stack);
    struct stored_tensor *tensor = &reader->embedding[stack];
    char name[64];
    snprintf(name, sizeof name, "%s/embeddings/weight", ct2_stack_names[stack]);
    if (!ct2_reader_require(reader, found ? found->name : name, tensor))
        return false;
    if (tensor->dimensions == 2 && tensor->shape[0] == ct2_pieces(reader, stack)->count)
        return true;
    return status_fail(reader->status, STATUS_INVALID,
                       "model.bin: %s: %lld rows, expected %d, those of the vocabulary",
                       found->name, (long long)(tensor->dimensions ? tensor->shape[0] : 0),
                       ct2_pieces(reader, stack)->count);
}

/* Puts the output's weight: its own, or that of the target's embedding. */
static bool put_output(struct ct2_reader *reader, const struct ct2_variable *projection,
                       const struct stored_tensor *bias)
{
    struct stored_tensor weight;
    if (!ct2_reader_tensor(reader, projection, &weight))
        return false;
    if (reader->zero_start && !reader->plain.tied_output) {
        struct stored_tensor grown;
        return with_zero_row(reader->contents, &weight, &grown, reader->status) &&
               contents_add(reader->contents, "output.weight", &grown, reader->status);
    }
    if (!reader->plain.tied_output &&
        !contents_add(reader->contents, "output.weight", &weight, reader->status))
        return false;
    return reader->zero_start || !bias ||
           contents_add(reader->contents, "output.bias", bias, reader->status);
}

bool ct2_put_embeddings(struct ct2_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    const struct ct2_variable *projection = ct2_reader_find(reader, "decoder/projection/weight");
    const struct ct2_variable *offset = ct2_reader_find(reader, "decoder/projection/bias");
    struct stored_tensor bias;
    if (!take_embedding(reader, 0) || !take_embedding(reader, 1))
        return false;
    if (!projection)
        return ct2_reader_fail(reader, "decoder/projection/weight", "missing, expected it");
    const struct ct2_variable *source = ct2_reader_embedding(reader, 0);
    const struct ct2_variable *target = ct2_reader_embedding(reader, 1);
    plain->d_model = reader->embedding[0].shape[1];
    plain->tied_target = source->data == target->data && reader->shared_vocabulary;
    plain->tied_output = projection->data == target->data;
    if (plain->tied_target)
        reader->embedding[1] = reader->embedding[0];
    if ((offset && !ct2_reader_tensor(reader, offset, &bias)) ||
        (reader->zero_start && !add_zero_piece(reader, offset ? &bias : NULL)) ||
        !put_output(reader, projection, offset ? &bias : NULL))
        return false;
    if (!plain->tied_target && reader->zero_start && reader->shared_vocabulary) {
        struct stored_tensor grown;
        if (!with_zero_row(reader->contents, &reader->embedding[0], &grown, reader->status))
            return false;
        reader->embedding[0] = grown;
    }
    return contents_add(reader->contents, "source_embedding.weight", &reader->embedding[0],
                        reader->status) &&
           (plain->tied_target || contents_add(reader->contents, "target_embedding.weight",
                                               &reader->embedding[1], reader->status));
}
