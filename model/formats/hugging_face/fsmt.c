/* FSMT, fairseq's models of WMT 2019 in the transformers package: two vocabularies, a decoder whose
 * embedding is its output, and a tokeniser of Moses and byte-pair encoding
 * (src/transformers/models/fsmt). */
#include <string.h>

#include "model/formats/hugging_face/reader.h"
#include "model/text/text.h"

const char *hf_fsmt_language(const struct hf_reader *reader, int side)
{
    static const char key[] = "langs";
    const json_t *langs = json_object_get(reader->tokenizer, key);
    if (!langs)
        langs = json_object_get(reader->config, key);
    return json_string_value(json_array_get(langs, (size_t)side));
}

/* Pieces mark the ends of words, like the merges, whose file has no header line. Moses' rules are
 * those of the two languages. */
bool hf_put_fsmt_tokenizer(struct hf_reader *reader)
{
    static const char merges[] = "merges.txt";
    struct plain_config *plain = &reader->plain;
    const struct mapped_file *file;
    if (json_is_true(json_object_get(reader->tokenizer, "do_lower_case")))
        return status_fail(reader->status, STATUS_INVALID,
                           "tokenizer_config.json: do_lower_case: true is not supported, expected "
                           "false");
    if (!family_has(reader->folder, merges))
        return true; // pieces are typed
    for (int side = 0; side < 2; side++)
        if (!hf_fsmt_language(reader, side))
            return status_fail(reader->status, STATUS_INVALID,
                               "tokenizer_config.json: langs: expected the codes of two languages, "
                               "such as [\"en\", \"de\"]");
    plain->tokenizer = tokenizer_names[TOKENIZER_BPE];
    plain->moses = plain->normalized = plain->word_end = true;
    file = family_text(reader->contents, reader->folder, merges, reader->status);
    return file && contents_borrow(reader->contents, "tokenizer.shared", file, reader->status);
}
