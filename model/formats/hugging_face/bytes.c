/* ByT5, whose tokeniser has no file: an id is a byte plus 3, after <pad>, </s> and <unk>
 * (src/transformers/models/byt5/tokenization_byt5.py). Pieces are spelled as GPT-2 spells bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/formats/hugging_face/reader.h"
#include "model/formats/tokenizer_class.h"
#include "model/text/buffer.h"
#include "model/text/byte_level.h"
#include "model/text/text.h"

enum { BYTES = 256, OFFSET = 3 };

bool hf_has_bytes(const struct hf_reader *reader)
{
    return reader->type->t5 && tokenizer_class_is(hf_class_names(reader), "ByT5Tokenizer");
}

/* Adds the names of the bytes, then as many sentinels as the vocabulary has room for. */
static bool take_all(struct hf_reader *reader, struct text_buffer *piece)
{
    static const char source[] = "ByT5Tokenizer";
    char name[32];
    for (int i = 0; i < BYTES; i++) {
        const char byte = (char)i;
        if (!buffer_clear(piece, reader->status) ||
            !byte_level_encode(&byte, 1, piece, reader->status) ||
            !hf_set_piece(reader, 0, OFFSET + i, piece->data, source))
            return false;
    }
    for (int64_t id = OFFSET + BYTES; id < reader->sizes[0]; id++) {
        snprintf(name, sizeof name, "<extra_id_%lld>", (long long)(id - OFFSET - BYTES));
        if (!hf_set_piece(reader, 0, id, name, source))
            return false;
    }
    return true;
}

bool hf_take_bytes(struct hf_reader *reader)
{
    static const char *const specials[OFFSET] = {"<pad>", "</s>", "<unk>"};
    struct text_buffer piece = {0};
    bool good = true;
    for (int id = 0; good && id < OFFSET; id++)
        good = hf_set_piece(reader, 0, id, specials[id], "ByT5Tokenizer");
    good = good && take_all(reader, &piece);
    free(piece.data);
    return good;
}

/* The tokeniser is byte-pair encoding of bytes without merges. */
bool hf_put_bytes(struct hf_reader *reader)
{
    static const char merges[] = "#version: 0.2\n";
    reader->plain.tokenizer = tokenizer_names[TOKENIZER_BYTE_BPE];
    return contents_text(reader->contents, "tokenizer.shared", merges, strlen(merges),
                         reader->status);
}
