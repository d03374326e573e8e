/* State of reading a fairseq checkpoint. Private to the reader: fairseq*.c. Comments describe
 * fairseq 0.12; older checkpoints are read as by that version.
 *
 * Order of calls: fs_read_model; fs_read_languages; fs_read_dictionaries; fs_read_tokens;
 * fs_put_weights; fs_put_dictionaries; fs_put_tokenizer.
 */
#ifndef ATTNSCOPE_FAIRSEQ_H
#define ATTNSCOPE_FAIRSEQ_H

#include "model/formats/archive/torch_file.h"
#include "model/formats/family.h"
#include "model/formats/model_words.h"
#include "model/formats/tensor_set.h"

/* Ids in every dictionary. */
enum { FS_BOS, FS_PAD, FS_EOS, FS_UNK };

enum { FS_NAME = 160, FS_PLACE = 400, FS_LANGUAGE = 32 };

struct fs_reader {
    struct contents *contents;
    const char *folder, *file; // the folder, and the checkpoint's name in it
    struct torch_file *torch;
    const struct pickle_value *args,
        *groups; // the options: before version 0.11, and since then by group
    struct tensor_set weights;
    struct plain_config plain;
    struct piece_list pieces[2]; // of the source, of the target
    json_t *languages;           // {NAME: ID}; empty for a model of one language pair
    char pair[2][FS_LANGUAGE];   // source and target, inferred if not in the options
    json_t *excluded;            // ids that are never produced
    struct status *status;
};

/* A message that begins with the name of the file; returns false. */
bool fs_fail(struct fs_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* An option of the training command line, without its dashes and with underscores; NULL: absent. */
const struct pickle_value *fs_option(const struct fs_reader *reader, const char *name);
const char *fs_text(const struct fs_reader *reader, const char *name, const char *otherwise);
bool fs_flag(const struct fs_reader *reader, const char *name);

/* Values of the options that are reported or rejected (model/formats/options.h), as an object;
 * NULL: out of memory. */
json_t *fs_option_values(const struct fs_reader *reader);

/* Reads sizes and conventions of the model and the search; refuses unsupported options. */
bool fs_read_model(struct fs_reader *reader);
/* The last component of the architecture's name: "transformer_iwslt_de_en". */
const char *fs_architecture(const struct fs_reader *reader);

/* fs_is_mbart: true if the task is mBART-25's. fs_is_multilingual: true if it is that of M2M-100
 * and mBART-50. Other tasks translate between two languages. */
bool fs_is_mbart(const struct fs_reader *reader);
bool fs_is_multilingual(const struct fs_reader *reader);

/* Reads the languages of a multilingual model, in order; other models have none. */
bool fs_read_languages(struct fs_reader *reader);
/* fs_language_token: writes a language's token, "__de__" or "[de_DE]". fs_masked: true if a mask
 * follows the languages. */
void fs_language_token(const struct fs_reader *reader, const char *language, char *token,
                       size_t bytes);
bool fs_masked(const struct fs_reader *reader);

/* A side's language from its option, or as inferred; `otherwise` if neither is known. */
const char *fs_language(const struct fs_reader *reader, int side, const char *otherwise);

/* Finds a data file, relative to the checkpoint's folder: "../data-bin/iwslt14.de-en/dict.de.txt".
 * False: nowhere. */
bool fs_find_file(const struct fs_reader *reader, const char *name, char place[FS_PLACE]);
/* Infers the languages of a checkpoint that does not name them from the names of its data or from
 * the rows of its embeddings; the pair stays empty without two dictionaries. */
bool fs_infer_pair(struct fs_reader *reader);
/* The rows of a side's embedding, -1: unknown. */
int64_t fs_rows(struct fs_reader *reader, int side);

/* Reads dict.LANGUAGE.txt of both sides, with the symbols that the task adds. The embeddings have
 * as many rows. */
bool fs_read_dictionaries(struct fs_reader *reader);
void fs_free_dictionaries(struct fs_reader *reader);
/* The id of a piece, or -1. */
int64_t fs_id(const struct fs_reader *reader, int side, const char *piece);
bool fs_put_dictionaries(struct fs_reader *reader);

/* Reads the tokens around sources and before targets, and the ids of languages. */
bool fs_read_tokens(struct fs_reader *reader);

/* Adds every tensor under our names; refuses unknown tensors. */
bool fs_put_weights(struct fs_reader *reader);

#endif
