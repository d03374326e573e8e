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

#include "base/status.h"
#include "base/strings.h"

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

/* The ways pieces mark where words begin and end (word_class). Models that cut no text have all
 * but the last one in their configuration, by the names of piece_marks_names. */
enum piece_marks {
    MARKS_NONE,
    MARKS_SENTENCEPIECE,        // "▁the": it begins a word
    MARKS_BPE,                  // "th@@": the next one continues it
    MARKS_BYTE_BPE,             // "Ġthe": it begins a word
    MARKS_SENTENCEPIECE_SUFFIX, // "the▁": it ends a word (--treat_whitespace_as_suffix)
    MARKS_WORD_END,             // "the</w>": it ends a word
    MARKS_JOINER                // "￭the", "the￭": it belongs to its neighbour there
};
enum { PIECE_MARKS = MARKS_JOINER };
extern const char *const piece_marks_names[PIECE_MARKS];

/* The separators of words in text that bpe, whitespace and joiner cut. */
enum blanks {
    BLANKS_ASCII, // blanks and tabs
    BLANKS_SPACE, // U+0020 alone; a tab is part of a word (subword-nmt, Marian, OpenNMT-py from version 3 on)
    BLANKS_UNICODE, // white space as Python's str.split() and \s have it (OpenNMT-py before version 3)
    BLANKS_PIECES // subword-nmt cuts words at U+0020 alone; its pieces are then cut at all white space (fairseq,
                  // JoeyNMT)
};
enum { BLANKS_KINDS = BLANKS_PIECES + 1 };
extern const char *const blanks_names[BLANKS_KINDS];

/* A token that stands outside the subword model, as the tokenizers package of Hugging Face adds
 * them: text that spells it is cut out before anything else is done to the text. */
struct added_token {
    const char *text;
    bool strip_left, strip_right; // white space there is part of it
    bool single_word;             // not within a word
    bool normalized;              // looked for behind the normalizer of a tokenizer.json
};

struct tokenizer_spec {
    enum tokenizer_kind kind;
    /* For whitespace: the marks that say where words begin. Without marks every piece is a word. For
     * bpe: MARKS_WORD_END where pieces have the ends of words, as codes do, or else MARKS_BPE. */
    enum piece_marks marks;
    enum blanks blanks;
    bool moses;      // Moses tokenisation before splitting, Moses detokenisation after joining
    bool normalized; // before Moses: punctuation, as FSMTTokenizer has it; dashes are split, too
    bool lowercase;  // of what is split, after Moses; character by character
    const char *language; // ISO 639-1 code, for Moses' rules (NULL: English); one that they do not
                          // know has English abbreviations, and its apostrophes stand alone
    const char *model;    // SentencePiece model, codes, merges or tokenizer.json, whole; else NULL
    size_t model_bytes;   // need not live after the call
    const struct added_token *added; // (added_count), besides those of a tokenizer.json; likewise
    int added_count;
    bool language_codes; // ">>…<<" at the beginning of a text is a piece (MarianTokenizer)
    bool last_blank;     // a blank at the end of a text, or before an added token, is a piece "▁"
};

/* The kind of a tokeniser's file, recognised by what is in it: one of the kinds that have a
 * model. */
enum tokenizer_kind tokenizer_recognise(const char *model, size_t bytes);

struct tokenizer;
struct tokenizer *tokenizer_open(const struct tokenizer_spec *spec, struct status *status);
void tokenizer_close(struct tokenizer *tokenizer); // NULL: nothing

enum tokenizer_kind tokenizer_kind(const struct tokenizer *tokenizer);
/* The marks that its pieces have: of whitespace those of the specification, of others those of
 * their model. */
enum piece_marks tokenizer_marks(const struct tokenizer *tokenizer);

/* True if a piece is one of the added tokens. */
bool tokenizer_is_added(const struct tokenizer *tokenizer, const char *piece);

/* Cuts one line of text into pieces, as the model's training did: added tokens, Moses, lower-casing,
 * subwords. Replaces the content of `pieces`, which is not specified after a failure. Text
 * of blanks alone gives none. A line break is a blank. Messages are about the text ("byte 3:
 * invalid UTF-8").
 *   sentencepiece: the model's own normalisation and segmentation; pieces of unknown characters
 *     stay as they are spelt.
 *   bpe: subword-nmt or fastBPE with the codes given, "@@" after a piece that the next one
 *     continues, or "</w>" after one that ends a word; splits at the blanks of the specification.
 *   byte_bpe: GPT-2's, with its merges: bytes as characters, "Ġ" for a blank.
 *   json: a tokenizer.json of Hugging Face (pipeline.h).
 *   whitespace, joiner: splits at the blanks of the specification; the text is in pieces. */
bool tokenizer_split(struct tokenizer *tokenizer, const char *text, struct strings *pieces,
                     struct status *status);

/* The text that pieces spell; unknown pieces are shown as they are spelt. The caller frees the
 *   result; NULL: status. sentencepiece: ▁ becomes a blank, but at the very beginning; byte pieces
 *   become characters. byte_bpe: characters become the bytes that they stand for.
 *   bpe: "@@ " vanishes, and a last "@@".
 *   joiner: "￭" vanishes with the blank beside it.
 * All else is joined by blanks. Moses detokenisation follows where the tokeniser has it. */
char *tokenizer_join(struct tokenizer *tokenizer, const char *const *pieces, int count,
                     struct status *status);

/* The text of the pieces of one word without their marks, also of whitespace, whose marks
 * tokenizer_join leaves. */
char *tokenizer_join_word(struct tokenizer *tokenizer, const char *const *pieces, int count,
                          struct status *status);

/* Word boundaries. A piece begins a word when it is the first one, when its class has WORD_BEGINS,
 * or when the class of the piece before it has WORD_ENDS. A piece behind one with WORD_JOINS never
 * does. Special tokens have WORD_BEGINS and WORD_ENDS. Where texts have no blanks, it begins one, too,
 * when its first letter and the last one before it are not of the same run of a script: two bits of
 * the class each, and WORD_APART for a piece that begins one in any case (scripts.h; operations.h:
 * scripts_part). */
enum {
    WORD_BEGINS = 1,
    WORD_ENDS = 2,
    WORD_JOINS = 4,
    WORD_FIRST_SCRIPT = 3,
    WORD_LAST_SCRIPT = 5,
    WORD_APART = 128
};

/* The class of an ordinary piece: "▁…" and "Ġ…" begin a word; "…▁", "…</w>" and what does not end
 * in "@@" end one; without marks every piece does both, and so it does with "￭" but for the side
 * that has one. */
uint8_t word_class(enum piece_marks marks, const char *piece);
/* True if a whole word is one piece of the vocabulary. */
bool vocabulary_has_word(const struct vocabulary *vocabulary, enum piece_marks marks,
                         const char *word);
/* Looks whether texts of this vocabulary have blanks between words (scripts_spacing); before the
 * first tokenizer_word_class. For a tokeniser of two vocabularies: whether those of either have none.
 * tokenizer_unspaced: what came of it. */
void tokenizer_see(struct tokenizer *tokenizer, const struct vocabulary *vocabulary);
bool tokenizer_unspaced(const struct tokenizer *tokenizer);
/* The class of a piece of this tokeniser: an added token is a word of its own. */
uint8_t tokenizer_word_class(const struct tokenizer *tokenizer, const char *piece);

/* Position of the first byte that is not valid UTF-8, or -1. Overlong forms, surrogates and code
 * points above U+10FFFF are invalid. */
ptrdiff_t utf8_invalid(const char *text, size_t bytes);

#endif
