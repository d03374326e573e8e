/* A Marian model while it is read. Inside the reader: model/formats/marian, but not items*.c.
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
    char *model, *decoder_name; // names of files in the folder; the latter NULL where there is none
    char *vocabulary[2];        // likewise; both the same where they are shared
    json_t *excluded;           // ids; an array
    json_t *languages;          // {NAME: ID}
    char language[2][LANGUAGE_NAME_BYTES]; // of source and target, where something names them
    json_t *options, *decoder;             // special:model.yml, decoder.yml; objects
    struct marian_items *items;
    struct plain_config plain;
    struct stored_tensor embedding[2]; // source, target
    struct piece_list pieces[2];       // of the target the source's where they are shared
    struct status *status;
};

/* "model.npz: NAME: WHAT". Returns false. */
bool marian_fail(struct marian_reader *reader, const char *name, const char *what);

/* The model's file and decoder.yml; `file`: the name of the former, or NULL. */
bool marian_find_model(struct marian_reader *reader, const char *file);
/* The files of the vocabularies, when the model's own options are known. */
bool marian_find_vocabularies(struct marian_reader *reader);
/* True if the folder holds a model of Marian. */
bool marian_in_folder(const char *folder);

/* The architecture and the search, into the configuration; what cannot be computed is refused. */
bool marian_read_options(struct marian_reader *reader);

bool marian_shared_vocabulary(const struct marian_reader *reader);
struct piece_list *marian_pieces(struct marian_reader *reader, int side);
/* Pieces, special tokens and the subword models, when the sizes of the embeddings are known. */
bool marian_read_vocabularies(struct marian_reader *reader);
bool marian_put_vocabularies(struct marian_reader *reader);
/* Names the languages that a student's files and folder speak of; its vocabularies are found. */
void marian_name_languages(struct marian_reader *reader);

/* Finds the embeddings; then adds them and the output to the contents, with a row of zeros for the
 * start token, which becomes the last piece. */
bool marian_find_embeddings(struct marian_reader *reader);
bool marian_put_embeddings(struct marian_reader *reader);
/* How the data of a matrix stand in the file: (rows, columns), and whether they are turned to be
 * rows of outputs. */
struct marian_layout {
    int64_t rows, columns;
    bool turned;
};
/* Parameters as float tensors, which are then marked as used; integers are divided by their scale.
 * False with a message where there is none of this name. `transposed`: (in, out) there, (out, in)
 * here. A vector may be (1, n) there. A matrix has integers besides where Marian multiplies it by
 * them. */
bool marian_take_matrix(struct marian_reader *reader, const char *name, bool transposed,
                        struct stored_tensor *tensor);
bool marian_take_vector(struct marian_reader *reader, const char *name,
                        struct stored_tensor *tensor);
bool marian_has(const struct marian_reader *reader, const char *name);
/* The floats alone of marian_take_matrix. NULL: failure. */
const struct marian_item *marian_take_floats(struct marian_reader *reader, const char *name,
                                             bool transposed, struct marian_layout *layout,
                                             struct stored_tensor *tensor);
/* The transpose of a matrix, in memory of the contents; NULL: out of memory. */
void *marian_turned(struct marian_reader *reader, const void *data,
                    const struct marian_layout *layout, size_t element);
/* The layers of a stack, and its last norm. */
bool marian_put_stack(struct marian_reader *reader, int stack);

#endif
