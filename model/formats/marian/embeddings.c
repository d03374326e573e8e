/* Embeddings and output of a Marian model. */
#include <string.h>

#include "model/formats/marian/reader.h"

enum { UNLIKELY = -1000 }; // the logit of a piece that must never be chosen

static const char tied[] = "Wemb";

bool marian_find_embeddings(struct marian_reader *reader)
{
    static const char *const own[] = {"encoder_Wemb", "decoder_Wemb"};
    struct plain_config *plain = &reader->plain;
    plain->tied_target = marian_has(reader, tied);
    for (int side = 0; side < (plain->tied_target ? 1 : 2); side++) {
        const char *name = plain->tied_target ? tied : own[side];
        if (!marian_take_matrix(reader, name, false, &reader->embedding[side]))
            return false;
        if (reader->embedding[side].shape[1] != plain->d_model)
            return marian_fail(reader, name, "a width other than dim-emb, expected dim-emb");
    }
    if (plain->tied_target)
        reader->embedding[1] = reader->embedding[0];
    return true;
}

/* Puts the output's bias, or zeros if there is none, with an entry for the start token, which must
 * not occur in translations. */
static bool put_output_bias(struct marian_reader *reader, int64_t rows)
{
    static const char name[] = "decoder_ff_logit_out_b";
    static const uint16_t unlikely_half = 0xE3D0; // -1000
    struct stored_tensor bias, grown;
    float unlikely = UNLIKELY;
    if (!marian_has(reader, name)) {
        float *values = contents_memory(reader->contents, rows, sizeof *values, reader->status);
        if (!values)
            return false;
        values[rows - 1] = unlikely;
        return contents_floats(reader->contents, "output.bias", values, 1, &rows, reader->status);
    }
    if (!marian_take_vector(reader, name, &bias))
        return false;
    if (bias.elements != rows - 1)
        return marian_fail(
            reader, name, "a length other than the rows of the target's embedding, expected those");
    if (!with_zero_row(reader->contents, &bias, &grown, reader->status))
        return false;
    bool half = grown.dtype == STORED_F16;
    size_t size = half ? sizeof unlikely_half : sizeof unlikely;
    memcpy((char *)grown.data + grown.bytes - size,
           half ? (const void *)&unlikely_half : (const void *)&unlikely, size);
    return contents_add(reader->contents, "output.bias", &grown, reader->status);
}

/* Puts the output's weight, (V, d) or in old models (d, V), or the target's embedding. */
static bool put_output(struct marian_reader *reader, int64_t rows)
{
    static const char own[] = "decoder_ff_logit_out_Wt", old[] = "decoder_ff_logit_out_W";
    struct stored_tensor weight, grown;
    reader->plain.tied_output = !marian_has(reader, own) && !marian_has(reader, old);
    if (reader->plain.tied_output)
        return put_output_bias(reader, rows);
    const char *name = marian_has(reader, own) ? own : old;
    if (!marian_take_matrix(reader, name, name == old, &weight))
        return false;
    return with_zero_row(reader->contents, &weight, &grown, reader->status) &&
           contents_add(reader->contents, "output.weight", &grown, reader->status) &&
           put_output_bias(reader, rows);
}

/* Marian's decoder begins with an embedding of zeros; here a start token with such an embedding
 * replaces it. */
static bool add_zero_piece(struct marian_reader *reader, int side)
{
    static const char piece[] = "<zero>";
    return piece_list_add(marian_pieces(reader, side), piece, strlen(piece), reader->status);
}

bool marian_put_embeddings(struct marian_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    struct stored_tensor source = reader->embedding[0], target;
    bool shared = marian_shared_vocabulary(reader);
    int64_t rows = reader->embedding[1].shape[0];
    if (!add_zero_piece(reader, 1) || (plain->tied_target && !shared && !add_zero_piece(reader, 0)))
        return false;
    if (!with_zero_row(reader->contents, &reader->embedding[1], &target, reader->status))
        return false;
    if (plain->tied_target)
        source = target;
    else if (shared &&
             !with_zero_row(reader->contents, &reader->embedding[0], &source, reader->status))
        return false;
    plain->pad = plain->start[plain->start_count++] = rows;
    return contents_add(reader->contents, "source_embedding.weight", &source, reader->status) &&
           (plain->tied_target ||
            contents_add(reader->contents, "target_embedding.weight", &target, reader->status)) &&
           put_output(reader, rows + 1);
}
