/* State of reading a Hugging Face folder. Private to model/formats/hugging_face.
 *
 * Order of calls: hf_read_t5 and its like for their types; hf_read_vocabularies; hf_read_tokens;
 * hf_open_weights; hf_put_weights; hf_put_vocabularies; hf_put_tokenizer. hf_close_weights and
 * hf_free_vocabularies at the end.
 */
#ifndef ATTNSCOPE_HUGGING_FACE_H
#define ATTNSCOPE_HUGGING_FACE_H

#include "model/formats/family.h"
#include "model/formats/model_words.h"
#include "model/formats/tensor_set.h"

/* Properties of a model type of the transformers package that its configuration does not state. */
struct hf_type {
    const char *name;         // model_type
    const char *layout;       // of sinusoidal positions; NULL: learned
    int offset;               // of positions
    bool pre_norm;            // with a last norm for each stack
    bool embedding_norm;      // of both stacks
    bool separate;            // there may be two vocabularies (Marian)
    bool begins;              // sources begin with <s>
    bool languages;           // sources and targets begin with a language's token
    bool numbered_languages;  // the tokeniser numbers them itself if no file lists them
    bool starts_in_language;  // targets may, without a start token before it (mBART-25)
    const char *target_token; // prefix of target-language tokens, with which sources begin if the
                              // vocabulary has such tokens
    bool pretraining_tokens;  // before the pieces of a SentencePiece model (Pegasus)
    bool t5;                  // named and configured as T5 (t5.c), with these properties:
    bool gated;               // feed-forward layers have a gate unless the configuration says
                              // otherwise
    bool unscaled;            // states are never scaled before the logits
    bool separate_biases;     // each layer has a bias of relative positions
    bool fsmt;                // two vocabularies and its own tokeniser (fsmt.c)
    bool indictrans;          // the same, and configured like fairseq (indictrans.c)
    bool t5gemma;             // a configuration for each stack (t5gemma.c)
    const char *vocabularies[2][2]; // for two: the size and the file of each; NULL: the usual ones
    struct {
        bool scale; // of embeddings
        const char *activation;
        int64_t eos, pad, start; // ids; -1: none
        int64_t beam, longest;   // of the search; 0: those of GenerationConfig
        bool forced;             // end-of-sentence at the greatest length
    } defaults;                  // for fields missing from a configuration
};

struct hf_reader {
    struct contents *contents;
    const char *folder;
    const char *name; // of the model
    const struct hf_type *type;
    json_t *config, *generation, *tokenizer; // objects; the last two may be empty
    json_t *whole_tokenizer;                 // tokenizer.json, or NULL
    json_t *languages;                       // {NAME: ID} of the vocabulary's
    json_t *added;                           // tokens outside the subword model (added_tokens.h)
    json_t *excluded;                        // ids that are never produced
    json_t *ends;                            // ids at which the search ends
    json_t *windowed;                        // T5Gemma's layers with windows: a list for each stack
    struct tensor_set weights;
    struct plain_config plain;
    bool separate_vocabularies;
    /* (sizes[side]) of a vocabulary; NULL: an id without a piece. If shared: only [0]. */
    char **pieces[2];
    int64_t sizes[2];
    int64_t listed; // pieces in vocab.json; 0: no such file
    struct status *status;
};

/* Opens model.safetensors, pytorch_model.bin, or the files named in model.safetensors.index.json or
 * pytorch_model.bin.index.json. */
bool hf_open_weights(struct hf_reader *reader);
void hf_close_weights(struct hf_reader *reader);
/* hf_find: a tensor by name, or NULL. hf_put: adds it under our name; fails if absent. */
const struct stored_tensor *hf_find(struct hf_reader *reader, const char *name);
bool hf_put(struct hf_reader *reader, const char *theirs, const char *ours);
/* Fails: no file has the tensor. */
bool hf_missing(struct hf_reader *reader, const char *name);
/* Adds every tensor under our names; refuses tensors that nothing uses. */
bool hf_put_weights(struct hf_reader *reader);
/* Adds the tables of both sides and of the output, whose names begin with the prefix; tied: the
 * output's may be absent. */
bool hf_put_embeddings(struct hf_reader *reader, const char *prefix, bool tied);
/* Adds the output's bias, if there is one or if tokens must have no probability. */
bool hf_put_output_bias(struct hf_reader *reader);

/* Read a required or an optional number of config.json, and an activation by transformers' name for
 * it, from the field `key`. */
bool hf_need(struct hf_reader *reader, const char *key, int64_t *value);
bool hf_need_or(struct hf_reader *reader, const char *key, int64_t otherwise, int64_t *value);
bool hf_read_activation(struct hf_reader *reader, const char *key, const char *name);
/* The object that may name the tokeniser's class: tokenizer_config.json, or config.json as in older
 * folders. */
const json_t *hf_class_names(const struct hf_reader *reader);
/* Reads the tokens around sentences and before translations, and the search. The vocabularies must
 * have been read. */
bool hf_read_tokens(struct hf_reader *reader);
/* A value that controls generation, from the file in force; NULL: absent. */
json_t *hf_generation_value(const struct hf_reader *reader, const char *key);
/* Everything that controls generation, from the file in force; the caller calls json_decref. NULL:
 * out of memory. */
json_t *hf_generation_options(const struct hf_reader *reader);

/* The configuration and the tensors for which T5 has its own names. */
bool hf_read_t5(struct hf_reader *reader);
bool hf_put_t5(struct hf_reader *reader);

/* FSMT: the language of a side, or NULL; adds the tokeniser. */
const char *hf_fsmt_language(const struct hf_reader *reader, int side);
bool hf_put_fsmt_tokenizer(struct hf_reader *reader);

/* T5Gemma: reads the configurations of the stacks; adds the tensors. */
bool hf_read_t5gemma(struct hf_reader *reader);
bool hf_put_t5gemma(struct hf_reader *reader);

/* IndicTrans2: reads sizes and conventions; reads the languages, of which both precede sources;
 * adds the tokeniser. */
bool hf_read_indictrans(struct hf_reader *reader);
bool hf_read_indictrans_languages(struct hf_reader *reader);
bool hf_put_indictrans_tokenizer(struct hf_reader *reader);

/* Reads the pieces from vocab.json, tokenizer.json or a SentencePiece model, and the lists of added
 * tokens. */
bool hf_read_vocabularies(struct hf_reader *reader);
/* Reads language tokens that are in no list of pieces. The pieces must have been read. */
bool hf_read_languages(struct hf_reader *reader);
/* Names an id; the first piece of an id stays. Skips ids beyond the embedding: BART's folders have
 * a <mask> there that the model was not trained with. */
bool hf_set_piece(struct hf_reader *reader, int side, int64_t id, const char *piece,
                  const char *file);
/* hf_has_bytes: true if ids are bytes, as in ByT5, which has no list of pieces. hf_take_bytes names
 * them; hf_put_bytes adds the tokeniser. */
bool hf_has_bytes(const struct hf_reader *reader);
bool hf_take_bytes(struct hf_reader *reader);
bool hf_put_bytes(struct hf_reader *reader);
void hf_free_vocabularies(struct hf_reader *reader);
/* The id of a piece, or -1. */
int64_t hf_id(const struct hf_reader *reader, int side, const char *piece);
bool hf_put_vocabularies(struct hf_reader *reader);
/* Adds the folder's SentencePiece models, if any, and the tokens outside them. */
bool hf_put_tokenizer(struct hf_reader *reader);
/* Lists these tokens, and how the tokeniser's class cuts the text around them. The kind of
 * tokeniser must be known. */
bool hf_read_added(struct hf_reader *reader);

#endif
