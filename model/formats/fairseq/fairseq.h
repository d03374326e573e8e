/* A checkpoint of fairseq while it is read. Inside the reader: fairseq*.c. Comments describe
 * fairseq 0.12; older checkpoints are read as that version reads them.
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

/* Ids of every dictionary. */
enum { FS_BOS, FS_PAD, FS_EOS, FS_UNK };

enum { FS_NAME = 160, FS_PLACE = 400, FS_LANGUAGE = 32 };

struct fs_reader {
    struct contents *contents;
    const char *folder, *file; // the folder, and the name of the checkpoint in it
    struct torch_file *torch;
    const struct pickle_value *args,
        *groups; // the options: of versions before 0.11, and of later ones by group
    struct tensor_set weights;
    struct plain_config plain;
    struct piece_list pieces[2]; // of the source, of the target
    json_t *languages;           // {NAME: ID}; empty of a model for one pair of languages
    char pair[2][FS_LANGUAGE];   // source and target, inferred where the options do not say them
    json_t *excluded;            // ids that are never produced
    struct status *status;
};

/* A message that begins with the name of the file; returns false. */
bool fs_fail(struct fs_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* An option of the command line that trained the model, without its dashes and with underscores;
 * NULL: absent. */
const struct pickle_value *fs_option(const struct fs_reader *reader, const char *name);
const char *fs_text(const struct fs_reader *reader, const char *name, const char *otherwise);
bool fs_flag(const struct fs_reader *reader, const char *name);

/* Values of the options that are told or rejected (model/formats/options.h), as an object; NULL:
 * out of memory. */
json_t *fs_option_values(const struct fs_reader *reader);

/* Sizes and conventions of the model and the search; refuses what is not computed here. */
bool fs_read_model(struct fs_reader *reader);
/* The last component of the architecture's name: "transformer_iwslt_de_en". */
const char *fs_architecture(const struct fs_reader *reader);

/* True if the task is that of mBART-25, or that of M2M-100 and mBART-50; other tasks translate
 * between two languages. */
bool fs_is_mbart(const struct fs_reader *reader);
bool fs_is_multilingual(const struct fs_reader *reader);

/* The languages of a multilingual model, in their order; other models have none. */
bool fs_read_languages(struct fs_reader *reader);
/* Writes a language's token, "__de__" or "[de_DE]"; the other: true if a mask follows the
 * languages. */
void fs_language_token(const struct fs_reader *reader, const char *language, char *token,
                       size_t bytes);
bool fs_masked(const struct fs_reader *reader);

/* A side's language by its option, or by what was inferred; `otherwise` where neither says it. */
const char *fs_language(const struct fs_reader *reader, int side, const char *otherwise);

/* Finds a file of the data, from the checkpoint's folder: "../data-bin/iwslt14.de-en/dict.de.txt".
 * False: nowhere. */
bool fs_find_file(const struct fs_reader *reader, const char *name, char place[FS_PLACE]);
/* The languages of a checkpoint that does not say them, from the names of its data, or from the
 * rows of its embeddings; the pair stays empty where there are no two dictionaries. */
bool fs_infer_pair(struct fs_reader *reader);
/* The rows of a side's embedding, -1: unknown. */
int64_t fs_rows(struct fs_reader *reader, int side);

/* dict.LANGUAGE.txt of both sides, and the symbols that the task adds to them. The embeddings have
 * as many rows. */
bool fs_read_dictionaries(struct fs_reader *reader);
void fs_free_dictionaries(struct fs_reader *reader);
/* The id of a piece, or -1. */
int64_t fs_id(const struct fs_reader *reader, int side, const char *piece);
bool fs_put_dictionaries(struct fs_reader *reader);

/* Reads the tokens around sources and before targets, and the ids of languages. */
bool fs_read_tokens(struct fs_reader *reader);

/* Every tensor under our names; unknown tensors are refused. */
bool fs_put_weights(struct fs_reader *reader);

#endif
