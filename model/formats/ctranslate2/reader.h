/* State of reading a CTranslate2 folder. Private to the reader: model/formats/ctranslate2, except
 * file.c.
 *
 * Order of calls: ct2_set_defaults; ct2_read_tokens; ct2_read_vocabularies; ct2_read_sizes;
 * ct2_find_tokens; ct2_read_languages; ct2_put_embeddings; ct2_read_settings; ct2_put_positions;
 * ct2_put_stack for both stacks; ct2_put_attention; ct2_read_alignment; ct2_put_vocabularies,
 * ct2_put_tokenizer, ct2_read_added.
 */
#ifndef ATTNSCOPE_CTRANSLATE2_READER_H
#define ATTNSCOPE_CTRANSLATE2_READER_H

#include "model/formats/contents.h"
#include "model/formats/family.h"
#include "model/formats/model_words.h"

/* The special tokens, as pieces. */
struct ct2_tokens {
    const char *unk, *bos, *eos;
    const char *start;     // of translations
    bool start_given;      // the user gives the start of translations
    bool add_bos, add_eos; // around sources
};

struct ct2_reader {
    struct contents *contents;
    const char *folder;
    struct ct2_file *file;
    json_t *config, *languages;
    json_t *package; // metadata.json of the package that contains the folder; NULL: none
    /* The tokeniser's files of a model converted from transformers, if in the folder; else NULL. */
    json_t *tokenizer, *whole_tokenizer, *added;
    struct ct2_tokens tokens;
    struct plain_config plain;
    struct stored_tensor embedding[2]; // source, target
    struct piece_list pieces[2];       // the target's are the source's if shared
    bool shared_vocabulary, zero_start;
    struct status *status;
};

/* "model.bin: NAME: WHAT". Returns false. */
bool ct2_reader_fail(struct ct2_reader *reader, const char *name, const char *what);

/* Find a variable and mark it as used; NULL: none. ct2_reader_find_in: in a stack,
 * "encoder/NAME". */
struct ct2_variable *ct2_reader_find(struct ct2_reader *reader, const char *name);
struct ct2_variable *ct2_reader_find_in(struct ct2_reader *reader, int stack, const char *name);
/* The embedding of a stack, under either of its two names; NULL: none. */
struct ct2_variable *ct2_reader_embedding(const struct ct2_reader *reader, int stack);
/* A setting of a stack, or of the model if its specification has one for both. NULL: none. */
struct ct2_variable *ct2_reader_setting(struct ct2_reader *reader, int stack, const char *name);
/* The value of a scalar; `otherwise` if none. A variable that is not a scalar is no longer marked
 * as used. */
double ct2_scalar(struct ct2_variable *variable, double otherwise);
/* Reads a factor, which must be above 0; 0 if there is none. */
bool ct2_reader_factor(struct ct2_reader *reader, struct ct2_variable *variable, double *factor);
/* A variable as a float tensor; integers are divided by their scales, in memory of the contents. */
bool ct2_reader_tensor(struct ct2_reader *reader, const struct ct2_variable *variable,
                       struct stored_tensor *tensor);
/* The same by name; fails if absent. */
bool ct2_reader_require(struct ct2_reader *reader, const char *name, struct stored_tensor *tensor);

/* CTranslate2's defaults, and the settings of config.json other than tokens; `name` is the
 * model's. */
void ct2_set_defaults(struct ct2_reader *reader, const char *name);
/* Reads heads, norms and feed-forward layers of both stacks. */
bool ct2_read_sizes(struct ct2_reader *reader);
/* Reads the scale of embeddings and the activation; needs the width. */
bool ct2_read_settings(struct ct2_reader *reader);
/* Reads the heads of guided alignment; needs the number of layers. */
bool ct2_read_alignment(struct ct2_reader *reader);

/* Adds the layers of a stack and its last norm, and sets their number in the configuration. */
bool ct2_put_stack(struct ct2_reader *reader, int stack);
bool ct2_put_positions(struct ct2_reader *reader);
/* Adds the scale of energies, the size of heads and relative positions. */
bool ct2_put_attention(struct ct2_reader *reader);

/* The special tokens, as pieces. */
bool ct2_read_tokens(struct ct2_reader *reader);
/* Reads shared_vocabulary.json, or two vocabularies; .txt in older folders. Adds a missing unknown
 * token if the embedding has a row for it. */
bool ct2_read_vocabularies(struct ct2_reader *reader);
struct piece_list *ct2_pieces(struct ct2_reader *reader, int side);
/* The id of a piece, or -1. */
int64_t ct2_piece_id(struct ct2_reader *reader, int side, const char *piece);
/* Finds the tokens around sources, and those with which translations begin. */
bool ct2_find_tokens(struct ct2_reader *reader);
/* Reads the languages from the pieces, after all other tokens around sources and targets. */
bool ct2_read_languages(struct ct2_reader *reader);
/* Adds embeddings and output, and the zero start token if the model has one, which adds a piece. */
bool ct2_put_embeddings(struct ct2_reader *reader);
bool ct2_put_vocabularies(struct ct2_reader *reader);
/* Adds the subword models, if in the folder or its package. */
bool ct2_put_tokenizer(struct ct2_reader *reader);
/* Read the files of a transformers tokeniser beside the model: first tokenizer_config.json and
 * tokenizer.json, before ct2_read_languages; then, once the kind of tokeniser is known, the tokens
 * outside its subword model. */
bool ct2_read_tokenizer_files(struct ct2_reader *reader);
bool ct2_read_added(struct ct2_reader *reader);
/* True if a folder, or the one at "../" from it, is a package of Argos Translate. */
bool ct2_is_package(const char *folder, const char *at);
/* ct2_set_package_search: sets a package's search to argostranslate's. ct2_tell_package: reports
 * what else argostranslate does, once the contents are configured. Both do nothing for other
 * models. */
void ct2_set_package_search(struct ct2_reader *reader);
bool ct2_tell_package(struct ct2_reader *reader);

extern const char *const ct2_stack_names[2]; // encoder, decoder

/* The variables of a CTranslate2 model.bin, versions 1 to 6 (src/models/model.cc of CTranslate2):
 *
 *     u32 version; from 2 on: string specification, u32 revision
 *     u32 count; count × { string name, u8 rank, u32 dimension[rank],
 *                          from 4 on: u8 type, u32 bytes; before: u8 bytes of an element, u32
 *                          elements; data }
 *     from 3 on: u32 count; count × { string alias, string variable }
 *
 * where a string is a u16 length, its \0 included, and the bytes; everything is little-endian.
 * Variables of the first revision have the names that OpenNMT-tf gave them; they are renamed while
 * the file is read (ct2_rename_old).
 */

enum ct2_type { CT2_FLOAT32, CT2_INT8, CT2_INT16, CT2_INT32, CT2_FLOAT16, CT2_BFLOAT16, CT2_TYPES };

struct ct2_variable {
    char *name;
    enum ct2_type type;
    int dimensions;
    int64_t shape[8];
    int64_t elements;
    const unsigned char *data; // in the file; may be unaligned
    size_t bytes;
    bool used; // by a reader; variables left at the end are unknown
};

struct ct2_file {
    unsigned version;
    char *specification; // "TransformerSpec"; of version 1 ""
    unsigned revision;   // of the specification; of version 1: 1
    struct ct2_variable
        *variables; // (count), by name; an alias is a variable of its own with the same data
    int count;
};

/* True if a file that begins so may be a model.bin. */
bool ct2_begins(const unsigned char head[16]);
/* The variables point into the file, which must outlive them. NULL on failure. */
struct ct2_file *ct2_open(const struct mapped_file *file, struct status *status);
void ct2_close(struct ct2_file *file);                                        // NULL: nothing
struct ct2_variable *ct2_find(const struct ct2_file *file, const char *name); // or NULL

/* "transformer/encoder/layer_0/multi_head/conv1d/kernel:0" becomes
 * "encoder/layer_0/self_attention/linear_0/weight" (map_v1_variable_name in CTranslate2's
 * src/models/transformer.cc). *name is freed and replaced; on failure it is left as it is. False:
 * out of memory. */
bool ct2_rename_old(char **name, struct status *status);

#endif
