/* State of reading a Marian model. Private to the reader: model/formats/marian, except items*.c.
 *
 * Order of calls: marian_find_model; marian_read_options; marian_find_vocabularies;
 * marian_name_languages; marian_find_embeddings; marian_read_vocabularies; marian_put_embeddings;
 * marian_put_stack for both stacks; marian_put_vocabularies; marian_check_leftovers.
 */
#ifndef ATTNSCOPE_MARIAN_READER_H
#define ATTNSCOPE_MARIAN_READER_H

#include "model/formats/family.h"
#include "model/formats/language_tokens.h"
#include "model/formats/marian/items.h"
#include "model/formats/model_words.h"

struct marian_reader {
    struct contents *contents;
    const char *folder;
    char *model, *decoder_name;            // names of files in the folder; the latter NULL if none
    char *vocabulary[2];                   // names of files; the same if shared
    json_t *excluded;                      // ids; an array
    json_t *languages;                     // {NAME: ID}
    char language[2][LANGUAGE_NAME_BYTES]; // of source and target, if named anywhere
    json_t *options, *decoder;             // special:model.yml, decoder.yml; objects
    struct marian_items *items;
    struct plain_config plain;
    struct stored_tensor embedding[2]; // source, target
    struct piece_list pieces[2];       // the target's are the source's if shared
    struct status *status;
};

/* "model.npz: NAME: WHAT". Returns false. */
bool marian_fail(struct marian_reader *reader, const char *name, const char *what);

/* Finds the model's file and decoder.yml; `file`: the name of the former, or NULL. */
bool marian_find_model(struct marian_reader *reader, const char *file);
/* Finds the files of the vocabularies, once the model's own options are known. */
bool marian_find_vocabularies(struct marian_reader *reader);
/* True if the folder holds a Marian model. */
bool marian_in_folder(const char *folder);

/* Reads architecture and search into the configuration; refuses unsupported options. */
bool marian_read_options(struct marian_reader *reader);

bool marian_shared_vocabulary(const struct marian_reader *reader);
struct piece_list *marian_pieces(struct marian_reader *reader, int side);
/* Reads pieces, special tokens and subword models, once the sizes of the embeddings are known. */
bool marian_read_vocabularies(struct marian_reader *reader);
bool marian_put_vocabularies(struct marian_reader *reader);
/* Names the languages by a student's files and folder; its vocabularies must have been found. */
void marian_name_languages(struct marian_reader *reader);

/* marian_find_embeddings finds the embeddings; marian_put_embeddings adds them and the output to
 * the contents, with a row of zeros for the start token, which becomes the last piece. */
bool marian_find_embeddings(struct marian_reader *reader);
bool marian_put_embeddings(struct marian_reader *reader);
/* The layout of a matrix in the file: (rows, columns); turned: transposed to have outputs as
 * rows. */
struct marian_layout {
    int64_t rows, columns;
    bool turned;
};
/* Read parameters as float tensors and mark them as used; integers are divided by their scale.
 * False, with a message: no parameter of this name. `transposed`: (in, out) in the file, (out, in)
 * here. A vector may be (1, n) in the file. A matrix also has integers if Marian multiplies with
 * them. */
bool marian_take_matrix(struct marian_reader *reader, const char *name, bool transposed,
                        struct stored_tensor *tensor);
bool marian_take_vector(struct marian_reader *reader, const char *name,
                        struct stored_tensor *tensor);
bool marian_has(const struct marian_reader *reader, const char *name);
/* Only the floats of marian_take_matrix. NULL: failure. */
const struct marian_item *marian_take_floats(struct marian_reader *reader, const char *name,
                                             bool transposed, struct marian_layout *layout,
                                             struct stored_tensor *tensor);
/* The transpose of a matrix, in memory of the contents; NULL: out of memory. */
void *marian_turned(struct marian_reader *reader, const void *data,
                    const struct marian_layout *layout, size_t element);
/* Adds the layers of a stack and its last norm. */
bool marian_put_stack(struct marian_reader *reader, int stack);

#endif
