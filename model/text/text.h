/* Text to pieces and back: tokenisers, vocabularies, word boundaries.
 *
 * Order of calls: vocabulary_open and tokenizer_open; then tokenizer_split, vocabulary_find,
 * tokenizer_join as often as wanted, from one thread at a time; then the _close functions.
 * Nothing here knows of tensors or ids of a particular model: ids are line numbers of a vocabulary.
 * Text is UTF-8 throughout; invalid UTF-8 is an error that names the byte position.
 */
#ifndef ATTNSCOPE_TEXT_H
#define ATTNSCOPE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/status.h"

/* A vocabulary: pieces by id and ids by piece. */
struct vocabulary;

/* Reads pieces, one a line, line number = id; lines end in \n (the last one's is optional), are
 * not empty, are valid UTF-8 without NUL. `data` need not live after the call. Messages begin
 * with the line number ("line 17: empty piece"). NULL on failure. */
struct vocabulary *vocabulary_open(const char *data, size_t bytes, struct status *status);
void vocabulary_close(struct vocabulary *vocabulary); // NULL: nothing
int vocabulary_size(const struct vocabulary *vocabulary);
/* The piece of `id`, 0 <= id < size; owned by the vocabulary. */
const char *vocabulary_piece(const struct vocabulary *vocabulary, int id);
/* The lowest id that spells `piece`, or -1. */
int vocabulary_find(const struct vocabulary *vocabulary, const char *piece);

enum tokenizer_kind {
    TOKENIZER_SENTENCEPIECE,
    TOKENIZER_BPE,
    TOKENIZER_WHITESPACE,
    TOKENIZER_BYTE_BPE,
    TOKENIZER_JSON,
    TOKENIZER_JOINER
};
enum { TOKENIZER_KINDS = TOKENIZER_JOINER + 1 };
extern const char *const tokenizer_names[TOKENIZER_KINDS]; // of the configuration: "sentencepiece"

/* How pieces that a toolkit has cut say where words begin. */
enum piece_marks { MARKS_NONE, MARKS_SENTENCEPIECE, MARKS_BPE, MARKS_BYTE_BPE };

struct tokenizer_spec {
    enum tokenizer_kind kind;
    /* Of whitespace: the marks that say where words begin. Without marks every piece is a word. */
    enum piece_marks marks;
    bool moses;           // Moses tokenisation before splitting, Moses detokenisation after joining
    bool lowercase;       // of what is split, after Moses; character by character
    const char *language; // ISO 639-1 code, for Moses' rules (NULL: English); one that they do not
                          // know has English abbreviations, and its apostrophes stand alone
    const char *model;    // SentencePiece model, codes, merges or tokenizer.json, whole; else NULL
    size_t model_bytes;   // need not live after the call
};

/* The kind of a tokeniser's file, recognised by what is in it: one of the kinds that have a model. */
enum tokenizer_kind tokenizer_recognise(const char *model, size_t bytes);

struct tokenizer;
struct tokenizer *tokenizer_open(const struct tokenizer_spec *spec, struct status *status);
void tokenizer_close(struct tokenizer *tokenizer); // NULL: nothing

enum tokenizer_kind tokenizer_kind(const struct tokenizer *tokenizer);
/* The kind whose marks its pieces have. For TOKENIZER_JSON that is TOKENIZER_BYTE_BPE or TOKENIZER_SENTENCEPIECE, for
 * TOKENIZER_WHITESPACE it follows from the marks, for all others it is the kind itself. */
enum tokenizer_kind tokenizer_marks(const struct tokenizer *tokenizer);

/* A list of strings; zero-initialise before the first use, reuse freely, free with pieces_free. */
struct pieces {
    char **text; // (count), each owned by the list
    int count;
    size_t capacity;
};
bool pieces_add(struct pieces *pieces, const char *text, size_t bytes, struct status *status);
void pieces_clear(struct pieces *pieces);
void pieces_free(struct pieces *pieces);

/* Cuts one line of text into pieces, as the model's training did: Moses, lower-casing, subwords.
 * Replaces the content of `pieces`, which is not specified after a failure. Text of blanks alone
 * gives none. A line break is a blank. Messages are about the text ("byte 3: invalid UTF-8").
 *   sentencepiece: the model's own normalisation and segmentation; pieces of unknown characters
 *     stay as they are spelt.
 *   bpe: subword-nmt or fastBPE with the codes given, "@@" after a piece that the next one continues;
 *     splits at ASCII blanks and tabs.
 *   byte_bpe: GPT-2's, with its merges: bytes as characters, "Ġ" for a blank.
 *   json: a tokenizer.json of Hugging Face (pipeline.h).
 *   whitespace, joiner: splits at ASCII blanks and tabs; the text is in pieces. */
bool tokenizer_split(struct tokenizer *tokenizer, const char *text, struct pieces *pieces,
                     struct status *status);

/* The text that pieces spell; unknown pieces are shown as they are spelt. The caller frees the result; NULL: status.
 *   sentencepiece: ▁ becomes a blank, but at the very beginning; byte pieces become characters.
 *   byte_bpe: characters become the bytes that they stand for.
 *   bpe: "@@ " vanishes, and a last "@@".
 *   joiner: "￭" vanishes with the blank beside it.
 * All else is joined by blanks. Moses detokenisation follows where the tokeniser has it. */
char *tokenizer_join(struct tokenizer *tokenizer, const char *const *pieces, int count,
                     struct status *status);

/* The text of the pieces of one word without their marks, also of whitespace, whose marks tokenizer_join leaves. */
char *tokenizer_join_word(struct tokenizer *tokenizer, const char *const *pieces, int count,
                          struct status *status);

/* Word boundaries. A piece begins a word when it is the first one, when its class has WORD_BEGINS, or when the class
 * of the piece before it has WORD_ENDS. A piece behind one with WORD_JOINS never does. Special tokens have
 * WORD_BEGINS and WORD_ENDS. */
enum { WORD_BEGINS = 1, WORD_ENDS = 2, WORD_JOINS = 4 };

/* The class of an ordinary piece: "▁…" (sentencepiece) and "Ġ…" (byte_bpe) begin a word; what does not end in "@@"
 * ends one (bpe); every piece does both (whitespace), but for the side that has a "￭" (joiner). `kind`: as of
 * tokenizer_marks. */
uint8_t word_class(enum tokenizer_kind kind, const char *piece);

/* Position of the first byte that is not valid UTF-8, or -1. Overlong forms, surrogates and code
 * points above U+10FFFF are invalid. */
ptrdiff_t utf8_invalid(const char *text, size_t bytes);

#endif
