/* Text to pieces and back: tokenisers, vocabularies, word boundaries.
 *
 * Order of calls: vocabulary_open and tokenizer_open; then tokenizer_split, vocabulary_find,
 * tokenizer_join as often as needed, on one thread at a time; then the _close functions.
 * Independent of tensors and of any model's ids: ids are line numbers of a vocabulary. Text is
 * UTF-8 throughout; invalid UTF-8 is an error that names the byte position.
 */
#ifndef ATTNSCOPE_TEXT_H
#define ATTNSCOPE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/strings.h"

/* A vocabulary: pieces by id and ids by piece. */
struct vocabulary;

/* Reads pieces, one per line, line number = id; lines end in \n (optional for the last), are not
 * empty, and are valid UTF-8 without NUL. `data` need not outlive the call. Messages begin with the
 * line number ("line 17: empty piece"). NULL on failure. */
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

/* How pieces mark where words begin and end (word_class). Configurations of models whose text comes
 * in pieces have all but the last, by the names in piece_marks_names. */
enum piece_marks {
    MARKS_NONE,
    MARKS_SENTENCEPIECE,        // "▁the": begins a word
    MARKS_BPE,                  // "th@@": the next piece continues it
    MARKS_BYTE_BPE,             // "Ġthe": begins a word
    MARKS_SENTENCEPIECE_SUFFIX, // "the▁": ends a word (--treat_whitespace_as_suffix)
    MARKS_WORD_END,             // "the</w>": ends a word
    MARKS_JOINER                // "￭the", "the￭": joined to its neighbour there
};
enum { PIECE_MARKS = MARKS_JOINER };
extern const char *const piece_marks_names[PIECE_MARKS];

/* The separators of words in text, for bpe, whitespace and joiner. */
enum blanks {
    BLANKS_ASCII,   // blanks and tabs
    BLANKS_SPACE,   // only U+0020; a tab is part of a word (subword-nmt, Marian, OpenNMT-py since
                    // version 3)
    BLANKS_UNICODE, // white space of Python's str.split() and \s (OpenNMT-py before version 3)
    BLANKS_PIECES   // subword-nmt splits words only at U+0020, then its pieces at all white space
                    // (fairseq, JoeyNMT)
};
enum { BLANKS_KINDS = BLANKS_PIECES + 1 };
extern const char *const blanks_names[BLANKS_KINDS];

/* A token outside the subword model, as in Hugging Face's tokenizers package: text that spells it
 * is cut out before any other step. */
struct added_token {
    const char *text;
    bool strip_left, strip_right; // adjacent white space belongs to it
    bool single_word;             // not within a word
    bool normalized;              // matched after the normalizer of a tokenizer.json
};

struct tokenizer_spec {
    enum tokenizer_kind kind;
    /* For whitespace: the marks that show where words begin. Without marks every piece is a word.
     * For bpe: MARKS_WORD_END if pieces, like codes, mark the ends of words, else MARKS_BPE. */
    enum piece_marks marks;
    enum blanks blanks;
    bool moses;      // Moses tokenisation before splitting, Moses detokenisation after joining
    bool normalized; // before Moses: normalises punctuation, as FSMTTokenizer does; also splits
                     // dashes
    bool lowercase;  // lower-cases the text to split, after Moses; character by character
    const char *language; // ISO 639-1 code for Moses' rules (NULL: English); an unknown one has
                          // English abbreviations and separate apostrophes
    const char *model;    // SentencePiece model, codes, merges or tokenizer.json, whole; else NULL
    size_t model_bytes;   // need not outlive the call
    const struct added_token *added; // (added_count), besides those of a tokenizer.json; need not
                                     // outlive the call
    int added_count;
    bool language_codes; // ">>…<<" at the beginning of a text is a piece (MarianTokenizer)
    bool last_blank;     // a blank at the end of a text or before an added token is a piece "▁"
};

/* The kind of a tokeniser file, recognised by content: one of the kinds that have a model. */
enum tokenizer_kind tokenizer_recognise(const char *model, size_t bytes);

struct tokenizer;
struct tokenizer *tokenizer_open(const struct tokenizer_spec *spec, struct status *status);
void tokenizer_close(struct tokenizer *tokenizer); // NULL: nothing

enum tokenizer_kind tokenizer_kind(const struct tokenizer *tokenizer);
/* The marks of its pieces: for whitespace those of the specification, else those of the model. */
enum piece_marks tokenizer_marks(const struct tokenizer *tokenizer);

/* True if a piece is one of the added tokens. */
bool tokenizer_is_added(const struct tokenizer *tokenizer, const char *piece);

/* Splits one line of text into pieces as in the model's training: added tokens, Moses,
 * lower-casing, subwords. Replaces the content of `pieces`, which is unspecified after a failure.
 * Text of only blanks gives none. A line break is a blank. Messages are about the text
 * ("byte 3: invalid UTF-8").
 *   sentencepiece: the model's own normalisation and segmentation; pieces of unknown characters
 *     keep their spelling.
 *   bpe: subword-nmt or fastBPE with the codes given, "@@" after a piece that the next one
 *     continues, or "</w>" after one that ends a word; splits at the blanks of the specification.
 *   byte_bpe: GPT-2's, with its merges: bytes as characters, "Ġ" for a blank.
 *   json: a tokenizer.json of Hugging Face (pipeline.h).
 *   whitespace, joiner: splits at the blanks of the specification; the text is in pieces. */
bool tokenizer_split(struct tokenizer *tokenizer, const char *text, struct strings *pieces,
                     struct status *status);

/* The text of pieces; unknown pieces keep their spelling. The caller frees the result; NULL:
 * failure.
 *   sentencepiece: ▁ becomes a blank, except at the beginning; byte pieces become characters.
 *   byte_bpe: characters become the bytes that they represent.
 *   bpe: "@@ " vanishes, and a last "@@".
 *   joiner: "￭" vanishes with the blank beside it.
 * Other pieces are joined by blanks. Then Moses detokenises, if the tokeniser uses it. */
char *tokenizer_join(struct tokenizer *tokenizer, const char *const *pieces, int count,
                     struct status *status);

/* The text of one word's pieces without marks, even for whitespace, whose marks tokenizer_join
 * keeps. */
char *tokenizer_join_word(struct tokenizer *tokenizer, const char *const *pieces, int count,
                          struct status *status);

/* Word boundaries. A piece begins a word if it is the first, if its class has WORD_BEGINS, or if
 * the previous piece's class has WORD_ENDS, but never after a piece with WORD_JOINS. Special tokens
 * have WORD_BEGINS and WORD_ENDS. In texts without blanks it also begins a word if its first letter
 * and the last letter before it are not in the same run of a script: the class has two bits for
 * each, and WORD_APART for a piece that always begins a word (scripts.h; operations.h:
 * scripts_part). */
enum {
    WORD_BEGINS = 1,
    WORD_ENDS = 2,
    WORD_JOINS = 4,
    WORD_FIRST_SCRIPT = 3,
    WORD_LAST_SCRIPT = 5,
    WORD_APART = 128
};

/* The class of an ordinary piece: "▁…" and "Ġ…" begin a word; "…▁", "…</w>" and pieces without a
 * final "@@" end one. Without marks every piece does both; with "￭" it does so except on the side
 * that has the joiner. */
uint8_t word_class(enum piece_marks marks, const char *piece);
/* True if a whole word is one piece of the vocabulary. */
bool vocabulary_has_word(const struct vocabulary *vocabulary, enum piece_marks marks,
                         const char *word);
/* Determines whether texts of this vocabulary have blanks between words (scripts_spacing). Call it
 * before the first tokenizer_word_class; with two vocabularies, for each: one without blanks
 * suffices. tokenizer_unspaced: true if there are no blanks. */
void tokenizer_see(struct tokenizer *tokenizer, const struct vocabulary *vocabulary);
bool tokenizer_unspaced(const struct tokenizer *tokenizer);
/* The class of a piece of this tokeniser; an added token is a separate word. */
uint8_t tokenizer_word_class(const struct tokenizer *tokenizer, const char *piece);

/* Index of the first byte that is not valid UTF-8, or -1. Overlong forms, surrogates and code
 * points above U+10FFFF are invalid. */
ptrdiff_t utf8_invalid(const char *text, size_t bytes);

#endif
