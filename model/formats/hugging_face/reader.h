/* A Hugging Face folder while it is read. Inside model/formats/hugging_face.
 *
 * Order of calls: hf_read_t5 of T5's kind; hf_read_vocabularies; hf_read_tokens; hf_open_weights;
 * hf_put_weights; hf_put_vocabularies; hf_put_tokenizer. hf_close_weights and hf_free_vocabularies
 * at the end.
 */
#ifndef ATTNSCOPE_HUGGING_FACE_H
#define ATTNSCOPE_HUGGING_FACE_H

#include "model/formats/family.h"
#include "model/formats/model_words.h"
#include "model/formats/tensor_set.h"

/* The properties of a model type of the transformers package that its configuration does not
 * say. */
struct hf_type {
    const char *name;         // model_type
    const char *layout;       // of sinusoidal positions; NULL: they are learned
    int offset;               // of positions
    bool pre_norm;            // and then a last norm for each stack
    bool embedding_norm;      // of both stacks
    bool separate;            // vocabularies may be two (Marian)
    bool begins;              // sources begin with <s>
    bool languages;           // sources and targets begin with a language's token
    bool numbered_languages;  // the tokeniser numbers them by itself, where no file lists them
    bool starts_in_language;  // targets may do so without a start token before it (mBART-25)
    const char *target_token; // how a target's token begins, which sources then begin with, if the
                              // vocabulary has such
    bool pretraining_tokens;  // before the pieces of a SentencePiece model (Pegasus)
    bool t5;                  // named and configured as T5 (t5.c), of which these are:
    bool gated;               // feed-forward layers have a gate unless the configuration says else
    bool unscaled;            // the states that logits are computed from are never scaled
    bool separate_biases;     // each layer has a bias of relative positions
    bool fsmt;                // two vocabularies and a tokeniser of its own (fsmt.c)
    bool indictrans;          // likewise, and configured as fairseq (indictrans.c)
    const char *vocabularies[2][2]; // of two, the size and the file of each; NULL: the usual ones
    struct {
        bool scale; // of embeddings
        const char *activation;
        int64_t eos, pad, start; // ids; -1: none
        int64_t beam, longest;   // of the search; 0: those of GenerationConfig
        bool forced;             // end-of-sentence at the greatest length
    } defaults;                  // of what a configuration leaves out
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
    struct tensor_set weights;
    struct plain_config plain;
    bool separate_vocabularies;
    /* (sizes[side]) of a vocabulary; NULL: an id without a piece. Shared ones: [0] alone. */
    char **pieces[2];
    int64_t sizes[2];
    int64_t listed; // pieces in vocab.json; 0: there is none
    struct status *status;
};

/* model.safetensors, or pytorch_model.bin, or the files that model.safetensors.index.json or
 * pytorch_model.bin.index.json names. */
bool hf_open_weights(struct hf_reader *reader);
void hf_close_weights(struct hf_reader *reader);
/* The tensor of a name, or NULL; and put under our name, which it has to be for. */
const struct stored_tensor *hf_find(struct hf_reader *reader, const char *name);
bool hf_put(struct hf_reader *reader, const char *theirs, const char *ours);
/* Fails: no file has the tensor. */
bool hf_missing(struct hf_reader *reader, const char *name);
/* Every tensor under our names; tensors that nothing here takes are refused. */
bool hf_put_weights(struct hf_reader *reader);
/* The tables of both sides and of the output, whose names begin with the prefix; tied: a file may
 * leave out the output's. */
bool hf_put_embeddings(struct hf_reader *reader, const char *prefix, bool tied);
/* The output's bias, where there is one or tokens are to have no probability. */
bool hf_put_output_bias(struct hf_reader *reader);

/* A number of config.json that must be there, or may be left out; and an activation, as
 * transformers calls it, of the field `key`. */
bool hf_need(struct hf_reader *reader, const char *key, int64_t *value);
bool hf_need_or(struct hf_reader *reader, const char *key, int64_t otherwise, int64_t *value);
bool hf_read_activation(struct hf_reader *reader, const char *key, const char *name);
/* The object that may name the tokeniser's class: tokenizer_config.json, or config.json as in older
 * folders. */
const json_t *hf_class_names(const struct hf_reader *reader);
/* Reads the tokens around sentences and before translations, and the search. The vocabularies must
 * have been read. */
bool hf_read_tokens(struct hf_reader *reader);
/* A value that decides how text is generated, of the file that counts; NULL: absent. */
json_t *hf_generation_value(const struct hf_reader *reader, const char *key);
/* All that decides how text is generated, of the file that counts; the caller has json_decref it.
 * NULL: out of memory. */
json_t *hf_generation_options(const struct hf_reader *reader);

/* The parts of the configuration, and the tensors, that T5 names in its own way. */
bool hf_read_t5(struct hf_reader *reader);
bool hf_put_t5(struct hf_reader *reader);

/* FSMT's: the language of a side, or NULL; what cuts text, and joins it. */
const char *hf_fsmt_language(const struct hf_reader *reader, int side);
bool hf_put_fsmt_tokenizer(struct hf_reader *reader);

/* IndicTrans2's: sizes and conventions; the languages, which both are before sources; what cuts text
 * and joins it. */
bool hf_read_indictrans(struct hf_reader *reader);
bool hf_read_indictrans_languages(struct hf_reader *reader);
bool hf_put_indictrans_tokenizer(struct hf_reader *reader);

/* Reads the pieces from vocab.json, tokenizer.json or a SentencePiece model, and the lists of added
 * tokens. */
bool hf_read_vocabularies(struct hf_reader *reader);
/* The tokens of languages that are in no list of pieces. The pieces must have been read. */
bool hf_read_languages(struct hf_reader *reader);
/* Names an id. The first piece of an id stays. An id beyond the embedding is passed over: BART's
 * folders have a <mask> there that the model was not trained with. */
bool hf_set_piece(struct hf_reader *reader, int side, int64_t id, const char *piece,
                  const char *file);
/* True if ids are bytes: ByT5, which has no list of pieces; takes their names; puts what cuts text
 * into them. */
bool hf_has_bytes(const struct hf_reader *reader);
bool hf_take_bytes(struct hf_reader *reader);
bool hf_put_bytes(struct hf_reader *reader);
void hf_free_vocabularies(struct hf_reader *reader);
/* The id of a piece, or -1. */
int64_t hf_id(const struct hf_reader *reader, int side, const char *piece);
bool hf_put_vocabularies(struct hf_reader *reader);
/* SentencePiece models where the folder has them, and the tokens that stand outside them. */
bool hf_put_tokenizer(struct hf_reader *reader);
/* Lists these tokens, and says how the tokeniser's class cuts what is around them. The kind of
 * tokeniser must be known. */
bool hf_read_added(struct hf_reader *reader);

#endif
